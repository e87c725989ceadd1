#include "engine/problem/contact_problem.h"

#include <math.h>
#include <string.h>

#include "engine/problem/rows.h"
#include "engine/problem/stored.h"
#include "engine/problem/weigh.h"
#include "geometry/eigen.h"
#include "parallel/memory.h"

size_t contact_problem_size(const struct contact_problem *problem) {
    return 3 * (size_t)problem->contacts;
}

double contact_problem_dot(const struct contact_problem *problem, const double *x,
                           const double *y) {
    double sum = 0;
    for (size_t i = 0; i < contact_problem_size(problem); i++)
        sum += x[i] * y[i];
    return sum;
}

size_t contact_matrix_find(const struct contact_matrix *matrix, int32_t row, int32_t column) {
    size_t low = matrix->start[row], high = matrix->start[row + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (matrix->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < matrix->start[row + 1] && matrix->column[low] == column ? low : SIZE_MAX;
}

static void make_rows(struct contact_problem *problem, int32_t contacts, enum contact_face face) {
    size_t n = (size_t)contacts;
    problem->face = face;
    problem->contacts = contacts;
    problem->mu = memory_allocate(n, sizeof *problem->mu, "contact problem");
    problem->q = memory_allocate(3 * n, sizeof *problem->q, "contact problem");
    problem->diagonal = memory_allocate(n, sizeof *problem->diagonal, "contact problem");
    problem->rho = memory_allocate(n, sizeof *problem->rho, "contact problem");
}

struct contact_problem *contact_problem_create(int32_t contacts, size_t blocks) {
    size_t n = (size_t)contacts, capacity = 0;
    struct contact_problem *problem = memory_allocate(1, sizeof *problem, "contact problem");
    make_rows(problem, contacts, FACE_MATRIX);
    struct contact_matrix *matrix = &problem->matrix;
    matrix->start = memory_allocate(n + 1, sizeof *matrix->start, "contact problem");
    matrix->diagonal = memory_allocate(n, sizeof *matrix->diagonal, "contact problem");
    matrix->column = memory_allocate(blocks, sizeof *matrix->column, "contact problem");
    matrix->value = memory_reserve_aligned(NULL, &capacity, blocks * CONTACT_BLOCK,
                                           sizeof *matrix->value, "contact problem");
    memset(matrix->value, 0, blocks * CONTACT_BLOCK * sizeof *matrix->value);
    return problem;
}

void contact_problem_make_rows(struct contact_problem *problem, int32_t contacts, int32_t bodies) {
    size_t n = (size_t)contacts, b = (size_t)bodies;
    make_rows(problem, contacts, FACE_BODIES);
    struct contact_bodies *face = &problem->bodies;
    face->count = bodies;
    face->inverse = memory_allocate(b, sizeof *face->inverse, "contact problem");
    face->rows = memory_allocate(n, sizeof *face->rows, "contact problem");
    face->start = memory_allocate(b + 1, sizeof *face->start, "contact problem");
    face->incident = memory_allocate(2 * n, sizeof *face->incident, "contact problem");
    face->first = memory_allocate(n, sizeof *face->first, "contact problem");
    face->second = memory_allocate(n, sizeof *face->second, "contact problem");
    face->pair = memory_allocate(n, sizeof *face->pair, "contact problem");
}

struct contact_problem *contact_problem_with_bodies(int32_t contacts, int32_t bodies) {
    struct contact_problem *problem = memory_allocate(1, sizeof *problem, "contact problem");
    contact_problem_make_rows(problem, contacts, bodies);
    return problem;
}

void contact_problem_free(struct contact_problem *problem) {
    if (!problem)
        return;
    struct contact_matrix *matrix = &problem->matrix;
    struct contact_bodies *bodies = &problem->bodies;
    void *arrays[] = {problem->held,    problem->mu,      problem->q,     problem->diagonal,
                      problem->rho,     matrix->start,    matrix->column, matrix->value,
                      matrix->diagonal, bodies->inverse,  bodies->drift,  bodies->rows,
                      bodies->start,    bodies->incident, bodies->first,  bodies->second,
                      bodies->pair};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    memory_free(problem->slot_rho);
    stored_views_free(problem->stored);
    memory_free(problem);
}

void contact_problem_hold(struct contact_problem *problem, int32_t contact, uint8_t held) {
    if (!problem->held)
        problem->held =
            memory_allocate((size_t)problem->contacts, sizeof *problem->held, "contact problem");
    problem->held[contact] = held;
}

// Diagonal blocks -----------------------------------------------------------------------------

static void finish_matrix(struct contact_problem *problem) {
    struct contact_matrix *matrix = &problem->matrix;
    for (int32_t a = 0; a < problem->contacts; a++) {
        size_t e = matrix->start[a];
        while (matrix->column[e] != a)
            e++;
        matrix->diagonal[a] = e;
        problem->diagonal[a] = contact_block(matrix->value + e * CONTACT_BLOCK);
    }
}

static void finish_bodies(struct contact_problem *problem) {
    const struct contact_bodies *bodies = &problem->bodies;
    static const struct inverse_mass fixed;
    for (int32_t k = 0; k < problem->contacts; k++) {
        const struct contact_row *row = &bodies->rows[k];
        problem->diagonal[k] = contact_weigh(row, row->c >= 0 ? &bodies->inverse[row->c] : &fixed,
                                             row->a >= 0 ? &bodies->inverse[row->a] : &fixed);
    }
}

void contact_problem_finish(struct contact_problem *problem) {
    if (problem->face == FACE_MATRIX)
        finish_matrix(problem);
    else
        finish_bodies(problem);
    for (int32_t a = 0; a < problem->contacts; a++) {
        if (problem->rho[a] > 0)
            continue; // known already
        // H^T M^-1 H is symmetric; a matrix from a file need not be.
        double norm = problem->face == FACE_BODIES ? mat3_largest(problem->diagonal[a])
                                                   : mat3_norm(problem->diagonal[a]);
        problem->rho[a] = norm > 0 ? 1 / norm : 0;
    }
}
