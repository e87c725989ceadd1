// Nothing first appears inside (docs/solvers.md, "Contacts on the way"): random collisions of every
// pair of shapes, two cubes as in the report that asked for it, and a small pour. Overlaps are
// measured afresh from shapes and positions.
#include <string.h>
#include <unistd.h>

#include "engine/problem/stored.h"
#include "engine/solvers/panel.h"
#include "io/fclib/fclib.h"
#include "parallel/memory.h"
#include "tests/unit/effort.h"
#include "tests/unit/pour.h"
#include "tests/unit/scene.h"

#define EACH    10   // collisions per pair of shapes
#define BOUND   1e-3 // overlap at the end of a step, share of the smaller body's size
#define MILLION 1e-6

static struct team *one_thread(void) {
    struct gabion_error error = {0};
    struct team *team = team_create(1, NULL, &error);
    assert_non_null(team);
    return team;
}

static void check(struct collision collision, const char *first, const char *second,
                  uint64_t seed) {
    bool fine = collision.overlap <= BOUND && collision.on_way <= COLLISION_THROUGH &&
                collision.gain <= MILLION;
    if (!fine)
        fail_msg("%s and %s, seed %llu: overlap %g, on the way %g, energy rises by %g", first,
                 second, (unsigned long long)seed, collision.overlap, collision.on_way,
                 collision.gain);
}

// 0.1 to 5 sizes of travel per step, any spin up to 1.5 rad: no body passes through another, no
// overlap above the bound, no gain of energy (e = 0). The bodies do meet.
static void test_every_pair(void **state) {
    (void)state;
    struct team *team = one_thread();
    uint64_t seed = 1;
    int met = 0, rounds = 0, each = effort(EACH, 2);
    for (int first = 0; first < COLLISION_MOVING; first++)
        for (int second = first; second < COLLISION_SHAPES; second++)
            for (int k = 0; k < each; k++, seed++) {
                struct collision_scene scene = collision_draw(team, seed, first, second);
                struct collision collision = collision_run(&scene);
                check(collision, collision_names[first], collision_names[second], seed);
                met += collision.met;
                rounds += collision.rounds;
            }
    assert_true(met > 30 * each); // of 34
    assert_true(rounds > 0);
    team_destroy(team);
}

// Steps of 2 ms at 1.5 m/s: contacts of the midpoint alone left up to 4.9 mm.
static void test_cubes(void **state) {
    (void)state;
    struct team *team = one_thread();
    for (uint64_t seed = 1; seed <= (uint64_t)effort(60, 10); seed++) {
        struct collision_scene scene = collision_cubes(team, seed);
        struct collision collision = collision_run(&scene);
        check(collision, "cube", "cube", seed);
        assert_true(collision.met);
    }
    team_destroy(team);
}

static void test_pour(void **state) {
    (void)state;
    struct team *team = one_thread();
    struct gabion_world *world = pour_create(team, 60, 2e-3, 1);
    struct pour pour = {0};
    for (int step = 0; step < 300; step++)
        pour_step(world, &pour);
    assert_at_most(pour.overlap, BOUND);
    assert_at_most(pour.rise, 1e-5); // of the default solver.tolerance
    assert_true(pour.late > 0);
    gabion_destroy(world);
    team_destroy(team);
}

// Late contacts live within a step: the state has the same bits with any number of threads.
static uint64_t hash_of_pour(int threads) {
    struct gabion_error error = {0};
    struct team *team = team_create(threads, NULL, &error);
    assert_non_null(team);
    struct gabion_world *world = pour_create(team, 60, 2e-3, 1);
    scene_step(world, 120);
    assert_true(world->report.rounds > 0);
    uint64_t hash = gabion_state_hash(world);
    gabion_destroy(world);
    team_destroy(team);
    return hash;
}

static void test_threads(void **state) {
    (void)state;
    uint64_t hash = hash_of_pour(1);
    assert_true(hash_of_pour(2) == hash);
    assert_true(hash_of_pour(3) == hash);
}

// A ball is pushed by a heavy one further than its own alert distance, against a third one: the
// pair is found after the first solve. All three end apart.
static void test_pushed(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-2, 0.5);
    settings.gravity = vec3_zero();
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    scene_sphere(world, vec3_make(-0.5, 0, 0), 0.1, 1000, vec3_make(20, 0, 0));
    int32_t light = scene_sphere(world, vec3_make(-0.15, 0, 0), 0.1, 1, vec3_zero());
    int32_t third = scene_sphere(world, vec3_make(0.15, 0, 0), 0.1, 1, vec3_zero());
    double gap = INFINITY;
    for (int step = 0; step < 5; step++) {
        scene_step(world, 1);
        vec3 d = vec3_sub(scene_position(world, third), scene_position(world, light));
        gap = fmin(gap, d.x - 0.2);
    }
    assert_true(scene_velocity(world, third).x > 10); // it was hit
    assert_at_most(-gap, 1e-9);
    scene_destroy(world);
}

// A file and back, solved alone: the impulses of the run, bit for bit.
static void check_file(const struct gabion_world *world, struct contact_problem *kept,
                       const char *path) {
    struct gabion_error error = {0};
    struct solver_settings settings = solve_settings(world);
    struct contact_problem *read = NULL;
    contact_problem_materialise(kept);
    size_t slots = contact_problem_slots(kept);
    double *rows = memory_allocate(contact_problem_size(kept), sizeof *rows, "test");
    vec3 *r = memory_allocate(slots, sizeof *r, "test");
    contact_problem_to_rows(kept, world->contacts->impulse, rows);
    assert_true(fclib_write(path, kept, rows, NULL, &error));
    assert_true(fclib_read_step(path, &read, &error));
    assert_non_null(read);
    assert_int_equal(contact_problem_slots(read), slots);
    read->team = world->team;
    memcpy(r, read->stored->start, slots * sizeof *r);
    panel_solve(read, GABION_METHOD_NSGS, &settings, NULL, (double *)r);
    assert_memory_equal(r, world->contacts->impulse, slots * sizeof *r);
    contact_problem_free(read);
    memory_free(rows);
    memory_free(r);
}

static void test_export(void **state) {
    (void)state;
    char path[] = "/tmp/gabion-collisions-XXXXXX";
    int file = mkstemp(path), late = 0;
    assert_true(file >= 0);
    close(file);
    struct team *team = one_thread();
    struct gabion_world *world = pour_create(team, 20, 2e-3, 1);
    world->settings.method = GABION_METHOD_NSGS; // of which files promise the same bits
    struct step_keeper keeper = {.observer = {step_keep}};
    for (int step = 0; step < 150 && late < 5; step++) {
        world->observer = &keeper.observer;
        scene_step(world, 1);
        if (world->report.rounds == 0)
            continue;
        check_file(world, keeper.problem, path);
        late++;
    }
    assert_int_equal(late, 5);
    contact_problem_free(keeper.problem);
    gabion_destroy(world);
    team_destroy(team);
    unlink(path);
}

// A run that stops between steps with late contacts and goes on from a checkpoint: the same bits.
static void test_resume(void **state) {
    (void)state;
    char path[] = "/tmp/gabion-collisions-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    struct gabion_error error = {0};
    struct team *team = one_thread();
    struct gabion_world *world = pour_create(team, 60, 2e-3, 1);
    struct gabion_world *resumed = pour_create(team, 60, 2e-3, 1);
    scene_step(world, 120);
    assert_true(world->report.rounds > 0);
    assert_true(gabion_write_checkpoint(world, path, &error));
    assert_true(gabion_restore_checkpoint(resumed, path, &error));
    scene_step(world, 20);
    scene_step(resumed, 20);
    assert_true(gabion_state_hash(world) == gabion_state_hash(resumed));
    gabion_destroy(world);
    gabion_destroy(resumed);
    team_destroy(team);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pair), cmocka_unit_test(test_cubes),
        cmocka_unit_test(test_pour),       cmocka_unit_test(test_threads),
        cmocka_unit_test(test_pushed),     cmocka_unit_test(test_export),
        cmocka_unit_test(test_resume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
