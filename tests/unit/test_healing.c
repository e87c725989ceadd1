// Overlaps measured by fresh detection after a step, and their removal (engine/step/healing.h).
#include "tests/unit/clump_scene.h"
#include "tests/unit/effort.h"
#include "tests/unit/scene_joints.h"

#include <unistd.h>

#include "engine/contact/pairs.h"
#include "engine/contact/standing.h"
#include "engine/step/healing.h"
#include "engine/step/overlap.h"

static const struct gabion_law rough = {.friction = 0.5};

// Without gravity or speed nothing but the pass moves a body.
static struct gabion_settings still_settings(void) {
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.gravity = vec3_zero();
    return settings;
}

static struct gabion_settings measuring_settings(void) {
    struct gabion_settings settings = still_settings();
    settings.projection = 0;
    return settings;
}

static int32_t index_of(const struct gabion_world *world, int32_t id) {
    return world->bodies.index_of[id];
}

static void put(struct gabion_world *world, int32_t id, vec3 at) {
    world->bodies.x[index_of(world, id)] = at;
}

static void assert_worst(const struct gabion_world *world, double depth, double relative,
                         int32_t first, int32_t second, double tolerance) {
    const struct gabion_step_report *report = &world->report;
    int32_t a = report->overlap_body_a, b = report->overlap_body_b;
    assert_near(report->max_overlap, depth, tolerance);
    assert_near(report->max_overlap_relative, relative, tolerance);
    assert_true((a == first && b == second) || (a == second && b == first));
}

// Measuring -----------------------------------------------------------------------------------

// Bodies are put where the step did not expect them: the pair is none of its candidates.
static void test_pair_outside_candidates(void **state) {
    (void)state;
    struct gabion_settings settings = measuring_settings();
    struct gabion_world *world = scene_create(&settings, rough);
    int shape = scene_box_shape(world, vec3_make(0.5, 0.4, 0.25));
    int32_t first = scene_sphere(world, vec3_zero(), 0.5, 1, vec3_zero());
    int32_t second = scene_sphere(world, vec3_make(10, 0, 0), 0.2, 1, vec3_zero());
    int32_t box = scene_block(world, shape, vec3_make(0, 20, 0));
    int32_t other = scene_block(world, shape, vec3_make(0, 30, 0));
    int32_t ground = scene_plane(world, vec3_make(0, 0, -5), vec3_make(0, 0, 1));
    scene_step(world, 1);
    assert_near(world->report.max_overlap, 0, 0);
    assert_int_equal(world->report.overlap_body_a, -1);
    assert_int_equal(world->report.overlap_body_b, -1);
    assert_int_equal(world->contacts->count, 0);

    put(world, second, vec3_make(0.65, 0, 0));
    overlap_measure(world);
    assert_worst(world, 0.05, 0.25, first, second, 1e-15);
    put(world, second, vec3_make(10, 0, 0));
    put(world, other, vec3_make(0.1, 20.1, 0.47));
    overlap_measure(world);
    assert_worst(world, 0.03, 0.12, box, other, 1e-12);
    put(world, other, vec3_make(7, 0, -4.8));
    overlap_measure(world);
    assert_worst(world, 0.05, 0.2, other, ground, 1e-12);
    scene_destroy(world);
}

// The largest depth and the largest share may belong to different pairs.
static void test_share_of_smaller(void **state) {
    (void)state;
    struct gabion_settings settings = measuring_settings();
    struct gabion_world *world = scene_create(&settings, rough);
    scene_sphere(world, vec3_make(0, 0, 0), 2, 1, vec3_zero());
    scene_sphere(world, vec3_make(3.8, 0, 0), 2, 1, vec3_zero());
    int32_t first = scene_sphere(world, vec3_make(0, 9, 0), 0.2, 1, vec3_zero());
    int32_t second = scene_sphere(world, vec3_make(0, 9.35, 0), 0.2, 1, vec3_zero());
    scene_step(world, 1);
    assert_near(world->report.max_overlap, 0.2, 1e-14);
    assert_worst(world, 0.2, 0.25, first, second, 1e-13);
    scene_destroy(world);
}

// A corner turns into a box between the middle and the end of the step. Neither the points that the
// step knew nor those points carried along show it.
static void test_feature_that_swings_in(void **state) {
    (void)state;
    struct gabion_settings settings = measuring_settings();
    settings.alert = 0.5;
    struct gabion_world *world = scene_create(&settings, rough);
    int shape = scene_box_shape(world, vec3_make(0.5, 0.5, 0.5));
    int32_t below = scene_block(world, shape, vec3_zero());
    int32_t above = scene_block(world, shape, vec3_make(0, 0, 1.1));
    scene_step(world, 1);
    double angle = 0.3, depth = 0.5 + 0.5 * (cos(angle) + sin(angle)) - 1.1;
    world->bodies.q[index_of(world, above)] = quat_about(vec3_make(0, 1, 0), angle);
    overlap_measure(world);
    assert_worst(world, depth, depth / 0.5, below, above, 1e-12);
    // A shift too small for a new manifold is not lost: it adds up since the middle of the step.
    world->bodies.q[index_of(world, above)] = quat_exp(vec3_zero());
    put(world, above, vec3_make(0, 0, 1 - 1e-5));
    overlap_measure(world);
    assert_worst(world, 1e-5, 2e-5, below, above, 1e-12);
    scene_destroy(world);
}

// Boxes that lie on each other and move by less than a millionth of their size in a step keep the
// gap of the step, which is off by no more than that.
static void test_resting_boxes(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    struct gabion_world *world = scene_create(&settings, rough);
    int shape = scene_box_shape(world, vec3_make(0.5, 0.5, 0.5));
    scene_floor(world);
    scene_block(world, shape, vec3_make(0, 0, 0.5));
    int32_t above = scene_block(world, shape, vec3_make(0, 0, 1.5));
    scene_step(world, 3);
    assert_at_most(world->report.max_overlap_relative, 1e-9);
    for (double shift = 1e-8; shift < 1e-3; shift *= 3) {
        put(world, above, vec3_make(0, 0, 1.5 - shift));
        overlap_measure(world);
        assert_near(world->report.max_overlap_relative, 2 * shift, 1e-6);
    }
    scene_destroy(world);
}

// Pairs of shapes -----------------------------------------------------------------------------

enum kind { SPHERE, BOX, PLATE, HULL, CLUMP, KINDS };

static int random_hull(struct gabion_world *world, struct random_stream *random) {
    vec3 corner[12];
    struct gabion_error error = {0};
    for (int k = 0; k < 12; k++) {
        vec3 p = {random_between(random, -1, 1), random_between(random, -1, 1),
                  random_between(random, -1, 1)};
        corner[k] = vec3_scale(1 / vec3_length(p), p);
    }
    return scene_shape(world, polyhedron_hull(corner, 12, &error));
}

static struct gabion_body random_body(struct gabion_world *world, enum kind kind,
                                      struct random_stream *random) {
    vec3 turn = {random_between(random, -3, 3), random_between(random, -3, 3),
                 random_between(random, -3, 3)};
    struct gabion_body body = scene_sphere_body(vec3_zero(), 0.5, 500);
    if (kind == BOX)
        body = scene_block_body(scene_box_shape(world, vec3_make(0.5, 0.6, 0.8)), vec3_zero());
    else if (kind == PLATE)
        body = scene_block_body(scene_box_shape(world, vec3_make(1, 1, 0.05)), vec3_zero());
    else if (kind == HULL)
        body = scene_block_body(random_hull(world, random), vec3_zero());
    else if (kind == CLUMP)
        body = clump_scene_body(clump_scene_bar(world, 3, 0.4, 0.5), vec3_zero(),
                                quat_exp(vec3_zero()));
    body.orientation = quat_exp(turn);
    return body;
}

// Moves the second of two bodies away from the first until they overlap by less than `share`.
static double pull_apart(struct gabion_world *world, int32_t id, vec3 along, double share) {
    double now = standing_initial_overlap(world).relative;
    while (now > share) {
        vec3 *x = &world->bodies.x[index_of(world, id)];
        *x = vec3_add_scaled(*x, 0.002, along);
        now = standing_initial_overlap(world).relative;
    }
    return now;
}

static void heal_pair(enum kind one, enum kind two, bool fixed, struct random_stream *random) {
    struct gabion_settings settings = still_settings();
    struct gabion_world *world = scene_create(&settings, rough);
    struct gabion_body a = random_body(world, one, random), b = random_body(world, two, random);
    a.fixed = fixed;
    scene_add(world, &a);
    int32_t id = scene_add(world, &b);
    vec3 along = {random_between(random, -1, 1), random_between(random, -1, 1),
                  random_between(random, -1, 1)};
    along = vec3_scale(1 / vec3_length(along), along);
    double share = pull_apart(world, id, along, random_between(random, 0.2, 0.9)), last = share;
    int steps = 0;
    for (; last > HEALING_BOUND && steps < 30; steps++) {
        scene_step(world, 1);
        last = world->report.max_overlap_relative;
    }
    if (last > HEALING_BOUND)
        fail_msg("shapes %d and %d: %g left of %g after %d steps", one, two, last, share, steps);
    assert_near(world->ledger.kinetic, 0, 0);
    scene_step(world, 5); // nothing is left to do
    assert_near(world->report.max_overlap_relative, last, 1e-12);
    scene_destroy(world);
}

// Bodies put 20 to 90 % of their size into each other come apart, and stand still afterwards.
static void test_pairs(void **state) {
    (void)state;
    struct random_stream random = {11};
    for (int one = 0; one < KINDS; one++)
        for (int two = 0; two < KINDS; two++)
            for (int trial = 0; trial < 6; trial++)
                heal_pair((enum kind)one, (enum kind)two, trial % 3 == 0, &random);
}

// A sphere whose centre is inside a block, and a box through the edge of a thin plate, leave by the
// nearest side.
static void test_nearest_side(void **state) {
    (void)state;
    struct gabion_settings settings = still_settings();
    struct gabion_world *world = scene_create(&settings, rough);
    int block = scene_box_shape(world, vec3_make(1, 1, 1));
    int plate = scene_box_shape(world, vec3_make(2, 2, 0.02));
    scene_fixed_block(world, block, vec3_zero());
    int32_t ball = scene_sphere(world, vec3_make(0.2, 0.1, 0.9), 0.2, 1, vec3_zero());
    scene_fixed_block(world, plate, vec3_make(10, 0, 0));
    int32_t box = scene_block(world, block, vec3_make(12.9, 0, 0));
    scene_step(world, 40);
    double left = 0.5 * HEALING_BOUND;
    assert_vector_near(scene_position(world, ball), vec3_make(0.2, 0.1, 1.2 - left * 0.2), 1e-5);
    assert_vector_near(scene_position(world, box), vec3_make(13 - left * 0.02, 0, 0), 1e-5);
    scene_destroy(world);
}

// A bar of spheres goes through a thin plate, with its middle one below: it leaves downwards as a
// whole, although its upper end is nearer to the other side.
static void test_through_plate(void **state) {
    (void)state;
    struct gabion_settings settings = still_settings();
    struct gabion_world *world = scene_create(&settings, rough);
    scene_fixed_block(world, scene_box_shape(world, vec3_make(2, 2, 0.02)), vec3_zero());
    struct gabion_body bar = clump_scene_body(clump_scene_bar(world, 3, 0.2, 0.25), vec3_zero(),
                                              quat_about(vec3_make(0, 1, 0), 0.5 * PI));
    bar.position = vec3_make(0, 0, -0.1);
    int32_t id = scene_add(world, &bar);
    scene_step(world, 40);
    assert_at_most(world->report.max_overlap_relative, HEALING_BOUND);
    assert_true(scene_position(world, id).z < -0.2);
    scene_destroy(world);
}

// The lower of two spheres is pushed towards a third one, 1 mm away, and a wall behind that.
// Neither is run into: what there is not room for below goes up.
static void test_open_contacts(void **state) {
    (void)state;
    struct gabion_settings settings = still_settings();
    struct gabion_world *world = scene_create(&settings, rough);
    scene_floor(world);
    int32_t third = scene_sphere(world, vec3_make(0, 0, 0.501), 0.5, 1, vec3_zero());
    int32_t lower = scene_sphere(world, vec3_make(0, 0, 1.502), 0.5, 1, vec3_zero());
    int32_t upper = scene_sphere(world, vec3_make(0, 0, 2.462), 0.5, 1, vec3_zero()); // 40 mm in
    scene_step(world, 1);
    double accuracy = 1e-4 * 0.5;
    assert_true(scene_position(world, third).z >= 0.5 - accuracy);
    assert_true(scene_position(world, lower).z >= 1.5 - 2 * accuracy);
    assert_true(scene_position(world, upper).z >= 2.5 - HEALING_BOUND * 0.5);
    assert_at_most(scene_position(world, lower).z, 1.501);
    scene_destroy(world);
}

// No point of a body moves further in a step than a fifth of the body's size.
static void test_limit(void **state) {
    (void)state;
    struct gabion_settings settings = still_settings();
    struct gabion_world *world = scene_create(&settings, rough);
    scene_sphere(world, vec3_zero(), 0.5, 1, vec3_zero());
    int32_t ball = scene_sphere(world, vec3_make(0, 0, 0.1), 0.5, 1, vec3_zero());
    vec3 before = vec3_make(0, 0, 0.1);
    int steps = 0;
    do {
        scene_step(world, 1);
        vec3 after = scene_position(world, ball);
        assert_at_most(vec3_length(vec3_sub(after, before)), 0.2 * 0.5 * (1 + 1e-12));
        before = after;
        steps++;
    } while (world->report.max_overlap_relative > HEALING_BOUND);
    assert_int_equal(steps, 5); // 0.9 m to go, 0.2 m in a step
    scene_destroy(world);
}

// Below the bound, and where it is switched off, nothing moves.
static void test_when(void **state) {
    (void)state;
    const struct {
        double overlap;
        int projection;
        enum gabion_gap gap;
        bool moves;
    } rows[] = {{0.99e-3, -1, GABION_GAP_GAP, false},
                {1.01e-3, -1, GABION_GAP_GAP, true},
                {0.5, 0, GABION_GAP_GAP, false},
                {0.5, -1, GABION_GAP_MOREAU, false},
                {0.1, -1, GABION_GAP_STABILIZED, false}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct gabion_settings settings = still_settings();
        settings.projection = rows[k].projection;
        settings.gap = rows[k].gap;
        struct gabion_world *world = scene_create(&settings, rough);
        scene_sphere(world, vec3_zero(), 1, 1, vec3_zero());
        scene_sphere(world, vec3_make(0, 0, 2 - rows[k].overlap), 1, 1, vec3_zero());
        scene_step(world, 1);
        assert_int_equal(world->phase_time[PHASE_PROJECT] > 0, rows[k].moves);
        scene_destroy(world);
    }
}

// A ball that rebounds is inside the floor at the end of some steps. It leaves by itself and is not
// lifted, which would let it rise higher.
static void test_rebound(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.restitution = 0.5});
    scene_floor(world);
    scene_sphere(world, vec3_make(0, 0, 0.8), 0.1, 1, vec3_zero());
    double deepest = 0;
    for (int step = 0; step < 3000; step++) {
        scene_step(world, 1);
        deepest = fmax(deepest, world->report.max_overlap_relative);
    }
    assert_true(deepest > 2 * HEALING_BOUND);
    assert_near(world->ledger.projection_work, 0, 0);
    scene_destroy(world);
}

// Without restitution nothing rebounds: bodies that slide out of each other are moved apart at
// once.
static void test_parting(void **state) {
    (void)state;
    const vec3 out = {0, 0, 1};
    for (int elastic = 0; elastic < 2; elastic++) {
        struct gabion_settings settings = still_settings();
        struct gabion_world *world =
            scene_create(&settings, (struct gabion_law){.restitution = 0.5 * elastic});
        scene_sphere(world, vec3_zero(), 1, 1, vec3_zero());
        scene_sphere(world, vec3_make(0, 0, 1.9), 1, 1,
                     vec3_scale(0.1 / (5 * settings.step), out)); // five steps until it is out
        scene_step(world, 1);
        assert_int_equal(world->report.max_overlap_relative > HEALING_BOUND, elastic);
        scene_destroy(world);
    }
}

// A ball between two jaws that leave it no room is pushed to and fro as long as the pass may last.
// It lasts as long in a crowd as alone: where every push looked at all grains, one step took
// minutes, for which this test would be ended. The ball stays where it is.
static void test_wedge_in_a_crowd(void **state) {
    (void)state;
    struct gabion_settings settings = still_settings();
    settings.on_cap = GABION_CAP_ACCEPT;
    struct gabion_world *world = scene_create(&settings, rough);
    int jaw = scene_box_shape(world, vec3_make(0.5, 0.5, 0.5));
    const int side = effort(30, 40);
    scene_fixed_block(world, jaw, vec3_make(-5, 0, 0));
    scene_fixed_block(world, jaw, vec3_make(-3.85, 0, 0));
    int32_t ball = scene_sphere(world, vec3_make(-4.425, 0, 0), 0.1, 1, vec3_zero());
    for (int k = 0; k < side * side * side; k++)
        scene_sphere(world,
                     vec3_make(0.2 * (k % side), 0.2 * (k / side % side), 0.2 * (k / side / side)),
                     0.1, 1, vec3_zero());
    scene_step(world, 1);
    assert_vector_near(scene_position(world, ball), vec3_make(-4.425, 0, 0), 1e-3);
    assert_near(world->report.max_overlap_relative, 0.25, 1e-3);
    scene_free(world);
}

// Stacks and piles ----------------------------------------------------------------------------

static struct gabion_world *world_on_threads(int threads) {
    struct gabion_settings settings = gabion_default_settings();
    struct gabion_error error = {0};
    settings.step = 1e-3;
    settings.on_cap = GABION_CAP_ACCEPT;
    struct gabion_world *world =
        world_create(&settings, team_create(threads, NULL, &error), &error);
    gabion_add_material(world, "body", 1000, NULL);
    gabion_add_material(world, "ground", 1000, NULL);
    assert_true(gabion_set_default_law(world, &rough, &error));
    return world;
}

// Each box lies 5 % of its half height in the one below, and they are not quite above each other.
static void test_stack(void **state) {
    (void)state;
    struct gabion_world *world = world_on_threads(1);
    int shape = scene_box_shape(world, vec3_make(0.5, 0.4, 0.25));
    int32_t box[8];
    vec3 start[8];
    scene_floor(world);
    for (int k = 0; k < 8; k++) {
        start[k] = vec3_make(0.01 * (k % 3), 0, 0.25 + 0.5 * k - 0.05 * 0.25 * (k + 1));
        box[k] = scene_block(world, shape, start[k]);
    }
    double lift = 0, before = 0.05 + 1e-9, top = start[7].z;
    for (int step = 0; step < 400; step++) {
        scene_step(world, 1);
        assert_at_most(scene_position(world, box[7]).z - top, 0.2 * 0.25 * (1 + 1e-6));
        top = scene_position(world, box[7]).z;
        assert_at_most(world->report.max_overlap_relative, before * (1 + 1e-4));
        assert_at_most(world->ledger.kinetic, 1e-5); // of some 40 kJ
        before = fmax(world->report.max_overlap_relative, HEALING_BOUND);
        if (step == 3)
            assert_at_most(before, HEALING_BOUND);
    }
    for (int k = 0; k < 8; k++) {
        vec3 x = scene_position(world, box[k]);
        assert_near(x.z, 0.25 + 0.5 * k, HEALING_BOUND * 0.25 * (k + 1));
        assert_near(x.x, start[k].x, 1e-4);
        assert_near(x.y, start[k].y, 1e-4);
        lift += 1000 * 0.4 * 9.81 * (x.z - start[k].z);
    }
    assert_near(world->ledger.projection_work, lift, 1e-3 * lift);
    scene_assert_ledger(world);
    scene_destroy(world);
}

// Bodies of all shapes pressed into a container, in a lattice that is too narrow for them.
static struct gabion_world *pressed_pile(int threads) {
    struct gabion_world *world = world_on_threads(threads);
    struct random_stream random = {5};
    scene_floor(world);
    for (int side = -1; side <= 1; side += 2) {
        scene_plane(world, vec3_make(2.1 * side, 0, 0), vec3_make(-side, 0, 0));
        scene_plane(world, vec3_make(0, 2.1 * side, 0), vec3_make(0, -side, 0));
    }
    enum kind kinds[] = {SPHERE, BOX, HULL, CLUMP};
    for (int i = 0; i < 27; i++) {
        struct gabion_body body = random_body(world, kinds[i % 4], &random);
        body.position = vec3_make(1.25 * (i % 3 - 1), 1.25 * (i / 3 % 3 - 1), 0.8 + 1.25 * (i / 9));
        scene_add(world, &body);
    }
    return world;
}

static void assert_in_container(const struct gabion_world *world) {
    for (int32_t i = 0; i < world->bodies.moving; i++) {
        vec3 x = world->bodies.x[i];
        assert_true(fabs(x.x) < 2.1 && fabs(x.y) < 2.1 && x.z > 0);
    }
}

// It comes apart without a body going through a wall. What moving apart lifts is booked; for the
// rest energy only falls.
static void test_pile(void **state) {
    (void)state;
    struct gabion_world *world = pressed_pile(1);
    assert_true(standing_initial_overlap(world).relative > 0.3);
    double energy = INFINITY;
    for (int step = 0; step < 150; step++) {
        scene_step(world, 1);
        const struct ledger *ledger = &world->ledger;
        double now = ledger->kinetic + ledger->potential - ledger->projection_work;
        assert_at_most(now, energy + 1e-6 * ledger->potential);
        energy = now;
        assert_in_container(world);
        if (step >= 40)
            assert_at_most(world->report.max_overlap_relative, HEALING_BOUND);
    }
    assert_true(world->ledger.projection_work > 0);
    scene_assert_ledger(world);
    scene_destroy(world);
}

// Same bits on three threads, and across a checkpoint in the middle of it.
static void test_same_bits(void **state) {
    (void)state;
    struct gabion_error error = {0};
    char path[] = "/tmp/healing-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    struct gabion_world *one = pressed_pile(1), *three = pressed_pile(3),
                        *resumed = pressed_pile(2);
    scene_step(one, 4);
    assert_true(one->report.max_overlap_relative > HEALING_BOUND);
    assert_true(gabion_write_checkpoint(one, path, &error));
    assert_true(gabion_restore_checkpoint(resumed, path, &error));
    assert_int_equal(resumed->report.overlap_body_a, -1);
    scene_step(one, 16);
    scene_step(three, 20);
    scene_step(resumed, 16);
    assert_true(gabion_state_hash(one) == gabion_state_hash(three));
    assert_true(gabion_state_hash(one) == gabion_state_hash(resumed));
    remove(path);
    scene_destroy(one);
    scene_destroy(three);
    scene_destroy(resumed);
}

// A body wedged in a space too narrow for it stays where it is and hurts nothing.
static void test_no_room(void **state) {
    (void)state;
    struct gabion_settings settings = still_settings();
    struct gabion_world *world = scene_create(&settings, rough);
    scene_plane(world, vec3_make(0, 0, -0.45), vec3_make(0, 0, 1));
    scene_plane(world, vec3_make(0, 0, 0.45), vec3_make(0, 0, -1));
    int32_t ball = scene_sphere(world, vec3_make(0, 0, 0.01), 0.5, 1, vec3_zero());
    int32_t away = scene_sphere(world, vec3_make(5, 0, 0), 0.3, 1, vec3_zero());
    int32_t into = scene_sphere(world, vec3_make(5.5, 0, 0), 0.3, 1, vec3_zero());
    scene_step(world, 20);
    assert_at_most(world->report.max_overlap, 0.06 + 1e-12);
    assert_vector_near(scene_position(world, ball), vec3_zero(), 0.0101);
    double apart = scene_position(world, into).x - scene_position(world, away).x;
    assert_true(apart > 0.6 - HEALING_BOUND * 0.3); // the others heal all the same
    scene_destroy(world);
}

// Spins and joints ----------------------------------------------------------------------------

// A spinning plate that is turned out of the floor keeps its velocities and gains no energy.
static void test_spin(void **state) {
    (void)state;
    struct random_stream random = {3};
    for (int trial = 0; trial < 20; trial++) {
        struct gabion_settings settings = still_settings();
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
        struct gabion_body body = random_body(world, PLATE, &random);
        scene_floor(world);
        int32_t plate = scene_add(world, &body);
        pull_apart(world, plate, vec3_make(0, 0, 1), 0.8);
        scene_step(world, 1); // its velocity is zero
        int32_t i = index_of(world, plate);
        vec3 w = {random_between(&random, -3, 3), random_between(&random, -3, 3), 5};
        world->bodies.w[i] = w;
        double before = ledger_spin_energy(&world->bodies, i);
        world->bodies.x[i].z -= 0.01;
        overlap_measure(world);
        healing_apply(world);
        double after = ledger_spin_energy(&world->bodies, i);
        assert_at_most(after, before * (1 + 1e-14));
        vec3 now = world->bodies.w[i];
        assert_vector_near(vec3_scale(1 / vec3_length(now), now), vec3_scale(1 / vec3_length(w), w),
                           1e-14);
        scene_destroy(world);
    }
}

// Two joined boxes, of which one lies in the floor: the joint holds while both are lifted.
static void test_joint(void **state) {
    (void)state;
    struct gabion_settings settings = still_settings();
    struct gabion_world *world = scene_create(&settings, rough);
    int shape = scene_box_shape(world, vec3_make(0.5, 0.5, 0.5));
    scene_floor(world);
    int32_t first = scene_block(world, shape, vec3_make(0, 0, 0.45));
    int32_t second = scene_block(world, shape, vec3_make(1.2, 0, 0.7));
    scene_join(world, scene_joint(GABION_JOINT_BALL, first, second, vec3_make(0.6, 0, 0.6)));
    scene_step(world, 4);
    assert_at_most(world->report.max_overlap_relative, HEALING_BOUND);
    assert_true(scene_position(world, second).z > 0.71);
    assert_at_most(world->report.joint_error, 1e-3);
    scene_destroy(world);
}

// Returns the least gap of the contacts between two bodies at the midpoint of the last step.
static double least_gap(const struct gabion_world *world, int32_t first, int32_t second) {
    double least = INFINITY;
    int32_t i = index_of(world, first), j = index_of(world, second);
    for (size_t k = 0; k < world->contacts->count; k++) {
        const struct contact *contact = &world->contacts->list[k];
        if ((contact->c == i && contact->a == j) || (contact->c == j && contact->a == i))
            least = fmin(least, contact->gap);
    }
    return least;
}

// Two spheres that overlap come to a wall together. What the first one has left of its way to the
// wall is planned: it is not room to push it into, or it would next be found inside the wall.
static void test_planned_way_is_not_room(void **state) {
    (void)state;
    struct gabion_settings settings = still_settings();
    struct gabion_world *world = scene_create(&settings, rough);
    double radius = 0.1, overlap = 4e-4;
    vec3 velocity = vec3_make(1, 0, 0);
    int32_t wall = scene_plane(world, vec3_make(radius + 1e-3, 0, 0), vec3_make(-1, 0, 0));
    int32_t front = scene_sphere(world, vec3_zero(), radius, 1, velocity);
    scene_sphere(world, vec3_make(overlap - 2 * radius, 0, 0), radius, 1, velocity);
    scene_step(world, 1);
    assert_true(world->report.max_overlap_relative <= HEALING_BOUND);
    scene_step(world, 1);
    assert_near(least_gap(world, front, wall), 0, 2.5e-5 * radius); // errors that it leaves
    scene_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pair_outside_candidates),
        cmocka_unit_test(test_share_of_smaller),
        cmocka_unit_test(test_feature_that_swings_in),
        cmocka_unit_test(test_resting_boxes),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_nearest_side),
        cmocka_unit_test(test_through_plate),
        cmocka_unit_test(test_open_contacts),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_when),
        cmocka_unit_test(test_rebound),
        cmocka_unit_test(test_parting),
        cmocka_unit_test(test_stack),
        cmocka_unit_test(test_pile),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_spin),
        cmocka_unit_test(test_joint),
        cmocka_unit_test(test_wedge_in_a_crowd),
        cmocka_unit_test(test_planned_way_is_not_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
