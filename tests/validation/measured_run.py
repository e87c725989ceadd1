"""Running cases and counting what held: shared by the validation scripts. Standard library only."""

import csv
import os
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
GABION = os.environ.get("GABION", os.path.join(ROOT, "build", "gabion"))
CASES = os.path.join(ROOT, "cases", "papers")


def command_output(command):
    """Standard output of a command that must succeed."""
    try:
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as failure:
        sys.exit("%s: %s" % (" ".join(command), failure))


def run_case(name, folder, settings=()):
    """One run on one thread: its summary by key, and its history by column."""
    command = [GABION, "run", os.path.join(CASES, name + ".yaml"), "-j", "1", "-o", folder, "--force"]
    for setting in settings:
        command += ["--set", setting]
    summary = {}
    for line in command_output(command).splitlines():
        key, _, value = line.partition(": ")
        summary[key] = value
    with open(os.path.join(folder, "history.csv"), newline="") as stream:
        rows = list(csv.DictReader(stream))
    return summary, {column: [float(row[column]) for row in rows] for column in rows[0]}


def output_folder():
    """The folder given with -o, or build/papers."""
    if len(sys.argv) not in (1, 3) or len(sys.argv) == 3 and sys.argv[1] != "-o":
        print("usage: %s [-o FOLDER]" % os.path.basename(sys.argv[0]), file=sys.stderr)
        sys.exit(2)
    folder = sys.argv[2] if len(sys.argv) == 3 else os.path.join(ROOT, "build", "papers")
    os.makedirs(folder, exist_ok=True)
    return folder


class Tally:
    """Counts checks; the last line and the exit status are those of every test command."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, holds, text):
        self.passed += bool(holds)
        self.failed += not holds
        print("%s: %s" % ("ok" if holds else "FAILED", text))

    def finish(self):
        print("%d passed, %d failed" % (self.passed, self.failed))
        sys.exit(self.failed > 0)
