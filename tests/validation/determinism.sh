#!/usr/bin/env bash
# The contract at full length: 1, 2 and 3 threads, and a stop in the middle resumed with another
# number of threads, give the same state-hash. Ends with "N passed, M failed".
cd "$(dirname "$0")/../.." || exit 2
gabion=${GABION:-build/gabion} passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
hash_of() { "$gabion" "$@" --quiet 2>/dev/null | sed -n 's/^state-hash: //p'; }
compare() { # NAME HASH REFERENCE
    if [ -n "$2" ] && [ "$2" = "$3" ]; then
        passed=$((passed + 1))
        echo "ok: $1: $2"
    else
        failed=$((failed + 1))
        echo "FAILED: $1: '$2' against '$3'"
    fi
}
contract() { # NAME CASE STEPS
    local half=$(($3 / 2)) reference
    off="--set output.vtk_every=0 --set output.checkpoint_every=0"
    reference=$(hash_of run "$2" -o "$work/$1-1" -j 1 --steps "$3" $off)
    for threads in 2 3; do
        compare "$1, $3 steps, $threads threads" "$(hash_of run "$2" -o "$work/$1-$threads" -j $threads --steps "$3" $off)" "$reference"
    done
    hash_of run "$2" -o "$work/$1-h" -j 3 --steps $half $off >/dev/null
    compare "$1, stopped after $half steps with 3 threads, resumed with 1" \
        "$(hash_of resume "$work/$1-h" -j 1 --steps $(($3 - half)))" "$reference"
}
contract brazil_nut cases/brazil_nut.yaml 2400
contract settling_800 cases/papers/settling_800.yaml 1750
contract arch cases/arch.yaml 7500 # the arch falls at 6500
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
