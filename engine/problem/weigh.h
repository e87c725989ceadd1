// Computes the 3x3 blocks of W = H^T M^-1 H (engine/problem/contact_problem.h). Block W_ab is the
// velocity at contact a that a unit impulse at contact b causes.
#ifndef ENGINE_PROBLEM_WEIGH_H
#define ENGINE_PROBLEM_WEIGH_H

#include "engine/problem/contact_problem.h"

// Returns the velocity at a point of a body that an impulse at another of its points causes.
static inline vec3 contact_respond(const struct inverse_mass *inverse, vec3 arm, vec3 arm_from,
                                   vec3 p) {
    vec3 s = sym3_apply(inverse->k, vec3_cross(arm_from, p));
    return vec3_add(vec3_times(inverse->inv_m, p), vec3_cross(s, arm));
}

// Adds the contribution of one body, which has the given arms in rows a and b, to W_ab.
static inline void contact_add_part(const struct inverse_mass *inverse, const vec3 *axis_a,
                                    vec3 arm_a, const vec3 *axis_b, vec3 arm_b, double sign,
                                    double w[3][3]) {
    for (int j = 0; j < 3; j++) {
        vec3 u = contact_respond(inverse, arm_a, arm_b, axis_b[j]);
        for (int i = 0; i < 3; i++)
            w[i][j] += sign * vec3_dot(axis_a[i], u);
    }
}

// Returns W_aa of a row whose bodies have the given inverse masses.
static inline mat3 contact_weigh(const struct contact_row *row, const struct inverse_mass *c,
                                 const struct inverse_mass *a) {
    double w[3][3] = {{0}};
    contact_add_part(c, row->axis, row->arm_c, row->axis, row->arm_c, 1, w);
    contact_add_part(a, row->axis, row->arm_a, row->axis, row->arm_a, 1, w);
    return (mat3){
        {{w[0][0], w[0][1], w[0][2]}, {w[1][0], w[1][1], w[1][2]}, {w[2][0], w[2][1], w[2][2]}}};
}

#endif
