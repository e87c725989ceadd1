#!/usr/bin/python3
"""A dry wall from Python: builds it, steps it, reads the forces under it and draws them.

The cells begin with `# %%`: editors such as Spyder, VS Code and Jupyter (with jupytext) run them one by one.
"""
# %% A wall of six courses in running bond on two slabs of ground, with a gap of a millimetre between neighbours.
import shutil
import subprocess

import numpy as np

import gabion

LENGTH, DEPTH, HEIGHT = 0.4, 0.2, 0.2
COURSES, BLOCKS = 6, 6

world = gabion.World(step=1e-3, tolerance=1e-7, threads=1)
stone = world.add_material("stone", density=2200)
world.set_default_law(friction=0.6)
for side in (-1, 1):
    world.add_block([1.5, 1, 0.5], [0.75 * side, 0, -0.25], material=stone, name="left" if side < 0 else "right", fixed=True)
for course in range(COURSES):
    count = BLOCKS - course % 2
    for block in range(count):
        x = (block - 0.5 * (count - 1)) * LENGTH
        world.add_block([LENGTH - 1e-3, DEPTH, HEIGHT], [x, 0, (course + 0.5) * HEIGHT], material=stone, name="wall")
print(world)

# %% Settle it. Arrays of bodies show the library's own memory; places() finds those of a group.
world.run(200)
wall = world.bodies.places("wall")
weight = world.bodies.mass[wall].sum() * 9.81
print("weight %.3f" % weight)


# %% The forces on the ground: contacts whose second body is a slab. They carry the weight.
def ground_forces():
    slabs = np.concatenate([world.bodies.places("left"), world.bodies.places("right")])
    below = np.isin(world.contacts.second, slabs)
    return world.contacts.point[below].copy(), world.contacts.force[below]


point, force = ground_forces()
print("carried %.3f" % force[:, 2].sum())
before = np.histogram(point[:, 0], bins=12, range=(-1.2, 1.2), weights=force[:, 2])[0]

# %% Apply a push to the top course along x, a twentieth of the weight, and look how the forces move.
highest = world.bodies.position[wall, 2].max()
top = world.bodies.id[wall][world.bodies.position[wall, 2] > highest - 0.5 * HEIGHT]
for _ in range(100):
    for body in top:
        world.apply_force(body, [0.05 * weight / len(top), 0, 0])
    world.step()
point, force = ground_forces()
after = np.histogram(point[:, 0], bins=12, range=(-1.2, 1.2), weights=force[:, 2])[0]
print("pushed %.3f, resisted %.3f" % (0.05 * weight, -force[:, 0].sum()))
opened = world.interfaces()["opening"].max()
print("largest opening %.2e m" % opened)

# %% Draw the forces under the wall, with matplotlib or gnuplot, whichever is there.
places = np.linspace(-1.1, 1.1, 12)
try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots()
    axes.plot(places, before, "o-", places, after, "s-")
    axes.set(xlabel="x [m]", ylabel="vertical force [N]")
    axes.legend(["at rest", "pushed"])
    figure.savefig("wall_forces.svg")
except ImportError:
    np.savetxt("wall_forces.txt", np.stack([places, before, after], axis=1))
    if shutil.which("gnuplot"):
        subprocess.run(["gnuplot", "-e", "set term svg; set output 'wall_forces.svg'; set xlabel 'x [m]'; "
                        "set ylabel 'vertical force [N]'; plot 'wall_forces.txt' using 1:2 with linespoints title 'at rest', "
                        "'' using 1:3 with linespoints title 'pushed'"], check=True)
