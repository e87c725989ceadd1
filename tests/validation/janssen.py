#!/usr/bin/python3
"""Janssen's silo: janssen.py [-o FOLDER] [--full]

The mass that the bottom of a cylinder feels, against the mass that was filled in. Once the wall has moved up by 0.01 d
and friction is mobilised it is M_s (1 - exp(-M/M_s)) with M_s = rho_b pi (D/2)^2 D / (4 mu_w K). Criteria (catalogue,
section 11): R2 > 0.99 with one fitted number, K in 0.4 ... 1.2; a bottom that carries everything, within 1 %, when the wall
has no friction. A cylinder of 8 d filled to 1 ... 6 D; --full: 20 d, 1 ... 10 D (72 000 grains).

Spheres roll along the wall, so that its friction is not mobilised as the catalogue assumes. Beside K with mu_w stands
therefore K with the friction that acts, the sum of the upward forces of the wall over the sum of its normal forces.
"""
import sys

import numpy

import grains
from grains import D, DENSITY, GRAVITY

FRICTION = 0.5
SHIFT, FAR = 0.01, 0.5  # d, of the wall: the catalogue's, and one for comparison


def silo_case(radius, height, end, csv, wall_friction, sweeps):
    case = grains.scene(1e-3, end, FRICTION, imports=[{"file": csv, "material": "grain"}],
                        bodies=[grains.floor(material="bottom")], containers=[grains.drum(radius, 4 * height)],
                        solver=dict(grains.FAST, max_sweeps=sweeps),
                        probes=[{"name": "bottom", "group": "floor", "quantity": "force"},
                                {"name": "wall", "group": "silo", "quantity": "force"}])
    case["materials"]["bottom"] = {}
    case["laws"].append({"between": ["grain", "wall"], "friction": wall_friction})
    case["output"]["history_every"] = 1
    return case


def filled(section, radius, height):
    csv = section.scratch("grains.csv")
    grains.make_folder(csv)
    grains.cloud(csv, grains.cylinder(radius), 2.05 * height)
    end = 0.25 + 1.5 * (height * D / GRAVITY) ** 0.5
    out, _ = grains.run(section.scratch("filling"), silo_case(radius, height, end, csv, FRICTION, 50))
    return grains.Grains(grains.checkpoint(out))


class Weighing:
    """Masses that were filled in and that bottom and wall carry, as means over the second half of the wall's motion;
    `acting`, the wall's friction that acts then; times and shares of the bottom."""

    def __init__(self, section, state, radius, top, wall_friction, sweeps, name, shift=SHIFT):
        self.mass = DENSITY * state.volume[state.position[:, 2] < top * D].sum()
        out = moved_wall(section, state, radius, top, wall_friction, sweeps, name, shift)
        history = grains.section.history(out)
        late = history["time"] > 0.25
        self.bottom, self.wall = (-history[part + ".z"][late].mean() / GRAVITY for part in ("bottom", "wall"))
        self.acting = acting_friction([path for path in grains.frames(out) if grains.Grains(path).time > 0.25])
        self.curve = history["time"], -history["bottom.z"] / GRAVITY / self.mass


def acting_friction(paths):
    """Upward over normal forces of the contacts with the upright wall."""
    up = normal = 0.0
    for path in paths:
        contacts, state = grains.Contacts(path), grains.Grains(path)
        wall = ~(numpy.isin(contacts.first, state.id) & numpy.isin(contacts.second, state.id))
        wall &= abs(contacts.normal[:, 2]) < 0.5
        up += contacts.force[wall, 2].sum()
        normal += contacts.along[wall].sum()
    return up / normal


def moved_wall(section, state, radius, top, wall_friction, sweeps, name, shift):
    csv = section.scratch(name + ".csv")
    grains.write_csv(csv, state, lambda g: g.position[:, 2] < top * D)
    case = silo_case(radius, top, 0.4, csv, wall_friction, sweeps)
    case["drivers"] = [{"group": "silo", "direction": [0, 0, 1], "start": 0.1, "end": 0.4, "ramp": {"distance": shift * D}}]
    case["output"]["frames_every"] = 25
    return grains.run(section.scratch(name), case)[0]


def saturation(masses, carried):
    """The one number M_s of the law, by least squares."""
    tried = numpy.geomspace(0.05 * max(carried), 50 * max(carried), 4000)
    errors = [((carried - law(masses, m)) ** 2).sum() for m in tried]
    return tried[int(numpy.argmin(errors))]


def law(mass, saturated):
    return saturated * (1 - numpy.exp(-numpy.asarray(mass) / saturated))


def main():
    section, full = grains.open_section("janssen", "Janssen's silo", __doc__)
    radius, fills, sweeps = (10, (1, 2, 3, 4, 6, 8, 10), 400) if full else (4, (1, 2, 3, 4.5, 6), 100)
    state = filled(section, radius, fills[-1] * 2 * radius)
    top = grains.surface(state)
    tops = [min(fill * 2 * radius, top + 1) for fill in fills]
    rows = [Weighing(section, state, radius, height, FRICTION, sweeps, "fill-%g" % fill) for fill, height in zip(fills, tops)]
    masses, carried = numpy.array([r.mass for r in rows]), numpy.array([r.bottom for r in rows])
    saturated = saturation(masses, carried)
    fit = grains.r_squared(carried, law(masses, saturated))
    fraction = state.fraction(radius, 2, top - 2)
    ratio, acting = stress_ratio(saturated, fraction, radius, FRICTION), numpy.mean([r.acting for r in rows])
    true_ratio = ratio * FRICTION / acting
    section.text("A cylinder of %g d, friction %.1f everywhere, filled to %.1f d with %d grains; solid fraction %.3f over the whole "
                 "cross-section. Lower fills are cut from it. The wall moves up by %g d within 0.3 s; masses are means over "
                 "the second half of that." % (2 * radius, FRICTION, top, len(state.id), fraction, SHIFT))
    header = ("fill/D", "filled in", "carried by the bottom", "by the wall", "sum/weight", "law", "friction of the wall that acts")
    section.table("Masses in kg", header, [(h / (2 * radius), r.mass, r.bottom, r.wall, (r.bottom + r.wall) / r.mass,
                                            float(law(r.mass, saturated)), r.acting) for h, r in zip(tops, rows)])
    line = numpy.linspace(0, masses[-1], 100)
    section.plot("janssen.svg", "Mass on the bottom", "mass filled in [kg]", "mass carried by the bottom [kg]",
                 [("measured", masses, carried, "points"), ("Janssen, K = %.2f" % ratio, line, law(line, saturated)),
                  ("hydrostatic", line[line < 2 * saturated], line[line < 2 * saturated])])
    section.plot("janssen_time.svg", "Share of the weight on the bottom; the wall moves from 0.1 s on", "time [s]", "share",
                 [("fill of %.1f D" % (h / (2 * radius)), *r.curve) for h, r in zip(tops, rows)])
    section.check("11 Janssen: law with one fitted number", "R² > 0.99", "%.4f" % fit, fit > 0.99)
    section.check("11 Janssen: K with the friction of the wall's law, %.1f" % FRICTION, "0.4 ... 1.2", "%.2f" % ratio,
                  0.4 <= ratio <= 1.2)
    section.check("11 Janssen: K with the friction of the wall that acts, %.2f" % acting, "0.4 ... 1.2", "%.2f" % true_ratio,
                  0.4 <= true_ratio <= 1.2)
    smooth = Weighing(section, state, radius, tops[2], 0.0, sweeps, "smooth")
    section.check("11 Janssen: bottom carries the weight when the wall is smooth", "within 1 %",
                  "%+.2f %%" % (100 * (smooth.bottom / smooth.mass - 1)), abs(smooth.bottom / smooth.mass - 1) <= 0.01)
    far = Weighing(section, state, radius, tops[2], FRICTION, sweeps, "far", FAR)
    section.note("with a shift of %g d instead of %g d, at a fill of %.1f D: friction that acts %.3f instead of %.3f, share of the "
                 "bottom %.3f instead of %.3f" % (FAR, SHIFT, tops[2] / (2 * radius), far.acting, rows[2].acting,
                                                  far.bottom / far.mass, rows[2].bottom / rows[2].mass))
    section.write()
    return section.failures > 0


def stress_ratio(saturated, fraction, radius, friction):
    """K of the law from the saturated mass."""
    length = saturated / (fraction * DENSITY * numpy.pi * (radius * D) ** 2)
    return 2 * radius * D / (4 * friction * length)


if __name__ == "__main__":
    sys.exit(main())
