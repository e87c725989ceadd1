"""How long a sweep of many ranks takes on a machine, from what was counted."""
import dataclasses
import math

import numpy

from ranks_border import BORDER, INSIDE, VELOCITY_BYTES

REDUCTION_BYTES = 150  # what all ranks add up after a sweep
STATE_BYTES = 64  # of a body in the gather after a solve
CHECK_REDUCTIONS = 4  # rounds in which the residual of all ranks is found (packed.c)
CHECK_BYTES = 24  # of a rank in them


@dataclasses.dataclass
class Machine:
    """Times in seconds. Messages between ranks of one node of the machine go through its memory."""
    contact: float = 8.5e-9  # solving a contact of spheres, one thread
    body: float = 3e-9  # putting a velocity into a message, or taking it out
    latency: float = 2e-6
    overhead: float = 0.3e-6  # of a message, on each side
    bandwidth: float = 10e9  # bytes per second of a node, shared by its ranks
    node: int = 32  # ranks
    near_latency: float = 0.3e-6
    near_bandwidth: float = 10e9  # of one pair of ranks
    cores: int = 0  # of a node; 0: one for each rank
    reductions: int = 1  # after each sweep
    check_every: float = 15  # sweeps

    def share(self, ranks):
        """How much slower ranks compute that have to share cores."""
        on_node = min(ranks, self.node)
        return max(1.0, on_node / self.cores) if self.cores else 1.0

    def level(self, ranks):
        """The latency of one level of a tree over the ranks, on average over its levels."""
        near = min(math.log2(ranks), math.log2(self.node)) if ranks > 1 else 0
        far = math.log2(ranks) - near
        if near + far == 0:
            return 0.0
        return (near * self.near_latency + far * self.latency) / (near + far)


def tree(machine, ranks, size):
    """An all-reduce of `size` bytes: one message up or down for each doubling of the ranks."""
    step = machine.level(ranks) + machine.overhead + size / machine.bandwidth
    return math.log2(ranks) * step


def transfer_times(machine, border, chosen):
    """From the start of the messages of one colour to their arrival. A node sends through one
    connection whatever its ranks send to other nodes."""
    size = VELOCITY_BYTES * border.carried[chosen]
    home = border.sender[chosen] // machine.node
    far = home != border.receiver[chosen] // machine.node
    leaving = numpy.bincount(home[far], weights=size[far], minlength=home.max(initial=0) + 1)
    return numpy.where(far, machine.latency + leaving[home] / machine.bandwidth,
                       machine.near_latency + size / machine.near_bandwidth)


def handling_times(machine, border, chosen, rank):
    """What the messages of one colour cost the ranks that send, or receive, them."""
    cost = machine.overhead + machine.body * border.carried[chosen]
    return numpy.bincount(rank[chosen], weights=cost, minlength=border.ranks)


def after_messages(machine, border, c, begin, meanwhile):
    """When the ranks have what colour c waits for: they send at `begin`, and compute meanwhile."""
    chosen = border.colour == c
    sent = begin + handling_times(machine, border, chosen, border.sender)
    arrival = numpy.zeros(border.ranks)
    times = sent[border.sender[chosen]] + transfer_times(machine, border, chosen)
    numpy.maximum.at(arrival, border.receiver[chosen], times)
    done = numpy.maximum(sent + meanwhile, arrival)
    return done + handling_times(machine, border, chosen, border.receiver)


def colours_time(machine, border, lock_step):
    """The colours of one sweep. In lock step all ranks begin a colour together; otherwise a rank
    waits for the messages of its neighbours alone."""
    work = border.work * machine.contact * machine.share(border.ranks)
    inside = work[:, :, INSIDE].copy()
    inside[:, 0] /= 2  # the other half while the first messages of the sweep travel
    now = after_messages(machine, border, 0, numpy.zeros(border.ranks), inside[:, 0])
    for c in range(border.colours):
        if lock_step:
            now[:] = now.max()
        now = after_messages(machine, border, c + 1, now + work[:, c, BORDER], inside[:, c])
    return now.max()


def check_time(machine, border, ranks):
    """What a check of the residual adds through its messages, spread over the sweeps between two."""
    exchange = border.border_bodies.max(initial=0) * 2 * machine.body
    exchange += border.neighbours.max(initial=0) * 2 * machine.overhead + machine.latency
    gather = ranks * CHECK_BYTES / machine.bandwidth
    rounds = CHECK_REDUCTIONS * tree(machine, ranks, REDUCTION_BYTES)
    return (exchange + rounds + gather) / machine.check_every if ranks > 1 else 0.0


@dataclasses.dataclass
class Sweep:
    """The parts of the time of a sweep."""
    alone: float  # one rank with everything, divided by the number of ranks
    lock_step: float  # colours
    loose: float  # colours, where ranks wait for their neighbours alone
    together: float  # reductions and checks

    def seconds(self, lock_step=False):
        return (self.lock_step if lock_step else self.loose) + self.together

    def efficiency(self, lock_step=False):
        return self.alone / self.seconds(lock_step)


def predict(machine, border, ranks=0):
    """The time of a sweep. `ranks`: as many take part in the reductions; 0: those that were counted."""
    ranks = ranks or border.ranks
    together = machine.reductions * tree(machine, ranks, REDUCTION_BYTES) if ranks > 1 else 0.0
    return Sweep(border.alone * machine.contact / border.ranks,
                 colours_time(machine, border, True), colours_time(machine, border, False),
                 together + check_time(machine, border, ranks))


def gather_time(machine, bodies, ranks):
    """The gather of the velocities of all bodies after a solve, as far as it goes over the network:
    every node takes in everything, and its ranks each copy it."""
    total, nodes = STATE_BYTES * bodies, -(-ranks // machine.node)
    far = total * (nodes - 1) / nodes / machine.bandwidth
    return far + total / machine.near_bandwidth + tree(machine, ranks, 0)


def ghost_time(machine, border):
    """The same where ranks exchange the velocities of ghosts alone."""
    size = STATE_BYTES * border.ghosts.max(initial=0) * min(machine.node, border.ranks)
    return (machine.latency + size / machine.bandwidth
            + 2 * machine.overhead * border.neighbours.max(initial=0)
            + 2 * machine.body * border.ghosts.max(initial=0))
