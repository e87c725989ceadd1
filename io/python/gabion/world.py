"""The world: what there is, stepping it, and reading it."""
import ctypes
import json
import math
import operator
import os
import threading

import numpy

from . import _interface, arguments, records, signals
from .errors import InputError, Stopped
from .interrupts import Interrupts
from .library import LIBRARY, call
from .views import Bodies, Contacts, Leases

UNTURNED = (1.0, 0.0, 0.0, 0.0)


class World:
    """A world of rigid bodies. Keyword arguments are members of struct gabion_settings, words standing for enumerators:
    World(step=1e-3, gravity=[0, 0, -9.81], method="newton", tolerance=1e-8). `threads`: 0 is one per physical core;
    results do not depend on it. The functions are those of gabion.h, whose comments hold here as well; bodies, materials,
    groups, shapes, joints and probes are numbers, and groups and materials may also be given by name."""

    def __init__(self, threads=0, **settings):
        given = records.fill(LIBRARY.gabion_default_settings(), **settings)
        self._take(call("gabion_create", ctypes.byref(given), threads))

    def _take(self, pointer):
        self._pointer = pointer
        self._log = None
        self._running = False
        self.busy = threading.RLock()  # held by the thread that changes the world
        self.leases = Leases()

    # Life ------------------------------------------------------------------------------------

    @property
    def pointer(self):
        """The address of the world for functions of gabion.h."""
        if not self._pointer:
            raise InputError("the world is closed")
        return self._pointer

    def change(self, name, *arguments):
        """Calls a function of gabion.h that changes the world. Rejected with ViewError while arrays of it are in use."""
        with self.busy:
            self.leases.check(name)
            return call(name, self.pointer, *arguments)

    def read(self, name, struct, *arguments):
        """Calls a function of gabion.h that fills a structure, and returns a record of it."""
        filled = struct()
        call(name, self.pointer, *arguments, ctypes.byref(filled))
        return records.record(filled)

    def close(self):
        """Frees the world. Rejected with ViewError while arrays of it are in use. A world that nobody uses any more is
        freed by itself."""
        with self.busy:
            if self._running:
                raise InputError("a function that a run calls may not close its own world")
            if self._pointer:
                self.leases.check("close")
                LIBRARY.gabion_destroy(self._pointer)
                self._pointer = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # An array that exists keeps the world alive, so that there are none here.
    def __del__(self):
        if getattr(self, "_pointer", None):
            LIBRARY.gabion_destroy(self._pointer)
            self._pointer = None

    def __repr__(self):
        if not self._pointer:
            return "<gabion.World, closed>"
        return "<gabion.World, %d bodies, t = %g s>" % (self.counts.bodies, self.time)

    # Settings --------------------------------------------------------------------------------

    def _settings(self):
        settings = _interface.Settings()
        call("gabion_get_settings", self.pointer, ctypes.byref(settings))
        return settings

    @property
    def settings(self):
        """A copy of the settings; `configure` changes them."""
        return records.record(self._settings())

    def configure(self, **changes):
        """Changes settings: all of them before the first step, later all but `step` and `scheme`."""
        self.change("gabion_set_settings", ctypes.byref(records.fill(self._settings(), **changes)))

    @property
    def threads(self):
        return LIBRARY.gabion_threads(self.pointer)

    # Materials, laws, groups -----------------------------------------------------------------

    def add_material(self, name, density=0.0):
        """Returns the number of a material; density in kg/m3."""
        return self.change("gabion_add_material", name.encode(), density)

    def _find(self, function, what, given):
        if not isinstance(given, str):
            return operator.index(given)
        number = getattr(LIBRARY, function)(self.pointer, given.encode())
        if number < 0:
            raise InputError("no %s is named %r" % (what, given))
        return number

    def material(self, given):
        """The number of a material, by its name."""
        return self._find("gabion_find_material", "material", given)

    def group(self, given):
        """The number of a group, by its name."""
        return self._find("gabion_find_group", "group", given)

    def material_name(self, number):
        name = LIBRARY.gabion_material_name(self.pointer, number)
        return name and name.decode()

    def group_name(self, number):
        name = LIBRARY.gabion_group_name(self.pointer, number)
        return name and name.decode()

    def set_law(self, first, second, friction, restitution=0.0, tangential_restitution=0.0):
        """Sets the contact law of two materials."""
        law = _interface.Law(friction, restitution, tangential_restitution)
        self.change("gabion_set_law", self.material(first), self.material(second), ctypes.byref(law))

    def set_default_law(self, friction, restitution=0.0, tangential_restitution=0.0):
        """Sets the law of all pairs of materials that have none of their own."""
        law = _interface.Law(friction, restitution, tangential_restitution)
        self.change("gabion_set_default_law", ctypes.byref(law))

    def add_group(self, name):
        """Returns the number of the group of this name, which may exist already."""
        return self.change("gabion_add_group", name.encode())

    # Shapes ----------------------------------------------------------------------------------

    def add_box_shape(self, size):
        """Returns the number of a polyhedron: a box about the origin."""
        return self.change("gabion_add_box", records.vector(size))

    def add_hull(self, points):
        """Returns the number of a polyhedron: the convex hull of points."""
        rows, _ = records.doubles(points, None, 3)
        return self.change("gabion_add_hull", rows.ctypes.data_as(ctypes.POINTER(_interface.Vec3)), len(rows))

    def add_polyhedron(self, corners, faces):
        """Returns the number of a convex polyhedron; faces are lists of numbers of corners, counter-clockwise seen from
        outside."""
        rows, _ = records.doubles(corners, None, 3)
        starts = numpy.concatenate([[0], numpy.cumsum([len(face) for face in faces])]).astype("i8")
        flat = numpy.concatenate([records.wholes(face) for face in faces])
        whole = ctypes.POINTER(ctypes.c_int64)
        return self.change("gabion_add_polyhedron", rows.ctypes.data_as(ctypes.POINTER(_interface.Vec3)), len(rows),
                           starts.ctypes.data_as(whole), flat.ctypes.data_as(whole), len(faces))

    def add_clump_shape(self, centres, radii, mass="sum"):
        """Returns the number of a clump of spheres; `mass`: "sum" counts overlaps twice, "union" once."""
        rows, _ = records.doubles(centres, None, 3)
        sizes, pointer = records.doubles(radii, len(rows))
        return self.change("gabion_add_clump", rows.ctypes.data_as(ctypes.POINTER(_interface.Vec3)), pointer, len(rows),
                           records.enumerator(_interface.ClumpMass, mass))

    def add_compound_shape(self, parts):
        """Returns the number of a compound: a rigid body made of convex parts. A part is the number of a polyhedron, or a
        mapping with `polyhedron` and, where they differ, `position`, `orientation` and `density` (relative to the body's)."""
        rows = (_interface.Part * len(parts))()
        for row, part in zip(rows, parts):
            given = part if isinstance(part, dict) else {"polyhedron": part}
            records.fill(row, **{"orientation": UNTURNED, **given})
        return self.change("gabion_add_compound", rows, len(parts))

    # Bodies ----------------------------------------------------------------------------------

    def add_body(self, shape, material=0, name=None, lock=0, **members):
        """Adds a body and returns its id. `shape` is a word: sphere, half_space, polyhedron, clump, hollow_sphere, drum,
        compound.
        `name` is its group. Keyword arguments are members of struct gabion_body. Density and mass: where neither is given,
        the density is that of the material."""
        body = records.fill(LIBRARY.gabion_default_body(), shape=shape, **members)
        records.fill(body, material=self.material(material), lock=records.lock_bits(lock))
        if name is not None:
            body.group = self.add_group(name)
        if not (body.density or body.mass):
            body.density = LIBRARY.gabion_material_density(self.pointer, body.material)
        return self.change("gabion_add_body", ctypes.byref(body))

    def add_sphere(self, radius, position, **members):
        return self.add_body("sphere", radius=radius, position=position, **members)

    def add_block(self, size, position, orientation=UNTURNED, **members):
        """Adds a box with these sides about its position."""
        return self.add_body("polyhedron", polyhedron=self.add_box_shape(size), position=position, orientation=orientation,
                             **members)

    def add_half_space(self, normal, position=(0, 0, 0), **members):
        """Adds the fixed solid behind the plane through a point; the normal points out of it."""
        direction = records.reals(normal)
        return self.add_body("half_space", normal=direction / numpy.linalg.norm(direction), position=position, fixed=True,
                             **members)

    def add_joint(self, kind, first, second=-1, **members):
        """Adds a joint of two bodies, or of a body and the world: ball, hinge, fixed, distance. Members: anchor,
        anchor_second, axis, collide."""
        joint = records.fill(_interface.Joint(), kind=kind, first=first, second=second, **members)
        return self.change("gabion_add_joint", ctypes.byref(joint))

    # Actions ---------------------------------------------------------------------------------

    def add_driver(self, group, direction, signal):
        """Moves the fixed bodies of a group along a direction by a signal (gabion.signal), in metres."""
        self.change("gabion_add_driver", self.group(group), records.vector(direction), signals.reference(signal))

    def add_rotation(self, group, pivot, axis, signal):
        """Turns the fixed bodies of a group about an axis by a signal, in radians."""
        self.change("gabion_add_rotation", self.group(group), records.vector(pivot), records.vector(axis),
                    signals.reference(signal))

    def add_force(self, group, direction, signal):
        """Applies a force to the centre of every moving body of a group; a number is a constant force in N."""
        self.change("gabion_add_force", self.group(group), records.vector(direction), signals.reference(signal))

    def add_reset(self, group, time, velocity=(0, 0, 0), spin=(0, 0, 0)):
        self.change("gabion_add_reset", self.group(group), time, records.vector(velocity), records.vector(spin))

    def add_removal(self, group, time):
        self.change("gabion_add_removal", self.group(group), time)

    def set_tilt(self, axis, signal):
        """Turns gravity about an axis by a signal, in radians."""
        self.change("gabion_set_tilt", records.vector(axis), signals.reference(signal))

    def watch_fall(self, group=None):
        """Makes `collapsed` look at one group alone; None: at all moving bodies."""
        self.change("gabion_watch_fall", -1 if group is None else self.group(group))

    def add_probe(self, name, group, quantity):
        """Adds a probe of position, velocity, spin, force or moment of a group; `probe` reads it."""
        return self.change("gabion_add_probe", name.encode(), self.group(group),
                           records.enumerator(_interface.Quantity, quantity))

    def set_velocity(self, body, velocity, spin=(0, 0, 0)):
        """Sets velocity and spin of a moving body between steps. Arrays stay valid."""
        call("gabion_set_velocity", self.pointer, body, records.vector(velocity), records.vector(spin))

    def apply_force(self, body, force, moment=(0, 0, 0)):
        """Adds a force at the centre of a moving body, and a moment, over the next step alone. Arrays stay valid."""
        call("gabion_apply_force", self.pointer, body, records.vector(force), records.vector(moment))

    # Running ---------------------------------------------------------------------------------

    def step(self):
        """Does one step."""
        self.run(1)

    def run(self, steps, each=None):
        """Does up to `steps` steps and returns how many. `each(world)` is called after every step; where it returns False
        the run ends, an exception in it ends the run and comes out here. Ctrl-C abandons the step that is under way and
        leaves the last complete one."""
        with self.busy:
            if self._running:
                raise InputError("a function that a run calls may not step its own world")
            self.leases.check("run")
            self._running = True
            try:
                return self._run(steps, StepCaller(self, each), Interrupts(self.pointer))
            finally:
                self._running = False

    def _run(self, steps, caller, interrupts):
        with interrupts, caller:
            try:
                done = call("gabion_run", self.pointer, steps)
            except Stopped:
                if interrupts.noted is None:
                    raise
                done = None
        interrupts.repeat()
        if caller.raised is not None:
            raise caller.raised
        return done

    def run_until(self, time, each=None):
        """Steps until `time` is reached, within rounding; returns the number of steps done."""
        step = self.settings.step
        return self.run(max(0, math.ceil(time / step - 1e-6) - self.step_number), each)

    def write_checkpoint(self, path):
        """Writes the state to a file, complete or not at all."""
        call("gabion_write_checkpoint", self.pointer, os.fsencode(path))

    def restore_checkpoint(self, path):
        """Replaces the state by that of a checkpoint; the world needs the same definitions."""
        self.change("gabion_restore_checkpoint", os.fsencode(path))

    def set_log(self, function, least="info"):
        """Makes the library call function(level, text) with its messages; None ends that. The function must not use the
        world."""
        def receive(_, level, text):
            function(_interface.LogLevel(level).name, text.decode("utf-8", "replace"))
        callback = _interface.LogFunction(receive) if function else _interface.LogFunction()
        call("gabion_set_log", self.pointer, records.enumerator(_interface.LogLevel, least), callback, None)
        self._log = callback  # the library calls it: it must live as long

    # Reading ---------------------------------------------------------------------------------

    @property
    def step_number(self):
        return LIBRARY.gabion_step_number(self.pointer)

    @property
    def time(self):
        return LIBRARY.gabion_time(self.pointer)

    @property
    def at_rest(self):
        return LIBRARY.gabion_at_rest(self.pointer)

    @property
    def collapsed(self):
        """None, or a record with the body that has fallen, its distance and its speed."""
        fall = _interface.Fall()
        return records.record(fall) if LIBRARY.gabion_collapsed(self.pointer, ctypes.byref(fall)) else None

    @property
    def state_hash(self):
        """Equal hashes mean that two runs with the same definitions go on equally."""
        return "%016x" % LIBRARY.gabion_state_hash(self.pointer)

    @property
    def counts(self):
        return self.read("gabion_read_counts", _interface.Counts)

    @property
    def step_report(self):
        """What the last step did."""
        return self.read("gabion_read_step_report", _interface.StepReport)

    @property
    def run_report(self):
        """Totals since the start of the run."""
        return self.read("gabion_read_run_report", _interface.RunReport)

    @property
    def energies(self):
        """The energy ledger, in J."""
        return self.read("gabion_read_energies", _interface.Energies)

    @property
    def timings(self):
        """Seconds of wall clock by phase of the step."""
        count = call("gabion_read_timings", self.pointer, None, 0)
        rows = (_interface.Timing * count)()
        call("gabion_read_timings", self.pointer, rows, count)
        return {row.phase.decode(): row.seconds for row in rows}

    def probe(self, given):
        """The value of a probe, by its name or number."""
        value = _interface.Vec3()
        number = self._find("gabion_find_probe", "probe", given)
        call("gabion_probe_value", self.pointer, number, ctypes.byref(value))
        return records.to_python(value)

    @property
    def bodies(self):
        """Arrays of all bodies, without a copy (gabion.Bodies)."""
        return Bodies(self)

    @property
    def contacts(self):
        """Arrays of the contacts of the last step, without a copy (gabion.Contacts)."""
        return Contacts(self)

    def body(self, number):
        """A record of one body, by its id."""
        return self.read("gabion_get_body", _interface.BodyState, number)

    def joint(self, number):
        return self.read("gabion_get_joint", _interface.JointState, number)

    def _rows(self, struct, count, function):
        rows = numpy.empty(count, dtype=records.dtype_of(struct))
        function(rows.ctypes.data_as(ctypes.POINTER(struct)))
        return rows

    def read_bodies(self):
        """Copies of all bodies in order of id, as a structured array."""
        count = self.counts.bodies
        return self._rows(_interface.BodyState, count, lambda rows: call("gabion_read_bodies", self.pointer, rows, count))

    def read_contacts(self):
        """Copies of the contacts of the last step as a structured array: body (ids), index, point and the rest."""
        count = self.counts.contacts
        return self._rows(_interface.Contact, count, lambda rows: call("gabion_read_contacts", self.pointer, 0, count, rows))

    def find_interfaces(self):
        """Finds the interfaces of blocks before the first step, which does it otherwise."""
        self.change("gabion_find_interfaces")

    def interfaces(self):
        """Measures the interfaces between blocks after the last step, as a structured array."""
        count = ctypes.c_size_t()
        rows = call("gabion_measure_interfaces", self.pointer, ctypes.byref(count))
        found = numpy.empty(count.value, dtype=records.dtype_of(_interface.Interface))
        ctypes.memmove(found.ctypes.data, rows, found.nbytes)
        LIBRARY.gabion_free(rows)
        return found

    def polyhedron(self, number):
        """A shape of `shape_index`: corners in own axes and faces as lists of corners, with volume, centre and axes."""
        shape = _interface.Polyhedron()
        call("gabion_get_polyhedron", self.pointer, number, ctypes.byref(shape))
        start, corner = shape.face_start[:shape.faces + 1], shape.face_corner[:shape.face_start[shape.faces]]
        made = records.record(shape)
        made.corner = numpy.array([records.to_python(point) for point in shape.corner[:shape.corners]])
        made.face = [corner[start[face]:start[face + 1]] for face in range(shape.faces)]
        return made


class StepCaller:
    """The step function of a run: calls `each`, keeps what it raises, and sees that it leaves no array behind."""

    def __init__(self, world, each):
        self.world, self.each, self.raised = world, each, None

    def __enter__(self):
        if self.each:
            self.function = _interface.StepFunction(self._call)
            call("gabion_set_step_function", self.world.pointer, self.function, None)
        return self

    def _call(self, pointer, user):
        try:
            goes_on = self.each(self.world) is not False
            self.world.leases.check("the next step")
            return goes_on
        except BaseException as raised:  # an exception cannot pass through the library
            self.raised = raised
            return False

    def __exit__(self, *_):
        if self.each:
            call("gabion_set_step_function", self.world.pointer, _interface.StepFunction(), None)
            self.function = None


def load_case(path, overrides=None, threads=0):
    """Creates the world of a case file. Overrides replace values of the file: {"solver.tolerance": 1e-8}. What the case says
    about output and stopping is not done: world.run_until(world.settings.end) runs it to its end."""
    texts = ["%s=%s" % (key, override_text(value)) for key, value in (overrides or {}).items()]
    array = (ctypes.c_char_p * len(texts))(*(arguments.text(text.encode()) for text in texts))
    world = World.__new__(World)
    world._take(call("gabion_load_case", os.fsencode(path), array, len(texts), threads))
    return world


def override_text(value):
    """A value as --set takes it: JSON is YAML but for infinity."""
    if isinstance(value, str):
        return value
    if isinstance(value, numpy.ndarray):
        value = value.tolist()
    return json.dumps(value, default=float).replace("Infinity", "inf")
