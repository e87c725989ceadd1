// Joints in the corrective scheme (Galizzi and Faure 2002, section 7) and in the position pass.
#include "tests/unit/scene.h"
#include "tests/unit/scene_joints.h"

#define PERIOD  2.360681 // of a pendulum with l = 1, g = pi^2 from 90 degrees: 4 K(1/sqrt 2) / pi
#define INERTIA 1e-3     // of the bob about its centre

static struct gabion_settings corrective_settings(double step) {
    struct gabion_settings settings = scene_settings(step, 0.5);
    settings.scheme = GABION_SCHEME_CORRECTIVE;
    settings.method = GABION_METHOD_BICG;
    return settings;
}

// A bob of mass 1 at (1, 0, 0) held to the origin; where it turns with its rod gravity makes up for
// its inertia.
static struct gabion_world *pendulum(struct gabion_settings settings, enum gabion_joint_kind kind,
                                     double restitution) {
    double turning = kind == GABION_JOINT_DISTANCE ? 0 : INERTIA;
    settings.gravity = vec3_make(0, 0, -PI * PI * (1 + turning));
    struct gabion_world *world =
        scene_create(&settings, (struct gabion_law){.restitution = restitution});
    struct gabion_body bob = scene_sphere_body(vec3_make(1, 0, 0), 0.1, 1);
    bob.inertia = vec3_make(INERTIA, INERTIA, INERTIA);
    int32_t id = scene_add(world, &bob);
    struct gabion_joint joint = scene_joint(kind, id, -1, vec3_zero());
    if (kind == GABION_JOINT_DISTANCE)
        joint.anchor = bob.position;
    scene_join(world, joint);
    return world;
}

// The time from the release to the lowest point, a quarter of the period.
static double quarter(enum gabion_joint_kind kind, double h) {
    struct gabion_settings settings = corrective_settings(h);
    struct gabion_world *world = pendulum(settings, kind, 0);
    double x = 1, before = 1, error = 0;
    int steps = 0;
    for (; x > 0 && steps < 2 / h; steps++) {
        before = x;
        scene_step(world, 1);
        x = scene_position(world, 0).x;
        error = fmax(error, world->report.joint_error);
    }
    assert_at_most(error, 1e-6);
    scene_assert_ledger(world);
    scene_destroy(world);
    return h * (steps - x / (x - before));
}

// The error falls with h, as that of an explicit force does.
static void test_period(void **state) {
    (void)state;
    const enum gabion_joint_kind kinds[] = {GABION_JOINT_BALL, GABION_JOINT_HINGE,
                                            GABION_JOINT_DISTANCE};
    for (int k = 0; k < 3; k++) {
        double coarse = quarter(kinds[k], 4e-3) - 0.25 * PERIOD;
        double fine = quarter(kinds[k], 1e-3) - 0.25 * PERIOD;
        assert_at_most(fabs(fine), 1e-3);
        assert_at_most(fabs(fine), 0.3 * fabs(coarse) + 1e-6);
    }
}

// What velocities ask of the force: a bob that passes at speed v is drawn in by v^2 / l, whether
// its rod turns (w x (w x r) of eq. 2.4) or its line does.
static void test_circle(void **state) {
    (void)state;
    const enum gabion_joint_kind kinds[] = {GABION_JOINT_BALL, GABION_JOINT_DISTANCE};
    double h = 1e-3, v = 2;
    for (int k = 0; k < 2; k++) {
        struct gabion_settings settings = corrective_settings(h);
        settings.budget = (struct gabion_budget){0, 0, 100};
        settings.gravity = vec3_zero();
        settings.on_cap = GABION_CAP_ACCEPT;
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
        struct gabion_body bob = scene_sphere_body(vec3_make(1, 0, 0), 0.1, 1);
        bob.velocity = vec3_make(0, 0, v);
        bob.spin = vec3_make(0, k == 0 ? -v : 0, 0);
        int32_t id = scene_add(world, &bob);
        struct gabion_joint joint = scene_joint(kinds[k], id, -1, vec3_zero());
        if (kinds[k] == GABION_JOINT_DISTANCE)
            joint.anchor = bob.position;
        scene_join(world, joint);
        scene_step(world, 1);
        assert_vector_near(scene_velocity(world, id), vec3_make(-h * v * v, 0, v), 1e-12);
        scene_destroy(world);
    }
}

// Ten seconds: the joint does not drift.
static void test_drift(void **state) {
    (void)state;
    struct gabion_settings settings = corrective_settings(2e-3);
    struct gabion_world *world = pendulum(settings, GABION_JOINT_BALL, 0);
    for (int k = 0; k < 5000; k++) {
        scene_step(world, 1);
        assert_at_most(world->report.joint_error, 1e-5);
    }
    scene_assert_ledger(world);
    scene_destroy(world);
}

// A pendulum hangs: its joint carries the weight.
static void test_hanging(void **state) {
    (void)state;
    struct gabion_settings settings = corrective_settings(1e-2);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    struct gabion_body bob = scene_sphere_body(vec3_make(0, 0, -1), 0.1, 2);
    int32_t upper = scene_add(world, &bob);
    bob.position.z = -2;
    int32_t lower = scene_add(world, &bob);
    scene_join(world, scene_joint(GABION_JOINT_BALL, upper, -1, vec3_zero()));
    scene_join(world, scene_joint(GABION_JOINT_BALL, lower, upper, vec3_make(0, 0, -1.5)));
    scene_step(world, 500);
    vec3 top = joints_force(world, &world->joints.list[0]);
    vec3 low = joints_force(world, &world->joints.list[1]);
    assert_vector_near(top, vec3_make(0, 0, 4 * 9.81), 1e-8);
    assert_vector_near(low, vec3_make(0, 0, 2 * 9.81), 1e-8);
    assert_vector_near(scene_position(world, lower), vec3_make(0, 0, -2), 1e-11);
    scene_destroy(world);
}

// A pendulum that meets a wall at its lowest point rebounds at e times its speed, joint and all.
static void test_rebound(void **state) {
    (void)state;
    double e = 0.5;
    struct gabion_settings settings = corrective_settings(1e-3);
    struct gabion_world *world = pendulum(settings, GABION_JOINT_BALL, e);
    scene_plane(world, vec3_make(-0.1, 0, 0), vec3_make(1, 0, 0));
    double speed = 0;
    for (int k = 0; k < 1000 && scene_velocity(world, 0).x <= 0; k++) {
        speed = scene_velocity(world, 0).x;
        scene_step(world, 1);
    }
    assert_near(scene_velocity(world, 0).x, -e * speed, 1e-4 * fabs(speed));
    assert_near(scene_spin(world, 0).y, e * speed, 1e-3 * fabs(speed));
    assert_at_most(world->report.joint_error, 1e-5);
    scene_destroy(world);
}

// A ball that bounces far away does nothing to a pendulum.
static void test_rebound_elsewhere(void **state) {
    (void)state;
    struct gabion_settings settings = corrective_settings(1e-3);
    struct gabion_world *alone = pendulum(settings, GABION_JOINT_BALL, 0.5);
    struct gabion_world *world = pendulum(settings, GABION_JOINT_BALL, 0.5);
    scene_plane(world, vec3_make(0, 0, -5), vec3_make(0, 0, 1));
    int32_t ball = scene_sphere(world, vec3_make(9, 0, -4.8), 0.1, 1, vec3_zero());
    bool rebounded = false;
    for (int k = 0; k < 300; k++) {
        scene_step(alone, 1);
        scene_step(world, 1);
        rebounded = rebounded || scene_velocity(world, ball).z > 0.1;
    }
    assert_true(rebounded);
    assert_vector_near(scene_position(world, 0), scene_position(alone, 0), 1e-9);
    assert_vector_near(scene_velocity(world, 0), scene_velocity(alone, 0), 1e-9);
    scene_destroy(alone);
    scene_destroy(world);
}

// The position pass of an ordinary step brings joints together that nothing else corrects.
static double projected_error(int projection) {
    struct gabion_settings settings = scene_settings(1e-2, 0.5);
    settings.joint_correction = 0;
    settings.projection = projection;
    struct gabion_world *world = pendulum(settings, GABION_JOINT_BALL, 0);
    double error = 0;
    for (int k = 0; k < 300; k++) {
        scene_step(world, 1);
        error = fmax(error, world->report.joint_error);
    }
    scene_assert_ledger(world);
    scene_destroy(world);
    return error;
}

static void test_projection(void **state) {
    (void)state;
    double without = projected_error(0);
    assert_true(without > 1e-4);
    // What the pass leaves is the square of what the joint turns in half a step.
    assert_at_most(projected_error(20), 1e-3 * without);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_period),     cmocka_unit_test(test_circle),
        cmocka_unit_test(test_drift),      cmocka_unit_test(test_hanging),
        cmocka_unit_test(test_rebound),    cmocka_unit_test(test_rebound_elsewhere),
        cmocka_unit_test(test_projection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
