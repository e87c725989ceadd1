#!/usr/bin/python3
"""Physical nonsense: nonsense.py [--every N] [--only NAME] [-v]

Each row of the table is a small case with values that make no sense, or that ask for more than numbers and steps can give. None
may crash, hang, end well with a result that is not a number, or be called a defect of the program. What must happen is
in the row:

  rejected  exit status 2 and a message that names what is wrong
  stopped   exit status 1 and a message, with the last complete step saved
  warned    the run ends, and its warnings or those of `check` name what is wrong
  right     the run ends without complaint, because what was asked for can be done

--every N takes each N-th row. Prints the rows that fail and ends with "N passed, M failed".
"""
import argparse
import copy
import json
import os
import re
import sys
import tempfile

from program import Wrong, call

FLOOR = {"name": "floor", "material": "stone", "position": [0, 0, 0], "half_space": {"normal": [0, 0, 1]}}
BALL = {"name": "ball", "material": "stone", "position": [0, 0, 0.15], "sphere": {"radius": 0.1}}
BLOCK = {"name": "block", "material": "stone", "position": [0, 0, 0.2], "box": {"size": [0.1, 0.2, 0.3]}}
PLATE = {"name": "plate", "material": "stone", "position": [0, 0, -0.05], "box": {"size": [1, 1, 0.1]}, "fixed": True}
BASE = {"time": {"step": 1e-3, "end": 0.03}, "materials": {"stone": {"density": 2600}},
        "laws": [{"between": "default", "friction": 0.5}], "bodies": [FLOOR, BALL]}
HUGE = 1e300
TINY = 1e-300


def body(shape, **more):
    """The base with another body than the ball."""
    return {"bodies": [FLOOR, {**shape, **more}]}


def ball(**more):
    return body(BALL, **more)


def block(**more):
    return body(BLOCK, **more)


def law(**more):
    return {"laws": [{"between": "default", "friction": 0.5, **more}]}


def driver(**more):
    return {"bodies": [PLATE, BALL], "drivers": [{"group": "plate", "direction": [0, 0, 1], **more}]}


def force(**more):
    return {"forces": [{"group": "ball", "direction": [1, 0, 0], **more}]}


def joint(**more):
    other = {**BALL, "name": "other", "position": [0.3, 0, 0.15]}
    return {"bodies": [FLOOR, BALL, other], "joints": [{"first": "ball", "second": "other", **more}]}


def time(**more):
    return {"time": {"step": 1e-3, "end": 0.03, **more}}


def generated(**generator):
    return {"bodies": [FLOOR], "generators": [{"material": "stone", **generator}]}


def imported(text):
    return {"bodies": [FLOOR], "imports": [{"material": "stone", "file": "bodies.csv"}], "csv": text}


ROWS = []


def row(name, outcome, pattern, *parts):
    """A case made of parts, later ones replacing keys of earlier ones."""
    case = {}
    for part in parts:
        case.update(part)
    ROWS.append((name, outcome, pattern, case))


# Time and its settings.
row("step of zero", "rejected", "time.step: expected a number > 0", time(step=0))
row("negative step", "rejected", "time.step", time(step=-1e-3))
row("step that is not a number", "rejected", "time.step", time(step="nan"))
row("step as long as an age", "warned", "time.step", time(step=1e9))
row("step of 1e300 s", "warned", "less than one step", time(step=HUGE))
row("step of 1e-300 s", "rejected", "too many steps", time(step=TINY))
row("step that no number can hold", "rejected", "time.step", time(step="1e999"))
row("end before the start", "rejected", "time.end", time(end=-1))
row("theta below a half", "rejected", "time.theta", time(theta=0.2))
row("theta above one", "rejected", "time.theta", time(theta=1.5))
row("tolerance of zero", "rejected", "solver.tolerance", {"solver": {"tolerance": 0}})
row("negative tolerance", "rejected", "solver.tolerance", {"solver": {"tolerance": -1}})
row("tolerance that any step meets", "warned", "solver.tolerance", {"solver": {"tolerance": 1e3}})
row("tolerance that no step meets", "warned", "stopped (at|after)", {"solver": {"method": "nsgs", "tolerance": 1e-30, "max_sweeps": 50}},
    {"bodies": [PLATE, {**BLOCK, "position": [0, 0, 0.15]}, {**BLOCK, "name": "upper", "position": [0.02, 0, 0.45]}]})
row("no sweeps", "rejected", "solver.max_sweeps", {"solver": {"max_sweeps": 0}})
row("half a sweep", "rejected", "solver.max_sweeps", {"solver": {"max_sweeps": 0.5}})
row("relaxation of two", "rejected", "solver.relaxation", {"solver": {"relaxation": 2}})
row("cone of two sides", "rejected", "solver.cone_sides", {"solver": {"cone_sides": 2}})
row("negative alert distance", "rejected", "contact.alert", {"contact": {"alert": -1}})
row("gamma without its gap treatment", "rejected", "contact.gamma", {"contact": {"gamma": 0.5}})
row("negative cut-off of restitution", "rejected", "restitution_cutoff", {"contact": {"restitution_cutoff": -1}})
row("history every half step", "rejected", "output.history_every", {"output": {"history_every": 0.5}})
row("an unknown policy", "rejected", "watch.policy", {"watch": {"policy": "hope"}})
row("rest without a duration", "rejected", "stop.rest_duration", {"stop": {"rest_speed": 0.1}})
row("a fall without gravity", "rejected", "gravity", {"stop": {"fall_distance": 0.1}, "gravity": [0, 0, 0]})

# Gravity.
row("gravity of 1e300", "stopped", "not a number|too large", {"gravity": [0, 0, -HUGE]})
row("gravity of 1e200", "stopped", "not a number|too large", {"gravity": [0, 0, -1e200]})
row("gravity of 1e9", "warned", "gravity is|overlap", {"gravity": [0, 0, -1e9]})
row("gravity of 1e-300", "right", "", {"gravity": [0, 0, -TINY]})
row("gravity that is not a number", "rejected", "gravity", {"gravity": [0, 0, "nan"]})
row("gravity with two components", "rejected", "gravity", {"gravity": [0, -9.81]})
row("gravity upwards", "right", "", {"gravity": [0, 0, 9.81]})
row("a ramp of gravity that ends before it begins", "rejected", "gravity_ramp.end", {"gravity_ramp": {"start": 1, "end": 0.5}})
row("tilt about no axis", "rejected", "axis", {"tilt": {"axis": [0, 0, 0], "rate": 5}})
row("tilt at 1e300 degrees per second", "warned|stopped|right", "", {"tilt": {"axis": [0, 1, 0], "rate": HUGE}})
row("tilt that shakes between the steps", "warned", "the tilt has points closer", {"tilt": {"axis": [0, 1, 0], "table": {"points": [[k * 2.5e-4, k % 2] for k in range(80)]}}})

# Materials and laws.
row("density of zero", "rejected", "density", {"materials": {"stone": {"density": 0}}})
row("negative density", "rejected", "density", {"materials": {"stone": {"density": -2600}}})
row("density that is not a number", "rejected", "density", {"materials": {"stone": {"density": "nan"}}})
row("density of 1e300", "rejected", "too large", {"materials": {"stone": {"density": HUGE}}})
row("density of 1e-300", "warned", "density", {"materials": {"stone": {"density": TINY}}})
row("density in grams", "warned", "density", {"materials": {"stone": {"density": 2.6e6}}})
row("negative friction", "rejected", "friction", law(friction=-0.5))
row("friction that is not a number", "rejected", "friction", law(friction="nan"))
row("friction given as an angle", "warned", "friction coefficient", law(friction=35))
row("friction of 1e300", "warned", "friction coefficient", law(friction=HUGE), block(position=[0, 0, 0.15]))
row("restitution above one", "rejected", "restitution", law(restitution=1.2))
row("negative restitution", "rejected", "restitution", law(restitution=-0.1))
row("tangential restitution above one", "rejected", "tangential_restitution", law(tangential_restitution=2))
row("no law for bodies that can touch", "rejected", "no law for stone on stone", {"laws": []})
row("a law for the wrong pair", "rejected", "no law for stone on stone", {"laws": [{"between": ["stone", "steel"], "friction": 0}],
    "materials": {"stone": {"density": 1}, "steel": {"density": 1}}})
row("a law for a material that does not exist", "rejected", "no material", {"laws": [{"between": ["stone", "cheese"], "friction": 0}]})
row("two laws for one pair", "rejected", "already has a law", {"laws": [{"between": "default", "friction": 0}, {"between": "default", "friction": 1}]})
row("no materials", "rejected", "material", {"materials": {}})

# Bodies.
row("mass of zero", "rejected", "mass", ball(mass=0))
row("negative mass", "rejected", "mass", ball(mass=-1))
row("mass of 1e300", "rejected", "too large", ball(mass=HUGE))
row("mass of 1e308", "rejected", "too large", ball(mass=1e308))
row("mass of 1e200", "right", "", ball(mass=1e200))
row("mass of 1e-300", "right", "", ball(mass=TINY))
row("mass of 1e-310", "rejected", "too small or too large", ball(mass=1e-310))
row("radius of zero", "rejected", "radius", ball(sphere={"radius": 0}))
row("negative radius", "rejected", "radius", ball(sphere={"radius": -1}))
row("radius of 1e-200", "rejected", "too small", ball(sphere={"radius": 1e-200}))
row("radius of 1e-12", "warned", r"a size \(.*\) of 1e-12", ball(sphere={"radius": 1e-12}))
row("radius of 1e200", "rejected", "too large", ball(sphere={"radius": 1e200}))
row("radius of a planet", "warned", "size of|overlap", ball(sphere={"radius": 6e6}))
row("a box without thickness", "rejected", "size", block(box={"size": [1, 1, 0]}))
row("a box of negative size", "rejected", "size", block(box={"size": [1, -1, 1]}))
row("a box as thin as an atom", "rejected", "flat", block(box={"size": [1, 1, 1e-10]}))
row("a needle of a million to one", "warned", "size|sizes span|overlap|stopped", block(box={"size": [1e-4, 1e-4, 100]}))
row("a flat hull", "rejected", "hull", body({"name": "hull", "material": "stone", "position": [0, 0, 1], "hull": {"points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}))
row("a hull of one point", "rejected", "hull", body({"name": "hull", "material": "stone", "position": [0, 0, 1], "hull": {"points": [[0, 0, 0]]}}))
row("a clump of no spheres", "rejected", "clump", body({"name": "clump", "material": "stone", "position": [0, 0, 1], "clump": {"spheres": []}}))
row("a clump with a sphere of no radius", "rejected", "clump", body({"name": "clump", "material": "stone", "position": [0, 0, 1], "clump": {"spheres": [[0, 0, 0, 0]]}}))
row("a plane without a normal", "rejected", "normal", {"bodies": [{**FLOOR, "half_space": {"normal": [0, 0, 0]}}, BALL]})
row("a plane with a normal of 1e300", "right|rejected", "", {"bodies": [{**FLOOR, "half_space": {"normal": [0, 0, HUGE]}}, BALL]})
row("an orientation of zero", "rejected", "orientation", block(orientation=[0, 0, 0, 0]))
row("an orientation of 1e300", "rejected|right", "", block(orientation=[HUGE, 0, 0, 0]))
row("moments of inertia of no solid", "rejected", "moments of inertia", block(mass=1, inertia=[1, 1, 3]))
row("negative moment of inertia", "rejected", "inertia", block(mass=1, inertia=[1, 1, -1]))
row("moments of a plate, rounded", "right", "", block(mass=1, inertia=[0.333333, 0.333333, 0.666667]))
row("a body without material", "rejected", "material", {"bodies": [FLOOR, {k: v for k, v in BALL.items() if k != "material"}]})
row("a body of an unknown material", "rejected", "no material", ball(material="cheese"))
row("a body with two shapes", "rejected", "exactly one of", ball(box={"size": [1, 1, 1]}))
row("a position that is not a number", "rejected", "position", ball(position=[0, 0, "nan"]))
row("an infinite position", "rejected", "position", ball(position=[0, 0, "inf"]))
row("a position of 1e300", "warned|stopped", "position|origin|not a number|far", ball(position=[0, 0, HUGE], velocity=[0, 0, -1]))
row("a position of 1e15", "warned", "origin of coordinates", ball(position=[1e15, 0, 5], velocity=[1, 0, 0]))
row("a position of 1e15 at rest on the floor", "right", "", ball(position=[1e15, 0, 0.1]))
row("map coordinates", "right", "", ball(position=[4.8e6, 5e5, 0.2], velocity=[1e-3, 0, 0]))
row("a velocity of 1e200", "stopped|warned", "not a number|too|overlap|time.step", ball(velocity=[0, 0, -1e200]))
row("a velocity of 1e150", "stopped|warned", "", ball(velocity=[0, 0, -1e150]))
row("a velocity beyond light", "warned", "times its size in one step|overlap", ball(velocity=[0, 0, -1e9]))
row("a velocity that is not a number", "rejected", "velocity", ball(velocity=["nan", 0, 0]))
row("a spin of 1e200", "warned|stopped", "rad|not a number", block(spin=[1e200, 0, 0]))
row("a spin of 100 rad per step", "warned", "turns by 17. rad", block(spin=[1e5, 1e5, 1e5]), {"gravity": [0, 0, 0]})
row("a sphere that spins at 1e6 rad/s", "right", "", ball(spin=[0, 0, 1e6], position=[0, 0, 5]))
row("a fixed body with a velocity", "rejected", "fixed", ball(fixed=True, velocity=[1, 0, 0]))
row("a locked direction with a velocity", "rejected", "locked", ball(lock=["x"], velocity=[1, 0, 0]))
row("everything locked", "right", "", ball(lock=["x", "y", "z", "rx", "ry", "rz"]))
row("everything locked, inside the floor", "warned", "overlap", ball(lock=["x", "y", "z", "rx", "ry", "rz"], position=[0, 0, 0.05]))
row("an unknown lock", "rejected", "lock", ball(lock=["w"]))
row("an insertion at a negative time", "rejected", "insert_time", ball(insert_time=-1))
row("nothing can move", "warned", "nothing can move", {"bodies": [FLOOR]})
row("no bodies at all", "warned", "nothing can move", {"bodies": []})
row("a disk without a plane", "rejected", "plane", body({"name": "disk", "material": "stone", "position": [0, 0, 1], "disk": {"radius": 0.1}}))
row("a velocity out of the plane", "rejected", "plane", {"plane": "xz"}, ball(velocity=[0, 1, 0]))

# Bodies inside each other.
row("two balls in one place", "warned", "overlap", {"bodies": [FLOOR, BALL, {**BALL, "name": "twin"}]})
row("two blocks in one place", "warned", "overlap", {"bodies": [FLOOR, BLOCK, {**BLOCK, "name": "twin"}]})
row("two blocks in one place, one sweep", "warned", "overlap|stopped", {"bodies": [FLOOR, BLOCK, {**BLOCK, "name": "twin"}], "solver": {"method": "nsgs", "max_sweeps": 1}})
row("two blocks in one place, stabilized", "warned", "overlap|gave bodies", {"bodies": [FLOOR, BLOCK, {**BLOCK, "name": "twin"}], "contact": {"gap": "stabilized"}})
row("two blocks in one place, moreau", "warned", "overlap", {"bodies": [FLOOR, BLOCK, {**BLOCK, "name": "twin"}], "contact": {"gap": "moreau"}})
row("two blocks in one place, no pushing out", "warned", "overlap", {"bodies": [FLOOR, BLOCK, {**BLOCK, "name": "twin"}], "contact": {"projection": "off"}})
row("a ball in the middle of a block", "warned", "overlap", {"bodies": [FLOOR, BLOCK, {**BALL, "position": [0, 0, 0.2]}]})
row("a ball in the ground", "warned", "overlap", ball(position=[0, 0, -3]))
row("a block in a wall", "warned", "overlap", {"bodies": [PLATE, {**BLOCK, "position": [0, 0, 0]}]})
row("twelve balls in one place", "warned", "overlap", {"bodies": [FLOOR] + [{**BALL, "name": "b%d" % k} for k in range(12)]})
row("a box smaller than its content", "warned", "overlap", {"containers": [{"name": "box", "material": "stone", "box": {"min": [-0.05, -0.05, 0], "max": [0.05, 0.05, 1]}}]})
row("a box turned inside out", "rejected", "min", {"containers": [{"name": "box", "material": "stone", "box": {"min": [1, 1, 1], "max": [-1, -1, -1]}}]})
row("a hollow sphere smaller than its content", "stopped|rejected", "fit", {"bodies": [BALL], "containers": [{"name": "shell", "material": "stone", "hollow_sphere": {"centre": [0, 0, 0.15], "radius": 0.05}}]})
row("a body outside its hollow sphere", "warned", "overlap", {"bodies": [BALL], "containers": [{"name": "shell", "material": "stone", "hollow_sphere": {"centre": [5, 0, 0], "radius": 0.5}}]})
row("a drum without an axis", "rejected", "axis", {"bodies": [BALL], "containers": [{"name": "drum", "material": "stone", "drum": {"centre": [0, 0, 0], "axis": [0, 0, 0], "radius": 1, "length": 1}}]})
row("every step unsolved, through the floor", "warned", "of 30 steps stopped", {"solver": {"method": "nsgs", "max_sweeps": 1, "tolerance": 1e-12}, "bodies": [PLATE] + [{**BLOCK, "name": "b%d" % k, "position": [0, 0, 0.15 + 0.3 * k], "velocity": [0, 0, -30]} for k in range(4)]})

# Drivers, forces, events.
row("a driver above half the sampling frequency", "warned", "driver of group plate has a sine of 500 Hz", driver(sine={"amplitude": 0.01, "frequency": 500}))
row("a driver near the sampling frequency", "warned", "sine of 1001 Hz", driver(sine={"amplitude": 0.01, "frequency": 1001}))
row("a driver of 1e300 Hz", "warned", "sine of 1e", driver(sine={"amplitude": 0.01, "frequency": HUGE}))
row("a driver with three points per period", "warned", "points per period", driver(sine={"amplitude": 0.001, "frequency": 300}))
row("a driver that is followed", "right", "", driver(sine={"amplitude": 0.001, "frequency": 30}))
row("a driver of no frequency", "rejected", "frequency", driver(sine={"amplitude": 0.01, "frequency": 0}))
row("a driver of negative frequency", "rejected", "frequency", driver(sine={"amplitude": 0.01, "frequency": -5}))
row("a driver with an amplitude of 1e300", "stopped|warned", "", driver(sine={"amplitude": HUGE, "frequency": 5}))
row("a driver at 1e200 m/s", "stopped|warned", "", driver(velocity=1e200))
row("a driver that jumps", "right|warned", "", driver(table={"points": [[0, 0], [0.01, 0], [0.0100001, 0.05], [0.03, 0.05]]}))
row("a driver that jumps by a kilometre", "warned|right|stopped", "", driver(table={"points": [[0, 0], [0.01, 0], [0.0100001, 1000], [0.03, 1000]]}))
row("a table finer than the step", "warned", "points closer than the time.step", driver(table={"points": [[k * 2.5e-4, 0.001 * (k % 2)] for k in range(80)]}))
row("a record finer than the step", "warned", "smooth and thin the record", driver(record={"points": [[k * 2.5e-4, (-1) ** k] for k in range(80)]}))
row("a table that goes back in time", "rejected", "times must increase", driver(table={"points": [[0, 0], [1, 1], [0.5, 0]]}))
row("a table of one point", "rejected", "point", driver(table={"points": [[0, 0]]}))
row("a driver without a direction", "rejected", "direction", driver(direction=[0, 0, 0], velocity=1))
row("a driver on a body that moves", "rejected", "ball", {"drivers": [{"group": "ball", "direction": [0, 0, 1], "velocity": 1}]})
row("a driver of a group that does not exist", "rejected", "nobody", {"drivers": [{"group": "nobody", "direction": [0, 0, 1], "velocity": 1}]})
row("a driver that ends before it starts", "rejected", "end", driver(velocity=1, start=1, end=0.5))
row("a ramp without an end", "rejected", "ramp", driver(ramp={"distance": 1}))
row("a turn of 1e300 degrees per second", "warned|stopped|right", "", {"bodies": [PLATE, BALL], "drivers": [{"group": "plate", "turn": {"axis": [0, 0, 1]}, "rate": HUGE}]})
row("a plate that crushes a ball", "warned", "overlap|stopped", {"bodies": [PLATE, {**BALL, "position": [0, 0, 0.1]}, {**PLATE, "name": "press", "position": [0, 0, 0.26]}], "drivers": [{"group": "press", "direction": [0, 0, -1], "velocity": 5}]})
row("a force of 1e300 N", "stopped|warned", "not a number|", force(constant=HUGE))
row("a force that is not a number", "rejected", "constant", force(constant="nan"))
row("a force that shakes at 2 kHz", "warned", "force on group ball has a sine", force(sine={"amplitude": 1, "frequency": 2000}))
row("a force on what cannot move", "warned|rejected", "floor", {"forces": [{"group": "floor", "direction": [1, 0, 0], "constant": 1}]})
row("a reset of what cannot move", "warned|rejected", "floor", {"resets": [{"group": "floor", "time": 0.01, "velocity": [1, 0, 0]}]})
row("a reset to 1e300 m/s", "stopped|warned", "", {"resets": [{"group": "ball", "time": 0.01, "velocity": [0, 0, HUGE]}]})
row("a removal of all", "right|warned", "", {"removals": [{"group": "ball", "time": 0.01}, {"group": "floor", "time": 0.01}]})
row("a removal after the end", "warned", "removal", {"removals": [{"group": "ball", "time": 10}]})

# Joints.
row("a joint of a body with itself", "rejected", "itself|same|two", {"joints": [{"first": "ball", "second": "ball", "ball": {"anchor": [0, 0, 0]}}]})
row("a joint of two fixed bodies", "rejected", "fixed|move", {"joints": [{"first": "floor", "ball": {"anchor": [0, 0, 0]}}]})
row("a joint with nobody", "rejected", "nobody", {"joints": [{"first": "ball", "second": "nobody", "ball": {"anchor": [0, 0, 0]}}]})
row("a distance of nothing", "rejected", "coincide", joint(distance={"from": [0, 0, 0.15], "to": [0, 0, 0.15]}))
row("a hinge without an axis", "rejected", "axis", joint(hinge={"anchor": [0, 0, 0], "axis": [0, 0, 0]}))
row("an anchor at 1e15", "rejected", "anchor", joint(ball={"anchor": [1e15, 0, 0]}))
row("an anchor at 1e300", "warned|stopped|rejected", "", joint(ball={"anchor": [HUGE, 0, 0]}))
row("an anchor that is not a number", "rejected", "anchor", joint(ball={"anchor": ["nan", 0, 0]}))
row("a bar between a post and a hand that moves away", "stopped", "keeps joints", {"bodies": [PLATE, {**BALL, "fixed": True}, {**BALL, "name": "bar", "position": [0.3, 0, 0.15]}], "drivers": [{"group": "plate", "direction": [1, 0, 0], "velocity": 1}], "joints": [{"first": "bar", "second": "ball", "fixed": {"anchor": [0.1, 0, 0.15]}}, {"first": "bar", "second": "plate", "fixed": {"anchor": [0.3, 0, 0.1]}}]})
row("the same joint twice", "right", "", {"bodies": [FLOOR, BALL, {**BALL, "name": "other", "position": [0.3, 0, 0.15]}], "joints": [{"first": "ball", "second": "other", "fixed": {"anchor": [0.15, 0, 0.15]}}] * 2})
row("a joint of a body that everything locks", "right|stopped", "", joint(ball={"anchor": [0.15, 0, 0.15]}), {"bodies": [FLOOR, {**BALL, "lock": ["x", "y", "z", "rx", "ry", "rz"]}, {**BALL, "name": "other", "position": [0.3, 0, 0.15]}]})
row("joined bodies that overlap, two sweeps", "right|warned", "", {"solver": {"method": "anderson", "max_sweeps": 2, "tolerance": 1e-8}, "bodies": [{**BALL, "sphere": {"radius": 0.05}, "position": [-0.034, 0.104, 0.164], "velocity": [0.6, 0, 0]}, {**BALL, "name": "b", "position": [0.13, 0.06, 0.376], "lock": ["ry"]}, {**BALL, "name": "d", "position": [-0.14, 0.053, 0.367], "spin": [2, 4.7, 0]}, {**BALL, "name": "e", "position": [-0.142, -0.139, 0.106], "velocity": [0.6, 0.9, 0]}, {**BLOCK, "box": {"size": [0.29, 0.11, 0.195]}, "position": [-0.137, 0.139, 0.048], "lock": ["ry"]}], "joints": [{"first": "e", "second": "b", "distance": {"from": [-0.142, -0.139, 0.106], "to": [0.13, 0.06, 0.376]}}, {"first": "d", "second": "b", "hinge": {"anchor": [-0.0055, 0.0574, 0.3716], "axis": [0, 1, 0]}}]})

# Many bodies at once.
row("more balls than there is room for", "rejected", "fill", generated(fill={"min": [0, 0, 0], "max": [1, 1, 1], "count": 100000, "radius": 0.2, "attempts": 20}))
row("a fill of a box turned inside out", "rejected", "min", generated(fill={"min": [1, 1, 1], "max": [0, 0, 0], "count": 1, "radius": 0.01}))
row("a lattice whose balls overlap", "warned", "overlap", generated(lattice={"origin": [0, 0, 0.2], "spacing": 0.1, "count": [3, 3, 3], "radius": 0.1}))
row("a lattice without sites", "rejected", "count", generated(lattice={"origin": [0, 0, 0], "spacing": 0.1, "count": [0, 3, 3], "radius": 0.1}))
row("sizes from large to small", "rejected", "uniform", generated(lattice={"origin": [0, 0, 0], "spacing": 1, "count": [1, 1, 1], "radius": {"uniform": [0.2, 0.1]}}))
row("a wall of blocks of no height", "rejected", "block", generated(wall={"block": [0.2, 0.1, 0], "courses": 2, "blocks": 2}))
row("an arch of no thickness", "rejected", "arch", generated(name="arch", arch={"radius": 1, "thickness": 0, "depth": 1, "blocks": 7}))
row("a CSV with a radius that is not a number", "rejected", "radius", imported("x,y,z,radius\n0,0,1,nan\n"))
row("a CSV with an infinite position", "rejected", "bodies.csv:2", imported("x,y,z,radius\ninf,0,1,0.1\n"))
row("a CSV with a negative mass", "rejected", "mass", imported("x,y,z,radius,mass\n0,0,1,0.1,-1\n"))
row("a CSV with a missing column", "rejected", "missing", imported("x,y,radius\n0,0,0.1\n"))
row("a CSV with a short row", "rejected", "columns", imported("x,y,z,radius\n0,0,1\n"))
row("a CSV without rows", "rejected", "no bodies", imported("x,y,z,radius\n"))
row("a CSV with a body twice", "warned", "overlap", imported("x,y,z,radius\n0,0,1,0.1\n0,0,1,0.1\n"))
row("a CSV with ids of its own", "rejected", "unknown column", imported("id,x,y,z,radius\n1,0,0,1,0.1\n1,0,0,2,0.1\n"))


def write(case):
    whole = {**copy.deepcopy(BASE), **case}
    with open("bodies.csv", "w", encoding="utf-8") as file:
        file.write(whole.pop("csv", ""))
    with open("case.yaml", "w", encoding="utf-8") as file:
        json.dump(whole, file)


def judge(outcome, pattern, case):
    """Runs the case; Wrong where it ends otherwise than the row says. Returns what was said."""
    write(case)
    done = call(["run", "case.yaml", "-o", "out", "--force", "-j", "2"])
    text, status = done.stderr, done.returncode
    if re.search(r"defect of the program", text):
        raise Wrong("is called a defect: " + text)
    if status == 0 and re.search(r"\b(nan|inf)\b", done.stdout):
        raise Wrong("ends well with a result that is not a number: " + re.search(r".*\b(nan|inf)\b.*", done.stdout).group(0))
    if "warned" in outcome and status == 0 and not re.search(pattern, text):
        text += call(["check", "case.yaml"]).stderr
    status_of = {"rejected": 2, "stopped": 1, "warned": 0, "right": 0}
    expected = [status_of[word] for word in outcome.split("|")]
    if status not in expected or not re.search(pattern, text):
        raise Wrong("ends with status %d and: %s" % (status, text.strip()[:400]))
    if outcome == "right" and "warning" in text:
        raise Wrong("is warned about: " + text)
    return "%d %s" % (status, text.strip()[:200].replace("\n", " | "))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    rows = [entry for entry in ROWS if options.only in entry[0]][::options.every]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, outcome, pattern, case in rows:
            try:
                said = judge(outcome, pattern, case)
                if options.v:
                    print("%s: %s" % (name, said), flush=True)
            except Wrong as wrong:
                failed += 1
                print("FAILED: %s: %s" % (name, wrong), flush=True)
        os.chdir("/")
    print("%d passed, %d failed" % (len(rows) - failed, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
