# One writer for each folder.
. "$(dirname "$0")/check.sh"
box=$CASES/box.yaml

"$GABION" run "$box" -o busy --set time.end=1000 --set output.vtk_every=0 --quiet >.first 2>&1 </dev/null &
pid=$!
wait_for 60 ls busy/checkpoint-000000050.h5
kill -STOP $pid # it holds the folder, and whatever changes there now is somebody else's doing
state() { find busy -type f -exec cksum {} + | sort | cksum; }
before=$(state)
rejected() {
    local name=$1
    shift
    exits 2 "$name" "$@"
    says "$name" "busy.* is being written by another gabion; wait for it or give another folder with -o"
    is "$name leaves the folder alone" "$(state)" "$before"
}
rejected "resume of a folder in use" resume busy --steps 5
rejected "resume of a checkpoint in use" resume "$(ls busy/checkpoint-*.h5 | tail -n 1)" --steps 5
rejected "run into a folder in use" run "$box" -o busy
rejected "run --force into a folder in use" run "$box" -o busy/ --force
rejected "resume into a folder in use" resume busy -o busy
exits 0 "info of a folder in use" info busy
exits 0 "resume from a folder in use into another" resume busy -o elsewhere --steps 5
kill -CONT $pid
kill -INT $pid
wait $pid
ok "the first run ends well" grep -q "^status: interrupted" .first
exits 0 "resume once the folder is free" resume busy --steps 5
exits 0 "run --force once the folder is free" run "$box" -o busy --force --steps 5
finish
