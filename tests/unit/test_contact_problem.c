// The contact problem by itself: its two faces, its states, and the problem of a step.
#include <string.h>

#include "engine/problem/residual.h"
#include "tests/unit/problem_maker.h"

static double *random_impulses(struct random_stream *random, const struct contact_problem *p) {
    size_t n = contact_problem_size(p);
    double *r = memory_allocate(n, sizeof *r, "test");
    for (size_t i = 0; i < n; i++)
        r[i] = random_between(random, -1, 1);
    return r;
}

static double largest(const double *x, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static void assert_same(const double *x, const double *y, size_t n, double tolerance) {
    double scale = fmax(largest(y, n), 1);
    for (size_t i = 0; i < n; i++)
        assert_near(x[i], y[i], tolerance * scale);
}

// W ---------------------------------------------------------------------------------------------

// Column j of W by the product of either face.
static void assert_columns(const struct contact_problem *problem, const double *W) {
    size_t n = contact_problem_size(problem);
    double *unit = memory_allocate(n, sizeof *unit, "test");
    double *column = memory_allocate(n, sizeof *column, "test");
    for (size_t j = 0; j < n; j++) {
        unit[j] = 1;
        contact_problem_product(problem, unit, column);
        unit[j] = 0;
        for (size_t i = 0; i < n; i++)
            assert_near(column[i], W[i * n + j], 1e-13);
    }
    memory_free(unit);
    memory_free(column);
}

static void assert_diagonal(const struct contact_problem *problem, const double *W) {
    size_t n = contact_problem_size(problem);
    for (int32_t a = 0; a < problem->contacts; a++) {
        size_t at = 3 * (size_t)a;
        for (size_t k = 0; k < 9; k++)
            assert_near(vec3_get(problem->diagonal[a].row[k / 3], (int)(k % 3)),
                        W[(at + k / 3) * n + at + k % 3], 1e-13);
        double norm = maker_block_norm(problem, W, a);
        assert_near(problem->rho[a], norm > 0 ? 1 / norm : 0, 1e-12 * problem->rho[a]);
    }
}

static void test_W(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct contact_problem *bodies = maker_pile(seed, 5, 14, 0.3);
        struct contact_problem *matrix = contact_problem_assemble(bodies);
        struct contact_problem *copy = contact_problem_assemble(matrix);
        double *W = maker_dense(bodies), *built = maker_dense(matrix), *copied = maker_dense(copy);
        size_t n = contact_problem_size(bodies);
        for (size_t k = 0; k < n * n; k++) {
            assert_near(built[k], W[k], 1e-13);
            assert_near(built[k], built[k % n * n + k / n], 1e-13); // symmetric
            assert_true(copied[k] == built[k]);
        }
        struct contact_problem *faces[] = {bodies, matrix, copy};
        for (int k = 0; k < 3; k++) {
            assert_columns(faces[k], W);
            assert_diagonal(faces[k], W);
            contact_problem_free(faces[k]);
        }
        memory_free(W);
        memory_free(built);
        memory_free(copied);
    }
}

// A contact between two prescribed bodies keeps its place, with a block of zeros.
static void test_fixed_pair(void **state) {
    (void)state;
    struct contact_problem *bodies = maker_pile(3, 3, 4, 0.3);
    bodies->bodies.rows[3].c = bodies->bodies.rows[3].a = CONTACT_FIXED;
    struct contact_problem *fresh = contact_problem_with_bodies(4, 3);
    memcpy(fresh->bodies.rows, bodies->bodies.rows, 4 * sizeof *fresh->bodies.rows);
    memcpy(fresh->bodies.inverse, bodies->bodies.inverse, 3 * sizeof *fresh->bodies.inverse);
    contact_problem_join(fresh);
    contact_problem_finish(fresh);
    struct contact_problem *matrix = contact_problem_assemble(fresh);
    double *W = maker_dense(fresh);
    assert_columns(fresh, W);
    assert_columns(matrix, W);
    assert_true(fresh->rho[3] == 0 && matrix->rho[3] == 0);
    assert_int_equal(matrix->matrix.start[4] - matrix->matrix.start[3], 1);
    memory_free(W);
    contact_problem_free(bodies);
    contact_problem_free(fresh);
    contact_problem_free(matrix);
}

// States ----------------------------------------------------------------------------------------

static void assert_state(const struct contact_problem *problem, uint64_t seed) {
    struct random_stream random = {seed};
    size_t n = contact_problem_size(problem);
    double *r = random_impulses(&random, problem);
    double *u = memory_allocate(n, sizeof *u, "test"), *W = maker_dense(problem);
    double *expected = memory_allocate(n, sizeof *expected, "test");
    struct contact_state contacts = contact_state_open(problem, r);
    for (int k = 0; k < 50; k++) {
        int32_t a = (int32_t)(random_unit(&random) * problem->contacts);
        vec3 next = maker_random_vector(&random, 1);
        contact_state_set(&contacts, a, next);
        assert_vector_near(contact_get(r, a), next, 0);
    }
    for (int refreshed = 0; refreshed < 2; refreshed++) {
        for (int32_t a = 0; a < problem->contacts; a++)
            contact_set(u, a, contact_state_velocity(&contacts, a));
        maker_velocity(problem, W, r, expected);
        assert_same(u, expected, n, 1e-13);
        contact_problem_velocity(problem, r, expected);
        assert_same(u, expected, n, 1e-13);
        for (size_t i = 0; i < n; i++)
            r[i] *= 0.5;
        contact_state_refresh(&contacts);
    }
    contact_state_close(&contacts);
    memory_free(r);
    memory_free(u);
    memory_free(W);
    memory_free(expected);
}

static void test_states(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct contact_problem *bodies = maker_pile(seed, 6, 17, 0.3);
        struct contact_problem *matrix = contact_problem_assemble(bodies);
        assert_state(bodies, seed);
        assert_state(matrix, seed);
        contact_problem_free(bodies);
        contact_problem_free(matrix);
    }
}

// Threads ---------------------------------------------------------------------------------------

static void assert_threads(struct contact_problem *problem) {
    struct random_stream random = {7};
    size_t n = contact_problem_size(problem);
    double *r = random_impulses(&random, problem), *alone = memory_allocate(n, sizeof *r, "test");
    double *together = memory_allocate(n, sizeof *r, "test");
    contact_problem_velocity(problem, r, alone);
    for (int threads = 1; threads <= 3; threads++) {
        struct gabion_error error = {0};
        problem->team = team_create(threads, NULL, &error);
        assert_non_null(problem->team);
        contact_problem_velocity(problem, r, together);
        assert_memory_equal(alone, together, n * sizeof *alone);
        team_destroy(problem->team);
    }
    problem->team = NULL;
    memory_free(r);
    memory_free(alone);
    memory_free(together);
}

static void test_threads(void **state) {
    (void)state;
    struct contact_problem *bodies = maker_pile(11, 900, 2500, 0.3);
    struct contact_problem *matrix = contact_problem_assemble(bodies);
    assert_threads(bodies);
    assert_threads(matrix);
    contact_problem_free(bodies);
    contact_problem_free(matrix);
}

// Steps -----------------------------------------------------------------------------------------

// Spheres that slide on the floor and on each other, and a box among them, after a step that was
// stopped early: a residual worth comparing.
static struct gabion_world *stepped_world(bool with_box, double friction) {
    struct gabion_settings settings = scene_settings(1e-2, 0.5);
    settings.max_sweeps = 3;
    settings.on_cap = GABION_CAP_ACCEPT;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = friction});
    scene_floor(world);
    for (int k = 0; k < 9; k++)
        scene_sphere(world, vec3_make(0.19 * (k % 3), 0.19 * (k / 3), 0.099), 0.1, 1 + k,
                     vec3_make(0.5, -0.3 * k, -1));
    scene_sphere(world, vec3_make(0.095, 0.095, 0.235), 0.1, 3, vec3_make(0, 0, -2));
    if (with_box)
        scene_block(world, scene_box_shape(world, vec3_make(0.1, 0.1, 0.1)),
                    vec3_make(-0.195, 0.1, 0.0999));
    scene_step(world, 1);
    return world;
}

static void assert_step(bool with_box, double friction) {
    struct gabion_world *world = stepped_world(with_box, friction);
    struct contact_problem *problem = solve_problem(world);
    contact_problem_materialise(problem);
    size_t n = contact_problem_size(problem);
    double *r = memory_allocate(n, sizeof *r, "test"), *back = memory_allocate(n, sizeof *r, "");
    assert_true(problem->contacts >= 9);
    contact_problem_to_rows(problem, world->contacts->impulse, r);
    struct contact_error error = residual_of(problem, r);
    assert_true(world->report.residual > 1e-6);
    assert_near(error.scaled, world->report.residual, 1e-12 * error.scaled + 1e-14);
    assert_near(error.fclib, world->report.residual_fclib, 1e-12 * error.fclib + 1e-14);

    struct random_stream random = {5};
    double *other = random_impulses(&random, problem);
    contact_problem_from_rows(problem, other, world->contacts->impulse);
    contact_problem_to_rows(problem, world->contacts->impulse, back);
    assert_same(back, other, n, 1e-15);
    memory_free(other);
    memory_free(back);
    memory_free(r);
    contact_problem_free(problem);
    scene_destroy(world);
}

static void test_steps(void **state) {
    (void)state;
    const double frictions[] = {0, 0.3, INFINITY};
    for (int k = 0; k < 3; k++) {
        assert_step(false, frictions[k]);
        assert_step(true, frictions[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_W),      cmocka_unit_test(test_fixed_pair),
        cmocka_unit_test(test_states), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
