# Bad input: exit status 2, a message that names the place, never a crash, nothing written.
. "$(dirname "$0")/check.sh"

# refuses NAME FILE PATTERN...: run and check both refuse, and say why.
refuses() {
    local name=$1 file=$2
    shift 2
    exits 2 "check: $name" check "$file"
    says "check: $name" "$@"
    exits 2 "run: $name" run "$file" -o out
    says "run: $name" "$@"
    ok "$name: nothing was written" [ ! -e out ]
}

# edited NAME SED: a copy of the box case, changed.
edited() {
    sed -E "$2" "$CASES/box.yaml" >"$1.yaml"
    if cmp -s "$1.yaml" "$CASES/box.yaml"; then
        ok "the edit of $1 changed something" false
    fi
}

edited unknown 's/tolerance:/tolerence:/'
refuses "unknown key" unknown.yaml 'unknown.yaml:4:' tolerence 'did you mean "tolerance"'
edited section 's/^solver:/slover:/'
refuses "unknown section" section.yaml 'section.yaml:4:' 'did you mean "solver"'
edited text 's/step: 1e-3/step: soon/'
refuses "text in place of a number" text.yaml 'text.yaml:3:' step
edited list 's/step: 1e-3/step: [1, 2]/'
refuses "list in place of a number" list.yaml 'list.yaml:3:'
edited number 's/^gravity: .*/gravity: 9.81/'
refuses "number in place of a vector" number.yaml 'number.yaml:2:' gravity
edited mapping 's/^laws:/laws: 5\nlaws_:/'
refuses "number in place of a list" mapping.yaml 'mapping.yaml:'
edited negative 's/sphere: \{radius: 0.01\}/sphere: {radius: -0.01}/'
refuses "negative radius" negative.yaml 'negative.yaml:' radius
edited zero 's/uniform: \[0.006, 0.012\]/uniform: [0.012, 0.006]/'
refuses "radii the wrong way round" zero.yaml 'zero.yaml:'
for bad in nan .nan NaN inf .inf -inf 1e999; do
    edited nan "s/sphere: \{radius: 0.01\}/sphere: {radius: $bad}/"
    refuses "radius $bad" nan.yaml 'nan.yaml:' radius
    edited nan "s/gravity: .*/gravity: [0, 0, $bad]/"
    refuses "gravity $bad" nan.yaml 'nan.yaml:' gravity
done
edited step 's/step: 1e-3/step: 0/'
refuses "no step" step.yaml 'step.yaml:3:'
edited tiny 's/step: 1e-3/step: 1e-300/'
refuses "too many steps" tiny.yaml
edited material 's/name: grains/name: grains\n    density: heavy/'
refuses "density as text" material.yaml 'material.yaml:'
edited who 's/material: stone, sphere/material: ston, sphere/'
refuses "unknown material" who.yaml 'who.yaml:' ston
edited group 's/group: box.zmin, direction/group: box.zmni, direction/'
refuses "unknown group" group.yaml 'box.zmni'
edited flat 's/max: \[0.1, 0.1, 0.3\]/max: [0.1, 0, 0.3]/'
refuses "empty container" flat.yaml "flat.yaml:12:"
edited crowd 's/count: 60/count: 6000/'
refuses "too many spheres" crowd.yaml 'placed' 'volume fraction 0\.[0-9]+'
edited wide 's/count: 60, seed: 3, radius: .*/count: 1, radius: 0.06}/'
refuses "sphere larger than the box" wide.yaml 'does not fit'
edited twice 's/^gravity:/title: again\ngravity:/'
refuses "key given twice" twice.yaml 'twice.yaml:'
edited tab 's/^  stone:/\tstone:/'
refuses "tab" tab.yaml 'tab.yaml:'

: >empty.yaml
refuses "empty file" empty.yaml 'empty.yaml'
printf '# only a comment\n' >comment.yaml
refuses "only a comment" comment.yaml 'comment.yaml'
refuses "missing file" absent.yaml 'absent.yaml' 'no such file|does not exist'
mkdir folder.yaml
refuses "folder in place of a file" folder.yaml 'folder.yaml' 'folder|directory'
head -c 4000 /dev/urandom >noise.yaml
refuses "binary noise" noise.yaml 'noise.yaml'
printf '%% \xdf 1' >hang.yaml
refuses "the bytes that libfyaml loops on" hang.yaml 'hang.yaml'
head -c 300 "$CASES/box.yaml" >cut.yaml
refuses "truncated case" cut.yaml 'cut.yaml'
printf 'include: loop.yaml\n' >loop.yaml
refuses "file that includes itself" loop.yaml 'loop.yaml'
printf 'include: gone.yaml\n' >hole.yaml
refuses "include that is missing" hole.yaml 'gone.yaml'

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
