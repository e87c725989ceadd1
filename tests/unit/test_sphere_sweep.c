// The kernels of sphere contacts do the same on groups of any number: same bits in bodies, impulses
// and sums, and nothing beyond the end. The other bodies, and those that do not move, stay.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/solvers/sweep/measure.h"
#include "engine/solvers/sweep/sphere_sweep.h"
#include "parallel/random.h"

#define GROUPS_MOST 40
#define SPARE       2                             // groups beyond the end
#define BODIES      (2 * LANES * GROUPS_MOST + 1) // two for each contact, and the null body
#define SWEEPS      3

struct scene {
    _Alignas(CACHE_LINE) struct solver_body bodies[BODIES];
    struct sphere_group groups[GROUPS_MOST + SPARE];
    struct lane_vector last[GROUPS_MOST + SPARE];
    struct batch batch;
    struct sweep_sums sums[SWEEPS];
};

static struct scene scenes[2];

static vec3 vector(struct random_stream *random) {
    double x = random_between(random, -1, 1), y = random_between(random, -1, 1);
    return vec3_make(x, y, random_between(random, -1, 1));
}

static vec3 normal(struct random_stream *random) {
    vec3 a = vector(random);
    return vec3_scale(1 / vec3_length(a), a);
}

static void fill_body(struct random_stream *random, struct solver_body *body) {
    solver_set_velocity(body, vector(random), vector(random));
    body->inv_m = random_between(random, 0.5, 2);
    body->k = 2.5 * body->inv_m;
}

// Contact `index` is between the bodies 2 index and 2 index + 1, in any order; some bear nothing.
static void fill_lane(struct random_stream *random, struct scene *scene, uint32_t index,
                      bool used) {
    struct sphere_group *group = &scene->groups[index / LANES];
    uint32_t lane = index % LANES;
    bool turned = random_unit(random) < 0.5, quiet = random_unit(random) < 0.3;
    int32_t null_body = BODIES - 1, first = (int32_t)(2 * index);
    group->c[lane] = used ? first + turned : null_body;
    group->a[lane] = used ? first + !turned : null_body;
    lane_set(&group->n, lane, used ? normal(random) : vec3_zero());
    lane_set(&group->p, lane, used && !quiet ? vector(random) : vec3_zero());
    lane_set(&scene->last[index / LANES], lane, used && !quiet ? vector(random) : vec3_zero());
    group->b[lane] = used ? (quiet ? 10 : random_between(random, -1, 1)) : 0;
}

static void make(struct scene *scene, enum batch_kind kind, uint32_t contacts) {
    struct random_stream random = {contacts};
    uint32_t groups = (contacts + LANES - 1) / LANES;
    memset(scene, 0, sizeof *scene);
    scene->batch = (struct batch){.kind = kind,
                                  .counted = true,
                                  .mu = 0.3,
                                  .end = groups,
                                  .lanes = (contacts - 1) % LANES + 1};
    for (int32_t i = 0; i < BODIES - 1; i++)
        fill_body(&random, &scene->bodies[i]);
    scene->bodies[BODIES - 1] = (struct solver_body){.inv_m = 1, .k = 1};
    for (uint32_t k = 0; k < groups * LANES; k++)
        fill_lane(&random, scene, k, k < contacts);
}

// Sweeps over the groups in two chunks; the first one may be empty.
static void sweep(struct scene *scene, const char *kernel, uint32_t middle) {
    setenv("GABION_KERNEL", kernel, 1);
    sphere_sweep_function function = sphere_sweep_choose(NULL);
    unsetenv("GABION_KERNEL");
    struct sweep_call call = {scene->bodies, scene->groups, scene->last, &scene->batch, 1.1, 0.4};
    for (int k = 0; k < SWEEPS; k++) {
        struct sweep_tally first = {0}, second = {0};
        if (middle > 0)
            function(&call, 0, middle, &first);
        function(&call, middle, scene->batch.end, &second);
        tally_merge(&first, &second);
        scene->sums[k] = tally_close(first);
    }
}

static void assert_still(const struct scene *scene, enum batch_kind kind, uint32_t contacts) {
    make(&scenes[1], kind, contacts);
    for (int32_t i = (int32_t)(2 * contacts); i < BODIES; i++)
        assert_memory_equal(&scene->bodies[i], &scenes[1].bodies[i], sizeof *scene->bodies);
    for (uint32_t k = 0; kind == BATCH_SPHERE_FIXED && k < contacts; k++) {
        int32_t a = scene->groups[k / LANES].a[k % LANES];
        assert_memory_equal(&scene->bodies[a], &scenes[1].bodies[a], sizeof *scene->bodies);
    }
    uint32_t end = scene->batch.end;
    assert_memory_equal(&scene->groups[end], &scenes[1].groups[end], SPARE * sizeof *scene->groups);
    assert_memory_equal(&scene->last[end], &scenes[1].last[end], SPARE * sizeof *scene->last);
}

static void compare(enum batch_kind kind, uint32_t contacts, const char *kernel) {
    uint32_t groups = (contacts + LANES - 1) / LANES;
    make(&scenes[0], kind, contacts);
    sweep(&scenes[0], "baseline", 0);
    assert_still(&scenes[0], kind, contacts);
    assert_true(contacts < 4 * LANES || scenes[0].sums[0].change2 > 0);
    make(&scenes[1], kind, contacts);
    sweep(&scenes[1], kernel, groups / 2);
    assert_memory_equal(&scenes[0], &scenes[1], sizeof scenes[0]);
}

static void test_kernels(void **state) {
    (void)state;
    const char *kernels[] = {"baseline", "avx2", "best"};
    for (uint32_t contacts = 1; contacts <= LANES * GROUPS_MOST; contacts++)
        for (int k = 0; k < 3; k++) {
            compare(BATCH_SPHERE_PAIR, contacts, kernels[k]);
            compare(BATCH_SPHERE_FIXED, contacts, kernels[k]);
        }
}

// The residual: bodies that are said to be split are measured one contact at a time.
static struct residual_sums measured(struct scene *scene, const char *kernel, bool alone) {
    static int32_t copies[BODIES];
    static struct chunk chunk;
    for (int32_t i = 0; i < BODIES; i++)
        copies[i] = 1;
    chunk = (struct chunk){0, 0, scene->batch.end};
    struct sweep_plan plan = {.least = {.floor = 1e-3, .still = 1e-14},
                              .body_count = BODIES,
                              .solver_body_count = BODIES + 1,
                              .bodies = scene->bodies,
                              .groups = scene->groups,
                              .batches = &scene->batch,
                              .copies = copies,
                              .split_count = alone};
    struct residual_tally tally = {0};
    setenv("GABION_KERNEL", kernel, 1);
    measure_solved(&plan, &chunk, plan.least.floor, &tally);
    unsetenv("GABION_KERNEL");
    return residual_close(&tally);
}

static void compare_residual(uint32_t contacts, const char *kernel) {
    make(&scenes[0], BATCH_SPHERE_PAIR, contacts);
    for (int sweeps = 0; sweeps < 2; sweeps++) {
        struct residual_sums one = measured(&scenes[0], kernel, true);
        struct residual_sums all = measured(&scenes[0], kernel, false);
        assert_true(contacts < 4 * LANES || (one.scaled2 > 0 && one.worst2 > 0 && one.worst > 0));
        assert_memory_equal(&one, &all, sizeof one);
        sweep(&scenes[0], kernel, 0); // most contacts are solved then
    }
}

static void test_residual(void **state) {
    (void)state;
    for (uint32_t contacts = 1; contacts <= LANES * GROUPS_MOST; contacts++) {
        compare_residual(contacts, "baseline");
        compare_residual(contacts, "best");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels),
                                       cmocka_unit_test(test_residual)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
