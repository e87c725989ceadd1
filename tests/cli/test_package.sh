# The Debian package: what is in it, and that it works when it is unpacked somewhere.
. "$(dirname "$0")/check.sh"
TREE=$(cd "$CASES/../../.." && pwd)
if ! command -v dpkg-shlibdeps >/dev/null; then
    [ "${GABION_ALL_TESTS:-}" = 1 ] && ok "dpkg-dev is missing: .ci/packages test installs it" false || echo "skipped: no dpkg-dev"
    finish
fi

# The build stays where it is, the package goes to a folder of this test.
build=$(realpath --relative-to="$TREE" "$(dirname "$GABION")")
version=$("$GABION" --version | cut -d ' ' -f 2)
ok "package" env BUILD="$build" DEB="$WORK/deb" VERSION="$version" DEB_COMPRESSION=none "$TREE/.ci/deb"
deb=$(ls deb/*.deb)
is "one package" "$(wc -w <<<"$deb")" 1
dpkg-deb -I "$deb" >about
for line in 'Package: gabion' "Version: $version" 'Depends: .*libc6.*' 'Maintainer: .* <.*>'; do
    ok "control: $line" grep -qE "^ $line" about
done
for library in libhdf5 libhwloc libfyaml zlib1g libamd; do
    ok "it depends on $library" grep -qE "^ Depends: .*$library" about
done
ok "the linker's cache is renewed" grep -q 'activate-noawait ldconfig' <(dpkg-deb -I "$deb" triggers)
ok "files belong to root" [ -z "$(dpkg-deb -c "$deb" | awk '$2 != "root/root"')" ]

dpkg-deb -x "$deb" root
ok "nothing outside of /usr" [ "$(ls root)" = usr ]
lib=root/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
while read -r file; do
    ok "it holds $file" [ -s "root/usr/$file" ]
done <<END_OF_FILES
bin/gabion
include/gabion.h
share/man/man1/gabion.1.gz
share/man/man1/gabion-new.1.gz
share/bash-completion/completions/gabion
share/gabion/gabion.schema.json
share/gabion/cases/arch.yaml
share/doc/gabion/copyright
share/doc/gabion/changelog.Debian.gz
lib/python3/dist-packages/gabion/_interface.py
END_OF_FILES
ok "libraries" [ -s "$lib/libgabion.so.0" -a -L "$lib/libgabion.so" -a -s "$lib/libgabion.a" ]
ok "sums" bash -c 'cd root && md5sum --quiet -c <(dpkg-deb --ctrl-tarfile "$1" | tar -xO ./md5sums)' _ "$WORK/$deb"

GABION=$WORK/root/usr/bin/gabion
exits 0 "the program runs a shipped case" run root/usr/share/gabion/cases/masonry_tower.yaml --steps 3 -q -j 1
is "status" "$(field status)" completed
cat >hash.c <<'END_OF_PROGRAM'
#include <gabion.h>
#include <stdio.h>
int main(int argc, char **argv) {
    struct gabion_error error = {0};
    struct gabion_world *world = gabion_load_case(argv[argc - 1], NULL, 0, 1, &error);
    gabion_run(world, 3, &error);
    printf("%016llx\n", (unsigned long long)gabion_state_hash(world));
    gabion_destroy(world);
    return (int)error.status;
}
END_OF_PROGRAM
export PKG_CONFIG_SYSROOT_DIR=$WORK/root PKG_CONFIG_LIBDIR=$WORK/$lib/pkgconfig PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
ok "a program in C builds" eval "${CC:-cc} hash.c $(pkg-config --cflags --libs gabion) -o hash"
is "a program in C" "$(LD_LIBRARY_PATH=$lib ./hash root/usr/share/gabion/cases/masonry_tower.yaml)" "$(field state-hash)"
if has numpy; then
    is "Python" "$(PYTHONPATH=root/usr/lib/python3/dist-packages "$PYTHON" -c 'import gabion
world = gabion.load_case("root/usr/share/gabion/cases/masonry_tower.yaml", threads=1)
world.run(3)
print(world.state_hash)')" "$(field state-hash)"
fi
finish
