// What moves a scene besides contact: drivers, forces, events, a gravity ramp; and the ledger that
// must close over all of them (validation 2.1, note).
#include "engine/contact/contacts.h"
#include "engine/world/loads.h"
#include "engine/world/signal.h"
#include "tests/unit/scene.h"

#define GRAVITY 9.81

static const double thetas[] = {0.5, 0.75, 1};

static void push(struct gabion_world *world, int group, vec3 direction,
                 struct gabion_signal signal) {
    struct gabion_error error = {0};
    if (!gabion_add_force(world, group, direction, &signal, &error))
        fail_msg("%s", error.text);
}

// A floor in its own group, so that it can be driven.
static int32_t driven_floor(struct gabion_world *world, int *group) {
    *group = gabion_add_group(world, "floor", NULL);
    struct gabion_body body = scene_plane_body(vec3_make(0.25, 0, 0), vec3_make(0, 0, 1));
    body.group = *group;
    return scene_add(world, &body);
}

// Drivers ---------------------------------------------------------------------------------------

// A floor that rises at constant speed keeps exactly that speed and carries spheres along: their
// speed is the floor's and the contact force their weight, in every step, without ringing.
static void test_constant_speed(void **state) {
    (void)state;
    const double speed = 0.7, h = 1e-3, m = 2;
    for (int k = 0; k < 3; k++) {
        struct gabion_settings settings = scene_settings(h, thetas[k]);
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.3});
        int group;
        int32_t plane = driven_floor(world, &group);
        scene_drive(world, group, vec3_make(0, 0, 1),
                    scene_signal(GABION_SIGNAL_LINEAR, speed, 0, INFINITY));
        for (int i = 0; i < 3; i++)
            scene_sphere(world, vec3_make(2 * i, 0, 0.5), 0.5, m, vec3_make(0, 0, speed));
        double first_work = 0; // of the step in which the floor starts from rest
        for (int step = 1; step <= 2000; step++) {
            scene_step(world, 1);
            if (step == 1)
                first_work = world->ledger.driver_work;
            assert_vector_near(scene_velocity(world, plane), vec3_make(0, 0, speed), 1e-11);
            assert_vector_near(scene_position(world, plane), vec3_make(0.25, 0, speed * step * h),
                               1e-14);
            for (int32_t ball = plane + 1; ball <= plane + 3; ball++) {
                assert_vector_near(scene_velocity(world, ball), vec3_make(0, 0, speed), 1e-11);
                assert_near(scene_normal_impulse(world, ball, plane) / h, m * GRAVITY,
                            1e-8 * m * GRAVITY);
                assert_near(scene_position(world, ball).z, 0.5 + speed * step * h, 1e-12);
            }
        }
        scene_assert_ledger(world);
        assert_near(world->ledger.driver_work - first_work, 3 * m * GRAVITY * speed * 1999 * h,
                    1e-9);
        scene_destroy(world);
    }
}

// A floor that starts sideways drags a sphere that cannot turn: friction mu g until it keeps up,
// then it moves with the floor and nothing rings.
static void test_dragged_along(void **state) {
    (void)state;
    const double speed = 0.5, h = 1e-3, mu = 0.2;
    for (int k = 0; k < 3; k++) {
        struct gabion_settings settings = scene_settings(h, thetas[k]);
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = mu});
        int group;
        int32_t plane = driven_floor(world, &group);
        scene_drive(world, group, vec3_make(0, 1, 0),
                    scene_signal(GABION_SIGNAL_LINEAR, speed, 0, INFINITY));
        struct gabion_body body = scene_sphere_body(vec3_make(0, 0, 0.5), 0.5, 2);
        body.lock = GABION_LOCK_RX | GABION_LOCK_RY | GABION_LOCK_RZ;
        int32_t ball = scene_add(world, &body);
        for (int step = 1; step <= 1000; step++) {
            scene_step(world, 1);
            double expected = fmin(mu * GRAVITY * step * h, speed);
            assert_vector_near(scene_velocity(world, ball), vec3_make(0, expected, 0), 1e-11);
            assert_near(scene_velocity(world, plane).y, speed, 1e-11);
        }
        assert_int_equal(scene_contact(world, ball, plane)->status, CONTACT_STICK);
        scene_assert_ledger(world);
        scene_destroy(world);
    }
}

static double table_time[] = {0, 0.1, 0.25, 0.4}, table_value[] = {0, 0.5, -0.25, 1};

static struct gabion_signal table_signal(void) {
    struct gabion_signal signal = scene_signal(GABION_SIGNAL_TABLE, 2, 0, INFINITY);
    signal.points = 4;
    signal.table_time = table_time;
    signal.table_value = table_value;
    return signal;
}

static double table_reference(double t) {
    for (int k = 0; k < 3; k++)
        if (t < table_time[k + 1])
            return 2 *
                   (table_value[k] + (table_value[k + 1] - table_value[k]) * (t - table_time[k]) /
                                         (table_time[k + 1] - table_time[k]));
    return 2;
}

static double sine_reference(double t) { return 0.3 * sin(2 * PI * 3 * t + 0.4); }

// Speed grows as the quintic smooth step over 0.1 s, holds, and falls the same way: by symmetry the
// middle of the ramp is half way, and the ends are flat.
static double ramp_reference(double t) {
    const double start = 0.1, length = 0.4, smooth = 0.1, amplitude = 0.2;
    double s = t - start, v = amplitude / (length - smooth);
    if (s <= 0)
        return 0;
    if (s >= length)
        return amplitude;
    if (s > length / 2)
        return amplitude - ramp_reference(2 * start + length - t);
    double x = s / smooth;
    if (x < 1)
        return v * smooth * (x * x * x * x * (2.5 - 3 * x + x * x));
    return v * (s - smooth / 2);
}

static double timed_reference(double t) { return 1.5 * (fmin(fmax(t, 0.1), 0.3) - 0.1); }

struct path {
    struct gabion_signal signal;
    double (*reference)(double t);
};

// The body is where the signal says at the end of every step, at every theta, and its velocity is
// that of the path from one midpoint to the next.
static void assert_path(const struct path *path, double theta) {
    const double h = 1e-3;
    struct gabion_settings settings = scene_settings(h, theta);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    int group;
    int32_t plane = driven_floor(world, &group);
    vec3 direction = {0.6, 0, 0.8};
    scene_drive(world, group, direction, path->signal);
    double origin = path->reference(0); // paths start from where the body stands
    for (int i = 0; i < 4; i++)
        scene_sphere(world, vec3_make(i, 0, 0.3), 0.3, 1, vec3_zero());
    for (int step = 1; step <= 600; step++) {
        scene_step(world, 1);
        double t = step * h, from = t - theta * h, to = from + h;
        vec3 x = vec3_add_scaled(vec3_make(0.25, 0, 0), path->reference(t) - origin, direction);
        double v = (path->reference(to) - path->reference(from)) / h;
        assert_vector_near(scene_position(world, plane), x, 1e-14);
        assert_vector_near(scene_velocity(world, plane), vec3_scale(v, direction), 1e-11);
    }
    assert_true(world->ledger.turnover > 0);
    scene_assert_ledger(world);
    scene_destroy(world);
}

static void test_paths(void **state) {
    (void)state;
    struct path paths[] = {
        {scene_signal(GABION_SIGNAL_SINE, 0.3, 0, INFINITY), sine_reference},
        {scene_signal(GABION_SIGNAL_RAMP, 0.2, 0.1, 0.5), ramp_reference},
        {table_signal(), table_reference},
        {scene_signal(GABION_SIGNAL_LINEAR, 1.5, 0.1, 0.3), timed_reference},
    };
    paths[0].signal.frequency = 3;
    paths[0].signal.phase = 0.4;
    paths[1].signal.smooth = 0.1;
    for (size_t p = 0; p < sizeof paths / sizeof *paths; p++)
        for (int k = 0; k < 3; k++)
            assert_path(&paths[p], thetas[k]);
}

// Two drivers of a group add up.
static void test_sum_of_drivers(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-2, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    int group;
    int32_t plane = driven_floor(world, &group);
    scene_drive(world, group, vec3_make(1, 0, 0),
                scene_signal(GABION_SIGNAL_LINEAR, 2, 0, INFINITY));
    scene_drive(world, group, vec3_make(0, 0, 1),
                scene_signal(GABION_SIGNAL_LINEAR, -1, 0.5, 0.75));
    scene_step(world, 100);
    assert_vector_near(scene_position(world, plane), vec3_make(2.25, 0, -0.25), 1e-14);
    scene_destroy(world);
}

// A group moves as one, whenever its bodies enter and in whatever order things are defined.
static void test_late_bodies_are_driven(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-2, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    int group;
    int32_t first = driven_floor(world, &group);
    struct gabion_body body = scene_sphere_body(vec3_make(5, 0, 1), 0.5, 0);
    body.fixed = true;
    body.group = group;
    body.insert_time = 0.5;
    int32_t late = scene_add(world, &body);
    scene_drive(world, group, vec3_make(1, 0, 0),
                scene_signal(GABION_SIGNAL_LINEAR, 2, 0, INFINITY));
    body.insert_time = 0;
    body.position = vec3_make(7, 0, 1);
    int32_t after = scene_add(world, &body);
    scene_step(world, 100);
    assert_vector_near(scene_position(world, first), vec3_make(2.25, 0, 0), 1e-14);
    assert_vector_near(scene_position(world, late), vec3_make(7, 0, 1), 1e-14);
    assert_vector_near(scene_position(world, after), vec3_make(9, 0, 1), 1e-14);
    assert_vector_near(scene_velocity(world, late), vec3_make(2, 0, 0), 1e-12);
    scene_destroy(world);
}

// A smooth floor motion leaves resting spheres on the floor: their contact force follows the
// floor's acceleration, without the 2 h swing that a jump in velocity leaves.
static void test_smooth_ramp_does_not_ring(void **state) {
    (void)state;
    const double h = 1e-3, m = 1;
    for (int k = 0; k < 3; k++) {
        struct gabion_settings settings = scene_settings(h, thetas[k]);
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.3});
        int group;
        int32_t plane = driven_floor(world, &group);
        struct gabion_signal signal = scene_signal(GABION_SIGNAL_RAMP, 0.1, 0.1, 0.5);
        signal.smooth = 0.1; // at most 0.64 g: the sphere stays down
        scene_drive(world, group, vec3_make(0, 0, 1), signal);
        int32_t ball = scene_sphere(world, vec3_make(0, 0, 0.3), 0.3, m, vec3_zero());
        vec3 before = vec3_zero();
        for (int step = 1; step <= 600; step++) {
            scene_step(world, 1);
            vec3 now = scene_velocity(world, plane);
            assert_vector_near(scene_velocity(world, ball), now, 1e-10);
            assert_near(scene_normal_impulse(world, ball, plane) / h,
                        m * (GRAVITY + (now.z - before.z) / h), 1e-7);
            before = now;
        }
        scene_assert_ledger(world);
        scene_destroy(world);
    }
}

// Forces ----------------------------------------------------------------------------------------

// A constant force between two times gives F (t2 - t1) / m, exactly, and none outside.
static void test_timed_force(void **state) {
    (void)state;
    const double h = 1e-3, m = 4, F = 3;
    for (int k = 0; k < 3; k++) {
        struct gabion_settings settings = scene_settings(h, thetas[k]);
        settings.gravity = vec3_zero();
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
        int group = gabion_add_group(world, "pushed", NULL);
        struct gabion_body body = scene_sphere_body(vec3_zero(), 0.5, m);
        body.group = group;
        int32_t pushed = scene_add(world, &body);
        int32_t left_alone = scene_sphere(world, vec3_make(5, 0, 0), 0.5, m, vec3_zero());
        push(world, group, vec3_make(0, 1, 0), scene_signal(GABION_SIGNAL_CONSTANT, F, 0.1, 0.4));
        for (int step = 1; step <= 500; step++) {
            scene_step(world, 1);
            double acted = fmin(fmax(step * h, 0.1), 0.4) - 0.1;
            assert_vector_near(scene_velocity(world, pushed), vec3_make(0, F * acted / m, 0),
                               1e-13);
            assert_vector_near(scene_velocity(world, left_alone), vec3_zero(), 0);
        }
        assert_near(world->ledger.applied_work, 0.5 * m * pow(F * 0.3 / m, 2), 1e-13);
        scene_assert_ledger(world);
        scene_destroy(world);
    }
}

// A linear force is integrated exactly by the trapezoidal rule, a sine to second order.
static void test_force_signals(void **state) {
    (void)state;
    const double h = 1e-3;
    struct gabion_settings settings = scene_settings(h, 0.5);
    settings.gravity = vec3_zero();
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    int linear = gabion_add_group(world, "linear", NULL),
        sine = gabion_add_group(world, "sine", NULL);
    struct gabion_body body = scene_sphere_body(vec3_zero(), 0.1, 2);
    body.group = linear;
    int32_t first = scene_add(world, &body);
    body.group = sine;
    body.position = vec3_make(0, 5, 0);
    int32_t second = scene_add(world, &body);
    struct gabion_signal wave = scene_signal(GABION_SIGNAL_SINE, 6, 0, INFINITY);
    wave.frequency = 1;
    push(world, linear, vec3_make(1, 0, 0), scene_signal(GABION_SIGNAL_LINEAR, 8, 0, INFINITY));
    push(world, sine, vec3_make(1, 0, 0), wave);
    scene_step(world, 300);
    assert_near(scene_velocity(world, first).x, 0.5 * 8 * 0.09 / 2, 1e-13);
    double exact = 6.0 / 2 / (2 * PI) * (1 - cos(2 * PI * 0.3));
    assert_near(scene_velocity(world, second).x, exact, exact * pow(2 * PI * h, 2) / 6);
    scene_assert_ledger(world);
    scene_destroy(world);
}

// Events ----------------------------------------------------------------------------------------

static void test_reset(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-2, 0.5);
    settings.gravity = vec3_zero();
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    struct gabion_error error = {0};
    int group = gabion_add_group(world, "reset", NULL);
    struct gabion_body body = scene_sphere_body(vec3_zero(), 0.5, 2);
    body.velocity = vec3_make(1, 0, 0);
    body.group = group;
    int32_t free_ball = scene_add(world, &body);
    body.position = vec3_make(0, 10, 0);
    body.lock = GABION_LOCK_Y | GABION_LOCK_RZ;
    int32_t locked = scene_add(world, &body);
    vec3 v = {-1, 2, 3}, w = {4, 5, 6};
    assert_true(gabion_add_reset(world, group, 0.5, v, w, &error));
    scene_step(world, 50);
    assert_vector_near(scene_velocity(world, free_ball), vec3_make(1, 0, 0), 0);
    scene_step(world, 1); // the step that starts at 0.5
    assert_vector_near(scene_velocity(world, free_ball), v, 1e-14);
    assert_vector_near(scene_spin(world, free_ball), w, 1e-14);
    assert_vector_near(scene_velocity(world, locked), vec3_make(-1, 0, 3), 1e-14);
    assert_vector_near(scene_spin(world, locked), vec3_make(4, 5, 0), 1e-14);
    double moment = 0.4 * 2 * 0.25;
    double gained = 0.5 * 2 * (14 - 1 + 10 - 1) + 0.5 * moment * (77 + 41);
    assert_near(world->ledger.removed_energy, gained, 1e-12);
    scene_step(world, 50);
    assert_vector_near(scene_velocity(world, free_ball), v, 1e-14);
    scene_assert_ledger(world);
    scene_destroy(world);
}

static void test_insertion_and_removal(void **state) {
    (void)state;
    const double h = 1e-3;
    struct gabion_settings settings = scene_settings(h, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.3});
    struct gabion_error error = {0};
    int early = gabion_add_group(world, "early", NULL);
    int32_t plane = scene_floor(world);
    struct gabion_body body = scene_sphere_body(vec3_make(0, 0, 0.5), 0.5, 2);
    body.group = early;
    int32_t lower = scene_add(world, &body);
    body = scene_sphere_body(vec3_make(0, 0, 1.5), 0.5, 1);
    body.insert_time = 0.1;
    int32_t upper = scene_add(world, &body);
    assert_true(gabion_add_removal(world, early, 0.2, &error));
    scene_step(world, 100);
    assert_false(scene_state(world, upper, NULL, NULL, NULL, NULL));
    assert_near(scene_normal_impulse(world, lower, plane) / h, 2 * GRAVITY, 1e-8);
    scene_step(world, 1); // the step that starts at 0.1
    assert_vector_near(scene_position(world, upper), vec3_make(0, 0, 1.5), 1e-9);
    assert_near(world->ledger.removed_energy, 1 * GRAVITY * 1.5, 1e-12);
    scene_step(world, 99);
    assert_near(scene_normal_impulse(world, upper, lower) / h, GRAVITY, 1e-7);
    assert_near(scene_normal_impulse(world, lower, plane) / h, 3 * GRAVITY, 1e-7);
    scene_step(world, 1);
    assert_false(scene_state(world, lower, NULL, NULL, NULL, NULL));
    scene_step(world, 99); // what it carried falls freely
    assert_near(scene_velocity(world, upper).z, -GRAVITY * 0.1, 1e-9);
    assert_near(scene_position(world, upper).z, 1.5 - 0.5 * GRAVITY * 0.01, 1e-7);
    assert_near(world->ledger.removed_energy, GRAVITY * (1.5 - 2 * 0.5), 1e-6);
    scene_assert_ledger(world);
    scene_destroy(world);
}

// Gravity that grows as the quintic smooth step: speed is its integral, half the ramp and then all.
static void test_gravity_ramp(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct gabion_settings settings = scene_settings(1e-3, thetas[k]);
        settings.gravity_ramp_start = 0.1;
        settings.gravity_ramp_end = 0.5;
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.3});
        int32_t plane = scene_floor(world);
        int32_t resting = scene_sphere(world, vec3_make(0, 0, 0.5), 0.5, 2, vec3_zero());
        int32_t falling = scene_sphere(world, vec3_make(5, 0, 9), 0.5, 2, vec3_zero());
        scene_step(world, 100);
        assert_vector_near(scene_velocity(world, falling), vec3_zero(), 0);
        scene_step(world, 200); // half way: g/2
        double mean = loads_step_gravity(world).z, slope = 1.875 * GRAVITY / 0.4;
        assert_near(mean, -0.5 * GRAVITY - thetas[k] * 1e-3 * slope, 1e-3);
        scene_step(world, 300);
        // The theta rule errs by (theta - 1/2) h on the end of the integral.
        double v = -GRAVITY * (0.2 + 0.1), shift = (thetas[k] - 0.5) * 1e-3 * GRAVITY;
        assert_near(scene_velocity(world, falling).z, v - shift, 1e-7);
        assert_near(scene_normal_impulse(world, resting, plane) / 1e-3, 2 * GRAVITY, 1e-7);
        scene_assert_ledger(world);
        scene_destroy(world);
    }
}

// The rest criterion: every body slower than rest_speed for rest_duration.
static void test_rest_criterion(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.rest_speed = 1e-3;
    settings.rest_duration = 0.05;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.3});
    scene_floor(world);
    scene_sphere(world, vec3_make(0, 0, 0.6), 0.5, 2, vec3_zero());
    int steps = 0, slow_since = -1;
    double fall = sqrt(2 * 0.1 / GRAVITY);
    while (!gabion_at_rest(world)) {
        scene_step(world, 1);
        steps++;
        assert_true(steps < 1000);
        if (world->report.max_speed > 1e-3)
            slow_since = -1;
        else if (slow_since < 0)
            slow_since = steps;
    }
    assert_int_equal(steps - slow_since, 50);
    assert_near(steps * 1e-3, fall + 0.05, 3e-3);
    scene_destroy(world);
}

// Everything at once ----------------------------------------------------------------------------

// Friction, restitution, a shaken floor, a force, a ramp, an insertion, a reset and a removal at
// theta = 0.7: the books close all the same.
static void assert_all_at_once(double theta, enum gabion_gap gap, enum gabion_local local) {
    struct gabion_settings settings = scene_settings(1e-3, theta);
    struct gabion_error error = {0};
    settings.gap = gap;
    settings.local = local;
    settings.tolerance = 1e-6;
    settings.gravity_ramp_end = 0.2;
    struct gabion_law law = {.friction = 0.4, .restitution = 0.3, .tangential_restitution = 0.2};
    struct gabion_world *world = scene_create(&settings, law);
    int floor_group, balls = gabion_add_group(world, "balls", NULL);
    driven_floor(world, &floor_group);
    scene_plane(world, vec3_make(-1, 0, 0), vec3_make(1, 0, 0));
    scene_plane(world, vec3_make(1, 0, 0), vec3_make(-1, 0, 0));
    struct gabion_signal shake = scene_signal(GABION_SIGNAL_SINE, 0.02, 0.1, INFINITY);
    shake.frequency = 8;
    shake.smooth = 0.1;
    scene_drive(world, floor_group, vec3_make(0, 0, 1), shake);
    struct random_stream random = {6};
    for (int k = 0; k < 40; k++) {
        struct gabion_body body = scene_sphere_body(
            vec3_make(-0.7 + 0.45 * (k % 4), 0.45 * (k / 4 % 3), 0.25 + 0.45 * (k / 12)), 0.2,
            random_between(&random, 0.5, 2));
        body.group = k % 2 ? balls : 0;
        body.velocity = scene_random_unit(&random);
        body.insert_time = k > 36 ? 0.15 : 0;
        if (k % 7 == 0) {
            body.inertia = vec3_make(0.01, 0.02, 0.025);
            body.spin = vec3_make(3, 2, 1);
        }
        if (k % 11 == 5) {
            body.lock = GABION_LOCK_Y | GABION_LOCK_RX;
            body.velocity.y = 0;
        }
        scene_add(world, &body);
    }
    push(world, balls, vec3_make(1, 0, 0.5), scene_signal(GABION_SIGNAL_CONSTANT, 4, 0.2, 0.4));
    assert_true(gabion_add_reset(world, balls, 0.3, vec3_make(0, 0, 1), vec3_zero(), &error));
    assert_true(gabion_add_removal(world, balls, 0.45, &error));
    for (int step = 0; step < 600; step++) {
        scene_step(world, 1);
        scene_assert_ledger(world);
    }
    const struct ledger *ledger = &world->ledger;
    assert_true(ledger->driver_work != 0 && ledger->applied_work != 0);
    assert_true(ledger->removed_energy != 0 && ledger->contact_work < 0);
    print_message("all at once, theta %g: energy error %.1e of the turnover\n", theta,
                  fabs(ledger->energy_error) / ledger->turnover);
    scene_destroy(world);
}

static void test_all_at_once(void **state) {
    (void)state;
    assert_all_at_once(0.7, GABION_GAP_MOREAU, GABION_LOCAL_AUTO);
    assert_all_at_once(0.7, GABION_GAP_GAP, GABION_LOCAL_EXACT);
    assert_all_at_once(0.5, GABION_GAP_GAP, GABION_LOCAL_AUTO);
    assert_all_at_once(1, GABION_GAP_MOREAU, GABION_LOCAL_EXACT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_speed),
        cmocka_unit_test(test_dragged_along),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_sum_of_drivers),
        cmocka_unit_test(test_late_bodies_are_driven),
        cmocka_unit_test(test_smooth_ramp_does_not_ring),
        cmocka_unit_test(test_timed_force),
        cmocka_unit_test(test_force_signals),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_insertion_and_removal),
        cmocka_unit_test(test_gravity_ramp),
        cmocka_unit_test(test_rest_criterion),
        cmocka_unit_test(test_all_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
