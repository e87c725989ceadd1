"""Gabion from Python: granular media and dry masonry by Non Smooth Contact Dynamics.

    import gabion
    world = gabion.World(step=1e-3)
    stone = world.add_material("stone", 2400)
    world.set_default_law(friction=0.6)
    world.add_half_space([0, 0, 1], material=stone, name="ground")
    world.add_block([0.4, 0.2, 0.2], position=[0, 0, 0.1], material=stone)
    world.run(100)
    print(world.bodies.position, world.contacts.force.sum(axis=0))

or, with a case file, world = gabion.load_case("arch.yaml", {"solver.tolerance": 1e-8}).

Quantities are in SI units. Arrays of `bodies` and `contacts` are read-only views of the library's own memory, without a
copy. The memory moves when the world changes: an array that is still in use then makes the change fail with ViewError,
so that no array ever points at memory that is gone. Take `.copy()` of what is to be kept. docs/python.md says more.
"""
from ._interface import VERSION as __version__
from .errors import Error, InputError, OutOfMemory, RunError, Stopped, ViewError
from .library import library_path, library_version
from .problem import solve
from .signals import signal
from .views import Bodies, Contacts
from .world import World, load_case

__all__ = ["Bodies", "Contacts", "Error", "InputError", "OutOfMemory", "RunError", "Stopped", "ViewError",
           "World", "library_path", "library_version", "load_case", "signal", "solve", "__version__"]
