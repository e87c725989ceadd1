// (I + D W)^-1 on both faces against dense elimination.
#include "engine/solvers/newton/resolvent.h"

#include "parallel/memory.h"
#include "tests/unit/random_problem.h"

#define BODIES 7

static mat3 random_block(struct random_stream *random, double size) {
    mat3 block;
    for (int i = 0; i < 3; i++)
        block.row[i] = vec3_scale(size, random_vector(random));
    return block;
}

// W by its columns, from products with unit vectors.
static double *dense_W(const struct contact_problem *problem) {
    size_t n = contact_problem_size(problem);
    double *W = memory_allocate(n * n, sizeof *W, "dense");
    double *x = memory_allocate(2 * n, sizeof *x, "dense"), *column = x + n;
    for (size_t j = 0; j < n; j++) {
        x[j] = 1;
        contact_problem_product(problem, x, column);
        x[j] = 0;
        for (size_t i = 0; i < n; i++)
            W[i * n + j] = column[i];
    }
    memory_free(x);
    return W;
}

static double entry(const mat3 *blocks, size_t i, size_t j) {
    return i / 3 == j / 3 ? vec3_get(blocks[i / 3].row[i % 3], (int)(j % 3)) : 0;
}

// left W right + I
static double *dense_system(const double *W, size_t n, const mat3 *left, const mat3 *right) {
    double *A = memory_allocate(n * n, sizeof *A, "dense");
    double *half = memory_allocate(n * n, sizeof *half, "dense");
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = i / 3 * 3; k < i / 3 * 3 + 3; k++)
                half[i * n + j] += entry(left, i, k) * W[k * n + j];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            A[i * n + j] = i == j;
            for (size_t k = j / 3 * 3; k < j / 3 * 3 + 3; k++)
                A[i * n + j] += half[i * n + k] * entry(right, k, j);
        }
    memory_free(half);
    return A;
}

static void swap_rows(double *A, double *x, size_t n, size_t i, size_t j) {
    double value = x[i];
    x[i] = x[j];
    x[j] = value;
    for (size_t k = 0; k < n && i != j; k++) {
        value = A[i * n + k];
        A[i * n + k] = A[j * n + k];
        A[j * n + k] = value;
    }
}

// Gauss with row exchanges; x holds the right-hand side, then the solution.
static void dense_solve(double *A, size_t n, double *x) {
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[pivot * n + k]))
                pivot = i;
        swap_rows(A, x, n, k, pivot);
        for (size_t i = k + 1; i < n; i++) {
            double f = A[i * n + k] / A[k * n + k];
            for (size_t j = k; j < n; j++)
                A[i * n + j] -= f * A[k * n + j];
            x[i] -= f * x[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            x[k] -= A[k * n + j] * x[j];
        x[k] /= A[k * n + k];
    }
}

struct blocks {
    mat3 *left, *right, *identity;
};

// Blocks of no symmetry, some zero, as the contact law has them.
static struct blocks random_blocks(struct random_stream *random, size_t contacts) {
    struct blocks blocks;
    blocks.left = memory_allocate(3 * contacts, sizeof(mat3), "blocks");
    blocks.right = blocks.left + contacts;
    blocks.identity = blocks.right + contacts;
    for (size_t a = 0; a < contacts; a++) {
        blocks.identity[a] = (mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        if (a % 5 == 3)
            continue;
        blocks.left[a] = random_block(random, 1);
        blocks.right[a] = random_block(random, 1);
        for (int i = 0; i < 3; i++) {
            vec3_set(&blocks.left[a].row[i], i, 2 + (double)(a % 3));
            vec3_set(&blocks.right[a].row[i], i, 2);
        }
    }
    return blocks;
}

static void check(const struct contact_problem *problem, const struct blocks *blocks, bool split,
                  const double *f) {
    size_t n = contact_problem_size(problem);
    struct resolvent *resolvent = resolvent_create(problem);
    double *x = memory_allocate(2 * n, sizeof *x, "solutions"), *reference = x + n;
    double *W = dense_W(problem);
    double *A = dense_system(W, n, blocks->left, split ? blocks->right : blocks->identity);
    assert_true(split ? resolvent_factorise_split(resolvent, blocks->left, blocks->right)
                      : resolvent_factorise(resolvent, blocks->left));
    resolvent_solve(resolvent, f, x);
    for (size_t i = 0; i < n; i++)
        reference[i] = f[i];
    dense_solve(A, n, reference);
    for (size_t i = 0; i < n; i++)
        assert_near(x[i], reference[i], 1e-10);
    assert_true(resolvent_cost(resolvent) > 0);
    memory_free(x);
    memory_free(W);
    memory_free(A);
    resolvent_free(resolvent);
}

static void test_against_dense(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct random_stream random = {seed};
        struct contact_problem *bodies = random_problem(&random, BODIES, 0.5);
        struct contact_problem *matrix = contact_problem_assemble(bodies);
        struct blocks blocks = random_blocks(&random, (size_t)bodies->contacts);
        check(bodies, &blocks, false, bodies->q);
        check(bodies, &blocks, true, bodies->q);
        check(matrix, &blocks, false, bodies->q);
        check(matrix, &blocks, true, bodies->q);
        memory_free(blocks.left);
        contact_problem_free(bodies);
        contact_problem_free(matrix);
    }
}

// Bodies that move beside what impulses cause: the equation holds with that motion in it. The
// energy of the motion that impulses r cause is r.W r.
static void test_moving_bodies(void **state) {
    (void)state;
    struct random_stream random = {5};
    struct contact_problem *bodies = random_problem(&random, BODIES, 0.5);
    struct blocks blocks = random_blocks(&random, (size_t)bodies->contacts);
    size_t n = contact_problem_size(bodies);
    double *x = memory_allocate(2 * n, sizeof *x, "solutions"), *Wx = x + n;
    struct contact_state motion = contact_state_open(bodies, bodies->q);
    struct resolvent *resolvent = resolvent_create(bodies);
    assert_true(resolvent_factorise(resolvent, blocks.left));
    resolvent_solve_with(resolvent, bodies->q, 0.7, motion.v, x);
    contact_problem_product(bodies, x, Wx);
    for (int32_t a = 0; a < bodies->contacts; a++) {
        vec3 moves = contact_row_velocity(&bodies->bodies.rows[a], motion.v);
        vec3 u = vec3_add_scaled(contact_get(Wx, a), 0.7, moves);
        vec3 sum = vec3_add(contact_get(x, a), mat3_apply(blocks.left[a], u));
        assert_at_most(vec3_length(vec3_sub(sum, contact_get(bodies->q, a))), 1e-10);
    }
    contact_problem_product(bodies, bodies->q, Wx);
    double energy = contact_problem_dot(bodies, bodies->q, Wx);
    assert_near(resolvent_energy(resolvent, motion.v), energy, 1e-12 * energy);
    resolvent_free(resolvent);
    contact_state_close(&motion);
    memory_free(x);
    memory_free(blocks.left);
    contact_problem_free(bodies);
}

// Eigenvalues of D from 1e-9 to 1e9, as near the end of an interior point run, in axes of D's own:
// what is left of the equation is small beside the right-hand side, not beside D.
static void test_wide_spectrum(void **state) {
    (void)state;
    struct random_stream random = {11};
    struct contact_problem *bodies = random_problem(&random, BODIES, 0.5);
    struct contact_problem *matrix = contact_problem_assemble(bodies);
    size_t contacts = (size_t)bodies->contacts, n = 3 * contacts;
    struct blocks blocks = random_blocks(&random, contacts);
    double *x = memory_allocate(4 * n, sizeof *x, "solutions");
    double *y = x + n, *impulse = y + n, *Wy = impulse + n;
    const double sizes[3] = {3e4, 1, 3e-5};
    for (size_t a = 0; a < contacts; a++) {
        mat3 turn = quat_matrix(quat_exp(random_vector(&random)));
        for (int i = 0; i < 3; i++) {
            blocks.left[a].row[i] = vec3_scale(sizes[i], turn.row[i]);
            blocks.right[a].row[i] =
                vec3_times(vec3_make(sizes[0], sizes[1], sizes[2]),
                           vec3_make(vec3_get(turn.row[0], i), vec3_get(turn.row[1], i),
                                     vec3_get(turn.row[2], i)));
        }
    }
    struct resolvent *resolvent = resolvent_create(matrix);
    assert_true(resolvent_factorise_split(resolvent, blocks.left, blocks.right));
    resolvent_solve(resolvent, bodies->q, y);
    for (int32_t a = 0; a < bodies->contacts; a++)
        contact_set(impulse, a, mat3_apply(blocks.right[a], contact_get(y, a)));
    contact_problem_product(matrix, impulse, Wy);
    for (int32_t a = 0; a < bodies->contacts; a++) {
        vec3 pulled = mat3_apply(blocks.left[a], contact_get(Wy, a));
        vec3 rest = vec3_sub(vec3_sub(contact_get(bodies->q, a), contact_get(y, a)), pulled);
        assert_at_most(vec3_length(rest), 1e-6);
    }
    resolvent_free(resolvent);
    memory_free(x);
    memory_free(blocks.left);
    contact_problem_free(bodies);
    contact_problem_free(matrix);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_dense),
        cmocka_unit_test(test_moving_bodies),
        cmocka_unit_test(test_wide_spectrum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
