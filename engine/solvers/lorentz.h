// The algebra of the Lorentz cone L = {x : x_n >= |x_t|} that interior point methods need.
//
// With J = diag(1, -1, -1), det x = x.J x and x^-1 = J x / det x, the scaling of Nesterov and Todd
// (1997) is the symmetric V, made of a positive number and a boost, with V z = V^-1 x = lambda. It
// is kept by its eigenvalues, because near the boundary of the cone the small one would drown in
// the rounding of the large one.
#ifndef ENGINE_SOLVERS_LORENTZ_H
#define ENGINE_SOLVERS_LORENTZ_H

#include "geometry/vec.h"

static inline double lorentz_tangent(vec3 x) { return sqrt(x.y * x.y + x.z * x.z); }

// As a product: the difference of squares is lost to rounding where it matters.
static inline double lorentz_det(vec3 x) {
    double t = lorentz_tangent(x);
    return (x.x - t) * (x.x + t);
}

static inline bool lorentz_inside(vec3 x) { return x.x > lorentz_tangent(x); }

static inline vec3 lorentz_inverse(vec3 x) {
    double f = 1 / lorentz_det(x);
    return vec3_make(f * x.x, -f * x.y, -f * x.z);
}

// x o y = (x.y, x_n y_t + y_n x_t), whose unit is (1, 0, 0).
static inline vec3 lorentz_product(vec3 x, vec3 y) {
    return vec3_make(vec3_dot(x, y), x.x * y.y + y.x * x.y, x.x * y.z + y.x * x.z);
}

// y with x o y = p, for the x whose determinant is det.
static inline vec3 lorentz_divide(vec3 p, vec3 x, double det) {
    double y = (x.x * p.x - x.y * p.y - x.z * p.z) / det;
    return vec3_make(y, (p.y - y * x.y) / x.x, (p.z - y * x.z) / x.x);
}

// The largest a for which x + a d stays in the cone: d is taken where the boost that makes a unit
// of x makes it, and there the boundary is one square root away.
static inline double lorentz_reach(vec3 x, vec3 d) {
    double root = sqrt(lorentz_det(x)), f = 1 / root;
    vec3 unit = vec3_scale(f, x);
    double n = unit.x * d.x - unit.y * d.y - unit.z * d.z;
    double share = (n + d.x) / (unit.x + 1);
    double s = d.y - share * unit.y, t = d.z - share * unit.z;
    double speed = f * (sqrt(s * s + t * t) - n);
    return speed > 0 ? 1 / speed : INFINITY;
}

// V has these eigenvalues along (1, s, t), (1, -s, -t) and (0, -t, s), where (s, t) is of unit
// length.
struct lorentz_scaling {
    vec3 value;
    double s, t;
};

static inline struct lorentz_scaling lorentz_scale(vec3 x, vec3 z) {
    double det_x = lorentz_det(x), det_z = lorentz_det(z);
    double f = 1 / sqrt(det_x), g = 1 / sqrt(det_z);
    double cosine = fmax(f * g * vec3_dot(x, z), 1), half = 1 / sqrt(2 * (1 + cosine));
    vec3 w = vec3_make(half * (f * x.x + g * z.x), half * (f * x.y - g * z.y),
                       half * (f * x.z - g * z.z));
    double t = lorentz_tangent(w);
    double scale = sqrt(sqrt(det_x / det_z)), stretch = w.x + t;
    struct lorentz_scaling scaling = {{scale * stretch, scale / stretch, scale}, 1, 0};
    if (t > 0) {
        scaling.s = w.y / t;
        scaling.t = w.z / t;
    }
    return scaling;
}

#define LORENTZ_HALF 0.70710678118654752440 // its square root

// y in the axes of V, and back.
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

// lambda in the axes of V: each component from that of x and z which has not cancelled.
static inline vec3 lorentz_lambda(const struct lorentz_scaling *V, vec3 x, vec3 z) {
    vec3 own_x = lorentz_axes(V, x), own_z = lorentz_axes(V, z);
    return vec3_make(own_x.x / V->value.x, own_z.y * V->value.y, own_z.z * V->value.z);
}

#endif
