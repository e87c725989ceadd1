#!/usr/bin/python3
"""Attacks on runs and on their files: torture.py [--share F] [--seed N] [-v] [ATTACK...]

Each trial disturbs one run or resume of a small case and then asks for what docs/reliability.md promises: the program ends with
one of its own exit statuses and a message, never by a crash or a hang; what it had saved is still there; an undisturbed
resume ends in the state of a run that was never disturbed, to the bit. attacks.py has the attacks:

  kills    kill -9 at a random moment, again and again while the run is resumed on other numbers of threads
  signals  every signal that asks a run to stop
  disks    a disk (or, where none can be mounted, a largest file) of random size, then room again
  faults   the n-th call of a kind that writes fails (strace injects the error), once or from then on
  reads    the n-th call of a kind that reads fails while a run is resumed
  memory   address space that ends at a random size
  allocations  an allocation of the program or of one of its libraries fails, or all from there on
  flips    a bit, a cut or a hole in the newest checkpoint

--share F runs a share of the trials. Prints a line for each attack and each broken promise, and ends with
"N passed, M failed". What needs strace is left out with a message where it is not there or may not trace.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile

import attacks
from program import GABION, Case, Wrong

TRIALS = {"kills": 400, "signals": 100, "disks": 96, "faults": 1600, "reads": 400, "memory": 400, "allocations": 1000, "flips": 2800}
CASES = ("box", "blocks", "joints")
TRACED = ("faults", "reads")


def can_trace():
    try:
        return subprocess.run(["strace", "-o", os.devnull, GABION, "--help"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def attack(name, cases, count, seed, verbose):
    """Runs the trials of one attack; returns how many failed."""
    failed = 0
    for trial in range(count):
        case, folder = cases[trial % len(cases)], "%s-%d" % (name, trial)
        try:
            text = getattr(attacks, name)(case, folder, random.Random("%d %s" % (seed, folder)))
            if verbose:
                print("%s %s: %s" % (folder, os.path.basename(case.file), text), flush=True)
        except Wrong as wrong:
            failed += 1
            print("FAILED: %s, seed %d, %s: %s" % (folder, seed, os.path.basename(case.file), wrong), flush=True)
        shutil.rmtree(folder, ignore_errors=True)
    print("%s: %d trials, %d failed" % (name, count, failed), flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=1.0, help="share of the trials, at least one of each attack")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-v", dest="verbose", action="store_true", help="a line for each trial")
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", default=[])
    options = parser.parse_args()
    unknown = set(options.attacks) - set(TRIALS)
    if unknown:
        parser.error("no attack is named %s; there are %s" % (", ".join(sorted(unknown)), ", ".join(TRIALS)))
    work, passed, failed = tempfile.mkdtemp(prefix="torture-"), 0, 0
    os.chdir(work)
    try:
        cases = [Case(name, "whole-" + name) for name in CASES]
        for name in options.attacks or TRIALS:
            if name in TRACED and not can_trace():
                print("skipped: %s needs strace" % name)
                continue
            count = max(1, round(options.share * TRIALS[name]))
            lost = attack(name, cases, count, options.seed, options.verbose)
            passed, failed = passed + count - lost, failed + lost
    finally:
        os.chdir(os.sep)
        shutil.rmtree(work, ignore_errors=True)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
