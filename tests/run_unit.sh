#!/usr/bin/env bash
# Runs cmocka binaries one by one: tests/run_unit.sh BINARY...  A hanging test is ended and counted.
passed=0 failed=0 skipped=0
limit=${UNIT_TIMEOUT:-300}
for binary in "$@"; do
    report=$(CMOCKA_MESSAGE_OUTPUT=TAP timeout "$limit" "$binary" 2>&1)
    status=$?
    # cmocka calls a skipped test "not ok ... # SKIP".
    skips=$(grep -cE '^(not )?ok.*# SKIP' <<<"$report")
    good=$(grep '^ok' <<<"$report" | grep -vc '# SKIP')
    bad=$(grep '^not ok' <<<"$report" | grep -vc '# SKIP')
    if [ $status -ne 0 ] || [ $((good + skips)) -eq 0 ]; then
        [ "$bad" -gt 0 ] || bad=1
        echo "$(basename "$binary"): status $status"
        grep -vE '^ok' <<<"$report" | head -n 40
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
    skipped=$((skipped + skips))
    [ "$skips" -eq 0 ] || grep -E '^(not )?ok.*# SKIP' <<<"$report" | sed "s|^|$(basename "$binary"): |"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
