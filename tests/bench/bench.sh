#!/usr/bin/env bash
# Speed and memory: tests/bench/bench.sh [--largest GRAINS]. Wants $GABION. Times are aims, told as met
# or missed; memory and equal bits are checks. Ends with "N passed, M failed".
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-/usr/bin/python3}
passed=0 failed=0
for command in "scale.py $*" load.py sizes.py; do
    echo "== $command"
    log=$(mktemp)
    # shellcheck disable=SC2086
    "$python" "$here"/$command | tee "$log"
    if [[ $(tail -n 1 "$log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
    else
        failed=$((failed + 1))
    fi
    rm -f "$log"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
