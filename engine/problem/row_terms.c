#include "engine/problem/row_terms.h"

#include "parallel/fours.h"

// struct contact_view, lane by lane; s and t are tangents.
struct row_lanes {
    lanes4 r_n, r_s, r_t, u_n, u_s, u_t, mu, rho;
};

// A number of each of four vectors of three.
INLINE lanes4 take(const double *x) { return (lanes4){x[0], x[3], x[6], x[9]}; }

// The operations of natural_map2.
INLINE lanes4 map2(const struct row_lanes *row, lanes4 slip, lanes4 rho) {
    lanes4 mu = row->mu, inverse = 1 / (1 + mu * mu);
    lanes4 step = rho * (row->u_n + mu * slip), a_n = row->r_n - step;
    lanes4 a_s = row->r_s - rho * row->u_s, a_t = row->r_t - rho * row->u_t;
    lanes4 length = root(a_s * a_s + a_t * a_t), p_n = (mu * length + a_n) * inverse;
    mask4 open = mu * length <= -a_n, slides = length > mu * a_n;
    lanes4 share = -mu * p_n / length;
    lanes4 e_n = choose(slides, (mu * (mu * row->r_n - length) + step) * inverse, step);
    lanes4 e_s = choose(slides, row->r_s + share * a_s, rho * row->u_s);
    lanes4 e_t = choose(slides, row->r_t + share * a_t, rho * row->u_t);
    e_n = choose(open, row->r_n, e_n);
    e_s = choose(open, row->r_s, e_s);
    e_t = choose(open, row->r_t, e_t);
    return e_n * e_n + (e_s * e_s + e_t * e_t);
}

// The operations of residual_add_solved.
INLINE void compute_lanes(const struct row_lanes *row, const struct least_speeds *least,
                          struct row_terms *terms, int32_t at) {
    lanes4 zero = splat(0), inverse2 = 1 / (row->rho * row->rho);
    lanes4 slip2 = row->u_s * row->u_s + row->u_t * row->u_t, slip = root(slip2);
    lanes4 r2 = row->r_n * row->r_n + (row->r_s * row->r_s + row->r_t * row->r_t);
    lanes4 u2 = row->u_n * row->u_n + slip2, wr2 = r2 * inverse2;
    lanes4 error2 = map2(row, slip, row->rho) * inverse2;
    error2 = choose(error2 <= splat(least->still * least->still), zero, error2); // a NaN stays
    lanes4 own2 = larger(larger(u2, wr2), splat(least->floor * least->floor));
    *(lanes4 *)(terms->unscaled2 + at) = map2(row, slip, splat(1));
    *(lanes4 *)(terms->scaled2 + at) = error2;
    *(lanes4 *)(terms->wr2 + at) = wr2;
    *(lanes4 *)(terms->worst2 + at) = choose(error2 > zero, error2 / own2, zero);
    *(lanes4 *)(terms->r2 + at) = r2;
    *(lanes4 *)(terms->u2 + at) = u2;
}

// Returns whether all of the four contacts have the law of the lanes.
INLINE bool take_row(const double *mu, const double *rho, double spare, const double *r,
                     const double *u, struct row_lanes *row) {
    lanes4 known = *(const lanes4_anywhere *)rho;
    *row = (struct row_lanes){
        .r_n = take(r),
        .r_s = take(r + 1),
        .r_t = take(r + 2),
        .u_n = take(u),
        .u_s = take(u + 1),
        .u_t = take(u + 2),
        .mu = *(const lanes4_anywhere *)mu,
        .rho = choose(known > 0, known, splat(spare)),
    };
    return !any(row->mu >= CONTACT_STICKS);
}

// The last rows with contacts that add zeros up to a whole number of lanes.
struct padded {
    double mu[LANES], rho[LANES], r[3 * LANES], u[3 * LANES];
};

INLINE struct padded pad(const struct contact_problem *problem, int32_t first, int32_t count,
                         const double *r, const double *u) {
    struct padded padded = {.rho = {1, 1, 1, 1}};
    for (int32_t k = 0; k < count; k++) {
        padded.mu[k] = problem->mu[first + k];
        padded.rho[k] = problem->rho[first + k];
    }
    for (int32_t i = 0; i < 3 * count; i++) {
        padded.r[i] = r[3 * (size_t)first + (size_t)i];
        padded.u[i] = u[3 * (size_t)first + (size_t)i];
    }
    return padded;
}

WIDE static bool compute(const struct contact_problem *problem, double spare, int32_t first,
                         int32_t count, const double *r, const double *u, struct row_terms *terms) {
    struct row_lanes row;
    bool usual = !problem->held;
    int32_t at = 0;
    for (; usual && at + LANES <= count; at += LANES) {
        size_t a = (size_t)(first + at);
        usual = take_row(problem->mu + a, problem->rho + a, spare, r + 3 * a, u + 3 * a, &row);
        compute_lanes(&row, &problem->least, terms, at);
    }
    if (usual && at < count) {
        struct padded last = pad(problem, first + at, count - at, r, u);
        usual = take_row(last.mu, last.rho, spare, last.r, last.u, &row);
        compute_lanes(&row, &problem->least, terms, at);
    }
    return usual;
}

bool row_terms_compute(const struct contact_problem *problem, double spare, int32_t first,
                       int32_t count, const double *r, const double *u, struct row_terms *terms) {
    return compute(problem, spare, first, count, r, u, terms);
}

void row_terms_add(const struct row_terms *terms, int32_t first, int32_t count,
                   struct residual_tally *tally) {
    size_t padded = (size_t)(count + LANES - 1) / LANES * LANES;
    binned_add_all(&tally->unscaled2, terms->unscaled2, padded);
    binned_add_all(&tally->scaled2, terms->scaled2, padded);
    binned_add_all(&tally->wr2, terms->wr2, padded);
    binned_add_all(&tally->r2, terms->r2, padded);
    binned_add_all(&tally->u2, terms->u2, padded);
    for (int32_t k = 0; k < count; k++)
        if (terms->worst2[k] > 0)
            residual_note_worst(tally, terms->worst2[k], first + k + 1);
}

_Static_assert(BINNED_FEW == LANES, "few rows are padded to this number");

void row_terms_close_few(const struct row_terms *terms, struct residual_sums *sums) {
    sums->unscaled2 = binned_value_of_few(terms->unscaled2);
    sums->scaled2 = binned_value_of_few(terms->scaled2);
    sums->wr2 = binned_value_of_few(terms->wr2);
    sums->r2 = binned_value_of_few(terms->r2);
    sums->u2 = binned_value_of_few(terms->u2);
    for (int k = 0; k < BINNED_FEW; k++)
        if (terms->worst2[k] > sums->worst2) {
            sums->worst2 = terms->worst2[k];
            sums->worst = k + 1;
        }
}
