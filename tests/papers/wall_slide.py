"""Why the sinking part of the wall slides outwards (validation 6, criterion ii; see wall.py).

The first course has to reach from the last block on the fixed slab, which stays, to the far part, which has sunk by D. No block
breaks, and heads that press on each other with friction do not slip as long as the bar between them is flatter than the friction
angle: d / 2l < mu. So blocks turn. One that turns by a leans with its lower left edge on what stays and with its upper right edge
on the far part: across, it is l cos a + d sin a long. Of blocks in a row that turn by different a the head joints close at the
edge where they meet, and only the largest a counts for the height: they grow by d sin a - sum l (1 - cos a). Two blocks that turn
as one bar have sin a = D / 2l: the part grows by D d / 2l - 2l (1 - cos a), which is 0.25 D at first and 9.36 mm after 50 mm.
For the far part to stay within 0.5 mm of its slab no block may turn by more than 0.005, and the 50 mm would take fifty blocks in a
row; the sinking part has twelve. As the catalogue words it the criterion asks for heads that slip: without friction in the heads
the limit analysis of docs/masonry.md has a crack along the beds, where no block turns, and no slide.
"""
import json
import math
import os

import numpy

from section import run
from wall_scene import BLOCK, COURSES, FRICTION, HEIGHT, LENGTH, MIDDLE, frames

def bar_growth(tilts, height=BLOCK[2]):
    """How much wider blocks of a course get that turn, each by its tilt. The first pushes with its lower left edge, the one that
    turns most is d sin a wider at its upper edge, and every block is l cos a long across."""
    return height * numpy.sin(numpy.max(tilts)) - (BLOCK[0] * (1 - numpy.cos(tilts))).sum()


def two_block_growth(drop, height=BLOCK[2]):
    """The same of two blocks that bridge the step as one bar: sin a = drop / 2l."""
    return bar_growth(numpy.full(2, math.asin(drop / (2 * BLOCK[0]))), height)


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

    def slide(self, shot, height=BLOCK[2]):
        """How far the far end of the first course has gone, in the mean of its blocks, and how much wider those are that turn."""
        moved = (shot.position - self.first.position)[self.end, 0].mean()
        return float(moved), float(bar_growth(shot.tilt()[self.bridge], height))

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
    after, drops = [], [far.drop(shot) for shot in shots]
    for shot, drop in zip(shots, drops):
        after.append(far.corner_moves(shot, far.right) + (0, 0, drop))
    for axis, name in ((1, "y, across the wall"), (2, "z")):
        most = max(numpy.abs(move[..., axis]).max() for move in after)
        section.check("%s (ii) corners of blocks over the sinking slab, beyond one wall height, along %s" % (ramp.name, name),
                      "follow it within %g mm" % (1e3 * ramp.opening), "%.4f mm (%d blocks, all frames)" % (
                          1e3 * most, far.right.sum()), most < ramp.opening)
    along = max(numpy.abs(move[..., 0] - two_block_growth(drop)).max() for move, drop in zip(after, drops))
    section.check("%s (ii) the same along x" % ramp.name, "follow it within %g mm, but for the growth of two blocks that bridge the step" % (
        1e3 * ramp.opening), "%.3f mm (all frames)" % (1e3 * along), along < ramp.opening)
    section.note("%s (ii) along x as the catalogue words it, within %g mm of the slab: FAIL, %.2f to %.2f mm at the end. Two blocks that "
                 "bridge the step grow by %.2f mm." % (ramp.name, 1e3 * ramp.opening, 1e3 * after[-1][..., 0].min(),
                                                      1e3 * after[-1][..., 0].max(), 1e3 * two_block_growth(drops[-1])))
    check_slide(section, ramp, far, shots)
    check_thrust(section, ramp, rows)


def check_slide(section, ramp, far, shots):
    slides = [(far.drop(shot), *far.slide(shot)) for shot in shots]
    worst = max(abs(moved - wider) for _, moved, wider in slides)
    section.check("%s (ii) slide of the first course against the tilt of its blocks" % ramp.name,
                  "d sin a - sum l (1 - cos a) within %g mm" % (100 * ramp.opening), "%.4f mm (all frames)" % (1e3 * worst),
                  worst < 0.1 * ramp.opening)
    drop, moved, wider = 1e3 * numpy.array(slides).T
    section.plot("wall-slide%s.svg" % ramp.name[1:].replace(" ", ""), "Slide of the far end of the first course along its slab.",
                 "settlement [mm]", "slide [mm]", (
                     ("run", drop, moved, "points"), ("from the tilt of its blocks", drop, wider),
                     ("two blocks as one bar", drop, [1e3 * two_block_growth(1e-3 * one) for one in drop])))


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
    cuts = numpy.arange(0, LENGTH + BLOCK[0], BLOCK[0]) - (course % 2) * 0.5 * BLOCK[0]
    cuts = numpy.unique(numpy.clip(cuts, 0, LENGTH).round(9)).tolist()
    return zip(cuts, cuts[1:])


def variant_case(ramp, heads=FRICTION, beds=FRICTION, slab=FRICTION, height=BLOCK[2]):
    """The wall as a case whose courses are of two stones in turn, so that its heads can have a friction of their own."""
    bodies = [{"material": ("even", "odd")[course % 2], "box": {"size": [right - left, BLOCK[1], height]},
               "position": [0.5 * (left + right), 0.5 * BLOCK[1], (course + 0.5) * height]}
              for course in range(COURSES) for left, right in course_blocks(course)]
    laws = (("default", beds), (["even", "even"], heads), (["odd", "odd"], heads), (["even", "ground"], slab))
    return {"time": {"step": 1e-3, "end": ramp.end}, "solver": {"tolerance": 1e-6}, "bodies": bodies,
            "materials": {"even": {"density": 2200}, "odd": {"density": 2200}, "ground": {}},
            "laws": [{"between": pair, "friction": friction, "restitution": 0} for pair, friction in laws],
            "generators": [{"name": "ground", "material": "ground", "slabs": {
                "origin": [-0.2, -0.1, 0], "widths": [2.6, 2.6], "depth": 0.3, "thickness": 0.2}}],
            "drivers": [{"group": "ground.2", "direction": [0, 0, -1], "start": ramp.start, "end": ramp.end,
                         "ramp": {"distance": ramp.distance, "smooth": ramp.smooth}}],
            "output": {"vtk_every": 0, "checkpoint_every": 0, "frames_every": 50}}


VARIANTS = {"smooth heads": {"heads": 0}, "slab friction 0.3": {"slab": 0.3}, "slab friction 0.9": {"slab": 0.9},
            "friction 0.4": {"heads": 0.4, "beds": 0.4, "slab": 0.4}, "blocks half as high": {"height": 0.5 * BLOCK[2]}}


def run_variant(section, ramp, name):
    folder = section.scratch(name.replace(" ", "-"))
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "case.json")
    with open(path, "w") as stream:
        json.dump(variant_case(ramp, **VARIANTS[name]), stream)
    return run(path, os.path.join(folder, "out")), frames(os.path.join(folder, "out"))


def check_variants(section, ramp, names):
    """Slides of other walls. Smooth heads must not slide; in all others the slide is that of the tilt."""
    rows = []
    for name in names:
        summary, shots = run_variant(section, ramp, name)
        far, height = Far(shots[0]), VARIANTS[name].get("height", BLOCK[2])
        slide, wider = far.slide(shots[-1], height)
        rows.append((name, "%.3f" % (1e3 * slide), "%.3f" % (1e3 * wider), "%.3f" % (1e3 * two_block_growth(far.drop(shots[-1]), height)),
                     far.turned(shots[-1]), summary["unconverged-steps"]))
        if name == "smooth heads":
            section.check("6 (ii) smooth heads, other friction as it was", "as the catalogue words it: slide < %g mm" % (1e3 * ramp.opening),
                          "%.4f mm" % (1e3 * slide), abs(slide) < ramp.opening)
        else:
            section.check("6 (ii) slide and tilt, %s" % name, "the same within %g mm" % (100 * ramp.opening),
                          "%.3f and %.3f mm" % (1e3 * slide, 1e3 * wider), abs(slide - wider) < 0.1 * ramp.opening)
    section.table("Other walls after %g mm of settlement: slide of the far end of the first course" % (1e3 * ramp.distance), (
        "wall", "slide [mm]", "from the tilt of its blocks [mm]", "two blocks as one bar [mm]", "tilt of the first four [degrees]",
        "unsolved steps"), rows)
