#!/usr/bin/env bash
# tests/tally.sh COMMAND...: runs shell commands that end with "N passed, M failed" one after the other
# and closes with the sum. A command that ends otherwise counts as failed.
passed=0 failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for command in "$@"; do
    echo "== $command"
    bash -c "$command" | tee "$log"
    if [[ $(tail -n 1 "$log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
    else
        echo "$command: ended without a result"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
