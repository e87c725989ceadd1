"""Limit analysis of assemblages of rigid boxes by linear programming, apart from the engine (Livesley 1978, 1992).

Blocks touch at the corners of their joints: no tension, any compression, Coulomb friction as a polygonal cone. Three
programmes, solved by HiGHS through scipy:

  bearing     the greatest load factor for which forces in the cones balance every block;
  rocking     the least load factor at which a part turns as one rigid body, and what opens bears nothing;
  settlement  the infinitesimal motion that lets the weights down most when a part of the ground sinks.

Friction of `bearing` and `settlement` is associated: a joint that slides also opens (dilates) by the friction
coefficient, and one that opens must open by as much. Coulomb's law asks for neither. The factor of `bearing` is
therefore an upper bound of the true one (Drucker 1954; Radenkovic 1961), sharp where no joint that moves slides.
Where some do, Coulomb's law allows collapse below it; `rocking` is one such way.
"""
import math

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

TINY = 1e-9
PLANAR = (0, 2, 4)  # x, z and the turn about y of the six freedoms of a block


class Contact:
    """A corner of a joint: `normal` points from block `lower` (None: the ground) into block `upper`."""

    def __init__(self, upper, lower, point, normal, joint):
        self.upper, self.lower, self.point, self.normal, self.joint = upper, lower, point, normal, joint


def course_pieces(course, wall):
    """(left, right) of the blocks of a course, the first being 1, as the generator `wall` of case files defines them:
    running bond, even courses begin and end with a half; openings cut blocks, a lintel is one piece."""
    gap, pitch, shift = wall["gap"], wall["length"] + wall["gap"], 0.5 * (course % 2 == 0)
    end, cuts, pieces = wall["blocks"] * pitch - gap, [], []
    for opening in wall.get("openings", ()):
        left, right = opening["x"], opening["x"] + opening["width"]
        if opening["course"] <= course < opening["course"] + opening["courses"]:
            cuts.append((left, right))
        if opening["lintel"] > 0 and course == opening["course"] + opening["courses"]:
            left, right = left - opening["lintel"], right + opening["lintel"]
            pieces.append((left, right))
            cuts.append((left - gap, right + gap))
    for k in range(wall["blocks"] + (course % 2 == 0)):
        left, right = max((k - shift) * pitch, 0), min((k + 1 - shift) * pitch - gap, end)
        parts = [(left, right)]
        for begin, stop in cuts:
            parts = [part for a, b in parts for part in ((a, min(b, begin)), (max(a, stop), b))
                     if part[1] > part[0] + TINY]
        pieces += parts
    return sorted(pieces)


def lay(wall):
    """Boxes (low corner, high corner) of a wall, course by course from the ground, along x."""
    boxes = []
    for course in range(1, wall["courses"] + 1):
        for left, right in course_pieces(course, wall):
            boxes.append((np.array([left, 0, (course - 1) * wall["height"]]), np.array([right, wall["depth"], course * wall["height"]])))
    return boxes


def corners(low, high, axis, planar):
    """Corners of the rectangle [low, high] across an axis; its two ends at half depth in the plane x-z."""
    low, high = low.copy(), high.copy()
    if planar:
        low[1] = high[1] = 0.5 * (low[1] + high[1])
    free = [k for k in range(3) if k != axis and high[k] > low[k]]
    points = [low.copy()]
    for k in free:
        points = points + [np.where(np.arange(3) == k, high, point) for point in points]
    return points


def find_contacts(boxes, planar=False):
    """Contacts of all joints, between blocks and with the ground at z = 0; joints are counted."""
    found, joint = [], 0
    for i, (low, high) in enumerate(boxes):
        if low[2] < TINY:
            found += [Contact(i, None, point, np.array([0, 0, 1.0]), joint)
                      for point in corners(low, np.array([high[0], high[1], low[2]]), 2, planar)]
            joint += 1
        for j, (other_low, other_high) in enumerate(boxes):
            for axis in (0, 2):
                if abs(low[axis] - other_high[axis]) > TINY:
                    continue
                begin, end = np.maximum(low, other_low), np.minimum(high, other_high)
                begin[axis] = end[axis] = low[axis]
                if all(end[k] - begin[k] > TINY for k in range(3) if k != axis):
                    normal = np.eye(3)[axis]
                    found += [Contact(i, j, point, normal, joint) for point in corners(begin, end, axis, planar)]
                    joint += 1
    return found


def directions(normal, friction, planar, sides):
    """Edges of the friction cone, each with normal part 1; in space a polygon inside the circle."""
    if planar:
        along = np.array([normal[2], 0, -normal[0]])
        return [normal + friction * along, normal - friction * along]
    first = np.array([0, 1.0, 0])
    second = np.cross(normal, first)
    turns = 2 * math.pi * np.arange(sides) / sides
    return [normal + friction * (math.cos(turn) * first + math.sin(turn) * second) for turn in turns]


class Assemblage:
    """`heads` is the friction of vertical joints where it differs from that of the beds."""

    def __init__(self, boxes, friction, planar=False, sides=16, heads=None):
        self.boxes, self.planar = boxes, planar
        self.contacts = find_contacts(boxes, planar)
        self.freedoms = PLANAR if planar else tuple(range(6))
        self.centre = [0.5 * (low + high) for low, high in boxes]
        self.weight = np.array([np.prod(high - low) for low, high in boxes])
        self.scale = self.weight.max()
        self.cones = [directions(contact.normal, friction if heads is None or contact.normal[2] else heads, planar, sides)
                      for contact in self.contacts]
        self.columns = self.build_columns()

    def build_columns(self):
        """Force and moment on the blocks from a unit along each edge of each cone."""
        rows, columns, values, k = [], [], [], 0
        for contact, cone in zip(self.contacts, self.cones):
            for edge in cone:
                for block, sign in ((contact.upper, 1), (contact.lower, -1)):
                    if block is not None:
                        action = sign * np.concatenate([edge, np.cross(contact.point - self.centre[block], edge)])
                        rows += [len(self.freedoms) * block + n for n in range(len(self.freedoms))]
                        columns += [k] * len(self.freedoms)
                        values += list(action[list(self.freedoms)])
                k += 1
        return coo_matrix((values, (rows, columns)), shape=(len(self.freedoms) * len(self.boxes), k)).tocsc()

    def load(self, direction):
        """Weights of the blocks along a direction."""
        loads = np.zeros((len(self.boxes), 6))
        loads[:, :3] = np.outer(self.weight / self.scale, direction)
        return loads[:, list(self.freedoms)].ravel()

    def bearing(self, direction):
        """The greatest factor of the horizontal load, in parts of the weight, and the share of every block's motion in
        the mechanism (a row per block)."""
        dead, live = self.load((0, 0, -1)), self.load(direction)
        A = coo_matrix(np.hstack([self.columns.toarray(), live[:, None]])).tocsc()
        cost = np.zeros(A.shape[1])
        cost[-1] = -1
        result = linprog(cost, A_eq=A, b_eq=-dead, bounds=(0, None), method="highs")
        if result.status != 0:
            raise ValueError("bearing: " + result.message)
        return result.x[-1], result.eqlin.marginals.reshape(len(self.boxes), -1)

    def settlement(self, sinking):
        """The motion that lets the weights down most when the ground sinks by 1 at the contacts that `sinking` names: none
        closes, and none slides by more than it opens over the friction. Returns the work of the weights, in units of the
        boxes' volume, motions (a row per block), and for every edge of every cone the relative motion along it."""
        moved = np.array([-edge[2] if sinking(contact) else 0.0
                          for contact, cone in zip(self.contacts, self.cones) for edge in cone])
        result = linprog(-self.load((0, 0, -1)), A_ub=-self.columns.T, b_ub=-moved, bounds=(None, None), method="highs")
        if result.status != 0:
            raise ValueError("settlement: " + result.message)
        return -result.fun * self.scale, result.x.reshape(len(self.boxes), -1), self.columns.T @ result.x - moved

    def rocking(self, direction, start):
        """The least load factor at which a part of the assemblage turns as one rigid body about a contact, in the plane
        x-z, along x. Joints that open bear nothing, whatever slides there, as Coulomb's law has it; beds that would slide
        without opening are not let go. Returns the factor, the pivot and the blocks.

        A part that has no contact at the pivot, or is not connected, is not one; a pivot where such a part comes out
        first is passed over. Which blocks must come along is a closure problem, whose linear programme has whole solutions; the factor is
        found by Dinkelbach's iteration from `start`, above which nothing is looked for.
        """
        side, best = math.copysign(1, direction[0]), (start, None, [])
        for pivot in {(round(contact.point[0], 9), round(contact.point[2], 9)) for contact in self.contacts}:
            rows, free = self.closure(pivot, side)
            while True:
                lever = np.array([(side * (pivot[0] - centre[0]), centre[2] - pivot[1]) for centre in self.centre])
                gain = self.weight / self.scale * (best[0] * lever[:, 1] - lever[:, 0])
                result = linprog(-gain, A_ub=rows, b_ub=np.zeros(rows.shape[0]), bounds=[(0, int(one)) for one in free], method="highs")
                if -result.fun < 1e-9:
                    break
                moved = result.x > 0.5
                if not self.leans(np.flatnonzero(moved), pivot):
                    break
                moment = self.weight[moved] @ lever[moved]
                best = (moment[0] / moment[1], pivot, np.flatnonzero(moved).tolist())
        return best

    def leans(self, part, pivot):
        """Whether the part touches the rest at the pivot and all its blocks hang together."""
        part, reached = set(part), set()
        waiting = {block for contact in self.contacts for block in (contact.upper, contact.lower) if block in part
                   and abs(contact.point[0] - pivot[0]) < TINY and abs(contact.point[2] - pivot[1]) < TINY}
        while waiting:
            reached |= waiting
            waiting = {other for contact in self.contacts for one, other in ((contact.upper, contact.lower), (contact.lower, contact.upper))
                       if one in reached and other in part} - reached
        return reached == part

    def closure(self, pivot, side):
        """Rows s_i - s_j <= 0 where block i cannot turn about the pivot unless j does, and which blocks may turn at all."""
        pairs, free = set(), [True] * len(self.boxes)
        for contact in self.contacts:
            x, z = side * (contact.point[0] - pivot[0]), contact.point[2] - pivot[1]
            speed = np.array([side * z, 0, -x]) @ contact.normal  # of the upper block, turning towards `side`
            slides = contact.normal[2] > 0 and abs(speed) < TINY and abs(z) > TINY
            if speed < -TINY or slides:
                if contact.lower is None:
                    free[contact.upper] = False
                else:
                    pairs.add((contact.upper, contact.lower))
            if contact.lower is not None and (speed > TINY or slides):
                pairs.add((contact.lower, contact.upper))
        rows = np.zeros((len(pairs), len(self.boxes)))
        for k, (i, j) in enumerate(sorted(pairs)):
            rows[k, i], rows[k, j] = 1, -1
        return coo_matrix(rows).tocsc(), free
