#include "engine/solvers/local/local.h"

#include "engine/solvers/local/cone.h"
#include "engine/solvers/local/alart_curnier.h"
#include "engine/solvers/local/polygon.h"

void local_prepare(const mat3 *W, double mu, uint8_t held, struct local_contact *contact) {
    exact_prepare(W, &contact->exact);
    contact->inverse = held ? hold_inverse(held, W) : newton_inverse(&contact->exact.W);
    contact->mu = mu;
    contact->held = held;
    contact->k = 0;
}

bool local_slide(struct local_contact *contact, vec3 u, vec3 *r) {
    vec3 b = vec3_sub(u, mat3_apply(contact->exact.W, *r));
    return exact_slide(&contact->exact, b, contact->mu, r, &contact->k);
}

bool local_singular(struct local_contact *contact, vec3 u, vec3 *r) {
    vec3 b = vec3_sub(u, mat3_apply(contact->exact.W, *r));
    return exact_answer(&contact->exact, b, contact->mu, r, &contact->k);
}

static double row_sum(vec3 row) { return fabs(row.x) + fabs(row.y) + fabs(row.z); }

// Normal first, then friction by the normal impulse found: exact where the block is diagonal with
// equal tangential entries, as spheres have (Renouf, Dubois, Alart 2004). Other blocks are replaced
// by one like that: the sums of rows, which make it no smaller than W. With the diagonal alone a
// contact whose normal and tangential parts are strongly coupled diverges all by itself.
static void solve_explicit(const struct local_contact *contact, vec3 u, vec3 *r) {
    const mat3 *W = &contact->exact.W;
    double w_n = row_sum(W->row[0]), w_t = fmax(row_sum(W->row[1]), row_sum(W->row[2]));
    double floor = exact_floor(W);
    double n = w_n > floor ? fmax(r->x - u.x / w_n, 0) : 0;
    double s = w_t > floor ? r->y - u.y / w_t : 0, t = w_t > floor ? r->z - u.z / w_t : 0;
    *r = n > 0 ? cone_clamp(vec3_make(n, s, t), contact->mu) : vec3_zero();
}

bool local_solve(enum gabion_local local, const struct gabion_cone *cone,
                 struct local_contact *contact, vec3 u, vec3 *r) {
    const mat3 *W = &contact->exact.W;
    if (contact->held)
        return local_exact(contact, u, r);
    switch (local) {
    case GABION_LOCAL_EXPLICIT:
        solve_explicit(contact, u, r);
        return true;
    case GABION_LOCAL_NEWTON:
        return newton_solve(W, &contact->inverse, u, contact->mu, r, &contact->k);
    case GABION_LOCAL_LEMKE:
    case GABION_LOCAL_QP:
        return polygon_solve(local, cone, W, vec3_sub(u, mat3_apply(*W, *r)), contact->mu, r);
    default:
        return local_exact(contact, u, r);
    }
}
