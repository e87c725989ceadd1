// The contact problem of one step: find the contact impulses r so that the velocities u = W r + q
// obey the contact law at every contact. Every solver takes a contact problem, whether it was made
// from a step of a run or read from a file.
//
//   r    impulse at each contact, N s, on its first body c (the second body a receives -r)
//   u    velocity of c relative to a at each contact at the end of the step, m/s
//   q    that velocity if all impulses were zero (the free velocity), plus what the law adds to u
//   W    what impulses do to velocities: W = H^T M^-1 H, M the masses, H the lever arms and frames
//   mu   friction coefficient of each contact
//
// The contact law is Signorini's (u_n >= 0, r_n >= 0, u_n r_n = 0) with Coulomb's friction
// (|r_t| <= mu r_n, sliding against r_t). The points of joints are in the same problem: u = 0 in
// the directions that they hold (engine/world/hold.h).
//
// A problem has up to three forms:
//
//   views   pointers to what a step knows: contacts, points of joints, midpoint, laws. Nothing is
//           copied, so that a million grains fit in memory, and W is never built.
//   rows    one row per active contact and point of a joint, with its frame and lever arms, or
//   matrix  rows of 3x3 blocks of W (files, direct methods; W need not be symmetric).
//
// The problem of a step has views; its rows are made when a method asks for them
// (contact_problem_materialise). A problem from a file has a matrix, or views if Gabion
// wrote it.
//
// Vectors have one of two layouts. Over rows: three numbers per row in its own frame (n, s, t),
// where n is the normal; u_n > 0 separates, r_n > 0 pushes apart. Over slots (the layout of the
// views): three numbers in world axes for each contact of the list, active or not, followed by
// three in the joint's frame for each point of a joint.
#ifndef ENGINE_PROBLEM_CONTACT_PROBLEM_H
#define ENGINE_PROBLEM_CONTACT_PROBLEM_H

#include <stdint.h>

#include "engine/contact/contacts.h"
#include "engine/gabion.h"
#include "engine/motion/midpoint.h"
#include "engine/world/hold.h"
#include "parallel/wide.h"

struct cuts;
struct piece;
struct team;

// Pointers to the data of a step; the problem does not own them.
struct contact_views {
    const struct midpoint *midpoint; // NULL: the problem has no views
    const struct contact *contacts;
    size_t count;
    const double *bias; // by contact: u_n + bias >= 0; NULL: zero
    const vec3 *before; // by contact: velocity before the step, for tangential restitution; or NULL
    const vec3 *spread; // by contact: arms of late contacts (engine/contact/contacts.h); or NULL
    const struct joint_points *joints;
    const struct gabion_law *laws;
    int law_count;
    // Velocities and spins of the bodies before the step, by body.
    const vec3 *v, *w;
    // Which moving bodies are this rank's own, where the views are of their contacts alone
    // (engine/contact/shared.h); NULL: these are all contacts.
    const struct cuts *cuts;
    const struct piece *piece; // which bodies this rank follows; not used without cuts
};

// How a problem gives access to W.
enum contact_face {
    FACE_MATRIX, // W is stored: struct contact_matrix
    FACE_BODIES, // W is applied through the velocities of the bodies: struct contact_bodies
};

// W as a sparse matrix of 3x3 blocks, stored row by row. Columns ascend within a row and the
// diagonal block is always present. A block is stored by columns of four numbers, the fourth zero,
// so that a product with a vector is three vector operations.
#define CONTACT_BLOCK 12
struct contact_matrix {
    size_t *start; // contacts + 1
    int32_t *column;
    double *value;    // CONTACT_BLOCK per block, aligned
    size_t *diagonal; // place of each contact's own block
};

#define CONTACT_FIXED (-1) // in place of a body: it does not react to impulses

// One contact between bodies c and a: u = q + axes (v_c + s_c x arm_c - v_a - s_a x arm_a), where v
// are velocities and s scaled spins (engine/motion/midpoint.h) caused by impulses.
struct contact_row {
    int32_t c, a; // bodies; CONTACT_FIXED: prescribed, its velocity is in q
    vec3 axis[3]; // n, s, t in world axes
    vec3 arm_c, arm_a;
    uint32_t slot; // in vectors over the views, where the problem has them
};

// The bodies that the rows act on, and which rows act on each body.
struct contact_bodies {
    int32_t count;
    struct inverse_mass *inverse; // M^-1 of each
    double *drift; // velocity before the step less the free one, 6 per body; NULL: not known
    struct contact_row *rows;
    // The rows of each body in ascending order, from incident[start[body]] on. An entry is 2 * row,
    // plus 1 where the body is the row's a.
    size_t *start;
    int32_t *incident;
    // Pairs of moving bodies with contacts between them, each once, and the pair of each row; -1:
    // none.
    int32_t *first, *second, *pair;
    size_t pair_count;
};

// Speeds that the residual (engine/problem/residual.h) needs of a step, m/s; both 0 for a matrix.
struct least_speeds {
    double floor; // smallest scale of the residual, about h |g|
    double still; // errors below do not count: they move no body by a rounding error of its size
};

struct contact_problem {
    struct contact_views views;
    struct stored_views *stored; // what they point at, where the problem owns it; else NULL
    // By slot: 1 / |W_aa|_2 where the sweep plan has computed it, else 0. Eigenvalues are
    // expensive, so rows made later take them from here. NULL: not kept.
    double *slot_rho;
    struct least_speeds least;
    struct team *team; // NULL: one thread

    // Rows or matrix. NULL and 0 while only the views are there.
    enum contact_face face;
    int32_t contacts; // rows
    double *mu;       // of each row; CONTACT_STICKS or more: infinite friction
    uint8_t *held;    // of each row: the directions that a point of a joint holds
                      // (engine/world/hold.h), 0 for a contact; NULL: no joints
    double *q;
    mat3 *diagonal; // W_aa
    double *rho;    // 1 / |W_aa|_2; 0 where W_aa vanishes
    struct contact_matrix matrix;
    struct contact_bodies bodies;
};

#define CONTACT_STICKS 1e100

void contact_problem_free(struct contact_problem *problem);

// Returns a problem with the given views; it owns nothing of what they point at.
struct contact_problem *contact_problem_of_views(const struct contact_views *views,
                                                 struct least_speeds least, struct team *team);

// Makes the problem keep the 1 / |W_aa|_2 that a sweep plan computes (slot_rho).
void contact_problem_keep_rho(struct contact_problem *problem);

// Makes the rows of a problem with views, unless they (or a matrix) are there already.
void contact_problem_materialise(struct contact_problem *problem);

// Return the number of slots, and convert a vector from slots to rows and back. Inactive contacts
// have no row; their slots become zero.
size_t contact_problem_slots(const struct contact_problem *problem);
void contact_problem_to_rows(const struct contact_problem *problem, const vec3 *slots, double *r);
void contact_problem_from_rows(const struct contact_problem *problem, const double *r, vec3 *slots);

// Returns an empty FACE_MATRIX problem with room for `blocks` blocks of W: the caller fills mu, q,
// matrix.start, column and value and calls contact_problem_finish, once, which finds the rest (rho
// only where the caller has not set it).
struct contact_problem *contact_problem_create(int32_t contacts, size_t blocks);
void contact_problem_finish(struct contact_problem *problem);

// Returns an empty FACE_BODIES problem: the caller fills mu, q, bodies.inverse and rows, then calls
// contact_problem_join, which finds who touches whom, and contact_problem_finish.
struct contact_problem *contact_problem_with_bodies(int32_t contacts, int32_t bodies);
void contact_problem_join(struct contact_problem *problem);

// Returns the same problem with W built (a copy where it was), without views.
struct contact_problem *contact_problem_assemble(const struct contact_problem *problem);

// Marks a row as the point of a joint that holds the given directions (0: a contact).
void contact_problem_hold(struct contact_problem *problem, int32_t contact, uint8_t held);

static inline uint8_t contact_held(const struct contact_problem *problem, int32_t contact) {
    return problem->held ? problem->held[contact] : 0;
}

size_t contact_problem_size(const struct contact_problem *problem); // 3 per row
double contact_problem_dot(const struct contact_problem *problem, const double *x, const double *y);

// Compute Wx = W x, and u = W r + q.
void contact_problem_product(const struct contact_problem *problem, const double *x, double *Wx);
void contact_problem_velocity(const struct contact_problem *problem, const double *r, double *u);

// Impulses that a sweep changes one contact at a time, with the body velocities that follow.
struct contact_state {
    const struct contact_problem *problem;
    double *r; // the caller's
    double *v; // FACE_BODIES: velocities that r causes, 6 per body
};

struct contact_state contact_state_open(const struct contact_problem *problem, double *r);
void contact_state_close(struct contact_state *state);
void contact_state_refresh(struct contact_state *state); // call it after r was changed from outside

static inline vec3 contact_get(const double *x, int32_t contact) {
    const double *three = x + 3 * (size_t)contact;
    return vec3_make(three[0], three[1], three[2]);
}

static inline void contact_set(double *x, int32_t contact, vec3 value) {
    double *three = x + 3 * (size_t)contact;
    three[0] = value.x;
    three[1] = value.y;
    three[2] = value.z;
}

static inline mat3 contact_block(const double *value) {
    return (mat3){{{value[0], value[4], value[8]},
                   {value[1], value[5], value[9]},
                   {value[2], value[6], value[10]}}};
}

// Returns the index of block (row, column); SIZE_MAX where there is none.
size_t contact_matrix_find(const struct contact_matrix *matrix, int32_t row, int32_t column);

// Returns (W x)_a. Three independent sums let the processor overlap them.
__attribute__((always_inline)) static inline vec3
contact_matrix_row(const struct contact_matrix *matrix, int32_t a, const double *x) {
    lanes4 n = {0}, s = {0}, t = {0};
    for (size_t e = matrix->start[a], end = matrix->start[a + 1]; e < end; e++) {
        const lanes4 *column = (const lanes4 *)(matrix->value + e * CONTACT_BLOCK);
        const double *three = x + 3 * (size_t)matrix->column[e];
        n += column[0] * three[0];
        s += column[1] * three[1];
        t += column[2] * three[2];
    }
    lanes4 total = n + s + t;
    return vec3_make(total[0], total[1], total[2]);
}

static inline vec3 contact_body_velocity(const double *v, int32_t body, vec3 arm) {
    if (body < 0)
        return vec3_zero();
    const double *six = v + 6 * (size_t)body;
    return vec3_add(vec3_make(six[0], six[1], six[2]),
                    vec3_cross(vec3_make(six[3], six[4], six[5]), arm));
}

// Returns the relative velocity at a row, in its frame, that the body velocities v cause; q is not
// included.
static inline vec3 contact_row_velocity(const struct contact_row *row, const double *v) {
    vec3 u = vec3_sub(contact_body_velocity(v, row->c, row->arm_c),
                      contact_body_velocity(v, row->a, row->arm_a));
    return vec3_make(vec3_dot(row->axis[0], u), vec3_dot(row->axis[1], u),
                     vec3_dot(row->axis[2], u));
}

static inline vec3 contact_row_impulse(const struct contact_row *row, vec3 r) {
    return vec3_add_scaled(vec3_add_scaled(vec3_scale(r.x, row->axis[0]), r.y, row->axis[1]), r.z,
                           row->axis[2]);
}

// Adds one of a body's contacts (an entry of `incident`) to the impulse and moment on it.
static inline void contact_gather(const struct contact_bodies *bodies, int32_t incident,
                                  const double *r, vec3 *push, vec3 *turn) {
    const struct contact_row *row = &bodies->rows[incident / 2];
    vec3 p = contact_row_impulse(row, contact_get(r, incident / 2));
    if (incident & 1)
        p = vec3_negate(p);
    *push = vec3_add(*push, p);
    *turn = vec3_add(*turn, vec3_cross(incident & 1 ? row->arm_a : row->arm_c, p));
}

static inline void contact_body_push(double *v, const struct inverse_mass *inverse, int32_t body,
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

// contact_state_velocity returns u_a = (W r)_a + q_a for the present impulses; contact_state_set
// replaces r_a.
static inline vec3 contact_state_velocity(const struct contact_state *state, int32_t a) {
    const struct contact_problem *problem = state->problem;
    vec3 q = contact_get(problem->q, a);
    if (problem->face == FACE_BODIES)
        return vec3_add(contact_row_velocity(&problem->bodies.rows[a], state->v), q);
    return vec3_add(contact_matrix_row(&problem->matrix, a, state->r), q);
}

static inline void contact_state_set(struct contact_state *state, int32_t a, vec3 r) {
    const struct contact_problem *problem = state->problem;
    if (problem->face == FACE_BODIES) {
        const struct contact_bodies *bodies = &problem->bodies;
        const struct contact_row *row = &bodies->rows[a];
        vec3 p = contact_row_impulse(row, vec3_sub(r, contact_get(state->r, a)));
        contact_body_push(state->v, bodies->inverse, row->c, row->arm_c, p);
        contact_body_push(state->v, bodies->inverse, row->a, row->arm_a, vec3_negate(p));
    }
    contact_set(state->r, a, r);
}

#endif
