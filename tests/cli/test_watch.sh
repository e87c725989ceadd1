# Warnings about doubtful results: what `run` and `check` say, watch.policy, --strict and the exit statuses.
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

cat >shaken.yaml <<'CASE'
time: {step: 0.01, end: 0.1}
materials: {stone: {density: 2600}}
laws: [{between: default, friction: 0.5}]
bodies:
- {name: plate, material: stone, position: [0, 0, -0.05], box: {size: [1, 1, 0.1]}, fixed: true}
- {name: ball, material: stone, position: [0, 0, 0.1], sphere: {radius: 0.1}}
drivers: [{group: plate, direction: [0, 0, 1], sine: {amplitude: 0.01, frequency: 50}}]
output: {history_every: 1}
CASE
remedy='driver of group plate has a sine of 50 Hz.*time.step of 0.01 s.*take a time.step of at most 0.0025 s'
exits 0 "a driver that is not seen" run shaken.yaml -o shaken
says "a driver that is not seen" "^warning: .*$remedy"
is "one warning" "$(field warnings)" 1
is "all steps" "$(field steps)" 10
mkdir strict && echo kept >strict/report.html
exits 1 "--strict" run shaken.yaml -o strict --strict
says "--strict" "^warning: .*$remedy" "--strict: warnings: 1, before the first step. Nothing was run"
is "--strict: nothing was run" "$(ls strict) $(cat strict/report.html)" "report.html kept"
exits 0 "check" check shaken.yaml
says "check" "$remedy"
exits 1 "check --strict" check shaken.yaml --strict
says "check --strict" "--strict: warnings: "
exits 1 "stop before the first step" run shaken.yaml -o none --set watch.policy=stop
says "stop before the first step" "watch signal: .*$remedy.*watch.policy is stop" "safe: the state of step 0"
slow="--set drivers.0.sine.frequency=5"
exits 0 "a driver that is seen" run shaken.yaml -o slow --strict $slow
is "no warning" "$(field warnings)" 0
exits 0 "nothing to do" resume slow --strict
is "no warning of nothing" "$(field warnings)" 0

cat >spun.yaml <<'CASE'
time: {step: 0.01, end: 0.2}
gravity: [0, 0, 0]
materials: {stone: {density: 2600}}
bodies: [{name: brick, material: stone, position: [0, 0, 0], box: {size: [0.1, 0.2, 0.3]}}]
resets: [{group: brick, time: 0.05, spin: [0, 150, 0]}]
output: {history_every: 1}
CASE
for threads in 1 2; do
    exits 0 "spin, $threads threads" run spun.yaml -o spun --force -j $threads
    says "spin, $threads threads" 'after step 6 .* body 0 \(brick\) has a spin of 150 rad/s and turns by 1.5 rad' \
        'take a time.step of at most 0.0067 s' '15 of 20 steps ended with bodies that turn'
    is "spin, $threads threads" "$(field warnings)" 1
done
exits 1 "spin, strictly" run spun.yaml -o strict-spun --strict
says "spin, strictly" "--strict: warnings: 1, unsolved steps: 0; the results are in strict-spun"
is "--strict keeps the results" "$(field steps) $(wc -l <strict-spun/history.csv)" "20 21"
ok "--strict leaves the last checkpoint" test -f strict-spun/checkpoint-000000020.h5
exits 1 "spin that stops the run" run spun.yaml -o stopped --set watch.policy=stop
says "spin that stops the run" "watch spin: after step 6 .*watch.policy is stop" "safe: the state of step 6"
is "the step is complete" "$(field status) $(field steps) $(wc -l <stopped/history.csv)" "stopped 6 7"
exits 0 "and goes on" resume stopped --set watch.policy=warn
says "and goes on" "warning: after step 7 "
is "as if it had not stopped" "$(field state-hash)" "$(gabion run spun.yaml -o spun --force && field state-hash)"

cat >far.yaml <<'CASE'
time: {step: 0.001, end: 0.01}
gravity: [0, 0, 0]
materials: {stone: {density: 2600}}
bodies: [{name: ball, material: stone, position: [1e15, 0, 0], velocity: [1, 0, 0], sphere: {radius: 0.1}}]
CASE
exits 0 "far out" run far.yaml
says "far out" 'body 0 \(ball\) at \(1e\+15, 0, 0\) m does not move .* put the origin of coordinates near' '10 of 10 steps left bodies'
exits 0 "far out, check" check far.yaml
says "far out, check" "does not move"

# What only `check` looks for: with --strict the run does not begin, without it the run says nothing. What
# it looks at leaves no trace in the results.
cat >steep.yaml <<'CASE'
time: {step: 0.001, end: 0.01}
materials: {stone: {density: 2600}}
laws: [{between: default, friction: 30}]
bodies:
- {material: stone, position: [0, 0, 0], half_space: {normal: [0, 0, 1]}, fixed: true}
- {name: low, material: stone, position: [0.3, 0, 0.09995], sphere: {radius: 0.1}}
- {name: high, material: stone, position: [0, 0, 0.29995], sphere: {radius: 0.1}}
- {name: middle, material: stone, position: [0, 0, 0.1], sphere: {radius: 0.1}}
CASE
exits 0 "no strictness" run steep.yaml -o steep
ok "no strictness: no warning" [ ! -s .err -o -z "$(grep '^warning' .err)" ]
exits 1 "what check looks for" run steep.yaml -o steep-strict --strict
says "what check looks for" "^warning: a friction coefficient of 30 is unusual" "--strict: warnings: 1, before the first step"
ok "what check looks for: no folder" [ ! -e steep-strict ]
exits 0 "mended" run steep.yaml -o mended --set laws.0.friction=0.5
hash=$(field state-hash)
exits 0 "mended, strictly" run steep.yaml -o mended-strict --set laws.0.friction=0.5 --strict
is "mended, strictly: the bits" "$(field state-hash)" "$hash"
ok "mended, strictly: history" cmp <(history_of mended) <(history_of mended-strict)

# Overlaps: what contact.projection leaves in any run is no warning, what nothing takes away is one.
for treatment in '0.5e-3 projection=auto - ' '2e-3 projection=auto warning moves them apart in the first steps' \
    '0.5e-3 projection=off warning contact.projection is off.*leave it out' '0.5e-3 gap=moreau warning contact.gap moreau leaves it; contact.projection with a number'; do
    read -r share key wanted words <<<"$treatment"
    height=$("$PYTHON" -c "print(0.2 * (1 - 0.5 * $share) + 0.1)")
    exits 0 "overlap $share, $key" check steep.yaml --set laws.0.friction=0.5 --set bodies.1.position.2=0.1 --set bodies.2.position.2=$height --set contact.$key
    is "overlap $share, $key: measured" "$(awk -v s=$share '/^overlap-relative/ { print ($2 > 0.999 * s && $2 < 1.001 * s) }' .out)" 1
    is "overlap $share, $key" "$(field warnings)" $([ $wanted = warning ] && echo 1 || echo 0)
    [ $wanted != warning ] || says "overlap $share, $key" "bodies 3 and 2 overlap by .*$words"
done

# Every step unsolved: nothing in silence, and a script can rely on the exit status.
unsolved="--set solver.method=nsgs --set solver.max_sweeps=1 --set solver.tolerance=1e-12 --set solver.on_cap=warn --steps 20"
exits 0 "unsolved" run "$CASES/box.yaml" -o unsolved $unsolved
exits 1 "unsolved, strictly" run "$CASES/box.yaml" -o unsolved --force $unsolved --strict
says "unsolved, strictly" "--strict: warnings: [1-9][0-9]*, unsolved steps: $(field unconverged-steps);"
# One sweep may leave impulses that bring energy in, of which another watch warns; three do not.
exits 1 "unsolved and accepted, strictly" run "$CASES/box.yaml" -o unsolved --force $unsolved --strict --set solver.on_cap=accept --set solver.max_sweeps=3
says "unsolved and accepted, strictly" "warnings: 0, unsolved steps: [1-9]"
exits 1 "unsolved, stopped" run "$CASES/box.yaml" -o unsolved --force $unsolved --set watch.policy=stop
says "unsolved, stopped" "watch unsolved: step [0-9]+ stopped at the cap of 1 sweeps"

# Bodies that begin within each other, joined to a moving one with a hold on some of their axes, and one iteration on positions:
# energy rises from 5 to 1e7 J within a few steps and to 1e26 J soon after, where a velocity is not a number any more.
cat >thrown.yaml <<'CASE'
time: {step: 0.02, end: 2, scheme: corrective}
materials: {stone: {density: 2600}, wood: {density: 50}}
laws: [{between: default, friction: sticking, restitution: 0.9}]
solver: {method: bicg, budget: [1, 30, 1], on_cap: accept}
bodies:
- {name: ground, material: stone, half_space: {normal: [0, 0, 1]}, position: [0, 0, -0.02]}
- {name: b3, material: wood, bar: {count: 3, radius: 0.03, spacing: 0.04}, position: [-0.03, -0.03, 0.08], orientation: [0.3475456432983668, -0.7723351977411257, -0.5300551453943156, -0.2733552400579151]}
- {name: b4, material: stone, torus: {count: 7, radius: 0.02, ring: 0.07}, position: [0.0, -0.1, 0.1], orientation: [-0.22350775890938568, 0.5438371540201958, -0.7947736419246241, 0.09994273216487004], fixed: true}
- {name: b9, material: stone, sphere: {radius: 0.06991429316797634}, position: [-0.01646883870486096, 0.01768708838950421, 0.0920769258765759], orientation: [0.6, 0.2, -0.3, -0.3]}
- {name: b12, material: wood, bar: {count: 3, radius: 0.03, spacing: 0.04}, position: [0.02459834433151646, -0.0029258665749886392, 0.024533281128046865], orientation: [0.2, -0.1, 0.8, -0.8], lock: [z, rz, y]}
joints: [{first: b12, second: b4, ball: {anchor: [0.014198902599088868, -0.02924613814426678, 0.03935636273350718]}}]
drivers: [{group: b4, direction: [0.6807411519956457, 0.705685428006479, 0.7855009960630142], velocity: -0.47182771775862464}]
output: {vtk_every: 0, history_every: 1}
CASE
exits 1 "an explosion" run thrown.yaml -o thrown
says "an explosion" 'watch explosion: step ([0-9]+) .*closing contacts and joints has brought in .*body 4 \(b12\) .*the motion has exploded' \
    "run again with a smaller time.step, more iterations \(solver.budget\)"
ok "an explosion: not a defect" [ -z "$(grep -E 'defect|not a number|ledger' "$WORK/.err")" ]
is "an explosion: the step is complete" "$(field status) $(tail -n 1 thrown/history.csv | cut -d, -f1)" "stopped $(field steps)"
most=$(awk -F, 'NR > 1 && $10 > most { most = $10 } END { printf "%.0f", most }' thrown/history.csv)
ok "an explosion: it ends at $most J" [ "$most" -lt 1000000000 ]
exits 1 "an explosion goes on" resume thrown
says "an explosion goes on" 'watch explosion: step'

# A part of the table of nonsense: make torture has all of it.
ok "nonsense" "$PYTHON" "$(dirname "$CASES")/../torture/nonsense.py" --every 12
finish
