#!/usr/bin/env bash
# tests/fuzz/run.sh SECONDS BINARY...: each libFuzzer target for that long, from an empty corpus.
seconds=$1 passed=0 failed=0
shift
for binary in "$@"; do
    work=$(mktemp -d)
    if (binary=$(realpath "$binary") && cd "$work" && "$binary" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 \
        -print_final_stats=1 . >"$work.log" 2>&1); then
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
