# Turning drivers, records and tilt from the command line: threads and restarts change no bit, tables
# come along, histories show reactions.
. "$(dirname "$0")/check.sh"
table=$CASES/table.yaml

exits 0 "reference" run "$table" -o whole -j 1
hash=$(field state-hash)
for threads in 2 3; do
    exits 0 "$threads threads" run "$table" -o "threads$threads" -j "$threads"
    is "$threads threads give the same state" "$(field state-hash)" "$hash"
    same_results "$threads threads" whole "threads$threads"
done

exits 0 "pieces" run "$table" -o pieces --steps 1
for steps in 60 13 126; do
    exits 0 "pieces: $steps" resume pieces --steps $steps -j $((steps % 3 + 1))
done
is "pieces: state" "$(field state-hash)" "$hash"
same_results "pieces" whole pieces
exits 0 "from a checkpoint in the middle of the turn" resume whole/checkpoint-000000100.h5 -o branch
is "from a checkpoint in the middle of the turn" "$(field state-hash)" "$hash"

ok "the resolved case holds the record" bash -c '! grep -q csv whole/case.yaml && grep -q "0.058" whole/case.yaml'
ok "the history has forces, moments and spins" bash -c \
    'head -1 whole/history.csv | grep -q table_force.*table_moment.*table_spin'

# A record of twenty thousand points, as instruments write them.
awk 'BEGIN { for (k = 0; k < 20000; k++) printf "%.3f,%.6f\n", k * 0.001, sin(k * 0.01) }' >long.csv
sed "s/table.csv/$(pwd | sed 's/[/]/\\&/g')\/long.csv/" "$table" >long.yaml
exits 0 "a long record" run long.yaml -o long --steps 20
exits 0 "a long record goes on" resume long --steps 20
is "a long record goes on" "$(field steps)" 40
finish
