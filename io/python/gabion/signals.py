"""Functions of time for drivers, forces and the tilt of gravity."""
import ctypes

from . import _interface, records


def signal(kind, amplitude=1.0, start=0.0, end=float("inf"), points=None, **others):
    """A signal on [start, end]: constant, linear (amplitude times the time since start), sine (frequency in Hz, phase), ramp
    (from 0 at start to amplitude at end), table or record (`points`: rows of time and value; a record holds accelerations
    and is integrated twice). `smooth` is the length of the run-in and run-out of a sine or ramp; `returns=True` lets a
    record end at rest where it began."""
    made = records.fill(_interface.Signal(), kind=kind, amplitude=amplitude, start=start, end=end, **others)
    if points is not None:
        rows, _ = records.doubles(points, None, 2)
        made.columns = [records.doubles(rows[:, column], None) for column in range(2)]  # kept alive with the structure
        made.points = len(rows)
        made.table_time, made.table_value = (pointer for _, pointer in made.columns)
    return made


def reference(given):
    """A signal for a call: one that signal() made, or a number, which is constant."""
    if not isinstance(given, _interface.Signal):
        given = signal("constant", given)
    return ctypes.byref(given)
