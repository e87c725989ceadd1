#!/bin/bash
# Command-line tests: GABION=build/gabion tests/cli/run_tests.sh [name ...]
#   JOBS  scripts that run side by side (default 1); each has a folder of its own
here=$(cd "$(dirname "$0")" && pwd)
export GABION=${GABION:-$here/../../build/gabion}
[ -x "$GABION" ] || { echo "$GABION is not a program; build it, or set GABION"; exit 2; }
jobs=${JOBS:-1}
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT

names=()
for test in "$here"/test_*.sh; do
    name=$(basename "$test" .sh)
    name=${name#test_}
    [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
    names+=("$name")
done
[ ${#names[@]} -gt 0 ] || { echo "no test is named $*"; exit 2; }
printf '%s\0' "${names[@]}" |
    xargs -0 -P "$jobs" -I NAME bash -c 'bash "$2/test_$1.sh" >"$3/$1" 2>&1' run NAME "$here" "$reports"

passed=0 failed=0
for name in "${names[@]}"; do
    report=$(cat "$reports/$name")
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
