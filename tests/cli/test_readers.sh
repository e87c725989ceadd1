# What other programs read: every VTK frame through vtk, checkpoints through h5py, against history.
. "$(dirname "$0")/check.sh"
here=$(dirname "$CASES") shipped=$(realpath "$CASES/../../../cases")
python=${PYTHON:-/usr/bin/python3}

# reads NAME SCRIPT FOLDER: all of the script's checks pass.
reads() {
    local report last
    report=$("$python" "$here/$2" "$3" 2>&1)
    last=$(tail -n 1 <<<"$report")
    ok "$1: $2: $(head -n 5 <<<"$report")" grep -qE '^[1-9][0-9]* passed, 0 failed$' <<<"$last"
}

for modules in "vtk vtk_check.py" "h5py checkpoint_check.py"; do
    set -- $modules
    if ! "$python" -c "import $1" 2>/dev/null; then
        echo "skipped: $python has no module $1"
        continue
    fi
    [ -d box ] || exits 0 "run box" run "$CASES/box.yaml" -o box --quiet
    [ -d nut ] || exits 0 "run the Brazil nut" run "$shipped/brazil_nut.yaml" -o nut --quiet --steps 300 \
        --set drivers.0.start=0.3 --set output.vtk_every=100 --set output.history_every=50 \
        --set output.checkpoint_every=100
    [ -d none ] || exits 0 "no contact" run "$CASES/drop.yaml" -o none --quiet --steps 2 --set output.vtk_every=1
    for folder in box nut none; do
        reads "$folder" "$2" "$folder"
    done
done

# The manual's key reference is the program's own.
docs=$(realpath "$CASES/../../../docs/case-files.md")
"$GABION" explain --markdown >keys.md
ok "docs/case-files.md ends with the output of gabion explain --markdown" \
    cmp keys.md <(tail -n "$(wc -l <keys.md)" "$docs")
finish
