#!/usr/bin/python3
"""Rotating drum: drum.py [-o FOLDER] [--full]

Disks in a drum with a rough rim, half full, at the Froude numbers that a drum of 450 mm has at 5, 8 and 15 turns a minute
(Renouf, Bonamy, Dubois, Alart 2005). Criteria (catalogue, section 11, qualitative): the surface angle rises with the speed;
the velocity along the surface is linear in the flowing layer, here R2 > 0.98 of a straight line. The thickness of the layer
is recorded. A drum of 60 d with about 1 400 disks; --full: 150 d with about 8 000, 2 to 15 turns a minute.
"""
import sys

import numpy

import grains
from grains import D, GRAVITY

FRICTION = 0.5
PAPER_RADIUS = 0.225  # m
WARM, SHOWN = 1.2, 0.8  # rad: turned before the measurement and during it


def rim(radius):
    count = int(2 * numpy.pi * (radius + 0.5))
    angle = numpy.arange(count) * 2 * numpy.pi / count
    place = (radius + 0.5) * D * numpy.column_stack([numpy.cos(angle), numpy.sin(angle)])
    return grains.disks(place, numpy.full(count, 0.5 * D), "wall", name="rim", fixed=True)


def case_of(radius, end, position, radii):
    case = grains.scene(1e-3, end, FRICTION, plane="xz", solver=grains.FAST)
    case["bodies"] = rim(radius) + grains.disks(position, radii)
    return case


def filled(section, radius):
    """The disks at rest: positions in the plane and radii."""
    csv = section.scratch("disks.csv")
    grains.make_folder(csv)
    grains.cloud(csv, lambda x, y: abs(x) < radius, 2 * radius, low=-radius + 0.6, flat=True)
    rows = numpy.loadtxt(csv, delimiter=",", skiprows=1)
    x, z = rows[:, 0] / D, rows[:, 2] / D
    rows = rows[(numpy.hypot(x, z) < radius - 0.7) & (z < 0.4 * radius)]
    out, _ = grains.run(section.scratch("filling"), case_of(radius, 0.6, rows[:, [0, 2]], rows[:, 3]))
    state = grains.Grains(grains.checkpoint(out))
    inside = moving(state, radius)
    return state.position[inside][:, [0, 2]], state.radius[inside]


def moving(state, radius):
    return numpy.hypot(state.position[:, 0], state.position[:, 2]) < (radius + 0.2) * D


def turned(section, radius, disks, turns):
    """Frames of the steady flow at a speed in turns a minute of the paper's drum, and the drum's own speed in rad/s."""
    speed = turns * 2 * numpy.pi / 60 * (PAPER_RADIUS / (radius * D)) ** 0.5
    case = case_of(radius, (WARM + SHOWN) / speed, *disks)
    case["drivers"] = [{"group": "rim", "turn": {"axis": [0, 1, 0]}, "rate": float(numpy.degrees(speed))}]
    case["output"]["frames_every"] = max(1, int(SHOWN / speed / 1e-3 / 60))
    out, _ = grains.run(section.scratch("turns-%g" % turns), case)
    states = [grains.Grains(path) for path in grains.frames(out)]
    return [state for state in states if state.time > WARM / speed], speed


def surface_angle(states, radius):
    """Mean slope of the surface in radians, over |x| < 0.6 R, and its deviation from frame to frame."""
    slopes = []
    for state in states:
        x, z = state.position[moving(state, radius)][:, [0, 2]].T / D
        edges = numpy.arange(-0.6 * radius, 0.6 * radius, 2)
        tops = [numpy.sort(z[(x >= low) & (x < low + 2)])[-3:].mean() for low in edges]
        slopes.append(numpy.arctan(numpy.polyfit(edges + 1, tops, 1)[0]))
    return numpy.mean(slopes), numpy.std(slopes)


def velocity_profile(states, radius, slope):
    """Velocity along the surface in the middle of the drum against depth below the surface, both in diameters."""
    along, normal = numpy.array([numpy.cos(slope), numpy.sin(slope)]), numpy.array([-numpy.sin(slope), numpy.cos(slope)])
    places, speeds = [], []
    for state in states:
        inside = moving(state, radius)
        place, velocity = state.position[inside][:, [0, 2]] / D, state.velocity[inside][:, [0, 2]]
        middle = abs(place @ along) < 0.2 * radius
        places.append((place @ normal)[middle])
        speeds.append((velocity @ along)[middle])
    place, speed = numpy.concatenate(places), numpy.concatenate(speeds)
    top = numpy.percentile(place, 99.5)
    depth = top - place
    edges = numpy.arange(0, int(depth.max()))
    means = [speed[(depth >= low) & (depth < low + 1)].mean() for low in edges]
    return edges + 0.5, numpy.array(means) * -numpy.sign(slope)


def flowing_layer(depth, speed):
    """The straight line through the layer between one diameter below the surface and a fifth of the surface speed: shear
    rate in 1/s, R2, and the depth where the line reaches zero."""
    fastest = speed.max()
    end = int(numpy.argmax(speed < 0.2 * fastest))
    part = slice(1, max(end, 4))
    slope, offset, fit = grains.line_fit(depth[part], speed[part])
    return -slope / D, fit, -offset / slope


def main():
    section, full = grains.open_section("drum", "Rotating drum", __doc__)
    radius, speeds = (75, (2, 5, 10, 15)) if full else (30, (5, 8, 15))
    disks = filled(section, radius)
    rows, curves = [], []
    for turns in speeds:
        states, speed = turned(section, radius, disks, turns)
        slope, spread = surface_angle(states, radius)
        depth, profile = velocity_profile(states, radius, slope)
        shear, fit, thickness = flowing_layer(depth, profile)
        rows.append((turns, speed ** 2 * radius * D / GRAVITY, abs(numpy.degrees(slope)), numpy.degrees(spread), shear, thickness, fit))
        curves.append(("%g turns a minute" % turns, profile / (GRAVITY * D) ** 0.5, -depth))
    section.text("%d disks of d ± 10 %% in a drum of %g d whose rim is made of disks; friction %.1f. Measured after %.1f rad, over "
                 "%.1f rad." % (len(disks[1]), 2 * radius, FRICTION, WARM, SHOWN))
    section.table("Steady flow", ("turns a minute (450 mm)", "ω²R/g", "angle [deg]", "± in time", "shear rate [1/s]",
                                  "flowing layer/d", "R² of the line"), rows)
    section.plot("drum_profile.svg", "Velocity along the surface in the middle of the drum", "velocity/√(g d)",
                 "height above the surface/d", curves)
    angles = [row[2] for row in rows]
    section.check("11 drum: surface angle rises with speed", "rises", ", ".join("%.1f" % a for a in angles),
                  all(a < b for a, b in zip(angles, angles[1:])))
    worst = min(row[6] for row in rows)
    section.check("11 drum: linear velocity profile in the flowing layer", "R² > 0.98", "%.4f at worst" % worst, worst > 0.98)
    section.write()
    return section.failures > 0


if __name__ == "__main__":
    sys.exit(main())
