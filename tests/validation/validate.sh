#!/usr/bin/env bash
# Long physics, everything that takes minutes: tests/validation/validate.sh [-o FOLDER] [--continue] [SECTION...]
# Wants $GABION and the programs beside it, already built. Runs every section (or those named) two at a time, those that run
# two processes of their own alone. What a section printed follows when it has ended and stays in FOLDER/runs/NAME.log.
# --continue leaves out sections that have ended before with this very program, and counts what they found.
# Sections with tables and plots leave a page, FOLDER/index.html. Ends with a line per section (checks, time elapsed, processor
# time) and "N passed, M failed".
cd "$(dirname "$0")/../.." || exit 2
export GABION=${GABION:-$PWD/build/gabion} python=${PYTHON:-/usr/bin/python3} folder=${BUILD:-build}/validate
programs=$(dirname "$GABION")/tests/validation
build=$(sha256sum "$GABION" | cut -c 1-16)
export programs build
continue=""
with_page=(granular_packing janssen collapse collapse_plane hopper heap drum incline impact_energy wall brazil_nut)
all=(collapse collapse_plane incline heap janssen granular_packing rocking hopper drum arches arch_limit collisions pour
    masonry arch_impulse panels settlement colonnade determinism ranks soak impact_energy wall brazil_nut)
alone=" wall brazil_nut "
while [ $# -gt 0 ]; do
    case $1 in
    -o) folder=$2; shift ;;
    --continue) continue=1 ;;
    -*) echo "usage: validate.sh [-o FOLDER] [--continue] [SECTION...]"; exit 2 ;;
    *) [[ " ${all[*]} " == *" $1 "* ]] || { echo "no section is named $1; there are ${all[*]}"; exit 2; }
       chosen+=("$1") ;;
    esac
    shift
done
[ -n "${chosen[*]}" ] || chosen=("${all[@]}")
mkdir -p "$folder/runs" || exit 1

command_of() {
    case $1 in
    determinism) echo tests/validation/determinism.sh ;;
    arch_limit) echo "$python tests/validation/arch_limit.py $programs/arches" ;;
    arches | collisions) echo "$programs/$1" ;;
    pour) echo "$programs/pour 200 1e-3 0.7 1" ;;
    wall | brazil_nut) echo "$python tests/papers/$1.py --full -o $folder" ;;
    masonry | arch_impulse | panels | settlement | rocking | colonnade | ranks | soak) echo "$python tests/validation/$1.py" ;;
    *) echo "$python tests/validation/$1.py -o $folder" ;;
    esac
}

# A section that does not end with its count of checks counts as one that failed.
run_section() {
    local started=$SECONDS log=$folder/runs/$1.log result times TIMEFORMAT="%0U %0S"
    rm -f "$folder/$1.json"
    times=$({ time bash -c "$(command_of "$1")" >"$log" 2>&1; } 2>&1)
    times="$((SECONDS - started)) s, $((${times/ /+})) s of processor time"
    result=$(tail -n 1 "$log")
    [[ $result =~ ^[0-9]+\ passed,\ [0-9]+\ failed$ ]] || { result="0 passed, 1 failed"; echo "$1: ended without a result" >>"$log"; }
    echo "$result, build $build, $times" >"$folder/runs/$1.count"
    (flock 9; echo "== $1, $times"; cat "$log") 9>"$folder/runs/lock"
}
export -f command_of run_section

together=() last=()
for name in "${chosen[@]}"; do
    [ -z "$continue" ] || ! grep -qs "build $build" "$folder/runs/$name.count" || continue
    rm -f "$folder/runs/$name.count"
    if [[ $alone == *" $name "* ]]; then last+=("$name"); else together+=("$name"); fi
done
[ ${#together[@]} -eq 0 ] || printf '%s\n' "${together[@]}" | xargs -P 2 -I{} bash -c 'run_section {}'
for name in "${last[@]}"; do run_section "$name"; done

# Sections that were not asked for stay on the page as they were.
shown=()
for name in "${with_page[@]}"; do
    if [ -f "$folder/$name.json" ] || [[ " ${chosen[*]} " == *" $name "* ]]; then shown+=("$name"); fi
done
[ ${#shown[@]} -eq 0 ] || "$python" tests/papers/page.py --validate "$folder" "${shown[@]}" | grep '^page:'
passed=0 failed=0
for name in "${chosen[@]}"; do
    IFS=, read -r ok bad _ times <"$folder/runs/$name.count"
    passed=$((passed + ${ok% *})) failed=$((failed + ${bad% *}))
    echo "$name: $ok,$bad,$times"
done
echo "$((SECONDS / 60)) min $((SECONDS % 60)) s"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
