# Threads, stops and restarts change no bit of the results.
. "$(dirname "$0")/check.sh"
box=$CASES/box.yaml

exits 0 "reference" run "$box" -o whole -j 1
hash=$(field state-hash)
for threads in 2 3; do
    exits 0 "$threads threads" run "$box" -o "threads$threads" -j "$threads"
    is "$threads threads give the same state" "$(field state-hash)" "$hash"
    same_results "$threads threads" whole "threads$threads"
done

exits 0 "half" run "$box" -o half --steps 77
exits 0 "resume" resume half -j 2
is "resume: status" "$(field status)" completed
is "resume: steps" "$(field steps)" 200
is "resume: state" "$(field state-hash)" "$hash"
same_results "resume" whole half
exits 0 "resume of a finished run" resume half
is "resume of a finished run" "$(field state-hash)" "$hash"

exits 0 "pieces" run "$box" -o pieces --steps 1
for steps in 48 1 1 48 101; do
    exits 0 "pieces: $steps" resume pieces --steps $steps -j $((steps % 3 + 1))
done
is "pieces: steps" "$(field steps)" 200
is "pieces: state" "$(field state-hash)" "$hash"
same_results "pieces" whole pieces

cp -r half before
exits 0 "resume --steps 0" resume half --steps 0
is "resume --steps 0" "$(field state-hash)" "$hash"
ok "resume --steps 0 touches nothing" diff -r half before
exits 0 "resume --steps beyond the end" resume half --steps 10
is "resume --steps beyond the end" "$(field steps)" 210
exits 0 "resume --until" resume half --until 0.22
is "resume --until" "$(field steps)" 220
exits 0 "resume --until the past" resume half --until 0.1
is "resume --until the past" "$(field steps)" 220

# From an older checkpoint.
exits 2 "an older checkpoint in its own folder" resume whole/checkpoint-000000150.h5
says "an older checkpoint in its own folder" "newest" "-o" "gabion resume whole"
exits 0 "an older checkpoint into a new folder" resume whole/checkpoint-000000150.h5 -o branch
is "an older checkpoint into a new folder" "$(field state-hash)" "$hash"
ok "the branch has its own history" [ "$(wc -l <branch/history.csv)" -eq 26 ]
exits 2 "no overwriting by resume -o" resume whole -o branch
says "no overwriting by resume -o" "branch holds the results of another run .*another folder with -o"
ok "resume does not speak of an option it has not" bash -c '! grep -q -- --force .err'
cp whole/checkpoint-000000200.h5 loose.h5
exits 2 "a loose checkpoint without -o" resume loose.h5
says "a loose checkpoint without -o" "-o"
exits 0 "the newest checkpoint by name" resume threads2/checkpoint-000000200.h5 --steps 5
is "the newest checkpoint by name" "$(field steps)" 205
(cd threads3 && "$GABION" resume checkpoint-000000200.h5 --steps 5 >../.out 2>../.err)
is "the newest checkpoint from inside its folder" "$(field steps)" 205

# Rows and frames beyond the checkpoint: the last checkpoint is lost.
cp -r whole lost
rm lost/checkpoint-000000200.h5
exits 0 "resume after losing a checkpoint" resume lost
is "resume after losing a checkpoint" "$(field state-hash)" "$hash"
same_results "resume after losing a checkpoint" whole lost
cp -r whole short
rm short/checkpoint-000000200.h5
exits 0 "rows beyond the checkpoint are dropped" resume short --steps 2
is "rows beyond the checkpoint are dropped" "$(wc -l <short/history.csv)" 77
is "pictures beyond the checkpoint are dropped, and the last state is drawn" "$(ls short/vtk/bodies_*.vtp | wc -l)" 9
is "frames beyond the checkpoint are dropped, and the last state is kept" "$(ls short/frames/frame-*.h5 | wc -l)" 5

# A damaged newest checkpoint: the one before is taken, and it is said.
for damage in truncated flipped empty noise; do
    rm -rf hurt
    cp -r whole hurt
    newest=hurt/checkpoint-000000200.h5
    size=$(stat -c %s $newest)
    case $damage in
    truncated) truncate -s $((size * 2 / 3)) $newest ;;
    flipped) printf '\x5a' | dd of=$newest bs=1 seek=$((size / 2)) conv=notrunc status=none ;;
    empty) : >$newest ;;
    noise) head -c "$size" /dev/urandom >$newest ;;
    esac
    exits 0 "$damage checkpoint" resume hurt
    says "$damage checkpoint is named" checkpoint-000000200
    is "$damage checkpoint" "$(field state-hash)" "$hash"
    cp whole/checkpoint-000000200.h5 good.h5
    exits 0 "info of the repaired folder" info hurt
    ok "$damage checkpoint is kept under another name" [ -e $newest.damaged ]
    ok "$damage checkpoint: good ones keep their names" [ "$(ls hurt/*.damaged* | wc -l)" -eq 1 ]
done
# A second damaged file does not replace the first, and both stay when checkpoints are thinned out.
cp hurt/checkpoint-000000200.h5.damaged first
echo second >hurt/checkpoint-000000200.h5
exits 0 "damaged again" resume hurt --set output.checkpoint_keep=1
ok "damaged again: the first is untouched" cmp first hurt/checkpoint-000000200.h5.damaged
is "damaged again: the second is beside it" "$(cat hurt/checkpoint-000000200.h5.damaged-2)" second
exits 0 "damaged again: --steps 0" resume hurt --steps 0
ok "damaged files are results of a run" bash -c '! "$1" run "$2" -o hurt -q 2>/dev/null' _ "$GABION" "$box"
exits 0 "--force takes them as well" run "$box" -o hurt --force --steps 1
ok "--force takes them as well" bash -c '! ls hurt/*.damaged*'

# What is not damaged is never passed over: the newest checkpoint cannot be read, and nothing changes.
for obstacle in newer older folder forbidden; do
    rm -rf hurt
    cp -r whole hurt
    newest=hurt/checkpoint-000000200.h5 before=() pattern=
    case $obstacle in
    newer)
        sed -i '1s/^gabion-checkpoint [0-9]*/gabion-checkpoint 9/' $newest
        pattern="newer than this program" ;;
    older)
        sed -i '1s/^gabion-checkpoint [0-9]*/gabion-checkpoint 4/' $newest
        pattern="earlier version" ;;
    folder)
        rm $newest
        mkdir $newest
        pattern="not a file" ;;
    forbidden)
        chmod 0 $newest
        before=(as_user)
        pattern="Permission denied" ;;
    esac
    if [ $obstacle = forbidden ] && as_user cat $newest >/dev/null 2>&1; then
        echo "skipped: this user reads files without permission"
        continue
    fi
    find hurt -type f -exec chmod u+r {} + -exec sha256sum {} + | sort >sums
    [ $obstacle = forbidden ] && chmod 0 $newest
    "${before[@]}" "$GABION" resume hurt >.out 2>.err
    ok "$obstacle: resume stops" [ $? -ne 0 ]
    says "$obstacle" "$pattern" checkpoint-000000200 "not damaged" "-o"
    "${before[@]}" "$GABION" resume hurt/checkpoint-000000150.h5 >.out 2>.err
    ok "$obstacle: resume of the one before stops in this folder" [ $? -eq 2 ]
    says "$obstacle: resume of the one before" "$pattern" "-o"
    [ $obstacle = forbidden ] && chmod u+r $newest
    ok "$obstacle: nothing has changed" cmp sums <(find hurt -type f -exec sha256sum {} + | sort)
    [ $obstacle = forbidden ] && chmod 0 $newest
    "${before[@]}" "$GABION" resume hurt/checkpoint-000000150.h5 -o "beside-$obstacle" >.out 2>.err
    is "$obstacle: the one before, into a new folder" "$(field state-hash)" "$hash"
    chmod -R u+rw hurt
done
# A damaged one that cannot be renamed would be overwritten: resume stops.
rm -rf hurt
cp -r whole hurt
echo noise >hurt/checkpoint-000000200.h5
chmod 555 hurt
if as_user touch hurt/new 2>/dev/null; then
    echo "skipped: this user writes without permission"
else
    as_user "$GABION" resume hurt >.out 2>.err
    ok "damaged, in a folder that cannot be written: resume stops" [ $? -ne 0 ]
    says "damaged, in a folder that cannot be written" "cannot rename the damaged hurt/checkpoint-000000200.h5: Permission denied"
    is "damaged, in a folder that cannot be written: it is still there" "$(cat hurt/checkpoint-000000200.h5)" noise
    rm -rf compared
    cp -r whole compared
    echo noise >compared/checkpoint-000000200.h5
    ok "damaged, in a folder that cannot be written: nothing but the log has changed" diff -r -x run.log compared hurt
fi
chmod 755 hurt
truncate -s 3000 good.h5
exits 2 "resume of a damaged checkpoint" resume good.h5 -o nowhere
says "resume of a damaged checkpoint" good.h5
exits 2 "info of a damaged checkpoint" info good.h5
ok "nothing was written" [ ! -e nowhere ]
rm -rf hurt
cp -r whole hurt
for file in hurt/checkpoint-*; do : >"$file"; done
exits 2 "no good checkpoint at all" resume hurt
says "no good checkpoint at all" "hurt"
# Between the arrival at a wall and the rebound, which only the contact's memory knows of.
exits 0 "wall" run "$CASES/wall.yaml" -o wall --quiet
hash=$(field state-hash)
ok "the ball rebounds" bash -c 'awk -F, "END { exit !(\$(NF - 2) + 0.5 < 1e-12 && \$(NF - 2) + 0.5 > -1e-12) }" wall/history.csv'
for steps in 33 34 35; do
    exits 0 "wall, $steps steps" run "$CASES/wall.yaml" -o "wall$steps" --quiet --steps $steps
    exits 0 "wall, resumed after $steps" resume "wall$steps" --quiet
    is "wall, resumed after $steps" "$(field state-hash)" "$hash"
done
exits 0 "wall, no longer stabilized" resume wall34 --quiet --steps 2 --set contact.gap=gap

# What a run that goes on may change, and what is part of its state.
exits 0 "run to be changed" run "$CASES/box.yaml" -o change --quiet --steps 20
exits 0 "resume --set" resume change --quiet --steps 5 --set solver.max_sweeps=7 --set output.vtk_every=0
ok "the checkpoint holds the changed case" bash -c '"$1" info change >/dev/null && "$1" resume change --steps 0 --quiet >/dev/null && grep -aq "max_sweeps: 7" change/checkpoint-000000025.h5' _ "$GABION"
exits 2 "resume --set of the bodies" resume change --quiet --set bodies=[]
says "resume --set of the bodies" "start a new run"
finish
