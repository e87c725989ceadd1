"""Reads the frames of a Brazil nut run: who lies in the top layer, when it came and for how long it stays, where the bed
rises and sinks, how dense it is. Frames are one period apart, where the acceleration of the floor falls to -g: the bed
has landed and is about to leave."""
import glob
import os

import h5py
import numpy
from scipy.spatial import cKDTree

STEPS_PER_PERIOD, STEP, FIRST_STEP, BOX = 250, 8.024e-3, 250, 16.0
START, PERIOD = FIRST_STEP * STEP, STEPS_PER_PERIOD * STEP  # of the first frame, 12 steps after the sine begins
TOP_LAYER = 200  # a quarter of the grains: at most so many lie above what is in the top layer
LOW = 200  # grains that start in the lowest quarter of the bed, as the nut does, are tracers
WATCH = 5  # periods: in the top layer for most of them is an arrival
SAMPLES = 4000  # random points per frame for the packing fraction
NUT = 4.0  # its diameter


class Motion:
    """Positions of one run by period: the nut first, then the grains in the order of their ids."""

    def __init__(self, folder):
        self.x = numpy.array([positions(path) for path in whole_periods(folder)])
        self.above = numpy.array([grains_above(x[:, 2]) for x in self.x])
        self.periods = len(self.x) - 1
        self.tracers = 1 + numpy.argsort(self.x[0, 1:, 2])[:LOW]

    def arrival(self, body):
        """The first period in the top layer that begins a stay there, or None. One moment is not enough."""
        there = self.above[:, body] <= TOP_LAYER
        for n in numpy.flatnonzero(there[:self.periods - WATCH + 2]):
            if there[n:n + WATCH].mean() > 0.5:
                return int(n)
        return None

    def residence(self, body, window):
        """The share of a window of periods after arrival spent in the top layer; None where the run is too short to tell."""
        came = self.arrival(body)
        if came is None or came + window > self.periods + 1:
            return None
        return float(numpy.mean(self.above[came:came + window, body] <= TOP_LAYER))

    def tracer_residences(self, window):
        shares = [self.residence(body, window) for body in self.tracers]
        return [share for share in shares if share is not None]


def whole_periods(folder):
    """The frames a whole number of periods after the start, in their order."""
    steps = {int(path[-12:-3]): path for path in glob.glob(os.path.join(folder, "frames", "frame-*.h5"))}
    return [steps[step] for step in sorted(steps) if step >= FIRST_STEP and (step - FIRST_STEP) % STEPS_PER_PERIOD == 0]


def positions(path):
    """Positions of the spheres of a frame. Ids go by definition: the nut of `bodies` comes before the grains."""
    with h5py.File(path) as file:
        bodies = file["bodies"]
        order = numpy.argsort(bodies["id"][()])
        spheres = order[bodies["radius"][()][order] > 0]
        return bodies["position"][()][spheres]


def grains_above(heights):
    """For every sphere, how many grains (without the nut) have their centre above its own."""
    grains = numpy.sort(heights[1:])
    return len(grains) - numpy.searchsorted(grains, heights, side="right")


def off_axis(x):
    """Distance from the axis of the box in square rings: the half width less the distance from the nearest side wall."""
    return numpy.abs(x[..., :2] - BOX / 2).max(axis=-1)


def binned(rings, heights, values, ring_edges, height_edges, least):
    """Mean of the values by ring and height; NaN where there are fewer than `least`."""
    edges = (ring_edges, height_edges)
    count = numpy.histogram2d(rings, heights, bins=edges)[0]
    total = numpy.histogram2d(rings, heights, bins=edges, weights=values)[0]
    return numpy.where(count >= least, total / numpy.maximum(count, 1), numpy.nan)


def rise_map(motions, ring_edges, height_edges):
    """Mean rise per period of the grains by ring and height, from the third period on, when the sine has its full size."""
    pairs = [(m.x[n, 1:], m.x[n + 1, 1:, 2] - m.x[n, 1:, 2]) for m in motions for n in range(2, m.periods)]
    x = numpy.concatenate([before for before, _ in pairs])
    rise = numpy.concatenate([change for _, change in pairs])
    # A grain is binned at the middle of its way: binned at its start, noise alone would look like motion to the middle.
    return binned(off_axis(x), x[:, 2] + rise / 2, rise, ring_edges, height_edges, 20)


def packing_map(motions, ring_edges, height_edges):
    """Share of random points that lie inside a sphere."""
    random = numpy.random.default_rng(1)
    points, inside = [], []
    for motion in motions:
        for x in motion.x[2:]:
            sample = random.uniform((0, 0, height_edges[0]), (BOX, BOX, height_edges[-1]), (SAMPLES, 3))
            grain, _ = cKDTree(x[1:]).query(sample)
            nut = numpy.linalg.norm(sample - x[0], axis=1)
            points.append(sample)
            inside.append((grain < 1) | (nut < 2))
    points = numpy.concatenate(points)
    return binned(off_axis(points), points[:, 2], numpy.concatenate(inside).astype(float), ring_edges, height_edges, 1)


def wall_and_middle(motion):
    """Mean rise per period of the grains within 2 R of a side wall, and of those more than 5 R away."""
    before, after = motion.x[2:-1, 1:], motion.x[3:, 1:]
    rise, ring = after[..., 2] - before[..., 2], off_axis((before + after) / 2)
    return float(rise[ring > BOX / 2 - 2].mean()), float(rise[ring < BOX / 2 - 5].mean())


def wall_distances(x):
    """Distances from the nearest wall and from the nearest one at right angles to it."""
    return numpy.sort(numpy.minimum(x[..., :2], BOX - x[..., :2]), axis=-1)


def wall_and_corner(motion):
    """Mean rise per period of the grains in a space as wide as the nut, at a wall away from the corners, and in a corner."""
    before, after = motion.x[2:-1, 1:], motion.x[3:, 1:]
    rise, away = after[..., 2] - before[..., 2], wall_distances((before + after) / 2)
    near, other = away[..., 0] < NUT, away[..., 1]
    return float(rise[near & (other > 1.5 * NUT)].mean()), float(rise[near & (other < NUT)].mean())


def periods_in_corner(motion, first):
    """How often the nut is met in a corner from a period on: within a quarter of its radius of two walls."""
    return int((wall_distances(motion.x[first:, 0])[:, 1] < 0.625 * NUT).sum())
