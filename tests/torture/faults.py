"""Attacks by strace, which makes the n-th system call of a kind fail."""
import hashlib
import os
import re
import shutil

from program import Wrong, call, check_kept, checkpoints, half_run

WRITING = (("write", "ENOSPC"), ("write", "EIO"), ("pwrite64", "ENOSPC"), ("pwrite64", "EIO"), ("fsync", "EIO"), ("syncfs", "EIO"), ("rename", "EACCES"),
           ("openat", "EMFILE"), ("openat", "EACCES"), ("ftruncate", "EIO"), ("mkdir", "ENOSPC"), ("flock", "ENOLCK"),
           ("unlink", "EIO"), ("mmap", "ENOMEM"))
READING = (("openat", "EACCES"), ("openat", "EMFILE"), ("read", "EIO"), ("pread64", "EIO"), ("newfstatat", "EIO"),
           ("access", "EIO"), ("getdents64", "EIO"), ("mmap", "ENOMEM"))
LASTING = {"ENOSPC", "EMFILE", "ENOMEM"}  # errors that may stay once they are there


def strace(kinds, *rules, log=os.devnull):
    return ["strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=" + ",".join(kinds), "-e", "signal=none", "-o", log, *rules]


def count_calls(case, attack, words, kinds, first):
    """Counts once for each attack, and for every kind of call, those before the program opens the file named first, and all."""
    if attack in case.calls:
        return False
    names, log = sorted({kind for kind, _ in kinds} | {"openat"}), "calls.log"
    call(words, strace(names, log=log))
    before, total = None, dict.fromkeys(names, 0)
    with open(log, encoding="utf-8", errors="replace") as stream:
        for line in stream:
            found = re.match(r"\d+ +(\w+)\(", line)
            if found:
                total[found.group(1)] += 1
            if before is None and "openat(" in line and first in line:
                before = dict(total)
    case.calls[attack] = {name: (before[name], total[name]) for name in names if total[name] > before[name]}
    return True


def fail_one_call(case, attack, words, kinds, chance):
    """The program while a random call of a random kind fails; the loader's own calls are left alone."""
    calls = case.calls[attack]
    kind, error = chance.choice([pair for pair in kinds if pair[0] in calls])
    before, total = calls[kind]
    at = chance.randint(before + 1, total)
    lasting = "+" if error in LASTING and chance.random() < 0.5 else ""
    rule = "inject=%s:error=%s:when=%d%s" % (kind, error, at, lasting)
    try:
        return call(words, strace([kind], "-e", rule), silent=kind == "write"), rule
    except Wrong as wrong:
        raise Wrong("%s: %s" % (rule, wrong)) from None


def faults(case, folder, chance):
    """A call that a run makes fails, once or from then on."""
    words = case.words(folder)
    if count_calls(case, "faults", words, WRITING, os.path.basename(case.file)):
        shutil.rmtree(folder)
    done, rule = fail_one_call(case, "faults", words, WRITING, chance)
    try:
        case.check_end(done)
        case.check_recovery(folder, checkpoints(folder), lost=1)
    except Wrong as wrong:
        raise Wrong("%s: %s" % (rule, wrong)) from None
    return "%s, status %d" % (rule, done.returncode)


def reads(case, folder, chance):
    """A call fails while the run is resumed: nothing that was saved may be lost."""
    saved = half_run(case, folder)
    words = ["resume", folder, "--steps", "5", "-q", "-j", "1"]
    if count_calls(case, "reads", words, READING, "checkpoint-"):
        shutil.rmtree(folder)
        half_run(case, folder)
    done, rule = fail_one_call(case, "reads", words, READING, chance)
    try:
        check_kept(folder, saved)
        case.check_recovery(folder, saved, lost=1)
    except Wrong as wrong:
        raise Wrong("%s: %s" % (rule, wrong)) from None
    return "%s, status %d" % (rule, done.returncode)


def contents(folder):
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(place, name), "rb") as stream:
                found[os.path.join(place, name)] = hashlib.sha256(stream.read()).hexdigest()
    return found


def claims(case, folder, chance):
    """A call fails while another run is started in the folder, which it must leave alone."""
    half_run(case, folder)
    words = [word for word in case.words(folder) if word != "--force"]
    count_calls(case, "claims", words, READING, os.path.basename(case.file))
    before = contents(folder)
    done, rule = fail_one_call(case, "claims", words, READING, chance)
    if done.returncode == 0 or contents(folder) != before:
        raise Wrong("%s: the results of another run were overwritten, status %d" % (rule, done.returncode))
    return "%s, status %d" % (rule, done.returncode)
