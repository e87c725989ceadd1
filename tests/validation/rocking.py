#!/usr/bin/python3
"""A rocking block in forty artificial earthquakes: the share that overturns, against Housner's equation.

    rocking.py

Single histories of a rocking block are chaotic and agree with nothing; shares over many records do (Yim, Chopra,
Penzien 1980). The block is 0.2 m wide and 0.8 m high. Records are sums of 24 sines of 0.5 to 5 Hz with phases and
amplitudes from a seeded generator, under an envelope of 6 s, their peak scaled to a multiple of the uplift
acceleration g tan(alpha). Each scale is one run with $GABION of forty blocks, each on a base of its own.

Reference: Housner 1963, full trigonometry, angular velocity times 1 - (3/2) sin^2(alpha) at each impact, as impacts
without rebound give; integrated here in numpy, all records at once. Overturned: the centre has come down by 0.15 m.

Criteria, written before the first run of the engine:
  1. at 0.95 of the uplift acceleration no block moves by more than 0.01 mm against its base;
  2. at every other scale the shares differ by at most 5 of 40;
  3. over all scales together the shares differ by at most 0.05;
  4. single outcomes agree in at least 85 % of the runs;
  5. the reference itself: half the step changes its share by at most 2 of 40.
Ends with "N passed, M failed".
"""
import math
import os
import sys
import tempfile

import numpy as np

import case_run
from verdict import Verdict

GRAVITY, HALF_WIDTH, HALF_HEIGHT = 9.81, 0.1, 0.4
ALPHA, RADIUS = math.atan(HALF_WIDTH / HALF_HEIGHT), math.hypot(HALF_WIDTH, HALF_HEIGHT)
UPLIFT = GRAVITY * math.tan(ALPHA)
KEPT = 1 - 1.5 * math.sin(ALPHA)**2
RECORDS, LENGTH, SPACING, REST = 40, 6.0, 0.01, 2.0  # number, s, s, s afterwards
FALLEN = 0.15  # m
OVER = ALPHA + math.acos((HALF_HEIGHT - FALLEN) / RADIUS)
SCALES = (1.3, 1.5, 2.0, 2.5, 3.0, 4.0)  # peak over uplift acceleration

CASE = """
gravity: [0, 0, -%g]
time: {step: 5e-4, end: %g}
solver: {tolerance: 1e-8}
materials: {stone: {density: 2500}, ground: {}}
laws: [{between: default, friction: 3}]
output: {vtk_every: 0, checkpoint_every: 0, history_every: 20}
"""


def records():
    """Accelerations with a peak of 1, a row each, every SPACING."""
    time = np.arange(0, LENGTH + SPACING / 2, SPACING)
    envelope = np.sin(math.pi * np.clip(time / LENGTH, 0, 1))**2
    rows = []
    for seed in range(RECORDS):
        random = np.random.RandomState(1000 + seed)
        frequency, phase, amplitude = random.uniform(0.5, 5, 24), random.uniform(0, 2 * math.pi, 24), random.uniform(0, 1, 24)
        motion = envelope * (amplitude[:, None] * np.sin(2 * math.pi * frequency[:, None] * time + phase[:, None])).sum(axis=0)
        rows.append(motion / np.abs(motion).max())
    return np.array(rows)


class Housner:
    """The rocking equation for all records at once; the angle is positive to the right, the base acts by its acceleration."""

    def __init__(self, motions, step):
        self.motions, self.step = motions, step

    def base(self, time):
        place = min(time / SPACING, self.motions.shape[1] - 1)
        left = min(int(place), self.motions.shape[1] - 2)
        part = place - left
        return (1 - part) * self.motions[:, left] + part * self.motions[:, left + 1] if time < LENGTH else np.zeros(len(self.motions))

    @staticmethod
    def acceleration(angle, side, base):
        """Towards positive angles: weight about the edge on `side`, and the base that runs away to the left."""
        lean = ALPHA - side * angle
        return -3 * GRAVITY / (4 * RADIUS) * (side * np.sin(lean) + base / GRAVITY * np.cos(lean))

    def overturned(self):
        count, h = len(self.motions), self.step
        angle, speed, side = np.zeros(count), np.zeros(count), np.zeros(count)  # side 0: at rest on both edges
        over = np.zeros(count, bool)
        for k in range(round((LENGTH + REST) / h)):
            start, middle, end = self.base(k * h), self.base((k + 0.5) * h), self.base((k + 1) * h)
            lifts = (side == 0) & (np.abs(start) > UPLIFT)
            side = np.where(lifts, -np.sign(start), side)
            moving = (side != 0) & ~over
            k1 = self.acceleration(angle, side, start)
            k2 = self.acceleration(angle + h / 2 * speed, side, middle)
            k3 = self.acceleration(angle + h / 2 * (speed + h / 2 * k1), side, middle)
            k4 = self.acceleration(angle + h * (speed + h / 2 * k2), side, end)
            new_angle = angle + h * speed + h**2 / 6 * (k1 + k2 + k3)
            new_speed = speed + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            hits = moving & (new_angle * side < 0)
            # The impact lies between the angles; what is left of the step is done from there.
            part = np.where(hits, angle / np.where(hits, angle - new_angle, 1), 1)
            impact = KEPT * (speed + part * (new_speed - speed))
            new_angle = np.where(hits, (1 - part) * h * impact, new_angle)
            new_speed = np.where(hits, impact, new_speed)
            side = np.where(hits, -side, side)
            rests = hits & (np.abs(impact) < 1e-4) & (np.abs(end) < UPLIFT)
            side = np.where(rests, 0, side)
            angle, speed = np.where(moving & ~rests, new_angle, np.where(rests, 0, angle)), np.where(moving & ~rests, new_speed, 0)
            over |= np.abs(angle) > OVER
        return over


def case(folder, scale, motions):
    """Forty blocks in a row along y, each on a slab that shakes along x."""
    lines, drivers, probes = ["bodies:"], ["drivers:"], ["probes:"]
    for k, motion in enumerate(motions):
        name = os.path.join(folder, "record-%d.csv" % k)
        rows = np.column_stack([SPACING * np.arange(len(motion)), motion])
        np.savetxt(name, rows, fmt="%.17g", delimiter=",", header="time,acceleration", comments="")
        y = 3.0 * k
        lines.append("  - {name: base%d, material: ground, fixed: true, box: {size: [4, 1, 0.2]}, position: [0, %g, -0.1]}" % (k, y))
        lines.append("  - {name: block%d, material: stone, box: {size: [%g, 0.2, %g]}, position: [0, %g, %g], lock: [y, rx, rz]}" % (
            k, 2 * HALF_WIDTH, 2 * HALF_HEIGHT, y, HALF_HEIGHT))
        drivers.append("  - {group: base%d, direction: [1, 0, 0], record: {file: record-%d.csv, scale: %.17g}}" % (k, k, scale * UPLIFT))
        probes += ["  - {name: %s%d, group: %s%d, quantity: position}" % (one, k, one, k) for one in ("block", "base")]
    path = os.path.join(folder, "case.yaml")
    with open(path, "w") as stream:
        stream.write(CASE % (GRAVITY, LENGTH + REST) + "\n".join(lines + drivers + probes) + "\n")
    return path


def engine(scale, motions):
    """Which blocks overturned, and the farthest that one moved against its base, in m."""
    with tempfile.TemporaryDirectory() as folder:
        _, rows = case_run.run_file(case(folder, scale, motions), os.path.join(folder, "out"))

    def column(name):
        return np.array([float(row[name]) for row in rows])

    lowest = np.array([column("block%d.z" % k).min() for k in range(len(motions))])
    moved = max(np.abs(column("block%d.x" % k) - column("base%d.x" % k)).max() for k in range(len(motions)))
    return lowest < HALF_HEIGHT - FALLEN, moved


def main():
    verdict, motions = Verdict(), records()
    _, moved = engine(0.95, motions)
    verdict.compare(moved <= 1e-5, "rocking, 0.95 of uplift", "<= 0.01 mm", "%.2g mm" % (1e3 * moved))
    outcomes, references, worst = [], [], 0
    for scale in SCALES:
        reference = Housner(scale * UPLIFT * motions, 2.5e-4).overturned()
        worst = max(worst, abs(int(reference.sum()) - int(Housner(scale * UPLIFT * motions, 5e-4).overturned().sum())))
        found, _ = engine(scale, motions)
        verdict.compare(abs(int(found.sum()) - int(reference.sum())) <= 5,
                        "rocking, %.1f of uplift, %.2f g" % (scale, scale * UPLIFT / GRAVITY),
                        "%d of %d +- 5 (Housner)" % (reference.sum(), RECORDS),
                        "%d overturned, %d outcomes differ" % (found.sum(), (found != reference).sum()))
        outcomes.append(found)
        references.append(reference)
    outcomes, references = np.array(outcomes), np.array(references)
    verdict.compare(abs(outcomes.mean() - references.mean()) <= 0.05, "rocking, share over all scales",
                    "%.3f +- 0.05" % references.mean(), "%.3f" % outcomes.mean())
    agree = (outcomes == references).mean()
    verdict.compare(agree >= 0.85, "rocking, single outcomes that agree", ">= 0.85", "%.3f" % agree)
    verdict.compare(worst <= 2, "Housner, step halved", "<= 2 of %d" % RECORDS, "%d" % worst)
    sys.exit(verdict.end())


if __name__ == "__main__":
    main()
