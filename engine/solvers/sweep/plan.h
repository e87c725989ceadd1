// The plan of the sweeps over a contact problem with views: its contacts laid out so that a sweep
// streams through them once and touches nothing else but two bodies each. u = W r + q goes through
// the velocities of the bodies; W is never built.
//
// The contact points of a pair of bodies that share a normal, or the points of a joint, are one
// node of the graph, solved by one thread. (Clumps touch along several normals: nodes of one pair.)
// Nodes are stored by colour (no two of a colour share a moving body) in batches of one kind and
// one friction coefficient. Only the files of this folder include this header.
#ifndef ENGINE_SOLVERS_SWEEP_PLAN_H
#define ENGINE_SOLVERS_SWEEP_PLAN_H

#include <stdint.h>

#include "engine/problem/contact_problem.h"
#include "engine/solvers/monitor.h"
#include "parallel/colour.h"
#include "parallel/memory.h"

// Velocities as the sweep sees them, one cache line. Spin is stored as s = R w, R the body's
// radius: a velocity, so that a sphere's contact needs no lever arm and its block of W is
// diag(1/m, 1/m + R^2/I, 1/m + R^2/I) per body.
struct solver_body {
    double v[3], inv_m;
    double s[3], k; // k = R^2 / I
};
_Static_assert(sizeof(struct solver_body) == CACHE_LINE, "one body, one cache line");

// One vector for each of four contacts side by side.
#define LANES 4
struct lane_vector {
    double x[LANES], y[LANES], z[LANES];
};

// Four sphere contacts, 64 bytes each. Unused lanes refer to the null body.
struct sphere_group {
    int32_t c[LANES], a[LANES];
    struct lane_vector n; // normal, from a to c
    struct lane_vector p; // impulse on c, world axes
    double b[LANES];      // u_n + b >= 0, orthogonal to r_n
};
_Static_assert(sizeof(struct sphere_group) == LANES * CACHE_LINE, "one contact, one cache line");

// Points of any other pair, or of a joint, that share a local frame (n, s, t).
struct block {
    int32_t c, a;
    uint32_t begin, count; // of its points
    int32_t joint;         // block of the joint points; -1: contacts
    vec3 n, s, t;
};

struct block_point {
    vec3 arm_c, arm_a; // from the centre to the contact point, in units of the body's R
    vec3 r, b;         // local impulse; u + b obeys the law
    vec3 last;         // r at the end of the last sweep
    mat3 W;
    sym3 inverse;  // of W; zero where W is singular; of contacts
    double rho;    // 1 / |W|_2
    double k;      // slip parameter of the exact solver, kept as its next start
    uint8_t held;  // the point of a joint: engine/world/hold.h; 0: a contact
    uint8_t local; // enum gabion_local: how a contact is solved
};

// The inverse of a whole joint: its rows are solved together, so that its points do not have to
// find each other by sweeping. Rows are the directions held, point after point.
struct joint_inverse {
    double a[HOLD_MOST][HOLD_MOST];
};

enum batch_kind { BATCH_SPHERE_PAIR, BATCH_SPHERE_FIXED, BATCH_BLOCK, BATCH_KINDS };

struct batch {
    enum batch_kind kind;
    double mu;
    uint32_t begin, end; // sphere groups, or blocks
    uint32_t lanes;      // used in the last sphere group
};

static inline vec3 lane_get(const struct lane_vector *vector, uint32_t lane) {
    return vec3_make(vector->x[lane], vector->y[lane], vector->z[lane]);
}

static inline void lane_set(struct lane_vector *vector, uint32_t lane, vec3 value) {
    vector->x[lane] = value.x;
    vector->y[lane] = value.y;
    vector->z[lane] = value.z;
}

// A piece of a batch, of fixed size: the unit of sums that must not depend on the threads.
struct chunk {
    uint32_t batch, begin, end;
};
#define CHUNK_GROUPS 64
#define CHUNK_BLOCKS 16

// A body with more contacts than the colouring can take is split into copies that share its mass
// equally and meet after every sweep (mass splitting, Tonge, Benevolenski, Voroshilov, "Mass
// splitting for jitter-free parallel rigid body simulation", 2012): the fixed point is the same,
// and no body can serialise a sweep.
struct split_body {
    int32_t body, first_copy, copies; // copies counts the body itself
};

#define SLOT_NONE  UINT32_MAX
#define SLOT_POINT 0x80000000u // flag: index of a block's point; else lane of a sphere group

struct sweep_plan {
    const struct contact_views *views;
    struct team *team;
    double floor;     // of the problem
    double *slot_rho; // of the problem, NULL: not kept
    enum gabion_local local;
    struct gabion_cone cone;
    bool full_blocks; // the local solver asked for works on full 3x3 blocks, between spheres too

    // Bodies of the midpoint. Copies of split ones follow, then the null body.
    int32_t body_count, moving;
    int32_t solver_body_count;
    struct solver_body *bodies;
    size_t body_capacity;
    const struct inverse_mass *inverse; // as long as bodies; NULL where only spheres touch
    struct inverse_mass *own_inverse;   // where it is not that of the midpoint
    size_t inverse_capacity;

    struct split_body *splits;
    size_t split_count, split_capacity;
    int32_t *copies; // of each solver body; only set when split_count > 0
    size_t copies_capacity;

    struct sphere_group *groups;
    size_t group_count, group_capacity;
    struct lane_vector *last; // impulses at the end of the last sweep, by group
    size_t last_capacity;
    struct body_velocity *last_velocity; // by solver body
    size_t last_velocity_capacity;
    struct block *blocks;
    size_t block_count, block_capacity;
    struct block_point *points;
    size_t point_count, point_capacity;
    struct joint_inverse *joint_inverses; // by block of the joint points
    size_t joint_inverse_capacity;
    struct batch *batches;
    size_t batch_count, batch_capacity;
    struct chunk *chunks;
    size_t chunk_count, chunk_capacity;
    uint32_t colour_start[COLOUR_MAX + 1]; // batches of each colour
    uint32_t colour_chunk[COLOUR_MAX + 1]; // chunks of each colour
    int colours;
    size_t active;        // contacts and points of joints in the plan
    size_t nodes;         // runs of one pair and one normal; the joints, one each, come last
    size_t substitutions; // contacts that the local solver asked for cannot serve

    uint32_t *slot;       // of each contact of the list
    uint32_t *joint_slot; // of each block of the joint points: its first point
    size_t slot_capacity, joint_slot_capacity;
    struct layout *layout; // scratch of sweep_plan_build
};

struct sweep_plan *sweep_plan_create(void);
void sweep_plan_free(struct sweep_plan *plan);

// Lays out the problem, which has views, and starts from the impulses r over its slots.
void sweep_plan_build(struct sweep_plan *plan, const struct contact_problem *problem,
                      const struct solver_settings *settings, const vec3 *r);

// Returns the plan of a workspace (engine/solvers/sweep/workspace.h) for a problem, holding the
// impulses r: the one that is open, or a new one.
struct sweep_plan *workspace_plan(struct solver_workspace *workspace,
                                  const struct contact_problem *problem,
                                  const struct solver_settings *settings, const vec3 *r);

// Returns the plan as it is, for tests.
const struct sweep_plan *workspace_peek(const struct solver_workspace *workspace);

// Copy the impulses from and to a vector over the slots of the views.
void sweep_plan_load(struct sweep_plan *plan, const vec3 *r);
void sweep_plan_store(const struct sweep_plan *plan, vec3 *r);

// Parts of sweep_plan_build ---------------------------------------------------------------------

struct layout *layout_create(void);
void layout_free(struct layout *layout);

// Lists the nodes, colours them and cuts them into batches; makes room for their contacts.
void layout_make(struct sweep_plan *plan);

// Fills lanes, blocks and points with frames, arms, laws and start impulses.
void layout_fill(struct sweep_plan *plan, const vec3 *r);

void sweep_plan_size_last(struct sweep_plan *plan); // makes room for the memory of the last sweep

static inline double solver_copies(const struct sweep_plan *plan, int32_t body) {
    return plan->split_count > 0 ? plan->copies[body] : 1;
}

static inline vec3 solver_v(const struct solver_body *body) {
    return vec3_make(body->v[0], body->v[1], body->v[2]);
}

static inline vec3 solver_s(const struct solver_body *body) {
    return vec3_make(body->s[0], body->s[1], body->s[2]);
}

static inline void solver_set_velocity(struct solver_body *body, vec3 v, vec3 s) {
    body->v[0] = v.x;
    body->v[1] = v.y;
    body->v[2] = v.z;
    body->s[0] = s.x;
    body->s[1] = s.y;
    body->s[2] = s.z;
}

// Returns the velocity of c against a at a point, in the local frame.
static inline vec3 block_velocity(const struct block *block, const struct block_point *point,
                                  const struct body_velocity *c, const struct body_velocity *a) {
    vec3 u = vec3_sub(vec3_add(c->v, vec3_cross(c->s, point->arm_c)),
                      vec3_add(a->v, vec3_cross(a->s, point->arm_a)));
    return vec3_make(vec3_dot(block->n, u), vec3_dot(block->s, u), vec3_dot(block->t, u));
}

static inline struct body_velocity solver_velocity(const struct solver_body *body) {
    return (struct body_velocity){solver_v(body), solver_s(body)};
}

// Returns a local impulse in world axes.
static inline vec3 block_impulse(const struct block *block, vec3 r) {
    return vec3_add_scaled(vec3_add_scaled(vec3_scale(r.x, block->n), r.y, block->s), r.z,
                           block->t);
}

// Returns an impulse in world axes in the frame of a block.
static inline vec3 block_local(const struct block *block, vec3 p) {
    return vec3_make(vec3_dot(block->n, p), vec3_dot(block->s, p), vec3_dot(block->t, p));
}

// Sets the frame of a block from the normal of its first contact.
static inline void block_frame(struct block *block, vec3 normal) {
    block->n = normal;
    vec3_tangents(normal, &block->s, &block->t);
}

#endif
