// Local solvers: each solves the problem of one contact, u = W r + b with a 3x3 block W, while the
// impulses of all other contacts stay as they are. Sweeps call them contact after contact.
#ifndef ENGINE_SOLVERS_LOCAL_LOCAL_H
#define ENGINE_SOLVERS_LOCAL_LOCAL_H

#include "engine/gabion.h"
#include "engine/solvers/local/alart_curnier.h"
#include "engine/solvers/local/exact.h"
#include "engine/world/hold.h"
#include "geometry/vec.h"

const char *local_name(enum gabion_local local);

// Returns the local solver that is used for a contact when the user asked for `asked`. `diagonal`:
// the contact's block of W is diag(w_n, w_t, w_t), as for spheres. auto means explicit there and
// newton elsewhere. explicit works for diagonal blocks only; elsewhere newton replaces it, and the
// sweeps count and report that substitution.
enum gabion_local local_choose(enum gabion_local asked, bool diagonal);
bool local_substitutes(enum gabion_local asked, bool diagonal);

// Returns whether a 3x3 block is diagonal up to rounding.
bool local_is_diagonal(const mat3 *W);

// The contact to solve.
struct local_call {
    const mat3 *W;
    const sym3 *inverse;             // of W; zero where W is singular
    const struct exact_block *exact; // of W; NULL: not prepared
    double mu;
    const struct gabion_cone *cone;
    double relaxation; // the step towards the answer; the result stays in the cone
};

// Takes r and its velocity u, and replaces r by the impulse that obeys the law if u changes by W
// times the change of r. An r that obeys the law already is kept. *k is the slip parameter of the
// exact solver, kept as its next start. Returns false where the exact solver had to fall back on a
// projected step.
bool local_solve_any(enum gabion_local local, const struct local_call *call, vec3 u, vec3 *r,
                     double *k);

// Does the same, with a direct call for the usual case.
static inline bool local_solve(enum gabion_local local, const struct local_call *call, vec3 u,
                               vec3 *r, double *k) {
    if (local == GABION_LOCAL_NEWTON && call->relaxation == 1)
        return alart_curnier_solve(call->W, call->inverse, u, call->mu, r, k);
    return local_solve_any(local, call, u, r, k);
}

// A contact prepared for many sweeps by the exact solver, or a point of a joint.
struct local_contact {
    struct exact_block exact;
    sym3 inverse; // of W; zero where W is singular
    double mu;
    uint8_t held;  // not 0: a point of a joint (engine/world/hold.h), and `inverse` is hold_inverse
    uint8_t local; // enum gabion_local that solves it
    double compliance; // already added to W_aa
    double k;          // slip parameter of the exact solver, kept as its next start
};

void local_prepare(const mat3 *W, double mu, uint8_t held, struct local_contact *contact);

bool local_slide(struct local_contact *contact, vec3 u, vec3 *r);
bool local_singular(struct local_contact *contact, vec3 u, vec3 *r);

// Solves the contact exactly. Open and sticking contacts need no call and no eigenvectors. The
// processor predicts their branches, so that the next contact of a sweep waits for little more than
// a 3x3 product.
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
