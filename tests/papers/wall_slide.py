"""Why the sinking part of the wall slides outwards (validation 6, criterion ii; see wall.py).

A course has to reach from its last block that stays to the far part, which has sunk by D. No block breaks, and heads that press
on each other with friction do not slip as long as the bar between them is flatter than the friction angle: d / 2l < mu. So blocks
turn. One that turns by a leans with its lower left edge on what stays and with its upper right edge on the far part: across, it
is l cos a + d sin a long. Of blocks in a row that turn by different a the head joints close at the edge where they meet, and only
the largest a counts for the height: they grow by d sin a - sum l (1 - cos a). n blocks that turn as one bar have sin a = D / nl
and grow by D d / nl - nl (1 - cos a): two by 0.25 D at first and 9.36 mm after 50 mm, three by 0.17 D and 6.25 mm. In the first
course of the case two turn as one, for a block of the second lies on both; the third joins in now and then, and rigid blocks do
not say when: builds that differ in one bit end with 6.9 to 9.4 mm.

For the far part to stay within 0.5 mm of its slab no block may turn by more than 0.005, and the 50 mm would take fifty blocks in
a row; the sinking part has twelve. As the catalogue words it the criterion asks for heads that slip: without friction in the
heads the limit analysis of docs/masonry.md has a crack along the beds, where no block turns, and no slide.
"""
import json
import math
import os
import re

import numpy

from section import run
from wall_scene import BLOCK, COURSES, FRICTION, HEIGHT, LENGTH, MIDDLE, frames


def bar_growth(tilts):
    """How much wider blocks of a course get that turn, each by its tilt. The first pushes with its lower left edge, the one that
    turns most is d sin a wider at its upper edge, and every block is l cos a long across."""
    return BLOCK[2] * numpy.sin(numpy.max(tilts)) - (BLOCK[0] * (1 - numpy.cos(tilts))).sum()


def straight_growth(drop, count):
    """The same of blocks that bridge the step as one straight bar: sin a = drop / count l."""
    return bar_growth(numpy.full(count, math.asin(drop / (count * BLOCK[0]))))


class Far:
    """The blocks that lie wholly beyond one wall height from the slab joint, and the sinking slab. The top one centred just there
    still leans on the cracked zone (3.3 mm). Half blocks stand at the ends and need no care."""

    def __init__(self, first):
        self.first, start = first, first.position
        wall = start[:, 2] > 0
        far = wall & (numpy.abs(start[:, 0] - MIDDLE) > HEIGHT + 0.5 * BLOCK[0] - 1e-6)
        self.left, self.right = far & (start[:, 0] < MIDDLE), far & (start[:, 0] > MIDDLE)
        self.slab = int(numpy.argmax(numpy.where(wall, -numpy.inf, start[:, 0])))
        course = wall & (start[:, 2] < BLOCK[2]) & (start[:, 0] > MIDDLE)
        self.bridge, self.end = course & ~self.right, course & self.right

    def drop(self, shot):
        return float(self.first.position[self.slab, 2] - shot.position[self.slab, 2])

    def corner_moves(self, shot, side):
        """Displacements of the corners of these blocks: what they move and what they turn, block by block."""
        return shot.corners(side) - self.first.corners(side)

    def growths(self, shot):
        """How much wider the blocks between the far parts have become, course by course."""
        course, near = (self.first.position[:, 2] // BLOCK[2]).astype(int), ~(self.left | self.right)
        return [float(bar_growth(shot.tilt()[near & (course == k)])) for k in range(COURSES)]

    def slide(self, shot):
        """How far the far end of the first course has gone, in the mean of its blocks, and how much wider those are that turn."""
        moved = (shot.position - self.first.position)[self.end, 0].mean()
        return float(moved), float(bar_growth(shot.tilt()[self.bridge]))

    def turned(self, shot):
        """Tilts of the first blocks over the sinking slab, as text."""
        blocks = numpy.flatnonzero(self.bridge)
        blocks = blocks[numpy.argsort(self.first.position[blocks, 0])][:4]
        return ", ".join("%.2f" % angle for angle in numpy.degrees(shot.tilt()[blocks]))


def check_far_blocks(section, ramp, shots, rows):
    far = Far(shots[0])
    still = max(numpy.linalg.norm(far.corner_moves(shot, far.left), axis=2).max() for shot in shots)
    section.check("%s (ii) blocks over the fixed slab, beyond one wall height" % ramp.name, "no corner moves by %g mm, in any direction"
                  % (1e3 * ramp.opening), "%.4f mm (%d blocks, all frames)" % (1e3 * still, far.left.sum()), still < ramp.opening)
    check_following(section, ramp, far, shots)
    check_along(section, ramp, far, shots)
    check_slide(section, ramp, far, shots)
    check_thrust(section, ramp, rows)


def check_following(section, ramp, far, shots):
    """Across the wall and down. A corner shows what its block turns as well."""
    corners = [far.corner_moves(shot, far.right) + (0, 0, far.drop(shot)) for shot in shots]
    centres = [move.mean(axis=1) for move in corners]
    for axis, way in ((1, "y, across the wall"), (2, "z")):
        for moves, what in ((centres, "centres"), (corners, "corners")):
            most = max(numpy.abs(move[..., axis]).max() for move in moves)
            section.check("%s (ii) %s of blocks over the sinking slab, beyond one wall height, along %s" % (ramp.name, what, way),
                          "follow it within %g mm" % (1e3 * ramp.opening), "%.4f mm (%d blocks, all frames)" % (
                              1e3 * most, far.right.sum()), most < ramp.opening)


def check_along(section, ramp, far, shots):
    outside = 0.0
    for shot in shots:
        slides = (shot.position - far.first.position)[far.right, 0]
        low, high = (straight_growth(far.drop(shot), count) for count in (3, 2))
        outside = max(outside, low - slides.min(), slides.max() - high)
    section.check("%s (ii) centres of the same blocks along x" % ramp.name, "slide by the growth of two to three blocks that bridge the step, "
                  "%.2f to %.2f mm at the end, within %g mm" % (1e3 * low, 1e3 * high, 1e3 * ramp.opening),
                  "%.2f to %.2f mm at the end; outside by %.3f mm at most (all frames)" % (
                      1e3 * slides.min(), 1e3 * slides.max(), 1e3 * outside), outside < ramp.opening)
    section.note("%s (ii) along x as the catalogue words it, within %g mm of the slab: FAIL, %.2f mm. Corrected at first by the growth of two "
                 "blocks alone: %.2f mm from it." % (ramp.name, 1e3 * ramp.opening, 1e3 * slides.max(),
                                                    1e3 * numpy.abs(slides - high).max()))


def check_slide(section, ramp, far, shots):
    slides = [(far.drop(shot), *far.slide(shot)) for shot in shots]
    worst = max(abs(moved - wider) for _, moved, wider in slides)
    section.check("%s (ii) slide of the first course against the tilt of its blocks" % ramp.name,
                  "d sin a - sum l (1 - cos a) within %g mm" % (100 * ramp.opening), "%.4f mm (all frames)" % (1e3 * worst),
                  worst < 0.1 * ramp.opening)
    drop, moved, wider = 1e3 * numpy.array(slides).T
    section.plot("-".join(["wall-slide", *re.findall(r"\w+", ramp.name)[1:]]) + ".svg", "Slide of the far end of the first course "
                 "along its slab.", "settlement [mm]", "slide [mm]", (
                     ("run", drop, moved, "points"), ("from the tilt of its blocks", drop, wider),
                     *(("%d blocks as one bar" % count, drop, [1e3 * straight_growth(1e-3 * one, count) for one in drop])
                       for count in (2, 3))))


def check_thrust(section, ramp, rows):
    moving = (rows["time"] > ramp.start + ramp.smooth + 0.05) & (rows["time"] < ramp.end - ramp.smooth)
    # It sticks for a while when blocks above settle anew: a mean would say how long, not whether it slides.
    ratio = numpy.abs(rows["right.x"][moving]) / numpy.abs(rows["right.z"][moving])
    section.check("%s (ii) horizontal over vertical reaction of the sinking slab" % ramp.name,
                  "mu = %g while it slides, most of the time, and never more (+- 0.001)" % FRICTION,
                  "median %.4f, largest %.4f, mean %.4f" % (numpy.median(ratio), ratio.max(), ratio.mean()),
                  abs(numpy.median(ratio) - FRICTION) < 1e-3 and ratio.max() < FRICTION + 1e-3)


# Other walls

def course_blocks(course):
    """(left, right) of the blocks of a course, the first being 0: odd ones begin and end with a half."""
    cuts = numpy.arange(0, LENGTH + 1.5 * BLOCK[0], BLOCK[0]) - (course % 2) * 0.5 * BLOCK[0]
    cuts = numpy.unique(numpy.clip(cuts, 0, LENGTH).round(9)).tolist()
    return zip(cuts, cuts[1:])


def variant_case(ramp, heads=FRICTION, slab=FRICTION):
    """The wall as a case whose courses are of two stones in turn, so that its heads can have a friction of their own."""
    bodies = [{"material": ("even", "odd")[course % 2], "box": {"size": [right - left, BLOCK[1], BLOCK[2]]},
               "position": [0.5 * (left + right), 0.5 * BLOCK[1], (course + 0.5) * BLOCK[2]]}
              for course in range(COURSES) for left, right in course_blocks(course)]
    laws = (("default", FRICTION), (["even", "even"], heads), (["odd", "odd"], heads), (["even", "ground"], slab))
    return {"time": {"step": 1e-3, "end": ramp.end}, "solver": {"tolerance": 1e-6}, "bodies": bodies,
            "materials": {"even": {"density": 2200}, "odd": {"density": 2200}, "ground": {}},
            "laws": [{"between": pair, "friction": friction, "restitution": 0} for pair, friction in laws],
            "generators": [{"name": "ground", "material": "ground", "slabs": {
                "origin": [-0.2, -0.1, 0], "widths": [2.6, 2.6], "depth": 0.3, "thickness": 0.2}}],
            "drivers": [{"group": "ground.2", "direction": [0, 0, -1], "start": ramp.start, "end": ramp.end,
                         "ramp": {"distance": ramp.distance, "smooth": ramp.smooth}}],
            "output": {"vtk_every": 0, "checkpoint_every": 0, "frames_every": 50}}


VARIANTS = {"smooth heads": {"heads": 0}, "slab friction 0.3": {"slab": 0.3}, "slab friction 0.9": {"slab": 0.9}}
SMOOTH_OPEN = COURSES - 1  # one bed above each course but the last (tests/validation/settlement.py)


def run_variant(section, ramp, name):
    folder = section.scratch(name.replace(" ", "-"))
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "case.json")
    with open(path, "w") as stream:
        json.dump(variant_case(ramp, **VARIANTS[name]), stream)
    return run(path, os.path.join(folder, "out")), frames(os.path.join(folder, "out"))


def check_smooth(section, ramp, slide, last):
    section.check("6 (ii) smooth heads, other friction as it was", "as the catalogue words it: slide < %g mm" % (1e3 * ramp.opening),
                  "%.4f mm" % (1e3 * slide), abs(slide) < ramp.opening)
    gaps = numpy.array(list(last.open(ramp.opening).values()))
    section.check("6 (iii) smooth heads, open joints", "%d, as in the limit analysis, each by the settlement within 1 %%" % SMOOTH_OPEN,
                  "%d, by %s mm" % (len(gaps), " to ".join("%.3f" % (1e3 * gap) for gap in (gaps.min(initial=1), gaps.max(initial=0)))),
                  len(gaps) == SMOOTH_OPEN and numpy.allclose(gaps, ramp.distance, rtol=0.01))


def check_variants(section, ramp, names):
    """Smooth heads must not slide. Elsewhere the far part goes as far as the course that grows most: which one that is depends on
    the friction of the slab. (Asked for at first, of the first course within a tenth of this: 0.24 mm off with slab friction
    0.3, where the lowest courses do not turn at all.)"""
    rows = []
    for name in names:
        summary, shots = run_variant(section, ramp, name)
        far, last = Far(shots[0]), shots[-1]
        slide, wider = float((last.position - shots[0].position)[far.right, 0].mean()), far.growths(last)
        rows.append((name, "%.3f" % (1e3 * slide), "%.3f" % (1e3 * wider[0]), "%.3f" % (1e3 * max(wider)), 1 + int(numpy.argmax(wider)),
                     far.turned(last), summary["unconverged-steps"]))
        if name == "smooth heads":
            check_smooth(section, ramp, slide, last)
        else:
            section.check("6 (ii) slide of the far part, %s" % name, "growth of the course that grows most, within %g mm" % (
                1e3 * ramp.opening), "%.3f and %.3f mm" % (1e3 * slide, 1e3 * max(wider)), abs(slide - max(wider)) < ramp.opening)
    section.table("Other walls after %g mm of settlement" % (1e3 * ramp.distance), (
        "wall", "slide of the far part, mean [mm]", "growth of the first course [mm]", "largest growth of a course [mm]", "which course",
        "tilt of the first four of the first course [degrees]", "unsolved steps"), rows)
