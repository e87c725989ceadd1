# Helpers for the command-line tests; each test sources this file and ends with `finish`.
: "${GABION:?give the path of the program in GABION}"
GABION=$(realpath "$GABION")
CASES=$(cd "$(dirname "${BASH_SOURCE[0]}")/cases" && pwd)
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 1
PYTHON=${PYTHON:-/usr/bin/python3}
passed=0 failed=0

# ok NAME COMMAND...: the command succeeds.
ok() {
    local name=$1
    shift
    if "$@" >"$WORK/.check" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name"
        sed 's/^/    /' "$WORK/.check" | head -5
    fi
}

# has MODULE: Python has it. Where it does not, what needs it is left out with a message; in make check, which
# installs it and sets GABION_ALL_TESTS=1, that is a failure. Each module is reported once.
lacking=""
has() {
    "$PYTHON" -c "import $1" 2>/dev/null && return
    [[ $lacking != *" $1 "* ]] || return 1
    lacking+=" $1 "
    if [ "${GABION_ALL_TESTS:-}" = 1 ]; then
        ok "$PYTHON has no module $1: .ci/packages test installs it" false
    else
        echo "skipped: $PYTHON has no module $1"
    fi
    return 1
}

# gabion ARGUMENTS...: the program; leaves $status and the files .out and .err.
gabion() {
    "$GABION" "$@" >"$WORK/.out" 2>"$WORK/.err" </dev/null
    status=$?
}

# as_user COMMAND...: as somebody who obeys the modes of files, as root does without these capabilities.
as_user() {
    if [ "$(id -u)" -eq 0 ]; then setpriv --bounding-set=-dac_override,-dac_read_search "$@"; else "$@"; fi
}

# exits N NAME ARGUMENTS...: the exit status; one above 2 is a crash.
exits() {
    local wanted=$1 name=$2
    shift 2
    gabion "$@"
    ok "$name: exit status $status, expected $wanted: $(head -c 300 "$WORK/.err")" \
        [ "$status" -eq "$wanted" ]
}

# says NAME PATTERN...: standard error holds every pattern.
says() {
    local name=$1 pattern
    shift
    for pattern in "$@"; do
        ok "$name: no '$pattern' in: $(head -c 300 "$WORK/.err")" grep -qiE -- "$pattern" "$WORK/.err"
    done
}

# field KEY: its value in the last summary.
field() { sed -n "s/^$1: //p" "$WORK/.out"; }

# is NAME A B: equal and not empty.
is() {
    ok "$1: '$2' against '$3'" [ -n "$2" -a "$2" = "$3" ]
}

# history_of FOLDER: the history without the one column that differs between equal runs.
history_of() {
    awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "wall_time") column = i }
                      { $column = ""; print }' "$1/history.csv"
}

# same_results NAME A B: histories, series and frames are equal byte for byte.
same_results() {
    local name=$1 a=$2 b=$3
    ok "$name: history" cmp <(history_of "$a") <(history_of "$b")
    ok "$name: list of files" diff <(cd "$a" && ls . vtk frames | grep -v '^checkpoint-') \
        <(cd "$b" && ls . vtk frames | grep -v '^checkpoint-')
    for file in "$a"/*.pvd "$a"/vtk/* "$a"/frames/*.h5 "$a"/case.yaml; do
        ok "$name: ${file#"$a"/}" cmp "$file" "$b/${file#"$a"/}"
    done
}

# wait_for SECONDS COMMAND...: until it succeeds.
wait_for() {
    local tries=$(($1 * 20))
    shift
    until "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.05
    done
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}
