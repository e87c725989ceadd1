// The midpoint of a step: where the bodies are at q_m, the velocities that they would have without
// contacts, and their inverse masses there. Motion fills it; detection, the contact problem and the
// solvers read it.
#ifndef ENGINE_MOTION_MIDPOINT_H
#define ENGINE_MOTION_MIDPOINT_H

#include <stddef.h>
#include <stdint.h>

#include "geometry/vec.h"

// A velocity and a spin. The spin is stored as s = R w, with R the body's radius: a velocity too,
// so that the contact of a sphere needs no lever arm.
struct body_velocity {
    vec3 v, s;
};

// The inverse mass of a body that may turn about any axis alike: 1/m and R^2 / I.
struct round_mass {
    double inv_m, k;
};

// The inverse mass of any body: locked degrees of freedom, unequal moments.
struct inverse_mass {
    vec3 inv_m;
    sym3 k; // R^2 times the inverse inertia, world axes at q_m
};

struct midpoint {
    // Bodies of the world and, where there are joints, the world itself as the last one. Bodies
    // from `moving` on follow a path or stand still: their velocity is the free one.
    int32_t count, moving;
    // Views of the world's bodies, `known` of them: the world itself is not among them.
    const double *radius; // 0 for walls
    const double *mass;
    const vec3 *inertia;
    const uint8_t *lock;
    int32_t known;
    vec3 *x_m;
    mat3 *axes_m; // NULL where nothing turns that is not round
    vec3 *v_free, *s_free;
    struct inverse_mass *inverse; // only where `general`
    bool general;                 // some body's inverse mass, or some law, needs more than `round`
    vec3 *group_force;            // by group: applied force of this step
    vec3 *joint_moment;           // by body: angular impulse of its joints in the last step
    size_t x_capacity, axes_capacity, v_capacity, s_capacity, inverse_capacity, joint_capacity;
};

struct midpoint *midpoint_create(void);
void midpoint_free(struct midpoint *midpoint);

// Makes room for `count` bodies in the arrays that every step needs, and in the others.
void midpoint_size(struct midpoint *midpoint, int32_t count);
void midpoint_size_axes(struct midpoint *midpoint);
void midpoint_size_inverse(struct midpoint *midpoint);

// The length R by which a spin becomes a velocity. A wall has none of its own; one metre serves.
static inline double midpoint_spin_radius(const struct midpoint *midpoint, int32_t i) {
    double radius = i < midpoint->known ? midpoint->radius[i] : 0;
    return radius > 0 ? radius : 1;
}

// The midpoint axes of a body, NULL where nothing turns that is not round.
static inline const mat3 *midpoint_axes(const struct midpoint *midpoint, int32_t i) {
    return midpoint->axes_m ? &midpoint->axes_m[i] : NULL;
}

// Returns the inverse mass of a body as if it could turn about any axis alike, or not at all.
static inline struct round_mass midpoint_round(const struct midpoint *midpoint, int32_t i) {
    if (i >= midpoint->moving)
        return (struct round_mass){0, 0};
    double radius = midpoint->radius[i];
    bool turns = midpoint->lock[i] >> 3 == 0;
    return (struct round_mass){1 / midpoint->mass[i],
                               turns ? radius * radius / midpoint->inertia[i].x : 0};
}

static inline struct inverse_mass midpoint_inverse(const struct midpoint *midpoint, int32_t i) {
    if (midpoint->general)
        return midpoint->inverse[i];
    struct round_mass round = midpoint_round(midpoint, i);
    return (struct inverse_mass){{round.inv_m, round.inv_m, round.inv_m},
                                 {round.k, round.k, round.k, 0, 0, 0}};
}

static inline struct inverse_mass inverse_mass_scale(double f, struct inverse_mass mass) {
    return (struct inverse_mass){
        vec3_scale(f, mass.inv_m),
        {f * mass.k.xx, f * mass.k.yy, f * mass.k.zz, f * mass.k.xy, f * mass.k.xz, f * mass.k.yz},
    };
}

static inline double body_velocity_square(struct body_velocity u) {
    return vec3_dot(u.v, u.v) + vec3_dot(u.s, u.s);
}

#endif
