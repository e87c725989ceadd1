// The sparse block matrix against a dense one.
#include "engine/solvers/newton/block_matrix.h"

#include <stdlib.h>
#include <string.h>

#include "parallel/memory.h"
#include "tests/unit/scene.h"

struct dense {
    int n, side;
    double *a;
};

static void put(struct dense *dense, int32_t row, int32_t column, double *block,
                struct random_stream *random, double diagonal) {
    int side = dense->side;
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++) {
            double value = random_between(random, -1, 1) + (i == j ? diagonal : 0);
            block[BLOCK_STRIDE(side) * i + j] = value;
            dense->a[(side * row + i) * dense->n + side * column + j] = value;
        }
}

// A ring of nodes with random chords.
static size_t make_pairs(struct random_stream *random, int32_t nodes, int32_t *first,
                         int32_t *second) {
    size_t count = 0;
    for (int32_t i = 0; i + 1 < nodes; i++) {
        first[count] = i % 2 ? i : i + 1;
        second[count++] = i % 2 ? i + 1 : i;
    }
    for (int32_t i = 0; i + 3 < nodes; i++)
        if (random_between(random, 0, 1) < 0.4) {
            first[count] = i;
            second[count++] = i + 2 + (int32_t)random_between(random, 0, nodes - i - 2.001);
        }
    return count;
}

static bool repeated(const int32_t *first, const int32_t *second, size_t k) {
    for (size_t l = 0; l < k; l++)
        if ((first[l] == first[k] && second[l] == second[k]) ||
            (first[l] == second[k] && second[l] == first[k]))
            return true;
    return false;
}

static size_t drop_repeated(int32_t *first, int32_t *second, size_t count) {
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        first[kept] = first[k];
        second[kept] = second[k];
        kept += !repeated(first, second, kept);
    }
    return kept;
}

static void check_solution(struct block_matrix *matrix, int side, struct random_stream *random,
                           int32_t nodes, const int32_t *first, const int32_t *second,
                           size_t pairs) {
    struct dense dense = {side * nodes, side, NULL};
    size_t n = (size_t)dense.n;
    dense.a = memory_allocate(n * n, sizeof(double), "dense");
    double *x = memory_allocate(2 * n, sizeof(double), "dense"), *b = x + n;
    block_matrix_clear(matrix);
    for (int32_t i = 0; i < nodes; i++)
        put(&dense, i, i, block_matrix_diagonal(matrix, i), random, 20);
    for (size_t k = 0; k < pairs; k++) {
        put(&dense, first[k], second[k], block_matrix_forward(matrix, k), random, 0);
        put(&dense, second[k], first[k], block_matrix_backward(matrix, k), random, 0);
    }
    for (size_t i = 0; i < n; i++)
        x[i] = b[i] = random_between(random, -1, 1);
    assert_true(block_matrix_factor(matrix, NULL));
    block_matrix_solve(matrix, NULL, x);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += dense.a[i * n + j] * x[j];
        assert_near(sum, b[i], 1e-12);
    }
    memory_free(dense.a);
    memory_free(x);
}

static void compare_with_dense(int side) {
    struct random_stream random = {11};
    struct block_matrix *matrix = block_matrix_create(side);
    int32_t first[200], second[200];
    for (int run = 0; run < 40; run++) {
        int32_t nodes = 1 + run;
        size_t pairs = drop_repeated(first, second, make_pairs(&random, nodes, first, second));
        block_matrix_pattern(matrix, nodes, first, second, pairs);
        check_solution(matrix, side, &random, nodes, first, second, pairs);
        check_solution(matrix, side, &random, nodes, first, second, pairs); // values anew
    }
    block_matrix_free(matrix);
}

static void test_against_dense(void **state) {
    (void)state;
    compare_with_dense(3);
    compare_with_dense(6);
}

// A chain has no fill: one pivot and one neighbour each.
static void test_fill(void **state) {
    (void)state;
    int32_t first[99], second[99];
    for (int32_t k = 0; k < 99; k++) {
        first[k] = k;
        second[k] = k + 1;
    }
    struct block_matrix *matrix = block_matrix_create(6);
    assert_int_equal(block_matrix_pattern(matrix, 100, first, second, 99), 2 * 99);
    block_matrix_free(matrix);
}

// Order and fill are kept for the same pairs only: a chain, the same chain again, and as many pairs
// of as many nodes in a star.
static void test_kept_pattern(void **state) {
    (void)state;
    struct random_stream random = {5};
    struct block_matrix *matrix = block_matrix_create(6);
    int32_t first[9], second[9];
    for (int pass = 0; pass < 3; pass++) {
        for (int32_t k = 0; k < 9; k++) {
            first[k] = pass < 2 ? k : 4;
            second[k] = pass < 2 ? k + 1 : k < 4 ? k : k + 1;
        }
        assert_int_equal(block_matrix_pattern(matrix, 10, first, second, 9), 2 * 9);
        check_solution(matrix, 6, &random, 10, first, second, 9);
    }
    block_matrix_free(matrix);
}

static void test_singular(void **state) {
    (void)state;
    struct block_matrix *matrix = block_matrix_create(6);
    block_matrix_pattern(matrix, 2, NULL, NULL, 0);
    assert_false(block_matrix_factor(matrix, NULL));
    block_matrix_free(matrix);
}

// A cube of nodes, each joined to its neighbours: large enough that its factorisation is shared
// out.
static size_t cube_pairs(int32_t edge, int32_t *first, int32_t *second) {
    size_t count = 0;
    const int32_t stride[3] = {1, edge, edge * edge};
    for (int32_t node = 0; node < edge * edge * edge; node++)
        for (int axis = 0; axis < 3; axis++)
            if (node / stride[axis] % edge + 1 < edge) {
                first[count] = axis == 1 ? node + stride[axis] : node;
                second[count++] = axis == 1 ? node : node + stride[axis];
            }
    return count;
}

static void put_random(struct block_matrix *matrix, int side, int32_t nodes, size_t pairs) {
    struct random_stream random = {5};
    struct dense ignored = {side, side, (double[36]){0}};
    block_matrix_clear(matrix);
    for (int32_t i = 0; i < nodes; i++)
        put(&ignored, 0, 0, block_matrix_diagonal(matrix, i), &random, 20);
    for (size_t k = 0; k < pairs; k++) {
        put(&ignored, 0, 0, block_matrix_forward(matrix, k), &random, 0);
        put(&ignored, 0, 0, block_matrix_backward(matrix, k), &random, 0);
    }
}

static void compare_threads(int side, int32_t edge) {
    int32_t nodes = edge * edge * edge;
    size_t n = (size_t)nodes, bytes = n * (size_t)side * sizeof(double);
    int32_t *first = memory_allocate(6 * n, sizeof *first, "pairs"), *second = first + 3 * n;
    double *alone = memory_allocate(2 * n * (size_t)side, sizeof *alone, "solutions");
    double *x = alone + n * (size_t)side;
    size_t pairs = cube_pairs(edge, first, second);
    struct block_matrix *matrix = block_matrix_create(side);
    block_matrix_pattern(matrix, nodes, first, second, pairs);
    for (int threads = 1; threads <= 3; threads++) {
        struct gabion_error error;
        struct team *team = team_create(threads, NULL, &error);
        put_random(matrix, side, nodes, pairs);
        assert_true(block_matrix_factor(matrix, team));
        for (size_t i = 0; i < n * (size_t)side; i++)
            x[i] = (double)(i % 7);
        block_matrix_solve(matrix, team, x);
        if (threads == 1)
            memcpy(alone, x, bytes);
        assert_memory_equal(alone, x, bytes);
        team_destroy(team);
    }
    block_matrix_free(matrix);
    memory_free(first);
    memory_free(alone);
}

static void test_threads(void **state) {
    (void)state;
    compare_threads(3, 15);
    compare_threads(6, 10);
}

// The versions for all processors give the same bits, with panels of every width from one column to
// more than PANEL_MOST, which a cube has.
static void compare_kernels(int side, int32_t edge) {
    const char *kernels[] = {"baseline", "avx2", "best"};
    int32_t nodes = edge * edge * edge;
    size_t n = (size_t)nodes, size = n * (size_t)side;
    int32_t *first = memory_allocate(6 * n, sizeof *first, "pairs"), *second = first + 3 * n;
    double *baseline = memory_allocate(2 * size, sizeof *baseline, "solutions");
    double *x = baseline + size;
    size_t pairs = cube_pairs(edge, first, second);
    for (int k = 0; k < 3; k++) {
        setenv("GABION_KERNEL", kernels[k], 1);
        struct block_matrix *matrix = block_matrix_create(side);
        unsetenv("GABION_KERNEL");
        block_matrix_pattern(matrix, nodes, first, second, pairs);
        put_random(matrix, side, nodes, pairs);
        assert_true(block_matrix_factor(matrix, NULL));
        for (size_t i = 0; i < size; i++)
            x[i] = (double)(i % 7);
        block_matrix_solve(matrix, NULL, x);
        if (k == 0)
            memcpy(baseline, x, size * sizeof *x);
        assert_memory_equal(baseline, x, size * sizeof *x);
        block_matrix_free(matrix);
    }
    memory_free(first);
    memory_free(baseline);
}

static void test_kernels(void **state) {
    (void)state;
    for (int32_t edge = 1; edge <= 7; edge++) {
        compare_kernels(3, edge);
        compare_kernels(6, edge);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_dense), cmocka_unit_test(test_fill),
        cmocka_unit_test(test_kept_pattern),  cmocka_unit_test(test_singular),
        cmocka_unit_test(test_threads),       cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
