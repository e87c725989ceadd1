#!/usr/bin/env bash
# Tests tests/layers.sh on a scratch tree: clean at first, then with one breach of each kind. Ends with
# "N passed, M failed".
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
passed=0 failed=0

# put FILE LINE...: writes a file of the tree.
put() {
    mkdir -p "$tree/$(dirname "$1")"
    printf '%s\n' "${@:2}" >"$tree/$1"
}

clean_tree() {
    rm -rf "${tree:?}"/*
    put parallel/team.h '#include <pthread.h>'
    put parallel/ranks_mpi.c '#include <mpi.h>' '    MPI_Init(NULL, NULL);'
    put geometry/vec.h '#include <math.h>'
    put engine/gabion.h '#include "geometry/vec.h"'
    put engine/world/world.h '#include "engine/gabion.h"'
    put engine/contact/contacts.h '#include "geometry/vec.h"'
    put engine/contact/detection.h '#include "engine/contact/contacts.h"'
    put engine/contact/pair.h '#include "engine/world/world.h"'
    put engine/problem/problem.h '#include "engine/contact/contacts.h"'
    put engine/solvers/monitor.h '#include "engine/problem/problem.h"'
    put engine/solvers/sweep/sweep.h '  # include "engine/solvers/monitor.h"'
    put engine/solvers/panel.c '#include "engine/solvers/sweep/sweep.h"'
    put engine/step/step.c '#include "engine/solvers/sweep/sweep.h"' '#include "engine/world/world.h"'
    put io/vtk/vtk.h '#include "engine/gabion.h"'
    put io/run/run.c '#include "io/vtk/vtk.h"' '#include "engine/world/world.h"'
    put tests/unit/test_step.c '#include "engine/step/step.c"'
}

# expect NAME STATUS PATTERN: what the checker says of the tree.
expect() {
    local output status
    output=$("$here/layers.sh" "$tree" 2>&1)
    status=$?
    if [ "$status" -eq "$2" ] && grep -qE "$3" <<<"$output"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s: status %d, expected %d and "%s" in:\n%s\n' "$1" "$status" "$2" "$3" "$output"
    fi
}

# breach NAME PATTERN FILE LINE...: the clean tree with this file in it has one breach.
breach() {
    clean_tree
    put "${@:3}"
    expect "$1" 1 "$2"
    expect "$1, and nothing else" 1 "^[0-9]+ passed, 1 failed$"
}

clean_tree
expect "a clean tree" 0 "^15 passed, 0 failed$"
breach "a folder below" \
    '^geometry/grid.h:2: geometry may not include "engine/gabion.h"; it may include parallel, geometry$' \
    geometry/grid.h '#include "parallel/team.h"' '#include "engine/gabion.h"'
breach "a room below" \
    '^engine/world/order.c:1: engine/world may not include "engine/contact/contacts.h"; .* engine/world$' \
    engine/world/order.c '#include "engine/contact/contacts.h"'
breach "a sub-room below" '^engine/solvers/monitor.c:1: engine/solvers/monitor may not include' \
    engine/solvers/monitor.c '#include "engine/solvers/sweep/sweep.h"'
breach "the room around a sub-room" '^engine/solvers/sweep/plan.c:1: engine/solvers/sweep may not include' \
    engine/solvers/sweep/plan.c '#include "engine/solvers/panel.c"'
breach "a room of io below" '^io/case/case.h:1: io/case may not include "io/run/run.c"' \
    io/case/case.h '#include "io/run/run.c"'
breach "tests from the product" '^io/run/run.c:1: "tests/unit/test_step.c" is in no room' \
    io/run/run.c '#include "tests/unit/test_step.c"'
breach "a file in no room" '^engine/step.c:1: this file is in no room' \
    engine/step.c '#include "engine/gabion.h"'
breach "a path that is not from the root" '^tests/unit/a.c:1: "scene.h" is not a file' \
    tests/unit/a.c '#include "scene.h"'
breach "the world seen from the problem" \
    '^engine/problem/row.c:1: engine/problem must not .* here: engine/world/world.h;' \
    engine/problem/row.c '#include "engine/world/world.h"'
breach "the world seen through a header" ' here: engine/contact/pair.h -> engine/world/world.h;' \
    engine/solvers/sweep/sweep.h '#include "engine/contact/pair.h"'
breach "the engine's rooms seen from the ParaView files" ' here: engine/contact/contacts.h;' \
    io/vtk/vtk.h '#include "engine/contact/contacts.h"'
breach "a cycle" \
    'includes itself: engine/contact/contacts.h -> engine/contact/detection.h -> engine/contact/contacts.h;' \
    engine/contact/contacts.h '#include "engine/contact/detection.h"'
breach "OpenMP" '^engine/world/world.h:1: OpenMP; use' \
    engine/world/world.h '#pragma omp simd'
breach "OpenMP's header" '^parallel/sort.h:1: OpenMP; use' \
    parallel/sort.h '#include <omp.h>'

breach "MPI's header" '^parallel/exchange.c:1: MPI outside parallel/ranks_mpi.c' \
    parallel/exchange.c '#include <mpi.h>'
breach "a call of MPI" '^io/file/h5.c:2: MPI outside parallel/ranks_mpi.c' \
    io/file/h5.c '#include <hdf5.h>' '    MPI_Barrier(MPI_COMM_WORLD);'

# The manual shows the same rooms in the same order.
if diff <("$here/layers.sh" --table) <(sed -n '/^| room /,/^$/p' "$here/../docs/contributing.md" | sed '$d'); then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "FAILED: docs/contributing.md has other rooms; put there what tests/layers.sh --table prints"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
