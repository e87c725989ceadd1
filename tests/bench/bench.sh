#!/usr/bin/env bash
# Speed and memory: tests/bench/bench.sh [--largest GRAINS]. Wants $GABION and $BUILD, with the programs of
# tests/bench already built. Times are aims, reported as met or missed; memory and equal bits are checks.
# The limits of the machine come first; the page is $BENCH/index.html (out/bench).
cd "$(dirname "$0")/../.." || exit 2
python=${PYTHON:-/usr/bin/python3}
export BENCH=${BENCH:-$PWD/out/bench}
mkdir -p "$BENCH"
exec tests/tally.sh "$python tests/bench/roofline.py $*" "$python tests/bench/scale.py $*" "$python tests/bench/load.py" \
    "$python tests/bench/sizes.py" "$python tests/bench/realtime.py" "$python tests/bench/peers.py" \
    "$python tests/papers/page.py --bench $BENCH roofline scale realtime peers"
