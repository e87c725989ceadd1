"""The program under attack: calls of it, and small cases whose undisturbed end is known."""
import functools
import glob
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

import series

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
GABION = os.path.abspath(os.environ.get("GABION", os.path.join(ROOT, "build", "gabion")))
# The program whose ranks talk through MPI, and how many ranks of it are started.
GABION_MPI = os.path.abspath(os.environ.get("GABION_MPI", os.path.join(os.path.dirname(GABION), "mpi", "gabion")))
LAUNCHER = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_btl": "^tcp"}
# What a sanitizer reports ends the program with a status that it has not of its own.
SANITIZERS = {"ASAN_OPTIONS": "exitcode=99", "UBSAN_OPTIONS": "exitcode=99"}
STOPPING = ("INT", "TERM", "HUP", "XCPU", "USR1", "USR2", "ALRM", "PWR")
PATIENCE = 300  # s; a run takes a fraction of a second, so that this is a hang
STEPS = 120
OUTPUT = {"output.vtk_every": 20, "output.checkpoint_every": 10, "output.history_every": 1, "output.frames_every": 20,
          "output.checkpoint_keep": 3}


class Wrong(Exception):
    """A promise of docs/reliability.md that was broken."""


def call(words, prefix=(), limit=None, silent=False):
    """The program to its end; silent where it may have been kept from writing its message."""
    return finished(start(words, prefix, limit), words, silent=silent)


def call_ranks(count, words):
    """The program on so many ranks, to its end; 0: the program without MPI."""
    if count == 0:
        return call(words)
    return finished(start(words, ["mpirun", "-n", str(count)], program=GABION_MPI), words)


def start_ranks(count, words, rank=0, prefix=()):
    """The program on so many ranks, one of which gets a prefix."""
    choice = 'if [ "$OMPI_COMM_WORLD_RANK" = %d ]; then exec %s "$@"; fi; exec "$@"' % (rank, shlex.join(prefix))
    return start(words, ["mpirun", "-n", str(count), "sh", "-c", choice, "rank"], program=GABION_MPI)


def hear_signals():
    """In a new process: no signal is ignored, as SIGHUP is where nohup has started the attacks."""
    for name in STOPPING:
        signal.signal(getattr(signal, "SIG" + name), signal.SIG_DFL)


def start(words, prefix=(), limit=None, program=GABION):
    """limit is a resource and the most of it that the program gets."""
    def confine():
        hear_signals()
        if limit:
            resource.setrlimit(limit[0], (limit[1], limit[1]))
    return subprocess.Popen([*prefix, program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, errors="replace", preexec_fn=confine, env={**SANITIZERS, **LAUNCHER, **os.environ})


def finished(process, words, expected=(0, 1, 2), silent=False):
    """Its result; Wrong where it hangs, crashes or fails without a message."""
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Wrong("%s hangs" % words[0]) from None
    if process.returncode not in expected:
        raise Wrong("%s ended with status %d: %s" % (words[0], process.returncode, err.strip()[-300:]))
    if process.returncode in (1, 2) and not err.strip() and not silent:
        raise Wrong("%s ended with status %d and no message" % (words[0], process.returncode))
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def summary(done, key):
    found = re.search(r"^%s: (.*)$" % key, done.stdout, flags=re.M)
    return found.group(1) if found else None


def checkpoints(folder):
    return [os.path.basename(path) for path in sorted(glob.glob(os.path.join(folder, "checkpoint-*.h5")))]


class Case:
    """A case with its settings, and the run that nothing disturbs: how long it takes, its end and its series."""

    def __init__(self, name, **others):
        self.name, self.variant = name, "-".join(sorted(others))
        self.file = os.path.join(ROOT, "tests", "cli", "cases", name + ".yaml")
        self.settings = []
        for key, value in {**OUTPUT, **{key.replace("_", ".", 1): value for key, value in others.items()}}.items():
            self.settings += ["--set", "%s=%s" % (key, value)]
        self.calls = {}

    @functools.cached_property
    def shared(self):
        """The same case where ranks share contacts, whose pictures they write in pieces."""
        return Case(self.name, solver_method="nsgs", solver_on_cap="accept", output_vtk_every=0)

    @functools.cached_property
    def whole(self):
        folder, started = "whole-" + self.variant + os.path.basename(self.file), time.monotonic()
        done = call(self.words(folder))
        if done.returncode != 0:
            sys.exit("torture.py: %s does not run: %s" % (self.file, done.stderr))
        return time.monotonic() - started, summary(done, "state-hash"), series.read(folder)

    @property
    def seconds(self):
        return self.whole[0]

    @property
    def hash(self):
        return self.whole[1]

    def words(self, folder, steps=STEPS):
        return ["run", self.file, *self.settings, "--steps", str(steps), "-q", "-o", folder, "-j", "1", "--force"]

    def resume_words(self, folder, threads):
        """What takes a run from its newest good checkpoint to the end; None where it has none."""
        found = call(["info", folder]) if os.path.isdir(folder) else None
        if found is None or found.returncode != 0:
            return None
        return ["resume", folder, "--steps", str(max(STEPS - int(summary(found, "step")), 0)), "-q", "-j", str(threads)]

    def check_end(self, done):
        """A run that says it did all must be in the state of an undisturbed one."""
        if done.returncode == 0 and summary(done, "steps") == str(STEPS) and summary(done, "state-hash") != self.hash:
            raise Wrong("completed in another state")

    def check_recovery(self, folder, saved, threads=1, lost=0):
        """Without disturbance: where checkpoints had been saved the run goes on, otherwise it starts again; it ends in the
        state of a run that was never disturbed, with its series. `lost` is of how many steps they may lack something or have too much."""
        words = self.resume_words(folder, threads)
        if words is None and saved:
            raise Wrong("no good checkpoint is left of %s" % ", ".join(saved))
        done = call(words or self.words(folder))
        if done.returncode != 0:
            raise Wrong("cannot go on, status %d: %s" % (done.returncode, done.stderr.strip()))
        self.check_state(done)
        wrong, missing = series.difference(self.whole[2], folder, lost)
        if wrong:
            raise Wrong("other output than without disturbance: %s" % ", ".join(wrong[:5]))
        if len(missing) > lost:
            raise Wrong("output of %d steps is missing: %s" % (len(missing), ", ".join(missing[:5])))

    def check_state(self, done):
        if summary(done, "state-hash") != self.hash:
            raise Wrong("another state than without disturbance")


def half_run(case, folder):
    """A folder with three checkpoints of a run that has stopped half-way; made once and copied."""
    model = "half-" + os.path.basename(case.file)
    if not os.path.isdir(model):
        call(case.words(model, STEPS // 2 + 5))
    shutil.copytree(model, folder)
    return checkpoints(folder)


def check_kept(folder, saved):
    """Good checkpoints of a run that was resumed are neither lost nor taken for damaged."""
    if max(checkpoints(folder), default="") < max(saved, default=""):
        raise Wrong("%s is gone" % saved[-1])
    damaged = glob.glob(os.path.join(folder, "*.damaged*"))
    if damaged:
        raise Wrong("%s was good" % ", ".join(damaged))
