// The largest eigenvalue of a symmetric 3x3 matrix by Jacobi rotations, and the 2-norm of any 3x3
// matrix.
#ifndef GEOMETRY_EIGEN_H
#define GEOMETRY_EIGEN_H

#include <float.h>
#include <stdbool.h>

#include "geometry/vec.h"

// Turns axes p and q, which are constants, so that a[p][q] vanishes. Returns whether it was more
// than as good as zero.
__attribute__((always_inline)) static inline bool eigen_turn(double a[3][3], int p, int q) {
    if (fabs(a[p][q]) <= DBL_EPSILON * (a[p][p] + a[q][q]))
        return false;
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    int r = 3 - p - q;
    double arp = a[r][p], arq = a[r][q], apq = a[p][q];
    a[p][p] -= t * apq;
    a[q][q] += t * apq;
    a[p][q] = a[q][p] = 0;
    a[r][p] = a[p][r] = c * arp - s * arq;
    a[r][q] = a[q][r] = s * arp + c * arq;
    return true;
}

// Returns the largest eigenvalue of a positive semi-definite matrix. Overwrites the matrix.
static inline double eigen_largest(double a[3][3]) {
    bool turned = true;
    for (int sweep = 0; sweep < 12 && turned; sweep++) {
        turned = eigen_turn(a, 0, 1);
        turned |= eigen_turn(a, 0, 2);
        turned |= eigen_turn(a, 1, 2);
    }
    return fmax(a[0][0], fmax(a[1][1], a[2][2]));
}

// Returns the largest eigenvalue of a positive semi-definite matrix, which is its |m|_2.
static inline double mat3_largest(mat3 m) {
    double a[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a[i][j] = vec3_get(m.row[i], j);
    return eigen_largest(a);
}

// Returns |m|_2, the square root of the largest eigenvalue of m^T m; m need not be symmetric.
static inline double mat3_norm(mat3 m) {
    double square[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            square[i][j] = vec3_get(m.row[0], i) * vec3_get(m.row[0], j) +
                           vec3_get(m.row[1], i) * vec3_get(m.row[1], j) +
                           vec3_get(m.row[2], i) * vec3_get(m.row[2], j);
    return sqrt(eigen_largest(square));
}

#endif
