#!/usr/bin/env bash
# Long physics: everything that takes minutes. Wants $GABION and the programs beside it, already built.
# The sections below also leave a page with their tables and plots, build/validate/index.html.
cd "$(dirname "$0")/../.." || exit 2
export GABION=${GABION:-$PWD/build/gabion}
python=${PYTHON:-/usr/bin/python3} programs=$(dirname "$GABION")/tests/validation
folder=${BUILD:-build}/validate
sections=(granular_packing janssen collapse hopper heap drum incline impact_energy)
pages=()
for name in "${sections[@]}"; do
    rm -f "$folder/$name.json"
    pages+=("$python tests/validation/$name.py -o $folder")
done
exec tests/tally.sh tests/validation/determinism.sh \
    "$python tests/validation/arch_limit.py $programs/arches" "$programs/arches" \
    "$programs/collisions" "$programs/pour 200 1e-3 0.7 1" \
    "$python tests/validation/masonry.py" "$python tests/validation/arch_impulse.py" \
    "$python tests/validation/panels.py" "$python tests/validation/settlement.py" \
    "$python tests/validation/rocking.py" "$python tests/validation/colonnade.py" \
    "$python tests/papers/wall.py --full -o $folder" \
    "$python tests/papers/brazil_nut.py --full -o $folder" "$python tests/validation/solvers.py" \
    "$python tests/validation/rivals.py" \
    "$python tests/validation/defaults.py" "${pages[@]}" \
    "$python tests/papers/page.py --validate $folder ${sections[*]} wall brazil_nut"
