#include "engine/problem/friction_problem.h"

#include <math.h>
#include <string.h>

#include "geometry/eigen.h"
#include "parallel/memory.h"
#include "parallel/team.h"
#include "parallel/wide.h"

size_t friction_problem_size(const struct friction_problem *problem) {
    return 3 * (size_t)problem->contacts;
}

double friction_problem_dot(const struct friction_problem *problem, const double *x,
                            const double *y) {
    double sum = 0;
    for (size_t i = 0; i < friction_problem_size(problem); i++)
        sum += x[i] * y[i];
    return sum;
}

size_t friction_matrix_find(const struct friction_matrix *matrix, int32_t row, int32_t column) {
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

static struct friction_problem *create(int32_t contacts, enum friction_face face) {
    size_t n = (size_t)contacts;
    struct friction_problem *problem = memory_allocate(1, sizeof *problem, "contact problem");
    problem->face = face;
    problem->speed2 = -1;
    problem->contacts = contacts;
    problem->mu = memory_allocate(n, sizeof *problem->mu, "contact problem");
    problem->q = memory_allocate(3 * n, sizeof *problem->q, "contact problem");
    problem->diagonal = memory_allocate(n, sizeof *problem->diagonal, "contact problem");
    problem->rho = memory_allocate(n, sizeof *problem->rho, "contact problem");
    return problem;
}

struct friction_problem *friction_problem_create(int32_t contacts, size_t blocks) {
    size_t n = (size_t)contacts, capacity = 0;
    struct friction_problem *problem = create(contacts, FACE_MATRIX);
    struct friction_matrix *matrix = &problem->matrix;
    matrix->start = memory_allocate(n + 1, sizeof *matrix->start, "contact problem");
    matrix->diagonal = memory_allocate(n, sizeof *matrix->diagonal, "contact problem");
    matrix->column = memory_allocate(blocks, sizeof *matrix->column, "contact problem");
    matrix->value = memory_reserve_aligned(NULL, &capacity, blocks * FRICTION_BLOCK,
                                           sizeof *matrix->value, "contact problem");
    memset(matrix->value, 0, blocks * FRICTION_BLOCK * sizeof *matrix->value);
    return problem;
}

struct friction_problem *friction_problem_with_bodies(int32_t contacts, int32_t bodies) {
    size_t n = (size_t)contacts, b = (size_t)bodies;
    struct friction_problem *problem = create(contacts, FACE_BODIES);
    struct friction_bodies *face = &problem->bodies;
    face->count = bodies;
    face->inverse = memory_allocate(b, sizeof *face->inverse, "contact problem");
    face->id = memory_allocate(b, sizeof *face->id, "contact problem");
    face->rows = memory_allocate(n, sizeof *face->rows, "contact problem");
    face->start = memory_allocate(b + 1, sizeof *face->start, "contact problem");
    face->incident = memory_allocate(2 * n, sizeof *face->incident, "contact problem");
    face->first = memory_allocate(n, sizeof *face->first, "contact problem");
    face->second = memory_allocate(n, sizeof *face->second, "contact problem");
    face->pair = memory_allocate(n, sizeof *face->pair, "contact problem");
    return problem;
}

void friction_problem_free(struct friction_problem *problem) {
    if (!problem)
        return;
    struct friction_matrix *matrix = &problem->matrix;
    struct friction_bodies *bodies = &problem->bodies;
    void *arrays[] = {problem->held,    problem->mu,     problem->q,       problem->diagonal,
                      problem->rho,     matrix->start,   matrix->column,   matrix->value,
                      matrix->diagonal, bodies->inverse, bodies->id,       bodies->drift,
                      bodies->rows,     bodies->start,   bodies->incident, bodies->first,
                      bodies->second,   bodies->pair,    problem->run,     problem->colour_start};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    memory_free(problem);
}

void friction_problem_hold(struct friction_problem *problem, int32_t contact, uint8_t held) {
    if (!problem->held)
        problem->held =
            memory_allocate((size_t)problem->contacts, sizeof *problem->held, "contact problem");
    problem->held[contact] = held;
}

// Diagonal blocks -----------------------------------------------------------------------------

static void finish_matrix(struct friction_problem *problem) {
    struct friction_matrix *matrix = &problem->matrix;
    for (int32_t a = 0; a < problem->contacts; a++) {
        size_t e = matrix->start[a];
        while (matrix->column[e] != a)
            e++;
        matrix->diagonal[a] = e;
        problem->diagonal[a] = friction_block(matrix->value + e * FRICTION_BLOCK);
    }
}

// Velocity at a point of a body that an impulse at another of its points causes.
static vec3 respond(const struct solver_tensor *inverse, vec3 arm, vec3 arm_from, vec3 p) {
    vec3 s = sym3_apply(inverse->k, vec3_cross(arm_from, p));
    return vec3_add(vec3_times(inverse->inv_m, p), vec3_cross(s, arm));
}

// W_ab += the part of one body, seen from contact a (its sign) and from b.
static void add_part(const struct solver_tensor *inverse, const struct friction_row *a, vec3 arm_a,
                     const struct friction_row *b, vec3 arm_b, double sign, double w[3][3]) {
    for (int j = 0; j < 3; j++) {
        vec3 u = respond(inverse, arm_a, arm_b, b->axis[j]);
        for (int i = 0; i < 3; i++)
            w[i][j] += sign * vec3_dot(a->axis[i], u);
    }
}

static void finish_bodies(struct friction_problem *problem) {
    const struct friction_bodies *bodies = &problem->bodies;
    for (int32_t k = 0; k < problem->contacts; k++) {
        const struct friction_row *row = &bodies->rows[k];
        double w[3][3] = {{0}};
        if (row->c >= 0)
            add_part(&bodies->inverse[row->c], row, row->arm_c, row, row->arm_c, 1, w);
        if (row->a >= 0)
            add_part(&bodies->inverse[row->a], row, row->arm_a, row, row->arm_a, 1, w);
        for (int i = 0; i < 3; i++)
            problem->diagonal[k].row[i] = vec3_make(w[i][0], w[i][1], w[i][2]);
    }
}

void friction_problem_finish(struct friction_problem *problem) {
    if (problem->face == FACE_MATRIX)
        finish_matrix(problem);
    else
        finish_bodies(problem);
    for (int32_t a = 0; a < problem->contacts; a++) {
        if (problem->rho[a] > 0)
            continue; // known already
        double norm = mat3_norm(problem->diagonal[a]);
        problem->rho[a] = norm > 0 ? 1 / norm : 0;
    }
}

// Products ------------------------------------------------------------------------------------

struct product {
    const struct friction_problem *problem;
    const double *x, *add;
    double *v, *out;
};

#define CONTACT_CHUNK 256
#define BODY_CHUNK    256
#define WORTH_A_TEAM  4000 // contacts; below, waking threads costs more than they bring

WIDE static void matrix_rows(const struct friction_matrix *matrix, const double *x,
                             const double *add, size_t begin, size_t end, double *out) {
    for (size_t a = begin; a < end; a++) {
        vec3 sum = friction_matrix_row(matrix, (int32_t)a, x);
        friction_set(out, (int32_t)a, add ? vec3_add(sum, friction_get(add, (int32_t)a)) : sum);
    }
}

static void matrix_range(void *context, size_t begin, size_t end) {
    const struct product *product = context;
    matrix_rows(&product->problem->matrix, product->x, product->add, begin, end, product->out);
}

// The velocity of a body from the impulses of its contacts, in their order.
static void body_range(void *context, size_t begin, size_t end) {
    const struct product *product = context;
    const struct friction_bodies *bodies = &product->problem->bodies;
    for (size_t b = begin; b < end; b++) {
        vec3 push = {0}, turn = {0};
        for (size_t e = bodies->start[b]; e < bodies->start[b + 1]; e++)
            friction_gather(bodies, bodies->incident[e], product->x, &push, &turn);
        vec3 v = vec3_times(bodies->inverse[b].inv_m, push);
        vec3 s = sym3_apply(bodies->inverse[b].k, turn);
        double *six = product->v + 6 * b;
        memcpy(six, &v, sizeof v);
        memcpy(six + 3, &s, sizeof s);
    }
}

static void row_range(void *context, size_t begin, size_t end) {
    const struct product *product = context;
    for (size_t a = begin; a < end; a++) {
        const struct friction_row *row = &product->problem->bodies.rows[a];
        vec3 u = friction_row_velocity(row, product->v);
        if (product->add)
            u = vec3_add(u, friction_get(product->add, (int32_t)a));
        friction_set(product->out, (int32_t)a, u);
    }
}

static void for_each(const struct friction_problem *problem, size_t count, size_t chunk,
                     range_function f, struct product *product) {
    if (problem->team && problem->contacts >= WORTH_A_TEAM)
        team_for(problem->team, count, chunk, f, product);
    else if (count > 0)
        f(product, 0, count);
}

static void multiply(const struct friction_problem *problem, const double *x, const double *add,
                     double *out) {
    struct product product = {problem, x, add, NULL, out};
    size_t contacts = (size_t)problem->contacts, bodies = (size_t)problem->bodies.count;
    if (problem->face == FACE_MATRIX) {
        for_each(problem, contacts, CONTACT_CHUNK, matrix_range, &product);
        return;
    }
    product.v = memory_allocate(6 * bodies, sizeof *product.v, "velocities");
    for_each(problem, bodies, BODY_CHUNK, body_range, &product);
    for_each(problem, contacts, CONTACT_CHUNK, row_range, &product);
    memory_free(product.v);
}

void friction_problem_product(const struct friction_problem *problem, const double *x, double *Wx) {
    multiply(problem, x, NULL, Wx);
}

void friction_problem_velocity(const struct friction_problem *problem, const double *r, double *u) {
    multiply(problem, r, problem->q, u);
}

// Assembly of W -------------------------------------------------------------------------------

static int32_t body_of(const struct friction_row *row, bool is_a) { return is_a ? row->a : row->c; }

// The contacts that share a moving body with contact a, ascending, in `list`.
static size_t neighbours(const struct friction_problem *problem, int32_t a, int32_t *list) {
    const struct friction_bodies *bodies = &problem->bodies;
    const struct friction_row *row = &bodies->rows[a];
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

static void assemble_block(const struct friction_problem *problem, int32_t a, int32_t b,
                           double *value) {
    const struct friction_bodies *bodies = &problem->bodies;
    const struct friction_row *row_a = &bodies->rows[a], *row_b = &bodies->rows[b];
    double w[3][3] = {{0}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int32_t body = body_of(row_a, i == 1);
            if (body >= 0 && body == body_of(row_b, j == 1))
                add_part(&bodies->inverse[body], row_a, i ? row_a->arm_a : row_a->arm_c, row_b,
                         j ? row_b->arm_a : row_b->arm_c, i == j ? 1 : -1, w);
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            value[4 * j + i] = w[i][j];
}

static size_t most_neighbours(const struct friction_problem *problem, size_t *total) {
    const struct friction_bodies *bodies = &problem->bodies;
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

static void copy_common(const struct friction_problem *from, struct friction_problem *to) {
    size_t n = (size_t)from->contacts;
    memcpy(to->mu, from->mu, n * sizeof *to->mu);
    memcpy(to->q, from->q, 3 * n * sizeof *to->q);
    for (int32_t a = 0; a < from->contacts && from->held; a++)
        friction_problem_hold(to, a, from->held[a]);
    to->floor = from->floor;
    to->speed2 = from->speed2;
    to->team = from->team;
}

static struct friction_problem *copy_matrix(const struct friction_problem *problem) {
    size_t n = (size_t)problem->contacts, blocks = problem->matrix.start[n];
    struct friction_problem *copy = friction_problem_create(problem->contacts, blocks);
    const struct friction_matrix *matrix = &problem->matrix;
    memcpy(copy->matrix.start, matrix->start, (n + 1) * sizeof *matrix->start);
    memcpy(copy->matrix.column, matrix->column, blocks * sizeof *matrix->column);
    memcpy(copy->matrix.value, matrix->value, blocks * FRICTION_BLOCK * sizeof *matrix->value);
    return copy;
}

struct friction_problem *friction_problem_assemble(const struct friction_problem *problem) {
    struct friction_problem *built;
    if (problem->face == FACE_MATRIX) {
        built = copy_matrix(problem);
    } else {
        size_t total, most = most_neighbours(problem, &total);
        int32_t *list = memory_allocate(most, sizeof *list, "contact problem");
        built = friction_problem_create(problem->contacts, total);
        struct friction_matrix *matrix = &built->matrix;
        for (int32_t a = 0; a < problem->contacts; a++) {
            size_t count = neighbours(problem, a, list), e = matrix->start[a];
            for (size_t k = 0; k < count; k++, e++) {
                matrix->column[e] = list[k];
                assemble_block(problem, a, list[k], matrix->value + e * FRICTION_BLOCK);
            }
            matrix->start[a + 1] = e;
        }
        memory_free(list);
    }
    copy_common(problem, built);
    friction_problem_finish(built);
    return built;
}

// States --------------------------------------------------------------------------------------

struct friction_state friction_state_open(const struct friction_problem *problem, double *r) {
    struct friction_state state = {problem, r, NULL};
    if (problem->face == FACE_BODIES)
        state.v = memory_allocate(6 * (size_t)problem->bodies.count, sizeof *state.v, "velocities");
    friction_state_refresh(&state);
    return state;
}

void friction_state_close(struct friction_state *state) { memory_free(state->v); }

void friction_state_refresh(struct friction_state *state) {
    if (state->problem->face == FACE_MATRIX)
        return;
    struct product product = {state->problem, state->r, NULL, state->v, NULL};
    for_each(state->problem, (size_t)state->problem->bodies.count, BODY_CHUNK, body_range,
             &product);
}
