// Case files read through the library: the world steps as the program's does, mistakes are reported
// as the program does, and each allocation may fail.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "engine/gabion.h"
#include "io/run/scene.h"
#include "parallel/memory.h" // memory_fail_after
#include "tests/unit/effort.h"

#define STEPS 5

// The reference is what `gabion run` opens and steps.
static uint64_t hash_of_program(const char *path, const char *const *overrides, int count) {
    struct scene_request request = {
        .case_path = path, .overrides = overrides, .override_count = count, .threads = 1};
    struct gabion_error error = {0};
    struct scene scene;
    assert_true(scene_open_case(&scene, &request, &error));
    assert_int_equal(gabion_run(scene.world, STEPS, &error), STEPS);
    uint64_t hash = gabion_state_hash(scene.world);
    scene_close(&scene);
    return hash;
}

static uint64_t hash_of_library(const char *path, const char *const *overrides, int count) {
    struct gabion_error error = {0};
    struct gabion_world *world = gabion_load_case(path, overrides, count, 1, &error);
    if (!world)
        fail_msg("%s", error.text);
    assert_int_equal(gabion_run(world, STEPS, &error), STEPS);
    uint64_t hash = gabion_state_hash(world);
    gabion_destroy(world);
    return hash;
}

static void cases_step_as_in_the_program(void **state) {
    (void)state;
    const char *const paths[] = {"cases/arch.yaml", "cases/masonry_tower.yaml",
                                 "cases/papers/double_pendulum.yaml", "tests/cli/cases/table.yaml"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        assert_true(hash_of_library(paths[i], NULL, 0) == hash_of_program(paths[i], NULL, 0));
}

static void overrides_act(void **state) {
    (void)state;
    const char *const overrides[] = {"gravity=[0, 0, -5]", "time.end=3.5"};
    struct gabion_error error = {0};
    struct gabion_settings settings;
    assert_true(hash_of_library("cases/arch.yaml", overrides, 2) ==
                hash_of_program("cases/arch.yaml", overrides, 2));
    assert_false(hash_of_library("cases/arch.yaml", overrides, 2) ==
                 hash_of_library("cases/arch.yaml", NULL, 0));
    struct gabion_world *world = gabion_load_case("cases/arch.yaml", overrides, 2, 1, &error);
    assert_true(gabion_get_settings(world, &settings, &error));
    assert_true(settings.end == 3.5 && settings.gravity.z == -5);
    gabion_destroy(world);
}

static void mistakes_name_file_and_line(void **state) {
    (void)state;
    struct gabion_error error = {0};
    const char path[] = "load_case_wrong.yaml";
    FILE *file = fopen(path, "w");
    fputs("time: {step: 1e-3, end: 1}\nmaterials: {stone: {densty: 3}}\n", file);
    fclose(file);
    assert_null(gabion_load_case(path, NULL, 0, 1, &error));
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    assert_non_null(strstr(error.text, "load_case_wrong.yaml:2:"));
    assert_non_null(strstr(error.text, "density"));
    remove(path);
}

// Every allocation fails once; the address sanitizer sees what is leaked.
static void memory_may_run_out(void **state) {
    (void)state;
    const char path[] = "tests/cli/cases/masonry.yaml";
    struct gabion_world *world = NULL;
    int64_t failed = 0;
    while (!world) {
        struct gabion_error error = {0};
        memory_fail_after(effort(1, 7) * failed);
        world = gabion_load_case(path, NULL, 0, 1, &error);
        memory_fail_after(-1);
        assert_int_equal(error.status, world ? GABION_OK : GABION_ERROR_MEMORY);
        failed += !world;
    }
    print_message("%d failures\n", (int)failed);
    assert_true(failed > 50);
    gabion_destroy(world);
}

static void *load_in_thread(void *hash) {
    *(uint64_t *)hash = hash_of_library("cases/papers/double_pendulum.yaml", NULL, 0);
    return NULL;
}

static void threads_take_turns(void **state) {
    (void)state;
    pthread_t thread[3];
    uint64_t hash[3];
    uint64_t expected = hash_of_program("cases/papers/double_pendulum.yaml", NULL, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, load_in_thread, &hash[i]), 0);
    for (int i = 0; i < 3; i++) {
        pthread_join(thread[i], NULL);
        assert_true(hash[i] == expected);
    }
}

// The view shows what the copies hold.
static void contacts_are_seen_without_a_copy(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_contacts view;
    struct gabion_bodies bodies;
    struct gabion_contact copy[400];
    struct gabion_world *world = gabion_load_case("cases/arch.yaml", NULL, 0, 1, &error);
    assert_true(gabion_view_contacts(world, &view, &error));
    assert_int_equal(view.count, 0);
    assert_int_equal(gabion_run(world, STEPS, &error), STEPS);
    assert_true(gabion_view_contacts(world, &view, &error));
    assert_true(gabion_view_bodies(world, &bodies, &error));
    assert_int_equal(gabion_read_contacts(world, 0, 400, copy, &error), view.count);
    assert_true(view.count > 30);
    for (int64_t k = 0; k < view.count; k++) {
#define AT(array_) (*(__typeof__(view.array_))((const char *)view.array_ + (size_t)k * view.stride))
        assert_int_equal(AT(first), copy[k].index[0]);
        assert_int_equal(AT(second), copy[k].index[1]);
        assert_int_equal(bodies.id[AT(first)], copy[k].body[0]);
        assert_int_equal(AT(status), copy[k].status);
        assert_true(AT(gap) == copy[k].gap);
        gabion_vec3 normal = AT(normal);
        assert_memory_equal(&normal, &copy[k].normal, sizeof normal);
        assert_memory_equal(&view.impulse[k], &copy[k].impulse, sizeof copy[k].impulse);
        // The copy has the point at the end of the step, a velocity times half a step further.
        assert_true(fabs(AT(point).x - copy[k].point.x) < 1e-4);
#undef AT
    }
    gabion_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_step_as_in_the_program),
        cmocka_unit_test(overrides_act),
        cmocka_unit_test(mistakes_name_file_and_line),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(threads_take_turns),
        cmocka_unit_test(contacts_are_seen_without_a_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
