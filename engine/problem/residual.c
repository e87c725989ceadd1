#include "engine/problem/residual.h"

#include "engine/problem/row_terms.h"
#include "parallel/memory.h"

void residual_merge(struct residual_tally *total, const struct residual_tally *part) {
    binned_merge(&total->closing2, &part->closing2);
    binned_merge(&total->q2, &part->q2);
    binned_merge(&total->scaled2, &part->scaled2);
    binned_merge(&total->unscaled2, &part->unscaled2);
    binned_merge(&total->r2, &part->r2);
    binned_merge(&total->u2, &part->u2);
    binned_merge(&total->wr2, &part->wr2);
    binned_merge(&total->weight, &part->weight);
    binned_merge(&total->log_speed, &part->log_speed);
    total->fastest2 = fmax(total->fastest2, part->fastest2);
    if (part->worst2 > 0)
        residual_note_worst(total, part->worst2, part->worst);
}

// What residual_add_solved adds to.
static void close_solved(const struct residual_tally *tally, struct residual_sums *sums) {
    sums->scaled2 = binned_value(&tally->scaled2);
    sums->unscaled2 = binned_value(&tally->unscaled2);
    sums->r2 = binned_value(&tally->r2);
    sums->u2 = binned_value(&tally->u2);
    sums->wr2 = binned_value(&tally->wr2);
    sums->worst2 = tally->worst2;
    sums->worst = tally->worst;
}

struct residual_sums residual_close(const struct residual_tally *tally) {
    struct residual_sums sums = {
        .closing2 = binned_value(&tally->closing2),
        .q2 = binned_value(&tally->q2),
        .weight = binned_value(&tally->weight),
        .log_speed = binned_value(&tally->log_speed),
        .fastest2 = tally->fastest2,
    };
    close_solved(tally, &sums);
    return sums;
}

double residual_limit2(const struct residual_sums *sums, double floor) {
    if (!(floor > 0) || !(sums->weight > 0))
        return INFINITY;
    double usual2 = straight_exp2(sums->log_speed / sums->weight);
    double fast2 = RESIDUAL_FAST * RESIDUAL_FAST * fmax(usual2, floor * floor);
    return sums->fastest2 > fast2 ? fast2 : INFINITY;
}

double residual_scale(const struct residual_sums *sums, double floor) {
    return fmax(sqrt(sums->closing2), floor);
}

// Bounded, because diverged impulses have a large rounding error as well. A problem without a floor
// is a file, whose velocities are as exact as its numbers.
double residual_rounding(const struct residual_sums *sums, double floor) {
    if (!(floor > 0))
        return 0;
    double rounding = 4 * DBL_EPSILON * sqrt(sums->closing2 + sums->wr2);
    return fmin(rounding, RESIDUAL_ROUNDING_MOST * residual_scale(sums, floor));
}

// A NaN never counts as solved.
double residual_scaled(const struct residual_sums *sums, double floor) {
    double scale = residual_scale(sums, floor), rounding = residual_rounding(sums, floor);
    double error = sqrt(sums->scaled2);
    if (!isfinite(error) || !isfinite(sums->wr2))
        return INFINITY;
    error = error > rounding ? error - rounding : 0;
    return scale > DBL_MIN ? error / scale : error;
}

double residual_swelling(const struct residual_sums *sums, double floor) {
    double speed = residual_scale(sums, floor);
    return speed > DBL_MIN ? sqrt(sums->wr2) / speed : 0;
}

double residual_fclib(const struct residual_sums *sums) {
    double scale = sqrt(fmax(sums->q2, fmax(sums->r2, sums->u2)));
    double error = sqrt(sums->unscaled2);
    if (!isfinite(error))
        return INFINITY;
    return scale > DBL_EPSILON ? error / scale : error;
}

struct contact_error residual_error(const struct residual_sums *sums, double floor) {
    return (struct contact_error){residual_scaled(sums, floor), residual_fclib(sums),
                                  sqrt(sums->worst2)};
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
        .still = problem->least.still,
        .place = a + 1,
        .r_n = r.x,
        .u_n = u.x,
        .mu = problem->mu[a],
        .rho = problem->rho[a] > 0 ? problem->rho[a] : spare,
        .r_t = vec3_make(0, r.y, r.z),
        .u_t = vec3_make(0, u.y, u.z),
    };
}

// The tally over the free velocities.
static struct residual_tally tally_free(const struct contact_problem *problem, double spare) {
    struct residual_tally tally = {0};
    for (int32_t a = 0; a < problem->contacts; a++) {
        struct contact_view view =
            view_row(problem, a, spare, vec3_zero(), contact_get(problem->q, a));
        residual_add_free(&view, problem->least.floor, &tally);
    }
    struct residual_sums sums = residual_close(&tally);
    double fast2 = residual_limit2(&sums, problem->least.floor);
    if (fast2 == INFINITY)
        return tally;
    tally.closing2 = (struct binned_sum){0};
    for (int32_t a = 0; a < problem->contacts; a++) {
        struct contact_view view =
            view_row(problem, a, spare, vec3_zero(), contact_get(problem->q, a));
        residual_add_limited(&view, fast2, &tally);
    }
    return tally;
}

double residual_closing2(const struct contact_problem *problem) {
    struct residual_tally tally = tally_free(problem, 1);
    return binned_value(&tally.closing2);
}

// The sums over the free velocities of at most BINNED_FEW rows without a floor.
static struct residual_sums free_of_few(const struct contact_problem *problem, double spare) {
    double q2[BINNED_FEW] = {0}, closing2[BINNED_FEW] = {0};
    struct residual_sums sums = {0};
    for (int32_t a = 0; a < problem->contacts; a++) {
        struct contact_view view =
            view_row(problem, a, spare, vec3_zero(), contact_get(problem->q, a));
        q2[a] = residual_speed2(&view);
        closing2[a] = residual_closes(&view) ? q2[a] : 0;
        sums.fastest2 = residual_larger(sums.fastest2, closing2[a]);
    }
    sums.q2 = binned_value_of_few(q2);
    sums.closing2 = binned_value_of_few(closing2);
    return sums;
}

struct residual_base residual_base(const struct contact_problem *problem) {
    double spare = spare_rho(problem);
    if (problem->contacts <= BINNED_FEW && problem->least.floor == 0)
        return (struct residual_base){free_of_few(problem, spare), spare};
    struct residual_tally tally = tally_free(problem, spare);
    return (struct residual_base){residual_close(&tally), spare};
}

static void add_rows(const struct residual_base *base, const struct contact_problem *problem,
                     int32_t begin, int32_t end, const double *r, const double *u,
                     struct residual_tally *tally) {
    for (int32_t a = begin; a < end; a++) {
        struct contact_view view =
            view_row(problem, a, base->spare, contact_get(r, a), contact_get(u, a));
        residual_add_solved(&view, problem->least.floor, tally);
    }
}

static struct residual_sums sums_at(const struct residual_base *base,
                                    const struct contact_problem *problem, const double *r,
                                    const double *u) {
    struct residual_sums sums = base->free;
    struct row_terms terms;
    bool few = problem->contacts > 0 && problem->contacts <= BINNED_FEW;
    if (few && row_terms_compute(problem, base->spare, 0, problem->contacts, r, u, &terms)) {
        row_terms_close_few(&terms, &sums);
        return sums;
    }
    struct residual_tally tally = {0};
    for (int32_t first = 0; first < problem->contacts; first += ROW_TERMS) {
        int32_t left = problem->contacts - first, count = left < ROW_TERMS ? left : ROW_TERMS;
        if (row_terms_compute(problem, base->spare, first, count, r, u, &terms))
            row_terms_add(&terms, first, count, &tally);
        else
            add_rows(base, problem, first, first + count, r, u, &tally);
    }
    close_solved(&tally, &sums);
    return sums;
}

// The velocities of few contacts need no memory of their own, which would take as long as they do.
#define FEW 16

static struct residual_sums sums_of(const struct residual_base *base,
                                    const struct contact_problem *problem, const double *r) {
    double few[3 * FEW], *many = NULL;
    if (problem->contacts > FEW)
        many = memory_allocate(contact_problem_size(problem), sizeof *many, "residual");
    double *u = many ? many : few;
    contact_problem_velocity(problem, r, u);
    struct residual_sums sums = sums_at(base, problem, r, u);
    memory_free(many);
    return sums;
}

struct residual_sums residual_at(const struct contact_problem *problem, const double *r,
                                 const double *u) {
    struct residual_base base = residual_base(problem);
    return sums_at(&base, problem, r, u);
}

struct residual_sums residual_of_rows(const struct contact_problem *problem, const double *r) {
    struct residual_base base = residual_base(problem);
    return sums_of(&base, problem, r);
}

struct contact_error residual_from(const struct residual_base *base,
                                   const struct contact_problem *problem, const double *r) {
    struct residual_sums sums = sums_of(base, problem, r);
    return residual_error(&sums, problem->least.floor);
}

struct contact_error residual_from_both(const struct residual_base *base,
                                        const struct contact_problem *problem, const double *r,
                                        const double *u) {
    struct residual_sums sums = sums_at(base, problem, r, u);
    return residual_error(&sums, problem->least.floor);
}

struct contact_error residual_of(const struct contact_problem *problem, const double *r) {
    struct residual_base base = residual_base(problem);
    return residual_from(&base, problem, r);
}
