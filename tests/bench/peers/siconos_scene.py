#!/usr/bin/python3
"""Siconos (https://nonsmooth.gricad-pages.univ-grenoble-alpes.fr/siconos/) on the scenes of scene.h:
siconos_scene.py SCENE STATES SECONDS ITERATIONS. The way of its examples of mechanics: MechanicsHdf5Runner with
Moreau-Jean's scheme and Bullet's collision detection, NSGS with at most ITERATIONS and its tolerance of 1e-4."""
import os
import sys
import tempfile
import time

from siconos.io.mechanics_run import MechanicsHdf5Runner
from siconos.mechanics.collision.tools import Contactor
import siconos.kernel as kernel
import siconos.numerics as numerics

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import scene as scenes  # noqa: E402

WALL = 1.0  # thickness of the boxes that planes become


def add_planes(io, scene, size):
    for k, (nx, ny, nz, d) in enumerate(scene.planes):
        half = [0.5 * WALL if abs(n) > 0.5 else size for n in (nx, ny, nz)]
        centre = [n * (d - 0.5 * WALL) for n in (nx, ny, nz)]
        io.add_primitive_shape("plane%d" % k, "Box", [2 * h for h in half])
        io.add_object("wall%d" % k, [Contactor("plane%d" % k)], translation=centre)


def build(io, scene):
    io.add_Newton_impact_friction_nsl("contact", mu=scene.friction, e=0.0)
    size = 2 * max(max(map(abs, body[:3])) for body in scene.spheres + scene.boxes)
    add_planes(io, scene, size)
    for k, body in enumerate(scene.spheres):
        if k == 0:
            io.add_primitive_shape("sphere", "Sphere", (body[3],))
        io.add_object("s%d" % k, [Contactor("sphere")], translation=body[:3], mass=body[4])
    for k, body in enumerate(scene.boxes):
        io.add_primitive_shape("box%d" % k, "Box", [2 * h for h in body[3:6]])
        io.add_object("b%d" % k, [Contactor("box%d" % k)], translation=body[:3],
                      mass=body[6] if body[6] > 0 else None)


class OutOfTime(Exception):
    pass


class Clock:
    """Counts steps, and ends the run when the seconds are used up."""

    def __init__(self, steps, limit):
        self.steps, self.limit, self.made, self.begin, self.end, self.last = steps, limit, 0, None, None, None

    def start(self, _):
        self.begin = self.begin or time.monotonic()

    def __call__(self, runner):
        self.made += 1
        self.end = time.monotonic()
        if self.made >= self.steps or self.end - self.begin >= self.limit:
            bodies = sorted(runner._nsds.dynamicalSystemsVector(), key=lambda body: body.number())
            self.last = [(*body.q(), *body.velocity()) for body in bodies]
            raise OutOfTime


def solver(iterations):
    options = kernel.solver_options_create(numerics.SICONOS_FRICTION_3D_NSGS)
    options.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = iterations
    options.dparam[numerics.SICONOS_DPARAM_TOL] = 1e-4
    return options


def main():
    path, states, limit, iterations = sys.argv[1], os.path.abspath(sys.argv[2]), float(sys.argv[3]), int(float(sys.argv[4]))
    scene = scenes.Scene(path)
    clock = Clock(scene.steps, limit)
    with tempfile.TemporaryDirectory(prefix="siconos-") as folder:
        os.chdir(folder)
        with MechanicsHdf5Runner(io_filename="scene.hdf5") as io:
            build(io, scene)
        with MechanicsHdf5Runner(io_filename="scene.hdf5", mode="r+", verbose=False) as io:
            try:
                io.run(T=(scene.steps + 1) * scene.step, h=scene.step, theta=0.5, Newton_max_iter=1,
                       Newton_options=kernel.SICONOS_TS_LINEAR, solver_options=solver(iterations),
                       output_frequency=10 ** 9, verbose=False, verbose_progress=False,
                       start_run_iteration_hook=clock.start, end_run_iteration_hook=clock)
            except OutOfTime:
                pass
        os.chdir("/")
    print("steps: %d\nseconds: %.6f" % (clock.made, clock.end - clock.begin))
    scenes.write(states, clock.last)


main()
