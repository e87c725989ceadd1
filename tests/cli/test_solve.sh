# Contact problems by themselves: export, info, solve, compare.
. "$(dirname "$0")/check.sh"
here=$(dirname "$CASES") root=$(realpath "$CASES/../../..")
file() { "$PYTHON" "$here/fclib_file.py" "$@"; }
residuals() { "$PYTHON" "$root/tests/validation/fclib_check.py" "$@"; }
has h5py || finish

# near NAME A B TOLERANCE: relative.
near() {
    ok "$1: $2 against $3" awk -v a="$2" -v b="$3" -v t="$4" \
        'BEGIN { d = a - b; s = b < 0 ? -b : b; exit !(a != "" && b != "" && (d < 0 ? -d : d) <= t * s) }'
}

# Export: the same problem from a case, a folder and a checkpoint; the run's own numbers.
exits 0 "run" run "$CASES/box.yaml" -o box --quiet --set output.history_every=1 --set output.checkpoint_keep=5
cp -r box before
exits 0 "export from a folder" export box --fclib folder.hdf5 --step 120
is "its step" "$(field step)" 120
is "its time" "$(field time)" 0.12
exits 0 "export from a case" export "$CASES/box.yaml" --fclib case.hdf5 --step 120 -j 1
exits 0 "export from a checkpoint" export box/checkpoint-000000100.h5 --fclib checkpoint.hdf5 --step 120 -j 3
for name in fclib_local/W/p fclib_local/W/i fclib_local/W/x fclib_local/vectors/q fclib_local/vectors/mu solution/u solution/r; do
    ok "$name from a case, to the last bit" file same case.hdf5 folder.hdf5 $name
    ok "$name from a checkpoint, to the last bit" file same checkpoint.hdf5 folder.hdf5 $name
done
ok "export leaves the folder alone" diff -r box before
report=$(file layout folder.hdf5)
ok "layout: $report" grep -qE '^[1-9][0-9]* passed, 0 failed$' <<<"$(tail -n 1 <<<"$report")"
exits 0 "the step after the newest checkpoint" export box --fclib next.hdf5
is "its step" "$(field step)" 201
exits 0 "the first step of a case" export "$CASES/masonry.yaml" --fclib first.hdf5
is "its step" "$(field step)" 1

# The numbers of the run, of the file as Gabion reads it, and of numpy are the same.
column=$(head -n 1 box/history.csv | tr , '\n' | grep -n '^residual_fclib$' | cut -d: -f1)
reported=$(awk -F, -v c="$column" '$1 == 120 { print $c }' box/history.csv)
read -r _ scaled fclib difference <<<"$(residuals folder.hdf5)"
near "residual of numpy and of the run" "$fclib" "$reported" 1e-4
exits 0 "info" info folder.hdf5
near "info: scaled" "$(field residual-scaled)" "$scaled" 1e-4
near "info: fclib" "$(field residual-fclib)" "$fclib" 1e-4
is "info: symmetric" "$(field symmetric)" yes
is "info: friction" "$(field friction-min) $(field friction-max)" "0.4 0.4"
is "info: solution" "$(field solution)" yes
is "info: title" "$(field title)" "sixty grains fall into a shaken box"
ok "u of the file: $difference" awk -v d="$difference" 'BEGIN { exit !(d != "" && d < 1e-13) }'

exits 2 "export over a file" export box --fclib folder.hdf5
says "export over a file" 'folder.hdf5 exists' '--force'
exits 0 "export over a file with --force" export box --fclib folder.hdf5 --force --step 120
exits 2 "export without a file" export box
says "export without a file" '--fclib FILE'
exits 2 "export of a step without contacts" export "$CASES/drop.yaml" --fclib none.hdf5
says "export of a step without contacts" 'no contacts in step 1' '--step'
exits 2 "export of a step that is past" export box/checkpoint-000000100.h5 --fclib none.hdf5 --step 100
says "export of a step that is past" 'step 100'
exits 2 "export before the oldest checkpoint" export box --fclib none.hdf5 --step 3
says "export before the oldest checkpoint" 'oldest is of step 50'
exits 2 "export from nothing" export absent --fclib none.hdf5
exits 2 "step 0" export box --fclib none.hdf5 --step 0
exits 1 "export to nowhere" export box --fclib nowhere/at/all.hdf5
says "export to nowhere" 'nowhere/at/all.hdf5'
ok "nothing was written" [ ! -e none.hdf5 -a ! -e none.hdf5.part ]

# One nsgs: an exported step solved again from the run's start takes the run's sweeps and gives its bits,
# whatever the threads. The runs: spheres at the cap and converged, blocks, clumps with a drum, 2D disks.
column_of() { awk -F, -v step="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
                                                 $1 == step { print $c }' "$1/history.csv"; }
again() {
    local name=$1 case=$2 step=$3 tolerance=$4 cap=$5
    shift 5
    exits 0 "$name: run" run "$case" -o "again-$name" --quiet --steps "$step" --set output.history_every=1 \
        --set output.vtk_every=0 --set solver.method=nsgs --set solver.tolerance="$tolerance" \
        --set solver.max_sweeps="$cap" "$@"
    exits 0 "$name: export" export "$case" --fclib "$name.hdf5" --step "$step" --set solver.method=nsgs \
        --set solver.tolerance="$tolerance" --set solver.max_sweeps="$cap" "$@"
    cp "$name.hdf5" "$name-again.hdf5"
    gabion solve "$name-again.hdf5" --warm --solver nsgs --tol "$tolerance" --max "$cap" -j 3 --save
    is "$name: sweeps" "$(field iterations)" "$(column_of "again-$name" "$step" sweeps)"
    is "$name: the run's own count" "$(column_of "again-$name" "$step" spent_nsgs)" "$(field iterations)"
    is "$name: method" "$(column_of "again-$name" "$step" method)" nsgs
    ok "$name: the bits of the run" file same "$name-again.hdf5" "$name.hdf5" solution/r solution/u
    gabion solve "$name-again.hdf5" --solver nsgs --tol "$tolerance" --max "$cap" --save
    ok "$name: from zero it is another answer" bash -c \
        "! $PYTHON $here/fclib_file.py same $name-again.hdf5 $name.hdf5 solution/r"
}
papers=$root/cases/papers
again settling "$papers/settling_80.yaml" 30 1e-4 1000
again capped "$papers/settling_80.yaml" 100 1e-4 37
again wall "$papers/masonry_wall.yaml" 12 1e-5 2000
again clumps "$CASES/shapes.yaml" 46 1e-4 500 # a step that is solved once
again disks "$papers/cannonball.yaml" 20 1e-4 500
cp settling.hdf5 changed.hdf5
file set changed.hdf5 fclib_local/vectors/mu 0 0.25
exits 0 "a file changed since" solve changed.hdf5 --warm --solver nsgs --tol 1e-4
cp settling.hdf5 forged.hdf5
file set forged.hdf5 gabion/contacts/antagonist 0 123456
exits 2 "a contact with a body that is not there" solve forged.hdf5
says "a contact with a body that is not there" "gabion/contacts', row 0: the contact names a body"
file set forged.hdf5 gabion/contacts/antagonist 0 5
file set forged.hdf5 gabion/contacts/normal 0 nan
exits 2 "a normal that is not a number" solve forged.hdf5
says "a normal that is not a number" "gabion/contacts/normal', row 0: expected a finite number"

cp settling.hdf5 forged.hdf5
file set forged.hdf5 gabion/bodies/mass 3 0
exits 2 "a moving body without mass" solve forged.hdf5
says "a moving body without mass" "gabion/bodies', row 3: expected a moving body"

# The local solvers mean the same in a run and in a file, and a substitution is reported.
exits 0 "a run with explicit on blocks" run "$papers/masonry_wall.yaml" -o substituted --steps 2 \
    --set solver.method=nsgs --set solver.local=explicit
says "a run with explicit on blocks" 'solver.local explicit cannot serve [1-9][0-9]* contacts'
ok "and its log" grep -q 'solver.local explicit cannot serve' substituted/run.log
exits 0 "explicit on blocks" solve wall.hdf5 --warm --solver nsgs --local explicit --tol 1e-5 --max 2000 --save
ok "is newton, and says so: $(field note)" grep -q 'local explicit cannot serve .* newton did' .out
explicit=$(field iterations)
exits 0 "newton on blocks" solve wall.hdf5 --warm --solver nsgs --local newton --tol 1e-5 --max 2000
is "explicit and newton on blocks" "$explicit" "$(field iterations)"
exits 0 "auto on blocks" solve wall.hdf5 --warm --solver nsgs --tol 1e-5 --max 2000
is "auto and newton on blocks" "$explicit" "$(field iterations)"
ok "auto substitutes nothing" bash -c '! grep -q "^note:" .out'
cp settling.hdf5 explicit.hdf5
exits 0 "explicit on spheres" solve explicit.hdf5 --warm --solver nsgs --local explicit --tol 1e-4 --max 1000 --save
ok "is auto there" file same explicit.hdf5 settling.hdf5 solution/r

# Solve: a problem with a closed form.
file make one.hdf5
cp one.hdf5 bare.hdf5
exits 2 "warm without a guess" solve bare.hdf5 --warm
says "warm without a guess" '--warm needs start impulses'
exits 0 "info on a file of h5py" info one.hdf5
is "its title" "$(field title)" "one contact"
is "it has no solution" "$(field solution)" no
exits 0 "solve" solve one.hdf5 --solver newton --tol 1e-10 --save --history one.csv
is "status" "$(field status)" converged
is "solver" "$(field solver)" newton
is "contacts" "$(field contacts)" 1
for key in residual residual-scaled residual-fclib iterations time; do
    ok "$key is a bare number: $(field $key)" grep -qE '^[0-9.e+-]+$' <<<"$(field $key)"
done
is "residual is the scaled one" "$(field residual)" "$(field residual-scaled)"
ok "residual" awk -v r="$(field residual)" 'BEGIN { exit !(r <= 1e-10) }'
ok "r: $(file get one.hdf5 solution/r)" awk '{ exit !($1 - 0.5 < 1e-9 && 0.5 - $1 < 1e-9 && $2 + 0.25 < 1e-9 && -0.25 - $2 < 1e-9 && NF == 3) }' \
    <<<"$(file get one.hdf5 solution/r)"
ok "u: $(file get one.hdf5 solution/u)" awk '{ exit !($1 < 1e-9 && -$1 < 1e-9 && $2 - 1.5 < 1e-9 && 1.5 - $2 < 1e-9) }' \
    <<<"$(file get one.hdf5 solution/u)"
is "the problem stays" "$(file get one.hdf5 fclib_local/W/x)" "2 2 2"
is "history" "$(head -n 1 one.csv)" "iteration,residual-scaled,residual-fclib"
is "history ends with the answer" "$(tail -n 1 one.csv | cut -d, -f1)" "$(field iterations)"
chmod 640 one.hdf5
ln -s one.hdf5 link.hdf5
exits 0 "save through a link" solve link.hdf5 --solver ipm --save
ok "the link stays a link" [ -L link.hdf5 ]
is "the mode stays" "$(stat -c %a one.hdf5)" 640
exits 0 "solve without --save" solve bare.hdf5 --solver newton
ok "without --save nothing is stored" bash -c "! $PYTHON $here/fclib_file.py get bare.hdf5 solution/r"
exits 0 "the other measure" solve folder.hdf5 --solver newton --measure fclib --tol 1e-9 --save
is "residual is the unscaled one" "$(field residual)" "$(field residual-fclib)"
read -r _ scaled fclib difference <<<"$(residuals folder.hdf5)"
ok "numpy agrees: $fclib" awk -v f="$fclib" 'BEGIN { exit !(f != "" && f <= 1e-9) }'
near "scaled by numpy" "$(field residual-scaled)" "$scaled" 1e-2

exits 1 "cap" solve folder.hdf5 --solver newton --max 1 --tol 1e-14 --save
is "cap" "$(field status)" cap
says "cap" 'folder.hdf5: not solved: cap after 1 iterations' 'what was found is in the file'
for cap in 3 7 12; do # in the middle of a Newton iteration, too
    exits 1 "cap $cap" solve "$CASES/../../problems/wall.hdf5" --solver newton --max $cap
    is "cap $cap: iterations" "$(field iterations)" $cap
done
cp first.hdf5 rejected.hdf5
exits 1 "rejected" solve rejected.hdf5 --solver psor --save
ok "a rejection leaves the stored solution alone" cmp first.hdf5 rejected.hdf5
is "a frictionless method rejects friction" "$(field status)" rejected
ok "and says why" [ -n "$(field note)" ]
exits 2 "local solver of a method without one" solve one.hdf5 --solver newton --local exact
says "local solver of a method without one" 'no local solver'

exits 2 "local solver that is never used" solve one.hdf5 --solver anderson --local lemke
says "local solver that is never used" 'anderson sweeps with the exact local solver' 'only nsgs offers local solvers'
exits 0 "the one that is" solve one.hdf5 --solver anderson --local exact
exits 0 "any one with nsgs" solve one.hdf5 --solver nsgs --local qp
is "local" "$(field local)" qp

exits 2 "solver typo" solve one.hdf5 --solver newtn
says "solver typo" 'did you mean "newton"' 'nsgs, psor'
exits 2 "local typo" solve one.hdf5 --local exakt
exits 2 "measure typo" solve one.hdf5 --measure siconos
for bad in 0 -1 x nan 1e-4,1e-8 ""; do
    exits 2 "--tol '$bad'" solve one.hdf5 --tol "$bad"
done
exits 2 "--relaxation 2" solve one.hdf5 --relaxation 2
exits 2 "--cone-sides 2" solve one.hdf5 --cone-sides 2
exits 2 "--max x" solve one.hdf5 --max x
exits 2 "no problem" solve
exits 2 "two problems" solve one.hdf5 bare.hdf5
file pack first.hdf5 packed.hdf5
exits 0 "a compressed file" solve packed.hdf5 --solver newton
packed=$(field iterations)
exits 0 "and as it was" solve first.hdf5 --solver newton
is "compressed or not" "$packed" "$(field iterations)"

# Bad files.
exits 2 "missing file" solve absent.hdf5
says "missing file" 'absent.hdf5: no such file'
exits 2 "folder" solve box
exits 2 "case in place of a problem" solve "$CASES/box.yaml"
exits 2 "checkpoint in place of a problem" solve box/checkpoint-000000100.h5
says "checkpoint in place of a problem" 'not an FCLIB file'
cp one.hdf5 nan.hdf5
file set nan.hdf5 fclib_local/vectors/q 1 nan
for verb in solve info compare; do
    exits 2 "$verb: not a number" $verb nan.hdf5
    says "$verb: not a number" "nan.hdf5: '/fclib_local/vectors/q'\[1\] is -?nan"
done
cp one.hdf5 friction.hdf5
file set friction.hdf5 fclib_local/vectors/mu 0 -0.5
exits 2 "negative friction" solve friction.hdf5
says "negative friction" "mu'\[0\] is -0.5"
cp one.hdf5 plane.hdf5
file set plane.hdf5 fclib_local/spacedim 0 2
exits 2 "two dimensions" solve plane.hdf5
says "two dimensions" 'only problems in 3 dimensions'
for part in 100 1000 2000; do
    head -c $part one.hdf5 >cut.hdf5
    exits 2 "the first $part bytes" solve cut.hdf5
    exits 2 "info on the first $part bytes" info cut.hdf5
done
ulimit -S -f 8 # of 1024 bytes
exits 1 "no room for the solution" solve folder.hdf5 --solver newton --save
exits 1 "no room for a problem" export box --fclib folder.hdf5 --force
says "no room for a problem" 'folder.hdf5' 'file too large'
ok "nothing is left half written: $(ls)" bash -c '! ls | grep -qE "part|tmp"'
ulimit -S -f unlimited
exits 0 "the old file is whole" info folder.hdf5

# Compare.
exits 0 "compare" compare one.hdf5 first.hdf5 --solvers newton,psor --tol 1e-4,1e-8 -o table
is "rows" "$(wc -l <table.csv)" 9
is "columns" "$(head -n 1 table.csv)" \
    "problem,contacts,solver,tolerance,status,iterations,time,residual-scaled,residual-fclib"
ok "rejections are explained below the table" grep -qE '^first.hdf5, psor, 1e-08: psor is for frictionless' .out
ok "each pair is there" grep -qE '^"first.hdf5",[0-9]+,newton,1e-08,converged,' table.csv
is "who is best always" "$(grep -c '^1e-08,newton,1,1$' table-profile.csv)" 1
is "who solves nothing" "$(grep -c ',psor,1,0$' table-profile.csv)" 2
ok "the picture is XML" "$PYTHON" -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' table-profile.svg
ok "both solvers are in the picture" bash -c 'grep -q ">newton<" table-profile.svg && grep -q ">psor<" table-profile.svg'
ok "profile rows" grep -qE '^ +inf +1\.000 +0\.000$' .out
is "problems" "$(field problems)" 2
exits 2 "compare goes on after a bad file" compare nan.hdf5 one.hdf5 absent.hdf5 --solvers newton --tol 1e-6
says "compare goes on after a bad file" "nan.hdf5: '/fclib_local/vectors/q'" 'absent.hdf5: no such file' \
    '2 of 3 files could not be read'
is "the good one is there" "$(grep -c '^one.hdf5 .* converged ' .out)" 1
is "unreadable" "$(field unreadable)" 2
exits 2 "list with a typo" compare one.hdf5 --solvers newton,nsg
says "list with a typo" 'unknown solver "nsg"'
exits 2 "local typo in a list" compare one.hdf5 --solvers nsgs/exakt
says "local typo in a list" 'did you mean "exact"'
exits 2 "local solver that has no effect" compare one.hdf5 --solvers nsgs,newton/exact
says "local solver that has no effect" 'newton does not solve contacts one by one'
exits 2 "tolerance typo in a list" compare one.hdf5 --tol 1e-4,
finish
