"""The counting of tests/bench/ranks_model.py on lattices whose ghosts are known in closed form."""
import os
import sys

import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "tests", "bench"))
sys.path.append(os.path.join(ROOT, "tests", "validation"))
import ranks_border  # noqa: E402
import ranks_packing  # noqa: E402
import ranks_time  # noqa: E402
from verdict import Verdict  # noqa: E402


def lattice_border(counts, ranks):
    """A cubic lattice cut among ranks in pieces with equal numbers of bodies."""
    packing = ranks_packing.along_curve(ranks_packing.cubic_lattice(counts))
    limits = numpy.linspace(0, packing.bodies, ranks + 1).astype(int)
    colours = ranks_border.colour(packing)
    return packing, colours, ranks_border.count(packing, colours, limits)


def check_curve(verdict):
    """Along the Morton curve the eight corners of a cube come in binary order of (z, y, x)."""
    corners = numpy.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    packing = ranks_packing.Packing(corners, numpy.ones(8), *[numpy.zeros(0, int)] * 3)
    order = ranks_packing.along_curve(packing).position @ [1, 2, 4]
    verdict.check("eight corners in binary order", list(order) == list(range(8)))


def check_hilbert(verdict):
    """Cells that follow each other along the Hilbert curve have a face in common, and it starts in a
    corner."""
    n = 16
    packing = ranks_packing.cubic_lattice((n, n, n))
    place = ranks_packing.along_curve(packing, ranks_packing.hilbert_keys).position
    steps = numpy.abs(numpy.diff(place, axis=0)).sum(axis=1)
    verdict.check("Hilbert: each step goes to a neighbour", (steps == 1).all())


def check_balance(verdict):
    """A first piece with twice the work of the second gives away a quarter of its bodies."""
    limits = ranks_border.rebalance(numpy.array([0, 12, 24]), numpy.array([2.0, 1.0]))
    verdict.check("cuts move to the work", list(limits) == [0, 9, 24])


def check_colours(verdict):
    """A body has each colour once, so that the masks of its nodes have as many bits as it has nodes.
    Two bodies of degrees d and e allow at most d + e - 1 colours."""
    packing, colours, _ = lattice_border((12, 9, 7), 1)
    masks = ranks_border.colour_masks(packing, colours)
    bits = numpy.array([bin(int(mask)).count("1") for mask in masks])
    verdict.check("a body has each colour once", (bits == packing.degrees()).all())
    verdict.check("at most 11 colours of a cubic lattice", colours.max() < 11)
    name = numpy.array([5], numpy.int32), numpy.array([3], numpy.int32)
    verdict.check("the turn of a pair", ranks_border.turns(*name)[0] == turn_by_hand(5, 3))


def turn_by_hand(first, second):
    """colour_turn of parallel/colour.h in whole numbers without a limit."""
    z = (first << 32 | second) * 0xbf58476d1ce4e5b9 % 2 ** 64
    return ((z ^ z >> 32) * 0x94d049bb133111eb % 2 ** 64) >> 56


def check_octants(verdict):
    """A lattice of (2 m)^3 among 8 ranks: each has an octant, three faces of m^2 bodies, and as many
    ghosts. Each is read once in a sweep, by the node across the face, and other nodes change it: one
    velocity for each."""
    m = 6
    packing, _, border = lattice_border((2 * m,) * 3, 8)
    verdict.check("octants: 3 m^2 ghosts", (border.ghosts == 3 * m * m).all())
    verdict.check("octants: 3 neighbours", (border.neighbours == 3).all())
    verdict.check("octants: 3 m^2 velocities", (border.bytes_sent() == 56 * 3 * m * m).all())
    verdict.check("octants: own nodes are all nodes", border.own.sum() == packing.nodes)
    verdict.check("octants: 3 m^2 (m - 1) nodes inside and 3 m^2 across",
                  (border.solved == 3 * m * m * (m - 1) + 3 * m * m).all())
    verdict.check("octants: 3 m^2 border bodies", (border.border_bodies == 3 * m * m).all())


def check_interior(verdict):
    """A lattice of (4 m)^3 among 64 ranks: those in the middle have six faces, one message to each in
    each colour at most."""
    m = 4
    _, colours, border = lattice_border((4 * m,) * 3, 64)
    middle = [rank for rank in range(64) if border.neighbours[rank] == 6]
    verdict.check("64 cubes: 8 in the middle", len(middle) == 8)
    verdict.check("64 cubes: 6 m^2 ghosts", (border.ghosts[middle] == 6 * m * m).all())
    verdict.check("64 cubes: 6 m^2 velocities",
                  (border.bytes_sent()[middle] == 56 * 6 * m * m).all())
    verdict.check("64 cubes: at most a message per face and colour",
                  border.messages().max() <= 6 * (colours.max() + 1))


def check_chain(verdict):
    """A chain of n bodies among p ranks: two ghosts, and one velocity to each side in a sweep."""
    _, _, border = lattice_border((60, 1, 1), 4)
    verdict.check("chain: ghosts", list(border.ghosts) == [1, 2, 2, 1])
    verdict.check("chain: messages", list(border.messages()) == [1, 2, 2, 1])
    verdict.check("chain: nodes", list(border.solved) == [15, 16, 16, 15])


def windows_by_hand(nodes, owner, reader):
    """When a body may travel: from the colour behind the last change on, before the colour of a read.
    The colours of two sweeps are looked at one by one; those of the second count."""
    number = 1 + max(c for _, c in nodes)
    reads = {c for other, c in nodes if owner[other] == reader}
    changes = {c for other, c in nodes if owner[other] != reader}
    found, changed = [], None
    for time in range(2 * number):
        if time % number in changes:
            changed = time
        elif time % number in reads:
            if changed is not None and time >= number:
                found.append((max(0, changed + 1 - number), time % number))
            changed = None
    return found


def fewest_places(windows):
    """Points that hit all windows, by the first end of those that no point has hit."""
    points = []
    for begin, end in sorted(windows, key=lambda window: window[1]):
        if not points or points[-1] < begin:
            points.append(end)
    return len(points)


def check_second_method(verdict):
    """A lattice in uneven pieces, counted body by body and set by set."""
    packing, colours, _ = lattice_border((9, 7, 8), 1)
    limits = numpy.array([0, 31, 31, 200, 317, packing.bodies])
    border = ranks_border.count(packing, colours, limits)
    owner, ends = ranks_border.owners(limits), {}
    for a, b, c in zip(packing.first, packing.second, colours):
        ends.setdefault(a, []).append((b, c))
        ends.setdefault(b, []).append((a, c))
    windows, ghosts, copies = {}, [0] * border.ranks, [0] * border.ranks
    for body, nodes in ends.items():
        for reader in {owner[other] for other, _ in nodes} - {owner[body]}:
            ghosts[reader] += 1
            copies[owner[body]] += 1
            windows.setdefault((owner[body], reader), []).extend(
                windows_by_hand(nodes, owner, reader))
    sent = {}
    for c, s, r, n in zip(border.colour, border.sender, border.receiver, border.carried):
        sent.setdefault((s, r), {})[int(c)] = int(n)
    verdict.check("uneven pieces: velocities between two ranks", {
        pair: sum(of.values()) for pair, of in sent.items()} == {
            pair: len(of) for pair, of in windows.items()})
    verdict.check("uneven pieces: fewest messages", {pair: len(of) for pair, of in sent.items()} == {
        pair: fewest_places(of) for pair, of in windows.items()})
    verdict.check("uneven pieces: a message in each window", all(
        any(begin <= c <= end for c in sent[pair]) for pair, of in windows.items()
        for begin, end in of))
    verdict.check("uneven pieces: ghosts", list(border.ghosts) == ghosts)
    verdict.check("uneven pieces: bodies that others read", list(border.border_bodies) == copies)
    verdict.check("uneven pieces: neighbours", list(border.neighbours) == [
        len({s for s, r in windows if r == rank}) for rank in range(border.ranks)])
    verdict.check("an empty piece has nothing", border.solved[1] == 0 and border.ghosts[1] == 0)


def check_cuts(verdict):
    """Bins of weight 1, 3, 2 and 2, four bodies each: a quarter is reached a third into the second
    bin, half at its end, and three quarters at the end of the third."""
    limits = ranks_border.cut_bins(numpy.array([1.0, 3, 2, 2]), 16, 4)
    verdict.check("pieces of bins", list(limits) == [0, 5, 8, 12, 16])
    packing, _, _ = lattice_border((16, 16, 16), 1)
    weight = ranks_border.weigh(packing, ranks_border.equal_pieces(packing, 8))
    verdict.check("octants weigh nodes, those of 12 inner faces twice, and bodies",
                  weight.sum() == packing.nodes + 12 * 8 ** 2 + packing.bodies)
    owner = ranks_border.owners(ranks_border.cut_bins(weight, packing.bodies, 8))
    work = numpy.bincount(owner, weights=weight)
    verdict.check("pieces of a lattice weigh the same, but for one body each",
                  abs(work - work.mean()).max() < 8)
    verdict.check("octants need no second cut",
                  not ranks_border.is_unequal(weight, ranks_border.equal_pieces(packing, 8)))


def check_mirror(verdict):
    """Two mirrored lattices of n^3 are one of 2 n * n * n: n^2 more nodes."""
    n = 5
    packing = ranks_packing.cubic_lattice((n, n, n))
    wide = ranks_packing.mirror(packing, 0, -0.5, n - 0.5, 3)
    verdict.check("mirrored: bodies", wide.bodies == 3 * n ** 3)
    verdict.check("mirrored: nodes", wide.nodes == 3 * packing.nodes + 2 * n * n)
    distance = numpy.linalg.norm(wide.position[wide.first] - wide.position[wide.second], axis=1)
    verdict.check("mirrored: all nodes touch", numpy.allclose(distance, 1))
    cut = ranks_packing.bulk(packing, (2, 2, 2), 1.0)
    verdict.check("bulk: a lattice twice as wide and deep, whose cut is not in touch",
                  cut.bodies == 8 * n ** 3 and numpy.ptp(cut.position[:, 0]) == 2 * n - 1)


def check_work(verdict):
    """Five contacts of spheres fill two groups of four lanes; a block with three points counts
    twelve."""
    points = numpy.array([0, 0, 0, 0, 0, 3], numpy.int16)
    ends = numpy.arange(6, dtype=numpy.int32)
    packing = ranks_packing.Packing(numpy.zeros((12, 3)), numpy.ones(12), ends, ends + 6, points)
    work = ranks_border.work_of(packing, numpy.zeros(6, int), numpy.zeros(6, int), 1)
    verdict.check("work in lanes", work[0, 0] == 8 + 12)


def check_times(verdict):
    """A chain of two bodies and of three, with times by hand."""
    machine = ranks_time.Machine(contact=1.0, body=0.25, latency=10, overhead=2, bandwidth=56,
                                 node=1, reductions=0, check_every=1e30)
    _, _, border = lattice_border((4, 1, 1), 2)
    # Two colours. The nodes of a rank: its own, which the other is told of, and the one between. The
    # one between changes nothing that must be sent. Groups have four lanes.
    first = 4 * 1.0 + 2 + 0.25 + 10 + 1 + 2 + 0.25
    verdict.check("two ranks by hand: %g" % ranks_time.colours_time(machine, border, True),
                  ranks_time.colours_time(machine, border, True) == first + 4.0)
    alone = ranks_time.Machine(contact=1.0)
    _, _, one = lattice_border((4, 1, 1), 1)
    verdict.check("one rank has efficiency 1", ranks_time.predict(alone, one).efficiency() == 1)
    verdict.check("a tree over 8 ranks", numpy.isclose(
        ranks_time.tree(machine, 8, 56), 3 * (10 + 2 + 1)))


def main():
    verdict = Verdict()
    for check in (check_curve, check_hilbert, check_balance, check_colours, check_octants, check_interior, check_chain,
                  check_second_method, check_cuts, check_mirror, check_work, check_times):
        check(verdict)
    return verdict.end()


if __name__ == "__main__":
    sys.exit(main())
