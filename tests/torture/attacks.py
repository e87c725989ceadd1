"""Attacks on the process: how it ends, and what it is given to live on. Every attack is called with a case, a folder that does not
exist yet and a source of random numbers; it disturbs one run and raises Wrong where a promise is broken. What it returns says what
was done."""
import os
import pty
import re
import resource
import shlex
import shutil
import signal
import subprocess
import time

from program import GABION, PATIENCE, STOPPING, Wrong, call, check_kept, checkpoints, finished, half_run, hear_signals, start, start_ranks


def kills(case, folder, chance):
    """kill -9 at a random moment, again while the run is resumed on another number of threads."""
    words = case.words(folder)
    rounds = chance.randint(1, 4)
    for _ in range(rounds):
        process = start(words)
        time.sleep(chance.uniform(0, 1.1 * case.seconds))
        process.kill()
        finished(process, words, (0, 1, 2, -signal.SIGKILL))
        words = case.resume_words(folder, chance.randint(1, 3)) or case.words(folder)
    case.check_recovery(folder, checkpoints(folder), chance.randint(1, 3))
    return "killed %d times" % rounds


def last_row(folder):
    """The step of the last row of the history; 0 where there is none."""
    try:
        with open(os.path.join(folder, "history.csv"), encoding="utf-8") as stream:
            return int("0" + stream.read().rsplit("\n", 2)[-2].split(",")[0].replace("step", ""))
    except (OSError, IndexError, ValueError):
        return 0


def wait_for_row(folder, step, ended):
    patience = 1000
    while last_row(folder) < step and not ended() and patience > 0:
        time.sleep(0.005)
        patience -= 1


def check_saved(folder, how):
    """A run that ended by itself leaves a checkpoint of the last step that its history knows."""
    if "checkpoint-%09d.h5" % last_row(folder) not in checkpoints(folder):
        raise Wrong("%s: no checkpoint of step %d" % (how, last_row(folder)))


def signals(case, folder, chance):
    """A signal that asks the run to stop: it saves the step that it has reached. One that comes before the program has begun
    to run ends it, and nothing is lost."""
    name, moment = chance.choice(STOPPING), chance.choice(("start", "middle", "end"))
    number = getattr(signal, "SIG" + name)
    process = start(case.words(folder))
    if moment == "start":
        time.sleep(chance.uniform(0, 0.5 * case.seconds))
    else:
        wait_for_row(folder, 1 if moment == "middle" else 118, lambda: process.poll() is not None)
        time.sleep(chance.uniform(0, case.seconds if moment == "middle" else 0.05 * case.seconds))
    process.send_signal(number)
    done = finished(process, ["run under SIG" + name], (0, -number))
    if done.returncode < 0 and last_row(folder) > 0:
        raise Wrong("SIG%s killed the run after step %d" % (name, last_row(folder)))
    if done.returncode == 0:
        check_saved(folder, "SIG" + name)
    case.check_recovery(folder, checkpoints(folder))
    return "SIG%s at the %s" % (name, moment)


def run_in_terminal(words):
    """The process and its terminal."""
    process, terminal = pty.fork()
    if process == 0:
        hear_signals()
        os.execv(GABION, [GABION, *words])
    os.set_blocking(terminal, False)
    return process, terminal


def ended_within(process, seconds):
    end = time.monotonic() + seconds
    while os.waitpid(process, os.WNOHANG) == (0, 0):
        if time.monotonic() > end:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return False
        time.sleep(0.01)
    return True


def terminal_closes(case, folder, chance):
    process, terminal = run_in_terminal([word for word in case.words(folder) if word != "-q"])
    wait_for_row(folder, 1, lambda: False)
    time.sleep(chance.uniform(0, case.seconds))
    os.close(terminal)
    if not ended_within(process, PATIENCE):
        raise Wrong("hangs without its terminal")
    check_saved(folder, "a closed terminal")


def pipes_close(case, folder, chance):
    """Nobody reads any more what the run prints: it goes on to its end."""
    process = start([word for word in case.words(folder) if word != "-q"])
    time.sleep(chance.uniform(0, case.seconds))
    process.stdout.close()
    process.stderr.close()
    if process.wait(PATIENCE) not in (0, 1):
        raise Wrong("status %d without a reader" % process.returncode)
    if last_row(folder) < 120:
        raise Wrong("without a reader the run ended at step %d" % last_row(folder))
    check_saved(folder, "closed pipes")


def descriptors_closed(case, folder, chance):
    """Standard files that were never open: what the run opens must not take their places."""
    closed = [number for number in (0, 1, 2) if chance.random() < 0.7]

    def close():
        for number in closed:
            os.close(number)
    words = [word for word in case.words(folder) if word != "-q"]
    process = subprocess.Popen([GABION, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=close)
    if process.wait(PATIENCE) not in (0, 1):
        raise Wrong("status %d without descriptors %s" % (process.returncode, closed))
    if last_row(folder) < 120:
        raise Wrong("without descriptors %s the run ended at step %d" % (closed, last_row(folder)))
    check_saved(folder, "closed descriptors")


def hangups(case, folder, chance):
    """The terminal is closed, pipes lose their reader, or standard files are not open at all."""
    what = chance.choice((terminal_closes, pipes_close, descriptors_closed))
    what(case, folder, chance)
    case.check_recovery(folder, checkpoints(folder))
    return what.__name__


def disks(case, folder, chance):
    """A disk of random size, or a largest size of a file where no disk can be mounted; then room again."""
    os.makedirs(folder)
    inside, size = os.path.join(folder, "run"), chance.randint(20, 1500)
    disk = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%dk" % size, "none", folder], capture_output=True, check=False)
    if disk.returncode != 0:
        done = call(case.words(inside), limit=(resource.RLIMIT_FSIZE, 200 * size))
        case.check_end(done)
        case.check_recovery(inside, checkpoints(inside), lost=1)
        return "files of at most %d bytes" % (200 * size)
    try:
        done = call(case.words(inside))
        subprocess.run(["mount", "-o", "remount,size=50m", folder], check=True)
        case.check_end(done)
        case.check_recovery(inside, checkpoints(inside), lost=1)
    finally:
        subprocess.run(["umount", folder], check=False)
    return "disk of %d KiB, status %d" % (size, done.returncode)


def memory(case, folder, chance):
    """Address space that ends somewhere, for a run or for one that is resumed: a message, and what had been saved stays."""
    limit = chance.randint(25 << 10, 60 << 10) << 10
    resumed = chance.random() < 0.5
    words = ["resume", folder, "--steps", "5", "-q", "-j", "1"] if resumed else case.words(folder)
    saved = half_run(case, folder) if resumed else []
    process = start(words, limit=(resource.RLIMIT_AS, limit))
    done = finished(process, words, (0, 1, 2, 127))  # 127: the loader of shared libraries had too little
    check_kept(folder, saved)
    case.check_end(done)
    case.check_recovery(folder, checkpoints(folder), lost=1)
    return "%s in %d KiB, status %d" % (words[0], limit >> 10, done.returncode)


LIBRARIES = ("", "libhdf5", "libhwloc", "libfyaml", "libz", "libamd", "libc.so")


def fail_malloc():
    """The library to preload that lets allocations fail; made once."""
    library = os.path.abspath("fail_malloc.so")
    if not os.path.exists(library):
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fail_malloc.c")
        subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-O1", "-shared", "-fPIC", source, "-o", library], check=True)
    return library


def allocations(case, folder, chance):
    """An allocation of the program or of one of its libraries fails, or all from there on. HDF5, hwloc and libfyaml do not survive a
    failure inside themselves or in what they ask of libc: they may end the program, but not what had been saved."""
    words, library = case.words(folder), chance.choice(LIBRARIES)
    prefix, log = ["env", "LD_PRELOAD=" + fail_malloc(), "GABION_FAIL_IN=" + library], os.path.abspath("allocations.log")
    if library not in case.calls:
        call(words, [*prefix, "GABION_FAIL_LOG=" + log])
        with open(log, encoding="ascii") as stream:
            case.calls[library] = int(stream.read())
        shutil.rmtree(folder, ignore_errors=True)
    at = chance.randint(1, max(case.calls[library], 1))
    count = chance.choice((1, 1, 5, 1 if library == "libhwloc" else 0))  # hwloc tries for ever where all fail
    text = "%s allocation %d, %s" % (library or "own", at, "%d of them" % count if count else "all from there on")
    process = start(words, [*prefix, "GABION_FAIL_AT=%d" % at, "GABION_FAIL_COUNT=%d" % count])
    fragile = library in ("libhdf5", "libhwloc", "libfyaml", "libc.so")
    ends = (0, 1, 2, 255, -signal.SIGSEGV, -signal.SIGABRT) if fragile else (0, 1, 2)
    try:
        done = finished(process, words, ends, silent=fragile)
        case.check_end(done)
        case.check_recovery(folder, checkpoints(folder), lost=1)
    except Wrong as wrong:
        # HDF5 stores rows that cannot be packed, for want of memory in it or in zlib, as they are: the same numbers in other bytes.
        if library not in ("libz", "libhdf5") or not re.fullmatch(r"other output than without disturbance: (frame-\.h of step \d+(, )?)+", str(wrong)):
            raise Wrong("%s: %s" % (text, wrong)) from None
    return "%s, status %d" % (text, done.returncode)


def children(process):
    path = "/proc/%d/task/%d/children" % (process, process)
    try:
        with open(path, encoding="ascii") as stream:
            return sorted(int(word) for word in stream.read().split())
    except OSError:
        return []


def hit_rank(process, count, chance, seconds, number):
    """Sends a signal to one rank at a random moment."""
    time.sleep(chance.uniform(0, seconds))
    ranks = children(process.pid)
    if len(ranks) == count:
        chosen = chance.choice(ranks)
        try:
            os.kill((children(chosen) or [chosen])[0], number)  # of one under strace, the program itself
        except ProcessLookupError:
            pass


def one_rank(case, folder, chance):
    """One of several ranks is killed, at any moment or while all write a file, or told to stop, or has no memory or no disk left; the
    run goes on on another number of ranks, and after that on one process."""
    case, count, what = case.shared, chance.randint(2, 4), chance.choice(("kill", "write", "stop", "memory", "disk"))
    rank, words, prefix = chance.randrange(count), case.words(folder), []
    if what == "write":
        prefix = ["strace", "-f", "--seccomp-bpf", "-qq", "-o", os.devnull, "-e", "trace=pwrite64", "-e",
                  "inject=pwrite64:delay_enter=3000"]  # most of the time all ranks are in a file
        rank = 0  # a small case has one chunk of each kind, all of rank 0
    elif what == "memory":
        prefix = ["env", "LD_PRELOAD=" + fail_malloc(), "GABION_FAIL_IN=", "GABION_FAIL_AT=%d" % chance.randint(1, 60000)]
    elif what == "disk":
        # Not the largest size of a file: Open MPI's own would not survive that.
        prefix = ["strace", "-f", "--seccomp-bpf", "-qq", "-o", os.devnull, "-e", "trace=pwrite64", "-e",
                  "inject=pwrite64:error=ENOSPC:when=%d+" % chance.randint(1, 300)]
        rank = 0
    process = start_ranks(count, words, rank, prefix)
    if what in ("kill", "stop", "write"):
        hit_rank(process, count, chance, (4 if what == "write" else 1.5) * case.seconds + 0.5,
                 signal.SIGTERM if what == "stop" else signal.SIGKILL)
    done = finished(process, words, (0, 1, 2, 128 + signal.SIGKILL, 128 + signal.SIGTERM), silent=True)
    messages = len(re.findall("^gabion: (?!stopping)", done.stderr, flags=re.M))
    if what in ("memory", "disk") and done.returncode in (1, 2) and messages != 1:
        raise Wrong("%s on rank %d of %d: %d messages: %s" % (what, rank, count, messages, done.stderr.strip()[-300:]))
    if what == "memory" and done.returncode > 2:
        raise Wrong("memory on rank %d of %d: status %d" % (rank, count, done.returncode))
    case.check_end(done)
    saved, again = checkpoints(folder), case.resume_words(folder, 1)
    if again and chance.random() < 0.7:
        again[again.index("--steps") + 1] = str(min(20, int(again[again.index("--steps") + 1])))
        finished(start_ranks(chance.randint(2, 4), again), again, (0,))
        check_kept(folder, saved)
    case.check_recovery(folder, saved, lost=1)
    return "%s on rank %d of %d, status %d" % (what, rank, count, done.returncode)
