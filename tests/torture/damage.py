"""Attacks on files: a bit, a cut or a hole in one of those that a run leaves or reads."""
import glob
import os
import shutil

from program import Wrong, call, checkpoints, finished, half_run, start

# Kinds of files and how often each is damaged.
KINDS = {"checkpoint-*.h5": 10, "history.csv": 2, "*.pvd": 2, "vtk/*": 1, "frames/*": 1, "case.yaml": 1, "problem": 3, "case": 2}


def damage(path, chance):
    with open(path, "rb") as stream:
        content = bytearray(stream.read())
    at = chance.randrange(len(content))
    kind = chance.choice(("bit", "bit", "bit", "bit", "cut", "hole"))
    if kind == "hole" and not any(content[at:at + 512]):
        kind = "bit"  # there were only zeros
    if kind == "bit":
        content[at] ^= 1 << chance.randrange(8)
    elif kind == "cut":
        del content[at:]
    else:
        content[at:at + 512] = bytes(len(content[at:at + 512]))
    with open(path, "wb") as stream:
        stream.write(content)
    return "%s at byte %d of %s" % (kind, at, os.path.basename(path))


def flip_checkpoint(case, folder, path):
    """The run goes on from the newest one that is whole, and a newer one that is damaged is kept under another name."""
    saved = checkpoints(folder)
    with open(path, "rb") as stream:
        content = stream.read()
    case.check_recovery(folder, saved)
    if os.path.basename(path) != saved[-1]:
        return
    if not os.path.exists(path + ".damaged"):
        raise Wrong("the damaged %s was not kept" % saved[-1])
    with open(path + ".damaged", "rb") as stream:
        if stream.read() != content:
            raise Wrong("%s.damaged is not what was damaged" % saved[-1])


def flip_series(case, folder, path):
    """The run goes on, or says which file keeps it from doing so and goes on without."""
    words = case.resume_words(folder, 1)
    done = call(words)
    if done.returncode == 2:
        if os.path.basename(path) not in done.stderr:
            raise Wrong("%s is not named: %s" % (os.path.basename(path), done.stderr.strip()))
        os.rename(path, path + ".moved")
        done = call(words)
    if done.returncode != 0:
        raise Wrong("cannot go on, status %d: %s" % (done.returncode, done.stderr.strip()))
    case.check_state(done)


def flip_input(folder, words, path, chance):
    """A file that is not sealed may mean something else now; it must not do harm."""
    what = damage(path, chance)
    finished(start(words), words)
    shutil.rmtree(folder, ignore_errors=True)
    return what


def flip_problem(case, folder, chance):
    model = "problem-%s.hdf5" % os.path.basename(case.file)
    if not os.path.exists(model):
        half_run(case, folder)
        exported = call(["export", folder, "--fclib", model])
        shutil.rmtree(folder)
        if exported.returncode != 0:  # such files have no joints
            return flip_case(case, folder, chance)
    os.makedirs(folder)
    path = os.path.join(folder, "problem.hdf5")
    shutil.copy(model, path)
    return flip_input(folder, ["solve", path, "--max", "100"], path, chance)


def flip_case(case, folder, chance):
    os.makedirs(folder)
    path = os.path.join(folder, "case.yaml")
    shutil.copy(case.file, path)
    return flip_input(folder, ["run", path, "--steps", "3", "-q", "-o", os.path.join(folder, "out"), "-j", "1"], path, chance)


def flips(case, folder, chance):
    """A bit, a cut or a hole in a checkpoint, in another file of a run, in a problem or in a case file."""
    kind = chance.choices(list(KINDS), list(KINDS.values()))[0]
    if kind == "problem":
        return flip_problem(case, folder, chance)
    if kind == "case":
        return flip_case(case, folder, chance)
    half_run(case, folder)
    path = chance.choice(sorted(glob.glob(os.path.join(folder, kind))))
    what = damage(path, chance)
    if kind == "checkpoint-*.h5":
        flip_checkpoint(case, folder, path)
    else:
        flip_series(case, folder, path)
    return what
