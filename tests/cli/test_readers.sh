# What other programs read: every VTK frame through vtk, checkpoints through h5py, against history.
. "$(dirname "$0")/check.sh"
here=$(dirname "$CASES") shipped=$(realpath "$CASES/../../../cases")

# reads NAME SCRIPT FOLDER [OPTIONS]: all of the script's checks pass.
reads() {
    local report last
    report=$("$PYTHON" "$here/$2" "${@:4}" "$3" 2>&1)
    last=$(tail -n 1 <<<"$report")
    ok "$1: $2: $(head -n 5 <<<"$report")" grep -qE '^[1-9][0-9]* passed, 0 failed$' <<<"$last"
}

exits 0 "run box" run "$CASES/box.yaml" -o box --quiet
exits 0 "run the Brazil nut" run "$shipped/brazil_nut.yaml" -o nut --quiet --steps 300 \
    --set drivers.0.start=0.3 --set output.vtk_every=100 --set output.history_every=50 \
    --set output.checkpoint_every=100
exits 0 "no contact" run "$CASES/drop.yaml" -o none --quiet --steps 2 --set output.vtk_every=1
exits 0 "run blocks" run "$CASES/blocks.yaml" -o blocks --quiet
exits 0 "run masonry" run "$CASES/masonry.yaml" -o masonry --quiet --steps 20
exits 0 "run solid blocks" run "$CASES/masonry.yaml" -o solid --quiet --steps 20 --set output.blocks=solid
exits 0 "run clumps" run "$CASES/shapes.yaml" -o shapes --quiet
for modules in "vtk vtk_check.py" "h5py checkpoint_check.py"; do
    set -- $modules
    has "$1" || continue
    for folder in box nut none shapes; do
        reads "$folder" "$2" "$folder"
    done
    for folder in blocks masonry solid; do
        reads "$folder" "$2" "$folder" $([ "$1" = vtk ] && echo --density 2000)
    done
done

ok "grains have no series of blocks" [ ! -e box/blocks.pvd -a ! -e box/interfaces.pvd ]
ok "masonry has no series of spheres" [ ! -e masonry/bodies.pvd ]
ok "blocks among grains have both" [ -e blocks/bodies.pvd -a -e blocks/blocks.pvd ]
exits 0 "info of blocks" info blocks
is "info counts bodies" "$(field bodies)" 6
is "info counts blocks" "$(field blocks)" 4
exits 0 "blocks stay solid" resume solid --quiet --steps 10 --set output.blocks=surface
is "a series keeps its form" "$(ls solid/vtk/blocks_*.vtu | wc -l) $(ls solid/vtk/blocks_*.vtp 2>/dev/null | wc -l)" "4 0"

# The manual's key reference is the program's own.
docs=$(realpath "$CASES/../../../docs/case-files.md")
"$GABION" explain --markdown >keys.md
ok "docs/case-files.md ends with the output of gabion explain --markdown" \
    cmp keys.md <(tail -n "$(wc -l <keys.md)" "$docs")
# The papers' sections read any history: names of methods are its only words.
PYTHONPATH=$shipped/../tests/papers ok "tests/papers reads the history" "$PYTHON" -c '
from section import history
columns = history("box")
assert columns["step"].dtype == float and columns["step"][-1] > 0
assert set(columns["method"]) <= {"nsgs", "auto", "newton", "admm", "ipm", "prox"}'

finish
