#!/usr/bin/env bash
# The contact problems of this folder, made anew from the shipped scenes: tests/problems/make.sh. With
# `--large FOLDER`: some scenes in full size, into FOLDER, those that are not there yet. Wants $GABION.
# FCLIB's measure takes impulses and velocities as of one unit and is blind where bodies weigh tonnes or
# grams; grains of about a kilogram make it see. The solutions here are as accurate as `auto` gets them,
# those of the large problems as accurate as the run was.
set -eu
cd "$(dirname "$0")/../.."
gabion=${GABION:-$PWD/build/gabion}
light=(--set materials.grain.density=0.25)
# The Brazil nut is shaken as it was when these steps were chosen: amplitude R at 3 g.
nut=(--set time.step=4.6328e-3 --set solver.tolerance=1e-4 --set "generators.0.lattice.origin=[1.4, 1.4, 5.2]"
    --set drivers.0.start=4 --set drivers.0.sine.amplitude=1 --set drivers.0.sine.frequency=0.8634
    --set drivers.0.sine.smooth=2.3164 "${light[@]}")

# export_step FILE CASE STEP OPTIONS...
export_step() {
    local file=$1 case=$2 step=$3
    shift 3
    "$gabion" export "$case.yaml" --fclib "$file.new" --force --step "$step" "$@" >/dev/null
    [ -z "$accuracy" ] || "$gabion" solve "$file.new" --save --measure fclib --tol "$accuracy" >/dev/null || true
    mv "$file.new" "$file"
    echo "$file: $("$gabion" info "$file" | grep -E '^(contacts|residual-fclib): ' | paste -sd ' ')"
}

if [ "${1:-}" = --large ]; then
    folder=$2 accuracy=""
    mkdir -p "$folder"
    large() {
        [ -e "$folder/$1" ] || export_step "$folder/$1" "${@:2}"
    }
    # The ground gives way sooner than in the case.
    large wall-full.hdf5 cases/chateau_gombert 100 --set drivers.0.start=0.02
    large settling-full.hdf5 cases/papers/settling_800 200 "${light[@]}"
    large brazil-nut-full.hdf5 cases/brazil_nut 600 --set "containers.0.box.max=[20, 20, 60]" \
        --set "bodies.0.position=[10, 10, 2.01]" --set "generators.0.lattice.count=[9, 9, 10]" "${nut[@]}"
    exit
fi

accuracy=1e-12
# small NAME CASE STEP OPTIONS...
small() {
    export_step "tests/problems/$1.hdf5" "${@:2}"
}
# wall NAME COURSES BLOCKS SLAB STEP OPTIONS...: a wall on two slabs of this width.
wall() {
    small "$1" cases/chateau_gombert "$5" --set "generators.0.wall.courses=$2" --set "generators.0.wall.blocks=$3" \
        --set "generators.1.slabs.widths=[$4, $4]" "${@:6}"
}
small_box=(--set "containers.0.box.max=[10, 10, 60]" --set "bodies.0.position=[5, 5, 2.01]"
    --set "generators.0.lattice.count=[4, 4, 10]" --set generators.0.lattice.limit=80 "${nut[@]}")
small settling cases/papers/settling_80 100 "${light[@]}"
small brazil-nut-falling cases/brazil_nut 600 "${small_box[@]}"
small brazil-nut-shaken cases/brazil_nut 1200 "${small_box[@]}"
wall wall 3 5 0.7 2500
small arch-standing cases/arch 100
small arch-spreading cases/arch 1500

# Hard steps: those on which the runs of these scenes spent most iterations (spent_* of history.csv).
scenes=tests/validation/defaults
heavy=(--set materials.grain.density=2.5e5)
small tower-heavy $scenes/tower 1
# The heavy top falls on the others by 50 mm, out of the centre.
small tower-struck $scenes/tower 22 --set "bodies.1.position=[0.04, 0.03, 3]"

small arch-onset cases/arch 503
small arch-hinges cases/arch 4266
small arch-falling cases/arch 6380
small arch-rubble cases/arch 7252

# The ground gives way sooner than in the case, and ten times as fast: blocks come off and land.
quick=(--set drivers.0.start=0.1 --set drivers.0.ramp.distance=0.5)
wall wall-onset 3 3 0.5 102 "${quick[@]}"
wall wall-landing 3 3 0.5 2147 "${quick[@]}"
wall wall-low-landing 2 4 0.6 2380 "${quick[@]}"
wall wall-high-landing 4 3 0.5 2477 "${quick[@]}"

small_drum=(--set containers.0.drum.radius=0.1 --set containers.0.drum.length=0.08
    --set "generators.0.lattice.origin=[-0.05, -0.024, -0.05]" --set "generators.0.lattice.count=[5, 3, 2]"
    --set "generators.1.lattice.origin=[-0.05, -0.018, 0.01]" --set "generators.1.lattice.count=[4, 2, 2]" "${heavy[@]}")
small drum-filling $scenes/drum 182 "${small_drum[@]}"
small drum-flowing $scenes/drum 335 "${small_drum[@]}"

small_hopper=(--set "generators.0.lattice.count=[6, 4, 2]" --set "generators.1.lattice.origin=[-0.08, -0.03, 0.32]"
    --set "generators.1.lattice.count=[4, 3, 1]" "${heavy[@]}")
small hopper-full $scenes/hopper 473 "${small_hopper[@]}"
small hopper-opening $scenes/hopper 502 "${small_hopper[@]}"

fewer=(--set generators.0.lattice.limit=64)
small brazil-nut-landing cases/brazil_nut 447 "${small_box[@]}" "${fewer[@]}"
small brazil-nut-settling cases/brazil_nut 705 "${small_box[@]}" "${fewer[@]}"
small brazil-nut-lifted cases/brazil_nut 876 "${small_box[@]}" "${fewer[@]}"

solved=(--set solver.method=auto --set solver.max_sweeps=10000) # the cases accept unsolved steps
small settling-late cases/papers/settling_80 204 "${light[@]}" "${solved[@]}"
small settling-shallow cases/papers/settling_80 219 "${light[@]}" "${solved[@]}" --set generators.0.lattice.limit=60

small masonry-tower-rocking cases/masonry_tower 1301 --set generators.0.tower.blocks=1 \
    --set generators.0.tower.courses=2 --set "generators.0.tower.mark=[{name: top, blocks: [5]}]" \
    --set solver.max_sweeps=10000 --set solver.tolerance=1e-6
