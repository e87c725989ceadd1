#!/usr/bin/env bash
# The five papers on one page: tests/papers/papers.sh [--full] [-o FOLDER] [SECTION...]
# Wants $GABION and the programs beside it, already built. Runs every section script (or those named), two at a time,
# then those that measure speed alone, and writes FOLDER/index.html. Ends with "N passed, M failed".
cd "$(dirname "$0")/../.." || exit 2
export GABION=${GABION:-$PWD/build/gabion} python=${PYTHON:-/usr/bin/python3}
export folder=${BUILD:-build}/papers full=""
page=(column cyclic settling frictionless masonry packing brazil_nut wall impact cannonball galizzi_scenes budget joints)
timed=" settling frictionless packing brazil_nut wall cannonball galizzi_scenes "
while [ $# -gt 0 ]; do
    case $1 in
    --full) full=--full ;;
    -o) folder=$2; shift ;;
    -*) echo "usage: papers.sh [--full] [-o FOLDER] [SECTION...]"; exit 2 ;;
    *) chosen+=("$1") ;;
    esac
    shift
done
[ -n "${chosen[*]}" ] || chosen=("${page[@]}")
mkdir -p "$folder/runs" || exit 1

# A script that does not end well leaves no section: page.py says so. What it printed is in its log.
run_section() {
    local started=$SECONDS
    rm -f "$folder/$1.json"
    if [ -f "tests/papers/$1.py" ]; then
        "$python" "tests/papers/$1.py" -o "$folder" $full >"$folder/runs/$1.log" 2>&1
        echo "$1: status $?, $((SECONDS - started)) s"
    fi
}
export -f run_section
together=() alone=()
for name in "${chosen[@]}"; do
    if [[ $timed == *" $name "* ]]; then alone+=("$name"); else together+=("$name"); fi
done
[ ${#together[@]} -eq 0 ] || printf '%s\n' "${together[@]}" | xargs -P 2 -I{} bash -c 'run_section {}'
for name in "${alone[@]}"; do run_section "$name"; done
# Sections that were not asked for stay on the page as they were.
shown=()
for name in "${page[@]}"; do
    if [ -f "$folder/$name.json" ] || [[ " ${chosen[*]} " == *" $name "* ]]; then shown+=("$name"); fi
done
exec "$python" tests/papers/page.py "$folder" "${shown[@]}"
