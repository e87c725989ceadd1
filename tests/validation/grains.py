"""What the granular scripts of this folder share: scenes as dictionaries, runs, frames as arrays, fits.

Lengths are in diameters of a grain unless a name says otherwise: the grains of all scenes have d = 1 cm and a density
of 2500 kg/m3, so that a length is d times a number and a time is sqrt(d / g) = 31.9 ms times a number.
"""
import glob
import json
import os
import sys

import h5py
import numpy
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "papers"))
import section  # noqa: E402  (found by the line above)

D = 0.01  # m, diameter of a grain
DENSITY = 2500.0
GRAVITY = 9.81
TICK = (D / GRAVITY) ** 0.5
GRAIN_MASS = DENSITY * numpy.pi / 6 * D ** 3
SPHERE = 0  # bodies/shape


def open_section(name, title, description, group="granular"):
    """The section of a script and its command line; the page is build/validate unless -o says otherwise."""
    asked = section.arguments(description, "validate")
    folder = os.path.abspath(asked.folder)  # imports are found from the folder of a case, not from here
    return section.Section(folder, name, title, group), asked.full


def scene(step, end, friction, **keys):
    """A case of grains and walls; keys add to it or replace what is here."""
    case = {"time": {"step": step, "end": end},
            "materials": {"grain": {"density": DENSITY}, "wall": {}},
            "laws": [{"between": "default", "friction": friction}],
            "output": {"history_every": 10}}
    case.update(keys)
    return case


def run(folder, case, *options):
    """Writes the case (JSON is YAML) and runs it: the folder of the run and its summary."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "scene.yaml")
    with open(path, "w") as stream:
        json.dump(case, stream, indent=1)
    out = os.path.join(folder, "out")
    return out, section.run(path, out, *options)


def checkpoint(out):
    """The last checkpoint of a run, for `imports`."""
    return os.path.abspath(sorted(glob.glob(os.path.join(out, "checkpoint-*.h5")))[-1])


def frames(out):
    return sorted(glob.glob(os.path.join(out, "frames", "frame-*.h5")))


class Grains:
    """The spheres of a frame or checkpoint in the order of their ids, in SI units."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            bodies = file["bodies"]
            chosen = numpy.flatnonzero(bodies["shape"][:] == SPHERE)
            chosen = chosen[numpy.argsort(bodies["id"][:][chosen])]
            for name in ("id", "radius", "position", "velocity", "spin"):
                setattr(self, name, bodies[name][:][chosen])
            self.time = float(file.attrs.get("time", 0.0))
        self.volume = 4 / 3 * numpy.pi * self.radius ** 3

    def fraction(self, radius, low, high):
        """Solid fraction of an upright cylinder about the z axis, in diameters: grains count where their centre is."""
        x, y, z = self.position.T / D
        inside = (x * x + y * y < radius * radius) & (z > low) & (z < high)
        return self.volume[inside].sum() / (numpy.pi * radius ** 2 * (high - low) * D ** 3)


class Contacts:
    """The contacts of a frame that carry force: ids of both bodies, forces in N, normals."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            contacts, step = file["contacts"], float(file.attrs["time_step"])
            force = contacts["impulse"][:] / step
            normal = contacts["normal"][:]
            along = (force * normal).sum(axis=1)
            carrying = along > 1e-9 * GRAIN_MASS * GRAVITY
            self.first, self.second = contacts["candidate"][:][carrying], contacts["antagonist"][:][carrying]
            self.force, self.normal, self.along = force[carrying], normal[carrying], along[carrying]


def line_fit(x, y):
    """Slope, value at 0 and R2 of the least-squares line."""
    x, y = numpy.asarray(x, float), numpy.asarray(y, float)
    slope, offset = numpy.polyfit(x, y, 1)
    return slope, offset, r_squared(y, slope * x + offset)


def r_squared(y, model):
    y, model = numpy.asarray(y, float), numpy.asarray(model, float)
    return 1 - ((y - model) ** 2).sum() / ((y - y.mean()) ** 2).sum()


def power_fit(x, y):
    """Exponent and prefactor of the least-squares line through the logarithms."""
    slope, offset, _ = line_fit(numpy.log(x), numpy.log(y))
    return slope, numpy.exp(offset)


FAST = {"method": "nsgs", "max_sweeps": 50, "on_cap": "accept"}  # for grains that only have to come to rest
SOLVED = {"on_cap": "accept"}  # the default method and tolerance


def cloud(path, inside, height, spread=0.1, spacing=1.2, seed=1, low=0.6, flat=False, reach=72):
    """Writes loose grains as CSV: the sites of a shaken lattice, in diameters, for which inside(x, y) holds.

    Radii are uniform within `spread` of the mean. flat puts them into the plane y = 0. Returns their volume in m3
    (area per metre of depth when flat).
    """
    random = numpy.random.default_rng(seed)
    count = int(reach / spacing)
    half = numpy.arange(-count, count + 1) * spacing
    x, y, z = numpy.meshgrid(half, [0.0] if flat else half, low + spacing * numpy.arange(int(height / spacing)),
                             indexing="ij")
    sites = numpy.column_stack([x.ravel(), y.ravel(), z.ravel()])
    sites = sites[numpy.argsort(sites[:, 2], kind="stable")]
    sites = sites[inside(sites[:, 0], sites[:, 1])]
    room = 0.5 * (spacing - 1 - spread)
    shift = random.uniform(-room, room, sites.shape)
    shift[:, 2] = numpy.where(sites[:, 2] < low + 0.5 * spacing, numpy.abs(shift[:, 2]), shift[:, 2])
    if flat:
        shift[:, 1] = 0
    radius = 0.5 * D * random.uniform(1 - spread, 1 + spread, len(sites))
    numpy.savetxt(path, numpy.column_stack([(sites + shift) * D, radius]), delimiter=",", header="x,y,z,radius",
                  comments="", fmt="%.17g")
    return numpy.pi * (radius ** 2).sum() if flat else 4 / 3 * numpy.pi * (radius ** 3).sum()


def cylinder(radius):
    """Sites whose grains lie inside a vertical cylinder; in diameters."""
    return lambda x, y: x * x + y * y < (radius - 0.65) ** 2


def make_folder(path):
    os.makedirs(os.path.dirname(path), exist_ok=True)


def write_csv(path, state, choose):
    """The grains of a state that choose(state) marks, with their velocities, for `imports`."""
    kept = choose(state)
    columns = (state.position[kept], state.radius[kept], state.velocity[kept], state.spin[kept])
    numpy.savetxt(path, numpy.column_stack(columns), delimiter=",", comments="", fmt="%.17g",
                  header="x,y,z,radius,vx,vy,vz,wx,wy,wz")


def surface(state):
    """Height of a level filling in diameters: that of the highest hundredth of the grains."""
    return float(numpy.percentile(state.position[:, 2] + state.radius, 99)) / D


def settle(folder, csv, end, friction, **keys):
    """Lets the grains of a CSV file fall and come to rest."""
    case = scene(1e-3, end, friction, imports=[{"file": os.path.abspath(csv), "material": "grain", "name": "grains"}],
                 solver=FAST, **keys)
    return run(folder, case)


def drum(radius, height, name="silo"):
    """An upright cylinder without ends about the z axis, from z = -height on; in diameters."""
    return {"name": name, "material": "wall", "drum": {"centre": [0, 0, 0], "axis": [0, 0, 1], "radius": radius * D,
                                                       "length": 2 * height * D, "ends": False}}


def floor(z=0.0, name="floor", material="wall"):
    return {"name": name, "material": material, "half_space": {"normal": [0, 0, 1]}, "position": [0, 0, z * D]}


def plate_with_hole(hole, outer, thickness=1.0, sides=24):
    """Fixed prisms around a polygonal hole that has the area of a circle; upper face at z = 0; in diameters."""
    turn = 2 * numpy.pi / sides
    inner = hole / 2 * (turn / numpy.sin(turn)) ** 0.5  # corners of the polygon of that area
    bodies = []
    for k in range(sides):
        corners = [[r * D * float(numpy.cos(a)), r * D * float(numpy.sin(a))]
                   for r, a in ((inner, k * turn), (outer, k * turn), (outer, (k + 1) * turn), (inner, (k + 1) * turn))]
        bodies.append({"name": "floor", "material": "wall", "fixed": True, "position": [0, 0, -0.5 * thickness * D],
                       "prism": {"polygon": corners, "height": thickness * D}})
    return bodies


def rough_base(path, inside, reach):
    """Writes fixed grains as CSV: a triangular layer with its tops at z = 0 and spacing d, where inside(x, y) holds;
    in diameters, within |x|, |y| < reach."""
    rows = numpy.arange(-int(reach / 0.866), int(reach / 0.866) + 1)
    points = [(i + 0.5 * (j % 2), 0.8660254 * j) for j in rows for i in range(-int(reach), int(reach) + 1)]
    points = numpy.array([p for p in points if inside(p[0], p[1])])
    columns = (points * D, numpy.full(len(points), -0.5 * D), numpy.full(len(points), 0.5 * D))
    numpy.savetxt(path, numpy.column_stack(columns), delimiter=",", header="x,y,z,radius", comments="", fmt="%.17g")
    return {"file": os.path.abspath(path), "material": "wall", "name": "base", "fixed": True}


def moving(state):
    """The grains above a rough base."""
    return state.position[:, 2] > 0


def disks(position, radius, material="grain", **keys):
    """Bodies of a scene in the plane x-z; lengths in m."""
    return [{"material": material, "disk": {"radius": float(r), "thickness": D}, "position": [float(x), 0, float(z)],
             **keys} for (x, z), r in zip(position, radius)]


def connected(state, gap=0.5):
    """Which grains above the base belong to the largest cluster of neighbours with gaps below `gap` diameters. (Grains
    that lie in the hollows of a rough base, one diameter apart, need not touch.)"""
    above = numpy.flatnonzero(moving(state))
    place, radius = state.position[above], state.radius[above]
    first, second = cKDTree(place).query_pairs(2 * radius.max() + gap * D, output_type="ndarray").T
    near = numpy.linalg.norm(place[first] - place[second], axis=1) < radius[first] + radius[second] + gap * D
    links = coo_matrix((numpy.ones(near.sum()), (first[near], second[near])), shape=(len(above), len(above)))
    label = connected_components(links, directed=False)[1]
    chosen = numpy.zeros(len(state.id), bool)
    chosen[above[label == numpy.bincount(label).argmax()]] = True
    return chosen
