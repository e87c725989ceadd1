#!/usr/bin/python3
"""Spheres settling in a box, beside Renouf, Acary, Dumont 2005 (section 8.3, table 1, figure 6).

usage: settling_table.py [-o FOLDER]      with $GABION and $SWEEP_HISTORY naming the two programs
"""

import math
import os
import re
import statistics

from measured_run import CASES, GABION, Tally, command_output, output_folder, run_case

SWEEP_HISTORY = os.environ.get(
    "SWEEP_HISTORY",
    os.path.join(os.path.dirname(GABION), "tests", "validation", "sweep_history"))
SIZES, STEPS = (80, 160, 320, 800), (0.02, 0.04)
END, SETTLED = 35.0, 25.0  # s; what is called settled is the last ten seconds
REPEATS = 2  # the faster run counts: other work on the machine can only slow one down

# Contacts, real-time ratio, overlap in % of the radius. The row of 800 is from the slides, which
# give neither step nor overlap.
PAPER = {
    (80, 0.02): (271, "1.24", 0.3), (80, 0.04): (267, "2.28", 1.2),
    (160, 0.02): (587, "0.95", 0.5), (160, 0.04): (584, "1.50", 1.8),
    (320, 0.02): (1218, "0.50", 0.6), (320, 0.04): (1275, "0.75", 2.2),
    (800, 0.02): (3200, "0.2", None),
}
TIGHT = (320, ("solver.max_sweeps=1000",))
MORE_SEEDS = (2, 3, 4, 5)
CRITERION_SIZE, CRITERION_CONTACTS, CRITERION_SWEEPS = 320, 600, 10

PHASES = {
    "detection": ("broad", "narrow"),
    "assembly": ("contacts", "problem"),
    "solve": ("solve",),
}
HEADER = ("bodies cand. force cand/b force/b    h  tol.  cap  uncv  ratio  det% asm% slv% rest%"
          "  overlap%  (peak) | paper: cont. cont/b ratio overlap%")


def solver_setting(folder, key):
    with open(os.path.join(folder, "case.yaml")) as stream:
        return re.search(r"^  %s: (\S+)" % key, stream.read(), re.MULTILINE).group(1)


def shares(summary):
    wall = float(summary["wall-time"])
    part = {name: sum(float(summary["time-" + phase]) for phase in phases) / wall
            for name, phases in PHASES.items()}
    part["rest"] = 1 - sum(part.values())
    return {name: 100 * share for name, share in part.items()}


def measure(folder, bodies, step, settings=(), repeats=REPEATS):
    settings = ("time.step=%g" % step,) + settings
    runs = [run_case("settling_%d" % bodies, folder, settings) for _ in range(repeats)]
    summary, history = min(runs, key=lambda run: float(run[0]["wall-time"]))
    overlap = [100 * share for share in history["max_overlap_relative"]]
    return {
        "bodies": bodies,
        "step": step,
        "candidates": int(summary["candidates"]),
        "contacts": int(summary["contacts"]),
        "tolerance": solver_setting(folder, "tolerance"),
        "cap": solver_setting(folder, "max_sweeps"),
        "unconverged": int(summary["unconverged-steps"]),
        "ratio": END / float(summary["wall-time"]),
        "shares": shares(summary),
        "overlap": max(o for o, t in zip(overlap, history["time"]) if t > SETTLED),
        "peak": max(overlap),
    }


def print_row(run, paper):
    n, part = run["bodies"], run["shares"]
    row = "%6d %5d %5d %6.2f %7.2f %4.2f %5s %4s %5d %6.1f %5.0f %4.0f %4.0f %5.0f %9.3f %8.3f" % (
        n, run["candidates"], run["contacts"], run["candidates"] / n, run["contacts"] / n,
        run["step"], run["tolerance"], run["cap"], run["unconverged"], run["ratio"],
        part["detection"], part["assembly"], part["solve"], part["rest"], run["overlap"],
        run["peak"])
    if paper:
        overlap = "-" if paper[2] is None else "%.1f" % paper[2]
        row += " | %12d %6.2f %5s %8s" % (paper[0], paper[0] / n, paper[1], overlap)
    print(row, flush=True)


def check_overlap(tally, runs):
    for (bodies, step), (_, _, limit) in PAPER.items():
        if limit is not None:
            overlap = runs[bodies, step]["overlap"]
            tally.check(overlap <= limit, "(i) %d spheres, h = %g: settled overlap %.3f %% of R "
                        "(paper: %g %%)" % (bodies, step, overlap, limit))


def growth(runs):
    return runs[1]["overlap"] / runs[0]["overlap"]


def check_growth(tally, folder, runs, tight):
    """The largest overlap of one heap is the luck of one contact: more heaps tell the exponent."""
    factors = {bodies: [growth([runs[bodies, step] for step in STEPS])] for bodies in SIZES}
    for bodies in SIZES[:3]:
        for seed in MORE_SEEDS:
            setting = ("generators[0].lattice.seed=%d" % seed,)
            factors[bodies].append(
                growth([measure(folder, bodies, step, setting, repeats=1) for step in STEPS]))
    for bodies in SIZES:
        print("overlap at h = %g over that at h = %g, %d spheres:%s"
              % (STEPS[1], STEPS[0], bodies, "".join(" %.1f" % f for f in factors[bodies])))
    every = [math.log2(factor) for bodies in SIZES for factor in factors[bodies]]
    exponent, error = statistics.mean(every), statistics.stdev(every) / math.sqrt(len(every))
    tally.check(exponent + 2 * error >= 1 and exponent - 2 * error <= 2,
                "(ii) overlap grows as h^(%.2f +- %.2f), mean and standard error of %d heaps (h to "
                "h^2 within two of them; paper: factors 3.6 to 4)" % (exponent, error, len(every)))
    bodies = TIGHT[0]
    print("    It is what the solver leaves at the cap, not the scheme's: %d spheres solved to %s "
          "with cap %s keep %.3f and %.3f %%\n    instead of %.3f and %.3f %%. We take the paper's "
          "overlap to have the same origin."
          % (bodies, tight[0]["tolerance"], tight[0]["cap"], tight[0]["overlap"],
             tight[1]["overlap"], runs[bodies, STEPS[0]]["overlap"],
             runs[bodies, STEPS[1]]["overlap"]))


def residual_history():
    case = os.path.join(CASES, "settling_%d.yaml" % CRITERION_SIZE)
    lines = command_output([SWEEP_HISTORY, case, str(CRITERION_CONTACTS)]).splitlines()
    start = lines.index("sweep residual residual-fclib") + 1
    rows = [line.split() for line in lines[start:]]
    print("one step of %d spheres from a cold start (%s)"
          % (CRITERION_SIZE, ", ".join(line.replace(": ", " ") for line in lines[:start - 1])))
    print("  sweeps   " + " ".join("%8s" % row[0] for row in rows))
    print("  residual " + " ".join("%8.1e" % float(row[1]) for row in rows))
    return {int(row[0]): float(row[1]) for row in rows}


def check_residual(tally):
    """The paper: "an error of 10 % is obtained in 10 iterations only", of an unnamed criterion.

    Our residual is an error already: it is relative to the free velocities of closing contacts.
    """
    residual = residual_history()
    error = residual[CRITERION_SWEEPS]
    first = min((n for n in residual if residual[n] < 0.1 * residual[0]), default=None)
    tally.check(error < 0.1, "(iii) residual after %d sweeps: %.1f %% (paper: an error of 10 %%)"
                % (CRITERION_SWEEPS, 100 * error))
    tally.check(error < 0.1 * residual[0],
                "(iii) that is %.1f %% of the residual of zero impulses (below 10 %%: %s)"
                % (100 * error / residual[0],
                   "after more sweeps than tried" if first is None else "by sweep %d" % first))


def check_speed(tally, runs):
    ratio = runs[800, 0.02]["ratio"]
    tally.check(ratio >= 1, "(iv) 800 spheres, h = 0.02: %.1f times faster than real time" % ratio)
    for bodies in SIZES:
        counts = [(runs[bodies, step]["candidates"] / bodies, runs[bodies, step]["contacts"] / bodies)
                  for step in STEPS]
        tally.check(all(any(2 <= count <= 4 for count in pair) for pair in counts),
                    "(iv) %d spheres: %s candidates and force-bearing contacts per body (2 to 4)"
                    % (bodies, ", ".join("%.2f and %.2f" % pair for pair in counts)))


def main():
    tally = Tally()
    folder = os.path.join(output_folder(), "settling")
    runs = {}
    print("One thread, the faster of %d runs. Overlap after %g s; uncv: steps that end at the cap."
          % (REPEATS, SETTLED))
    print(HEADER)
    for bodies in SIZES:
        for step in STEPS:
            runs[bodies, step] = measure(folder, bodies, step)
            print_row(runs[bodies, step], PAPER.get((bodies, step)))
    tight = [measure(folder, TIGHT[0], step, TIGHT[1], repeats=1) for step in STEPS]
    for run in tight:
        print_row(run, None)
    check_overlap(tally, runs)
    check_growth(tally, folder, runs, tight)
    check_residual(tally)
    check_speed(tally, runs)
    tally.finish()


main()
