# The contract: the same bits for any number of threads, any kernel, and with a stop in between.
. "$(dirname "$0")/check.sh"
shipped=$(realpath "$CASES/../../../cases")

# contract NAME CASE STEPS OPTIONS...
contract() {
    local name=$1 case=$2 steps=$3 half=$(($3 / 2)) hash
    shift 3
    exits 0 "$name -j 1" run "$case" -o "$name-1" -j 1 --quiet --steps "$steps" "$@"
    hash=$(field state-hash)
    for threads in 2 3; do
        exits 0 "$name -j $threads" run "$case" -o "$name-$threads" -j $threads --quiet --steps "$steps" "$@"
        is "$name: $threads threads" "$(field state-hash)" "$hash"
    done
    for kernel in baseline avx2; do
        GABION_KERNEL=$kernel exits 0 "$name $kernel" run "$case" -o "$name-$kernel" -j 1 --quiet --steps "$steps" "$@"
        is "$name: kernel $kernel" "$(field state-hash)" "$hash"
    done
    exits 0 "$name first half" run "$case" -o "$name-h" -j 2 --quiet --steps "$half" "$@"
    exits 0 "$name second half" resume "$name-h" -j 1 --quiet --steps $((steps - half))
    is "$name: stopped and resumed with another thread count" "$(field state-hash)" "$hash"
    exits 0 "$name info" info "$name-h"
    is "$name: info" "$(field state-hash)" "$hash"
    rm -rf "$name"-*
}

contract nut "$shipped/brazil_nut.yaml" 170 --set drivers.0.start=0.2 --set drivers.0.sine.smooth=0.2 \
    --set solver.max_sweeps=100 --set output.vtk_every=0
contract settling "$shipped/papers/settling_800.yaml" 120 --set output.vtk_every=0
# Large enough for every parallel path, and past a re-sorting of the bodies.
contract grains "$shipped/grains_100k.yaml" 4 --set output.vtk_every=0 --set solver.max_sweeps=10 \
    --set "generators.0.lattice.count=[30, 30, 30]"
contract resort "$CASES/box.yaml" 1100 --set output.vtk_every=0 --set output.frames_every=0
# Contacts that remember collisions, past a re-sorting too.
contract stabilized "$CASES/box.yaml" 1100 --set output.vtk_every=0 --set output.frames_every=0 \
    --set contact.gap=stabilized
# Blocks, with joints and shapes in the checkpoint; grains among them; bodies that come and go.
contract blocks "$CASES/blocks.yaml" 100 --set output.vtk_every=0
# Clumps in a drum that turns, timed insertions among them.
contract shapes "$CASES/shapes.yaml" 160 --set output.vtk_every=0
# An arch whose support begins to move: hinges form.
contract arch "$shipped/arch.yaml" 200 --set output.vtk_every=0 --set drivers.0.start=0.05
# Few sweeps, and bodies moved apart after each step.
contract projection "$shipped/papers/settling_800.yaml" 60 --set output.vtk_every=0 \
    --set solver.max_sweeps=5 --set contact.projection=10
# The other scheme, with every kind of joint, and bodies that come and go.
contract corrective "$CASES/joints.yaml" 120 --set output.vtk_every=0 --set time.scheme=corrective \
    --set solver.method=bicg --set laws.0.friction=inf
finish
