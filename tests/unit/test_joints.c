// Joints (validation 9.11): pendulums against the elliptic integral and against Runge-Kutta.
#include <string.h>

#include "engine/world/joints.h"
#include "engine/solvers/panel.h"
#include "tests/unit/scene.h"
#include "tests/unit/scene_joints.h"

#define PERIOD  2.360681 // of a pendulum with l = 1, g = pi^2 from 90 degrees: 4 K(1/sqrt 2) / pi
#define INERTIA 1e-3     // of the bob about its centre

// Pendulums -----------------------------------------------------------------------------------

// A bob of mass 1 at (1, 0, 0) on a rod without mass to the origin. A bob on a rigid rod turns with
// it: gravity grows by what its inertia takes, so that the motion is that of the simple pendulum.
static struct gabion_world *pendulum(struct gabion_settings settings, enum gabion_joint_kind kind,
                                     unsigned lock) {
    double turning = kind == GABION_JOINT_DISTANCE ? 0 : INERTIA;
    settings.gravity = vec3_make(0, 0, -PI * PI * (1 + turning));
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    struct gabion_body bob = scene_sphere_body(vec3_make(1, 0, 0), 0.1, 1);
    bob.inertia = vec3_make(INERTIA, INERTIA, INERTIA);
    bob.lock = lock;
    int32_t id = scene_add(world, &bob);
    struct gabion_joint joint = scene_joint(kind, id, -1, vec3_zero());
    if (kind == GABION_JOINT_DISTANCE)
        joint.anchor = bob.position;
    scene_join(world, joint);
    return world;
}

struct swing {
    double period, joint_error, energy_error;
};

// Over 10 s, which start and count from the bob's highest points.
static struct swing swing_for(struct gabion_world *world) {
    struct swing swing = {0};
    double h = world->settings.step, before = 0, last = 0;
    int turns = 0, steps = (int)(10 / h + 0.5);
    for (int k = 0; k < steps; k++) {
        scene_step(world, 1);
        double v = scene_velocity(world, 0).z;
        if (before > 0 && v <= 0) {
            last = h * (k + before / (before - v));
            turns++;
        }
        before = v;
        swing.joint_error = fmax(swing.joint_error, world->report.joint_error);
        swing.energy_error = fmax(swing.energy_error, fabs(scene_energy(world)));
    }
    swing.period = 2 * last / turns;
    return swing;
}

static void test_pendulum(void **state) {
    (void)state;
    const enum gabion_joint_kind kinds[] = {GABION_JOINT_BALL, GABION_JOINT_HINGE,
                                            GABION_JOINT_DISTANCE};
    for (int k = 0; k < 6; k++) {
        struct gabion_world *world =
            pendulum(scene_settings(1e-3, 0.5), kinds[k / 2], k % 2 ? SCENE_PLANE : 0);
        struct swing swing = swing_for(world);
        assert_near(swing.period, PERIOD, 2e-6);
        assert_at_most(swing.joint_error, 2e-8);
        assert_at_most(swing.energy_error, 2e-5 * PI * PI);
        scene_assert_ledger(world);
        scene_destroy(world);
    }
}

// The drift of joints and of the energy is of second order.
static void test_without_correction(void **state) {
    (void)state;
    double drift[2], energy[2];
    for (int k = 0; k < 2; k++) {
        struct gabion_settings settings = scene_settings(k ? 1e-3 : 2e-3, 0.5);
        settings.joint_correction = 0;
        struct gabion_world *world = pendulum(settings, GABION_JOINT_BALL, 0);
        struct swing swing = swing_for(world);
        drift[k] = swing.joint_error;
        energy[k] = swing.energy_error;
        scene_assert_ledger(world);
        scene_destroy(world);
    }
    assert_near(energy[0] / energy[1], 4, 0.5);
    assert_at_most(energy[1], 2e-5 * PI * PI);
    assert_near(drift[0] / drift[1], 4, 0.1);
}

// Anitescu's scheme: the correction holds the joint while the velocities damp the motion.
static void test_implicit(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-3, 1);
    struct gabion_world *world = pendulum(settings, GABION_JOINT_BALL, 0);
    struct swing swing = swing_for(world);
    assert_near(swing.period, PERIOD, 1e-3);
    assert_at_most(swing.joint_error, 1.1e-5); // (h v)^2, v^2 = 2 g l
    scene_assert_ledger(world);
    scene_destroy(world);
}

// angle'' = -pi^2 cos(angle), the angle from the horizontal, downwards positive.
static double angle_at(double time) {
    double angle = 0, rate = 0, h = 1e-4;
    for (int k = 0; k < (int)(time / h + 0.5); k++) {
        double a[4], w[4];
        for (int i = 0; i < 4; i++) {
            double c = i == 0 ? 0 : i == 3 ? h : h / 2;
            w[i] = rate + (i ? c * a[i - 1] : 0);
            a[i] = PI * PI * cos(angle + (i ? c * w[i - 1] : 0));
        }
        angle += h / 6 * (w[0] + 2 * w[1] + 2 * w[2] + w[3]);
        rate += h / 6 * (a[0] + 2 * a[1] + 2 * a[2] + a[3]);
    }
    return angle;
}

static void test_second_order(void **state) {
    (void)state;
    double angle = angle_at(2), error[3];
    vec3 there = {cos(angle), 0, -sin(angle)};
    for (int k = 0; k < 3; k++) {
        double h = 4e-3 / (1 << k);
        struct gabion_world *world = pendulum(scene_settings(h, 0.5), GABION_JOINT_BALL, 0);
        scene_step(world, (int)(2 / h + 0.5));
        error[k] = vec3_length(vec3_sub(scene_position(world, 0), there));
        scene_destroy(world);
    }
    assert_near(error[0] / error[1], 4, 0.2);
    assert_near(error[1] / error[2], 4, 0.2);
    assert_at_most(error[2], 1e-5);
}

// Methods -------------------------------------------------------------------------------------

#define LINKS 6

// Bars end to end from the origin along x, a heavy ball at the end. They stay in the plane of x and
// z with or without locks.
static struct gabion_world *chain(enum gabion_method method, enum gabion_joint_kind kind, int links,
                                  double heavy, unsigned lock) {
    struct gabion_settings settings = scene_settings(2e-3, 0.5);
    settings.method = method;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    int shape = scene_box_shape(world, vec3_make(0.5, 0.05, 0.05));
    for (int k = 0; k < links; k++) {
        struct gabion_body bar = scene_block_body(shape, vec3_make(k + 0.5, 0, 0));
        bar.lock = lock;
        int32_t id = scene_add(world, &bar);
        scene_join(world, scene_joint(kind, id, id - 1, vec3_make(k, 0, 0)));
    }
    struct gabion_body end = scene_sphere_body(vec3_make(links + 0.2, 0, 0), 0.2, heavy);
    end.lock = lock;
    int32_t ball = scene_add(world, &end);
    scene_join(world, scene_joint(kind, ball, ball - 1, vec3_make(links, 0, 0)));
    return world;
}

static void test_methods_agree(void **state) {
    (void)state;
    const enum gabion_method methods[] = {
        GABION_METHOD_NSGS, GABION_METHOD_NEWTON,   GABION_METHOD_CPG,  GABION_METHOD_BICG,
        GABION_METHOD_PROX, GABION_METHOD_ANDERSON, GABION_METHOD_ADMM, GABION_METHOD_AUTO};
    for (int round = 0; round < 4; round++) {
        enum gabion_joint_kind kind = round < 2 ? GABION_JOINT_BALL : GABION_JOINT_HINGE;
        vec3 first = vec3_zero();
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            struct gabion_world *world =
                chain(methods[k], kind, LINKS, 1000, round % 2 ? SCENE_PLANE : 0);
            scene_step(world, 50);
            vec3 x = scene_position(world, LINKS);
            if (k == 0)
                first = x;
            assert_vector_near(x, first, 1e-8);
            assert_at_most(world->report.joint_error, 1e-5);
            scene_assert_ledger(world);
            scene_destroy(world);
        }
    }
}

// The problem of a step by itself, through bodies and as a matrix.
static void test_both_faces(void **state) {
    (void)state;
    struct solver_settings settings = {.tolerance = 1e-9, .max_iterations = 20000, .relaxation = 1};
    const enum gabion_method methods[] = {
        GABION_METHOD_NSGS, GABION_METHOD_NEWTON,   GABION_METHOD_CPG, GABION_METHOD_BICG,
        GABION_METHOD_PROX, GABION_METHOD_ANDERSON, GABION_METHOD_ADMM};
    struct gabion_world *world = chain(GABION_METHOD_NSGS, GABION_JOINT_HINGE, LINKS, 10, 0);
    scene_step(world, 5);
    struct contact_problem *through = scene_rows(world);
    struct contact_problem *matrix = contact_problem_assemble(through);
    size_t size = contact_problem_size(through);
    double *r = memory_allocate(size, sizeof *r, "impulses");
    for (size_t k = 0; k < 2 * sizeof methods / sizeof *methods; k++) {
        struct contact_problem *problem = k % 2 ? matrix : through;
        memset(r, 0, size * sizeof *r);
        struct solver_result result = panel_solve(problem, methods[k / 2], &settings, NULL, r);
        assert_int_equal(result.status, SOLVER_CONVERGED);
        assert_at_most(residual_of(through, r).scaled, 2e-9);
        for (int32_t a = 0; a < problem->contacts; a++) // nothing where nothing is held
            assert_near(vec3_length(vec3_sub(contact_get(r, a),
                                             hold_keep(problem->held[a], contact_get(r, a)))),
                        0, 0);
    }
    memory_free(r);
    contact_problem_free(through);
    contact_problem_free(matrix);
    scene_destroy(world);
}

static void test_rejections(void **state) {
    (void)state;
    const enum gabion_method methods[] = {GABION_METHOD_PSOR, GABION_METHOD_LEMKE, GABION_METHOD_QP,
                                          GABION_METHOD_IPM};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        struct gabion_error error = {0};
        struct gabion_world *world = chain(methods[k], GABION_JOINT_BALL, 1, 1, 0);
        assert_false(gabion_step(world, &error));
        assert_non_null(strstr(error.text, "takes no joints; use nsgs or newton"));
        scene_destroy(world);
    }
}

// Definitions that mean nothing, each by one word of what is said about it.
static void test_bad_joints(void **state) {
    (void)state;
    const struct {
        int32_t first, second;
        enum gabion_joint_kind kind;
        vec3 anchor, anchor_second, axis;
        const char *says;
    } bad[] = {
        {0, 0, GABION_JOINT_BALL, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, "two different"},
        {0, 7, GABION_JOINT_BALL, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, "does not exist"},
        {-1, 0, GABION_JOINT_BALL, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, "does not exist"},
        {1, -1, GABION_JOINT_BALL, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, "fixed"},
        {0, -1, GABION_JOINT_BALL, {NAN, 0, 0}, {0, 0, 0}, {0, 0, 0}, "finite"},
        {0, -1, GABION_JOINT_HINGE, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, "axis"},
        {0, -1, GABION_JOINT_DISTANCE, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, "coincide"},
        {0, -1, GABION_JOINT_BALL, {1e9, 0, 0}, {0, 0, 0}, {0, 0, 0}, "radii away"},
        {0, -1, GABION_JOINT_FIXED, {1e300, 1e300, 0}, {0, 0, 0}, {0, 0, 0}, "radii away"},
        {1, 0, GABION_JOINT_DISTANCE, {0, 0, 0}, {0, 1e200, 0}, {0, 0, 0}, "the two anchors"},
        {1, 0, GABION_JOINT_DISTANCE, {0, 0, 0}, {0, 1e150, 0}, {0, 0, 0}, "radii away"},
    };
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    scene_sphere(world, vec3_zero(), 1, 1, vec3_zero());
    scene_floor(world);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct gabion_error error = {0};
        struct gabion_joint joint = {.first = bad[k].first,
                                     .second = bad[k].second,
                                     .kind = bad[k].kind,
                                     .anchor = bad[k].anchor,
                                     .anchor_second = bad[k].anchor_second,
                                     .axis = bad[k].axis};
        assert_int_equal(gabion_add_joint(world, &joint, &error), -1);
        if (!strstr(error.text, bad[k].says))
            fail_msg("%zu: %s", k, error.text);
    }
    scene_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum),      cmocka_unit_test(test_without_correction),
        cmocka_unit_test(test_implicit),      cmocka_unit_test(test_second_order),
        cmocka_unit_test(test_methods_agree), cmocka_unit_test(test_both_faces),
        cmocka_unit_test(test_rejections),    cmocka_unit_test(test_bad_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
