"""Finds and loads the shared library, and calls its functions."""
import ctypes
import os
import pathlib

from . import _interface
from .arguments import checked
from .errors import CLASSES, Error, InputError

NAME = "libgabion.so.%s" % _interface.VERSION.split(".", 1)[0]


def candidates():
    """Where the library may be: named by the user, beside the installation of this module, where the system looks."""
    named = os.environ.get("GABION_LIBRARY")
    if named:
        return [named]
    here = pathlib.Path(__file__).resolve()
    beside = [path for folder in here.parents for path in (folder / NAME, *folder.glob("*-linux-gnu/" + NAME))
              if folder.name in ("lib", "lib64")]
    return [str(path) for path in beside if path.exists()] + [NAME]


def load():
    """Loads the first library that can be; its version must be that of the layouts of this module."""
    failures = []
    for path in candidates():
        try:
            library = ctypes.CDLL(path)
            break
        except OSError as failure:
            failures.append(str(failure))
    else:
        raise ImportError("the library of gabion was not found: %s. Install it (make install), or name it in the "
                          "environment variable GABION_LIBRARY" % "; ".join(failures))
    library.gabion_version.restype = ctypes.c_char_p
    version = library.gabion_version().decode()
    if version.split(".")[:2] != _interface.VERSION.split(".")[:2]:
        raise ImportError("%s has version %s, but this module was made for version %s; install both from the same version"
                          % (path, version, _interface.VERSION))
    for name, (result, arguments) in _interface.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, [checked(kind) for kind in arguments]
    return library, path


LIBRARY, _path = load()


def library_path():
    """The file of the library that is used, as it was found."""
    return _path


def library_version():
    """The version of the library that is used."""
    return LIBRARY.gabion_version().decode()


def failure(error):
    """The exception for an error of the library."""
    return CLASSES.get(error.status, Error)(error.text.decode("utf-8", "replace"))


def call(name, *arguments):
    """Calls a function whose last argument is an error; raises what that says."""
    error = _interface.Error()
    try:
        result = getattr(LIBRARY, name)(*arguments, ctypes.byref(error))
    except ctypes.ArgumentError as wrong:
        raise InputError("%s: %s" % (name, wrong)) from None
    if error.status:
        raise failure(error)
    return result
