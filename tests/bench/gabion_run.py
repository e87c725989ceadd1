"""Runs gabion and reads what it says. Standard library only."""
import os
import resource
import subprocess
import sys
import time


def program():
    """The binary under test: $GABION, or the one of a plain `make`."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    path = os.environ.get("GABION", os.path.join(root, "build", "gabion"))
    if not os.access(path, os.X_OK):
        sys.exit(f"{path}: not a program; build it with make, or set GABION")
    return path


def shipped_case(name):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return os.path.join(root, "cases", name)


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


class Verdict:
    """Checks count towards the exit status; aims on time are told but never fail."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, good):
        self.passed += good
        self.failed += not good
        print(f"{'pass' if good else 'FAIL'}: {what}")

    def aim(self, what, met):
        print(f"aim {'met' if met else 'missed'}: {what}")

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0
