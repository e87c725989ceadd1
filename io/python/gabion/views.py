"""Bodies and contacts as numpy arrays that show the library's memory, without a copy.

The memory of the library moves when the world changes. A numpy array cannot be told so: it keeps its address. Each array
therefore has a lease as its base. numpy keeps the base of an array alive for as long as the array or any slice, reshaped
or transposed view of it exists, so that a lease that is gone proves that nobody can reach the memory any more, and a world
with leases rejects every change (World.change). A lease keeps its world alive, too. Arrays are read-only.
"""
import ctypes
import gc
import weakref

import numpy

from . import _interface, records
from .errors import InputError, ViewError
from .library import call


class Lease:
    """Permission to read one array of the library, in numpy's array interface."""

    def __init__(self, world, name, address, shape, strides, element):
        self.world = world
        self.name = name
        self.__array_interface__ = {"version": 3, "data": (address, True), "shape": shape, "strides": strides,
                                    "typestr": numpy.dtype(element).str}


class Leases:
    """The leases of one world that are in use."""

    def __init__(self):
        self.alive = weakref.WeakSet()

    def array(self, world, name, pointer, count, stride=None):
        """An array that shows `count` elements at a pointer, which may be null where there are none."""
        element, row = records.number_type(pointer._type_)
        if count == 0:
            return numpy.empty((0,) + row, dtype=element)
        lease = Lease(world, name, ctypes.cast(pointer, ctypes.c_void_p).value, (count,) + row,
                      stride and (stride,) + (8,) * len(row), element)
        self.alive.add(lease)
        return numpy.asarray(lease)

    def check(self, what):
        """Raises ViewError where an array is in use. Arrays in cycles of garbage are not."""
        if self.alive:
            gc.collect()
        names = sorted({lease.name for lease in self.alive})
        if names:
            raise ViewError("%s would move the memory of arrays that are still in use (%s): delete them first, "
                            "or keep a copy (.copy()) in their place" % (what, ", ".join(names)))


class View:
    """Attributes that are arrays. Each access shows the present state; nothing is kept here but the world."""
    struct = None  # of the C interface
    function = None
    counts = {}  # member: the member that holds its length, where that is not `count`

    def __init__(self, world):
        self._world = world

    def _read(self):
        view = self.struct()
        call(self.function, self._world.pointer, ctypes.byref(view))
        return view

    def __len__(self):
        return self._read().count

    def __dir__(self):
        return sorted(set(super().__dir__()) | {name for name, _ in self.struct._fields_})

    def _stride(self, view, name):
        return None

    def __getattr__(self, name):
        kind = dict(self.struct._fields_).get(name)
        if kind is None:
            raise AttributeError("%s has no array %r; there are %s"
                                 % (type(self).__name__, name, ", ".join(member for member, _ in self.struct._fields_)))
        # From the moment in which the address is read until the lease exists, no other thread may change the world.
        if not self._world.busy.acquire(blocking=False):
            raise InputError("the world is in use by another thread")
        try:
            return self._value(name, kind, self._read())
        finally:
            self._world.busy.release()

    def _value(self, name, kind, view):
        if not issubclass(kind, ctypes._Pointer):
            return getattr(view, name)
        count = getattr(view, self.counts.get(name, "count"))
        label = "%s.%s" % (type(self).__name__.lower(), name)
        return self._world.leases.array(self._world, label, getattr(view, name), count, self._stride(view, name))


class Bodies(View):
    """All bodies in the run, one array per property, without a copy: id, shape, shape_index, material, group, lock, radius,
    mass, inertia, position, orientation, velocity, spin; and by id: index_of, start. The order has no meaning and may
    change with every step: identify bodies by `id`, or find the place of a body by `index_of`."""
    struct = _interface.Bodies
    function = "gabion_view_bodies"
    counts = {"index_of": "ids", "start": "starts"}

    def places(self, group):
        """The places in the arrays of the bodies of a group, by its name or number, in order of id."""
        found = numpy.flatnonzero(self.group == self._world.group(group))
        return found[numpy.argsort(self.id[found])]


class Contacts(View):
    """The contacts of the last step, one array per property, without a copy: first, second (places of the two bodies in
    the arrays of Bodies), status, gap, normal, point (all three at the midpoint of the step), impulse (N s, on the first
    body). `force` and `bodies` are computed, and belong to the caller."""
    struct = _interface.Contacts
    function = "gabion_view_contacts"

    def _stride(self, view, name):
        return None if name == "impulse" else view.stride

    @property
    def force(self):
        """Forces on the first bodies in N: impulse / step. A new array."""
        return self.impulse / self._world.settings.step

    @property
    def bodies(self):
        """Ids of the two bodies of each contact. A new array."""
        ids = self._world.bodies.id
        return numpy.stack([ids[self.first], ids[self.second]], axis=1) if len(self) else numpy.empty((0, 2), dtype="i4")
