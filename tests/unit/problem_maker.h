// Contact problems without a world, and W of any problem as a dense matrix by formulas of their
// own: rows of H^T, inverse masses, and nothing of engine/problem.
#ifndef TESTS_UNIT_PROBLEM_MAKER_H
#define TESTS_UNIT_PROBLEM_MAKER_H

#include "engine/problem/contact_problem.h"
#include "parallel/memory.h"
#include "tests/unit/scene.h"

// Bodies ----------------------------------------------------------------------------------------

// A ball of mass m and radius 1.
static inline struct inverse_mass maker_ball(double m) {
    double k = 2.5 / m;
    return (struct inverse_mass){{1 / m, 1 / m, 1 / m}, {k, k, k, 0, 0, 0}};
}

// One number after the other: compilers differ in the order of arguments.
static inline vec3 maker_random_vector(struct random_stream *random, double size) {
    vec3 a;
    a.x = random_between(random, -size, size);
    a.y = random_between(random, -size, size);
    a.z = random_between(random, -size, size);
    return a;
}

// Three moments between 0.3 and 3 of m, in random axes.
static inline struct inverse_mass maker_lump(struct random_stream *random, double m) {
    vec3 k = vec3_add_scaled(vec3_make(1.65 / m, 1.65 / m, 1.65 / m), 1 / m,
                             maker_random_vector(random, 1.35));
    vec3 axis = maker_random_vector(random, 1);
    axis = vec3_scale(1 / vec3_length(axis), axis);
    mat3 axes = scene_rotation(axis, random_between(random, 0, 3));
    return (struct inverse_mass){{1 / m, 1 / m, 1 / m}, sym3_from_principal(axes, k)};
}

static inline struct contact_row maker_row(int32_t c, int32_t a, vec3 n, vec3 arm_c, vec3 arm_a) {
    struct contact_row row = {.c = c, .a = a, .axis = {n}, .arm_c = arm_c, .arm_a = arm_a};
    vec3_tangents(n, &row.axis[1], &row.axis[2]);
    return row;
}

static inline vec3 maker_point_velocity(const double *v, int32_t body, vec3 arm) {
    const double *six = v + 6 * (body < 0 ? 0 : body);
    if (body < 0)
        return vec3_zero();
    return vec3_add(vec3_make(six[0], six[1], six[2]),
                    vec3_cross(vec3_make(six[3], six[4], six[5]), arm));
}

// q of bodies that move with v: such a problem has an answer, for all could stop.
static inline void maker_set_q(struct contact_problem *problem, const double *v) {
    for (int32_t k = 0; k < problem->contacts; k++) {
        const struct contact_row *row = &problem->bodies.rows[k];
        vec3 u = vec3_sub(maker_point_velocity(v, row->c, row->arm_c),
                          maker_point_velocity(v, row->a, row->arm_a));
        for (int i = 0; i < 3; i++)
            problem->q[3 * k + i] = vec3_dot(row->axis[i], u);
    }
}

// A body, or CONTACT_FIXED one time in `bodies`.
static inline int32_t maker_random_body(struct random_stream *random, int32_t bodies) {
    int32_t body = (int32_t)(random_unit(random) * bodies);
    return random_unit(random) < 1.0 / bodies ? CONTACT_FIXED : body;
}

// Lumps of random masses that meet at random points with random normals.
static inline struct contact_problem *maker_pile(uint64_t seed, int32_t bodies, int32_t contacts,
                                                 double mu) {
    struct random_stream random = {seed};
    struct contact_problem *problem = contact_problem_with_bodies(contacts, bodies);
    double *v = memory_allocate(6 * (size_t)bodies, sizeof *v, "test");
    for (int32_t b = 0; b < bodies; b++)
        problem->bodies.inverse[b] = maker_lump(&random, random_between(&random, 0.5, 2));
    for (int32_t i = 0; i < 6 * bodies; i++)
        v[i] = random_between(&random, -1, 1);
    for (int32_t k = 0; k < contacts; k++) {
        int32_t c = (int32_t)(random_unit(&random) * bodies);
        int32_t a = maker_random_body(&random, bodies);
        vec3 n = maker_random_vector(&random, 1), arm_c = maker_random_vector(&random, 1);
        vec3 arm_a = maker_random_vector(&random, 1);
        n = vec3_scale(1 / vec3_length(n), n);
        problem->bodies.rows[k] = maker_row(c, a == c ? CONTACT_FIXED : a, n, arm_c, arm_a);
        problem->mu[k] = mu;
    }
    maker_set_q(problem, v);
    memory_free(v);
    contact_problem_join(problem);
    contact_problem_finish(problem);
    return problem;
}

// Matrices --------------------------------------------------------------------------------------

// Every block of a dense W of 3 contacts rows.
static inline struct contact_problem *maker_matrix(int32_t contacts, const double *W,
                                                   const double *q, const double *mu) {
    size_t n = (size_t)contacts;
    struct contact_problem *problem = contact_problem_create(contacts, n * n);
    for (size_t e = 0; e < n * n; e++) {
        size_t a = e / n, b = e % n;
        problem->matrix.column[e] = (int32_t)b;
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++)
                problem->matrix.value[e * CONTACT_BLOCK + 4 * j + i] =
                    W[(3 * a + i) * 3 * n + 3 * b + j];
    }
    for (size_t a = 0; a < n; a++) {
        problem->matrix.start[a + 1] = (a + 1) * n;
        problem->mu[a] = mu[a];
        for (size_t i = 0; i < 3; i++)
            problem->q[3 * a + i] = q[3 * a + i];
    }
    contact_problem_finish(problem);
    return problem;
}

// Six numbers per component of u: its part of H^T from one body, with a's minus.
static inline void maker_lever(const struct contact_row *row, int i, bool is_a, double *six) {
    vec3 turn = vec3_cross(is_a ? row->arm_a : row->arm_c, row->axis[i]);
    double sign = is_a ? -1 : 1;
    for (int k = 0; k < 3; k++) {
        six[k] = sign * vec3_get(row->axis[i], k);
        six[3 + k] = sign * vec3_get(turn, k);
    }
}

static inline double maker_couple(const struct inverse_mass *inverse, const double *x,
                                  const double *y) {
    const sym3 *k = &inverse->k;
    const double turn[3][3] = {{k->xx, k->xy, k->xz}, {k->xy, k->yy, k->yz}, {k->xz, k->yz, k->zz}};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += x[i] * vec3_get(inverse->inv_m, i) * y[i];
        for (int j = 0; j < 3; j++)
            sum += x[3 + i] * turn[i][j] * y[3 + j];
    }
    return sum;
}

static inline double maker_entry(const struct contact_problem *problem, int32_t row,
                                 int32_t column) {
    const struct contact_bodies *bodies = &problem->bodies;
    const struct contact_row *x = &bodies->rows[row / 3], *y = &bodies->rows[column / 3];
    const int32_t of_x[2] = {x->c, x->a}, of_y[2] = {y->c, y->a};
    double sum = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            double six[2][6];
            if (of_x[i] < 0 || of_x[i] != of_y[j])
                continue;
            maker_lever(x, row % 3, i == 1, six[0]);
            maker_lever(y, column % 3, j == 1, six[1]);
            sum += maker_couple(&bodies->inverse[of_x[i]], six[0], six[1]);
        }
    return sum;
}

// W by rows, to be freed by memory_free.
static inline double *maker_dense(const struct contact_problem *problem) {
    size_t n = contact_problem_size(problem);
    double *W = memory_allocate(n * n, sizeof *W, "test");
    const struct contact_matrix *matrix = &problem->matrix;
    if (problem->face == FACE_BODIES) {
        for (size_t k = 0; k < n * n; k++)
            W[k] = maker_entry(problem, (int32_t)(k / n), (int32_t)(k % n));
        return W;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t e = matrix->start[i / 3]; e < matrix->start[i / 3 + 1]; e++)
            for (size_t j = 0; j < 3; j++)
                W[i * n + 3 * (size_t)matrix->column[e] + j] =
                    matrix->value[e * CONTACT_BLOCK + 4 * j + i % 3];
    return W;
}

// u = W r + q
static inline void maker_velocity(const struct contact_problem *problem, const double *W,
                                  const double *r, double *u) {
    size_t n = contact_problem_size(problem);
    for (size_t i = 0; i < n; i++) {
        u[i] = problem->q[i];
        for (size_t j = 0; j < n; j++)
            u[i] += W[i * n + j] * r[j];
    }
}

// |W_aa|_2: the trace of G = W_aa^T W_aa once it was squared, and scaled, so often that only its
// largest eigenvalue is left: tr G^(2^k) = largest^(2^k) then.
static inline double maker_block_norm(const struct contact_problem *problem, const double *W,
                                      int32_t a) {
    size_t n = contact_problem_size(problem), at = 3 * (size_t)a;
    double block[9], G[9] = {0}, square[9], root = 1, power = 0.5;
    for (size_t k = 0; k < 9; k++)
        block[k] = W[(at + k / 3) * n + at + k % 3];
    for (int k = 0; k < 27; k++)
        G[k / 3] += block[k % 3 * 3 + k / 9] * block[k % 3 * 3 + k / 3 % 3];
    for (int turn = 0; turn < 50; turn++, power *= 0.5) {
        double trace = G[0] + G[4] + G[8];
        if (!(trace > 0))
            return 0;
        root *= pow(trace, power);
        for (int k = 0; k < 9; k++)
            G[k] /= trace;
        for (int k = 0; k < 9; k++)
            square[k] = G[k / 3 * 3] * G[k % 3] + G[k / 3 * 3 + 1] * G[3 + k % 3] +
                        G[k / 3 * 3 + 2] * G[6 + k % 3];
        for (int k = 0; k < 9; k++)
            G[k] = square[k];
    }
    return root;
}

#endif
