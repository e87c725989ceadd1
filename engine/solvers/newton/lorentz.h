// The algebra of the Lorentz cone L = {x : x_n >= |x_t|} that interior point methods need.
//
// With J = diag(1, -1, -1), det x = x.J x and x^-1 = J x / det x, the scaling of Nesterov and Todd
// (1997) is the symmetric V, made of a positive number and a boost, with V z = V^-1 x = lambda. It
// is kept by its eigenvalues, because near the boundary of the cone the small one would drown in
// the rounding of the large one.
#ifndef ENGINE_SOLVERS_NEWTON_LORENTZ_H
#define ENGINE_SOLVERS_NEWTON_LORENTZ_H

#include "geometry/vec.h"

static inline double lorentz_tangent(vec3 x) { return sqrt(x.y * x.y + x.z * x.z); }

// x o y = (x.y, x_n y_t + y_n x_t), whose unit is (1, 0, 0).
static inline vec3 lorentz_product(vec3 x, vec3 y) {
    return vec3_make(vec3_dot(x, y), x.x * y.y + y.x * x.y, x.x * y.z + y.x * x.z);
}

// Returns the y with x o y = p, where det is the determinant of x.
static inline vec3 lorentz_divide(vec3 p, vec3 x, double det) {
    double y = (x.x * p.x - x.y * p.y - x.z * p.z) / det, inverse = 1 / x.x;
    return vec3_make(y, (p.y - y * x.y) * inverse, (p.z - y * x.z) * inverse);
}

// The boost that maps a point x inside the cone to a unit vector: unit = x / root, root^2 = det x.
struct lorentz_boost {
    vec3 unit;
    double root, inverse; // root and its reciprocal
    double share;         // 1 / (unit_n + 1)
};

// Finds the boost of x. Returns false where x is not inside the cone.
static inline bool lorentz_boost(vec3 x, struct lorentz_boost *boost) {
    double t = lorentz_tangent(x);
    boost->root = sqrt((x.x - t) * (x.x + t)); // x_n^2 - t^2 would lose it to rounding
    boost->inverse = 1 / boost->root;
    boost->unit = vec3_scale(boost->inverse, x);
    boost->share = 1 / (boost->unit.x + 1);
    return x.x > t;
}

// Returns the speed with which x + a d approaches the boundary: it stays in the cone while a speed
// <= 1. After the boost of x is applied to d, this takes a single square root.
static inline double lorentz_speed(const struct lorentz_boost *x, vec3 d) {
    vec3 unit = x->unit;
    double n = unit.x * d.x - unit.y * d.y - unit.z * d.z, share = (n + d.x) * x->share;
    double s = d.y - share * unit.y, t = d.z - share * unit.z;
    return x->inverse * (sqrt(s * s + t * t) - n);
}

// The scaling V by its eigenvalues along (1, s, t), (1, -s, -t) and (0, -t, s), where (s, t) has
// unit length.
struct lorentz_scaling {
    vec3 value;
    double s, t;
};

static inline struct lorentz_scaling lorentz_scale(const struct lorentz_boost *x,
                                                   const struct lorentz_boost *z) {
    vec3 a = x->unit, b = z->unit;
    double cosine = vec3_dot(a, b), half = 1 / sqrt(2 * (1 + (cosine > 1 ? cosine : 1)));
    vec3 w = vec3_make(half * (a.x + b.x), half * (a.y - b.y), half * (a.z - b.z));
    double t = lorentz_tangent(w);
    double scale = sqrt(x->root * z->inverse), stretch = w.x + t;
    struct lorentz_scaling scaling = {{scale * stretch, scale / stretch, scale}, 1, 0};
    if (t > 0) {
        double inverse = 1 / t;
        scaling.s = w.y * inverse;
        scaling.t = w.z * inverse;
    }
    return scaling;
}

#define LORENTZ_HALF 0.70710678118654752440 // square root of 1/2

// Convert y to the eigenvectors of V, and back.
static inline vec3 lorentz_axes(const struct lorentz_scaling *V, vec3 y) {
    double share = V->s * y.y + V->t * y.z;
    return vec3_make(LORENTZ_HALF * (y.x + share), LORENTZ_HALF * (y.x - share),
                     V->s * y.z - V->t * y.y);
}

static inline vec3 lorentz_back(const struct lorentz_scaling *V, vec3 y) {
    double share = LORENTZ_HALF * (y.x - y.y);
    return vec3_make(LORENTZ_HALF * (y.x + y.y), share * V->s - y.z * V->t,
                     share * V->t + y.z * V->s);
}

// Returns lambda in the eigenvectors of V. Each component is computed from x or from z, whichever
// loses less to cancellation.
static inline vec3 lorentz_lambda(const struct lorentz_scaling *V, vec3 x, vec3 z) {
    vec3 own_x = lorentz_axes(V, x), own_z = lorentz_axes(V, z);
    return vec3_make(own_x.x / V->value.x, own_z.y * V->value.y, own_z.z * V->value.z);
}

#endif
