# Studies: members and their table, kills, changes, thresholds against closed forms, ensembles, array jobs.
. "$(dirname "$0")/check.sh"
cp "$CASES/tilted_block.yaml" "$CASES/crowd.yaml" .

# table FOLDER: without the one column that differs between equal runs.
table() { sed 's/,[^,]*$//' "$1/table.csv"; }
# cell FILE ROW COLUMN: by its name.
cell() { awk -F, -v row="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } NR == row + 1 { print $c }' "$1"; }
finished() { ls "$1"/members/*/result.txt 2>/dev/null | wc -l; }
at_least() { [ "$(finished "$1")" -ge "$2" ]; }

# A product: what the members are, what a run by hand gives, what the table holds.
cat >friction.yaml <<'END'
title: a block slides or not
case: tilted_block.yaml
vary:
  - {name: mu, key: laws.0.friction, values: [0.2, 0.6]}
  - {name: theta, key: time.theta, linear: {from: 0.5, to: 1, count: 2}}
results:
  - {column: block.x, of: max, name: slid}
  - {summary: contacts}
  - {column: contact_work, of: max, name: most}
  - {column: contact_work, of: min, name: least}
  - {column: contact_work, of: mean, name: mean}
  - {column: contact_work, name: end}
  - {column: contact_work, of: amplitude, name: amplitude}
event: {result: slid, above: 0.01}
ensemble: {over: theta, against: mu}
plots: [{x: mu, y: slid, by: theta}]
END
exits 0 "check" check friction.yaml
is "check: members" "$(field members) $(field steps-at-most)" "4 1200"
ok "check lists members" grep -q '^member 3: mu=0.6 theta=0.5  [0-9a-f]*$' .out
ok "check writes nothing" [ ! -e out ]
exits 0 "product" study friction.yaml -o product -j 2
is "product: summary" "$(field status) $(field members) $(field finished) $(field started)" "completed 4 4 4"
is "product: header" "$(head -n 1 product/table.csv)" \
    "member,mu,theta,status,event,steps,time,slid,contacts,most,least,mean,end,amplitude,state_hash,case_sha256,wall_time"
exits 0 "by hand" run tilted_block.yaml -o hand -q -j 1 --set laws.0.friction=0.2 --set time.theta=1
is "product: state hash" "$(cell product/table.csv 2 state_hash)" "$(field state-hash)"
is "product: case hash" "$(cell product/table.csv 2 case_sha256)" "$(sha256sum <hand/case.yaml | cut -d' ' -f1)"
is "product: the largest of the history" "$(cell product/table.csv 2 slid)" \
    "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "block.x") c = i; next } $c > m { m = $c } END { printf "%.12g", m }' hand/history.csv)"
# Sliding loses energy: the largest work of the contacts is the first one, the smallest the last.
for kind in 'most first' 'least last' 'end last' 'mean sum/rows' 'amplitude -last'; do
    ok "product: ${kind% *} of a column: $(cell product/table.csv 2 "${kind% *}")" \
        awk -F, -v found="$(cell product/table.csv 2 "${kind% *}")" -v kind="${kind#* }" '
            NR == 1 { for (i = 1; i <= NF; i++) if ($i == "contact_work") c = i; next }
            { if (!rows++) value["first"] = $c; value["last"] = $c; sum += $c }
            END { value["-last"] = -value["last"]; value["sum/rows"] = sum / rows
                  d = found - value[kind]; exit !(value["last"] < value["first"] && d * d < 1e-18) }' hand/history.csv
done
is "product: events" "$(cut -d, -f5 product/table.csv | tr '\n' ' ')" "event 1 1 0 0 "
# Two of two: Wilson's bounds are n/(n + z^2) = 0.3424 and 1.
is "product: probabilities" "$(cut -d, -f1-5 product/ensemble.csv | tail -n 2 | cut -c1-14 | tr '\n' ' ')" "0.2,2,2,1,0.34 0.6,2,0,0,0 "
if command -v gnuplot >/dev/null; then
    ok "product: plots" [ -s product/plots/plot-1.svg -a -s product/plots/mean-1.svg ]
fi
ok "product: page" grep -q 'plots/plot-1.svg' product/index.html
# A curve: none of two stay at 0.2 and both at 0.6, which a threshold parts.
sed 's/above: 0.01/below: 0.01/; s/against: mu}/against: mu, fit: lognormal}/' friction.yaml >curve.yaml
exits 0 "curve" study curve.yaml -o curve -j 2
is "curve: fit" "$(cell curve/fit.csv 1 fit) $(cell curve/fit.csv 1 members)" "step 4"
ok "curve: the median is sqrt(0.2 0.6): $(cell curve/fit.csv 1 median)" \
    awk -v m="$(cell curve/fit.csv 1 median)" 'BEGIN { d = m * m - 0.12; exit !(d * d < 1e-18) }'
is "curve: deviation" "$(cell curve/fit.csv 1 deviation)" 0
before=$(table product)
exits 0 "again" study friction.yaml -o product -q
is "again: nothing is run" "$(field finished-before) $(field started)" "4 0"
is "again: the same table" "$(table product)" "$before"
PATH=/nowhere "$GABION" study friction.yaml -o product -q >.out 2>.err
is "without gnuplot: exit status" $? 0
says "without gnuplot" "gnuplot is not installed.*product/plots"

# Members again by their number and hash; a hash that differs is reported.
exits 0 "repeat" study friction.yaml -o product --repeat 3
is "repeat" "$(field reproduced) $(field state-hash)" "yes $(cell product/table.csv 3 state_hash)"
exits 0 "repeat by hash" study friction.yaml -o product --repeat "$(cell product/table.csv 2 case_sha256 | cut -c1-12)"
is "repeat by hash" "$(field member)" "$(cell product/table.csv 2 case_sha256)"
for which in 5 0 fffffffffff; do
    exits 2 "repeat $which" study friction.yaml -o product --repeat $which
    says "repeat $which" "1 to 4"
done
sed -i 's/^state-hash: ./state-hash: x/' "product/members/$(cell product/table.csv 3 case_sha256 | cut -c1-16)/result.txt"
exits 1 "repeat of another state" study friction.yaml -o product --repeat 3
says "repeat of another state" "another state hash"

# A study that changed: new members are added, changed ones are rejected or run again.
sed -i 's/0.2, 0.6\]/0.1, 0.2, 0.6]/' friction.yaml
exits 0 "added" study friction.yaml -o product -q
is "added" "$(field finished-before) $(field started)" "4 2"
sed -i 's/end: 0.6/end: 0.4/' tilted_block.yaml
exits 2 "changed" study friction.yaml -o product -q
says "changed" "has changed: member mu=0.1 theta=0.5" "--force"
exits 0 "changed, with --force" study friction.yaml -o product -q --force
is "changed, with --force" "$(field changed) $(field started)" "6 6"
sed -i 's/end: 0.4/end: 0.6/' tilted_block.yaml
exits 0 "changed back" study friction.yaml -o product -q --force
is "changed back: the old results are found" "$(field started)" 0

# Kills. Members have some tenths of a second of work and leave checkpoints.
cat >long.yaml <<'END'
case: crowd.yaml
set: {time.end: 0.1, generators.0.lattice.count: [5, 5, 4], output: {history_every: 1, checkpoint_every: 10}}
vary: [{name: mu, key: laws.0.friction, linear: {from: 0.1, to: 0.6, count: 4}}]
results: [{column: kinetic_energy, of: mean}]
END
exits 0 "undisturbed" study long.yaml -o whole -q -j 2
is "undisturbed" "$(field status) $(field started)" "completed 4"
"$GABION" study long.yaml -o killed -q -j 2 >.out 2>.err &
study=$!
wait_for 60 at_least killed 1
kill -9 $study
wait $study 2>/dev/null
ok "killed: not all were finished" [ "$(finished killed)" -lt 4 ]
exits 0 "after kill -9" study long.yaml -o killed -q -j 2
is "after kill -9" "$(field status) $(field finished)" "completed 4"
ok "after kill -9: finished members are not run again" [ "$(field finished-before)" -ge 1 ]
is "after kill -9: the same table" "$(table killed)" "$(table whole)"
is "after kill -9: the same ends" "$(sed 1d killed/table.csv | wc -l)" 4

# Of a member: the others are not disturbed, and the same command runs it again, from its checkpoint.
rm -rf killed
"$GABION" study long.yaml -o killed -q -j 1 >.out 2>.err &
study=$!
wait_for 60 bash -c 'ls killed/members/*/checkpoint-*.h5'
kill -9 "$(pgrep -P $study)"
wait $study
is "a killed member: exit status" $? 1
says "a killed member" "mu=0.1: killed \(signal 9\)" "1 members failed"
is "a killed member: the others" "$(field finished)" 3
is "a killed member: the table" "$(cell killed/table.csv 1 status)" "killed (signal 9)"
exits 0 "a killed member, again" study long.yaml -o killed -q
is "a killed member, again" "$(field finished-before) $(field started) $(field status)" "3 1 completed"
ok "a killed member, again: resumed" grep -q "resumed from" killed/members/*/run.log
is "a killed member, again: the same table" "$(table killed)" "$(table whole)"

# Ctrl-C: members write checkpoints. Checkpoints that are all damaged: the member starts anew.
rm -rf killed
"$GABION" study long.yaml -o killed -q -j 2 >.out 2>.err &
study=$!
wait_for 60 bash -c 'ls killed/members/*/checkpoint-*.h5'
kill -INT $study
wait $study
is "interrupted: exit status" $? 0
is "interrupted" "$(field status) $(field failed)" "interrupted 0"
for file in killed/members/*/checkpoint-*.h5; do
    truncate -s 1000 "$file"
done
exits 0 "damaged checkpoints" study long.yaml -o killed -q -j 2
is "damaged checkpoints: the same table" "$(table killed)" "$(table whole)"
rm -rf killed whole/plots

# The folder belongs to one command at a time.
flock whole sleep 5 &
lock=$!
sleep 0.3
exits 2 "a folder in use" study long.yaml -o whole -q
says "a folder in use" "another gabion"
kill $lock

# Thresholds: a block slides at mu = tan 20 degrees = 0.36397, up to what it slides in 0.6 s, ...
cat >slide.yaml <<'END'
case: tilted_block.yaml
results: [{column: block.x, of: max, name: slid}]
event: {result: slid, above: 1e-3}
threshold: {name: mu, key: laws.0.friction, from: 0.2, to: 0.6, tolerance: 0.002}
END
exits 0 "slide" study slide.yaml -o slide -q -j 2
is "slide: found" "$(field status) $(field found)" "completed 1"
ok "slide: $(cat slide/thresholds.csv)" awk -F, 'NR == 2 { exit !($3 < 0.36397 && $4 > 0.36397 - 0.0015 && $4 - $3 <= 0.002) }' slide/thresholds.csv
exits 0 "slide, one core" study slide.yaml -o slide1 -q -j 1
is "slide: the same table for any number of cores" "$(table slide1)" "$(table slide)"
is "slide: the same threshold" "$(cat slide1/thresholds.csv)" "$(cat slide/thresholds.csv)"
# ... and tips at atan(b/h): a curve over the width b, h = 0.8.
cat >tip.yaml <<'END'
case: tilted_block.yaml
set:
  gravity: [0, 0, -9.81]
  tilt: {axis: [0, -1, 0], end: 0.2, ramp: {angle: 1, smooth: 0.05}}
  laws.0.friction: 2
  time.step: 4e-3
  time.end: 3
  bodies.1.position: [0, 0, 0.4]
  stop.fall_distance: 0.1
  output: {history_every: 0}
vary: [{name: size, key: bodies.1.box.size, values: [[0.1, 0.2, 0.8], [0.2, 0.2, 0.8]]}]
threshold: {name: angle, key: tilt.ramp.angle, from: 3, to: 20, tolerance: 0.25}
END
exits 0 "tip" study tip.yaml -o tip -q -j 2
ok "tip: $(tail -n 2 tip/thresholds.csv)" awk -F, '
    NR > 1 { split($1, size, /[][ ]/); limit = atan2(size[2], 0.8) * 57.29578; good += $4 <= limit + 0.3 && $5 >= limit - 0.3 }
    END { exit good != 2 }' tip/thresholds.csv
# Thresholds over repetitions: means and deviations are those of thresholds.csv.
sed -e 's/^threshold:.*/threshold: {name: mu, key: laws.0.friction, from: 0.2, to: 0.6, tolerance: 0.02}/' slide.yaml >many.yaml
cat >>many.yaml <<'END'
vary:
  - {name: angle, key: gravity, values: [[3.355, 0, -9.218], [2.539, 0, -9.476]]}
  - {name: theta, key: time.theta, values: [0.5, 0.75, 1]}
ensemble: {over: theta}
END
exits 0 "thresholds over repetitions" study many.yaml -o many -q -j 2
ok "thresholds over repetitions: $(tail -n 2 many/ensemble.csv)" "$PYTHON" - <<'END'
import csv, statistics
groups = {}
for row in csv.DictReader(open('many/thresholds.csv')):
    groups.setdefault(row['angle'], []).append(float(row['mu']))
rows = list(csv.DictReader(open('many/ensemble.csv')))
print(groups, rows)
assert len(rows) == len(groups) == 2
for row in rows:
    values = groups[row['angle']]
    assert len(values) == 3 and abs(float(row['mu_mean']) - statistics.mean(values)) < 1e-9
END

# Both ends alike: reported, and nothing is invented.
sed 's/from: 3, to: 20/from: 3, to: 4/' tip.yaml >same.yaml
exits 0 "no change" study same.yaml -o same -q -j 2
is "no change" "$(field found) $(field without-change)" "0 2"
is "no change: the table" "$(cut -d, -f2,3 same/thresholds.csv | tail -n 1)" "event at neither end,"

# A search for a collapse that no run can report is rejected before anything is run.
sed '/^  stop.fall_distance/d' tip.yaml >blind.yaml
exits 2 "collapse without stop" check blind.yaml
says "collapse without stop" blind.yaml stop.fall_distance stop.fall_speed event
exits 2 "collapse without stop: study" study blind.yaml -o blind -q -j 2
sed 's/^threshold.*/event: {status: [completed]}\n&/' blind.yaml >seeing.yaml
exits 0 "another event" check seeing.yaml

# Options for cases are rejected with a study instead of passed over.
for option in '--set time.end=1' '--from out'; do
    exits 2 "check of a study with $option" check friction.yaml $option
    says "check of a study with $option" friction.yaml 'under `set`'
done

# Array jobs: each task runs one member; then the tables are collected. sbatch is a stand-in.
cat >sbatch <<'END'
#!/bin/bash
last=$(sed -n 's/^#SBATCH --array=1-//p' "$1")
for task in $(seq "$last"); do
    SLURM_ARRAY_TASK_ID=$task SLURM_CPUS_PER_TASK=1 bash "$1" || exit
done
END
chmod +x sbatch
printf 'slurm: {options: ["--time=1:00:00"]}\n' >>friction.yaml
exits 0 "slurm" study friction.yaml -o "array job" --slurm
is "slurm: tasks" "$(field tasks)" 6
ok "slurm: the user's options" grep -q '^#SBATCH --time=1:00:00$' "array job/study.sbatch"
ok "slurm: the tasks" ./sbatch "array job/study.sbatch"
exits 0 "slurm: collect" study friction.yaml -o "array job" --collect
is "slurm: collect" "$(field status) $(field finished-before) $(field started)" "completed 6 0"
exits 0 "slurm: the same in one command" study friction.yaml -o one -q
is "slurm: the same table" "$(table "array job")" "$(table one)"
exits 0 "one task" study friction.yaml -o task --member 2 -q
is "one task: one member" "$(finished task) $(field started)" "1 1"
ok "one task leaves the tables to others" [ ! -e task/table.csv -a ! -e task/manifest.csv ]
exits 2 "no such member" study friction.yaml -o one --member 7
says "no such member" "has 6 members"
exits 0 "collect before the end" study slide.yaml -o early --collect -q
is "collect before the end" "$(field status)" unfinished

# Wrong studies and wrong usage. tests/unit/test_study.c has more of the former.
sed 's/vary:/vari:/' friction.yaml >wrong.yaml
exits 2 "unknown key" study wrong.yaml -o x
says "unknown key" "wrong.yaml:3:1: unknown key .vari. in the study file" "did you mean .vary."
sed 's/laws.0.friction/laws.0.fraction/' friction.yaml >wrong.yaml
exits 2 "a key that no case has" study wrong.yaml -o x
says "a key that no case has" "member mu=0.1 theta=0.5: --set laws.0.fraction=0.1" "did you mean .friction."
sed 's/^case: .*/&\nset: {time.stap: 1}/' friction.yaml >wrong.yaml
exits 2 "a key of set that no case has" study wrong.yaml -o x
says "a key of set that no case has" "member mu=0.1 theta=0.5: --set time.stap=1: unknown key" "did you mean .step."
sed 's/block.x/blok.x/' friction.yaml >wrong.yaml
exits 2 "a column that no history has" study wrong.yaml -o x -q -j 1
says "a column that no history has" "no column .blok.x.; did you mean .block.x."
sed 's/summary: contacts/summary: contract/' friction.yaml >wrong.yaml
exits 2 "a key that no summary has" study wrong.yaml -o wrong -q -j 1
says "a key that no summary has" "wrong/members/.*/result.txt has no key .contract. for summary of results; did you mean .contacts." \
    "the keys are status, steps, time, contacts, .*, probe block.x, .*, max-overlap, .*, time-output, .*, folder\. Members"
is "a key that no summary has: the member is kept" "$(finished wrong)" 1
sed 's/summary: contacts/summary: state-hash/' friction.yaml >wrong.yaml
exits 2 "a key of text" study wrong.yaml -o wrong -q -j 1
says "a key of text" "summary of results: .state-hash: [0-9a-f]*. is not a number; choose another key"
sed 's/summary: contacts/summary: fallen-distance/' friction.yaml >right.yaml
exits 0 "a key that only some runs have" study right.yaml -o wrong -q -j 2
is "a key that only some runs have" "$(field finished) $(cell wrong/table.csv 1 fallen-distance)" "6 "
exits 2 "two modes" study friction.yaml --check --collect
says "two modes" "give one of"
exits 2 "a case is no study" study tilted_block.yaml -o x
says "a case is no study" "missing key .case."
exits 2 "a folder that is a file" study friction.yaml -o friction.yaml
exits 2 "no study" study nothing.yaml -o x
exits 0 "explain study" explain study
ok "explain study" grep -q '^vary: a list of mappings' .out
exits 0 "explain a key of studies" explain study.threshold.tolerance
exits 2 "explain an unknown key of studies" explain study.threshold.tolerence
says "explain an unknown key of studies" "did you mean .tolerance."
exits 0 "explain study --markdown" explain study --markdown
page=$(dirname "$CASES")/../../docs/studies.md
ok "docs/studies.md ends with the output of gabion explain study --markdown" \
    cmp .out <(tail -c "$(wc -c <.out)" "$page")
finish
