// Drivers that turn bodies, gravity that tilts, and what rests on them.
#include <string.h>

#include "engine/contact/contacts.h"
#include "tests/unit/scene.h"

#define GRAVITY 9.81

static const double thetas[] = {0.5, 0.75, 1};

static void turn(struct gabion_world *world, int group, vec3 pivot, vec3 axis,
                 struct gabion_signal signal) {
    struct gabion_error error = {0};
    if (!gabion_add_rotation(world, group, pivot, axis, &signal, &error))
        fail_msg("%s", error.text);
}

static void shift(struct gabion_world *world, int group, vec3 direction,
                  struct gabion_signal signal) {
    struct gabion_error error = {0};
    if (!gabion_add_driver(world, group, direction, &signal, &error))
        fail_msg("%s", error.text);
}

static void tilt(struct gabion_world *world, vec3 axis, struct gabion_signal signal) {
    struct gabion_error error = {0};
    if (!gabion_set_tilt(world, axis, &signal, &error))
        fail_msg("%s", error.text);
}

// Rodrigues' formula with the C library's functions: what the engine's own series is held against.
static vec3 rotated(vec3 a, vec3 axis, double angle) {
    vec3 along = vec3_scale((1 - cos(angle)) * vec3_dot(axis, a), axis);
    return vec3_add(vec3_add_scaled(vec3_scale(cos(angle), a), sin(angle), vec3_cross(axis, a)),
                    along);
}

// Rotation vectors ------------------------------------------------------------------------------

// log inverts exp for every angle up to pi, for both signs of the quaternion; angles of many turns
// are those that are left after whole ones.
static void test_rotation_vectors(void **state) {
    (void)state;
    struct random_stream random = {3};
    const double angles[] = {0, 1e-300, 1e-12, 1e-5, 0.1, 0.2, 1, 2, 3, PI - 1e-7};
    for (int k = 0; k < 100; k++) {
        vec3 axis = scene_random_unit(&random);
        for (size_t n = 0; n < sizeof angles / sizeof *angles; n++) {
            double angle = angles[n];
            vec3 reference = vec3_scale(angle, axis);
            quat q = quat_about(axis, angle);
            assert_vector_near(quat_log(q), reference, 1e-15 * angle);
            quat opposite = {-q.w, -q.x, -q.y, -q.z};
            assert_vector_near(quat_log(opposite), reference, 1e-15 * angle);
            assert_near(q.w, cos(angle / 2), 1e-15);
            quat later = quat_about(axis, angle + 2 * PI * 6000);
            assert_vector_near(quat_log(later), reference, 1e-11);
        }
    }
}

// Paths -----------------------------------------------------------------------------------------

struct turning_path {
    vec3 pivot[2], axis[2];
};

static double first_angle(double t) { return 0.8 * sin(2 * PI * 1.5 * t); }
static double second_angle(double t) { return -2.5 * t; }

// Turned by the first driver, then by the second, then shifted; two points of the body show where
// it is.
static vec3 turning_reference(const struct turning_path *path, vec3 point, double t) {
    double angle[2] = {first_angle(t), second_angle(t)};
    for (int k = 0; k < 2; k++)
        point = vec3_add(path->pivot[k],
                         rotated(vec3_sub(point, path->pivot[k]), path->axis[k], angle[k]));
    return vec3_add(point, vec3_make(0, 0.7 * t, 0));
}

// A body with a turned driver is where it must be at the end of every step, at every theta, and its
// velocity and spin take it from one midpoint to the next.
static void assert_turning_path(double theta) {
    const double h = 2e-3, radius = 0.25;
    const struct turning_path path = {{{1, 0, 0}, {0, -2, 0.5}}, {{0, 0.6, 0.8}, {1, 0, 0}}};
    struct gabion_settings settings = scene_settings(h, theta);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    int group = gabion_add_group(world, "turned", NULL);
    struct gabion_body body = scene_sphere_body(vec3_make(0.3, 0.1, -0.2), radius, 0);
    body.fixed = true;
    body.group = group;
    body.orientation = quat_exp(vec3_make(0.3, -0.4, 0.5));
    int32_t id = scene_add(world, &body);
    struct gabion_signal wave = scene_signal(GABION_SIGNAL_SINE, 0.8, 0, INFINITY);
    wave.frequency = 1.5;
    shift(world, group, vec3_make(0, 1, 0), scene_signal(GABION_SIGNAL_LINEAR, 0.7, 0, INFINITY));
    turn(world, group, path.pivot[0], vec3_scale(3, path.axis[0]), wave);
    turn(world, group, path.pivot[1], path.axis[1],
         scene_signal(GABION_SIGNAL_LINEAR, -2.5, 0, INFINITY));
    vec3 offset = {0.7, -0.2, 0.4}; // a point of the body, in world axes at the start
    mat3 axes = quat_matrix(quat_normalize(body.orientation));
    vec3 own = mat3_apply_transposed(axes, offset);
    for (int step = 1; step <= 500; step++) {
        scene_step(world, 1);
        double t = step * h, from = t - theta * h, to = from + h;
        vec3 x, v, w, point = vec3_add(body.position, offset);
        quat q;
        assert_true(scene_state(world, id, &x, &q, &v, &w));
        vec3 centre = turning_reference(&path, body.position, t);
        assert_vector_near(x, centre, 1e-14);
        assert_vector_near(vec3_add(x, mat3_apply(quat_matrix(q), own)),
                           turning_reference(&path, point, t), 4e-15);
        vec3 here = turning_reference(&path, body.position, from);
        vec3 there = turning_reference(&path, body.position, to);
        assert_vector_near(vec3_add_scaled(here, h, v), there, 4e-15);
        double angle = h * vec3_length(w);
        vec3 turned = rotated(vec3_sub(turning_reference(&path, point, from), here),
                              vec3_scale(h / angle, w), angle);
        assert_vector_near(vec3_add(there, turned), turning_reference(&path, point, to), 4e-15);
        assert_vector_near(world->midpoint->s_free[world->bodies.index_of[id]],
                           vec3_scale(radius, w), 1e-15 * radius * vec3_length(w));
    }
    scene_destroy(world);
}

static void test_turning_paths(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++)
        assert_turning_path(thetas[k]);
}

static void reject_turn(struct gabion_world *world, int group, vec3 pivot, vec3 axis,
                        const char *why) {
    struct gabion_signal signal = scene_signal(GABION_SIGNAL_LINEAR, 1, 0, INFINITY);
    struct gabion_error error = {0};
    assert_false(gabion_add_rotation(world, group, pivot, axis, &signal, &error));
    assert_non_null(strstr(error.text, why));
}

static void reject_tilt(struct gabion_world *world, vec3 axis, double end, const char *why) {
    struct gabion_signal signal = scene_signal(GABION_SIGNAL_LINEAR, 1, 0, end);
    struct gabion_error error = {0};
    assert_false(gabion_set_tilt(world, axis, &signal, &error));
    assert_non_null(strstr(error.text, why));
}

static void test_bad_turns(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    int group = gabion_add_group(world, "free", NULL);
    struct gabion_body body = scene_sphere_body(vec3_zero(), 1, 1);
    body.group = group;
    scene_add(world, &body);
    vec3 z = {0, 0, 1}, bad = {0, NAN, 0};
    reject_turn(world, group, vec3_zero(), z, "not fixed");
    reject_turn(world, 7, vec3_zero(), z, "group");
    reject_turn(world, 0, bad, z, "pivot");
    reject_turn(world, 0, vec3_zero(), vec3_zero(), "axis");
    reject_tilt(world, bad, 1, "axis");
    reject_tilt(world, z, -1, "tilt: start");
    scene_destroy(world);
}

// Planes ----------------------------------------------------------------------------------------

static int32_t turned_plane(struct gabion_world *world, vec3 point, vec3 pivot, vec3 axis,
                            double rate) {
    int group = gabion_add_group(world, "table", NULL);
    struct gabion_body body = scene_plane_body(point, vec3_make(0, 0, 1));
    body.group = group;
    int32_t id = scene_add(world, &body);
    turn(world, group, pivot, axis, scene_signal(GABION_SIGNAL_LINEAR, rate, 0, INFINITY));
    return id;
}

// A sphere that rolls on a turntable of rate W goes round a circle at 2/7 W, wherever the table's
// axis is (Earnshaw, Dynamics, 1844): dv/dt = 2/7 W x v.
static double turntable_error(double theta, double h) {
    const double rate = 3, radius = 0.2, m = 2, speed = 0.4;
    struct gabion_settings settings = scene_settings(h, theta);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 10});
    int32_t table =
        turned_plane(world, vec3_make(0.7, 0.3, 0), vec3_zero(), vec3_make(0, 0, 1), rate);
    // Rolling: v - w x (R n) = W x r.
    vec3 n = {0, 0, 1}, r = {1, -0.5, 0}, v = {0, speed, 0}, W = {0, 0, rate};
    vec3 slip = vec3_sub(vec3_cross(W, r), v);
    struct gabion_body body = scene_sphere_body(vec3_add_scaled(r, radius, n), radius, m);
    body.velocity = v;
    body.spin = vec3_scale(-1 / radius, vec3_cross(n, slip));
    int32_t ball = scene_add(world, &body);
    int steps = (int)lround(2 / h);
    for (int step = 1; step <= steps; step++) {
        scene_step(world, 1);
        assert_near(scene_normal_impulse(world, ball, table) / h, m * GRAVITY, 1e-7);
        assert_near(scene_position(world, ball).z, radius, 1e-12);
        scene_assert_ledger(world);
    }
    double angle = 2.0 / 7 * rate * 2, circle = speed / (2.0 / 7 * rate);
    vec3 centre = {r.x - circle, r.y, radius};
    vec3 x = vec3_add(centre, vec3_make(circle * cos(angle), circle * sin(angle), 0));
    double error = vec3_length(vec3_sub(scene_position(world, ball), x));
    // Speeds are equal, spins are not: the table turns the sphere, and nothing slips.
    vec3 last = vec3_make(-speed * sin(angle), speed * cos(angle), 0);
    vec3 rolls = vec3_sub(vec3_cross(W, x), last);
    double work = 0.2 * m * (vec3_dot(rolls, rolls) - vec3_dot(slip, slip));
    assert_near(world->ledger.driver_work, work, 10 * h);
    assert_near(world->ledger.contact_work, 0, 10 * h);
    scene_destroy(world);
    return error;
}

static void test_turntable(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        double coarse = turntable_error(thetas[k], 4e-3), fine = turntable_error(thetas[k], 1e-3);
        print_message("turntable, theta %g: off by %.1e m at 4 ms, %.1e m at 1 ms\n", thetas[k],
                      coarse, fine);
        assert_at_most(fine, 2e-3);
        assert_at_most(fine, coarse / 3.5);
    }
}

// A frictionless plane turns about the y axis and lifts a sphere: in its own axes the sphere obeys
// s'' = W^2 s - g sin(W t) and presses with m (g cos(W t) + 2 W s' - R W^2).
static double lift_error(double theta, double h, double *force_error) {
    const double W = 0.5, R = 0.2, m = 2, s0 = 1.5, T = 1;
    struct gabion_settings settings = scene_settings(h, theta);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    int32_t table = turned_plane(world, vec3_make(0.3, 0, 0), vec3_zero(), vec3_make(0, -2, 0), W);
    int32_t ball = scene_sphere(world, vec3_make(s0, 0, R), R, m, vec3_make(-R * W, 0, s0 * W));
    scene_step(world, (int)lround(T / h));
    double C = GRAVITY / (2 * W * W), B = (s0 + C) / 2, A = (s0 - C) / 2;
    double a = W * T, s = A * exp(a) + B * exp(-a) + C * sin(a);
    double rate = W * (A * exp(a) - B * exp(-a) + C * cos(a));
    vec3 x = {s * cos(a) - R * sin(a), 0, s * sin(a) + R * cos(a)};
    double force = m * (GRAVITY * cos(a) + 2 * W * rate - R * W * W);
    *force_error = fabs(scene_normal_impulse(world, ball, table) / h - force);
    scene_assert_ledger(world);
    assert_at_most(world->report.max_overlap, 1e-3 * h);
    double error = vec3_length(vec3_sub(scene_position(world, ball), x));
    scene_destroy(world);
    return error;
}

static void test_lifted_by_a_turning_plane(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        double force_coarse, force_fine;
        double coarse = lift_error(thetas[k], 4e-3, &force_coarse);
        double fine = lift_error(thetas[k], 1e-3, &force_fine);
        print_message("lifted, theta %g: off by %.1e m at 4 ms, %.1e m at 1 ms; force by %.1e N\n",
                      thetas[k], coarse, fine, force_fine);
        assert_at_most(fine, 1e-5);
        assert_at_most(fine, coarse / 12); // second order
        assert_at_most(force_fine, 0.02);
        assert_at_most(force_fine, force_coarse / 3.5);
    }
}

// A plane that sweeps in finds spheres however far out they are, and throws them with its own speed
// at the point of contact, or with twice that when they bounce.
static void assert_swept(double restitution, enum gabion_gap gap) {
    const double W = 2, h = 1e-3, R = 0.02;
    struct gabion_settings settings = scene_settings(h, 0.5);
    settings.gravity = vec3_zero();
    settings.gap = gap;
    struct gabion_world *world =
        scene_create(&settings, (struct gabion_law){.restitution = restitution});
    turned_plane(world, vec3_zero(), vec3_zero(), vec3_make(0, -1, 0), W);
    int32_t ball = scene_sphere(world, vec3_make(30, 0, 0.5), R, 1, vec3_zero());
    double speed = 0;
    for (int step = 0; step < 12 && speed == 0; step++) {
        scene_step(world, 1);
        speed = vec3_length(scene_velocity(world, ball));
    }
    assert_near(speed, (1 + restitution) * 30 * W, 0.01 * 30 * W + 0.06 / h * (1 - restitution));
    assert_at_most(world->report.max_overlap, restitution > 0 ? 30 * W * h : 1e-4);
    scene_destroy(world);
}

static void test_swept_away(void **state) {
    (void)state;
    assert_swept(1, GABION_GAP_MOREAU);
    assert_swept(1, GABION_GAP_GAP);
    assert_swept(0, GABION_GAP_MOREAU);
}

// Blocks ----------------------------------------------------------------------------------------

// A block goes along with the slab or plane that is turned under it as if it were glued to it, and
// then weighs on it as statics says: the force is the weight, its moment acts at the block's
// centre.
static void assert_carried(double theta, bool slab) {
    const double h = 1e-3, angle = 20 * PI / 180, m = 4;
    struct gabion_settings settings = scene_settings(h, theta);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 1.5});
    struct gabion_error error = {0};
    int table = gabion_add_group(world, "table", NULL);
    struct gabion_body body = scene_plane_body(vec3_make(0.1, 0, 0), vec3_make(0, 0, 1));
    if (slab) {
        int shape = scene_box_shape(world, vec3_make(1, 0.5, 0.05));
        body = scene_block_body(shape, vec3_make(0.1, 0, -0.05));
        body.fixed = true;
    }
    body.group = table;
    scene_add(world, &body);
    int brick = scene_box_shape(world, vec3_make(0.1, 0.1, 0.05));
    struct gabion_body block = scene_block_body(brick, vec3_make(0.5, 0.02, 0.05));
    block.orientation = quat_about(vec3_make(0, 0, 1), 0.3);
    int32_t id = scene_add(world, &block);
    struct gabion_signal signal = scene_signal(GABION_SIGNAL_RAMP, angle, 0.1, 1.1);
    signal.smooth = 0.2;
    vec3 axis = {0, -1, 0}, pivot = {-0.2, 0, -0.3};
    turn(world, table, pivot, axis, signal);
    int force = gabion_add_probe(world, "force", table, GABION_FORCE, &error);
    int moment = gabion_add_probe(world, "moment", table, GABION_MOMENT, &error);
    for (int step = 1; step <= 1300; step++) {
        scene_step(world, 1);
        scene_assert_ledger(world);
    }
    vec3 x, v, w;
    quat q;
    assert_true(scene_state(world, id, &x, &q, &v, &w));
    vec3 carried = vec3_add(pivot, rotated(vec3_sub(block.position, pivot), axis, angle));
    quat turned = quat_multiply(quat_about(axis, angle), block.orientation);
    double slid = vec3_length(vec3_sub(x, carried));
    double off = vec3_length(quat_log(quat_multiply(q, quat_conjugate(turned))));
    print_message("carried by a %s, theta %g: slid %.1e m, turned %.1e\n", slab ? "slab" : "plane",
                  theta, slid, off);
    // Velocities are those at the midpoint: a path of radius r leaves its circle by r (w h)^2 / 2
    // in each step.
    double rate = angle / 0.8, radius = vec3_length(vec3_sub(block.position, pivot));
    assert_at_most(slid, 0.5 * radius * rate * rate * h);
    assert_at_most(off, 1e-10);
    assert_vector_near(v, vec3_zero(), 1e-9);
    vec3 weight = {0, 0, -m * GRAVITY};
    vec3 stand = rotated(vec3_sub(body.position, pivot), axis, angle);
    vec3 arm = vec3_sub(vec3_sub(x, pivot), stand);
    assert_vector_near(scene_probe(world, force), weight, 1e-6);
    assert_vector_near(scene_probe(world, moment), vec3_cross(arm, weight), 1e-6);
    scene_destroy(world);
}

static void test_block_on_a_turning_base(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        assert_carried(thetas[k], true);
        assert_carried(thetas[k], false);
    }
}

// Gravity ---------------------------------------------------------------------------------------

// Gravity that turns at a constant rate about y: free bodies and a sphere on a frictionless plane
// have the speed of its integral, and the contact carries what is left of the weight.
static void assert_tilt(double theta) {
    const double h = 1e-3, rate = 0.5, m = 2;
    struct gabion_settings settings = scene_settings(h, theta);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    int32_t plane = scene_floor(world);
    int32_t resting = scene_sphere(world, vec3_make(0, 0, 0.5), 0.5, m, vec3_zero());
    int32_t falling = scene_sphere(world, vec3_make(0, 5, 90), 0.5, m, vec3_zero());
    tilt(world, vec3_make(0, 2, 0), scene_signal(GABION_SIGNAL_LINEAR, rate, 0, INFINITY));
    for (int step = 1; step <= 1000; step++) {
        scene_step(world, 1);
        double angle = rate * step * h, before = angle - rate * h;
        assert_near(scene_normal_impulse(world, resting, plane) / h,
                    m * GRAVITY * ((1 - theta) * cos(before) + theta * cos(angle)), 1e-9);
        scene_assert_ledger(world);
    }
    // The theta rule errs by (theta - 1/2) h on the ends of the integral, the trapezoidal one by
    // h^2.
    double angle = rate * 1000 * h, shift_x = (theta - 0.5) * h * sin(angle);
    double shift_z = (theta - 0.5) * h * (cos(angle) - 1);
    vec3 v = {-GRAVITY * ((1 - cos(angle)) / rate + shift_x), 0,
              -GRAVITY * (sin(angle) / rate + shift_z)};
    assert_vector_near(scene_velocity(world, falling), v, 1e-6);
    assert_near(scene_velocity(world, resting).x, v.x, 1e-6);
    assert_near(scene_velocity(world, resting).z, 0, 1e-12);
    assert_near(scene_position(world, resting).x, -GRAVITY / rate * (1000 * h - sin(angle) / rate),
                5 * h);
    assert_true(fabs(world->ledger.applied_work) > 1);
    scene_destroy(world);
}

static void test_tilt(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++)
        assert_tilt(thetas[k]);
}

// A sphere rolls down a table that is tilted by gravity: 5/7 g sin(angle) as long as it sticks, and
// slips beyond tan(angle) = 7/2 mu.
static void test_tilt_until_slip(void **state) {
    (void)state;
    const double h = 1e-3, mu = 0.1, rate = 0.5;
    struct gabion_settings settings = scene_settings(h, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = mu});
    int32_t plane = scene_floor(world);
    int32_t ball = scene_sphere(world, vec3_make(0, 0, 0.5), 0.5, 2, vec3_zero());
    struct gabion_signal ramp = scene_signal(GABION_SIGNAL_RAMP, 0.4, 0.1, 0.1 + 0.4 / rate);
    tilt(world, vec3_make(1, 0, 0), ramp);
    double limit = atan(3.5 * mu); // 0.3367
    for (int step = 1; step <= 1000; step++) {
        double before = scene_velocity(world, ball).y;
        scene_step(world, 1);
        double angle = fmin(fmax(rate * ((step - 0.5) * h - 0.1), 0), 0.4);
        double a = (scene_velocity(world, ball).y - before) / h;
        if (fabs(angle - limit) < rate * h)
            continue;
        assert_near(a,
                    angle < limit ? 5.0 / 7 * GRAVITY * sin(angle)
                                  : GRAVITY * (sin(angle) - mu * cos(angle)),
                    2e-6 + (fabs(angle - 0.4) < rate * h ? 3e-3 : 0));
        assert_int_equal(scene_contact(world, ball, plane)->status,
                         angle < limit ? CONTACT_STICK : CONTACT_SLIP);
        scene_assert_ledger(world);
    }
    scene_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotation_vectors),
        cmocka_unit_test(test_turning_paths),
        cmocka_unit_test(test_bad_turns),
        cmocka_unit_test(test_turntable),
        cmocka_unit_test(test_lifted_by_a_turning_plane),
        cmocka_unit_test(test_swept_away),
        cmocka_unit_test(test_block_on_a_turning_base),
        cmocka_unit_test(test_tilt),
        cmocka_unit_test(test_tilt_until_slip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
