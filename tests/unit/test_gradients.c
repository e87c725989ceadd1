// psor, cpg and bicg: what they solve, what they reject, and the linear solver inside bicg.
#include <string.h>

#include "engine/solvers/krylov/biconjugate.h"
#include "engine/solvers/panel.h"
#include "tests/unit/problem_files.h"
#include "tests/unit/problem_maker.h"

// Linear systems --------------------------------------------------------------------------------

struct dense {
    size_t n;
    double A[144];
};

static void dense_product(void *context, const double *x, double *Ax) {
    const struct dense *dense = context;
    for (size_t i = 0; i < dense->n; i++) {
        Ax[i] = 0;
        for (size_t j = 0; j < dense->n; j++)
            Ax[i] += dense->A[dense->n * i + j] * x[j];
    }
}

static void dense_transposed(void *context, const double *x, double *Ax) {
    const struct dense *dense = context;
    for (size_t i = 0; i < dense->n; i++) {
        Ax[i] = 0;
        for (size_t j = 0; j < dense->n; j++)
            Ax[i] += dense->A[dense->n * j + i] * x[j];
    }
}

static struct bicg_operator dense_operator(struct dense *dense) {
    return (struct bicg_operator){dense->n, dense, dense_product, dense_transposed};
}

// An unsymmetric system with a third of its rows left out: the others are met, and the unknowns
// that are left out keep their value.
static void test_bicg_unsymmetric(void **state) {
    (void)state;
    struct random_stream random = {1};
    for (int turn = 0; turn < 20; turn++) {
        struct dense dense = {.n = 12};
        struct bicg_operator A = dense_operator(&dense);
        double rhs[12], x[12] = {0}, Ax[12], left;
        bool active[12];
        for (size_t k = 0; k < 144; k++)
            dense.A[k] = random_between(&random, -0.3, 0.3) + (k % 13 == 0);
        for (size_t i = 0; i < 12; i++) {
            rhs[i] = random_between(&random, -1, 1);
            active[i] = i % 3 != 1;
        }
        bicg_solve(&A, active, rhs, x, 40, 1e-12, &left);
        dense_product(&dense, x, Ax);
        assert_at_most(left, 1e-12);
        for (size_t i = 0; i < 12; i++)
            assert_near(active[i] ? Ax[i] - rhs[i] : x[i], 0, 1e-10);
    }
}

// Rank 4 of 12, symmetric: conjugate residuals end after 4 products, without trouble.
static void test_bicg_singular(void **state) {
    (void)state;
    struct random_stream random = {2};
    struct dense dense = {.n = 12};
    struct bicg_operator A = dense_operator(&dense);
    double B[48], y[12], rhs[12], x[12] = {0}, left;
    bool active[12];
    for (int k = 0; k < 48; k++)
        B[k] = random_between(&random, -1, 1);
    for (int i = 0; i < 12; i++) {
        y[i] = random_between(&random, -1, 1);
        active[i] = true;
        for (int j = 0; j < 12; j++)
            for (int k = 0; k < 4; k++)
                dense.A[12 * i + j] += B[12 * k + i] * B[12 * k + j];
    }
    dense_product(&dense, y, rhs); // in the range
    int used = bicg_solve(&A, active, rhs, x, 40, 1e-10, &left);
    assert_at_most(left, 1e-10);
    assert_true(used <= 6);
}

// Rejections --------------------------------------------------------------------------------------

static struct solver_settings settings_of(double tolerance, int cap) {
    return (struct solver_settings){.tolerance = tolerance,
                                    .measure = GABION_MEASURE_SCALED,
                                    .max_iterations = cap,
                                    .relaxation = 1};
}

static void test_psor_rejects(void **state) {
    (void)state;
    struct contact_problem *problem = maker_pile(4, 4, 6, 0);
    struct solver_settings settings = settings_of(1e-8, 1000);
    double r[18] = {0};
    problem->mu[4] = 0.25;
    struct solver_result result = panel_solve(problem, GABION_METHOD_PSOR, &settings, NULL, r);
    assert_int_equal(result.status, SOLVER_REJECTED);
    assert_non_null(strstr(result.note, "contact 4 has mu = 0.25"));
    contact_problem_free(problem);
}

// Two balls above each other that fall at 1: the sweeps of W_nn = (1 -1; -1 2) / m have the rate
// 1/2, and omega = 2 / (1 + sqrt(1/2)) is Young's best.
static void test_psor_relaxation(void **state) {
    (void)state;
    const double W[36] = {[0] = 1, [3] = -1, [18] = -1, [21] = 2}, q[6] = {-1}, mu[2] = {0};
    struct contact_problem *problem = maker_matrix(2, W, q, mu);
    struct solver_settings settings = settings_of(1e-10, 1000);
    int sweeps[2];
    for (int k = 0; k < 2; k++) {
        double r[6] = {0};
        settings.relaxation = k == 0 ? 1 : 2 / (1 + sqrt(0.5));
        struct solver_result result = panel_solve(problem, GABION_METHOD_PSOR, &settings, NULL, r);
        assert_int_equal(result.status, SOLVER_CONVERGED);
        assert_near(r[0], 2, 1e-9);
        assert_near(r[3], 1, 1e-9);
        sweeps[k] = result.iterations;
    }
    assert_in_range(sweeps[0], 30, 40); // log 1e-10 / log 1/2 = 33
    assert_in_range(sweeps[1], 10, 20); // rate omega - 1 = 0.17: 13, and the double root's few more
    contact_problem_free(problem);
}

// Threads ---------------------------------------------------------------------------------------

static void assert_threads(enum gabion_method method, double mu) {
    struct contact_problem *problem = maker_pile(31, 400, 900, mu);
    size_t n = contact_problem_size(problem);
    struct solver_settings settings = settings_of(1e-6, 200);
    double *r[2];
    for (int k = 0; k < 2; k++) {
        struct gabion_error error = {0};
        problem->team = team_create(1 + 2 * k, NULL, &error);
        r[k] = memory_allocate(n, sizeof(double), "test");
        panel_solve(problem, method, &settings, NULL, r[k]);
        team_destroy(problem->team);
    }
    assert_memory_equal(r[0], r[1], n * sizeof(double));
    memory_free(r[0]);
    memory_free(r[1]);
    contact_problem_free(problem);
}

static void test_threads(void **state) {
    (void)state;
    assert_threads(GABION_METHOD_CPG, 0.3);
    assert_threads(GABION_METHOD_BICG, 0.3);
    assert_threads(GABION_METHOD_PSOR, 0);
}

// Files -----------------------------------------------------------------------------------------

struct file {
    const char *name;
    bool shipped;
    int cpg, bicg; // solve it to 1e-8 with friction as it is (1), and without friction (2)
};

static const struct file files[] = {
    {"arch-falling", true, 2, 2},
    {"arch-hinges", true, 2, 2},
    {"arch-onset", true, 2, 2},
    {"arch-rubble", true, 2, 2},
    {"arch-spreading", true, 3, 3},
    {"arch-standing", true, 3, 3},
    {"brazil-nut-falling", true, 3, 2},
    {"brazil-nut-landing", true, 2, 2},
    {"brazil-nut-lifted", true, 2, 2},
    {"brazil-nut-settling", true, 2, 2},
    {"brazil-nut-shaken", true, 3, 3},
    {"drum-filling", true, 2, 2},
    {"drum-flowing", true, 2, 0},
    {"hopper-full", true, 2, 2},
    {"hopper-opening", true, 2, 2},
    {"masonry-tower-rocking", true, 2, 2},
    {"settling", true, 2, 2},
    {"settling-late", true, 2, 2},
    {"settling-shallow", true, 2, 2},
    {"tower-heavy", true, 3, 3},
    {"tower-struck", true, 2, 2},
    {"wall", true, 3, 2},
    {"wall-high-landing", true, 3, 2},
    {"wall-landing", true, 2, 2},
    {"wall-low-landing", true, 2, 2},
    {"BoxesStack1-i100000-32", false, 3, 3},
    {"Capsules-i100-1090", false, 3, 2},
    {"Capsules-i101-404", false, 2, 2},
    {"Capsules-i125-1213", false, 3, 2},
    {"Confeti-ex13-4contact-Fc3D-SBM", false, 3, 3},
    {"Confeti-ex13-Fc3D-SBM", false, 3, 3},
    {"FC3D_Example1", false, 3, 3},
    {"FrictionContact3D_1c", false, 3, 3},
    {"KaplasTower-i1061-4", false, 1, 1},
    {"LMGC_100_PR_PerioBox-i00361-60-03000", false, 3, 3},
    {"NESpheres_10_1", false, 3, 3},
    {"OneObject-i100000-499", false, 3, 2},
    {"Rover1039", false, 3, 3},
    {"Rover1041", false, 3, 3},
    {"Rover11035", false, 3, 3},
    {"Rover3865", false, 3, 3},
    {"Rover4396", false, 3, 3},
    {"Rover4516", false, 3, 3},
    {"Rover4613", false, 3, 3},
    {"spheres-in-a-box-98-i10000-256-10", false, 2, 2},
};

// Returns whether the file is not solved.
static bool fails(const struct file *file, bool smooth, enum gabion_method method) {
    struct solver_settings settings = settings_of(1e-8, 10000);
    struct contact_problem *problem = read_problem(file->name, file->shipped);
    if (!problem)
        return false;
    for (int32_t a = 0; a < problem->contacts && smooth; a++)
        problem->mu[a] = 0;
    double *r = memory_allocate(contact_problem_size(problem), sizeof *r, "test");
    struct solver_result result = panel_solve(problem, method, &settings, NULL, r);
    if (result.status == SOLVER_CONVERGED)
        assert_at_most(residual_of(problem, r).scaled, 1e-8);
    else
        print_error("%s, %s friction, by %s: %s\n", file->name, smooth ? "without" : "with",
                    panel_name(method), panel_status(result.status));
    memory_free(r);
    contact_problem_free(problem);
    return result.status != SOLVER_CONVERGED;
}

static void test_files(void **state) {
    (void)state;
    int bad = 0;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        for (int smooth = 0; smooth < 2; smooth++) {
            bad += (files[k].cpg >> smooth & 1) && fails(&files[k], smooth, GABION_METHOD_CPG);
            bad += (files[k].bicg >> smooth & 1) && fails(&files[k], smooth, GABION_METHOD_BICG);
        }
    assert_int_equal(bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bicg_unsymmetric), cmocka_unit_test(test_bicg_singular),
        cmocka_unit_test(test_psor_rejects),     cmocka_unit_test(test_psor_relaxation),
        cmocka_unit_test(test_threads),          cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
