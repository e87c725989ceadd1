#!/usr/bin/env bash
# The papers' sphere scenes beside their printed values: tests/validation/papers.sh [FOLDER]
# Wants $GABION and $SWEEP_HISTORY (programs, already built); results go to FOLDER or $BUILD/papers.
cd "$(dirname "$0")/../.." || exit 2
export GABION=${GABION:-$PWD/build/gabion}
export SWEEP_HISTORY=${SWEEP_HISTORY:-$(dirname "$GABION")/tests/validation/sweep_history}
folder=${1:-${BUILD:-build}/papers}
python=${PYTHON:-/usr/bin/python3}
mkdir -p "$folder" || exit 1
commands=()
for script in bouncing_column settling_table; do
    commands+=("$python tests/validation/$script.py -o $folder | tee $folder/$script.txt")
done
exec tests/tally.sh "${commands[@]}"
