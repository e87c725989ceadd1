#!/usr/bin/python3
"""Small versions of the granular sections, for make check: granular_short.py FOLDER

Some hundred grains and a few seconds in all. The criteria are those of the sections where small scenes can meet them:
the closed form of a frictional impact, the weight on the bottom of a smooth silo, more run-out of a taller column.
"""
import sys

import numpy

import collapse_plane
import grains
import impact_energy
import janssen
from verdict import Verdict


def impacts(verdict, section):
    for name, *impact in impact_energy.IMPACTS:
        work, _ = impact_energy.closed_form(*impact)
        change, contact, residue = impact_energy.measured(section, name, *impact)
        verdict.check("9.13 %s: work of the contact %+.9f J, closed form %+.9f J" % (name, contact, work),
                      abs(contact - work) < 1e-9)
        verdict.check("9.13 %s: energy that nothing explains %.1e J" % (name, residue),
                      residue < 1e-12 and abs(change - contact) < 1e-12)


def silo(verdict, section):
    radius, height = 3, 10
    state = janssen.filled(section, radius, height)
    top = grains.surface(state) + 1
    smooth = janssen.Weighing(section, state, radius, top, 0.0, 50, "smooth")
    share = smooth.bottom / smooth.mass
    verdict.check("11 Janssen, smooth wall: the bottom carries %.4f of the weight, 0.99 ... 1.01" % share, abs(share - 1) <= 0.01)
    rough = janssen.Weighing(section, state, radius, top, janssen.WALL, 50, "rough")
    share = (rough.bottom + rough.wall) / rough.mass
    verdict.check("11 Janssen, rough wall: bottom and wall carry %.4f of the weight, 0.99 ... 1.01" % share, abs(share - 1) <= 0.01)
    fraction = state.fraction(radius, 1, top - 2)
    saturated = janssen.saturation(numpy.array([rough.mass]), numpy.array([rough.bottom]))
    ratio = janssen.stress_ratio(saturated, fraction, radius, rough.acting)
    verdict.check("11 Janssen, rough wall: K = %.2f with the friction that acts, 0.4 ... 1.2" % ratio, 0.4 <= ratio <= 1.2)


def sheets(verdict, section):
    sheet = collapse_plane.Sheet(section, 8, 16, "sheet")
    low, high = sheet.release(0.8), sheet.release(1.8)
    verdict.check("11 collapse, 2-D: run-out %.2f at a = %.2f, %.2f at a = %.2f: a taller column goes farther" % (
        low.runout, low.aspect, high.runout, high.aspect), 0 < low.runout < high.runout)
    verdict.check("11 collapse, 2-D: heights %.2f and %.2f are below those of the columns" % (low.height, high.height),
                  low.height < low.aspect and high.height < high.aspect)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    section = grains.section.Section(sys.argv[1], "granular_short", "", "granular")
    verdict = Verdict()
    for part in (impacts, silo, sheets):
        part(verdict, section)
    return verdict.end()


if __name__ == "__main__":
    sys.exit(main())
