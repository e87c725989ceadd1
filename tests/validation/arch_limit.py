#!/usr/bin/python3
"""Limit analysis of dry arches, apart from the engine: the references of tests/validation/arches.c.

    arch_limit.py ARCHES

An arch of rigid voussoirs with straight edges between radial joints stands when some thrust obeys statics
and the strength of every joint (Heyman 1966): compression only, resultant within the joint, and, where
friction is finite, within its cone. (For Coulomb's law, whose sliding does not dilate, the latter is
necessary but not always enough: Gilbert, Casapulla, Ahmed 2006.) Three numbers describe every equilibrium
state: the force that the left abutment exerts and its moment. The strength of each joint is linear in
them. A load is borne when that little linear programme has a solution; the critical one is found by
bisection. The programme's multipliers are the mechanism: which joints hinge, at which edge.

An arch whose supports spread takes its least thrust; then it follows as a mechanism of three hinges, and
falls when no thrust through these hinges stays within the other joints (Ochsendorf 2006).

Asks the program ARCHES for the references it uses (ARCHES --list), computes each anew and prints both. Ends
with "N passed, M failed".
"""
import math
import subprocess
import sys

import numpy as np


def voussoir(radius, thickness, step):
    """Area and distance of the centroid from the centre, straight edges between joints at radius -+ thickness/2."""
    c, s = math.cos(step / 2), math.sin(step / 2)
    inner, outer = radius - thickness / 2, radius + thickness / 2
    area = (outer**2 - inner**2) * s * c
    return area, (2 / 3) * c * (outer**3 - inner**3) / (outer**2 - inner**2)


class Arch:
    """Joints at `angle` from the crown, the right one positive; forces on what lies right of a joint."""

    def __init__(self, voussoirs, ratio, embrace=math.pi):
        self.n, self.ratio = voussoirs, ratio
        step = embrace / voussoirs
        self.angle = (np.arange(voussoirs + 1) - voussoirs / 2) * step
        self.middle = (np.arange(voussoirs) - (voussoirs - 1) / 2) * step
        self.area, self.centroid = voussoir(1, ratio, step)
        self.weight = self.area * voussoirs

    def loads(self, tilt):
        """Force and moment about the centre, added up from the left to each joint, weight 1 along gravity."""
        unit = np.array([math.sin(tilt), -math.cos(tilt)])
        x, z = self.centroid * np.sin(self.middle), self.centroid * np.cos(self.middle)
        moment = self.area * (x * unit[1] - z * unit[0])
        count = np.arange(self.n + 1)
        return np.outer(count * self.area, unit), np.concatenate([[0], np.cumsum(moment)])

    def strength(self, tilt=0.0, friction=math.inf):
        """Rows (A, b) of A y + b >= 0, y = force (2) and moment of the left abutment, and what each row means."""
        force, moment = self.loads(tilt)
        rows, constants, names = [], [], []
        along = np.stack([np.cos(self.angle), -np.sin(self.angle)], axis=1)
        across = np.stack([np.sin(self.angle), np.cos(self.angle)], axis=1)

        def add(j, normal, shear, turn, name):
            """normal N + shear T + turn M >= 0 at joint j"""
            direction = normal * along[j] + shear * across[j]
            rows.append([direction[0], direction[1], turn])
            constants.append(direction @ force[j] + turn * moment[j])
            names.append((j, name))

        for j in range(self.n + 1):
            # A resultant N at radius r has the moment -r N about the centre.
            add(j, -(1 - self.ratio / 2), 0, -1, "intrados")
            add(j, 1 + self.ratio / 2, 0, 1, "extrados")
            if math.isfinite(friction):
                add(j, friction, 1, 0, "slides")
                add(j, friction, -1, 0, "slides")
        return np.array(rows), np.array(constants), names


def best_margin(a, b):
    """max over y of min(a y + b): value, y and the multipliers p >= 0, sum p = 1, p a = 0 that prove it.

    The dual, min p b, by the simplex method with Bland's rule: four rows, so every step is a 4x4 solve.
    """
    columns = np.vstack([a.T, np.ones(len(b))])
    target = np.zeros(len(columns))
    target[-1] = 1
    # Artificial columns make the first basis; a cost that no answer can pay drives them out.
    size = len(target)
    full = np.hstack([columns, np.eye(size)])
    cost = np.concatenate([b, np.full(size, 1e6 * (1 + np.abs(b).max()))])
    basis = list(range(len(b), len(b) + size))
    for _ in range(10000):
        inverse = np.linalg.inv(full[:, basis])
        weights = inverse @ target
        dual = cost[basis] @ inverse
        reduced = cost - dual @ full
        entering = np.flatnonzero(reduced < -1e-12 * (1 + np.abs(dual).max()))
        entering = [k for k in entering if k not in basis]
        if not entering:
            p = np.zeros(full.shape[1])
            p[basis] = weights
            return dual[-1], -dual[:-1], p[:len(b)]
        direction = inverse @ full[:, entering[0]]
        ratios = [(weights[i] / direction[i], basis[i], i) for i in range(size) if direction[i] > 1e-13]
        basis[min(ratios)[2]] = entering[0]
    raise SystemExit("the simplex method does not end")


def stands(arch, tilt=0.0, friction=math.inf):
    a, b, names = arch.strength(tilt, friction)
    scale = np.linalg.norm(a, axis=1)
    value, _, p = best_margin(a / scale[:, None], b / scale)
    return value, sorted({names[k] for k in np.flatnonzero(p > 1e-9)})


def bisect(good, low, high):
    """The border between good(low) and not good(high)."""
    while abs(high - low) > 1e-7:
        middle = (low + high) / 2
        low, high = (middle, high) if good(middle) else (low, middle)
    return (low + high) / 2


def minimum_thickness(voussoirs, friction=math.inf):
    """t/R of a semicircle, or nan where none up to 0.6 stands."""
    def good(ratio):
        return stands(Arch(voussoirs, ratio), friction=friction)[0] > 0
    tried = [ratio for ratio in np.arange(0.6, 0.0, -0.01) if good(ratio)]
    if not tried:
        return math.nan
    return bisect(good, tried[-1], tried[-1] - 0.01)


def critical_tilt(voussoirs, ratio, embrace=math.pi):
    arch = Arch(voussoirs, ratio, embrace)
    return bisect(lambda tilt: stands(arch, tilt)[0] > 0, 0.0, 1.0)




def minimum_thrust(arch):
    """Least horizontal thrust over half the weight, and the joint right of the crown where the haunch hinges."""
    a, b, names = arch.strength()
    _, y, _ = best_margin(a, b)
    low, high = 0.0, y[0]
    while high - low > 1e-12:
        middle = (low + high) / 2
        good = best_margin(a[:, 1:], b + middle * a[:, 0])[0] >= 0
        low, high = (low, middle) if good else (middle, high)
    _, _, p = best_margin(a[:, 1:], b + low * a[:, 0])
    hinges = [names[k] for k in np.flatnonzero(p > 1e-9)]
    haunch = max(j for j, edge in hinges if edge == "intrados")
    return high / (arch.weight / 2), haunch - arch.n // 2


class Spread:
    """The right half of an arch of even n, hinged at the crown's extrados and at the intrados of joint `haunch`
    right of it, when the supports have moved apart by `spread` in all. The part above the haunch has turned."""

    def __init__(self, arch, haunch, spread):
        half = arch.n // 2
        angle = arch.angle[half:]
        crown = np.array([0, 1 + arch.ratio / 2])
        hinge = (1 - arch.ratio / 2) * np.array([math.sin(angle[haunch]), math.cos(angle[haunch])])
        shift = np.array([spread / 2, 0])
        self.hinge = hinge + shift
        height = math.sqrt(((crown - hinge)**2).sum() - self.hinge[0]**2)
        self.crown = np.array([0, self.hinge[1] + height])
        self.drop = crown[1] - self.crown[1]
        before, after = crown - hinge, self.crown - self.hinge
        turn = math.atan2(after[1], after[0]) - math.atan2(before[1], before[0])
        rotation = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])

        def place(point, upper):
            return self.hinge + rotation @ (point - hinge) if upper else point + shift

        self.weight = arch.area
        self.centroid = [place(arch.centroid * np.array([math.sin(m), math.cos(m)]), k < haunch)
                         for k, m in enumerate(arch.middle[half:])]
        # Joints as they are now: inner and outer edge.
        self.joint = [[place(r * np.array([math.sin(f), math.cos(f)]), j < haunch)
                       for r in (1 - arch.ratio / 2, 1 + arch.ratio / 2)] for j, f in enumerate(angle)]
        self.thrust = sum(self.weight * (self.hinge[0] - g[0]) for g in self.centroid[:haunch]) / height

    def stands(self):
        """The thrust through crown and haunch stays within all joints down to the springing."""
        force, moment = np.array([self.thrust, 0.0]), -self.crown[1] * self.thrust
        for j, (inner, outer) in enumerate(self.joint):
            if j > 0:
                force = force - [0, self.weight]
                moment -= self.weight * self.centroid[j - 1][0]
            # Moments about both edges: the resultant passes between them.
            about = [moment - (edge[0] * force[1] - edge[1] * force[0]) for edge in (inner, outer)]
            if about[0] > 1e-9 or about[1] < -1e-9:
                return False
        return True


def spread_at_collapse(arch, haunch):
    spread = bisect(lambda s: Spread(arch, haunch, s).stands(), 0.0, 0.5)
    return spread, Spread(arch, haunch, spread).drop


def rows(reference):
    """(name, reference, computed, tolerance) of a line of ARCHES --list. The list is rounded."""
    kind, *numbers = reference.split()
    n, *values = [float(number) for number in numbers]
    n = int(n)
    if kind == "thickness":
        friction, ratio = values
        yield f"thickness N={n} mu={friction:g}", ratio or math.nan, minimum_thickness(n, friction), 5e-4
    elif kind == "tilt":
        embrace, ratio, tilt = values
        computed = math.degrees(critical_tilt(n, ratio, math.radians(embrace)))
        yield f"tilt N={n} {embrace:g} deg t/R={ratio:g}", tilt, computed, 0.02
    else:
        ratio, hinge, thrust, spread, drop = values
        arch = Arch(n, ratio)
        computed, haunch = minimum_thrust(arch)
        name = f"spread N={n} t/R={ratio:g}"
        yield name + " hinge", hinge, math.degrees(arch.angle[n // 2 + haunch]), 0.01
        yield name + " thrust", thrust, computed, 6e-4
        for what, given, found in zip(("collapse", "drop"), (spread, drop), spread_at_collapse(arch, haunch)):
            yield f"{name} {what}", given, found, 6e-4


def main():
    if len(sys.argv) != 2:
        raise SystemExit("usage: arch_limit.py ARCHES")
    listed = subprocess.run([sys.argv[1], "--list"], capture_output=True, text=True, check=True).stdout
    passed = failed = 0
    for line in listed.splitlines():
        for name, reference, computed, tolerance in rows(line):
            none = math.isnan(reference) and math.isnan(computed)
            good = none or abs(computed - reference) <= tolerance
            passed, failed = passed + good, failed + (not good)
            print(f"{'PASS' if good else 'FAIL'}  {name:32} reference {reference:<8g} computed {computed:.5f}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
