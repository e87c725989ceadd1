# Signals that stop a run, those that must not, and kill -9.
. "$(dirname "$0")/check.sh"
box=$CASES/box.yaml
# Long enough to be caught in the middle; the state is compared at whatever step that was.
long="--set time.end=1000 --set output.vtk_every=200 --set output.frames_every=0 --set output.history_every=1"

# reference STEP: the state hash of a run that was never disturbed.
reference() {
    rm -rf reference
    "$GABION" run "$box" $long -o reference --steps "$1" -q 2>/dev/null | sed -n 's/^state-hash: //p'
}

# start FOLDER: a run in the background, past its first checkpoint when this returns. No signal is ignored, whoever
# started this test.
start() {
    env --default-signal "$GABION" run "$box" $long -o "$1" >.out 2>.err </dev/null &
    pid=$!
    wait_for 60 ls "$1"/checkpoint-000000050.h5
}

for signal in INT TERM HUP XCPU USR1 USR2 ALRM PWR; do
    start "run$signal"
    kill -$signal $pid
    wait $pid
    status=$?
    ok "$signal: exit status $status" [ $status -eq 0 ]
    is "$signal: status" "$(field status)" interrupted
    step=$(field steps) hash=$(field state-hash)
    ok "$signal: a checkpoint of the last step" [ -s "run$signal/checkpoint-$(printf %09d "${step:-0}").h5" ]
    ok "$signal: history goes to the last step" grep -q "^$step," "run$signal/history.csv"
    is "$signal: state" "$hash" "$(reference "$step")"
    exits 0 "$signal: resume" resume "run$signal" --steps 50 -j 1
    is "$signal: state after resuming" "$(field state-hash)" "$(reference $((step + 50)))"
    ok "$signal: history after resuming" cmp <(history_of "run$signal") <(history_of reference)
    ok "$signal: series after resuming" cmp "run$signal/bodies.pvd" reference/bodies.pvd
done

# nohup: the run goes on when the terminal is closed.
nohup "$GABION" run "$box" $long -o spared >.out 2>.err </dev/null &
pid=$!
ok "nohup: the first checkpoint" wait_for 60 ls spared/checkpoint-000000050.h5
kill -HUP $pid
newest=$(ls spared/checkpoint-*.h5 | tail -n 1)
later() { [[ $(ls spared/checkpoint-*.h5 | tail -n 1) > $newest ]]; }
ok "nohup: the run goes on after SIGHUP" wait_for 60 later
kill -TERM $pid
wait $pid
is "nohup: SIGTERM" "$(field status)" interrupted

# Several signals at once, as they wait for a process that is stopped. The system sends SIGHUP and SIGXCPU again
# and again; two of the others are somebody who does not want to wait.
start "hung-up"
kill -STOP $pid
kill -HUP $pid
kill -XCPU $pid
kill -CONT $pid
wait $pid
is "SIGHUP and SIGXCPU: status" "$(field status)" interrupted
ok "SIGHUP and SIGXCPU: a checkpoint of the last step" [ -s "hung-up/checkpoint-$(printf %09d "$(field steps)").h5" ]
start "impatient"
kill -STOP $pid
kill -INT $pid
kill -TERM $pid
kill -CONT $pid
wait $pid
status=$?
ok "a second signal: exit status $status" [ $status -eq 130 -o $status -eq 143 ]

for round in 1 2 3; do
    start "killed$round"
    sleep "0.$((RANDOM % 5))"
    kill -9 $pid
    wait $pid 2>/dev/null
    exits 0 "kill -9: info" info "killed$round"
    step=$(field step)
    exits 0 "kill -9: resume" resume "killed$round" --steps 120 -j 2
    is "kill -9: state" "$(field state-hash)" "$(reference $((step + 120)))"
    ok "kill -9: history" cmp <(history_of "killed$round") <(history_of reference)
    ok "kill -9: series" cmp "killed$round/bodies.pvd" reference/bodies.pvd
done
finish
