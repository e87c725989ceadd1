#!/usr/bin/env bash
# tests/fuzz/run.sh SECONDS BINARY...: each libFuzzer target for that long. Cases start from those of the project, others from
# what is in tests/fuzz/found; readers of HDF5 files change good files of their own.
root=$(cd "$(dirname "$0")/../.." && pwd)
seconds=$1 passed=0 failed=0
# Without this undefined behaviour is printed and the fuzzer goes on.
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
# HDF5 keeps memory from one input to the next, which libFuzzer takes for leaks and looks for after each; they are looked for at the end.
leaks_at_end() { case $1 in bulk_hdf5 | checkpoint | fclib) echo -detect_leaks=0 ;; esac; }
shift
for binary in "$@"; do
    work=$(mktemp -d)
    name=$(basename "$binary" | sed 's/^fuzz_//')
    mkdir -p "$work/seeds"
    cp "$root/tests/fuzz/found/$name"/* "$work/seeds" 2>/dev/null
    [ "$name" != study ] || cp "$root"/cases/studies/*.yaml "$work/seeds"
    [ "$name" != case ] || cp "$root"/cases/*.yaml "$root"/tests/cli/cases/*.yaml "$work/seeds"
    if (binary=$(realpath "$binary") && cd "$work" && "$binary" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 \
        $(leaks_at_end "$name") -print_final_stats=1 . seeds >"$work.log" 2>&1); then
        passed=$((passed + 1))
        echo "$(basename "$binary"): $(sed -n 's/^stat::number_of_executed_units: *//p' "$work.log") inputs"
    else
        failed=$((failed + 1))
        tail -n 30 "$work.log"
    fi
    rm -rf "$work" "$work.log"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
