#!/usr/bin/python3
"""Column collapse in two dimensions: collapse_plane.py [-o FOLDER] [--full]

A rectangle of disks on a rough base loses one of its walls and spreads. Criteria (catalogue, section 11), with
a = h0/d0: (l - d0)/d0 = 2.5 a below a = 2 and 3.25 a^0.7 above (Staron, Hinch 2005), exponents within 0.1.

Run-out and fit by a and the number of disks are those of collapse.py. (The first versions had one width: 1.24 and 0.93.)
"""
import sys

import numpy

import grains
from collapse import FIT, FRICTION, HEADER, NOT_HEALED, STEP, Column, Deposit, fit, row, run_frames, split, staircase
from grains import D, GRAVITY


def plane_law(aspect):
    """(l - d0)/d0, Staron and Hinch 2005."""
    return numpy.where(aspect < 2, 2.5 * aspect, 3.25 * aspect ** 0.7)


class Sheet(Column):
    """A rectangle of disks between a smooth wall at x = 0 and a wall at x = width that is taken away."""

    law = staticmethod(plane_law)

    def __init__(self, section, width, height, name, friction=FRICTION, smooth=False):
        self.section, self.radius, self.name = section, width, name
        self.reach = (4 + 2.2 * height / width) * width
        count = int(self.reach)
        self.ground = [grains.floor()] if smooth else grains.disks(
            numpy.column_stack([(numpy.arange(count) + 0.5) * D, numpy.full(count, -0.5 * D)]), numpy.full(count, 0.5 * D), "wall",
            name="base", fixed=True)
        csv = section.scratch(name + ".csv")
        grains.make_folder(csv)
        grains.cloud(csv, lambda x, y: (x > 0.6) & (x < width - 0.6), 1.6 * height, flat=True, reach=width)
        rows = numpy.loadtxt(csv, delimiter=",", skiprows=1)
        case = self.plane(0.3 + 1.5 * (height * D / GRAVITY) ** 0.5, friction, rows[:, [0, 2]], rows[:, 3], 50)
        case["bodies"].append({"material": "smooth", "half_space": {"normal": [-1, 0, 0]}, "position": [width * D, 0, 0]})
        out, _ = grains.run(section.scratch(name), case)
        self.state = grains.Grains(grains.checkpoint(out))

    def plane(self, end, friction, position, radius, sweeps, restitution=0.0):
        case = grains.scene(STEP, end, friction, plane="xz", solver=dict(grains.FAST, max_sweeps=sweeps), **NOT_HEALED)
        case["laws"][0]["restitution"] = restitution
        case["materials"]["smooth"] = {}
        case["laws"].append({"between": ["grain", "smooth"], "friction": 0})
        case["bodies"] = self.ground + grains.disks(position, radius)
        case["bodies"].append({"material": "smooth", "half_space": {"normal": [1, 0, 0]}, "position": [0, 0, 0]})
        return case

    def release(self, aspect, friction=FRICTION, sweeps=50, restitution=0.0):
        top = aspect * self.radius * D
        height, state = self.settled_height(top), self.state
        kept = grains.moving(state) & (state.position[:, 2] < top)
        case = self.plane(0.15 + 4.5 * (height / GRAVITY) ** 0.5, friction, state.position[kept][:, [0, 2]],
                          state.radius[kept], sweeps, restitution)
        name = "%s-%g-%g-%d-%g" % (self.name, aspect, friction, sweeps, restitution)
        return Deposit(self, height, *run_frames(self.section, name, case))

    def distance(self, state):
        return state.position[:, 0]

    def front(self, state, chosen):
        return (state.position[chosen, 0] + state.radius[chosen]).max()

    def covered(self, distance, radius):
        edges = numpy.arange(0, self.reach + 1) * D
        return numpy.histogram(distance, edges, weights=2 * radius)[0] / D, edges


def plane_series(section, width, aspects):
    sheet = Sheet(section, width, aspects[-1] * width, "sheet-%g-%g" % (width, aspects[-1]))
    return [sheet.release(aspect) for aspect in aspects]


def plane(section, full):
    series = ((100, (0.5, 0.8, 1.2, 1.8)), (300, (3, 5, 8, 12))) if full else ((48, (0.5, 0.9, 1.6)), (128, (3.0, 5.0, 8.0)))
    deposits = [deposit for height, aspects in series
                for deposit in staircase(lambda width, part: plane_series(section, width, part), height, aspects)]
    section.table("Two dimensions, friction %.1f; r0 is the width" % FRICTION, HEADER, [row(d) for d in deposits])
    aspects = numpy.array([d.aspect for d in deposits])
    line = numpy.geomspace(aspects.min(), aspects.max(), 60)
    section.plot("collapse_plane.svg", "Run-out of sheets of disks", "a = h0/d0", "(l - d0)/d0",
                 [("outermost connected disk", aspects, [d.runout for d in deposits], "points"),
                  ("edge of the heap", aspects, [d.edge for d in deposits], "points"),
                  ("Staron, Hinch 2005", line, plane_law(line))], log_x=True, log_y=True)
    small, large = split(deposits, 2)
    (low, few), (high, many) = fit(small), fit(large)
    section.check("11 collapse, 2-D: exponent for a < 2", "1 ± 0.1", "%.2f (of n: %.2f)" % (low, few), abs(low - 1) <= 0.1)
    section.check("11 collapse, 2-D: exponent for a > 2", "0.7 ± 0.1", "%.2f (of n: %.2f)" % (high, many), abs(high - 0.7) <= 0.1)
    section.note("prefactors, which the catalogue does not ask for: %.2f a (published 2.5 a) and %.2f a^0.7 (3.25 a^0.7)" % (
        numpy.mean([d.runout / d.aspect for d in small]), numpy.mean([d.runout / d.aspect ** 0.7 for d in large])))


def variations(section):
    """What the run-out at a = 1.6 depends on, one change at a time."""
    rough, flat = (Sheet(section, 16, 27, name, smooth=name == "flat") for name in ("rough", "flat"))
    rows = []
    for label, sheet, options in (("width 16 d", rough, {}), ("200 sweeps a step", rough, {"sweeps": 200}),
                                  ("friction 1", rough, {"friction": 1.0}), ("restitution 0.5", rough, {"restitution": 0.5}),
                                  ("flat base", flat, {}), ("flat base, friction 1, restitution 0.5", flat, {
                                      "friction": 1.0, "restitution": 0.5})):
        deposit = sheet.release(1.6, **options)
        rows.append((label, deposit.count, deposit.aspect, deposit.runout, deposit.runout / deposit.aspect, deposit.edge))
    section.table("One change at a time, a = 1.6", ("sheet", "disks", "a", "run-out", "run-out/a (published: 2.5)", "edge of the heap"), rows)


def main():
    section, full = grains.open_section("collapse_plane", "Column collapse in two dimensions", __doc__)
    section.text(FIT)
    plane(section, full)
    variations(section)
    section.write()
    return section.failures > 0


if __name__ == "__main__":
    sys.exit(main())
