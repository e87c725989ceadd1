// The algebra of the Lorentz cone L = {x : x_n >= |x_t|} that interior point methods need, for four
// cones side by side, in functions marked WIDE (parallel/wide.h).
//
// With J = diag(1, -1, -1), det x = x.J x and x^-1 = J x / det x, the scaling of Nesterov and Todd
// (1997) is the symmetric V, made of a positive number and a boost, with V z = V^-1 x = lambda. It
// is kept by its eigenvalues, because near the boundary of the cone the small one would drown in
// the rounding of the large one.
#ifndef ENGINE_SOLVERS_NEWTON_LORENTZ_H
#define ENGINE_SOLVERS_NEWTON_LORENTZ_H

#include "parallel/fours.h"

// Vectors of four contacts; s and t are tangents.
struct lanes3 {
    lanes4 n, s, t;
};

INLINE struct lanes3 lanes3_add(struct lanes3 a, struct lanes3 b) {
    return (struct lanes3){a.n + b.n, a.s + b.s, a.t + b.t};
}

INLINE struct lanes3 lanes3_sub(struct lanes3 a, struct lanes3 b) {
    return (struct lanes3){a.n - b.n, a.s - b.s, a.t - b.t};
}

INLINE struct lanes3 lanes3_scale(lanes4 f, struct lanes3 a) {
    return (struct lanes3){f * a.n, f * a.s, f * a.t};
}

INLINE struct lanes3 lanes3_times(struct lanes3 a, struct lanes3 b) {
    return (struct lanes3){a.n * b.n, a.s * b.s, a.t * b.t};
}

INLINE lanes4 lanes3_dot(struct lanes3 a, struct lanes3 b) {
    return a.n * b.n + a.s * b.s + a.t * b.t;
}

INLINE struct lanes3 lanes3_choose(mask4 mask, struct lanes3 a, struct lanes3 b) {
    return (struct lanes3){choose(mask, a.n, b.n), choose(mask, a.s, b.s), choose(mask, a.t, b.t)};
}

INLINE lanes4 lorentz_tangent(struct lanes3 x) { return root(x.s * x.s + x.t * x.t); }

// x o y = (x.y, x_n y_t + y_n x_t), whose unit is (1, 0, 0).
INLINE struct lanes3 lorentz_product(struct lanes3 x, struct lanes3 y) {
    return (struct lanes3){lanes3_dot(x, y), x.n * y.s + y.n * x.s, x.n * y.t + y.n * x.t};
}

// Returns the y with x o y = p, where det is the determinant of x.
INLINE struct lanes3 lorentz_divide(struct lanes3 p, struct lanes3 x, lanes4 det) {
    lanes4 y = (x.n * p.n - x.s * p.s - x.t * p.t) / det, inverse = 1 / x.n;
    return (struct lanes3){y, (p.s - y * x.s) * inverse, (p.t - y * x.t) * inverse};
}

// The boost that maps a point x inside the cone to a unit vector: unit = x / root, root^2 = det x.
struct lorentz_boost {
    struct lanes3 unit;
    lanes4 root, inverse; // root and its reciprocal
    lanes4 share;         // 1 / (unit_n + 1)
};

// Finds the boosts of x. Returns where x is inside the cone.
INLINE mask4 lorentz_boost(struct lanes3 x, struct lorentz_boost *boost) {
    lanes4 t = lorentz_tangent(x);
    boost->root = root((x.n - t) * (x.n + t)); // x_n^2 - t^2 would lose it to rounding
    boost->inverse = 1 / boost->root;
    boost->unit = lanes3_scale(boost->inverse, x);
    boost->share = 1 / (boost->unit.n + 1);
    return x.n > t;
}

// Returns the speed with which x + a d approaches the boundary: it stays in the cone while a speed
// <= 1. After the boost of x is applied to d, this takes a single square root.
INLINE lanes4 lorentz_speed(const struct lorentz_boost *x, struct lanes3 d) {
    struct lanes3 unit = x->unit;
    lanes4 n = unit.n * d.n - unit.s * d.s - unit.t * d.t, share = (n + d.n) * x->share;
    lanes4 s = d.s - share * unit.s, t = d.t - share * unit.t;
    return x->inverse * (root(s * s + t * t) - n);
}

// The scaling V by its eigenvalues along (1, s, t), (1, -s, -t) and (0, -t, s), where (s, t) has
// unit length.
struct lorentz_scaling {
    struct lanes3 value;
    lanes4 s, t;
};

INLINE struct lorentz_scaling lorentz_scale(const struct lorentz_boost *x,
                                            const struct lorentz_boost *z) {
    struct lanes3 a = x->unit, b = z->unit;
    lanes4 one = splat(1), cosine = lanes3_dot(a, b);
    lanes4 half = 1 / root(2 * (1 + choose(cosine > 1, cosine, one)));
    struct lanes3 w = {half * (a.n + b.n), half * (a.s - b.s), half * (a.t - b.t)};
    lanes4 t = lorentz_tangent(w), inverse = 1 / t;
    lanes4 scale = root(x->root * z->inverse), stretch = w.n + t;
    return (struct lorentz_scaling){{scale * stretch, scale / stretch, scale},
                                    choose(t > 0, w.s * inverse, one),
                                    choose(t > 0, w.t * inverse, splat(0))};
}

#define LORENTZ_HALF 0.70710678118654752440 // square root of 1/2

// Convert y to the eigenvectors of V, and back.
INLINE struct lanes3 lorentz_axes(const struct lorentz_scaling *V, struct lanes3 y) {
    lanes4 share = V->s * y.s + V->t * y.t;
    return (struct lanes3){LORENTZ_HALF * (y.n + share), LORENTZ_HALF * (y.n - share),
                           V->s * y.t - V->t * y.s};
}

INLINE struct lanes3 lorentz_back(const struct lorentz_scaling *V, struct lanes3 y) {
    lanes4 share = LORENTZ_HALF * (y.n - y.s);
    return (struct lanes3){LORENTZ_HALF * (y.n + y.s), share * V->s - y.t * V->t,
                           share * V->t + y.t * V->s};
}

// Returns lambda in the eigenvectors of V. Each component is computed from x or from z, whichever
// loses less to cancellation.
INLINE struct lanes3 lorentz_lambda(const struct lorentz_scaling *V, struct lanes3 x,
                                    struct lanes3 z) {
    struct lanes3 own_x = lorentz_axes(V, x), own_z = lorentz_axes(V, z);
    return (struct lanes3){own_x.n / V->value.n, own_z.s * V->value.s, own_z.t * V->value.t};
}

#endif
