#!/usr/bin/env bash
# Long physics: everything that takes minutes. Wants $GABION, already built.
cd "$(dirname "$0")/../.." || exit 2
export GABION=${GABION:-$PWD/build/gabion}
exec tests/tally.sh tests/validation/determinism.sh "${PYTHON:-/usr/bin/python3} tests/validation/brazil_nut.py"
