#include "engine/solvers/local/local.h"

#include "engine/solvers/local/cone.h"
#include "engine/solvers/local/polygon.h"

// The solvers ---------------------------------------------------------------------------------

typedef bool (*local_function)(const struct local_call *call, vec3 u, vec3 *r, double *k);

// Solves the normal direction first, then friction with the normal impulse found. This is exact
// where the 3x3 block is diagonal with equal tangential entries (Renouf, Dubois, Alart 2004).
// Relaxation is applied inside, so that the result lies in the cone.
static bool solve_explicit(const struct local_call *call, vec3 u, vec3 *r, double *k) {
    (void)k;
    const mat3 *W = call->W;
    double w_n = W->row[0].x, w_t = fmax(W->row[1].y, W->row[2].z), floor = exact_floor(W);
    double omega = call->relaxation;
    double n = w_n > floor ? fmax(r->x - omega * u.x / w_n, 0) : 0;
    double step = w_t > floor ? omega / w_t : 0;
    *r = cone_clip(vec3_make(n, r->y - step * u.y, r->z - step * u.z), call->mu * n);
    return true;
}

static bool solve_newton(const struct local_call *call, vec3 u, vec3 *r, double *k) {
    return alart_curnier_solve(call->W, call->inverse, u, call->mu, r, k);
}

static vec3 without_own(const struct local_call *call, vec3 u, vec3 r) {
    return vec3_sub(u, mat3_apply(*call->W, r));
}

static bool solve_exact(const struct local_call *call, vec3 u, vec3 *r, double *k) {
    vec3 b = without_own(call, u, *r);
    return call->exact ? exact_answer(call->exact, b, call->mu, r, k)
                       : exact_solve(call->W, b, call->mu, r, k);
}

static bool solve_lemke(const struct local_call *call, vec3 u, vec3 *r, double *k) {
    (void)k;
    vec3 b = without_own(call, u, *r);
    return polygon_solve(GABION_LOCAL_LEMKE, call->cone, call->W, b, call->mu, r);
}

static bool solve_qp(const struct local_call *call, vec3 u, vec3 *r, double *k) {
    (void)k;
    vec3 b = without_own(call, u, *r);
    return polygon_solve(GABION_LOCAL_QP, call->cone, call->W, b, call->mu, r);
}

static const struct {
    const char *name;
    local_function solve; // NULL: stands for others
} locals[GABION_LOCAL_COUNT] = {
    [GABION_LOCAL_AUTO] = {"auto", NULL},
    [GABION_LOCAL_EXPLICIT] = {"explicit", solve_explicit},
    [GABION_LOCAL_NEWTON] = {"newton", solve_newton},
    [GABION_LOCAL_LEMKE] = {"lemke", solve_lemke},
    [GABION_LOCAL_QP] = {"qp", solve_qp},
    [GABION_LOCAL_EXACT] = {"exact", solve_exact},
};

const char *local_name(enum gabion_local local) { return locals[local].name; }

bool local_substitutes(enum gabion_local asked, bool diagonal) {
    return asked == GABION_LOCAL_EXPLICIT && !diagonal;
}

enum gabion_local local_choose(enum gabion_local asked, bool diagonal) {
    if (asked == GABION_LOCAL_AUTO)
        return diagonal ? GABION_LOCAL_EXPLICIT : GABION_LOCAL_NEWTON;
    return local_substitutes(asked, diagonal) ? GABION_LOCAL_NEWTON : asked;
}

#define ROUNDING 1e-12 // of the trace

bool local_is_diagonal(const mat3 *W) {
    const vec3 *w = W->row;
    double most = ROUNDING * (w[0].x + w[1].y + w[2].z);
    const double zero[] = {w[0].y, w[0].z, w[1].x, w[1].z, w[2].x, w[2].y, w[1].y - w[2].z};
    for (size_t k = 0; k < sizeof zero / sizeof *zero; k++)
        if (!(fabs(zero[k]) <= most))
            return false;
    return true;
}

bool local_solve_any(enum gabion_local local, const struct local_call *call, vec3 u, vec3 *r,
                     double *k) {
    vec3 start = *r;
    bool answered = locals[local].solve(call, u, r, k);
    if (call->relaxation != 1 && local != GABION_LOCAL_EXPLICIT) // must not leave the cone
        *r = cone_clamp(vec3_add_scaled(start, call->relaxation, vec3_sub(*r, start)), call->mu);
    return answered;
}

// Prepared contacts ---------------------------------------------------------------------------

void local_prepare(const mat3 *W, double mu, uint8_t held, struct local_contact *contact) {
    exact_prepare(W, &contact->exact);
    contact->inverse = held ? hold_inverse(held, W) : alart_curnier_inverse(&contact->exact.W);
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
