# What a run leaves behind, --steps, --force, exit statuses.
. "$(dirname "$0")/check.sh"

exits 0 "run" run "$CASES/box.yaml"
hash=$(field state-hash)
is "status" "$(field status)" completed
is "steps" "$(field steps)" 200
is "time" "$(field time)" 0.2
ok "state-hash has 16 hex digits" grep -qE '^state-hash: [0-9a-f]{16}$' .out
for key in contacts residual unconverged-steps fallback-steps wall-time bodies sweeps ns-per-contact-sweep \
    peak-memory-mb time-solve folder; do
    ok "summary has $key" grep -q "^$key: " .out
done
ok "the summary is all of standard output" bash -c '! grep -vqE "^([a-z-]+|probe [^ ]+): " .out'
for file in case.yaml history.csv run.log checkpoint-000000200.h5 bodies.pvd walls.pvd contacts.pvd; do
    ok "out/box/$file exists" [ -s "out/box/$file" ]
done
is "VTK frames, with the first" "$(ls out/box/vtk/bodies_*.vtp | wc -l)" 11
is "history rows" "$(wc -l <out/box/history.csv)" 101
is "frames" "$(ls out/box/frames/frame-*.h5 | wc -l)" 6
is "checkpoints kept" "$(ls out/box/checkpoint-*.h5 | wc -l)" 3
ok "no temporary file is left" bash -c '! find out -name "*.tmp" | grep -q .'

exits 2 "a second run" run "$CASES/box.yaml"
says "a second run" "--force" "-o"
exits 2 "a bad case with --force" run "$CASES/box.yaml" --force --set time.step=-1
ok "a bad case with --force removes nothing" [ -s out/box/checkpoint-000000200.h5 ]
echo mine >out/box/notes.txt
echo mine >out/box/vtk/notes.vtp
exits 0 "--force" run "$CASES/box.yaml" --force --steps 20 --set output.vtk_every=0
ok "--force keeps what a run did not make" [ -s out/box/notes.txt -a -s out/box/vtk/notes.vtp ]
ok "--force removes old checkpoints" [ ! -e out/box/checkpoint-000000200.h5 ]
ok "--force removes old frames" [ ! -e out/box/vtk/bodies_000000200.vtp -a ! -e out/box/bodies.pvd ]
is "--steps below time.end" "$(field steps)" 20
# Folders whose files cannot be seen: they may hold results, and nothing is removed from beside them.
for hidden in . vtk; do
    rm -rf seen
    cp -r out/box seen
    chmod 300 seen/$hidden
    if as_user ls seen/$hidden >/dev/null 2>&1; then
        echo "SKIPPED: the modes of files are not obeyed here"
        continue
    fi
    as_user "$GABION" run "$CASES/box.yaml" -o seen --force --steps 1 >.out 2>.err </dev/null
    status=$?
    ok "a hidden $hidden: exit status $status" [ $status -eq 2 ]
    says "a hidden $hidden" "cannot see what folder" "Permission denied"
    chmod 755 seen/$hidden
    ok "a hidden $hidden: everything is still there" diff -r out/box seen
done
cp "$CASES/box.yaml" out/case.yaml
exits 2 "the folder of the case itself" run out/case.yaml -o out --force
ok "the case is still there" cmp "$CASES/box.yaml" out/case.yaml

exits 0 "quiet" run "$CASES/box.yaml" -o quiet --quiet --steps 10
ok "--quiet is quiet" [ ! -s .err ]
exits 0 "--steps beyond time.end" run "$CASES/box.yaml" -o beyond --set time.end=0.01 --steps 15
is "--steps beyond time.end" "$(field steps)" 15
exits 0 "--steps 0" run "$CASES/box.yaml" -o none --steps 0
is "--steps 0" "$(field steps)" 0
ok "--steps 0 leaves a checkpoint" [ -s none/checkpoint-000000000.h5 ]
exits 0 "rounded end" run "$CASES/box.yaml" -o round --set time.end=0.3 --set time.step=0.1
is "0.3 s are three steps of 0.1 s" "$(field steps)" 3
exits 0 "rounded end" run "$CASES/box.yaml" -o round2 --set time.end=0.0015 --set time.step=0.0003
is "0.0015 s are five steps of 0.0003 s" "$(field steps)" 5

exits 0 "run of the resolved case" run quiet/case.yaml -o again --steps 10
is "the resolved case gives the same state" "$(field state-hash)" "$("$GABION" info quiet | sed -n 's/^state-hash: //p')"

exits 0 "at rest" run "$CASES/drop.yaml"
is "at rest" "$(field status)" at-rest
ok "at rest before the end" [ "$(field steps)" -lt 1000 ]
exits 0 "--steps does not stop at rest" run "$CASES/drop.yaml" -o rest --steps 1000
is "--steps does not stop at rest" "$(field steps)" 1000

# A ball between walls that close: no impulses obey the law.
cat >squeeze.yaml <<END
time: {step: 1e-3, end: 0.01}
materials: {stone: {density: 2600}}
laws: [{between: default, friction: 0.4}]
bodies:
  - {material: stone, sphere: {radius: 0.1}, position: [0, 0, 0.1]}
  - {material: stone, half_space: {normal: [0, 0, 1]}, position: [0, 0, 0]}
  - {name: lid, material: stone, half_space: {normal: [0, 0, -1]}, position: [0, 0, 0.2]}
drivers: [{group: lid, direction: [0, 0, 1], sine: {amplitude: -0.01, frequency: 5}}]
END
exits 0 "auto unsolved" run squeeze.yaml -o unsolved
says "auto unsolved: what helps" "warning: step [0-9]+ stopped after all stages of solver.method auto.*smaller time.step"
# Grains that fall into a narrow box, by default. Some steps are hard for every method; those are given up early: no step takes as
# many sweeps as the cap, and all together take less than half as many as when each was swept to the cap twice (903,254).
cat >narrow.yaml <<END
time: {step: 1e-3, end: 0.3}
materials: {grain: {density: 2500}, wall: {}}
laws: [{between: default, friction: 0.5}]
containers:
  - {name: box, material: wall, box: {min: [0, 0, 0], max: [0.05, 0.03, 1]}, walls: [xmin, xmax, ymin, ymax, zmin]}
generators:
  - {name: grains, material: grain, fill: {min: [0, 0, 0], max: [0.05, 0.03, 0.35], count: 250, radius: {uniform: [0.0045, 0.0055]}}}
output: {history_every: 1}
END
exits 0 "hard steps of grains" run narrow.yaml -o narrow -q
ok "hard steps of grains: $(field sweeps) sweeps" [ "$(field sweeps)" -lt 400000 ]
ok "hard steps of grains: sweeps of a step" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "spent_nsgs") c = i; next }
    $c > m { m = $c } END { print m; exit !(m > 100 && m < 10000) }' narrow/history.csv
ok "hard steps of grains: overlap $(field max-overlap-relative)" awk "BEGIN { exit !($(field max-overlap-relative) < 1e-3) }"
cap="--set solver.method=nsgs --set solver.max_sweeps=1 --set solver.tolerance=1e-14"
exits 0 "cap accepted" run "$CASES/box.yaml" -o accept $cap
ok "cap accepted in silence" bash -c '! grep -qE "cap of|warning" .err accept/run.log'
ok "unconverged steps are counted" [ "$(field unconverged-steps)" -gt 0 ]
is "nsgs has no fallback" "$(field fallback-steps)" 0

# fallbacks FOLDER: rows in which newton and the sweeps after it both spent iterations.
fallbacks() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
             NR > 1 { count += $column["spent_newton"] > 0 && $column["spent_nsgs"] > 0 } END { print count }' "$1/history.csv"
}
helped="${cap/nsgs/newton} --set output.history_every=1"
exits 0 "sweeps go on for newton" run "$CASES/box.yaml" -o helped $helped
is "fallback steps are counted" "$(field fallback-steps)" "$(fallbacks helped)"
ok "there are some: $(field fallback-steps)" [ "$(field fallback-steps)" -gt 0 ]
exits 0 "sweeps go on for newton, in part" run "$CASES/box.yaml" -o part $helped --steps 100
exits 0 "sweeps go on for newton, resumed" resume part
is "a resumed run counts them all" "$(field fallback-steps)" "$(fallbacks helped)"
exits 0 "cap with a warning" run "$CASES/box.yaml" -o warn $cap --set solver.on_cap=warn
says "cap with a warning" 'warning: step [0-9]+ stopped .*max_sweeps' \
    "warning: $(field unconverged-steps) of 200 steps .*largest residual [0-9].*solver.on_cap: accept"
is "cap with a warning: the first and the count" "$(grep -c "warning:.*at the cap of" .err)" 2
is "cap with a warning: in the log as well" "$(grep -c "warning:.*at the cap of" warn/run.log)" 2
says "cap with a warning: what unsolved contacts gave" "warning: contacts gave bodies [0-9.e+-]+ J beyond their law"
is "cap with a warning: nothing else" "$(grep -c warning: .err)" 3
exits 0 "cap with a warning, resumed" resume warn --steps 20
says "cap with a warning, resumed: the steps of this command" "warning: [0-9]+ of 20 steps"
exits 0 "cap with a warning, quiet" run "$CASES/box.yaml" -o still $cap --set solver.on_cap=warn --quiet
is "cap with a warning, quiet: the warnings stay" "$(grep -c ^warning: .err)" 3
is "cap with a warning, quiet: nothing else" "$(grep -vc ^warning: .err)" 0
exits 1 "cap that stops" run "$CASES/box.yaml" -o stop $cap --set solver.on_cap=stop
is "cap that stops" "$(field status)" stopped
step=$(field steps)
ok "cap that stops leaves the last complete step" [ -s "stop/checkpoint-$(printf %09d "$step").h5" ]
exits 0 "that checkpoint is good" info stop
is "that checkpoint is good" "$(field step)" "$step"

cat >overlap.yaml <<END
title: a ball is put into another
gravity: [0, 0, 0]
time: {step: 1e-3, end: 0.02}
materials:
  stone: {density: 2600}
laws:
  - {between: default, friction: 0.4}
bodies:
  - {material: stone, sphere: {radius: 0.05}, position: [0, 0, 0]}
  - {material: stone, sphere: {radius: 0.02}, position: [0, 0, 0.06], insert_time: 0.01}
END
exits 0 "overlap" run overlap.yaml --set contact.projection=off
says "overlap" "warning: after step 11 .* bodies 0 and 1 overlap by 50 % of the smaller one's size" contact.projection insert_time time.step
says "overlap at the end" "warning: 10 of 20 steps ended .* 50 %, of bodies 0 and 1 in step 11"
is "overlap is reported twice" "$(grep -c overlap .err)" 2
is "the worst pair is in the summary" "$(field max-overlap-bodies)" "0 1"
is "the worst pair is in the history" "$(tail -1 out/overlap/history.csv | cut -d, -f25,26)" "0,1"
exits 0 "overlap heals" run overlap.yaml -o healed
says "overlap heals" "warning: 2 of 20 steps ended"
ok "what is left of it is below a thousandth" awk -v left="$(field max-overlap-relative)" 'BEGIN { exit !(left > 0 && left < 1e-3) }'
exits 0 "no overlap" run overlap.yaml -o apart --set "bodies.1.position=[0, 0, 0.068]"
ok "a small overlap is not reported" bash -c '! grep -q overlap .err'
finish
