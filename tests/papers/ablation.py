#!/usr/bin/python3
"""Galizzi and Faure 2002, figure 7: which of our additions to the method of the paper moves the optimum.

    ablation.py [-o FOLDER] [--full]

Builds the program again with one addition switched off at a time, and with all of them, and runs the Tourniquet of 602
spheres for 3 s with five seeds for some splits of thirty iterations; and the caption's Tourniquet of 352 spheres by the
program as it is. Ten minutes of one core, which `make papers` does not spend: what it finds is written to
tests/papers/ablation.csv, which budget.py shows. --full: runs of 5 s.

The judge is a detection of its own, from frames after the position pass: the overlaps of all spheres with spheres of
other bodies and with the walls, added up and divided by the number of spheres, whatever the program takes for a contact.

Written down before the runs: the cause of the different optimum is an addition without which the best split has more
iterations on velocities than on positions in at least four of five seeds. Zone 1 is poor if the best split with at least
24 iterations on positions is worse than twice the optimum, in at least four of five seeds.
"""
import csv
import itertools
import os
import shutil
import subprocess
import sys

import h5py
import numpy
from scipy.spatial import cKDTree

import section
from galizzi_scenes import spheres

CASE, CAPTION = "papers/galizzi_tourniquet_602", "papers/galizzi_tourniquet"
RADIUS = 0.05
STEPS = 180
SEEDS = range(1, 6)
CHUNK = 60
SPLITS = [(12, 18, 0), (15, 15, 0), (18, 12, 0), (21, 9, 0), (24, 6, 0)]
RESULTS = os.path.join(section.ROOT, "tests", "papers", "ablation.csv")

# Each addition: file, the text that has it, the text without.
OPEN = ("engine/step/projection.c", "gap < 0 ? PARTITION_ACTIVE : PARTITION_INACTIVE",
        "gap < 0 ? PARTITION_ACTIVE : PARTITION_ABSENT")
BEST = ("engine/solvers/krylov/partition.c", "set.scale[i] * set.best[i]", "set.scale[i] * set.x[i]")
CLOSED = ("engine/step/corrective.c", "chosen[row->index] = true", "chosen[row->index] = chosen[row->index]")
VARIANTS = {
    "as it is": [],
    "no open candidates in the position pass": [OPEN],
    "last iterate, not the best": [BEST],
    "velocities of overlapping contacts alone": [CLOSED],
    "all three off": [OPEN, BEST, CLOSED],
}
SMALLER = "as it is, 352 spheres"


def switch_off(folder, path, text, without):
    path = os.path.join(folder, path)
    with open(path) as stream:
        source = stream.read()
    if source.count(text) != 1:
        sys.exit("%s: expected once: %s" % (path, text))
    with open(path, "w") as stream:
        stream.write(source.replace(text, without))


def build(folder, changes):
    """The program built with changes, in a copy that keeps the objects of what did not change."""
    shutil.rmtree(folder, ignore_errors=True)
    parts = ("parallel", "geometry", "engine", "cases", "io")
    for part in (*parts, *("build/" + part for part in parts)):
        shutil.copytree(os.path.join(section.ROOT, part), os.path.join(folder, part))
    shutil.copy2(os.path.join(section.ROOT, "Makefile"), folder)
    for change in changes:
        switch_off(folder, *change)
    subprocess.run(["make", "-C", folder, "build/gabion"], check=True, stdout=subprocess.DEVNULL)
    return os.path.join(folder, "build", "gabion")


def walls(path):
    """A point of each wall of the cube about the origin; its normal leads from there to the middle."""
    with h5py.File(path) as file:
        return file["bodies/position"][:][file["bodies/shape"][:] == 1]


def overlap(path):
    """The overlaps of a frame, added up, over the number of spheres; and how many pairs overlap."""
    found = spheres(path)
    x = numpy.concatenate([body[0] for body in found])
    owner = numpy.concatenate([[body[2]] * len(body[0]) for body in found])
    pairs = cKDTree(x).query_pairs(2 * RADIUS, output_type="ndarray")
    pairs = pairs[owner[pairs[:, 0]] != owner[pairs[:, 1]]]
    depth = [2 * RADIUS - numpy.linalg.norm(x[pairs[:, 0]] - x[pairs[:, 1]], axis=1)]
    for point in walls(path):
        gap = (point - x) @ point / numpy.linalg.norm(point) - RADIUS
        depth.append(-gap[gap < 0])
    depth = numpy.concatenate(depth)
    return depth.sum() / len(x), len(depth)


def measure(folder, split, seed, steps=STEPS, case=CASE):
    """Mean overlap of the second half of a run in m, pairs that overlap, and the program's own mean; infinite where a
    run is broken off because bodies overlap by their radius on average."""
    seeds = {"generators.%d.lattice.seed" % k: seed for k in range(3)}
    section.run(case, folder, "--steps", str(CHUNK), *section.sets(
        {**seeds, "time.end": 60, "laws.0.friction": 0, "contact.gap": "gap", "time.scheme": "corrective", "solver.method": "bicg",
         "solver.budget": "[%d, %d, %d]" % split, "solver.on_cap": "accept", "output.vtk_every": 0, "output.frames_every": 10}))
    frames = os.path.join(folder, "frames")
    for _ in range(CHUNK, steps, CHUNK):
        if overlap(os.path.join(frames, sorted(os.listdir(frames))[-1]))[0] > RADIUS:
            return numpy.inf, numpy.inf, numpy.inf
        section.gabion("resume", folder, "--steps", str(CHUNK))
    late = [name for name in os.listdir(frames) if int(name[6:15]) > steps // 2]
    values = numpy.array([overlap(os.path.join(frames, name)) for name in late])
    own = section.history(folder)["mean_overlap"][steps // 2:].mean()
    shutil.rmtree(folder)
    return (*values.mean(axis=0), own)


def run_all(base, steps):
    programs = {variant: build(os.path.join(base, "without-%d" % number), changes) if changes else section.GABION
                for number, (variant, changes) in enumerate(VARIANTS.items())}
    programs[SMALLER] = section.GABION
    with open(RESULTS, "w", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(["variant", "seed", "positions", "velocities", "accelerations", "overlap_mm", "pairs", "own_mean_mm"])
        for variant, seed, split in itertools.product(programs, SEEDS, SPLITS):
            section.GABION = programs[variant]
            case = CAPTION if variant == SMALLER else CASE
            mean, pairs, own = measure(os.path.join(base, "run"), split, seed, steps, case)
            table.writerow([variant, seed, *split, "%.4g" % (1e3 * mean), "%.0f" % pairs, "%.4g" % (1e3 * own)])
            stream.flush()


# What was found -------------------------------------------------------------------------------------

def stored(column="overlap_mm"):
    """variant: {split: the values of its seeds, in mm}"""
    found = {}
    with open(RESULTS, newline="") as stream:
        for line in csv.DictReader(stream):
            split = tuple(int(line[key]) for key in ("positions", "velocities", "accelerations"))
            found.setdefault(line["variant"], {}).setdefault(split, []).append(float(line[column]))
    return found


def summary(values):
    """Mean of the seeds for each split, the best split of each seed, and in how many seeds the paper's words hold: more iterations on
    velocities than on positions; 24 and more on positions worse than twice the best."""
    seeds = range(min(len(each) for each in values.values()))
    best = [min(values, key=lambda split: values[split][k]) for k in seeds]
    crowd = [split for split in values if split[0] >= 24]
    poor = [min(values[split][k] for split in crowd) > 2 * values[best[k]][k] for k in seeds]
    return {"means": {split: float(numpy.mean(each)) for split, each in values.items()}, "best": best, "seeds": len(seeds),
            "most on velocities": sum(split[1] > split[0] for split in best), "zone 1 poor": sum(poor)}


def main():
    options = section.arguments(__doc__)
    run_all(os.path.join(options.folder, "ablation"), 300 if options.full else STEPS)
    for variant, values in stored().items():
        found = summary(values)
        print("%s: best %s; most on velocities in %d of %d seeds, zone 1 poor in %d" %
              (variant, " ".join("%d/%d/%d" % split for split in found["best"]), found["most on velocities"], found["seeds"],
               found["zone 1 poor"]))


if __name__ == "__main__":
    main()
