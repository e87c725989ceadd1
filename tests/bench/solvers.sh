#!/usr/bin/env bash
# Contact problems side by side with Siconos: tests/bench/solvers.sh [--limit SECONDS] [FILES...]. Wants
# $GABION and $RACE (by default those of $BUILD), already built. Times are aims, reported as met or missed;
# that `auto` gets wherever Siconos gets is a check.
cd "$(dirname "$0")/../.." || exit 2
export BUILD=${BUILD:-$PWD/build}
export GABION=${GABION:-$BUILD/gabion} RACE=${RACE:-$BUILD/tests/bench/race}
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
exec "${PYTHON:-/usr/bin/python3}" tests/bench/solvers.py "$@"
