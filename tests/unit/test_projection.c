// The position pass after a step (Galizzi and Faure 2002, eq. 6.2).
#include "tests/unit/scene.h"

#include "engine/contact/standing.h"

// Without gravity or speed nothing but the pass moves a body.
static struct gabion_settings still_settings(int iterations) {
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.gravity = vec3_zero();
    settings.projection = iterations;
    return settings;
}

static const struct gabion_law frictionless = {0};

// Two spheres that overlap by d move apart along the line of centres, inversely to their masses.
static void test_pair(void **state) {
    (void)state;
    struct gabion_settings settings = still_settings(20);
    struct gabion_world *world = scene_create(&settings, frictionless);
    vec3 n = vec3_make(2.0 / 3, -1.0 / 3, 2.0 / 3), middle = {1, 2, 3};
    double d = 0.02, m_1 = 1, m_2 = 3;
    int32_t first = scene_sphere(world, middle, 0.5, m_1, vec3_zero());
    vec3 at = vec3_add_scaled(middle, 0.8 - d, n);
    int32_t second = scene_sphere(world, at, 0.3, m_2, vec3_zero());
    scene_step(world, 1);
    assert_vector_near(scene_position(world, first),
                       vec3_add_scaled(middle, -d * m_2 / (m_1 + m_2), n), 1e-14);
    assert_vector_near(scene_position(world, second), vec3_add_scaled(at, d * m_1 / (m_1 + m_2), n),
                       1e-14);
    assert_vector_near(scene_velocity(world, first), vec3_zero(), 0);
    assert_vector_near(scene_velocity(world, second), vec3_zero(), 0);
    assert_vector_near(scene_spin(world, first), vec3_zero(), 0);
    assert_at_most(world->report.max_overlap, 1e-14);
    assert_at_most(world->report.mean_overlap, 1e-14);
    scene_destroy(world);
}

// What the pass does to the energy is the weight it lifts: a ball that stands d deep in the floor
// is raised by d.
static void test_work(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.projection = 5;
    struct gabion_world *world = scene_create(&settings, frictionless);
    double d = 0.03, m = 2;
    scene_floor(world);
    int32_t ball = scene_sphere(world, vec3_make(0, 0, 0.5 - d), 0.5, m, vec3_zero());
    scene_step(world, 1);
    assert_near(scene_position(world, ball).z, 0.5, 1e-14);
    assert_near(world->ledger.projection_work, m * 9.81 * d, 1e-12);
    scene_assert_ledger(world);
    scene_step(world, 50);
    assert_near(world->ledger.projection_work, m * 9.81 * d, 1e-12);
    scene_assert_ledger(world);
    scene_destroy(world);
}

// A box sunk askew into the floor by one edge: the least displacement in the mass metric, computed
// here. Two points of equal depth d on the edge at arm (a, -b) from the centre of a square box of
// half side s act as one row with lever a: lift d / (1 + m a^2 / I), turn lift m a / I.
static void test_askew_box(void **state) {
    (void)state;
    struct gabion_settings settings = still_settings(50);
    settings.alert = 1e-3; // the far edge is not a candidate
    struct gabion_world *world = scene_create(&settings, frictionless);
    double s = 0.5, angle = 0.1, d = 0.002;
    int shape = scene_box_shape(world, vec3_make(s, s, s));
    struct gabion_body body = scene_block_body(shape, vec3_zero());
    body.orientation = quat_about(vec3_make(0, 1, 0), angle);
    // Turned about y by `angle` the corner (s, -s) in (x, z) goes deepest.
    double a = s * cos(angle) - s * sin(angle), low = s * sin(angle) + s * cos(angle);
    body.position = vec3_make(0, 0, low - d);
    scene_floor(world);
    int32_t box = scene_add(world, &body);
    scene_step(world, 1);
    double over = 1.0 / 6 * (2 * s) * (2 * s); // I / m
    double lift = d / (1 + a * a / over), turn = lift * a / over;
    vec3 x;
    quat q;
    assert_true(scene_state(world, box, &x, &q, NULL, NULL));
    assert_vector_near(x, vec3_make(0, 0, low - d + lift), 1e-12);
    vec3 turned = quat_log(quat_multiply(q, quat_conjugate(body.orientation)));
    assert_vector_near(turned, vec3_make(0, -turn, 0), 1e-12);
    // Left is what the turn's square makes of it.
    assert_at_most(world->report.max_overlap, turn * turn * s);
    assert_vector_near(scene_spin(world, box), vec3_zero(), 0);
    scene_destroy(world);
}

// A ball 1 mm deep in the floor and 10 mm deep in a slope: the slope's push takes it out of both,
// and the floor must not pull it back.
static void test_no_pull(void **state) {
    (void)state;
    struct gabion_settings settings = still_settings(20);
    struct gabion_world *world = scene_create(&settings, frictionless);
    vec3 n = vec3_make(0.6, 0, 0.8), centre = {0, 0, 0.499};
    scene_floor(world);
    scene_plane(world, vec3_add_scaled(centre, -0.49, n), n);
    int32_t ball = scene_sphere(world, centre, 0.5, 1, vec3_zero());
    scene_step(world, 1);
    assert_vector_near(scene_position(world, ball), vec3_add_scaled(centre, 0.01, n), 1e-14);
    scene_destroy(world);
}

static double overlap_now(struct gabion_world *world) {
    return standing_initial_overlap(world).depth;
}

static struct gabion_world *pressed_spheres(int iterations, int side, double spacing) {
    struct gabion_settings settings = still_settings(iterations);
    settings.alert = 0.02;
    struct gabion_world *world = scene_create(&settings, frictionless);
    struct random_stream random = {7};
    scene_floor(world);
    for (int i = 0; i < side * side * side; i++) {
        vec3 at = vec3_make(i % side, i / side % side, i / side / side + 0.5);
        scene_sphere(world, vec3_scale(spacing, at), 0.5 * random_between(&random, 0.95, 1), 1,
                     vec3_zero());
    }
    return world;
}

// A pressed pile comes apart, to what the turning of normals leaves of it in a few passes; and no
// sphere is pushed through another or the floor on the way.
static void test_pile(void **state) {
    (void)state;
    struct gabion_world *world = pressed_spheres(500, 5, 0.96);
    double before = overlap_now(world);
    assert_true(before > 0.02);
    scene_step(world, 1);
    assert_at_most(overlap_now(world), 0.02 * before);
    scene_step(world, 4);
    assert_at_most(overlap_now(world), 1e-9);
    assert_near(world->ledger.kinetic, 0, 0);
    scene_destroy(world);
}

// Boxes of a tower that overlap at four corners each, which push alike: rows that depend on each
// other. From the bottom up each is raised by the overlaps below it.
static void test_boxes(void **state) {
    (void)state;
    struct gabion_settings settings = still_settings(500);
    struct gabion_world *world = scene_create(&settings, frictionless);
    int shape = scene_box_shape(world, vec3_make(0.5, 0.5, 0.25));
    int32_t box[4];
    scene_floor(world);
    for (int k = 0; k < 4; k++)
        box[k] = scene_block(world, shape, vec3_make(0, 0, 0.25 + 0.5 * k - 0.001 * (k + 1)));
    scene_step(world, 1);
    // Each overlaps the one below by 1 mm, and the floor bears them all.
    for (int k = 0; k < 4; k++)
        assert_vector_near(scene_position(world, box[k]), vec3_make(0, 0, 0.25 + 0.5 * k), 1e-9);
    assert_at_most(world->report.max_overlap, 1e-9);
    scene_destroy(world);
}

static void test_nothing_overlaps(void **state) {
    (void)state;
    struct gabion_world *world = pressed_spheres(500, 3, 1.0001);
    vec3 before = scene_position(world, 14);
    scene_step(world, 3);
    assert_vector_near(scene_position(world, 14), before, 0);
    assert_near(world->ledger.projection_work, 0, 0);
    scene_destroy(world);
}

// Locked degrees of freedom and fixed bodies do not give way.
static void test_locked(void **state) {
    (void)state;
    struct gabion_settings settings = still_settings(20);
    struct gabion_world *world = scene_create(&settings, frictionless);
    struct gabion_body body = scene_sphere_body(vec3_zero(), 0.5, 1);
    body.lock = GABION_LOCK_X;
    int32_t first = scene_add(world, &body);
    vec3 n = vec3_make(0.6, 0, 0.8);
    int32_t second = scene_sphere(world, vec3_scale(0.99, n), 0.5, 1, vec3_zero());
    scene_step(world, 1);
    // The locked one gives way along z alone, 0.64 of the other's response: d / (1 + 0.64).
    double push = 0.01 / 1.64;
    assert_vector_near(scene_position(world, first), vec3_make(0, 0, -0.8 * push), 1e-13);
    assert_vector_near(scene_position(world, second), vec3_scale(0.99 + push, n), 1e-13);
    scene_destroy(world);
}

// Spheres rain into a box with few sweeps: what sweeps leave is less with the pass than without,
// the books close, and a run on three threads is the same.
static struct gabion_world *rain(int iterations, int threads, int steps) {
    struct gabion_settings settings = gabion_default_settings();
    struct gabion_error error = {0};
    settings.step = 5e-3;
    settings.max_sweeps = 5;
    settings.on_cap = GABION_CAP_ACCEPT;
    settings.projection = iterations;
    struct team *team = team_create(threads, NULL, &error);
    struct gabion_world *world = world_create(&settings, team, &error);
    struct gabion_law law = {.friction = 0.3};
    gabion_add_material(world, "body", 1000, NULL);
    gabion_add_material(world, "ground", 1000, NULL);
    assert_true(gabion_set_default_law(world, &law, &error));
    struct random_stream random = {7};
    scene_floor(world);
    for (int k = 0; k < 2; k++) {
        double side = k ? 1 : -1;
        scene_plane(world, vec3_make(0.25 * side, 0, 0), vec3_make(-side, 0, 0));
        scene_plane(world, vec3_make(0, 0.25 * side, 0), vec3_make(0, -side, 0));
    }
    for (int i = 0; i < 200; i++)
        scene_sphere(world,
                     vec3_make(-0.2 + 0.1 * (i % 5) + random_between(&random, 0, 0.01),
                               -0.2 + 0.1 * (i / 5 % 5), 0.06 + 0.1 * (i / 25)),
                     random_between(&random, 0.04, 0.05), 1, vec3_zero());
    scene_step(world, steps);
    return world;
}

static void test_settling(void **state) {
    (void)state;
    struct gabion_world *without = rain(0, 1, 150), *with = rain(20, 1, 150);
    struct gabion_world *again = rain(20, 3, 150);
    assert_true(without->report.mean_overlap > 0);
    assert_at_most(with->report.mean_overlap, 0.1 * without->report.mean_overlap);
    assert_at_most(with->report.max_overlap, 0.5 * without->report.max_overlap);
    assert_true(with->ledger.projection_work > 0);
    scene_assert_ledger(with);
    assert_true(gabion_state_hash(with) == gabion_state_hash(again));
    scene_destroy(without);
    scene_destroy(with);
    scene_destroy(again);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pair),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_askew_box),
        cmocka_unit_test(test_no_pull),
        cmocka_unit_test(test_pile),
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_nothing_overlaps),
        cmocka_unit_test(test_locked),
        cmocka_unit_test(test_settling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
