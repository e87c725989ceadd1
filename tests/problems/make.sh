#!/usr/bin/env bash
# The contact problems of this folder, made anew from the shipped cases: tests/problems/make.sh. With
# `--large FOLDER`: the same scenes in full size, into FOLDER, those that are not there yet. Wants $GABION.
# FCLIB's measure takes impulses and velocities as of one unit and is blind where bodies weigh tonnes;
# grains of about a kilogram make it see. The solutions here are as accurate as `auto` gets them, those
# of the large problems as accurate as the run was.
set -eu
cd "$(dirname "$0")/../.."
gabion=${GABION:-$PWD/build/gabion}
light=(--set materials.grain.density=0.25)

# export FILE CASE STEP OPTIONS...
export_step() {
    local file=$1 case=$2 step=$3
    shift 3
    "$gabion" export "cases/$case.yaml" --fclib "$file.new" --force --step "$step" "$@" >/dev/null
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
    large wall-full.hdf5 chateau_gombert 100 --set drivers.0.start=0.02
    large settling-full.hdf5 papers/settling_800 200 "${light[@]}"
    large brazil-nut-full.hdf5 brazil_nut 600 "${light[@]}"
    exit
fi

accuracy=1e-12
small_wall=(--set generators.0.wall.courses=3 --set generators.0.wall.blocks=5
    --set "generators.1.slabs.widths=[0.7, 0.7]")
small_box=(--set "containers.0.box.max=[10, 10, 60]" --set "bodies.0.position=[5, 5, 2.01]"
    --set "generators.0.lattice.count=[4, 4, 10]" --set generators.0.lattice.limit=80)
export_step tests/problems/settling.hdf5 papers/settling_80 100 "${light[@]}"
export_step tests/problems/brazil-nut-falling.hdf5 brazil_nut 600 "${small_box[@]}" "${light[@]}"
export_step tests/problems/brazil-nut-shaken.hdf5 brazil_nut 1200 "${small_box[@]}" "${light[@]}"
export_step tests/problems/wall.hdf5 chateau_gombert 2500 "${small_wall[@]}"
export_step tests/problems/arch-standing.hdf5 arch 100
export_step tests/problems/arch-spreading.hdf5 arch 1500
