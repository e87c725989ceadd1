// When a run ends early: at rest, which waits for all that is scheduled, and at collapse. Times
// follow from the definitions; falls from the law of free fall.
#include "tests/unit/scene.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/world/schedule.h"

#define GRAVITY  9.81
#define STEP     1e-3
#define DURATION 0.02

static void name_file(char path[64]) {
    strcpy(path, "/tmp/gabion-stop-XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
}

// ---- ends of signals ----

static struct signal own(struct gabion_signal given) { return signal_copy(&given); }

static void check_ends(struct gabion_signal given, double path, double force) {
    struct signal signal = own(given);
    if (signal_path_end(&signal) != path || signal_force_end(&signal) != force)
        fail_msg("kind %d ends at %g and %g, expected %g and %g", given.kind,
                 signal_path_end(&signal), signal_force_end(&signal), path, force);
    signal_free(&signal);
}

static struct gabion_signal points_signal(enum gabion_signal_kind kind, const double *time,
                                          const double *value, int points) {
    struct gabion_signal signal = scene_signal(kind, 1, 0.5, INFINITY);
    signal.points = points;
    signal.table_time = time;
    signal.table_value = value;
    return signal;
}

static void signals_end_with_their_last_change(void **state) {
    (void)state;
    check_ends(scene_signal(GABION_SIGNAL_CONSTANT, 2, 0.5, INFINITY), -INFINITY, 0.5);
    check_ends(scene_signal(GABION_SIGNAL_CONSTANT, 2, 0.5, 3), -INFINITY, 3);
    check_ends(scene_signal(GABION_SIGNAL_CONSTANT, 0, 0.5, 3), -INFINITY, -INFINITY);
    check_ends(scene_signal(GABION_SIGNAL_LINEAR, 2, 0.5, 3), 3, 3);
    check_ends(scene_signal(GABION_SIGNAL_LINEAR, 2, 0.5, INFINITY), INFINITY, INFINITY);
    check_ends(scene_signal(GABION_SIGNAL_LINEAR, 0, 0.5, INFINITY), -INFINITY, -INFINITY);
    check_ends(scene_signal(GABION_SIGNAL_RAMP, 2, 0.5, 3), 3, 3);
    struct gabion_signal sine = scene_signal(GABION_SIGNAL_SINE, 2, 0.5, INFINITY);
    sine.frequency = 0;
    check_ends(sine, -INFINITY, 0.5);
    sine.smooth = 0.25;
    check_ends(sine, 0.75, 0.75);
    sine.frequency = 4;
    check_ends(sine, INFINITY, INFINITY);
    sine.end = 3;
    check_ends(sine, 3, 3);
}

static void tables_and_records_end_with_their_last_change(void **state) {
    (void)state;
    static const double time[] = {0, 1, 2, 5}, held[] = {0, 0, 1, 1}, same[] = {1, 1, 1, 1};
    struct gabion_signal table = points_signal(GABION_SIGNAL_TABLE, time, held, 4);
    check_ends(table, 2, 2); // the value is held from the third point on
    table.end = 1.5;
    check_ends(table, 1.5, 1.5);
    check_ends(points_signal(GABION_SIGNAL_TABLE, time, same, 4), -INFINITY, 0.5);
    // A record that ends at rest: velocities 0, 1, 0. One that does not goes on for ever.
    static const double stamp[] = {0, 1, 2, 3, 4}, there_and_back[] = {0, 1, 0, -1, 0};
    check_ends(points_signal(GABION_SIGNAL_RECORD, stamp, there_and_back, 5), 4.5, 4.5);
    struct gabion_signal away = points_signal(GABION_SIGNAL_RECORD, stamp, there_and_back, 4);
    check_ends(away, INFINITY, INFINITY);
    away.returns = true;
    check_ends(away, 3.5, 3.5);
}

// ---- rest ----

// A ball that lies on the floor, and nothing moves. Group 1 is the ball, group 2 the floor, group 3
// has a fixed ball out of reach, group 4 is empty.
enum { BALL = 1, FLOOR, FAR, EMPTY };

static struct gabion_world *resting_ball(void) {
    struct gabion_settings settings = scene_settings(STEP, 0.5);
    struct gabion_error error = {0};
    settings.rest_speed = 1e-3;
    settings.rest_duration = DURATION;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.3});
    static const char *const names[] = {"ball", "floor", "far", "empty"};
    for (int k = 0; k < 4; k++)
        assert_int_equal(gabion_add_group(world, names[k], &error), k + 1);
    struct gabion_body floor = scene_plane_body(vec3_zero(), vec3_make(0, 0, 1));
    floor.group = FLOOR;
    scene_add(world, &floor);
    struct gabion_body ball = scene_sphere_body(vec3_make(0, 0, 0.5), 0.5, 2);
    ball.group = BALL;
    scene_add(world, &ball);
    struct gabion_body far = scene_sphere_body(vec3_make(9, 0, 9), 0.5, 2);
    far.group = FAR;
    far.fixed = true;
    scene_add(world, &far);
    return world;
}

// Returns the number of the step after which the run is at rest; -1: not within 300 steps.
static int steps_to_rest(struct gabion_world *world) {
    for (int steps = 1; steps <= 300; steps++) {
        scene_step(world, 1);
        if (gabion_at_rest(world))
            return steps;
    }
    return -1;
}

static void assert_rests_after(struct gabion_world *world, int steps) {
    assert_int_equal(steps_to_rest(world), steps);
    scene_destroy(world);
}

// The first step ends slow: 1 step, and 20 of rest.
#define UNDISTURBED 21

static void rest_waits_for_paths_and_forces(void **state) {
    (void)state;
    struct gabion_error error = {0};
    vec3 x = vec3_make(1, 0, 0), down = vec3_make(0, 0, -1);
    assert_rests_after(resting_ball(), UNDISTURBED);

    struct gabion_world *world = resting_ball(); // a ramp of a body that touches nothing
    scene_drive(world, FAR, x, scene_signal(GABION_SIGNAL_RAMP, 1, 0.05, 0.1));
    assert_rests_after(world, 120);
    world = resting_ball();
    scene_drive(world, FAR, x, scene_signal(GABION_SIGNAL_LINEAR, 1, 0, INFINITY));
    assert_rests_after(world, -1);
    world = resting_ball(); // a driver of nobody
    scene_drive(world, EMPTY, x, scene_signal(GABION_SIGNAL_LINEAR, 1, 0, INFINITY));
    assert_rests_after(world, UNDISTURBED);
    world = resting_ball(); // an endless driver whose bodies leave
    scene_drive(world, FAR, x, scene_signal(GABION_SIGNAL_LINEAR, 1, 0, INFINITY));
    assert_true(gabion_add_removal(world, FAR, 0.1, &error));
    assert_rests_after(world, 101 + 20);

    struct gabion_signal later = scene_signal(GABION_SIGNAL_CONSTANT, 1, 0.1, INFINITY);
    world = resting_ball();
    assert_true(gabion_add_force(world, BALL, down, &later, &error));
    assert_rests_after(world, 120);
    world = resting_ball();
    later.end = 0.15;
    assert_true(gabion_add_force(world, BALL, down, &later, &error));
    assert_rests_after(world, 170);
    world = resting_ball(); // forces do not act on fixed bodies
    assert_true(gabion_add_force(world, FAR, down, &later, &error));
    assert_rests_after(world, UNDISTURBED);
}

static void rest_waits_for_gravity(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = resting_ball();
    struct gabion_settings settings;
    gabion_get_settings(world, &settings, &error);
    settings.gravity_ramp_end = 0.1;
    assert_true(gabion_set_settings(world, &settings, &error));
    assert_rests_after(world, 120);
    world = resting_ball(); // about the normal of the floor: the ball stays where it is
    struct gabion_signal tilt = scene_signal(GABION_SIGNAL_RAMP, 1, 0.05, 0.1);
    assert_true(gabion_set_tilt(world, vec3_make(0, 0, 1), &tilt, &error));
    assert_rests_after(world, 120);
    world = resting_ball();
    tilt = scene_signal(GABION_SIGNAL_LINEAR, 1, 0, INFINITY);
    assert_true(gabion_set_tilt(world, vec3_make(0, 0, 1), &tilt, &error));
    assert_rests_after(world, -1);
}

// The step that starts at 0.1 s does the event, and 20 steps of rest follow.
static void rest_waits_for_events(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = resting_ball();
    assert_true(gabion_add_reset(world, BALL, 0.1, vec3_zero(), vec3_zero(), &error));
    assert_rests_after(world, 101 + 20);
    world = resting_ball();
    assert_true(gabion_add_removal(world, FAR, 0.1, &error));
    assert_rests_after(world, 101 + 20);
    world =
        resting_ball(); // it enters at rest, so that only the event says that something happened
    struct gabion_body late = scene_sphere_body(vec3_make(3, 0, 0.5), 0.5, 2);
    late.insert_time = 0.1;
    scene_add(world, &late);
    assert_rests_after(world, 101 + 20);
    world = resting_ball(); // a duration shorter than a step does not get ahead of the event
    struct gabion_settings settings;
    gabion_get_settings(world, &settings, &error);
    settings.rest_duration = 1e-9;
    assert_true(gabion_set_settings(world, &settings, &error));
    assert_true(gabion_add_reset(world, BALL, 0.1, vec3_zero(), vec3_zero(), &error));
    assert_rests_after(world, 101);
    world = resting_ball(); // a program changes gravity
    scene_step(world, 30);
    assert_true(gabion_at_rest(world));
    gabion_get_settings(world, &settings, &error);
    settings.gravity.z = -20;
    assert_true(gabion_set_settings(world, &settings, &error));
    assert_rests_after(world, UNDISTURBED);
}

// A checkpoint in the middle of the time of rest: the rest is declared after the same step.
static void rest_is_the_same_after_a_checkpoint(void **state) {
    (void)state;
    char path[64];
    name_file(path);
    for (int stop = 95; stop <= 115; stop += 5) {
        struct gabion_error error = {0};
        struct gabion_world *world = resting_ball(), *other = resting_ball();
        struct gabion_body late = scene_sphere_body(vec3_make(3, 0, 0.5), 0.5, 2);
        late.insert_time = 0.1;
        scene_add(world, &late);
        scene_step(world, stop);
        assert_true(gabion_write_checkpoint(world, path, &error));
        assert_true(gabion_restore_checkpoint(other, path, &error));
        assert_int_equal(steps_to_rest(other), 121 - stop);
        assert_int_equal(steps_to_rest(world), 121 - stop);
        assert_true(gabion_state_hash(world) == gabion_state_hash(other));
        scene_destroy(world);
        scene_destroy(other);
    }
    unlink(path);
}

// ---- collapse ----

static struct gabion_world *falling_world(double distance, double speed) {
    struct gabion_settings settings = scene_settings(STEP, 0.5);
    settings.fall_distance = distance;
    settings.fall_speed = speed;
    return scene_create(&settings, (struct gabion_law){.friction = 0.3});
}

static int steps_to_collapse(struct gabion_world *world, struct gabion_fall *fall) {
    for (int steps = 1; steps <= 1000; steps++) {
        scene_step(world, 1);
        if (gabion_collapsed(world, fall))
            return steps;
    }
    return -1;
}

// One body of every shape, put at rest in the air; the trapezium rule is exact in free fall.
static void every_shape_falls(void **state) {
    (void)state;
    struct gabion_error error = {0};
    for (int k = 0; k < 3; k++) {
        struct gabion_world *world = falling_world(0.1, 0);
        struct gabion_body body = scene_sphere_body(vec3_make(1, 2, 50), 0.1, 2);
        if (k == 1)
            body = scene_block_body(scene_box_shape(world, vec3_make(0.1, 0.2, 0.3)),
                                    vec3_make(1, 2, 50));
        if (k == 2) {
            vec3 centre[] = {{0.3, 0, 0}, {0.1, 0, 0}};
            double radius[] = {0.1, 0.2};
            body.shape = GABION_CLUMP;
            body.clump = gabion_add_clump(world, centre, radius, 2, GABION_CLUMP_SUM, &error);
        }
        scene_floor(world);
        int32_t id = scene_add(world, &body);
        struct gabion_fall fall = {0};
        // g t^2 / 2 = 0.1 at t = 0.1428 s
        assert_int_equal(steps_to_collapse(world, &fall), 143);
        assert_int_equal(fall.body, id);
        assert_near(fall.distance, 0.5 * GRAVITY * 0.143 * 0.143, 1e-12);
        assert_near(fall.speed, GRAVITY * 0.143, 1e-12);
        scene_destroy(world);
    }
}

static void speeds_and_groups_are_watched(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_fall fall = {0};
    struct gabion_world *world = falling_world(0, 1);
    scene_sphere(world, vec3_make(0, 0, 50), 0.1, 2, vec3_make(0, 0, 0.5)); // upwards at first
    scene_sphere(world, vec3_make(5, 0, 50), 0.1, 2, vec3_zero());
    scene_sphere(world, vec3_make(9, 0, 50), 0.1, 2, vec3_zero());
    assert_false(gabion_collapsed(world, NULL));
    assert_int_equal(steps_to_collapse(world, &fall), 102); // 1 / 9.81 s
    assert_int_equal(fall.body, 1);                         // the lowest id of two that are as fast
    int group = gabion_add_group(world, "watched", &error);
    assert_true(gabion_watch_fall(world, group, &error));
    assert_false(gabion_collapsed(world, &fall));
    assert_true(gabion_watch_fall(world, -1, &error));
    assert_true(gabion_collapsed(world, &fall));
    assert_false(gabion_watch_fall(world, group + 1, &error));
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    assert_true(gabion_collapsed(world, NULL)); // as before
    scene_destroy(world);
    assert_false(gabion_collapsed(NULL, &fall));
    assert_false(gabion_watch_fall(NULL, -1, &error));
}

// Falls count from where a body enters, and a fixed body that a driver lowers does not fall.
static void late_and_driven_bodies(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = falling_world(0.1, 0);
    struct gabion_body late = scene_sphere_body(vec3_make(0, 0, 50), 0.1, 2);
    late.insert_time = 0.2;
    int32_t id = scene_add(world, &late);
    struct gabion_body lowered = scene_sphere_body(vec3_make(9, 0, 50), 0.1, 2);
    lowered.fixed = true;
    lowered.group = gabion_add_group(world, "lowered", &error);
    scene_add(world, &lowered);
    scene_drive(world, lowered.group, vec3_make(0, 0, -1),
                scene_signal(GABION_SIGNAL_LINEAR, 3, 0, INFINITY));
    struct gabion_fall fall = {0};
    assert_int_equal(steps_to_collapse(world, &fall), 200 + 143);
    assert_int_equal(fall.body, id);
    scene_destroy(world);
}

// A tilt of 90 degrees about y turns (0, 0, -1) to (-1, 0, 0). What lies still does not fall by it,
// and what moves along x falls, although its height stays.
static void falls_follow_the_tilt(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = falling_world(0.1, 0);
    struct gabion_body held = scene_sphere_body(vec3_make(0, 0, 50), 0.1, 2);
    held.lock = GABION_LOCK_X | GABION_LOCK_Y | GABION_LOCK_Z;
    scene_add(world, &held);
    struct gabion_body sliding = scene_sphere_body(vec3_make(5, 0, 50), 0.1, 2);
    sliding.lock = GABION_LOCK_Z;
    int32_t id = scene_add(world, &sliding);
    struct gabion_signal tilt = scene_signal(GABION_SIGNAL_RAMP, PI / 2, 0, 0.01);
    assert_true(gabion_set_tilt(world, vec3_make(0, 1, 0), &tilt, &error));
    struct gabion_fall fall = {0};
    assert_true(steps_to_collapse(world, &fall) > 0);
    assert_int_equal(fall.body, id);
    assert_near(fall.distance, 5 - scene_position(world, id).x, 1e-12);
    assert_true(fall.distance >= 0.1);
    scene_destroy(world);
}

// The ramp of gravity does not hide where down is.
static void falls_do_not_wait_for_the_ramp(void **state) {
    (void)state;
    struct gabion_world *world = falling_world(0.1, 0);
    world->settings.gravity_ramp_start = 5;
    world->settings.gravity_ramp_end = 6;
    scene_sphere(world, vec3_make(0, 0, 50), 0.1, 2, vec3_make(0, 0, -1.001));
    assert_int_equal(steps_to_collapse(world, NULL), 100);
    scene_destroy(world);
}

// Where bodies entered is state: a restored world collapses after the same step.
static void falls_are_the_same_after_a_checkpoint(void **state) {
    (void)state;
    char path[64];
    name_file(path);
    struct gabion_error error = {0};
    struct gabion_world *world = falling_world(0.1, 0), *other = falling_world(0.1, 0);
    scene_sphere(world, vec3_make(0, 0, 50), 0.1, 2, vec3_zero());
    scene_step(world, 100);
    assert_true(gabion_write_checkpoint(world, path, &error));
    assert_true(gabion_restore_checkpoint(other, path, &error));
    assert_int_equal(steps_to_collapse(other, NULL), 43);
    assert_int_equal(steps_to_collapse(world, NULL), 43);
    assert_true(gabion_state_hash(world) == gabion_state_hash(other));
    uint64_t hash = gabion_state_hash(world);
    world->bodies.start_of[0].z += 1;
    assert_true(gabion_state_hash(world) != hash);
    scene_destroy(world);
    scene_destroy(other);
    unlink(path);
}

// ---- failed steps ----

// After a step that fails, the report is that of the step before, and there are no contacts.
static void a_failed_step_leaves_the_last_report(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_settings settings = scene_settings(STEP, 0.5);
    struct gabion_step_report before, after;
    struct gabion_counts counts;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.3});
    scene_floor(world);
    for (int k = 0; k < 3; k++)
        scene_sphere(world, vec3_make(0, 0.1 * k, 0.5 + 0.99 * k), 0.5, 2, vec3_zero());
    scene_step(world, 5);
    assert_true(gabion_read_step_report(world, &before, &error));
    assert_true(before.candidates > 0);
    settings.tolerance = 1e-14;
    settings.max_sweeps = 1;
    settings.on_cap = GABION_CAP_STOP;
    assert_true(gabion_set_settings(world, &settings, &error));
    assert_false(gabion_step(world, &error));
    assert_true(gabion_read_step_report(world, &after, NULL));
    assert_true(gabion_read_counts(world, &counts, NULL));
    assert_true(after.converged == before.converged && after.sweeps == before.sweeps);
    assert_true(after.residual == before.residual && after.max_speed == before.max_speed);
    assert_int_equal(counts.contacts, 0);
    scene_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_end_with_their_last_change),
        cmocka_unit_test(tables_and_records_end_with_their_last_change),
        cmocka_unit_test(rest_waits_for_paths_and_forces),
        cmocka_unit_test(rest_waits_for_gravity),
        cmocka_unit_test(rest_waits_for_events),
        cmocka_unit_test(rest_is_the_same_after_a_checkpoint),
        cmocka_unit_test(every_shape_falls),
        cmocka_unit_test(speeds_and_groups_are_watched),
        cmocka_unit_test(late_and_driven_bodies),
        cmocka_unit_test(falls_follow_the_tilt),
        cmocka_unit_test(falls_do_not_wait_for_the_ramp),
        cmocka_unit_test(falls_are_the_same_after_a_checkpoint),
        cmocka_unit_test(a_failed_step_leaves_the_last_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
