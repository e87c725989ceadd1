// Validation 9.2 and 9.3: a sphere on an incline, and from sliding to rolling.
#include "engine/contact/contacts.h"
#include "tests/unit/scene.h"

#define GRAVITY 9.81

struct incline {
    struct gabion_world *world;
    int32_t plane, ball;
    vec3 down, across; // along the slope; axis of rolling downwards
    double R;
};

static struct incline incline_create(double degrees, double mu, double theta,
                                     enum gabion_local local) {
    double alpha = degrees * PI / 180;
    struct gabion_settings settings = scene_settings(1e-3, theta);
    settings.local = local;
    struct incline incline = {
        .world = scene_create(&settings, (struct gabion_law){.friction = mu}),
        .down = {cos(alpha), 0, -sin(alpha)},
        .across = {0, 1, 0},
        .R = 0.25,
    };
    vec3 normal = {sin(alpha), 0, cos(alpha)};
    incline.plane = scene_plane(incline.world, vec3_zero(), normal);
    incline.ball =
        scene_sphere(incline.world, vec3_scale(incline.R, normal), incline.R, 2, vec3_zero());
    return incline;
}

// From rest over one second, so that speeds are accelerations.
static void assert_incline(double degrees, double mu, double acceleration, double angular,
                           enum contact_status status) {
    for (int run = 0; run < 4; run++) {
        double theta = run < 2 ? 0.5 : 0.8;
        struct incline incline =
            incline_create(degrees, mu, theta, run % 2 ? GABION_LOCAL_EXACT : GABION_LOCAL_AUTO);
        scene_step(incline.world, 1000);
        vec3 v = scene_velocity(incline.world, incline.ball);
        vec3 w = scene_spin(incline.world, incline.ball);
        assert_vector_near(v, vec3_scale(acceleration, incline.down), 1e-8);
        assert_vector_near(w, vec3_scale(angular, incline.across), 1e-8 / incline.R);
        assert_int_equal(scene_contact(incline.world, incline.ball, incline.plane)->status, status);
        scene_assert_ledger(incline.world);
        scene_destroy(incline.world);
    }
}

// 9.2: rolls iff mu >= (2/7) tan alpha, with (5/7) g sin alpha.
static void test_incline_rolling(void **state) {
    (void)state;
    const double degrees[] = {10, 20, 30}, table[] = {1.216778, 2.396584, 3.503571};
    const double thresholds[] = {0.050379, 0.103991, 0.164957};
    for (int k = 0; k < 3; k++) {
        double alpha = degrees[k] * PI / 180, threshold = 2.0 / 7 * tan(alpha);
        double rolling = 5.0 / 7 * GRAVITY * sin(alpha);
        assert_near(threshold, thresholds[k], 5e-7);
        assert_near(rolling, table[k], 5e-7);
        assert_incline(degrees[k], 1.001 * threshold, rolling, rolling / 0.25, CONTACT_STICK);
        assert_incline(degrees[k], 0.8, rolling, rolling / 0.25, CONTACT_STICK);
    }
}

// 9.2: below the threshold g (sin alpha - mu cos alpha), spin growing by (5/2) mu g cos alpha / R.
static void test_incline_sliding(void **state) {
    (void)state;
    const double degrees[] = {10, 20, 30}, table[] = {1.220440, 2.894298, 4.480215};
    for (int k = 0; k < 3; k++) {
        double alpha = degrees[k] * PI / 180;
        const double frictions[] = {0.05, 0.999 * 2.0 / 7 * tan(alpha)};
        for (int j = 0; j < 2; j++) {
            double mu = frictions[j];
            double a = GRAVITY * (sin(alpha) - mu * cos(alpha));
            if (j == 0)
                assert_near(a, table[k], 5e-7);
            assert_incline(degrees[k], mu, a, 2.5 * mu * GRAVITY * cos(alpha) / 0.25, CONTACT_SLIP);
        }
    }
}

// 9.2, cylinder: 2/3 of g sin alpha and mu >= tan alpha / 3. A disk is a sphere that can only move
// and turn in the plane.
static void test_incline_cylinder(void **state) {
    (void)state;
    double alpha = PI / 9, threshold = tan(alpha) / 3;
    for (int run = 0; run < 2; run++) {
        double mu = (run ? 0.999 : 1.001) * threshold;
        struct gabion_settings settings = scene_settings(1e-3, 0.5);
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = mu});
        vec3 normal = {sin(alpha), 0, cos(alpha)}, down = {cos(alpha), 0, -sin(alpha)};
        scene_plane(world, vec3_zero(), normal);
        struct gabion_body body = scene_sphere_body(vec3_scale(0.25, normal), 0.25, 2);
        body.lock = GABION_LOCK_Y | GABION_LOCK_RX | GABION_LOCK_RZ;
        double moment = 0.5 * 2 * 0.25 * 0.25;
        body.inertia = vec3_make(moment, moment, moment);
        int32_t disk = scene_add(world, &body);
        scene_step(world, 1000);
        double a = run ? GRAVITY * (sin(alpha) - mu * cos(alpha)) : GRAVITY * sin(alpha) * 2 / 3;
        assert_vector_near(scene_velocity(world, disk), vec3_scale(a, down), 1e-8);
        scene_assert_ledger(world);
        scene_destroy(world);
    }
}

// 9.3: v0 = 1, mu = 0.3: rolls at (5/7) v0 from t = 2 v0 / (7 mu g) after 12 v0^2 / (49 mu g), with
// 2/7 of the energy lost.
static void test_sliding_to_rolling(void **state) {
    (void)state;
    const double h = 1e-3, mu = 0.3, t_roll = 2 / (7 * mu * GRAVITY), m = 3, R = 0.11;
    assert_near(t_roll, 0.097083, 5e-7);
    assert_near(12 / (49 * mu * GRAVITY), 0.083214, 5e-7);
    struct gabion_settings settings = scene_settings(h, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = mu});
    int32_t plane = scene_floor(world);
    int32_t ball = scene_sphere(world, vec3_make(0, 0, R), R, m, vec3_make(1, 0, 0));
    double rolls_at = 0, distance = 0;
    for (int k = 0; k < 300; k++) {
        scene_step(world, 1);
        bool sticks = scene_contact(world, ball, plane)->status == CONTACT_STICK;
        if (sticks && rolls_at == 0) {
            rolls_at = gabion_time(world);
            distance = scene_position(world, ball).x;
        }
        if (rolls_at > 0) {
            assert_true(sticks);
            assert_vector_near(scene_velocity(world, ball), vec3_make(5.0 / 7, 0, 0), 1e-10);
            assert_near(R * scene_spin(world, ball).y, 5.0 / 7, 1e-10);
            assert_near(world->ledger.kinetic / (0.5 * m), 5.0 / 7, 1e-10);
        }
    }
    assert_near(rolls_at, t_roll, h);
    // measured up to a step late or early
    assert_near(distance, 12 / (49 * mu * GRAVITY) + 5.0 / 7 * (rolls_at - t_roll),
                mu * 9.81 * h * h);
    scene_assert_ledger(world);
    scene_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_incline_rolling),
        cmocka_unit_test(test_incline_sliding),
        cmocka_unit_test(test_incline_cylinder),
        cmocka_unit_test(test_sliding_to_rolling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
