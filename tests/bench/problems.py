"""The contact problems that solvers are judged on: those shipped in tests/problems, those of the
folder $GABION_FCLIB (../shared/fclib beside the repository unless set) where it is there, and large
ones that are exported from shipped cases when they are asked for."""
import glob
import os

from gabion_run import ROOT

SHIPPED = os.path.join(ROOT, "tests", "problems")
OTHERS = os.environ.get("GABION_FCLIB", os.path.join(os.path.dirname(ROOT), "shared", "fclib"))


def files():
    """Paths, small files first."""
    found = glob.glob(os.path.join(SHIPPED, "*.hdf5"))
    others = glob.glob(os.path.join(OTHERS, "*.hdf5"))
    if not others:
        print(f"{OTHERS}: no problems of other codes there; the shipped ones alone")
    return sorted(found + others, key=lambda path: (os.path.getsize(path), path))


def name(path):
    return os.path.basename(path).removesuffix(".hdf5")
