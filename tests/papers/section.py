"""One section of the page of `make papers` or `make validate`: what a script measured, beside its reference.

A script is run as NAME.py [-o FOLDER] [--full] and leaves FOLDER/NAME.json and its figures, which page.py puts
together. Its runs go to FOLDER/runs/NAME. Texts given to `text` are HTML; all others are plain.
"""
import argparse
import csv
import json
import os
import resource
import shutil
import subprocess
import sys

import numpy

import plot

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
GABION = os.environ.get("GABION", os.path.join(ROOT, "build", "gabion"))
RENDER = os.path.join(ROOT, "tests", "validation", "render.py")


def arguments(description, page="papers"):
    """The command line that every section has; its results go to the folder of its page."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", dest="folder", default=os.path.join(ROOT, "build", page), help="where results go")
    parser.add_argument("--full", action="store_true", help="the long version")
    return parser.parse_args()


class Section:
    def __init__(self, folder, name, title, paper):
        self.folder, self.name = folder, name
        self.content = {"title": title, "paper": paper, "items": [], "checks": []}
        os.makedirs(folder, exist_ok=True)

    def scratch(self, name):
        """A folder for one run, apart from what the page needs."""
        return os.path.join(self.folder, "runs", self.name, name)

    def text(self, html):
        self._add("text", html=html)

    def table(self, caption, header, rows):
        self._add("table", caption=caption, header=[cell_text(cell) for cell in header],
                  rows=[[cell_text(cell) for cell in row] for row in rows])

    def plot(self, filename, caption, x_label, y_label, series, log_x=False, log_y=False, equal=False):
        """Lines or points in an SVG file, as tests/papers/plot.py has them; equal gives both axes the same scale, as
        paths in a plane need."""
        with open(os.path.join(self.folder, filename), "w", encoding="utf-8") as stream:
            stream.write(plot.lines(x_label, y_label, series, log_x, log_y, equal))
        self.picture(filename, caption)

    def heat(self, filename, caption, x_label, y_label, x_edges, y_edges, values, signed=False):
        """A map of values[x, y] in an SVG file, as tests/papers/plot.py has it."""
        with open(os.path.join(self.folder, filename), "w", encoding="utf-8") as stream:
            stream.write(plot.heat(x_label, y_label, x_edges, y_edges, values, signed))
        self.picture(filename, caption)

    def picture(self, filename, caption):
        self._add("picture", file=filename, caption=caption)

    def render(self, run_folder, filename, caption, *options):
        """A picture of a frame of a run, by tests/validation/render.py and its options; a note where it cannot draw."""
        problem = render(run_folder, os.path.join(self.folder, filename), *options)
        if problem:
            self.note("no picture %s (%s)" % (filename, problem))
        else:
            self.picture(filename, caption)

    def check(self, reference, expected, measured, passed):
        check = {"reference": cell_text(reference), "expected": cell_text(expected), "measured": cell_text(measured),
                 "passed": bool(passed)}
        self.content["checks"].append(check)
        self._add("check", **check)

    def check_alone(self, reference, fallbacks):
        """No method was replaced by sweeps in a step, which would hide that it fails; `fallbacks` has their steps by method."""
        helped = ["%s %d" % pair for pair in fallbacks.items() if pair[1] > 0]
        self.check(reference + ": each method by itself", "no step in which sweeps went on for it", ", ".join(helped) or "none", not helped)

    def note(self, text):
        print("note: " + text, flush=True)
        self._add("note", text=text)

    @property
    def failures(self):
        return sum(not check["passed"] for check in self.content["checks"])

    def write(self):
        with open(os.path.join(self.folder, self.name + ".json"), "w") as stream:
            json.dump(self.content, stream, indent=1)
        for check in self.content["checks"]:
            print(check_line(check))
        print("%d passed, %d failed" % (len(self.content["checks"]) - self.failures, self.failures), flush=True)

    def _add(self, kind, **item):
        self.content["items"].append({"kind": kind, **item})


def check_line(check):
    return "%s  %s  expected %s  measured %s" % ("PASS" if check["passed"] else "FAIL", check["reference"],
                                                 check["expected"], check["measured"])


def cell_text(cell):
    if isinstance(cell, (float, numpy.floating)):
        return "%.4g" % cell
    return str(cell)


def case_path(case):
    """A path, or a name below cases/ with or without its .yaml."""
    for path in (case, os.path.join(ROOT, "cases", case), os.path.join(ROOT, "cases", case + ".yaml")):
        if os.path.isfile(path):
            return path
    sys.exit("no case %s" % case)


def run(case, out, *options):
    """One run on one thread (unless the options have -j): its summary by key, with `cpu-time` beside `wall-time`.

    A run that ends at a solver's cap or before time.end has a summary like any other; bad input ends the script.
    """
    return gabion("run", case_path(case), "-o", out, "--force", *options)


def resume(checkpoint, out, *options):
    return gabion("resume", checkpoint, "-o", out, *options)


def gabion(*words):
    words = list(words) + ([] if "-j" in words else ["-j", "1"]) + ["--quiet"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run([GABION, *words], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    summary = dict(line.split(": ", 1) for line in result.stdout.splitlines() if ": " in line)
    if "status" not in summary:
        sys.exit("%s\n%s" % (" ".join([GABION, *words]), result.stderr))
    summary["cpu-time"] = "%.4f" % (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return summary


def sets(pairs):
    """The options --set KEY=VALUE of a dictionary."""
    return [word for key, value in pairs.items() for word in ("--set", "%s=%s" % (key, value))]


def history(out):
    """The columns of a run's history.csv: numbers, except for the names of the methods."""
    with open(os.path.join(out, "history.csv"), newline="") as stream:
        names, *rows = csv.reader(stream)
    columns = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    return {name: numpy.array(values, dtype=str if name == "method" else float) for name, values in columns.items()}


def render(run_folder, picture, *options):
    """None, or why there is no picture. VTK needs a display, or a virtual one."""
    virtual = [] if os.environ.get("DISPLAY") or not shutil.which("xvfb-run") else ["xvfb-run", "-a"]
    command = [*virtual, sys.executable, RENDER, run_folder, picture, *options]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode == 0:
        return None
    return (result.stderr.strip().splitlines() or ["status %d" % result.returncode])[-1]
