// Vectors, 3x3 matrices and quaternions of doubles, as inline functions.
#ifndef GEOMETRY_VEC_H
#define GEOMETRY_VEC_H

#include <math.h>
#include <stdbool.h>

#include "parallel/types.h"

typedef gabion_vec3 vec3;
typedef gabion_quat quat;

// A 3x3 matrix by rows.
typedef struct mat3 {
    vec3 row[3];
} mat3;

// Symmetric 3x3 matrix.
typedef struct sym3 {
    double xx, yy, zz, xy, xz, yz;
} sym3;

static inline vec3 vec3_make(double x, double y, double z) { return (vec3){x, y, z}; }
static inline vec3 vec3_zero(void) { return (vec3){0, 0, 0}; }
static inline vec3 vec3_add(vec3 a, vec3 b) { return (vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec3 vec3_sub(vec3 a, vec3 b) { return (vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec3 vec3_scale(double s, vec3 a) { return (vec3){s * a.x, s * a.y, s * a.z}; }
static inline vec3 vec3_negate(vec3 a) { return (vec3){-a.x, -a.y, -a.z}; }
static inline vec3 vec3_times(vec3 a, vec3 b) { return (vec3){a.x * b.x, a.y * b.y, a.z * b.z}; }
static inline double vec3_dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double vec3_length(vec3 a) { return sqrt(vec3_dot(a, a)); }

// a + s b
static inline vec3 vec3_add_scaled(vec3 a, double s, vec3 b) {
    return (vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline vec3 vec3_cross(vec3 a, vec3 b) {
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double vec3_get(vec3 a, int i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }

static inline void vec3_set(vec3 *a, int i, double value) {
    *(i == 0 ? &a->x : i == 1 ? &a->y : &a->z) = value;
}

static inline bool vec3_finite(vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

// Computes two unit tangents with s x t = n. They depend continuously on n except at n.z = 0 (Duff
// et al., "Building an orthonormal basis, revisited", JCGT 6, 2017).
static inline void vec3_tangents(vec3 n, vec3 *s, vec3 *t) {
    double sign = copysign(1.0, n.z), a = -1.0 / (sign + n.z), b = n.x * n.y * a;
    *s = (vec3){1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    *t = (vec3){b, sign + n.y * n.y * a, -n.y};
}

static inline vec3 mat3_apply(mat3 m, vec3 a) {
    return (vec3){vec3_dot(m.row[0], a), vec3_dot(m.row[1], a), vec3_dot(m.row[2], a)};
}

static inline vec3 mat3_apply_transposed(mat3 m, vec3 a) {
    return vec3_add_scaled(vec3_add_scaled(vec3_scale(a.x, m.row[0]), a.y, m.row[1]), a.z,
                           m.row[2]);
}

// Solves m x = b by Cramer's rule. Returns false when m is singular.
static inline bool mat3_solve(mat3 m, vec3 b, vec3 *x) {
    vec3 c0 = vec3_cross(m.row[1], m.row[2]), c1 = vec3_cross(m.row[2], m.row[0]);
    vec3 c2 = vec3_cross(m.row[0], m.row[1]);
    double determinant = vec3_dot(m.row[0], c0);
    vec3 sum = vec3_add_scaled(vec3_add_scaled(vec3_scale(b.x, c0), b.y, c1), b.z, c2);
    *x = vec3_scale(1 / determinant, sum);
    return determinant != 0 && vec3_finite(*x);
}

static inline mat3 mat3_symmetric_part(const mat3 *m) {
    double xy = 0.5 * (m->row[0].y + m->row[1].x), xz = 0.5 * (m->row[0].z + m->row[2].x);
    double yz = 0.5 * (m->row[1].z + m->row[2].y);
    return (mat3){{{m->row[0].x, xy, xz}, {xy, m->row[1].y, yz}, {xz, yz, m->row[2].z}}};
}

// Returns the inverse of a symmetric matrix by cofactors, or zero when the determinant is at most
// `least` times the product of the diagonal.
static inline sym3 sym3_inverse(const mat3 *m, double least) {
    vec3 a = m->row[0], b = m->row[1], c = m->row[2];
    vec3 bc = vec3_cross(b, c), ca = vec3_cross(c, a), ab = vec3_cross(a, b);
    double determinant = vec3_dot(a, bc);
    if (!(determinant > least * (a.x * b.y * c.z)))
        return (sym3){0};
    double f = 1 / determinant;
    return (sym3){f * bc.x, f * ca.y, f * ab.z, f * bc.y, f * bc.z, f * ca.z};
}

static inline vec3 sym3_apply(sym3 s, vec3 a) {
    return (vec3){s.xx * a.x + s.xy * a.y + s.xz * a.z, s.xy * a.x + s.yy * a.y + s.yz * a.z,
                  s.xz * a.x + s.yz * a.y + s.zz * a.z};
}

// Returns R diag(d) R^T.
static inline sym3 sym3_from_principal(mat3 r, vec3 d) {
    vec3 a = vec3_times(r.row[0], d), b = vec3_times(r.row[1], d), c = vec3_times(r.row[2], d);
    return (sym3){vec3_dot(a, r.row[0]), vec3_dot(b, r.row[1]), vec3_dot(c, r.row[2]),
                  vec3_dot(a, r.row[1]), vec3_dot(a, r.row[2]), vec3_dot(b, r.row[2])};
}

static inline quat quat_multiply(quat a, quat b) {
    return (quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                  a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static inline quat quat_conjugate(quat q) { return (quat){q.w, -q.x, -q.y, -q.z}; }

static inline quat quat_normalize(quat q) {
    double s = 1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

static inline mat3 quat_matrix(quat q) {
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (mat3){{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
                   {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
                   {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}

// Returns the rotation by the vector a (axis times angle): the exponential map. sin and cos are
// computed here by their series, with plain multiplications and additions, because the last bit of
// the C library's functions depends on the processor. Large angles are halved until the series is
// short, and the result is squared as often.
static inline quat quat_exp(vec3 a) {
    double half2 = 0.25 * vec3_dot(a, a), scale = 0.5;
    int doublings = 0;
    while (half2 > 0.0625 && doublings < 64) {
        half2 *= 0.25;
        scale *= 0.5;
        doublings++;
    }
    double sinc =
        1.0 - half2 / 6.0 *
                  (1.0 - half2 / 20.0 *
                             (1.0 - half2 / 42.0 * (1.0 - half2 / 72.0 * (1.0 - half2 / 110.0))));
    double cosine =
        1.0 - half2 / 2.0 *
                  (1.0 - half2 / 12.0 *
                             (1.0 - half2 / 30.0 * (1.0 - half2 / 56.0 * (1.0 - half2 / 90.0))));
    quat q = {cosine, scale * sinc * a.x, scale * sinc * a.y, scale * sinc * a.z};
    for (; doublings > 0; doublings--)
        q = quat_multiply(q, q);
    return q;
}

// Returns the rotation by any angle about a unit axis. Whole turns are subtracted first, so that a
// drum that has turned for an hour is as exact as in its first minute; two at a time, because a
// quaternion returns to itself after two turns.
static inline quat quat_about(vec3 axis, double angle) {
    const double two_turns = 12.56637061435917295385;
    angle -= two_turns * floor(angle / two_turns + 0.5);
    return quat_normalize(quat_exp(vec3_scale(angle, axis)));
}

// Returns the rotation vector (axis times angle, angle at most pi) of a unit quaternion: the
// inverse of quat_exp. The arc tangent is computed by its series, for the same reason. Large
// rotations are halved, by normalising q + 1, until the series is short.
static inline vec3 quat_log(quat q) {
    if (q.w < 0) // the same rotation
        q = (quat){-q.w, -q.x, -q.y, -q.z};
    double scale = 2.0;
    while (q.x * q.x + q.y * q.y + q.z * q.z > 0.01 * q.w * q.w) {
        q.w += 1.0;
        q = quat_normalize(q);
        scale *= 2.0;
    }
    vec3 t = {q.x / q.w, q.y / q.w, q.z / q.w};
    double t2 = vec3_dot(t, t), series = 0;
    for (int k = 15; k >= 1; k -= 2)
        series = 1.0 / k - t2 * series;
    return vec3_scale(scale * series, t);
}

#endif
