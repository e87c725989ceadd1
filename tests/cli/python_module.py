"""The Python module, as unittest reads it; the module is that of PYTHONPATH."""
import gc
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import weakref

import numpy

import gabion

CASES = os.environ["GABION_CASES"]


def block_world(**settings):
    """A block of 38.4 kg on the ground."""
    world = gabion.World(threads=1, step=1e-3, **settings)
    stone = world.add_material("stone", 2400)
    world.set_default_law(friction=0.6)
    world.add_half_space([0, 0, 2], material=stone, name="ground")
    world.add_block([0.4, 0.2, 0.2], [0, 0, 0.1], material="stone", name="block")
    return world


class Reading(unittest.TestCase):
    def test_forces_carry_the_weight(self):
        world = block_world()
        world.run(50)
        self.assertAlmostEqual(world.contacts.force.sum(axis=0)[2], 0.4 * 0.2 * 0.2 * 2400 * 9.81, delta=1e-4)
        self.assertAlmostEqual(world.read_contacts()["force"].sum(axis=0)[2], 376.704, delta=1e-4)

    def test_views_show_what_copies_hold(self):
        world = gabion.load_case(CASES + "/arch.yaml", threads=1)
        world.run(5)
        bodies, copies = world.bodies, world.read_bodies()
        places = bodies.index_of[copies["id"]]
        for name in ("id", "mass", "position", "orientation", "velocity", "spin", "inertia", "radius", "material", "group"):
            numpy.testing.assert_array_equal(getattr(bodies, name)[places], copies[name])
        contacts, rows = world.contacts, world.read_contacts()
        self.assertEqual(len(contacts), len(rows))
        self.assertGreater(len(rows), 30)
        for name in ("gap", "normal", "impulse", "status"):
            numpy.testing.assert_array_equal(getattr(contacts, name), rows[name])
        numpy.testing.assert_array_equal(contacts.bodies, rows["body"])
        numpy.testing.assert_allclose(contacts.force, rows["force"], rtol=1e-14)

    def test_no_copy(self):
        world = block_world()
        self.assertEqual(world.bodies.position.ctypes.data, world.bodies.position.ctypes.data)
        velocity = world.bodies.velocity
        world.set_velocity(1, [0, 0, 3])
        self.assertEqual(velocity[world.bodies.index_of[1], 2], 3)  # the array shows the change

    def test_records(self):
        world = block_world(method="newton")
        world.add_probe("height", "block", "position")
        world.run(3)
        self.assertEqual(world.settings.method, "newton")
        self.assertEqual((world.counts.bodies, world.counts.moving, world.step_number), (2, 1, 3))
        self.assertAlmostEqual(world.time, 3e-3)
        self.assertTrue(world.energies.closes)
        self.assertTrue(world.step_report.converged)
        self.assertIn("solve", world.timings)
        numpy.testing.assert_allclose(world.probe("height"), [0, 0, 0.1], atol=1e-7)
        self.assertEqual(world.body(1).shape, "polyhedron")
        self.assertEqual(world.group_name(world.body(1).group), "block")
        self.assertEqual(world.bodies.places("block").tolist(), [world.bodies.index_of[1]])
        self.assertEqual(sorted(len(face) for face in world.polyhedron(0).face), [4] * 6)
        found = world.interfaces()
        self.assertEqual((len(found), found["a"][0], found["b"][0]), (1, 0, 1))
        self.assertAlmostEqual(found["normal_force"][0], 376.704, delta=0.02)
        self.assertIsNone(world.collapsed)

    def test_definitions(self):
        world = gabion.World(threads=1)
        world.add_material("m", 1000)
        world.set_default_law(friction=0)
        tetrahedron = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        hull = world.add_hull(tetrahedron)
        same = world.add_polyhedron(tetrahedron, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
        self.assertAlmostEqual(world.polyhedron(hull).volume, 1 / 6)
        self.assertAlmostEqual(world.polyhedron(same).volume, 1 / 6)
        clump = world.add_clump_shape([[0, 0, 0], [2, 0, 0]], [1, 1], "union")
        body = world.add_body("clump", clump=clump, position=[9, 0, 0], lock="y rx", name="pair")
        self.assertAlmostEqual(world.body(body).mass, 2 * 1000 * 4 / 3 * numpy.pi)
        self.assertEqual(world.body(body).lock, 2 + 8)
        box = world.add_box_shape([1, 1, 1])
        ell = world.add_compound_shape([box, {"polyhedron": box, "position": [1, 0, 0], "density": 3}])
        body = world.add_body("compound", compound=ell, position=[-9, 0, 0])
        self.assertAlmostEqual(world.body(body).mass, 4000)
        self.assertAlmostEqual(world.body(body).position[0], -8.25)
        bob = world.add_sphere(0.1, [0, 0, 5])
        world.add_joint("distance", bob, anchor=[0, 0, 5], anchor_second=[0, 0, 6])
        world.add_half_space([0, 0, 1], [0, 0, -9], name="table")
        world.add_driver("table", [1, 0, 0], gabion.signal("sine", 0.1, frequency=2))
        world.add_rotation("table", [0, 0, 0], [0, 0, 1], gabion.signal("ramp", 0.1, end=1))
        world.add_force("pair", [1, 0, 0], gabion.signal("table", 5, points=[[0, 0], [1, 2]]))
        world.add_force("pair", [0, 0, 1], 7)
        world.add_reset("pair", 0.5)
        world.add_removal("pair", 0.7)
        world.set_tilt([1, 0, 0], gabion.signal("linear", 0.1))
        world.watch_fall("pair")
        counts = world.counts
        self.assertEqual((counts.drivers, counts.forces, counts.events, counts.joints), (2, 2, 2, 1))
        world.run(3)
        self.assertLess(abs(world.joint(0).error), 1e-6)

    def test_tables_are_copied(self):
        world = block_world()
        world.add_driver("ground", [1, 0, 0], gabion.signal("table", points=numpy.array([[0, 0], [1, 1.0]])))
        gc.collect()
        world.run(10)
        self.assertAlmostEqual(world.bodies.position[world.bodies.index_of[0], 0], 0.01, places=12)

    def test_checkpoints(self):
        with tempfile.TemporaryDirectory() as folder:
            world = block_world()
            world.set_velocity(1, [1, 0, 0])
            world.run(5)
            world.write_checkpoint(folder + "/a.h5")
            hash_ = world.state_hash
            world.run(5)
            self.assertNotEqual(world.state_hash, hash_)
            world.restore_checkpoint(folder + "/a.h5")
            self.assertEqual((world.state_hash, world.step_number), (hash_, 5))


class Lifetimes(unittest.TestCase):
    def rejects(self, world, change):
        hash_ = world.state_hash
        with self.assertRaises(gabion.ViewError) as raised:
            change()
        self.assertEqual(world.state_hash, hash_)
        return str(raised.exception)

    def test_an_array_in_use_rejects_changes(self):
        world = block_world()
        world.run(2)
        keep = world.bodies.position
        self.assertIn("bodies.position", self.rejects(world, world.step))
        for change in (lambda: world.configure(tolerance=1e-3), world.close, lambda: world.add_group("new"),
                       lambda: world.set_default_law(0.1), lambda: world.restore_checkpoint("nowhere")):
            self.rejects(world, change)
        del keep
        world.step()

    def test_every_kind_of_view_counts(self):
        world = block_world()
        world.run(2)
        for derive in (lambda a: a[1:], lambda a: a.T, lambda a: a.reshape(-1), lambda a: a[:, 2], memoryview,
                       lambda a: a.view("u8"), numpy.asarray, lambda a: a[0, :].flat, lambda a: numpy.broadcast_to(a, (2,) + a.shape)):
            keep = derive(world.bodies.position)
            self.rejects(world, world.step)
            del keep
            world.step()
        keep = world.contacts.gap
        self.assertIn("contacts.gap", self.rejects(world, world.step))

    def test_copies_and_garbage_do_not_count(self):
        world = block_world()
        world.run(2)
        copy, computed, cycle = world.bodies.position.copy(), world.bodies.position * 2, [world.contacts.gap]
        cycle.append(cycle)
        del cycle
        world.run(2)
        self.assertEqual(copy.shape, computed.shape)

    def test_arrays_are_read_only(self):
        world = block_world()
        keep = world.bodies.position
        with self.assertRaises(ValueError):
            keep[0, 0] = 1
        with self.assertRaises(ValueError):
            keep.flags.writeable = True

    def test_an_array_keeps_its_world(self):
        world = block_world()
        keep, gone = world.bodies.mass, weakref.ref(world)
        del world
        gc.collect()
        self.assertIsNotNone(gone())
        self.assertAlmostEqual(keep.max(), 38.4)
        del keep
        gc.collect()
        self.assertIsNone(gone())

    def test_a_view_object_shows_the_present(self):
        world = gabion.World(threads=1, step=1e-3)
        world.add_material("m", 1000)
        world.add_sphere(0.1, [0, 0, 5])
        bodies = world.bodies
        heights = []
        for _ in range(3):
            heights.append(float(bodies.position[0, 2]))
            world.run(10)
        self.assertEqual(heights, sorted(heights, reverse=True))
        self.assertLess(heights[2], heights[0])

    def test_a_step_function_may_not_keep_arrays(self):
        world, kept = block_world(), []
        with self.assertRaises(gabion.ViewError):
            world.run(5, each=lambda world: kept.append(world.bodies.id))
        self.assertEqual(world.step_number, 1)
        kept.clear()
        self.assertEqual(world.run(5, each=lambda world: kept.append(world.bodies.id.copy())), 5)

    def test_closed(self):
        with block_world() as world:
            bodies = world.bodies
        for use in (world.step, lambda: bodies.id, lambda: world.time, lambda: world.counts):
            with self.assertRaises(gabion.InputError):
                use()
        world.close()
        self.assertIn("closed", repr(world))

    def test_other_threads(self):
        world, errors = block_world(), []

        def look():
            for _ in range(200):
                try:
                    world.bodies.position.sum()
                except gabion.InputError as error:
                    errors.append(str(error))
        thread = threading.Thread(target=look)
        thread.start()
        for _ in range(200):
            try:
                world.run(2)
            except gabion.ViewError:
                pass
        thread.join()
        world.step()
        self.assertTrue(all("another thread" in error for error in errors))


class Running(unittest.TestCase):
    def test_each(self):
        world, seen = block_world(), []
        self.assertEqual(world.run(5, each=lambda world: seen.append(world.step_number)), 5)
        self.assertEqual(seen, [1, 2, 3, 4, 5])
        self.assertEqual(world.run(5, each=lambda world: world.step_number < 7), 2)
        self.assertEqual(world.run_until(0.02), 13)
        self.assertEqual(world.run_until(0.02), 0)

    def test_exceptions_come_out(self):
        world = block_world()
        with self.assertRaises(ZeroDivisionError):
            world.run(5, each=lambda world: 1 / 0)
        self.assertEqual(world.step_number, 1)
        for wrong in (lambda world: world.step(), lambda world: world.close()):
            with self.assertRaises(gabion.InputError):
                world.run(5, each=wrong)
        self.assertEqual(world.run(5), 5)

    def test_forces_between_steps(self):
        """Free fall with the weight held: nothing moves; without: g t^2 / 2."""
        world = gabion.World(threads=1, step=1e-3)
        world.add_material("m", 1000)
        ball = world.add_sphere(0.1, [0, 0, 5])
        weight = world.body(ball).mass * 9.81
        for _ in range(10):
            world.apply_force(ball, [0, 0, weight])
            world.step()
        self.assertAlmostEqual(world.body(ball).position[2], 5, places=12)
        world.run(100)
        self.assertAlmostEqual(world.body(ball).position[2], 5 - 9.81 * 0.1 ** 2 / 2, places=9)

    def test_log(self):
        world, lines = block_world(), []
        world.set_log(lambda level, text: lines.append((level, text)), "debug")
        gc.collect()
        world.run(2)
        self.assertTrue(any(level == "debug" for level, _ in lines))
        world.set_log(None)
        count = len(lines)
        world.run(2)
        self.assertEqual(len(lines), count)

    def test_case_files(self):
        world = gabion.load_case(CASES + "/arch.yaml", {"time.end": 0.004, "gravity": [0, 0, -5], "solver.method": "newton"}, threads=2)
        self.assertEqual((world.settings.end, world.settings.gravity[2], world.settings.method), (0.004, -5, "newton"))
        self.assertEqual(world.run_until(world.settings.end), 4)
        self.assertEqual(world.group_name(world.group("crown")), "crown")

    def test_ctrl_c(self):
        """SIGINT in the middle of a long run: KeyboardInterrupt, and the world goes on."""
        program = """if True:
            import os, signal, sys, threading, time
            import gabion
            signal.signal(signal.SIGINT, signal.default_int_handler)  # also where nohup has started the tests
            world = gabion.load_case(sys.argv[1] + "/arch.yaml", threads=1)
            def strike():
                while not started: time.sleep(0.01)
                time.sleep(0.2)
                os.kill(os.getpid(), signal.SIGINT)
            started = False
            threading.Thread(target=strike, daemon=True).start()
            try:
                started = True
                world.run(100000000)
            except KeyboardInterrupt:
                before = world.step_number
                assert world.run(2) == 2 and world.step_number == before + 2
                print("interrupted", signal.getsignal(signal.SIGINT) is signal.default_int_handler)
        """
        done = subprocess.run([sys.executable, "-c", program, CASES], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.stdout, "interrupted True\n", done.stderr)


class Mistakes(unittest.TestCase):
    def test_classes(self):
        world = block_world(on_cap="stop", max_sweeps=1, tolerance=1e-15, method="nsgs")
        world.set_velocity(1, [1, 1, -1], [3, 2, 1])
        with self.assertRaises(gabion.RunError) as raised:
            world.run(100)
        self.assertEqual(raised.exception.status, 1)
        for wrong in (lambda: world.body(77), lambda: gabion.load_case("nowhere.yaml"), lambda: world.group("nobody"),
                      lambda: world.probe("none"), lambda: gabion.World(step=-1)):
            with self.assertRaises(gabion.InputError) as raised:
                wrong()
            self.assertIsInstance(raised.exception, ValueError)
            self.assertIsInstance(raised.exception, gabion.Error)

    def test_words(self):
        with self.assertRaisesRegex(TypeError, "did you mean 'tolerance'"):
            gabion.World(tolerence=1)
        with self.assertRaisesRegex(ValueError, "'newtn' is none of nsgs"):
            gabion.World(method="newtn")
        with self.assertRaisesRegex(ValueError, "gravity: 3 numbers"):
            gabion.World(gravity=[0, 0])

    def test_numbers_that_do_not_fit(self):
        """What does not fit into a C type, or would be cut to fit, is rejected and changes nothing."""
        world = block_world()
        state, large = world.state_hash, 1 << 32
        rows = numpy.eye(4, 3)
        for wrong in (lambda: world.add_body("sphere", material=large, radius=0.1),
                      lambda: world.add_body("sphere", material=0.7, radius=0.1),
                      lambda: world.add_body("sphere", lock=large, radius=0.1),
                      lambda: world.add_body("sphere", group=large, radius=0.1),
                      lambda: world.add_body(large, radius=0.1),
                      lambda: world.add_body(0.9, radius=0.1),
                      lambda: world.add_body("sphere", fixed="no", radius=0.1),
                      lambda: world.add_body("sphere", radius=0.1, position=numpy.ones(3) * 1j),
                      lambda: world.add_compound_shape([large]),
                      lambda: world.add_hull(rows * 1j),
                      lambda: world.add_polyhedron(rows, [[0, 2.5, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
                      lambda: world.set_velocity(large, [0, 0, 1]),
                      lambda: world.set_velocity(1.5, [0, 0, 1]),
                      lambda: world.configure(max_sweeps=large + 5),
                      lambda: world.run(1 << 64),
                      lambda: world.run(1.5),
                      lambda: world.add_material("sto\0ne", 1),
                      lambda: gabion.World(threads=large + 1),
                      lambda: gabion.load_case(CASES + "/arch.yaml", {"title": "\0"}),
                      lambda: gabion.solve(numpy.eye(3) * 1j, [-1, 0, 0], 0.5),
                      lambda: gabion.solve(numpy.eye(3), [-1, 0, 0], 0.5, max_iterations=large + 1)):
            with self.assertRaises((ValueError, TypeError)):
                wrong()
        self.assertEqual(world.state_hash, state)
        self.assertEqual(world.counts.bodies, 2)
        world.run(numpy.int64(2))  # a whole number of any type

    def test_a_wrong_library(self):
        done = subprocess.run([sys.executable, "-c", "import gabion"], capture_output=True, text=True,
                              env=dict(os.environ, GABION_LIBRARY="/nowhere/libgabion.so"))
        self.assertIn("ImportError: the library of gabion was not found", done.stderr)


class Solving(unittest.TestCase):
    def test_one_contact(self):
        """Closed form of a contact that sticks: r_n = 6/2, r_t = 4/4, below the bound 0.5 r_n."""
        solution = gabion.solve(numpy.diag([2.0, 4, 4]), [-6, 0, -4], 0.5)
        numpy.testing.assert_allclose(solution.r, [3, 0, 1], atol=1e-7)
        self.assertEqual(solution.status, "converged")

    def test_dense_and_sparse_agree(self):
        sparse = __import__("scipy.sparse").sparse
        random = numpy.random.default_rng(3)
        root = random.standard_normal((12, 12))
        matrix = root @ root.T
        matrix[:3, 9:] = matrix[9:, :3] = 0
        matrix += 12 * numpy.eye(12)
        q = random.standard_normal(12) - numpy.tile([3, 0, 0], 4)
        dense = gabion.solve(matrix, q, 0.4, method="newton", tolerance=1e-10)
        other = gabion.solve(sparse.csr_matrix(matrix), q, [0.4] * 4, method="nsgs", tolerance=1e-10, max_iterations=10000)
        self.assertEqual((dense.status, other.status), ("converged", "converged"))
        numpy.testing.assert_allclose(dense.r, other.r, atol=1e-6)
        again = gabion.solve(matrix, q, 0.4, start=dense.r, tolerance=1e-9)
        numpy.testing.assert_allclose(again.r, dense.r, atol=1e-6)


if __name__ == "__main__":
    unittest.main()
