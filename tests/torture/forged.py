"""Attacks by files: whatever was done to them, a reader ends with a message or with the numbers that were written, within the memory
that it is allowed. Called as those of attacks.py."""
import os
import resource
import shutil

import h5py
import numpy as np

from damage import damage
from forge import KINDS, forge, seal
from program import OUTPUT, ROOT, Wrong, call, half_run, summary

MEMORY = (resource.RLIMIT_AS, 2 << 30)
READ = {"position", "radius", "velocity", "spin", "orientation", "id", "shape"}  # by an import of a frame: masses are those of the case
UNREAD = ("nzmax", "info", "solution", "guesses", "gabion")  # what `solve` can do without
SCENE = """time: {step: 1e-3, end: 0.02}
materials: {stone: {density: 2600}}
laws: [{between: default, friction: 0.8}]
imports: [{file: forged.h5, name: grains, material: stone}]
"""


def frame():
    """A frame of the case that has grains alone; made once."""
    path = os.path.join("grains", "frames", "frame-%09d.h5" % OUTPUT["output.frames_every"])
    if not os.path.isfile(path):
        call(["run", os.path.join(ROOT, "tests", "cli", "cases", "box.yaml"), "-o", "grains", "-q", "-j", "1", "--force", "--steps",
              str(OUTPUT["output.frames_every"]), "--set", "output.frames_every=%d" % OUTPUT["output.frames_every"]])
    return path


def problem(case):
    """A step of the case as a contact problem; of the case of grains where it has joints, which the format does not know."""
    path = "problem-%s.hdf5" % os.path.basename(case.file)
    if not os.path.isfile(path):
        done = call(["export", case.file, "--fclib", path, "--step", "60"])
        if done.returncode != 0:
            call(["export", os.path.join(ROOT, "tests", "cli", "cases", "box.yaml"), "--fclib", path, "--step", "60"])
    return path


def datasets(path):
    found = []
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) and item.shape and item.size else None)
    return found


def change(path, name, chance):
    """Another type, another size, other values, or no dataset at all; returns what was done."""
    kind = chance.choice(("type", "rows", "columns", "values", "values", "values", "removed", "attribute"))
    with h5py.File(path, "r+") as file:
        values = file[name][()]
        if kind == "attribute":
            owner = file[chance.choice(("/", os.path.dirname("/" + name), name))]
            for key in list(owner.attrs):
                owner.attrs[key] = chance.choice((-1, 2**62, np.nan, "text", [1.0, 2.0], np.int32(7)))
        elif kind == "values" and values.dtype.kind in "iuf" and values.size:
            at = tuple(chance.randrange(size) for size in values.shape)
            with np.errstate(all="ignore"):
                file[name][at] = np.array(chance.choice((0.0, -1.0, 1e308, 5e-324, 1e9, np.nan, np.inf, 7.0))).astype(values.dtype)
        else:
            del file[name]
            if kind == "type":
                file[name] = np.zeros(values.shape, chance.choice(("u1", "i2", "i8", "f4", ">f8", "S4", "c16")))
            elif kind == "rows":
                file[name] = np.resize(values, (chance.choice((0, 1, len(values) + 1, 7 * len(values) + 5)), *values.shape[1:]))
            elif kind == "columns":
                file[name] = np.resize(values, (*values.shape, chance.randint(0, 4)))
    seal(path)
    return kind


def forge_one(path, name, chance):
    kind = chance.choice([kind for kind in KINDS if kind != "group_link" or os.path.dirname(name)] + 8 * ["change"])
    if kind == "change":
        return change(path, name, chance)
    forge(kind, path, name)
    return kind


def expect_rejection(kind, name, words, done):
    if kind in KINDS and done.returncode == 0:
        raise Wrong("%s accepts %s with %s" % (words[0], name, kind))


def forged(case, folder, chance):
    """A checkpoint, a frame, an import or a contact problem with one dataset forged, and sealed anew."""
    os.makedirs(folder)
    path, scene = os.path.join(folder, "forged.h5"), os.path.join(folder, "scene.yaml")
    with open(scene, "w", encoding="utf-8") as stream:
        stream.write(SCENE)
    what = chance.choice(("checkpoint", "frame", "problem"))
    if what == "checkpoint":
        saved = os.path.join(folder, "half")
        source = os.path.join(saved, half_run(case, saved)[-1])
        words = chance.choice((["resume", path, "-o", os.path.join(folder, "out"), "--steps", "0", "-q"], ["check", scene]))
    elif what == "frame":
        source, words = frame(), ["check", scene]
    else:
        source, words = problem(case), chance.choice((["solve", path], ["info", path]))
    shutil.copy(source, path)
    name = chance.choice(datasets(path))
    kind = forge_one(path, name, chance)
    done = call(words, limit=MEMORY)
    read = os.path.basename(name) in READ and name.startswith("bodies/") if words[0] == "check" else \
        not any(part in UNREAD for part in name.split("/"))
    if read and not (words[0] == "check" and what == "checkpoint"):
        expect_rejection(kind, name, words, done)
    if words[0] == "resume" and done.returncode == 0:
        intact = call(["info", source])
        if summary(done, "state-hash") != summary(intact, "state-hash"):
            raise Wrong("resume accepts %s with %s in another state" % (name, kind))
    return "%s %s %s: %s, status %d" % (words[0], what, name, kind, done.returncode)


def frames(case, folder, chance):
    """A bit, a cut or a hole in a frame: no import takes it."""
    os.makedirs(folder)
    with open(os.path.join(folder, "scene.yaml"), "w", encoding="utf-8") as stream:
        stream.write(SCENE)
    shutil.copy(frame(), os.path.join(folder, "forged.h5"))
    text = damage(os.path.join(folder, "forged.h5"), chance)
    if call(["check", os.path.join(folder, "scene.yaml")], limit=MEMORY).returncode == 0:
        raise Wrong("an import takes the frame with a %s" % text)
    return text
