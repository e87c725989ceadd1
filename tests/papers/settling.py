#!/usr/bin/python3
"""Spheres settling in a box (Renouf, Acary, Dumont 2005, section 8.3, table 1, figure 6; the slides' table)."""
import math
import os
import re
import statistics
import subprocess
import sys

from section import GABION, Section, arguments, case_path, history, run, sets

SWEEP_HISTORY = os.path.join(os.path.dirname(GABION), "tests", "papers", "sweep_history")
SIZES, STEPS = (80, 160, 320, 800), (0.02, 0.04)
END, SETTLED = 35.0, 25.0  # s; what is called settled is the last ten seconds

# Contacts, real-time ratio, overlap in % of the radius; then contacts and ratio of the slides, which give no step.
PAPER = {
    (80, 0.02): (271, "1.24", 0.3), (80, 0.04): (267, "2.28", 1.2),
    (160, 0.02): (587, "0.95", 0.5), (160, 0.04): (584, "1.50", 1.8),
    (320, 0.02): (1218, "0.50", 0.6), (320, 0.04): (1275, "0.75", 2.2),
}
SLIDES = {80: (160, "> 1"), 160: (450, "> 1"), 320: (1250, "0.8"), 800: (3200, "0.2")}
TIGHT = {"solver.max_sweeps": 1000}
MORE_SEEDS = (2, 3, 4, 5)
CRITERION_SIZE, CRITERION_CONTACTS, CRITERION_SWEEPS = 320, 600, 10
BUDGET_SHARES = (1.0, 0.5, 0.25, 0.1, 0.05)  # of real time, per step


def measure(section, bodies, step, settings=()):
    folder = section.scratch("%d-%g" % (bodies, step))
    summary = run("papers/settling_%d" % bodies, folder, *sets({"time.step": step, **dict(settings)}))
    rows = history(folder)
    wall = float(summary["wall-time"])
    return {
        "candidates": int(summary["candidates"]), "contacts": int(summary["contacts"]),
        "unconverged": int(summary["unconverged-steps"]), "steps": int(summary["steps"]),
        "ratio": END / float(summary["cpu-time"]),
        "detection": 100 * (float(summary["time-broad"]) + float(summary["time-narrow"])) / wall,
        "assembly": 100 * (float(summary["time-contacts"]) + float(summary["time-problem"])) / wall,
        "solve": 100 * float(summary["time-solve"]) / wall,
        "overlap": 100 * rows["max_overlap_relative"][rows["time"] > SETTLED].max(),
        "peak": 100 * rows["max_overlap_relative"].max(), "rows": rows,
    }


def table_row(bodies, step, trial):
    contacts, ratio, overlap = PAPER.get((bodies, step), ("-", "-", "-"))
    slide = SLIDES[bodies] if step == STEPS[0] else ("", "")
    return (bodies, step, trial["candidates"], trial["contacts"], contacts, slide[0],
            "%.2f / %.2f" % (trial["candidates"] / bodies, trial["contacts"] / bodies),
            "%.0f" % trial["ratio"], ratio, slide[1], "%.3f" % trial["overlap"], overlap)


def run_table(section):
    runs = {(bodies, step): measure(section, bodies, step) for bodies in SIZES for step in STEPS}
    section.table("Table 1 and the slides' table. Ours on one thread, ratio of simulated to processor time; tolerance 1e-4, "
                  "cap 100 sweeps. Overlap after %g s" % SETTLED, (
                      "spheres", "h [s]", "candidates", "force-bearing", "paper's contacts", "slides", "per sphere",
                      "real-time ratio", "paper", "slides", "overlap [% of R]", "paper"),
                  [table_row(bodies, step, trial) for (bodies, step), trial in runs.items()])
    section.table("The same runs: overlap while settling, steps that ended at the cap, and where the time goes", (
        "spheres", "h [s]", "peak overlap [% of R]", "steps at the cap", "detection [%]", "assembly [%]", "solve [%]"),
        [(bodies, step, "%.2f" % t["peak"], "%d of %d" % (t["unconverged"], t["steps"]),
          *("%.0f" % t[part] for part in ("detection", "assembly", "solve"))) for (bodies, step), t in runs.items()])
    return runs


def check_overlap(section, runs):
    for (bodies, step), (_, _, limit) in PAPER.items():
        overlap = runs[bodies, step]["overlap"]
        section.check("4 (i) %d spheres, h = %g" % (bodies, step), "overlap <= %g %% of R" % limit, "%.3f %%" % overlap,
                      overlap <= limit)


def check_growth(section, runs):
    """The largest overlap of one heap is the luck of one contact: more heaps tell the exponent."""
    factors = {bodies: [runs[bodies, 0.04]["overlap"] / runs[bodies, 0.02]["overlap"]] for bodies in SIZES}
    for bodies in SIZES[:3]:
        for seed in MORE_SEEDS:
            heaps = [measure(section, bodies, step, {"generators[0].lattice.seed": seed}) for step in STEPS]
            factors[bodies].append(heaps[1]["overlap"] / heaps[0]["overlap"])
    every = [math.log2(factor) for bodies in SIZES for factor in factors[bodies]]
    exponent, error = statistics.mean(every), statistics.stdev(every) / math.sqrt(len(every))
    section.check("4 (ii) growth with h", "h to h^2 within two standard errors (paper: factors 3.6 to 4)",
                  "h^(%.2f +- %.2f), %d heaps" % (exponent, error, len(every)),
                  exponent + 2 * error >= 1 and exponent - 2 * error <= 2)
    tight = [measure(section, 320, step, TIGHT) for step in STEPS]
    section.table("Overlap at h = 0.04 over that at h = 0.02, heap by heap, and overlaps of 320 spheres with cap 1000",
                  ("spheres", "factors", "overlap at cap 100 [%]", "at cap 1000 [%]"),
                  [(bodies, " ".join("%.1f" % f for f in factors[bodies]),
                    " / ".join("%.3f" % runs[bodies, step]["overlap"] for step in STEPS),
                    " / ".join("%.3f" % t["overlap"] for t in tight) if bodies == 320 else "") for bodies in SIZES])
    section.note("the overlap is what the solver leaves at the cap, not the scheme's. We take the paper's to have the same origin.")


def check_residual(section):
    """The paper: "an error of 10 % is obtained in 10 iterations only", of an unnamed criterion.

    Our residual is an error already: it is relative to the free velocities of closing contacts.
    """
    command = [SWEEP_HISTORY, case_path("papers/settling_%d" % CRITERION_SIZE), str(CRITERION_CONTACTS)]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    start = lines.index("sweep residual residual-fclib") + 1
    residual = {int(sweep): float(value) for sweep, value, _ in map(str.split, lines[start:])}
    error = residual[CRITERION_SWEEPS]
    section.plot("settling-sweeps.svg", "Figure 6a: residual against sweeps at a step with %s contacts of %d spheres, from "
                 "impulses that start at zero." % (re.search(r"candidates: (\d+)", "\n".join(lines)).group(1), CRITERION_SIZE),
                 "sweeps", "residual", [("nsgs", list(residual), list(residual.values())),
                                        ("10 %", [1, max(residual)], [0.1, 0.1])], log_x=True, log_y=True)
    section.check("4 (iii) residual after 10 sweeps", "an error of 10 % (paper)", "%.1f %%" % (100 * error), error < 0.1)
    section.check("4 (iii) against the residual of zero impulses", "below 10 % within 10 sweeps",
                  "%.1f %%" % (100 * error / residual[0]), error < 0.1 * residual[0])


def check_speed(section, runs):
    ratio = runs[800, 0.02]["ratio"]
    section.check("4 (iv) 800 spheres, h = 0.02", "real-time ratio >= 1 (slides: 0.2)", "%.1f" % ratio, ratio >= 1)
    for bodies in SIZES:
        pairs = [(runs[bodies, step]["candidates"] / bodies, runs[bodies, step]["contacts"] / bodies) for step in STEPS]
        section.check("4 contacts per sphere, %d spheres" % bodies, "2 to 4, by one of the two counts",
                      ", ".join("%.2f and %.2f" % pair for pair in pairs),
                      all(any(2 <= count <= 4 for count in pair) for pair in pairs))


def draw_run(section, runs):
    rows = runs[320, 0.02]["rows"]
    section.plot("settling-contacts.svg", "Figure 6b: contacts through the run of 320 spheres, h = 0.02.", "t [s]", "contacts",
                 [("candidates", rows["time"], rows["candidates"]), ("force-bearing", rows["time"], rows["contacts"])])
    section.plot("settling-iterations.svg", "Figure 6b: sweeps of each step of the same run; 100 is the cap. At the cap while "
                 "settling, erratic after.", "t [s]", "sweeps", [("sweeps", rows["time"], rows["sweeps"])])
    early, late = rows["time"] < 5, rows["time"] > 15
    section.check("4 sweeps through the run", "more while settling than after", "mean %.0f until 5 s, %.0f after 15 s" % (
        rows["sweeps"][early].mean(), rows["sweeps"][late].mean()), rows["sweeps"][early].mean() > rows["sweeps"][late].mean())


def draw_heap(section):
    folder = section.scratch("picture")
    run("papers/settling_800", folder, *sets({"output.vtk_every": 1750}))
    section.render(folder, "settling.png", "Figure 5a: 800 spheres after 35 s.", "--color", "coordination")


def has_key(name):
    text = subprocess.run([GABION, "explain", "--markdown"], stdout=subprocess.PIPE, text=True).stdout
    return "`%s`" % name in text


def compare_budgets(section):
    """A budget of wall-clock time per step in the place of a cap on sweeps, as real time asks."""
    if not has_key("time_budget"):
        section.note("the real-time comparison needs the key solver.time_budget, which this build does not have.")
        return
    rows = []
    for share in BUDGET_SHARES:
        trial = measure(section, 800, 0.02, {"solver.max_sweeps": 100000, "solver.time_budget": 0.02 * share})
        rows.append(("%g ms" % (20 * share), "%.1f" % trial["rows"]["sweeps"].mean(), "%.3f" % trial["overlap"],
                     "%.2f" % trial["peak"], "%.0f" % trial["ratio"]))
    section.table("800 spheres, h = 0.02, with a budget of wall-clock time for each solve; 20 ms is real time. These runs "
                  "depend on the machine and on what else it does, and cannot be repeated bit by bit",
                  ("budget", "mean sweeps", "settled overlap [% of R]", "peak", "real-time ratio"), rows)


def main():
    options = arguments(__doc__)
    section = Section(options.folder, "settling", "Settling spheres: Table 1, the slides' table, Fig. 6 (8.3)", "2005")
    section.text("""<p>The paper settles 80, 160 and 320 spheres in a box with friction, at h = 0.02 and 0.04 s, and prints contacts,
    the ratio Sp of simulated to elapsed time and the largest overlap. It finds real time for 80 and 160 spheres;
    the slides add 800. Silent: radius, box, friction, tolerance and cap. Ours: R = 1 m, boxes of 8, 8, 10 and 14 m,
    mu = 0.3, e = 0, density 2500, 35 s, tolerance 1e-4 and cap 100 (cases/papers/settling*.yaml has the
    reasons).</p>
    <p>What differs: the ratio is that of the machine and of twenty years. Contact counts of the paper and the
    slides disagree for 80 and 160 spheres; beyond three contacts per sphere they cannot all bear force, so the
    papers count candidates. Both counts are given.</p>""")
    runs = run_table(section)
    check_overlap(section, runs)
    check_growth(section, runs)
    check_residual(section)
    draw_run(section, runs)
    check_speed(section, runs)
    compare_budgets(section)
    draw_heap(section)
    section.write()
    sys.exit(section.failures > 0)


main()
