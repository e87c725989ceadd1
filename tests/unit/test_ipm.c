// The interior point method against the exact one-contact solver, on both faces of the same
// problem, on real problems, and where its cones degenerate.
#include "engine/solvers/newton/ipm.h"

#include "engine/solvers/local/exact.h"
#include "engine/solvers/panel.h"
#include "tests/unit/problem_files.h"
#include "tests/unit/random_problem.h"

static struct solver_result solve(struct contact_problem *problem, double tolerance, int cap,
                                  enum gabion_measure measure, double *r) {
    struct solver_settings settings = {.local = GABION_LOCAL_EXACT,
                                       .tolerance = tolerance,
                                       .measure = measure,
                                       .max_iterations = cap,
                                       .relaxation = 1};
    return panel_solve(problem, GABION_METHOD_IPM, &settings, NULL, r);
}

static double *impulses(const struct contact_problem *problem) {
    return memory_allocate(contact_problem_size(problem), sizeof(double), "impulses");
}

// One contact -----------------------------------------------------------------------------------

static struct contact_problem *one_contact(const mat3 *W, vec3 b, double mu) {
    struct contact_problem *problem = contact_problem_create(1, 1);
    problem->matrix.start[1] = 1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            problem->matrix.value[4 * j + i] = vec3_get(W->row[i], j);
    problem->mu[0] = mu;
    contact_set(problem->q, 0, b);
    contact_problem_finish(problem);
    return problem;
}

static mat3 random_definite(struct random_stream *random) {
    mat3 turn = quat_matrix(quat_exp(vec3_scale(3, random_vector(random))));
    vec3 d = {random_between(random, 0.3, 3), random_between(random, 0.3, 3),
              random_between(random, 0.3, 3)};
    sym3 s = sym3_from_principal(turn, d);
    return (mat3){{{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}}};
}

// With little friction on a well-conditioned block the answer is unique; else it must be an answer.
static void check_one(const mat3 *W, vec3 b, double mu) {
    struct contact_problem *problem = one_contact(W, b, mu);
    double r[3] = {0}, k = 0;
    vec3 exact = {0};
    struct solver_result result = solve(problem, 1e-10, 60, GABION_MEASURE_SCALED, r);
    assert_int_equal(result.status, SOLVER_CONVERGED);
    assert_true(exact_solve(W, b, mu, &exact, &k));
    if (mu <= 0.3)
        assert_vector_near(contact_get(r, 0), exact, 1e-8);
    contact_problem_free(problem);
}

static void test_one_contact(void **state) {
    (void)state;
    const double frictions[] = {0, 1e-3, 0.05, 0.3, 0.8, 2};
    struct random_stream random = {5};
    for (int k = 0; k < 1000; k++)
        for (size_t i = 0; i < sizeof frictions / sizeof *frictions; i++) {
            mat3 W = random_definite(&random);
            check_one(&W, random_vector(&random), frictions[i]);
        }
}

// A sticking contact that closes has an answer only if stopping it takes a push. Nearly all of
// those are found, and none that has no answer is said to be.
static void test_sticking(void **state) {
    (void)state;
    struct random_stream random = {5};
    int solvable = 0, found = 0;
    for (int k = 0; k < 1000; k++) {
        mat3 W = random_definite(&random);
        vec3 b = random_vector(&random), stop;
        struct contact_problem *problem = one_contact(&W, b, INFINITY);
        double r[3] = {0};
        bool converged = solve(problem, 1e-10, 60, GABION_MEASURE_SCALED, r).status == 0;
        assert_true(mat3_solve(W, vec3_negate(b), &stop));
        bool possible = b.x >= 0 || stop.x >= 0;
        vec3 expected = b.x >= 0 ? vec3_zero() : stop;
        assert_true(possible || !converged);
        if (converged)
            assert_vector_near(contact_get(r, 0), expected, 1e-8);
        solvable += possible;
        found += converged;
        contact_problem_free(problem);
    }
    assert_true(found >= solvable - solvable / 100);
}

// Both faces ------------------------------------------------------------------------------------

// The impulses of redundant contacts are not unique, but the velocities are.
static void check_faces(uint64_t seed, double mu) {
    struct random_stream random = {seed};
    struct contact_problem *bodies = random_problem(&random, 8, mu);
    struct contact_problem *matrix = contact_problem_assemble(bodies);
    double *r = impulses(bodies), *s = impulses(bodies), *u = impulses(bodies),
           *v = impulses(bodies);
    int32_t last = bodies->contacts - 1;
    assert_int_equal(solve(bodies, 1e-7, 100, GABION_MEASURE_SCALED, r).status, SOLVER_CONVERGED);
    assert_int_equal(solve(matrix, 1e-7, 100, GABION_MEASURE_SCALED, s).status, SOLVER_CONVERGED);
    contact_problem_velocity(bodies, r, u);
    contact_problem_velocity(matrix, s, v);
    for (size_t i = 0; i < contact_problem_size(bodies); i++)
        assert_near(u[i], v[i], 1e-5);
    assert_vector_near(contact_get(r, last), vec3_zero(), 0);
    double *arrays[] = {r, s, u, v};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    contact_problem_free(bodies);
    contact_problem_free(matrix);
}

static void test_faces(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        check_faces(seed, 0);
        check_faces(seed, 0.1);
        check_faces(seed, 0.3);
    }
}

// Degenerate ------------------------------------------------------------------------------------

// Free velocities of nothing, or of opening only, take no impulse, whatever the start.
static void test_nothing_to_do(void **state) {
    (void)state;
    struct random_stream random = {3};
    struct contact_problem *problem = random_problem(&random, 5, 0.5);
    double *r = impulses(problem);
    for (int opening = 0; opening < 2; opening++) {
        for (size_t i = 0; i < contact_problem_size(problem); i++) {
            problem->q[i] = i % 3 == 0 ? opening : 0;
            r[i] = 0.1;
        }
        struct solver_result result = solve(problem, 1e-8, 60, GABION_MEASURE_SCALED, r);
        assert_int_equal(result.status, SOLVER_CONVERGED);
        for (size_t i = 0; i < contact_problem_size(problem); i++)
            assert_near(r[i], 0, 0);
    }
    memory_free(r);
    contact_problem_free(problem);
}

// Two prescribed bodies that close: no impulse stops them, and the answer says so.
static void test_prescribed(void **state) {
    (void)state;
    struct random_stream random = {3};
    struct contact_problem *problem = contact_problem_with_bodies(1, 0);
    problem->bodies.rows[0] = random_row(&random, CONTACT_FIXED, CONTACT_FIXED);
    problem->mu[0] = 0.5;
    problem->q[0] = -1;
    contact_problem_join(problem);
    contact_problem_finish(problem);
    double r[3] = {0};
    solve(problem, 1e-8, 60, GABION_MEASURE_FCLIB, r);
    assert_vector_near(contact_get(r, 0), vec3_zero(), 0);
    contact_problem_free(problem);
}

// A pile of 800 balls, one on the other, whose weights add up: the impulse k from the top is k + 1
// times the weight of one.
static void test_long_pile(void **state) {
    (void)state;
    int32_t n = 800;
    struct contact_problem *problem = contact_problem_with_bodies(n, n);
    for (int32_t b = 0; b < n; b++) {
        problem->bodies.inverse[b] = (struct inverse_mass){{1, 1, 1}, {2, 2, 2, 0, 0, 0}};
        problem->bodies.rows[b] = (struct contact_row){.c = b,
                                                       .a = b + 1 < n ? b + 1 : CONTACT_FIXED,
                                                       .axis = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}},
                                                       .arm_c = {0, 0, -1},
                                                       .arm_a = {0, 0, 1}};
        problem->mu[b] = 0.5;
    }
    problem->q[3 * (n - 1)] = -1;
    contact_problem_join(problem);
    contact_problem_finish(problem);
    double *r = impulses(problem);
    struct solver_result result = solve(problem, 1e-9, 100, GABION_MEASURE_SCALED, r);
    assert_int_equal(result.status, SOLVER_CONVERGED);
    for (int32_t k = 0; k < n; k++)
        assert_vector_near(contact_get(r, k), vec3_make(k + 1, 0, 0), 1e-5 * n);
    memory_free(r);
    contact_problem_free(problem);
}

// Warm ------------------------------------------------------------------------------------------

// From the answer to a problem that differs by a thousandth it is not as far as from nothing.
static void test_warm(void **state) {
    (void)state;
    struct random_stream random = {7};
    struct contact_problem *problem = random_problem(&random, 8, 0.2);
    double *r = impulses(problem), *cold = impulses(problem);
    assert_int_equal(solve(problem, 1e-7, 60, GABION_MEASURE_SCALED, r).status, SOLVER_CONVERGED);
    for (size_t i = 0; i < contact_problem_size(problem); i++)
        problem->q[i] *= 1 + random_between(&random, -1e-3, 1e-3);
    struct solver_result from_before = solve(problem, 1e-7, 60, GABION_MEASURE_SCALED, r);
    struct solver_result from_nothing = solve(problem, 1e-7, 60, GABION_MEASURE_SCALED, cold);
    assert_int_equal(from_before.status, SOLVER_CONVERGED);
    assert_int_equal(from_nothing.status, SOLVER_CONVERGED);
    assert_true(from_before.iterations < from_nothing.iterations);
    memory_free(r);
    memory_free(cold);
    contact_problem_free(problem);
}

// Real problems ---------------------------------------------------------------------------------

// On which sweeps stall or cycle.
static const struct {
    const char *name;
    bool shipped;
} anchors[] = {
    {"arch-falling", true},
    {"arch-hinges", true},
    {"brazil-nut-lifted", true},
    {"tower-heavy", true},
    {"tower-struck", true},
    {"wall-onset", true},
    {"BoxesStack1-i100000-32", false},
    {"spheres-in-a-box-98-i10000-256-10", false},
    {"OneObject-i100000-499", false},
};

static void test_anchors(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof anchors / sizeof *anchors; k++) {
        struct contact_problem *problem = read_problem(anchors[k].name, anchors[k].shipped);
        if (!problem)
            continue;
        double *r = impulses(problem);
        struct solver_result result = solve(problem, 1e-8, 60, GABION_MEASURE_FCLIB, r);
        assert_int_equal(result.status, SOLVER_CONVERGED);
        assert_at_most(residual_of(problem, r).fclib, 1e-8);
        memory_free(r);
        contact_problem_free(problem);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_contact), cmocka_unit_test(test_sticking),
        cmocka_unit_test(test_faces),       cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_prescribed),  cmocka_unit_test(test_long_pile),
        cmocka_unit_test(test_warm),        cmocka_unit_test(test_anchors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
