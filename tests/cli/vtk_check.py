#!/usr/bin/python3
"""Opens every ParaView file of a run folder with VTK and checks what is in it.

    vtk_check.py [--density D] DIR [DIR ...]

With --density, the volume of every moving block is compared with its mass in the newest checkpoint,
and interfaces with those of the HDF5 frames (this needs h5py).
Prints one line per problem and a closing line `N passed, M failed`, N and M being checks.
"""
import csv
import glob
import math
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy

# Required arrays, each with the letters of its components ("" for a single number).
VECTOR = "xyz"
POINT_ARRAYS = {
    "bodies": {"radius": "", "id": "", "material": "", "group": "", "velocity": VECTOR,
               "angular_velocity": VECTOR, "orientation": "wxyz", "coordination": "",
               "mass": "", "displacement": VECTOR},
    "walls": {},
    "contacts": {"normal_force": ""},
    "joints": {},
    "blocks": {},
    "interfaces": {"body_a": "", "body_b": "", "initial": "", "status": "", "opening": "",
                   "slide": "", "sliding": VECTOR, "normal": VECTOR, "middle": VECTOR,
                   "force": VECTOR, "normal_force": "", "eccentricity": VECTOR,
                   "relative_eccentricity": ""},
    "thrust": {"normal_force": ""},
}
CELL_ARRAYS = {
    "bodies": {},
    "walls": {"id": "", "material": "", "group": "", "velocity": VECTOR, "force": VECTOR},
    "contacts": {"normal_force": "", "force": VECTOR, "impulse": VECTOR, "point": VECTOR,
                 "normal": VECTOR, "gap": "", "body_a": "", "body_b": "", "status": ""},
    "joints": {"joint": "", "kind": "", "body_a": "", "body_b": "", "anchor": VECTOR,
               "force": VECTOR, "error": ""},
    "blocks": {"id": "", "material": "", "group": "", "fixed": "", "velocity": VECTOR,
               "displacement": VECTOR, "angular_velocity": VECTOR, "coordination": "",
               "mass": ""},
    "interfaces": {},
    "thrust": {"id": "", "normal_force": ""},
}
GRAINS = ("bodies", "walls", "contacts")
JOINTS = ("joints",)
MASONRY = ("blocks", "interfaces", "thrust")
CORNERS = {"bodies": 1, "walls": 4, "contacts": 2, "joints": 2, "interfaces": 1, "thrust": 2}
EXTENSIONS = {"blocks": "vt[pu]", "contacts": "p?vtp"}  # of contacts, where ranks write pieces
VOLUME_TOLERANCE = 1e-4  # of single precision


class Checker:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, good, where, problem):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"{where}: {problem}")
        return bool(good)


def reader_of(path):
    kinds = {".vtu": vtk.vtkXMLUnstructuredGridReader, ".pvtp": vtk.vtkXMLPPolyDataReader}
    return kinds.get(os.path.splitext(path)[1], vtk.vtkXMLPolyDataReader)()


def pieces_of(path):
    """The files that an index of pieces names."""
    if not path.endswith(".pvtp"):
        return []
    return [os.path.join(os.path.dirname(path), piece.get("Source"))
            for piece in ElementTree.parse(path).getroot().iter("Piece")]


class Frame:
    """One .vtp, .vtu or .pvtp file: arrays by name, and what went wrong while reading."""

    def __init__(self, path):
        self.problems = []
        with open(path, "rb") as file:
            self.appended = b"<AppendedData" in file.read()
        self.solid = path.endswith(".vtu")
        reader = reader_of(path)
        reader.SetFileName(path)
        reader.AddObserver("ErrorEvent", lambda *_: self.problems.append("VTK reports an error"))
        reader.Update()
        if reader.GetErrorCode():
            self.problems.append(f"VTK error code {reader.GetErrorCode()}")
        data = reader.GetOutput()
        self.data = data
        self.points = data.GetNumberOfPoints()
        self.cells = data.GetNumberOfCells()
        self.point = self.arrays(data.GetPointData())
        self.cell = self.arrays(data.GetCellData())
        self.field = self.arrays(data.GetFieldData())
        self.position = vtk_to_numpy(data.GetPoints().GetData()) if data.GetPoints() else \
            numpy.zeros((0, 3))

    @staticmethod
    def arrays(fields):
        return {fields.GetArrayName(k): vtk_to_numpy(fields.GetArray(k))
                for k in range(fields.GetNumberOfArrays()) if fields.GetArray(k)}

    def names(self, name):
        """The texts of a list of names; None where there is no such list."""
        texts = self.data.GetFieldData().GetAbstractArray(name)
        return texts and [texts.GetValue(k) for k in range(texts.GetNumberOfValues())]


def read_series(checker, folder, kind):
    """{step: (time, file)} of DIR/kind.pvd."""
    path = os.path.join(folder, kind + ".pvd")
    if not checker.check(os.path.exists(path), path, "missing"):
        return {}
    try:
        entries = ElementTree.parse(path).getroot().findall("./Collection/DataSet")
    except ElementTree.ParseError as error:
        checker.check(False, path, f"not XML: {error}")
        return {}
    series, last = {}, -math.inf
    for entry in entries:
        name, time = entry.get("file"), float(entry.get("timestep"))
        match = re.fullmatch(rf"vtk/{kind}_(\d{{6,}})\.{EXTENSIONS.get(kind, 'vtp')}",
                             name)
        if not checker.check(match, path, f"unexpected file name {name}"):
            continue
        checker.check(time > last, path, f"time {time} of {name} is not after {last}")
        checker.check(os.path.exists(os.path.join(folder, name)), path, f"{name} is missing")
        series[int(match.group(1))], last = (time, os.path.join(folder, name)), time
    checker.check(series, path, "no frames")
    return series


def read_history(folder):
    """{step: row} of DIR/history.csv, empty when there is none."""
    path = os.path.join(folder, "history.csv")
    if not os.path.exists(path):
        return {}
    with open(path, newline="") as file:
        lines = (line for line in file if not line.startswith("#"))
        return {int(row["step"]): row for row in csv.DictReader(lines)}


def check_arrays(checker, where, frame, fields, arrays, required, count):
    for name, letters in required.items():
        if not checker.check(name in arrays, where, f"array {name} is missing"):
            continue
        values, vtk_array = arrays[name], fields.GetArray(name)
        components = max(1, len(letters))
        checker.check(len(values) == count, where,
                      f"array {name} has {len(values)} values, expected {count}")
        checker.check(vtk_array.GetNumberOfComponents() == components, where,
                      f"array {name} has {vtk_array.GetNumberOfComponents()} components, "
                      f"expected {components}")
        names = "".join(vtk_array.GetComponentName(k) or "?" for k in range(len(letters)))
        checker.check(names == letters, where,
                      f"components of {name} are named {names}, expected {letters}")
        checker.check(numpy.isfinite(values).all(), where, f"array {name} has values not finite")


def check_cells(checker, where, kind, frame):
    checker.check(frame.points == CORNERS[kind] * frame.cells, where,
                  f"{frame.points} points for {frame.cells} cells")
    corners = {1: frame.data.GetVerts, 2: frame.data.GetLines, 4: frame.data.GetPolys}
    cells = corners[CORNERS[kind]]()
    checker.check(cells.GetNumberOfCells() == frame.cells, where, "cells of another type")
    connectivity = vtk_to_numpy(cells.GetConnectivityArray())
    checker.check(numpy.array_equal(connectivity, numpy.arange(frame.points)), where,
                  "cells do not take the points in order")


def check_shared_cells(checker, where, frame):
    """Walls with surfaces among them: triangles that share points, and quads."""
    cells = frame.data.GetPolys()
    checker.check(cells.GetNumberOfCells() == frame.cells, where, "cells of another type")
    corners = numpy.diff(vtk_to_numpy(cells.GetOffsetsArray()))
    checker.check(numpy.isin(corners, (3, 4)).all(), where, "cells that are no triangles or quads")
    used = numpy.unique(vtk_to_numpy(cells.GetConnectivityArray()))
    checker.check(numpy.array_equal(used, numpy.arange(frame.points)), where,
                  "points that no cell uses, or cells without points")


def check_frame(checker, where, kind, frame, step, time):
    """What holds for every kind. False: the frame cannot be looked at further."""
    for problem in frame.problems:
        checker.check(False, where, problem)
    checker.check(not frame.appended, where, "appended data, which ParaView 5.11 may reject")
    checker.check(numpy.isfinite(frame.position).all(), where, "points not finite")
    if kind == "walls" and frame.points != CORNERS[kind] * frame.cells:
        check_shared_cells(checker, where, frame)
    elif kind != "blocks":
        check_cells(checker, where, kind, frame)
    checker.check("TimeValue" in frame.field and frame.field["TimeValue"].dtype == numpy.float64
                  and frame.field["TimeValue"][0] == time, where,
                  f"TimeValue is {frame.field.get('TimeValue')}, the series says {time!r}")
    checker.check("step" in frame.field and frame.field["step"][0] == step, where,
                  f"step is {frame.field.get('step')}, the name says {step}")
    before = checker.failed
    check_names(checker, where, kind, frame)
    check_arrays(checker, where, frame, frame.data.GetPointData(), frame.point,
                 POINT_ARRAYS[kind], frame.points)
    check_arrays(checker, where, frame, frame.data.GetCellData(), frame.cell,
                 CELL_ARRAYS[kind], frame.cells)
    return checker.failed == before


def check_names(checker, where, kind, frame):
    """Every number of a group or a material has its name; group 0 has none."""
    if kind not in ("bodies", "walls", "blocks"):
        return
    own = frame.point if kind == "bodies" else frame.cell
    for name in ("group", "material"):
        texts = frame.names(name + "_names")
        checker.check(texts is not None and (own[name] < len(texts)).all(), where,
                      f"there is no name for a {name}: {texts}")
    checker.check((frame.names("group_names") or ["?"])[0] == "", where, "group 0 has a name")


def close(a, b, tolerance=1e-5):
    a, b = numpy.asarray(a, dtype=float), numpy.asarray(b, dtype=float)
    if a.size == 0:
        return True
    scale = max(numpy.abs(a).max(), numpy.abs(b).max(), 1e-30)
    return numpy.abs(a - b).max() <= tolerance * scale


def check_bodies(checker, where, frame):
    identity, orientation = frame.point["id"], frame.point["orientation"]
    checker.check((numpy.diff(identity) >= 0).all(), where, "ids are not in increasing order")
    checker.check((frame.point["radius"] > 0).all(), where, "a radius is not positive")
    checker.check(frame.points == 0 or close((orientation ** 2).sum(axis=1), 1), where,
                  "an orientation is not a unit quaternion")


def check_clumps(checker, where, frame, lengths):
    """The spheres of a clump keep their distances and move as one body."""
    for body, count in zip(*numpy.unique(frame.point["id"], return_counts=True)):
        if count == 1:
            continue
        mine = frame.point["id"] == body
        x, v = frame.position[mine].astype(float), frame.point["velocity"][mine].astype(float)
        spin = frame.point["angular_velocity"][mine][0].astype(float)
        apart = numpy.linalg.norm(x - x[0], axis=1)
        before = lengths.setdefault(("clump", int(body)), apart)
        checker.check(close(apart, before), where, f"clump {body} has changed its form")
        turning = v - v[0] - numpy.cross(spin, x - x[0])
        checker.check(numpy.abs(turning).max() <= 1e-5 * (1 + numpy.abs(v).max()), where,
                      f"the spheres of clump {body} do not move as one")


def check_contacts(checker, where, frame):
    force, normal_force = frame.cell["force"].astype(float), frame.cell["normal_force"]
    normal, status = frame.cell["normal"].astype(float), frame.cell["status"]
    checker.check(numpy.array_equal(frame.point["normal_force"], numpy.repeat(normal_force, 2)),
                  where, "normal_force of points and cells differ")
    checker.check(frame.cells == 0 or close((normal ** 2).sum(axis=1), 1), where,
                  "a normal is not a unit vector")
    checker.check(close((force * normal).sum(axis=1), normal_force), where,
                  "normal_force is not force . normal")
    checker.check((status <= 2).all(), where, "a status is not 0, 1 or 2")
    checker.check((normal_force[status == 0] == 0).all(), where, "an open contact has a force")


def surface_of(frame):
    """The outside of the blocks as polygons, as ParaView would draw it, with the ids."""
    if not frame.solid:
        return frame.data
    outside = vtk.vtkGeometryFilter()
    outside.SetInputData(frame.data)
    outside.Update()
    return outside.GetOutput()


def block_volumes(checker, where, frame):
    """{id: volume}; every block must be closed and turned outwards."""
    surface = surface_of(frame)
    volumes = {}
    for identity in numpy.unique(frame.cell["id"]):
        one = vtk.vtkThreshold()
        one.SetInputData(surface)
        one.SetInputArrayToProcess(0, 0, 0, vtk.vtkDataObject.FIELD_ASSOCIATION_CELLS, "id")
        one.SetThresholdFunction(vtk.vtkThreshold.THRESHOLD_BETWEEN)
        one.SetLowerThreshold(identity)
        one.SetUpperThreshold(identity)
        polygons = vtk.vtkGeometryFilter()
        polygons.SetInputConnection(one.GetOutputPort())
        edges = vtk.vtkFeatureEdges()
        edges.SetInputConnection(polygons.GetOutputPort())
        edges.FeatureEdgesOff()
        edges.ManifoldEdgesOff()
        edges.Update()
        checker.check(edges.GetOutput().GetNumberOfCells() == 0, where,
                      f"block {identity} is not closed")
        triangles = vtk.vtkTriangleFilter()
        triangles.SetInputConnection(polygons.GetOutputPort())
        triangles.Update()
        volumes[int(identity)] = signed_volume(triangles.GetOutput())
    if frame.solid:
        check_solid_volumes(checker, where, frame, volumes)
    return volumes


def signed_volume(triangles):
    point = vtk_to_numpy(triangles.GetPoints().GetData()).astype(float)
    corner = point[vtk_to_numpy(triangles.GetPolys().GetConnectivityArray()).reshape(-1, 3)]
    corner = corner - point.mean(axis=0)
    return (corner[:, 0] * numpy.cross(corner[:, 1], corner[:, 2])).sum() / 6


def check_solid_volumes(checker, where, frame, volumes):
    """What VTK makes of the polyhedral cells themselves: one for each convex part of a block."""
    size = vtk.vtkCellSizeFilter()
    size.SetInputData(frame.data)
    size.ComputeVolumeOn()
    size.Update()
    cells = vtk_to_numpy(size.GetOutput().GetCellData().GetArray("Volume"))
    bodies = sorted(volumes)
    cells = numpy.array([cells[frame.cell["id"] == k].sum() for k in bodies])
    outside = numpy.array([volumes[k] for k in bodies])
    checker.check(close(cells, outside, VOLUME_TOLERANCE), where,
                  "volumes of cells and of their surfaces differ")
    types = {frame.data.GetCellType(k) for k in range(frame.cells)}
    checker.check(types <= {vtk.VTK_POLYHEDRON}, where, f"cells of types {types}")


def read_masses(folder):
    """{id: mass} of the moving bodies in the newest checkpoint."""
    import h5py
    newest = sorted(glob.glob(os.path.join(folder, "checkpoint-*.h5")))[-1]
    with h5py.File(newest) as file:
        mass = dict(zip(file["bodies/id"][:].tolist(), file["bodies/mass"][:].tolist()))
    return {identity: m for identity, m in mass.items() if m > 0}


def check_blocks(checker, where, frame, masses, density):
    identity = frame.cell["id"]
    checker.check((numpy.diff(identity) >= 0).all(), where, "ids are not in increasing order")
    checker.check((frame.cell["fixed"] <= 1).all(), where, "fixed is not 0 or 1")
    for body, volume in block_volumes(checker, where, frame).items():
        checker.check(volume > 0, where, f"block {body} has volume {volume}")
        if density and body in masses:
            checker.check(abs(volume * density / masses[body] - 1) < VOLUME_TOLERANCE, where,
                          f"block {body} has volume {volume}, expected {masses[body] / density}")


def check_interfaces(checker, where, interfaces, contacts, known):
    """Interfaces name bodies that exist; those of a pair together carry what its contacts do."""
    first, second = interfaces.point["body_a"], interfaces.point["body_b"]
    checker.check(numpy.isin(numpy.concatenate([first, second]), known).all(), where,
                  "an interface names a body that is in no file")
    checker.check((first < second).all(), where, "an interface with body_a above body_b")
    normal, along = (interfaces.point[name].astype(float) for name in ("normal", "sliding"))
    checker.check(interfaces.points == 0 or close((normal ** 2).sum(axis=1), 1), where,
                  "the normal of an interface is not a unit vector")
    checker.check(close(numpy.linalg.norm(along, axis=1), interfaces.point["slide"]), where,
                  "slide is not the length of sliding")
    checker.check(numpy.abs((normal * along).sum(axis=1)).max(initial=0) <=
                  1e-6 * max(1, numpy.abs(along).max(initial=0)), where,
                  "sliding is not in the plane of the interface")
    loaded = interfaces.point["normal_force"] > 0
    checker.check(((interfaces.point["status"] > 0) == loaded).all(), where,
                  "an interface is open and loaded, or neither")
    total = {}
    for a, b, force in zip(contacts.cell["body_a"], contacts.cell["body_b"],
                           contacts.cell["force"].astype(float)):
        pair, sign = ((a, b), 1) if a < b else ((b, a), -1)
        total[pair] = total.get(pair, 0) + sign * force
    carried = {}
    for pair, force in zip(zip(first, second), interfaces.point["force"].astype(float)):
        carried[pair] = carried.get(pair, 0) + force
    expected = [total.get(pair, numpy.zeros(3)) for pair in carried]
    checker.check(close(numpy.reshape(expected, (-1, 3)),
                        numpy.reshape(list(carried.values()), (-1, 3)), 1e-4), where,
                  "the force of an interface is not that of its contacts")


def check_thrust(checker, where, thrust, interfaces):
    loaded = interfaces.point["normal_force"] > 0
    for k, body in enumerate(thrust.cell["id"]):
        mine = loaded & ((interfaces.point["body_a"] == body) |
                         (interfaces.point["body_b"] == body))
        ends = thrust.position[2 * k:2 * k + 2]
        checker.check(mine.sum() == 2 and numpy.array_equal(interfaces.position[mine], ends), where,
                      f"thrust of block {body} does not join its two loaded interfaces")


def check_joints(checker, where, joints, lengths, known):
    """Joints name bodies that exist; a distance stays as long as it was."""
    first, second = joints.cell["body_a"], joints.cell["body_b"]
    checker.check(numpy.isin(first, known).all() and
                  numpy.isin(second[second >= 0], known).all() and (second >= -1).all(), where,
                  "a joint names a body that is in no file")
    checker.check((joints.cell["kind"] <= 3).all() and (joints.cell["error"] >= 0).all(), where,
                  "a joint of no kind, or with a negative error")
    length = numpy.linalg.norm(joints.position[1::2] - joints.position[::2], axis=1)
    for joint in numpy.flatnonzero(joints.cell["kind"] == 3):
        error = joints.cell["error"][joint]
        before, slack = lengths.setdefault(int(joints.cell["joint"][joint]), (length[joint], error))
        checker.check(abs(length[joint] - before) <= slack + error + 1e-5 * before, where,
                      f"a rod of {before} m has become {length[joint]} m")


def check_together(checker, where, frames, lengths):
    """The files of a step speak of the same bodies and forces."""
    walls, contacts = frames["walls"], frames["contacts"]
    counted_by_id = {}
    for kind, data in (("bodies", "point"), ("blocks", "cell")):
        if kind in frames:
            arrays = getattr(frames[kind], data)
            counted_by_id.update(zip(arrays["id"].tolist(), arrays["coordination"].tolist()))
    known = numpy.concatenate([numpy.array(sorted(counted_by_id), dtype=int), walls.cell["id"]])
    first, second = contacts.cell["body_a"], contacts.cell["body_b"]
    if not checker.check(numpy.isin(numpy.concatenate([first, second]), known).all(), where,
                         "a contact names a body that is in no file"):
        return
    if "joints" in frames:
        check_joints(checker, where, frames["joints"], lengths, known)
    bearing = contacts.cell["normal_force"] > 0
    touched = numpy.concatenate([first[bearing], second[bearing]])
    size = int(known.max()) + 1 if known.size else 0
    counted = numpy.bincount(touched, minlength=size)
    checker.check(all(counted[k] == n for k, n in counted_by_id.items()), where,
                  "coordination differs from the contacts")
    force = numpy.zeros((size, 3))
    numpy.subtract.at(force, second, contacts.cell["force"].astype(float))
    wall_force = force[walls.cell["id"]] if size else numpy.zeros((0, 3))
    checker.check(close(wall_force, walls.cell["force"], 1e-4), where,
                  "force on a wall differs from the sum of its contacts")
    if "bodies" in frames:
        check_line_ends(checker, where, frames["bodies"], contacts, size)
    if "blocks" in frames:
        check_interfaces(checker, where, frames["interfaces"], contacts, known)
        check_thrust(checker, where, frames["thrust"], frames["interfaces"])


def check_line_ends(checker, where, bodies, contacts, size):
    row_of = numpy.full(size, -1)
    ids, first, count = numpy.unique(bodies.point["id"], return_index=True, return_counts=True)
    row_of[ids[count == 1]] = first[count == 1]  # the middle of a clump is not drawn
    for side, ids in ((0, contacts.cell["body_a"]), (1, contacts.cell["body_b"])):
        row = row_of[ids] if size else ids
        centre = bodies.position[row[row >= 0]]
        checker.check(numpy.array_equal(contacts.position[side::2][row >= 0], centre), where,
                      "a contact line does not end at the centre of its body")


def check_history(checker, where, row, time, frames):
    contacts = frames["contacts"]
    bearing = int((contacts.cell["normal_force"] > 0).sum())
    bodies = len(numpy.unique(frames["bodies"].point["id"])) if "bodies" in frames else 0
    if "blocks" in frames:
        bodies += len(numpy.unique(frames["blocks"].cell["id"]))
    for name, got in (("bodies", bodies), ("candidates", contacts.cells), ("contacts", bearing)):
        checker.check(int(row[name]) == got, where,
                      f"{got} {name} in the files, {row[name]} in history.csv")
    checker.check(math.isclose(float(row["time"]), time, rel_tol=1e-12, abs_tol=1e-15), where,
                  f"time {time!r}, {row['time']} in history.csv")


def check_full_precision(checker, path, interfaces):
    """The interfaces of the HDF5 frame of the same step, if there is one."""
    if not os.path.exists(path):
        return
    import h5py
    with h5py.File(path) as file:
        for name in sorted(POINT_ARRAYS["interfaces"]):
            if name != "slide":
                checker.check(numpy.array_equal(file["interfaces"][name][:].astype(numpy.float32),
                                                interfaces.point[name].astype(numpy.float32)),
                              path, f"interfaces/{name} differs from interfaces.pvd")
        checker.check(numpy.array_equal(file["interfaces/position"][:].astype(numpy.float32),
                                        interfaces.position), path, "interfaces are elsewhere")
        checker.check("polyhedra" in file and len(file["polyhedra/corner"]) > 0, path, "no shapes")


def check_step(checker, where, frames, masses, density, lengths):
    if "bodies" in frames:
        check_bodies(checker, where, frames["bodies"])
        check_clumps(checker, where, frames["bodies"], lengths)
    check_contacts(checker, where, frames["contacts"])
    if "blocks" in frames:
        check_blocks(checker, where, frames["blocks"], masses, density)
    check_together(checker, where, frames, lengths)


def present_kinds(folder):
    """Masonry has no series of spheres, and grains have none of blocks."""
    blocks = os.path.exists(os.path.join(folder, "blocks.pvd"))
    spheres = not blocks or os.path.exists(os.path.join(folder, "bodies.pvd"))
    joints = os.path.exists(os.path.join(folder, "joints.pvd"))
    return GRAINS[0 if spheres else 1:] + (JOINTS if joints else ()) + (MASONRY if blocks else ())


def check_run(checker, folder, density):
    kinds = present_kinds(folder)
    series = {kind: read_series(checker, folder, kind) for kind in kinds}
    times = {step: time for step, (time, _) in series["walls"].items()}
    for kind in kinds:
        checker.check({step: time for step, (time, _) in series[kind].items()} == times, folder,
                      f"frames of {kind} and walls are not at the same times")
    named = {path for kind in kinds for _, path in series[kind].values()}
    named |= {piece for path in set(named) for piece in pieces_of(path)}
    for path in sorted(glob.glob(os.path.join(folder, "vtk", "*"))):
        checker.check(path in named, path, "is in no series")
    history, lengths = read_history(folder), {}
    masses = read_masses(folder) if density else {}
    for step, time in times.items():
        frames, good = {}, True
        for kind in kinds:
            _, path = series[kind].get(step, (0, ""))
            if not os.path.exists(path):
                good = False
                continue
            frames[kind] = Frame(path)
            good &= check_frame(checker, path, kind, frames[kind], step, time)
        if not good:
            continue
        where = f"{folder} step {step}"
        check_step(checker, where, frames, masses, density, lengths)
        if density and "interfaces" in frames:
            check_full_precision(checker, os.path.join(folder, "frames", f"frame-{step:09d}.h5"),
                                 frames["interfaces"])
        if step in history:
            check_history(checker, where, history[step], time, frames)


def main():
    arguments = sys.argv[1:]
    density = 0.0
    if arguments[:1] == ["--density"] and len(arguments) > 1:
        density, arguments = float(arguments[1]), arguments[2:]
    if not arguments or arguments[0].startswith("-"):
        print(__doc__.strip())
        return 2
    checker = Checker()
    vtk.vtkObject.GlobalWarningDisplayOff()  # this script reports each problem once
    for folder in arguments:
        check_run(checker, folder, density)
    print(f"{checker.passed} passed, {checker.failed} failed")
    return 1 if checker.failed else 0


if __name__ == "__main__":
    sys.exit(main())
