"""Random scenes as case files: grains, blocks, clumps, joints, drivers, forces, resets, arrivals and removals, with every scheme, gap
treatment, method and local solver. Bodies begin in cells of their own, so that nothing overlaps."""
import itertools
import json
import os

import series
from program import Wrong, call, call_ranks, summary

CELL = 0.3  # m
ROUND = ("sphere", "bar", "torus", "clump")
ANGULAR = ("box", "prism", "hull", "wedge")
METHODS = ("auto", "auto", "auto", "nsgs", "nsgs", "newton", "anderson", "prox", "admm", "cpg", "lemke", "qp", "ipm", "bicg", "psor")
JOINTLESS = ("psor", "lemke", "qp", "ipm")
LOCALS = ("auto", "auto", "newton", "exact", "explicit", "lemke", "qp")


def shape(chance, kinds):
    kind, size = chance.choice(kinds), chance.uniform(0.03, 0.1)
    return {
        "sphere": {"radius": size},
        "bar": {"count": chance.randint(2, 4), "radius": size / 4, "spacing": size / 4},
        "torus": {"count": chance.randint(5, 9), "radius": size / 5, "ring": 0.7 * size},
        "clump": {"spheres": [[0, 0, 0, size], [0.5 * size, 0, 0, 0.7 * size]], "inertia_of": chance.choice(("sum", "union"))},
        "box": {"size": [chance.uniform(0.5, 1) * size for _ in range(3)]},
        "prism": {"polygon": [[0, 0], [size, 0], [0, size]], "height": size},
        "hull": {"points": [[0, 0, 0], [size, 0, 0], [0, size, 0], [0, 0, size], [0.6 * size] * 3]},
        "wedge": {"radius": size, "thickness": size / 3, "depth": size, "angle": 40},
    }[kind], kind


def vector(chance, size):
    return [chance.uniform(-size, size) for _ in range(3)]


def motion(chance, step):
    """Of a driver along a direction."""
    return chance.choice((
        {"velocity": chance.uniform(-0.2, 0.2)}, {"sine": {"amplitude": 0.01, "frequency": chance.uniform(2, 20), "smooth": 2 * step}},
        {"end": 30 * step, "ramp": {"distance": chance.uniform(-0.02, 0.02), "smooth": 5 * step}},
        {"table": {"points": [[0, 0], [10 * step, 0.005], [25 * step, -0.005]]}}))


class Scene:
    """A case, drawn piece by piece."""

    def __init__(self, chance, swept=False):
        self.chance, self.swept = chance, swept
        self.steps = chance.randint(12, 50)
        self.step = chance.choice((1e-3, 2e-3, 5e-3))
        self.corrective = not swept and chance.random() < 0.15
        self.bodies = []
        self.case = {"title": "a random scene", "materials": {"stone": {"density": 2600}, "wood": {"density": 700}},
                     "gravity": [0, 0, -9.81] if chance.random() < 0.8 else vector(chance, 9.81),
                     "time": {"step": self.step, "end": self.steps * self.step, "theta": chance.choice((0.5, 0.5, 0.7, 1)),
                              "scheme": "corrective" if self.corrective else "moreau"}}
        self.draw_methods()
        self.draw_laws()
        self.draw_bodies()
        self.draw_joints()
        self.draw_actions()
        self.case["output"] = {"vtk_every": chance.choice((0, 3, 7)), "frames_every": chance.choice((0, 5)), "history_every": chance.choice((1, 4)),
                               "checkpoint_every": chance.choice((0, 2, 10)), "checkpoint_keep": chance.choice((1, 3))}

    def draw_methods(self):
        chance = self.chance
        self.method = "nsgs" if self.swept else "bicg" if self.corrective else chance.choice(METHODS)
        solver = {"method": self.method, "tolerance": chance.choice((1e-2, 1e-4, 1e-8)), "max_sweeps": chance.choice((20, 200, 1000)),
                  "on_cap": "accept"}
        if self.method == "nsgs":
            solver["local"] = chance.choice(LOCALS)
            solver["momentum"] = chance.random() < 0.5
            solver["relaxation"] = chance.choice((1, 1, 0.8, 1.3))
        gap = chance.choice(("gap", "gap", "moreau", "moreau" if self.corrective else "stabilized"))
        contact = {"gap": gap}
        if gap == "stabilized":
            contact["gamma"] = chance.choice((1, 0.3))
        if not self.corrective:
            contact["projection"] = chance.choice(("auto", "off", 5))
        self.case.update(solver=solver, contact=contact)

    def draw_laws(self):
        chance = self.chance
        frictions = {"psor": (0,), "bicg": (0, "sticking")}.get(self.method, (0, 0.2, 0.6, "sticking"))
        law = {"between": "default", "friction": chance.choice(frictions), "restitution": chance.choice((0, 0.3, 0.9))}
        self.case["laws"] = [law]
        if self.method not in ("psor", "bicg") and chance.random() < 0.5:
            self.case["laws"].append({"between": ["stone", "wood"], "friction": 0.3, "tangential_restitution": chance.choice((0, 0.5))})

    def draw_bodies(self):
        chance, case = self.chance, self.case
        kinds = chance.choice((ROUND, ANGULAR, ROUND + ANGULAR))
        self.where = chance.choice(("ground", "box", "drum", "hollow_sphere"))
        if self.where == "ground":
            self.bodies.append({"name": "ground", "material": "stone", "half_space": {"normal": [0, 0, 1]}, "position": [0, 0, -0.2]})
        else:
            shapes = {"box": {"min": [-0.7] * 3, "max": [0.7] * 3}, "hollow_sphere": {"centre": [0, 0, 0], "radius": 1.2},
                      "drum": {"centre": [0, 0, 0], "axis": [0, 1, 0.1], "radius": 1.1, "length": 1.6}}
            case["containers"] = [{"name": "room", "material": "stone", self.where: shapes[self.where]}]
        cells = list(itertools.product((-1, 0, 1), (-1, 0, 1), (0, 1)))
        for k, cell in enumerate(chance.sample(cells, chance.randint(4, 14))):
            form, kind = shape(chance, kinds)
            body = {"name": "b%d" % k, "material": chance.choice(("stone", "wood")), kind: form,
                    "position": [CELL * x + chance.uniform(-0.02, 0.02) for x in cell], "orientation": vector(chance, 1) + [1.5],
                    "velocity": vector(chance, 1), "spin": vector(chance, 5)}
            if chance.random() < 0.15:
                body.update(fixed=True)
                del body["velocity"], body["spin"]
            elif chance.random() < 0.15:
                body["lock"] = chance.sample(("x", "y", "z", "rx", "ry", "rz"), chance.randint(1, 2))
                body["velocity"] = body["spin"] = [0, 0, 0]
            elif chance.random() < 0.2:
                body["insert_time"] = self.step * chance.randint(1, self.steps)
            self.bodies.append(body)
        case["bodies"] = self.bodies

    def moving(self):
        return [body for body in self.bodies if not body.get("fixed") and "half_space" not in body]

    def draw_joints(self):
        chance, joints = self.chance, []
        free = [body for body in self.moving() if "lock" not in body]
        chance.shuffle(free)
        while self.method not in JOINTLESS and len(free) > 1 and chance.random() < 0.6:
            first, second = free.pop(), free.pop()
            middle = [0.5 * (a + b) for a, b in zip(first["position"], second["position"])]
            joint = chance.choice(({"ball": {"anchor": middle}}, {"hinge": {"anchor": middle, "axis": vector(chance, 1)}},
                                   {"fixed": {"anchor": middle}}, {"distance": {"from": first["position"], "to": second["position"]}}))
            joints.append({"first": first["name"], "second": second["name"], **joint})
            for body in (first, second):  # velocities that fit every joint
                body["velocity"], body["spin"] = [0, 0, 0], [0, 0, 0]
        if joints:
            self.case["joints"] = joints

    def draw_actions(self):
        chance, case, moving = self.chance, self.case, self.moving()
        walls = {"box": "room.zmin", "ground": "ground"}.get(self.where, "room")
        driven = [walls] + [body["name"] for body in self.bodies if body.get("fixed")]
        case["drivers"] = [{"group": group, "direction": vector(chance, 1), **motion(chance, self.step)}
                           for group in driven if chance.random() < 0.4]
        if chance.random() < 0.2:
            case["drivers"].append({"group": walls, "turn": {"axis": [0, 1, 0]}, "rate": chance.uniform(-60, 60)})
        if chance.random() < 0.3:
            case["tilt"] = {"axis": vector(chance, 1), "rate": chance.uniform(-90, 90)}
        chosen = chance.sample(moving, min(len(moving), 3))
        when = [self.step * chance.randint(1, self.steps) for _ in chosen]
        kinds = ("forces", "resets", "removals")
        for body, kind, at in zip(chosen, kinds, when):
            if chance.random() < 0.5:
                case[kind] = [{"group": body["name"], "direction": vector(chance, 1), "constant": chance.uniform(-5, 5)}
                              if kind == "forces" else {"group": body["name"], "time": at}]
        case["probes"] = [{"name": "first", "group": self.bodies[-1]["name"], "quantity": "position"}]


def write(scene, folder):
    os.makedirs(folder)
    path = os.path.join(folder, "scene.yaml")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(scene.case, stream)
    return path


def compare(scene, folder, expected, go, pieces=False):
    """The scene with stops at random steps: `go` does the words of a part of it. Compares it with the scene without a stop; with
    `pieces`, contacts may be in several files."""
    chance, part, stop = scene.chance, os.path.join(folder, "part"), scene.chance.randint(0, scene.steps)
    done = go(["run", os.path.join(folder, "scene.yaml"), "-o", part, "--steps", str(stop), "-q"])
    while done.returncode == 0 and stop < scene.steps:
        more = chance.randint(1, scene.steps - stop)
        stop += more
        done = go(["resume", part, "--steps", str(more), "-q"])
    for key in ("status", "steps", "state-hash"):
        if summary(done, key) != summary(expected, key):
            raise Wrong("%s %s, and %s with stops" % (key, summary(expected, key), summary(done, key)))
    wrong, missing = series.difference(series.read(os.path.join(folder, "whole"), pieces), part, 0, pieces)
    if wrong or missing:
        raise Wrong("other output with stops: %s, missing %s" % (", ".join(wrong[:5]), ", ".join(missing[:5])))
    return "%s, status %d" % (scene.method, done.returncode)


def random(_, folder, chance):
    """A scene without a stop, and with stops at random steps and other numbers of threads each time."""
    scene = Scene(chance)
    path = write(scene, folder)
    expected = call(["run", path, "-o", os.path.join(folder, "whole"), "-q", "-j", str(chance.randint(1, 3))])
    if "defect of the program" in expected.stderr:
        raise Wrong(expected.stderr.strip()[-500:])
    if expected.returncode == 2:
        return "rejected: " + expected.stderr.strip()[-200:]
    return compare(scene, folder, expected, lambda words: call([*words, "-j", str(chance.randint(1, 3))]))


def ranks(_, folder, chance):
    """A scene without MPI, and on 1 to 7 ranks with 1 or 2 threads each, with stops and other numbers after each. Most are solved by
    sweeps, which the ranks share."""
    scene = Scene(chance, swept=chance.random() < 0.8)
    path, used = write(scene, folder), []
    expected = call(["run", path, "-o", os.path.join(folder, "whole"), "-q", "-j", "1"])
    if expected.returncode == 2:
        return "rejected: " + expected.stderr.strip()[-200:]

    def go(words):
        used.append(chance.choice((0, 1, 2, 2, 3, 3, 4, 5, 7)))
        return call_ranks(used[-1], [*words, "-j", str(chance.randint(1, 2))])
    try:
        return compare(scene, folder, expected, go, pieces=True) + ", ranks %s" % used
    except Wrong as wrong:
        raise Wrong("%s, ranks %s" % (wrong, used)) from None
