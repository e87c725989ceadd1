# Bad input: exit status 2, a message that names the place, never a crash, nothing written.
. "$(dirname "$0")/check.sh"

# rejects NAME FILE PATTERN...: run and check both reject, and say why.
rejects() {
    local name=$1 file=$2
    shift 2
    exits 2 "check: $name" check "$file"
    says "check: $name" "$@"
    exits 2 "run: $name" run "$file" -o out
    says "run: $name" "$@"
    ok "$name: nothing was written" [ ! -e out ]
}

# edited NAME SED [CASE]: a copy of the box case, or another, changed.
edited() {
    local case=$CASES/${3:-box}.yaml
    sed -E "$2" "$case" >"$1.yaml"
    if cmp -s "$1.yaml" "$case"; then
        ok "the edit of $1 changed something" false
    fi
}

edited unknown 's/tolerance:/tolerence:/'
rejects "unknown key" unknown.yaml 'unknown.yaml:4:' tolerence 'did you mean "tolerance"'
edited section 's/^solver:/slover:/'
rejects "unknown section" section.yaml 'section.yaml:4:' 'did you mean "solver"'
edited text 's/step: 1e-3/step: soon/'
rejects "text in place of a number" text.yaml 'text.yaml:3:' step
edited list 's/step: 1e-3/step: [1, 2]/'
rejects "list in place of a number" list.yaml 'list.yaml:3:'
edited number 's/^gravity: .*/gravity: 9.81/'
rejects "number in place of a vector" number.yaml 'number.yaml:2:' gravity
edited mapping 's/^laws:/laws: 5\nlaws_:/'
rejects "number in place of a list" mapping.yaml 'mapping.yaml:'
edited negative 's/sphere: \{radius: 0.01\}/sphere: {radius: -0.01}/'
rejects "negative radius" negative.yaml 'negative.yaml:' radius
edited zero 's/uniform: \[0.006, 0.012\]/uniform: [0.012, 0.006]/'
rejects "radii the wrong way round" zero.yaml 'zero.yaml:'
for bad in nan .nan NaN inf .inf -inf 1e999; do
    edited nan "s/sphere: \{radius: 0.01\}/sphere: {radius: $bad}/"
    rejects "radius $bad" nan.yaml 'nan.yaml:' radius
    edited nan "s/gravity: .*/gravity: [0, 0, $bad]/"
    rejects "gravity $bad" nan.yaml 'nan.yaml:' gravity
done
edited step 's/step: 1e-3/step: 0/'
rejects "no step" step.yaml 'step.yaml:3:'
edited tiny 's/step: 1e-3/step: 1e-300/'
rejects "too many steps" tiny.yaml
edited material 's/name: grains/name: grains\n    density: heavy/'
rejects "density as text" material.yaml 'material.yaml:'
edited who 's/material: stone, sphere/material: ston, sphere/'
rejects "unknown material" who.yaml 'who.yaml:' ston
edited group 's/group: box.zmin, direction/group: box.zmni, direction/'
rejects "unknown group" group.yaml 'box.zmni'
edited metres 's/direction: \[0, 0, 1\], sine/turn: {axis: [0, 0, 1]}, velocity/; s/velocity: \{amplitude: 2e-3, frequency: 20\}/velocity: 1/'
rejects "metres for a turn" metres.yaml 'metres.yaml:22:' 'give rate \(deg/s\)'
edited both 's/direction: \[0, 0, 1\], sine/direction: [0, 0, 1], turn: {axis: [0, 0, 1]}, sine/'
rejects "a direction and a turn" both.yaml 'both.yaml:22:' 'exactly one of direction, turn'
edited record 's/sine: \{.*\}, start/record: {file: gone.csv}, start/'
rejects "a record that is missing" record.yaml 'record.yaml:22:' 'gone.csv'
printf 'time,a\n0,1\n1,x\n' >bad.csv
edited letters 's/sine: \{.*\}, start/record: {file: bad.csv}, start/'
rejects "a record with letters" letters.yaml 'bad.csv:3: expected two numbers'
printf '0,1\n1,2\n0.5,3\n' >back.csv
edited back 's/sine: \{.*\}, start/record: {file: back.csv}, start/'
rejects "a record whose time goes back" back.yaml 'back.csv:3:' 'times must increase'
printf -- '-1,1\n1,2\n' >early.csv
edited early 's/sine: \{.*\}, start/record: {file: early.csv}, start/'
rejects "a record that begins before its start" early.yaml 'early.yaml:22:' 'must not be negative'
edited tilt 's/^gravity: .*/tilt: {axis: [0, 0, 0], rate: 1}/'
rejects "a tilt without an axis" tilt.yaml 'tilt.yaml:2:' axis
edited tilted 's/^gravity: .*/tilt: {axis: [0, 1, 0], speed: 1}/'
rejects "a tilt of an unknown kind" tilted.yaml 'tilted.yaml:2:' speed 'exactly one of rate, ramp, table'
edited flat 's/max: \[0.1, 0.1, 0.3\]/max: [0.1, 0, 0.3]/'
rejects "empty container" flat.yaml "flat.yaml:12:"
edited crowd 's/count: 60/count: 6000/'
rejects "too many spheres" crowd.yaml 'placed' 'volume fraction 0\.[0-9]+' 'in a plane near half of the area'
edited wide 's/count: 60, seed: 3, radius: .*/count: 1, radius: 0.06}/'
rejects "sphere larger than the box" wide.yaml 'does not fit'
edited twice 's/^gravity:/title: again\ngravity:/'
rejects "key given twice" twice.yaml 'twice.yaml:'
edited tab 's/^  stone:/\tstone:/'
rejects "tab" tab.yaml 'tab.yaml:'


# Blocks and masonry.
edited size 's/size: \[0.3, 0.1, 0.1\]/size: [0.3, 0.1]/' masonry
rejects "box with two lengths" size.yaml 'size.yaml:[0-9]+:[0-9]+: bodies\[0\].box.size: expected a list of 3 numbers > 0 \(m\)'
edited thin 's/size: \[0.3, 0.1, 0.1\]/size: [0.3, 0, 0.1]/' masonry
rejects "box without depth" thin.yaml 'box.size: expected'
edited flat 's/\[0, 0.2, 0\], \[0, 0, 0.2\]/[0.1, 0.1, 0], [0, 0.2, 0]/' masonry
rejects "flat hull" flat.yaml 'flat.yaml:[0-9]+:[0-9]+: hull: '
edited corner 's/\[0, 0.2, 0\]/[0, 0.2]/' masonry
rejects "point of two numbers" corner.yaml 'hull.points: expected a list of lists of 3 numbers'
edited dent 's/\[0.2, 0.2\], \[0, 0.2\]/[0.05, 0.05], [0, 0.2]/' masonry
rejects "prism that is not convex" dent.yaml 'dent.yaml:[0-9]+:[0-9]+: prism: ' convex '; make convex parts of it, and a compound'
edited wide 's/angle: 20/angle: 180/' masonry
rejects "wedge of a half circle" wide.yaml 'wedge.angle: expected a number in \(0, 180\)'
edited thick 's/thickness: 0.2, depth: 0.3, angle/thickness: 2.2, depth: 0.3, angle/' masonry
rejects "wedge through its centre" thick.yaml 'thick.yaml:[0-9]+:[0-9]+: wedge: ' 'inner radius'
edited both 's/box: \{size/sphere: {radius: 1}, box: {size/' masonry
rejects "two shapes" both.yaml 'exactly one of sphere, clump, bar, torus, disk, half_space, box, prism, wedge, hull, mesh, compound, found 2'
edited opening 's/x: 0.6, width: 0.4/x: 0.6, width: 4/' masonry
rejects "opening out of the wall" opening.yaml "opening.yaml:[0-9]+:[0-9]+: wall 'wall': opening 1: .* 0 to 1.6 m"
edited lintel 's/lintel: 0.1/lintel: 0.7/' masonry
rejects "lintel out of the wall" lintel.yaml "opening 1: its lintel .* out of the wall"
edited high 's/courses: 2, lintel/courses: 3, lintel/' masonry
rejects "lintel above the wall" high.yaml 'leave one above the opening'
edited mark 's/blocks: \[1, 2\]/blocks: [1, 200]/' masonry
rejects "mark of a block that is not there" mark.yaml "there is no block 200; the blocks are numbered 1 to [0-9]+"
edited zero 's/blocks: \[1, 2\]/blocks: [1, 0]/' masonry
rejects "mark of block 0" zero.yaml 'mark\[0\].blocks: expected one or a list of whole numbers >= 1'
edited nameless 's/name: ground/velocity: [0, 0, 0]/' masonry
rejects "slabs without a name" nameless.yaml 'nameless.yaml:[0-9]+:[0-9]+: missing key "name": slabs'
edited abutment 's/name: arch/velocity: [0, 0, 0]/' masonry
rejects "abutments without a name" abutment.yaml 'missing key "name": the abutments'
edited loose 's/name: ground/name: ground\n    fixed: false/' masonry
rejects "slabs that are not fixed" loose.yaml 'slabs are always fixed'
edited slab 's/group: ground.2/group: ground/' masonry
rejects "the slabs as one group" slab.yaml 'no group "ground"' 'did you mean "ground.[12]"'
edited eye 's/to: 60/to: 90/' masonry
rejects "dome without an eye" eye.yaml 'dome.to: expected a number in \[0, 90\)'
edited upside 's/to: 60/to: 20/' masonry
rejects "dome upside down" upside.yaml 'expected to above from, found 20 and 30'
edited lean 's/overhang: 0.05/overhang: [0.05, 0.1, 0.2]/' masonry
rejects "too many overhangs" lean.yaml "stack 'stack': 3 overhangs for 3 blocks"
edited harmonic 's/overhang: 0.05/overhang: 0.05, harmonic: 1/' masonry
rejects "two kinds of overhang" harmonic.yaml 'harmonic and overhang exclude each other; remove one of them'
edited solid 's/block: \[0.4, 0.2, 0.2\], blocks: 2/block: [0.4, 0.9, 0.2], blocks: 2/' masonry
rejects "tower without an inside" solid.yaml "tower 'tower': .* nothing is left inside"
exits 0 "check of blocks" check "$CASES/masonry.yaml"
is "check counts the blocks" "$(field moving-bodies)" 79
is "check counts the supports" "$(field fixed-bodies)" 13
is "check measures blocks" "$(field size-min)" 0.0492404 # a voussoir: 0.05 cos(10 degrees)

: >empty.yaml
rejects "empty file" empty.yaml 'empty.yaml'
printf '# only a comment\n' >comment.yaml
rejects "only a comment" comment.yaml 'comment.yaml'
rejects "missing file" absent.yaml 'absent.yaml' 'no such file|does not exist'
mkdir folder.yaml
rejects "folder in place of a file" folder.yaml 'folder.yaml' 'folder|directory'
head -c 4000 /dev/urandom >noise.yaml
rejects "binary noise" noise.yaml 'noise.yaml'
printf '%% \xdf 1' >hang.yaml
rejects "the bytes that libfyaml loops on" hang.yaml 'hang.yaml'
head -c 300 "$CASES/box.yaml" >cut.yaml
rejects "truncated case" cut.yaml 'cut.yaml'
printf 'include: loop.yaml\n' >loop.yaml
rejects "file that includes itself" loop.yaml 'loop.yaml'
printf 'include: gone.yaml\n' >hole.yaml
rejects "include that is missing" hole.yaml 'gone.yaml'

exits 2 "--set of an unknown key" check "$CASES/box.yaml" --set solver.tolerence=1
says "--set of an unknown key" tolerence
exits 2 "--set of a bad value" check "$CASES/box.yaml" --set time.step=-1
says "--set of a bad value" step
exits 2 "-o on a file" run "$CASES/box.yaml" -o empty.yaml
says "-o on a file" empty.yaml
exits 2 "-o below a file" run "$CASES/box.yaml" -o empty.yaml/sub
exits 2 "info of a missing file" info absent.yaml
exits 2 "info of an empty folder" info folder.yaml
exits 2 "resume of a missing folder" resume absent
says "resume of a missing folder" absent
exits 2 "resume of an empty folder" resume folder.yaml
exits 2 "resume of a case" resume "$CASES/box.yaml"

exits 0 "check of a good case" check "$CASES/box.yaml"
is "check counts the bodies" "$(field bodies)" 60
is "check finds nothing strange" "$(field warnings)" 0
exits 0 "check with strange units" check "$CASES/box.yaml" --set time.step=0.05 --set materials.stone.density=2.6e6
says "check with strange units" 'time.step' 'density'
exits 0 "check of overlapping bodies" check "$CASES/box.yaml" --set 'generators=[{name: grains, material: stone, lattice: {origin: [0.02, 0.02, 0.02], spacing: 0.015, count: [2, 2, 2], radius: 0.01}}]'
says "check of overlapping bodies" overlap
exits 0 "info of a case" info "$CASES/box.yaml"
is "info of a case" "$(field steps)" 200
finish
