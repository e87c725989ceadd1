// One contact at a time, by any of the local solvers: what a sweep calls.
#ifndef ENGINE_SOLVERS_LOCAL_LOCAL_H
#define ENGINE_SOLVERS_LOCAL_LOCAL_H

#include "engine/gabion.h"
#include "geometry/vec.h"
#include "engine/problem/hold.h"
#include "engine/solvers/local/exact.h"

struct local_contact {
    struct exact_block exact;
    sym3 inverse; // of W; zero where W is singular
    double mu;
    uint8_t held;      // of a joint: engine/problem/hold.h, and `inverse` is hold_inverse
    double compliance; // in W_aa already
    double k;          // slip parameter of the exact solver, kept as its next start
};

void local_prepare(const mat3 *W, double mu, uint8_t held, struct local_contact *contact);

// From r with the velocity u that goes with it, the r that obeys the law as far as this contact can
// see: u changes by W_aa times the change of r. Where r already obeys it stays, whatever the local
// solver makes of W_aa. False: the fallback of the exact solver answered.
bool local_solve(enum gabion_local local, const struct gabion_cone *cone,
                 struct local_contact *contact, vec3 u, vec3 *r);

bool local_slide(struct local_contact *contact, vec3 u, vec3 *r);
bool local_singular(struct local_contact *contact, vec3 u, vec3 *r);

// The exact answer. Open and sticking contacts need no call and no eigenvectors; as branches they
// are foreseen, so that the next contact of a sweep waits for little more than a 3x3 product.
__attribute__((always_inline)) static inline bool local_exact(struct local_contact *contact, vec3 u,
                                                              vec3 *r) {
    const struct exact_block *block = &contact->exact;
    if (contact->held) {
        *r = vec3_sub(*r, sym3_apply(contact->inverse, u));
        return true;
    }
    if (u.x - vec3_dot(block->W.row[0], *r) >= 0) {
        *r = vec3_zero();
        return true;
    }
    if (!(contact->inverse.xx > 0))
        return local_singular(contact, u, r);
    vec3 stick = vec3_sub(*r, sym3_apply(contact->inverse, u));
    double limit = contact->mu * stick.x;
    if (stick.x >= 0 && stick.y * stick.y + stick.z * stick.z <= limit * limit) {
        *r = stick;
        return true;
    }
    return local_slide(contact, u, r);
}

#endif
