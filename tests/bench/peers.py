#!/usr/bin/python3
"""Other engines and Gabion on the same scenes: spheres that settle in a box, and a wall of bricks at rest.

The same bodies, step, friction and time for all, no restitution, nothing asleep, one thread unless the name says
otherwise. Each engine has the settings that its manual or examples recommend (tests/bench/peers/ says which), and
more iterations beside them; time is that of the steps alone. Overlap, closing speeds at contacts and what the wall
has moved are measured here, the same way for all, from the state at the end. An engine that is not installed
(.ci/packages peers) has a row that says so; one that takes longer than --limit is stopped, and the row says when.
"""
import argparse
import glob
import itertools
import math
import os
import shutil
import subprocess
import sys
import tempfile

import numpy

from gabion_run import BENCH, BUILD, QUIET, ROOT, Verdict, gabion
from section import Section

PEERS = os.path.join(ROOT, "tests", "bench", "peers")
NEAR = 0.01  # of a radius or of the smallest edge: within this distance bodies touch
WHERE = {"Bullet": "libbullet-dev", "ODE": "libode-dev", "Yade": "yade", "Siconos": "python3-siconos"}


class Scene:
    """Bodies as arrays: centres, half edges (a sphere has its radius three times), masses; and planes."""

    def __init__(self, name, step, seconds, friction, density, planes):
        self.name, self.step, self.steps = name, step, round(seconds / step)
        self.friction, self.density, self.planes, self.spheres = friction, density, planes, False
        self.x, self.half = numpy.zeros((0, 3)), numpy.zeros((0, 3))

    def masses(self):
        volume = 8 * self.half.prod(axis=1)
        return self.density * (volume * math.pi / 6 if self.spheres else volume)

    def write(self, path):
        with open(path, "w", encoding="ascii") as file:
            file.write("step %.17g\nsteps %d\ngravity 9.81\nfriction %.17g\n" % (self.step, self.steps, self.friction))
            for n, d in self.planes:
                file.write("plane %g %g %g %.17g\n" % (*n, d))
            for x, half, mass in zip(self.x, self.half, self.masses()):
                shape = half[:1] if self.spheres else half
                file.write(("sphere" if self.spheres else "box") +
                           "".join(" %.17g" % number for number in (*x, *shape, mass)) + "\n")

    def size(self):
        return self.half.min()


def settling(count, across, seconds):
    """As cases/papers/settling.yaml has it."""
    width = 2.2 * across + 0.8
    planes = [((1, 0, 0), 0), ((-1, 0, 0), -width), ((0, 1, 0), 0), ((0, -1, 0), -width), ((0, 0, 1), 0)]
    scene = Scene("%d spheres settle" % count, 0.02, seconds, 0.3, 2500, planes)
    scene.spheres = True
    number = numpy.arange(count)
    place = numpy.stack([number % across, number // across % across, number // across ** 2], axis=1)
    jitter = numpy.random.default_rng(1).uniform(-0.02, 0.02, (count, 3))
    scene.x = 2.2 * place + [1.5, 1.5, 1.2] + jitter
    scene.half = numpy.ones((count, 3))
    return scene


def wall(courses, blocks, seconds):
    """Running bond with half blocks at the ends of every second course."""
    scene = Scene("wall of %d courses" % courses, 0.01, seconds, 0.6, 2200, [((0, 0, 1), 0)])
    half, places, halves = numpy.array([0.2, 0.15, 0.1]), [], []
    for course in range(courses):
        z = (2 * course + 1) * half[2]
        edges = numpy.linspace(0, blocks, blocks + 1) if course % 2 == 0 else \
            numpy.array([0, *numpy.arange(0.5, blocks), blocks])
        for left, right in zip(edges, edges[1:]):
            places.append(((left + right) * half[0], 0, z))
            halves.append(((right - left) * half[0], half[1], half[2]))
    scene.x, scene.half = numpy.array(places), numpy.array(halves)
    return scene


# The judge ---------------------------------------------------------------------------------------------------


def rotations(q):
    w, x, y, z = (q / numpy.linalg.norm(q, axis=1)[:, None]).T
    return numpy.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1).reshape(-1, 3, 3)


def pairs_near(x, reach):
    """Pairs of places that are at most `reach` apart, by a grid."""
    cells = {}
    for k, cell in enumerate(map(tuple, numpy.floor(x / reach).astype(int))):
        cells.setdefault(cell, []).append(k)
    ahead = [d for d in itertools.product((-1, 0, 1), repeat=3) if d > (0, 0, 0)]
    found = []
    for cell, members in cells.items():
        found += itertools.combinations(members, 2)
        for d in ahead:
            found += itertools.product(members, cells.get((cell[0] + d[0], cell[1] + d[1], cell[2] + d[2]), ()))
    pairs = numpy.array(found, dtype=int).reshape(-1, 2)
    return pairs[numpy.linalg.norm(x[pairs[:, 0]] - x[pairs[:, 1]], axis=1) <= reach]


def box_depths(scene, turn, x, pairs):
    """Depths of pairs of boxes by separating axes, and the normals: negative where an axis separates them."""
    a, b = pairs.T
    axes = numpy.concatenate([turn[a].transpose(0, 2, 1), turn[b].transpose(0, 2, 1)], axis=1)
    edges = numpy.cross(axes[:, :3, None, :], axes[:, None, 3:, :]).reshape(len(pairs), 9, 3)
    length = numpy.linalg.norm(edges, axis=2, keepdims=True)
    edges = numpy.where(length > 1e-3, edges / numpy.maximum(length, 1e-3), axes[:, :1])
    axes = numpy.concatenate([axes, edges], axis=1)
    reach = sum(numpy.abs(numpy.einsum("pkj,pji->pki", axes, turn[side]) * scene.half[side][:, None, :]).sum(axis=2)
                for side in (a, b))
    along = numpy.einsum("pkj,pj->pk", axes, x[b] - x[a])
    depth = reach - numpy.abs(along)
    k, row = depth.argmin(axis=1), numpy.arange(len(pairs))
    return depth[row, k], axes[row, k] * numpy.sign(along[row, k])[:, None]


def judge(scene, states):
    """What the state at the end says, lengths over the size of the smallest body."""
    x, q, v = states[:, :3], states[:, 3:7], states[:, 7:10]
    turn, size = rotations(q), scene.size()
    pairs = pairs_near(x, 2 * numpy.linalg.norm(scene.half.max(axis=0)) if not scene.spheres else 2 * (1 + NEAR) * size)
    if scene.spheres:
        gap = x[pairs[:, 1]] - x[pairs[:, 0]]
        distance = numpy.linalg.norm(gap, axis=1)
        depth, normal = 2 * size - distance, gap / distance[:, None]
    else:
        depth, normal = box_depths(scene, turn, x, pairs)
    closing = -numpy.einsum("pj,pj->p", v[pairs[:, 1]] - v[pairs[:, 0]], normal)
    depths, speeds = [depth], [closing[depth > -NEAR * size]]
    for n, d in scene.planes:
        n = numpy.array(n, dtype=float)
        reach = scene.half[:, 0] if scene.spheres else numpy.abs(numpy.einsum("j,bji->bi", n, turn) * scene.half).sum(axis=1)
        depth = d + reach - x @ n
        depths.append(depth)
        speeds.append(-(v @ n)[depth > -NEAR * size])
    speeds = numpy.maximum(numpy.concatenate(speeds), 0)
    return {"overlap": 100 * max(0, numpy.concatenate(depths).max()) / size,
            "closing": float(numpy.sqrt((speeds ** 2).mean())) if len(speeds) else 0.0,
            "speed": float(numpy.sqrt((v ** 2).sum(axis=1).mean())),
            "moved": 1e3 * float(numpy.linalg.norm(x - scene.x, axis=1).max())}


# Who runs ----------------------------------------------------------------------------------------------------


class Missing(Exception):
    pass


def external(name, command):
    """Runs a peer; returns steps, seconds and states."""
    def run(scene, folder, limit):
        path, states = os.path.join(folder, "scene"), os.path.join(folder, "states")
        scene.write(path)
        if os.path.exists(states):
            os.remove(states)
        words = [word.format(scene=path, states=states, limit=limit) for word in command]
        if shutil.which(words[0]) is None:
            raise Missing("not installed (%s)" % WHERE[name])
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        try:
            result = subprocess.run(words, capture_output=True, text=True, timeout=2 * limit + 60, env=environment,
                                    stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            raise Missing("did not end") from None
        lines = dict(line.split(": ", 1) for line in result.stdout.splitlines() if line.count(": ") == 1)
        if "seconds" not in lines or not os.path.exists(states):
            why = "not installed (%s)" % WHERE[name] if "ModuleNotFoundError" in result.stderr else "failed"
            raise Missing(why)
        return int(lines["steps"]), float(lines["seconds"]), numpy.loadtxt(states, ndmin=2)
    return run


def gabion_case(scene):
    lines = ["title: %s" % scene.name, "time: {step: %g, end: %.17g}" % (scene.step, scene.step * scene.steps),
             "materials: {body: {density: %g}, wall: {}}" % scene.density,
             "laws: [{between: default, friction: %g, restitution: 0}]" % scene.friction, "bodies:"]
    for n, d in scene.planes:
        lines.append("  - {name: plane%d, material: wall, half_space: {normal: [%g, %g, %g]}, position: [%.17g, %.17g, "
                     "%.17g], fixed: true}" % (len(lines), *n, *(d * k for k in n)))
    if scene.spheres:
        return lines + ["imports:", "  - {file: bodies.csv, name: spheres, material: body}"]
    for x, half in zip(scene.x, scene.half):
        lines.append("  - {material: body, box: {size: [%.17g, %.17g, %.17g]}, position: [%.17g, %.17g, %.17g]}" %
                     (*(2 * half), *x))
    return lines


def last_states(folder):
    import h5py
    with h5py.File(max(glob.glob(os.path.join(folder, "checkpoint-*.h5"))), "r") as file:
        bodies = file["bodies"]
        moving = numpy.argsort(bodies["id"][:])
        moving = moving[bodies["mass"][:][moving] > 0]
        return numpy.concatenate([bodies[key][:][moving] for key in ("position", "orientation", "velocity", "spin")], axis=1)


def ours(threads, *settings):
    def run(scene, folder, limit):
        out = os.path.join(folder, "gabion")
        with open(os.path.join(folder, "case.yaml"), "w", encoding="ascii") as file:
            file.write("\n".join(gabion_case(scene)) + "\n")
        if scene.spheres:
            rows = numpy.column_stack([scene.x, scene.half[:, 0]])
            numpy.savetxt(os.path.join(folder, "bodies.csv"), rows, "%.17g", ",", header="x,y,z,radius", comments="")
        sets = [word for setting in settings for word in ("--set", setting)]
        values = gabion("run", os.path.join(folder, "case.yaml"), "-o", out, "-j", threads, *QUIET, *sets)
        seconds = sum(float(values[key]) for key in values if key.startswith("time-") and "output" not in key)
        return int(values["steps"]), max(seconds, 1e-3), last_states(out)  # phases are printed to the millisecond
    return run


def bullet(iterations):
    return external("Bullet", [os.path.join(BUILD, "tests", "bench", "peers", "bullet"), "{scene}", "{states}", "{limit}",
                               str(iterations)])


def ode(iterations):
    return external("ODE", [os.path.join(BUILD, "tests", "bench", "peers", "ode"), "{scene}", "{states}", "{limit}",
                            str(iterations)])


def yade(young):
    return external("Yade", ["yade", "-x", "-n", "-j1", os.path.join(PEERS, "yade_spheres.py"), "{scene}", "{states}",
                             "{limit}", str(young)])


def siconos(iterations):
    return external("Siconos", [sys.executable, os.path.join(PEERS, "siconos_scene.py"), "{scene}", "{states}", "{limit}",
                                str(iterations)])


SWEEPS = ["solver.method=nsgs", "solver.tolerance=1e-4", "solver.on_cap=accept", "contact.projection=off"]
AT_REST = ["solver.tolerance=1e-4"]


def entrants(scene):
    if scene.spheres:
        for cap in (10, 30, 100):
            yield "Gabion", "nsgs to 1e-4, %d sweeps at most" % cap, ours(1, *SWEEPS, "solver.max_sweeps=%d" % cap)
        yield "Gabion", "the same with 100, two threads", ours(2, *SWEEPS, "solver.max_sweeps=100")
    else:
        yield "Gabion", "as it is by default", ours(1, *AT_REST)
        yield "Gabion", "nsgs to 1e-4, 100 sweeps at most", ours(1, *SWEEPS, "solver.max_sweeps=100")
    for iterations in (10, 50, 200):
        yield "Bullet", "%d iterations%s" % (iterations, " (default)" if iterations == 10 else ""), bullet(iterations)
    for iterations in (20, 100, 400):
        yield "ODE", "%d iterations%s" % (iterations, " (default)" if iterations == 20 else ""), ode(iterations)
    if scene.spheres:
        for young in ("1.5e7", "1.5e8"):
            yield "Yade", "springs of %s Pa, damping 0.4" % young, yade(young)
    for iterations in (100, 1000):
        yield "Siconos", "nsgs to 1e-4, %d iterations at most" % iterations, siconos(iterations)


HEAD = ("engine", "settings", "s", "simulated / elapsed", "ms per step", "overlap [%]", "closing [m/s]", "speed [m/s]",
        "moved [mm]", "")
FORMAT = "{:8} {:40} {:>9} {:>9} {:>9} {:>9} {:>10} {:>10} {:>9}  {}"


def race(scene, limit, verdict, names):
    rows, folder = [], tempfile.mkdtemp(prefix="gabion-peers-")
    print("%s, %d steps of %g s" % (scene.name, scene.steps, scene.step))
    print(FORMAT.format(*HEAD[:3], "ratio", *HEAD[4:]))
    try:
        for engine, settings, run in entrants(scene):
            if names and engine not in names:
                continue
            row = {"engine": engine, "settings": settings, "cells": ["-"] * 7, "note": ""}
            try:
                steps, seconds, states = run(scene, folder, limit)
                row.update(judge(scene, states), seconds=seconds, ratio=steps * scene.step / seconds, steps=steps)
                row["cells"] = ["%.3g" % row[key] for key in ("seconds", "ratio")] + ["%.3g" % (1e3 * seconds / steps)] + [
                    "%.2g" % row[key] for key in ("overlap", "closing", "speed")] + [
                    "-" if scene.spheres else "%.3g" % row["moved"]]
                if steps < scene.steps:
                    row["note"] = "stopped after %g of %g s" % (steps * scene.step, scene.steps * scene.step)
                verdict.check("%s, %s, %s: every body has a finite place" % (scene.name, engine, settings),
                              len(states) == len(scene.x) and bool(numpy.isfinite(states).all()))
            except Missing as missing:
                row["note"] = str(missing)
            rows.append(row)
            print(FORMAT.format(engine, settings, *row["cells"], row["note"]), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return rows


def draw(section, scene, rows):
    section.table("%s, %d steps of %g s. Overlap over the %s" % (
        scene.name, scene.steps, scene.step, "radius" if scene.spheres else "smallest half edge"), HEAD,
        [(row["engine"], row["settings"], *row["cells"], row["note"]) for row in rows])
    series = []
    measure, label = ("overlap", "overlap at the end [%]") if scene.spheres else ("moved", "moved since the start [mm]")
    for engine in dict.fromkeys(row["engine"] for row in rows):
        points = [(row["seconds"], max(row[measure], 1e-7)) for row in rows if row["engine"] == engine and "seconds" in row
                  and row["steps"] == scene.steps]
        if points:
            series.append((engine, *zip(*points), "points"))
    section.plot("peers-%s.svg" % scene.name.replace(" ", "-"), "%s: time of all steps against what was left. Down and left is "
                 "better." % scene.name, "s", label, series, log_x=True, log_y=True)


SCENES = {"80": lambda: settling(80, 3, 10), "800": lambda: settling(800, 6, 35), "8000": lambda: settling(8000, 20, 10),
          "wall": lambda: wall(20, 10, 5), "tiny": lambda: settling(8, 2, 0.2), "tiny-wall": lambda: wall(2, 2, 0.1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scenes", default="80,800,8000,wall", help="among %s" % ", ".join(SCENES))
    parser.add_argument("--engines", default="", help="only these, apart by commas")
    parser.add_argument("--limit", type=float, default=60, help="seconds for the steps of a peer (default 60)")
    options = parser.parse_args()
    verdict, section = Verdict(), Section(BENCH, "peers", "Other engines on the same scenes", "peers")
    section.text("<p>%s</p>" % " ".join(__doc__.split("\n", 2)[2].split()))
    for name in options.scenes.split(","):
        scene = SCENES[name]()
        draw(section, scene, race(scene, options.limit, verdict, [e for e in options.engines.split(",") if e]))
    section.write()
    return verdict.end()


if __name__ == "__main__":
    sys.exit(main())
