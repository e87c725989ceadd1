"""Runs gabion and reads what it says. Standard library only."""
import math
import os
import resource
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path += [os.path.join(ROOT, "tests", folder) for folder in ("validation", "papers")]  # of verdict.py and section.py
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
BENCH = os.path.abspath(os.environ.get("BENCH", os.path.join(ROOT, "out", "bench")))  # where the page goes
from verdict import Verdict  # noqa: E402,F401  (for the scripts of this folder)


def program():
    """The binary under test: $GABION, or the one of a plain `make`."""
    path = os.environ.get("GABION", os.path.join(ROOT, "build", "gabion"))
    if not os.access(path, os.X_OK):
        sys.exit(f"{path}: not a program; build it with make, or set GABION")
    return path


def shipped_case(name):
    return os.path.join(ROOT, "cases", name)


def gabion(*arguments):
    """Runs gabion and returns its `key: value` lines as a dictionary. Added are `wall` and `cpu`:
    seconds on the clock, and of processor time over all threads, from start to end."""
    command = [program(), *map(str, arguments)]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {result.returncode}\n{result.stderr}")
    lines = [line.split(": ", 1) for line in result.stdout.splitlines() if ": " in line]
    values = {line[0]: line[1].strip() for line in lines}
    values["wall"] = wall
    values["cpu"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return values


QUIET = ["-q", "--force"]
for key in ("vtk_every", "checkpoint_every", "history_every", "frames_every"):
    QUIET += ["--set", f"output.{key}=0"]


def growth_exponent(points):
    """Slope of the least-squares line through (log size, log cost)."""
    logs = [(math.log(n), math.log(t)) for n, t in points]
    x0 = sum(x for x, _ in logs) / len(logs)
    y0 = sum(y for _, y in logs) / len(logs)
    return sum((x - x0) * (y - y0) for x, y in logs) / sum((x - x0) ** 2 for x, _ in logs)
