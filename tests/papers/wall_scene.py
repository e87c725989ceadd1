"""The wall on a settling ground: its sizes, how the ground goes down, and the frames of its runs (see wall.py)."""
import glob
import itertools
import os
import sys

import h5py
import numpy

LENGTH, HEIGHT, COURSES, MIDDLE = 4.8, 1.2, 12, 2.4  # m; the slabs meet at MIDDLE
BLOCK = numpy.array([0.2, 0.1, 0.1])  # length, depth, height
WEIGHT = LENGTH * HEIGHT * BLOCK[1] * 2200 * 9.81  # N
FRICTION = 0.6


class Ramp:
    """How the right slab goes down, and from what opening on an interface is called open."""

    def __init__(self, start, distance, speed, smooth, opening, name="6"):
        self.start, self.distance, self.speed, self.smooth, self.opening = start, distance, speed, smooth, opening
        self.name = name  # of the checks of a run
        self.end = start + distance / speed + smooth

    def settings(self, step=1e-3, tolerance=1e-6, frames=20):
        return {"drivers.0.start": self.start, "drivers.0.end": self.end, "drivers.0.ramp.distance": self.distance,
                "drivers.0.ramp.smooth": self.smooth, "time.end": self.end, "time.step": step, "solver.tolerance": tolerance,
                "output.vtk_every": 0, "output.frames_every": frames, "output.checkpoint_every": 0}


class Frame:
    """Positions and orientations by id, and the interfaces, of one frame."""

    def __init__(self, path):
        with h5py.File(path) as file:
            self.time = float(file.attrs["time"])
            order = numpy.argsort(file["bodies/id"][()])
            self.position = file["bodies/position"][()][order]
            self.orientation = file["bodies/orientation"][()][order]
            self.interfaces = {name: values[()] for name, values in file["interfaces"].items()}

    def tilt(self):
        """Turns about y; the right end goes down where they are positive."""
        return 2 * numpy.arctan2(self.orientation[:, 2], self.orientation[:, 0])

    def corners(self, bodies):
        """Corners of whole blocks, block by block."""
        half = 0.5 * BLOCK * numpy.array(list(itertools.product((-1, 1), repeat=3)))
        w, axis = self.orientation[bodies, 0][:, None, None], self.orientation[bodies, 1:][:, None]
        twist = numpy.cross(axis, half)
        return self.position[bodies][:, None] + half + 2 * (w * twist + numpy.cross(axis, twist))

    def pairs(self):
        return list(zip(self.interfaces["body_a"].tolist(), self.interfaces["body_b"].tolist()))

    def open(self, threshold):
        """The interfaces of the start that gape by more than the threshold, with their opening."""
        gaping = (self.interfaces["initial"] > 0) & (self.interfaces["opening"] > threshold)
        return {pair: float(opening) for pair, opening, yes
                in zip(self.pairs(), self.interfaces["opening"], gaping) if yes}


def frames(folder):
    paths = sorted(glob.glob(os.path.join(folder, "frames", "frame-*.h5")))
    if not paths:
        sys.exit("%s: no frames" % folder)
    return [Frame(path) for path in paths]
