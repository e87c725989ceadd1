"""The attacks. Each is called with a case, a folder that does not exist yet and a source of random numbers; it disturbs one run and
raises Wrong where a promise is broken. What it returns says what was done."""
import os
import re
import resource
import shutil
import signal
import subprocess
import time

from program import STEPS, Wrong, call, checkpoints, finished, start, summary

STOPPING = ("INT", "TERM", "HUP", "XCPU", "USR1", "USR2", "ALRM")
WRITING = (("write", "ENOSPC"), ("write", "EIO"), ("pwrite64", "ENOSPC"), ("pwrite64", "EIO"), ("fsync", "EIO"), ("rename", "EACCES"),
           ("openat", "EMFILE"), ("openat", "EACCES"), ("ftruncate", "EIO"), ("mkdir", "ENOSPC"), ("flock", "ENOLCK"))
READING = (("openat", "EACCES"), ("openat", "EMFILE"), ("read", "EIO"), ("pread64", "EIO"), ("newfstatat", "EIO"))
LASTING = {"ENOSPC", "EMFILE"}  # errors that may stay once they are there


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


def signals(case, folder, chance):
    """A signal that asks the run to stop: it saves the step that it has reached."""
    process = start(case.words(folder))
    patience = 1000
    while not checkpoints(folder) and process.poll() is None and patience > 0:
        time.sleep(0.01)
        patience -= 1
    time.sleep(chance.uniform(0, case.seconds))
    name = chance.choice(STOPPING)
    process.send_signal(getattr(signal, "SIG" + name))
    done = finished(process, ["run under SIG" + name])
    if "checkpoint-%09d.h5" % int(summary(done, "steps") or -1) not in checkpoints(folder):
        raise Wrong("SIG%s: no checkpoint of step %s" % (name, summary(done, "steps")))
    case.check_recovery(folder, checkpoints(folder))
    return "SIG" + name


def disks(case, folder, chance):
    """A disk of random size, or a largest size of a file where no disk can be mounted; then room again."""
    os.makedirs(folder)
    inside, size = os.path.join(folder, "run"), chance.randint(20, 1500)
    disk = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%dk" % size, "none", folder], capture_output=True, check=False)
    if disk.returncode != 0:
        done = call(case.words(inside), limit=(resource.RLIMIT_FSIZE, 200 * size))
        case.check_end(done)
        case.check_recovery(inside, checkpoints(inside))
        return "files of at most %d bytes" % (200 * size)
    try:
        done = call(case.words(inside))
        subprocess.run(["mount", "-o", "remount,size=50m", folder], check=True)
        case.check_end(done)
        case.check_recovery(inside, checkpoints(inside))
    finally:
        subprocess.run(["umount", folder], check=False)
    return "disk of %d KiB, status %d" % (size, done.returncode)


def count_calls(case, words, kinds, first):
    """Counts once, for every kind of call, those before the program opens the file named first, and all."""
    if words[0] in case.calls:
        return
    names, log = sorted({kind for kind, _ in kinds} | {"openat"}), "calls.log"
    call(words, ["strace", "-f", "-qq", "-e", "trace=" + ",".join(names), "-e", "signal=none", "-o", log])
    before, total = None, dict.fromkeys(names, 0)
    with open(log, encoding="utf-8", errors="replace") as stream:
        for line in stream:
            found = re.match(r"\d+ +(\w+)\(", line)
            if found:
                total[found.group(1)] += 1
            if before is None and "openat(" in line and first in line:
                before = dict(total)
    case.calls[words[0]] = {name: (before[name], total[name]) for name in names}


def fail_one_call(case, words, kinds, chance):
    """The program while a random call of a random kind fails; the loader's own calls are left alone."""
    kind, error = chance.choice(kinds)
    before, total = case.calls[words[0]][kind]
    at = chance.randint(before + 1, max(total, before + 1))
    lasting = "+" if error in LASTING and chance.random() < 0.5 else ""
    rule = "inject=%s:error=%s:when=%d%s" % (kind, error, at, lasting)
    done = call(words, ["strace", "-f", "-qq", "-e", "trace=" + kind, "-e", "signal=none", "-o", os.devnull, "-e", rule],
                silent=kind == "write")
    return done, rule


def faults(case, folder, chance):
    """A call that writes fails, once or from then on."""
    words = case.words(folder)
    count_calls(case, words, WRITING, os.path.basename(case.file))
    shutil.rmtree(folder, ignore_errors=True)
    done, rule = fail_one_call(case, words, WRITING, chance)
    case.check_end(done)
    case.check_recovery(folder, checkpoints(folder))
    return "%s, status %d" % (rule, done.returncode)


def half_run(case, folder):
    """A folder with three checkpoints of a run that has stopped half-way; made once and copied."""
    model = "half-" + os.path.basename(case.file)
    if not os.path.isdir(model):
        call(case.words(model, STEPS // 2 + 5))
    shutil.copytree(model, folder)
    return checkpoints(folder)


def reads(case, folder, chance):
    """A call that reads fails while the run is resumed: nothing that was saved may be lost."""
    half_run(case, folder)
    words = ["resume", folder, "--steps", "5", "-q", "-j", "1"]
    count_calls(case, words, READING, "checkpoint-")
    shutil.rmtree(folder)
    saved = half_run(case, folder)
    done, rule = fail_one_call(case, words, READING, chance)
    if max(checkpoints(folder), default="") < saved[-1]:
        raise Wrong("%s: %s is gone" % (rule, saved[-1]))
    case.check_recovery(folder, saved)
    return "%s, status %d" % (rule, done.returncode)


def memory(case, folder, chance):
    """Address space that ends somewhere: a message, and what had been saved stays."""
    limit = chance.randint(25 << 10, 60 << 10) << 10
    words = case.words(folder)
    process = start(words, limit=(resource.RLIMIT_AS, limit))
    done = finished(process, words, (0, 1, 2, 127))  # 127: the loader of shared libraries had too little
    case.check_end(done)
    case.check_recovery(folder, checkpoints(folder))
    return "%d KiB, status %d" % (limit >> 10, done.returncode)


LIBRARIES = ("", "libhdf5", "libhwloc", "libfyaml", "libgomp", "libz", "libamd", "libc.so")


def fail_malloc():
    """The library to preload that lets allocations fail; made once."""
    library = os.path.abspath("fail_malloc.so")
    if not os.path.exists(library):
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fail_malloc.c")
        subprocess.run([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", source, "-o", library], check=True)
    return library


def allocations(case, folder, chance):
    """An allocation of the program or of one of its libraries fails, or all from there on. HDF5 and hwloc do not survive a failure
    inside themselves: they may end the program, but not what had been saved."""
    words, library = case.words(folder), chance.choice(LIBRARIES)
    prefix, log = ["env", "LD_PRELOAD=" + fail_malloc(), "GABION_FAIL_IN=" + library], os.path.abspath("allocations.log")
    if library not in case.calls:
        call(words, [*prefix, "GABION_FAIL_LOG=" + log])
        with open(log, encoding="ascii") as stream:
            case.calls[library] = int(stream.read())
        shutil.rmtree(folder, ignore_errors=True)
    at, count = chance.randint(1, max(case.calls[library], 1)), chance.choice((1, 1, 5, 0))
    text = "%s allocation %d, %s" % (library or "own", at, "%d of them" % count if count else "all from there on")
    process = start(words, [*prefix, "GABION_FAIL_AT=%d" % at, "GABION_FAIL_COUNT=%d" % count])
    fragile = library in ("libhdf5", "libhwloc")
    ends = (0, 1, 2, 255, -signal.SIGSEGV, -signal.SIGABRT) if fragile else (0, 1, 2)
    try:
        done = finished(process, words, ends, silent=fragile or library == "libc.so")
        case.check_end(done)
        case.check_recovery(folder, checkpoints(folder))
    except Wrong as wrong:
        raise Wrong("%s: %s" % (text, wrong)) from None
    return "%s, status %d" % (text, done.returncode)


def flips(case, folder, chance):
    """A bit, a cut or a hole in the newest checkpoint: the run goes on from the one before."""
    saved = half_run(case, folder)
    path = os.path.join(folder, saved[-1])
    with open(path, "rb") as stream:
        content = bytearray(stream.read())
    at = chance.randrange(len(content))
    damage = chance.choice(("bit", "bit", "bit", "bit", "cut", "hole"))
    if damage == "bit":
        content[at] ^= 1 << chance.randrange(8)
    elif damage == "cut":
        del content[at:]
    else:
        content[at:at + 512] = bytes(len(content[at:at + 512]))
    with open(path, "wb") as stream:
        stream.write(content)
    case.check_recovery(folder, saved)
    return "%s at byte %d" % (damage, at)
