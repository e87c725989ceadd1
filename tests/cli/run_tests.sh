#!/bin/bash
# Command-line tests: GABION=build/gabion tests/cli/run_tests.sh [name ...]
here=$(cd "$(dirname "$0")" && pwd)
export GABION=${GABION:-$here/../../build/gabion}
[ -x "$GABION" ] || { echo "$GABION is not a program; build it, or set GABION"; exit 2; }
passed=0 failed=0
for test in "$here"/test_*.sh; do
    name=$(basename "$test" .sh)
    name=${name#test_}
    [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
    report=$(bash "$test" 2>&1)
    last=$(tail -n 1 <<<"$report")
    if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
        sed '$d' <<<"$report" | sed "s/^/$name: /"
    else
        failed=$((failed + 1))
        echo "$name: ended without a result: $last"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
