#!/usr/bin/python3
"""Opens every ParaView file of a run folder with VTK and checks what is in it.

    vtk_check.py DIR [DIR ...]

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
               "angular_velocity": VECTOR, "orientation": "wxyz", "coordination": ""},
    "walls": {},
    "contacts": {"normal_force": ""},
}
CELL_ARRAYS = {
    "bodies": {},
    "walls": {"id": "", "material": "", "group": "", "velocity": VECTOR, "force": VECTOR},
    "contacts": {"normal_force": "", "force": VECTOR, "impulse": VECTOR, "point": VECTOR,
                 "normal": VECTOR, "gap": "", "body_a": "", "body_b": "", "status": ""},
}
KINDS = ("bodies", "walls", "contacts")
CORNERS = {"bodies": 1, "walls": 4, "contacts": 2}


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


class Frame:
    """One .vtp file: arrays by name, and what went wrong while reading."""

    def __init__(self, path):
        self.problems = []
        with open(path, "rb") as file:
            self.appended = b"<AppendedData" in file.read()
        reader = vtk.vtkXMLPolyDataReader()
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
                for k in range(fields.GetNumberOfArrays())}


def read_series(checker, folder, kind):
    """{step: time} of DIR/kind.pvd."""
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
        match = re.fullmatch(rf"vtk/{kind}_(\d{{6,}})\.vtp", name)
        if not checker.check(match, path, f"unexpected file name {name}"):
            continue
        checker.check(time > last, path, f"time {time} of {name} is not after {last}")
        checker.check(os.path.exists(os.path.join(folder, name)), path, f"{name} is missing")
        series[int(match.group(1))], last = time, time
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


def check_frame(checker, where, kind, frame, step, time):
    """What holds for every kind. False: the frame cannot be looked at further."""
    for problem in frame.problems:
        checker.check(False, where, problem)
    checker.check(not frame.appended, where, "appended data, which ParaView 5.11 may refuse")
    checker.check(frame.points == CORNERS[kind] * frame.cells, where,
                  f"{frame.points} points for {frame.cells} cells")
    checker.check(numpy.isfinite(frame.position).all(), where, "points not finite")
    corners = {1: frame.data.GetVerts, 2: frame.data.GetLines, 4: frame.data.GetPolys}
    cells = corners[CORNERS[kind]]()
    checker.check(cells.GetNumberOfCells() == frame.cells, where, "cells of another type")
    connectivity = vtk_to_numpy(cells.GetConnectivityArray())
    checker.check(numpy.array_equal(connectivity, numpy.arange(frame.points)), where,
                  "cells do not take the points in order")
    checker.check("TimeValue" in frame.field and frame.field["TimeValue"].dtype == numpy.float64
                  and frame.field["TimeValue"][0] == time, where,
                  f"TimeValue is {frame.field.get('TimeValue')}, the series says {time!r}")
    checker.check("step" in frame.field and frame.field["step"][0] == step, where,
                  f"step is {frame.field.get('step')}, the name says {step}")
    before = checker.failed
    check_arrays(checker, where, frame, frame.data.GetPointData(), frame.point,
                 POINT_ARRAYS[kind], frame.points)
    check_arrays(checker, where, frame, frame.data.GetCellData(), frame.cell,
                 CELL_ARRAYS[kind], frame.cells)
    return checker.failed == before


def close(a, b, tolerance=1e-5):
    a, b = numpy.asarray(a, dtype=float), numpy.asarray(b, dtype=float)
    if a.size == 0:
        return True
    scale = max(numpy.abs(a).max(), numpy.abs(b).max(), 1e-30)
    return numpy.abs(a - b).max() <= tolerance * scale


def check_bodies(checker, where, frame):
    identity, orientation = frame.point["id"], frame.point["orientation"]
    checker.check((numpy.diff(identity) > 0).all(), where, "ids are not in increasing order")
    checker.check((frame.point["radius"] > 0).all(), where, "a radius is not positive")
    checker.check(frame.points == 0 or close((orientation ** 2).sum(axis=1), 1), where,
                  "an orientation is not a unit quaternion")


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


def check_together(checker, where, bodies, walls, contacts):
    """The three files of a step speak of the same bodies and forces."""
    known = numpy.concatenate([bodies.point["id"], walls.cell["id"]])
    first, second = contacts.cell["body_a"], contacts.cell["body_b"]
    if not checker.check(numpy.isin(numpy.concatenate([first, second]), known).all(), where,
                         "a contact names a body that is in no file"):
        return
    bearing = contacts.cell["normal_force"] > 0
    touched = numpy.concatenate([first[bearing], second[bearing]])
    size = int(known.max()) + 1 if known.size else 0
    counted = numpy.bincount(touched, minlength=size)[bodies.point["id"]] if size else []
    checker.check(numpy.array_equal(counted, bodies.point["coordination"]), where,
                  "coordination differs from the contacts")
    force = numpy.zeros((size, 3))
    numpy.subtract.at(force, second, contacts.cell["force"].astype(float))
    wall_force = force[walls.cell["id"]] if size else numpy.zeros((0, 3))
    checker.check(close(wall_force, walls.cell["force"], 1e-4), where,
                  "force on a wall differs from the sum of its contacts")
    row_of = numpy.full(size, -1)
    row_of[bodies.point["id"]] = numpy.arange(bodies.points)
    for side, ids in ((0, first), (1, second)):
        row = row_of[ids] if size else ids
        centre = bodies.position[row[row >= 0]]
        checker.check(numpy.array_equal(contacts.position[side::2][row >= 0], centre), where,
                      "a contact line does not end at the centre of its body")


def check_history(checker, where, row, time, bodies, contacts):
    bearing = int((contacts.cell["normal_force"] > 0).sum())
    for name, got in (("bodies", bodies.points), ("candidates", contacts.cells),
                      ("contacts", bearing)):
        checker.check(int(row[name]) == got, where,
                      f"{got} {name} in the files, {row[name]} in history.csv")
    checker.check(math.isclose(float(row["time"]), time, rel_tol=1e-12, abs_tol=1e-15), where,
                  f"time {time!r}, {row['time']} in history.csv")


def check_run(checker, folder):
    series = {kind: read_series(checker, folder, kind) for kind in KINDS}
    for kind in KINDS:
        checker.check(series[kind] == series["bodies"], folder,
                      f"frames of {kind} and bodies are not at the same times")
    named = {os.path.join(folder, "vtk", f"{kind}_{step:06d}.vtp")
             for kind in KINDS for step in series[kind]}
    for path in sorted(glob.glob(os.path.join(folder, "vtk", "*"))):
        checker.check(path in named, path, "is in no series")
    history = read_history(folder)
    for step, time in series["bodies"].items():
        frames, good = {}, True
        for kind in KINDS:
            path = os.path.join(folder, "vtk", f"{kind}_{step:06d}.vtp")
            if step not in series[kind] or not os.path.exists(path):
                good = False
                continue
            frames[kind] = Frame(path)
            good &= check_frame(checker, path, kind, frames[kind], step, series[kind][step])
        if not good:
            continue
        where = f"{folder} step {step}"
        check_bodies(checker, where, frames["bodies"])
        check_contacts(checker, where, frames["contacts"])
        check_together(checker, where, frames["bodies"], frames["walls"], frames["contacts"])
        if step in history:
            check_history(checker, where, history[step], time, frames["bodies"],
                          frames["contacts"])


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__.strip())
        return 2
    checker = Checker()
    vtk.vtkObject.GlobalWarningDisplayOff()  # problems are told once, by this script
    for folder in sys.argv[1:]:
        check_run(checker, folder)
    print(f"{checker.passed} passed, {checker.failed} failed")
    return 1 if checker.failed else 0


if __name__ == "__main__":
    sys.exit(main())
