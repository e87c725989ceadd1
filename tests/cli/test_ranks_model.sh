# The simulator of distributed runs: what it counts on lattices, and what it prints about a checkpoint.
. "$(dirname "$0")/check.sh"
has h5py && has numpy || finish
bench="$CASES/../../bench"
"$PYTHON" "$CASES/../ranks_model_check.py" >.checks 2>.err
while read -r line; do
    ok "ranks_model_check.py: $line" [ "${line#pass: }" != "$line" ]
done < <(grep -v ' passed, ' .checks)
ok "ranks_model_check.py ended without a result: $(tail -n 3 .err)" grep -q ' 0 failed' .checks

# Seven hundred spheres that touch: the counts of four ranks, and the times of a table.
gabion run "$CASES/crowd.yaml" -o heap --steps 3 --quiet -j 1 --set solver.max_sweeps=2 --set output.checkpoint_every=3
exits 0 "a small heap" info heap
"$PYTHON" "$bench/ranks_model.py" heap --ranks 1,4 >.table 2>.err
ok "a table: $(tail -n 3 .err)" grep -qE '^ +4 +175 ' .table
"$PYTHON" "$bench/ranks_model.py" heap/checkpoint-000000003.h5 --copies 2,2,2 --weak 256 --ranks 64 >.table 2>.err
ok "weak scaling: $(tail -n 3 .err)" grep -qE '^[0-9]+ pieces' .table
printf 'ranks,seconds,messages,bytes\n1,1e-4,,\n2,6e-5,10,5000\n' >measured.csv
"$PYTHON" "$bench/ranks_model.py" heap/checkpoint-000000003.h5 --measured measured.csv >.table 2>.err
ok "beside a measurement: $(tail -n 3 .err)" grep -qE '^ +1 +100.0 +100.0 +1.000 ' .table
"$PYTHON" "$bench/ranks_model.py" heap/checkpoint-000000009.h5 >.table 2>.err
ok "no such checkpoint: exit status" [ $? -eq 2 ]
ok "no such checkpoint: $(cat .err)" grep -q 'checkpoint-000000009.h5' .err

# What the prediction is set beside: runs on ranks and threads in turn.
"$PYTHON" "$bench/ranks_measure.py" heap --caps 3 >.table 2>.err
ok "one cap: exit status" [ $? -eq 2 ]
export GABION_MPI=${GABION_MPI:-$(dirname "$GABION")/mpi/gabion}
if [ -x "$GABION_MPI" ] && command -v mpirun >/dev/null; then
    "$PYTHON" "$bench/ranks_measure.py" heap/checkpoint-000000003.h5 --caps 2,6 --steps 2 --repeats 1 --runs 1x1,2x1 --csv .csv >.table 2>.err
    status=$?
    ok "measured: exit status of $(cat .table) $(tail -n 3 .err)" [ "$status" -eq 0 ]
    ok "measured: eight sweeps between the caps: $(cat .table)" grep -qE '^2 x 1 \| 8 \| ' .table
    ok "measured: the same bits" grep -q '^state-hashes agree' .table
    is "measured: rows of $(cat .csv)" "$(grep -cE '^[12],' .csv)" 2
fi
finish
