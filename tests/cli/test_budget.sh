# solver.time_budget: a step stops iterating by the clock, and the run says that it did.
. "$(dirname "$0")/check.sh"
box=$CASES/box.yaml
hard="--steps 60 --set solver.tolerance=1e-14 --set solver.max_sweeps=100000"

exits 0 "without" run "$box" -o without --steps 5
ok "without: no word of it" bash -c '! grep -rq "reproducible" .out .err without/run.log'

# A nanosecond is over before the first sweep is.
exits 0 "nsgs" run "$box" -o nsgs $hard --set solver.method=nsgs --set solver.time_budget=1e-9 --set solver.on_cap=warn
is "nsgs: the summary says so" "$(field reproducible)" "no (solver.time_budget)"
says "nsgs" "not reproducible: solver.time_budget" "warning: step [0-9]+ stopped .*time budget"
ok "nsgs: the log says so" grep -q "not reproducible: solver.time_budget" nsgs/run.log
ok "nsgs: one sweep per step" [ "$(field sweeps)" -gt 0 -a "$(field sweeps)" -le 60 ]
ok "nsgs: unconverged" [ "$(field unconverged-steps)" -gt 0 ]
for method in cpg newton anderson auto; do
    exits 0 "$method" run "$box" -o $method $hard --set solver.method=$method --set solver.time_budget=1e-9
    ok "$method: the start and one sweep" [ "$(field sweeps)" -le 60 ]
    ok "$method: unconverged" [ "$(field unconverged-steps)" -gt 0 ]
done

# Enough contacts for several threads: one decides, all obey.
exits 0 "threads" run "$CASES/../../../cases/grains_100k.yaml" -o threads -j 3 --quiet --steps 3 \
    --set output.vtk_every=0 --set "generators.0.lattice.count=[25, 25, 25]" \
    --set solver.tolerance=1e-14 --set solver.time_budget=1e-9
ok "threads: one sweep per step" [ "$(field sweeps)" -le 3 ]

exits 0 "plenty" run "$box" -o plenty --steps 60 --set solver.time_budget=1000
is "plenty: the summary says so" "$(field reproducible)" "no (solver.time_budget)"
is "plenty: the same as without" "$(field state-hash)" "$("$GABION" run "$box" -o same --quiet --steps 60 | sed -n 's/^state-hash: //p')"

exits 0 "check" check "$box" --set solver.time_budget=0.01
says "check" "warning: solver.time_budget is 0.01 s: .*cannot be reproduced"
exits 2 "negative" check "$box" --set solver.time_budget=-1
says "negative" "solver.time_budget: expected a number >= 0"
exits 2 "corrective" check "$box" --set time.scheme=corrective --set solver.method=bicg \
    --set laws.0.friction=sticking --set solver.time_budget=1 --set contact.gap=stabilized
says "corrective" "solver.time_budget: time.scheme corrective counts iterations, not time; give solver.budget instead" \
    "contact.gap: stabilized needs time.scheme moreau"
finish
