#!/usr/bin/env python3
"""How long a million bodies take to come in from a CSV and from an HDF5 file (needs h5py).

`gabion run --steps 0` reads the case, places the bodies and leaves a checkpoint; `gabion check`
reads it and looks for overlaps. Seconds by the clock and of processor time are reported.
"""
import argparse
import math
import os
import shutil
import sys
import tempfile

import h5py
import numpy

from gabion_run import QUIET, Verdict, gabion

CASE = """title: bodies from {file}
time: {{step: 1e-3, end: 1}}
materials:
  grain: {{density: 2500}}
laws:
  - {{between: default, friction: 0.3, restitution: 0}}
imports:
  - {{file: {file}, name: grains, material: grain}}
"""


def lattice(count):
    edge = math.ceil(count ** (1 / 3))
    places = numpy.arange(count)
    x = numpy.stack([places % edge, places // edge % edge, places // edge ** 2], axis=1)
    return 0.02001 * x, 0.01 * (0.9 + 0.1 * (places % 7) / 6)


def write_csv(path, x, radius):
    table = numpy.column_stack([x, radius])
    numpy.savetxt(path, table, fmt="%.17g", delimiter=",", header="x,y,z,radius", comments="")


def write_hdf5(path, x, radius):
    with h5py.File(path, "w") as file:
        file["position"] = x
        file["radius"] = radius


def best(repeats, *arguments):
    runs = [gabion(*arguments) for _ in range(repeats)]
    return min(runs, key=lambda run: run["cpu"])


def measure(kind, folder, repeats):
    case = os.path.join(folder, kind + ".yaml")
    with open(case, "w", encoding="ascii") as file:
        file.write(CASE.format(file="bodies." + kind))
    out = os.path.join(folder, "out-" + kind)
    run = best(repeats, "run", case, "-o", out, "--steps", 0, *QUIET)
    check = best(repeats, "check", case)
    size = os.path.getsize(os.path.join(folder, "bodies." + kind)) / 2 ** 20
    print(f"{kind:>6}  {size:8.1f}  {run['bodies']:>8}  {run['wall']:8.2f}  {run['cpu']:8.2f}  "
          f"{check['wall']:8.2f}  {check['cpu']:8.2f}  {float(run['peak-memory-mb']):8.0f}",
          flush=True)
    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bodies", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()
    verdict, runs = Verdict(), {}
    folder = tempfile.mkdtemp(prefix="gabion-load-")
    try:
        x, radius = lattice(options.bodies)
        write_csv(os.path.join(folder, "bodies.csv"), x, radius)
        write_hdf5(os.path.join(folder, "bodies.h5"), x, radius)
        print("  file        MB    bodies     run s   run cpu   check s check cpu   peak MB")
        for kind in ("csv", "h5"):
            runs[kind] = measure(kind, folder, options.repeats)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for kind, run in runs.items():
        verdict.aim(f"{kind}: {options.bodies} bodies in {run['cpu']:.2f} s of processor time, "
                    f"asked less than 10", run["cpu"] < 10)
        verdict.check(f"{kind}: all {options.bodies} bodies are in the run",
                      int(run["bodies"]) == options.bodies)
    verdict.check("both files give the same bits",
                  runs["csv"]["state-hash"] == runs["h5"]["state-hash"])
    return verdict.end()


if __name__ == "__main__":
    sys.exit(main())
