# The Debian package: what is in it, that it works when it is unpacked somewhere, and installing and removing it.
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
share/gabion/cases/studies/block.yaml
share/gabion/cases/studies/block_tilt.yaml
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

# Installed for real, into a layer over this machine that goes with the mount namespace: needs root and overlayfs.
cat >install.sh <<'END_OF_SCRIPT'
set -e
mount -t tmpfs none "$LAYER"
mkdir "$LAYER/upper" "$LAYER/work" "$LAYER/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$LAYER/upper,workdir=$LAYER/work" "$LAYER/root"
mount -t proc proc "$LAYER/root/proc"
mount --rbind /dev "$LAYER/root/dev"
mkdir -p "$LAYER/root/trial"
[ $# -gt 0 ] || exit 0
cp "$@" "$LAYER/root/trial"
chroot "$LAYER/root" /bin/bash /trial/inside.sh
rm -r "$LAYER/root/trial"
find "$LAYER/upper" -iname '*gabion*' | sed "s|^$LAYER/upper|left: |"
END_OF_SCRIPT
cat >inside.sh <<'END_OF_SCRIPT'
cd /trial
say() { echo "$1: $(head -n 1 <<<"$2")"; }
dpkg -i ./*.deb >dpkg.log 2>&1 || { cat dpkg.log; exit; }
say installed "$(dpkg-query -W -f='${db:Status-Status}' gabion)"
say verified "$(dpkg -V gabion && echo all files)"
say program "$(/usr/bin/gabion --version)"
say hash "$(/usr/bin/gabion run /usr/share/gabion/cases/masonry_tower.yaml -o run --steps 3 -q -j 1 | sed -n 's/^state-hash: //p')"
say page "$(mandoc -T ascii "$(ls /usr/share/man/man1/gabion-run.1.gz)" 2>/dev/null | grep -c '[a-z]' | sed 's/[1-9][0-9]*/lines/')"
say completion "$(source /usr/share/bash-completion/completions/gabion && COMP_WORDS=(gabion run --st) COMP_CWORD=2 && _gabion gabion --st run && echo "${COMPREPLY[@]}")"
say linked "$(${CC:-cc} hash.c $(pkg-config --cflags --libs gabion) -o hash && ./hash /usr/share/gabion/cases/masonry_tower.yaml)"
say static "$(${CC:-cc} hash.c $(pkg-config --cflags gabion) -Wl,-Bstatic -lgabion -Wl,-Bdynamic $(pkg-config --libs --static gabion | sed 's/-lgabion//') -o fixed && ! ldd fixed | grep -q libgabion && ./fixed /usr/share/gabion/cases/masonry_tower.yaml)"
say module "$("$PYTHON" -c 'import gabion; print(gabion.__file__)')"
say compiled "$(ls /usr/lib/python3/dist-packages/gabion/__pycache__ | grep -c pyc | sed 's/[1-9][0-9]*/yes/')"
dpkg -r gabion >>dpkg.log 2>&1
say removed "$(dpkg-query -W gabion 2>&1 | grep -c 'no packages found')"
say linker "$(ldconfig -p | grep -c libgabion)"
END_OF_SCRIPT
mkdir layer
export LAYER=$WORK/layer PYTHON
if [ "$(id -u)" -ne 0 ] || ! unshare -m bash install.sh >/dev/null 2>&1; then
    echo "skipped: installing needs root, a mount namespace and overlayfs"
    finish
fi
unset PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR PKG_CONFIG_ALLOW_SYSTEM_CFLAGS PKG_CONFIG_ALLOW_SYSTEM_LIBS
PYTHONPATH= unshare -m bash install.sh "$deb" inside.sh hash.c >installed 2>&1
installed() { is "installed: $1: $(head -n 3 installed | tr '\n' ' ')" "$(sed -n "s/^$1: //p" installed)" "$2"; }
installed installed installed
installed verified "all files"
installed program "gabion $version"
installed hash "$(field state-hash)"
! command -v mandoc >/dev/null || installed page lines
installed completion "--steps --strict"
installed linked "$(field state-hash)"
installed static "$(field state-hash)"
! has numpy || installed module /usr/lib/python3/dist-packages/gabion/__init__.py
! command -v py3compile >/dev/null || installed compiled yes
installed removed 1
installed linker 0
ok "nothing is left: $(grep '^left' installed | head -n 3)" bash -c '! grep -q "^left: " installed'
ok "this machine is as it was" [ -z "$(ls layer)" ]
finish
