// A frictional contact problem by itself: u = W r + q, and the contact law at each of its contacts.
// Every solver of engine/solvers/panel.h takes one, whether it came from a step or from a file.
//
// Vectors have three numbers per contact, (n, s, t); u_n > 0 separates, r_n > 0 pushes apart.
// W has two faces that answer the same questions:
//
//   FACE_MATRIX  rows of 3x3 blocks (files, direct methods); need not be symmetric
//   FACE_BODIES  W = H^T M^-1 H through the velocities of the bodies; never built
#ifndef ENGINE_PROBLEM_FRICTION_PROBLEM_H
#define ENGINE_PROBLEM_FRICTION_PROBLEM_H

#include <stdint.h>

#include "engine/problem/hold.h"
#include "engine/problem/problem.h"
#include "parallel/wide.h"

enum friction_face { FACE_MATRIX, FACE_BODIES };

// Columns ascend in a row and the diagonal block is always there. A block is stored by columns of
// four numbers, the fourth zero, so that a product with a vector is three vector operations.
#define FRICTION_BLOCK 12
struct friction_matrix {
    size_t *start; // contacts + 1
    int32_t *column;
    double *value;    // FRICTION_BLOCK per block, aligned
    size_t *diagonal; // place of each contact's own block
};

#define FRICTION_FIXED (-1)

// One contact between bodies: u = q + axes (v_c + s_c x arm_c - v_a - s_a x arm_a).
struct friction_row {
    int32_t c, a; // bodies; FRICTION_FIXED: prescribed, its velocity is in q
    vec3 axis[3]; // n, s, t in world axes
    vec3 arm_c, arm_a;
    uint32_t slot; // where the problem of a step keeps its impulse
};

struct friction_bodies {
    int32_t count;
    struct solver_tensor *inverse; // M^-1 of each
    int32_t *id;                   // in the problem of the step
    double *drift; // velocity before the step less the free one, 6 per body; NULL: not known
    struct friction_row *rows;
    // Contacts of each body in ascending order, counted from start[body]: 2 contact + (it is a).
    size_t *start;
    int32_t *incident;
    // Pairs of bodies with contacts between them, each once; pair of each contact, -1 for none.
    int32_t *first, *second, *pair;
    size_t pair_count;
};

struct friction_run {
    int32_t begin, end; // contacts
};

struct friction_problem {
    enum friction_face face;
    int32_t contacts;
    double *mu; // of each contact; from FRICTION_STICKS on it sticks
    uint8_t
        *held; // engine/problem/hold.h: which are points of joints, and what they hold; NULL: none
    double *q;
    mat3 *diagonal; // W_aa
    double *rho;    // 1 / |W_aa|_2; 0 where W_aa vanishes
    double floor;   // of the scale of the residual, m/s: h |g| of a step, 0 of a file
    // Squares of the free velocities of each contact's two bodies, summed: what rounding is
    // measured by. Negative: not known (a file), and rounding excuses nothing.
    double speed2;
    struct friction_matrix matrix;
    struct friction_bodies bodies;
    struct team *team; // NULL: one thread
    // For sweeps of large problems: runs of contacts between the same two bodies, by colour; those
    // of one colour share no moving body. colours = 0: none, sweeps go in natural order.
    struct friction_run *run;
    size_t *colour_start; // in runs, colours + 1
    int colours;
};

#define FRICTION_STICKS 1e100

void friction_problem_free(struct friction_problem *problem);

// Of the step that the world's problem was built for; FACE_BODIES.
struct friction_problem *friction_problem_of_step(const struct gabion_world *world);

// M^-1 of a moving body of that step, whole where its copies share it.
struct solver_tensor friction_inverse_mass(const struct problem *step, int32_t body);

// An empty FACE_MATRIX problem with room for `blocks` blocks of W: the caller fills mu, q,
// matrix.start, column and value and calls friction_problem_finish, once, which finds the rest (rho
// only where the caller has not set it).
struct friction_problem *friction_problem_create(int32_t contacts, size_t blocks);
void friction_problem_finish(struct friction_problem *problem);

// An empty FACE_BODIES problem: the caller fills mu, q, bodies.inverse and rows, then calls
// friction_problem_join, which finds who touches whom, and friction_problem_finish.
struct friction_problem *friction_problem_with_bodies(int32_t contacts, int32_t bodies);
void friction_problem_join(struct friction_problem *problem);

// The same problem with W built; a copy if it was.
struct friction_problem *friction_problem_assemble(const struct friction_problem *problem);

// Makes room for joints; a call for a contact is a contact still.
void friction_problem_hold(struct friction_problem *problem, int32_t contact, uint8_t held);

static inline uint8_t friction_held(const struct friction_problem *problem, int32_t contact) {
    return problem->held ? problem->held[contact] : 0;
}

size_t friction_problem_size(const struct friction_problem *problem); // 3 contacts
double friction_problem_dot(const struct friction_problem *problem, const double *x,
                            const double *y);

// Wx = W x, and u = W r + q.
void friction_problem_product(const struct friction_problem *problem, const double *x, double *Wx);
void friction_problem_velocity(const struct friction_problem *problem, const double *r, double *u);

// Impulses in the problem of the step (problem->slot of engine/problem/problem.h) to and from a
// vector.
void friction_problem_get(const struct friction_problem *problem, const struct problem *step,
                          double *r);
void friction_problem_put(const struct friction_problem *problem, const double *r,
                          struct problem *step);

// Impulses under change, one contact at a time: what a sweep works on.
struct friction_state {
    const struct friction_problem *problem;
    double *r; // the caller's
    double *v; // FACE_BODIES: velocities that r causes, 6 per body
};

struct friction_state friction_state_open(const struct friction_problem *problem, double *r);
void friction_state_close(struct friction_state *state);
void friction_state_refresh(struct friction_state *state); // after r was changed as a whole

static inline vec3 friction_get(const double *x, int32_t contact) {
    const double *three = x + 3 * (size_t)contact;
    return vec3_make(three[0], three[1], three[2]);
}

static inline void friction_set(double *x, int32_t contact, vec3 value) {
    double *three = x + 3 * (size_t)contact;
    three[0] = value.x;
    three[1] = value.y;
    three[2] = value.z;
}

static inline mat3 friction_block(const double *value) {
    return (mat3){{{value[0], value[4], value[8]},
                   {value[1], value[5], value[9]},
                   {value[2], value[6], value[10]}}};
}

// The place of block (row, column); SIZE_MAX: none.
size_t friction_matrix_find(const struct friction_matrix *matrix, int32_t row, int32_t column);

// (W x)_a by three sums that do not wait for each other.
__attribute__((always_inline)) static inline vec3
friction_matrix_row(const struct friction_matrix *matrix, int32_t a, const double *x) {
    lanes4 n = {0}, s = {0}, t = {0};
    for (size_t e = matrix->start[a], end = matrix->start[a + 1]; e < end; e++) {
        const lanes4 *column = (const lanes4 *)(matrix->value + e * FRICTION_BLOCK);
        const double *three = x + 3 * (size_t)matrix->column[e];
        n += column[0] * three[0];
        s += column[1] * three[1];
        t += column[2] * three[2];
    }
    lanes4 total = n + s + t;
    return vec3_make(total[0], total[1], total[2]);
}

static inline vec3 friction_body_velocity(const double *v, int32_t body, vec3 arm) {
    if (body < 0)
        return vec3_zero();
    const double *six = v + 6 * (size_t)body;
    return vec3_add(vec3_make(six[0], six[1], six[2]),
                    vec3_cross(vec3_make(six[3], six[4], six[5]), arm));
}

// Without q.
static inline vec3 friction_row_velocity(const struct friction_row *row, const double *v) {
    vec3 u = vec3_sub(friction_body_velocity(v, row->c, row->arm_c),
                      friction_body_velocity(v, row->a, row->arm_a));
    return vec3_make(vec3_dot(row->axis[0], u), vec3_dot(row->axis[1], u),
                     vec3_dot(row->axis[2], u));
}

static inline vec3 friction_row_impulse(const struct friction_row *row, vec3 r) {
    return vec3_add_scaled(vec3_add_scaled(vec3_scale(r.x, row->axis[0]), r.y, row->axis[1]), r.z,
                           row->axis[2]);
}

// Adds one of a body's contacts (an entry of `incident`) to the impulse and moment on it.
static inline void friction_gather(const struct friction_bodies *bodies, int32_t incident,
                                   const double *r, vec3 *push, vec3 *turn) {
    const struct friction_row *row = &bodies->rows[incident / 2];
    vec3 p = friction_row_impulse(row, friction_get(r, incident / 2));
    if (incident & 1)
        p = vec3_negate(p);
    *push = vec3_add(*push, p);
    *turn = vec3_add(*turn, vec3_cross(incident & 1 ? row->arm_a : row->arm_c, p));
}

static inline void friction_body_push(double *v, const struct solver_tensor *inverse, int32_t body,
                                      vec3 arm, vec3 p) {
    if (body < 0)
        return;
    double *six = v + 6 * (size_t)body;
    vec3 dv = vec3_times(inverse[body].inv_m, p);
    vec3 ds = sym3_apply(inverse[body].k, vec3_cross(arm, p));
    six[0] += dv.x;
    six[1] += dv.y;
    six[2] += dv.z;
    six[3] += ds.x;
    six[4] += ds.y;
    six[5] += ds.z;
}

// (W r)_a + q_a for the impulses at hand; then r_a becomes `r`.
static inline vec3 friction_state_velocity(const struct friction_state *state, int32_t a) {
    const struct friction_problem *problem = state->problem;
    vec3 q = friction_get(problem->q, a);
    if (problem->face == FACE_BODIES)
        return vec3_add(friction_row_velocity(&problem->bodies.rows[a], state->v), q);
    return vec3_add(friction_matrix_row(&problem->matrix, a, state->r), q);
}

static inline void friction_state_set(struct friction_state *state, int32_t a, vec3 r) {
    const struct friction_problem *problem = state->problem;
    if (problem->face == FACE_BODIES) {
        const struct friction_bodies *bodies = &problem->bodies;
        const struct friction_row *row = &bodies->rows[a];
        vec3 p = friction_row_impulse(row, vec3_sub(r, friction_get(state->r, a)));
        friction_body_push(state->v, bodies->inverse, row->c, row->arm_c, p);
        friction_body_push(state->v, bodies->inverse, row->a, row->arm_a, vec3_negate(p));
    }
    friction_set(state->r, a, r);
}

#endif
