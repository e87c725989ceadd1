#include "engine/solvers/sweep/sphere_measure.h"

#include "engine/solvers/sweep/lanes.h"

#define SPHERE_MEASURE KERNEL_NAME(sphere_measure)

// struct contact_view, lane by lane.
struct view_lanes {
    lanes r_n, u_n, w_t;
    struct lane_vec r_t, u_t;
};

INLINE struct body_lanes take(const struct sweep_plan *plan, const int32_t *index) {
    struct solver_body *of[WIDTH];
    for (int lane = 0; lane < WIDTH; lane++)
        of[lane] = &plan->bodies[index[lane]];
    return gather_bodies(of);
}

INLINE struct view_lanes view_of(const struct sweep_plan *plan, const struct sphere_group *group,
                                 int part) {
    struct body_lanes c = take(plan, group->c + part * WIDTH);
    struct body_lanes a = take(plan, group->a + part * WIDTH);
    struct lane_vec n = load(&group->n, part), p = load(&group->p, part);
    struct lane_vec u = subtract(subtract(c.v.a, a.v.a), cross(add(c.s.a, a.s.a), n));
    lanes u_n = dot(u, n), p_n = dot(p, n);
    return (struct view_lanes){.r_n = p_n,
                               .u_n = u_n + load_numbers(group->b, part),
                               .w_t = (c.v.b + c.s.b) + (a.v.b + a.s.b),
                               .r_t = add_scaled(p, -p_n, n),
                               .u_t = add_scaled(u, -u_n, n)};
}

INLINE lanes larger(lanes a, lanes b) { return choose(b > a, b, a); }

// The operations of natural_map2.
INLINE lanes map2(const struct view_lanes *view, lanes slip, lanes rho, double friction) {
    lanes mu = splat(friction), inverse = splat(1 / (1 + friction * friction));
    lanes step = rho * (view->u_n + mu * slip), a_n = view->r_n - step;
    struct lane_vec a_t = add_scaled(view->r_t, -rho, view->u_t);
    lanes length = lane_sqrt(dot(a_t, a_t)), p_n = (mu * length + a_n) * inverse;
    lane_mask open = mu * length <= -a_n, slides = length > mu * a_n;
    struct lane_vec sliding = add_scaled(view->r_t, -mu * p_n / length, a_t);
    struct lane_vec sticking = scale(rho, view->u_t);
    lanes e_n = choose(slides, (mu * (mu * view->r_n - length) + step) * inverse, step);
    struct lane_vec e_t = {choose(slides, sliding.x, sticking.x),
                           choose(slides, sliding.y, sticking.y),
                           choose(slides, sliding.z, sticking.z)};
    e_n = choose(open, view->r_n, e_n);
    e_t = (struct lane_vec){choose(open, view->r_t.x, e_t.x), choose(open, view->r_t.y, e_t.y),
                            choose(open, view->r_t.z, e_t.z)};
    return e_n * e_n + dot(e_t, e_t);
}

// The operations of residual_add_solved.
INLINE void add_terms(const struct view_lanes *view, double mu, double still, double floor,
                      struct sphere_terms *terms, uint32_t at) {
    lanes zero = splat(0), one = splat(1), rho = one / view->w_t;
    lanes slip2 = dot(view->u_t, view->u_t), slip = lane_sqrt(slip2);
    lanes r2 = view->r_n * view->r_n + dot(view->r_t, view->r_t);
    lanes u2 = view->u_n * view->u_n + slip2, inverse2 = one / (rho * rho), wr2 = r2 * inverse2;
    lanes error2 = map2(view, slip, rho, mu) * inverse2;
    lane_mask weighs = rho > zero;
    error2 = choose(error2 <= splat(still * still), zero, error2); // a NaN stays
    lanes own2 = larger(larger(u2, wr2), splat(floor * floor));
    *(lanes *)(terms->unscaled2 + at) = map2(view, slip, one, mu);
    *(lanes *)(terms->scaled2 + at) = choose(weighs, error2, zero);
    *(lanes *)(terms->wr2 + at) = choose(weighs, wr2, zero);
    *(lanes *)(terms->worst2 + at) = choose(weighs & (error2 > zero), error2 / own2, zero);
    *(lanes *)(terms->r2 + at) = r2;
    *(lanes *)(terms->u2 + at) = u2;
}

void SPHERE_MEASURE(const struct sweep_plan *plan, const struct batch *batch, uint32_t begin,
                    uint32_t end, double floor, struct sphere_terms *terms) {
    uint32_t at = 0;
    for (uint32_t k = begin; k < end; k++)
        for (int part = 0; part < PARTS; part++, at += WIDTH) {
            struct view_lanes view = view_of(plan, &plan->groups[k], part);
            add_terms(&view, batch->mu, plan->least.still, floor, terms, at);
        }
}
