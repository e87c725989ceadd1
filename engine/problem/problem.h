// The contact problem of one step, matrix-free: u = W r + q through body velocities, where
// W = H^T M^-1 H is never built.
//
// The contact points of a pair of bodies that share a normal, or the points of a joint, are one
// node of the graph, solved by one thread. (Clumps touch along several normals: nodes of one pair.)
// Nodes are stored by colour (no two of a colour share a moving body) in batches of one kind and
// one friction coefficient. A sweep streams through them once per iteration and touches nothing
// else but two bodies each.
#ifndef ENGINE_PROBLEM_PROBLEM_H
#define ENGINE_PROBLEM_PROBLEM_H

#include <stdint.h>

#include "engine/problem/hold.h"
#include "engine/world/world.h"
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

struct solver_velocity {
    vec3 v, s;
};

// Bodies whose inverse mass is not two scalars: locked degrees of freedom, unequal moments.
struct solver_tensor {
    vec3 inv_m;
    sym3 k; // R^2 times the inverse inertia in world axes at q_m
};

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

// Points of any other pair that share a local frame (n, s, t).
struct block {
    int32_t c, a;
    uint32_t begin, count; // of its points
    int32_t joint;         // of the world; -1: contacts
    vec3 n, s, t;
};

struct block_point {
    vec3 arm_c, arm_a; // from the centre to the contact point, in units of the body's R
    vec3 r, b;         // local impulse; u + b obeys the law
    vec3 last;         // r at the end of the last sweep
    mat3 W;
    sym3 inverse; // of W; zero where W is singular; of contacts
    double rho;   // 1 / |W|_2
    double k;     // slip parameter of the exact solver, kept as its next start
    uint8_t held; // of a joint: engine/problem/hold.h; 0: a contact
};

// What a whole joint needs: its rows solved together, so that its points do not have to find each
// other by sweeping. Rows are the directions held, point after point.
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

struct problem {
    // Bodies of the world, and where there are joints the world itself, which does not move. Copies
    // follow, then the null body.
    int32_t body_count;
    int32_t solver_body_count;
    struct solver_body *bodies;
    size_t body_capacity;
    struct solver_tensor *tensors; // as long as bodies when tensor_needed
    size_t tensor_capacity;
    bool tensor_needed; // by some body, some law, or the user's choice of local solver
    vec3 *group_force;  // by group, of this step
    vec3 *x_m;          // midpoint positions, by body
    mat3 *axes_m; // midpoint axes, by body; where bodies_have_axes, drivers turn or joints are
    vec3 *v_free, *s_free;
    vec3 *joint_moment; // by body: angular impulse of the joints in the last step
    size_t joint_moment_capacity;
    size_t midpoint_capacity, axes_capacity, v_free_capacity, s_free_capacity;

    struct split_body *splits;
    size_t split_count, split_capacity;
    int32_t *copies; // of each solver body; only set when split_count > 0
    size_t copies_capacity;

    struct sphere_group *groups;
    size_t group_count, group_capacity;
    struct lane_vector *last; // impulses at the end of the last sweep, by group
    size_t last_capacity;
    struct solver_velocity *last_velocity; // by solver body
    size_t last_velocity_capacity;
    struct block *blocks;
    size_t block_count, block_capacity;
    struct block_point *points;
    size_t point_count, point_capacity;
    struct joint_inverse *joint_inverses; // by joint of the world
    size_t joint_inverse_capacity;
    struct batch *batches;
    size_t batch_count, batch_capacity;
    struct chunk *chunks;
    size_t chunk_count, chunk_capacity;
    uint32_t colour_start[COLOUR_MAX + 1]; // batches of each colour
    uint32_t colour_chunk[COLOUR_MAX + 1]; // chunks of each colour
    int colours;
    size_t active; // contacts and points of joints in the problem
    size_t nodes;  // runs of one pair and one normal; of the joints, which come last, each one

    uint32_t *slot; // of each contact of the world
    size_t slot_capacity;
    struct assembly *assembly; // scratch of problem_build
};

struct problem *problem_create(void);
void problem_free(struct problem *problem);

// Room for the bodies of the world: x_m, v_free, s_free and the solver bodies.
void problem_size(struct problem *problem, int32_t body_count);
void problem_size_axes(struct problem *problem);
void problem_size_tensors(struct problem *problem);
void problem_size_last(struct problem *problem); // memory of the last sweep

// Colours the contacts, lays them out and warm-starts them from contact.impulse. Needs x_m, v_free
// and the solver bodies' inverse masses (engine/motion/motion.h).
void problem_build(struct gabion_world *world);

// Copies the impulses back to the contacts and sets their status.
void problem_store(struct gabion_world *world);

static inline struct solver_tensor solver_tensor_scale(double f, struct solver_tensor t) {
    return (struct solver_tensor){
        vec3_scale(f, t.inv_m),
        {f * t.k.xx, f * t.k.yy, f * t.k.zz, f * t.k.xy, f * t.k.xz, f * t.k.yz},
    };
}

static inline double solver_copies(const struct problem *problem, int32_t body) {
    return problem->split_count > 0 ? problem->copies[body] : 1;
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

// Velocity of c against a at a point, in the local frame.
static inline vec3 block_velocity(const struct block *block, const struct block_point *point,
                                  const struct solver_velocity *c,
                                  const struct solver_velocity *a) {
    vec3 u = vec3_sub(vec3_add(c->v, vec3_cross(c->s, point->arm_c)),
                      vec3_add(a->v, vec3_cross(a->s, point->arm_a)));
    return vec3_make(vec3_dot(block->n, u), vec3_dot(block->s, u), vec3_dot(block->t, u));
}

static inline struct solver_velocity solver_velocity(const struct solver_body *body) {
    return (struct solver_velocity){solver_v(body), solver_s(body)};
}

// World vector of a local impulse.
static inline vec3 block_impulse(const struct block *block, vec3 r) {
    return vec3_add_scaled(vec3_add_scaled(vec3_scale(r.x, block->n), r.y, block->s), r.z,
                           block->t);
}

#endif
