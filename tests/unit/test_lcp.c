// Lemke's method on linear complementarity problems with known answers, and on random ones whose
// answers are checked by the definition.
#include "engine/solvers/dense/lcp.h"
#include "parallel/memory.h"
#include "tests/unit/scene.h"

#define MOST 120

struct lcp {
    size_t size;
    double M[MOST * MOST], q[MOST], z[MOST];
};

static struct lcp_result solve(struct lcp *lcp) {
    return lcp_solve(lcp->size, lcp->M, lcp->q, 100000, NULL, lcp->z);
}

// w >= 0, z >= 0 and one of each pair zero, against the size of what w is made of.
static void assert_solution(const struct lcp *lcp, double tolerance) {
    for (size_t i = 0; i < lcp->size; i++) {
        double w = lcp->q[i], made_of = fabs(w);
        for (size_t j = 0; j < lcp->size; j++) {
            double part = lcp->M[i * lcp->size + j] * lcp->z[j];
            w += part;
            made_of = fmax(made_of, fabs(part));
        }
        assert_true(lcp->z[i] >= 0);
        assert_at_most(-w, tolerance * made_of);
        if (lcp->z[i] > 0)
            assert_at_most(fabs(w), tolerance * made_of);
    }
}

// M = A A^T over `rank` columns, plus `turn` times a skew matrix.
static void fill_semidefinite(struct lcp *lcp, size_t rank, double turn,
                              struct random_stream *random) {
    static double A[MOST * MOST];
    size_t n = lcp->size;
    for (size_t i = 0; i < n * rank; i++)
        A[i] = random_between(random, -1, 1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0, skew = i == j ? 0 : turn * random_between(random, -1, 1);
            for (size_t k = 0; k < rank; k++)
                sum += A[i * rank + k] * A[j * rank + k];
            lcp->M[i * n + j] = sum + skew;
            lcp->M[j * n + i] = sum - skew;
        }
}

// q for which a solution is known: `zeros` of the pairs have both members zero.
static void fill_q(struct lcp *lcp, double zeros, struct random_stream *random) {
    double z[MOST];
    for (size_t i = 0; i < lcp->size; i++) {
        double kind = random_unit(random), value = random_between(random, 0.1, 1);
        bool both = kind < zeros, positive = !both && random_unit(random) < 0.5;
        z[i] = positive ? value : 0;
        lcp->q[i] = both || positive ? 0 : value;
    }
    for (size_t i = 0; i < lcp->size; i++)
        for (size_t j = 0; j < lcp->size; j++)
            lcp->q[i] -= lcp->M[i * lcp->size + j] * z[j];
}

static void test_small(void **state) {
    (void)state;
    // Cottle, Pang, Stone 1992, example 1.3 has the same kind of M; solved by hand: z = (4, 1)/3.
    struct lcp lcp = {.size = 2, .M = {2, 1, 1, 2}, .q = {-3, -2}};
    assert_int_equal(solve(&lcp).status, LCP_SOLVED);
    assert_near(lcp.z[0], 4.0 / 3, 1e-15);
    assert_near(lcp.z[1], 1.0 / 3, 1e-15);
    // Nothing to do.
    struct lcp open = {.size = 2, .M = {2, 1, 1, 2}, .q = {3, 0}};
    assert_int_equal(solve(&open).pivots, 0);
    assert_true(open.z[0] == 0 && open.z[1] == 0);
    struct lcp none = {.size = 0};
    assert_int_equal(solve(&none).status, LCP_SOLVED);
}

// Murty's matrices, on which principal pivoting takes 2^n - 1 steps ("Computational complexity of
// complementary pivot methods", 1978): ones on the diagonal, twos below it, q = -(1, ..., 1). The
// answer is the first unit vector. Their products M M^T (Fathi 1979) are positive definite and
// badly conditioned.
static void test_murty(void **state) {
    (void)state;
    for (size_t n = 1; n <= 12; n++) {
        struct lcp lcp = {.size = n}, fathi = {.size = n};
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                lcp.M[i * n + j] = i == j ? 1 : i > j ? 2 : 0;
        for (size_t i = 0; i < n * n; i++)
            for (size_t k = 0; k < n; k++)
                fathi.M[i] += lcp.M[i / n * n + k] * lcp.M[i % n * n + k];
        for (size_t i = 0; i < n; i++)
            lcp.q[i] = fathi.q[i] = -1;
        assert_int_equal(solve(&lcp).status, LCP_SOLVED);
        for (size_t i = 0; i < n; i++)
            assert_near(lcp.z[i], i == 0, 1e-14);
        assert_int_equal(solve(&fathi).status, LCP_SOLVED);
        assert_solution(&fathi, 1e-12);
    }
}

// On this matrix simple principal pivoting goes round and round (Murty 1974; Cottle, Pang, Stone
// 1992, section 4.2); every ratio test of Lemke's method starts with a tie. By symmetry z = 1/3.
static void test_ties(void **state) {
    (void)state;
    struct lcp lcp = {.size = 3, .M = {1, 2, 0, 0, 1, 2, 2, 0, 1}, .q = {-1, -1, -1}};
    assert_int_equal(solve(&lcp).status, LCP_SOLVED);
    for (int i = 0; i < 3; i++)
        assert_near(lcp.z[i], 1.0 / 3, 1e-15);
}

// Found by trying integers: Lemke's method goes round for ever on the first if it takes the first
// of the rows that tie, and on the second if it takes the last. The first has M = A A^T + a skew
// matrix.
static void test_cycles(void **state) {
    (void)state;
    struct lcp first = {.size = 6,
                        .M = {1, -1, -1, 0, 0,  1, 1,  0,  1,  1,  1, -1, 1,  -1, 0,  0, 1,  1,
                              2, -1, 0,  1, -1, 0, -2, -1, -1, -1, 1, 1,  -1, 1,  -1, 0, -1, 0},
                        .q = {0, -1, -1, -1, -1, -1}};
    struct lcp last = {
        .size = 5,
        .M = {1, 0, 0, -1, -1, 0, 1, 2, 1, -1, 2, 1, 1, 2, -1, 0, -1, 2, -1, 0, 1, 1, -1, 0, 2},
        .q = {0, -1, -1, 0, -1}};
    assert_int_equal(solve(&first).status, LCP_SOLVED);
    assert_solution(&first, 1e-14);
    assert_int_equal(solve(&last).status, LCP_RAY);
}

static void test_ray(void **state) {
    (void)state;
    // w = -z - 1 is never positive
    struct lcp negative = {.size = 1, .M = {-1}, .q = {-1}};
    assert_int_equal(solve(&negative).status, LCP_RAY);
    // w_2 = -z_1 - 1 neither, with a semidefinite M
    struct lcp skew = {.size = 2, .M = {0, 1, -1, 0}, .q = {-1, -1}};
    assert_int_equal(solve(&skew).status, LCP_RAY);
    // A contact between two prescribed bodies that close.
    struct lcp stuck = {.size = 2, .M = {1, 0, 0, 0}, .q = {-1, -1}};
    assert_int_equal(solve(&stuck).status, LCP_RAY);
    assert_true(stuck.z[0] == 0 && stuck.z[1] == 0);
}

static void test_cap(void **state) {
    (void)state;
    struct lcp lcp = {.size = 2, .M = {2, 1, 1, 2}, .q = {-3, -2}};
    struct lcp_result result = lcp_solve(2, lcp.M, lcp.q, 1, NULL, lcp.z);
    assert_int_equal(result.status, LCP_CAP);
    assert_true(lcp.z[0] == 0 && lcp.z[1] == 0);
}

// Definite and skew parts over sizes; semidefinite of any rank, with q for which there is a
// solution; pairs with both members zero at it.
static void test_random(void **state) {
    (void)state;
    struct random_stream random = {7};
    static struct lcp lcp;
    for (int trial = 0; trial < 600; trial++) {
        lcp.size = 1 + random_bits(&random) % 40;
        size_t rank = trial % 3 == 0 ? lcp.size : 1 + random_bits(&random) % lcp.size;
        fill_semidefinite(&lcp, rank, trial % 2 ? 0.5 : 0, &random);
        fill_q(&lcp, trial % 5 == 0 ? 0.7 : 0.1, &random);
        assert_int_equal(solve(&lcp).status, LCP_SOLVED);
        assert_solution(&lcp, 1e-9);
    }
}

// Redundant contacts: each row and column comes `copies` times, and q with them.
static void test_copies(void **state) {
    (void)state;
    struct random_stream random = {8};
    static struct lcp single, lcp;
    for (int trial = 0; trial < 20; trial++) {
        size_t copies = 4, n = 30;
        single.size = n;
        fill_semidefinite(&single, 20, 0, &random);
        fill_q(&single, 0.3, &random);
        lcp.size = copies * n;
        for (size_t i = 0; i < lcp.size; i++) {
            lcp.q[i] = single.q[i % n];
            for (size_t j = 0; j < lcp.size; j++)
                lcp.M[i * lcp.size + j] = single.M[i % n * n + j % n];
        }
        assert_int_equal(solve(&lcp).status, LCP_SOLVED);
        assert_solution(&lcp, 1e-9);
    }
}

// The same problem in other units: the same answer in those units.
static void test_units(void **state) {
    (void)state;
    struct random_stream random = {9};
    static struct lcp lcp, scaled;
    for (int trial = 0; trial < 50; trial++) {
        size_t n = lcp.size = scaled.size = 20;
        double row[20], column[20];
        fill_semidefinite(&lcp, n, 0.2, &random);
        fill_q(&lcp, 0, &random);
        for (size_t i = 0; i < n; i++) {
            row[i] = ldexp(1, (int)(random_bits(&random) % 60) - 30);
            column[i] = ldexp(1, (int)(random_bits(&random) % 60) - 30);
        }
        for (size_t i = 0; i < n; i++) {
            scaled.q[i] = row[i] * lcp.q[i];
            for (size_t j = 0; j < n; j++)
                scaled.M[i * n + j] = row[i] * lcp.M[i * n + j] * column[j];
        }
        assert_int_equal(solve(&lcp).status, LCP_SOLVED);
        assert_int_equal(solve(&scaled).status, LCP_SOLVED);
        assert_solution(&scaled, 1e-9);
        for (size_t i = 0; i < n; i++)
            assert_near(scaled.z[i] * column[i], lcp.z[i], 1e-8);
    }
}

// The rows of a tableau are shared by threads; bits do not know.
static void test_threads(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct team *team = team_create(2, NULL, &error);
    struct random_stream random = {10};
    size_t n = 400;
    double *M = memory_allocate(n * n, sizeof *M, "test");
    double *q = memory_allocate(3 * n, sizeof *q, "test"), *one = q + n, *two = one + n;
    for (size_t i = 0; i < n; i++) {
        q[i] = random_between(&random, -1, 1);
        for (size_t j = 0; j <= i; j++)
            M[i * n + j] = M[j * n + i] = i == j ? (double)n / 4 : random_between(&random, -1, 1);
    }
    struct lcp_result first = lcp_solve(n, M, q, 100000, NULL, one);
    struct lcp_result second = lcp_solve(n, M, q, 100000, team, two);
    assert_int_equal(first.status, LCP_SOLVED);
    assert_int_equal(first.pivots, second.pivots);
    assert_memory_equal(one, two, n * sizeof *one);
    memory_free(M);
    memory_free(q);
    team_destroy(team);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),   cmocka_unit_test(test_murty),  cmocka_unit_test(test_ties),
        cmocka_unit_test(test_cycles),  cmocka_unit_test(test_ray),    cmocka_unit_test(test_cap),
        cmocka_unit_test(test_random),  cmocka_unit_test(test_copies), cmocka_unit_test(test_units),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
