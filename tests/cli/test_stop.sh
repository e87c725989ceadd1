# Ends of a run: at rest once nothing is scheduled, at collapse; the last state is always written.
. "$(dirname "$0")/check.sh"
here=$(dirname "$CASES")
fall=$CASES/fall.yaml drop=$CASES/drop.yaml

# prints NAME PATTERN...: standard output holds every pattern.
prints() {
    local name=$1 pattern
    shift
    for pattern in "$@"; do
        ok "$name: no '$pattern' in: $(head -c 600 .out)" grep -qE -- "$pattern" .out
    done
}

# last_written NAME FOLDER STEP: history, pictures, frames and checkpoint end with the step, once.
last_written() {
    local step9 step6
    step9=$(printf %09d "$3") step6=$(printf %06d "$3")
    is "$1: last row" "$(tail -n 1 "$2/history.csv" | cut -d, -f1)" "$3"
    is "$1: last frame" "$(ls "$2/frames" | tail -n 1)" "frame-$step9.h5"
    ok "$1: checkpoint" [ -s "$2/checkpoint-$step9.h5" ]
    for series in "$2"/*.pvd; do
        is "$1: ${series##*/} ends with the step" "$(grep DataSet "$series" | tail -n 1 | sed 's/.*_//; s/\..*//')" "$step6"
        ok "$1: ${series##*/} names no frame twice" [ -z "$(sed -n 's/.*file="\([^"]*\)".*/\1/p' "$series" | sort | uniq -d)" ]
    done
    has vtk || return
    # A step that fails takes the contacts of the one before with it.
    "$PYTHON" "$here/vtk_check.py" "$2" 2>&1 | grep -vE "${4:-^$}" >.vtk
    ok "$1: VTK reads all of it: $(head -n 5 .vtk)" grep -qE "^[1-9][0-9]* passed, [0${4:+-2}] failed$" .vtk
    is "$1: no other remark of VTK" "$(wc -l <.vtk)" 1
}

# At collapse. The shelf goes with the step that starts at 0.2 s; 0.05 m are fallen after
# sqrt(0.1 / 9.81) = 0.10096 s.
exits 0 "collapse" run "$fall" -o fall
is "collapse: status" "$(field status)" collapsed
is "collapse: steps" "$(field steps)" 301
is "collapse: time" "$(field time)" 0.301
is "collapse: body" "$(field fallen-body)" 3
# 9.81 m/s2 for 0.101 s, and what the tolerance leaves of the velocity before
ok "collapse: speed: $(field fallen-speed)" awk -v v="$(field fallen-speed)" 'BEGIN { exit !(v > 0.9908 && v < 0.99082) }'
hash=$(field state-hash)
last_written "collapse" fall 301
cp -r fall before
exits 0 "collapse, resumed" resume fall
is "collapse, resumed" "$(field status) $(field steps) $(field fallen-body)" "collapsed 301 3"
ok "a run that has collapsed is not touched" diff -r fall before
exits 0 "collapse by speed" run "$fall" -o speed --set stop.fall_distance=9 --set stop.fall_speed=0.5
is "collapse by speed" "$(field status) $(field steps)" "collapsed 251"
exits 0 "collapse of another group" run "$fall" -o group --set stop.fall_group=stays
is "collapse of another group" "$(field status)" completed
exits 0 "collapse in the last step" run "$fall" -o last --set time.end=0.301
is "collapse in the last step" "$(field status) $(field steps)" "collapsed 301"
exits 0 "--steps goes through a collapse" run "$fall" -o through --steps 310
is "--steps goes through a collapse" "$(field status) $(field steps)" "completed 310"

# With and without a stop in between: the same series, byte for byte.
for steps in 77 200 250; do
    exits 0 "stop at $steps" run "$fall" -o "at$steps" --steps $steps
    last_written "stop at $steps" "at$steps" $steps
    exits 0 "stop at $steps, resumed" resume "at$steps" -j 2
    is "stop at $steps, resumed" "$(field status) $(field state-hash)" "collapsed $hash"
    same_results "stop at $steps, resumed" fall "at$steps"
done

# A step that fails: what is on disk ends with the last complete one.
cap="--set solver.method=nsgs --set solver.max_sweeps=1 --set solver.tolerance=1e-14 --set solver.on_cap=stop"
exits 0 "before the failure" run "$CASES/box.yaml" -o fail --steps 33
cp fail/frames/frame-000000033.h5 frame.h5
exits 1 "a step that fails at once" resume fail $cap
ok "a step that fails at once keeps the frame with its contacts" cmp frame.h5 fail/frames/frame-000000033.h5
is "a step that fails at once" "$(field status) $(field steps)" "stopped 33"
last_written "a step that fails at once" fail 33
exits 1 "a step that fails later" run "$CASES/box.yaml" -o late $cap --set output.vtk_every=1000 --set output.frames_every=1000
step=$(field steps)
last_written "a step that fails later" late "$step" "^late step $step: 0 (candidates|contacts) in the files"

# At rest. The ball lies still from 0.1 s on; 0.05 s of rest.
exits 0 "rest" run "$drop" -o rest --set output.vtk_every=1000 --set output.frames_every=1000 --set output.history_every=1000
is "rest" "$(field status)" at-rest
early=$(field steps)
last_written "rest" rest "$early"
cp -r rest before2
exits 0 "rest, resumed" resume rest
is "rest, resumed" "$(field status) $(field steps)" "at-rest $early"
ok "a run at rest is not touched" diff -r rest before2
sed -e "s/^bodies:/bodies:\n  - {name: plate, material: stone, fixed: true, sphere: {radius: 0.05}, position: [5, 0, 5]}/" "$drop" >waits.yaml
cat >>waits.yaml <<END
drivers:
  - {group: plate, direction: [1, 0, 0], start: 0.1, end: 0.4, ramp: {distance: 0.1}}
forces:
  - {group: ball, direction: [0, 0, -1], start: 0.2, constant: 1}
resets:
  - {group: ball, time: 0.3}
END
exits 0 "rest waits" run waits.yaml -o waits
is "rest waits" "$(field status) $(field steps)" "at-rest 450"
exits 0 "check of what rest waits for" check waits.yaml
prints "check of what rest waits for" '^stop-rest: waits for the driver of group plate until t = 0.4 s$' \
    '^stop-rest: waits for the force on group ball until t = 0.2 s$' \
    '^stop-rest: waits for the reset of group ball until t = 0.3 s$' '^stop-rest: from t = 0.45 s on$' '^warnings: 0$'
exits 0 "check of an end before rest" check waits.yaml --set time.end=0.45
says "check of an end before rest" "the run ends at 0.45 s, before it can end at rest"
exits 0 "check of an endless driver" check waits.yaml --set "drivers.0={group: plate, direction: [1, 0, 0], velocity: 1}"
prints "check of an endless driver" '^stop-rest: never$'
says "check of an endless driver" "never ends at rest, because the driver of group plate never ends"
exits 0 "check of an endless driver whose bodies leave" check waits.yaml \
    --set "drivers.0={group: plate, direction: [1, 0, 0], velocity: 1}" --set "removals=[{group: plate, time: 0.5}]"
prints "check of an endless driver whose bodies leave" 'driver of group plate until t = 0.5 s' '^stop-rest: from t = 0.55 s on$'
exits 0 "an endless driver" run waits.yaml -o endless --set "drivers.0={group: plate, direction: [1, 0, 0], velocity: 1}" --set time.end=0.6
is "an endless driver" "$(field status)" completed
exits 0 "check of insertions, ramp and tilt" check "$drop" --set bodies.1.insert_time=0.3 --set "gravity_ramp={end: 0.2}" --set "tilt={axis: [1, 0, 0], end: 0.6, ramp: {angle: 1}}"
prints "check of insertions, ramp and tilt" 'the insertions until t = 0.3 s' 'the gravity ramp until t = 0.2 s' 'the tilt until t = 0.6 s'
exits 0 "check of a collapse" check "$fall" --set stop.fall_group=shelf
prints "check of a collapse" '^stop-fall-distance: 0.05$' 'waits for the removal of group shelf until t = 0.2 s'
says "check of a collapse" "no body of group shelf can fall"

# Wrong keys.
exits 2 "half a rest" check "$drop" --set "stop={rest_speed: 1}"
says "half a rest" "stop.rest_speed: needs stop.rest_duration"
exits 2 "a group without a fall" check "$drop" --set stop.fall_group=ball
says "a group without a fall" "needs stop.fall_distance or stop.fall_speed"
exits 2 "a group that does not exist" check "$fall" --set stop.fall_group=fals
says "a group that does not exist" 'no group "fals"' falls
exits 2 "no gravity" check "$fall" --set "gravity=[0, 0, 0]"
says "no gravity" "stop.fall_distance: bodies fall along gravity, and there is none"
finish
