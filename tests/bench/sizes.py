#!/usr/bin/env python3
"""The broad phase on mixed sizes: big grains standing among small ones, at size ratios 1, 10 and
100. The hierarchical grid should cost the same per body whatever the ratio, and grow linearly.

The scene is a row of tiles: a slab of small grains on a floor, two deep, with one big grain standing
in the middle of each tile, its neighbours all around. The sweeps are kept to one a step.
"""
import argparse
import math
import os
import shutil
import sys
import tempfile

from gabion_run import QUIET, Verdict, gabion, growth_exponent

SMALL = 0.01
SPACING = 0.02001
EDGE, DEPTH = 100, 2  # small grains of a tile: 20 000
STEPS = 10

CASE = """title: big grains among small ones
time: {step: 1e-3, end: 1}
solver: {max_sweeps: 1, on_cap: accept}
materials:
  grain: {density: 2500}
laws:
  - {between: default, friction: 0.3, restitution: 0}
bodies:
  - {name: floor, material: grain, half_space: {normal: [0, 0, 1]}, position: [0, 0, 0], fixed: true}
imports:
  - {file: bodies.csv, name: grains, material: grain}
"""


def tile_rows(tile, ratio):
    """The big grain of the tile and the small ones it leaves room for."""
    big, middle = ratio * SMALL, 0.5 * EDGE * SPACING
    yield middle, middle + tile * EDGE * SPACING, big, big
    for k in range(EDGE * EDGE * DEPTH):
        i, j, layer = k % EDGE, k // EDGE % EDGE, k // EDGE ** 2
        x, y, z = (i + 0.5) * SPACING, (j + 0.5) * SPACING, (layer + 0.5) * SPACING
        if math.dist((x, y, z), (middle, middle, big)) >= big + SMALL:
            yield x, y + tile * EDGE * SPACING, z, SMALL


def write_scene(folder, tiles, ratio):
    with open(os.path.join(folder, "case.yaml"), "w", encoding="ascii") as file:
        file.write(CASE)
    with open(os.path.join(folder, "bodies.csv"), "w", encoding="ascii") as file:
        file.write("x,y,z,radius\n")
        for tile in range(tiles):
            for row in tile_rows(tile, ratio):
                file.write("%.17g,%.17g,%.17g,%.17g\n" % row)


def measure(folder, tiles, ratio, threads, repeats):
    write_scene(folder, tiles, ratio)
    arguments = ["run", os.path.join(folder, "case.yaml"), "-o", os.path.join(folder, "out"),
                 "-j", threads, "--steps", STEPS, *QUIET]
    runs = [gabion(*arguments) for _ in range(repeats)]
    seconds = min(float(run["time-broad"]) for run in runs) / STEPS
    bodies, candidates = int(runs[0]["bodies"]), int(runs[0]["candidates"])
    print(f"{ratio:6d}  {bodies:8d}  {tiles:4d}  {candidates:10d}  {seconds:9.5f}  "
          f"{1e9 * seconds / bodies:11.1f}", flush=True)
    return bodies, seconds, runs[0]["state-hash"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    verdict = Verdict()
    folder = tempfile.mkdtemp(prefix="gabion-sizes-")
    try:
        print(" ratio    bodies   big  candidates  broad s/step  ns per body")
        by_ratio = {ratio: measure(folder, 5, ratio, 1, options.repeats)
                    for ratio in (1, 10, 100)}
        growth = [measure(folder, tiles, 100, 1, options.repeats)
                  for tiles in (1, 2, 10)] + [by_ratio[100]]
        print("two threads:")
        two = measure(folder, 5, 100, 2, 1)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    power = growth_exponent([(n, seconds) for n, seconds, _ in growth])
    print(f"growth exponent of the broad phase at ratio 100, 20 000 to 200 000 bodies: {power:.3f}")
    verdict.aim(f"broad phase grows with bodies to the power {power:.3f}, asked at most 1.10",
                power <= 1.10)
    per_body = {ratio: 1e9 * s / n for ratio, (n, s, _) in by_ratio.items()}
    verdict.aim("ratio 100 costs %.2f times as much per body as ratio 1, asked at most 2"
                % (per_body[100] / per_body[1]), per_body[100] <= 2 * per_body[1])
    verdict.check("ratio 100: the same bits on two threads", two[2] == by_ratio[100][2])
    return verdict.end()


if __name__ == "__main__":
    sys.exit(main())
