"""What a run leaves besides its checkpoints, its log and its summary, which has times in it, step by step, so that two runs can be compared."""
import hashlib
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import same_files


def _rows(path):
    """The rows of a history by step, without the one column that differs between equal runs."""
    with open(path, encoding="utf-8", errors="replace") as stream:
        lines = stream.read().split("\n")
    column = lines[0].split(",").index("wall_time") if "wall_time" in lines[0] else -1
    for number, line in enumerate(lines[:-1]):
        cells = line.split(",")
        yield (cells[0] if number > 0 else "header"), ",".join(cells[:column] + cells[column + 1:])
    if lines[-1]:
        yield "cut", lines[-1]


def _frames(path):
    """The entries of a collection by step."""
    with open(path, encoding="utf-8", errors="replace") as stream:
        for line in stream:
            line = line.replace(".pvtp", ".vtp")
            found = re.search(r"_(\d+)\.vt", line)
            yield (str(int(found.group(1))) if found else line), line


def _pieces(path):
    """What a picture shows, whether it is in pieces or not."""
    whole = hashlib.sha256()
    for name, array in sorted(same_files.polydata(path).items()):
        whole.update(("%s %s" % (name, array.shape)).encode())
        whole.update(array.astype("i8" if array.dtype.kind == "i" else array.dtype).tobytes())
    return whole.hexdigest()


def read(folder, pieces=False):
    """(file, step): contents. With `pieces`, contacts that several ranks wrote in pieces are those of one file."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            if name == "history.csv" or name.endswith(".pvd"):
                entries = _rows(path) if name == "history.csv" else _frames(path)
                found.update(((name, step), text) for step, text in entries)
            elif pieces and name.startswith("contacts_"):
                if "_p" not in name:
                    found["contacts_.vtp", str(int(re.search(r"\d+", name).group()))] = _pieces(path)
            elif not re.match(r"checkpoint-\d+\.h5|run\.log$|summary\.txt(\.tmp)?$", name):
                step = re.search(r"[-_](\d+)\.(vt.|h5)$", name)
                with open(path, "rb") as stream:
                    found[re.sub(r"\d+", "", name), str(int(step.group(1))) if step else ""] = hashlib.sha256(stream.read()).hexdigest()
    return found


def difference(expected, folder, lost, pieces=False):
    """What is too much or different, and the steps of what is missing. Where a call has failed, `lost` is of how many steps there may
    be too much: of the step at which the run had stopped, whose output could not be removed. Pictures that no collection lists do
    not count then."""
    found = read(folder, pieces)
    listed = {key[1] for key in found if key[0].endswith(".pvd")}
    more = {key for key in set(found) - set(expected) if not (lost and ".vt" in key[0] and key[1] not in listed)}
    wrong = {key for key in set(found) & set(expected) if found[key] != expected[key]}
    if len({step for _, step in more}) > lost:
        wrong |= more
    return sorted("%s of step %s" % key for key in wrong), sorted({step for _, step in set(expected) - set(found)})
