# The installed library: what is in it, that programs build against it in C and in C++, shared and
# static, and that make uninstall takes it away again.
source "$(dirname "$0")/check.sh"
ROOT=$(cd "$CASES/../../.." && pwd)
PREFIX=$WORK/prefix
cc=${CC:-cc} cxx=${CXX:-c++}
strict="-Wall -Wextra -Wpedantic -Werror"

# Relative to the root, as make itself names its files.
build=$(realpath --relative-to="$ROOT" "$(dirname "$GABION")")
in_root() { make -C "$ROOT" --no-print-directory BUILD="$build" "$@"; }

ok "make install" in_root install PREFIX="$PREFIX"
export PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig LD_LIBRARY_PATH=$PREFIX/lib
version=$(pkg-config --modversion gabion)

# What the libraries show is what the header declares, name by name.
sed -n 's/^GABION_API.*\(gabion_[a-z0-9_]*\)(.*/\1/p' "$PREFIX/include/gabion.h" | sort >declared
nm -D --defined-only "$PREFIX/lib/libgabion.so" | awk '{ print $3 }' | sort >exported
nm -g --defined-only "$PREFIX/lib/libgabion.a" | awk 'NF == 3 { print $3 }' | sort >archived
ok "the header declares functions" [ "$(wc -l <declared)" -gt 50 ]
ok "names of the shared library" diff declared exported
ok "names of the static library" diff declared archived
untried=$(grep -vxFf <(grep -oE 'gabion_[a-z0-9_]+' "$ROOT/tests/unit/test_bad_hands.c" | sort -u) declared)
ok "functions that test_bad_hands.c does not try: $untried" [ -z "$untried" ]
is "soname" "$(objdump -p "$PREFIX/lib/libgabion.so" | awk '$1 == "SONAME" { print $2 }')" \
    "libgabion.so.${version%%.*}"
is "version of the program" "gabion $version" "$("$PREFIX/bin/gabion" --version)"

# The header by itself.
ok "header: no other header of ours" [ "$(grep -c '#include "' "$PREFIX/include/gabion.h")" -eq 0 ]
ok "header: names" [ -z "$(grep -oE '^#define [A-Za-z_]+|^(struct|enum) [a-z_0-9]+' \
    "$PREFIX/include/gabion.h" | awk '{ print $2 }' | grep -vE '^(GABION|gabion)_')" ]
printf '#include <gabion.h>\n#include <gabion.h>\n' >alone.c
cat >alone.cpp <<'END'
#include <gabion.h>
#include <cstdio>
int main() {
    gabion_settings settings = gabion_default_settings();
    gabion_error error = {};
    gabion_world *world = gabion_create(&settings, 1, &error);
    gabion_vec3 size = {1, 1, 1};
    std::printf("%s %d\n", gabion_version(), gabion_add_box(world, size, &error));
    gabion_destroy(world);
    return error.status;
}
END
for standard in c99 c11 c17; do
    ok "header: $standard" $cc -std=$standard $strict -I"$PREFIX/include" -c alone.c -o alone.o
done
for standard in c++11 c++17 c++20; do
    ok "header: $standard" $cxx -std=$standard $strict -I"$PREFIX/include" -c alone.cpp -o alone.o
done
ok "a program in C++" $cxx alone.o $(pkg-config --libs gabion) -o alone
is "a program in C++: what it says" "$(./alone)" "$version 0"

# The examples, shared and static, must say the same.
static=$(pkg-config --static --libs gabion | sed 's/-lgabion/-l:libgabion.a/')
for example in "$ROOT"/tests/examples/*.c; do
    name=$(basename "$example" .c)
    ok "$name: at most 60 lines" [ "$(wc -l <"$example")" -le 60 ]
    ok "$name: shared" $cc -std=c17 $strict "$example" $(pkg-config --cflags --libs gabion) -lm -o "$name"
    ok "$name: is shared" grep -q libgabion.so.0 <(ldd "./$name")
    ok "$name: static" $cc -std=c17 $strict "$example" $(pkg-config --cflags gabion) $static -o "$name.static"
    ok "$name: is static" [ -z "$(ldd "./$name.static" | grep libgabion)" ]
    ok "$name: runs" eval "./$name >$name.out"
    ok "$name: runs without the shared library" eval "LD_LIBRARY_PATH= ./$name.static >$name.static.out"
    ok "$name: shared and static agree" diff "$name.out" "$name.static.out"
done

# A program may have functions of its own with every name that the library uses inside.
nm -g --defined-only "$(dirname "$GABION")/libgabion.a" |
    awk 'NF == 3 && $3 !~ /^gabion_/ { print $3 }' | sort -u >inside
ok "names inside: $(wc -l <inside)" [ "$(wc -l <inside)" -gt 500 ]
{ echo '#include <stdlib.h>'; awk '{ printf "void %s(void);\nvoid %s(void) { abort(); }\n", $1, $1 }' inside; } >clash.c
ok "clash: compiles" $cc -std=c17 -fno-builtin -c clash.c
for kind in "$(pkg-config --libs gabion)" "$static"; do
    ok "clash: links" $cc "$ROOT/tests/examples/drop_heap.c" clash.o $(pkg-config --cflags gabion) $kind -lm -o clash
    ok "clash: runs" eval "./clash >clash.out"
    ok "clash: says the same" diff drop_heap.out clash.out
done

# near NAME FILE KEY EXPRESSION TOLERANCE: the value of a key against a closed form.
near() {
    ok "$1: $(grep "^$3 " "$2") against $4" awk -v key="$3" -v tolerance="$5" "
        { value[\$1] = \$2 } END { d = value[key] - ($4); exit !((key in value) && d * d <= tolerance ^ 2) }" "$2"
}

near "heap: impulse of the floor" drop_heap.out impulse 'value["weight"] * value["time"] + value["momentum"]' 1e-9
near "heap: weight of 125 glass beads" drop_heap.out weight '125 * 2500 * 4 / 3 * atan2(0, -1) * 1e-6 * 9.81' 1e-8
near "heap: time" drop_heap.out time 0.4 1e-12
near "heap: books" drop_heap.out energy-closes 1 0
near "wall: stands" push_wall.out stood 0 1e-9
near "wall: slides" push_wall.out slid '(0.6 - 0.4) * 9.81 * 0.2 ^ 2 / 2' 1e-6
near "wall: as one" push_wall.out top '1.5 + (0.6 - 0.4) * 9.81 * 0.2 ^ 2 / 2' 1e-6
for side in 0 1; do
    near "groove: side $side" solve_problem.out normal$side '9.81e-3 / sqrt(3)' 1e-11
    near "groove: friction of side $side" solve_problem.out along$side '-0.3 * 9.81e-3 / sqrt(3)' 1e-11
    near "groove: across side $side" solve_problem.out across$side 0 1e-11
done
near "groove: solved" solve_problem.out converged 1 0

# Uninstalling leaves what others put there.
touch "$PREFIX/share/gabion/cases/mine.yaml" "$PREFIX/lib/other.so"
ok "make uninstall" in_root uninstall PREFIX="$PREFIX"
is "what is left" "$(cd "$PREFIX" && find . -type f -o -type l | sort | tr '\n' ' ')" \
    "./lib/other.so ./share/gabion/cases/mine.yaml "
rm "$PREFIX/share/gabion/cases/mine.yaml"
ok "make uninstall again" in_root uninstall PREFIX="$PREFIX"
ok "empty folders of our own are gone" [ ! -e "$PREFIX/share/gabion" ]
ok "make install into DESTDIR" in_root install PREFIX=/opt/gabion DESTDIR="$WORK/stage"
ok "DESTDIR is not in gabion.pc" grep -qx 'prefix=/opt/gabion' "$WORK/stage/opt/gabion/lib/pkgconfig/gabion.pc"
ok "make uninstall from DESTDIR" in_root uninstall PREFIX=/opt/gabion DESTDIR="$WORK/stage"
is "what is left in DESTDIR" "$(find "$WORK/stage" -type f -o -type l | wc -l)" 0
finish
