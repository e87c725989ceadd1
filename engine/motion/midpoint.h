// The midpoint of a step: the positions q_m of the bodies at which contacts are found, the
// velocities that the bodies would have without contacts (free velocities), and their inverse
// masses at q_m. engine/motion/motion.c fills it; detection, the contact problem and the solvers
// read it.
#ifndef ENGINE_MOTION_MIDPOINT_H
#define ENGINE_MOTION_MIDPOINT_H

#include <stddef.h>
#include <stdint.h>

#include "geometry/vec.h"

// A velocity and a scaled spin s = R w, with R the body's radius and w its angular velocity. s is a
// velocity too, so that the contact of a sphere needs no lever arm.
struct body_velocity {
    vec3 v, s;
};

// The inverse mass of a body with equal moments of inertia I about all axes: 1/m and R^2 / I.
struct round_mass {
    double inv_m, k;
};

// The inverse mass of any body, also with locked degrees of freedom or unequal moments.
struct inverse_mass {
    vec3 inv_m;
    sym3 k; // R^2 times the inverse inertia, world axes at q_m
};

struct midpoint {
    // The number of bodies, including, where there are joints, the world itself as the last one.
    // Bodies from `moving` on follow a path or stand still: contacts do not change their velocity.
    int32_t count, moving;
    // Pointers to the world's arrays of bodies, of length `known`: the world itself has no entry.
    const double *radius; // 0 for walls
    const double *mass;
    const vec3 *inertia;
    const uint8_t *lock;
    int32_t known;
    vec3 *x_m;
    mat3 *axes_m; // NULL where all bodies that turn are spheres
    vec3 *v_free, *s_free;
    struct inverse_mass *inverse; // only where `general`
    bool general;                 // struct round_mass is not enough for some body or some law
    vec3 *group_force;            // by group: applied force of this step
    vec3 *joint_moment;           // by body: angular impulse of its joints in the last step
    size_t x_capacity, axes_capacity, v_capacity, s_capacity, inverse_capacity, joint_capacity;
};

struct midpoint *midpoint_create(void);
void midpoint_free(struct midpoint *midpoint);

// Make room for `count` bodies in the arrays that every step needs, and for all bodies in axes_m
// and in inverse.
void midpoint_size(struct midpoint *midpoint, int32_t count);
void midpoint_size_axes(struct midpoint *midpoint);
void midpoint_size_inverse(struct midpoint *midpoint);

// Returns the length R that turns a spin into a velocity. Walls have no radius and use one metre.
static inline double midpoint_spin_radius(const struct midpoint *midpoint, int32_t i) {
    double radius = i < midpoint->known ? midpoint->radius[i] : 0;
    return radius > 0 ? radius : 1;
}

// Returns the axes of a body at the midpoint; NULL where all bodies that turn are spheres.
static inline const mat3 *midpoint_axes(const struct midpoint *midpoint, int32_t i) {
    return midpoint->axes_m ? &midpoint->axes_m[i] : NULL;
}

// Returns the inverse mass of a body with equal moments that can turn about all axes or about none.
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
