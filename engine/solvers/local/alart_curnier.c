// Alart and Curnier (1991) write the contact law as the zero of
//
//   f_n = r_n - (r_n - rho u_n)+ ,   f_t = r_t - P(r_t - rho u_t),   u = W r + b,
//
// where P projects on the disk of radius mu r_n. On each of its three pieces (open, sticking,
// sliding) Newton's method solves f = 0: the first two are linear, so their one step is the answer
// if it stays on its piece; only sliding iterates. Renouf and Acary (2006) use it inside block
// Gauss-Seidel. It may cycle: then the exact solver takes over.
#include "engine/solvers/local/alart_curnier.h"

#include <float.h>

#include "engine/solvers/local/exact.h"

#define ITERATIONS 12

sym3 alart_curnier_inverse(const mat3 *W) { return sym3_inverse(W, 1e-12); }

// Newton on the sliding piece: u_n = 0 and r_t = mu r_n y/|y|, y = r_t - rho u_t.
static bool slide(const mat3 *W, vec3 b, double mu, vec3 *r) {
    double rho = 2 / (W->row[1].y + W->row[2].z);
    vec3 x = *r;
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        vec3 u = vec3_add(mat3_apply(*W, x), b);
        double y[2] = {x.y - rho * u.y, x.z - rho * u.z};
        double length = sqrt(y[0] * y[0] + y[1] * y[1]);
        if (!(length > 0))
            return false;
        double t[2] = {y[0] / length, y[1] / length}, share = mu * x.x / length;
        vec3 f = {u.x, x.y - mu * x.x * t[0], x.z - mu * x.x * t[1]};
        vec3 row[3] = {W->row[0]};
        for (int i = 0; i < 2; i++) {
            // Only the component of dy perpendicular to t turns the direction.
            vec3 Wi = W->row[i + 1], Wj = W->row[2 - i];
            double across = share * t[1 - i] * t[1 - i], along = share * t[0] * t[1];
            vec3 dy = vec3_scale(rho, vec3_sub(vec3_scale(across, Wi), vec3_scale(along, Wj)));
            vec3 own = i == 0 ? vec3_make(-mu * t[0], 1 - across, along)
                              : vec3_make(-mu * t[1], along, 1 - across);
            row[i + 1] = vec3_add(own, dy);
        }
        vec3 step;
        if (!mat3_solve((mat3){{row[0], row[1], row[2]}}, f, &step))
            return false;
        x = vec3_sub(x, step);
        if (!(x.x > 0))
            return false;
        double scale = mu * x.x + x.x;
        if (vec3_dot(step, step) <= 1e-30 * scale * scale) {
            double size = sqrt(x.y * x.y + x.z * x.z), cone = mu * x.x / size;
            *r = vec3_make(x.x, cone * x.y, cone * x.z); // exactly on the cone
            return size > 0;
        }
    }
    return false;
}

// Returns whether sliding opposes the tangential impulse: f = 0 has another solution where it does
// not.
static bool opposes(const mat3 *W, vec3 b, vec3 r) {
    vec3 u = vec3_add(mat3_apply(*W, r), b);
    return u.y * r.y + u.z * r.z <= 0;
}

bool alart_curnier_solve(const mat3 *W, const sym3 *inverse, vec3 u, double mu, vec3 *r,
                         double *k) {
    vec3 b = vec3_sub(u, mat3_apply(*W, *r));
    if (b.x >= 0) {
        *r = vec3_zero();
        return true;
    }
    if (inverse->xx > 0 && mu > 0) {
        vec3 stick = vec3_sub(*r, sym3_apply(*inverse, u));
        double limit = mu * stick.x;
        if (stick.x >= 0 && stick.y * stick.y + stick.z * stick.z <= limit * limit) {
            *r = stick;
            return true;
        }
        vec3 start = r->x > 0 ? *r : stick;
        if (mu < 1e100 && start.x > 0 && slide(W, b, mu, &start) && opposes(W, b, start)) {
            *r = start;
            return true;
        }
    }
    return exact_solve(W, b, mu, r, k);
}
