#include "engine/problem/residual.h"

#include <float.h>

#include "parallel/memory.h"

void residual_add(struct residual_sums *total, const struct residual_sums *part) {
    total->closing2 += part->closing2;
    total->q2 += part->q2;
    total->scaled2 += part->scaled2;
    total->unscaled2 += part->unscaled2;
    total->r2 += part->r2;
    total->u2 += part->u2;
    total->v2 += part->v2;
    total->wr2 += part->wr2;
}

double residual_rounding(const struct residual_sums *sums) {
    return 4 * DBL_EPSILON * sqrt(sums->v2 + sums->wr2);
}

double residual_scale(const struct residual_sums *sums, double floor) {
    return fmax(sqrt(sums->closing2), floor);
}

// Subtracts the rounding error only where it is small: diverged impulses have a large rounding
// error as well. A NaN stays a NaN and never counts as solved.
double residual_scaled(const struct residual_sums *sums, double floor) {
    double scale = residual_scale(sums, floor), rounding = residual_rounding(sums);
    double error = sqrt(sums->scaled2), speed = sqrt(sums->v2);
    if (!isfinite(error) || !isfinite(rounding))
        return INFINITY;
    double excused = fmin(rounding, 1e-9 * fmax(scale, speed));
    error = error > excused ? error - excused : 0;
    return scale > DBL_MIN ? error / scale : error;
}

double residual_swelling(const struct residual_sums *sums, double floor) {
    double speed = fmax(residual_scale(sums, floor), sqrt(sums->v2));
    return speed > DBL_MIN ? sqrt(sums->wr2) / speed : 0;
}

double residual_fclib(const struct residual_sums *sums) {
    double scale = sqrt(fmax(sums->q2, fmax(sums->r2, sums->u2)));
    double error = sqrt(sums->unscaled2);
    if (!isfinite(error))
        return INFINITY;
    return scale > DBL_EPSILON ? error / scale : error;
}

// The residual of the rows of a problem ---------------------------------------------------------

// Returns a rho for contacts whose W_aa vanishes: the largest of the others. Any value shows
// whether the law holds there.
static double spare_rho(const struct contact_problem *problem) {
    double most = 0;
    for (int32_t a = 0; a < problem->contacts; a++)
        most = problem->rho[a] > most ? problem->rho[a] : most;
    return most > 0 ? most : 1;
}

static struct contact_view view_row(const struct contact_problem *problem, int32_t a, double spare,
                                    vec3 r, vec3 u) {
    uint8_t held = contact_held(problem, a);
    if (held)
        u = hold_keep(held, u);
    return (struct contact_view){
        .held = held,
        .r_n = r.x,
        .u_n = u.x,
        .mu = problem->mu[a],
        .rho = problem->rho[a] > 0 ? problem->rho[a] : spare,
        .r_t = vec3_make(0, r.y, r.z),
        .u_t = vec3_make(0, u.y, u.z),
    };
}

struct residual_sums residual_of_rows(const struct contact_problem *problem, const double *r) {
    struct residual_sums sums = {0};
    double *u = memory_allocate(contact_problem_size(problem), sizeof *u, "residual");
    double spare = spare_rho(problem);
    contact_problem_velocity(problem, r, u);
    for (int32_t a = 0; a < problem->contacts; a++) {
        struct contact_view free =
            view_row(problem, a, spare, vec3_zero(), contact_get(problem->q, a));
        struct contact_view view =
            view_row(problem, a, spare, contact_get(r, a), contact_get(u, a));
        residual_add_free(&free, &sums);
        residual_add_solved(&view, &sums);
    }
    memory_free(u);
    sums.v2 = fmax(problem->speed2, 0);
    if (problem->speed2 < 0)
        sums.wr2 = 0;
    return sums;
}

struct contact_error residual_of(const struct contact_problem *problem, const double *r) {
    struct residual_sums sums = residual_of_rows(problem, r);
    return (struct contact_error){residual_scaled(&sums, problem->floor), residual_fclib(&sums)};
}
