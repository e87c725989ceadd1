"""Packings of bodies: where the moving ones are, and which pairs of them touch."""
import dataclasses

import numpy

FIXED = -1  # the second body of a node that touches a wall or another body that stands still
CURVE_BITS = 20  # of geometry/curve.h
HILBERT_BITS = 12
BALL_SHAPES = (0, 1)  # spheres and half-spaces (engine/gabion.h); other shapes have block contacts


@dataclasses.dataclass
class Packing:
    """Moving bodies and nodes. A node is a pair of bodies that touch: what one colour solves at once."""
    position: numpy.ndarray  # (bodies, 3)
    radius: numpy.ndarray
    first: numpy.ndarray  # by node: index of a body
    second: numpy.ndarray  # by node: index of a body, or FIXED
    points: numpy.ndarray  # by node: points of a block contact; 0: a contact of spheres

    @property
    def bodies(self):
        return len(self.position)

    @property
    def nodes(self):
        return len(self.first)

    def degrees(self):
        """The number of nodes of each body."""
        ends = numpy.bincount(self.first, minlength=self.bodies)
        return ends + numpy.bincount(self.second[self.second != FIXED], minlength=self.bodies)


def read_checkpoint(path):
    """Reads moving bodies, and the contacts that took part in the last step, in the order of memory."""
    import h5py  # pylint: disable=import-outside-toplevel  (lattices do without)
    with h5py.File(path, "r") as file:
        start = file["contacts/start"][:].astype(numpy.int64)
        partner = file["contacts/body"][:]
        shape = file["bodies/shape"][:]
        moving = len(start) - 1
        position = file["bodies/position"][:moving]
        radius = file["bodies/radius"][:moving]
    body = numpy.repeat(numpy.arange(moving, dtype=numpy.int32), numpy.diff(start))
    return Packing(position, radius, *nodes_of(body, partner, moving, shape))


def nodes_of(body, partner, moving, shape):
    """Joins the contacts of the same two bodies, which follow each other, to nodes."""
    new = numpy.ones(len(body), bool)
    new[1:] = (body[1:] != body[:-1]) | (partner[1:] != partner[:-1])
    begin = numpy.flatnonzero(new)
    points = numpy.diff(numpy.append(begin, len(body)))
    first, other = body[begin], partner[begin]
    balls = numpy.isin(shape[first], BALL_SHAPES) & numpy.isin(shape[other], BALL_SHAPES)
    second = numpy.where(other < moving, other, FIXED).astype(numpy.int32)
    return first, second, numpy.where(balls, 0, points).astype(numpy.int16)


def cubic_lattice(counts, spacing=1.0):
    """Equal spheres on a cubic lattice, each of which touches the next ones: counts are by axis."""
    grid = numpy.arange(numpy.prod(counts), dtype=numpy.int32).reshape(counts)
    position = spacing * numpy.stack(numpy.unravel_index(grid.ravel(), counts), axis=1)
    pairs = [(grid.take(range(n - 1), axis), grid.take(range(1, n), axis))
             for axis, n in enumerate(counts)]
    first = numpy.concatenate([a.ravel() for a, _ in pairs])
    second = numpy.concatenate([b.ravel() for _, b in pairs])
    return Packing(position, numpy.full(grid.size, spacing / 2), first, second,
                   numpy.zeros(len(first), numpy.int16))


# The curve ----------------------------------------------------------------------------------------

def spread_bits(place):
    """Moves bit k to bit 3k, as curve_spread of geometry/curve.h."""
    a = place.astype(numpy.uint64)
    for shift, mask in ((32, 0x1f00000000ffff), (16, 0x1f0000ff0000ff), (8, 0x100f00f00f00f00f),
                        (4, 0x10c30c30c30c30c3), (2, 0x1249249249249249)):
        a = (a | a << numpy.uint64(shift)) & numpy.uint64(mask)
    return a


def curve_keys(position):
    """The Morton keys by which the program sorts moving bodies (engine/world/order.c)."""
    low = position.min(axis=0)
    size = (position.max(axis=0) - low).max()
    last = (1 << CURVE_BITS) - 1
    scale = last / (size if size > 0 else 1.0)
    key = numpy.zeros(len(position), numpy.uint64)
    for axis in range(3):
        place = numpy.clip((position[:, axis] - low[axis]) * scale, 0, last)
        key |= spread_bits(place) << numpy.uint64(axis)
    return key


def hilbert_keys(position):
    """Keys along the Hilbert curve, by Skilling's transposition ("Programming the Hilbert curve",
    2004): what another order in memory would give."""
    low = position.min(axis=0)
    last = (1 << HILBERT_BITS) - 1
    scale = last / max((position.max(axis=0) - low).max(), 1e-300)
    place = ((position - low) * scale).astype(numpy.int64).T.copy()
    for bit in range(HILBERT_BITS - 1, 0, -1):
        below = (1 << bit) - 1
        for axis in range(3):
            turned = place[axis] >> bit & 1 == 1
            swapped = numpy.where(turned, 0, (place[0] ^ place[axis]) & below)
            place[0] ^= numpy.where(turned, below, swapped)
            place[axis] ^= swapped
    place[1] ^= place[0]
    place[2] ^= place[1]
    flip = numpy.zeros_like(place[0])
    for bit in range(HILBERT_BITS - 1, 0, -1):
        flip ^= (place[2] >> bit & 1) * ((1 << bit) - 1)
    place ^= flip
    key = numpy.zeros(len(position), numpy.uint64)
    for axis in range(3):
        key |= spread_bits(place[axis]) << numpy.uint64(2 - axis)
    return key


def along_curve(packing, keys=curve_keys):
    """The same packing with its bodies in the order of a curve."""
    order = numpy.argsort(keys(packing.position), kind="stable")
    place = numpy.empty(packing.bodies + 1, numpy.int32)
    place[order] = numpy.arange(packing.bodies, dtype=numpy.int32)
    place[FIXED] = FIXED  # the last entry, which second == FIXED reads
    return Packing(packing.position[order], packing.radius[order], place[packing.first],
                   place[packing.second], packing.points)


# Larger packings ----------------------------------------------------------------------------------

def keep(packing, kept):
    """The bodies whose mark is set, and the nodes between them."""
    place = numpy.full(packing.bodies + 1, FIXED, numpy.int32)
    place[:-1][kept] = numpy.arange(kept.sum(), dtype=numpy.int32)
    stays = kept[packing.first] & ((packing.second == FIXED) | kept[packing.second])
    return Packing(packing.position[kept], packing.radius[kept], place[packing.first[stays]],
                   place[packing.second[stays]], packing.points[stays])


def touching(packing, axis, plane):
    """The bodies that reach a plane, or nearly: by a thousandth of their radius."""
    distance = numpy.abs(packing.position[:, axis] - plane)
    return numpy.flatnonzero(distance <= 1.001 * packing.radius).astype(numpy.int32)


def seam(packing, axis, plane):
    """The bodies that touch their own image in a plane. Blocks are given none."""
    reaches = touching(packing, axis, plane)
    return reaches[:0] if packing.points.any() else reaches


def mirror(packing, axis, low, high, count):
    """Puts `count` copies side by side, every other one reflected in the plane that it shares with
    its neighbour. A sphere that touches the plane touches its own image there, as a wall in the
    plane would have held it: reflected copies of a bed in a box are a bed without the walls."""
    n, copies = packing.bodies, numpy.arange(count)
    position = numpy.tile(packing.position, (count, 1))
    along = packing.position[:, axis] - low
    shifts = [low + k * (high - low) + (along if k % 2 == 0 else high - low - along) for k in copies]
    position[:, axis] = numpy.concatenate(shifts)
    second = [numpy.where(packing.second == FIXED, FIXED, packing.second + k * n) for k in copies]
    ends = [seam(packing, axis, high if k % 2 == 0 else low) for k in copies[:-1]]
    seam_first = [end + k * n for k, end in enumerate(ends)]
    seam_second = [end + (k + 1) * n for k, end in enumerate(ends)]
    first = [packing.first + k * n for k in copies]
    seams = sum(len(end) for end in ends)
    points = [numpy.tile(packing.points, count), numpy.zeros(seams, packing.points.dtype)]
    return Packing(position, numpy.tile(packing.radius, count),
                   numpy.concatenate(first + seam_first).astype(numpy.int32),
                   numpy.concatenate(second + seam_second).astype(numpy.int32),
                   numpy.concatenate(points))


def bulk(packing, counts, top=0.98):
    """A bed in a box, without the walls and the loose top, mirrored `counts` times along
    each axis. `top` is the share of the bodies that lie below the cut through its surface."""
    height = numpy.quantile(packing.position[:, 2], top)
    cut = keep(packing, packing.position[:, 2] <= height)
    inner = cut.second != FIXED
    cut = dataclasses.replace(cut, first=cut.first[inner], second=cut.second[inner],
                              points=cut.points[inner])
    low = (cut.position - cut.radius[:, None]).min(axis=0)
    high = (cut.position + cut.radius[:, None]).max(axis=0)
    high[2] = height
    for axis in range(3):
        cut = mirror(cut, axis, low[axis], high[axis], counts[axis])
    return cut
