#!/usr/bin/python3
"""The Brazil nut, a weak control, and its local solvers (Renouf, Acary 2006, section 5, figure 2; validation 5).

Runs cases/brazil_nut.yaml and brazil_nut_weak.yaml and measures from the frames (one per period). The top layer is the
top quarter of the bed: at most 200 of the 800 grains lie above. Grains that start in the lowest quarter, as the nut
does, are tracers of equal size, 200 in each run; no separate run of equal spheres is needed. An arrival is the first
period in the top layer of which the next five are mostly spent there. Residence is the share of the WINDOW periods from
arrival on that a body spends in the top layer; a well mixed one would have 0.25.

Criteria of --full, written down before its runs (seeds 1 to 8; trials had other seeds or other shaking):
  (i)   the nut arrives in the top layer in every seed, and the run goes on for WINDOW periods from there;
  (ii)  residence: the nut's is larger than the mean of the tracers' in every seed, Student's t of the eight differences
        is above 3.5 (p < 0.01), and the nut stays for more than 0.8 of the window on average;
  (iii) shaken at 0.5 g over as many periods, the nut moves by less than 0.2 R once the sine has its full size;
  (iv)  convection: in every seed the grains within 2 R of the walls sink and those of the middle rise.
The measured rise time is then frozen at +- 30 %: a regression lock, not a reference. The short version has one seed.
"""
import math
import os
import shutil
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy

import nut_motion
from nut_motion import FIRST_STEP, LOW, Motion, PERIOD, START, STEPS_PER_PERIOD
from section import Section, arguments, history, resume, run, sets

PERIODS, WINDOW = 48, 20
SEEDS = {False: 1, True: 8}
WEAK_PERIODS = {False: 3, True: PERIODS}
RISE_TIME = 23.9  # periods, mean over the eight seeds, as first measured (spread 2.7)
# The bed leaves the floor, and steps are solved within the cap. From the landing on (step 1000) they are not, and lemke's
# height parts from explicit's by 0.011 R in ten steps.
LOCALS, LOCAL_START, LOCAL_STEPS, LOCAL_CAP = ("explicit", "newton", "exact", "lemke", "qp"), 1025, 10, 100
MOTION_STEPS = 750
RINGS, HEIGHTS = numpy.arange(0, 8.5, 1.0), numpy.arange(0, 27, 1.5)


def one_run(job):
    case, seed, folder, periods = job
    settings = {"generators.0.lattice.seed": seed, "time.end": START + periods * PERIOD, "output.checkpoint_every": 0,
                "output.frames_every": STEPS_PER_PERIOD, "output.vtk_every": STEPS_PER_PERIOD if seed == 1 else 0}
    return run(case, folder, *sets(settings))


def run_all(section, full):
    """Summaries and motions of the shaken seeds, and of the weak control last."""
    jobs = [("brazil_nut", seed, section.scratch("shaken-%d" % seed), PERIODS) for seed in range(1, SEEDS[full] + 1)]
    jobs.append(("brazil_nut_weak", 1, section.scratch("weak"), WEAK_PERIODS[full]))
    with ThreadPoolExecutor(2) as pool:
        summaries = list(pool.map(one_run, jobs))
    return summaries, [Motion(folder) for _, _, folder, _ in jobs]


def mean_spread(values):
    return "%.2f +- %.2f" % (statistics.fmean(values), statistics.stdev(values)) if len(values) > 1 else "%.2f" % values[0]


def student(differences):
    """Student's t of paired differences against none."""
    return statistics.fmean(differences) / max(statistics.stdev(differences) / math.sqrt(len(differences)), 1e-12)


def shown(value, text="%.2f"):
    return "never" if value is None else text % value


# The page

def show_runs(section, summaries, shaken):
    rows = []
    for seed, (summary, motion) in enumerate(zip(summaries, shaken), 1):
        wall, middle = nut_motion.wall_and_middle(motion)
        tracers = motion.tracer_residences(WINDOW)
        rest = motion.periods + 1 - (motion.arrival(0) or 0)
        rows.append((seed, shown(motion.arrival(0), "%d"), shown(motion.residence(0, WINDOW)), shown(motion.residence(0, rest)),
                     "%s (%d of %d)" % (mean_spread(tracers) if tracers else "-", len(tracers), LOW),
                     nut_motion.periods_in_corner(motion, motion.arrival(0) or 0), "%+.2f" % wall, "%+.2f" % middle,
                     "%s of %s" % (summary["unconverged-steps"], summary["steps"])))
    section.table("%d periods of %.2f s each. Residence: share of the %d periods from arrival on spent in the top layer. "
                  "Rise in R per period." % (PERIODS, PERIOD, WINDOW), (
                      "seed", "nut arrives after", "residence of the nut", "until the end", "of the tracers (arrived in time)",
                      "periods of the nut in a corner", "rise at the walls", "rise in the middle", "steps at the cap"), rows)


def show_heights(section, shaken, weak):
    nuts = [("nut, seed %d" % seed, range(m.periods + 1), m.x[:, 0, 2]) for seed, m in enumerate(shaken, 1)]
    tenth = numpy.mean([numpy.sort(m.x[2:, 1:, 2], axis=1)[:, -nut_motion.TOP_LAYER].mean() for m in shaken])
    section.plot("brazil_nut-height.svg", "Height of the nut's centre as the bed leaves the floor, and of the top layer's lower end.",
                 "period", "height / R", [*nuts, ("nut at 0.5 g", range(weak.periods + 1), weak.x[:, 0, 2]),
                                          ("top layer", (0, PERIODS), (tenth, tenth))])
    mean = [("tracers, seed %d" % seed, range(m.periods + 1), (m.above[:, m.tracers] <= nut_motion.TOP_LAYER).mean(axis=1))
            for seed, m in enumerate(shaken, 1)]
    section.plot("brazil_nut-tracers.svg", "Share of the tracers that are in the top layer; mixed, it would be a quarter.",
                 "period", "share", mean)


def show_maps(section, shaken):
    ring = "distance from the axis / R (square rings; wall at 8)"
    section.heat("brazil_nut-convection.svg", "Mean rise of the grains per period in R, over all seeds; the nut is 4 R thick.",
                 ring, "height / R", RINGS, HEIGHTS, nut_motion.rise_map(shaken, RINGS, HEIGHTS), True)
    section.heat("brazil_nut-packing.svg", "Packing fraction, the nut included, as the bed leaves the floor.",
                 ring, "height / R", RINGS, HEIGHTS, nut_motion.packing_map(shaken, RINGS, HEIGHTS))


def show_pictures(section, motion):
    for period, name, caption in ((0, "before", "as shaking begins"), (motion.arrival(0), "arrived", "arrived in the top layer"),
                                  (motion.periods, "after", "after %d periods" % motion.periods)):
        if period is not None:
            section.render(section.scratch("shaken-1"), "brazil_nut-%s.png" % name,
                           "The bed cut at the nut, which is red: %s." % caption, "--frame",
                           str(FIRST_STEP + period * STEPS_PER_PERIOD), "--color", "radius",
                           "--cut", str(motion.x[period, 0, 1] - 0.01))


# Criteria

def check_arrival(section, shaken):
    times = [m.arrival(0) for m in shaken]
    section.check("5 (i) the nut surfaces", "in every seed, with %d periods left to watch it" % WINDOW,
                  "periods: %s" % ", ".join(shown(t, "%d") for t in times),
                  all(m.residence(0, WINDOW) is not None for m in shaken))
    came = [t for t in times if t is not None]
    if came:
        section.note("rise time %s periods over %d seeds." % (mean_spread(came), len(came)))
    return came


def check_residence(section, shaken, full):
    pairs = [(m.residence(0, WINDOW), statistics.fmean(m.tracer_residences(WINDOW))) for m in shaken
             if m.residence(0, WINDOW) is not None]
    if not pairs:
        section.check("5 (ii) the nut stays up", "a residence to compare", "none", False)
        return
    nut, tracer = zip(*pairs)
    differences = [n - t for n, t in pairs]
    section.check("5 (ii) the nut stays up, tracers do not", "larger residence than the mean tracer in every seed",
                  "%s against %s" % (mean_spread(nut), mean_spread(tracer)), min(differences) > 0)
    if full:
        t = student(differences)
        section.check("5 (ii) significance", "Student's t of the differences > 3.5", "%.1f" % t, t > 3.5)
        section.check("5 (ii) the nut is at the top", "for more than 0.8 of the window", "%.2f" % statistics.fmean(nut),
                      statistics.fmean(nut) > 0.8)


def check_weak(section, weak):
    heights = weak.x[1:, 0, 2]  # the sine grows in the first period, while the bed still settles
    moved = float(numpy.abs(heights - heights[0]).max())
    section.check("5 (iii) shaken at 0.5 g, %d periods" % weak.periods, "moves by less than 0.2 R", "%.3f R" % moved, moved < 0.2)


def check_convection(section, shaken):
    flows = [nut_motion.wall_and_middle(m) for m in shaken]
    section.check("5 (iv) convection", "sinks at the walls, rises in the middle, in every seed",
                  "%s and %s R per period" % tuple(mean_spread(side) for side in zip(*flows)),
                  all(wall < 0 < middle for wall, middle in flows))


def note_corners(section, shaken):
    """Why a nut may be carried down after all."""
    flows = [nut_motion.wall_and_corner(m) for m in shaken]
    section.note("grains in a space as wide as the nut rise by %s R per period at a wall and by %s in a corner: only a nut that gets "
                 "into a corner is carried down." % tuple(mean_spread(side) for side in zip(*flows)))


def check_lock(section, times):
    """Regression lock on our own value, which no paper prints."""
    if times:
        mean = statistics.fmean(times)
        section.check("5 rise time (regression lock, not a reference)", "%.1f periods +- 30 %%" % RISE_TIME, "%.1f" % mean,
                      abs(mean / RISE_TIME - 1) < 0.3)


# Local solvers

def go_on(section, checkpoint, local, steps, settings):
    folder = section.scratch("local-%s-%d" % (local, steps))
    shutil.rmtree(folder, ignore_errors=True)
    summary = resume(checkpoint, folder, "--steps", str(steps), *sets({
        "solver.local": local, "output.vtk_every": 0, "output.checkpoint_every": 0, "output.history_every": 1, **settings}))
    return summary, history(folder)


def compare_locals(section):
    start = section.scratch("start")
    run("brazil_nut", start, "--steps", str(LOCAL_START), *sets({"output.vtk_every": 0, "output.checkpoint_every": 0}))
    checkpoint = os.path.join(start, "checkpoint-%09d.h5" % LOCAL_START)
    rows, heights = [], {}
    for local in LOCALS:
        summary, short = go_on(section, checkpoint, local, LOCAL_STEPS, {"solver.max_sweeps": LOCAL_CAP})
        heights[local] = short["nut.z"][-1]
        rows.append((local, "%.3f" % (float(summary["cpu-time"]) / LOCAL_STEPS), "%.0f" % short["sweeps"].mean(),
                     "%.1e" % (heights[local] - heights["explicit"])))
    section.table("The same bed in mid-shake, %d steps by each local solver, cap %d sweeps; Lemke and QP on the inner 8-gon" % (
        LOCAL_STEPS, LOCAL_CAP), ("local solver", "CPU [s] per step", "sweeps", "height of the big sphere less explicit's [R]"), rows)
    worst = max(abs(heights[local] - heights["explicit"]) for local in LOCALS)
    section.check("5 local solvers, %d steps" % LOCAL_STEPS, "the same height of the big sphere, to 0.01 R", "%.0e R" % worst,
                  worst < 0.01)
    longer = {local: go_on(section, checkpoint, local, MOTION_STEPS, {})[1] for local in ("explicit", "newton", "exact")}
    section.plot("brazil_nut-local.svg", "Motion of the big sphere by local solver over three periods, from the same state.", "t [s]",
                 "height / R", [(local, r["time"], r["nut.z"]) for local, r in longer.items()])
    apart = numpy.abs(longer["newton"]["nut.z"] - longer["explicit"]["nut.z"])
    first = numpy.flatnonzero(apart > 0.01)
    section.note("newton and explicit agree to 0.01 R %s; then chaos: differences of rounding and tolerance grow with every "
                 "collision." % ("for all %d steps" % MOTION_STEPS if not len(first) else "for %d steps" % first[0]))


def main():
    options = arguments(__doc__)
    section = Section(options.folder, "brazil_nut", "Brazil nut: motion and time by local solver (5, Fig. 2)", "2006")
    section.text("""<p>800 spheres of radius 1 lie on one of radius 2 in a box whose floor is moved periodically; the paper tracks the
    big sphere and compares local solvers in CPU time and behaviour. It prints no number: box, amplitude, frequency,
    friction and duration are ours (cases/brazil_nut_scene.yaml). A sphere of twice the radius is too small for the others to
    trickle under it. It rises with the convection that the walls drive, as grains do, and is a Brazil nut because it then stays
    up: the down-flow at the walls is too thin to carry it (Knight, Jaeger, Nagel 1993). So residence in the top layer is
    compared, of the nut and of the grains that start as low as it does. Control: the same bed at 0.5 g.</p>
    <p>What differs: Lemke and QP as local solvers cost several times the explicit one, so they are compared over a
    few steps from one state, the others over three periods. Heights agree at first; after some collisions any two
    runs part, whatever the solver, and only statistics compare.</p>""")
    summaries, (*shaken, weak) = run_all(section, options.full)
    show_runs(section, summaries, shaken)
    show_heights(section, shaken, weak)
    show_maps(section, shaken)
    show_pictures(section, shaken[0])
    times = check_arrival(section, shaken)
    check_residence(section, shaken, options.full)
    check_weak(section, weak)
    check_convection(section, shaken)
    note_corners(section, shaken)
    check_lock(section, times)
    compare_locals(section)
    section.write()
    sys.exit(section.failures > 0)


main()
