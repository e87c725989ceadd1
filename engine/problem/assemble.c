// Builds the matrix W from the rows of a problem.
#include <string.h>

#include "engine/problem/contact_problem.h"
#include "engine/problem/weigh.h"
#include "parallel/memory.h"

static int32_t body_of(const struct contact_row *row, bool is_a) { return is_a ? row->a : row->c; }

// Lists the contacts that share a moving body with contact a, in ascending order. Returns their
// number.
static size_t neighbours(const struct contact_problem *problem, int32_t a, int32_t *list) {
    const struct contact_bodies *bodies = &problem->bodies;
    const struct contact_row *row = &bodies->rows[a];
    size_t at[2] = {0}, end[2] = {0}, count = 0;
    for (int side = 0; side < 2; side++) {
        int32_t body = body_of(row, side == 1);
        if (body >= 0) {
            at[side] = bodies->start[body];
            end[side] = bodies->start[body + 1];
        }
    }
    if (end[0] == 0 && end[1] == 0)
        list[count++] = a; // two prescribed bodies: a zero block
    while (at[0] < end[0] || at[1] < end[1]) {
        int32_t next[2];
        for (int side = 0; side < 2; side++)
            next[side] = at[side] < end[side] ? bodies->incident[at[side]] / 2 : INT32_MAX;
        int32_t least = next[0] < next[1] ? next[0] : next[1];
        for (int side = 0; side < 2; side++)
            at[side] += next[side] == least;
        list[count++] = least;
    }
    return count;
}

static void assemble_block(const struct contact_problem *problem, int32_t a, int32_t b,
                           double *value) {
    const struct contact_bodies *bodies = &problem->bodies;
    const struct contact_row *row_a = &bodies->rows[a], *row_b = &bodies->rows[b];
    double w[3][3] = {{0}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int32_t body = body_of(row_a, i == 1);
            if (body >= 0 && body == body_of(row_b, j == 1))
                contact_add_part(&bodies->inverse[body], row_a->axis,
                                 i ? row_a->arm_a : row_a->arm_c, row_b->axis,
                                 j ? row_b->arm_a : row_b->arm_c, i == j ? 1 : -1, w);
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            value[4 * j + i] = w[i][j];
}

static size_t most_neighbours(const struct contact_problem *problem, size_t *total) {
    const struct contact_bodies *bodies = &problem->bodies;
    size_t most = 1;
    *total = 0;
    for (int32_t a = 0; a < problem->contacts; a++) {
        size_t count = 1;
        for (int side = 0; side < 2; side++) {
            int32_t body = body_of(&bodies->rows[a], side == 1);
            count += body >= 0 ? bodies->start[body + 1] - bodies->start[body] : 0;
        }
        most = count > most ? count : most;
        *total += count;
    }
    return most;
}

static void copy_common(const struct contact_problem *from, struct contact_problem *to) {
    size_t n = (size_t)from->contacts;
    memcpy(to->mu, from->mu, n * sizeof *to->mu);
    memcpy(to->q, from->q, 3 * n * sizeof *to->q);
    for (int32_t a = 0; a < from->contacts && from->held; a++)
        contact_problem_hold(to, a, from->held[a]);
    to->least = from->least;
    to->team = from->team;
}

static struct contact_problem *copy_matrix(const struct contact_problem *problem) {
    size_t n = (size_t)problem->contacts, blocks = problem->matrix.start[n];
    struct contact_problem *copy = contact_problem_create(problem->contacts, blocks);
    const struct contact_matrix *matrix = &problem->matrix;
    memcpy(copy->matrix.start, matrix->start, (n + 1) * sizeof *matrix->start);
    memcpy(copy->matrix.column, matrix->column, blocks * sizeof *matrix->column);
    memcpy(copy->matrix.value, matrix->value, blocks * CONTACT_BLOCK * sizeof *matrix->value);
    return copy;
}

struct contact_problem *contact_problem_assemble(const struct contact_problem *problem) {
    struct contact_problem *built;
    if (problem->face == FACE_MATRIX) {
        built = copy_matrix(problem);
    } else {
        size_t total, most = most_neighbours(problem, &total);
        int32_t *list = memory_allocate(most, sizeof *list, "contact problem");
        built = contact_problem_create(problem->contacts, total);
        struct contact_matrix *matrix = &built->matrix;
        for (int32_t a = 0; a < problem->contacts; a++) {
            size_t count = neighbours(problem, a, list), e = matrix->start[a];
            for (size_t k = 0; k < count; k++, e++) {
                matrix->column[e] = list[k];
                assemble_block(problem, a, list[k], matrix->value + e * CONTACT_BLOCK);
            }
            matrix->start[a + 1] = e;
        }
        memory_free(list);
    }
    copy_common(problem, built);
    contact_problem_finish(built);
    return built;
}
