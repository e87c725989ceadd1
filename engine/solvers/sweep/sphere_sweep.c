// Explicit local solution for spheres, several contacts at a time. With W = diag(w_n, w_t, w_t) the
// one-contact problem is solved exactly by clipping the normal impulse at zero and projecting the
// tangential one radially on the disk of radius mu r_n (Renouf, Acary, Dumont 2005, section 6.2,
// with the signs put right). Everything is written on world vectors:
//
//   u = v_c - v_a - (s_c + s_a) x n,   p_n' = max(0, p.n - (u.n + b) / w_n),
//   p_t* = p_t - u_t / w_t,            p_t' = p_t* min(1, mu p_n' / |p_t*|).
#include "engine/solvers/sweep/sphere_sweep.h"

#include "engine/solvers/sweep/lane_tally.h"

#define SPHERE_SWEEP KERNEL_NAME(sphere_sweep)

// The impulse p after the local solution, from relative velocity u and the block diag(w_n, w_t).
INLINE struct lane_vec local_solve(struct lane_vec p, struct lane_vec u, struct lane_vec n, lanes b,
                                   lanes w_n, lanes w_t, lanes mu, lanes omega) {
    lanes zero = splat(0), one = splat(1);
    lanes u_n = dot(u, n), p_n = dot(p, n);
    struct lane_vec u_t = add_scaled(u, -u_n, n), p_t = add_scaled(p, -p_n, n);
    lanes new_n = p_n - omega * (u_n + b) / w_n;
    new_n = choose(new_n > zero, new_n, zero);
    struct lane_vec trial = add_scaled(p_t, -omega / w_t, u_t);
    lanes limit = mu * new_n, length2 = dot(trial, trial);
    lanes shrink = choose(length2 > limit * limit, limit / lane_sqrt(length2), one);
    return (struct lane_vec){new_n * n.x + shrink * trial.x, new_n * n.y + shrink * trial.y,
                             new_n * n.z + shrink * trial.z};
}

// The bodies of a group ahead: colours scatter neighbours over memory, and no hardware guesses
// where the next ones are.
#define PREFETCH_DISTANCE 8
INLINE void prefetch(const struct sweep_call *call, uint32_t k) {
    const struct sphere_group *group = &call->groups[k + PREFETCH_DISTANCE];
    for (int lane = 0; lane < LANES; lane++) {
        __builtin_prefetch(&call->bodies[group->c[lane]]);
        __builtin_prefetch(&call->bodies[group->a[lane]]);
    }
}

INLINE void solve_part(const struct sweep_call *call, uint32_t k, int part, int pair, unsigned used,
                       struct lane_tally *tally) {
    struct solver_body *bodies = call->bodies;
    struct sphere_group *group = &call->groups[k];
    const int32_t *c = group->c + part * WIDTH, *a = group->a + part * WIDTH;
    lanes mu = splat(call->batch->mu), omega = splat(call->omega), beta = splat(call->beta);
    struct lane_row vc = gather_half(bodies, c, 0), sc = gather_half(bodies, c, 1);
    struct lane_row va = gather_half(bodies, a, 0), sa = gather_half(bodies, a, 1);
    struct lane_vec n = load(&group->n, part), p = load(&group->p, part);
    struct lane_vec last = load(&call->last[k], part);
    lanes b = load_numbers(group->b, part);
    struct lane_vec spin = {sc.a.x + sa.a.x, sc.a.y + sa.a.y, sc.a.z + sa.a.z};
    struct lane_vec u = subtract(subtract(vc.a, va.a), cross(spin, n));
    lanes w_n = vc.b + va.b, w_t = w_n + (sc.b + sa.b);
    struct lane_vec next = local_solve(p, u, n, b, w_n, w_t, mu, omega);
    struct lane_vec d = subtract(next, p), turn = cross(n, d), progress = subtract(next, last);
    store(&call->last[k], part, next);
    store(&group->p, part, add_scaled(next, beta, progress));
    vc.a = add_scaled(vc.a, vc.b, d);
    sc.a = add_scaled(sc.a, -sc.b, turn);
    scatter_half(bodies, c, 0, used, vc);
    scatter_half(bodies, c, 1, used, sc);
    if (pair) {
        va.a = add_scaled(va.a, -va.b, d);
        sa.a = add_scaled(sa.a, -sa.b, turn);
        scatter_half(bodies, a, 0, used, va);
        scatter_half(bodies, a, 1, used, sa);
    }
    add_sums(tally, d, progress, w_t);
}

INLINE void solve_group(const struct sweep_call *call, uint32_t k, int pair, unsigned used,
                        struct lane_tally *tally) {
    for (int part = 0; part < PARTS; part++)
        solve_part(call, k, part, pair, part_bits(used, part), tally);
}

void SPHERE_SWEEP(const struct sweep_call *call, uint32_t begin, uint32_t end,
                  struct sweep_tally *total) {
    const struct batch *batch = call->batch;
    struct lane_tally tally;
    bool pair = batch->kind == BATCH_SPHERE_PAIR;
    open_tally(&tally, total);
    uint32_t full = end == batch->end && batch->lanes < LANES ? end - 1 : end;
    for (uint32_t k = begin; k < full; k++) {
        if (k + PREFETCH_DISTANCE < batch->end)
            prefetch(call, k);
        if (pair)
            solve_group(call, k, 1, ALL_LANES, &tally);
        else
            solve_group(call, k, 0, ALL_LANES, &tally);
    }
    if (full < end)
        solve_group(call, full, pair, (1u << batch->lanes) - 1, &tally);
    close_tally(&tally);
}
