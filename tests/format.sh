#!/usr/bin/env bash
# Checks that every C file is formatted as .clang-format says, or with --write formats them. Ends with
# "N passed, M failed". Versions of clang-format differ in what they make of the same settings, so with
# any other than the one named here nothing is checked or written.
#   CLANG_FORMAT  the program (default: clang-format-14 where it exists, else clang-format)
version=14
cd "$(dirname "$0")/.." || exit 2
program=${CLANG_FORMAT:-$(command -v clang-format-$version || echo clang-format)}
found=$("$program" --version 2>/dev/null | sed -nE 's/.*version ([0-9]+).*/\1/p')
if [ "$found" != $version ]; then
    echo "Formatting is not checked: it needs clang-format $version, and ${program##*/} is ${found:-missing}." \
        "Set CLANG_FORMAT to its path."
    [ "${1:-}" != --write ] || exit 1
    echo "0 passed, 0 failed"
    exit 0
fi
mapfile -t files < <(find parallel geometry engine cases io tests -name '*.[ch]' | sort)
if [ "${1:-}" = --write ]; then
    exec "$program" -i "${files[@]}"
fi
# One line for each place: file:line:column: ...
mapfile -t unformatted < <("$program" --dry-run "${files[@]}" 2>&1 | grep -oE '^[^:]+:[0-9]+:[0-9]+' | sort -u -t: -k1,1)
for place in "${unformatted[@]}"; do
    echo "$place: not formatted; run make format"
done
echo "$((${#files[@]} - ${#unformatted[@]})) passed, ${#unformatted[@]} failed"
[ ${#unformatted[@]} -eq 0 ]
