#!/usr/bin/env python3
"""Measures runs on several ranks and threads of this machine, for docs/cluster.md and docs/ranks-model.md.

A scene is a case file, or a checkpoint or the folder of a run that goes on. The runs named by --runs take turns; of each the repeat
counts whose solving is the shortest, because other programs may have the cores meanwhile. The state-hashes must agree.

With --caps A,B each run is done with at most A and at most B sweeps in each step and no tolerance; a sweep is then what the further
sweeps took, without setting up and with few checks. This is what tests/bench/ranks_model.py predicts, and --csv writes it for its
--measured. Without --caps a sweep is the time of solving over the number of sweeps, checks and setting up included."""
import argparse
import csv
import os
import subprocess
import sys
import tempfile

import gabion_run

LAUNCHER = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl": "^tcp"}
RESOLUTION = 1e-3  # s, of the times in a summary
COLUMNS = ("ranks x threads", "sweeps", "a sweep, us", "faster", "a step, ms", "faster", "exchange", "messages", "kB")


def counts(text):
    return [tuple(int(number) for number in part.split("x")) for part in text.split(",")]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scene", nargs="+")
    parser.add_argument("--runs", type=counts, default=[(1, 1), (2, 1), (1, 2)], metavar="RxT,...",
                        help="ranks x threads of each (1x1,2x1,1x2); the first is what the others are compared with")
    parser.add_argument("--steps", type=int, default=6, help="of each run (%(default)s)")
    parser.add_argument("--repeats", type=int, default=3, help="(%(default)s)")
    parser.add_argument("--caps", type=lambda text: [int(part) for part in text.split(",")], default=[], metavar="A,B")
    parser.add_argument("--csv", help="writes ranks,seconds,messages,bytes of the runs with one thread to this file")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="of the case")
    options = parser.parse_args()
    if len(options.caps) != 2 and (options.caps or not all(scene.endswith(".yaml") for scene in options.scene)):
        parser.error("--caps A,B: two numbers, which a run that goes on needs, whose summary counts earlier sweeps, too")
    return options


def words_of(options, scene, cap, folder):
    verb = "run" if scene.endswith(".yaml") else "resume"
    words = [verb, scene, "-o", folder, "--steps", str(options.steps), "--set", "solver.method=nsgs", "-q"]
    settings = [f"output.{key}_every=0" for key in ("vtk", "checkpoint", "history", "frames")]
    if cap:
        settings += [f"solver.max_sweeps={cap}", "solver.tolerance=1e-14", "solver.on_cap=accept"]
    for setting in settings + options.set:
        words += ["--set", setting]
    return words


def measure(options, scene, ranks, threads, cap):
    """One run: the `key: value` lines of its summary."""
    program = os.environ.get("GABION_MPI", os.path.join(gabion_run.BUILD, "mpi", "gabion"))
    cores = len(os.sched_getaffinity(0))
    environment = {**os.environ, **LAUNCHER, "OMPI_MCA_mpi_yield_when_idle": "1" if ranks * threads > cores else "0"}
    with tempfile.TemporaryDirectory(prefix="ranks-") as folder:
        words = words_of(options, scene, cap, os.path.join(folder, "run"))
        launcher = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
        done = subprocess.run([*launcher, program, *words, "-j", str(threads)], env=environment, capture_output=True, text=True,
                              check=False)
    lines = dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)
    if done.returncode != 0 or "time-solve" not in lines:
        sys.exit(f"{' '.join(words)} on {ranks} x {threads}: status {done.returncode}\n{done.stderr}")
    return lines


def solving(values):
    return float(values["time-solve"])


def best_of(options, scene):
    """By run and cap, the repeat that solved fastest. Repeats take turns."""
    best = {}
    for _ in range(options.repeats):
        for run in options.runs:
            for cap in options.caps or [0]:
                values = measure(options, scene, *run, cap)
                if (run, cap) not in best or solving(values) < solving(best[run, cap]):
                    best[run, cap] = values
    return best


def row_of(options, best, run):
    """The numbers of one run, per sweep and per step."""
    values = [best[run, cap] for cap in options.caps or [0]]
    last, sweeps, seconds = values[-1], int(values[-1]["sweeps"]), solving(values[-1])
    if len(values) > 1:
        sweeps -= int(values[0]["sweeps"])
        seconds -= solving(values[0])
    seconds = max(seconds, RESOLUTION / 2)
    return {"ranks": run[0], "threads": run[1], "sweeps": sweeps, "seconds": seconds / sweeps,
            "step": float(last["wall-time"]) / options.steps, "exchange": float(last.get("exchange-share", 0)),
            "messages": float(last.get("messages-per-sweep", 0)), "bytes": float(last.get("bytes-per-sweep", 0))}


def print_table(scene, best, rows):
    values = next(iter(best.values()))
    print(f"\n{scene}: {values['bodies']} bodies, {values['contacts']} contacts\n" + " | ".join(COLUMNS))
    for row in rows:
        print(f"{row['ranks']} x {row['threads']} | {row['sweeps']} | {1e6 * row['seconds']:.0f} | "
              f"{rows[0]['seconds'] / row['seconds']:.2f} | {1e3 * row['step']:.1f} | {rows[0]['step'] / row['step']:.2f} | "
              f"{100 * row['exchange']:.1f} % | {row['messages']:.1f} | {row['bytes'] / 1000:.0f}", flush=True)
    cost = f"{1e9 * rows[0]['seconds'] / int(values['contacts']):.1f}" if len(best) > len(rows) else values["ns-per-contact-sweep"]
    print(f"{cost} ns per contact and sweep in the first run")


def same_bits(best):
    """Whether the runs with the same cap ended in the same state."""
    hashes = {(cap, values["state-hash"]) for (_, cap), values in best.items()}
    print("state-hashes agree" if len(hashes) == len({cap for cap, _ in hashes}) else f"FAILED: {hashes}")
    return len(hashes) == len({cap for cap, _ in hashes})


def write_csv(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["ranks", "seconds", "messages", "bytes"])
        writer.writerows([row["ranks"], row["seconds"], row["messages"], row["bytes"]] for row in rows if row["threads"] == 1)


def main():
    options, good = parse(), True
    for scene in options.scene:
        best = best_of(options, scene)
        rows = [row_of(options, best, run) for run in options.runs]
        print_table(scene, best, rows)
        good = same_bits(best) and good
        if options.csv:
            write_csv(options.csv, rows)
    return not good


if __name__ == "__main__":
    sys.exit(main())
