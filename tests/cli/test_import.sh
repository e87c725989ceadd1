# Settle once, vary the law: frames and checkpoints as imports; and what `check` says of a case.
. "$(dirname "$0")/check.sh"

exits 0 "first run" run "$CASES/box.yaml" -o first --quiet --steps 50 --set output.frames_every=50
import() {
    cat >"$1.yaml" <<END
time: {step: 1e-3, end: 0.02}
materials: {stone: {density: 2600}}
laws: [{between: default, friction: 0.8}]
containers:
  - {name: box, material: stone, box: {min: [0, 0, 0], max: [0.1, 0.1, 0.3]}}
imports: [{file: $2, name: grains, material: stone}]
output: {frames_every: 10}
END
}
import frame first/frames/frame-000000050.h5
import checkpoint first/checkpoint-000000050.h5
for kind in frame checkpoint; do
    exits 0 "import of a $kind" check "$kind.yaml"
    is "import of a $kind: all spheres, no walls" "$(field bodies)" 60
    exits 0 "run from a $kind" run "$kind.yaml" -o "from-$kind" --quiet
done

exits 0 "run with blocks" run "$CASES/blocks.yaml" -o stones --quiet --steps 5 --set output.frames_every=5
import frame stones/frames/frame-000000005.h5
import checkpoint stones/checkpoint-000000005.h5
for kind in frame checkpoint; do
    exits 0 "import of a $kind with blocks" check "$kind.yaml"
    is "import of a $kind with blocks: all of them" "$(field bodies)" 6
done

# spheres FILE: radius and position to the last bit, in the order of ids.
spheres() {
    "$PYTHON" - "$1" <<'END'
import sys, h5py
bodies = h5py.File(sys.argv[1])["bodies"]
for _, r, x in sorted(zip(bodies["id"], bodies["radius"], map(tuple, bodies["position"]))):
    if r > 0:
        print(*(float(value).hex() for value in (r, *x)))
END
}
if has h5py; then
    spheres first/frames/frame-000000050.h5 >before
    for kind in frame checkpoint; do
        spheres from-$kind/frames/frame-000000000.h5 >after
        is "positions from a $kind: how many" "$(wc -l <after)" 60
        ok "positions from a $kind are the same to the last bit" cmp before after
    done
fi

echo "x,y,z,radius" >none.csv
import none none.csv
exits 2 "import of nothing" check none.yaml
says "import of nothing" 'none.csv: contains no bodies'

cat >idle.yaml <<'END'
time: {step: 1e-3, end: 1}
materials: {stone: {density: 1000}}
laws: [{between: default, friction: 0.5}]
bodies:
  - {name: ball, material: stone, sphere: {radius: 0.5}, position: [0, 0, 1]}
  - {name: late, material: stone, sphere: {radius: 1}, position: [4, 0, 1], insert_time: 0.5}
  - {name: never, material: stone, sphere: {radius: 0.5}, position: [0, 5, 1], insert_time: 1}
  - {name: post, material: stone, sphere: {radius: 0.5}, position: [-5, 0, 1], fixed: true}
forces:
  - {group: post, direction: [1, 0, 0], constant: 1}
  - {group: late, direction: [1, 0, 0], constant: 1}
resets: [{group: post, time: 0.1}, {group: ball, time: 2}, {group: ball, time: 0.999}]
removals: [{group: ball, time: 1}]
END
exits 0 "check of idle entries" check idle.yaml
says "check of idle entries" 'force on group post' 'reset of group post' 'reset of group ball at 2 s' \
    'removal of group ball at 1 s' 'never enter: 1,'
is "check of idle entries" "$(field warnings)" 5
is "waiting bodies count" "$(field size-max)" 1
is "mass" "$(field mass)" 5235.99
is "extent" "$(field extent)" "10.5 6.5 2"
finish
