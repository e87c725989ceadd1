# Files that lead elsewhere, claim more than they hold or never end, and cases that ask for more than there is: each is rejected
# with a message before anything is read or allocated. Memory is limited, so that a reader that is taken in fails otherwise.
. "$(dirname "$0")/check.sh"
root=$(realpath "$CASES/../../..")
forge() { "$PYTHON" "$root/tests/torture/forge.py" "$@"; }
memory=2500000 # KiB
gabion() {
    (ulimit -v $memory && exec timeout 60 "$GABION" "$@") >"$WORK/.out" 2>"$WORK/.err" </dev/null
    status=$?
}

# scene NAME LINE...: a case of the lines given.
scene() {
    local name=$1
    shift
    printf '%s\n' 'time: {step: 1e-3, end: 0.02}' 'materials: {stone: {density: 2600}}' \
        'laws: [{between: default, friction: 0.8}]' "$@" >"$name.yaml"
}

# ---- numbers that ask for too much ----

# asks NAME GENERATOR: rejected within seconds, with what is needed and what there is.
asks() {
    local begin=$SECONDS
    scene large "generators: [{name: many, material: stone, $2}]"
    exits 1 "$1" check large.yaml
    says "$1" "large.yaml:4:14: .*'many': a world of .* needs about [0-9.e+]+ [GTPE]B of memory, and [0-9.]+ GB are available"
    ok "$1: $((SECONDS - begin)) s" [ $((SECONDS - begin)) -lt 10 ]
}
asks "wall" 'wall: {block: [1, 1, 1], courses: 1000000, blocks: 1000000}'
asks "arch" 'arch: {radius: 10, thickness: 1, depth: 1, angle: 180, voussoirs: 1000000000}'
asks "dome" 'dome: {radius: 10, thickness: 1, from: 0, to: 80, rings: 100000, blocks: 1000000}'
asks "tower" 'tower: {block: [1, 0.5, 1], blocks: 1000000000, courses: 1000000000}'
asks "stack" 'stack: {block: [1, 1, 1], count: 1000000000}'
asks "lattice" 'lattice: {origin: [0, 0, 0], spacing: [1, 1, 1], count: [1000, 1000, 1000], radius: 0.5}'
asks "fill" 'fill: {min: [0, 0, 0], max: [9999, 9999, 9999], count: 1000000000, radius: 0.5}'
scene opening 'generators: [{name: door, material: stone, wall: {block: [1, 1, 1], courses: 1000001, blocks: 20,' \
    '  openings: [{x: 0, width: 20, course: 2, courses: 1000000}]}}]'
exits 0 "a wall that is all opening" check opening.yaml
is "a wall that is all opening" "$(field bodies)" 20
scene wide 'generators: [{name: many, material: stone, fill: {min: [-1e308, 0, 0], max: [1e308, 1, 1], count: 9, radius: 0.1}}]'
exits 2 "a box beyond the range of numbers" check wide.yaml
says "a box beyond the range of numbers" "fill 'many': the box is too large: along x it goes from -1e\+308 to 1e\+308 m"
scene far 'generators: [{name: many, material: stone, fill: {min: [0, 0, 0], max: [1e307, 1e307, 1e307], count: 9, radius: 1e-9}}]'
exits 0 "a box at the end of the range of numbers" check far.yaml
"$PYTHON" -c 'print("x,y,z,radius\n" + "1,2,3,.5\n" * 4000000, end="")' >many.csv
scene rows 'imports: [{file: many.csv, name: grains, material: stone}]'
memory=500000
exits 1 "a table of too many rows" check rows.yaml
memory=2500000
says "a table of too many rows" 'many.csv:1001: a world of [0-9e+.]+ bodies needs about .* of memory'
rm many.csv

for k in $(seq 15); do
    echo "include: [bomb$((k + 1)).yaml, bomb$((k + 1)).yaml]" >bomb$k.yaml
done
scene bomb16
exits 2 "includes that multiply" check bomb1.yaml
says "includes that multiply" 'include: more than 1000 files'
"$PYTHON" -c 'print("# " + "x" * (1 << 20))' >weight.yaml
scene heavy "include: [$(yes weight.yaml, | head -n 20 | tr '\n' ' ')]"
cat weight.yaml bomb16.yaml >part.yaml && mv part.yaml weight.yaml
exits 2 "includes that add up" check heavy.yaml
says "includes that add up" 'weight.yaml: the case with its included files is larger than 16 MiB'
"$PYTHON" -c '[print(k, 0, sep=",") for k in range(99999)]' >long.csv
"$PYTHON" -c 'print("drivers: [" + ", ".join(["{group: a, table: {file: long.csv}}"] * 6) + "]")' >drivers.yaml
exits 2 "tables that add up" check drivers.yaml
says "tables that add up" 'more than 500000 points in all tables'

# ---- pipes and devices ----

mkfifo pipe pipe.obj pipe.stl
for name in yaml csv h5; do
    ln -s pipe "pipe.$name"
done
scene includes 'include: pipe.yaml'
scene table 'drivers: [{group: a, direction: [1, 0, 0], table: {file: pipe.csv}}]'
scene rows 'imports: [{file: pipe.csv, name: grains, material: stone}]'
scene imported 'imports: [{file: pipe.h5, name: grains, material: stone}]'
scene obj 'bodies: [{name: a, material: stone, position: [0, 0, 0], mesh: {file: pipe.obj}}]'
scene stl 'bodies: [{name: a, material: stone, position: [0, 0, 0], mesh: {file: pipe.stl}}]'
mkdir folder && ln -s ../pipe folder/checkpoint-000000009.h5
for words in "check pipe.yaml" "check pipe" "check /dev/zero" "check includes.yaml" "check table.yaml" "check rows.yaml" \
    "check imported.yaml" "check obj.yaml" "check stl.yaml" "run pipe.yaml" "info pipe" "info pipe.h5" "info /dev/zero" "info folder" \
    "resume pipe.h5" "resume folder" "solve pipe.h5" "solve /dev/zero" "export pipe.h5 --fclib out.hdf5" "export pipe.yaml --fclib out.hdf5"; do
    exits 2 "$words" $words
    says "$words" 'a pipe or a device|not an ordinary file|not a file'
done

# ---- forged HDF5 files ----

has h5py || finish
exits 0 "run" run "$CASES/box.yaml" -o first --quiet --steps 20 --set output.frames_every=20
exits 0 "a problem" export first --fclib problem.hdf5
"$PYTHON" -c '
import h5py
with h5py.File("first/checkpoint-000000020.h5") as saved, h5py.File("plain.h5", "w") as plain:
    rows = saved["bodies/radius"][()] > 0
    for name in ("position", "radius", "velocity"):
        plain[name] = saved["bodies"][name][()][rows]
    plain["material"] = ["stone".encode()] * int(rows.sum())'
scene import 'imports: [{file: forged.h5, name: grains, material: stone}]'

# 2147483647 bodies of fill values in 731 bytes: 7.5 GB after 45 s, and growing, in version 0.1 at 41324e7.
"$PYTHON" -c '
import h5py
with h5py.File("filled.h5", "w", libver="latest") as file:
    for name, shape in (("position", (2**31 - 1, 3)), ("radius", (2**31 - 1,))):
        file.create_dataset(name, shape, "f8", chunks=(1024, *shape[1:]), fillvalue=1.0)'
scene filled 'imports: [{file: filled.h5, name: grains, material: stone}]'
exits 2 "bodies of fill values" check filled.yaml
says "bodies of fill values" "dataset '/position' has rows that were never written"

# One large id in a frame of 60 bodies: 3.7 GB for an array by id.
"$PYTHON" -c '
import os, shutil, sys, h5py
sys.path.insert(0, sys.argv[1])
import forge
shutil.copy("first/frames/frame-000000020.h5", "id.h5")
with h5py.File("id.h5", "r+") as file:
    file["bodies/id"][-1] = 10**9 - 76
forge.seal("id.h5")' "$root/tests/torture"
scene id 'imports: [{file: id.h5, name: grains, material: stone}]'
exits 2 "a frame with a large id" check id.yaml
says "a frame with a large id" "id.h5: dataset 'bodies/id' has an id of 999999924, which is too large for a file of [0-9]+ bytes; take a checkpoint"

# message KIND: what is said of it.
message() {
    case $1 in
    external_link | group_link | pipe_link | soft_link) echo "is a link, and what it leads to may be another file" ;;
    external_storage) echo "has its rows in another file" ;;
    virtual | virtual_loop | virtual_growing) echo "takes its rows from other datasets" ;;
    variable | variable_text | lying_text) echo "has values of variable length" ;;
    references) echo "has references to other objects" ;;
    unwritten | half_written | claims) echo "has rows that were never written" ;;
    bomb) echo "needs about|claims more rows|rows, but position|rows where others have|were expected" ;;
    short_chunk | long_chunk) echo "has chunks that do not unpack to their size" ;;
    large_chunks) echo "is stored in chunks of more than 64 MiB" ;;
    other_filter) echo "uses a filter other than shuffle, deflate and fletcher32" ;;
    packed_twice) echo "is packed twice" ;;
    group_instead) echo "not a dataset|is missing" ;;
    esac
}

# forged NAME FILE DATASET KINDS ARGUMENTS...: each kind, as forged.h5, is rejected by the program.
forged() {
    local name=$1 kind kinds
    kinds=$(forge "$2" "$3" "$1" $4)
    ok "$name: $(wc -w <<<"$kinds") kinds" [ -n "$kinds" ]
    shift 4
    for kind in $kinds; do
        rm -f forged.h5 && ln -s "$name/$kind.h5" forged.h5
        gabion "$@"
        ok "$name with $kind: exit status $status: $(head -c 300 "$WORK/.err")" [ "$status" -eq 2 -o "$kind.$status" = bomb.1 ]
        says "$name with $kind" "$(message "$kind")"
    done
}
forged import plain.h5 position "" check import.yaml
forged named plain.h5 material "variable_text lying_text" check import.yaml
forged frame first/frames/frame-000000020.h5 bodies/position "external_link group_link claims bomb short_chunk" check import.yaml
forged checkpoint first/checkpoint-000000020.h5 bodies/position "external_link group_link virtual virtual_loop virtual_growing \
    unwritten bomb short_chunk long_chunk" resume forged.h5 -o again --steps 1
forged problem problem.hdf5 fclib_local/W/x "external_link virtual virtual_loop virtual_growing variable unwritten bomb" solve forged.h5
forged described problem.hdf5 fclib_local/vectors/q "group_link external_storage" info forged.h5
forged case first/checkpoint-000000020.h5 case "external_link virtual" info forged.h5
forged exported first/checkpoint-000000020.h5 bodies/velocity "group_link claims" export forged.h5 --fclib out.hdf5

# ---- ParaView files ----

# packed FOLDER: a frame of contacts in pieces whose one piece has 60 arrays of 60 MB of zeros, in 3.5 MB.
packed() {
    "$PYTHON" - "$1" <<'END'
import base64, struct, sys, zlib
data = zlib.compress(bytes(60000000), 9)
array = "<DataArray type=\"UInt8\" Name=\"x\" format=\"binary\">%s%s</DataArray>" % tuple(
    base64.b64encode(part).decode() for part in (struct.pack("<4Q", 1, 60000000, 0, len(data)), data))
with open(sys.argv[1] + "/vtk/piece.vtp", "w") as file:
    file.write('<VTKFile byte_order="LittleEndian" header_type="UInt64" compressor="vtkZLibDataCompressor">\n<FieldData>'
               + 60 * array + "</FieldData></VTKFile>\n")
for step in (0, 20):
    with open(sys.argv[1] + "/vtk/contacts_%06d.pvtp" % step, "w") as file:
        file.write('<Piece Source="piece.vtp"/></VTKFile>\n')
END
    sed -i 's/\.vtp/.pvtp/' "$1/contacts.pvd"
}
exits 0 "pictures" run "$CASES/box.yaml" -o pictures -q -j 1 --steps 20 --set output.vtk_every=20
packed pictures
memory=500000
exits 0 "arrays that are too much together" report pictures
says "arrays that are too much together" "passed over: pictures/vtk/piece.vtp needs about [0-9]+ MB of memory, and [0-9.]+ [MG]B are available"
finish
