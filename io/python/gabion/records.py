"""Structures of the C interface to and from Python values."""
import ctypes
import difflib
import operator
import types

import numpy

from . import _interface, arguments
from ._interface import Quat, Vec3

NUMBERS = {ctypes.c_double: "f8", ctypes.c_int: "i4", ctypes.c_uint: "u4", ctypes.c_bool: "?", ctypes.c_int32: "i4",
           ctypes.c_int64: "i8", ctypes.c_uint8: "u1", ctypes.c_uint16: "u2", ctypes.c_uint64: "u8", ctypes.c_size_t: "u8"}


def number_type(kind):
    """(format, shape) of an element: vectors are rows of numbers."""
    if kind is Vec3:
        return "f8", (3,)
    if kind is Quat:
        return "f8", (4,)
    return NUMBERS[kind], ()


def dtype_of(struct):
    """The numpy type of an array of structures."""
    names, formats, offsets = [], [], []
    for name, kind in struct._fields_:
        length = ()
        if isinstance(kind, type(ctypes.c_int * 1)):
            kind, length = kind._type_, (kind._length_,)
        element, shape = number_type(kind)
        names.append(name)
        formats.append((element, length + shape))
        offsets.append(getattr(struct, name).offset)
    return numpy.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": ctypes.sizeof(struct)})


def reals(values):
    """An array of doubles. numpy would drop what is imaginary, with a warning at most."""
    array = numpy.asarray(values)
    if array.dtype.kind == "c":
        raise TypeError("real numbers are needed, found complex ones")
    return numpy.asarray(array, dtype=float)


def wholes(values):
    """An array of whole numbers. numpy would cut fractions off."""
    array = numpy.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise TypeError("whole numbers are needed, found %r" % (values,))
    return array.astype("i8")


def vector(values, kind=Vec3):
    """A vector or quaternion from three or four numbers."""
    size = len(kind._fields_)
    numbers = reals(values)
    if numbers.shape != (size,):
        raise ValueError("%d numbers are needed, found %r" % (size, values))
    return kind(*numbers)


def enumerator(enum, value):
    """An enumerator from its word or number."""
    if not isinstance(value, str):
        return operator.index(value)
    try:
        return int(enum[value])
    except KeyError:
        raise ValueError("%r is none of %s" % (value, ", ".join(item.name for item in enum))) from None


def to_python(value, enum=None):
    """A value of a structure: words for enumerators, arrays for vectors, texts for bytes."""
    if isinstance(value, (Vec3, Quat)):
        return numpy.array([getattr(value, name) for name, _ in value._fields_])
    if isinstance(value, ctypes.Structure):
        return record(value)
    if isinstance(value, ctypes.Array):
        return numpy.array([to_python(item) for item in value])
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if enum is not None and value in set(enum):
        return enum(value).name
    return value


def record(struct, **others):
    """A copy of a structure with attributes of the same names. Arrays of pointers are left out."""
    values = {name: to_python(getattr(struct, name), struct._enums_.get(name)) for name, kind in struct._fields_
              if not issubclass(kind, ctypes._Pointer)}
    return types.SimpleNamespace(**values, **others)


def from_python(kind, value, enum=None):
    """What a member of this type gets for a value that a user gave."""
    if enum is not None:
        return arguments.member(kind, enumerator(enum, value))
    if kind in (Vec3, Quat):
        return vector(value, kind)
    if issubclass(kind, ctypes.Structure):
        return fill(kind(), **value) if isinstance(value, dict) else kind(*value)
    if issubclass(kind, ctypes.Array):
        return kind(*(arguments.member(kind._type_, item) for item in value))
    return arguments.member(kind, value)


def fill(struct, **values):
    """Sets members of a structure; words stand for enumerators. Returns the structure."""
    kinds = dict(struct._fields_)
    for name, value in values.items():
        if name not in kinds:
            near = difflib.get_close_matches(name, kinds, 1)
            raise TypeError("%s has no %r%s" % (type(struct).__name__, name, "; did you mean %r?" % near[0] if near else ""))
        try:
            setattr(struct, name, from_python(kinds[name], value, struct._enums_.get(name)))
        except (TypeError, ValueError) as wrong:
            raise type(wrong)("%s: %s" % (name, wrong)) from None
    return struct


def doubles(values, *shape):
    """A contiguous array of numbers and its address. A None in `shape` is any length."""
    array = numpy.ascontiguousarray(reals(values))
    if len(array.shape) != len(shape) or any(wanted not in (None, found) for wanted, found in zip(shape, array.shape)):
        raise ValueError("an array of shape %s is needed, found %s" % (shape, array.shape))
    return array, array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def lock_bits(lock):
    """Degrees of freedom from "x ry", from a list of such words, or from bits."""
    if isinstance(lock, int):
        return lock
    names = lock.replace(",", " ").split() if isinstance(lock, str) else lock
    bits = 0
    for name in names:
        bits |= enumerator(_interface.Lock, name)
    return bits
