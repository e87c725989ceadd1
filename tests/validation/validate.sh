#!/usr/bin/env bash
# Long physics: everything that takes minutes. Wants $GABION, already built.
cd "$(dirname "$0")/../.." || exit 2
export GABION=${GABION:-$PWD/build/gabion}
python=${PYTHON:-/usr/bin/python3}
passed=0 failed=0
for command in "tests/validation/determinism.sh" "$python tests/validation/brazil_nut.py"; do
    echo "== $command"
    log=$(mktemp)
    $command | tee "$log"
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
