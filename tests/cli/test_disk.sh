# A disk that fills up: exit status 1, what is lost and what is safe, earlier checkpoints stay.
. "$(dirname "$0")/check.sh"
box=$CASES/box.yaml

# A limit on the size of a file that the history reaches after some checkpoints, and nothing else.
grown="$box --set time.end=1.2 --set output.history_every=1"
exits 0 "reference" run $grown -o whole
hash=$(field state-hash)
biggest=$(stat -c %s whole/checkpoint-*.h5 whole/vtk/* whole/frames/* | sort -n | tail -n 1)
limit=$(($(stat -c %s whole/history.csv) / 2))
ok "the history outgrows the other files" [ $limit -gt $((biggest + 1024)) ]
(ulimit -f $((limit / 1024)) && "$GABION" run $grown -o limited >.out 2>.err)
status=$?
ok "file size limit: exit status $status: $(head -c 200 .err)" [ $status -eq 1 ]
is "file size limit: status" "$(field status)" stopped
says "file size limit" history.csv safe lost "gabion resume limited"
step=$(field steps)
exits 0 "file size limit: a good checkpoint stays" info limited
is "file size limit: of the last step" "$(field step)" "$step"
exits 0 "file size limit: resume" resume limited
is "file size limit: state" "$(field state-hash)" "$hash"
ok "file size limit: at most the named row is missing from the history" \
    [ "$(diff <(history_of whole) <(history_of limited) | grep -c '^[<>]')" -le 1 ]
ok "file size limit: rows that had no room come from the checkpoint" \
    diff <(history_of whole) <(history_of limited)

# The step whose row finds the disk full has its picture nevertheless: a resumed run does not draw it again.
(ulimit -f $((limit / 1024)) && "$GABION" run $grown -o pictured --set output.vtk_every=1 \
    --set output.checkpoint_every=0 >.out 2>.err)
says "file size limit with pictures" history.csv "lost: nothing; the checkpoint has the rows"
exits 0 "file size limit with pictures: resume" resume pictured
is "file size limit with pictures: all are there" "$(ls pictured/vtk | grep -c '^bodies_')" $(($(field steps) + 1))

# The last rows of a run that is over have no room: there is no step left, and they come from the checkpoint all the same.
rows=$(head -c $limit whole/history.csv | wc -l)
exits 0 "last rows: reference" run $grown -o full --steps $((rows + 20))
(ulimit -f $((limit / 1024)) && "$GABION" run $grown -o over --steps $((rows + 20)) --set output.checkpoint_every=0 >.out 2>.err)
status=$?
ok "last rows: exit status $status: $(head -c 200 .err)" [ $status -eq 1 ]
exits 0 "last rows: resume" resume over --steps $((rows + 20 - $(field steps)))
ok "last rows: the history is whole" diff <(history_of full) <(history_of over)

# A checkpoint that does not fit.
size=$(stat -c %s "$(ls whole/checkpoint-*.h5 | head -n 1)")
(ulimit -f $((size / 1024 - 2)) && "$GABION" run "$box" -o tight >.out 2>.err)
status=$?
ok "a checkpoint that does not fit: exit status $status: $(head -c 200 .err)" [ $status -eq 1 ]
says "a checkpoint that does not fit" "step 50" lost
ok "a checkpoint that does not fit: no temporary file is left" [ ! -e tight/checkpoint.h5.tmp ]

# The same, when it is the final one.
(ulimit -f $((size / 1024 - 2)) && "$GABION" run "$box" -o final --set output.checkpoint_every=0 >.out 2>.err)
status=$?
ok "a final checkpoint that does not fit: exit status $status: $(head -c 200 .err)" [ $status -eq 1 ]
says "a final checkpoint that does not fit" "step 200" "File too large" lost

# Nothing can be written at all; standard error is a pipe, which has no size.
message=$( (ulimit -f 0 && "$GABION" run "$box" -o zero 2>&1 >/dev/null))
status=$?
ok "no room at all: exit status $status: $message" [ $status -eq 1 ]
ok "no room at all: $message" grep -q "zero/" <<<"$message"

# A picture that cannot be written while the run goes on: it ends at most one picture later, and lacks that one alone.
exits 0 "pictures: reference" run "$box" -o drawn
exits 0 "pictures: a first part" run "$box" -o beside --steps 50
ln -s /dev/full beside/vtk/contacts_000120.vtp.tmp
exits 1 "a picture that fails" resume beside
is "a picture that fails: status" "$(field status)" stopped
says "a picture that fails" "contacts_000120.vtp" "No space left" "safe: the state of step 1[2-4][0-9]," \
    "lost: what the file named above should hold of step 120$" "gabion resume beside"
exits 0 "a picture that failed: resume" resume beside
is "a picture that failed: state" "$(field state-hash)" "$(grep -oP '(?<=state-hash: ).*' drawn/summary.txt)"
ok "a picture that failed: the history is whole" diff <(history_of drawn) <(history_of beside)
is "a picture that failed: no other is missing" \
    "$(diff -rq drawn/vtk beside/vtk | sed 's/.*: //' | sort | tr '\n' ' ')" "contacts_000120.vtp "
is "a picture that failed: the collections" "$(diff drawn/contacts.pvd beside/contacts.pvd | grep -c '^[<>]')" 1
ok "time beside the steps is reported" grep -q '^time-output-beside: ' drawn/summary.txt

# 101,568 grains of 92 bytes, with five contacts of 109.
estimate() { "$GABION" check "$CASES/../../../cases/grains_100k.yaml" --set output.vtk_every="$1" | sed -n 's/^memory-estimate-mb: //p'; }
is "the copy of a frame counts in the memory estimate" $(($(estimate 100) - $(estimate 0))) 65

# Pictures wait for no disk: as many syncs with ten times the pictures.
syncs() {
    strace -f --seccomp-bpf -qq -e trace=fsync,fdatasync,syncfs -o .calls "$GABION" run "$box" -o synced --force --set output.vtk_every="$1" >.out 2>.err
    grep -c sync .calls
}
if command -v strace >/dev/null && strace -f --seccomp-bpf -qq -o .calls true 2>.err; then
    is "syncs do not depend on the number of pictures" "$(syncs 2)" "$(syncs 20)"
    strace -f --seccomp-bpf -qq -e trace=rename,syncfs -o .calls "$GABION" run "$box" -o synced --force >.out 2>.err
    is "checkpoints that are renamed" "$(grep -c 'rename("synced/checkpoint' .calls)" 4
    is "all pictures reach the disk before the checkpoint that follows them" \
        "$(awk '/vtk\/|frames\// { written = 1 } /syncfs/ { written = 0 } /checkpoint/ && written { early++ } END { print early + 0 }' .calls)" 0
else
    echo "SKIPPED: strace does not work here"
fi

mkdir small
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=2m none small 2>/dev/null; then
    trap 'umount "$WORK/small"; rm -rf "$WORK"' EXIT
    exits 0 "reference" run "$box" -o short
    hash=$(field state-hash)
    exits 1 "full disk" run "$box" -o small/run --set output.vtk_every=2
    is "full disk: status" "$(field status)" stopped
    says "full disk" "No space left" safe lost "gabion resume small/run"
    ok "full disk: no temporary file is left" bash -c '! find small -name "*.tmp" | grep -q .'
    exits 0 "full disk: a good checkpoint stays" info small/run
    ok "full disk: it is of step $(field step)" [ "$(field step)" -ge 50 ]
    mount -o remount,size=50m small
    exits 0 "resume when there is room again" resume small/run
    is "resume when there is room again" "$(field state-hash)" "$hash"
else
    echo "SKIPPED: a small tmpfs cannot be mounted here"
fi
finish
