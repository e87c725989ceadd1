# Manual pages and bash completion: both are printed from the tables of the program.
. "$(dirname "$0")/check.sh"

"$GABION" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' >verbs
ok "verbs" [ "$(wc -l <verbs)" -ge 9 ]

# Pages ---------------------------------------------------------------------------------------
mkdir -p man/man1
exits 0 "page of the program" explain --man
cp .out man/man1/gabion.1
while read -r verb; do
    exits 0 "page of $verb" explain --man "$verb"
    cp .out "man/man1/gabion-$verb.1"
    ok "gabion.1 names $verb" grep -q "^.It Cm $verb " man/man1/gabion.1
    ok "gabion.1 refers to $verb" grep -q "^.Xr gabion-$verb 1" man/man1/gabion.1
    for option in $("$GABION" "$verb" --help | sed -n 's/^ *\(-[a-z], \)*--\([a-z-]*\).*/\2/p'); do
        ok "gabion-$verb.1: --$option" grep -qE "^.It .*Fl .-$option( |$)" "man/man1/gabion-$verb.1"
    done
done <verbs
exits 2 "page of a typo" explain --man rum
says "page of a typo" 'did you mean "run"'
if command -v mandoc >/dev/null; then
    for page in man/man1/*; do
        found=$(mandoc -Tlint -Wwarning "$page")
        ok "$page: $found" [ -z "$found" ]
    done
    ok "a page as text" grep -q "the results do not depend" <(mandoc -Tascii man/man1/gabion-run.1)
elif [ "${GABION_ALL_TESTS:-}" = 1 ]; then
    ok "mandoc is missing: .ci/packages test installs it" false
else
    echo "skipped: no mandoc"
fi

# Completion ----------------------------------------------------------------------------------
exits 0 "completion" explain --completion
cp .out completion
exits 2 "completion of a key" explain --completion solver
ok "completion: bash reads it" bash -n completion
mkdir folder
touch case.yaml

# offers WORDS...: what bash offers for the last of them; "=" parts words, as bash does.
offers() {
    bash --norc -c 'compopt() { :; }; source ./completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gabion
        printf "%s\n" "${COMPREPLY[@]}"' _ "$@" 2>&1 | sort | tr '\n' ' '
}
is "verbs" "$(offers gabion re)" "report resume "
is "all verbs" "$(offers gabion '' | tr ' ' '\n' | grep -c '^[a-z]')" "$(wc -l <verbs)"
is "options of the program" "$(offers gabion --v)" "--version "
is "options of a verb" "$(offers gabion run --st)" "--steps --strict "
is "options of another verb" "$(offers gabion resume --unt)" "--until "
is "keys to explain" "$(offers gabion explain solver.tol)" "solver.tolerance "
is "keys to explain, in a list" "$(offers gabion explain drivers.record.sc)" "drivers.record.scale "
is "keys to set" "$(offers gabion run case.yaml --set solver.tol)" "solver.tolerance= "
is "keys to set, in a list" "$(offers gabion run case.yaml --set drivers.0.record.sc)" "drivers.0.record.scale= "
is "keys to set, in a later entry" "$(offers gabion run case.yaml --set drivers.12.record.sc)" "drivers.12.record.scale= "
is "nothing after the key" "$(offers gabion run case.yaml --set solver.tolerance = 1 | tr -d ' ')x" x
is "words" "$(offers gabion solve case --solver n)" "newton nsgs "
is "words after =" "$(offers gabion solve case --measure = f)" "fclib "
is "kinds" "$(offers gabion new x --kind h)" "hopper "
is "files" "$(offers gabion run ca)" "case.yaml "
is "folders alone" "$(offers gabion run case.yaml -o '' | tr ' ' '\n' | grep -cE 'case.yaml|folder')" 1
# Every key that is offered can be explained, and every one with a value can be set.
"$GABION" explain >all
bash --norc -c 'source ./completion; echo "$_gabion_explained"' | grep . >paths
grep -E '^[a-z_]+: .*; (required|optional|default|one of)' all | sed 's/:.*//' | sort >sections
missing=$(sort paths | comm -13 - sections)
ok "sections that are not offered: $missing" [ -z "$missing" ]
wrong=$(while read -r key; do "$GABION" explain "$key" >/dev/null 2>&1 || echo "$key"; done < <(awk 'NR % 9 == 0' paths))
ok "keys that explain does not know: $wrong" [ -z "$wrong" ]
finish
