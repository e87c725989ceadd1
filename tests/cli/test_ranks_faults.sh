# What goes wrong on one rank while ranks write files together: one message, all ranks end, the newest checkpoint is whole, and the run
# goes on from it on any number of ranks. There are more rows than a chunk has, so that every rank writes some.
. "$(dirname "$0")/check.sh"
GABION_MPI=${GABION_MPI:-$(dirname "$GABION")/mpi/gabion}
if [ ! -x "$GABION_MPI" ] || ! command -v mpirun >/dev/null; then
    [ "${GABION_ALL_TESTS:-}" != 1 ] || ok "$GABION_MPI and mpirun: .ci/packages mpi, make MPI=1" false
    echo "skipped: no $GABION_MPI, or no mpirun: .ci/packages mpi, make MPI=1"
    finish
fi
GABION_MPI=$(realpath "$GABION_MPI")
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=^tcp

cat >bed.yaml <<'END_OF_CASE'
time: {step: 1e-4, end: 1}
solver: {method: nsgs, tolerance: 1e-3, max_sweeps: 3, on_cap: accept}
materials: {grain: {density: 2500}}
laws: [{between: default, friction: 0.3}]
generators:
  - {name: bed, material: grain, lattice: {origin: [0, 0, 0], spacing: 0.02, count: [41, 41, 40], radius: 0.01}}
output: {vtk_every: 2, frames_every: 2, checkpoint_every: 2, history_every: 1, checkpoint_keep: 9}
END_OF_CASE

# one RANK PREFIX N ARGUMENTS...: the program on N ranks, of which one is started by a prefix; leaves what `gabion` leaves.
cat >one.sh <<'END_OF_SCRIPT'
[ "$OMPI_COMM_WORLD_RANK" != "$1" ] || exec $2 "${@:3}"
exec "${@:3}"
END_OF_SCRIPT
one() {
    timeout -k 5 300 mpirun -n "$3" bash one.sh "$1" "$2" "$GABION_MPI" "${@:4}" >.out 2>.err </dev/null
    status=$?
}

# ends NAME STATUS: so did the run, and no process of it is left.
ends() {
    ok "$1: exit status $status: $(head -c 300 .err)" [ "$status" -eq "$2" ]
    ok "$1: processes are left: $(pgrep -f "$WORK/.*bed.yaml" | tr '\n' ' ')" wait_for 20 bash -c "! pgrep -f '$GABION_MPI (run|resume) [^ ]*$WORK'"
}

# one_message NAME PATTERN
one_message() {
    is "$1: messages of the program in: $(head -c 400 .err)" "$(grep -c '^gabion: ' .err)" 1
    ok "$1: no '$2' in: $(head -c 400 .err)" grep -qE -- "^gabion: .*$2" .err
}

# goes_on NAME FOLDER RANKS: the newest checkpoint is whole, and leads to the state of a run that nothing disturbed.
goes_on() {
    ok "$1: damaged checkpoints" bash -c "! ls $2/*.damaged*"
    exits 0 "$1: info" info "$2"
    ok "$1: nothing is left half written" bash -c "! find $2 -name '*.tmp' | grep -v checkpoint.h5.tmp"
    local step=$(field step)
    if [ "$3" -eq 0 ]; then
        gabion resume "$2" -q --steps $((6 - step))
    else
        timeout -k 5 300 mpirun -n "$3" "$GABION_MPI" resume "$2" -q -j 1 --steps $((6 - step)) >.out 2>.err </dev/null
        status=$?
    fi
    ok "$1: resumed from step $step on $3 ranks: exit status $status: $(head -c 200 .err)" [ "$status" -eq 0 ]
    is "$1: state, resumed on $3 ranks" "$(field state-hash)" "$hash"
}

exits 0 "reference" run "$WORK/bed.yaml" -o whole --steps 6 -q
hash=$(field state-hash)
one none "" 2 run "$WORK/bed.yaml" -o two --steps 6 -q -j 1
ends "two ranks" 0
is "two ranks: state" "$(field state-hash)" "$hash"
is "two ranks: shared steps" "$(field shared-steps)" 6
ok "two ranks: a frame" cmp whole/frames/frame-000000006.h5 two/frames/frame-000000006.h5
has h5py && ok "two ranks: a checkpoint" "$PYTHON" "$CASES/../same_files.py" checkpoint whole/checkpoint-000000006.h5 two/checkpoint-000000006.h5
has vtk && ok "two ranks: contacts" "$PYTHON" "$CASES/../same_files.py" contacts whole/vtk/contacts_000006.vtp two/vtk/contacts_000006.pvtp
has vtk && ok "two ranks: pictures" "$PYTHON" "$CASES/../vtk_check.py" two
exits 0 "two ranks: a report" report two
# Each rank has less than one process, which has all contacts: none has gathered them.
ok "two ranks: memory $(field peak-memory-mb)" awk "BEGIN {exit !($(sed -n 's/^peak-memory-mb: //p' two/summary.txt) < $(sed -n 's/^peak-memory-mb: //p' whole/summary.txt))}"

# A disk that is full for one rank alone, as a quota may be. The last rank has the last chunk.
size=$(stat -c %s whole/checkpoint-000000006.h5)
for rank in 0 2; do
    one $rank "prlimit --fsize=$((size * 2 / 3))" 3 run "$WORK/bed.yaml" -o "full$rank" --steps 6 -q -j 1 --set output.frames_every=0 \
        --set output.vtk_every=0
    ends "a full disk on rank $rank" 1
    one_message "a full disk on rank $rank" "checkpoint.h5.tmp: cannot write .*File too large"
    ok "a full disk on rank $rank: nothing is left" bash -c "! ls full$rank/checkpoint*"
done
gabion run "$WORK/bed.yaml" -o full1 --force --steps 2 -q --set output.frames_every=0
one 1 "prlimit --fsize=$((size * 2 / 3))" 2 resume full1 --steps 4 -q -j 1
ends "a full disk after a checkpoint" 1
one_message "a full disk after a checkpoint" "step 4: .*File too large"
says "a full disk after a checkpoint" "safe: the state of step 2" "lost: the 2 steps after it" "gabion resume full1"
goes_on "a full disk after a checkpoint" full1 3

# A frame, and a piece of a picture, that one rank cannot write.
gabion run "$WORK/bed.yaml" -o drawn --steps 1 -q
ln -s /dev/full drawn/vtk/contacts_000002_p1.vtp.tmp
one none "" 2 resume drawn --steps 5 -q -j 1
ends "a piece that fails" 1
one_message "a piece that fails" "contacts_000002_p1.vtp.*No space left"
ok "a piece that fails: it is not listed" bash -c "! grep -q 000002 drawn/contacts.pvd"
goes_on "a piece that failed" drawn 2
one 1 "prlimit --fsize=$(($(stat -c %s whole/frames/frame-000000002.h5) / 2))" 2 run "$WORK/bed.yaml" -o framed --steps 6 -q -j 1 --set output.vtk_every=0
ends "a frame that does not fit" 1
one_message "a frame that does not fit" "step 2: no frame written: .*frame.h5.tmp.*File too large"

# Memory that ends on one rank, in a step or in a file: its message, and all ranks end.
has_memory() { one "$1" "prlimit --as=$2" 2 run "$WORK/bed.yaml" -o memory --force --steps 6 -q -j 1; }
enough=$((800 << 20)) little=$((100 << 20)) tries=0
while [ $tries -lt 6 ]; do
    middle=$(((enough + little) / 2)) tries=$((tries + 1))
    has_memory 1 $middle
    if [ "$status" -eq 0 ]; then
        enough=$middle
    else
        little=$middle
        ok "memory of $((middle >> 20)) MiB on rank 1: exit status $status" [ "$status" -le 2 -o "$status" -eq 127 ]
        ok "memory of $((middle >> 20)) MiB on rank 1: no message: $(head -c 300 .err)" grep -qiE "memory|allocate|mmap|shared lib" .err
    fi
done
# What MPI itself needs comes first, and has messages of its own.
has_memory 1 $((enough - (2 << 20)))

# kill -9 of a rank in the middle of a file that all write.
if command -v strace >/dev/null && strace -f --seccomp-bpf -qq -o .calls true 2>.err; then
    gabion run "$WORK/bed.yaml" -o begun --steps 2 -q --set output.frames_every=0
    for rank in 0 1; do
        for at in 5 12; do
            rm -rf torn
            cp -r begun torn
            slow="strace -f --seccomp-bpf -qq -o .calls -e trace=pwrite64 -e inject=pwrite64:delay_enter=500000:when=$at+"
            timeout -k 5 300 mpirun -n 2 bash one.sh $rank "$slow" "$GABION_MPI" resume torn --steps 4 -q -j 1 >.out 2>.err </dev/null &
            guard=$!
            wait_for 60 ls torn/checkpoint.h5.tmp
            traced=($(pgrep -P "$(pgrep -P $guard)" | sort -n))
            ok "kill -9 near write $at of rank $rank: it is found" pkill -KILL -P "${traced[$rank]}"
            wait $guard
            status=$?
            ok "kill -9 near write $at of rank $rank: exit status $status" [ $status -ne 0 ]
            ok "kill -9 near write $at of rank $rank: it came in the checkpoint" [ -e torn/checkpoint.h5.tmp ]
            goes_on "kill -9 near write $at of rank $rank" torn $((at % 3 + rank))
        done
    done
else
    echo "SKIPPED: strace does not work here"
fi

# A step that fails on all ranks, and a checkpoint that is no good.
one none "" 3 run "$CASES/box.yaml" -o pushed -q -j 1 --set solver.method=nsgs --set solver.on_cap=accept \
    --set 'forces=[{group: grains, direction: [0, 0, 1], start: 0.05, constant: 1e307}]'
ends "not a number" 1
one_message "not a number" "step 51: the velocity of body [0-9]+ is not a number"
says "not a number" "safe: the state of step 50"
ok "not a number: a checkpoint of the last step" [ -s pushed/checkpoint-000000050.h5 ]
exits 0 "not a number: info" info pushed
printf x | dd of=two/checkpoint-000000006.h5 bs=1 seek=$((size / 2)) conv=notrunc 2>.err
timeout -k 5 300 mpirun -n 3 "$GABION_MPI" resume two -q -j 1 --steps 2 >.out 2>.err </dev/null
is "a damaged checkpoint: the one before is taken" "$(field state-hash)" "$hash"
finish
