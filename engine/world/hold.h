// Directions that a point of a joint holds in the contact problem
// (engine/problem/contact_problem.h). Along a held direction the relative velocity u is 0 and the
// impulse r may have either sign; along the others r is 0 and u is free.
#ifndef ENGINE_WORLD_HOLD_H
#define ENGINE_WORLD_HOLD_H

#include <stdint.h>

#include "geometry/vec.h"

// Bits of `held`: the directions n, s, t, and HOLD_POINT, which is set for every point of a joint.
// 0: a contact.
enum { HOLD_N = 1, HOLD_S = 2, HOLD_T = 4, HOLD_POINT = 8, HOLD_ALL = 15 };

// Diagonal entries of W below this fraction of the bodies' inverse masses are rounding errors of a
// locked direction, or of a lever arm that vanishes beside the body.
#define HOLD_FLOOR 1e-12

static inline vec3 hold_keep(uint8_t held, vec3 x) {
    return vec3_make(held & HOLD_N ? x.x : 0, held & HOLD_S ? x.y : 0, held & HOLD_T ? x.z : 0);
}

// Returns `held` without the directions along which no impulse can move the bodies, such as across
// the plane for bodies that are locked to a plane. `inverse` is the sum of the inverse masses of
// both, along and about all axes.
static inline uint8_t hold_possible(uint8_t held, const mat3 *W, double inverse) {
    for (int i = 0; i < 3; i++)
        if (!(vec3_get(W->row[i], i) > HOLD_FLOOR * inverse))
            held &= (uint8_t) ~(1u << i);
    return held;
}

#define HOLD_MOST 6 // directions that a joint can hold

// Inverts the symmetric matrix a in place by Gauss-Jordan elimination, the largest pivot first.
// Linearly dependent rows and columns become zero: the direction gets no impulse, because the
// directions before it can do the same.
static inline void hold_invert(double a[HOLD_MOST][HOLD_MOST], int n, double floor) {
    unsigned left = (1u << n) - 1;
    for (int round = 0; round < n; round++) {
        int p = -1;
        for (int i = 0; i < n; i++)
            if (left >> i & 1 && (p < 0 || a[i][i] > a[p][p]))
                p = i;
        if (!(a[p][p] > floor))
            break;
        left &= ~(1u << p);
        double pivot = 1 / a[p][p];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (i != p && j != p)
                    a[i][j] -= a[i][p] * a[p][j] * pivot;
        for (int i = 0; i < n; i++) {
            a[i][p] = i == p ? pivot : a[i][p] * pivot;
            a[p][i] = i == p ? pivot : -a[p][i] * pivot;
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (left >> i & 1 || left >> j & 1)
                a[i][j] = 0;
}

// Returns the inverse of W in the directions held, zero in the others: r - inverse u is the impulse
// for which u vanishes there.
static inline sym3 hold_inverse(uint8_t held, const mat3 *W) {
    double a[HOLD_MOST][HOLD_MOST] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (held >> i & 1 && held >> j & 1)
                a[i][j] = 0.5 * (vec3_get(W->row[i], j) + vec3_get(W->row[j], i));
    hold_invert(a, 3, HOLD_FLOOR * (W->row[0].x + W->row[1].y + W->row[2].z));
    return (sym3){a[0][0], a[1][1], a[2][2], a[0][1], a[0][2], a[1][2]};
}

#endif
