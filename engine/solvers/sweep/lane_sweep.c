// Newton's method for the points of four pairs of bodies at once. With the normal eliminated
// (struct lane_point: S = W_TT - w w^T/w_nn, here P = S^-1 and w stands for w/w_nn) the one-contact
// problem u = W r + b is
//
//   open      z = r_n + w.r_t - u_n/w_nn <= 0:  r' = 0                 (z is -b_n/w_nn)
//   sticking  x = r_t - P (u_t - w u_n),  r_n' = z - w.x,  if |x| <= mu r_n'
//   sliding   x(k) = (1 + k P)^-1 x,  r_n(k) = z - w.x(k),  |x(k)| = mu r_n(k),  u_t = -k x(k)
//
// Only sliding iterates, on the one number k (engine/solvers/local/exact.c derives the curve).
// Lanes where that does not converge, which happens with directions in which a body is locked and
// with blocks W that couple the normal strongly, are solved one by one by alart_curnier_solve.
#include "engine/solvers/sweep/lane_sweep.h"

#include "engine/solvers/sweep/lane_block.h"
#include "engine/solvers/sweep/lane_tally.h"

// Relative defect from which one more step is the last, and the most steps. The next search starts
// where this one ended, so that the error of the last step is squared once more at convergence of
// the sweeps. A larger defect saves steps, but sweeps wander and take up to 8 % longer.
#define LAST_STEP_DEFECT 1e-6
#define STEPS            8

// Bodies --------------------------------------------------------------------------------------

// One body of each block. The masses of spheres in it are only written back.
struct side {
    struct body_lanes moving;
    struct lane_vec inv_m;
    lanes xx, yy, zz, xy, xz, yz; // inverse moments of inertia
};

INLINE struct side take_side(const struct sweep_plan *plan, const int32_t *index) {
    struct side side;
    struct solver_body *of[WIDTH];
    const double *first[WIDTH], *second[WIDTH];
    for (int lane = 0; lane < WIDTH; lane++) {
        const struct inverse_mass *inverse = &plan->inverse[index[lane]];
        of[lane] = &plan->bodies[index[lane]];
        first[lane] = &inverse->inv_m.x;
        second[lane] = &inverse->k.yy;
        side.yz[lane] = inverse->k.yz;
    }
    side.moving = gather_bodies(of);
    struct lane_row mass = gather(first), turn = gather(second);
    side.inv_m = mass.a;
    side.xx = mass.b;
    side.yy = turn.a.x;
    side.zz = turn.a.y;
    side.xy = turn.a.z;
    side.xz = turn.b;
    return side;
}

INLINE void put_side(const struct sweep_plan *plan, const int32_t *index, unsigned bits,
                     const struct side *side) {
    struct solver_body *of[WIDTH];
    for (int lane = 0; lane < WIDTH; lane++)
        of[lane] = &plan->bodies[index[lane]];
    scatter_bodies(of, bits, side->moving);
}

// The body gains the impulse p at `arm`.
INLINE void push(struct side *side, struct lane_vec arm, struct lane_vec p) {
    struct lane_vec turn = cross(arm, p);
    side->moving.v.a =
        add(side->moving.v.a,
            (struct lane_vec){side->inv_m.x * p.x, side->inv_m.y * p.y, side->inv_m.z * p.z});
    side->moving.s.a =
        add(side->moving.s.a,
            (struct lane_vec){side->xx * turn.x + side->xy * turn.y + side->xz * turn.z,
                              side->xy * turn.x + side->yy * turn.y + side->yz * turn.z,
                              side->xz * turn.x + side->yz * turn.y + side->zz * turn.z});
}

// The two bodies of each block and its frame.
struct pair {
    struct side c, a;
    struct lane_vec n, s, t;
};

// The operations of vec3_tangents.
INLINE void set_frame(struct pair *pair, struct lane_vec n) {
    lanes one = splat(1), sign = copy_sign(1, n.z), a = -one / (sign + n.z), b = n.x * n.y * a;
    pair->n = n;
    pair->s = (struct lane_vec){one + sign * n.x * n.x * a, sign * b, -sign * n.x};
    pair->t = (struct lane_vec){b, sign + n.y * n.y * a, -n.y};
}

INLINE struct pair take_pair(const struct sweep_plan *plan, const struct lane_block *block,
                             int part) {
    struct pair pair = {.c = take_side(plan, block->c + part * WIDTH),
                        .a = take_side(plan, block->a + part * WIDTH)};
    set_frame(&pair, load(&block->n, part));
    return pair;
}

INLINE void put_pair(const struct sweep_plan *plan, const struct lane_block *block, int part,
                     const struct pair *pair) {
    put_side(plan, block->c + part * WIDTH, part_bits(block->used, part), &pair->c);
    put_side(plan, block->a + part * WIDTH, part_bits(block->moves, part), &pair->a);
}

INLINE void push_point(const struct lane_point *point, int part, struct pair *pair,
                       struct lane_vec r) {
    struct lane_vec p = {pair->n.x * r.x + pair->s.x * r.y + pair->t.x * r.z,
                         pair->n.y * r.x + pair->s.y * r.y + pair->t.y * r.z,
                         pair->n.z * r.x + pair->s.z * r.y + pair->t.z * r.z};
    push(&pair->c, load(&point->arm_c, part), p);
    push(&pair->a, load(&point->arm_a, part), (struct lane_vec){-p.x, -p.y, -p.z});
}

// Returns the velocity of c relative to a, in the frame, with what the law adds to its normal part.
INLINE struct lane_vec velocity_at(const struct lane_point *point, int part,
                                   const struct pair *pair) {
    struct lane_vec c =
        add(pair->c.moving.v.a, cross(pair->c.moving.s.a, load(&point->arm_c, part)));
    struct lane_vec a =
        add(pair->a.moving.v.a, cross(pair->a.moving.s.a, load(&point->arm_a, part)));
    struct lane_vec u = subtract(c, a);
    return (struct lane_vec){dot(pair->n, u) + load_numbers(point->b, part), dot(pair->s, u),
                             dot(pair->t, u)};
}

// One contact ---------------------------------------------------------------------------------

struct contact_lanes {
    struct lane_vec r, u;
    lanes z, x_s, x_t;                           // of the header: z, and x of sticking
    lanes inverse_n, w_s, w_t, p_ss, p_st, p_tt; // struct lane_point
    lanes mu;
};

// Newton's method on 1/|x| - 1/(mu r_n), nearly linear in k, or on |x| - mu r_n where r_n < 0.
// Returns the lanes that found a solution and sets their impulses. The search starts at the k of
// the last impulse and the present velocity, -u_t.r_t/|r_t|^2; it must not start elsewhere at
// convergence, where the error of its last step would stay.
INLINE lane_mask slide(const struct contact_lanes *one, lane_mask wanted, struct lane_vec *r) {
    lanes zero = splat(0), unit = splat(1), inverse_mu = unit / one->mu;
    lanes trace = one->p_ss + one->p_tt, det = one->p_ss * one->p_tt - one->p_st * one->p_st;
    lanes q_s = one->p_tt * one->x_s - one->p_st * one->x_t;
    lanes q_t = one->p_ss * one->x_t - one->p_st * one->x_s;
    lanes power = -(one->u.y * one->r.y + one->u.z * one->r.z), far = splat(2) / trace;
    lanes k = choose(power > zero, power / (one->r.y * one->r.y + one->r.z * one->r.z), zero);
    lanes end_s = zero, end_t = zero;
    lane_mask left = wanted & (one->x_s - one->x_s == zero) & (one->x_t - one->x_t == zero);
    lane_mask found = wanted & ~wanted;
    for (int step = 0; step < STEPS && lane_bits(left); step++) {
        lanes shrink = unit / (unit + k * (trace + k * det));
        lanes x_s = shrink * (one->x_s + k * q_s), x_t = shrink * (one->x_t + k * q_t);
        lanes px_s = one->p_ss * x_s + one->p_st * x_t, px_t = one->p_st * x_s + one->p_tt * x_t;
        lanes fall_s = shrink * (px_s + k * det * x_s), fall_t = shrink * (px_t + k * det * x_t);
        lanes r_n = one->z - (one->w_s * x_s + one->w_t * x_t), length2 = x_s * x_s + x_t * x_t;
        lanes length = lane_sqrt(length2) * inverse_mu, defect = length - r_n;
        lanes A = x_s * fall_s + x_t * fall_t, B = one->w_s * fall_s + one->w_t * fall_t;
        lane_mask closed = r_n > zero;
        lanes slope =
            A * choose(closed, r_n * r_n, length) + B * choose(closed, length, unit) * length2;
        lanes change = defect * choose(closed, r_n, unit) * length2 / slope, next = k + change;
        lane_mask now =
            left & (lane_abs(defect) <= splat(LAST_STEP_DEFECT) * (length + lane_abs(r_n)));
        end_s = choose(now, x_s - change * fall_s, end_s);
        end_t = choose(now, x_t - change * fall_t, end_t);
        lane_mask ahead = (change * defect >= zero) & (next >= zero); // the root is where f falls
        found |= now & ahead;
        left &= ~now;
        k = choose(ahead, next, choose(defect > zero, splat(4) * k + far, splat(0.25) * k));
    }
    lanes normal = lane_sqrt(end_s * end_s + end_t * end_t) * inverse_mu; // exactly on the cone
    found &= normal - normal == zero;
    *r = (struct lane_vec){choose(found, normal, r->x), choose(found, end_s, r->y),
                           choose(found, end_t, r->z)};
    return found;
}

// Solves the lanes that are left one by one.
INLINE void solve_alone(struct lane_call *call, const struct lane_block *block,
                        const struct lane_point *point, int part, unsigned bits,
                        const struct contact_lanes *one, struct lane_vec *next) {
    for (int lane = 0; lane < WIDTH; lane++) {
        if (!(bits >> lane & 1))
            continue;
        vec3 u = {one->u.x[lane], one->u.y[lane], one->u.z[lane]};
        vec3 r = {one->r.x[lane], one->r.y[lane], one->r.z[lane]};
        call->fallbacks += !lane_point_solve(call->plan, block, point,
                                             (uint32_t)(part * WIDTH + lane), call->mu, u, &r);
        next->x[lane] = r.x;
        next->y[lane] = r.y;
        next->z[lane] = r.z;
    }
}

// The part of the way from r to `next` that relaxation asks for, brought back into the cone.
INLINE struct lane_vec relax(struct lane_vec r, struct lane_vec next, lanes mu, lanes omega) {
    struct lane_vec to = add_scaled(r, omega, subtract(next, r));
    lanes zero = splat(0), n = choose(to.x > zero, to.x, zero);
    lanes limit = choose(n > zero, mu * n, zero), length = lane_sqrt(to.y * to.y + to.z * to.z);
    lanes shrink = choose(length > limit, limit / length, splat(1));
    return (struct lane_vec){n, shrink * to.y, shrink * to.z};
}

INLINE struct lane_vec solve(struct lane_call *call, const struct lane_block *block,
                             const struct lane_point *point, int part, struct lane_vec u,
                             struct lane_vec r) {
    struct contact_lanes one = {.r = r,
                                .u = u,
                                .inverse_n = load_numbers(point->inverse_n, part),
                                .w_s = load_numbers(point->w_s, part),
                                .w_t = load_numbers(point->w_t, part),
                                .p_ss = load_numbers(point->p_ss, part),
                                .p_st = load_numbers(point->p_st, part),
                                .p_tt = load_numbers(point->p_tt, part),
                                .mu = splat(call->mu)};
    lanes zero = splat(0), lift = one.inverse_n * u.x;
    lanes e_s = u.y - one.w_s * u.x, e_t = u.z - one.w_t * u.x;
    lanes y_s = one.p_ss * e_s + one.p_st * e_t, y_t = one.p_st * e_s + one.p_tt * e_t;
    struct lane_vec next = {r.x - (lift - (one.w_s * y_s + one.w_t * y_t)), r.y - y_s, r.z - y_t};
    lanes limit = one.mu * next.x;
    one.z = r.x + (one.w_s * r.y + one.w_t * r.z) - lift;
    one.x_s = next.y;
    one.x_t = next.z;
    lane_mask open = one.z <= zero;
    lane_mask solved =
        open | ((next.x >= zero) & (next.y * next.y + next.z * next.z <= limit * limit));
    next = (struct lane_vec){choose(open, zero, next.x), choose(open, zero, next.y),
                             choose(open, zero, next.z)};
    unsigned used = part_bits(block->used, part);
    if (lane_bits(~solved) & used) {
        solved |= slide(&one, ~solved, &next);
        solve_alone(call, block, point, part, lane_bits(~solved) & used, &one, &next);
    }
    return call->omega == 1 ? next : relax(r, next, one.mu, splat(call->omega));
}

// Blocks --------------------------------------------------------------------------------------

INLINE void sweep_point(struct lane_call *call, const struct lane_block *block,
                        struct lane_point *point, int part, struct pair *pair,
                        struct lane_tally *tally) {
    struct lane_vec r = load(&point->r, part), last = load(&point->last, part);
    struct lane_vec u = velocity_at(point, part, pair);
    struct lane_vec next = solve(call, block, point, part, u, r);
    struct lane_vec d = subtract(next, r), progress = subtract(next, last);
    store(&point->last, part, next);
    store(&point->r, part, add_scaled(next, splat(call->beta), progress));
    push_point(point, part, pair, d);
    add_sums(tally, d, progress, load_numbers(point->size, part));
}

// The bodies of a block ahead and the points some blocks ahead: colours scatter neighbours over
// memory, and points are many pages.
#define BLOCKS_AHEAD 2
#define POINTS_AHEAD 6
INLINE void prefetch_bodies(const struct sweep_plan *plan, const struct lane_block *block) {
    for (int lane = 0; lane < LANES; lane++) {
        const int32_t body[2] = {block->c[lane], block->a[lane]};
        for (int side = 0; side < 2; side++) {
            const char *inverse = (const char *)&plan->inverse[body[side]];
            __builtin_prefetch(&plan->bodies[body[side]]);
            __builtin_prefetch(inverse);
            __builtin_prefetch(inverse + sizeof(struct inverse_mass) - 1);
        }
    }
}

INLINE void prefetch_point(const struct lane_point *point) {
    for (size_t line = 0; line < sizeof *point; line += CACHE_LINE)
        __builtin_prefetch((const char *)point + line);
}

static void sweep(struct lane_call *call, uint32_t begin, uint32_t end, struct sweep_tally *total) {
    const struct sweep_plan *plan = call->plan;
    struct lane_tally tally;
    open_tally(&tally, total);
    for (uint32_t k = begin; k < end; k++) {
        const struct lane_block *block = &plan->lane_blocks[k];
        if (k + BLOCKS_AHEAD < plan->lane_block_count)
            prefetch_bodies(plan, block + BLOCKS_AHEAD);
        for (int part = 0; part < PARTS; part++) {
            struct pair pair = take_pair(plan, block, part);
            for (uint32_t p = 0; p < block->count; p++) {
                struct lane_point *point = &plan->lane_points[block->begin + p];
                if (part == 0)
                    prefetch_point(point + POINTS_AHEAD);
                sweep_point(call, block, point, part, &pair, &tally);
            }
            put_pair(plan, block, part, &pair);
        }
    }
    close_tally(&tally);
}

static void apply(const struct lane_call *call, uint32_t begin, uint32_t end) {
    const struct sweep_plan *plan = call->plan;
    for (uint32_t k = begin; k < end; k++) {
        const struct lane_block *block = &plan->lane_blocks[k];
        for (int part = 0; part < PARTS; part++) {
            struct pair pair = take_pair(plan, block, part);
            for (uint32_t p = 0; p < block->count; p++) {
                const struct lane_point *point = &plan->lane_points[block->begin + p];
                push_point(point, part, &pair, load(&point->r, part));
            }
            put_pair(plan, block, part, &pair);
        }
    }
}

const struct lane_kernel KERNEL_NAME(lane_kernel) = {sweep, apply};
