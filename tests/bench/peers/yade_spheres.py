# Yade (https://yade-dem.org) on the spheres of scene.h: yade -x -n -j1 yade_spheres.py SCENE STATES SECONDS YOUNG.
# As in "gravity deposition" of its tutorial: linear springs with friction (Cundall and Strack), half of the
# critical step, damping 0.4. It is no contact dynamics: YOUNG, the modulus of the spheres in Pa, is chosen for
# an overlap, and the step follows from it; `steps` are those of the scene.
import math
import os
import sys

from yade import Bo1_Sphere_Aabb, Bo1_Wall_Aabb, ForceResetter, FrictMat, Ig2_Sphere_Sphere_ScGeom, Ig2_Wall_Sphere_ScGeom
from yade import InsertionSortCollider, InteractionLoop, Ip2_FrictMat_FrictMat_FrictPhys
from yade import Law2_ScGeom_FrictPhys_CundallStrack, NewtonIntegrator, O, utils

sys.path.append(os.path.dirname(os.path.abspath(sys.argv[0])))
import scene as scenes  # noqa: E402


def main():
    path, states, limit, young = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
    scene = scenes.Scene(path)
    density = scene.spheres[0][4] / (4 / 3 * math.pi * scene.spheres[0][3] ** 3)
    material = O.materials.append(FrictMat(young=young, poisson=0.3, density=density,
                                           frictionAngle=math.atan(scene.friction)))
    spheres = O.bodies.append([utils.sphere(x[:3], x[3], material=material) for x in scene.spheres])
    for nx, ny, nz, d in scene.planes:
        axis = [nx, ny, nz].index(max((nx, ny, nz), key=abs))
        O.bodies.append(utils.wall(d / (nx, ny, nz)[axis], axis=axis, material=material))
    O.engines = [
        ForceResetter(),
        InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()]),
        InteractionLoop([Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()], [Ip2_FrictMat_FrictMat_FrictPhys()],
                        [Law2_ScGeom_FrictPhys_CundallStrack()]),
        NewtonIntegrator(gravity=(0, 0, -scene.gravity), damping=0.4),
    ]
    substeps = max(1, math.ceil(scene.step / (0.5 * utils.PWaveTimeStep())))
    O.dt = scene.step / substeps
    print("substeps: %d" % substeps)
    scenes.run(scene.steps, limit, lambda count: O.run(substeps * count, True), 50)
    rows = []
    for k in spheres:
        state = O.bodies[k].state
        q = state.ori
        rows.append((*state.pos, q[3], q[0], q[1], q[2], *state.vel, *state.angVel))
    scenes.write(states, rows)


main()
os._exit(0)  # no shell afterwards, and no waiting for it
