#include "engine/solvers/sweep/block_sweep.h"

#include "engine/solvers/local/cone.h"
#include "engine/solvers/local/exact.h"
#include "engine/solvers/local/alart_curnier.h"

// The two bodies of a block while its points are worked on. Those that do not move are shared by
// blocks of a colour and never written.
struct block_bodies {
    struct solver_velocity c, a;
    const struct solver_tensor *tensor_c, *tensor_a;
    bool moves; // a
};

static struct block_bodies take_bodies(const struct block_sweep *sweep, const struct block *block) {
    const struct problem *problem = sweep->problem;
    return (struct block_bodies){
        .c = solver_velocity(&problem->bodies[block->c]),
        .a = solver_velocity(&problem->bodies[block->a]),
        .tensor_c = &problem->tensors[block->c],
        .tensor_a = &problem->tensors[block->a],
        .moves = block->a < sweep->moving || block->a >= problem->body_count,
    };
}

static void put_bodies(const struct block_sweep *sweep, const struct block *block,
                       const struct block_bodies *bodies) {
    solver_set_velocity(&sweep->problem->bodies[block->c], bodies->c.v, bodies->c.s);
    if (bodies->moves)
        solver_set_velocity(&sweep->problem->bodies[block->a], bodies->a.v, bodies->a.s);
}

// A body gains the impulse p at `arm` (in units of its radius).
static void push_tensor(const struct solver_tensor *tensor, struct solver_velocity *velocity,
                        vec3 arm, vec3 p) {
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
        const struct block_point *point = &sweep->problem->points[block->begin + k];
        push_point(point, &bodies, block_impulse(block, point->r));
    }
    put_bodies(sweep, block, &bodies);
}

// The point's impulse becomes `next` and goes on with the momentum of the sweeps.
static void settle_point(const struct block *block, struct block_point *point, vec3 next,
                         double beta, struct block_bodies *bodies, struct sweep_sums *sums) {
    vec3 d = vec3_sub(next, point->r);
    vec3 progress = vec3_sub(next, point->last);
    double w = point->rho > 0 ? 1 / point->rho : 0, change2 = vec3_dot(d, d);
    point->last = next;
    point->r = vec3_add_scaled(next, beta, progress);
    if (change2 > 0)
        push_point(point, bodies, block_impulse(block, d));
    sums->alignment -= w * vec3_dot(d, progress);
    sums->change2 += w * change2;
    sums->largest2 = fmax(sums->largest2, w * w * change2);
}

static void solve_point(const struct block_sweep *sweep, const struct block *block,
                        struct block_point *point, struct block_bodies *bodies,
                        struct sweep_sums *sums, int64_t *fallbacks) {
    double omega = sweep->settings->relaxation;
    vec3 y = point->r, next = y;
    vec3 u = vec3_add(block_velocity(block, point, &bodies->c, &bodies->a), point->b);
    if (sweep->settings->local == GABION_LOCAL_EXACT) {
        vec3 b = vec3_sub(u, mat3_apply(point->W, y));
        *fallbacks += !exact_solve(&point->W, b, sweep->mu, &next, &point->k);
    } else {
        *fallbacks += !newton_solve(&point->W, &point->inverse, u, sweep->mu, &next, &point->k);
    }
    if (omega != 1) // must not leave the cone
        next = cone_clamp(vec3_add_scaled(y, omega, vec3_sub(next, y)), sweep->mu);
    settle_point(block, point, next, sweep->beta, bodies, sums);
}

// All directions that a joint holds at once.
static void solve_joint(const struct block_sweep *sweep, const struct block *block,
                        struct block_bodies *bodies, struct sweep_sums *sums) {
    const struct joint_inverse *inverse = &sweep->problem->joint_inverses[block->joint];
    struct block_point *points = &sweep->problem->points[block->begin];
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
        settle_point(block, &points[k], next, sweep->beta, bodies, sums);
    }
}

void block_sweep_solve(const struct block_sweep *sweep, const struct block *block,
                       struct sweep_sums *sums, int64_t *fallbacks) {
    struct block_bodies bodies = take_bodies(sweep, block);
    if (block->joint >= 0)
        solve_joint(sweep, block, &bodies, sums);
    for (uint32_t k = 0; block->joint < 0 && k < block->count; k++)
        solve_point(sweep, block, &sweep->problem->points[block->begin + k], &bodies, sums,
                    fallbacks);
    put_bodies(sweep, block, &bodies);
}
