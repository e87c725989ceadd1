"""What ranks have to do and to tell each other in a sweep: pieces of the curve, colours, ghosts and
messages, counted as engine/solvers/sweep/border.h lists them."""
import dataclasses

import numpy

from ranks_packing import FIXED

LEAST_BINS, BINS_OF_A_RANK = 4096, 64  # of engine/contact/shared.c
UNEQUAL = 1.1  # the cuts move where a rank has so many times the mean work
LANES = 4  # sphere contacts that are solved side by side (engine/solvers/sweep/plan.h)
POINT_WORK = 4  # a point of a block takes as long as so many contacts of spheres (packed.c)
VELOCITY_BYTES = 56  # of a body in a message
BORDER, INSIDE = 0, 1  # nodes whose solution travels, and the others


# Pieces -------------------------------------------------------------------------------------------

def cut_bins(weight, bodies, ranks):
    """Cuts [0, bodies) into pieces of equal weight, as cuts_make of parallel/cuts.c: the weight of a
    bin is spread evenly over its bodies. Returns ranks + 1 limits."""
    before = numpy.concatenate([[0.0], numpy.cumsum(weight)])
    wanted = before[-1] * numpy.arange(ranks) / ranks
    place = numpy.interp(wanted, before, numpy.linspace(0, bodies, len(before)))
    return numpy.append(place.astype(numpy.int64), bodies)


def equal_pieces(packing, ranks):
    """What a run begins with: pieces with equal numbers of bodies."""
    return packing.bodies * numpy.arange(ranks + 1, dtype=numpy.int64) // ranks


def weigh(packing, limits):
    """The work of each bin: its contacts plus one for each body. A contact between ranks weighs on a
    body of each."""
    ranks = len(limits) - 1
    bins = min(max(LEAST_BINS, BINS_OF_A_RANK * ranks), packing.bodies)
    owner = owners(limits)
    between = packing.second != FIXED
    between[between] = owner[packing.first[between]] != owner[packing.second[between]]
    ends = numpy.concatenate([packing.first, packing.second[between]]).astype(numpy.int64)
    contacts = numpy.maximum(packing.points, 1).astype(float)
    weight = numpy.bincount(ends * bins // packing.bodies, minlength=bins,
                            weights=numpy.concatenate([contacts, contacts[between]]))
    return weight + packing.bodies / bins


def is_unequal(weight, limits):
    """Whether some rank has much more work than the mean, as the bins tell."""
    bins, ranks = len(weight), len(limits) - 1
    rank = owners(limits)[numpy.arange(bins) * limits[-1] // bins]
    work = numpy.bincount(rank, weights=weight, minlength=ranks)
    return work.max() > UNEQUAL * work.sum() / ranks + 2 * work.sum() / bins


def cut(packing, ranks, rounds=4):
    """The pieces of a packing that lies along the curve, as a run cuts them: first by numbers of
    bodies, then by what ranks solved, and again while that is much more than the mean."""
    limits = equal_pieces(packing, ranks)
    for turn in range(rounds):
        weight = weigh(packing, limits)
        if turn > 0 and not is_unequal(weight, limits):
            break
        limits = cut_bins(weight, packing.bodies, ranks)
    return limits


def owners(limits):
    """The rank of each body."""
    return numpy.repeat(numpy.arange(len(limits) - 1, dtype=numpy.int32), numpy.diff(limits))


def rebalance(limits, work):
    """Moves the cuts such that pieces have equal work, as far as the work of each piece is spread
    evenly over it."""
    weight = numpy.repeat(work / numpy.maximum(numpy.diff(limits), 1), numpy.diff(limits))
    return cut_bins(weight, len(weight), len(work))


# Colours ------------------------------------------------------------------------------------------

def turns(first, second):
    """The hash of a pair's name that parallel/colour.h orders the colouring by."""
    with numpy.errstate(over="ignore"):
        z = first.astype(numpy.uint32).astype(numpy.uint64) << numpy.uint64(32)
        z |= second.astype(numpy.uint32).astype(numpy.uint64)
        z *= numpy.uint64(0xbf58476d1ce4e5b9)
        z = (z ^ z >> numpy.uint64(32)) * numpy.uint64(0x94d049bb133111eb)
        return (z >> numpy.uint64(56)).astype(numpy.uint8)


def first_free(used):
    """The lowest bit that is not set, as a number."""
    low = ~used & (used + numpy.uint64(1))
    return numpy.log2(low.astype(float)).astype(numpy.uint8)


def colour(packing):
    """Gives each node the first colour that no neighbour before it has, in the order of turns: all
    nodes that come before their neighbours at once (Jones and Plassmann 1993)."""
    order = numpy.argsort(turns(packing.first, packing.second), kind="stable")
    first, second = packing.first[order], packing.second[order]
    rest = numpy.arange(packing.nodes)
    colours = numpy.zeros(packing.nodes, numpy.uint8)
    mask = numpy.zeros(packing.bodies + 1, numpy.uint64)  # the last entry: FIXED, always empty
    foremost = numpy.empty(packing.bodies + 1, numpy.int64)
    while len(rest) > 0:
        a, b = first[rest], second[rest]
        # Of repeated indices numpy assigns the last, so the order is written backwards.
        ends = numpy.stack([a, b], axis=1)[::-1].ravel()
        foremost[ends] = numpy.repeat(rest[::-1], 2)
        free = (foremost[a] == rest) & ((foremost[b] == rest) | (b == FIXED))
        ready, a, b = rest[free], a[free], b[free]
        colours[ready] = first_free(mask[a] | mask[b])
        bit = numpy.uint64(1) << colours[ready].astype(numpy.uint64)
        mask[a] |= bit
        mask[b] |= bit
        mask[FIXED] = 0
        rest = rest[~free]
    result = numpy.empty_like(colours)
    result[order] = colours
    return result


# Counting -----------------------------------------------------------------------------------------

@dataclasses.dataclass
class Border:
    """What the ranks of one cut do and send in a sweep."""
    ranks: int
    colours: int
    own: numpy.ndarray  # by rank: nodes whose first body is the rank's
    solved: numpy.ndarray  # by rank: nodes, including those that another rank solves as well
    ghosts: numpy.ndarray  # by rank
    neighbours: numpy.ndarray  # by rank
    work: numpy.ndarray  # by rank, colour, and BORDER or INSIDE: contacts, in full lanes
    alone: float  # the same of one rank that has all
    # By message: the colour that it comes before, two ranks, and the number of bodies whose velocities it carries.
    colour: numpy.ndarray
    sender: numpy.ndarray
    receiver: numpy.ndarray
    carried: numpy.ndarray
    border_bodies: numpy.ndarray  # by rank: own bodies, once for each rank that reads them

    def messages(self):
        return numpy.bincount(self.sender, minlength=self.ranks)

    def bytes_sent(self):
        return VELOCITY_BYTES * numpy.bincount(self.sender, weights=self.carried,
                                               minlength=self.ranks)


def work_of(packing, rank, row, rows):
    """The work of the nodes in each of `rows` bins, where spheres fill groups of lanes. Returns it by
    (rank, row); contacts with fixed bodies have groups of their own."""
    ranks = rank.max(initial=0) + 1
    place = rank.astype(numpy.int64) * rows + row
    kind = packing.second == FIXED
    balls = packing.points == 0
    work = POINT_WORK * numpy.bincount(place, weights=packing.points, minlength=ranks * rows)
    for held in (False, True):
        count = numpy.bincount(place[balls & (kind == held)], minlength=ranks * rows)
        work += LANES * -(-count // LANES)
    return work.reshape(ranks, rows)


def subset(packing, chosen):
    return dataclasses.replace(packing, first=packing.first[chosen], second=packing.second[chosen],
                               points=packing.points[chosen])


def directed(packing, owner):
    """The nodes between ranks, once for each side: nodes, the body of that side, and the other's rank.
    Returns also the rank of the first and of the second body of every node."""
    rank_first = owner[packing.first]
    rank_second = numpy.where(packing.second == FIXED, rank_first, owner[packing.second])
    between = numpy.flatnonzero(rank_first != rank_second)
    node = numpy.concatenate([between, between])
    body = numpy.concatenate([packing.first[between], packing.second[between]])
    peer = numpy.concatenate([rank_second[between], rank_first[between]])
    return node, body, peer, rank_first, rank_second


def colour_masks(packing, colours):
    """By body: the sum of 2 to the power of its nodes' colours, of which it has each once."""
    power = numpy.exp2(colours)
    moving = packing.second != FIXED
    return (numpy.bincount(packing.first, weights=power, minlength=packing.bodies)
            + numpy.bincount(packing.second[moving], weights=power[moving],
                             minlength=packing.bodies))


def highest_bit(masks):
    """The place of the highest bit that is set, as frexp of a double finds it: colours are few."""
    return numpy.frexp(masks.astype(float))[1].astype(numpy.int64) - 1


def find_windows(used, read, number):
    """When velocities may travel, as engine/solvers/sweep/due.c: entries, and the first and the last
    colour before which each may be sent."""
    changed = used & ~read
    passed = numpy.zeros_like(read)
    stale = changed > read
    rows = []
    for c in range(number):
        reads = read >> c & 1 == 1
        since = numpy.where(reads, changed & ((1 << c) - 1) & ~passed, 0)
        entry = numpy.flatnonzero(reads & ((since != 0) | stale))
        begin = numpy.where(since[entry] != 0, highest_bit(since[entry]) + 1, 0)
        rows.append((entry, begin, numpy.full(len(entry), c)))
        passed[reads] = (1 << c) - 1
        stale[reads] = False
    return [numpy.concatenate(column) for column in zip(*rows)]


def choose_places(pair, begin, end, pairs, number):
    """The fewest places between two ranks such that each window has one; for each window the first."""
    first_end = numpy.full((pairs, number), number)
    numpy.minimum.at(first_end, (pair, begin), end)
    following = numpy.full(pairs, number)
    table = numpy.empty((pairs, number), numpy.int64)
    for c in range(number - 1, -1, -1):
        following = numpy.where(first_end[:, c] < following, c, following)
        table[:, c] = following
    return table[pair, begin]


def count_messages(packing, colours, owner, node, body, peer, ranks):
    """Finds who reads which body, and the messages: a reader is told of a body before the next colour
    in which it reads it, where nodes changed it that the reader has not solved itself."""
    names, read = numpy.unique(body.astype(numpy.int64) * ranks + peer, return_inverse=True)
    read_body, reader = names // ranks, names % ranks
    used = colour_masks(packing, colours)[read_body].astype(numpy.int64)
    seen = numpy.bincount(read, weights=numpy.exp2(colours[node]), minlength=len(names))
    number = int(colours.max(initial=0)) + 1
    entry, begin, end = find_windows(used, seen.astype(numpy.int64), number)
    pair = owner[read_body].astype(numpy.int64) * ranks + reader
    pairs, index = numpy.unique(pair, return_inverse=True)
    place = choose_places(index[entry], begin, end, len(pairs), number)
    messages, carried = numpy.unique(place * ranks * ranks + pair[entry], return_counts=True)
    of_pair = messages % (ranks * ranks)
    return read_body, reader, pair, [messages // (ranks * ranks), of_pair // ranks, of_pair % ranks,
                                     carried]


def count(packing, colours, limits):
    """Counts what the ranks with these pieces of the curve do and send in a sweep."""
    ranks, owner = len(limits) - 1, owners(limits)
    number = int(colours.max(initial=0)) + 1
    node, body, peer, rank_first, rank_second = directed(packing, owner)
    read_body, reader, pair, messages = count_messages(packing, colours, owner, node, body, peer,
                                                       ranks)
    is_read = numpy.zeros(packing.bodies + 1, bool)
    is_read[read_body] = True  # the last entry, of FIXED, stays false
    inside = ~(is_read[packing.first] | is_read[packing.second])
    # Nodes that another rank counts lie in batches of their own: a third class, added to BORDER.
    classes = work_of(packing, rank_first, 2 * colours.astype(numpy.int64) + inside, 2 * number)
    elsewhere = subset(packing, node[:len(node) // 2])
    twice = work_of(elsewhere, rank_second[node[:len(node) // 2]],
                    colours[node[:len(node) // 2]], number)
    work = numpy.zeros((ranks, number, 2))
    work[:len(classes)] = classes.reshape(-1, number, 2)
    work[:len(twice), :, BORDER] += twice
    alone = work_of(packing, numpy.zeros(packing.nodes, numpy.int32), colours.astype(numpy.int64),
                    number)
    own = numpy.bincount(rank_first, minlength=ranks)
    pairs = numpy.unique(pair)
    return Border(ranks, number, own,
                  own + numpy.bincount(rank_second[node[:len(node) // 2]], minlength=ranks),
                  numpy.bincount(reader, minlength=ranks),
                  numpy.bincount(pairs % ranks, minlength=ranks), work, float(alone.sum()),
                  *messages, numpy.bincount(owner[read_body], minlength=ranks))


def count_balanced(packing, colours, ranks, rounds=4):
    """The same where pieces are cut by their work, in which nodes between ranks count on both sides."""
    border = count(packing, colours, cut(packing, ranks))
    limits = cut(packing, ranks)
    for _ in range(rounds):
        limits = rebalance(limits, border.work.sum(axis=(1, 2)))
        border = count(packing, colours, limits)
    return border
