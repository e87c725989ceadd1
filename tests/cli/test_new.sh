# `gabion new`: every kind is a case that passes gabion check without a warning and runs; nothing is overwritten.
. "$(dirname "$0")/check.sh"
TREE=$(cd "$CASES/../../.." && pwd)

exits 0 "new --help" new --help
kinds=$(sed -n '/^kinds:/,/^$/s/^  \([a-z]*\) .*/\1/p' .out)
ok "kinds: $kinds" [ "$(wc -w <<<"$kinds")" -ge 10 ]
is "a kind for each text of cases/new" "$(tr ' ' '\n' <<<"$kinds" | sort | tr '\n' ' ')" \
    "$(cd "$TREE/cases/new" && ls ./*.yaml | sed 's/.*\/\(.*\).yaml/\1/' | sort | tr '\n' ' ')"

for kind in $kinds; do
    exits 0 "$kind: new" new "my-$kind" --kind "$kind"
    is "$kind: what it wrote" "$(field case)" "my-$kind.yaml"
    ok "$kind: the name is filled in" grep -q "gabion run my-$kind.yaml" "my-$kind.yaml"
    ok "$kind: no mark is left" bash -c '! grep -q @ "$1"' _ "my-$kind.yaml"
    ok "$kind: comments" [ "$(grep -c '^ *#' "my-$kind.yaml")" -ge 5 ]
    exits 0 "$kind: check --strict" check "my-$kind.yaml" --strict
    is "$kind: warnings" "$(field warnings)" 0
    exits 0 "$kind: run" run "my-$kind.yaml" --steps 3 -q -j 1 --strict
    is "$kind: status" "$(field status)" completed
done
ok "the text is that of the tree" diff <(sed 's/@NAME@/my-drum/g' "$TREE/cases/new/drum.yaml") my-drum.yaml
ok "the table is that of the tree" cmp "$TREE/cases/new/tower.csv" my-tower.csv

# The default, names with a folder or an ending, --force.
exits 0 "default kind" new plain
is "default kind" "$(field kind)" box
mkdir folder
exits 0 "in a folder, with the ending" new folder/deep.yaml --kind tower
ok "in a folder: both files" [ -s folder/deep.yaml -a -s folder/deep.csv ]
ok "in a folder: the table's name has no folder" grep -q 'file: "deep.csv"' folder/deep.yaml
exits 0 "in a folder: check" check folder/deep.yaml --strict
echo mine >plain.yaml
exits 2 "exists" new plain
says "exists" "plain.yaml exists" "--force"
is "exists: kept" "$(cat plain.yaml)" mine
echo mine >new-tower.csv
exits 2 "the table exists" new new-tower --kind tower
ok "the table exists: nothing was written" [ ! -e new-tower.yaml -a "$(cat new-tower.csv)" = mine ]
exits 0 "--force" new plain --force
ok "--force: replaced" grep -q materials plain.yaml

# Mistakes.
exits 2 "no name" new
says "no name" "needs a NAME"
exits 2 "kind typo" new x --kind hoper
says "kind typo" 'did you mean "hopper"'
for bad in 'a b' 'a"b' $'a\nb' '.hidden' 'folder/' 'a@b' ''; do
    exits 2 "name '$bad'" new "$bad"
done
exits 2 "name too long" new "$(printf 'n%.0s' {1..5000})"
mkdir taken.yaml
exits 2 "a folder of that name" new taken --force
exits 1 "no such folder" new nowhere/case
says "no such folder" "nowhere/case.yaml"
as_user bash -c 'mkdir closed && chmod 500 closed'
as_user "$GABION" new closed/case >/dev/null 2>.err
ok "a folder that is closed" [ $? -eq 1 -a -s .err ]
"$GABION" new brief >/dev/full 2>.err
ok "a full standard output is a failure" [ $? -eq 1 ]
ok "no temporary file is left" [ -z "$(find . -name '*.tmp*')" ]
finish
