# Verbs, options, help, suggestions.
. "$(dirname "$0")/check.sh"

exits 0 "--help" --help
for verb in run resume check info explain solve export compare; do
    ok "--help lists $verb" grep -q "^  $verb " .out
done
for verb in run resume check info explain solve export compare; do
    exits 0 "$verb --help" "$verb" --help
    ok "$verb --help is on standard output" grep -q "^usage: gabion $verb" .out
    ok "$verb --help states the exit status" grep -q "Exit status: 0 fine, 1 " .out
    ok "$verb --help says nothing on standard error" [ ! -s .err ]
done
gabion run --help
for option in --output --threads --steps --set --force --quiet; do
    ok "run --help has $option" grep -q -- "$option" .out
done
gabion resume --help
ok "resume --help has --until" grep -q -- --until .out
ok "resume --help has no --force" bash -c '! grep -q -- --force .out'
exits 0 "--version" --version
ok "version" grep -qE '^gabion [0-9]+\.[0-9]+\.[0-9]+$' .out

exits 2 "no command"
says "no command" "gabion --help"
exits 2 "verb typo" rum x.yaml
says "verb typo" 'did you mean "run"'
exits 2 "verb typo" resum x
says "verb typo" 'did you mean "resume"'
exits 2 "option typo" run x.yaml --stesp 3
says "option typo" 'did you mean "--steps"'
exits 2 "option typo with value" run x.yaml --ouptut=there
says "option typo with value" 'did you mean "--output"'
exits 2 "option of another verb" run x.yaml --until 3
says "option of another verb" "gabion run has no option --until"
exits 2 "unknown short option" run x.yaml -z
says "unknown short option" "unknown option -z"
exits 2 "missing target" run
says "missing target" "needs a CASE"
exits 2 "two targets" run a.yaml b.yaml
exits 2 "missing value" run "$CASES/box.yaml" --steps
says "missing value" "--steps needs a value"
exits 2 "option in place of a value" run "$CASES/box.yaml" -o --force
for bad in -3 1.5 x 1e3 99999999999999999999 ""; do
    exits 2 "--steps '$bad'" run "$CASES/box.yaml" --steps "$bad"
done
for bad in -1 x 100000 2x; do
    exits 2 "-j '$bad'" run "$CASES/box.yaml" -j "$bad"
done
for bad in x nan inf -1 ""; do
    exits 2 "--until '$bad'" resume out --until "$bad"
done
exits 2 "--steps and --until" resume out --until 1 --steps 1
exits 2 "--set without =" run "$CASES/box.yaml" --set time.end
exits 2 "flag with a value" run "$CASES/box.yaml" --force=yes
ok "nothing was written" [ ! -e out ]

exits 0 "explain" explain
exits 0 "explain a key" explain solver.tolerance
ok "explain a key" grep -q tolerance .out
exits 2 "explain a typo" explain solver.tolerence
says "explain a typo" tolerance
exits 0 "explain --markdown" explain --markdown
ok "explain --markdown" grep -q '^#' .out
exits 0 "info" info
ok "info" grep -q "^version: " .out
"$GABION" info >/dev/full 2>.err
ok "a full standard output is a failure" [ $? -eq 1 ]
finish
