#!/usr/bin/python3
"""Two builds of gabion in turn on the same scenes: tests/bench/versions.py OLD NEW [SCENE ...].

Each row is the least of --repeats runs, and the builds take turns, so that what else the machine does meets both.
--competitors binds an endless loop to each of so many cores while they run, --threads sets the columns.
"""
import argparse
import contextlib
import dataclasses
import os
import shutil
import subprocess
import sys
import tempfile

from gabion_run import QUIET, gabion, shipped_case

SPACING = 0.02001
FRAMES = ["output.vtk_every=1"]
DISKS = """title: disks in a plane
time: {step: 1e-3, end: 1}
plane: xz
materials:
  grain: {density: 2500}
  wall: {}
laws:
  - {between: default, friction: 0.3, restitution: 0}
containers:
  - {name: box, material: wall, walls: [xmin, xmax, zmin], box: {min: [0, -1, 0], max: [4.002, 1, 4]}}
generators:
  - {name: grains, material: grain, lattice: {origin: [0.010005, 0, 0.010005], spacing: 0.02001, count: [200, 1, 100], radius: 0.01}}
"""


@dataclasses.dataclass
class Scene:
    case: str  # a shipped case, or the text of one
    steps: int
    settings: list
    sweeps: tuple = ()  # the time of a contact and sweep is found from runs with so many a step; (): seconds of a step
    part: str = "time-solve"  # of the summary

    def words(self, folder, threads, sweeps):
        case = shipped_case(self.case)
        if "\n" in self.case:
            case = os.path.join(folder, "case.yaml")
            with open(case, "w", encoding="ascii") as file:
                file.write(self.case)
        settings = list(self.settings)
        if sweeps:
            settings += ["solver.method=nsgs", "solver.max_sweeps=%d" % sweeps, "solver.tolerance=1e-300", "solver.on_cap=accept"]
        return ["run", case, "-o", os.path.join(folder, "out"), "-j", threads, "--steps", self.steps, *QUIET,
                *(word for setting in settings for word in ("--set", setting))]

    def run(self, folder, threads):
        """ns of a contact and sweep, or ms of a step."""
        if not self.sweeps:
            return 1e3 * float(gabion(*self.words(folder, threads, 0))[self.part]) / self.steps
        few, many = (gabion(*self.words(folder, threads, sweeps)) for sweeps in self.sweeps)
        more = int(many["sweeps"]) - int(few["sweeps"])
        return 1e9 * (float(many["time-solve"]) - float(few["time-solve"])) / (more * int(many["candidates"]))


def lattice(edge):
    side = edge * SPACING
    return ["generators.0.lattice.count=[%d, %d, %d]" % (edge, edge, edge),
            "containers.0.box.max=[%.6f, %.6f, %.6f]" % (side, side, 1.25 * side)]


def grains(edge, steps, sweeps=()):
    if sweeps:
        return Scene("grains_1m.yaml", steps, lattice(edge), sweeps)
    fixed = ["solver.method=nsgs", "solver.max_sweeps=50", "solver.tolerance=1e-300", "solver.on_cap=accept"]
    return Scene("grains_1m.yaml", steps, lattice(edge) + fixed, part="wall-time")


SCENES = {
    "grains-1k": grains(10, 200, (20, 120)), "grains-10k": grains(22, 20, (20, 120)), "grains-100k": grains(46, 3, (20, 120)),
    "step-1k": grains(10, 200), "step-10k": grains(22, 20), "step-100k": grains(46, 4),
    "bricks": Scene("wall_10k.yaml", 1, [], (20, 120)),
    "disks": Scene(DISKS, 5, [], (20, 120)),
    "wall-588": Scene("chateau_gombert.yaml", 30, ["generators.0.wall.courses=24", "drivers.0.start=0.01", "solver.max_sweeps=3000"]),
    "wall-588-fclib": Scene("chateau_gombert.yaml", 30, ["generators.0.wall.courses=24", "drivers.0.start=0.01", "solver.max_sweeps=3000",
                                                         "solver.measure=fclib"]),
    "frames": Scene("arch.yaml", 200, FRAMES, part="wall-time"),
    "no-frames": Scene("arch.yaml", 2000, [], part="wall-time"),
}


@contextlib.contextmanager
def competitors(count):
    """Endless loops, each bound to a core."""
    loops = [subprocess.Popen(["taskset", "-c", str(core), "sh", "-c", "while :; do :; done"]) for core in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=", ".join(SCENES))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--competitors", type=int, default=0)
    options = parser.parse_args()
    unknown = set(options.scenes) - set(SCENES)
    if unknown:
        parser.error("no scene is named %s; there are %s" % (", ".join(sorted(unknown)), ", ".join(SCENES)))
    threads = [int(count) for count in options.threads.split(",")]
    print("%-16s %-22s" % ("scene", "least of %d" % options.repeats),
          *("%10s %10s %6s" % ("old -j%d" % count, "new -j%d" % count, "ratio") for count in threads))
    folder = tempfile.mkdtemp(prefix="gabion-versions-")
    try:
        with competitors(options.competitors):
            for name in options.scenes or SCENES:
                scene, cells = SCENES[name], []
                for count in threads:
                    least = {options.old: float("inf"), options.new: float("inf")}
                    for _ in range(options.repeats):
                        for build in least:
                            os.environ["GABION"] = build
                            least[build] = min(least[build], scene.run(folder, count))
                    old, new = least[options.old], least[options.new]
                    cells.append("%10.3f %10.3f %6.2f" % (old, new, old / new))
                print("%-16s %-22s" % (name, "ns/contact and sweep" if scene.sweeps else "ms/step"), *cells, flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
