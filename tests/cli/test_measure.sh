#!/bin/bash
# Probes of every quantity in a run, and the same quantities measured afterwards.
. "$(dirname "$0")/check.sh"

# compare TABLE HISTORY: every value of the table is, to the last digit, that of the same step and column.
cat >compare.py <<'END'
import csv, sys
table, history = (list(csv.DictReader(open(name))) for name in sys.argv[1:3])
rows = {row["step"]: row for row in history}
columns = [name for name in table[0] if name not in ("step", "time")]
compared = 0
for row in table:
    for name in columns if row["step"] in rows else ():
        if row[name] != rows[row["step"]][name]:
            sys.exit(f"step {row['step']}: {name} is {row[name]}, expected {rows[row['step']][name]}")
        compared += 1
if compared < int(sys.argv[3]):
    sys.exit(f"only {compared} values compared")
END
compare() { "$PYTHON" compare.py "$@"; }

exits 0 "a run with every quantity" run "$CASES/probes.yaml" -o whole -q -j 1
ok "the summary has probes" grep -q '^probe flow.mass: ' .out
ok "but none with many components" bash -c '! grep -q "^probe stress" .out'
exits 0 "frames are measured" measure whole
cp .out table.csv
ok "values of frames are those of the history" compare table.csv whole/history.csv 400
ok "a row for each frame" [ "$(wc -l <table.csv)" -eq 7 ]
ok "the header" grep -q '^step,time,x.x,x.y,x.z,.*,turned,.*,stress.xx,.*,net.h4,twist.x' table.csv

ok "the heap has a surface" "$PYTHON" -c '
import csv
rows = list(csv.DictReader(open("table.csv")))
assert all(0.1 < float(row["heap.mean"]) < float(row["heap.max"]) < 0.45 for row in rows)
assert all(row["top.slope"] != "nan" for row in rows)'

# The same bits with two threads, and across a stop in the middle of a window.
exits 0 "two threads" run "$CASES/probes.yaml" -o threads -q -j 2
ok "two threads give the same values" cmp <(history_of threads) <(history_of whole)
exits 0 "the first part" run "$CASES/probes.yaml" -o parts -q -j 1 --steps 47
exits 0 "the second part" resume parts -q -j 1
exits 0 "measured after a stop" measure parts -o parts.csv
ok "a stop changes no value" cmp parts.csv table.csv
ok "a stop changes no state" cmp <(history_of parts) <(history_of whole)
exits 0 "measured with two threads" measure threads -o threads.csv
ok "threads change no value" cmp threads.csv table.csv

# A law that changes on the way: each frame is measured with the friction of its step.
exits 0 "before the change" run "$CASES/probes.yaml" -o changed -q -j 1 --steps 60
exits 0 "after the change" resume changed -q -j 1 --set laws.0.friction=0.1
exits 0 "measured across a change" measure changed -o changed.csv
ok "a change of friction is seen" compare changed.csv changed/history.csv 400
ok "and matters" "$PYTHON" -c '
import csv
here, there = (list(csv.DictReader(open(name))) for name in ("changed.csv", "table.csv"))
assert here[2]["net.mobilised"] == there[2]["net.mobilised"] != "nan"
assert here[-1]["net.mobilised"] != there[-1]["net.mobilised"]'

# Other probes than those of the run.
cat >load.yaml <<'END'
probes:
- {name: load, group: box.zmin, quantity: force}
- {name: all, quantity: mass}
END
exits 0 "probes of a file" measure whole --probes load.yaml --since 0.1 --until 0.33 -o load.csv
ok "a range of times" [ "$(cut -d, -f1 load.csv | tr '\n' ' ')" = "step 40 60 80 " ]
exits 0 "a probe of the command line" measure whole \
    --probe 'name: floor, group: box.zmin, quantity: reaction' --probe '{name: n, quantity: count}'
cp .out floor.csv
ok "it is that of the run" compare <(cut -d, -f1-8 floor.csv) whole/history.csv 30
ok "and another one" grep -q ',29$' floor.csv
exits 0 "one frame" measure whole/frames/frame-000000040.h5 --probe 'name: x, group: bob, quantity: position'
ok "has one row" [ "$(wc -l <.out)" -eq 2 ]

# Checkpoints have no contacts.
exits 0 "checkpoints" measure whole --checkpoints --probe 'name: gape, quantity: opening' \
    --probe 'name: turned, group: grains, quantity: angle, axis: [0, 0, 1]'
cp .out gape.csv
ok "what checkpoints have is that of the run" compare gape.csv whole/history.csv 12
exits 2 "contacts of a checkpoint" measure whole --checkpoints --probe 'name: n, quantity: network'
says "contacts of a checkpoint" 'checkpoint-0*40.h5' 'network' 'output.frames_every'

# What cannot be measured.
exits 2 "an angle that was not counted" measure whole --probe 'name: a, group: bob, quantity: angle, axis: [0, 0, 1]'
says "an angle that was not counted" 'counted by every step' 'under probes of the case'
exits 2 "a flow that was not counted" measure whole --since 0.1 \
    --probe 'name: a, quantity: flow, plane: {point: [0, 0, 0], normal: [0, 0, 1]}'
says "a flow that was not counted" 'frame-0*40.h5' 'counted by every step'
exits 2 "no such group" measure whole --probe 'name: a, group: flor, quantity: force'
says "no such group" '--probe name: a' 'no group "flor"' 'CONTAINER.WALL'
exits 2 "a probe that is no mapping" measure whole --probe '[1, 2]'
exits 2 "an unknown key" measure whole --probe 'name: a, quantity: mass, gruop: box'
says "an unknown key" 'gruop' 'did you mean'
exits 2 "no file of probes" measure whole --probes absent.yaml
exits 2 "a file that exists" measure whole -o load.csv
says "a file that exists" '--force'
exits 0 "--force" measure whole -o load.csv --force
exits 2 "a range without frames" measure whole --since 5
exits 2 "no run" measure absent
exits 0 "a run without frames" run "$CASES/probes.yaml" -o bare -q -j 1 --steps 2 --set output.frames_every=0
exits 2 "no frames" measure bare
says "no frames" 'output.frames_every' '--checkpoints'
cp -r whole damaged
printf 'x' | dd of=damaged/frames/frame-000000040.h5 bs=1 seek=9000 conv=notrunc 2>/dev/null
exits 2 "a damaged frame" measure damaged -o absent.csv
says "a damaged frame" 'frame-000000040.h5' 'damaged'
ok "what cannot be measured leaves no table" [ ! -e absent.csv ]

# Nonsense is reported with file, line and column.
rejects() { # NAME PROBE PATTERN...
    local name=$1 probe=$2
    shift 2
    sed '/^probes:/,$d' "$CASES/probes.yaml" >bad.yaml
    printf 'probes:\n- {name: p, %s}\n' "$probe" >>bad.yaml
    exits 2 "$name" check bad.yaml
    says "$name" 'bad.yaml:[0-9]*:[0-9]*: ' "$@"
}
rejects "a stress without a region" 'quantity: stress' 'needs the key region'
rejects "a stress of a half-space" 'quantity: stress, region: {half_space: {position: [0, 0, 0], normal: [0, 0, 1]}}' 'volume'
rejects "a box upside down" 'quantity: mass, region: {box: {min: [0, 0, 1], max: [1, 1, 0]}}' 'min must be below max'
rejects "two regions" 'quantity: mass, region: {box: {min: [0, 0, 0], max: [1, 1, 1]}, sphere: {centre: [0, 0, 0], radius: 1}}' 'exactly one of'
rejects "an angle without an axis" 'group: bob, quantity: angle' 'needs the key axis'
rejects "an axis of no length" 'group: bob, quantity: angle, axis: [0, 0, 0]' 'length 0'
rejects "a flow without a plane" 'quantity: flow' 'needs the key plane'
rejects "a normal of no length" 'quantity: flow, plane: {point: [0, 0, 0], normal: [0, 0, 0]}' 'length 0'
rejects "a rectangle without a direction" 'quantity: flow, plane: {point: [0, 0, 0], normal: [0, 0, 1], size: [1, 1]}' 'tangent'
rejects "a rectangle across its plane" \
    'quantity: flow, plane: {point: [0, 0, 0], normal: [0, 0, 1], size: [1, 1], tangent: [0, 0, 1]}' 'tangent'
rejects "a disc and a rectangle" \
    'quantity: flow, plane: {point: [0, 0, 0], normal: [0, 0, 1], size: [1, 1], tangent: [1, 0, 0], radius: 1}' 'exclude'
rejects "a negative window" 'quantity: flow, window: -1, plane: {point: [0, 0, 0], normal: [0, 0, 1]}' 'window'
rejects "a region of a force" 'group: bob, quantity: force, region: {sphere: {centre: [0, 0, 0], radius: 1}}' 'takes no region'
rejects "a force of no group" 'quantity: force' 'needs the key group'
rejects "a position of nothing" 'quantity: position' 'group or region'
rejects "against nothing" 'quantity: opening, against: slab' 'needs the key group'
rejects "against nobody" 'group: brick, quantity: opening, against: slob' 'no group "slob"' 'slab'
rejects "too many bins" 'quantity: network, bins: 65' 'bins'
rejects "bins of a mass" 'quantity: mass, bins: 3' 'takes no bins'
rejects "a surface without columns" 'quantity: surface' 'needs the key column'
rejects "columns of no width" 'quantity: surface, column: 0' 'column'
rejects "too many columns" 'quantity: surface, column: 1e-5, plane: {point: [0, 0, 0], normal: [0, 0, 1], radius: 1}' 'make them wider'
rejects "columns of a mass" 'quantity: mass, column: 0.1' 'takes no column'
rejects "an unknown quantity" 'group: bob, quantity: forze' 'force'
finish
