// Worlds in several threads of a program at once. Different worlds step side by side, also where
// they share a team, and get the same bits as alone. A world that is used by a thread is closed to
// the others: their calls fail and change nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/api/define.h"
#include "parallel/team.h"

#define STEPS    8
#define WORLDS   2
#define TRIALS   6
#define GRAINS   2500
#define IN_A_ROW 16

static void check(bool good, const struct gabion_error *error) {
    if (!good)
        fail_msg("%s", error->text);
}

// A heap of grains on a floor, another one for each variant.
static struct gabion_world *fill(struct gabion_world *world, int variant) {
    struct gabion_error error = {0};
    struct gabion_body body = gabion_default_body();
    assert_non_null(world);
    body.material = gabion_add_material(world, "stone", 2000, &error);
    check(gabion_set_default_law(world, &(struct gabion_law){.friction = 0.4}, &error), &error);
    body.shape = GABION_HALF_SPACE;
    body.fixed = true;
    check(gabion_add_body(world, &body, &error) >= 0, &error);
    body.shape = GABION_SPHERE;
    body.fixed = false;
    body.density = 2000;
    for (int k = 0; k < GRAINS; k++) {
        body.radius = 0.05 - 1e-3 * (k % (3 + variant));
        body.position = (gabion_vec3){0.1 * (k % IN_A_ROW), 0.1 * (k / IN_A_ROW % IN_A_ROW),
                                      0.05 + 0.1 * (k / IN_A_ROW / IN_A_ROW)};
        check(gabion_add_body(world, &body, &error) >= 0, &error);
    }
    return world;
}

static struct gabion_settings settings_of_test(void) {
    struct gabion_settings settings = gabion_default_settings();
    settings.max_sweeps = 30;
    settings.method = GABION_METHOD_NSGS;
    settings.on_cap = GABION_CAP_ACCEPT;
    return settings;
}

// Work of one thread: steps a world, and writes and restores checkpoints now and then.
struct job {
    struct gabion_world *world;
    const char *path; // NULL: no checkpoints
    pthread_t thread;
    int64_t done;
    struct gabion_error error;
};

static bool save_and_go_back(struct job *job) {
    return !job->path || (gabion_write_checkpoint(job->world, job->path, &job->error) &&
                          gabion_restore_checkpoint(job->world, job->path, &job->error));
}

static void *run_job(void *context) {
    struct job *job = context;
    while (job->done < STEPS && gabion_step(job->world, &job->error)) {
        job->done++;
        if (job->done % 4 == 0 && !save_and_go_back(job))
            break;
    }
    return NULL;
}

static void run_jobs(struct job *jobs, int count) {
    for (int k = 0; k < count; k++)
        assert_int_equal(pthread_create(&jobs[k].thread, NULL, run_job, &jobs[k]), 0);
    for (int k = 0; k < count; k++)
        pthread_join(jobs[k].thread, NULL);
    for (int k = 0; k < count; k++) {
        check(jobs[k].done == STEPS, &jobs[k].error);
        assert_string_equal(jobs[k].error.text, "");
    }
}

static uint64_t hash_alone(int variant) {
    struct gabion_settings settings = settings_of_test();
    struct job job = {.world = fill(gabion_create(&settings, 1, NULL), variant)};
    run_job(&job);
    check(job.done == STEPS, &job.error);
    uint64_t hash = gabion_state_hash(job.world);
    gabion_destroy(job.world);
    return hash;
}

static void test_worlds_that_share_a_team(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_settings settings = settings_of_test();
    struct team *team = team_create(2, NULL, &error);
    uint64_t alone[WORLDS];
    for (int k = 0; k < WORLDS; k++)
        alone[k] = hash_alone(k);
    for (int trial = 0; trial < TRIALS; trial++) {
        struct job jobs[WORLDS] = {0};
        for (int k = 0; k < WORLDS; k++)
            jobs[k].world = fill(world_create(&settings, team, &error), k);
        run_jobs(jobs, WORLDS);
        for (int k = 0; k < WORLDS; k++) {
            assert_true(gabion_state_hash(jobs[k].world) == alone[k]);
            gabion_destroy(jobs[k].world);
        }
    }
    team_destroy(team);
}

static void test_different_worlds(void **state) {
    (void)state;
    struct gabion_settings settings = settings_of_test();
    char path[WORLDS][32];
    struct job jobs[WORLDS] = {0};
    for (int k = 0; k < WORLDS; k++) {
        snprintf(path[k], sizeof path[k], "/tmp/gabion-threads-XXXXXX");
        int file = mkstemp(path[k]);
        assert_true(file >= 0);
        close(file);
        jobs[k].path = path[k];
        jobs[k].world = fill(gabion_create(&settings, 1 + k % 2, NULL), k);
    }
    run_jobs(jobs, WORLDS);
    for (int k = 0; k < WORLDS; k++) {
        assert_true(gabion_state_hash(jobs[k].world) == hash_alone(k));
        gabion_destroy(jobs[k].world);
        unlink(path[k]);
    }
}

// One world in two threads -----------------------------------------------------------------------

static void expect_busy(bool failed, struct gabion_error *error) {
    assert_true(failed);
    assert_int_equal(error->status, GABION_ERROR_INPUT);
    assert_non_null(strstr(error->text, "another thread"));
    *error = (struct gabion_error){0};
}

// Tries to read, change, step, save and destroy a world that another thread is stepping.
static void *intrude(void *context) {
    struct gabion_world *world = context;
    struct gabion_error error = {0};
    struct gabion_settings settings = settings_of_test();
    struct gabion_body body = gabion_default_body();
    struct gabion_body_state state;
    gabion_vec3 zero = {0, 0, 0};
    expect_busy(!gabion_step(world, &error), &error);
    expect_busy(gabion_run(world, 3, &error) < 0, &error);
    expect_busy(!gabion_set_settings(world, &settings, &error), &error);
    expect_busy(!gabion_set_velocity(world, 1, zero, zero, &error), &error);
    expect_busy(!gabion_apply_force(world, 1, zero, zero, &error), &error);
    expect_busy(gabion_add_body(world, &body, &error) < 0, &error);
    expect_busy(gabion_add_group(world, "new", &error) < 0, &error);
    expect_busy(!gabion_set_stop_function(world, NULL, NULL, &error), &error);
    expect_busy(!gabion_set_step_function(world, NULL, NULL, &error), &error);
    expect_busy(!gabion_set_log(world, GABION_LOG_INFO, NULL, NULL, &error), &error);
    expect_busy(!gabion_watch_fall(world, -1, &error), &error);
    expect_busy(!gabion_get_body(world, 1, &state, &error), &error);
    expect_busy(!gabion_write_checkpoint(world, "/tmp/gabion-never", &error), &error);
    expect_busy(!gabion_restore_checkpoint(world, "/tmp/gabion-never", &error), &error);
    assert_int_equal(gabion_step_number(world), -1);
    assert_int_equal(gabion_state_hash(world), 0);
    gabion_destroy(world);
    return NULL;
}

static bool let_others_in(struct gabion_world *world, void *user) {
    pthread_t thread;
    int *calls = user;
    gabion_destroy(world); // nor may the step function itself
    assert_int_equal(pthread_create(&thread, NULL, intrude, world), 0);
    pthread_join(thread, NULL);
    ++*calls;
    return true;
}

static void test_a_world_that_is_stepped_is_closed(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_settings settings = settings_of_test();
    struct gabion_world *world = fill(gabion_create(&settings, 2, NULL), 0);
    int calls = 0;
    check(gabion_set_step_function(world, let_others_in, &calls, &error), &error);
    check(gabion_run(world, STEPS, &error) == STEPS, &error);
    assert_int_equal(calls, STEPS);
    assert_true(gabion_state_hash(world) == hash_alone(0));
    gabion_destroy(world);
}

// Steps a world as often as it is let, until the world has done enough.
static void *compete(void *context) {
    struct job *job = context;
    int64_t step = 0;
    while (step < STEPS) {
        struct gabion_error error = {0};
        if (gabion_step(job->world, &error))
            job->done++;
        else
            expect_busy(true, &error);
        step = gabion_step_number(job->world); // -1 while the other one is in
    }
    return NULL;
}

static void test_threads_that_compete_take_turns(void **state) {
    (void)state;
    struct gabion_settings settings = settings_of_test();
    struct gabion_world *world = fill(gabion_create(&settings, 2, NULL), 0);
    struct gabion_world *alone = fill(gabion_create(&settings, 1, NULL), 0);
    struct job jobs[2] = {{.world = world}, {.world = world}};
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_create(&jobs[k].thread, NULL, compete, &jobs[k]), 0);
    for (int k = 0; k < 2; k++)
        pthread_join(jobs[k].thread, NULL);
    int64_t steps = gabion_step_number(world);
    assert_int_equal(jobs[0].done + jobs[1].done, steps);
    assert_int_equal(gabion_run(alone, steps, NULL), steps);
    assert_true(gabion_state_hash(world) == gabion_state_hash(alone));
    gabion_destroy(world);
    gabion_destroy(alone);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worlds_that_share_a_team),
        cmocka_unit_test(test_different_worlds),
        cmocka_unit_test(test_a_world_that_is_stepped_is_closed),
        cmocka_unit_test(test_threads_that_compete_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
