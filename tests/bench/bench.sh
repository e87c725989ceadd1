#!/usr/bin/env bash
# Speed and memory: tests/bench/bench.sh [--largest GRAINS]. Wants $GABION. Times are aims, reported as met
# or missed; memory and equal bits are checks.
cd "$(dirname "$0")/../.." || exit 2
python=${PYTHON:-/usr/bin/python3}
exec tests/tally.sh "$python tests/bench/scale.py $*" "$python tests/bench/load.py" "$python tests/bench/sizes.py"
