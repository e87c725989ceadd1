// The library as another program uses it: engine/gabion.h alone, checked against closed forms.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/gabion.h"
#include "tests/unit/effort.h"

#define PI      3.14159265358979323846
#define GRAVITY 9.81
#define RADIUS  0.1
#define STEP    1e-3

static void assert_close(double value, double reference, double tolerance) {
    if (fabs(value - reference) <= tolerance)
        return;
    print_error("%.17g, expected %.17g within %g\n", value, reference, tolerance);
    fail();
}

static void assert_close3(gabion_vec3 value, double x, double y, double z, double tolerance) {
    assert_close(value.x, x, tolerance);
    assert_close(value.y, y, tolerance);
    assert_close(value.z, z, tolerance);
}

static struct gabion_settings exact_settings(void) {
    struct gabion_settings settings = gabion_default_settings();
    settings.step = STEP;
    settings.tolerance = 1e-12;
    settings.max_sweeps = 10000;
    return settings;
}

static struct gabion_world *make_world(struct gabion_settings settings) {
    struct gabion_error error = {0};
    struct gabion_world *world = gabion_create(&settings, 1, &error);
    assert_string_equal(error.text, "");
    assert_non_null(world);
    assert_int_equal(gabion_add_material(world, "stone", 2000, &error), 0);
    assert_true(gabion_set_default_law(world, &(struct gabion_law){.friction = 0.5}, &error));
    return world;
}

static struct gabion_settings weightless(void) {
    struct gabion_settings settings = exact_settings();
    settings.gravity = (gabion_vec3){0, 0, 0};
    return settings;
}

static int32_t add_sphere(struct gabion_world *world, double x, double z) {
    struct gabion_body body = gabion_default_body();
    body.radius = RADIUS;
    body.density = 2000;
    body.position = (gabion_vec3){x, 0, z};
    int32_t id = gabion_add_body(world, &body, NULL);
    assert_true(id >= 0);
    return id;
}

static int32_t add_floor(struct gabion_world *world) {
    struct gabion_body body = gabion_default_body();
    body.shape = GABION_HALF_SPACE;
    body.fixed = true;
    body.extent[0] = 3;
    int32_t id = gabion_add_body(world, &body, NULL);
    assert_true(id >= 0);
    return id;
}

static double sphere_mass(void) { return 2000 * 4.0 / 3 * PI * RADIUS * RADIUS * RADIUS; }

static void run(struct gabion_world *world, int64_t steps) {
    struct gabion_error error = {0};
    int64_t done = gabion_run(world, steps, &error);
    assert_string_equal(error.text, "");
    assert_int_equal(done, steps);
}

static struct gabion_body_state body_of(const struct gabion_world *world, int32_t id) {
    struct gabion_body_state state = {0};
    struct gabion_error error = {0};
    assert_true(gabion_get_body(world, id, &state, &error));
    return state;
}

static struct gabion_energies energies_of(const struct gabion_world *world) {
    struct gabion_energies energies;
    assert_true(gabion_read_energies(world, &energies, NULL));
    assert_true(energies.closes);
    return energies;
}

static void assert_rejected(bool failed, struct gabion_error *error, const char *text) {
    assert_true(failed);
    assert_int_equal(error->status, GABION_ERROR_INPUT);
    if (!strstr(error->text, text)) {
        print_error("no '%s' in '%s'\n", text, error->text);
        fail();
    }
    *error = (struct gabion_error){0};
}

// Reading -------------------------------------------------------------------------------------

// Two spheres on top of each other on a floor: each contact carries what is above it.
static void test_contacts_are_read(void **state) {
    (void)state;
    struct gabion_world *world = make_world(exact_settings());
    int32_t lower = add_sphere(world, 0, RADIUS), upper = add_sphere(world, 0, 3 * RADIUS);
    int32_t ground = add_floor(world);
    run(world, 10);
    struct gabion_contact contact[4];
    assert_int_equal(gabion_read_contacts(world, 0, 4, contact, NULL), 2);
    double weight = sphere_mass() * GRAVITY;
    for (int k = 0; k < 2; k++) {
        bool on_floor = contact[k].body[1] == ground;
        double z = on_floor ? 0 : 2 * RADIUS, load = on_floor ? 2 * weight : weight;
        // Between two moving bodies either may come first, and the normal goes with it.
        double up = contact[k].body[0] == lower && !on_floor ? -1 : 1;
        assert_true(on_floor || contact[k].body[0] + contact[k].body[1] == lower + upper);
        assert_close3(contact[k].point, 0, 0, z, 1e-12);
        assert_close3(contact[k].normal, 0, 0, up, 1e-12);
        assert_close(contact[k].gap, 0, 1e-12);
        assert_close3(contact[k].force, 0, 0, up * load, 1e-9);
        assert_close3(contact[k].impulse, 0, 0, up * load * STEP, 1e-12);
        assert_close(contact[k].friction, 0.5, 0);
        assert_int_equal(contact[k].status, GABION_CONTACT_STICK);
        struct gabion_bodies bodies;
        assert_true(gabion_view_bodies(world, &bodies, NULL));
        assert_int_equal(bodies.id[contact[k].index[0]], contact[k].body[0]);
    }
    struct gabion_contact second;
    assert_int_equal(gabion_read_contacts(world, 1, 1, &second, NULL), 1);
    assert_memory_equal(&second.body, &contact[1].body, sizeof second.body);
    struct gabion_step_report report;
    assert_true(gabion_read_step_report(world, &report, NULL));
    assert_int_equal(report.contacts, 2);
    assert_true(report.converged && report.residual <= 1e-12);
    struct gabion_run_report totals;
    assert_true(gabion_read_run_report(world, &totals, NULL));
    assert_int_equal(totals.steps, 10);
    gabion_destroy(world);
}

static void test_bodies_are_read(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = make_world(weightless());
    int32_t ground = add_floor(world);
    struct gabion_body late = gabion_default_body();
    late.radius = RADIUS;
    late.density = 1000;
    late.group = gabion_add_group(world, "late", &error);
    late.position.z = 5;
    late.velocity.y = 2;
    late.insert_time = 5.5 * STEP;
    int32_t id = gabion_add_body(world, &late, &error);
    int32_t sphere = add_sphere(world, 1, 2);
    struct gabion_counts counts;
    struct gabion_body waiting;
    int32_t waiting_id;
    assert_true(gabion_read_counts(world, &counts, &error));
    assert_int_equal(counts.bodies, 2);
    assert_int_equal(counts.moving, 1);
    assert_int_equal(counts.ids, 3);
    assert_int_equal(counts.waiting, 1);
    assert_int_equal(counts.groups, 2);
    assert_int_equal(counts.planes, 1);
    assert_true(gabion_get_waiting(world, 0, &waiting_id, &waiting, &error));
    assert_int_equal(waiting_id, id);
    assert_close(waiting.insert_time, 5.5 * STEP, 0);
    struct gabion_body_state state_of_late;
    assert_rejected(!gabion_get_body(world, id, &state_of_late, &error), &error, "not in the run");
    run(world, 10);
    struct gabion_body_state states[4] = {0};
    assert_int_equal(gabion_read_bodies(world, states, 2, &error), 3);
    assert_int_equal(states[1].id, id);
    assert_int_equal(states[2].id, 0);
    assert_int_equal(gabion_read_bodies(world, states, 4, &error), 3);
    assert_int_equal(states[ground].shape, GABION_HALF_SPACE);
    assert_true(states[ground].fixed);
    assert_int_equal(states[id].group, 1);
    assert_close(states[id].position.y, 4 * STEP * 2, 1e-15);
    assert_close(states[sphere].mass, sphere_mass(), 1e-12);
    assert_close(states[sphere].inertia.y, 0.4 * sphere_mass() * RADIUS * RADIUS, 1e-12);
    assert_close(states[sphere].radius, RADIUS, 0);
    struct gabion_bodies bodies;
    assert_true(gabion_view_bodies(world, &bodies, &error));
    assert_int_equal(bodies.count, 3);
    assert_int_equal(bodies.ids, 3);
    for (int32_t k = 0; k < 3; k++)
        assert_memory_equal(&bodies.velocity[bodies.index_of[k]], &states[k].velocity,
                            sizeof(gabion_vec3));
    struct gabion_plane plane;
    assert_true(gabion_get_plane(world, states[ground].shape_index, &plane, &error));
    assert_close3(plane.normal, 0, 0, 1, 0);
    assert_close(plane.extent[0], 3, 0);
    gabion_destroy(world);
}

// A cube from its faces, the same as a hull and as a box; a dumbbell; a drum.
static void test_shapes_are_read(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = make_world(exact_settings());
    gabion_vec3 corner[8];
    for (int k = 0; k < 8; k++)
        corner[k] = (gabion_vec3){k & 1 ? 1 : 0, k & 2 ? 2 : 0, k & 4 ? 3 : 0};
    static const int64_t start[] = {0, 4, 8, 12, 16, 20, 24};
    static const int64_t face[] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                   2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    assert_int_equal(gabion_add_polyhedron(world, corner, 8, start, face, 6, &error), 0);
    assert_int_equal(gabion_add_hull(world, corner, 8, &error), 1);
    assert_int_equal(gabion_add_box(world, (gabion_vec3){1, 2, 3}, &error), 2);
    for (int k = 0; k < 3; k++) {
        struct gabion_polyhedron shape;
        assert_true(gabion_get_polyhedron(world, k, &shape, &error));
        assert_int_equal(shape.corners, 8);
        assert_int_equal(shape.faces, 6);
        assert_int_equal(shape.face_start[6], 24);
        assert_close(shape.volume, 6, 1e-12);
        double half = k < 2 ? 0.5 : 0;
        assert_close3(shape.centre, half, 2 * half, 3 * half, 1e-12);
        for (int c = 0; c < 8; c++)
            assert_close(fabs(shape.corner[c].x * shape.corner[c].y * shape.corner[c].z), 0.75,
                         1e-12);
    }
    gabion_vec3 centre[2] = {{-1, 0, 0}, {1, 0, 0}};
    double radius[2] = {0.5, 0.5};
    assert_int_equal(gabion_add_clump(world, centre, radius, 2, GABION_CLUMP_SUM, &error), 0);
    const struct gabion_part part[2] = {{2, {0, 0, 0}, {1, 0, 0, 0}, 0},
                                        {2, {1, 0, 0}, {2, 0, 0, 0}, 3}};
    assert_int_equal(gabion_add_compound(world, part, 2, &error), 0);
    struct gabion_compound compound;
    struct gabion_compound_part second;
    assert_true(gabion_get_compound(world, 0, &compound, &error));
    assert_true(gabion_get_compound_part(world, 0, 1, &second, &error));
    assert_int_equal(compound.parts, 2);
    assert_close(compound.volume, 12, 1e-12);
    assert_close(compound.mass, 24, 1e-12);
    assert_close(compound.centre.x, 0.75, 1e-12);
    assert_int_equal(second.polyhedron, 2);
    assert_close(second.position.x, 0.25, 1e-12);
    assert_close(second.density, 3, 0);
    struct gabion_clump clump;
    assert_true(gabion_get_clump(world, 0, &clump, &error));
    assert_int_equal(clump.spheres, 2);
    assert_close(clump.volume, 2 * 4.0 / 3 * PI / 8, 1e-12);
    assert_close(clump.radius[1], 0.5, 0);
    struct gabion_body drum = gabion_default_body();
    drum.shape = GABION_DRUM;
    drum.fixed = true;
    drum.radius = 4;
    drum.length = 6;
    drum.ends = true;
    struct gabion_body_state drum_state = body_of(world, gabion_add_body(world, &drum, &error));
    struct gabion_hollow hollow;
    assert_true(gabion_get_hollow(world, drum_state.shape_index, &hollow, &error));
    assert_close(hollow.radius, 4, 0);
    assert_close(hollow.half_length, 3, 0);
    assert_true(hollow.ends);
    static const int64_t jumps[] = {0, 1000, 8, 12, 16, 20, 24};
    assert_rejected(gabion_add_polyhedron(world, corner, 8, jumps, face, 6, &error) < 0, &error,
                    "face_start");
    int64_t bad[24];
    memcpy(bad, face, sizeof bad);
    bad[7] = 8;
    assert_rejected(gabion_add_polyhedron(world, corner, 8, start, bad, 6, &error) < 0, &error,
                    "corner 9");
    assert_rejected(!gabion_get_polyhedron(world, 3, &(struct gabion_polyhedron){0}, &error),
                    &error, "0 to 2");
    assert_rejected(!gabion_get_hollow(world, 1, &hollow, &error), &error, "hollow 1");
    gabion_destroy(world);
}

// A block hangs on a rod below the world: the joint carries its weight.
static void test_joints_and_interfaces_are_read(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = make_world(exact_settings());
    struct gabion_body block = gabion_default_body();
    block.shape = GABION_POLYHEDRON;
    block.polyhedron = gabion_add_box(world, (gabion_vec3){1, 1, 1}, &error);
    block.density = 2000;
    block.position.z = 0.5;
    int32_t lower = gabion_add_body(world, &block, &error);
    block.position.z = 1.5;
    int32_t upper = gabion_add_body(world, &block, &error);
    int32_t hanging = add_sphere(world, 5, 2);
    add_floor(world);
    struct gabion_joint rod = {.kind = GABION_JOINT_DISTANCE,
                               .first = hanging,
                               .second = -1,
                               .anchor = {5, 0, 2},
                               .anchor_second = {5, 0, 3}};
    assert_int_equal(gabion_add_joint(world, &rod, &error), 0);
    assert_true(gabion_find_interfaces(world, &error));
    size_t count;
    struct gabion_interface *interface = gabion_measure_interfaces(world, &count, &error);
    assert_int_equal(count, 2); // with the floor as well
    gabion_free(interface);
    run(world, 20);
    interface = gabion_measure_interfaces(world, &count, &error);
    assert_int_equal(count, 2);
    assert_int_equal(interface[0].a, lower);
    assert_int_equal(interface[0].b, upper);
    assert_true(interface[0].initial);
    assert_int_equal(interface[0].status, GABION_INTERFACE_STICK);
    assert_close(interface[0].normal_force, 2000 * GRAVITY, 1e-5);
    assert_close3(interface[0].position, 0, 0, 1, 1e-6);
    assert_close(interface[1].normal_force, 4000 * GRAVITY, 1e-5);
    gabion_free(interface);
    struct gabion_joint_state joint;
    assert_true(gabion_get_joint(world, 0, &joint, &error));
    assert_true(joint.acts);
    assert_close3(joint.force, 0, 0, sphere_mass() * GRAVITY, 1e-8);
    assert_close3(joint.anchor[1], 5, 0, 3, 1e-12);
    assert_close(joint.error, 0, 1e-12);
    assert_rejected(!gabion_get_joint(world, 1, &joint, &error), &error, "joint 1");
    gabion_destroy(world);
}

static void test_probes_and_timings_are_read(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = make_world(exact_settings());
    add_sphere(world, 0, RADIUS);
    struct gabion_body body = gabion_default_body();
    body.shape = GABION_HALF_SPACE;
    body.fixed = true;
    body.group = gabion_add_group(world, "floor", &error);
    gabion_add_body(world, &body, &error);
    assert_int_equal(gabion_add_probe(world, "load", body.group, GABION_FORCE, &error), 0);
    run(world, 5);
    gabion_vec3 load;
    assert_string_equal(gabion_probe_name(world, 0), "load");
    assert_int_equal(gabion_find_probe(world, "load"), 0);
    assert_int_equal(gabion_find_probe(world, "nothing"), -1);
    assert_true(gabion_probe_value(world, 0, &load, &error));
    assert_close3(load, 0, 0, -sphere_mass() * GRAVITY, 1e-9);
    assert_rejected(!gabion_probe_value(world, 1, &load, &error), &error, "probe 1");
    assert_null(gabion_probe_name(world, -1));
    struct gabion_timing timings[32];
    int phases = gabion_read_timings(world, timings, 32, &error), solve = -1;
    assert_int_equal(gabion_read_timings(world, NULL, 0, &error), phases);
    for (int k = 0; k < phases; k++)
        if (strcmp(timings[k].phase, "solve") == 0)
            solve = k;
    assert_true(solve >= 0 && timings[solve].seconds > 0);
    gabion_destroy(world);
}

// Acting --------------------------------------------------------------------------------------

// A force and a moment act over one step alone: v = F h / m, and x = theta h v after that step.
static void check_force(enum gabion_scheme scheme, double theta) {
    struct gabion_error error = {0};
    struct gabion_settings settings = weightless();
    settings.scheme = scheme;
    settings.theta = theta;
    if (scheme == GABION_SCHEME_CORRECTIVE)
        settings.method = GABION_METHOD_BICG;
    struct gabion_world *world = make_world(weightless());
    struct gabion_law smooth = {0};
    assert_true(gabion_set_default_law(world, &smooth, &error));
    assert_true(gabion_set_settings(world, &settings, &error));
    int32_t other = add_sphere(world, 10, 0), pushed = add_sphere(world, 0, 0);
    double m = sphere_mass(), inertia = 0.4 * m * RADIUS * RADIUS;
    run(world, 3);
    gabion_vec3 force = {2, 0, -4}, moment = {0, 0.5, 0};
    assert_true(gabion_apply_force(world, pushed, force, moment, &error));
    assert_true(gabion_apply_force(world, pushed, force, moment, &error)); // they add up
    run(world, 1);
    struct gabion_body_state after = body_of(world, pushed);
    assert_close3(after.velocity, 4 * STEP / m, 0, -8 * STEP / m, 1e-15);
    assert_close3(after.spin, 0, 1 * STEP / inertia, 0, 1e-12);
    run(world, 10);
    struct gabion_body_state later = body_of(world, pushed);
    assert_close3(later.velocity, after.velocity.x, 0, after.velocity.z, 1e-15);
    assert_close3(body_of(world, other).velocity, 0, 0, 0, 0);
    // F.v/2 h and M.w/2 h: the whole kinetic energy.
    double work = 0.5 * STEP * (80 * STEP / m + STEP / inertia);
    struct gabion_energies energies = energies_of(world);
    assert_close(energies.applied_work, work, 1e-12 * work);
    assert_close(energies.kinetic, work, 1e-12 * work);
    gabion_destroy(world);
}

static void test_forces_act_over_one_step(void **state) {
    (void)state;
    check_force(GABION_SCHEME_MOREAU, 0.5);
    check_force(GABION_SCHEME_MOREAU, 1);
    check_force(GABION_SCHEME_CORRECTIVE, 0.5);
}

// A long box about its three principal axes, and one that may turn about z alone.
static void test_moments_act_on_blocks(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = make_world(weightless());
    struct gabion_body box = gabion_default_body();
    box.shape = GABION_POLYHEDRON;
    box.polyhedron = gabion_add_box(world, (gabion_vec3){1, 2, 3}, &error);
    box.density = 1000;
    const double inertia[3] = {6000 * 13.0 / 12, 6000 * 10.0 / 12, 6000 * 5.0 / 12};
    int32_t id[4];
    for (int k = 0; k < 4; k++) {
        box.position.x = 10 * k;
        box.lock = k == 3 ? GABION_LOCK_RX | GABION_LOCK_RY | GABION_LOCK_X : 0;
        id[k] = gabion_add_body(world, &box, &error);
    }
    for (int step = 0; step < 3; step++) {
        for (int k = 0; k < 3; k++) {
            gabion_vec3 moment = {k == 0 ? 7 : 0, k == 1 ? 7 : 0, k == 2 ? 7 : 0};
            assert_true(gabion_apply_force(world, id[k], (gabion_vec3){0, 0, 0}, moment, &error));
        }
        assert_true(gabion_apply_force(world, id[3], (gabion_vec3){5, 6, 0}, (gabion_vec3){7, 7, 7},
                                       &error));
        run(world, 1);
    }
    for (int k = 0; k < 3; k++) {
        gabion_vec3 spin = body_of(world, id[k]).spin;
        double turned = 3 * 7 * STEP / inertia[k];
        assert_close3(spin, k == 0 ? turned : 0, k == 1 ? turned : 0, k == 2 ? turned : 0, 1e-15);
    }
    struct gabion_body_state locked = body_of(world, id[3]);
    assert_close3(locked.spin, 0, 0, 3 * 7 * STEP / inertia[2], 1e-15);
    assert_close3(locked.velocity, 0, 3 * 6 * STEP / 6000, 0, 1e-15);
    energies_of(world);
    gabion_destroy(world);
}

// A body that tumbles under a turning moment: the books close where the gyroscopic term works.
static void test_ledger_closes_under_moments(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = make_world(exact_settings());
    struct gabion_body box = gabion_default_body();
    box.shape = GABION_POLYHEDRON;
    box.polyhedron = gabion_add_box(world, (gabion_vec3){1, 2, 3}, &error);
    box.density = 1000;
    box.position.z = 1.9;
    box.spin = (gabion_vec3){1, 5, 2};
    int32_t id = gabion_add_body(world, &box, &error);
    add_floor(world);
    for (int step = 0; step < 700; step++) { // order_bodies comes in between
        double t = gabion_time(world);
        assert_true(gabion_apply_force(world, id, (gabion_vec3){1e4 * cos(t), 0, 2e3},
                                       (gabion_vec3){3e4 * sin(9 * t), -2e4, 1e4}, &error));
        assert_true(gabion_step(world, &error));
    }
    struct gabion_energies energies = energies_of(world);
    assert_true(fabs(energies.applied_work) > 1e3);
    assert_true(energies.contact_work < -1);
    assert_true(fabs(energies.energy_error) <= 1e-12 * energies.turnover);
    gabion_destroy(world);
}

static void test_velocities_are_set(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = make_world(weightless());
    int32_t sphere = add_sphere(world, 0, 1), ground = add_floor(world);
    struct gabion_body body = gabion_default_body();
    body.radius = RADIUS;
    body.density = 2000;
    body.position.x = 3;
    body.lock = GABION_LOCK_Y;
    int32_t locked = gabion_add_body(world, &body, &error);
    run(world, 2);
    gabion_vec3 velocity = {1, 2, 3}, spin = {4, 0, 0}, none = {0, 0, 0};
    assert_true(gabion_set_velocity(world, sphere, velocity, spin, &error));
    double m = sphere_mass(), energy = 0.5 * m * 14 + 0.5 * 0.4 * m * RADIUS * RADIUS * 16;
    struct gabion_energies energies = energies_of(world);
    assert_close(energies.removed_energy, energy, 1e-12);
    assert_close(energies.kinetic, energy, 1e-12);
    run(world, 10);
    assert_close3(body_of(world, sphere).position, 10 * STEP, 20 * STEP, 1 + 30 * STEP, 1e-12);
    energies_of(world);
    assert_rejected(!gabion_set_velocity(world, ground, velocity, none, &error), &error, "fixed");
    assert_rejected(!gabion_set_velocity(world, locked, velocity, none, &error), &error, "locked");
    assert_rejected(!gabion_set_velocity(world, 3, velocity, none, &error), &error, "0 to 2");
    velocity.x = NAN;
    assert_rejected(!gabion_set_velocity(world, sphere, velocity, none, &error), &error, "finite");
    assert_rejected(!gabion_apply_force(world, ground, none, none, &error), &error, "fixed");
    assert_rejected(!gabion_apply_force(world, -1, none, none, &error), &error, "body -1");
    gabion_destroy(world);
}

static void test_settings_change_between_steps(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = make_world(exact_settings());
    int32_t sphere = add_sphere(world, 0, 2);
    run(world, 10);
    struct gabion_settings settings;
    assert_true(gabion_get_settings(world, &settings, &error));
    settings.gravity = (gabion_vec3){0, 0, 5};
    double z = body_of(world, sphere).position.z, v = body_of(world, sphere).velocity.z;
    assert_true(gabion_set_settings(world, &settings, &error));
    assert_close(energies_of(world).removed_energy, -sphere_mass() * (5 + GRAVITY) * z, 1e-9);
    run(world, 10);
    assert_close(body_of(world, sphere).velocity.z, v + 10 * STEP * 5, 1e-12);
    energies_of(world);
    // Another step: the time goes on from the present one, and the fall stays on its parabola.
    double time = gabion_time(world);
    v = body_of(world, sphere).velocity.z;
    settings.step = 2 * STEP;
    assert_true(gabion_set_settings(world, &settings, &error));
    assert_close(gabion_time(world), time, 1e-15);
    run(world, 10);
    assert_close(gabion_time(world), time + 20 * STEP, 1e-15);
    assert_close(body_of(world, sphere).velocity.z, v + 20 * STEP * 5, 1e-12);
    energies_of(world);
    settings.tolerance = 0;
    assert_rejected(!gabion_set_settings(world, &settings, &error), &error, "tolerance");
    settings = exact_settings();
    settings.scheme = GABION_SCHEME_CORRECTIVE;
    settings.method = GABION_METHOD_BICG;
    assert_rejected(!gabion_set_settings(world, &settings, &error), &error, "scheme");
    struct gabion_world *fresh = make_world(exact_settings()); // its law has friction
    assert_rejected(!gabion_set_settings(fresh, &settings, &error), &error, "friction");
    gabion_destroy(fresh);
    gabion_destroy(world);
}

// Listening -----------------------------------------------------------------------------------

struct tally {
    int steps, stop_at;
    int64_t last;
    bool nested_failed;
};

static bool count_step(struct gabion_world *world, void *user) {
    struct tally *tally = user;
    struct gabion_error error = {0};
    tally->last = gabion_step_number(world);
    tally->nested_failed = !gabion_step(world, &error) && strstr(error.text, "step function") &&
                           !gabion_restore_checkpoint(world, "nowhere", NULL);
    return ++tally->steps != tally->stop_at;
}

static void test_step_function_can_stop_a_run(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct tally tally = {.stop_at = 7};
    struct gabion_world *world = make_world(exact_settings());
    add_sphere(world, 0, 1);
    assert_true(gabion_set_step_function(world, count_step, &tally, &error));
    assert_int_equal(gabion_run(world, 20, &error), 7);
    assert_int_equal(tally.last, 7);
    assert_true(tally.nested_failed);
    assert_int_equal(gabion_run(world, 3, &error), 3);
    assert_true(gabion_step(world, &error));
    assert_int_equal(tally.steps, 11);
    assert_int_equal(gabion_step_number(world), 11);
    assert_true(gabion_set_step_function(world, NULL, NULL, &error));
    assert_int_equal(gabion_run(world, 1, &error), 1);
    assert_int_equal(tally.steps, 11);
    assert_rejected(gabion_run(world, -1, &error) < 0, &error, "negative");
    gabion_destroy(world);
}

struct lines {
    int count[3];
    char last[3][256];
};

static void keep_line(void *user, enum gabion_log_level level, const char *text) {
    struct lines *lines = user;
    lines->count[level]++;
    snprintf(lines->last[level], sizeof lines->last[level], "%s", text);
}

static void test_log_lines_arrive(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct lines lines = {0};
    struct gabion_settings settings = exact_settings();
    settings.method = GABION_METHOD_NSGS;
    settings.max_sweeps = 1; // a pile of three takes more
    struct gabion_world *world = make_world(settings);
    for (int k = 0; k < 3; k++)
        add_sphere(world, 0, (2 * k + 1) * RADIUS);
    add_floor(world);
    assert_true(gabion_set_log(world, GABION_LOG_DEBUG, keep_line, &lines, &error));
    assert_int_equal(gabion_run(world, 3, &error), 3);
    assert_int_equal(lines.count[GABION_LOG_DEBUG], 3);
    assert_non_null(strstr(lines.last[GABION_LOG_DEBUG], "step 3"));
    assert_int_equal(lines.count[GABION_LOG_INFO], 1);
    assert_true(lines.count[GABION_LOG_WARNING] >= 1);
    assert_non_null(strstr(lines.last[GABION_LOG_WARNING], "tolerance"));
    assert_true(gabion_set_log(world, GABION_LOG_WARNING, keep_line, &lines, &error));
    assert_int_equal(gabion_run(world, 1, &error), 1);
    assert_int_equal(lines.count[GABION_LOG_DEBUG], 3);
    gabion_destroy(world);
}

// Checkpoints ---------------------------------------------------------------------------------

static struct gabion_world *make_heap(int threads) {
    struct gabion_settings settings = gabion_default_settings();
    struct gabion_world *world = gabion_create(&settings, threads, NULL);
    assert_int_equal(gabion_threads(world), threads);
    gabion_add_material(world, "stone", 2000, NULL);
    gabion_set_default_law(world, &(struct gabion_law){.friction = 0.5}, NULL);
    for (int k = 0; k < 30; k++)
        add_sphere(world, 0.05 * (k % 3), 0.12 + 0.22 * k);
    add_floor(world);
    return world;
}

static void test_checkpoints_restore_the_state(void **state) {
    (void)state;
    struct gabion_error error = {0};
    char path[] = "/tmp/gabion-library-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    struct gabion_world *world = make_heap(2);
    run(world, 100);
    uint64_t at_100 = gabion_state_hash(world);
    assert_true(gabion_write_checkpoint(world, path, &error));
    run(world, 100);
    uint64_t at_200 = gabion_state_hash(world);
    assert_true(gabion_restore_checkpoint(world, path, &error));
    assert_true(gabion_state_hash(world) == at_100);
    assert_int_equal(gabion_step_number(world), 100);
    run(world, 100);
    assert_true(gabion_state_hash(world) == at_200);

    struct gabion_world *fresh = make_heap(1); // another number of threads, the same bits
    assert_true(gabion_restore_checkpoint(fresh, path, &error));
    run(fresh, 100);
    assert_true(gabion_state_hash(fresh) == at_200);

    struct gabion_settings settings = gabion_default_settings();
    settings.step *= 2;
    struct gabion_world *other = make_world(settings);
    assert_rejected(!gabion_restore_checkpoint(other, path, &error), &error, "time.step");
    gabion_add_material(other, "wood", 600, &error);
    assert_rejected(!gabion_restore_checkpoint(other, path, &error), &error, "materials");
    assert_true(gabion_step(other, &error)); // as it was
    assert_rejected(!gabion_restore_checkpoint(other, "/nonexistent", &error), &error,
                    "/nonexistent");
    assert_false(gabion_write_checkpoint(other, "/nonexistent/file", &error));
    assert_int_equal(error.status, GABION_ERROR_RUN);
    gabion_destroy(other);
    gabion_destroy(fresh);
    gabion_destroy(world);
    unlink(path);
}

// Contact problems ----------------------------------------------------------------------------

// One contact with a diagonal W: sticking while the tangent stays in the cone, sliding against q
// with r_t = mu r_n else.
static void test_one_contact_is_solved(void **state) {
    (void)state;
    static const int64_t start[] = {0, 1};
    static const int32_t column[] = {0};
    static const double block[] = {2, 0, 0, 0, 4, 0, 0, 0, 4};
    for (int method = 0; method < GABION_METHOD_COUNT; method++) {
        bool polygon = method == GABION_METHOD_LEMKE || method == GABION_METHOD_QP;
        for (int slides = 0; slides < 2; slides++) {
            double q[] = {-6, 0, slides ? -100 : -4}, mu = 0.5, r[3] = {0};
            struct gabion_problem problem = {1, start, column, block, q, &mu};
            struct gabion_solver solver = gabion_default_solver();
            struct gabion_solution solution;
            struct gabion_error error = {0};
            solver.method = (enum gabion_method)method;
            if (method == GABION_METHOD_PSOR)
                mu = 0;
            assert_true(gabion_solve(&problem, &solver, r, &solution, &error));
            if (polygon && slides)
                continue; // to the cone with flat faces
            assert_int_equal(solution.status, GABION_SOLVE_CONVERGED);
            assert_true(solution.residual <= 1e-8);
            assert_close(r[0], 3, 1e-6);
            assert_close(r[1], 0, 1e-6);
            assert_close(r[2], mu == 0 ? 0 : slides ? 1.5 : 1, 1e-6);
        }
    }
}

// A row of W of two contacts that are coupled in the normal direction only: [2 1; 1 2] r = 3.
static void test_coupled_contacts_are_solved(void **state) {
    (void)state;
    static const int64_t start[] = {0, 2, 4};
    static const int32_t column[] = {0, 1, 0, 1};
    double block[36] = {0}, q[6] = {-3, 0, 0, -3, 0, 0}, mu[2] = {0.3, INFINITY}, r[6] = {0};
    for (int e = 0; e < 4; e++) {
        bool diagonal = e == 0 || e == 3;
        block[9 * e] = diagonal ? 2 : 1;
        block[9 * e + 4] = block[9 * e + 8] = diagonal ? 1 : 0;
    }
    block[9 * 1 + 1] = 0.5; // the normal of 0 feels the first tangent of 1, by rows
    block[9 * 2 + 3] = 0.5;
    q[4] = -0.5 - 1;
    struct gabion_problem problem = {2, start, column, block, q, mu};
    struct gabion_solver solver = gabion_default_solver();
    struct gabion_solution solution;
    struct gabion_error error = {0};
    solver.tolerance = 1e-11;
    assert_true(gabion_solve(&problem, &solver, r, &solution, &error));
    assert_int_equal(solution.status, GABION_SOLVE_CONVERGED);
    assert_true(solution.method < GABION_METHOD_AUTO); // the one of the chain that finished
    assert_true(solution.spent[solution.method] > 0);
    // 2 a + b + s/2 = 3, a + 2 b = 3, a/2 + s = 3/2: the second contact sticks.
    double a = (3 - 1.5 - 0.75) / (2 - 0.5 - 0.25), b = (3 - a) / 2, s = 1.5 - a / 2;
    assert_close(r[0], a, 1e-8);
    assert_close(r[3], b, 1e-8);
    assert_close(r[4], s, 1e-8);
    assert_close(r[1], 0, 1e-8);
    double from_answer[6];
    memcpy(from_answer, r, sizeof r);
    assert_true(gabion_solve(&problem, &solver, from_answer, &solution, &error));
    assert_int_equal(solution.iterations, 0);
    solver.threads = 2;
    memset(r, 0, sizeof r);
    assert_true(gabion_solve(&problem, &solver, r, &solution, &error));
    assert_close(r[0], a, 1e-8);
}

static void test_bad_problems_are_rejected(void **state) {
    (void)state;
    static const int64_t start[] = {0, 1, 2}, gap[] = {0, 2, 1};
    static const int32_t column[] = {0, 1}, crossed[] = {1, 0}, far[] = {0, 2};
    double block[18], q[6] = {0}, mu[2] = {0.5, 0.5}, r[6] = {0};
    for (int k = 0; k < 18; k++)
        block[k] = k % 9 % 4 == 0;
    struct gabion_problem good = {2, start, column, block, q, mu}, bad;
    struct gabion_solver solver = gabion_default_solver();
    struct gabion_solution solution;
    struct gabion_error error = {0};
    assert_true(gabion_solve(&good, &solver, r, &solution, &error));
    bad = good, bad.row_start = gap;
    assert_rejected(!gabion_solve(&bad, &solver, r, &solution, &error), &error, "ascend");
    bad = good, bad.column = crossed;
    assert_rejected(!gabion_solve(&bad, &solver, r, &solution, &error), &error, "diagonal");
    bad = good, bad.column = far;
    assert_rejected(!gabion_solve(&bad, &solver, r, &solution, &error), &error, "contact 1");
    bad = good, bad.contacts = 0;
    assert_rejected(!gabion_solve(&bad, &solver, r, &solution, &error), &error, "at least one");
    bad = good, bad.q = NULL;
    assert_rejected(!gabion_solve(&bad, &solver, r, &solution, &error), &error, "null");
    mu[1] = -1;
    assert_rejected(!gabion_solve(&good, &solver, r, &solution, &error), &error, "mu");
    mu[1] = 0.5;
    block[13] = NAN;
    assert_rejected(!gabion_solve(&good, &solver, r, &solution, &error), &error, "finite");
    block[13] = 1;
    solver.method = GABION_METHOD_COUNT;
    assert_rejected(!gabion_solve(&good, &solver, r, &solution, &error), &error, "method");
    assert_rejected(!gabion_solve(&good, NULL, r, &solution, &error), &error, "null");
    assert_rejected(
        !gabion_solve(NULL, &(struct gabion_solver){.tolerance = -1}, r, &solution, &error), &error,
        "tolerance");
}

// Errors --------------------------------------------------------------------------------------

// Without a world every function fails; none of them crashes.
static void test_no_world_is_an_error(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    struct gabion_body body = gabion_default_body();
    struct gabion_law law = {0};
    struct gabion_signal signal = {0};
    struct gabion_contact contact;
    gabion_vec3 zero = {0, 0, 0};
    gabion_destroy(NULL);
    assert_rejected(!gabion_create(NULL, 1, &error), &error, "settings");
    assert_rejected(!gabion_create(&settings, -1, &error), &error, "threads");
    assert_rejected(gabion_add_material(NULL, "a", 1, &error) < 0, &error, "world");
    assert_rejected(gabion_add_group(NULL, "a", &error) < 0, &error, "world");
    assert_rejected(!gabion_set_default_law(NULL, &law, &error), &error, "world");
    assert_rejected(gabion_add_body(NULL, &body, &error) < 0, &error, "world");
    assert_rejected(gabion_add_box(NULL, zero, &error) < 0, &error, "world");
    assert_rejected(!gabion_add_force(NULL, 0, zero, &signal, &error), &error, "world");
    assert_rejected(!gabion_step(NULL, &error), &error, "world");
    assert_rejected(gabion_run(NULL, 1, &error) < 0, &error, "world");
    assert_rejected(!gabion_set_velocity(NULL, 0, zero, zero, &error), &error, "world");
    assert_rejected(!gabion_write_checkpoint(NULL, "a", &error), &error, "world");
    assert_rejected(!gabion_restore_checkpoint(NULL, "a", &error), &error, "world");
    assert_rejected(gabion_read_contacts(NULL, 0, 1, &contact, &error) < 0, &error, "world");
    assert_int_equal(gabion_step_number(NULL), -1);
    assert_true(isnan(gabion_time(NULL)));
    assert_int_equal(gabion_state_hash(NULL), 0);
    assert_int_equal(gabion_find_group(NULL, "a"), -1);
    assert_null(gabion_group_name(NULL, 0));
    assert_null(gabion_method_name(GABION_METHOD_COUNT));
    assert_string_equal(gabion_method_name(GABION_METHOD_NSGS), "nsgs");
    assert_string_equal(gabion_version(), GABION_VERSION);
}

static void test_bad_arguments_are_errors(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = make_world(exact_settings());
    struct gabion_settings settings = exact_settings();
    struct gabion_body body = gabion_default_body();
    struct gabion_law law = {0};
    struct gabion_signal signal = {.end = 1};
    settings.method = GABION_METHOD_COUNT;
    assert_rejected(!gabion_create(&settings, 1, &error), &error, "method");
    settings.method = (enum gabion_method) - 1;
    assert_rejected(!gabion_set_settings(world, &settings, &error), &error, "method");
    settings = exact_settings();
    settings.gravity.y = NAN;
    assert_rejected(!gabion_set_settings(world, &settings, &error), &error, "gravity");
    gabion_vec3 up = {0, 0, 1};
    assert_rejected(gabion_add_material(world, NULL, 1, &error) < 0, &error, "null");
    assert_rejected(gabion_add_material(world, "a", NAN, &error) < 0, &error, "density");
    assert_rejected(gabion_add_group(world, NULL, &error) < 0, &error, "null");
    assert_rejected(!gabion_set_default_law(world, NULL, &error), &error, "null");
    assert_rejected(!gabion_set_law(world, -1, 0, &law, &error), &error, "material");
    assert_rejected(!gabion_set_law(world, 0, 1, &law, &error), &error, "material");
    assert_rejected(gabion_add_body(world, NULL, &error) < 0, &error, "null");
    body.shape = (enum gabion_shape)17;
    assert_rejected(gabion_add_body(world, &body, &error) < 0, &error, "shape");
    assert_rejected(gabion_add_joint(world, NULL, &error) < 0, &error, "null");
    assert_rejected(!gabion_add_force(world, 1, up, &signal, &error), &error, "group");
    assert_rejected(!gabion_add_force(world, 0, up, NULL, &error), &error, "null");
    signal.kind = GABION_SIGNAL_TABLE;
    signal.points = 3;
    assert_rejected(!gabion_add_force(world, 0, up, &signal, &error), &error, "points");
    assert_rejected(gabion_add_probe(world, NULL, 0, GABION_FORCE, &error) < 0, &error, "null");
    assert_rejected(gabion_add_probe(world, "a", 3, GABION_FORCE, &error) < 0, &error, "group");
    assert_rejected(gabion_add_probe(world, "a", 0, GABION_QUANTITY_COUNT, &error) < 0, &error,
                    "quantity");
    assert_rejected(gabion_add_hull(world, NULL, 8, &error) < 0, &error, "null");
    assert_rejected(!gabion_read_counts(world, NULL, &error), &error, "null");
    assert_rejected(!gabion_view_bodies(world, NULL, &error), &error, "null");
    assert_rejected(gabion_read_bodies(world, NULL, 1, &error) < 0, &error, "null");
    assert_rejected(gabion_read_contacts(world, 1, 1, NULL, &error) < 0, &error, "there are 0");
    assert_rejected(!gabion_get_waiting(world, 0, &(int32_t){0}, &body, &error), &error, "none");
    assert_rejected(!gabion_measure_interfaces(world, NULL, &error), &error, "null");
    assert_rejected(!gabion_write_checkpoint(world, NULL, &error), &error, "null");
    assert_true(isnan(gabion_material_density(world, 1)));
    assert_null(gabion_material_name(world, -1));
    assert_true(gabion_add_body(world, &body, NULL) < 0); // no error wanted: none written
    struct gabion_body driven = gabion_default_body();
    driven.shape = GABION_HALF_SPACE;
    driven.fixed = true;
    gabion_add_body(world, &driven, &error);
    run(world, 1);
    signal = (struct gabion_signal){.kind = GABION_SIGNAL_LINEAR, .end = 1, .amplitude = 1};
    assert_rejected(!gabion_add_driver(world, 0, up, &signal, &error), &error, "first step");
    assert_rejected(gabion_add_body(world, &driven, &error) < 0, &error, "first step");
    gabion_destroy(world);
}

// Bodies may be added after a force was applied: each has its own.
static void test_bodies_may_follow_forces(void **state) {
    (void)state;
    struct gabion_error error = {0};
    gabion_vec3 force = {3, 0, 0}, none = {0, 0, 0};
    struct gabion_world *world = make_world(weightless());
    int32_t first = add_sphere(world, 0, 0), last = first;
    assert_true(gabion_apply_force(world, first, force, none, &error));
    for (int k = 1; k < 300; k++)
        last = add_sphere(world, k, 0);
    assert_true(gabion_apply_force(world, last, force, none, &error));
    run(world, 1);
    double v = 3 * STEP / sphere_mass();
    assert_close3(body_of(world, first).velocity, v, 0, 0, 1e-15);
    assert_close3(body_of(world, last).velocity, v, 0, 0, 1e-15);
    assert_close3(body_of(world, first + 7).velocity, 0, 0, 0, 0);
    gabion_destroy(world);
}

// Arrays that only some gap treatments and laws need must follow when these change in a heap whose
// contacts grow in number. The address sanitizer sees what goes wrong here.
static void test_laws_and_gaps_change_between_steps(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_settings settings;
    struct gabion_world *world = make_heap(1);
    assert_true(gabion_get_settings(world, &settings, &error));
    for (int k = 0; k < 6; k++) {
        struct gabion_law law = {.friction = 0.3, .tangential_restitution = k % 2 ? 0.0 : 0.5};
        settings.gap = k % 2 ? GABION_GAP_GAP : GABION_GAP_STABILIZED;
        settings.alert = k % 2 ? 0.5 : 0.03; // many more contacts where the arrays are not needed
        assert_true(gabion_set_default_law(world, &law, &error));
        assert_true(gabion_set_settings(world, &settings, &error));
        run(world, 5);
        struct gabion_counts counts;
        assert_true(gabion_read_counts(world, &counts, &error));
        assert_true(counts.contacts > 0);
    }
    gabion_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contacts_are_read),
        cmocka_unit_test(test_bodies_are_read),
        cmocka_unit_test(test_shapes_are_read),
        cmocka_unit_test(test_joints_and_interfaces_are_read),
        cmocka_unit_test(test_probes_and_timings_are_read),
        cmocka_unit_test(test_forces_act_over_one_step),
        cmocka_unit_test(test_bodies_may_follow_forces),
        cmocka_unit_test(test_laws_and_gaps_change_between_steps),
        cmocka_unit_test(test_moments_act_on_blocks),
        cmocka_unit_test(test_ledger_closes_under_moments),
        cmocka_unit_test(test_velocities_are_set),
        cmocka_unit_test(test_settings_change_between_steps),
        cmocka_unit_test(test_step_function_can_stop_a_run),
        cmocka_unit_test(test_log_lines_arrive),
        cmocka_unit_test(test_checkpoints_restore_the_state),
        cmocka_unit_test(test_one_contact_is_solved),
        cmocka_unit_test(test_coupled_contacts_are_solved),
        cmocka_unit_test(test_bad_problems_are_rejected),
        cmocka_unit_test(test_no_world_is_an_error),
        cmocka_unit_test(test_bad_arguments_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
