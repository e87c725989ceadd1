#!/usr/bin/python3
"""The limits of the machine, and the kernels of the sweeps as a share of them.

tests/bench/limits measures stream bandwidth, the gather of bodies and the cost of a stage; tests/bench/kernels
the sweep, the extrapolation of momentum and the check of the residual on a step of a case. The limit of a contact
is the time that its bytes take at the stream bandwidth of as much memory, and its two bodies at the gather rate of
as many bodies along the curve: what a sweep would take if arithmetic cost nothing.
"""
import argparse
import math
import os
import subprocess
import sys

from gabion_run import BENCH, BUILD, Verdict, shipped_case
from section import Section

EDGES = [10, 22, 46, 100]
SPACING = 0.02001
WALLS = [(6, 10), (20, 40), (50, 200)]  # courses, blocks


def words_of(program, *arguments):
    command = [os.path.join(BUILD, "tests", "bench", program), *map(str, arguments)]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit("%s\nended with %d\n%s" % (" ".join(command), result.returncode, result.stderr))
    return result.stdout.splitlines()


class Limits:
    def __init__(self, threads, short):
        self.rows = [line.split("\t") for line in words_of("limits", *(["--short"] if short else []), *threads)]
        self.rows = [(name, int(size), int(threads), float(value), unit) for name, size, threads, value, unit in self.rows]

    def at(self, name, size, threads):
        """By logarithms between the sizes that were measured; beyond them as at the last."""
        known = sorted((row[1], row[3]) for row in self.rows if row[0] == name and row[2] == threads)
        if size <= known[0][0] or size >= known[-1][0]:
            return known[0][1] if size <= known[0][0] else known[-1][1]
        (low, at_low), (high, at_high) = next(pair for pair in zip(known, known[1:]) if pair[1][0] >= size)
        return at_low + (at_high - at_low) * math.log(size / low) / math.log(high / low)

    def contact(self, kernel):
        """Nanoseconds of a contact of a sweep."""
        threads = int(kernel["threads"])
        stream = (kernel["bytes-read"] + kernel["bytes-written"]) / self.at("stream", kernel["plan-bytes"], threads)
        pairs = kernel["nodes"] / kernel["contacts"]
        return stream + pairs * self.at("gather-curve", kernel["bodies"], threads)


def kernels(short, case, steps, threads, *settings):
    lines = words_of("kernels", *(["--short"] if short else []), shipped_case(case), steps, threads, "solver.method=nsgs",
                     *settings)
    return {key: float(value) for key, value in (line.split(": ") for line in lines)}


def lattice(edge):
    side = edge * SPACING
    return ("grains_1m.yaml", 5, ("generators.0.lattice.count=[%d, %d, %d]" % (edge, edge, edge),
                                  "containers.0.box.max=[%.6f, %.6f, %.6f]" % (side, side, 1.25 * side)))


def wall(courses, blocks):
    return ("wall_10k.yaml", 1, ("generators.0.wall.courses=%d" % courses, "generators.0.wall.blocks=%d" % blocks,
                                 "solver.max_sweeps=50"))


HEAD = ("kind", "bodies", "contacts", "threads", "bytes", "limit ns", "sweep ns", "share", "extrapolate ns", "check ns")


def measure(limits, threads, options):
    rows = []
    scenes = [("spheres", lattice(edge)) for edge in EDGES if edge ** 3 <= options.largest]
    scenes += [("blocks", wall(*size)) for size in WALLS if size[0] * size[1] <= options.largest]
    print("  ".join(head.rjust(12) for head in HEAD))
    for kind, (case, steps, settings) in scenes:
        for count in threads:
            kernel = kernels(options.short, case, steps, count, *settings)
            limit = limits.contact(kernel)
            row = {"kind": kind, "kernel": kernel, "limit": limit, "share": limit / kernel["sweep-ns"], "threads": count}
            row["cells"] = (kind, "%d" % kernel["bodies"], "%d" % kernel["contacts"], count,
                            "%.0f" % (kernel["bytes-read"] + kernel["bytes-written"]), "%.2f" % limit,
                            "%.2f" % kernel["sweep-ns"], "%.0f %%" % (100 * row["share"]), "%.2f" % kernel["extrapolate-ns"],
                            "%.1f" % kernel["check-ns"])
            print("  ".join(str(cell).rjust(12) for cell in row["cells"]), flush=True)
            rows.append(row)
    return rows


def draw(section, limits, rows, threads):
    section.table("Limits: stream is a triad a = b + s c over `size` bytes; gather the two bodies of a contact on a lattice of "
                  "`size` bodies; stage a loop of `size` empty chunks", ("limit", "size", "threads", "value", "unit"), limits.rows)
    section.table("Kernels of nsgs, ns per contact (spheres) or contact point (blocks). Bytes are those of the contact alone; "
                  "the limit has its bodies, too", HEAD, [row["cells"] for row in rows])
    series = []
    for kind in ("spheres", "blocks"):
        for count in threads:
            mine = [row for row in rows if row["kind"] == kind and row["threads"] == count]
            for label, value in (("sweep", lambda row: row["kernel"]["sweep-ns"]), ("limit", lambda row: row["limit"])):
                series.append(("%s, %s, %d thread(s)" % (kind, label, count), [row["kernel"]["contacts"] for row in mine],
                               [value(row) for row in mine]))
    section.plot("roofline.svg", "Sweeps and what the memory alone would take.", "contacts", "ns per contact", series,
                 log_x=True, log_y=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=1_000_000, help="grains or blocks (default 1000000)")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--short", action="store_true", help="short measurements, whose times mean little")
    options = parser.parse_args()
    threads = [int(count) for count in options.threads.split(",")]
    verdict, section = Verdict(), Section(BENCH, "roofline", "Limits of the machine, and the kernels", "machine")
    section.text("<p>%s</p>" % " ".join(__doc__.split("\n", 2)[2].split()))
    limits = Limits(threads, options.short)
    for name, size, count, value, unit in limits.rows:
        print("limit %-14s %10d  %2d thread(s)  %8.4g %s" % (name, size, count, value, unit))
    rows = measure(limits, threads, options)
    draw(section, limits, rows, threads)
    verdict.check("limits and kernels have times", bool(rows) and all(row[3] > 0 for row in limits.rows) and
                  all(row["kernel"][key] > 0 for row in rows for key in ("sweep-ns", "check-ns", "bytes-read")))
    section.write()
    return verdict.end()


if __name__ == "__main__":
    sys.exit(main())
