#!/usr/bin/python3
"""Long runs of blocks against closed forms and limit analysis (validation 9.7 and 13).

    masonry.py

Runs with $GABION. A wall panel in running bond with open head joints is tilted in its plane at 0.1 degrees per
second, and must begin to move at the angle of tests/validation/block_limit.py, to 0.05 degrees. A stack of thirty
cubes stands for a minute. Prints reference and measured value of each; ends with "N passed, M failed".
"""
import math
import sys

import block_limit
from case_run import run
from verdict import Verdict

SCENE = """
gravity: [0, 0, -9.81]
materials: {stone: {density: 2000}, ground: {}}
output: {vtk_every: 0, checkpoint_every: 0, history_every: 10}
"""

PANEL = SCENE + """
time: {step: 1e-3, end: %(end)g}
solver: {method: newton, tolerance: 1e-6}
laws: [{between: default, friction: %(friction)g}]
tilt: {axis: [0, -1, 0], table: {points: [[0, 0], [%(slow)g, %(near)g], [%(end)g, %(far)g]]}}
generators:
  - name: wall
    material: stone
    wall: {block: [%(length)g, 0.1, %(height)g], courses: %(courses)d, blocks: %(blocks)d, interface_width: %(joint)g}
  - name: ground
    material: ground
    slabs: {origin: [-1, -0.5, 0], widths: [4], depth: 1, thickness: 0.2}
"""

STACK = SCENE + """
time: {step: 1e-3, end: 60}
solver: {method: newton, tolerance: 1e-10}
laws: [{between: default, friction: 0.5}]
generators:
  - name: stack
    material: stone
    stack: {block: [0.1, 0.1, 0.1], count: 30, mark: [{name: top, blocks: 30}]}
  - name: ground
    material: ground
    slabs: {origin: [-0.5, -0.5, 0], widths: [1], depth: 1, thickness: 0.2}
probes: [{name: top, group: top, quantity: position}]
"""

verdict = Verdict()


def panel(courses, blocks, friction, length=0.2, height=0.1, joint=0.002):
    wall = block_limit.running_bond(courses, blocks, length, height, joint)
    limit = math.degrees(math.atan(block_limit.collapse(wall, friction)))
    near, far, rate = limit - 0.5, limit + 0.2, 0.1
    slow = near / 2  # until then at 2 degrees per second
    end = slow + (far - near) / rate
    for row in run(PANEL % locals())[1]:
        angle = near + rate * (float(row["time"]) - slow)
        if float(row["max_speed"]) > 1e-5:
            break
    else:
        angle = math.inf
    verdict.compare(abs(angle - limit) <= 0.05, "9.7 panel %d x %d, friction %g" % (courses, blocks, friction),
          "%.3f +- 0.05" % limit, "%.3f degrees" % angle)


def tall_stack():
    """Drift of the top from where it was put, in sides of a cube."""
    rows = run(STACK)[1]
    drift = math.dist((0, 0, 2.95), [float(rows[-1]["top." + axis]) for axis in "xyz"]) / 0.1
    solved = all(row["converged"] == "1" for row in rows)
    verdict.compare(solved and drift <= 1e-6, "13 tall stack, 30 cubes, 60 s", "<= 1e-6", "%.1e sides" % drift)


if __name__ == "__main__":
    for case in ((4, 3, 0.7), (6, 4, 0.7), (10, 3, 0.7), (10, 3, 0.9), (8, 5, 0.7)):
        panel(*case)
    tall_stack()
    sys.exit(verdict.end())
