// The corrective scheme (Galizzi and Faure 2002).
#include <string.h>

#include "tests/unit/clump_scene.h"

static struct gabion_settings corrective_settings(double step) {
    struct gabion_settings settings = scene_settings(step, 0.5);
    settings.scheme = GABION_SCHEME_CORRECTIVE;
    settings.method = GABION_METHOD_BICG;
    return settings;
}

static struct gabion_world *corrective_scene(double step, double friction, double restitution) {
    struct gabion_settings settings = corrective_settings(step);
    return scene_create(&settings,
                        (struct gabion_law){.friction = friction, .restitution = restitution});
}

static const vec3 up = {0, 0, 1};
#define G 9.81

static void test_rest(void **state) {
    (void)state;
    struct gabion_world *world = corrective_scene(0.01, 0, 0.5);
    scene_floor(world);
    int32_t ball = scene_sphere(world, vec3_make(0, 0, 0.5), 0.5, 2, vec3_zero());
    for (int k = 0; k < 1000; k++) {
        scene_step(world, 1);
        assert_near(scene_normal_impulse(world, ball, 0), 2 * G * 0.01, 1e-12);
    }
    assert_vector_near(scene_position(world, ball), vec3_make(0, 0, 0.5), 1e-13);
    assert_vector_near(scene_velocity(world, ball), vec3_zero(), 1e-13);
    scene_assert_ledger(world);
    scene_destroy(world);
}

// At a single contact Poisson's e is Newton's: the ball falls n steps, is deep in the floor then,
// is put upon it and leaves at e times the speed of its fall.
static void test_bounce(void **state) {
    (void)state;
    double h = 0.01, e = 0.6, height = 0.3;
    struct gabion_world *world = corrective_scene(h, 0, e);
    scene_floor(world);
    int32_t ball = scene_sphere(world, vec3_make(0, 0, 0.5 + height), 0.5, 2, vec3_zero());
    int n = (int)ceil(sqrt(2 * height / G) / h);
    scene_step(world, n - 1);
    assert_near(scene_position(world, ball).z, 0.5 + height - 0.5 * G * h * h * (n - 1) * (n - 1),
                1e-12);
    scene_step(world, 1);
    assert_near(scene_position(world, ball).z, 0.5, 1e-13);
    assert_near(scene_velocity(world, ball).z, e * G * h * n, 1e-11);
    // Off it goes: the contact it has just left does not hold it.
    scene_step(world, 1);
    assert_near(scene_velocity(world, ball).z, e * G * h * n - G * h, 1e-11);
    scene_step(world, 1000);
    assert_near(scene_velocity(world, ball).z, 0, 1e-12);
    assert_near(scene_position(world, ball).z, 0.5, 1e-12);
    scene_assert_ledger(world);
    scene_destroy(world);
}

static void test_stack(void **state) {
    (void)state;
    double h = 0.01, m_1 = 3, m_2 = 1;
    struct gabion_world *world = corrective_scene(h, 0, 0);
    scene_floor(world);
    int32_t low = scene_sphere(world, vec3_make(0, 0, 0.5), 0.5, m_1, vec3_zero());
    int32_t high = scene_sphere(world, vec3_make(0, 0, 1.3), 0.3, m_2, vec3_zero());
    scene_step(world, 300);
    assert_near(scene_normal_impulse(world, low, 0), (m_1 + m_2) * G * h, 1e-10);
    assert_near(scene_normal_impulse(world, high, low), m_2 * G * h, 1e-10);
    assert_near(scene_position(world, high).z, 1.3, 1e-11);
    scene_assert_ledger(world);
    scene_destroy(world);
}

// Five equal balls in a row, the first comes at v. The impulses of all contacts at once make them
// go on together at v/5; Poisson's (1 + e) of those impulses gives
// v_k + (1 + e) (v/5 - v_k): with e = 1, -3/5 of v for the first and 2/5 for the others.
static void test_cradle(void **state) {
    (void)state;
    struct gabion_settings settings = corrective_settings(0.01);
    settings.gravity = vec3_zero();
    for (int half = 0; half < 2; half++) {
        double e = half ? 0.5 : 1, v = 2;
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){.restitution = e});
        int32_t ball[5];
        for (int k = 0; k < 5; k++)
            ball[k] = scene_sphere(world, vec3_make(k == 0 ? -0.01 : k, 0, 0), 0.5, 3,
                                   vec3_make(k == 0 ? v : 0, 0, 0));
        scene_step(world, 1);
        assert_near(scene_velocity(world, ball[0]).x, v + (1 + e) * (v / 5 - v), 1e-9);
        for (int k = 1; k < 5; k++)
            assert_near(scene_velocity(world, ball[k]).x, (1 + e) * v / 5, 1e-9);
        scene_assert_ledger(world);
        scene_destroy(world);
    }
}

// No slip: 5/7 g sin a for a solid sphere, and the spin that rolling has.
static void test_rolling(void **state) {
    (void)state;
    double h = 0.01, slope = 0.4, R = 0.25;
    struct gabion_settings settings = corrective_settings(h);
    settings.gravity = vec3_make(G * sin(slope), 0, -G * cos(slope));
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = INFINITY});
    scene_floor(world);
    int32_t ball = scene_sphere(world, vec3_make(0, 0, R), R, 2, vec3_zero());
    scene_step(world, 200);
    double a = 5.0 / 7 * G * sin(slope), t = 200 * h;
    assert_vector_near(scene_velocity(world, ball), vec3_make(a * t, 0, 0), 1e-9);
    assert_vector_near(scene_spin(world, ball), vec3_make(0, a * t / R, 0), 1e-8);
    assert_vector_near(scene_position(world, ball), vec3_make(0.5 * a * t * t, 0, R), 1e-8);
    scene_assert_ledger(world);
    scene_destroy(world);
}

// A roller of three balls that turns fast in its place: each ball turns about its own centre, and
// the floor carries the weight, no more and no less.
static void test_roller(void **state) {
    (void)state;
    double h = 0.01;
    struct gabion_world *world = corrective_scene(h, 0, 0);
    world->settings.budget = (struct gabion_budget){0, 0, 100}; // by forces alone
    int bar = clump_scene_bar(world, 3, 0.1, 0.25);
    struct gabion_body body = clump_scene_body(bar, vec3_make(0, 0, 0.1), (quat){1, 0, 0, 0});
    body.mass = 2;
    body.spin = vec3_make(50, 0, 0);
    scene_floor(world);
    int32_t roller = scene_add(world, &body);
    for (int k = 0; k < 100; k++) {
        scene_step(world, 1);
        assert_vector_near(scene_pair_impulse(world, roller, 0), vec3_scale(2 * G * h, up), 1e-9);
    }
    assert_vector_near(scene_position(world, roller), vec3_make(0, 0, 0.1), 1e-11);
    scene_assert_ledger(world);
    scene_destroy(world);
}

// A box that lands flat comes to rest on its four corners, whose forces are not unique.
static void test_box(void **state) {
    (void)state;
    double h = 0.01;
    struct gabion_world *world = corrective_scene(h, INFINITY, 0);
    int shape = scene_box_shape(world, vec3_make(0.5, 0.4, 0.3));
    scene_floor(world);
    int32_t box = scene_block(world, shape, vec3_make(0, 0, 0.4));
    scene_step(world, 300);
    assert_vector_near(scene_position(world, box), vec3_make(0, 0, 0.3), 1e-9);
    assert_vector_near(scene_velocity(world, box), vec3_zero(), 1e-10);
    vec3 impulse = scene_pair_impulse(world, box, 0);
    assert_vector_near(impulse, vec3_scale(0.48 * 1000 * G * h, up), 1e-6);
    scene_assert_ledger(world);
    scene_destroy(world);
}

// The term c of eq. 2.5: a cube that turns over its lower edge, straight above it, is held on its
// circle by the weight that the edge does not carry, m w^2 r.
static void test_centripetal(void **state) {
    (void)state;
    double h = 1e-3, w = 2, s = 0.5, r = s * sqrt(2), m = 1000;
    struct gabion_settings settings = corrective_settings(h);
    settings.budget = (struct gabion_budget){0, 0, 100};
    settings.alert = 1e-3;
    settings.on_cap = GABION_CAP_ACCEPT;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = INFINITY});
    struct gabion_body body =
        scene_block_body(scene_box_shape(world, vec3_make(s, s, s)), vec3_make(0, 0, r));
    body.orientation = quat_about(vec3_make(0, 1, 0), PI / 4);
    body.spin = vec3_make(0, w, 0);
    body.velocity = vec3_make(w * r, 0, 0); // the lower edge stands still
    scene_floor(world);
    int32_t box = scene_add(world, &body);
    scene_step(world, 1);
    assert_vector_near(scene_velocity(world, box), vec3_make(w * r, 0, -h * w * w * r), 1e-9);
    assert_vector_near(scene_spin(world, box), body.spin, 1e-9);
    assert_vector_near(scene_pair_impulse(world, box, 0), vec3_scale(h * m * (G - w * w * r), up),
                       1e-6);
    scene_destroy(world);
}

// Budgets of zero switch a level off.
static vec3 after_budget(int positions, int velocities, int accelerations, double z,
                         double *speed) {
    struct gabion_settings settings = corrective_settings(0.01);
    settings.budget = (struct gabion_budget){positions, velocities, accelerations};
    settings.on_cap = GABION_CAP_ACCEPT;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    scene_floor(world);
    int32_t ball = scene_sphere(world, vec3_make(0, 0, z), 0.5, 2, vec3_zero());
    scene_step(world, 10);
    vec3 x = scene_position(world, ball);
    *speed = scene_velocity(world, ball).z;
    scene_assert_ledger(world);
    scene_destroy(world);
    return x;
}

static void test_budgets(void **state) {
    (void)state;
    double v, fallen = 0.5 * G * 0.1 * 0.1;
    assert_near(after_budget(0, 0, 0, 0.5, &v).z, 0.5 - fallen, 1e-12);
    assert_near(v, -G * 0.1, 1e-12);
    // Held by its force alone, where it is: in the floor.
    assert_near(after_budget(0, 0, 10, 0.4, &v).z, 0.4, 1e-13);
    assert_near(v, 0, 1e-13);
    // Put on the floor in every step, ever faster.
    assert_near(after_budget(10, 0, 0, 0.5, &v).z, 0.5, 1e-13);
    assert_near(v, -G * 0.1, 1e-12);
    // Stopped in every step, after half of its fall: the free velocity sinks it by g h^2 / 2.
    assert_near(after_budget(0, 10, 0, 0.5, &v).z, 0.5 - 10 * 0.5 * G * 1e-4, 1e-13);
    assert_near(v, 0, 1e-13);
}

static void test_rejections(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_settings settings = corrective_settings(0.01);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    struct gabion_law law = {.friction = 0.3};
    assert_false(gabion_set_default_law(world, &law, &error));
    assert_non_null(strstr(error.text, "corrective"));
    assert_non_null(strstr(error.text, "0.3"));
    law = (struct gabion_law){.tangential_restitution = 0.5};
    assert_false(gabion_set_law(world, 0, 1, &law, &error));
    scene_destroy(world);
    error = (struct gabion_error){0};
    settings.method = GABION_METHOD_NSGS;
    assert_null(world_create(&settings, NULL, &error));
    assert_non_null(strstr(error.text, "bicg"));
    settings = corrective_settings(0.01);
    settings.projection = 3;
    assert_null(world_create(&settings, NULL, &error));
    settings = corrective_settings(0.01);
    settings.budget.velocities = -1;
    assert_null(world_create(&settings, NULL, &error));
}

// A step that fails after bodies have moved leaves the state as it was.
static void test_failed_step(void **state) {
    (void)state;
    struct gabion_settings settings = corrective_settings(0.01);
    settings.budget.velocities = 0;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    struct gabion_error error = {0};
    scene_floor(world);
    scene_sphere(world, vec3_make(0, 0, 0.55), 0.5, 2, vec3_zero());
    for (int k = 0; k < 20 && gabion_step(world, &error); k++)
        ;
    assert_non_null(strstr(error.text, "step 11:")); // 0.05 m take 0.101 s
    assert_int_equal(world->step, 10);
    uint64_t hash = gabion_state_hash(world);
    assert_false(gabion_step(world, &error));
    assert_true(gabion_state_hash(world) == hash);
    assert_near(scene_position(world, 1).z, 0.55 - 0.5 * G * 0.01, 1e-12);
    scene_destroy(world);
}

// Spheres and boxes fall into a box whose floor and walls turn: the books close, and three threads
// do as one does.
static struct gabion_world *tumble(int threads) {
    struct gabion_settings settings = corrective_settings(0.01);
    struct gabion_error error = {0};
    settings.tolerance = 1e-6;
    settings.on_cap = GABION_CAP_ACCEPT;
    settings.budget = (struct gabion_budget){10, 15, 5};
    struct team *team = team_create(threads, NULL, &error);
    struct gabion_world *world = world_create(&settings, team, &error);
    struct gabion_law law = {.friction = INFINITY, .restitution = 0.3}, smooth = {0};
    gabion_add_material(world, "body", 1000, NULL);
    gabion_add_material(world, "ground", 1000, NULL);
    assert_true(gabion_set_default_law(world, &law, &error));
    assert_true(gabion_set_law(world, 0, 0, &smooth, &error));
    int box = gabion_add_group(world, "box", NULL),
        shape = scene_box_shape(world, vec3_make(0.04, 0.03, 0.02));
    for (int k = 0; k < 6; k++) {
        vec3 n = vec3_zero();
        vec3_set(&n, k / 2, k % 2 ? 1 : -1);
        struct gabion_body wall = scene_plane_body(vec3_scale(-0.3, n), n);
        wall.group = box;
        scene_add(world, &wall);
    }
    struct gabion_signal turn = scene_signal(GABION_SIGNAL_LINEAR, 1, 0, INFINITY);
    assert_true(gabion_add_rotation(world, box, vec3_zero(), vec3_make(0, 1, 0), &turn, &error));
    struct random_stream random = {5};
    for (int i = 0; i < 100; i++) {
        vec3 at = vec3_make(-0.2 + 0.1 * (i % 5) + random_between(&random, 0, 0.01),
                            -0.2 + 0.1 * (i / 5 % 5), -0.15 + 0.1 * (i / 25));
        if (i % 4 == 0)
            scene_block(world, shape, at);
        else
            scene_sphere(world, at, random_between(&random, 0.03, 0.045), 0.2, vec3_zero());
    }
    scene_step(world, 120);
    return world;
}

static void test_tumbling(void **state) {
    (void)state;
    struct gabion_world *one = tumble(1), *three = tumble(3);
    scene_assert_ledger(one);
    assert_true(one->ledger.driver_work != 0);
    assert_true(one->ledger.projection_work != 0);
    assert_true(one->report.contacts > 100);
    assert_at_most(one->report.mean_overlap, 1e-3);
    assert_true(gabion_state_hash(one) == gabion_state_hash(three));
    scene_destroy(one);
    scene_destroy(three);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest),        cmocka_unit_test(test_bounce),
        cmocka_unit_test(test_stack),       cmocka_unit_test(test_cradle),
        cmocka_unit_test(test_rolling),     cmocka_unit_test(test_roller),
        cmocka_unit_test(test_box),         cmocka_unit_test(test_centripetal),
        cmocka_unit_test(test_budgets),     cmocka_unit_test(test_rejections),
        cmocka_unit_test(test_failed_step), cmocka_unit_test(test_tumbling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
