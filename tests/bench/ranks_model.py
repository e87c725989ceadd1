#!/usr/bin/env python3
"""Predicts the parallel efficiency of distributed sweeps from a packing.

Cuts the packing of a checkpoint as the ranks of a run would, counts ghosts, messages and bytes of a
sweep, and predicts its time on a machine whose latency, bandwidth and time per contact are given.
docs/ranks-model.md describes the model and what it says.

--measured reads a CSV file with the columns `ranks,seconds` and optionally `messages,bytes`, all per
sweep: seconds of the slowest rank, messages and bytes of all ranks together. Its row of one rank
gives the time per contact; the other rows are set beside the prediction.
"""
import argparse
import csv
import dataclasses
import glob
import os
import sys

import ranks_border
import ranks_packing
import ranks_time

COLUMNS = ("ranks", "grains", "contacts", "imbalance", "ghosts", "most", "nbrs", "most", "messages",
           "kB", "sweep us", "lock step", "efficiency", "lock step")


def numbers(text):
    return [int(part) for part in text.split(",")]


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", help="of a run whose bodies touch, or the folder of the run: its newest")
    parser.add_argument("--copies", type=numbers, metavar="X,Y,Z",
                        help="mirror a bed in a box so many times along each axis")
    parser.add_argument("--top", type=float, default=0.98,
                        help="share of the bodies below the cut through the bed's surface (%(default)s)")
    parser.add_argument("--ranks", type=numbers, default=[64, 128, 256, 512, 1024, 2048, 4096],
                        help="strong scaling: the packing is cut among so many")
    parser.add_argument("--weak", type=int, metavar="GRAINS",
                        help="weak scaling: pieces of about so many bodies; --ranks then says how "
                             "many take part in the reductions")
    parser.add_argument("--hilbert", action="store_true",
                        help="bodies along the Hilbert curve instead of the program's")
    parser.add_argument("--balanced", action="store_true",
                        help="move the cuts until the work of ranks is equal, full lanes included; the "
                             "program stops at a tenth above the mean")
    parser.add_argument("--measured", metavar="FILE", help="CSV, see above")
    parser.add_argument("--sweeps", type=float, default=50,
                        help="sweeps of a step, for the share of its gather (%(default)s)")
    for field in dataclasses.fields(ranks_time.Machine):
        parser.add_argument("--" + field.name.replace("_", "-"), type=field.type,
                            default=field.default, help="machine, see tests/bench/ranks_time.py "
                            "(%(default)s)")
    return parser.parse_args()


def machine_of(options):
    fields = dataclasses.fields(ranks_time.Machine)
    return ranks_time.Machine(**{field.name: getattr(options, field.name) for field in fields})


def newest(path):
    """The newest checkpoint of a folder; a file is returned as it is."""
    return max(glob.glob(os.path.join(path, "checkpoint-*.h5")), default=path)


def load(options):
    try:
        packing = ranks_packing.read_checkpoint(newest(options.checkpoint))
    except (OSError, KeyError) as error:
        print(f"{options.checkpoint}: {error}; expected a checkpoint of a run", file=sys.stderr)
        sys.exit(2)
    if options.copies:
        packing = ranks_packing.bulk(packing, options.copies, options.top)
    keys = ranks_packing.hilbert_keys if options.hilbert else ranks_packing.curve_keys
    packing = ranks_packing.along_curve(packing, keys)
    colours = ranks_border.colour(packing)
    print(f"{packing.bodies} bodies, {packing.nodes} nodes, "
          f"{packing.degrees().mean():.2f} of a body, {colours.max(initial=0) + 1} colours")
    return packing, colours


def print_row(border, packing, sweep, ranks):
    """Counts are means over ranks unless a column says `most`."""
    sent = border.bytes_sent()
    row = (f"{ranks:6d} {packing.bodies / border.ranks:9.0f} {border.own.mean():9.0f} "
           f"{border.solved.max() / border.solved.mean():9.3f} {border.ghosts.mean():7.0f} "
           f"{border.ghosts.max():7d} {border.neighbours.mean():5.1f} {border.neighbours.max():5d} "
           f"{border.messages().mean():8.1f} {sent.mean() / 1000:8.1f} "
           f"{1e6 * sweep.seconds():9.1f} {1e6 * sweep.seconds(True):9.1f} "
           f"{100 * sweep.efficiency():9.1f}% {100 * sweep.efficiency(True):9.1f}%")
    print(row, flush=True)


def print_header():
    widths = (6, 9, 9, 9, 7, 7, 5, 5, 8, 8, 9, 9, 10, 10)
    print(" ".join(name.rjust(width) for name, width in zip(COLUMNS, widths)))


def print_gather(machine, border, bodies, ranks, sweep, sweeps):
    now = ranks_time.gather_time(machine, bodies, ranks)
    ghosts = ranks_time.ghost_time(machine, border)
    solve = sweeps * sweep.seconds()
    print(f"{ranks:6d} {bodies:12d} {1e3 * solve:9.2f} {1e3 * now:10.2f} "
          f"{100 * sweeps * sweep.alone / (solve + now):9.1f}% {1e3 * ghosts:10.3f} "
          f"{100 * sweeps * sweep.alone / (solve + ghosts):9.1f}%")


def gather_header(sweeps):
    print(f"\na solve of {sweeps:.0f} sweeps and what follows it: all velocities everywhere, or ghosts alone")
    print(" ranks       bodies  solve ms  gather ms efficiency  ghosts ms efficiency")


def border_of(options, packing, colours, ranks):
    if options.balanced:
        return ranks_border.count_balanced(packing, colours, ranks)
    return ranks_border.count(packing, colours, ranks_border.cut(packing, ranks))


def strong(options, machine, packing, colours):
    rows = []
    print_header()
    for ranks in options.ranks:
        border = border_of(options, packing, colours, ranks)
        sweep = ranks_time.predict(machine, border)
        print_row(border, packing, sweep, ranks)
        rows.append((border, packing.bodies, ranks, sweep))
    return rows


def weak(options, machine, packing, colours):
    """The pieces of one cut stand for those of a larger packing: only the reductions grow."""
    pieces = max(1, round(packing.bodies / options.weak))
    border = border_of(options, packing, colours, pieces)
    rows = []
    print(f"{pieces} pieces")
    print_header()
    for ranks in options.ranks:
        sweep = ranks_time.predict(machine, border, ranks)
        print_row(border, packing, sweep, ranks)
        rows.append((border, round(packing.bodies / pieces * ranks), ranks, sweep))
    return rows


def read_measured(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [{key: float(value) for key, value in row.items() if value}
                for row in csv.DictReader(file)]


def compare(machine, packing, colours, measured):
    """Sets measured times beside predicted ones. The measured time of one rank gives the time per
    contact."""
    one = next((row for row in measured if row["ranks"] == 1), None)
    borders = {int(row["ranks"]): ranks_border.count(
        packing, colours, ranks_border.cut(packing, int(row["ranks"]))) for row in measured}
    if one:
        machine = dataclasses.replace(machine, contact=one["seconds"] / borders[1].alone)
        print(f"{1e9 * machine.contact:.1f} ns per contact")
    print(" ranks  measured us  predicted us  ratio  messages: counted, measured   bytes: counted, measured")
    for row in measured:
        border = borders[int(row["ranks"])]
        seconds = ranks_time.predict(machine, border).seconds()
        print(f"{border.ranks:6d} {1e6 * row['seconds']:12.1f} {1e6 * seconds:13.1f} "
              f"{row['seconds'] / seconds:6.3f} {border.messages().sum():18d} "
              f"{row.get('messages', float('nan')):9.0f} {border.bytes_sent().sum():17.0f} "
              f"{row.get('bytes', float('nan')):9.0f}")


def main():
    options = parse()
    machine = machine_of(options)
    packing, colours = load(options)
    if options.measured:
        compare(machine, packing, colours, read_measured(options.measured))
        return 0
    rows = (weak if options.weak else strong)(options, machine, packing, colours)
    gather_header(options.sweeps)
    for border, bodies, ranks, sweep in rows:
        print_gather(machine, border, bodies, ranks, sweep, options.sweeps)
    return 0


if __name__ == "__main__":
    sys.exit(main())
