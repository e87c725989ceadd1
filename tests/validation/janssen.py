#!/usr/bin/python3
"""Janssen's silo: janssen.py [-o FOLDER] [--full]

The mass that the bottom of a cylinder feels, against the mass that was filled in. Once the wall has moved up by 0.01 d
and friction is mobilised it is M_s (1 - exp(-M/M_s)) with M_s = rho_b pi (D/2)^2 D / (4 mu_w K). Criteria (catalogue,
section 11): R2 > 0.99 with one fitted number, K in 0.4 ... 1.2; a bottom that carries everything, within 1 %, when the wall
has no friction. A cylinder of 8 d filled to 1 ... 6 D; --full: 20 d, 1 ... 10 D (72 000 grains).

A first run of this script showed that 0.01 d mobilises less than half of the friction of rigid grains, which have no
tangential springs and have to roll and slide. The same criteria are therefore applied to a shift of 0.5 d as well, and
the friction that acts, upward over normal forces of the wall, is shown for both.
"""
import sys

import numpy

import grains
from grains import D, DENSITY, GRAVITY

FRICTION = 0.5
SHIFT, FAR = 0.01, 0.5  # d, of the wall: the catalogue's, and one that mobilises friction


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
    grains.cloud(csv, grains.cylinder(radius), 2.05 * height / (1 - 0.65 / radius) ** 2)
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


class Series:
    """Weighings of all fills with one shift of the wall, and Janssen's law through them."""

    def __init__(self, section, state, radius, tops, sweeps, shift):
        self.shift = shift
        self.rows = [Weighing(section, state, radius, top, FRICTION, sweeps, "fill-%.0f-%g" % (top, shift), shift) for top in tops]
        self.masses, self.carried = (numpy.array([getattr(row, name) for row in self.rows]) for name in ("mass", "bottom"))
        self.saturated = saturation(self.masses, self.carried)
        self.fit = grains.r_squared(self.carried, law(self.masses, self.saturated))
        fraction = state.fraction(radius, 2, grains.surface(state) - 2)
        self.ratio = stress_ratio(self.saturated, fraction, radius, FRICTION)
        self.acting = numpy.mean([row.acting for row in self.rows])
        self.acting_ratio = self.ratio * FRICTION / self.acting

    def show(self, section, diameter, tops):
        section.table("Shift of %g d; masses in kg" % self.shift,
                      ("fill/D", "filled in", "carried by the bottom", "by the wall", "sum/weight", "law", "friction that acts"),
                      [(top / diameter, r.mass, r.bottom, r.wall, (r.bottom + r.wall) / r.mass,
                        float(law(r.mass, self.saturated)), r.acting) for top, r in zip(tops, self.rows)])
        label = "11 Janssen, wall shifted by %g d: " % self.shift
        section.check(label + "law with one fitted number", "R² > 0.99", "%.4f" % self.fit, self.fit > 0.99)
        section.check(label + "K with the wall's friction of %.1f" % FRICTION, "0.4 ... 1.2", "%.2f" % self.ratio,
                      0.4 <= self.ratio <= 1.2)
        section.note("with the friction that acts, %.2f, K is %.2f" % (self.acting, self.acting_ratio))


def main():
    section, full = grains.open_section("janssen", "Janssen's silo", __doc__)
    radius, fills, sweeps = (10, (1, 2, 3, 4, 6, 8, 10), 400) if full else (4, (1, 2, 3, 4.5, 6), 100)
    state = filled(section, radius, fills[-1] * 2 * radius)
    top = grains.surface(state)
    tops = [fill * 2 * radius for fill in fills[:-1]] + [top + 1]
    section.text("A cylinder of %g d, friction %.1f everywhere, filled to %.1f d with %d grains; solid fraction %.3f over the whole "
                 "cross-section. Lower fills are cut from it. The wall moves up within 0.3 s; masses are means over the second "
                 "half of that." % (2 * radius, FRICTION, top, len(state.id), state.fraction(radius, 2, top - 2)))
    shifts = [Series(section, state, radius, tops, sweeps, shift) for shift in (SHIFT, FAR)]
    for series in shifts:
        series.show(section, 2 * radius, tops)
    curves = []
    for series in shifts:
        line = numpy.linspace(0, series.masses[-1], 100)
        curves += [("shift %g d" % series.shift, series.masses, series.carried, "points"),
                   ("Janssen, K = %.2f" % series.ratio, line, law(line, series.saturated))]
    weight = numpy.array([0, 1.5 * shifts[0].saturated])
    section.plot("janssen.svg", "Mass on the bottom", "mass filled in [kg]", "mass carried by the bottom [kg]",
                 curves + [("hydrostatic", weight, weight)])
    section.plot("janssen_time.svg", "Share of the weight on the bottom; the wall moves by %g d from 0.1 s on" % FAR, "time [s]",
                 "share", [("fill of %.1f D" % (h / (2 * radius)), *r.curve) for h, r in zip(tops, shifts[1].rows)])
    smooth = Weighing(section, state, radius, tops[2], 0.0, sweeps, "smooth")
    section.check("11 Janssen: bottom carries the weight when the wall is smooth", "within 1 %",
                  "%+.2f %%" % (100 * (smooth.bottom / smooth.mass - 1)), abs(smooth.bottom / smooth.mass - 1) <= 0.01)
    section.write()
    return section.failures > 0


def stress_ratio(saturated, fraction, radius, friction):
    """K of the law from the saturated mass."""
    length = saturated / (fraction * DENSITY * numpy.pi * (radius * D) ** 2)
    return 2 * radius * D / (4 * friction * length)


if __name__ == "__main__":
    sys.exit(main())
