// Joints and contacts together, loads, redundant rows, and the heavy top (validation 9.10, 9.11).
#include "engine/motion/midpoint.h"
#include "engine/motion/motion.h"
#include "engine/world/joints.h"
#include "tests/unit/effort.h"
#include "tests/unit/scene.h"
#include "tests/unit/scene_joints.h"

// Heavy top -----------------------------------------------------------------------------------

// J = diag(5, 5, 1) about the pivot and M g l = 20, whatever mass and length make them up.
static struct gabion_world *heavy_top(double mass, double length) {
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.gravity = vec3_make(0, 0, -20 / (mass * length));
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    double across = 5 - mass * length * length;
    vec3 axis = {sin(0.05), 0, cos(0.05)};
    struct gabion_body top = scene_sphere_body(vec3_scale(length, axis), 0.3, mass);
    top.inertia = vec3_make(across, across, 1);
    top.orientation = quat_exp(vec3_make(0, 0.05, 0));
    top.spin = vec3_scale(50, axis);
    scene_join(world, scene_joint(GABION_JOINT_BALL, scene_add(world, &top), -1, vec3_zero()));
    return world;
}

// The Lagrange top by its axis e and angular momentum L about the pivot: de/dt = w x e and
// dL/dt = e x (-M g l z) with w = L/5 + (50 - L.e/5) e, by Runge-Kutta. How far e has gone round.
static double precession(double time) {
    vec3 e = {sin(0.05), 0, cos(0.05)}, L = vec3_scale(50, e), z = {0, 0, -20};
    double h = 5e-4, angle = 0;
    for (int k = 0; k < (int)(time / h + 0.5); k++) {
        vec3 de[4], dL[4], before = e;
        for (int i = 0; i < 4; i++) {
            double c = i == 0 ? 0 : i == 3 ? h : h / 2;
            vec3 at = i ? vec3_add_scaled(e, c, de[i - 1]) : e;
            vec3 M = i ? vec3_add_scaled(L, c, dL[i - 1]) : L;
            vec3 w = vec3_add_scaled(vec3_scale(0.2, M), 50 - 0.2 * vec3_dot(M, at), at);
            de[i] = vec3_cross(w, at);
            dL[i] = vec3_cross(at, z);
        }
        for (int i = 0; i < 4; i++) {
            double weight = h / 6 * (i == 0 || i == 3 ? 1 : 2);
            e = vec3_add_scaled(e, weight, de[i]);
            L = vec3_add_scaled(L, weight, dL[i]);
        }
        angle += atan2(before.x * e.y - before.y * e.x, before.x * e.x + before.y * e.y);
    }
    return angle;
}

// With mass 1 and length 2 the top's own moments are equal and no gyroscopic term is left.
static void test_heavy_top(void **state) {
    (void)state;
    long_test();
    const double hamiltonian = 0.5 * 50 * 50 + 20 * cos(0.05), exact = precession(10);
    assert_near(exact / 10, 0.4, 0.03); // about M g l / (I3 w3)
    for (int round = 0; round < 2; round++) {
        struct gabion_world *world = heavy_top(1, round ? 2 : 1);
        vec3 x = scene_position(world, 0);
        double angle = 0;
        for (int k = 0; k < 10000; k++) {
            scene_step(world, 1);
            vec3 next = scene_position(world, 0);
            angle += atan2(x.x * next.y - x.y * next.x, x.x * next.x + x.y * next.y);
            x = next;
            assert_near(scene_energy(world), hamiltonian, 1e-6 * hamiltonian);
        }
        assert_near(angle, exact, 5e-4 * exact);
        assert_at_most(world->report.joint_error, 1e-7);
        scene_destroy(world);
    }
}

// What joints are expected to do to the spin is taken into account whole at high spin, not at all
// at rest, and in between without a jump.
static void test_expected_turn_is_continuous(void **state) {
    (void)state;
    struct gabion_world *world = heavy_top(1, 1);
    scene_step(world, 10);
    motion_predict_free(world); // of the next step: joint_moment is there
    mat3 axes = motion_midpoint_axes(world, 0);
    vec3 fast = motion_expected_turn(world, 0, &axes), last = vec3_zero();
    double size = vec3_length(fast);
    assert_true(size > 0 && size < vec3_length(world->bodies.w[0]));
    const int places = 4000;
    for (int k = 0; k <= places; k++) {
        world->bodies.w[0] = vec3_make(0, 2 * size * k / places, 0);
        vec3 turn = motion_expected_turn(world, 0, &axes);
        assert_at_most(vec3_length(vec3_sub(turn, last)), 4 * size / places + 1e-15);
        last = turn;
    }
    assert_vector_near(last, fast, 1e-15);
    scene_destroy(world);
}

// Loads ---------------------------------------------------------------------------------------

// Two cubes, welded, and one block of their sum tumble alike.
static void test_weld(void **state) {
    (void)state;
    double apart[2];
    for (int k = 0; k < 2; k++) {
        struct gabion_settings settings = scene_settings(k ? 1e-3 : 2e-3, 0.5);
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
        int cube = scene_box_shape(world, vec3_make(0.5, 0.5, 0.5));
        int both = scene_box_shape(world, vec3_make(1, 0.5, 0.5));
        vec3 spin = {1, 2, 3};
        for (int i = 0; i < 3; i++) {
            struct gabion_body body =
                scene_block_body(i < 2 ? cube : both, vec3_make(i < 2 ? i - 0.5 : 0, i / 2 * 9, 0));
            body.spin = spin;
            vec3 arm = {body.position.x, 0, 0};
            body.velocity = vec3_cross(spin, arm);
            scene_add(world, &body);
        }
        scene_join(world, scene_joint(GABION_JOINT_FIXED, 0, 1, vec3_zero()));
        scene_step(world, k ? 1000 : 500);
        vec3 mean = vec3_scale(0.5, vec3_add(scene_position(world, 0), scene_position(world, 1)));
        vec3 along = vec3_sub(scene_position(world, 1), scene_position(world, 0));
        quat q;
        scene_state(world, 2, NULL, &q, NULL, NULL);
        vec3 centre = vec3_sub(scene_position(world, 2), vec3_make(0, 9, 0));
        assert_vector_near(mean, centre, 1e-7);
        // The principal axes of a block may be numbered in any way: the long one has the least
        // moment.
        vec3 inertia = world->bodies.inertia[world->bodies.index_of[2]];
        int axis = inertia.x < inertia.y && inertia.x < inertia.z ? 0
                   : inertia.y < inertia.z                        ? 1
                                                                  : 2;
        mat3 axes = quat_matrix(q);
        vec3 long_axis = {vec3_get(axes.row[0], axis), vec3_get(axes.row[1], axis),
                          vec3_get(axes.row[2], axis)};
        apart[k] = vec3_length(vec3_cross(along, long_axis));
        assert_near(vec3_length(along), 1, 1e-6);
        assert_vector_near(scene_spin(world, 0), scene_spin(world, 1), 1e-5);
        scene_assert_ledger(world);
        scene_destroy(world);
    }
    assert_at_most(apart[1], 1e-5);
    assert_near(apart[0] / apart[1], 4, 0.5);
}

// A bar on a hinge about y, its far end pushed along y: the axis holds and bears the moment.
static void test_side_load(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    struct gabion_body bar =
        scene_block_body(scene_box_shape(world, vec3_make(0.5, 0.05, 0.05)), vec3_make(0.5, 0, 0));
    bar.group = gabion_add_group(world, "bar", NULL);
    int32_t id = scene_add(world, &bar);
    int hinge = scene_join(world, scene_joint(GABION_JOINT_HINGE, id, -1, vec3_zero()));
    struct gabion_signal push = scene_signal(GABION_SIGNAL_CONSTANT, 500, 0, INFINITY);
    assert_true(gabion_add_force(world, bar.group, vec3_make(0, 1, 0), &push, &error));
    for (int k = 0; k < 700; k++) {
        scene_step(world, 1);
        assert_at_most(fabs(scene_position(world, id).y), 1e-9);
        assert_at_most(world->report.joint_error, 1e-6);
    }
    vec3 spin = scene_spin(world, id);
    assert_at_most(fabs(spin.x) + fabs(spin.z), 1e-7);
    assert_true(fabs(spin.y) > 1); // it swings
    assert_near(joints_force(world, &world->joints.list[hinge]).y, -500, 1e-5);
    // About the centre of the bar its 500 N are no moment, nor is the hinge's beside its axis; but
    // for the half step between impulses and places.
    vec3 moment = joints_moment(world, &world->joints.list[hinge], scene_position(world, id));
    assert_at_most(fabs(moment.x) + fabs(moment.z), 0.01 * 500 * 0.5);
    scene_destroy(world);
}

// A crank that turns from one moment to the next takes a rod along: the joint is closed again two
// steps after the jolt, and the books know who paid.
static void test_crank(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.gravity = vec3_zero();
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    int shape = scene_box_shape(world, vec3_make(0.5, 0.05, 0.05));
    struct gabion_body crank = scene_block_body(shape, vec3_zero());
    crank.fixed = true;
    crank.group = gabion_add_group(world, "crank", NULL);
    int32_t crank_id = scene_add(world, &crank),
            rod = scene_block(world, shape, vec3_make(1, 0, 0));
    scene_join(world, scene_joint(GABION_JOINT_HINGE, crank_id, rod, vec3_make(0.5, 0, 0)));
    struct gabion_signal turn = scene_signal(GABION_SIGNAL_LINEAR, 4, 0.1, INFINITY);
    assert_true(
        gabion_add_rotation(world, crank.group, vec3_zero(), vec3_make(0, 1, 0), &turn, &error));
    scene_step(world, 99);
    assert_near(world->ledger.kinetic, 0, 0);
    scene_step(world, 1);
    assert_true(world->report.joint_error > 1e-4);
    scene_step(world, 5);
    assert_at_most(world->report.joint_error, 1e-6);
    scene_step(world, 295);
    assert_at_most(world->report.joint_error, 1e-7);
    assert_true(world->ledger.driver_work > 1 && world->ledger.kinetic > 1);
    assert_near(world->ledger.kinetic, world->ledger.driver_work + world->ledger.joint_work, 1e-9);
    scene_assert_ledger(world);
    scene_destroy(world);
}

// Two beams, joined, rest on the floor: the reactions bear the weight.
static void test_joined_at_rest(void **state) {
    (void)state;
    for (int kind = GABION_JOINT_BALL; kind <= GABION_JOINT_FIXED; kind++) {
        struct gabion_settings settings = scene_settings(1e-3, 0.5);
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
        int box = scene_box_shape(world, vec3_make(0.5, 0.2, 0.1));
        int32_t floor = scene_floor(world);
        int32_t left = scene_block(world, box, vec3_make(-0.5, 0, 0.1));
        int32_t right = scene_block(world, box, vec3_make(0.5, 0, 0.1));
        scene_join(world,
                   scene_joint((enum gabion_joint_kind)kind, left, right, vec3_make(0, 0, 0.1)));
        scene_step(world, 200);
        vec3 bearing = vec3_add(scene_pair_impulse(world, left, floor),
                                scene_pair_impulse(world, right, floor));
        double weight = 2 * 80 * 9.81 * settings.step;
        assert_vector_near(bearing, vec3_make(0, 0, weight), 1e-7 * weight);
        assert_null(scene_contact(world, left, right)); // they share a face and do not touch
        assert_at_most(vec3_length(scene_velocity(world, left)), 1e-8);
        scene_assert_ledger(world);
        scene_destroy(world);
    }
}

// A mechanism that jams -----------------------------------------------------------------------

// Three hanging bars of six spheres, shortly before the third has folded so far that it sticks to
// the first: then they are a nearly flat triangle that cannot move.
static const struct {
    vec3 position;
    quat orientation;
    vec3 velocity, spin;
} folded[3] = {
    {{-0.0607418062, 0, -0.251716611},
     {0.546489946, 0, 0.837465664, 0},
     {-0.614430026, 0, 0.270315911},
     {0, 2.44095859, 0}},
    {{-0.281814039, 0, -0.755330417},
     {0.547173852, 0, 0.837018982, 0},
     {-2.18915905, 0, 0.961241305},
     {0, 3.81226528, 0}},
    {{-0.281617682, 0, -0.75541651},
     {0.837232218, 0, -0.546847523, 0},
     {-2.23272023, 0, 0.979472615},
     {0, 3.64057186, 0}},
};

static struct gabion_world *folded_bars(void) {
    struct gabion_settings settings = scene_settings(5e-4, 0.5);
    settings.method = GABION_METHOD_NEWTON;
    settings.tolerance = 1e-8;
    settings.max_sweeps = 1000;
    settings.on_cap = GABION_CAP_ACCEPT; // the flat triangle is badly conditioned
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    vec3 centre[6], end = {-0.275, 0, 0};
    double radius[6];
    for (int k = 0; k < 6; k++) {
        centre[k] = vec3_make(0.09 * k - 0.225, 0, 0);
        radius[k] = 0.05;
    }
    int clump = gabion_add_clump(world, centre, radius, 6, GABION_CLUMP_SUM, NULL);
    for (int k = 0; k < 3; k++) {
        struct gabion_body bar = scene_sphere_body(folded[k].position, 0, PI);
        bar.shape = GABION_CLUMP;
        bar.clump = clump;
        bar.orientation = folded[k].orientation;
        bar.velocity = folded[k].velocity;
        bar.spin = folded[k].spin;
        vec3 anchor = vec3_add(bar.position, mat3_apply(quat_matrix(bar.orientation), end));
        scene_add(world, &bar);
        scene_join(world, scene_joint(GABION_JOINT_BALL, k, k - 1, anchor));
    }
    return world;
}

// It once threw them apart with thousands of times their energy.
static void test_folded_bars_stick(void **state) {
    (void)state;
    struct gabion_world *world = folded_bars();
    scene_step(world, 1);
    double kinetic = world->ledger.kinetic, least = scene_energy(world);
    int jams = 0;
    for (int k = 0; k < 200; k++) {
        scene_step(world, 1);
        double energy = scene_energy(world);
        assert_at_most(energy - least, 1e-2 * kinetic);
        assert_at_most(world->report.joint_error, 1e-4);
        least = fmin(least, energy);
        jams += world->jammed;
    }
    assert_true(jams > 0);
    scene_assert_ledger(world);
    scene_free(world); // newton does not solve every step of the flat triangle
}

// Structures ----------------------------------------------------------------------------------

static struct gabion_world *rhomb(enum gabion_method method) {
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.method = method;
    settings.tolerance = 1e-9;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    scene_rhomb(world);
    return world;
}

static void test_closed_loop(void **state) {
    (void)state;
    vec3 x[2];
    for (int k = 0; k < 2; k++) {
        struct gabion_world *world = rhomb(k ? GABION_METHOD_NEWTON : GABION_METHOD_NSGS);
        scene_step(world, 10); // the bars take up the beam's speed
        double energy = scene_energy(world);
        scene_step(world, 490);
        x[k] = scene_position(world, 2);
        assert_near(scene_energy(world), energy, 1e-4 * fabs(energy));
        assert_at_most(world->report.joint_error, 1e-6);
        assert_at_most(fabs(x[k].y), 1e-9);
        assert_near((x[k].x - 0.5) * (x[k].x - 0.5) + x[k].z * x[k].z, 1, 1e-6);
        assert_at_most(vec3_length(scene_spin(world, 2)), 1e-6); // it stays level
        scene_assert_ledger(world);
        scene_destroy(world);
    }
    assert_vector_near(x[0], x[1], 1e-6);
}

// Two ball joints between the same two bodies are a hinge.
static vec3 folding(enum gabion_method method, bool hinge) {
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.method = method;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    int box = scene_box_shape(world, vec3_make(0.5, 0.2, 0.1));
    int32_t left = scene_block(world, box, vec3_make(-0.5, 0, 0));
    int32_t right = scene_block(world, box, vec3_make(0.5, 0, 0));
    scene_join(world, scene_joint(GABION_JOINT_HINGE, left, -1, vec3_make(-1, 0, 0)));
    for (int side = -1; side <= 1; side += 2) {
        struct gabion_joint joint = scene_joint(hinge ? GABION_JOINT_HINGE : GABION_JOINT_BALL,
                                                right, left, vec3_make(0, 0.2 * side, -0.1));
        scene_join(world, joint);
    }
    scene_step(world, 300);
    vec3 x = scene_position(world, right);
    assert_at_most(world->report.joint_error, 1e-6);
    scene_assert_ledger(world);
    scene_destroy(world);
    return x;
}

static void test_several_joints(void **state) {
    (void)state;
    vec3 x = folding(GABION_METHOD_NSGS, false);
    assert_true(x.z < -0.1 && fabs(x.y) < 1e-9);
    assert_vector_near(folding(GABION_METHOD_NSGS, true), x, 1e-6);
    assert_vector_near(folding(GABION_METHOD_NEWTON, false), x, 1e-6);
    assert_vector_near(folding(GABION_METHOD_AUTO, false), x, 1e-6);
}

#define CHAIN 40

// A chain that falls from the level, with an end of ten times the weight of all bars.
static struct gabion_world *chain(enum gabion_method method) {
    struct gabion_settings settings = scene_settings(2e-3, 0.5);
    settings.method = method;
    settings.tolerance = 1e-7;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    int shape = scene_box_shape(world, vec3_make(0.05, 0.01, 0.01));
    for (int k = 0; k < CHAIN; k++) {
        int32_t id = scene_block(world, shape, vec3_make(0.1 * k + 0.05, 0, 0));
        scene_join(world, scene_joint(GABION_JOINT_BALL, id, id - 1, vec3_make(0.1 * k, 0, 0)));
    }
    double end = 0.1 * CHAIN, heavy = 10 * CHAIN * 0.04;
    int32_t ball = scene_sphere(world, vec3_make(end + 0.05, 0, 0), 0.05, heavy, vec3_zero());
    scene_join(world, scene_joint(GABION_JOINT_BALL, ball, ball - 1, vec3_make(end, 0, 0)));
    return world;
}

static void test_chain(void **state) {
    (void)state;
    vec3 x[2][CHAIN + 1];
    for (int k = 0; k < 2; k++) {
        struct gabion_world *world = chain(k ? GABION_METHOD_NEWTON : GABION_METHOD_NSGS);
        scene_step(world, effort(100, 10));
        for (int32_t id = 0; id <= CHAIN; id++)
            x[k][id] = scene_position(world, id);
        assert_at_most(world->report.joint_error, 1e-5);
        scene_assert_ledger(world);
        scene_destroy(world);
    }
    for (int id = 0; id <= CHAIN; id++)
        assert_vector_near(x[0][id], x[1][id], 1e-5);
}

// A hub with more joints than colours: it is split into copies, which have to agree.
#define SPOKES 70

static void test_hub(void **state) {
    (void)state;
    vec3 x[2];
    for (int k = 0; k < 2; k++) {
        struct gabion_settings settings = scene_settings(1e-3, 0.5);
        settings.method = k ? GABION_METHOD_NEWTON : GABION_METHOD_NSGS;
        settings.tolerance = 1e-9;
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
        int32_t hub = scene_sphere(world, vec3_zero(), 0.5, 10, vec3_make(1, 0, 0));
        for (int i = 0; i < SPOKES; i++) {
            double angle = 2 * PI * i / SPOKES;
            vec3 place = {cos(angle), sin(angle), 0.3 * (i % 3)};
            int32_t id = scene_sphere(world, place, 0.02, 1 + i % 2, vec3_zero());
            scene_join(world, scene_joint(GABION_JOINT_BALL, id, hub, vec3_scale(0.5, place)));
        }
        scene_step(world, 20);
        assert_int_equal(scene_plan(world)->split_count, 1);
        x[k] = scene_position(world, hub);
        assert_at_most(world->report.joint_error, 1e-6);
        scene_assert_ledger(world);
        scene_destroy(world);
    }
    assert_vector_near(x[0], x[1], 1e-7);
}

// A net of balls on rods, large enough for every loop to be shared out: the same bits on any number
// of threads.
#define NET 45

static uint64_t net_hash(int threads) {
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    struct team *team = team_create(threads, NULL, &error);
    struct gabion_world *world = world_create(&settings, team, &error);
    gabion_add_material(world, "body", 1000, NULL);
    gabion_set_default_law(world, &(struct gabion_law){0}, NULL);
    for (int k = 0; k < NET * NET; k++) {
        vec3 place = {k % NET, k / NET, 0.1 * (k % 3)};
        int32_t id = scene_sphere(world, place, 0.3, 1, vec3_zero());
        for (int side = 0; side < 2; side++) {
            int32_t other = side ? id - NET : id % NET ? id - 1 : -1;
            struct gabion_joint rod = scene_joint(GABION_JOINT_DISTANCE, id, other, place);
            rod.anchor_second =
                other >= 0 ? scene_position(world, other) : vec3_sub(place, vec3_make(1, 0, 0));
            if (other >= 0 || side == 0)
                scene_join(world, rod);
        }
    }
    for (int k = 0; k < effort(5, 1); k++)
        if (!gabion_step(world, &error))
            fail_msg("%s", error.text);
    uint64_t hash = gabion_state_hash(world);
    gabion_destroy(world);
    team_destroy(team);
    return hash;
}

static void test_threads(void **state) {
    (void)state;
    uint64_t hash = net_hash(1);
    assert_true(net_hash(2) == hash);
    assert_true(net_hash(3) == hash);
}

// A double pendulum against a wall below its pivot (validation 9.11): no numbers are printed
// anywhere; it has to converge.
static vec3 double_pendulum(double h) {
    struct gabion_settings settings = scene_settings(h, 0.5);
    settings.gap = GABION_GAP_MOREAU;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.restitution = 0.1});
    vec3 upper = {sin(PI / 3), 0, -cos(PI / 3)};
    vec3 lower = vec3_add(upper, vec3_make(sin(PI / 5), 0, -cos(PI / 5)));
    vec3 place[3] = {vec3_zero(), upper, lower};
    scene_plane(world, vec3_make(-0.05, 0, 0), vec3_make(1, 0, 0));
    for (int k = 1; k <= 2; k++) {
        int32_t id = scene_sphere(world, place[k], 0.05, 1, vec3_zero());
        struct gabion_joint rod =
            scene_joint(GABION_JOINT_DISTANCE, id, k == 1 ? -1 : id - 1, place[k]);
        rod.anchor_second = place[k - 1];
        scene_join(world, rod);
    }
    scene_step(world, (int)(2 / h + 0.5));
    vec3 x = scene_position(world, 2);
    assert_true(world->ledger.contact_work < -1); // it has hit
    scene_assert_ledger(world);
    scene_destroy(world);
    return x;
}

static void test_double_pendulum(void **state) {
    (void)state;
    vec3 fine = double_pendulum(2.5e-4), medium = double_pendulum(1e-3);
    vec3 coarse = double_pendulum(4e-3);
    double first = vec3_length(vec3_sub(coarse, medium));
    double second = vec3_length(vec3_sub(medium, fine));
    assert_at_most(second, 2e-3);
    assert_at_most(second, 0.4 * first);
}

// Life of a joint ----------------------------------------------------------------------------

// One body comes late, another leaves: a joint holds only between.
static void test_arrival_and_removal(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    struct gabion_body hook = scene_sphere_body(vec3_make(0, 0, 0), 0.1, 1);
    hook.fixed = true;
    hook.group = gabion_add_group(world, "hook", NULL);
    struct gabion_body late = scene_sphere_body(vec3_make(0, 0, -0.5), 0.1, 1);
    late.insert_time = 0.1;
    int32_t hook_id = scene_add(world, &hook), id = scene_add(world, &late);
    scene_join(world, scene_joint(GABION_JOINT_BALL, id, hook_id, vec3_zero()));
    assert_true(gabion_add_removal(world, hook.group, 0.3, &error));
    int force = gabion_add_probe(world, "hook", hook.group, GABION_FORCE, &error);
    scene_step(world, 200);
    assert_vector_near(scene_position(world, id), late.position, 1e-12);
    assert_near(joints_force(world, &world->joints.list[0]).z, 9.81, 1e-9);
    assert_vector_near(scene_probe(world, force), vec3_make(0, 0, -9.81), 1e-9);
    scene_step(world, 300);
    vec3 fallen = {0, 0, -0.5 - 0.5 * 9.81 * 0.2 * 0.2};
    assert_vector_near(scene_position(world, id), fallen, 1e-9);
    assert_near(vec3_length(joints_force(world, &world->joints.list[0])), 0, 0);
    scene_destroy(world);
}

// Bodies that are joined touch each other only where that is said.
static void test_collide(void **state) {
    (void)state;
    for (int collide = 0; collide < 2; collide++) {
        struct gabion_settings settings = scene_settings(1e-3, 0.5);
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
        int32_t a = scene_sphere(world, vec3_make(0, 0, 0), 0.5, 1, vec3_zero());
        int32_t b = scene_sphere(world, vec3_make(1, 0, 0), 0.5, 1, vec3_zero());
        struct gabion_joint joint = scene_joint(GABION_JOINT_BALL, a, b, vec3_make(0.5, 0, 0));
        joint.collide = collide;
        scene_join(world, joint);
        scene_step(world, 1);
        assert_int_equal(scene_contact(world, a, b) != NULL, collide);
        scene_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heavy_top),
        cmocka_unit_test(test_expected_turn_is_continuous),
        cmocka_unit_test(test_weld),
        cmocka_unit_test(test_side_load),
        cmocka_unit_test(test_crank),
        cmocka_unit_test(test_joined_at_rest),
        cmocka_unit_test(test_folded_bars_stick),
        cmocka_unit_test(test_closed_loop),
        cmocka_unit_test(test_several_joints),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_hub),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_double_pendulum),
        cmocka_unit_test(test_arrival_and_removal),
        cmocka_unit_test(test_collide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
