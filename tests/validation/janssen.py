#!/usr/bin/python3
"""Janssen's silo: janssen.py [-o FOLDER] [--full]

The mass that the bottom of a cylinder feels, against the mass that was filled in. While the wall moves up and friction is
mobilised it is M_s (1 - exp(-M/M_s)) with M_s = rho_b pi (D/2)^2 D / (4 mu_w K). Criteria (catalogue, section 11): R2 > 0.99
with one fitted number, K in 0.4 ... 1.2; a bottom that carries everything, within 1 %, when the wall has no friction. Points
are means of two fillings. A cylinder of 8 d filled to 1 ... 6 D; --full: 20 d, 1 ... 10 D (72 000 grains).

The law wants a wall that slips. The catalogue leaves the wall's friction open: it is 0.2 here, less than the friction of the
bulk (heaps of grains with friction 0.5 rest at 21.6 degrees, which is 0.40). The first version had 0.5 at the wall as well:
then the bulk yields before the wall does, and half of the wall's friction acts. The wall moves by 3 d at constant speed: the catalogue's 0.01 d leave
forces of rigid grains, which have no tangential springs, where the filling put them. The same criteria are applied to a
shift of 0.01 d beside, and the friction that acts, upward over normal forces of the wall, is shown for both.
"""
import sys

import numpy

import grains
from grains import D, DENSITY, GRAVITY

FRICTION = 0.5
WALL = 0.2  # friction of the wall, less than that of the bulk
SHIFT, FAR = 0.01, 3.0  # d, of the wall: the catalogue's, and one that mobilises friction
START, END = 0.1, 0.5  # s, of the wall's motion
SEEDS = (1, 2)


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


def filled(section, radius, height, seed=1):
    csv = section.scratch("grains-%d.csv" % seed)
    grains.make_folder(csv)
    grains.cloud(csv, grains.cylinder(radius), 2.05 * height / (1 - 0.65 / radius) ** 2, seed=seed)
    end = 0.25 + 1.5 * (height * D / GRAVITY) ** 0.5
    out, _ = grains.run(section.scratch("filling-%d" % seed), silo_case(radius, height, end, csv, WALL, 50))
    return grains.Grains(grains.checkpoint(out))


class Weighing:
    """Masses that were filled in and that bottom and wall carry, as means over the later two thirds of the wall's motion;
    `acting`, the wall's friction that acts then; times and shares of the bottom."""

    def __init__(self, section, state, radius, top, wall_friction, sweeps, name, shift=SHIFT):
        self.mass = DENSITY * state.volume[state.position[:, 2] < top * D].sum()
        out = moved_wall(section, state, radius, top, wall_friction, sweeps, name, shift)
        history = grains.section.history(out)
        begin = START + (END - START) / 3
        late = history["time"] > begin
        self.bottom, self.wall = (-history[part + ".z"][late].mean() / GRAVITY for part in ("bottom", "wall"))
        self.acting = acting_friction([path for path in grains.frames(out) if grains.Grains(path).time > begin])
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
    case = silo_case(radius, top, END, csv, wall_friction, sweeps)
    case["drivers"] = [{"group": "silo", "direction": [0, 0, 1], "start": START, "end": END, "ramp": {"distance": shift * D}}]
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
    """Weighings of all fills with one shift of the wall, and Janssen's law through the means of the fillings."""

    def __init__(self, section, silos, radius, tops, sweeps, shift):
        self.shift = shift
        self.rows = [[Weighing(section, state, radius, top, WALL, sweeps, "%d-fill-%.0f-%g" % (seed, top, shift), shift)
                      for seed, state in silos.items()] for top in tops]
        self.masses, self.carried = (self.means(name) for name in ("mass", "bottom"))
        self.saturated = saturation(self.masses, self.carried)
        self.fit = grains.r_squared(self.carried, law(self.masses, self.saturated))
        self.ratio = stress_ratio(self.saturated, solid_fraction(silos, radius), radius, WALL)
        self.acting = self.means("acting").mean()
        self.acting_ratio = self.ratio * WALL / self.acting

    def means(self, name):
        return numpy.array([numpy.mean([getattr(weighing, name) for weighing in row]) for row in self.rows])

    def show(self, section, diameter, tops):
        section.table("Shift of %g d; masses in kg" % self.shift,
                      ("fill/D", "filled in", "carried by the bottom", "in each filling", "sum/weight", "law", "friction that acts"),
                      [(top / diameter, mass, bottom, ", ".join("%.3f" % r.bottom for r in row), (bottom + wall) / mass,
                        float(law(mass, self.saturated)), acting)
                       for top, mass, bottom, wall, acting, row in zip(tops, self.masses, self.carried, self.means("wall"),
                                                                       self.means("acting"), self.rows)])
        label = "11 Janssen, wall shifted by %g d: " % self.shift
        section.check(label + "law with one fitted number", "R² > 0.99", "%.4f" % self.fit, self.fit > 0.99)
        section.check(label + "K with the wall's friction of %.1f" % WALL, "0.4 ... 1.2", "%.2f" % self.ratio,
                      0.4 <= self.ratio <= 1.2)
        section.note("with the friction that acts, %.3f, K is %.2f" % (self.acting, self.acting_ratio))


def solid_fraction(silos, radius):
    """Over the whole cross-section."""
    return numpy.mean([state.fraction(radius, 2, grains.surface(state) - 2) for state in silos.values()])


def main():
    section, full = grains.open_section("janssen", "Janssen's silo", __doc__)
    radius, fills, sweeps = (10, (1, 2, 3, 4, 6, 8, 10), 400) if full else (4, (1, 2, 3, 4.5, 6), 50)
    silos = {seed: filled(section, radius, fills[-1] * 2 * radius, seed) for seed in SEEDS}
    top = min(grains.surface(state) for state in silos.values())
    tops = [fill * 2 * radius for fill in fills[:-1]] + [top]
    section.text("A cylinder of %g d, friction %.1f between grains and %.1f at the wall, filled to %.1f d with %d grains; solid "
                 "fraction %.3f over the whole cross-section. Lower fills are cut from it. The wall moves up from %g s to %g s; "
                 "masses are means over the later two thirds of that and over two fillings." % (
                     2 * radius, FRICTION, WALL, top, len(silos[1].id), solid_fraction(silos, radius), START, END))
    shifts = [Series(section, silos, radius, tops, sweeps, shift) for shift in (SHIFT, FAR)]
    curves = []
    for series in shifts:
        series.show(section, 2 * radius, tops)
        line = numpy.linspace(0, series.masses[-1], 100)
        curves += [("shift %g d" % series.shift, series.masses, series.carried, "points"),
                   ("Janssen, K = %.2f" % series.ratio, line, law(line, series.saturated))]
    weight = numpy.array([0, 1.5 * shifts[0].saturated])
    section.plot("janssen.svg", "Mass on the bottom", "mass filled in [kg]", "mass carried by the bottom [kg]",
                 curves + [("hydrostatic", weight, weight)])
    section.plot("janssen_time.svg", "Share of the weight on the bottom, wall moved by %g d from %g s on" % (FAR, START), "time [s]",
                 "share", [("fill of %.1f D" % (h / (2 * radius)), *row[0].curve) for h, row in zip(tops, shifts[1].rows)])
    smooth = Weighing(section, silos[1], radius, tops[2], 0.0, sweeps, "smooth")
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
