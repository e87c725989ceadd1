# Settle once, then vary: the state of one run as the beginning of another, and changes of a run that goes on.
. "$(dirname "$0")/check.sh"
mixed=$CASES/mixed.yaml

exits 0 "settle" run "$mixed" -o settled --quiet
checkpoint=$(realpath settled/checkpoint-000000200.h5) frame=$(realpath settled/frames/frame-000000200.h5)

# state FILE [GROUP...]: what a body has, to the last bit, in the order of ids; of some groups, without the ids.
state() {
    "$PYTHON" - "$@" <<'END'
import sys, h5py
file = h5py.File(sys.argv[1])
bodies, groups = file["bodies"], [name.decode() for name in file["groups/name"]] if "groups" in file else []
rows = sorted(range(len(bodies["id"])), key=lambda row: bodies["id"][row])
for row in rows:
    if bodies["radius"][row] == 0 or (sys.argv[2:] and groups[bodies["group"][row]] not in sys.argv[2:]):
        continue
    if len(sys.argv) == 2:
        print(bodies["id"][row], end=" ")
    print(*(float(x).hex() for name in ("radius", "position", "orientation", "velocity", "spin")
            for x in (bodies[name][row] if bodies[name].ndim > 1 else [bodies[name][row]])))
END
}

# The same case with another law: positions, orientations, velocities and spins to the bit, and the impulses.
for source in settled "$checkpoint" "$frame"; do
    rm -rf varied
    exits 0 "--from $source" run "$mixed" --from "$source" -o varied --steps 1 --set laws.0.friction=0.6 --set output.frames_every=1
    says "--from $source" "bodies taken, by (group|id): 27; impulses taken: ([0-9]+) of \2\$"
    is "--from $source: nothing is missing" "$(field warnings)" 0
    if has h5py; then
        ok "--from $source: the state is the same to the last bit" \
            cmp <(state "$checkpoint") <(state varied/frames/frame-000000000.h5)
        is "--from $source: how many bodies" "$(state varied/frames/frame-000000000.h5 | wc -l)" 27
    fi
    ok "--from $source: the case says so" grep -q "file: $(realpath settled)/" varied/case.yaml
done
exits 0 "info of a run from another" info varied
is "the checkpoint names its source" "$(field parent)" "$frame"
exits 0 "a run from another goes on without it" resume varied --quiet --steps 2

# The first step needs as few sweeps as that of the run that goes on, and many more without the impulses.
sweeps() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "sweeps") c = i } END { print $c }' "$1/history.csv"; }
cp -r settled on
exits 0 "the run goes on" resume on --quiet --steps 1
exits 0 "the same run from its state" run "$mixed" --from settled -o same --quiet --steps 1
ok "warm: $(sweeps same) sweeps against $(sweeps on)" [ "$(sweeps same)" -le "$(($(sweeps on) * 2))" ]
# A stack stands from the start: its first step finds the impulses from nothing, that of the run after it has them.
cat >stack.yaml <<'END'
time: {step: 1e-3, end: 0.005}
materials: {stone: {density: 2600}}
laws: [{between: default, friction: 0.5}]
solver: {method: nsgs, tolerance: 1e-6}
bodies: [{name: floor, material: stone, half_space: {normal: [0, 0, 1]}, position: [0, 0, 0]}]
generators: [{name: stack, material: stone, stack: {count: 12, block: [0.2, 0.2, 0.1]}}]
END
exits 0 "stack" run stack.yaml -o stack --quiet
exits 0 "stack, from its state" run stack.yaml --from stack -o stack2 --quiet --steps 1
cold=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "sweeps") c = i } NR == 2 { print $c }' stack/history.csv)
ok "cold: $cold sweeps against $(sweeps stack2)" [ "$cold" -gt "$((5 * $(sweeps stack2)))" ]

# What the case locks does not move, whatever the state says, and the user is told.
cat >flying.yaml <<'END'
time: {step: 1e-3, end: 0.01}
gravity: [0, 0, 0]
materials: {stone: {density: 2600}}
bodies: [{name: ball, material: stone, sphere: {radius: 0.1}, position: [0, 0, 0], velocity: [1, 2, 3]}]
probes: [{name: v, group: ball, quantity: velocity}]
END
exits 0 "flying" run flying.yaml -o flying --quiet
exits 0 "locked" run flying.yaml --from flying -o locked --steps 2 --set bodies.0.lock=[y] --set bodies.0.velocity=[0,0,0]
says "locked" "warning: .*in motion there along what the case locks, .*lock, plane\): 1 body \(group ball: 1, id 0\)"
is "locked" "$(tail -n 1 locked/history.csv | awk -F, '{ print $(NF - 2), $(NF - 1), $NF }')" "1 0 3"

# An import names the bodies whose motion its entry locks, and those that wait, with what helps.
cat >waiting.yaml <<'END'
include: flying.yaml
laws: [{between: default, friction: 0.2}]
bodies: [{name: later, material: stone, sphere: {radius: 0.1}, position: [1, 0, 0], insert_time: 5}]
END
exits 0 "waiting" run waiting.yaml -o waiting --quiet
sed -e '/^probes:/d' -e 's|^bodies:.*|imports: [{file: waiting/checkpoint-000000010.h5, material: stone, lock: [x, rz]}]|' flying.yaml >import-flying.yaml
exits 0 "import of a locked body" run import-flying.yaml -o imported --quiet --steps 1
says "import of a locked body" "warning: import of .*in motion there along what the entry locks, .*lock\): 1 body \(group ball: 1, id 0\)" \
    "warning: import of .*waiting to enter that run, .*insert_time\): 1 body \(group later: 1, id 1\)"
is "import of a locked body: warnings" "$(field warnings)" 2

# Half the step: impulses are forces times the step.
exits 0 "half the step" run "$mixed" --from settled -o half --quiet --steps 1 --set time.step=5e-4
ok "half the step: $(sweeps half) sweeps" [ "$(sweeps half)" -le "$(($(sweeps on) * 3))" ]

# Other walls, more grains, thicker bars, a block less: by group, and what was not taken is reported with names and counts.
cat >other.yaml <<'END'
time: {step: 1e-3, end: 0.1}
materials: {stone: {density: 2700}, steel: {density: 7800}}
laws: [{between: default, friction: 0.2}]
bodies:
  - {name: block, material: stone, box: {size: [0.15, 0.1, 0.06]}, position: [0.2, 0.2, 0.26]}
  - {name: late, material: stone, sphere: {radius: 0.01}, position: [0.2, 0.2, 1], insert_time: 0.05}
containers:
  - {name: room, material: steel, box: {min: [-1, -1, -1], max: [2, 2, 2]}}
  - {name: box, material: steel, box: {min: [0, 0, -0.01], max: [0.4, 0.4, 2]}, walls: [xmin, xmax, ymin, ymax, zmin]}
generators:
  - {name: grains, material: stone, lattice: {origin: [0.05, 0.05, 0.05], spacing: 0.09, count: [4, 4, 2], radius: 0.04, jitter: 0.1, limit: 20}}
  - {name: bars, material: stone, lattice: {origin: [0.08, 0.08, 0.16], spacing: 0.12, count: [3, 3, 1], bar: {count: 3, radius: 0.021, spacing: 0.03}, turned: true}}
END
exits 0 "another case" run other.yaml --from settled -o other --quiet --steps 0
says "another case" "warning: .*not in it, and left where the case puts them.*: 4 bodies \(group grains: 4, ids 29, 30, 31 \.\.\.\)" \
    "warning: .*of another shape or size than in it.*: 9 bodies \(group bars: 9, ids 33, 34, 35 \.\.\.\)" \
    "warning: .*in it, but not in the case, and left out.*: 1 body \(group block: 1, id 1\)"
is "another case: warnings" "$(field warnings)" 3
ok "-q drops notes" bash -c '! grep -q "bodies taken" .err'
ok "the log has the notes" grep -q "bodies taken, by group: 17; impulses taken: [0-9]* of " other/run.log
ok "the log names walls that are elsewhere" grep -q "fixed, and elsewhere in the case than in it; the case holds: 5 bodies (group box.xmin: 1, id 8" other/run.log
ok "the log names walls that are new" grep -q "fixed, and only in the case: 6 bodies (group room.xmin" other/run.log
ok "the log counts masses" grep -q "of another mass there; that of the case holds: 17 bodies (.*group grains: 16, ids " other/run.log
ok "the log counts impulses" grep -q "impulses between bodies that were not both taken, and dropped: [1-9]" other/run.log
if has h5py; then
    state "$checkpoint" grains >before
    ok "another case: the grains of before are where they were" cmp before <(state other/checkpoint-000000000.h5 grains | sed -n 1,16p)
fi
exits 1 "--strict" run other.yaml --from settled -o strict --strict
says "--strict" "^warning: from .*not in it" "--strict: warnings: [1-9].* Nothing was run"
ok "--strict: no folder" [ ! -e strict ]
exits 0 "check --from" check other.yaml --from settled
is "check --from: warnings" "$(field warnings)" 4
exits 0 "--match id" run other.yaml --from settled -o by-id --quiet --steps 0 --match id
says "--match id" "of another shape or size than in it"
cat >stranger.yaml <<'END'
time: {step: 1e-3, end: 0.1}
materials: {stone: {density: 2700}}
laws: [{between: default, friction: 0.2}]
bodies: [{name: ball, material: stone, sphere: {radius: 1}, position: [0, 0, 0]}]
END
exits 2 "nothing in common" run stranger.yaml --from settled -o nothing
says "nothing in common" "no body of the case is in it \(by group\); it has 27 bodies \(group block: 2"
exits 2 "--from nothing" run "$mixed" --from nowhere -o nothing
says "--from nothing" "--from nowhere does not exist; give a checkpoint, a frame or the folder of a run"
exits 2 "--from a case" run "$mixed" --from "$mixed" -o nothing
says "--from a case" "not a Gabion checkpoint"
exits 2 "--match without --from" run "$mixed" --match id
exits 2 "--match of something else" run "$mixed" --from settled --match name
head -c 3000 "$checkpoint" >cut.h5
exits 2 "--from a damaged file" run "$mixed" --from cut.h5 -o nothing
ok "nothing was written" [ ! -e nothing ]

# A newest checkpoint that is damaged is passed over with a warning, also where nothing else is said.
exits 0 "two checkpoints" run "$mixed" -o twice -q --steps 20 --set output.checkpoint_every=10
printf x | dd of=twice/checkpoint-000000020.h5 bs=1 seek=4000 conv=notrunc 2>/dev/null
exits 0 "--from a damaged newest" run "$mixed" --from twice -o older -q --steps 0
says "--from a damaged newest" "passed over .*twice/checkpoint-000000020.h5: damaged"
is "--from a damaged newest: warnings" "$(field warnings)" 1

# Compounds are taken and imported with their parts.
cat >compound.yaml <<'END'
time: {step: 1e-3, end: 0.01}
materials: {stone: {density: 2600}}
laws: [{between: default, friction: 0.5}]
bodies:
  - {material: stone, half_space: {normal: [0, 0, 1]}, position: [0, 0, 0]}
  - name: tee
    material: stone
    position: [0, 0, 0]
    compound: {parts: [{box: {size: [0.1, 0.2, 0.3]}, position: [0, 0, 0.15]}, {box: {size: [0.4, 0.2, 0.1]}, position: [0, 0, 0.35]}]}
  - {name: brick, material: stone, position: [0, 0, 0.45], box: {size: [0.3, 0.2, 0.1]}}
END
exits 0 "compound" run compound.yaml -o compound --quiet
exits 0 "a compound from its state" run compound.yaml --from compound -o compound2 --steps 0
says "a compound from its state" "bodies taken, by group: 2; impulses taken: ([0-9]+) of \\1\$"
exits 0 "a compound of other parts" run compound.yaml --from compound -o compound3 --steps 0 --set 'bodies.1.compound.parts.0.box.size=[0.1, 0.2, 0.2]'
says "a compound of other parts" "of another shape or size than in it.*group tee: 1"
cat >compounds.yaml <<'END'
time: {step: 1e-3, end: 0.01}
materials: {stone: {density: 2600}}
laws: [{between: default, friction: 0.5}]
bodies: [{material: stone, half_space: {normal: [0, 0, 1]}, position: [0, 0, 0]}]
imports: [{file: compound/checkpoint-000000010.h5, material: stone, position: [5, 0, 0]}]
END
exits 0 "an imported compound" run compounds.yaml -o compounds
says "an imported compound" "bodies: 2; impulses taken:"
is "an imported compound: blocks" "$(field bodies)" 2

# Joints come with the bodies that they join, with their impulses: three bars on a hinge, a ball and a rigid joint.
# A new run sorts its bodies by place, and sweeps follow that order: 200 steps leave it as it was at the start.
cat >chain.yaml <<'END'
time: {step: 1e-3, end: 2}
solver: {method: nsgs, tolerance: 1e-8, max_sweeps: 10000}
materials: {steel: {density: 7800}}
laws: [{between: default, friction: 0.3}]
bodies:
- {name: floor, material: steel, half_space: {normal: [0, 0, 1]}, position: [0, 0, -2]}
- {name: a, material: steel, box: {size: [0.2, 0.05, 0.05]}, position: [0.2, 0, 0]}
- {name: b, material: steel, box: {size: [0.2, 0.05, 0.05]}, position: [0.4, 0, 0]}
- {name: c, material: steel, box: {size: [0.2, 0.05, 0.05]}, position: [0.6, 0, 0]}
joints:
- {first: a, hinge: {anchor: [0.1, 0, 0], axis: [0, 1, 0]}}
- {first: b, second: a, ball: {anchor: [0.3, 0, 0]}}
- {first: c, second: b, fixed: {anchor: [0.5, 0, 0]}}
probes: [{name: c, group: c, quantity: position}, {name: f, group: a, quantity: force}]
output: {frames_every: 200}
END
exits 0 "chain" run chain.yaml -o chain --quiet --steps 200
cp -r chain chain-on
exits 0 "a run that is taken up and makes no step" resume chain-on --quiet --steps 0
is "its forces are not known" "$(field 'probe f.z')" nan
exits 0 "chain goes on" resume chain-on --quiet --steps 50
# imported NAME KEYS: the bodies of the chain, and its joints, in a case that has neither.
imported() {
    sed -e '/name: [abc], material/d' -e '/^joints:/,/fixed:/d' -e "s|^probes:|imports: [{file: chain/$2}]\n&|" chain.yaml >"$1.yaml"
}
checkpoint_c=checkpoint-000000200.h5 keep='keep: [materials, groups]'
# values FOLDER COLUMN...: of the last rows, as they are written.
values() {
    "$PYTHON" - "$@" <<'END'
import csv, sys
for row in list(csv.DictReader(open(sys.argv[1] + "/history.csv")))[-50:]:
    print(*(row[name] for name in sys.argv[2:]))
END
}
imported joined "$checkpoint_c, $keep"
exits 0 "imported joints" run joined.yaml -o joined --steps 50
says "imported joints" "joints added, with their impulses: 3\$"
is "imported joints: warnings" "$(field warnings)" 0
ok "imported joints: motion, forces and sweeps are those of the chain that goes on, to the last bit" \
    cmp <(values joined sweeps joint_error c.x c.y c.z f.x f.z) <(values chain-on sweeps joint_error c.x c.y c.z f.x f.z)
exits 0 "and go on" resume joined --quiet --steps 5
imported framed "frames/frame-000000200.h5, material: steel"
sed -i '/^probes:/d' framed.yaml
exits 0 "joints of a frame" run framed.yaml -o framed --steps 0
says "joints of a frame" "warning: .*joints, which are taken from checkpoints alone, left out: 3"
# A quarter turn about z and a shift: x becomes y.
imported turned "$checkpoint_c, $keep, position: [1, 2, 3], orientation: [1, 0, 0, 1]"
exits 0 "joints, turned and moved" run turned.yaml -o turned --quiet --steps 50
ok "joints, turned and moved: so is the motion" "$PYTHON" - <<'END'
import csv
turned, chain = ([row for row in csv.DictReader(open(name + "/history.csv"))][-50:] for name in ("turned", "chain-on"))
for here, there in zip(turned, chain):
    assert abs(float(here["c.y"]) - 2 - float(there["c.x"])) < 1e-9, (here["c.y"], there["c.x"])
    assert abs(float(here["c.z"]) - 3 - float(there["c.z"])) < 1e-9 and abs(float(here["c.x"]) - 1) < 1e-9
    assert abs(float(here["f.y"]) - float(there["f.x"])) < 1e-3
END
ok "joints, turned and moved: the first step takes $(sweeps turned) sweeps" [ "$(sweeps turned)" -le 40 ]
imported some "$checkpoint_c, $keep, groups: [a, b]"
sed -i '/^probes:/d' some.yaml
exits 0 "joints of some bodies" run some.yaml -o some --steps 0
says "joints of some bodies" "joints added, with their impulses: 2\$" \
    "warning: .*joints left out, because only one of their bodies was taken: 1 \(by ids there: fixed of 3 and 2\)"
imported fast "$checkpoint_c, $keep, fixed: true"
exits 0 "joints of fixed bodies" run fast.yaml -o fast --steps 0
says "joints of fixed bodies" "both of their bodies are fixed here: 3 \(by ids there: hinge of 1 and the world, ball of 2 and 1, fixed of 3 and 2\)"
imported twice "$checkpoint_c, $keep"
echo 'joints: [{first: b, second: a, ball: {anchor: [0, 0, 0]}}]' >>twice.yaml
exits 0 "a joint twice" check twice.yaml
says "a joint twice" "warning: twice.yaml:[0-9]*:[0-9]*: joint: these bodies are joined so by an import already"
imported free "$checkpoint_c, $keep, joints: false"
exits 0 "no joints" run free.yaml -o free --steps 1
ok "no joints" bash -c '! grep -q joint free/run.log'
exits 2 "joints of a method that has none" run joined.yaml -o none --set solver.method=ipm
says "joints of a method that has none" "joined.yaml:[0-9]*:1: solver.method ipm takes no joints"
sed -e '/^joints:/,/fixed:/d' chain.yaml >loose.yaml
exits 0 "--from without the joints" run loose.yaml --from chain -o loose --steps 1
says "--from without the joints" "warning: .*joints that the case does not have, left out \(from.joints: add adds them\): 3 \(by ids there: hinge of 1"
exits 0 "--from with joints added" run loose.yaml --from chain -o added --steps 50 --set from.joints=add
says "--from with joints added" "joints added, with their impulses: 3\$"
ok "--from with joints added: the same bits" \
    cmp <(values added sweeps joint_error c.x c.y c.z f.x f.z) <(values chain-on sweeps joint_error c.x c.y c.z f.x f.z)
exits 0 "--from with joints of both" run chain.yaml --from chain -o both --steps 50 --set from.joints=add
ok "--from with joints of both: none twice" bash -c '! grep -q "joints added" both/run.log'
sed 's/name: a, material: steel/&, fixed: true/; s/position: \[0.2, 0, 0\]/position: [9, 0, 0]/' loose.yaml >elsewhere.yaml
exits 0 "--from with a body elsewhere" run elsewhere.yaml --from chain -o elsewhere --steps 0 --set from.joints=add
says "--from with a body elsewhere" "both of their bodies are fixed here: 1 .*hinge of 1 and the world"

# Fixed bodies: one that a driver has moved stays where it is, if the case puts it where that run first had it.
cat >lid.yaml <<'END'
time: {step: 1e-3, end: 0.05}
materials: {stone: {density: 2600}}
laws: [{between: default, friction: 0.5}]
bodies:
  - {name: lid, material: stone, box: {size: [1, 1, 0.1]}, position: [0, 0, 1], fixed: true}
  - {name: ball, material: stone, sphere: {radius: 0.1}, position: [0, 0, 0.1]}
  - {material: stone, half_space: {normal: [0, 0, 1]}, position: [0, 0, 0]}
drivers: [{group: lid, direction: [0, 0, -1], velocity: 2}]
probes: [{name: lid, group: lid, quantity: position}]
END
last() { awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } END { printf "%.6g", $c }' "$1/history.csv"; }
exits 0 "lid" run lid.yaml -o lid --quiet
exits 0 "lid, from where it is" run lid.yaml --from lid -o lid2 --quiet
is "a driven body goes on from where it is" "$(last lid2 lid.z)" 0.8
exits 0 "lid, elsewhere" run lid.yaml --from lid -o lid3 --quiet --set "bodies.0.position=[0, 0, 2]"
is "a fixed body that the case moves" "$(last lid3 lid.z)" 1.9
ok "a fixed body that the case moves is reported" grep -q "elsewhere in the case than in it; the case holds: 1 body (group lid: 1, id 0)" lid3/run.log

# Imports: all shapes but walls, chosen by group or id, with materials and groups of before, turned and moved.
cat >import.yaml <<END
time: {step: 1e-3, end: 0.1}
materials: {stone: {density: 2600}, floor: {}}
laws: [{between: default, friction: 0.2}]
containers:
  - {name: box, material: floor, box: {min: [0, 0, 0], max: [0.4, 0.4, 2]}, walls: [xmin, xmax, ymin, ymax, zmin]}
imports:
  - {file: $checkpoint, keep: [materials, groups]}
END
exits 0 "import" run import.yaml -o import --steps 1 --set output.frames_every=1
says "import" "bodies: 27; impulses taken: ([0-9]+) of \1\$" "walls, left to the case: 5 bodies"
is "import: warnings" "$(field warnings)" 0
ok "import: $(sweeps import) sweeps against $(sweeps on)" [ "$(sweeps import)" -le "$(($(sweeps on) * 2))" ]
if has h5py; then
    ok "import: the state is the same to the last bit" cmp <(state "$checkpoint" | cut -d' ' -f2-) <(state import/frames/frame-000000000.h5 | cut -d' ' -f2-)
fi
# entry KEYS: the import with other keys.
entry() { sed "s|{file: $checkpoint, keep.*|{file: $1}|" import.yaml >chosen.yaml; }
entry "$checkpoint, material: stone, name: copy, groups: [block, bars]"
exits 0 "import of groups" check chosen.yaml
is "import of groups" "$(field bodies)" 11
entry "$checkpoint, material: stone, ids: [0, 7, 8]"
exits 0 "import of ids" check chosen.yaml
is "import of ids" "$(field bodies)" 3
entry "$frame, material: stone"
exits 0 "import of a frame" run chosen.yaml -o from-frame --quiet --steps 1
is "import of a frame" "$(field bodies)" 27
entry "$checkpoint, material: stone, position: [0, 0, 1], orientation: [0, 0, 0, 1]"
exits 0 "import, moved" check chosen.yaml
ok "import, moved: it is above" awk '/^extent:/ { exit !($2 > 0.3 && $2 < 0.4) }' .out
entry "$frame, material: stone, groups: [grains]"
exits 2 "groups of a frame" check chosen.yaml
says "groups of a frame" "chosen.yaml:7:.*a frame has no groups and no materials; import the checkpoint"
entry "$checkpoint, material: stone, groups: [gravel]"
exits 2 "a group that it has not" check chosen.yaml
says "a group that it has not" 'it has no group "gravel"'
entry "$checkpoint, material: stone, ids: [99]"
exits 2 "an id that it has not" check chosen.yaml
says "an id that it has not" "it has no body 99"
entry "$checkpoint"
exits 2 "no material" check chosen.yaml
says "no material" 'missing key "material"; or let the bodies of a checkpoint keep theirs'
entry "$checkpoint, keep: [materials]"
sed -i 's/stone/granite/' chosen.yaml
exits 2 "a material that the case has not" check chosen.yaml
says "a material that the case has not" 'the case has no material "stone"'
printf 'x,y,z,radius\n0.2,0.2,1,0.1\n' >one.csv
entry "$WORK/one.csv, material: stone, position: [0, 0, 1]"
exits 2 "a CSV file that is to be moved" check chosen.yaml
says "a CSV file that is to be moved" "position needs a frame or a checkpoint of Gabion"

# A run that goes on with other laws, gravity, drivers, probes and step.
cat >plate.yaml <<'END'
time: {step: 1e-3, end: 0.2}
materials: {stone: {density: 2600}}
laws: [{between: default, friction: 0.5}]
bodies:
  - {name: plate, material: stone, box: {size: [1, 1, 0.1]}, position: [0, 0, -0.05], fixed: true}
  - {name: top, material: stone, box: {size: [1, 1, 0.1]}, position: [0, 0, 1], fixed: true}
  - {name: block, material: stone, box: {size: [0.2, 0.2, 0.1]}, position: [0, 0, 0.05]}
  - {name: ball, material: stone, sphere: {radius: 0.05}, position: [0.3, 0, 0.05]}
  - {name: gone, material: stone, sphere: {radius: 0.05}, position: [-0.3, 0, 0.05]}
drivers: [{group: plate, direction: [1, 0, 0], sine: {amplitude: 0.02, frequency: 5}}]
probes: [{name: plate, group: plate, quantity: position}]
removals: [{group: gone, time: 0.049}]
END
exits 0 "plate" run plate.yaml -o plate --quiet --steps 50
at_50=$(last plate plate.x)
change=(--set laws.0.friction=0.1 --set "gravity=[0, 0, -5]" --set time.step=2e-3
    --set "drivers=[{group: plate, direction: [1, 0, 0], velocity: 0.1}, {group: top, direction: [0, 0, -1], velocity: 0.1}]"
    --set "probes[1]={name: top, group: top, quantity: position}")
cp -r plate at-once
exits 0 "changed" resume at-once --quiet "${change[@]}"
hash=$(field state-hash)
is "changed: steps" "$(field steps)" 125
is "changed: time" "$(field time)" 0.2
ok "changed: the ledger closes ($(field energy-error) J)" awk -v e="$(field energy-error)" 'BEGIN { exit !(e < 1e-12 && e > -1e-12) }'
ok "changed: the plate does not jump" awk -v a="$at_50" -v b="$(last at-once plate.x)" 'BEGIN { d = b - a - 0.015; exit !(d < 1e-6 && d > -1e-6) }'
is "changed: a body that no driver moved before" "$(last at-once top.z)" 0.985
ok "changed: the energy is booked" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "removed_energy") c = i } $1 == 50 { a = $c } $1 == 51 { b = $c } END { exit !(b != a) }' at-once/history.csv
for set in "laws.0.friction=0.1" "gravity=\[0, 0, -5\]" "time.step=2e-3" "probes\[1\]="; do
    ok "changed: case.yaml notes $set" grep -q "set: \"$set" at-once/case.yaml
done
is "changed: case.yaml says when" "$(grep -c '  - step: 50' at-once/case.yaml)" 5
is "changed: the history says when" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "changes") c = i } $1 == 50 || $1 == 51 { printf "%s ", $c }' at-once/history.csv)" "0 5 "
ok "changed: the history of before is kept" [ "$(wc -l <at-once/history-000000050.csv)" -eq 51 ]
is "changed: rows of before have no such probe" "$(awk -F, '$1 == 50 { print $NF }' at-once/history.csv)" nan
cp -r plate in-pieces
exits 0 "changed, in pieces" resume in-pieces --quiet "${change[@]}" --steps 7
for steps in 1 30; do
    exits 0 "changed, in pieces" resume in-pieces --quiet --steps $steps
done
exits 0 "changed, in pieces" resume in-pieces --quiet -j 1
is "changed, in pieces: the same bits" "$(field state-hash)" "$hash"
ok "changed, in pieces: the same history" cmp <(history_of at-once) <(history_of in-pieces)
ok "changed, in pieces: the same case" cmp at-once/case.yaml in-pieces/case.yaml
exits 0 "the same value is no change" resume in-pieces --quiet --steps 1 --set laws.0.friction=0.1
ok "the same value is no change" cmp at-once/case.yaml in-pieces/case.yaml

# What cannot change is rejected with the reason, before anything is touched; help lists it.
cp -r plate untouched
for set in bodies.0.fixed=false materials.stone.density=1 generators=[] containers=[] imports=[] joints=[] plane=xz time.scheme=corrective from.file=x changes=[]; do
    exits 2 "resume --set $set" resume plate --quiet --set "$set"
    says "resume --set $set" "--set ${set%=*}=.*: a run that goes on cannot change this: .*run --from"
done
exits 2 "a law for half of the pairs" resume plate --quiet --set "laws=[]"
says "a law for half of the pairs" "no law for stone on stone"
exits 2 "a driver of what moves" resume plate --quiet --set "drivers[1]={group: ball, direction: [1, 0, 0], velocity: 1}"
says "a driver of what moves" "not fixed"
exits 2 "a value out of range" resume plate --quiet --set time.step=-1
ok "nothing is touched" diff -r plate untouched
gabion resume --help
for key in bodies containers generators imports joints materials plane time.scheme; do
    ok "resume --help lists $key" grep -qE "^  $key +[a-z]" .out
done

# A larger step must not repeat what the step before it did: the removal at 0.049 s, the reset at 0.0495 s.
exits 0 "kick" run plate.yaml -o kick --quiet --steps 50 --set "resets=[{group: ball, time: 0.0485, velocity: [0, 0, 3]}]"
exits 0 "kick, with a larger step" resume kick --quiet --steps 1 --set time.step=5e-3 --set "probes[1]={name: ball, group: ball, quantity: velocity}"
ok "an event of before is not repeated ($(last kick ball.z) m/s)" awk -v v="$(last kick ball.z)" 'BEGIN { exit !(v < 2.95 && v > 2.9) }'

# Killed before the first checkpoint after a change: the run goes on as it was.
cp -r plate killed
"$GABION" resume killed --quiet "${change[@]}" --set time.end=1000 --set output.checkpoint_minutes=0 >/dev/null 2>&1 &
pid=$!
while [ "$(wc -l <killed/history.csv)" -lt 60 ] && kill -0 $pid 2>/dev/null; do sleep 0.02; done
kill -9 $pid
wait $pid 2>/dev/null
exits 0 "killed" resume killed --quiet --steps 3
ok "killed: the case is that of before" cmp killed/case.yaml plate/case.yaml
is "killed: the history has the columns of before" "$(head -n 1 killed/history.csv)" "$(head -n 1 plate/history.csv)"
finish
