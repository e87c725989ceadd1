"""Errors of the library as exceptions, one class for each status."""
from ._interface import Status


class Error(Exception):
    """Anything that the library reports; the text says what was expected. `status` is that of gabion.h."""
    status = None


class RunError(Error):
    """The run failed: a step did not converge as asked, a file could not be written."""
    status = Status.error_run


class InputError(Error, ValueError):
    """A wrong argument or wrong input; nothing has changed."""
    status = Status.error_input


class OutOfMemory(Error, MemoryError):
    """Memory ran out; gabion.h says what can still be done with the world."""
    status = Status.error_memory


class Stopped(Error):
    """A step was abandoned; the world is that of the last complete step."""
    status = Status.error_stopped


class ViewError(Error, BufferError):
    """The world cannot change while arrays that show its memory are in use."""


CLASSES = {kind.status: kind for kind in (RunError, InputError, OutOfMemory, Stopped)}
