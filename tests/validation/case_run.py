"""Runs cases with $GABION on one thread."""
import csv
import os
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
GABION = os.environ.get("GABION", os.path.join(ROOT, "build", "gabion"))


def run(text):
    """The summary and the history of a case that a script wrote, row by row; no rows where it writes none."""
    with tempfile.TemporaryDirectory() as folder:
        case = os.path.join(folder, "case.yaml")
        with open(case, "w") as stream:
            stream.write(text)
        return run_file(case, os.path.join(folder, "out"))


def run_file(case, out, *options):
    """The same for the file of a case, or for the name of a shipped one; results are left in `out`."""
    path = case if os.path.isabs(case) else os.path.join(ROOT, "cases", case)
    command = [GABION, "run", path, "-o", out, "-j", "1", "--quiet", *options]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit("%s\n%s" % (" ".join(command), result.stderr))
    rows, history = [], os.path.join(out, "history.csv")
    if os.path.exists(history):
        with open(history, newline="") as stream:
            rows = list(csv.DictReader(stream))
    return dict(line.split(": ", 1) for line in result.stdout.splitlines() if ": " in line), rows
