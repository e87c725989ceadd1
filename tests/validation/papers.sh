#!/usr/bin/env bash
# The papers' sphere scenes beside their printed values: tests/validation/papers.sh [FOLDER]
# Wants $GABION and $SWEEP_HISTORY (programs, already built); results go to FOLDER or $BUILD/papers.
cd "$(dirname "$0")/../.." || exit 2
export GABION=${GABION:-$PWD/build/gabion}
export SWEEP_HISTORY=${SWEEP_HISTORY:-$(dirname "$GABION")/tests/validation/sweep_history}
folder=${1:-${BUILD:-build}/papers}
python=${PYTHON:-/usr/bin/python3}
passed=0 failed=0
mkdir -p "$folder" || exit 1
for script in bouncing_column settling_table; do
    echo "== $script"
    "$python" "tests/validation/$script.py" -o "$folder" | tee "$folder/$script.txt"
    if [[ $(tail -n 1 "$folder/$script.txt") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
    else
        echo "$script did not finish"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
