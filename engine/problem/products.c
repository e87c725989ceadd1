// Products with W, and struct contact_state.
#include <string.h>

#include "engine/problem/contact_problem.h"
#include "parallel/memory.h"
#include "parallel/team.h"

// Products ------------------------------------------------------------------------------------

struct product {
    const struct contact_problem *problem;
    const double *x, *add;
    double *v, *out;
};

#define CONTACT_CHUNK 256
#define BODY_CHUNK    256
#define WORTH_A_TEAM  4000 // contacts; below, waking threads costs more than they bring

WIDE static void matrix_rows(const struct contact_matrix *matrix, const double *x,
                             const double *add, size_t begin, size_t end, double *out) {
    for (size_t a = begin; a < end; a++) {
        vec3 sum = contact_matrix_row(matrix, (int32_t)a, x);
        contact_set(out, (int32_t)a, add ? vec3_add(sum, contact_get(add, (int32_t)a)) : sum);
    }
}

static void matrix_range(void *context, size_t begin, size_t end) {
    const struct product *product = context;
    matrix_rows(&product->problem->matrix, product->x, product->add, begin, end, product->out);
}

// Computes the velocities of bodies from the impulses of their contacts, summed in the order of the
// rows.
static void body_range(void *context, size_t begin, size_t end) {
    const struct product *product = context;
    const struct contact_bodies *bodies = &product->problem->bodies;
    for (size_t b = begin; b < end; b++) {
        vec3 push = {0}, turn = {0};
        for (size_t e = bodies->start[b]; e < bodies->start[b + 1]; e++)
            contact_gather(bodies, bodies->incident[e], product->x, &push, &turn);
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
        const struct contact_row *row = &product->problem->bodies.rows[a];
        vec3 u = contact_row_velocity(row, product->v);
        if (product->add)
            u = vec3_add(u, contact_get(product->add, (int32_t)a));
        contact_set(product->out, (int32_t)a, u);
    }
}

static void for_each(const struct contact_problem *problem, size_t count, size_t chunk,
                     range_function f, struct product *product) {
    if (problem->team && problem->contacts >= WORTH_A_TEAM)
        team_for(problem->team, count, chunk, f, product);
    else if (count > 0)
        f(product, 0, count);
}

static void multiply(const struct contact_problem *problem, const double *x, const double *add,
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

void contact_problem_product(const struct contact_problem *problem, const double *x, double *Wx) {
    multiply(problem, x, NULL, Wx);
}

void contact_problem_velocity(const struct contact_problem *problem, const double *r, double *u) {
    multiply(problem, r, problem->q, u);
}

// States --------------------------------------------------------------------------------------

struct contact_state contact_state_open(const struct contact_problem *problem, double *r) {
    struct contact_state state = {problem, r, NULL};
    if (problem->face == FACE_BODIES)
        state.v = memory_allocate(6 * (size_t)problem->bodies.count, sizeof *state.v, "velocities");
    contact_state_refresh(&state);
    return state;
}

void contact_state_close(struct contact_state *state) { memory_free(state->v); }

void contact_state_refresh(struct contact_state *state) {
    if (state->problem->face == FACE_MATRIX)
        return;
    struct product product = {state->problem, state->r, NULL, state->v, NULL};
    for_each(state->problem, (size_t)state->problem->bodies.count, BODY_CHUNK, body_range,
             &product);
}
