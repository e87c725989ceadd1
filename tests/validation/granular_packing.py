#!/usr/bin/python3
"""Packings of equal spheres: granular_packing.py [-o FOLDER] [--full]

Equal spheres fall into a box and come to rest, e = 0. Measured are solid fraction and coordination of the bulk, 3 d away
from walls, bottom and surface; grains that carry nothing (rattlers) do not count. Criteria (catalogue, section 11):
without friction a solid fraction of 0.62 ... 0.645 and a coordination of 5.9 ... 6.1 (isostatic); with friction from 0.1 to 1
both fall steadily, the fraction towards 0.55 ... 0.58, the coordination from 6 towards 4. 2 000 spheres; --full: 5 000.
"""
import sys

import numpy

import grains
from grains import D

AWAY = 3.0  # d, from walls and surface
REST = 60  # steps of the second run
SHARE = 1e-3  # of the mean force: what a contact must carry in the last step to count
OTHER_COUNTS = tuple((frames, share) for frames in (1, 20, 60) for share in (1e-3, 1e-2, 5e-2))


def packed(section, side, count, friction):
    """A box of grains at rest: the frames of its steps. Two runs, of which the second is solved well."""
    name = "mu-%g" % friction
    csv = section.scratch(name + ".csv")
    grains.make_folder(csv)
    half = 0.5 * side
    grains.cloud(csv, lambda x, y: (abs(x) < half - 0.6) & (abs(y) < half - 0.6), 2.2 * count / side ** 2, spread=0.0,
                 spacing=1.15, seed=3)
    box = {"name": "box", "material": "wall", "walls": ["xmin", "xmax", "ymin", "ymax", "zmin"],
           "box": {"min": [-half * D, -half * D, 0], "max": [half * D, half * D, 1]}}
    out, _ = grains.settle(section.scratch(name), csv, 1.2 if friction == 0 else 0.6, friction, containers=[box])
    case = grains.scene(1e-3, 1e-3 * REST, friction, containers=[box], imports=[{"file": grains.checkpoint(out), "material": "grain"}],
                        solver=dict(grains.FAST, max_sweeps=1000))
    case["output"]["frames_every"] = 1
    out, _ = grains.run(section.scratch(name + "-rest"), case)
    return grains.frames(out)[1:], grains.section.history(out)


def mean_contacts(paths, share):
    """Pairs of bodies that carry more than a share of the mean force, as a mean over the frames."""
    pairs, forces = [], []
    for path in paths:
        contacts = grains.Contacts(path)
        pairs.append(numpy.sort(numpy.column_stack([contacts.first, contacts.second]), axis=1))
        forces.append(contacts.along)
    pairs, index = numpy.unique(numpy.concatenate(pairs), axis=0, return_inverse=True)
    force = numpy.bincount(index.ravel(), weights=numpy.concatenate(forces)) / len(paths)
    return pairs[force > share * force.mean()].T


def coordination(paths, state, inside, least, share=SHARE):
    """Contacts per grain of the bulk, and the share of rattlers: grains with fewer contacts than `least`, found again
    until none is left. Only grains of the bulk are taken out: those of the surface rest on three others."""
    first, second = mean_contacts(paths, share)
    size = int(max(state.id.max(), first.max(), second.max())) + 1
    held, bulk = numpy.ones(size, bool), numpy.zeros(size, bool)
    bulk[state.id[inside]] = True
    while True:
        alive = held[first] & held[second]
        count = numpy.bincount(first[alive], minlength=size) + numpy.bincount(second[alive], minlength=size)
        loose = held & bulk & (count < least)
        if not loose.any():
            return count[bulk & held].mean(), 1 - held[bulk].mean()
        held &= ~loose


def bulk_of(state, side):
    top = grains.surface(state)
    x, y, z = state.position.T / D
    half = 0.5 * side - AWAY
    inside = (abs(x) < half) & (abs(y) < half) & (z > AWAY) & (z < top - AWAY)
    return inside, state.volume[inside].sum() / ((2 * half) ** 2 * (top - 2 * AWAY) * D ** 3)


def averaged_fraction(state, side):
    """Solid fraction of the bulk over boxes of slightly different size: where the edge cuts must not matter."""
    top = grains.surface(state)
    x, y, z = numpy.abs(state.position.T / D)
    values = []
    for cut in numpy.linspace(0, 1, 11):
        half, low, high = 0.5 * side - AWAY - 0.5 * cut, AWAY + cut, top - AWAY - cut
        inside = (x < half) & (y < half) & (z > low) & (z < high)
        values.append(state.volume[inside].sum() / ((2 * half) ** 2 * (high - low) * D ** 3))
    return numpy.mean(values), numpy.std(values)


def main():
    section, full = grains.open_section("granular_packing", "Packings of equal spheres", __doc__)
    side, count = (14, 5000) if full else (11, 2000)
    frictions = (0, 0.1, 0.2, 0.5, 1.0) if full else (0, 0.1, 0.3, 1.0)
    rows, counts = [], []
    for friction in frictions:
        paths, history = packed(section, side, count, friction)
        state = grains.Grains(paths[-1])
        inside, _ = bulk_of(state, side)
        fraction, spread = averaged_fraction(state, side)
        least = 4 if friction == 0 else 3
        contacts, rattlers = coordination(paths[-1:], state, inside, least)
        counts.append((friction, *(coordination(paths[-n:], state, inside, least, share)[0] for n, share in OTHER_COUNTS)))
        rows.append((friction, len(state.id), int(inside.sum()), fraction, spread, contacts, rattlers, numpy.median(history["residual"])))
    section.text("Equal spheres fall from a loose lattice into a box of %g d by %g d and come to rest; a second run of %d "
                 "steps then solves the contacts with up to 1000 sweeps. A contact counts if it carries more than a thousandth of "
                 "the mean force in the last step; rattlers are grains with fewer than 4 such contacts (3 with friction), found "
                 "again until none is left. A second table shows how much the way of counting matters." % (side, side, REST))
    section.table("Bulk, 3 d away from the walls", ("friction", "grains", "of them bulk", "solid fraction", "± with the edge",
                                                   "contacts per grain", "rattlers", "residual"), rows)
    section.table("Contacts per grain by other ways of counting: steps over which forces are averaged, share of the mean force",
                  ("friction", *("%d, %g" % pair for pair in OTHER_COUNTS)), counts)
    mu = [row[0] for row in rows]
    section.plot("packing_fraction.svg", "Solid fraction", "friction", "solid fraction", [("bulk", mu, [r[3] for r in rows])])
    section.plot("packing_contacts.svg", "Contacts per grain without rattlers", "friction", "contacts per grain",
                 [("bulk", mu, [r[5] for r in rows]), ("isostatic without friction", [0, 1], [6, 6]),
                  ("isostatic with friction", [0, 1], [4, 4])])
    first, last = rows[0], rows[-1]
    section.check("11 packing: solid fraction without friction", "0.62 ... 0.645", "%.3f" % first[3], 0.62 <= first[3] <= 0.645)
    section.check("11 packing: contacts per grain without friction", "5.9 ... 6.1", "%.2f" % first[5], 5.9 <= first[5] <= 6.1)
    falls = [all(a[k] > b[k] for a, b in zip(rows, rows[1:])) for k in (3, 5)]
    section.check("11 packing: solid fraction falls with friction", "steadily",
                  ", ".join("%.3f" % r[3] for r in rows), falls[0])
    section.check("11 packing: contacts per grain fall with friction", "steadily", ", ".join("%.2f" % r[5] for r in rows), falls[1])
    section.check("11 packing: solid fraction at friction 1", "0.55 ... 0.58", "%.3f" % last[3], 0.55 <= last[3] <= 0.58)
    section.check("11 packing: contacts per grain at friction 1", "between 4 and 6, nearer to 4", "%.2f" % last[5],
                  4 <= last[5] < 5)
    section.write()
    return section.failures > 0


if __name__ == "__main__":
    sys.exit(main())
