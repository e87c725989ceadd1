#!/usr/bin/env bash
# Runs cmocka binaries: tests/run_unit.sh BINARY...  Prints what failed and what was skipped in the order
# of the binaries and ends with "N passed, M failed, K skipped". A hanging test is ended and counted.
#   JOBS          binaries that run side by side (default 1)
#   UNIT_TIMEOUT  seconds that one may take (default 300)
jobs=${JOBS:-1}
limit=${UNIT_TIMEOUT:-300}
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT

# run NUMBER BINARY: leaves the report, whose last line is the exit status.
run() {
    CMOCKA_MESSAGE_OUTPUT=TAP timeout "$limit" "$2" >"$reports/$1" 2>&1
    printf '\n%d\n' $? >>"$reports/$1"
}
export -f run
export reports limit
for number in $(seq $#); do
    printf '%s\0%s\0' "$number" "${!number}"
done | xargs -0 -r -n 2 -P "$jobs" bash -c 'run "$@"' run

passed=0 failed=0 skipped=0 number=0
for binary in "$@"; do
    number=$((number + 1))
    name=$(basename "$binary")
    report=$(cat "$reports/$number")
    status=$(tail -n 1 <<<"$report")
    # cmocka calls a skipped test "not ok ... # SKIP".
    skips=$(grep -cE '^(not )?ok.*# SKIP' <<<"$report")
    good=$(grep '^ok' <<<"$report" | grep -vc '# SKIP')
    bad=$(grep '^not ok' <<<"$report" | grep -vc '# SKIP')
    if [ "$status" -ne 0 ] || [ $((good + skips)) -eq 0 ]; then
        [ "$bad" -gt 0 ] || bad=1
        echo "$name: status $status"
        sed '$d' <<<"$report" | grep -vE '^ok' | head -n 40
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
    skipped=$((skipped + skips))
    [ "$skips" -eq 0 ] || grep -E '^(not )?ok.*# SKIP' <<<"$report" | sed "s|^|$name: |"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
