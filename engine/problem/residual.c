#include "engine/problem/residual.h"

#include <float.h>

#include "parallel/memory.h"

// A contact's view: normal parts apart, tangential parts as vectors in any frame.
struct contact_view {
    double r_n, u_n, mu, rho;
    double v2; // of the two bodies, spins included
    vec3 r_t, u_t;
    uint8_t held; // of a joint: what is not held is zero above
};

// Impulses that ran away drown rho u in r - (r - rho u): where the projection changes nothing the
// difference is taken as what it is. What is not a number ends up there and stays so.

// Sticking has no De Saxce form: u_t must vanish wherever the contact is closed.
static double sticking_map2(const struct contact_view *view, double rho) {
    bool closed = !(view->r_n - rho * view->u_n <= 0);
    double normal = closed ? rho * view->u_n : view->r_n;
    vec3 tangential = closed ? vec3_scale(rho, view->u_t) : view->r_t;
    return normal * normal + vec3_dot(tangential, tangential);
}

// |r - P_K(r - rho ut)|^2, slip = |u_t|.
static double natural_map2(const struct contact_view *view, double slip, double rho) {
    double mu = view->mu;
    if (view->held)
        return rho * rho * (view->u_n * view->u_n + slip * slip);
    if (mu >= 1e100)
        return sticking_map2(view, rho);
    double step = rho * (view->u_n + mu * slip), a_n = view->r_n - step, e_n = step;
    vec3 a_t = vec3_add_scaled(view->r_t, -rho, view->u_t), e_t = vec3_scale(rho, view->u_t);
    double length = vec3_length(a_t);
    if (mu * length <= -a_n) {
        e_n = view->r_n;
        e_t = view->r_t;
    } else if (length > mu * a_n) {
        double inverse = 1 / (1 + mu * mu), p_n = (mu * length + a_n) * inverse;
        e_n = (mu * (mu * view->r_n - length) + step) * inverse;
        e_t = vec3_add_scaled(view->r_t, -mu * p_n / length, a_t);
    }
    return e_n * e_n + vec3_dot(e_t, e_t);
}

static double body_v2(const struct solver_body *body) {
    return vec3_dot(solver_v(body), solver_v(body)) + vec3_dot(solver_s(body), solver_s(body));
}

static struct contact_view view_sphere(const struct problem *problem, const struct batch *batch,
                                       uint32_t group_index, uint32_t lane) {
    const struct sphere_group *group = &problem->groups[group_index];
    const struct solver_body *c = &problem->bodies[group->c[lane]];
    const struct solver_body *a = &problem->bodies[group->a[lane]];
    vec3 n = lane_get(&group->n, lane);
    vec3 p = lane_get(&group->p, lane);
    vec3 spin = vec3_add(solver_s(c), solver_s(a));
    vec3 u = vec3_sub(vec3_sub(solver_v(c), solver_v(a)), vec3_cross(spin, n));
    double u_n = vec3_dot(u, n), p_n = vec3_dot(p, n);
    double share_c = 1 / solver_copies(problem, group->c[lane]);
    double share_a = 1 / solver_copies(problem, group->a[lane]);
    double w_t = (c->inv_m + c->k) * share_c + (a->inv_m + a->k) * share_a; // >= w_n
    return (struct contact_view){
        .r_n = p_n,
        .u_n = u_n + group->b[lane],
        .mu = batch->mu,
        .rho = 1 / w_t,
        .v2 = body_v2(c) + body_v2(a),
        .r_t = vec3_add_scaled(p, -p_n, n),
        .u_t = vec3_add_scaled(u, -u_n, n),
    };
}

static struct contact_view view_point(const struct problem *problem, const struct batch *batch,
                                      const struct block *block, const struct block_point *point) {
    struct solver_velocity c = solver_velocity(&problem->bodies[block->c]);
    struct solver_velocity a = solver_velocity(&problem->bodies[block->a]);
    vec3 u = vec3_add(block_velocity(block, point, &c, &a), point->b);
    if (point->held)
        u = hold_keep(point->held, u);
    return (struct contact_view){
        .held = point->held,
        .r_n = point->r.x,
        .u_n = u.x,
        .mu = batch->mu,
        .rho = point->rho,
        .v2 = body_v2(&problem->bodies[block->c]) + body_v2(&problem->bodies[block->a]),
        .r_t = vec3_make(0, point->r.y, point->r.z),
        .u_t = vec3_make(0, u.y, u.z),
    };
}

static void add_free(const struct contact_view *view, struct residual_sums *sums) {
    double q2 = view->u_n * view->u_n + vec3_dot(view->u_t, view->u_t);
    sums->q2 += q2;
    sums->v2 += view->v2;
    if (view->u_n < 0 || view->held)
        sums->closing2 += q2;
}

static void add_solved(const struct contact_view *view, struct residual_sums *sums) {
    double slip2 = vec3_dot(view->u_t, view->u_t), slip = sqrt(slip2);
    double r2 = view->r_n * view->r_n + vec3_dot(view->r_t, view->r_t);
    sums->unscaled2 += natural_map2(view, slip, 1);
    if (view->rho > 0) {
        double inverse2 = 1 / (view->rho * view->rho);
        sums->scaled2 += natural_map2(view, slip, view->rho) * inverse2;
        sums->wr2 += r2 * inverse2;
    }
    sums->r2 += r2;
    sums->u2 += view->u_n * view->u_n + slip2;
}

static void add_chunk(const struct problem *problem, const struct chunk *chunk,
                      void (*add)(const struct contact_view *, struct residual_sums *),
                      struct residual_sums *sums) {
    const struct batch *batch = &problem->batches[chunk->batch];
    for (uint32_t k = chunk->begin; k < chunk->end; k++) {
        if (batch->kind == BATCH_BLOCK) {
            const struct block *block = &problem->blocks[k];
            for (uint32_t p = 0; p < block->count; p++) {
                const struct block_point *point = &problem->points[block->begin + p];
                struct contact_view view = view_point(problem, batch, block, point);
                add(&view, sums);
            }
            continue;
        }
        uint32_t used = k + 1 == batch->end ? batch->lanes : LANES;
        for (uint32_t lane = 0; lane < used; lane++) {
            struct contact_view view = view_sphere(problem, batch, k, lane);
            add(&view, sums);
        }
    }
}

void residual_add_free(const struct problem *problem, const struct chunk *chunk,
                       struct residual_sums *sums) {
    add_chunk(problem, chunk, add_free, sums);
}

void residual_add(const struct problem *problem, const struct chunk *chunk,
                  struct residual_sums *sums) {
    add_chunk(problem, chunk, add_solved, sums);
}

double residual_rounding(const struct residual_sums *sums) {
    return 4 * DBL_EPSILON * sqrt(sums->v2 + sums->wr2);
}

double residual_scale(const struct residual_sums *sums, double floor) {
    return fmax(sqrt(sums->closing2), floor);
}

// Rounding may excuse a small error, never a large one: impulses that ran away bring a large
// "rounding" along. And what is not a number must not look solved.
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

// Of a problem by itself -----------------------------------------------------------------------

// Where W_aa vanishes no rho is right and any shows whether the law holds: the largest there is.
static double spare_rho(const struct friction_problem *problem) {
    double most = 0;
    for (int32_t a = 0; a < problem->contacts; a++)
        most = problem->rho[a] > most ? problem->rho[a] : most;
    return most > 0 ? most : 1;
}

static struct contact_view view_row(const struct friction_problem *problem, int32_t a, double spare,
                                    vec3 r, vec3 u) {
    uint8_t held = friction_held(problem, a);
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

struct friction_error residual_of(const struct friction_problem *problem, const double *r) {
    struct residual_sums sums = {0};
    double *u = memory_allocate(friction_problem_size(problem), sizeof *u, "residual");
    double spare = spare_rho(problem);
    friction_problem_velocity(problem, r, u);
    for (int32_t a = 0; a < problem->contacts; a++) {
        struct contact_view free =
            view_row(problem, a, spare, vec3_zero(), friction_get(problem->q, a));
        struct contact_view view =
            view_row(problem, a, spare, friction_get(r, a), friction_get(u, a));
        add_free(&free, &sums);
        add_solved(&view, &sums);
    }
    memory_free(u);
    sums.v2 = fmax(problem->speed2, 0);
    if (problem->speed2 < 0)
        sums.wr2 = 0;
    return (struct friction_error){residual_scaled(&sums, problem->floor), residual_fclib(&sums)};
}
