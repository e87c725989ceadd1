#!/usr/bin/env bash
# A folder includes only itself and the folders below it: parallel, geometry, engine, cases, io, tests.
# OpenMP lives in parallel/ alone. Prints every breach; ends with "N passed, M failed".
cd "$(dirname "$0")/.." || exit 2
order="parallel geometry engine cases io tests"
passed=0 failed=0 allowed=""
for folder in $order; do
    allowed="$allowed $folder"
    while IFS=: read -r file line text; do
        target=$(sed -E 's/.*"([^"]+)".*/\1/' <<<"$text")
        if [[ " $allowed " == *" ${target%%/*} "* && $target == */* ]]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "$file:$line: $folder/ may not include \"$target\""
        fi
    done < <(grep -rnE '^#include "' "$folder" --include='*.[ch]')
done
while IFS=: read -r file line _; do
    failed=$((failed + 1))
    echo "$file:$line: OpenMP outside parallel/"
done < <(grep -nE '#pragma omp|<omp.h>' -r geometry engine cases io --include='*.[ch]')
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
