// Probes against closed forms, and their counts across checkpoints.
#include "tests/unit/scene.h"

#include <string.h>
#include <unistd.h>

#include "engine/contact/interfaces.h"
#include "engine/probe/probe.h"

static const double g = 9.81;

static struct gabion_probe make_probe(enum gabion_quantity quantity) {
    struct gabion_probe probe = gabion_default_probe();
    probe.name = "probe";
    probe.quantity = quantity;
    return probe;
}

static int define(struct gabion_world *world, const struct gabion_probe *probe) {
    struct gabion_error error = {0};
    int number = gabion_define_probe(world, probe, &error);
    if (number < 0)
        fail_msg("%s", error.text);
    return number;
}

// The component of a probe that has this name.
static double value_of(const struct gabion_world *world, int probe, const char *name) {
    double values[PROBE_COMPONENTS_MAX];
    int components = gabion_probe_read(world, probe, values, PROBE_COMPONENTS_MAX, NULL);
    for (int k = 0; k < components; k++)
        if (strcmp(gabion_probe_component(world, probe, k), name) == 0)
            return values[k];
    fail_msg("no component %s", name);
    return NAN;
}

static struct gabion_region make_box(vec3 low, vec3 high) {
    return (struct gabion_region){.kind = GABION_REGION_BOX, .low = low, .high = high};
}

static struct gabion_world *make_world(double step, double friction) {
    struct gabion_settings settings = scene_settings(step, 0.5);
    settings.gravity = vec3_make(0, 0, -g);
    return scene_create(&settings, (struct gabion_law){.friction = friction});
}

// Angles ----------------------------------------------------------------------------------------

static int add_drum(struct gabion_world *world, double rate) {
    struct gabion_error error = {0};
    struct gabion_body drum = gabion_default_body();
    struct gabion_signal signal = scene_signal(GABION_SIGNAL_LINEAR, rate, 0, INFINITY);
    drum.shape = GABION_DRUM;
    drum.radius = drum.length = 1;
    drum.normal = vec3_make(0, 1, 0);
    drum.fixed = true;
    drum.material = SCENE_GROUND;
    drum.group = gabion_add_group(world, "drum", &error);
    scene_add(world, &drum);
    assert_true(
        gabion_add_rotation(world, drum.group, vec3_zero(), vec3_make(0, 1, 0), &signal, &error));
    struct gabion_probe probe = make_probe(GABION_ANGLE);
    probe.group = drum.group;
    probe.axis = vec3_make(0, 3, 0);
    return define(world, &probe);
}

// A drum that turns at a constant rate has turned by rate times time: 3.2 turns forwards, and 3.2
// backwards.
static void test_angle_of_a_drum(void **state) {
    (void)state;
    const double turns[] = {3.2, -3.2};
    for (int k = 0; k < 2; k++) {
        struct gabion_world *world = make_world(1e-2, 0);
        int angle = add_drum(world, 2 * PI * turns[k]);
        assert_near(value_of(world, angle, ""), 0, 0);
        scene_step(world, 50);
        assert_near(value_of(world, angle, ""), PI * turns[k], 1e-10);
        scene_step(world, 50);
        assert_near(value_of(world, angle, ""), 2 * PI * turns[k], 1e-10);
        scene_destroy(world);
    }
}

// A free sphere that turns 0.7 turns in a step, which only its spin tells from -0.3, and another
// one whose angle is its negative: the mean of both is 0. Bodies of a group have their own angles.
static void test_angle_of_fast_spins(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = make_world(1e-2, 0);
    struct gabion_probe probe = make_probe(GABION_ANGLE);
    int angle[3];
    for (int k = 0; k < 3; k++) {
        char name[] = {(char)('a' + k), '\0'};
        struct gabion_body ball = scene_sphere_body(vec3_make(k, 0, 0), 0.1, 1);
        ball.group = gabion_add_group(world, k < 2 ? name : "b", &error);
        ball.spin = vec3_make(0, 0, 2 * PI * (k == 2 ? -70 : 70));
        scene_add(world, &ball);
        probe.group = ball.group;
        probe.axis = vec3_make(0, 0, 1);
        probe.name = name;
        angle[k] = define(world, &probe);
    }
    scene_step(world, 100);
    assert_near(value_of(world, angle[0], ""), 140 * PI, 1e-9);
    assert_near(value_of(world, angle[1], ""), 0, 1e-9);
    scene_destroy(world);
}

// The orientation of a body at the start is the one that it was given, whatever its principal axes
// are. A block of unequal sides whose drawing is turned has principal axes of its own.
static void test_orientation(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = make_world(1e-3, 0);
    const double triangle[3][2] = {{0, 0}, {2, 0}, {0.5, 1}};
    int shape = scene_shape(world, polyhedron_prism(triangle, 3, -1, 1, &error));
    struct gabion_body body = scene_block_body(shape, vec3_zero());
    body.orientation = quat_about(vec3_make(0, 0.6, 0.8), 1.1);
    body.group = gabion_add_group(world, "prism", &error);
    scene_add(world, &body);
    struct gabion_probe probe = make_probe(GABION_ORIENTATION);
    probe.group = body.group;
    int q = define(world, &probe);
    assert_near(value_of(world, q, "w"), body.orientation.w, 1e-14);
    assert_near(value_of(world, q, "x"), body.orientation.x, 1e-14);
    assert_near(value_of(world, q, "y"), body.orientation.y, 1e-14);
    assert_near(value_of(world, q, "z"), body.orientation.z, 1e-14);
    scene_destroy(world);
}

// Flows -----------------------------------------------------------------------------------------

static struct gabion_section level(double z) {
    return (struct gabion_section){.point = {0, 0, z}, .normal = {0, 0, -2}};
}

// Spheres fall freely from different heights: at time t those have crossed whose height above the
// plane is at most g t^2 / 2. Every other one falls beside the disc.
static void test_flow_of_falling_spheres(void **state) {
    (void)state;
    enum { SPHERES = 20, STEPS = 200 };
    const double h = 5e-3;
    struct gabion_world *world = make_world(h, 0);
    for (int k = 0; k < SPHERES; k++)
        scene_sphere(world, vec3_make(k % 2 * 10, 0, 0.137 + 0.25 * k), 0.1, 1 + 0.5 * k,
                     vec3_zero());
    struct gabion_probe probe = make_probe(GABION_FLOW);
    probe.plane = level(0);
    int all = define(world, &probe);
    probe.plane.radius = 1;
    int disc = define(world, &probe);
    probe.plane.radius = 0;
    probe.plane.size[0] = 1;
    probe.plane.size[1] = 30;
    probe.plane.tangent = vec3_make(0, 1, 1);
    int slot = define(world, &probe);
    probe.plane = level(0);
    probe.window = 20 * h;
    int mean = define(world, &probe);
    double before = 0, window = 0;
    for (int step = 1; step <= STEPS; step++) {
        double count = 0, mass = 0, middle = 0, fallen = 0.5 * g * (h * step) * (h * step);
        scene_step(world, 1);
        for (int k = 0; k < SPHERES; k++)
            if (0.137 + 0.25 * k <= fallen) {
                count++;
                mass += 1 + 0.5 * k;
                middle += k % 2 == 0;
            }
        assert_near(value_of(world, all, "count"), count, 0);
        assert_near(value_of(world, all, "mass"), mass, 0);
        assert_near(value_of(world, all, "rate"), (mass - before) / h, 1e-9);
        assert_near(value_of(world, all, "back_count"), 0, 0);
        assert_near(value_of(world, disc, "count"), middle, 0);
        assert_near(value_of(world, slot, "count"), count, 0); // 30 m along x
        before = mass;
        if (step % 20 == 0) {
            assert_near(value_of(world, mean, "rate"), (mass - window) / (20 * h), 1e-9);
            window = mass;
        }
    }
    assert_near(value_of(world, all, "count"), 20, 0);
    scene_destroy(world);
}

// A ball thrown up crosses backwards and then forwards. One that enters behind the plane and one
// that leaves in front of it do not cross.
static void test_flow_back_and_forth(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = make_world(1e-2, 0);
    scene_sphere(world, vec3_make(0, 0, -1), 0.1, 2, vec3_make(0, 0, 6));
    struct gabion_body late = scene_sphere_body(vec3_make(9, 0, -5), 0.1, 3);
    late.insert_time = 0.3;
    scene_add(world, &late);
    struct gabion_body gone = scene_sphere_body(vec3_make(-9, 0, 1), 0.1, 5);
    gone.group = gabion_add_group(world, "gone", &error);
    scene_add(world, &gone);
    assert_true(gabion_add_removal(world, gone.group, 0.2, &error));
    struct gabion_probe probe = make_probe(GABION_FLOW);
    probe.plane = level(0);
    int flow = define(world, &probe);
    scene_step(world, 50);
    assert_near(value_of(world, flow, "count"), -1, 0);
    assert_near(value_of(world, flow, "back_mass"), 2, 0);
    scene_step(world, 150);
    assert_near(value_of(world, flow, "mass"), 0, 0);
    assert_near(value_of(world, flow, "count"), 0, 0);
    assert_near(value_of(world, flow, "back_count"), 1, 0);
    scene_destroy(world);
}

// Stress ----------------------------------------------------------------------------------------

// A column of spheres at rest: contact k carries the weight of what is above it. Between the
// centres of two spheres the stress is that force over the area; over the whole column it is the
// sum of force times branch, the branch to the floor being a radius.
static void test_stress_of_a_column(void **state) {
    (void)state;
    enum { SPHERES = 6 };
    const double r = 0.1, m = 2;
    struct gabion_world *world = make_world(1e-3, 0.5);
    scene_floor(world);
    for (int k = 0; k < SPHERES; k++)
        scene_sphere(world, vec3_make(0, 0, (2 * k + 1) * r), r, m, vec3_zero());
    struct gabion_region slab = make_box(vec3_make(-1, -0.5, 3 * r), vec3_make(1, 0.5, 5 * r));
    struct gabion_region all = make_box(vec3_make(-1, -0.5, 0), vec3_make(1, 0.5, 4));
    struct gabion_probe probe = make_probe(GABION_STRESS);
    probe.region = &slab;
    int between = define(world, &probe);
    probe.region = &all;
    int whole = define(world, &probe);
    scene_step(world, 20);
    assert_near(value_of(world, between, "zz"), 4 * m * g / 2, 1e-6);
    assert_near(value_of(world, between, "xx"), 0, 1e-6);
    assert_near(value_of(world, between, "xz"), 0, 1e-6);
    assert_near(value_of(world, between, "p"), 4 * m * g / 6, 1e-6);
    assert_near(value_of(world, between, "q"), 4 * m * g / 2, 1e-6);
    double sum = SPHERES * m * g * r;
    for (int k = 1; k < SPHERES; k++)
        sum += (SPHERES - k) * m * g * 2 * r;
    assert_near(value_of(world, whole, "zz"), sum / 8, 1e-6);
    scene_destroy(world);
}

// At depth z below the surface of a medium at rest the vertical stress is rho g z. A block of 4 x 4
// columns of ten layers fills its box to pi / 6.
static void test_stress_at_depth(void **state) {
    (void)state;
    enum { SIDE = 4, LAYERS = 10 };
    const double r = 0.05, m = 4.0 / 3 * PI * r * r * r * 2500;
    struct gabion_world *world = make_world(1e-3, 0);
    scene_floor(world);
    for (int k = 0; k < SIDE * SIDE * LAYERS; k++) {
        int x = k % SIDE, y = k / SIDE % SIDE, z = k / (SIDE * SIDE);
        scene_sphere(world, vec3_make((2 * x + 1) * r, (2 * y + 1) * r, (2 * z + 1) * r), r, m,
                     vec3_zero());
    }
    // The layer between 0.2 and 0.4 m above the floor; the surface is at 1 m.
    struct gabion_region layer = make_box(vec3_make(0, 0, 0.2), vec3_make(0.4, 0.4, 0.4));
    struct gabion_probe probe = make_probe(GABION_STRESS);
    probe.region = &layer;
    int stress = define(world, &probe);
    scene_step(world, 3);
    double expected = 2500 * PI / 6 * g * 0.7;
    assert_near(value_of(world, stress, "zz"), expected, 1e-3 * expected);
    scene_destroy(world);
}

// Two bodies that fly apart: the sum of m v v^T over the volume, whatever the mean velocity.
static void test_kinetic_stress(void **state) {
    (void)state;
    struct gabion_world *world = make_world(1e-3, 0);
    scene_sphere(world, vec3_make(1, 1, 1), 0.1, 3, vec3_make(7 + 2, 0, 0));
    scene_sphere(world, vec3_make(2, 1, 1), 0.1, 3, vec3_make(7 - 2, 0, 0));
    scene_sphere(world, vec3_make(9, 1, 1), 0.1, 3, vec3_make(100, 0, 0));
    struct gabion_region box = make_box(vec3_zero(), vec3_make(4, 2, 2));
    struct gabion_probe probe = make_probe(GABION_STRESS);
    probe.region = &box;
    int contacts = define(world, &probe);
    probe.kinetic = true;
    int both = define(world, &probe);
    assert_near(value_of(world, contacts, "xx"), 0, 0);
    assert_near(value_of(world, both, "xx"), 2 * 3 * 4 / 16.0, 1e-14);
    assert_near(value_of(world, both, "yy"), 0, 1e-14);
    scene_destroy(world);
}

// Contacts made by hand ---------------------------------------------------------------------------

struct made {
    vec3 normal;
    double normal_force, tangential_force;
    enum contact_status status;
};

// Gives the world contacts between its first two bodies, which are spheres.
static void make_contacts(struct gabion_world *world, const struct made *made, size_t count) {
    contacts_size(world, count);
    for (size_t k = 0; k < count; k++) {
        vec3 s, t;
        vec3 normal = vec3_scale(1 / vec3_length(made[k].normal), made[k].normal);
        vec3_tangents(normal, &s, &t);
        world->contacts->list[k] =
            (struct contact){.c = 0, .a = 1, .status = (uint8_t)made[k].status, .normal = normal};
        vec3 force =
            vec3_add_scaled(vec3_scale(made[k].normal_force, normal), made[k].tangential_force, t);
        world->contacts->impulse[k] = vec3_scale(world->settings.step, force);
    }
}

static struct gabion_world *make_pair(double friction) {
    struct gabion_world *world = make_world(1e-3, friction);
    scene_sphere(world, vec3_zero(), 0.5, 1, vec3_zero());
    scene_sphere(world, vec3_make(0, 0, 1), 0.5, 1, vec3_zero());
    return world;
}

// The twelve neighbours in a face-centred cubic lattice lie in six directions, which favour no
// direction: a third of the unit tensor. A contact that carries nothing does not count.
static void test_fabric_of_a_lattice(void **state) {
    (void)state;
    struct gabion_world *world = make_pair(0.5);
    const struct made made[] = {{{1, 1, 0}, 1, 0, CONTACT_STICK}, {{1, -1, 0}, 2, 0, CONTACT_STICK},
                                {{1, 0, 1}, 3, 0, CONTACT_STICK}, {{1, 0, -1}, 1, 0, CONTACT_STICK},
                                {{0, 1, 1}, 1, 0, CONTACT_STICK}, {{0, 1, -1}, 1, 0, CONTACT_STICK},
                                {{0, 0, 1}, 0, 0, CONTACT_OPEN}};
    make_contacts(world, made, 7);
    struct gabion_probe probe = make_probe(GABION_FABRIC);
    int fabric = define(world, &probe);
    assert_near(value_of(world, fabric, "contacts"), 6, 0);
    assert_near(value_of(world, fabric, "xx"), 1.0 / 3, 1e-15);
    assert_near(value_of(world, fabric, "yy"), 1.0 / 3, 1e-15);
    assert_near(value_of(world, fabric, "zz"), 1.0 / 3, 1e-15);
    assert_near(value_of(world, fabric, "xy"), 0, 1e-15);
    assert_near(value_of(world, fabric, "xz"), 0, 1e-15);
    assert_near(value_of(world, fabric, "yz"), 0, 1e-15);
    make_contacts(world, made, 2);
    assert_near(value_of(world, fabric, "zz"), 0, 1e-15);
    assert_near(value_of(world, fabric, "xx"), 0.5, 1e-15);
    scene_free(world);
}

// Normal forces of 1, 2, 3 and 6 N, by hand: mean 3; one of four above it; Gini
// (-3 - 2 + 3 + 18) / (4 * 12); participation 12^2 / (4 * 50); one of four slides, and one
// mobilises half of its friction.
static void test_network_of_four(void **state) {
    (void)state;
    struct gabion_world *world = make_pair(0.5);
    const struct made made[] = {{{0, 0, 1}, 6, 0, CONTACT_STICK},
                                {{0, 0, 1}, 1, 0.25, CONTACT_STICK},
                                {{0, 0, 1}, 3, 1.5, CONTACT_SLIP},
                                {{0, 0, 1}, 2, 0, CONTACT_STICK}};
    make_contacts(world, made, 4);
    struct gabion_probe probe = make_probe(GABION_NETWORK);
    probe.bins = 2;
    probe.bins_to = 2;
    int network = define(world, &probe);
    assert_near(value_of(world, network, "contacts"), 4, 0);
    assert_near(value_of(world, network, "mean"), 3, 1e-14);
    assert_near(value_of(world, network, "max"), 6, 1e-14);
    assert_near(value_of(world, network, "above"), 0.25, 0);
    assert_near(value_of(world, network, "gini"), 1.0 / 3, 1e-14);
    assert_near(value_of(world, network, "participation"), 0.72, 1e-14);
    assert_near(value_of(world, network, "mobilised"), 1.5 / 4, 1e-14);
    assert_near(value_of(world, network, "sliding"), 0.25, 0);
    assert_near(value_of(world, network, "h1"), 0.5, 1e-14);
    assert_near(value_of(world, network, "h2") * 4, 1, 1e-14); // 2 is not below 2
    scene_free(world);
}

// Neighbours ------------------------------------------------------------------------------------

// A pyramid of four spheres, which do not touch each other, and one on top: 4 neighbours of the top
// one, 2 of the others. A sixth that flies is a rattler (Thornton 2000).
static void test_coordination_of_a_pyramid(void **state) {
    (void)state;
    const double r = 0.1, d = 0.102;
    struct gabion_world *world = make_world(1e-3, 2);
    scene_floor(world);
    for (int k = 0; k < 4; k++)
        scene_sphere(world, vec3_make(k % 2 ? d : -d, k / 2 ? d : -d, r), r, 1, vec3_zero());
    scene_sphere(world, vec3_make(0, 0, r + sqrt(4 * r * r - 2 * d * d)), r, 1, vec3_zero());
    scene_sphere(world, vec3_make(5, 0, 5), r, 1, vec3_zero());
    struct gabion_probe probe = make_probe(GABION_COORDINATION);
    int all = define(world, &probe);
    struct gabion_region top = {
        .kind = GABION_REGION_SPHERE, .position = {0, 0, 0.3}, .radius = 0.2};
    probe.region = &top;
    int one = define(world, &probe);
    scene_step(world, 5);
    assert_near(value_of(world, all, "z"), (4 + 4 * 2) / 6.0, 1e-14);
    assert_near(value_of(world, all, "z_mechanical"), (4 + 4 * 2) / 5.0, 1e-14);
    assert_near(value_of(world, all, "bodies"), 6, 0);
    assert_near(value_of(world, all, "rattlers"), 1, 0);
    assert_near(value_of(world, one, "z"), 4, 0);
    assert_near(value_of(world, one, "bodies"), 1, 0);
    scene_destroy(world);
}

// Reactions -------------------------------------------------------------------------------------

// The floor pushes a block up with its weight, under its centre. Where gravity is tilted by a, the
// point moves by half the height times tan a.
static void test_reaction_under_a_block(void **state) {
    (void)state;
    const double tilt[] = {0, 0.1, -0.2};
    for (int k = 0; k < 3; k++) {
        struct gabion_error error = {0};
        struct gabion_settings settings = scene_settings(1e-3, 0.5);
        settings.gravity = vec3_make(g * sin(tilt[k]), 0, -g * cos(tilt[k]));
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 1});
        struct gabion_body floor = scene_plane_body(vec3_make(7, 7, 0), vec3_make(0, 0, 1));
        floor.group = gabion_add_group(world, "floor", &error);
        scene_add(world, &floor);
        scene_block(world, scene_box_shape(world, vec3_make(0.3, 0.2, 0.5)),
                    vec3_make(0.4, -0.3, 0.5));
        struct gabion_probe probe = make_probe(GABION_REACTION);
        probe.group = floor.group;
        int own = define(world, &probe);
        probe.plane = (struct gabion_section){.point = {1, 1, 0.5}, .normal = {0, 0, 1}};
        int middle = define(world, &probe);
        scene_step(world, 5);
        double weight = 0.24 * 1000 * g;
        assert_near(value_of(world, own, "z"), weight * cos(tilt[k]), 1e-5);
        assert_near(value_of(world, own, "x"), -weight * sin(tilt[k]), 1e-5);
        assert_near(value_of(world, own, "px"), 0.4 + 0.5 * tan(tilt[k]), 1e-8);
        assert_near(value_of(world, own, "py"), -0.3, 1e-8);
        assert_near(value_of(world, own, "pz"), 0, 0);
        // The line on which the force acts passes through the centre of the block.
        assert_near(value_of(world, middle, "px"), 0.4, 1e-8);
        scene_destroy(world);
    }
}

// Interfaces ------------------------------------------------------------------------------------

// A block of width 0.6 on another one, turned by an angle about one edge of its base: the opposite
// edge is 0.6 sin(angle) away, along the normal of the base that turns with it. Moved by 0.05 it
// has slid by 0.05.
static void test_opening_of_a_hinge(void **state) {
    (void)state;
    struct gabion_error error = {0};
    const double angle = 0.3;
    struct gabion_world *world = make_world(1e-3, 0.5);
    int shape = scene_box_shape(world, vec3_make(0.3, 0.2, 0.5));
    struct gabion_body base = scene_block_body(shape, vec3_make(0, 0, 0.5));
    base.fixed = true;
    base.group = gabion_add_group(world, "base", &error);
    scene_add(world, &base);
    struct gabion_body block = scene_block_body(shape, vec3_make(0, 0, 1.5));
    block.group = gabion_add_group(world, "block", &error);
    int32_t id = scene_add(world, &block);
    block.position.x = 5;
    block.group = gabion_add_group(world, "other", &error);
    scene_add(world, &block);
    scene_fixed_block(world, shape, vec3_make(5, 0, 0.5));
    struct gabion_probe probe = make_probe(GABION_OPENING);
    int opening = define(world, &probe);
    probe.quantity = GABION_SLIDING;
    probe.group = base.group;
    probe.against = gabion_find_group(world, "block");
    int sliding = define(world, &probe);
    probe.against = block.group;
    int none = define(world, &probe);
    assert_true(gabion_find_interfaces(world, &error));
    assert_near(value_of(world, opening, "max"), 0, 1e-15);
    int32_t i = world->bodies.index_of[id];
    world->bodies.q[i] = quat_about(vec3_make(0, 1, 0), angle);
    vec3 hinge = {0.3, 0, 1}, arm = {-0.3, 0, 0.5};
    world->bodies.x[i] =
        vec3_add(hinge, mat3_apply(scene_rotation(vec3_make(0, 1, 0), angle), arm));
    assert_near(value_of(world, opening, "max"), 0.6 * sin(angle), 1e-12);
    assert_near(value_of(world, opening, "body_a"), 0, 0);
    assert_near(value_of(world, opening, "body_b"), 1, 0);
    world->bodies.q[i] = (quat){1, 0, 0, 0};
    world->bodies.x[i] = vec3_make(0.03, 0.04, 1.5);
    assert_near(value_of(world, opening, "max"), 0, 1e-12);
    assert_near(value_of(world, sliding, "max"), 0.05, 1e-12);
    assert_true(isnan(value_of(world, none, "max")));
    scene_free(world);
}

// Bodies ----------------------------------------------------------------------------------------

// A body that falls freely beside a support that moves: its displacement is counted from where it
// began, or relative to the support. Mass and number in a region.
static void test_displacement_and_content(void **state) {
    (void)state;
    struct gabion_error error = {0};
    const double h = 1e-2;
    struct gabion_world *world = make_world(h, 0);
    struct gabion_body ball = scene_sphere_body(vec3_make(1, 2, 3), 0.1, 4);
    ball.group = gabion_add_group(world, "ball", &error);
    scene_add(world, &ball);
    struct gabion_body support = scene_sphere_body(vec3_make(3, 3, 2), 0.1, 1);
    support.fixed = true;
    support.group = gabion_add_group(world, "support", &error);
    scene_add(world, &support);
    scene_drive(world, support.group, vec3_make(1, 0, 0),
                scene_signal(GABION_SIGNAL_LINEAR, 2, 0, INFINITY));
    struct gabion_probe probe = make_probe(GABION_DISPLACEMENT);
    probe.group = ball.group;
    int way = define(world, &probe);
    probe.against = support.group;
    int relative = define(world, &probe);
    struct gabion_region box = make_box(vec3_zero(), vec3_make(4, 4, 2.9));
    probe = make_probe(GABION_MASS);
    probe.region = &box;
    int mass = define(world, &probe);
    probe.quantity = GABION_BODY_COUNT;
    int count = define(world, &probe);
    probe.group = support.group;
    int fixed = define(world, &probe);
    assert_near(value_of(world, mass, ""), 0, 0);
    scene_step(world, 20);
    assert_near(value_of(world, way, "z"), -0.5 * g * 0.04, 1e-12);
    assert_near(value_of(world, way, "length"), 0.5 * g * 0.04, 1e-12);
    assert_near(value_of(world, relative, "x"), -2 * 0.2, 1e-12);
    assert_near(value_of(world, mass, ""), 4, 0);
    assert_near(value_of(world, count, ""), 1, 0);
    assert_near(value_of(world, fixed, ""), 0, 0);
    scene_destroy(world);
}

// State -----------------------------------------------------------------------------------------

struct counted {
    struct gabion_world *world;
    int angle, flow;
};

// A ball that spins and falls through a plane, bouncing on a floor that lies below it.
static struct counted make_counted(bool bodies) {
    struct gabion_error error = {0};
    struct counted counted = {.world = make_world(1e-2, 0.5)};
    struct gabion_body ball = scene_sphere_body(vec3_make(0, 0, 1), 0.1, 2);
    ball.spin = vec3_make(0, 0, 40);
    ball.group = gabion_add_group(counted.world, "ball", &error);
    if (bodies) {
        scene_add(counted.world, &ball);
        ball.insert_time = 0.2;
        ball.position.z = 3;
        scene_add(counted.world, &ball);
        scene_floor(counted.world);
    }
    return counted;
}

static void define_counted(struct counted *counted) {
    struct gabion_probe probe = make_probe(GABION_ANGLE);
    probe.group = gabion_find_group(counted->world, "ball");
    probe.axis = vec3_make(0, 0, 1);
    counted->angle = define(counted->world, &probe);
    probe = make_probe(GABION_FLOW);
    probe.plane = level(0.5);
    probe.window = 0.07;
    counted->flow = define(counted->world, &probe);
}

// Counts go on in a world that is restored, to the bit, whether its probes are defined before or
// after. A probe that is defined in another way starts anew.
static void test_counts_survive_checkpoints(void **state) {
    (void)state;
    struct gabion_error error = {0};
    char path[64];
    snprintf(path, sizeof path, "/tmp/gabion-probes-%d.h5", (int)getpid());
    struct counted whole = make_counted(true);
    define_counted(&whole);
    scene_step(whole.world, 33); // within a window, in which a ball has crossed
    assert_true(gabion_write_checkpoint(whole.world, path, &error));
    scene_step(whole.world, 67);
    assert_near(value_of(whole.world, whole.flow, "count"), 2, 0);
    assert_true(value_of(whole.world, whole.angle, "") > 10);
    for (int before = 0; before < 2; before++) {
        struct counted part = make_counted(false);
        if (before)
            define_counted(&part);
        assert_true(gabion_restore_checkpoint(part.world, path, &error));
        if (!before)
            define_counted(&part);
        scene_step(part.world, 2);
        assert_near(value_of(part.world, part.flow, "rate"), 2 / 0.07, 1e-12);
        scene_step(part.world, 65);
        assert_true(gabion_state_hash(part.world) == gabion_state_hash(whole.world));
        const char *const names[] = {"rate", "mass", "count", "back_mass", "back_count"};
        for (int k = 0; k < 5; k++)
            assert_true(value_of(part.world, part.flow, names[k]) ==
                        value_of(whole.world, whole.flow, names[k]));
        assert_true(value_of(part.world, part.angle, "") == value_of(whole.world, whole.angle, ""));
        scene_free(part.world);
    }
    struct counted other = make_counted(false);
    assert_true(gabion_restore_checkpoint(other.world, path, &error));
    struct gabion_probe probe = make_probe(GABION_FLOW);
    probe.plane = level(0.6);
    other.flow = define(other.world, &probe);
    scene_step(other.world, 1);
    assert_near(value_of(other.world, other.flow, "count"), 0, 0);
    assert_int_equal(other.world->probes->flow_count, 1);
    assert_int_equal(other.world->probes->turn_count, 0);
    scene_free(other.world);
    scene_free(whole.world);
    unlink(path);
}

// Without flows and angles nothing is added to the state.
static void test_other_probes_are_no_state(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        struct counted scene = make_counted(true);
        struct gabion_probe probe = make_probe(GABION_NETWORK);
        if (k)
            define(scene.world, &probe);
        scene_step(scene.world, 30);
        hash[k] = gabion_state_hash(scene.world);
        scene_free(scene.world);
    }
    assert_true(hash[0] == hash[1]);
}

// Errors ----------------------------------------------------------------------------------------

static void assert_rejected(struct gabion_world *world, const struct gabion_probe *probe,
                            const char *word) {
    struct gabion_error error = {0};
    assert_int_equal(gabion_define_probe(world, probe, &error), -1);
    if (error.status != GABION_ERROR_INPUT || !strstr(error.text, word))
        fail_msg("expected \"%s\" in \"%s\"", word, error.text);
}

static void test_nonsense_is_rejected(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = make_pair(0.5);
    struct gabion_region box = make_box(vec3_zero(), vec3_make(1, 1, 1));
    struct gabion_probe probe = make_probe(GABION_STRESS);
    assert_rejected(world, &probe, "needs the key region");
    probe.region = &box;
    int stress = define(world, &probe);
    box.high.z = -1;
    assert_rejected(world, &probe, "min must be below max");
    box = (struct gabion_region){.kind = GABION_REGION_HALF_SPACE, .axis = {0, 0, 1}};
    assert_rejected(world, &probe, "volume");
    box.kind = GABION_REGION_COUNT;
    assert_rejected(world, &probe, "kind of region");
    probe = make_probe(GABION_FLOW);
    assert_rejected(world, &probe, "needs the key plane");
    probe.plane = level(0);
    probe.plane.size[0] = 1;
    assert_rejected(world, &probe, "two numbers");
    probe.plane.size[1] = 1;
    assert_rejected(world, &probe, "tangent");
    probe.plane = level(NAN);
    assert_rejected(world, &probe, "finite");
    probe.plane = level(0);
    probe.window = -1;
    assert_rejected(world, &probe, "window");
    probe.window = 0;
    probe.kinetic = true;
    assert_rejected(world, &probe, "takes no kinetic");
    probe = make_probe(GABION_ANGLE);
    probe.group = 0;
    assert_rejected(world, &probe, "needs the key axis");
    probe = make_probe(GABION_OPENING);
    probe.against = 0;
    assert_rejected(world, &probe, "needs the key group");
    probe.against = 77;
    assert_rejected(world, &probe, "group does not exist");
    probe = make_probe(GABION_NETWORK);
    probe.bins = 65;
    assert_rejected(world, &probe, "64");
    probe = make_probe(GABION_POSITION);
    assert_rejected(world, &probe, "group or region");
    probe = make_probe(GABION_QUANTITY_COUNT);
    assert_rejected(world, &probe, "quantity");
    probe.name = NULL;
    assert_rejected(world, &probe, "name");
    assert_int_equal(gabion_define_probe(world, NULL, &error), -1);
    assert_int_equal(world->probes->count, 1);

    vec3 value;
    error = (struct gabion_error){0};
    assert_false(gabion_probe_value(world, stress, &value, &error));
    assert_non_null(strstr(error.text, "gabion_probe_read"));
    assert_int_equal(gabion_probe_components(world, stress), 11);
    assert_int_equal(gabion_probe_components(world, 1), -1);
    assert_null(gabion_probe_component(world, stress, 11));
    double few[2];
    assert_int_equal(gabion_probe_read(world, stress, few, 2, NULL), 11);
    assert_int_equal(gabion_probe_read(world, stress, NULL, 0, NULL), 11);
    assert_int_equal(gabion_probe_read(world, stress, NULL, 1, NULL), -1);
    assert_int_equal(gabion_probe_read(world, 5, few, 2, NULL), -1);
    scene_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_angle_of_a_drum),
        cmocka_unit_test(test_angle_of_fast_spins),
        cmocka_unit_test(test_orientation),
        cmocka_unit_test(test_flow_of_falling_spheres),
        cmocka_unit_test(test_flow_back_and_forth),
        cmocka_unit_test(test_stress_of_a_column),
        cmocka_unit_test(test_stress_at_depth),
        cmocka_unit_test(test_kinetic_stress),
        cmocka_unit_test(test_fabric_of_a_lattice),
        cmocka_unit_test(test_network_of_four),
        cmocka_unit_test(test_coordination_of_a_pyramid),
        cmocka_unit_test(test_reaction_under_a_block),
        cmocka_unit_test(test_opening_of_a_hinge),
        cmocka_unit_test(test_displacement_and_content),
        cmocka_unit_test(test_counts_survive_checkpoints),
        cmocka_unit_test(test_other_probes_are_no_state),
        cmocka_unit_test(test_nonsense_is_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
