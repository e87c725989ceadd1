# Every command of README.md and docs/, cut to a few steps; `make docs-check` makes more. What the script notices is
# tried on a page of its own.
. "$(dirname "$0")/check.sh"
TREE=$(cd "$CASES/../../.." && pwd)
commands() { GABION=$GABION PYTHON=$PYTHON "$PYTHON" "$TREE/tests/docs/commands.py" "$@"; }

cat >page.md <<'END'
A page with `gabion run x.yaml --steps 3` and `make check`.

    gabion new case --kind import    # writes two files
    gabion run case.yaml \
        -q

<!-- docs: file other.yaml -->
```yaml
time: {step: 1, end: 1}
```
<!-- docs: append other.yaml -->
```yaml
oops: 1
```
<!-- docs: fails -->
```sh
gabion check other.yaml
```
<!-- docs: skip it would fail -->
```sh
false
```
<!-- docs: long it takes a while -->

    gabion nothing
END
commands "$WORK/page.md" >report
ok "a good page: $(cat report)" grep -qx "4 passed, 0 failed" report
commands --long "$WORK/page.md" >report
ok "--long runs what is long" grep -q 'page.md:25: failed' report
# wrong NAME LINES PATTERN: a page of these lines is rejected.
wrong() {
    printf '%b\n' "$2" >wrong.md
    commands "$WORK/wrong.md" >report
    ok "$1: $(cat report)" grep -qE "FAILED: .*$3" report
}
wrong "a command that fails" 'text\n\n    gabion check nowhere.yaml' 'wrong.md:3: failed'
wrong "a command that fails before others" 'text\n\n    gabion check nowhere.yaml\n    gabion info' 'wrong.md:3: failed'
wrong "a target of make" '```sh\nmake nonsense\n```' 'wrong.md:2: failed'
wrong "a verb between backquotes" 'text `gabion walk x`' 'no command walk'
wrong "an option between backquotes" 'text `gabion run x --stesp 3`' 'no option --stesp'
wrong "a target between backquotes" 'text `make nonsense`' 'no target nonsense'
wrong "skipped without a reason" '<!-- docs: skip -->\n```sh\nfalse\n```' 'needs a reason'

commands >report 2>&1
status=$?
grep '^FAILED' -A 5 report
ok "the manual: $(tail -n 1 report)" [ "$status" -eq 0 ]
ok "the manual has commands" awk 'END { exit !($1 > 40) }' report
finish
