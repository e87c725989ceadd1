#!/usr/bin/python3
"""A colonnade of drums under a Ricker pulse (cases/colonnade.yaml): where it opens, stands and falls.

    colonnade.py

Runs with $GABION. The onset is the constant acceleration of the base that opens the first joint, by limit analysis in
the plane of the row (limit_analysis.py); drums are boxes of the same width there, with the drums' weight.

Criteria, written before the first run of the case as it is. (Trials with twelve-sided drums had stood at 0.4 g and fallen at
0.61 g, so that only 1 and 2 are predictions.)
  1. peak at 0.95 of the onset: no block moves against the base by more than 0.1 mm (statics bears every moment);
  2. peak at 1.2 of the onset: some block moves by more than that;
  3. 0.3 g, the case as it is: stands, and comes to rest;
  4. 0.6 g: falls.
Ends with "N passed, M failed".
"""
import math
import os
import sys
import tempfile

import numpy as np

import case_run
import limit_analysis
from verdict import Verdict

GRAVITY = 9.81
HALF, DRUM, DRUMS, COLUMNS = 0.3, 0.6, 5, (-2.0, 0.0, 2.0)  # half the width and height of a drum
ARCHITRAVES, BEAM = ((-2.3, 0.0), (0.0, 2.3)), (0.5, 0.4)  # ends; depth and height


def onset():
    """In parts of gravity."""
    boxes, areas = [], []
    for x in COLUMNS:
        for k in range(DRUMS):
            boxes.append((np.array([x - HALF, 0, DRUM * k]), np.array([x + HALF, 1, DRUM * (k + 1)])))
            areas.append(8 * HALF**2 * math.tan(math.pi / 8) * DRUM)
    for left, right in ARCHITRAVES:
        top = DRUM * DRUMS
        boxes.append((np.array([left, 0, top]), np.array([right, 1, top + BEAM[1]])))
        areas.append((right - left) * BEAM[0] * BEAM[1])
    colonnade = limit_analysis.Assemblage(boxes, 0.7, planar=True)
    colonnade.weight = np.array(areas)
    return min(colonnade.bearing(direction)[0] for direction in ((1, 0, 0), (-1, 0, 0)))


def run(peak, *options):
    """The summary and the motion of each column's top against the base, row by row."""
    with tempfile.TemporaryDirectory() as folder:
        summary, rows = case_run.run_file("colonnade.yaml", os.path.join(folder, "out"), "--set", "drivers[0].record.scale=%.9g" %
                                          (peak * GRAVITY), "--set", "output.vtk_every=0", *options)
    base = np.array([float(row["base.x"]) for row in rows])
    tops = np.array([[float(row[name + ".x"]) for name in ("left", "middle", "right")] for row in rows]) - base[:, None]
    return summary, tops - tops[0]


def main():
    verdict = Verdict()
    limit = onset()
    for factor in (0.95, 1.2):
        _, moves = run(factor * limit, "--set", "time.end=3")
        most = 1e3 * np.abs(moves).max()
        verdict.compare((most <= 0.1) == (factor < 1), "colonnade at %.2f of the onset, %.4f g" % (factor, limit),
                        "%s 0.1 mm" % ("<=" if factor < 1 else ">"), "%.5f mm" % most)
    summary, moves = run(0.3)
    verdict.compare(summary["status"] == "at-rest", "colonnade, 0.3 g", "stands, comes to rest",
                    "%s after %s s; tops swung by %.0f mm, are off by %s mm" % (
                        summary["status"], summary["time"], 1e3 * np.abs(moves).max(), " ".join("%.1f" % (1e3 * x) for x in moves[-1])))
    summary, _ = run(0.6)
    verdict.compare(summary["status"] == "collapsed", "colonnade, 0.6 g", "falls", "%s after %s s" % (summary["status"], summary["time"]))
    sys.exit(verdict.end())


if __name__ == "__main__":
    main()
