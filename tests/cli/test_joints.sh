# Joints from the command line: threads and restarts change no bit, what is written can be read, and
# mistakes are named.
. "$(dirname "$0")/check.sh"
joints=$CASES/joints.yaml

exits 0 "reference" run "$joints" -o whole -j 1
hash=$(field state-hash)
for threads in 2 3; do
    exits 0 "$threads threads" run "$joints" -o "threads$threads" -j "$threads"
    is "$threads threads give the same state" "$(field state-hash)" "$hash"
    same_results "$threads threads" whole "threads$threads"
done
exits 0 "pieces" run "$joints" -o pieces --steps 1
for steps in 60 13 226; do
    exits 0 "pieces: $steps" resume pieces --steps $steps -j $((steps % 3 + 1))
done
is "pieces: state" "$(field state-hash)" "$hash"
same_results "pieces" whole pieces
exits 0 "from a checkpoint" resume whole/checkpoint-000000100.h5 -o branch
is "from a checkpoint" "$(field state-hash)" "$hash"
exits 0 "newton" run "$joints" -o newton --set solver.method=newton
is "newton: all steps solved" "$(field unconverged-steps)" 0

# errors: the largest joint error after the late arrival, and the one at the end.
errors() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "joint_error") k = i }
             NR > 25 && $k > most { most = $k } END { print most + 0, $k + 0 }' whole/history.csv
}
ok "joints hold: $(errors)" awk -v e="$(errors)" 'BEGIN { split(e, x, " "); exit !(x[1] < 0.01 && x[2] > 0 && x[2] < 1e-6) }'
ok "the history knows the work of joints" bash -c 'head -1 whole/history.csv | grep -q joint_work,joint_error'
ok "other runs have no such columns" bash -c \
    '"$0" run "$1/drop.yaml" -o drop --steps 2 && ! grep -q joint drop/history.csv' "$GABION" "$CASES"
if has vtk; then
    "$PYTHON" "$CASES/../vtk_check.py" whole >.vtk 2>&1
    ok "VTK reads the joints: $(head -c 300 .vtk)" grep -q ' 0 failed' .vtk
fi

# Joints were called links: such a folder is not continued.
mv pieces/joints.pvd pieces/links.pvd
exits 2 "old names" resume pieces --steps 10
says "old names" "pieces/links.pvd holds joints between bodies" "new folder with -o"

exits 2 "ipm rejects" run "$joints" -o ipm --set solver.method=ipm
says "ipm rejects" "ipm takes no joints; use nsgs or newton"
exits 2 "FCLIB rejects" export whole/checkpoint-000000100.h5 --fclib step.hdf5 --step 110
says "FCLIB rejects" "has joints"

# mistake NAME REPLACEMENT PATTERN...: the first joint becomes another one.
mistake() {
    local name=$1 joint=$2
    shift 2
    sed "s/^  - {first: crank.*/  - $joint/" "$joints" >mistake.yaml
    exits 2 "$name" check mistake.yaml
    says "$name" "mistake.yaml:18" "$@"
}
mistake "unknown body" "{first: crnk, second: rod, ball: {anchor: [0, 0, 0]}}" 'no group "crnk"' crank
mistake "the same twice" "{first: rod, second: rod, ball: {anchor: [0, 0, 0]}}" "two different bodies"
mistake "both fixed" "{first: crank, ball: {anchor: [0, 0, 0]}}" "has to move"
mistake "no kind" "{first: rod}" "ball" "hinge"
mistake "two kinds" "{first: rod, ball: {anchor: [0, 0, 0]}, fixed: {anchor: [0, 0, 0]}}" "ball" "fixed"
mistake "zero axis" "{first: rod, hinge: {anchor: [0, 0, 0], axis: [0, 0, 0]}}" "axis"
mistake "no distance" "{first: rod, distance: {from: [1, 0, 0], to: [1, 0, 0]}}" "coincide"
sed 's/name: right/name: left/; s/second: right/second: rod/' "$joints" >group.yaml
exits 2 "a group of two" check group.yaml
says "a group of two" "left" "2 bodies"
finish
