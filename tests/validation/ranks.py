"""The contract over ranks: the state-hash of ten cases is that of one process for 1, 2, 3, 4 and 7 ranks with 1 and 2 threads each, and
when a run that was stopped half-way goes on with another number of ranks or without MPI. Prints the table and "N passed, M failed"."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
GABION = os.path.abspath(os.environ.get("GABION", os.path.join(ROOT, "build", "gabion")))
GABION_MPI = os.path.abspath(os.environ.get("GABION_MPI", os.path.join(os.path.dirname(GABION), "mpi", "gabion")))
LAUNCHER = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl": "^tcp", "OMPI_MCA_hwloc_base_binding_policy": "none"}
SWEEPS = ["--set", "solver.method=nsgs"]
MOREAU = ["--set", "time.scheme=moreau"]


def at_most(sweeps):
    return ["--set", "solver.max_sweeps=%d" % sweeps]


# Name, case, steps, settings. `auto` shares contacts only where there are more than 60,000 pairs. Few sweeps are enough to compare bits,
# and ranks that share cores take turns in each colour of each of them.
CASES = (
    ("grains_100k", "cases/grains_100k.yaml", 4, at_most(15)),
    ("brazil_nut", "cases/brazil_nut.yaml", 70, SWEEPS),
    ("settling_800", "cases/papers/settling_800.yaml", 60, SWEEPS),
    ("wall_10k", "cases/wall_10k.yaml", 2, SWEEPS + at_most(15)),
    ("tower", "cases/masonry_tower.yaml", 16, SWEEPS + at_most(40)),
    ("arch", "cases/arch.yaml", 40, []),
    ("interlocking", "cases/interlocking.yaml", 8, SWEEPS + at_most(60)),
    ("hopper", "cases/hopper.yaml", 60, []),
    ("chain", "cases/papers/galizzi_chaine.yaml", 60, SWEEPS + MOREAU),
    ("tourniquet", "cases/papers/galizzi_tourniquet.yaml", 20, SWEEPS + MOREAU),
)
COUNTS = (1, 2, 3, 4, 7)


def state(ranks, threads, words):
    """The hash that a run ends with; None where it fails."""
    launcher = ["mpirun", "-n", str(ranks), GABION_MPI] if ranks else [GABION]
    done = subprocess.run([*launcher, *words, "-q", "-j", str(threads)], cwd=ROOT, capture_output=True, text=True, check=False,
                          env={**os.environ, **LAUNCHER})
    found = re.search(r"^state-hash: (.*)$", done.stdout, flags=re.M)
    if not found:
        print("%s on %d ranks, status %d: %s" % (words[1], ranks, done.returncode, done.stderr.strip()[-300:]))
    return found.group(1) if found else None


def check(name, found, expected):
    good = found is not None and found == expected
    print("%s: %s: %s%s" % ("ok" if good else "FAILED", name, found, "" if good else ", not %s" % expected), flush=True)
    return good


def run_case(name, case, steps, settings, work):
    """The checks of one case, as booleans."""
    quiet = ["--set", "output.vtk_every=0", "--set", "output.checkpoint_every=0"]
    folder = os.path.join(work, name)
    words = ["run", case, *settings, *quiet, "--force", "-o", folder, "--steps"]
    expected = state(0, 1, [*words, str(steps)])
    results = []
    for ranks in COUNTS:
        for threads in (1, 2):
            found = state(ranks, threads, [*words, str(steps)])
            results.append(check("%s, %d steps, %d ranks x %d threads" % (name, steps, ranks, threads), found, expected))
    first = steps // 2
    for before, after in ((3, 2), (2, 0), (0, 4)):
        state(before, 1, [*words, str(first)])
        found = state(after, 1, ["resume", folder, "--steps", str(steps - first)])
        results.append(check("%s, %d steps on %d ranks, the rest on %d (0: without MPI)" % (name, first, before, after), found, expected))
    shutil.rmtree(folder, ignore_errors=True)
    return results


def main():
    if not os.path.exists(GABION_MPI) or not shutil.which("mpirun"):
        print("skipped: no %s, or no mpirun: .ci/packages mpi, make MPI=1\n0 passed, 0 failed" % GABION_MPI)
        return 0
    chosen, results = set(sys.argv[1:]), []
    with tempfile.TemporaryDirectory(prefix="ranks-") as work:
        for case in CASES:
            if not chosen or case[0] in chosen:
                results += run_case(*case, work)
    print("%d passed, %d failed" % (sum(results), len(results) - sum(results)))
    return not all(results)


if __name__ == "__main__":
    sys.exit(main())
