#!/usr/bin/env python3
"""Every scene with its solver section left out, against the methods that one would choose by hand: unsolved
steps, processor time and its ratio to the best method that leaves no more steps unsolved. Fails where the
default leaves steps unsolved; that it takes at most LIMIT times as long is an aim. Times are the least of
--repeats runs on one thread. With --quick the runs are a fifth as long."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "bench"))
from gabion_run import program  # noqa: E402
from verdict import Verdict  # noqa: E402

LIMIT = 1.2
# Scene, steps, methods worth choosing by hand, keys of its solver section that are not the method's choice.
SCENES = (
    ("tests/validation/defaults/tower.yaml", 400, ("newton", "nsgs"), ()),
    ("cases/arch.yaml", 2500, ("newton", "nsgs"), ("tolerance=1e-6",)),
    ("cases/chateau_gombert.yaml", 1300, ("newton",), ("tolerance=1e-6", "measure=scaled")),
    ("cases/brazil_nut.yaml", 3000, ("nsgs", "newton"), ("tolerance=1e-3",)),
    ("cases/papers/settling_800.yaml", 1000, ("nsgs", "newton"), ("tolerance=1e-4",)),
    ("tests/validation/defaults/drum.yaml", 1000, ("nsgs", "newton"), ()),
    ("tests/validation/defaults/hopper.yaml", 1000, ("nsgs", "newton"), ()),
)
TIME_LIMIT = 600  # s; a method that needs longer is not the best one


def case_without_solver(path, folder):
    """A copy of the case, and of what it includes, without its solver section."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^solver:.*\n", "", file.read(), flags=re.M)
    for name in re.findall(r"^include: (\S+)", text, flags=re.M):
        case_without_solver(os.path.join(os.path.dirname(path), name), folder)
    copy = os.path.join(folder, os.path.basename(path))
    with open(copy, "w", encoding="utf-8") as file:
        file.write(text)
    return copy


def run(case, steps, keys, folder):
    """Unsolved steps and processor time in seconds; None where it took too long."""
    arguments = ["run", case, "--steps", str(steps), "-o", os.path.join(folder, "out"), "--force", "--quiet", "-j", "1"]
    for key in ("output.vtk_every=0", "output.checkpoint_every=0", "solver.on_cap=accept") + keys:
        arguments += ["--set", key]
    before = os.times()
    try:
        done = subprocess.run([program()] + arguments, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return None
    after = os.times()
    if done.returncode != 0:
        sys.exit(done.stderr)
    unsolved = int(re.search(r"^unconverged-steps: (\d+)", done.stdout, flags=re.M).group(1))
    return unsolved, after.children_user - before.children_user


def measure(case, steps, keys, folder, repeats):
    results = [run(case, steps, keys, folder) for _ in range(repeats)]
    return None if None in results else (results[0][0], min(seconds for _, seconds in results))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    verdict = Verdict()
    print(f"{'scene':16} {'method':8} {'unsolved':>8} {'of':>5} {'CPU s':>8} {'ratio':>6}")
    for path, steps, methods, keys in SCENES:
        steps = max(steps // 5, 50) if options.quick else steps
        name = os.path.splitext(os.path.basename(path))[0]
        with tempfile.TemporaryDirectory() as folder:
            case = case_without_solver(os.path.join(ROOT, path), folder)
            keys = tuple("solver." + key for key in keys)
            found = {"auto": measure(case, steps, keys, folder, options.repeats)}
            for method in methods:
                found[method] = measure(case, steps, keys + ("solver.method=" + method,), folder, options.repeats)
        if found["auto"] is None:
            verdict.check(f"{name}: the default takes less than {TIME_LIMIT} s", False)
            continue
        unsolved, seconds = found["auto"]
        rivals = [result[1] for method, result in found.items()
                  if method != "auto" and result is not None and result[0] <= unsolved]
        ratio = seconds / min(rivals) if rivals else 0
        for method, result in found.items():
            row = ("", f"> {TIME_LIMIT}") if result is None else (result[0], f"{result[1]:.2f}")
            shown = f"{ratio:.2f}" if method == "auto" and rivals else ""
            print(f"{name:16} {method:8} {row[0]:>8} {steps:>5} {row[1]:>8} {shown:>6}", flush=True)
        verdict.check(f"{name}: every step is solved by default", unsolved == 0)
        verdict.aim(f"{name}: at most {LIMIT} times the time of the best method by hand", ratio <= LIMIT)
    return verdict.end()


if __name__ == "__main__":
    sys.exit(main())
