"""Limit analysis of walls of rigid blocks in their plane, apart from the engine (Livesley 1978).

A load factor is borne when the forces at the corners of the joints balance every block, press and stay within
the friction cone: a linear programme in the multipliers of the two edges of each cone. Its dual is the mechanism
of collapse. Both together prove the factor: `collapse` returns one only if the forces balance, the mechanism is
admissible and their factors agree.

The dual opens each joint that slides (normality), Coulomb's law does not, so that the factor bounds the true one
from above (Drucker 1954; Radenkovic 1961). Where head joints are open and friction below the slope of the bond,
mechanisms rock with little sliding and the bound is sharp.
"""
import numpy as np

TINY = 1e-9


def running_bond(courses, blocks, length, height, joint):
    """(left, right, bottom, top) of each block, as the generator `wall` lays them: even courses end with halves."""
    pitch, end, wall = length + joint, blocks * (length + joint) - joint, []
    for course in range(courses):
        shift = 0.5 * (course % 2)
        for k in range(blocks + course % 2):
            left, right = max((k - shift) * pitch, 0), min((k + 1 - shift) * pitch - joint, end)
            wall.append((left, right, course * height, (course + 1) * height))
    return wall


def bed_joints(wall):
    """Corners (upper block, lower block or None for the ground, x, z) of the joints between courses."""
    corners = []
    for i, (left, right, bottom, _) in enumerate(wall):
        if bottom == 0:
            corners += [(i, None, left, 0), (i, None, right, 0)]
        for j, (other_left, other_right, _, top) in enumerate(wall):
            begin, end = max(left, other_left), min(right, other_right)
            if abs(bottom - top) < TINY and end - begin > TINY:
                corners += [(i, j, begin, bottom), (i, j, end, bottom)]
    return corners


def balance_columns(wall, corners, friction):
    """Force and moment that each edge of each cone brings to the blocks: three rows per block."""
    columns = np.zeros((3 * len(wall), 2 * len(corners)))
    for k, (upper, lower, x, z) in enumerate(corners):
        for edge, shear in enumerate((friction, -friction)):
            for block, sign in ((upper, 1), (lower, -1)):
                if block is not None:
                    left, right, bottom, top = wall[block]
                    arm_x, arm_z = x - (left + right) / 2, z - (bottom + top) / 2
                    columns[3 * block:3 * block + 3, 2 * k + edge] = (sign * shear, sign, sign * (arm_x - arm_z * shear))
    return columns


class Simplex:
    """Largest cost.x with A x = b, x >= 0: the textbook's tableau in two phases, Bland's rule when it stalls."""

    STALLED = 50

    def __init__(self, A, b):
        self.rows, self.unknowns = A.shape
        self.sign = np.where(b < 0, -1.0, 1.0)
        self.A, self.b = A, b
        self.tableau = np.hstack([A * self.sign[:, None], np.eye(self.rows), (b * self.sign)[:, None]])
        self.basis = np.arange(self.unknowns, self.unknowns + self.rows)

    def pivot(self, row, column):
        self.tableau[row] /= self.tableau[row, column]
        factor = self.tableau[:, column].copy()
        factor[row] = 0
        self.tableau -= np.outer(factor, self.tableau[row])
        self.basis[row] = column

    def entering(self, gain, stalled):
        if stalled < self.STALLED:
            best = int(np.argmax(gain))
            return best if gain[best] > TINY else None
        better = np.flatnonzero(gain > TINY)
        return int(better[0]) if len(better) else None

    def climb(self, cost):
        stalled = 0
        while True:
            gain = cost[:self.unknowns] - cost[self.basis] @ self.tableau[:, :self.unknowns]
            column = self.entering(gain, stalled)
            if column is None:
                return
            entries = self.tableau[:, column]
            usable = entries > TINY
            if not usable.any():
                raise ValueError("the load factor has no limit")
            ratio = np.where(usable, self.tableau[:, -1] / np.where(usable, entries, 1), np.inf)
            ties = np.flatnonzero(ratio <= ratio.min() + 1e-12)
            row = ties[np.argmin(self.basis[ties])] if stalled >= self.STALLED else ties[np.argmax(entries[ties])]
            stalled = stalled + 1 if ratio.min() < 1e-12 else 0
            self.pivot(row, column)

    def solve(self, cost):
        """x and the multipliers of the rows."""
        artificial = np.concatenate([np.zeros(self.unknowns), -np.ones(self.rows)])
        self.climb(artificial)
        for row in np.flatnonzero(self.basis >= self.unknowns):
            column = int(np.argmax(np.abs(self.tableau[row, :self.unknowns])))
            if abs(self.tableau[row, column]) > TINY:
                self.pivot(row, column)
        full = np.concatenate([cost, np.zeros(self.rows)])
        self.climb(full)
        x = np.zeros(self.unknowns + self.rows)
        x[self.basis] = self.tableau[:, -1]
        columns = np.hstack([self.A, np.diag(self.sign)])[:, self.basis]
        return x[:self.unknowns], np.linalg.lstsq(columns.T, full[self.basis], rcond=None)[0]


def collapse(wall, friction):
    """The horizontal part of gravity, in parts of the vertical one, that the wall bears at most: tan of its tilt."""
    weight = np.array([(right - left) * (top - bottom) for left, right, bottom, top in wall])
    weight /= weight.max()
    dead, live = np.zeros(3 * len(wall)), np.zeros(3 * len(wall))
    dead[1::3], live[0::3] = weight, weight
    A = np.hstack([balance_columns(wall, bed_joints(wall), friction), live[:, None]])
    cost = np.zeros(A.shape[1])
    cost[-1] = 1
    x, mechanism = Simplex(A, dead).solve(cost)
    factor = x[-1]
    if np.abs(A @ x - dead).max() > 1e-7 or x.min() < -1e-7:
        raise ValueError("forces out of balance")
    if (mechanism @ A - cost).min() < -1e-7 or abs(mechanism @ dead - factor) > 1e-7:
        raise ValueError("no mechanism at this factor")
    return factor
