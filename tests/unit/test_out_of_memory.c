// The library when memory runs out. Each allocation of a program that does a bit of everything
// fails once. The call comes back with GABION_ERROR_MEMORY; a world that was only read goes on; one
// that was being stepped still has its last complete step or says that it is broken; all can be
// destroyed, and what was saved goes on to the bits of a run that had enough memory. The address
// sanitizer sees what is leaked or read too late.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/gabion.h"
#include "parallel/memory.h" // memory_fail_after
#include "tests/unit/effort.h"

#define FIRST 2 // steps until the first checkpoint
#define LAST  4 // steps in all

// What a program does, in order; the first call that fails ends it.
enum stage { CREATED, DEFINED, BEGUN, SAVED, STEPPED, WRITTEN, MEASURED, RESTORED, SOLVED, DONE };

struct program {
    struct gabion_settings settings;
    double friction;
    char early[32], late[32]; // checkpoints
    struct gabion_world *world;
    struct gabion_error error;
};

static void check(bool good, const struct gabion_error *error) {
    if (!good)
        fail_msg("%s", error->text);
}

// What a world that is restored needs: materials, laws and what acts on groups.
static bool define_actions(struct gabion_world *world, double friction,
                           struct gabion_error *error) {
    struct gabion_signal signal = {
        .kind = GABION_SIGNAL_SINE, .amplitude = 0.01, .frequency = 3, .end = 1};
    double time[] = {0, 1}, value[] = {0, 1};
    struct gabion_signal table = {.kind = GABION_SIGNAL_TABLE,
                                  .amplitude = 100,
                                  .end = 1,
                                  .points = 2,
                                  .table_time = time,
                                  .table_value = value};
    struct gabion_law law = {.friction = friction};
    gabion_vec3 along = {1, 0, 0}, zero = {0, 0, 0};
    int floor = gabion_add_group(world, "floor", error);
    int grains = gabion_add_group(world, "grains", error);
    return floor >= 0 && grains >= 0 && gabion_set_default_law(world, &law, error) &&
           gabion_set_law(world, 0, 0, &law, error) &&
           gabion_add_driver(world, floor, along, &signal, error) &&
           gabion_add_force(world, grains, along, &table, error) &&
           gabion_set_tilt(world, along, &signal, error) &&
           gabion_add_reset(world, grains, 3.5e-3, along, zero, error) &&
           gabion_add_removal(world, grains, 1, error) &&
           gabion_add_probe(world, "load", floor, GABION_FORCE, error) >= 0;
}

static bool add_at(struct gabion_world *world, struct gabion_body body, gabion_vec3 place,
                   struct gabion_error *error) {
    body.position = place;
    return gabion_add_body(world, &body, error) >= 0;
}

// Blocks on a floor, spheres on them, a clump, a joint, and a sphere that comes later.
static bool define_bodies(struct gabion_world *world, struct gabion_error *error) {
    struct gabion_body body = gabion_default_body();
    gabion_vec3 centre[2] = {{-0.1, 0, 0}, {0.1, 0, 0}}, corner[4] = {{0, 0, 0}};
    double radius[2] = {0.1, 0.1};
    bool good = gabion_reserve_bodies(world, 12, error);
    corner[1].x = corner[2].y = corner[3].z = 0.5;
    body.shape = GABION_HALF_SPACE;
    body.fixed = true;
    body.group = 1;
    good = good && add_at(world, body, (gabion_vec3){0, 0, 0}, error);
    body.shape = GABION_POLYHEDRON;
    body.fixed = false;
    body.group = 0;
    body.density = 2000;
    body.polyhedron = gabion_add_box(world, (gabion_vec3){1, 1, 1}, error);
    for (int k = 0; good && k < 2; k++)
        good = add_at(world, body, (gabion_vec3){0, 0, 0.5 + k}, error);
    body.polyhedron = gabion_add_hull(world, corner, 4, error);
    good = good && add_at(world, body, (gabion_vec3){3, 0, 0}, error);
    body.shape = GABION_CLUMP;
    body.clump = gabion_add_clump(world, centre, radius, 2, GABION_CLUMP_UNION, error);
    good = good && add_at(world, body, (gabion_vec3){5, 0, 0.1}, error);
    body.shape = GABION_SPHERE;
    body.radius = 0.1;
    body.group = 2;
    for (int k = 0; good && k < 4; k++)
        good = add_at(world, body, (gabion_vec3){-0.3 + 0.2 * k, 0, 2.1}, error);
    body.insert_time = 2.5e-3;
    good = good && add_at(world, body, (gabion_vec3){0, 0, 2.35}, error);
    struct gabion_joint joint = {.first = 4, .second = -1, .anchor = {5, 0, 0.5}};
    return good && gabion_add_joint(world, &joint, error) >= 0 &&
           gabion_apply_force(world, 1, (gabion_vec3){1, 0, 0}, (gabion_vec3){0, 0, 0}, error);
}

static bool solve_something(struct gabion_error *error) {
    static const int64_t start[] = {0, 1};
    static const int32_t column[] = {0};
    static const double block[] = {2, 0, 0, 0, 4, 0, 0, 0, 4}, q[] = {-6, 0, -4}, mu = 0.5;
    struct gabion_problem problem = {1, start, column, block, q, &mu};
    struct gabion_solver solver = gabion_default_solver();
    struct gabion_solution solution;
    double r[3] = {0};
    solver.threads = 2;
    return gabion_solve(&problem, &solver, r, &solution, error);
}

static bool measure(const struct program *program, struct gabion_error *error) {
    size_t count;
    struct gabion_interface *interfaces = gabion_measure_interfaces(program->world, &count, error);
    gabion_free(interfaces);
    return interfaces != NULL;
}

static enum stage use_library(struct program *program) {
    struct gabion_error *error = &program->error;
    struct gabion_world *world = gabion_create(&program->settings, 1, error);
    program->world = world;
    if (!world)
        return CREATED;
    if (gabion_add_material(world, "stone", 2000, error) < 0 ||
        !define_actions(world, program->friction, error) || !define_bodies(world, error) ||
        !gabion_find_interfaces(world, error))
        return DEFINED;
    if (gabion_run(world, FIRST, error) < 0)
        return BEGUN;
    if (!gabion_write_checkpoint(world, program->early, error))
        return SAVED;
    if (gabion_run(world, LAST - FIRST, error) < 0)
        return STEPPED;
    if (!gabion_write_checkpoint(world, program->late, error))
        return WRITTEN;
    if (!measure(program, error))
        return MEASURED;
    if (!gabion_restore_checkpoint(world, program->late, error))
        return RESTORED;
    return solve_something(error) ? DONE : SOLVED;
}

// Restores a checkpoint into another world and goes on to the last step.
static uint64_t hash_from(const struct program *program, const char *path) {
    struct gabion_error error = {0};
    struct gabion_world *world = gabion_create(&program->settings, 1, &error);
    check(world && gabion_add_material(world, "stone", 2000, &error) == 0, &error);
    check(gabion_restore_checkpoint(world, path, &error), &error);
    check(define_actions(world, program->friction, &error), &error);
    int64_t left = LAST - gabion_step_number(world);
    check(gabion_run(world, left, &error) == left, &error);
    uint64_t hash = gabion_state_hash(world);
    gabion_destroy(world);
    return hash;
}

// What failures left: worlds with their last complete step, broken worlds, worlds as they were.
struct tally {
    int failures, spent, broken, untouched, met[DONE];
};

static void expect_rejected(bool failed, struct gabion_error *error, const char *text) {
    assert_true(failed);
    assert_int_equal(error->status, GABION_ERROR_INPUT);
    if (!strstr(error->text, text))
        fail_msg("no '%s' in '%s'", text, error->text);
    *error = (struct gabion_error){0};
}

// A step failed: the last complete one is in the world, or the world is broken and the checkpoint
// before is left. Either goes on.
static void check_step(struct program *program, enum stage stage, uint64_t hash,
                       struct tally *tally) {
    struct gabion_error error = {0};
    int64_t step = gabion_step_number(program->world);
    if (step < 0) {
        tally->broken++;
        expect_rejected(!gabion_step(program->world, &error), &error, "broken");
        expect_rejected(!gabion_write_checkpoint(program->world, program->late, &error), &error,
                        "broken");
        if (stage == STEPPED)
            assert_true(hash_from(program, program->early) == hash);
        return;
    }
    tally->spent++;
    assert_true(stage == BEGUN ? step < FIRST : step >= FIRST && step < LAST);
    expect_rejected(!gabion_step(program->world, &error), &error, "ran out of memory");
    expect_rejected(gabion_add_group(program->world, "b", &error) < 0, &error, "ran out of memory");
    check(measure(program, &error), &error);
    check(gabion_write_checkpoint(program->world, program->late, &error), &error);
    if (stage == STEPPED) // the force on body 1 is not part of the state
        assert_true(hash_from(program, program->late) == hash);
}

static void check_failure(struct program *program, enum stage stage, uint64_t hash,
                          struct tally *tally) {
    struct gabion_error error = {0};
    tally->failures++;
    tally->met[stage]++;
    assert_int_equal(program->error.status, GABION_ERROR_MEMORY);
    assert_non_null(strstr(program->error.text, "memory"));
    if (stage == BEGUN || stage == STEPPED)
        check_step(program, stage, hash, tally);
    else if (stage == DEFINED)
        expect_rejected(!gabion_step(program->world, &error), &error, "broken");
    else if (stage != CREATED && stage != RESTORED) {
        tally->untouched++;
        int64_t left = LAST - gabion_step_number(program->world);
        check(gabion_run(program->world, left, &error) == left, &error);
        assert_true(gabion_state_hash(program->world) == hash);
    }
    gabion_destroy(program->world);
}

static int open_files(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

static void make_file(char path[32]) {
    snprintf(path, 32, "/tmp/gabion-memory-XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
}

static void remove_file(const char *path) {
    char temporary[64];
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    assert_int_not_equal(access(temporary, F_OK), 0);
    unlink(path);
}

// Lets `allowed` allocations succeed and the next one fail; negative: none fails.
static enum stage run_program(struct program *program, int64_t allowed) {
    program->error = (struct gabion_error){0};
    memory_fail_after(allowed);
    enum stage stage = use_library(program);
    memory_fail_after(-1);
    assert_true((stage == DONE) == (program->error.status == GABION_OK));
    return stage;
}

// Every single allocation fails in make torture, where this takes a minute; elsewhere a part of
// them does.
static int64_t stride(void) { return getenv("GABION_ALL_ALLOCATIONS") ? 1 : effort(23, 67); }

static void exhaust(struct program *program) {
    struct tally tally = {0};
    make_file(program->early);
    make_file(program->late);
    assert_int_equal(run_program(program, -1), DONE);
    uint64_t hash = gabion_state_hash(program->world);
    gabion_destroy(program->world);
    int before = open_files();
    // Where the stride jumps over a stage, it goes back and on one by one up to `careful`.
    int64_t n = 0, careful = 0;
    enum stage last = CREATED, stage = run_program(program, n);
    while (stage != DONE || (last + 1 < DONE && n > careful)) {
        if (stage == DONE)
            gabion_destroy(program->world);
        else
            check_failure(program, stage, hash, &tally);
        assert_int_equal(open_files(), before);
        if (stage > last + 1 && n > careful) {
            careful = n;
            n -= stride() - 1;
        } else {
            last = stage;
            n += n < careful ? 1 : stride();
        }
        stage = run_program(program, n);
    }
    assert_true(gabion_state_hash(program->world) == hash);
    gabion_destroy(program->world);
    print_message("%d allocations failed; steps left %d worlds with their last state and %d "
                  "broken; %d worlds were only read\n",
                  tally.failures, tally.spent, tally.broken, tally.untouched);
    for (int k = 0; k < DONE; k++)
        if (tally.met[k] == 0)
            fail_msg("no allocation failed in stage %d", k);
    assert_true(tally.spent > 0);
    assert_true(stride() > 1 || tally.spent > tally.broken); // a few say nothing about all
    remove_file(program->early);
    remove_file(program->late);
}

// test_memory.c has the allocations of every method.
static struct gabion_settings quick_settings(enum gabion_method method) {
    struct gabion_settings settings = gabion_default_settings();
    settings.method = method;
    settings.max_sweeps = 10;
    settings.on_cap = GABION_CAP_ACCEPT;
    return settings;
}

static void test_moreau(void **state) {
    (void)state;
    struct program program = {.settings = quick_settings(GABION_METHOD_NSGS), .friction = 0.5};
    exhaust(&program);
}

static void test_corrective(void **state) {
    (void)state;
    struct program program = {.settings = quick_settings(GABION_METHOD_BICG)};
    program.settings.scheme = GABION_SCHEME_CORRECTIVE;
    program.settings.budget = (struct gabion_budget){5, 5, 5};
    exhaust(&program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moreau),
        cmocka_unit_test(test_corrective),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
