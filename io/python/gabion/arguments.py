"""Whole numbers, truth values and texts as C takes them. ctypes wraps a number that is too large for its type, cuts a text
at its first NUL and takes every object for true; here such values are rejected."""
import ctypes
import operator

WHOLE = (ctypes.c_int, ctypes.c_uint, ctypes.c_uint8, ctypes.c_uint16, ctypes.c_int64, ctypes.c_uint64)


def whole(kind, value):
    """A whole number that a C type can hold. Fractions are none."""
    number = operator.index(value)
    if kind(number).value != number:
        raise ValueError("%d does not fit into %d bytes" % (number, ctypes.sizeof(kind)))
    return number


def truth(value):
    if isinstance(value, str) or value not in (0, 1):
        raise ValueError("True or False is needed, found %r" % (value,))
    return bool(value)


def text(value):
    if value is not None and b"\0" in value:
        raise ValueError("a text must not contain a NUL, found %r" % value)
    return value


def member(kind, value):
    """What a member of a structure gets for a value."""
    if kind in WHOLE:
        return whole(kind, value)
    return truth(value) if kind is ctypes.c_bool else value


class Checked:
    """An argument of a function, as ctypes asks for it."""

    def __init__(self, kind, check):
        self.kind, self.check = kind, check

    def from_param(self, value):
        return self.kind(self.check(value))


def checked(kind):
    """The type of an argument with its checks."""
    if kind in WHOLE:
        return Checked(kind, lambda value: whole(kind, value))
    if kind is ctypes.c_bool:
        return Checked(kind, truth)
    return Checked(kind, text) if kind is ctypes.c_char_p else kind
