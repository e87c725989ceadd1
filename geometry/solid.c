#include "geometry/solid.h"

#include <float.h>

// Products of inertia below this fraction of the trace are rounding: the axes are principal.
#define AXES_TOLERANCE 1e-12

// The tetrahedron 0, a, b, c: volume det/6, first moment det/24 s and second moment
// det/120 (aa + bb + cc + ss), s = a + b + c (Tonon, "Explicit exact formulas for the 3-D
// tetrahedron inertia tensor", J. Math. Stat. 1, 2005).
static void add_tetrahedron(vec3 a, vec3 b, vec3 c, double *volume, vec3 *first, sym3 *second) {
    // By differences, because in a needle a, b and c are nearly parallel.
    double det = vec3_dot(a, vec3_cross(vec3_sub(b, a), vec3_sub(c, a))), w = det / 120;
    vec3 s = vec3_add(vec3_add(a, b), c);
    *volume += det / 6;
    *first = vec3_add_scaled(*first, det / 24, s);
    second->xx += w * (a.x * a.x + b.x * b.x + c.x * c.x + s.x * s.x);
    second->yy += w * (a.y * a.y + b.y * b.y + c.y * c.y + s.y * s.y);
    second->zz += w * (a.z * a.z + b.z * b.z + c.z * c.z + s.z * s.z);
    second->xy += w * (a.x * a.y + b.x * b.y + c.x * c.y + s.x * s.y);
    second->xz += w * (a.x * a.z + b.x * b.z + c.x * c.z + s.x * s.z);
    second->yz += w * (a.y * a.z + b.y * b.z + c.y * c.z + s.y * s.z);
}

struct solid solid_integrate(const vec3 *point, const int32_t *start, const int32_t *corner,
                             int32_t faces, vec3 reference) {
    double volume = 0;
    vec3 first = vec3_zero();
    sym3 m = {0};
    for (int32_t f = 0; f < faces; f++) {
        vec3 a = vec3_sub(point[corner[start[f]]], reference);
        for (int32_t k = start[f] + 1; k + 1 < start[f + 1]; k++) {
            vec3 b = vec3_sub(point[corner[k]], reference);
            vec3 c = vec3_sub(point[corner[k + 1]], reference);
            add_tetrahedron(a, b, c, &volume, &first, &m);
        }
    }
    struct solid solid = {
        volume, vec3_zero(), {m.yy + m.zz, m.xx + m.zz, m.xx + m.yy, -m.xy, -m.xz, -m.yz}};
    if (volume != 0)
        solid.centre = vec3_scale(1 / volume, first);
    return solid;
}

// One Jacobi rotation that makes m[p][q] zero (Golub and Van Loan, Matrix Computations, 8.5).
static void jacobi_rotate(double m[3][3], double v[3][3], int p, int q) {
    if (m[p][q] == 0)
        return;
    double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
    double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) {
        double a = m[k][p], b = m[k][q];
        m[k][p] = c * a - s * b;
        m[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 3; k++) {
        double a = m[p][k], b = m[q][k];
        m[p][k] = c * a - s * b;
        m[q][k] = s * a + c * b;
        a = v[k][p];
        b = v[k][q];
        v[k][p] = c * a - s * b;
        v[k][q] = s * a + c * b;
    }
}

// Orders the columns of v and chooses their signs for the smallest rotation, which has the largest
// trace. v is a rotation, so an even permutation keeps the product of the signs and an odd one
// flips it.
static void choose_columns(double v[3][3]) {
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
    double best = -DBL_MAX, chosen[3][3] = {{0}};
    for (int o = 0; o < 6; o++)
        for (int signs = 0; signs < 4; signs++) {
            double sign[3] = {signs & 1 ? -1 : 1, signs & 2 ? -1 : 1, o < 3 ? 1 : -1};
            sign[2] *= sign[0] * sign[1];
            double trace = 0;
            for (int k = 0; k < 3; k++)
                trace += sign[k] * v[k][order[o][k]];
            if (trace <= best)
                continue;
            best = trace;
            for (int row = 0; row < 3; row++)
                for (int k = 0; k < 3; k++)
                    chosen[row][k] = sign[k] * v[row][order[o][k]];
        }
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 3; k++)
            v[row][k] = chosen[row][k];
}

quat solid_principal_axes(sym3 inertia) {
    // Each product by itself, so that a prism keeps the axis that is already principal.
    double least = AXES_TOLERANCE * (inertia.xx + inertia.yy + inertia.zz);
    double xy = fabs(inertia.xy) > least ? inertia.xy : 0;
    double xz = fabs(inertia.xz) > least ? inertia.xz : 0;
    double yz = fabs(inertia.yz) > least ? inertia.yz : 0;
    if (xy == 0 && xz == 0 && yz == 0)
        return (quat){1, 0, 0, 0};
    double m[3][3] = {{inertia.xx, xy, xz}, {xy, inertia.yy, yz}, {xz, yz, inertia.zz}};
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    // Convergence is quadratic; a few sweeps too many cost nothing.
    for (int sweep = 0; sweep < 16; sweep++) {
        jacobi_rotate(m, v, 0, 1);
        jacobi_rotate(m, v, 0, 2);
        jacobi_rotate(m, v, 1, 2);
    }
    choose_columns(v);
    // The smallest rotation is below 63 degrees, so w is never near zero.
    double w = sqrt(1 + v[0][0] + v[1][1] + v[2][2]) / 2;
    return quat_normalize((quat){w, (v[2][1] - v[1][2]) / (4 * w), (v[0][2] - v[2][0]) / (4 * w),
                                 (v[1][0] - v[0][1]) / (4 * w)});
}
