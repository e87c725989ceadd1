# What happens to tests whose Python module is not there (has of check.sh).
. "$(dirname "$0")/check.sh"
check=$CASES/../check.sh

# without ALL: a test that needs h5py twice, with a Python that has no module.
without() {
    PYTHON=false GABION_ALL_TESTS=$1 bash -c '. "$0"; has h5py || has h5py || finish' "$check"
}
report=$(without "")
ok "by hand: $report" [ "$(grep -c '^skipped: false has no module h5py$' <<<"$report")" -eq 1 ]
is "by hand: nothing failed" "$(tail -n 1 <<<"$report")" "0 passed, 0 failed"
report=$(without 1)
ok "in make check: $report" grep -q '^FAILED: false has no module h5py' <<<"$report"
is "in make check: one failure" "$(tail -n 1 <<<"$report")" "0 passed, 1 failed"
ok "make check asks for all tests" grep -qE '^\s@GABION_ALL_TESTS=1 .* cli( |$)' "$CASES/../../../Makefile"
ok "no script decides by itself" bash -c '! grep -lE "import (h5py|vtk)\"" "$0"/test_*.sh' "$CASES/.."
finish
