# Walls of triangles: keys, messages with their places, the same bits on any threads and after a stop, ParaView.
. "$(dirname "$0")/check.sh"
here=$CASES/..

# A tray of every kind of wall, one of them driven, one from a file, one removed; spheres, bars and boxes.
cat >ramp.obj <<'END'
o ramp
v -200 -100 0
v 200 -100 0
v 200 100 100
v -200 100 100
f 1 2 3 4
END
cat >tray.yaml <<'END'
time: {step: 2e-3, end: 0.2}
materials: {stone: {density: 2000}, steel: {}}
laws: [{between: default, friction: 0.4, restitution: 0}]
containers:
  - {name: floor, material: steel, plate: {position: [0, 0, 0], size: [0.8, 0.8]}}
  - {name: hexagon, material: steel, plate: {position: [0, 0, 0.1], normal: [0, 1, 1], tangent: [1, 0, 0],
     polygon: [[0.1, 0], [0.05, 0.087], [-0.05, 0.087], [-0.1, 0], [-0.05, -0.087], [0.05, -0.087]]}}
  - {name: funnel, material: steel, funnel: {position: [0, 0, 0.3], outlet: 0.06, mouth: 0.2, height: 0.15, sides: 12}}
  - {name: cone, material: steel, cone: {position: [0.25, 0.25, 0.1], axis: [0, 0, -1], radius: 0.1, height: 0.1}}
  - {name: gutter, material: steel, cylinder: {position: [-0.3, -0.3, 0.1], axis: [0, 1, 0], tangent: [-1, 0, 0],
     radius: 0.1, length: 0.6, arc: 180, sides: 9}}
  - {name: ramp, material: steel, surface: {file: ramp.obj, scale: 0.001, position: [0.2, -0.2, 0.02]}}
  - {name: gate, material: steel, plate: {position: [0, 0, 0.3], size: [0.2, 0.2]}}
generators:
  - {name: grains, material: stone, lattice: {origin: [-0.09, -0.09, 0.42], spacing: 0.045, count: [5, 5, 4], radius: 0.02}}
  - {name: bars, material: stone, lattice: {origin: [-0.3, -0.2, 0.14], spacing: 0.12, count: [1, 4, 1], bar: {count: 3, radius: 0.02, spacing: 0.03}}}
bodies:
  - {name: block, material: stone, box: {size: [0.1, 0.06, 0.04]}, position: [0.2, -0.2, 0.15]}
  - {name: block, material: stone, box: {size: [0.05, 0.05, 0.05]}, position: [0.25, 0.25, 0.14]}
removals: [{group: gate, time: 0.1}]
drivers:
  - {group: floor, direction: [1, 0, 0], sine: {amplitude: 0.01, frequency: 5}}
  - {group: hexagon, turn: {axis: [1, 0, 0], pivot: [0, 0, 0.1]}, start: 0, end: 1, ramp: {angle: 60}}
probes: [{name: funnel, group: funnel, quantity: force}, {name: ramp, group: ramp, quantity: moment}]
output: {vtk_every: 50, frames_every: 50}
END
exits 0 "check" check tray.yaml
is "walls are fixed bodies" "$(field fixed-bodies)" 7
for threads in 1 2 3; do
    exits 0 "$threads threads" run tray.yaml -o "t$threads" --threads $threads --quiet
    hashes+=("$(field state-hash)")
done
is "2 threads" "${hashes[1]}" "${hashes[0]}"
is "3 threads" "${hashes[2]}" "${hashes[0]}"
exits 0 "stop" run tray.yaml -o cut --steps 43 --quiet
exits 0 "go on" resume cut --quiet
is "the same bits after a stop" "$(field state-hash)" "${hashes[0]}"
is "the same history" "$(history_of cut | sha256sum)" "$(history_of t1 | sha256sum)"
ok "the funnel carries grains" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "funnel.z") k = i }
    NR > 80 && $k < -1 { found = 1 } END { exit !found }' t1/history.csv
if has vtk; then
    "$PYTHON" "$here/vtk_check.py" t1 >.vtk 2>&1
    ok "ParaView files: $(grep -v passed .vtk | head -n 3)" grep -q " 0 failed" .vtk
    # 4 + 6 + 24 + 32 + 18 + 2 + 4 triangles before the gate leaves, 4 fewer after.
    ok "triangles of walls" "$PYTHON" - <<'END'
import vtk
for step, cells in ((0, 90), (100, 86)):
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(f"t1/vtk/walls_{step:06d}.vtp")
    reader.Update()
    mesh = reader.GetOutput()
    assert mesh.GetNumberOfCells() == cells, mesh.GetNumberOfCells()
    assert all(mesh.GetCell(k).GetNumberOfPoints() == 3 for k in range(cells))
    low = mesh.GetBounds()
    assert low[4] > -0.1 and low[5] < 0.5, low
END
fi

# A plate holds what falls on it and what rises to it: spheres at the same distance on both sides stay on their sides.
cat >sides.yaml <<'END'
time: {step: 1e-3, end: 0.3}
gravity: [0, 0, 0]
materials: {stone: {density: 2000}}
laws: [{between: default, friction: 0.3}]
containers: [{name: sheet, material: stone, plate: {position: [0, 0, 0], size: [2, 2]}}]
bodies:
  - {name: above, material: stone, sphere: {radius: 0.1}, position: [0.3, 0, 0.2], velocity: [0, 0, -1]}
  - {name: below, material: stone, sphere: {radius: 0.1}, position: [-0.3, 0, -0.2], velocity: [0, 0, 1]}
  - {name: beside, material: stone, sphere: {radius: 0.1}, position: [1.15, 0, 0.2], velocity: [0, 0, -1]}
probes: [{name: a, group: above, quantity: position}, {name: b, group: below, quantity: position}, {name: c, group: beside, quantity: position}]
END
exits 0 "both sides" run sides.yaml -o sides --quiet
ok "both sides: $(tail -n 1 sides/history.csv | tail -c 120)" "$PYTHON" - <<'END'
import csv
last = list(csv.DictReader(open("sides/history.csv")))[-1]
assert abs(float(last["a.z"]) - 0.1) < 1e-4, last["a.z"]
assert abs(float(last["b.z"]) + 0.1) < 1e-4, last["b.z"]
assert abs(float(last["c.z"]) + 0.1) < 1e-9, last["c.z"]  # 0.15 m from the edge: it passes
END

# Two dimensions: disks on an inclined plate slide down in their plane, as on a half-space.
slide() {
    cat <<END
time: {step: 1e-3, end: 0.2}
plane: xz
materials: {stone: {density: 2000}}
laws: [{between: default, friction: 0.1}]
$1
bodies:
  - {name: disk, material: stone, disk: {radius: 0.05}, position: [0.035355339059327, 0, 0.035355339059327]}
$2
probes: [{name: x, group: disk, quantity: position}]
solver: {tolerance: 1e-12}
END
}
slide "containers: [{name: slope, material: stone, plate: {position: [0, 0, 0], normal: [1, 0, 1], size: [2, 2]}}]" "" >plate.yaml
slide "" "  - {name: slope, material: stone, half_space: {normal: [1, 0, 1]}, position: [0, 0, 0]}" >half.yaml
exits 0 "plate in a plane" run plate.yaml -o plate --quiet
exits 0 "half-space in a plane" run half.yaml -o half --quiet
ok "the same path: $(tail -n 1 plate/history.csv | tail -c 80)" "$PYTHON" - <<'END'
import csv
a, b = ([row for row in csv.DictReader(open(f"{name}/history.csv"))][-1] for name in ("plate", "half"))
for key in ("x.x", "x.y", "x.z"):
    assert abs(float(a[key]) - float(b[key])) < 1e-11, (key, a[key], b[key])
assert float(a["x.x"]) > 0.12 and float(a["x.y"]) == 0
END

# Messages: the file and the place in it.
wrong() {
    local name=$1
    shift
    printf 'time: {step: 1e-3, end: 1}\nmaterials: {steel: {}}\nlaws: [{between: default, friction: 0}]\ncontainers:\n  - {name: a, material: steel, %s}\n' "$1" >bad.yaml
    shift
    exits 2 "$name" check bad.yaml
    says "$name" "$@"
}
mesh() { printf 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 2 2\nv 0.5 1e-12 0\nv 1 1 0\n%b' "$1" >bad.obj; }
surface='surface: {file: bad.obj}'
mesh 'f 1 2 3\nf 1 2 6\n'
wrong "degenerate" "$surface" 'bad.yaml:5' 'bad.obj: face 2 \(line 9\) has no area'
mesh 'f 1 2 3\nf 1 3 7\n'
wrong "welded" "$surface" 'bad.obj: face 2 \(line 9\): has no area'
mesh 'f 1 2 3\nf 1 3 4\nf 3 1 2\n'
wrong "twice" "$surface" 'bad.obj: face 1 \(line 8\) and face 3 \(line 10\) have the same corners'
mesh 'f 1 2 3\nf 1 2 4\nf 1 2 5\n'
wrong "three at an edge" "$surface" 'bad.obj: the edge between corner 1 \(0, 0, 0\) and corner 2 .* belongs to 3 faces, face 1 \(line 8\)'
mesh 'f 1 2 3 4 5\n'
wrong "folded" "$surface" 'bad.obj: face 1 \(line 8\) is not convex|no area'
mesh ''
wrong "empty" "$surface" 'bad.obj: no faces'
wrong "no file" 'surface: {file: none.stl}' 'bad.yaml:5:.*none.stl'
wrong "no normal" 'plate: {position: [0, 0, 0], normal: [0, 0, 0], size: [1, 1]}' 'bad.yaml:5:.*normal: expected a direction'
wrong "tangent" 'plate: {position: [0, 0, 0], tangent: [0, 0, 2], size: [1, 1]}' 'tangent: expected a direction along the plate'
wrong "both outlines" 'plate: {position: [0, 0, 0], size: [1, 1], polygon: [[0, 0], [1, 0], [0, 1]]}' 'polygon|size'
wrong "arrow" 'plate: {position: [0, 0, 0], polygon: [[0, 0], [2, 0], [0.5, 0.5], [0, 2]]}' 'bad.yaml:5:.*must be convex'
wrong "two sides" 'funnel: {position: [0, 0, 0], outlet: 0.1, mouth: 0.2, height: 1, sides: 2}' 'sides'
wrong "no arc" 'cylinder: {position: [0, 0, 0], radius: 0.1, length: 1, arc: 0}' 'arc'
wrong "no quaternion" 'surface: {file: bad.obj, orientation: [0, 0, 0, 0]}' 'orientation: expected a quaternion'
wrong "walls of a funnel" 'walls: [xmin], funnel: {position: [0, 0, 0], outlet: 0.1, mouth: 0.2, height: 1}' 'only a box has walls'
finish
