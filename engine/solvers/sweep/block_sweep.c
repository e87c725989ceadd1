#include "engine/solvers/sweep/block_sweep.h"

#include "engine/solvers/local/local.h"

// The two bodies of a block while its points are worked on. Those that do not move are shared by
// blocks of a colour and never written.
struct block_bodies {
    struct body_velocity c, a;
    const struct inverse_mass *tensor_c, *tensor_a;
    bool moves; // a
};

static struct block_bodies take_bodies(const struct block_sweep *sweep, const struct block *block) {
    const struct sweep_plan *plan = sweep->plan;
    return (struct block_bodies){
        .c = solver_velocity(&plan->bodies[block->c]),
        .a = solver_velocity(&plan->bodies[block->a]),
        .tensor_c = &plan->inverse[block->c],
        .tensor_a = &plan->inverse[block->a],
        .moves = block->a < plan->moving || block->a >= plan->body_count,
    };
}

static void put_bodies(const struct block_sweep *sweep, const struct block *block,
                       const struct block_bodies *bodies) {
    solver_set_velocity(&sweep->plan->bodies[block->c], bodies->c.v, bodies->c.s);
    if (bodies->moves)
        solver_set_velocity(&sweep->plan->bodies[block->a], bodies->a.v, bodies->a.s);
}

// A body gains the impulse p at `arm` (in units of its radius).
static void push_tensor(const struct inverse_mass *tensor, struct body_velocity *velocity, vec3 arm,
                        vec3 p) {
    velocity->v = vec3_add(velocity->v, vec3_times(tensor->inv_m, p));
    velocity->s = vec3_add(velocity->s, sym3_apply(tensor->k, vec3_cross(arm, p)));
}

static void push_point(const struct block_point *point, struct block_bodies *bodies, vec3 p) {
    push_tensor(bodies->tensor_c, &bodies->c, point->arm_c, p);
    if (bodies->moves)
        push_tensor(bodies->tensor_a, &bodies->a, point->arm_a, vec3_negate(p));
}

void block_sweep_apply(const struct block_sweep *sweep, const struct block *block) {
    struct block_bodies bodies = take_bodies(sweep, block);
    for (uint32_t k = 0; k < block->count; k++) {
        const struct block_point *point = &sweep->plan->points[block->begin + k];
        push_point(point, &bodies, block_impulse(block, point->r));
    }
    put_bodies(sweep, block, &bodies);
}

// The point's impulse becomes `next` and goes on with the momentum of the sweeps.
static void settle_point(const struct block *block, struct block_point *point, vec3 next,
                         double beta, struct block_bodies *bodies, struct sweep_tally *tally) {
    vec3 d = vec3_sub(next, point->r);
    vec3 progress = vec3_sub(next, point->last);
    double w = point->rho > 0 ? 1 / point->rho : 0, change2 = vec3_dot(d, d);
    point->last = next;
    point->r = vec3_add_scaled(next, beta, progress);
    if (change2 > 0)
        push_point(point, bodies, block_impulse(block, d));
    tally_add(tally, -w * vec3_dot(d, progress), w * change2, w * w * change2);
}

static void solve_point(const struct block_sweep *sweep, const struct block *block,
                        struct block_point *point, struct block_bodies *bodies,
                        struct sweep_tally *tally, int64_t *fallbacks) {
    struct local_call call = {.W = &point->W,
                              .inverse = &point->inverse,
                              .mu = sweep->mu,
                              .cone = &sweep->plan->cone,
                              .relaxation = sweep->settings->relaxation};
    vec3 next = point->r;
    vec3 u = vec3_add(block_velocity(block, point, &bodies->c, &bodies->a), point->b);
    *fallbacks += !local_solve((enum gabion_local)point->local, &call, u, &next, &point->k);
    settle_point(block, point, next, sweep->beta, bodies, tally);
}

// Solves all directions that a joint holds at once.
static void solve_joint(const struct block_sweep *sweep, const struct block *block,
                        struct block_bodies *bodies, struct sweep_tally *tally) {
    const struct joint_inverse *inverse = &sweep->plan->joint_inverses[block->joint];
    struct block_point *points = &sweep->plan->points[block->begin];
    double omega = sweep->settings->relaxation, u[HOLD_MOST];
    int n = 0, row = 0;
    for (uint32_t k = 0; k < block->count; k++) {
        vec3 at = vec3_add(block_velocity(block, &points[k], &bodies->c, &bodies->a), points[k].b);
        for (int axis = 0; axis < 3; axis++)
            if (points[k].held >> axis & 1)
                u[n++] = vec3_get(at, axis);
    }
    for (uint32_t k = 0; k < block->count; k++) {
        vec3 next = points[k].r;
        for (int axis = 0; axis < 3; axis++) {
            if (!(points[k].held >> axis & 1))
                continue;
            double change = 0;
            for (int j = 0; j < n; j++)
                change -= inverse->a[row][j] * u[j];
            vec3_set(&next, axis, vec3_get(next, axis) + omega * change);
            row++;
        }
        settle_point(block, &points[k], next, sweep->beta, bodies, tally);
    }
}

void block_sweep_solve(const struct block_sweep *sweep, const struct block *block,
                       struct sweep_tally *tally, int64_t *fallbacks) {
    struct block_bodies bodies = take_bodies(sweep, block);
    if (block->joint >= 0)
        solve_joint(sweep, block, &bodies, tally);
    for (uint32_t k = 0; block->joint < 0 && k < block->count; k++)
        solve_point(sweep, block, &sweep->plan->points[block->begin + k], &bodies, tally,
                    fallbacks);
    put_bodies(sweep, block, &bodies);
}
