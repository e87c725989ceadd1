# Scenes from case files: fills, mixtures, regions, removals by region, groups, records that jump, hints about units. Every new
# key has an effect, and a wrong one is rejected with its place.
. "$(dirname "$0")/check.sh"

# scene NAME REST: a case with a floor and the given text below.
scene() {
    printf '%s\n' 'time: {step: 0.01, end: 1}' 'gravity: [0, 0, -9.81]' \
        'materials: {stone: {density: 2600}, wood: {density: 700}}' \
        'laws: [{between: default, friction: 0.5}]' \
        'bodies: [{name: floor, material: stone, half_space: {normal: [0, 0, 1]}, position: [0, 0, 0]}]' >"$1.yaml"
    printf '%s\n' "$2" >>"$1.yaml"
}

# bad NAME REST PATTERN...: the case is rejected with these words; the sixth line is the first of REST.
bad() {
    scene bad "$2"
    local name=$1
    shift 2
    exits 2 "$name" check bad.yaml
    says "$name" "$@"
}

fill() { echo "generators: [{name: g, material: stone, fill: {$1}}]"; }
box='min: [0, 0, 0], max: [1, 1, 1]'

# What fills consist of.
scene mix "$(fill "$box, count: 40, seed: 5, shares: mass, mixture: [{share: 1, radius: 0.04, name: balls},
  {share: 1, box: {size: [0.1, 0.08, 0.05]}, turned: true, material: wood, name: blocks},
  {share: 1, random_hull: {radius: {uniform: [0.05, 0.07]}, aspect: [1, 0.8, 0.6], points: 10}, turned: true},
  {share: 1, bar: {count: 3, radius: 0.03, spacing: 0.04}, scale: {uniform: [0.8, 1.2]}, turned: true, density: 900}]")"
exits 0 "a mixture" check mix.yaml
is "a mixture: no overlap" "$(field overlap)" 0
is "a mixture: bodies" "$(field bodies)" 40
exits 0 "a mixture runs" run mix.yaml -o mix --steps 5
hash=$(field state-hash)
exits 0 "a mixture again" run mix.yaml -o again --steps 5 -j 2
is "the same seed gives the same bodies" "$(field state-hash)" "$hash"
exits 0 "another seed" run mix.yaml -o other --steps 5 --set 'generators[0].fill.seed=6'
ok "another seed gives other bodies" [ "$(field state-hash)" != "$hash" ]
exits 0 "shares count" run mix.yaml -o number --steps 5 --set 'generators[0].fill.shares=number'
ok "shares by number are others" [ "$(field state-hash)" != "$hash" ]
# Where all parts of a mixture are named, what names the generator's group is warned of.
named="$box, count: 6, mixture: [{share: 1, radius: 0.04, name: small}, {share: 1, radius: 0.06, name: large}]"
scene named "$(fill "$named")
probes: [{name: p, group: g, quantity: mass}]
removals: [{groups: [small, g], time: 0.5}]"
exits 0 "a mixture of named parts" check named.yaml
says "a mixture of named parts" "warning: named.yaml:7:27: group: no body belongs to \"g\": all parts of its mixture have a name" \
    "warning: named.yaml:8:29: groups: no body belongs to \"g\": all parts"
is "a mixture of named parts: warnings of groups" "$(grep -c 'no body belongs' .err)" 2
scene part "$(fill "${named/, name: small/}")
probes: [{name: p, group: g, quantity: mass}, {name: q, group: large, quantity: mass}]"
exits 0 "a mixture with a part that has no name" check part.yaml
ok "a mixture with a part that has no name" bash -c '! grep -q "no body belongs" .err'
scene later "$(fill "$box, count: 3, radius: 0.05" | sed 's/name: g,/name: g, insert_time: 0.5,/')
probes: [{name: p, group: g, quantity: mass}]"
exits 0 "bodies that come later" check later.yaml
ok "bodies that come later" bash -c '! grep -q "no body belongs" .err'
# Forces of driven blocks with a tolerance for motion: a note, no warning.
shaken="generators: [{name: wall, material: stone, stack: {count: 3, block: [0.2, 0.2, 0.2]}}]
drivers: [{group: floor, direction: [1, 0, 0], sine: {amplitude: 0.01, frequency: 2, smooth: 0.1}}]"
scene shaken "$shaken
probes: [{name: r, group: floor, quantity: reaction}]"
exits 0 "forces of shaken blocks" check shaken.yaml
says "forces of shaken blocks" "shaken.yaml:8:10: probe r reads forces of driven blocks with solver.tolerance 0.0001.*1e-6"
is "forces of shaken blocks: no warning" "$(field warnings)" 0
exits 0 "forces with a small tolerance" check shaken.yaml --set solver.tolerance=1e-6
ok "forces with a small tolerance" bash -c '! grep -q "reads forces" .err'
scene moving "$shaken
probes: [{name: r, group: wall, quantity: position}]"
exits 0 "no forces of shaken blocks" check moving.yaml
ok "no forces of shaken blocks" bash -c '! grep -q "reads forces" .err'
for kind in 'prism: {polygon: [[0, 0], [0.1, 0], [0, 0.1]], height: 0.1}' \
    'hull: {points: [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]}' 'torus: {count: 6, radius: 0.02, ring: 0.05}' \
    'radius: {power: {exponent: 3, low: 0.02, high: 0.06}}' 'radius: {sieve: [[0.02, 0], [0.04, 40], [0.06, 100]]}'; do
    scene kind "$(fill "$box, count: 20, $kind")"
    exits 0 "fill of $kind" check kind.yaml
    is "fill of $kind" "$(field bodies) $(field overlap)" "20 0"
done

# Cut normal and lognormal sizes: 2000 radii are within the cuts and have the mean, the deviation and the median of their law. Of a
# normal law cut at two deviations, 0.8796 of the deviation is left.
for size in 'normal mean 0.02 deviation 0.002 0.016 0.024' 'lognormal median 0.02 sigma 0.2 0.0134 0.02984'; do
    read -r law middle at spread by low high <<<"$size"
    scene sizes "$(fill "$box, count: 2000, seed: 3, radius: {$law: {$middle: $at, $spread: $by, low: $low, high: $high}}")"
    exits 0 "fill of $law sizes" run sizes.yaml -o "sizes-$law" --force -q --steps 1
    has h5py || continue
    ok "fill of $law sizes: their law" "$PYTHON" - "$law" "$at" "$by" "$low" "$high" "$(ls "sizes-$law"/checkpoint-*.h5)" <<'END'
import sys
import h5py, numpy
law, at, by, low, high, path = sys.argv[1], *map(float, sys.argv[2:6]), sys.argv[6]
r = numpy.array(h5py.File(path)['bodies/radius'])
r = r[r > 0]
x, at, low, high = (r, at, low, high) if law == 'normal' else map(numpy.log, (r, at, low, high))
print(len(r), r.min(), r.max(), x.mean(), numpy.median(x), x.std())
error = 4 * by / len(r) ** 0.5  # 4 standard errors of a mean
assert len(r) == 2000 and x.min() >= low and x.max() <= high
assert abs(x.mean() - at) < error and abs(numpy.median(x) - at) < 1.5 * error and abs(x.std() / by - 0.8796) < 0.05
END
done

# The picture of a hollow sphere: quads whose corners are on it and which close.
scene hollow "containers: [{name: shell, material: stone, hollow_sphere: {centre: [1, 2, 3], radius: 0.5}}]
generators: [{name: g, material: stone, fill: {min: [0.8, 1.8, 2.8], max: [1.2, 2.2, 3.2], count: 5, radius: 0.03}}]
output: {vtk_every: 1}"
sed -i '/^bodies:/d' hollow.yaml
exits 0 "a hollow sphere" run hollow.yaml -o hollow -q --steps 1
! has vtk || ok "a hollow sphere: its picture" "$PYTHON" - "$(ls hollow/walls*.vt? hollow/vtk/walls*.vt? 2>/dev/null | tail -n 1)" <<'END'
import sys
import numpy, vtk
from vtk.util.numpy_support import vtk_to_numpy
reader = vtk.vtkXMLPolyDataReader()
reader.SetFileName(sys.argv[1])
clean = vtk.vtkCleanPolyData()
clean.SetTolerance(1e-5)
clean.SetInputConnection(reader.GetOutputPort())
edges = vtk.vtkFeatureEdges()
edges.SetInputConnection(clean.GetOutputPort())
edges.FeatureEdgesOff()
edges.Update()
points = vtk_to_numpy(reader.GetOutput().GetPoints().GetData())
distance = numpy.linalg.norm(points - [1, 2, 3], axis=1)
print(sys.argv[1], len(points), distance.min(), distance.max(), edges.GetOutput().GetNumberOfCells())
assert len(points) > 100 and abs(distance - 0.5).max() < 1e-6 and edges.GetOutput().GetNumberOfCells() == 0
END

# Compounds: given by parts, and cut out of meshes, which are found beside the case also when the run is taken up elsewhere.
ell='compound: {parts: [{box: {size: [0.12, 0.04, 0.04]}}, {box: {size: [0.04, 0.04, 0.08]}, position: [-0.04, 0, 0.06]}]}'
mkdir -p meshes
python3 - <<'END'
outline = [(0, 0), (0.12, 0), (0.12, 0.04), (0.04, 0.04), (0.04, 0.12), (0, 0.12)]
with open('meshes/ell.obj', 'w') as file:
    for z in (0, 0.04):
        for x, y in outline:
            file.write(f'v {x} {y} {z}\n')
    file.write('f 6 5 4 3 2 1\nf 7 8 9 10 11 12\n')
    for k in range(6):
        n = (k + 1) % 6
        file.write(f'f {k + 1} {n + 1} {n + 7} {k + 7}\n')
with open('meshes/two.obj', 'w') as file:
    for x in (0, 0.05):
        for c in range(8):
            file.write(f'v {x + 0.04 * (c & 1)} {0.04 * (c >> 1 & 1)} {0.04 * (c >> 2)}\n')
    for first in (1, 9):
        for face in ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)):
            file.write('f ' + ' '.join(str(first + c) for c in face) + '\n')
END
for kind in "$ell" 'mesh: {file: meshes/ell.obj, decompose: {parts: 4}}' 'mesh: {file: meshes/two.obj, glue: true}'; do
    scene kind "$(fill "$box, count: 20, turned: true, scale: {uniform: [0.8, 1.2]}, $kind")"
    exits 0 "fill of $kind" check kind.yaml
    is "fill of $kind" "$(field bodies) $(field overlap)" "20 0"
done
scene ells "$(fill "$box, count: 60, shares: volume, mixture: [{share: 1, $ell, turned: true, scale: {uniform: [0.7, 1.1]}, name: ells},
  {share: 1, mesh: {file: meshes/ell.obj, decompose: {parts: 4}}, turned: true}, {share: 1, radius: 0.04},
  {share: 1, random_hull: {radius: 0.05}, turned: true}]")"
exits 0 "compounds in a mixture" check ells.yaml
is "compounds in a mixture" "$(field bodies) $(field overlap)" "60 0"
exits 0 "compounds in a mixture fall" run ells.yaml -o ells --steps 12
hash=$(field state-hash)
exits 0 "compounds in a mixture fall" run ells.yaml -o ells-short --steps 7 -j 2
cd meshes
exits 0 "and are taken up" resume ../ells-short --steps 5 -j 1
cd ..
is "compounds in a mixture are taken up with the same bits" "$(field state-hash)" "$hash"
cd meshes
exits 0 "the case as it was run finds its meshes" check ../ells-short/case.yaml
cd ..
scene rain "$(fill "$box, count: 8, rate: 40, $ell")"
exits 0 "compounds rain" run rain.yaml --steps 60
is "compounds rain" "$(field bodies)" 8
scene lattice "generators: [{name: g, material: stone, lattice: {origin: [0, 0, 0.5], spacing: 0.3, count: [3, 3, 2], $ell, turned: true}}]"
exits 0 "a lattice of compounds" check lattice.yaml
is "a lattice of compounds" "$(field blocks)" 18
bad "a mesh of two pieces" "$(fill "$box, count: 1, mesh: {file: meshes/two.obj}")" "bad.yaml:6:" "the mesh has 2 pieces" "glue: true"
bad "a mesh that is not convex" "$(fill "$box, count: 1, mesh: {file: meshes/ell.obj}")" "bad.yaml:6:" "convex"
bad "a compound of nothing" "$(fill "$box, count: 1, compound: {parts: []}")" "bad.yaml:6:" "parts: expected one part or more"
bad "a mesh that is not there" "$(fill "$box, count: 1, mixture: [{share: 1, mesh: {file: none.obj}}]")" "bad.yaml:6:" "none.obj"
scene disks "plane: xz
generators: [{name: g, material: stone, fill: {min: [0, -0.1, 0], max: [1, 0.1, 1], count: 9, disk: {radius: {uniform: [0.04, 0.09]}, thickness: 0.1}}}]"
exits 0 "disks of several sizes" check disks.yaml
ok "disks of several sizes" bash -c "[ $(field size-min) != $(field size-max) ]"
scene blocks "generators: [{name: g, material: stone, lattice: {origin: [0, 0, 0.5], spacing: 0.3, count: [3, 3, 2], box: {size: [0.2, 0.1, 0.1]}, turned: true}}]"
exits 0 "a lattice of blocks" check blocks.yaml
is "a lattice of blocks" "$(field blocks)" 18

bad "a fill without a place" "$(fill 'count: 1, radius: 0.1')" "bad.yaml:6:47:" "either region or both min and max"
bad "a fill with two places" "$(fill "$box, region: {sphere: {centre: [0, 0, 2], radius: 1}}, count: 1, radius: 0.1")" "bad.yaml:6:" "either region"
bad "a mixture of nothing" "$(fill "$box, count: 1, mixture: []")" "bad.yaml:6:" "mixture: expected one entry"
bad "a mixture and a radius" "$(fill "$box, count: 1, radius: 0.1, mixture: [{share: 1, radius: 0.1}]")" "exactly one of"
bad "a share of 0" "$(fill "$box, count: 1, mixture: [{share: 0, radius: 0.1}]")" "bad.yaml:6:" "mixture.0..share"
bad "words of shares" "$(fill "$box, count: 1, shares: weight, radius: 0.1")" "bad.yaml:6:" "number, volume, mass"
bad "turned beside a mixture" "$(fill "$box, count: 1, turned: true, mixture: [{share: 1, radius: 0.1}]")" "bad.yaml:6:" "inside the entries"
bad "a scale of spheres" "$(fill "$box, count: 1, scale: 2, radius: 0.1")" "bad.yaml:6:" "scale: radius has a radius of its own"
bad "too few points" "$(fill "$box, count: 1, random_hull: {radius: 0.1, points: 3}")" "bad.yaml:6:" "random_hull.points"
bad "a flat aspect" "$(fill "$box, count: 1, random_hull: {radius: 0.1, aspect: [1, 0, 1]}")" "bad.yaml:6:" "random_hull.aspect"
bad "a power law upside down" "$(fill "$box, count: 1, radius: {power: {exponent: 2, low: 2, high: 1}}")" "bad.yaml:6:" "expected high above low"
bad "a grading curve that falls" "$(fill "$box, count: 1, radius: {sieve: [[0.1, 0], [0.2, 50], [0.3, 40]]}")" "bad.yaml:6:" "grading curve"
bad "a negative rate" "$(fill "$box, count: 1, radius: 0.1, rate: -1")" "bad.yaml:6:" "fill.rate"
bad "words of if_full" "$(fill "$box, count: 1, radius: 0.1, if_full: stop")" "bad.yaml:6:" "reject, accept"
bad "disks out of a plane" "$(fill "$box, count: 1, mixture: [{share: 1, disk: {radius: 0.1}}]")" "needs the key plane"

# A region that is full.
bad "full" "$(fill "$box, count: 999, attempts: 50, radius: 0.1")" "bad.yaml:6:14: fill 'g': no free place for sphere" "are placed" "if_full: accept"
scene full "$(fill "$box, count: 999, attempts: 50, radius: 0.1, if_full: accept")"
exits 0 "full, accepted" check full.yaml
says "full, accepted" "warning: full.yaml:6:14: fill: placed [0-9]* of 999 bodies"
exits 0 "full, accepted, runs" run full.yaml -o full --steps 1
says "a run says it too" "warning: full.yaml:6:14: fill: placed"
ok "attempts count" bash -c "
    [ \$($GABION check full.yaml --set 'generators[0].fill.attempts=2000' 2>/dev/null | sed -n 's/^bodies: //p') -gt $(field bodies) ]"

# Regions, also a mesh, which comes along with the case.
printf 'v 0 0 0\nv 1000 0 0\nv 0 1000 0\nv 0 0 1000\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n' >corner.obj
for region in 'box: {min: [0, 0, 0], max: [1, 1, 1]}' 'sphere: {centre: [0, 0, 2], radius: 1, inner_radius: 0.5}' \
    'cylinder: {centre: [0, 0, 2], axis: [1, 0, 1], radius: 0.6, inner_radius: 0.2, length: 2}' \
    'cone: {base: [0, 0, 0], radius: 0.3, end_radius: 0.8, length: 2}' \
    'mesh: {file: corner.obj, scale: 0.001, position: [0, 0, 1]}'; do
    scene region "$(fill "region: {$region}, count: 12, radius: 0.05")"
    exits 0 "fill of a $region" check region.yaml
    is "fill of a $region" "$(field bodies) $(field overlap)" "12 0"
done
for region in 'half_space: {position: [0, 0, 0], normal: [0, 0, 1]}' 'outside: true, sphere: {centre: [0, 0, 0], radius: 1}'; do
    bad "fill of a $region" "$(fill "region: {$region}, count: 1, radius: 0.1")" "bad.yaml:6:" "without an end"
done
bad "an empty cylinder" "$(fill 'region: {cylinder: {centre: [0, 0, 1], radius: 0.1, inner_radius: 0.2, length: 1}}, count: 1, radius: 0.1')" \
    "bad.yaml:6:" "inner radius"
bad "an axis of no length" "$(fill 'region: {cone: {base: [0, 0, 1], axis: [0, 0, 0], radius: 1, length: 1}}, count: 1, radius: 0.1')" "bad.yaml:6:" "axis"
bad "a region of two kinds" "$(fill 'region: {box: {min: [0, 0, 0], max: [1, 1, 1]}, sphere: {centre: [0, 0, 0], radius: 1}}, count: 1, radius: 0.1')" "exactly one of"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 2 3 4\n' >open.obj
bad "an open mesh" "$(fill 'region: {mesh: {file: open.obj}}, count: 1, radius: 0.1')" "bad.yaml:6:" "not closed"
bad "a mesh that is not there" "$(fill 'region: {mesh: {file: none.obj}}, count: 1, radius: 0.1')" "bad.yaml:6:" "cannot find"

# Bodies leave by region, and a resumed run goes on with it without the mesh.
scene leave "generators: [{name: g, material: stone, fill: {min: [-1, -1, 0.5], max: [1, 1, 2], count: 60, radius: 0.1}}]
output: {checkpoint_every: 10, checkpoint_keep: 99}
removals: [{region: {mesh: {file: corner.obj, scale: 0.001}}, from: 0.1, until: 0.4}]"
sed 's/bodies: .*/bodies: []/' leave.yaml >drop.yaml
exits 0 "bodies leave" run drop.yaml -o leave -j 1
hash=$(field state-hash) left=$(field bodies)
ok "some have left: $left of 60" [ "$left" -lt 60 ]
rm corner.obj
exits 0 "bodies leave after a resume" resume leave/checkpoint-000000020.h5 -o resumed -j 2
is "bodies leave after a resume" "$(field state-hash)" "$hash"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /energy_error/) c = i } END { exit !($c * $c < 1e-12) }' leave/history.csv
ok "the ledger closes" [ $? -eq 0 ]
scene once "generators: [{name: g, material: stone, lattice: {origin: [0, 0, 1], spacing: 1, count: [2, 1, 1], radius: 0.1}},
  {name: h, material: stone, lattice: {origin: [0, 3, 1], spacing: 1, count: [2, 1, 1], radius: 0.1}}]
removals: [{groups: [g, h], region: {half_space: {position: [0.5, 0, 0], normal: [-1, 0, 0]}}, time: 0.1}]"
exits 0 "once" run once.yaml -o once --steps 20
is "once, of two groups" "$(field bodies)" 2

bad "from without a region" "removals: [{group: floor, from: 1}]" "bad.yaml:6:" "give time instead"
bad "until without from" "removals: [{group: floor, time: 1, until: 2}]" "bad.yaml:6:" "until: only"
bad "until before from" "removals: [{region: {sphere: {centre: [0, 0, 0], radius: 1}}, from: 3, until: 2}]" "bad.yaml:6:" "until above from"
bad "a removal of nobody" "removals: [{time: 1}]" "bad.yaml:6:" 'missing key "group"'
bad "a removal of a strange region" "removals: [{region: {sphere: {centre: [0, 0, 0], radius: 0}}, from: 1}]" "bad.yaml:6:" "radius"

# Several groups.
moved='bodies: [{name: a, material: stone, fixed: true, sphere: {radius: 0.1}, position: [0, 0, 0]}, {name: b, material: stone, fixed: true, sphere: {radius: 0.1}, position: [5, 0, 0]}]'
scene groups 'drivers: [{groups: [a, b], direction: [0, 0, 1], velocity: 1}]
probes: [{name: pa, group: a, quantity: position}, {name: pb, group: b, quantity: position}]'
sed -i "s/bodies: .*/$moved/" groups.yaml
exits 0 "a driver of two groups" run groups.yaml -o groups --steps 100
ok "both have moved by a metre" bash -c "
    $PYTHON -c \"import csv; r = list(csv.DictReader(open('groups/history.csv')))[-1]; z = [float(r[k]) for k in r if k.startswith(('pa', 'pb')) and k.endswith('z')]; assert len(z) == 2 and all(abs(v - 1) < 1e-9 for v in z), r\""
bad "group and groups" "forces: [{group: floor, groups: [floor], direction: [1, 0, 0], constant: 1}]" "bad.yaml:6:" "exclude each other"
bad "neither" "drivers: [{direction: [1, 0, 0], velocity: 1}]" "bad.yaml:6:" 'missing key "group" in drivers'
bad "an unknown group" "forces: [{groups: [floor, flor], direction: [1, 0, 0], constant: 1}]" "bad.yaml:6:" 'no group "flor"' "floor"
bad "no groups" "resets: [{groups: [], time: 1}]" "bad.yaml:6:" "resets.0..groups: expected"
bad "one name under groups" "forces: [{groups: flor, direction: [1, 0, 0], constant: 1}]" "bad.yaml:6:" 'no group "flor"'

# Records that jump, and rows that are wrong.
printf 'time,a\n0,0\n0.5,0\n0.5,2\n1,2\n1,0\n' >jump.csv
scene jump 'drivers: [{group: floor, direction: [1, 0, 0], record: {file: jump.csv}}]
probes: [{name: p, group: floor, quantity: position}]'
exits 0 "a record that jumps" run jump.yaml -o jump
ok "its integral is exact: 2 * 0.5^2 / 2" "$PYTHON" -c "
import csv; r = list(csv.DictReader(open('jump/history.csv')))[-1]
assert abs(float(r['p.x']) - 0.25) < 1e-12, r['p.x']"
bad "a displacement that jumps" 'drivers: [{group: floor, direction: [1, 0, 0], table: {file: jump.csv}}]' "jump.csv:4:1:" "cannot jump"
printf '0,0\n0.5,0\n0.2,2\n' >back.csv
bad "a record that goes back" 'drivers: [{group: floor, direction: [1, 0, 0], record: {file: back.csv}}]' "back.csv:3:1:" "times must increase"
printf '0,0\n0.5,0\n0.5,1\n0.5,2\n' >thrice.csv
bad "three points at a time" 'forces: [{group: floor, direction: [1, 0, 0], table: {file: thrice.csv}}]' "thrice.csv:4:1:" "third point"
bad "points that go back" 'drivers: [{group: floor, direction: [1, 0, 0], record: {points: [[0, 0], [1, 1], [0.5, 1]]}}]' "bad.yaml:6:" "point 3: its time is before"

# Masonry of this kind.
for made in 'cards: {card: [0.1, 0.06, 0.002], storeys: 2}' 'drums: {radius: 0.5, top_radius: 0.4, height: 3, count: 4}' \
    'vault: {origin: [0, 0, 1], radius: 1, thickness: 0.2, length: 1, courses: 5, blocks: 2}' \
    'stairs: {steps: 4, tread: 0.3, rise: 0.2, width: 1}'; do
    scene made "generators: [{name: m, material: stone, $made}]"
    exits 0 "$made" check made.yaml
    ok "$made: neighbours touch" awk "BEGIN { exit !($(field overlap) < 1e-9) }"
done
bad "cards that do not lean" "generators: [{name: m, material: stone, cards: {card: [0.1, 0.06, 0.01], storeys: 2, angle: 2}}]" "bad.yaml:6:14:" "lean on each"
bad "too few tents" "generators: [{name: m, material: stone, cards: {card: [0.1, 0.06, 0.01], storeys: 3, tents: 2}}]" "bad.yaml:6:14:" "tents"
bad "a drum of two sides" "generators: [{name: m, material: stone, drums: {radius: 1, height: 1, count: 1, sides: 2}}]" "bad.yaml:6:" "drums.sides"
bad "a vault without a name" "generators: [{material: stone, vault: {radius: 1, thickness: 0.2, length: 1, courses: 5, blocks: 2}}]" "bad.yaml:6:" 'missing key "name"'
bad "stones shorter than a tread" "generators: [{name: m, material: stone, stairs: {steps: 4, tread: 0.3, rise: 0.2, width: 1, stone: 0.1}}]" "bad.yaml:6:14:" "stone"
bad "a mark of no stone" "generators: [{name: m, material: stone, stairs: {steps: 2, tread: 0.3, rise: 0.2, width: 1, mark: [{name: x, blocks: [9]}]}}]" "bad.yaml:6:14:" "no block 9"

# Rain.
scene rain "$(fill 'min: [0, 0, 2], max: [1, 1, 3], count: 10, radius: 0.1, rate: 20')"
exits 0 "rain" check rain.yaml
is "rain: nine are to come" "$(field bodies-to-come)" 9

# Hints about units.
printf 'v 0 0 0\nv 200 0 0\nv 0 200 0\nv 0 0 200\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n' >large.obj
scene units ''
sed -i 's/9.81/981/; s/2600/2.6/; s/bodies: .*/bodies: [{material: stone, mesh: {file: large.obj}, position: [0, 0, 0]}, {material: wood, sphere: {radius: 1000}, position: [2000, 0, 0]}]/' units.yaml
exits 0 "units" check units.yaml
says "units" "units.yaml:2:10: gravity is 981" "units.yaml:3:[0-9]*: a density of 2.6" "units.yaml:5:.*scale: 0.001" "size .radius, or half a thickness. of 1000 m"
exits 0 "units" run units.yaml -o units --steps 1
says "a run gives the same hints" "warning: units.yaml:2:10: gravity is 981"
scene small 'generators: [{name: g, material: stone, lattice: {origin: [0, 0, 2000], spacing: 3000, count: [2, 1, 1], radius: 1000}}]'
exits 0 "a step for small bodies" check small.yaml --set time.step=1e-4
says "a step for small bodies" "time.step is 0.0001"
for case in "$CASES"/*.yaml "$CASES"/../../../cases/*.yaml "$CASES"/../../../cases/papers/*.yaml; do
    [[ $case != *grains_1* && $case != *wall_10k* && $case != *chateau_gombert.yaml ]] || continue
    gabion check "$case"
    ok "no hint about units: $case" bash -c "! grep -E 'in metres|kg/m3|millimetres' '$WORK/.err'"
done
finish
