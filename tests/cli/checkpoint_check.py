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


def check_history(file, path):
    step = int(file.attrs["step"])
    with open(path, newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if int(row["step"]) == step]
    check(f"step {step} in {path}", len(rows) == 1, f"{len(rows)} rows")
    if len(rows) != 1:
        return
    row, ledger, last = rows[0], file["ledger"].attrs, file["last_step"].attrs
    close("time", float(row["time"]), file.attrs["time"])
    spheres = int(np.sum(file["bodies/shape"][:] == 0))
    check("bodies", int(row["bodies"]) == spheres == last["bodies"],
          f'{row["bodies"]} in the history, {last["bodies"]} and {spheres} in the checkpoint')
    for name in ("candidates", "contacts", "sweeps", "colours", "converged"):
        check(name, int(row[name]) == last[name], f"{row[name]}, expected {last[name]}")
    for name in ("residual", "residual_fclib", "max_overlap", "max_overlap_relative", "max_speed"):
        check(name, float(row[name]) == last[name], f"{row[name]}, expected {last[name]}")
    for name in ("kinetic_energy", "potential_energy", "contact_work", "driver_work",
                 "applied_work", "theta_work", "removed_energy", "energy_error"):
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
        check_history(file, os.path.join(directory, "history.csv"))
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
