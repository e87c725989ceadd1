#!/usr/bin/env python3
"""The engine against the number of grains: the settling lattice of cases/grains_1m.yaml, 50 sweeps
in every step, from a thousand to a million grains, on one thread and on two.

Times are the least of several runs. On a machine that is not quiet the clock counts other people's
work too, so one-thread aims are judged by processor time: that of the run less that of a run of
the same case without steps. `busy` is processor time over clock time and threads; well below one
means that the clock columns of that row are not to be trusted.
"""
import argparse
import os
import shutil
import sys
import tempfile

from gabion_run import BENCH, QUIET, Verdict, gabion, growth_exponent, shipped_case
from section import Section

SIZES = [10, 22, 46, 68, 100]  # grains along an edge
SPACING = 0.02001
SWEEPS = 50
PHASES = ["predict", "broad", "narrow", "contacts", "problem", "solve", "integrate", "ledger"]
MEMORY_LEAST = 90_000  # below this the program itself weighs more than the grains


def steps_for(grains):
    """Enough for contacts to be there, and for times above the millisecond that is printed."""
    return max(5, min(100, 200_000 // grains))


def arguments(edge, threads, steps, folder):
    side = edge * SPACING
    return ["run", shipped_case("grains_1m.yaml"), "-o", folder, "-j", threads, "--steps", steps,
            *QUIET,
            "--set", f"generators.0.lattice.count=[{edge}, {edge}, {edge}]",
            "--set", f"containers.0.box.max=[{side:.6f}, {side:.6f}, {1.25 * side:.6f}]",
            "--set", "solver.method=nsgs",
            "--set", f"solver.max_sweeps={SWEEPS}",
            "--set", "solver.tolerance=1e-300",
            "--set", "solver.on_cap=accept"]


def measure(edge, threads, repeats, folder):
    grains = edge ** 3
    steps = steps_for(grains)
    idle = min(gabion(*arguments(edge, threads, 0, folder))["cpu"] for _ in range(repeats))
    runs = [gabion(*arguments(edge, threads, steps, folder)) for _ in range(repeats)]
    best = min(runs, key=lambda run: float(run["time-solve"]))
    phase = {p: min(float(run["time-" + p]) for run in runs) / steps for p in PHASES}
    cpu = (min(run["cpu"] for run in runs) - idle) / steps
    wall = min(sum(float(run["time-" + p]) for p in PHASES) for run in runs) / steps
    nanoseconds = min(float(run.get("ns-per-contact-sweep", "nan")) for run in runs)  # of sweeps alone
    memory = max(float(run["peak-memory-mb"]) for run in runs)
    return {
        "grains": int(best["bodies"]), "candidates": int(best["candidates"]),
        "contacts": int(best["contacts"]), "threads": int(best["threads"]),
        "wall": wall, "cpu": cpu, "busy": cpu / (wall * threads), "phase": phase,
        "ns": nanoseconds, "ns_cpu": nanoseconds * min(cpu / wall, 1),
        "memory": memory, "bytes": memory * 2 ** 20 / grains, "hash": best["state-hash"],
    }


HEAD = ["grains", "candidates", "contacts", "threads", "s/step", "cpu s/step", "busy",
        *PHASES, "ns", "ns cpu", "MB", "bytes/grain"]


def draw(rows, counts):
    section = Section(BENCH, "scale", "Grains: scale and phases", "runs")
    section.text("<p>%s</p>" % " ".join(__doc__.split()))
    section.table("Times are seconds per step", HEAD, [cells_of(row) for row in rows])
    section.plot("scale.svg", "A step, by threads. A straight line of slope one is linear growth.", "grains", "s per step", [
        ("%d thread(s)" % count, [row["grains"] for row in rows if row["threads"] == count],
         [row["wall"] for row in rows if row["threads"] == count]) for count in counts], log_x=True, log_y=True)
    section.plot("nanoseconds.svg", "Sweeps with their checks, per contact.", "contacts", "ns per contact and sweep", [
        ("%d thread(s)" % count, [row["candidates"] for row in rows if row["threads"] == count],
         [row["ns"] for row in rows if row["threads"] == count]) for count in counts], log_x=True)
    section.plot("phases.svg", "Phases of a step on one thread (the first of the counts).", "grains", "ns per grain and step", [
        (phase, [row["grains"] for row in rows if row["threads"] == counts[0]],
         [1e9 * row["phase"][phase] / row["grains"] for row in rows if row["threads"] == counts[0]]) for phase in PHASES],
        log_x=True, log_y=True)
    section.write()


def print_row(row):
    print_cells(cells_of(row))


def cells_of(row):
    return [row["grains"], row["candidates"], row["contacts"], row["threads"],
            f"{row['wall']:.4f}", f"{row['cpu']:.4f}", f"{row['busy']:.2f}",
            *(f"{row['phase'][p]:.4f}" for p in PHASES),
            f"{row['ns']:.1f}", f"{row['ns_cpu']:.1f}" if row["threads"] == 1 else "-",
            f"{row['memory']:.0f}", f"{row['bytes']:.0f}"]


def print_cells(cells):
    widths = [max(len(h), 8) for h in HEAD]
    print("  ".join(str(c).rjust(w) for c, w in zip(cells, widths)), flush=True)


def judge_growth(rows, thread_counts, verdict):
    for threads in thread_counts:
        mine = [row for row in rows if row["threads"] == threads]
        if len(mine) < 2:
            continue
        clock = growth_exponent([(row["grains"], row["wall"]) for row in mine])
        cpu = growth_exponent([(row["grains"], row["cpu"]) for row in mine])
        print(f"growth exponent, {threads} thread(s): {clock:.3f} by the clock, "
              f"{cpu:.3f} by processor time")
        if threads == 1:
            verdict.aim(f"cost grows with grains to the power {cpu:.3f}, asked at most 1.10",
                        cpu <= 1.10)


def judge_speed(rows, verdict):
    for row in rows:
        if row["threads"] == 1 and 900_000 <= row["candidates"] < 2_000_000:
            verdict.aim(f"{row['ns_cpu']:.1f} ns per contact per sweep on one thread at "
                        f"{row['candidates']} contacts, asked at most 30", row["ns_cpu"] <= 30)
    for one in rows:
        for two in rows:
            if one["threads"] == 1 and two["threads"] == 2 and one["grains"] == two["grains"]:
                print(f"two threads at {one['grains']} grains: solve "
                      f"{one['phase']['solve'] / two['phase']['solve']:.2f} times faster, step "
                      f"{one['wall'] / two['wall']:.2f} times; with both cores to themselves at "
                      f"least {2 * one['cpu'] / two['cpu']:.2f} times by processor time")


def judge_results(rows, verdict):
    for grains in sorted({row["grains"] for row in rows}):
        hashes = {row["hash"] for row in rows if row["grains"] == grains}
        verdict.check(f"{grains} grains: the same bits for every number of threads",
                      len(hashes) == 1)
    largest = max(rows, key=lambda row: (row["grains"], row["bytes"]))
    if largest["grains"] >= MEMORY_LEAST:
        verdict.check(f"{largest['bytes']:.0f} bytes per grain at {largest['grains']} grains, all "
                      f"in; asked at most 1536", largest["bytes"] <= 1536)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=1_000_000, help="grains (default 1000000)")
    parser.add_argument("--repeats", type=int, default=2, help="runs of each row (default 2)")
    parser.add_argument("--threads", default="1,2", help="thread counts (default 1,2)")
    options = parser.parse_args()
    counts = [int(t) for t in options.threads.split(",")]
    rows, verdict = [], Verdict()
    print_cells(HEAD)
    scratch = tempfile.mkdtemp(prefix="gabion-scale-")
    try:
        for edge in SIZES:
            for threads in counts if edge ** 3 <= options.largest else []:
                rows.append(measure(edge, threads, options.repeats, os.path.join(scratch, "out")))
                print_row(rows[-1])
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    if not rows:
        sys.exit(f"--largest {options.largest}: the smallest case has {SIZES[0] ** 3} grains")
    draw(rows, counts)
    judge_growth(rows, counts, verdict)
    judge_speed(rows, verdict)
    judge_results(rows, verdict)
    return verdict.end()


if __name__ == "__main__":
    sys.exit(main())
