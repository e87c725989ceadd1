# Blocks from the command line: the shipped cases are as their comments say, threads and restarts
# change no bit, a resumed run does not need the mesh it came from.
. "$(dirname "$0")/check.sh"
masonry=$CASES/masonry.yaml
shipped=$CASES/../../../cases

# shipped NAME BODIES FIXED: blocks that touch and do not overlap, nothing strange.
shipped() {
    exits 0 "check of $1" check "$shipped/$1.yaml"
    is "$1: bodies" "$(field moving-bodies)" "$2"
    is "$1: fixed bodies" "$(field fixed-bodies)" "$3"
    is "$1: warnings" "$(field warnings)" 0
    ok "$1: overlap $(field overlap)" awk -v overlap="$(field overlap)" 'BEGIN { exit !(overlap < 1e-12) }'
}
shipped chateau_gombert 294 2
shipped chateau_gombert_middle 294 3
shipped wall_10k 10025 2
shipped arch 16 3
shipped rocking_block 1 1
shipped masonry_tower 128 1
shipped interlocking 48 1

exits 0 "check of every shape" check "$masonry"
ok "every shape: overlap $(field overlap)" awk -v overlap="$(field overlap)" 'BEGIN { exit !(overlap < 1e-11) }'
exits 0 "reference" run "$masonry" -o whole -j 1
hash=$(field state-hash)
for threads in 2 3; do
    exits 0 "$threads threads" run "$masonry" -o "threads$threads" -j "$threads"
    is "$threads threads give the same state" "$(field state-hash)" "$hash"
    same_results "$threads threads" whole "threads$threads"
done
exits 0 "half" run "$masonry" -o half --steps 20
exits 0 "resume" resume half -j 2
is "resume: state" "$(field state-hash)" "$hash"
same_results "resume" whole half

# old_names FOLDER NEW OLD: gives a series the name that it had in older versions.
old_names() {
    mv "$1/$2.pvd" "$1/$3.pvd"
    sed -i "s|vtk/$2_|vtk/$3_|" "$1/$3.pvd"
    for file in "$1"/vtk/"$2"_*; do
        mv "$file" "${file/$2_/$3_}"
    done
}

# Interfaces were called joints: such a folder is not continued, and nothing in it is touched.
exits 0 "an older run" run "$masonry" -o old --steps 20
old_names old interfaces joints
cp -r old before
exits 2 "old names" resume old --steps 10
says "old names" "old/joints.pvd holds masonry interfaces" "new folder with -o"
ok "old names: nothing is touched" diff -r --exclude=run.log before old
exits 0 "old names into a new folder" resume old -o renamed --steps 10
ok "old names into a new folder: new names" [ -e renamed/interfaces.pvd -a ! -e renamed/joints.pvd ]
exits 0 "old names without pictures" resume old --steps 10 --set output.vtk_every=0
exits 0 "old names are results of a run" run "$masonry" -o before --steps 1 --force
ok "old names are results of a run" [ ! -e before/joints.pvd -a ! -e before/vtk/joints_000000.vtp ]

# The ground begins to sink under the wall: every step is solved, and stops and threads change no bit.
sinking="$shipped/chateau_gombert.yaml --set drivers.0.start=0.01 --set output.vtk_every=0"
exits 0 "wall" run $sinking -o wall -j 1 --steps 60
is "wall: unconverged steps" "$(field unconverged-steps)" 0
hash=$(field state-hash)
exits 0 "half of the wall" run $sinking -o wall_half -j 2 --steps 30
exits 0 "resume of the wall" resume wall_half -j 3 --steps 30
is "resume of the wall: state" "$(field state-hash)" "$hash"

# Two cubes in millimetres, as a drawing program writes them.
cube() {
    for z in 0 100; do
        printf 'v %d %d %d\n' "$1" 0 "$z" $(($1 + 100)) 0 "$z" $(($1 + 100)) 100 "$z" "$1" 100 "$z"
    done
    printf 'f %s\n' '-8 -5 -6 -7' '-4 -3 -2 -1' '-8 -7 -3 -4' '-7 -6 -2 -3' '-6 -5 -1 -2' '-5 -8 -4 -1'
}
{ cube 0 && cube 300; } >cubes.obj
cat >mesh.yaml <<'END'
time: {step: 1e-3, end: 0.02}
materials: {stone: {density: 1000}}
laws: [{between: default, friction: 0.5}]
bodies:
  - {name: cubes, material: stone, mesh: {file: cubes.obj, scale: 0.001}, position: [0, 0, 0.1]}
  - {material: stone, half_space: {normal: [0, 0, 1]}, position: [0, 0, 0]}
END
exits 0 "check of a mesh" check mesh.yaml
is "a mesh of two pieces is two bodies" "$(field bodies)" 2
is "a mesh in millimetres" "$(field mass)" 2
exits 0 "check of a glued mesh" check mesh.yaml --set bodies[0].mesh.glue=true
is "a glued mesh is one body" "$(field bodies)" 1
is "a glued mesh has the mass of its pieces" "$(field mass)" 2
exits 0 "run of a mesh" run mesh.yaml -o meshed
hash=$(field state-hash)
exits 0 "half of a mesh" run mesh.yaml -o meshed_half --steps 10
rm cubes.obj
exits 0 "resume without the mesh" resume meshed_half
is "resume without the mesh" "$(field state-hash)" "$hash"
exits 2 "a mesh that is gone" run mesh.yaml -o gone
says "a mesh that is gone" 'mesh.yaml:5:[0-9]+: cannot find the file "cubes.obj"'
finish
