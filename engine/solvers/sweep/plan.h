// The sweep plan: the contacts of a contact problem with views (engine/problem/contact_problem.h),
// laid out in memory so that a sweep reads each contact once, in order, and touches only its two
// bodies besides. u = W r + q is computed from the velocities of the bodies; W is never built.
//
// The contact points of a pair of bodies that share a normal, or the points of a joint, form one
// node of the graph, which one thread solves. (A pair with a clump may touch along several normals
// and then has several nodes.) Nodes are stored by colour (two nodes of one colour share no moving
// body), and within a colour in batches of one kind and one friction coefficient. Only the files of
// this folder include this header.
#ifndef ENGINE_SOLVERS_SWEEP_PLAN_H
#define ENGINE_SOLVERS_SWEEP_PLAN_H

#include <stdint.h>

#include "engine/problem/contact_problem.h"
#include "engine/solvers/monitor.h"
#include "parallel/colour.h"
#include "parallel/memory.h"

// A body as a sweep needs it, in one cache line. Spin is stored as s = R w, with R the body's
// radius and w its angular velocity. So s is a velocity, the contact of a sphere needs no lever
// arm, and each sphere adds diag(1/m, 1/m + R^2/I, 1/m + R^2/I) to the contact's 3x3 block of W.
struct solver_body {
    double v[3], inv_m;
    double s[3], k; // k = R^2 / I
};
_Static_assert(sizeof(struct solver_body) == CACHE_LINE, "one body, one cache line");

// What of it travels between ranks: up to its spin.
#define SOLVER_VELOCITY_BYTES (offsetof(struct solver_body, k))

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

// A block is a node that is not between spheres: contact points of one pair of bodies, or the
// points of a joint, that share a local frame (n, s, t). (Elsewhere "block" also means a 3x3 part
// of W or a brick of masonry; here it is this struct.)
struct block {
    int32_t c, a;
    uint32_t begin, count; // of its points
    int32_t joint;         // index of its struct joint_block; -1: contacts
    vec3 n, s, t;
};

// One point of a block. r, b, W and the rest are in the frame of the block.
struct block_point {
    vec3 arm_c, arm_a; // from the centre to the contact point, in units of the body's R
    vec3 r, b;         // local impulse; u + b obeys the law
    vec3 last;         // r at the end of the last sweep
    mat3 W;
    sym3 inverse;  // of W, for contacts; zero where W is singular
    double rho;    // 1 / |W|_2
    double k;      // slip parameter of the exact solver, kept as its next start
    uint8_t held;  // directions that a point of a joint holds (engine/world/hold.h); 0: a contact
    uint8_t local; // enum gabion_local: how a contact is solved
};

// Four blocks of contacts side by side. Their points follow each other in `lane_points`: the first
// point of each, the second point of each and so on. A lane that is unused or has fewer points than
// another one is filled with empty points, which never touch.
struct lane_block {
    int32_t c[LANES], a[LANES];
    uint32_t first[LANES];  // contact of the list that each begins with
    uint32_t begin;         // of its points
    uint16_t count;         // of its points: those of the longest lane
    uint8_t used, moves;    // bits: lanes that are used, lanes whose body a moves
    uint16_t points[LANES]; // of each lane
    struct lane_vector n;
};
_Static_assert(sizeof(struct lane_block) == 160, "no holes");

// One point of each of four blocks. W is kept as its elimination of the normal needs it:
//
//   W = [w_nn, w^T; w, W_TT],  S = W_TT - w w^T / w_nn.
struct lane_point {
    struct lane_vector arm_c, arm_a, r, last;     // as in struct block_point
    double b[LANES];                              // of the normal; laws with more are blocks
    double inverse_n[LANES];                      // 1 / w_nn
    double w_s[LANES], w_t[LANES];                // w / w_nn
    double p_ss[LANES], p_st[LANES], p_tt[LANES]; // S^-1
    double size[LANES];                           // |W|_2
};

// The inverse of W over all directions that a joint holds, point after point. The joint is solved
// as a whole with it, so that its points need no sweeps to agree with each other.
struct joint_inverse {
    double a[HOLD_MOST][HOLD_MOST];
};

enum batch_kind { BATCH_SPHERE_PAIR, BATCH_SPHERE_FIXED, BATCH_BLOCK, BATCH_LANES, BATCH_KINDS };

// Nodes of one colour, kind and friction coefficient.
struct batch {
    enum batch_kind kind;
    bool counted; // in sums and maxima; false: another rank has the same nodes and counts them
    double mu;
    uint32_t begin, end; // sphere groups, blocks or lane blocks
    uint32_t lanes;      // used in the last sphere group or lane block
};

static inline vec3 lane_get(const struct lane_vector *vector, uint32_t lane) {
    return vec3_make(vector->x[lane], vector->y[lane], vector->z[lane]);
}

static inline void lane_set(struct lane_vector *vector, uint32_t lane, vec3 value) {
    vector->x[lane] = value.x;
    vector->y[lane] = value.y;
    vector->z[lane] = value.z;
}

// A part of a batch, of fixed size. Sums are formed per chunk and then over the chunks in order, so
// that they do not depend on the number of threads.
struct chunk {
    uint32_t batch, begin, end;
};
#define CHUNK_GROUPS 64
#define CHUNK_BLOCKS 16
#define CHUNK_LANES  8

// A body with more contacts than there are colours is split into copies that share its mass equally
// and are averaged after every sweep (mass splitting, Tonge, Benevolenski, Voroshilov, "Mass
// splitting for jitter-free parallel rigid body simulation", 2012). The fixed point is the same,
// and no body can serialise a sweep.
struct split_body {
    int32_t body, first_copy, copies; // copies counts the body itself
};

#define SLOT_NONE  UINT32_MAX
#define SLOT_POINT 0x80000000u // flag: index of a block's point
#define SLOT_LANE  0x40000000u // flag: lane of a lane block's point; neither: of a sphere group

// What a plan holds. Where ranks share the contacts, those of all ranks together.
struct sweep_totals {
    size_t active;        // contacts and points of joints
    size_t general;       // of these, those in blocks and lane blocks
    size_t general_nodes; // blocks, and used lanes of lane blocks
    size_t substitutions; // contacts that the chosen local solver cannot solve
};

struct sweep_plan {
    const struct contact_views *views;
    struct team *team;
    struct least_speeds least; // of the problem
    double *slot_rho;          // of the problem, NULL: not kept
    enum gabion_local local;
    struct gabion_cone cone;
    bool full_blocks; // the chosen local solver works on full 3x3 parts of W: sphere contacts
                      // become blocks too

    // Solver bodies: those of the midpoint, then the copies of split ones, then the null body.
    int32_t body_count, moving;
    int32_t solver_body_count;
    struct solver_body *bodies;
    size_t body_capacity;
    const struct inverse_mass *inverse; // one per solver body; NULL where only spheres touch
    struct inverse_mass *own_inverse; // what `inverse` points at, unless it is the midpoint's array
    size_t inverse_capacity;

    struct split_body *splits;
    size_t split_count, split_capacity;
    int32_t *copies; // of each solver body; only set when split_count > 0
    size_t copies_capacity;

    struct sphere_group *groups; // lent until the plan is closed
    size_t group_count;
    struct lane_vector *last;            // impulses at the end of the last sweep, by group
    struct body_velocity *last_velocity; // by solver body
    void *last_lent;                     // what these are parts of, while sweeps or checks are open
    struct block *blocks;
    size_t block_count, block_capacity;
    struct block_point *points;
    size_t point_count, point_capacity;
    struct lane_block *lane_blocks;
    size_t lane_block_count, lane_block_capacity;
    struct lane_point *lane_points;
    size_t lane_point_count, lane_point_capacity;
    struct joint_inverse *joint_inverses; // by block of the joint points
    size_t joint_inverse_capacity;
    struct batch *batches;
    size_t batch_count, batch_capacity;
    struct chunk *chunks;
    size_t chunk_count, chunk_capacity;
    int64_t worst; // contact with the largest error in its own scale at the last measurement
                   // (residual_sums.worst)
    uint32_t colour_start[COLOUR_MAX + 1]; // batches of each colour
    uint32_t colour_chunk[COLOUR_MAX + 1]; // chunks of each colour
    uint32_t colour_inside[COLOUR_MAX];    // the first chunk that no other rank waits for
    int colours;                           // the most on any rank
    size_t active;                         // contacts and points of joints in the plan
    size_t general;                        // of these, those in blocks and lane blocks
    size_t general_nodes;                  // blocks, and used lanes of lane blocks
    size_t nodes; // nodes of the graph; those of joints, one each, come last
    struct sweep_totals total;
    struct border *border;   // to other ranks (border.h); NULL: the plan has all contacts
    struct exchange *ghosts; // of velocities, for the ghosts of a piece as they were listed for the
    int64_t listing;         // so many-th time; NULL: none yet
    int64_t shared_bytes;    // that this rank sent in sweep_plan_share since the plan was built

    uint32_t *slot; // by contact of the list: its place in groups or points (SLOT_NONE, SLOT_POINT)
    uint32_t *joint_slot; // by struct joint_block: its first point
    size_t slot_capacity, joint_slot_capacity;
    struct layout *layout; // temporary data of sweep_plan_build
};

struct sweep_plan *sweep_plan_create(void);
void sweep_plan_free(struct sweep_plan *plan);

// Lays out a problem with views and loads the start impulses r, a vector over its slots.
void sweep_plan_build(struct sweep_plan *plan, const struct contact_problem *problem,
                      const struct solver_settings *settings, const vec3 *r);

// Lets go of the problem. Velocities stay.
void sweep_plan_close(struct sweep_plan *plan);

// Gives every rank the velocities of the bodies that it follows.
void sweep_plan_share(struct sweep_plan *plan);

// Gives every rank the velocities of all bodies, also where the plan is closed.
void sweep_plan_gather(struct sweep_plan *plan, const struct cuts *cuts);

// Returns the plan of a workspace (engine/solvers/sweep/workspace.h) for a problem, loaded with the
// impulses r. Builds the plan unless the problem is open in the workspace already.
struct sweep_plan *workspace_plan(struct solver_workspace *workspace,
                                  const struct contact_problem *problem,
                                  const struct solver_settings *settings, const vec3 *r);

// Returns the plan without changing it, for tests.
const struct sweep_plan *workspace_peek(const struct solver_workspace *workspace);

// Copy the impulses from and to a vector over the slots of the views.
void sweep_plan_load(struct sweep_plan *plan, const vec3 *r);
void sweep_plan_store(const struct sweep_plan *plan, vec3 *r);

// Parts of sweep_plan_build ---------------------------------------------------------------------

struct layout *layout_create(void);
void layout_free(struct layout *layout);

// Gives back the arrays that are lent while a plan is built.
void layout_return(struct layout *layout);

// Lists the nodes, and what of them lies between ranks.
void layout_list(struct sweep_plan *plan);

// Colours the nodes and cuts them into batches; makes room for their contacts.
void layout_make(struct sweep_plan *plan);

// Fills the lanes of the sphere groups, the blocks and their points with frames, arms, laws and
// start impulses.
void layout_fill(struct sweep_plan *plan, const vec3 *r);

// Gives back the room for what the last sweep left.
void sweep_plan_return_last(struct sweep_plan *plan);

// The solver bodies that a plan works with, numbered from 0: all of them or, where ranks share the
// contacts, the own ones of this rank, those that do not move, copies, and ghosts.
struct solver_bodies {
    int32_t begin, end;   // own ones
    int32_t fixed, count; // solver bodies [fixed, count) follow
    const int32_t *ghost;
    size_t ghosts;
};
struct solver_bodies sweep_plan_bodies(const struct sweep_plan *plan);

static inline size_t solver_bodies_count(const struct solver_bodies *bodies) {
    return (size_t)(bodies->end - bodies->begin) + (size_t)(bodies->count - bodies->fixed) +
           bodies->ghosts;
}

static inline int32_t solver_bodies_get(const struct solver_bodies *bodies, size_t k) {
    size_t own = (size_t)(bodies->end - bodies->begin);
    size_t fixed = (size_t)(bodies->count - bodies->fixed);
    return k < own           ? bodies->begin + (int32_t)k
           : k < own + fixed ? bodies->fixed + (int32_t)(k - own)
                             : bodies->ghost[k - own - fixed];
}

// Returns the end of the run of consecutive bodies that begins with the k-th one, at most `end`.
static inline size_t solver_bodies_run(const struct solver_bodies *bodies, size_t k, size_t end) {
    size_t own = (size_t)(bodies->end - bodies->begin);
    size_t fixed = own + (size_t)(bodies->count - bodies->fixed);
    size_t run = k < own ? own : k < fixed ? fixed : k + 1;
    return run < end ? run : end;
}

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

// Returns the velocity of c relative to a at a point, in the frame of the block.
static inline vec3 block_velocity(const struct block *block, const struct block_point *point,
                                  const struct body_velocity *c, const struct body_velocity *a) {
    vec3 u = vec3_sub(vec3_add(c->v, vec3_cross(c->s, point->arm_c)),
                      vec3_add(a->v, vec3_cross(a->s, point->arm_a)));
    return vec3_make(vec3_dot(block->n, u), vec3_dot(block->s, u), vec3_dot(block->t, u));
}

static inline struct body_velocity solver_velocity(const struct solver_body *body) {
    return (struct body_velocity){solver_v(body), solver_s(body)};
}

// Converts an impulse from the frame of a block to world axes.
static inline vec3 block_impulse(const struct block *block, vec3 r) {
    return vec3_add_scaled(vec3_add_scaled(vec3_scale(r.x, block->n), r.y, block->s), r.z,
                           block->t);
}

// Converts an impulse from world axes to the frame of a block.
static inline vec3 block_local(const struct block *block, vec3 p) {
    return vec3_make(vec3_dot(block->n, p), vec3_dot(block->s, p), vec3_dot(block->t, p));
}

// Sets the frame of a block from the normal of its first contact.
static inline void block_frame(struct block *block, vec3 normal) {
    block->n = normal;
    vec3_tangents(normal, &block->s, &block->t);
}

#endif
