#!/usr/bin/python3
"""Angle of repose: heap.py [-o FOLDER] [--full]

A cylinder full of grains on a rough base is lifted slowly and leaves a heap. Criteria (catalogue, section 11): there is no
exact value; 18 ... 25 degrees are usual for spheres without rolling resistance at a friction of 0.5; the angle rises with
friction; it does not depend on the time step: within 2 degrees with half of it. Each angle is the mean of two heaps
from different fillings. 2 300 grains; --full: 5 000.

A first version lifted at 0.15 m/s, which is half of sqrt(g d): the column then collapses more than it pours. It also took
the highest grain of each of twelve sectors of a ring as the surface: sectors grow with the radius, the highest of more grains
lies higher, and slopes come out too small. Now the surface is what is seen from above, on a grid of d/4. --full has a
table of what the speed of lifting and the solver change.
"""
import sys

import numpy

import grains
from grains import D

SPEED = 0.05  # m/s, of the cylinder
SEEDS = (1, 2)
LIFT = 0.65  # of the filled height: higher than the heap
PIXEL = 0.25  # d, of the grid on which the surface is seen


class Filling:
    """A cylinder full of grains on a rough base."""

    def __init__(self, section, radius, height, seed):
        self.section, self.radius, self.height, self.seed = section, radius, height, seed
        csv = section.scratch("grains-%d.csv" % seed)
        grains.make_folder(csv)
        grains.cloud(csv, grains.cylinder(radius), 2.05 * height, seed=seed)
        self.base = grains.rough_base(section.scratch("base.csv"), lambda x, y: x * x + y * y < (3.5 * radius) ** 2, 3.5 * radius)
        out, _ = grains.run(section.scratch("filling-%d" % seed), self.case(csv, 1e-3, 0.4, 0.5, grains.FAST))
        self.state = grains.Grains(grains.checkpoint(out))

    def case(self, csv, step, end, friction, solver, **keys):
        return grains.scene(step, end, friction, imports=[self.base, {"file": csv, "material": "grain"}],
                            containers=[lifted_drum(self.radius, self.height)], solver=solver, **keys)

    def heap(self, friction, step=1e-3, speed=SPEED, solver=grains.FAST):
        """Lifts the cylinder off the settled grains: the Heap."""
        name = "%d-mu-%g-h-%g-v-%g-%s" % (self.seed, friction, step, speed, solver.get("max_sweeps", "solved"))
        csv = self.section.scratch(name + ".csv")
        grains.write_csv(csv, self.state, grains.moving)
        lift = LIFT * self.height * D
        ramp = {"group": "silo", "direction": [0, 0, 1], "end": 1.05 * lift / speed, "ramp": {"distance": lift, "smooth": 0.05}}
        case = self.case(csv, step, ramp["end"] + 0.3, friction, solver, drivers=[ramp])
        out, _ = grains.run(self.section.scratch(name), case)
        return Heap(grains.Grains(grains.checkpoint(out)), LIFT * self.height)


def lifted_drum(radius, height):
    """An open cylinder whose lower end is at the base."""
    drum = grains.drum(radius, height)
    drum["drum"].update(centre=[0, 0, 1.5 * height * D], length=3 * height * D)
    return drum


class Heap:
    """Mean height of the surface in rings of width d, and the angle of the flank in degrees; lengths in diameters."""

    def __init__(self, state, lifted):
        self.radius, self.height = profile(state)
        if self.height.max() > lifted:
            sys.exit("the cylinder still holds grains: the heap is %.1f d high" % self.height.max())
        top = self.height.max()
        flank = (self.height < 0.85 * top) & (self.height > max(0.2 * top, 1.0))
        slope = grains.line_fit(self.radius[flank], self.height[flank])[0]
        self.angle = float(numpy.degrees(numpy.arctan(-slope)))


def profile(state):
    """The surface that is seen from above, as means over rings."""
    above = grains.moving(state)
    place, radius = state.position[above] / D, state.radius[above] / D
    reach = numpy.hypot(place[:, 0], place[:, 1]).max() + 1
    axis = numpy.arange(-reach, reach, PIXEL)
    x, y = numpy.meshgrid(axis, axis)
    seen = numpy.zeros(x.shape)
    for centre, r in zip(place, radius):
        low, high = numpy.searchsorted(axis, centre[:2, None] + [-r, r]).T
        part = slice(low[1], high[1]), slice(low[0], high[0])
        below = r * r - (x[part] - centre[0]) ** 2 - (y[part] - centre[1]) ** 2
        seen[part] = numpy.maximum(seen[part], numpy.where(below > 0, centre[2] + numpy.sqrt(numpy.maximum(below, 0)), 0))
    ring = numpy.hypot(x, y).astype(int).ravel()
    heights = numpy.bincount(ring, weights=seen.ravel()) / numpy.bincount(ring)
    return numpy.arange(len(heights)) + 0.5, heights


def angles_of(heaps):
    return [heap.angle for heap in heaps]


def variations(section, filling, plain):
    """What speed of lifting and solver change, one filling."""
    rows = [("as above", plain.angle, plain.height.max())]
    for label, options in (("lifted at 0.15 m/s", {"speed": 0.15}),
                           ("0.15 m/s, 200 sweeps a step", {"speed": 0.15, "solver": dict(grains.FAST, max_sweeps=200)}),
                           ("0.15 m/s, solved steps", {"speed": 0.15, "solver": grains.SOLVED})):
        heap = filling.heap(0.5, **options)
        rows.append((label, heap.angle, heap.height.max()))
    section.table("One change at a time, friction 0.5, one filling", ("heap", "angle [deg]", "height/d"), rows)


def main():
    section, full = grains.open_section("heap", "Angle of repose", __doc__)
    radius, height = (10, 18) if full else (7.5, 13.5)
    fillings = [Filling(section, radius, height, seed) for seed in SEEDS]
    heaps = {mu: [filling.heap(mu) for filling in fillings] for mu in (0.2, 0.5, 1.0)}
    half = fillings[0].heap(0.5, step=5e-4)
    angles = {mu: numpy.mean(angles_of(both)) for mu, both in heaps.items()}
    section.text("%d grains in a cylinder of %g d on a base of fixed grains; it is lifted at %g m/s. Two fillings." % (
        grains.moving(fillings[0].state).sum(), 2 * radius, SPEED))
    section.table("Angle of the flank", ("friction", "step [s]", "angles [deg]", "mean", "height/d"),
                  [(mu, 1e-3, ", ".join("%.1f" % a for a in angles_of(both)), angles[mu],
                    numpy.mean([heap.height.max() for heap in both])) for mu, both in heaps.items()] +
                  [(0.5, 5e-4, "%.1f" % half.angle, half.angle, half.height.max())])
    section.plot("heap.svg", "Profiles of the first filling", "radius/d", "height/d",
                 [("friction %g" % mu, both[0].radius, both[0].height) for mu, both in heaps.items()])
    section.check("11 repose: angle at friction 0.5", "18 ... 25 degrees", "%.1f" % angles[0.5], 18 <= angles[0.5] <= 25)
    section.check("11 repose: angle rises with friction", "rises", ", ".join("%.1f" % a for a in angles.values()),
                  angles[0.2] < angles[0.5] < angles[1.0])
    section.note("from friction 0.5 to 1 the mean rises by %.2f degrees; two fillings differ by up to %.2f" % (
        angles[1.0] - angles[0.5], max(numpy.ptp(angles_of(both)) for both in heaps.values())))
    change = half.angle - heaps[0.5][0].angle
    section.check("11 repose: half the step", "within 2 degrees", "%+.1f" % change, abs(change) <= 2)
    if full:
        variations(section, fillings[0], heaps[0.5][0])
    section.write()
    return section.failures > 0


if __name__ == "__main__":
    sys.exit(main())
