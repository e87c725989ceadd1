#!/usr/bin/python3
"""Reads a checkpoint with h5py alone and compares it with the row of history.csv of its step.

    checkpoint_check.py RUN_DIR [CHECKPOINT.h5]

Without a checkpoint the newest one of the folder is taken. Ends with "N passed, M failed".
"""
import csv
import glob
import os
import sys

import h5py
import numpy as np

SPHERE, HALF_SPACE, POLYHEDRON, CLUMP, HOLLOW_SPHERE, DRUM, COMPOUND = range(7)  # bodies/shape

passed = failed = 0


def check(name, good, detail=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {name}: {detail}")


def close(name, value, expected, scale=None):
    error = abs(value - expected)
    check(name, error <= 1e-12 * max(abs(expected), scale or 0) or error == 0,
          f"{value!r}, expected {expected!r}")


def rotation(q):
    """Matrices of unit quaternions (w, x, y, z), from body axes to world axes."""
    w, x, y, z = q.T
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
                    ).transpose(2, 0, 1)


def kinetic_energy(bodies):
    mass, inertia = bodies["mass"][:], bodies["inertia"][:]
    velocity, spin = bodies["velocity"][:], bodies["spin"][:]
    spin_body = np.einsum("nji,nj->ni", rotation(bodies["orientation"][:]), spin)
    return 0.5 * np.sum(mass[:, None] * velocity**2) + 0.5 * np.sum(inertia * spin_body**2)


def check_structure(file):
    check("format", file.attrs["format"] == b"gabion-checkpoint", file.attrs["format"])
    missing = []
    file.visititems(lambda name, item: missing.append(name)
                    if isinstance(item, h5py.Dataset) and "unit" not in item.attrs else None)
    check("unit on every dataset", not missing, missing)
    bodies, count = file["bodies"], len(file["bodies/id"])
    for name, item in bodies.items():
        check(f"rows of bodies/{name}", len(item) == count, f"{len(item)}, expected {count}")
    check("ids differ", len(set(bodies["id"][:])) == count)
    moving = bodies.attrs["moving"]
    check("moving bodies have mass", np.all(bodies["mass"][:moving] > 0))
    check("others have none", np.all(bodies["mass"][moving:] == 0))
    length = np.linalg.norm(bodies["orientation"][:], axis=1)
    check("orientations are unit", np.allclose(length, 1, rtol=0, atol=1e-9))
    start, body = file["contacts/start"][:], file["contacts/body"][:]
    if len(start):
        check("contacts/start", len(start) == moving + 1 and start[-1] == len(body))
        check("contacts/body", np.all(body < count) and
              np.all(body > np.repeat(np.arange(moving), np.diff(start))))


def polyhedra(group):
    """Corners and faces (lists of corners) of each polyhedron of a checkpoint or frame."""
    corners, sizes, face_corners = (group[name][:] for name in
                                    ("corner", "face_size", "face_corner"))
    corner = face = place = 0
    for corner_count, face_count in zip(group["corner_count"], group["face_count"]):
        faces = []
        for size in sizes[face:face + face_count]:
            faces.append(face_corners[place:place + size])
            place += size
        yield corners[corner:corner + corner_count], faces
        corner, face = corner + corner_count, face + face_count
    check("polyhedra: every row is used",
          (corner, face, place) == (len(corners), len(sizes), len(face_corners)))


def mass_properties(corners, faces):
    """Volume, first and second moments of the body of density 1: a sum over tetrahedra."""
    volume, first, second = 0, np.zeros(3), np.zeros((3, 3))
    for face in faces:
        for k in range(1, len(face) - 1):
            a = corners[[face[0], face[k], face[k + 1]]]
            v, total = np.linalg.det(a) / 6, a.sum(axis=0)
            volume, first = volume + v, first + v * total / 4
            second += v / 20 * (np.outer(total, total) + a.T @ a)
    return volume, first, second


def check_polyhedra(file):
    """Shapes are in their own frame: centre of mass at the origin, axes principal."""
    bodies, shapes = file["bodies"], []
    for k, (corners, faces) in enumerate(polyhedra(file["polyhedra"])):
        volume, first, second = mass_properties(corners, faces)
        size = np.abs(corners).max()
        inertia = np.trace(second) * np.eye(3) - second
        check(f"polyhedron {k}: volume", volume > 0, volume)
        check(f"polyhedron {k}: centre", np.abs(first).max() < 1e-12 * volume * size, first)
        check(f"polyhedron {k}: principal axes",
              np.abs(inertia - np.diag(np.diag(inertia))).max() < 1e-9 * volume * size**2, inertia)
        shapes.append((volume, np.diag(inertia)))
    for i in np.flatnonzero((bodies["shape"][:] == POLYHEDRON) & (bodies["mass"][:] > 0)):
        volume, inertia = shapes[bodies["shape_index"][i]]
        expected = bodies["mass"][i] / volume * inertia
        check(f"inertia of body {bodies['id'][i]}",
              np.allclose(bodies["inertia"][i], expected, rtol=1e-10, atol=0), expected)


def check_compounds(file):
    """Parts are in the own frame of their compound; bodies have its inertia (parallel axes)."""
    bodies, compounds, shapes = file["bodies"], file["compounds"], []
    solids = [mass_properties(*solid) for solid in polyhedra(file["polyhedra"])]
    count, turns = compounds["part_count"][:], rotation(compounds["part_orientation"][:])
    check("parts of compounds", count.sum() == len(compounds["part_polyhedron"]))
    for k, begin in enumerate(np.cumsum(count) - count):
        mass, first, second = 0, np.zeros(3), np.zeros((3, 3))
        for p in range(begin, begin + count[k]):
            volume, _, moment = solids[compounds["part_polyhedron"][p]]
            turn, x = turns[p], compounds["part_position"][p]
            density = compounds["part_density"][p]
            mass += density * volume
            first += density * volume * x
            second += density * (turn @ moment @ turn.T + volume * np.outer(x, x))
        inertia = np.trace(second) * np.eye(3) - second
        scale = np.trace(inertia)
        check(f"compound {k}: centre", np.abs(first).max() < 1e-12 * mass, first)
        check(f"compound {k}: principal axes",
              np.abs(inertia - np.diag(np.diag(inertia))).max() < 1e-9 * scale, inertia)
        shapes.append((mass, np.diag(inertia)))
    for i in np.flatnonzero((bodies["shape"][:] == COMPOUND) & (bodies["mass"][:] > 0)):
        mass, inertia = shapes[bodies["shape_index"][i]]
        expected = bodies["mass"][i] / mass * inertia
        check(f"inertia of body {bodies['id'][i]}",
              np.allclose(bodies["inertia"][i], expected, rtol=1e-10, atol=0), expected)


def check_clumps(file):
    """Spheres belong to a clump each; bodies have the inertia of theirs."""
    bodies, clumps = file["bodies"], file["clumps"]
    check("spheres of clumps", clumps["sphere_count"][:].sum() == len(clumps["sphere"]))
    for i in np.flatnonzero((bodies["shape"][:] == CLUMP) & (bodies["mass"][:] > 0)):
        k = bodies["shape_index"][i]
        expected = bodies["mass"][i] / clumps["volume"][k] * clumps["inertia"][k]
        check(f"inertia of body {bodies['id'][i]}",
              np.allclose(bodies["inertia"][i], expected, rtol=1e-10, atol=0), expected)


def check_interfaces(file):
    a, b, corners = (file[f"interfaces/{name}"][:] for name in ("a", "b", "corners"))
    check("interfaces name two bodies", np.all(a < b))
    check("interfaces are in order", np.all(np.diff(a.astype(np.int64) << 32 | b) >= 0))
    check("corners of interfaces", np.all(corners >= 3) and
          corners.sum() == len(file["interface_corners/in_a"]))


def check_history(file, path):
    step = int(file.attrs["step"])
    with open(path, newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if int(row["step"]) == step]
    check(f"step {step} in {path}", len(rows) == 1, f"{len(rows)} rows")
    if len(rows) != 1:
        return
    row, ledger, last = rows[0], file["ledger"].attrs, file["last_step"].attrs
    close("time", float(row["time"]), file.attrs["time"])
    bodies = int(np.sum(~np.isin(file["bodies/shape"][:], (HALF_SPACE, HOLLOW_SPHERE, DRUM))))
    check("bodies", int(row["bodies"]) == bodies == last["bodies"],
          f'{row["bodies"]} in the history, {last["bodies"]} and {bodies} in the checkpoint')
    for name in ("candidates", "contacts", "sweeps", "colours", "converged"):
        check(name, int(row[name]) == last[name], f"{row[name]}, expected {last[name]}")
    for name in ("residual", "residual_fclib", "max_overlap", "max_overlap_relative", "mean_overlap", "max_speed"):
        check(name, float(row[name]) == last[name], f"{row[name]}, expected {last[name]}")
    for name in ("kinetic_energy", "potential_energy", "contact_work", "driver_work",
                 "applied_work", "theta_work", "projection_work", "removed_energy", "energy_error"):
        check(name, float(row[name]) == ledger[name], f"{row[name]}, expected {ledger[name]}")
    moving = file["bodies"].attrs["moving"]
    speed = np.linalg.norm(file["bodies/velocity"][:moving], axis=1)
    close("greatest speed, recomputed", float(speed.max(initial=0)), float(row["max_speed"]))
    close("kinetic energy, recomputed", kinetic_energy(file["bodies"]),
          float(row["kinetic_energy"]))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    directory = sys.argv[1]
    paths = sys.argv[2:] or sorted(glob.glob(os.path.join(directory, "checkpoint-*.h5")),
                                   key=lambda path: int(path.split("-")[-1][:-3]))[-1:]
    if not paths:
        sys.exit(f"{directory}: no checkpoint")
    with h5py.File(paths[0], "r") as file:
        check_structure(file)
        check_polyhedra(file)
        check_clumps(file)
        check_compounds(file)
        check_interfaces(file)
        check_history(file, os.path.join(directory, "history.csv"))
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
