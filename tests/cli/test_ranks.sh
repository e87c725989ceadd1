# Ranks: the same bits as one process for any number of them, and one end for all.
#   GABION_MPI  the program of `make MPI=1` (default: mpi/gabion beside GABION)
. "$(dirname "$0")/check.sh"
shipped=$(realpath "$CASES/../../../cases")
GABION_MPI=${GABION_MPI:-$(dirname "$GABION")/mpi/gabion}
if [ ! -x "$GABION_MPI" ] || ! command -v mpirun >/dev/null; then
    [ "${GABION_ALL_TESTS:-}" != 1 ] || ok "$GABION_MPI and mpirun: .ci/packages mpi, make MPI=1" false
    echo "skipped: no $GABION_MPI, or no mpirun: .ci/packages mpi, make MPI=1"
    finish
fi
GABION_MPI=$(realpath "$GABION_MPI")

# More ranks than cores, as root, and shared memory alone: nothing here needs a network.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=^tcp
# A rank that is left waiting would wait for ever.
launch() { timeout -k 5 300 mpirun "$@"; }

# ranks N ARGUMENTS...: the program on that many ranks; leaves what `gabion` leaves.
ranks() {
    launch -n "$1" "$GABION_MPI" "${@:2}" >"$WORK/.out" 2>"$WORK/.err" </dev/null
    status=$?
}

# ranks_exit STATUS NAME N ARGUMENTS...
ranks_exit() {
    ranks "${@:3}"
    ok "$2: exit status $status, expected $1: $(head -c 300 "$WORK/.err")" [ "$status" -eq "$1" ]
}

# once NAME PATTERN FILE: one line of the file matches.
once() { is "$1: lines with '$2' in $(head -c 300 "$3")" "$(grep -cE -- "$2" "$3")" 1; }

# The primitives, and the library.
for name in test_ranks test_shared test_available test_h5_shared; do
    program=$(dirname "$GABION_MPI")/tests/unit/$name
    for count in 2 3 4; do
        [ -x "$program" ] || break
        launch -n $count "$program" >.out 2>.err </dev/null
        status=$?
        ok "$name on $count ranks: exit status $status: $(grep -v OK .err | head -c 300)" [ $status -eq 0 ]
        is "$name on $count ranks: ranks that passed" "$(cat .out .err | grep -c '  PASSED  ')" $count
    done
done

# list_of FOLDER: the files of a run, those in pieces as the one file that they are together.
list_of() { (cd "$1" && ls . vtk frames | grep -v '^checkpoint-' | sed -e '/_p[0-9]*[.]vtp$/d' -e 's/[.]pvtp$/.vtp/'); }

# same_contacts NAME A B: a frame of contacts, which B may have in pieces.
same_contacts() {
    if [ -e "$3" ]; then
        ok "$1" cmp "$2" "$3"
    else
        has vtk && ok "$1 in pieces" "$PYTHON" "$CASES/../same_files.py" contacts "$2" "${3%.vtp}.pvtp"
    fi
}

# same_run NAME A B: as same_results, of a run B on ranks, each of which writes its own contacts.
same_run() {
    local name=$1 a=$2 b=$3 file
    ok "$name: history" cmp <(history_of "$a") <(history_of "$b")
    ok "$name: list of files" diff <(list_of "$a") <(list_of "$b")
    for file in "$a"/*.pvd; do
        ok "$name: ${file#"$a"/}" cmp "$file" <(sed 's/[.]pvtp"/.vtp"/' "$b/${file#"$a"/}")
    done
    for file in "$a"/vtk/contacts_*; do
        same_contacts "$name: ${file#"$a"/}" "$file" "$b/${file#"$a"/}"
    done
    for file in $(ls "$a"/vtk/* | grep -v /contacts_) "$a"/frames/*.h5 "$a"/case.yaml; do
        ok "$name: ${file#"$a"/}" cmp "$file" "$b/${file#"$a"/}"
    done
    for file in $(ls "$a" | grep "^checkpoint-"); do
        has h5py && ok "$name: $file" "$PYTHON" "$CASES/../same_files.py" checkpoint "$a/$file" "$b/$file"
    done
}

# contract NAME CASE STEPS OPTIONS...: states and files of 2 and 3 ranks, and of stops with other counts.
contract() {
    local name=$1 case=$2 steps=$3 half=$(($3 / 2)) hash
    shift 3
    exits 0 "$name alone" run "$case" -o "$name-1" -j 1 -q --steps "$steps" "$@"
    hash=$(field state-hash)
    for count in 2 3; do
        ranks_exit 0 "$name on $count ranks" $count run "$case" -o "$name-$count" -j 1 -q --steps "$steps" "$@"
        is "$name: $count ranks" "$(field state-hash)" "$hash"
        once "$name: $count ranks" "^state-hash" .out
        same_run "$name: $count ranks" "$name-1" "$name-$count"
        once "$name: $count ranks" "completed at" "$name-$count/run.log"
    done
    ranks_exit 0 "$name: 2 ranks with 2 threads" 2 run "$case" -o "$name-2-2" -j 2 -q --steps "$steps" "$@"
    is "$name: 2 ranks with 2 threads" "$(field state-hash)" "$hash"
    ranks_exit 0 "$name: first part on 3 ranks" 3 run "$case" -o "$name-h" -j 1 -q --steps "$half" "$@"
    ranks_exit 0 "$name: second part on 2 ranks" 2 resume "$name-h" -j 1 -q --steps 1
    exits 0 "$name: last part without ranks" resume "$name-h" -q --steps $((steps - half - 1))
    is "$name: 3 ranks, 2 ranks, alone" "$(field state-hash)" "$hash"
    rm -f "$name-1"/checkpoint-* "$name-h"/checkpoint-* # those of the stops are others
    same_run "$name: 3 ranks, 2 ranks, alone" "$name-1" "$name-h"
    rm -rf "$name"-*
}

contract box "$CASES/box.yaml" 120
contract joints "$CASES/joints.yaml" 40 --set output.frames_every=20
contract arch "$shipped/arch.yaml" 60 --set drivers.0.start=0.02 --set output.frames_every=30
# Sweeps that the ranks share, with contacts and joints between bodies of different ranks, and cuts that move.
contract heap "$shipped/papers/settling_80.yaml" 80 --set solver.method=nsgs --set output.frames_every=40 --set output.vtk_every=40
contract chain "$CASES/joints.yaml" 70 --set solver.method=nsgs --set output.frames_every=35
contract tray "$CASES/tray.yaml" 40

# Ranks share contacts where sweeps alone solve them. What looks at all contacts, as joints and probes of contacts do, gathers them
# in each step; without that each rank keeps its own from step to step.
contract sharing "$CASES/sharing.yaml" 24
sed -e '/^joints:/,/tile/d' -e '/^probes:/,/gape/d' "$CASES/sharing.yaml" >apart.yaml
contract apart apart.yaml 24
cat >drum.yaml <<'END'
time: {step: 2e-3, end: 1}
solver: {method: nsgs, tolerance: 1e-5, max_sweeps: 20, on_cap: accept}
materials: {stone: {density: 2600}}
laws: [{between: default, friction: 0.5}]
containers: [{name: drum, material: stone, drum: {centre: [0, 0, 0], axis: [0, 1, 0], radius: 0.1, length: 0.06}}]
generators: [{name: grains, material: stone, lattice: {origin: [-0.05, -0.021, -0.06], spacing: 0.0201, count: [6, 3, 4], jitter: 1e-4, radius: 0.01}}]
drivers: [{group: drum, turn: {axis: [0, 1, 0]}, rate: 120}]
output: {vtk_every: 15, history_every: 3, frames_every: 15, checkpoint_every: 10}
END
contract drum drum.yaml 40
# Bodies that ranks share: fast ones, one that crosses many pieces in a few steps, blocks, one that everybody meets, and some that come and go.
cat >storm.yaml <<'END'
time: {step: 1e-3, end: 1}
solver: {method: nsgs, tolerance: 1e-5, max_sweeps: 20, on_cap: accept}
materials: {stone: {density: 2600}}
laws: [{between: default, friction: 0.4}]
containers: [{name: drum, material: stone, drum: {centre: [0, 0, 0], axis: [0, 1, 0], radius: 0.2, length: 0.2}}]
generators:
  - {name: grains, material: stone, lattice: {origin: [-0.1, -0.08, -0.16], spacing: 0.0201, count: [10, 8, 5], jitter: 1e-4, radius: {uniform: [0.009, 0.01]}}, velocity: [0, 0, -0.5]}
  - name: rain
    material: stone
    fill: {min: [-0.16, -0.09, -0.03], max: [-0.12, 0.09, 0.05], count: 12, radius: 0.006, rate: 400}
    velocity: [0, 0, -1]
    insert_time: 0.009
bodies:
  - {name: ball, material: stone, sphere: {radius: 0.07}, position: [0.02, 0, 0.01], velocity: [0, 0, -1]}
  - {name: brick, material: stone, box: {size: [0.04, 0.03, 0.02]}, position: [-0.09, 0.05, -0.04], velocity: [2, -1, 0], spin: [20, 5, 40]}
  - {name: bullet, material: stone, sphere: {radius: 0.005}, position: [-0.17, 0, -0.05], velocity: [30, 1, -1]}
drivers: [{group: drum, turn: {axis: [0, 1, 0]}, rate: 40}]
removals: [{region: {box: {min: [0.1, -0.2, -0.2], max: [0.2, 0.2, 0.2]}}, from: 0.02, until: 0.03}]
resets: [{group: brick, time: 0.05, velocity: [0, 0, 1]}]
probes:
  - {name: through, quantity: flow, plane: {point: [0, 0, 0], normal: [1, 0, 0]}, window: 0.01}
  - {name: turned, group: brick, quantity: angle, axis: [0, 0, 1]}
  - {name: fastest, group: bullet, quantity: velocity}
stop: {fall_distance: 10, fall_group: ball}
output: {vtk_every: 30, history_every: 4, frames_every: 30, checkpoint_every: 25}
END
contract storm storm.yaml 60
# Without the probes that follow all bodies in each step.
sed -e '/^probes:/,/fastest/d' storm.yaml >calm.yaml
contract calm calm.yaml 60 --set contact.projection=off --set output.history_every=1
ranks_exit 0 "calm" 3 run calm.yaml -o calm -j 1 --steps 60 --set contact.projection=off --set output.vtk_every=0 --set output.checkpoint_every=0
ok "calm: ghosts $(field ghosts)" awk "BEGIN {exit !($(field ghosts) > 0 && $(field ghosts) < 300)}"
ok "calm: ghost-listings $(field ghost-listings)" [ "$(field ghost-listings)" -ge 4 ]
ok "calm: body-gathers $(field body-gathers)" [ "$(field body-gathers)" -lt 60 ]
ok "calm: bytes-per-step $(field bytes-per-step)" [ "$(field bytes-per-step)" -ge 56 ]
# Contacts that ranks share, also where the cuts between them move: half of the bodies touch, the others fly.
cat >half.yaml <<'END'
title: grains that touch, and grains that fly
time: {step: 1e-3, end: 1}
solver: {method: nsgs, tolerance: 1e-6, max_sweeps: 50, on_cap: accept}
materials: {grain: {density: 2500}, wall: {}}
laws: [{between: default, friction: 0.3, restitution: 0}]
containers:
  - {name: floor, material: wall, box: {min: [-1, -1, 0], max: [2, 2, 9]}, walls: [zmin]}
generators:
  - {name: bed, material: grain, lattice: {origin: [0, 0, 0.01], spacing: 0.02, count: [6, 6, 6], radius: 0.01}}
  - {name: sparse, material: grain, lattice: {origin: [1, 1, 2], spacing: 0.04, count: [6, 6, 6], radius: 0.01}}
output: {vtk_every: 20, frames_every: 20}
END
contract half half.yaml 40
ranks_exit 0 "half" 2 run half.yaml -o half -j 1 --steps 40
is "half: ranks" "$(field ranks)" 2
is "half: shared-steps" "$(field shared-steps)" 40
is "half: whole-steps" "$(field whole-steps)" 0
# Equal numbers of bodies would give one rank all contacts: an imbalance of 2.
ok "half: cut-moves $(field cut-moves)" [ "$(field cut-moves)" -ge 1 ]
ok "half: contacts-imbalance $(field contacts-imbalance)" awk "BEGIN {exit !($(field contacts-imbalance) >= 1 && $(field contacts-imbalance) < 1.5)}"
ok "half: messages-per-sweep $(field messages-per-sweep)" awk "BEGIN {exit !($(field messages-per-sweep) > 0)}"
# 56 bytes for each velocity.
ok "half: bytes-per-sweep $(field bytes-per-sweep)" awk "BEGIN {exit !($(field bytes-per-sweep) >= 56 * $(field messages-per-sweep))}"
ok "half: exchange-share $(field exchange-share)" awk "BEGIN {exit !($(field exchange-share) >= 0 && $(field exchange-share) <= 1)}"
once "half: run.log" "2 ranks shared the contacts of 40 steps and each computed 0 whole" half/run.log
ok "half: no advice" bash -c "! grep -q 'shares contacts' .err half/run.log"

# What every rank computes whole is said once, with the remedy; it is no warning.
advised() {
    ranks_exit 0 "$1" 2 run "$2" -o whole --force -j 1 --steps 5 "${@:4}"
    is "$1: whole-steps" "$(field whole-steps)" 5
    is "$1: warnings" "$(field warnings)" 0
    once "$1" "^every rank computed 5 of 5 steps whole: $3" .err
    ok "$1: no counts of messages" bash -c "! grep -q messages-per-sweep .out"
}
advised "method newton" half.yaml "solver.method nsgs shares contacts among ranks$" --set solver.method=newton
advised "a small case by auto" half.yaml "solver.method nsgs shares contacts among ranks$" --set solver.method=auto
advised "a polygonal cone" half.yaml "solver.method nsgs .* not with the polygonal cone" --set solver.local=qp
exits 0 "half alone" run half.yaml -o whole --force --steps 5
ok "alone: nothing about ranks" bash -c "! grep -qE '^(ranks|shared-steps|whole-steps|cut-moves|time-exchange)|every rank' .out .err"

# The program of ranks without a launcher is an ordinary one.
"$GABION_MPI" run "$CASES/box.yaml" -o single -q --steps 20 >.out 2>.err
single=$(field state-hash)
exits 0 "box" run "$CASES/box.yaml" -o alone -q --steps 20
is "without mpirun" "$single" "$(field state-hash)"

# Errors are reported once, with the exit status of one process.
ranks_exit 2 "a missing case" 2 run nothing.yaml
once "a missing case" "^gabion: .*nothing.yaml" .err
sed 's/radius/raduis/' "$CASES/box.yaml" >bad.yaml
ranks_exit 2 "a bad case" 3 run bad.yaml -o bad
once "a bad case" "^gabion: .*raduis" .err
ranks_exit 2 "a bad option" 2 run "$CASES/box.yaml" --stepz 3
once "a bad option" "^gabion: .*stepz" .err
ranks_exit 2 "results in the way" 2 run "$CASES/box.yaml" -o alone
once "results in the way" "^gabion: .*--force" .err
ranks_exit 2 "nothing to resume" 2 resume nowhere
once "nothing to resume" "^gabion: .*nowhere does not exist" .err
# A case that one rank cannot read, as where a folder is not on all machines.
cat >elsewhere.sh <<'END'
[ "$OMPI_COMM_WORLD_RANK" != 1 ] || cd /
exec "$@"
END
cp "$CASES/box.yaml" here.yaml
launch -n 3 bash elsewhere.sh "$GABION_MPI" run here.yaml -o elsewhere >.out 2>.err </dev/null
status=$?
ok "a case that one rank cannot read: exit status $status" [ $status -eq 2 ]
once "a case that one rank cannot read" "^gabion: rank 1: .*here.yaml" .err

# Other commands have one rank, and the others end with it.
ranks_exit 0 "info" 3 info
is "info: ranks" "$(field ranks)" 3
once "info" "^version" .out
ranks_exit 2 "check of a bad case" 2 check bad.yaml
once "check of a bad case" "^gabion: .*raduis" .err
printf '%s\n' "case: $CASES/box.yaml" "set: {time.end: 0.01}" "vary: [{name: tolerance, key: solver.tolerance, values: [1e-3, 1e-4]}]" >study.yaml
ranks_exit 0 "study, whose members are processes of their own" 2 study study.yaml -o study

# What a clock decides is the same on all ranks: they would stop waiting for each other otherwise.
ranks_exit 0 "checkpoints by the clock" 3 run "$CASES/box.yaml" -o minutes --steps 60 \
    --set output.checkpoint_minutes=0.0005 --set output.checkpoint_every=0
is "checkpoints by the clock: state" "$(field steps)" 60
ranks_exit 0 "a budget of time" 3 run "$CASES/box.yaml" -o budget --steps 40 --set solver.time_budget=1e-4
is "a budget of time: steps" "$(field steps)" 40

# start FOLDER: a long run on 3 ranks in the background, past its first checkpoint when this returns.
long="--set time.end=1000 --set output.vtk_every=200 --set output.frames_every=0 --set output.history_every=1"
start() {
    # After SIGTERM mpirun waits so many seconds before it kills.
    OMPI_MCA_odls_base_sigkill_timeout=10 env --default-signal timeout -k 5 300 mpirun -n 3 "$GABION_MPI" run "$CASES/box.yaml" $long -j 1 -o "$1" \
        >.out 2>.err </dev/null &
    guard=$!
    wait_for 60 ls "$1"/checkpoint-000000050.h5
    launcher=$(pgrep -P $guard)
    members=($(pgrep -P "$launcher" | sort -n))
}

reference() {
    rm -rf reference
    "$GABION" run "$CASES/box.yaml" $long -o reference --steps "$1" -q 2>/dev/null | sed -n 's/^state-hash: //p'
}

# ended NAME: no process of the run is left.
ended() {
    local process
    for process in "${members[@]}"; do
        ok "$1: process $process ends" wait_for 20 bash -c "! kill -0 $process"
    done
}

for signal in TERM USR1; do
    start "run$signal"
    kill -$signal "$launcher"
    wait $guard
    ended "$signal"
    is "$signal: status" "$(field status)" interrupted
    once "$signal" "^gabion: stopping" .err
    step=$(field steps) hash=$(field state-hash)
    ok "$signal: a checkpoint of the last step" [ -s "run$signal/checkpoint-$(printf %09d "${step:-0}").h5" ]
    is "$signal: state" "$hash" "$(reference "$step")"
    ranks_exit 0 "$signal: resume" 2 resume "run$signal" --steps 20 -j 1
    is "$signal: state after resuming" "$(field state-hash)" "$(reference $((step + 20)))"
    ok "$signal: history after resuming" cmp <(history_of "run$signal") <(history_of reference)
done

# A signal that reaches one rank alone, as one of the system may.
start one
kill -TERM "${members[2]}"
wait $guard
status=$?
ok "SIGTERM of one rank: exit status $status" [ $status -eq 0 ]
is "SIGTERM of one rank: status" "$(field status)" interrupted
is "SIGTERM of one rank: state" "$(field state-hash)" "$(reference "$(field steps)")"

# A rank that is killed takes the others with it, and the newest checkpoint is whole.
for member in 0 1; do
    start "killed$member"
    kill -KILL "${members[$member]}"
    wait $guard
    status=$?
    ok "kill -9 of rank $member: exit status $status" [ $status -ne 0 ]
    ended "kill -9 of rank $member"
    ok "kill -9 of rank $member: no file is left half written" bash -c "! ls killed$member/checkpoint-*.h5.damaged*"
    exits 0 "kill -9 of rank $member: the newest checkpoint" info "killed$member"
    is "kill -9 of rank $member: its state" "$(field state-hash)" "$(reference "$(field step)")"
done

# Files that rank 0 cannot write any more end all ranks, with one message.
start lost
mv lost gone
wait $guard
status=$?
ok "a folder that goes away: exit status $status" [ $status -eq 1 ]
ended "a folder that goes away"
once "a folder that goes away" "^gabion: .*lost/" .err
exits 0 "a folder that goes away: the newest checkpoint" info gone
finish
