# The Python module of an installation: layouts against the C compiler, behaviour, the example.
. "$(dirname "$0")/check.sh"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TREE=$(cd "$here/../.." && pwd)
has numpy || { finish; exit; }

build=$(realpath --relative-to="$TREE" "$(dirname "$GABION")")
ok "make install" make -C "$TREE" --no-print-directory BUILD="$build" PREFIX="$WORK/prefix" PYTHON="$PYTHON" \
    PYTHONDIR="$WORK/prefix/lib/python3/dist-packages" install
export PYTHONPATH=$WORK/prefix/lib/python3/dist-packages GABION_CASES=$TREE/cases

"$PYTHON" "$here/python_layout.py" "${CC:-cc}" "$WORK/prefix/include" >layout.out 2>&1
status=$?
ok "layouts: $(head -c 300 layout.out)" [ "$status" -eq 0 ]
# A header that this module was not made for.
sed 's/^    double kinetic, potential;/    int extra; double kinetic, potential;/' "$WORK/prefix/include/gabion.h" >changed.h
mkdir changed && mv changed.h changed/gabion.h
ok "layouts: a changed header is noticed" bash -c '! "$1" "$2" cc changed >/dev/null 2>&1' _ "$PYTHON" "$here/python_layout.py"
echo 'struct gabion_odd { long double a; };' >odd.h
ok "a header that cannot be translated is rejected" bash -c '! "$1" "$2" odd.h 2>/dev/null' _ "$PYTHON" "$TREE/io/python/interface.py"

if has scipy; then
    "$PYTHON" "$here/python_module.py" >module.out 2>&1
    status=$?
    ok "module: $(grep -A20 '^\(ERROR\|FAIL\)' module.out | head -c 1500)" [ "$status" -eq 0 ]
    ok "module: no test was skipped" grep -qE '^Ran (2[8-9]|[3-9][0-9]) tests' module.out
fi

# The same bits as the program.
exits 0 "run" run "$TREE/cases/arch.yaml" --steps 40 -q -j 1
is "the same bits as the program" "$("$PYTHON" -c 'import sys, gabion
world = gabion.load_case(sys.argv[1], threads=2); world.run(40); print(world.state_hash)' "$TREE/cases/arch.yaml")" "$(field state-hash)"

# The example; what it prints is statics: the ground carries the weight and resists the push.
"$PYTHON" "$TREE/tests/examples/wall_forces.py" >wall.out 2>&1
status=$?
ok "example: $(tail -n 1 wall.out)" [ "$status" -eq 0 ]
ok "example: the weight is carried" awk '{ v[$1] = $2 } END { d = v["weight"] - v["carried"]; exit !(v["weight"] > 1000 && d * d < 0.01) }' wall.out
ok "example: the push is resisted" awk '$1 == "pushed" { gsub(",", ""); d = $2 - $4; exit !($2 > 100 && d * d < 0.25) }' wall.out
command -v gnuplot >/dev/null && ok "example: the drawing" grep -q '<svg' wall_forces.svg

# Without the library, and with one of another version.
ok "no library" bash -c 'mv prefix/lib/libgabion.so.0 prefix/away; LD_LIBRARY_PATH= "$1" -c "import gabion" 2>&1 | grep -q "was not found"' _ "$PYTHON"
mv prefix/away prefix/lib/libgabion.so.0
sed -i "s/^VERSION = .*/VERSION = '0.999.0'/" "$PYTHONPATH/gabion/_interface.py"
ok "a library of another version" bash -c '"$1" -c "import gabion" 2>&1 | grep -q "made for version 0.999.0"' _ "$PYTHON"
finish
