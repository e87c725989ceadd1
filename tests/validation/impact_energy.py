#!/usr/bin/python3
"""Friction with impact may create energy: impact_energy.py [-o FOLDER]

A slanted bar hits the ground with one end. Newton's restitution with Coulomb friction can then raise the kinetic energy
(catalogue, 9.13; Kane's paradox). Criterion: the ledger reports the gain as work of the contact law, equal to the closed
form of one contact, 1/2 (u+ + u-).r, within 1e-9 of the energy before, and leaves no unexplained residue (1e-12).
"""
import sys

import numpy

import grains

HALF, BALL, MASS, INERTIA = 0.5, 0.05, 1.0, 0.1
STEP = 1e-3
IMPACTS = (("sticks", 50.0, -0.5, 1.0, 0.5), ("slips", 55.0, -0.5, 1.0, 0.3), ("less restitution", 50.0, -0.5, 0.5, 0.5))


def closed_form(degrees, speed, restitution, friction):
    """Work of the contact on the bar and whether it sticks. The bar falls at 1 m/s, shifts at `speed`, does not turn."""
    angle = numpy.radians(degrees)
    x, z = HALF * numpy.cos(angle), -(HALF * numpy.sin(angle) + BALL)
    w = numpy.array([[1 / MASS + z * z / INERTIA, -x * z / INERTIA], [-x * z / INERTIA, 1 / MASS + x * x / INERTIA]])
    before, after = numpy.array([speed, -1.0]), numpy.array([0.0, restitution])
    impulse = numpy.linalg.solve(w, after - before)
    if abs(impulse[0]) <= friction * impulse[1]:
        return 0.5 * (before + after) @ impulse, True
    for sign in (1, -1):
        normal = (1 + restitution) / (w[1, 1] + sign * friction * w[1, 0])
        impulse = numpy.array([sign * friction * normal, normal])
        after = before + w @ impulse
        if normal > 0 and sign * after[0] <= 0:
            return 0.5 * (before + after) @ impulse, False
    raise ValueError("no solution")


def measured(section, name, degrees, speed, restitution, friction):
    """Change of kinetic energy, work of the contact and residue of the ledger, in J."""
    half = numpy.radians(degrees) / 2
    height = HALF * float(numpy.sin(2 * half)) + BALL + 2.5 * STEP
    case = {"gravity": [0, 0, 0], "time": {"step": STEP, "end": 10 * STEP}, "contact": {"gap": "moreau"},
            "solver": {"tolerance": 1e-13}, "materials": {"bar": {"density": 1000}},
            "laws": [{"between": "default", "friction": friction, "restitution": restitution}],
            "bodies": [{"material": "bar", "bar": {"count": 2, "radius": BALL, "spacing": 2 * HALF}, "mass": MASS,
                        "inertia": [INERTIA] * 3, "position": [0, 0, height], "velocity": [speed, 0, -1],
                        "orientation": [float(numpy.cos(half)), 0, float(numpy.sin(half)), 0]},
                       grains.floor(material="bar")]}
    out, _ = grains.run(section.scratch(name), case)
    history = grains.section.history(out)
    energy = 0.5 * MASS * (speed ** 2 + 1)
    return history["kinetic_energy"][-1] - energy, history["contact_work"][-1], numpy.abs(history["energy_error"]).max()


def main():
    section, _ = grains.open_section("impact_energy", "Friction with impact may create energy", __doc__, "energy")
    section.text("A bar of 1 m and 1 kg falls at 1 m/s and shifts sideways; its lower end hits the ground.")
    rows = []
    for name, degrees, speed, restitution, friction in IMPACTS:
        energy = 0.5 * MASS * (speed ** 2 + 1)
        work, sticks = closed_form(degrees, speed, restitution, friction)
        change, contact, residue = measured(section, name, degrees, speed, restitution, friction)
        rows.append((name, "%g°" % degrees, friction, restitution, "%+.10f" % work, "%+.10f" % contact, "%+.10f" % change,
                     "%.1e" % residue))
        label = "9.13 a bar that %s, e = %g: " % ("sticks" if sticks else "slips", restitution)
        section.check(label + "work of the contact", "%+.4f %% of the energy (closed form)" % (100 * work / energy),
                      "%+.4f %%" % (100 * contact / energy), abs(contact - work) <= 1e-9 * energy)
        section.check(label + "energy that nothing explains", "below 1e-12 of the energy", "%.1e" % (residue / energy),
                      residue <= 1e-12 * energy and abs(change - contact) <= 1e-12 * energy)
    gains = [float(row[5]) > 0 for row in rows[:2]]
    section.check("9.13 the gain is reported as work of the contact law", "positive", ", ".join(row[5] + " J" for row in rows[:2]),
                  all(gains))
    section.table("Energies in J", ("impact", "angle", "friction", "e", "closed form", "contact_work", "change of kinetic energy",
                                    "energy_error"), rows)
    section.write()
    return section.failures > 0


if __name__ == "__main__":
    sys.exit(main())
