#!/usr/bin/python3
"""The Brazil nut and its two controls over several seeds (validation: Renouf and Acary 2006, section 5).

    brazil_nut.py [-o FOLDER] [--seeds 5] [--periods 200] [--jobs 2] [--reuse]

Runs cases/brazil_nut.yaml, brazil_nut_weak.yaml and brazil_nut_equal.yaml with $GABION, then measures from
the frames (one per period) and history.csv: height of the tracer, how many grains lie above it, rise and
rise time, the vertical velocity map of the bed (convection) and its packing fraction. References:
  (i)   shaken at 3 g, the big sphere rises significantly against both controls;
  (ii)  shaken at 0.5 g, it moves by less than 0.2 R;
  (iii) a tracer of the grains' own size does not rise to the top and stay.
--reuse does not repeat the runs that the folder already holds. Weak shaking is run for a sixth of the
periods: a bed that never leaves the floor stays nearly static and needs ten times the sweeps per step. Ends with "N passed, M failed".
"""
import argparse
import csv
import glob
import os
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CASES = {"shaken": "brazil_nut.yaml", "equal": "brazil_nut_equal.yaml", "weak": "brazil_nut_weak.yaml"}
STEPS_PER_PERIOD = 250
BOX = 20.0
STEP = 4.6328e-3
START = 4.0
TOP_LAYER = 80  # grains above the centre of a big sphere that is flush with the surface


def run(job):
    kind, seed, folder, periods = job
    end = START + periods * STEPS_PER_PERIOD * STEP
    command = [os.environ.get("GABION", os.path.join(ROOT, "build/gabion")), "run",
               os.path.join(ROOT, "cases", CASES[kind]), "-o", folder, "-j", "1", "--quiet", "--force",
               "--set", f"generators.0.lattice.seed={seed}", "--set", f"time.end={end}",
               "--set", f"output.frames_every={STEPS_PER_PERIOD}", "--set", "output.vtk_every=0",
               "--set", "output.checkpoint_every=0"]
    result = subprocess.run(command, capture_output=True, text=True)
    with open(os.path.join(folder, "summary.txt"), "w") as summary:
        summary.write(result.stdout)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{result.stderr}")


def is_done(folder):
    return os.path.exists(os.path.join(folder, "summary.txt")) and summary(folder).get("status") == "completed"


def summary(folder):
    with open(os.path.join(folder, "summary.txt")) as lines:
        return dict(line.strip().split(": ", 1) for line in lines if ": " in line)


def history(folder):
    with open(os.path.join(folder, "history.csv")) as rows:
        return list(csv.DictReader(rows))


def frames(folder):
    """Per frame: time, tracer position, positions of the grains (both in order of id)."""
    out = []
    for path in sorted(glob.glob(os.path.join(folder, "frames", "frame-*.h5"))):
        with h5py.File(path) as file:
            bodies = file["bodies"]
            radius, ids, x = bodies["radius"][()], bodies["id"][()], bodies["position"][()]
            order = np.argsort(ids)
            spheres = order[radius[order] > 0]
            # Ids go by definition: the tracer of `bodies` comes before the generated grains.
            out.append((file.attrs["time"], x[spheres[0]], x[spheres[1:]]))
    return out


def period_heights(folder):
    """Height of the tracer averaged over each period of shaking."""
    period, sums = STEPS_PER_PERIOD * STEP, {}
    for row in history(folder):
        n = int((float(row["time"]) - START) // period)
        if n >= 0:
            sums.setdefault(n, []).append(float(row["nut.z"]))
    return [statistics.fmean(sums[n]) for n in sorted(sums)]


def measure(folder):
    shots = [shot for shot in frames(folder) if shot[0] >= START]
    above = [int(np.sum(grains[:, 2] > tracer[2])) for _, tracer, grains in shots]
    heights = period_heights(folder)
    late = max(1, len(above) // 3)
    top = [n for n in range(len(above) - 4) if statistics.median(above[n:n + 5]) <= TOP_LAYER]
    last = shots[-1][2]
    bed = np.percentile(last[:, 2], 95)
    inner = np.sum((last[:, 2] > 2) & (last[:, 2] < bed - 2))
    return {
        "rise": statistics.fmean(heights[-10:]) - heights[0],
        "share_below": 1 - statistics.fmean(above[-late:]) / len(last),
        "rise_periods": top[0] if top else None,
        "moved": max(abs(h - heights[0]) for h in heights),
        "packing": float(inner * 4 / 3 * np.pi / (BOX * BOX * (bed - 4))),
        "above": above,
        "heights": heights,
        "summary": summary(folder),
    }


def convection(folder):
    """Mean rise per period of the grains at the walls (outer 2 R) and in the middle."""
    shots = [shot for shot in frames(folder) if shot[0] >= START + 10]
    outer, inner = [], []
    for (_, _, a), (_, _, b) in zip(shots, shots[1:]):
        edge = np.minimum(np.minimum(a[:, 0], BOX - a[:, 0]), np.minimum(a[:, 1], BOX - a[:, 1]))
        change = b[:, 2] - a[:, 2]
        outer.append(change[edge < 2].mean())
        inner.append(change[edge > 5].mean())
    return statistics.fmean(outer), statistics.fmean(inner)


def welch(a, b):
    """Welch's t of two small samples."""
    va, vb = statistics.variance(a) / len(a), statistics.variance(b) / len(b)
    return (statistics.fmean(a) - statistics.fmean(b)) / max((va + vb) ** 0.5, 1e-12)


def mean_spread(values):
    return f"{statistics.fmean(values):.2f} +- {statistics.stdev(values):.2f}"


def report(results, weak_periods):
    print(f"{'run':10} {'seed':>4} {'rise/R':>7} {'share below':>11} {'top layer after':>15} {'packing':>8} "
          f"{'unconverged':>11} {'steps':>6} {'wall s':>7}")
    for kind, runs in results.items():
        for seed, m in enumerate(runs, 1):
            s = m["summary"]
            top = "never" if m["rise_periods"] is None else f"{m['rise_periods']} periods"
            print(f"{kind:10} {seed:4} {m['rise']:7.2f} {m['share_below']:11.2f} {top:>15} {m['packing']:8.3f} "
                  f"{s['unconverged-steps']:>11} {s['steps']:>6} {float(s['wall-time']):7.0f}")
    shaken, weak, equal = results["shaken"], results["weak"], results["equal"]
    times = [m["rise_periods"] for m in shaken if m["rise_periods"] is not None]
    print(f"big sphere: rise {mean_spread([m['rise'] for m in shaken])} R, share of grains below it "
          f"{mean_spread([m['share_below'] for m in shaken])}, {len(times)} of {len(shaken)} seeds reach the top layer"
          + (f" after {mean_spread(times)} periods" if len(times) > 1 else ""))
    print(f"equal tracer: rise {mean_spread([m['rise'] for m in equal])} R, share below "
          f"{mean_spread([m['share_below'] for m in equal])}")
    print(f"weak shaking: largest displacement {max(m['moved'] for m in weak):.3f} R in {weak_periods} periods")
    t_equal = welch([m["share_below"] for m in shaken], [m["share_below"] for m in equal])
    t_weak = welch([m["rise"] for m in shaken], [m["rise"] for m in weak])
    return [
        ("(i) rises against the equal-size control (Welch t of the share below > 3)", t_equal > 3, f"t = {t_equal:.1f}"),
        ("(i) rises against weak shaking (Welch t of the rise > 3)", t_weak > 3, f"t = {t_weak:.1f}"),
        ("(ii) weak shaking moves the big sphere by less than 0.2 R", all(m["moved"] < 0.2 for m in weak), ""),
        # Mixing alone brings a tracer that starts on the floor to half height in the end.
        ("(iii) the equal tracer does not come to lie above the middle, nor reach the top layer",
         statistics.fmean([m["share_below"] for m in equal]) <= 0.55
         and all(m["rise_periods"] is None for m in equal), ""),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", default=os.path.join(ROOT, "build/validate/brazil_nut"))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--periods", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--reuse", action="store_true")
    arguments = parser.parse_args()
    folder = {(kind, seed): os.path.join(arguments.o, f"{kind}-{seed}")
              for kind in CASES for seed in range(1, arguments.seeds + 1)}
    periods = {"shaken": arguments.periods, "weak": arguments.periods // 6, "equal": arguments.periods}
    jobs = [(kind, seed, path, periods[kind]) for (kind, seed), path in folder.items()
            if not (arguments.reuse and is_done(path))]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(run, jobs))
    results = {kind: [measure(folder[kind, seed]) for seed in range(1, arguments.seeds + 1)] for kind in CASES}
    lines = report(results, periods["weak"])
    outer, inner = convection(folder["shaken", 1])
    print(f"convection, seed 1: grains at the walls move {outer:+.3f} R per period, in the middle {inner:+.3f} R")
    passed = 0
    for name, good, detail in lines:
        print(f"{'pass' if good else 'FAIL'}: {name} {detail}")
        passed += good
    print(f"{passed} passed, {len(lines) - passed} failed")
    return 0 if passed == len(lines) else 1


if __name__ == "__main__":
    sys.exit(main())
