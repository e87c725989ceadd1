// Steps that are abandoned. The stop function says yes at its k-th call, for k = 1, 2, 3, ...: each
// time the world must be that of the last complete step, and once it is left alone the run must go
// on to the same bits as one that nobody stopped.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/gabion.h"

#define STEPS 8

// Says yes from its k-th call on; 0: never.
struct patience {
    int64_t calls, limit;
};

static bool run_out(void *user) {
    struct patience *patience = user;
    patience->calls++;
    return patience->limit > 0 && patience->calls >= patience->limit;
}

struct variant {
    enum gabion_method method;
    enum gabion_local local;
    bool corrective;
    double friction;
    int threads, projection;
};

static void check(bool good, const struct gabion_error *error) {
    if (!good)
        fail_msg("%s", error->text);
}

static struct gabion_settings settings_of(const struct variant *variant) {
    struct gabion_settings settings = gabion_default_settings();
    settings.step = 5e-3;
    settings.gravity = (gabion_vec3){0, 0, -10};
    settings.method = variant->method;
    settings.local = variant->local;
    settings.tolerance = 1e-7;
    settings.max_sweeps = 300;
    settings.on_cap = GABION_CAP_ACCEPT;
    if (variant->projection > 0)
        settings.projection = variant->projection;
    if (variant->corrective)
        settings.scheme = GABION_SCHEME_CORRECTIVE;
    return settings;
}

static void add_body(struct gabion_world *world, struct gabion_body body, gabion_vec3 position) {
    struct gabion_error error = {0};
    body.position = position;
    body.density = 2000;
    check(gabion_add_body(world, &body, &error) >= 0, &error);
}

// A tower of boxes with spheres between them and on them, of which one comes later.
static struct gabion_world *make_world(const struct variant *variant) {
    struct gabion_error error = {0};
    struct gabion_settings settings = settings_of(variant);
    struct gabion_world *world = gabion_create(&settings, variant->threads, &error);
    check(world != NULL, &error);
    int stone = gabion_add_material(world, "stone", 2000, &error);
    struct gabion_law law = {.friction = variant->friction};
    check(gabion_set_default_law(world, &law, &error), &error);
    struct gabion_body body = gabion_default_body();
    body.material = stone;
    body.shape = GABION_HALF_SPACE;
    body.normal = (gabion_vec3){0, 0, 1};
    body.tangent = (gabion_vec3){1, 0, 0};
    body.fixed = true;
    add_body(world, body, (gabion_vec3){0, 0, 0});
    body = gabion_default_body();
    body.material = stone;
    body.shape = GABION_POLYHEDRON;
    body.polyhedron = gabion_add_box(world, (gabion_vec3){1, 1, 0.5}, &error);
    for (int k = 0; k < 4; k++)
        add_body(world, body, (gabion_vec3){0.02 * k, 0, 0.25 + 0.5 * k});
    body.shape = GABION_SPHERE;
    body.radius = 0.1;
    for (int k = 0; k < 9; k++)
        add_body(world, body, (gabion_vec3){-0.3 + 0.3 * (k % 3), -0.3 + 0.3 * (k / 3), 2.1});
    body.insert_time = 3 * settings.step;
    body.velocity = (gabion_vec3){0, 0, -4};
    add_body(world, body, (gabion_vec3){-0.2, -0.15, 2.32});
    return world;
}

static uint64_t undisturbed(const struct variant *variant, int64_t *polls) {
    struct gabion_error error = {0};
    struct patience patience = {0};
    struct gabion_world *world = make_world(variant);
    check(gabion_set_stop_function(world, run_out, &patience, &error), &error);
    check(gabion_run(world, STEPS, &error) == STEPS, &error);
    uint64_t hash = gabion_state_hash(world);
    gabion_destroy(world);
    *polls = patience.calls;
    return hash;
}

// Tries a step with every limit from 1 on, in larger and larger strides, until none is reached any
// more. Returns how often it was abandoned.
static int64_t step_stopped(struct gabion_world *world, struct patience *patience) {
    int64_t step = gabion_step_number(world), abandoned = 0;
    uint64_t hash = 0;
    for (int64_t limit = 1;; limit += 1 + limit / 4) {
        struct gabion_error error = {0};
        *patience = (struct patience){.limit = limit};
        if (gabion_step(world, &error))
            return abandoned;
        assert_int_equal(error.status, GABION_ERROR_STOPPED);
        assert_int_equal(patience->calls, limit); // yes is final: nobody asks again
        assert_int_equal(gabion_step_number(world), step);
        if (abandoned++ > 0)
            assert_int_equal(gabion_state_hash(world), hash);
        hash = gabion_state_hash(world);
    }
}

static void assert_same_after_stops(const struct variant *variant) {
    struct gabion_error error = {0};
    struct patience patience = {0};
    int64_t polls, abandoned = 0;
    uint64_t hash = undisturbed(variant, &polls);
    struct gabion_world *world = make_world(variant);
    check(gabion_set_stop_function(world, run_out, &patience, &error), &error);
    while (gabion_step_number(world) < STEPS)
        abandoned += step_stopped(world, &patience);
    print_message("%s: asked %lld times in %d steps, abandoned %lld times\n",
                  gabion_method_name(variant->method), (long long)polls, STEPS,
                  (long long)abandoned);
    assert_true(abandoned >= STEPS - 2); // some steps begin with their solution
    assert_int_equal(gabion_state_hash(world), hash);
    gabion_destroy(world);
}

static void test_every_method(void **state) {
    (void)state;
    for (int method = 0; method < GABION_METHOD_COUNT; method++) {
        struct variant variant = {.method = (enum gabion_method)method, .friction = 0.5};
        if (method == GABION_METHOD_PSOR)
            variant.friction = 0;
        for (variant.threads = 1; variant.threads <= 2; variant.threads++)
            assert_same_after_stops(&variant);
    }
}

static void test_every_local_solver(void **state) {
    (void)state;
    for (int local = 0; local < GABION_LOCAL_COUNT; local++) {
        struct variant variant = {.local = (enum gabion_local)local, .friction = 0.5, .threads = 2};
        assert_same_after_stops(&variant);
    }
}

static void test_corrective_scheme(void **state) {
    (void)state;
    struct variant variant = {.method = GABION_METHOD_BICG, .corrective = true, .threads = 1};
    assert_same_after_stops(&variant);
}

// Forces after a step that was abandoned are those of the last complete step, to the bit, however
// often it is tried; a body that enters in between does not matter.
static void test_probes_keep_their_forces(void **state) {
    (void)state;
    struct variant variant = {.method = GABION_METHOD_NSGS, .friction = 0.5, .threads = 1};
    struct gabion_error error = {0};
    struct patience patience = {0};
    struct gabion_world *world = make_world(&variant);
    struct gabion_probe probe = gabion_default_probe();
    probe.name = "forces";
    probe.quantity = GABION_NETWORK;
    probe.bins = 3;
    int forces = gabion_define_probe(world, &probe, &error);
    check(forces >= 0, &error);
    check(gabion_set_stop_function(world, run_out, &patience, &error), &error);
    for (int step = 0; step < STEPS; step++) {
        double before[11], after[11];
        assert_int_equal(gabion_probe_read(world, forces, before, 11, &error), 11);
        assert_true(step == 0 || before[1] > 0);
        patience = (struct patience){.limit = 2};
        for (int trial = 0; trial < 2; trial++) {
            assert_false(gabion_step(world, &error));
            assert_int_equal(gabion_probe_read(world, forces, after, 11, &error), 11);
            assert_memory_equal(before, after, sizeof before);
        }
        patience = (struct patience){0};
        error = (struct gabion_error){0};
        check(gabion_step(world, &error), &error);
    }
    gabion_destroy(world);
}

// The pass over positions comes after the last check, when nothing may stop the step any more.
static void test_position_pass(void **state) {
    (void)state;
    struct variant variant = {.friction = 0.5, .threads = 1, .projection = 20};
    assert_same_after_stops(&variant);
}

// The contacts of the last complete step are overwritten, but its forces are known.
static void test_probes_of_abandoned_steps(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct patience patience = {0};
    struct variant variant = {.friction = 0.5, .threads = 1};
    struct gabion_world *world = make_world(&variant);
    gabion_vec3 force, before, place;
    int probes[] = {gabion_add_probe(world, "force", 0, GABION_FORCE, &error),
                    gabion_add_probe(world, "place", 0, GABION_POSITION, &error)};
    check(probes[0] >= 0 && probes[1] >= 0, &error);
    check(gabion_set_stop_function(world, run_out, &patience, &error), &error);
    check(gabion_run(world, 2, &error) == 2, &error);
    check(gabion_probe_value(world, probes[0], &before, &error), &error);
    assert_false(isnan(before.z));
    patience = (struct patience){.limit = 1};
    assert_false(gabion_step(world, &error));
    error = (struct gabion_error){0};
    check(gabion_probe_value(world, probes[0], &force, &error), &error);
    check(gabion_probe_value(world, probes[1], &place, &error), &error);
    assert_memory_equal(&force, &before, sizeof before);
    assert_false(isnan(place.z));
    patience = (struct patience){0};
    check(gabion_step(world, &error), &error);
    check(gabion_probe_value(world, probes[0], &force, &error), &error);
    assert_false(isnan(force.z));
    gabion_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_method),      cmocka_unit_test(test_every_local_solver),
        cmocka_unit_test(test_corrective_scheme), cmocka_unit_test(test_probes_keep_their_forces),
        cmocka_unit_test(test_position_pass),     cmocka_unit_test(test_probes_of_abandoned_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
