#!/usr/bin/python3
"""Attacks on runs and on their files: torture.py [--share F] [--part K/N] [--seed N] [-v] [ATTACK...]

Each trial disturbs one run or resume of a small case and then asks for what docs/reliability.md promises: the program ends with
one of its own exit statuses and a message, never by a crash or a hang; what it had saved is still there; an undisturbed
resume ends in the state of a run that was never disturbed, to the bit, with its series. attacks.py, faults.py, damage.py, forged.py
and scenes.py have the attacks:

  kills    kill -9 at a random moment, again and again while the run is resumed on other numbers of threads
  signals  every signal that asks a run to stop, while it starts, runs and ends
  hangups  a terminal that is closed, pipes without a reader, standard files that are not open
  disks    a disk (or, where none can be mounted, a largest file) of random size, then room again
  faults   the n-th call of a kind fails in a run (strace injects the error), once or from then on
  reads    the same while a run is resumed
  claims   the same while a run is started in the folder of another one
  memory   address space that ends at a random size
  allocations  an allocation of the program or of one of its libraries fails, or all from there on
  flips    a bit, a cut or a hole in a checkpoint, a series, a problem or a case file
  forged   a dataset of a checkpoint, a frame or a contact problem replaced, linked elsewhere or made to claim too much, sealed anew
  frames   a bit, a cut or a hole in a frame that is imported
  random   a random scene, with and without stops, on other numbers of threads after each; meant for a build with sanitizers
  one_rank one of several ranks is killed, stopped, or has no memory or disk left, and the run goes on on other numbers of ranks
  ranks    a random scene on one process, and on other numbers of ranks after each stop

--share F runs a share of the trials, --part K/N the K-th of N pieces of them, which together are all. Prints a line for each attack and each broken promise, and ends with
"N passed, M failed". What needs strace is left out with a message where it is not there or may not trace.
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import attacks
import damage
import faults
import forged
import scenes
from program import GABION, GABION_MPI, Case, Wrong

TRIALS = {attacks.kills: 400, attacks.signals: 140, attacks.hangups: 60, attacks.disks: 96, faults.faults: 1628, faults.reads: 400,
          faults.claims: 200, attacks.memory: 400, attacks.allocations: 1000, damage.flips: 2888, forged.forged: 1400,
          forged.frames: 1500, scenes.random: 300, scenes.ranks: 300, attacks.one_rank: 200}
ATTACKS = {function.__name__: function for function in TRIALS}
CASES = ("box", "blocks", "joints")


def can_trace():
    try:
        return subprocess.run(["strace", "-o", os.devnull, GABION, "--help"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def attack(name, cases, trials, seed, verbose):
    """Runs these trials of one attack; returns how many failed."""
    failed = 0
    for trial in trials:
        case, folder = cases[trial % len(cases)], "%s-%d" % (name, trial)
        try:
            text = ATTACKS[name](case, folder, random.Random("%d %s" % (seed, folder)))
            if verbose:
                print("%s %s: %s" % (folder, os.path.basename(case.file), text), flush=True)
        except Wrong as wrong:
            failed += 1
            print("FAILED: %s, seed %d, %s: %s" % (folder, seed, os.path.basename(case.file), wrong), flush=True)
        shutil.rmtree(folder, ignore_errors=True)
    print("%s: %d trials, %d failed" % (name, len(trials), failed), flush=True)
    return failed


def piece(text):
    """K/N as a pair of numbers."""
    numbers = re.fullmatch(r"(\d+)/(\d+)", text)
    if not numbers or not 1 <= int(numbers.group(1)) <= int(numbers.group(2)):
        raise argparse.ArgumentTypeError("expected K/N with K from 1 to N, for example 2/5, not %s" % text)
    return int(numbers.group(1)), int(numbers.group(2))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=1.0, help="share of the trials, at least one of each attack")
    parser.add_argument("--part", type=piece, default=(1, 1), help="one of so many pieces of the trials, for example 2/5")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-v", dest="verbose", action="store_true", help="a line for each trial")
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", default=[])
    options = parser.parse_args()
    unknown = set(options.attacks) - set(ATTACKS)
    if unknown:
        parser.error("no attack is named %s; there are %s" % (", ".join(sorted(unknown)), ", ".join(ATTACKS)))
    work, passed, failed = tempfile.mkdtemp(prefix="torture-"), 0, 0
    os.chdir(work)
    try:
        cases = [Case(name) for name in CASES]
        for name in options.attacks or ATTACKS:
            if ATTACKS[name].__module__ == "faults" and not can_trace():
                print("skipped: %s needs strace" % name)
                continue
            if name in ("ranks", "one_rank") and not (os.path.exists(GABION_MPI) and shutil.which("mpirun")):
                print("skipped: %s needs mpirun and the program of make MPI=1" % name)
                continue
            part, parts = options.part
            trials = range(part - 1, max(1, round(options.share * TRIALS[ATTACKS[name]])), parts)
            lost = attack(name, cases, trials, options.seed, options.verbose)
            passed, failed = passed + len(trials) - lost, failed + lost
    finally:
        os.chdir(os.sep)
        shutil.rmtree(work, ignore_errors=True)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
