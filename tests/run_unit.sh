#!/usr/bin/env bash
# Runs cmocka binaries one by one: tests/run_unit.sh BINARY...  A hanging test is ended and counted.
passed=0 failed=0 skipped=0
limit=${UNIT_TIMEOUT:-300}
for binary in "$@"; do
    report=$(CMOCKA_MESSAGE_OUTPUT=TAP timeout "$limit" "$binary" 2>&1)
    status=$?
    good=$(grep -c '^ok' <<<"$report")
    skips=$(grep -c '^ok.*# SKIP' <<<"$report")
    bad=$(grep -c '^not ok' <<<"$report")
    if [ $status -ne 0 ] || [ "$good" -eq 0 ]; then
        [ "$bad" -gt 0 ] || bad=1
        echo "$(basename "$binary"): status $status"
        grep -vE '^ok' <<<"$report" | head -n 40
    fi
    passed=$((passed + good - skips))
    failed=$((failed + bad))
    skipped=$((skipped + skips))
    [ "$skips" -eq 0 ] || grep '^ok.*# SKIP' <<<"$report" | sed "s|^|$(basename "$binary"): |"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
