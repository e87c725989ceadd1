# However a run ends, what it leaves is a checkpoint of its last complete step.
. "$(dirname "$0")/check.sh"
box=$CASES/box.yaml

# same_series NAME A B: what same_results compares, of runs whose case files differ.
same_series() {
    ok "$1: history" cmp <(history_of "$2") <(history_of "$3")
    ok "$1: pictures" diff -r "$2/vtk" "$3/vtk"
    ok "$1: frames" diff -r "$2/frames" "$3/frames"
}

gone() { ! kill -0 "$pid"; }

# By the clock: an interval that is over at every step, and one that never is.
exits 0 "no interval" run "$box" -o plain --set output.checkpoint_every=0 --set output.checkpoint_minutes=0
hash=$(field state-hash)
is "no interval: one checkpoint" "$(ls plain/checkpoint-*.h5)" plain/checkpoint-000000200.h5
exits 0 "every moment" run "$box" -o often --set output.checkpoint_every=0 --set output.checkpoint_minutes=1e-9
is "every moment: state" "$(field state-hash)" "$hash"
is "every moment: the newest are kept" "$(echo $(ls often/checkpoint-*.h5))" \
    "often/checkpoint-000000198.h5 often/checkpoint-000000199.h5 often/checkpoint-000000200.h5"
same_series "every moment" plain often
rm often/checkpoint-000000200.h5
exits 0 "every moment: resume" resume often
is "every moment: state after resuming" "$(field state-hash)" "$hash"
same_series "every moment: after resuming" plain often
exits 2 "a negative interval" run "$box" -o never --set output.checkpoint_minutes=-1
says "a negative interval" "checkpoint_minutes"

# A limit on CPU time, at which the system would kill the run without a word.
forever="$box --set time.end=1e6 --set output.vtk_every=0 --set output.frames_every=0 --set output.checkpoint_every=0"
(ulimit -t 2 && "$GABION" run $forever -o timed -j 1 >.out 2>.err)
status=$?
ok "CPU-time limit: exit status $status" [ $status -eq 0 ]
is "CPU-time limit: status" "$(field status)" interrupted
ok "CPU-time limit: a checkpoint of the last step" [ -s "timed/checkpoint-$(printf %09d "$(field steps)").h5" ]

# A terminal that is closed under the run. The test itself may have been started by nohup.
script -qfc "exec env --default-signal $GABION run $forever -o hung -j 1" /dev/null >.terminal </dev/null &
terminal=$!
ok "terminal: progress is shown" wait_for 60 grep -q step .terminal
pid=$(pgrep -P $terminal)
{ kill -9 $terminal; wait $terminal; } 2>/dev/null
ok "terminal: the run ends" wait_for 60 gone
exits 0 "terminal: a checkpoint is there" info hung
ok "terminal: of the last step" grep -q "interrupted at step $(field step)," hung/run.log

# A step that fails: the state before it is whole.
exits 1 "not a number" run "$box" -o pushed --set 'forces=[{group: grains, direction: [0, 0, 1], start: 0.05, constant: 1e307}]'
says "not a number" "step 51: the velocity of body [0-9]+ is not a number" "safe: the state of step 50" "gabion resume pushed"
pushed=$(field state-hash)
ok "not a number: a checkpoint of the last step" [ -s pushed/checkpoint-000000050.h5 ]
exits 0 "not a number: without the cause" run "$box" -o calm50 --steps 50
is "not a number: the last complete step" "$pushed" "$(field state-hash)"

# Standard files that are closed: what the run opens must not get their numbers, and with them its messages.
unsolved="$box --steps 20 --set solver.method=nsgs --set solver.tolerance=1e-12 --set solver.max_sweeps=2 --set solver.on_cap=warn"
exits 0 "unsolved steps" run $unsolved -o open
"$GABION" run $unsolved -o closed <&- >&- 2>&-
ok "closed standard files: a summary that cannot be written is a failure" [ $? -eq 1 ]
same_series "closed standard files" open closed

# In the middle of a step that would take minutes: it is abandoned, and the run goes on from the last complete one as
# if it had never been tried.
crowd=$CASES/crowd.yaml
# at_work: it has had a second of processor time, so that the step has begun, however busy the machine is.
at_work() { awk -v ticks="$(getconf CLK_TCK)" '{ sub(/.*[)]/, ""); exit !($12 + $13 >= ticks) }' "/proc/$pid/stat"; }
# stop_in_the_middle NAME ARGUMENTS...: SIGTERM to the program while it is at work.
stop_in_the_middle() {
    local name=$1
    shift
    "$GABION" "$@" >.out 2>.err </dev/null &
    pid=$!
    ok "$name: at work" wait_for 120 at_work
    ok "$name: still at work" kill -TERM $pid
    ok "$name: obeys SIGTERM" wait_for 120 gone
    kill -9 $pid 2>/dev/null
    wait $pid
    status=$?
}
exits 0 "crowd" run "$crowd" -o crowd --steps 3
hash=$(field state-hash)
exits 0 "crowd, undisturbed" run "$crowd" -o calm --steps 5
whole=$(field state-hash)
for method in qp "lemke --set solver.cone_sides=3 --set solver.max_sweeps=1000000" \
    "nsgs --set solver.measure=fclib --set solver.tolerance=1e-300 --set solver.max_sweeps=1000000000"; do
    name=${method%% *}
    rm -rf slow
    cp -r crowd slow
    stop_in_the_middle "$name" resume slow --steps 1 --set solver.method=$method
    ok "$name: exit status $status" [ $status -eq 0 ]
    says "$name" "step 4 was abandoned"
    is "$name: status" "$(field status)" interrupted
    is "$name: steps" "$(field steps)" 3
    is "$name: the last complete step" "$(field state-hash)" "$hash"
    exits 0 "$name: resume" resume slow --steps 2
    is "$name: state after resuming" "$(field state-hash)" "$whole"
done
# A first step leaves its start, which is all there is.
stop_in_the_middle "first step" run "$crowd" -o first --set solver.method=nsgs --set solver.measure=fclib \
    --set solver.tolerance=1e-300 --set solver.max_sweeps=1000000000
is "first step: steps" "$(field steps)" 0
exits 0 "first step: resume" resume first --steps 3 --set solver.method=auto --set solver.measure=scaled \
    --set solver.tolerance=1e-6 --set solver.max_sweeps=200
is "first step: state after resuming" "$(field state-hash)" "$hash"

# A single problem.
exits 0 "crowd: export" export crowd --fclib crowd.hdf5
problem=crowd.hdf5
for method in qp "nsgs --measure fclib --tol 1e-300 --max 1000000000"; do
    stop_in_the_middle "solve ${method%% *}" solve "$problem" --solver $method
    ok "solve ${method%% *}: exit status $status" [ $status -eq 1 ]
    says "solve ${method%% *}" "stopped by a signal"
done
# Pipes where files of a run should be: nobody may ever read them, and the run does not wait for it.
exits 0 "a run" run "$box" -o piped --steps 5
resumed() { (exec timeout -s KILL 30 "$GABION" resume piped --steps 5) >"$WORK/.out" 2>"$WORK/.err"; status=$?; }
for name in run.log history.csv summary.txt.tmp; do
    cp "piped/$name" kept 2>/dev/null
    rm -f "piped/$name"
    mkfifo "piped/$name"
    resumed
    ok "$name a pipe: exit status $status" [ $status -eq 1 -o $status -eq 2 ]
    says "$name a pipe" "piped/$name.* is a pipe"
    rm "piped/$name"
    [ ! -f kept ] || mv kept "piped/$name"
done
exits 0 "no pipe any more" resume piped --steps 5
finish
