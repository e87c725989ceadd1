#!/usr/bin/python3
"""Angle of repose: heap.py [-o FOLDER] [--full]

A cylinder full of grains on a rough base is lifted slowly and leaves a heap. Criteria (catalogue, section 11): there is no
exact value; 18 ... 25 degrees are usual for spheres without rolling resistance at a friction of 0.5; the angle rises with
friction; it does not depend on the time step: within 2 degrees with half of it. 2 300 grains; --full: 5 000.
"""
import sys

import numpy

import grains
from grains import D

SPEED = 0.15  # m/s, of the cylinder


def heap(section, state, base, radius, height, friction, step):
    """Lifts the cylinder off the settled grains: the last state."""
    name = "mu-%g-h-%g" % (friction, step)
    csv = section.scratch(name + ".csv")
    grains.write_csv(csv, state, grains.moving)
    lift = 1.3 * height * D / SPEED
    case = grains.scene(step, lift + 0.3, friction, imports=[base, {"file": csv, "material": "grain"}],
                        containers=[lifted_drum(radius, height)], solver=grains.FAST,
                        drivers=[{"group": "silo", "direction": [0, 0, 1], "end": lift,
                                  "ramp": {"distance": 1.25 * height * D, "smooth": 0.05}}])
    out, _ = grains.run(section.scratch(name), case)
    return grains.Grains(grains.checkpoint(out))


def lifted_drum(radius, height):
    """An open cylinder whose lower end is at the base."""
    drum = grains.drum(radius, height)
    drum["drum"].update(centre=[0, 0, 1.5 * height * D], length=3 * height * D)
    return drum


def profile(state):
    """Mean height of the topmost grains in rings of width d, each in twelve sectors; in diameters."""
    above = grains.moving(state)
    x, y, z = (state.position[above].T) / D
    ring, sector = numpy.hypot(x, y).astype(int), ((numpy.arctan2(y, x) + numpy.pi) / (2 * numpy.pi) * 11.999).astype(int)
    top = z + state.radius[above] / D
    heights = []
    for k in range(ring.max() + 1):
        tops = [top[(ring == k) & (sector == s)].max(initial=0.0) for s in range(12)]
        heights.append(numpy.mean(tops) if k > 0 else top[ring == 0].max(initial=0.0))
    return numpy.arange(len(heights)) + 0.5, numpy.array(heights)


def angle(state):
    """Slope of the flank in degrees: the least-squares line through the rings between 85 % and 20 % of the height."""
    radius, height = profile(state)
    flank = (height < 0.85 * height.max()) & (height > max(0.2 * height.max(), 1.0))
    slope = grains.line_fit(radius[flank], height[flank])[0]
    return float(numpy.degrees(numpy.arctan(-slope)))


def main():
    section, full = grains.open_section("heap", "Angle of repose", __doc__)
    radius, height = (10, 18) if full else (7.5, 13.5)
    csv = section.scratch("grains.csv")
    grains.make_folder(csv)
    grains.cloud(csv, grains.cylinder(radius), 2.05 * height)
    base = grains.rough_base(section.scratch("base.csv"), lambda x, y: x * x + y * y < (3.5 * radius) ** 2, 3.5 * radius)
    case = grains.scene(1e-3, 0.4, 0.5, imports=[base, {"file": csv, "material": "grain"}], solver=grains.FAST,
                        containers=[lifted_drum(radius, height)])
    out, _ = grains.run(section.scratch("filling"), case)
    state = grains.Grains(grains.checkpoint(out))
    heaps = {mu: heap(section, state, base, radius, height, mu, 1e-3) for mu in (0.2, 0.5, 1.0)}
    half = heap(section, state, base, radius, height, 0.5, 5e-4)
    angles = {mu: angle(final) for mu, final in heaps.items()}
    section.text("%d grains in a cylinder of %g d on a base of fixed grains; it is lifted at %g m/s." % (
        grains.moving(state).sum(), 2 * radius, SPEED))
    section.table("Angle of the flank", ("friction", "step [s]", "angle [deg]", "height/d"),
                  [(mu, 1e-3, angles[mu], profile(heaps[mu])[1].max()) for mu in heaps] +
                  [(0.5, 5e-4, angle(half), profile(half)[1].max())])
    section.plot("heap.svg", "Profiles", "radius/d", "height/d", [("friction %g" % mu, *profile(final)) for mu, final in heaps.items()])
    section.check("11 repose: angle at friction 0.5", "18 ... 25 degrees", "%.1f" % angles[0.5], 18 <= angles[0.5] <= 25)
    section.check("11 repose: angle rises with friction", "rises", ", ".join("%.1f" % a for a in angles.values()),
                  angles[0.2] < angles[0.5] < angles[1.0])
    section.check("11 repose: half the step", "within 2 degrees", "%+.1f" % (angle(half) - angles[0.5]),
                  abs(angle(half) - angles[0.5]) <= 2)
    section.write()
    return section.failures > 0


if __name__ == "__main__":
    sys.exit(main())
