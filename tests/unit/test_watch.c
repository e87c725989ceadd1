// Watches: what is warned about, once, with what helps; what watch.policy does; and definitions
// that no world may have.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/gabion.h"
#include "engine/motion/motion.h"
#include "engine/step/watch.h"
#include "engine/world/sampling.h"

#define PI 3.14159265358979323846

struct warnings {
    int count;
    char last[1024];
};

static void keep_warning(void *user, enum gabion_log_level level, const char *text) {
    struct warnings *warnings = user;
    if (level != GABION_LOG_WARNING)
        return;
    warnings->count++;
    snprintf(warnings->last, sizeof warnings->last, "%s", text);
}

static struct gabion_settings weightless(enum gabion_watch watch) {
    struct gabion_settings settings = gabion_default_settings();
    settings.step = 0.01;
    settings.gravity = (gabion_vec3){0, 0, 0};
    settings.watch = watch;
    return settings;
}

// A world with one material and one law, which keeps its warnings.
static struct gabion_world *make_world(struct gabion_settings settings, struct warnings *warnings) {
    struct gabion_error error = {0};
    struct gabion_world *world = gabion_create(&settings, 1, &error);
    assert_string_equal(error.text, "");
    assert_int_equal(gabion_add_material(world, "stone", 2000, &error), 0);
    assert_true(gabion_set_default_law(world, &(struct gabion_law){.friction = 0.5}, &error));
    assert_true(gabion_set_log(world, GABION_LOG_WARNING, keep_warning, warnings, &error));
    *warnings = (struct warnings){0}; // what was said about the threads
    return world;
}

static struct gabion_body make_box(struct gabion_world *world) {
    struct gabion_error error = {0};
    struct gabion_body body = gabion_default_body();
    body.shape = GABION_POLYHEDRON;
    body.polyhedron = gabion_add_box(world, (gabion_vec3){0.1, 0.2, 0.3}, &error);
    body.density = 2000;
    return body;
}

static struct gabion_body make_sphere(void) {
    struct gabion_body body = gabion_default_body();
    body.radius = 0.1;
    body.density = 2000;
    return body;
}

static void add(struct gabion_world *world, struct gabion_body body) {
    struct gabion_error error = {0};
    assert_true(gabion_add_body(world, &body, &error) >= 0);
}

static void assert_says(const struct warnings *warnings, int count, const char *part) {
    if (warnings->count == count && (count == 0 || strstr(warnings->last, part)))
        return;
    print_error("%d warnings, the last: %s\n", warnings->count, warnings->last);
    fail();
}

// Spin ----------------------------------------------------------------------------------------

static void spin_is_watched(void **state) {
    (void)state;
    const double angle[] = {0.9, 1.1};
    for (int k = 0; k < 2; k++) {
        struct warnings warnings;
        struct gabion_world *world = make_world(weightless(GABION_WATCH_WARN), &warnings);
        struct gabion_body box = make_box(world), sphere = make_sphere();
        box.spin = (gabion_vec3){0, angle[k] / 0.01, 0};
        sphere.position = (gabion_vec3){5, 0, 0};
        sphere.spin = (gabion_vec3){0, 0, 1e6}; // of no consequence
        add(world, box);
        add(world, sphere);
        assert_int_equal(gabion_run(world, 5, NULL), 5);
        assert_says(&warnings, k, "body 0 has a spin of 110 rad/s");
        gabion_destroy(world);
    }
}

// Energy and momentum as the step takes them: Newton's method fails at many of these angles.
static void spins_of_any_size_keep_their_energy(void **state) {
    (void)state;
    const vec3 inertia = {1, 0.7, 0.4}, held[] = {{0, 0, 0}, {0, 0, 1}};
    for (int axis = 0; axis < 2; axis++)
        for (double angle = 0.5; angle < 200; angle *= 1.07) {
            vec3 w = {angle / sqrt(3), angle / sqrt(3), axis ? 0 : angle / sqrt(3)};
            vec3 kick = {0.3, -0.2, 0};
            vec3 free = motion_free_spin(inertia, held[axis], w, vec3_zero(), 1);
            double before = vec3_dot(vec3_times(inertia, w), w);
            assert_true(fabs(vec3_dot(vec3_times(inertia, free), free) / before - 1) < 1e-10);
            vec3 kicked = motion_free_spin(inertia, held[axis], w, kick, 1);
            double after = vec3_dot(vec3_times(inertia, kicked), kicked);
            double work = vec3_dot(kick, vec3_add(w, kicked));
            assert_true(fabs(after - before - work) < 1e-10 * before);
        }
}

static void a_fast_box_on_a_floor_keeps_its_books(void **state) {
    (void)state;
    const double angle[] = {2, 5, 20, 100};
    for (int k = 0; k < 4; k++) {
        struct warnings warnings;
        struct gabion_settings settings = weightless(GABION_WATCH_WARN);
        settings.gravity.z = -9.81;
        struct gabion_world *world = make_world(settings, &warnings);
        struct gabion_body box = make_box(world), floor = gabion_default_body();
        struct gabion_energies energies;
        box.position.z = 0.16;
        box.spin = (gabion_vec3){angle[k] / 0.01, angle[k] / 0.01, angle[k] / 0.01};
        floor.shape = GABION_HALF_SPACE;
        floor.fixed = true;
        add(world, box);
        add(world, floor);
        assert_int_equal(gabion_run(world, 50, NULL), 50);
        assert_true(gabion_read_energies(world, &energies, NULL));
        assert_true(energies.closes);
        assert_true(warnings.count >= 1);
        gabion_destroy(world);
    }
}

// Positions -----------------------------------------------------------------------------------

static void positions_too_far_out_are_watched(void **state) {
    (void)state;
    const struct {
        double x, v;
        int warnings;
    } trial[] = {{1e15, 1, 1}, {1e15, 0, 0}, {4.8e6, 1e-3, 0}, {1, 1e-16, 0}, {1e12, 1e-3, 1}};
    for (size_t k = 0; k < sizeof trial / sizeof *trial; k++) {
        struct warnings warnings;
        struct gabion_world *world = make_world(weightless(GABION_WATCH_WARN), &warnings);
        struct gabion_body sphere = make_sphere();
        sphere.position.x = trial[k].x;
        sphere.velocity.x = trial[k].v;
        add(world, sphere);
        assert_int_equal(gabion_run(world, 3, NULL), 3);
        assert_says(&warnings, trial[k].warnings, "put the origin of coordinates near the bodies");
        gabion_destroy(world);
    }
}

// Signals -------------------------------------------------------------------------------------

// The closed form against the mean over phases of a numerical integral.
static void the_loss_of_a_sine_is_its_root_mean_square(void **state) {
    (void)state;
    for (double frequency = 0.02; frequency < 3; frequency *= 1.3) {
        struct signal signal = {.given = {.kind = GABION_SIGNAL_SINE,
                                          .end = INFINITY,
                                          .amplitude = 3,
                                          .frequency = frequency}};
        double sum = 0;
        int phases = 64, parts = 64;
        for (int p = 0; p < phases; p++)
            for (int k = 0; k < parts; k++) {
                double phase = 2 * PI * p / phases, t = (k + 0.5) / parts;
                double from = sin(phase), to = sin(2 * PI * frequency + phase);
                double miss = sin(2 * PI * frequency * t + phase) - from - (to - from) * t;
                sum += miss * miss / (phases * parts);
            }
        double expected = fmin(sqrt(2 * sum), 1);
        assert_true(fabs(sampling_loss(&signal, 1) - expected) < 1e-3);
    }
}

static void the_loss_of_a_table_is_its_root_mean_square(void **state) {
    (void)state;
    // A saw of four points per step, offset from the steps; then points that are steps; then one
    // kink.
    double time[401], value[401];
    for (int k = 0; k <= 400; k++) {
        time[k] = 0.07 + 0.25 * k;
        value[k] = k % 2;
    }
    struct gabion_signal given = {.kind = GABION_SIGNAL_TABLE,
                                  .end = INFINITY,
                                  .amplitude = 2,
                                  .points = 401,
                                  .table_time = time,
                                  .table_value = value};
    struct signal saw = signal_copy(&given);
    double loss = sampling_loss(&saw, 1);
    assert_true(loss > 0.99 && loss <= 1);
    assert_true(sampling_loss(&saw, 0.25 / 50) < 0.05);
    double needed = sampling_step(&saw, 1);
    assert_true(needed < 0.25 && sampling_loss(&saw, needed) <= SAMPLING_LOSS);
    signal_free(&saw);
    for (int k = 0; k <= 400; k++)
        time[k] = 0.25 * k;
    struct signal even = signal_copy(&given);
    assert_true(sampling_loss(&even, 0.25) < 1e-12);
    signal_free(&even);
    given.points = 3; // 0 at 0, 1 at 0.5, 0 at 1, of which a step of 1 sees nothing
    given.table_time = (double[]){0, 0.5, 1};
    given.table_value = (double[]){0, 1, 0};
    struct signal kink = signal_copy(&given);
    assert_true(fabs(sampling_loss(&kink, 1) - 1) < 1e-12); // 1/3 over 1/12, at most 1
    assert_true(fabs(sampling_loss(&kink, 0.5)) < 1e-12);
    assert_true(sampling_loss(&kink, 0.4) > 0.1);
    signal_free(&kink);
}

static void add_driven_plate(struct gabion_world *world, double frequency, double start) {
    struct gabion_error error = {0};
    struct gabion_body plate = make_box(world);
    plate.fixed = true;
    plate.group = gabion_add_group(world, "plate", &error);
    add(world, plate);
    struct gabion_signal sine = {.kind = GABION_SIGNAL_SINE,
                                 .start = start,
                                 .end = INFINITY,
                                 .amplitude = 0.01,
                                 .frequency = frequency};
    assert_true(gabion_add_driver(world, plate.group, (gabion_vec3){0, 0, 1}, &sine, &error));
}

static void signals_between_steps_are_watched(void **state) {
    (void)state;
    const struct {
        double frequency;
        int warnings;
        const char *part;
    } trial[] = {{50, 1, "driver of group plate has a sine of 50 Hz, which is not below half"},
                 {30, 1, "3.3 points per period"},
                 {10, 0, ""}};
    for (size_t k = 0; k < sizeof trial / sizeof *trial; k++) {
        struct warnings warnings;
        struct gabion_world *world = make_world(weightless(GABION_WATCH_WARN), &warnings);
        add_driven_plate(world, trial[k].frequency, 0);
        assert_int_equal(gabion_run(world, 3, NULL), 3);
        assert_says(&warnings, trial[k].warnings, trial[k].part);
        gabion_destroy(world);
    }
}

// Policies ------------------------------------------------------------------------------------

static void a_watch_can_stop_the_run(void **state) {
    (void)state;
    struct warnings warnings;
    struct gabion_error error = {0};
    struct gabion_world *world = make_world(weightless(GABION_WATCH_STOP), &warnings);
    struct gabion_body box = make_box(world);
    box.spin = (gabion_vec3){0, 200, 0};
    add(world, box);
    for (int64_t step = 1; step <= 2; step++) { // it is complete each time, and reported once
        error = (struct gabion_error){0};
        assert_false(gabion_step(world, &error));
        assert_int_equal(error.status, GABION_ERROR_RUN);
        assert_non_null(strstr(error.text, "watch spin: "));
        assert_int_equal(gabion_step_number(world), step);
        assert_int_equal(warnings.count, 1);
    }
    gabion_destroy(world);
}

static void a_signal_can_keep_a_run_from_starting(void **state) {
    (void)state;
    struct warnings warnings;
    struct gabion_error error = {0};
    struct gabion_world *world = make_world(weightless(GABION_WATCH_STOP), &warnings);
    add_driven_plate(world, 50, 0);
    assert_false(gabion_step(world, &error));
    assert_non_null(strstr(error.text, "watch signal: "));
    assert_int_equal(gabion_step_number(world), 0);
    gabion_destroy(world);
}

// Definitions ---------------------------------------------------------------------------------

static void worlds_without_laws_are_rejected(void **state) {
    (void)state;
    struct gabion_settings settings = weightless(GABION_WATCH_WARN);
    struct gabion_error error = {0};
    struct gabion_world *world = gabion_create(&settings, 1, &error);
    gabion_add_material(world, "stone", 2000, &error);
    gabion_add_material(world, "ice", 900, &error);
    add(world, make_sphere());
    assert_true(gabion_step(world, &error)); // one body touches nothing
    gabion_destroy(world);
    world = gabion_create(&settings, 1, &error);
    gabion_add_material(world, "stone", 2000, &error);
    gabion_add_material(world, "ice", 900, &error);
    struct gabion_body sphere = make_sphere();
    add(world, sphere);
    sphere.position.x = 1;
    sphere.material = 1;
    add(world, sphere);
    assert_false(gabion_step(world, &error));
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    assert_non_null(strstr(error.text, "stone and ice"));
    assert_int_equal(gabion_step_number(world), 0);
    error = (struct gabion_error){0};
    assert_true(gabion_set_law(world, 0, 1, &(struct gabion_law){.friction = 0.5}, &error));
    assert_true(gabion_step(world, &error)); // two bodies, one pair of materials
    gabion_destroy(world);
}

static void impossible_moments_are_rejected(void **state) {
    (void)state;
    struct warnings warnings;
    const struct {
        gabion_vec3 inertia;
        bool good;
    } trial[] = {{{1, 1, 3}, false}, {{3, 1, 1}, false}, {{1, 1, 2.001}, false},
                 {{1, 1, 2}, true},  {{1, 2, 3}, true},  {{0.333333, 0.333333, 0.666667}, true},
                 {{1, 2, 1.5}, true}};
    for (size_t k = 0; k < sizeof trial / sizeof *trial; k++) {
        struct gabion_error error = {0};
        struct gabion_world *world = make_world(weightless(GABION_WATCH_WARN), &warnings);
        struct gabion_body box = make_box(world);
        box.inertia = trial[k].inertia;
        assert_int_equal(gabion_add_body(world, &box, &error) >= 0, trial[k].good);
        assert_true(trial[k].good || strstr(error.text, "moments of inertia"));
        gabion_destroy(world);
    }
}

static void keep_text(void *user, const char *text) {
    keep_warning(user, GABION_LOG_WARNING, text);
}

// A double pendulum on rods of 1 m, released from the horizontal: a chaotic swing, from which
// nothing takes energy. At 10 ms the correction of its joints brings energy in (a fifth of it in
// 100 s), a smooth swing of a single one does not.
static int swing(int links, int projection, struct warnings *warnings) {
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    settings.step = 0.01;
    settings.projection = projection;
    struct gabion_world *world = make_world(settings, warnings);
    struct gabion_body body = make_sphere();
    body.lock = GABION_LOCK_Y | GABION_LOCK_RX | GABION_LOCK_RZ;
    for (int k = 0; k < links; k++) {
        body.position = (gabion_vec3){k + 1, 0, k * 0.2};
        add(world, body);
        struct gabion_joint joint = {
            .kind = GABION_JOINT_DISTANCE,
            .first = k,
            .second = k - 1,
            .anchor = body.position,
            .anchor_second = {k, 0, fmax(k - 1, 0) * 0.2},
        };
        assert_true(gabion_add_joint(world, &joint, &error) >= 0);
    }
    assert_int_equal(gabion_run(world, 10000, &error), 10000);
    watch_end(world, keep_text, warnings);
    gabion_destroy(world);
    return warnings->count;
}

static void energy_from_joints_is_watched(void **state) {
    (void)state;
    struct warnings warnings;
    assert_int_equal(swing(2, (int)GABION_AUTOMATIC, &warnings), 1);
    assert_non_null(strstr(warnings.last, "joints brought in"));
    assert_non_null(strstr(warnings.last, "contact.projection: 10"));
    assert_int_equal(swing(2, 10, &warnings), 0);
    assert_int_equal(swing(1, (int)GABION_AUTOMATIC, &warnings), 0);
}

// A ball that flies 50 m in a step: a bullet goes on, unless closing joints has brought in more
// than a thousand times all other energy. 2000 kg/m3 * 4/3 pi 0.1^3 * (5000 m/s)^2 / 2.
static void test_explosion(void **state) {
    (void)state;
    const double energy = 2000 * 4.0 / 3 * PI * 1e-3 * 25e6 / 2;
    for (int k = 0; k < 4; k++) {
        struct warnings warnings;
        struct gabion_error error = {0};
        struct gabion_world *world = make_world(weightless(GABION_WATCH_WARN), &warnings);
        struct gabion_body body = make_sphere();
        body.velocity.x = k == 3 ? 1e2 : 5e3; // the slow one moves by its own size
        add(world, body);
        assert_true(gabion_step(world, &error));
        // As if the energy came from joints: all, none, all but a hundredth, all.
        const double share[] = {1, 0, 0.99, 1};
        world->ledger.joint_work = share[k] * energy;
        assert_int_equal(gabion_step(world, &error), k != 0);
        assert_int_equal(strstr(error.text, "the motion has exploded") != NULL, k == 0);
        gabion_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_explosion),
        cmocka_unit_test(energy_from_joints_is_watched),
        cmocka_unit_test(spin_is_watched),
        cmocka_unit_test(spins_of_any_size_keep_their_energy),
        cmocka_unit_test(a_fast_box_on_a_floor_keeps_its_books),
        cmocka_unit_test(positions_too_far_out_are_watched),
        cmocka_unit_test(the_loss_of_a_sine_is_its_root_mean_square),
        cmocka_unit_test(the_loss_of_a_table_is_its_root_mean_square),
        cmocka_unit_test(signals_between_steps_are_watched),
        cmocka_unit_test(a_watch_can_stop_the_run),
        cmocka_unit_test(a_signal_can_keep_a_run_from_starting),
        cmocka_unit_test(worlds_without_laws_are_rejected),
        cmocka_unit_test(impossible_moments_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
