// Explicit local solution for spheres, several contacts at a time. With W = diag(w_n, w_t, w_t) the
// one-contact problem is solved exactly by clipping the normal impulse at zero and projecting the
// tangential one radially on the disk of radius mu r_n (Renouf, Acary, Dumont 2005, section 6.2,
// with the signs put right). Everything is written on world vectors:
//
//   u = v_c - v_a - (s_c + s_a) x n,   p_n' = max(0, p.n - (u.n + b) / w_n),
//   p_t* = p_t - u_t / w_t,            p_t' = p_t* min(1, mu p_n' / |p_t*|).
#include "engine/solvers/sweep/sphere_sweep.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

#ifndef SPHERE_SWEEP
#define SPHERE_SWEEP sphere_sweep_baseline
#endif

// Lanes that go through the processor at once: a group is worked on in LANES / WIDTH parts.
#ifdef __AVX__
#define WIDTH 4
#else
#define WIDTH 2
#endif
#define PARTS (LANES / WIDTH)

typedef double lanes __attribute__((vector_size(WIDTH * sizeof(double)), may_alias));
typedef int64_t lane_mask __attribute__((vector_size(WIDTH * sizeof(double))));
#define INLINE static inline __attribute__((always_inline))

struct lane_vec {
    lanes x, y, z;
};

struct lane_row { // v and inv_m, or s and k, of one body per lane
    struct lane_vec a;
    lanes b;
};

INLINE lanes splat(double a) {
    lanes v = {0};
    for (int lane = 0; lane < WIDTH; lane++)
        v[lane] = a;
    return v;
}

INLINE lanes lane_sqrt(lanes a) {
#if defined __AVX__
    return (lanes)_mm256_sqrt_pd((__m256d)a);
#elif defined __SSE2__
    return (lanes)_mm_sqrt_pd((__m128d)a);
#else
    for (int lane = 0; lane < WIDTH; lane++)
        a[lane] = sqrt(a[lane]);
    return a;
#endif
}

INLINE lanes choose(lane_mask mask, lanes a, lanes b) {
    return (lanes)(((lane_mask)a & mask) | ((lane_mask)b & ~mask));
}

INLINE lanes dot(struct lane_vec a, struct lane_vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

INLINE struct lane_vec cross(struct lane_vec a, struct lane_vec b) {
    return (struct lane_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

INLINE struct lane_vec add_scaled(struct lane_vec a, lanes s, struct lane_vec b) {
    return (struct lane_vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

INLINE struct lane_vec subtract(struct lane_vec a, struct lane_vec b) {
    return (struct lane_vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

INLINE struct lane_vec load(const struct lane_vector *a, int part) {
    const int at = part * WIDTH;
    return (struct lane_vec){*(const lanes *)(a->x + at), *(const lanes *)(a->y + at),
                             *(const lanes *)(a->z + at)};
}

INLINE void store(struct lane_vector *a, int part, struct lane_vec value) {
    const int at = part * WIDTH;
    *(lanes *)(a->x + at) = value.x;
    *(lanes *)(a->y + at) = value.y;
    *(lanes *)(a->z + at) = value.z;
}

// Half a body (v and inv_m, or s and k) is four numbers; `transpose` turns WIDTH such rows into
// four vectors, one number of every body each, and back.
#if WIDTH == 4
INLINE struct lane_row transpose(const lanes *r) {
    lanes a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6);
    lanes b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
    lanes c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6);
    lanes d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
    return (struct lane_row){{__builtin_shufflevector(a, c, 0, 1, 4, 5),
                              __builtin_shufflevector(b, d, 0, 1, 4, 5),
                              __builtin_shufflevector(a, c, 2, 3, 6, 7)},
                             __builtin_shufflevector(b, d, 2, 3, 6, 7)};
}

INLINE struct lane_row gather(const struct solver_body *bodies, const int32_t *index, int half) {
    lanes r[WIDTH];
    for (int lane = 0; lane < WIDTH; lane++)
        r[lane] = ((const lanes *)&bodies[index[lane]])[half];
    return transpose(r);
}

INLINE void scatter(struct solver_body *bodies, const int32_t *index, int half, int used,
                    struct lane_row row) {
    lanes r[WIDTH] = {row.a.x, row.a.y, row.a.z, row.b};
    struct lane_row back = transpose(r);
    lanes out[WIDTH] = {back.a.x, back.a.y, back.a.z, back.b};
    for (int lane = 0; lane < used; lane++)
        ((lanes *)&bodies[index[lane]])[half] = out[lane];
}
#else
INLINE struct lane_row gather(const struct solver_body *bodies, const int32_t *index, int half) {
    const lanes *a = (const lanes *)&bodies[index[0]] + 2 * half;
    const lanes *b = (const lanes *)&bodies[index[1]] + 2 * half;
    return (struct lane_row){{__builtin_shufflevector(a[0], b[0], 0, 2),
                              __builtin_shufflevector(a[0], b[0], 1, 3),
                              __builtin_shufflevector(a[1], b[1], 0, 2)},
                             __builtin_shufflevector(a[1], b[1], 1, 3)};
}

INLINE void scatter(struct solver_body *bodies, const int32_t *index, int half, int used,
                    struct lane_row row) {
    lanes *a = (lanes *)&bodies[index[0]] + 2 * half;
    lanes *b = (lanes *)&bodies[index[1]] + 2 * half;
    if (used > 0) {
        a[0] = __builtin_shufflevector(row.a.x, row.a.y, 0, 2);
        a[1] = __builtin_shufflevector(row.a.z, row.b, 0, 2);
    }
    if (used > 1) {
        b[0] = __builtin_shufflevector(row.a.x, row.a.y, 1, 3);
        b[1] = __builtin_shufflevector(row.a.z, row.b, 1, 3);
    }
}
#endif

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

// A tally lane by lane, in multiples of the units of its two digits. As numbers these are exact:
// a call of the kernel adds a few hundred digits of 36 bits.
struct lane_tally {
    struct sweep_tally *total;
    lanes bound, rounder[BINNED_COARSE];
    lanes alignment[BINNED_COARSE], change2[BINNED_COARSE], largest2;
};

INLINE void open_tally(struct lane_tally *tally, struct sweep_tally *total) {
    double bound = tally_bound(total);
    *tally = (struct lane_tally){.total = total, .bound = splat(bound)};
    for (int k = 0; k < BINNED_COARSE; k++)
        tally->rounder[k] = splat(binned_rounder(bound, k));
}

static void add_digits(const lanes *digits, double bound, struct binned_sum *sum) {
    double per_unit = 0x1p35 / bound;
    binned_raise(sum, bound);
    for (int k = 0; k < BINNED_COARSE; k++, per_unit *= 0x1p36) {
        double digit = 0;
        for (int lane = 0; lane < WIDTH; lane++)
            digit += digits[k][lane];
        sum->word[k] += (int64_t)(digit * per_unit);
    }
}

static void close_tally(const struct lane_tally *tally) {
    struct sweep_tally *total = tally->total;
    double bound = tally->bound[0];
    if (bound > 0) {
        add_digits(tally->alignment, bound, &total->alignment);
        add_digits(tally->change2, bound, &total->change2);
    }
    for (int lane = 0; lane < WIDTH; lane++)
        total->largest2 = fmax(total->largest2, tally->largest2[lane]);
}

INLINE bool all_lanes(lane_mask mask) {
#if defined __AVX__
    return _mm256_movemask_pd((__m256d)mask) == (1 << WIDTH) - 1;
#elif defined __SSE2__
    return _mm_movemask_pd((__m128d)mask) == (1 << WIDTH) - 1;
#else
    return mask[0] && mask[1];
#endif
}

INLINE void add_lanes(const lanes *rounder, lanes x, lanes *digits) {
    for (int k = 0; k < BINNED_COARSE; k++) {
        lanes digit = (x + rounder[k]) - rounder[k];
        digits[k] += digit;
        x -= digit;
    }
}

// Adds terms of which some are beyond the bound, which rises.
static __attribute__((noinline, cold)) void
add_beyond(struct lane_tally *tally, const lanes *alignment, const lanes *change2) {
    struct sweep_tally *total = tally->total;
    close_tally(tally);
    for (int lane = 0; lane < WIDTH; lane++)
        tally_add(total, (*alignment)[lane], (*change2)[lane], 0);
    open_tally(tally, total);
}

INLINE void add_sums(struct lane_tally *tally, struct lane_vec change, struct lane_vec progress,
                     lanes w_t) {
    lanes change2 = dot(change, change), largest2 = change2 * (w_t * w_t);
    lanes alignment = -(w_t * dot(change, progress)), change2_w = w_t * change2;
    lanes against = choose(alignment < splat(0), -alignment, alignment);
    tally->largest2 = choose(largest2 > tally->largest2, largest2, tally->largest2);
    if (!all_lanes((against < tally->bound) & (change2_w < tally->bound))) {
        add_beyond(tally, &alignment, &change2_w);
        return;
    }
    add_lanes(tally->rounder, alignment, tally->alignment);
    add_lanes(tally->rounder, change2_w, tally->change2);
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

INLINE void solve_part(const struct sweep_call *call, uint32_t k, int part, int pair, int used,
                       struct lane_tally *tally) {
    struct solver_body *bodies = call->bodies;
    struct sphere_group *group = &call->groups[k];
    const int32_t *c = group->c + part * WIDTH, *a = group->a + part * WIDTH;
    lanes mu = splat(call->batch->mu), omega = splat(call->omega), beta = splat(call->beta);
    struct lane_row vc = gather(bodies, c, 0), sc = gather(bodies, c, 1);
    struct lane_row va = gather(bodies, a, 0), sa = gather(bodies, a, 1);
    struct lane_vec n = load(&group->n, part), p = load(&group->p, part);
    struct lane_vec last = load(&call->last[k], part);
    lanes b = *(lanes *)(group->b + part * WIDTH);
    struct lane_vec spin = {sc.a.x + sa.a.x, sc.a.y + sa.a.y, sc.a.z + sa.a.z};
    struct lane_vec u = subtract(subtract(vc.a, va.a), cross(spin, n));
    lanes w_n = vc.b + va.b, w_t = w_n + (sc.b + sa.b);
    struct lane_vec next = local_solve(p, u, n, b, w_n, w_t, mu, omega);
    struct lane_vec d = subtract(next, p), turn = cross(n, d), progress = subtract(next, last);
    store(&call->last[k], part, next);
    store(&group->p, part, add_scaled(next, beta, progress));
    vc.a = add_scaled(vc.a, vc.b, d);
    sc.a = add_scaled(sc.a, -sc.b, turn);
    scatter(bodies, c, 0, used, vc);
    scatter(bodies, c, 1, used, sc);
    if (pair) {
        va.a = add_scaled(va.a, -va.b, d);
        sa.a = add_scaled(sa.a, -sa.b, turn);
        scatter(bodies, a, 0, used, va);
        scatter(bodies, a, 1, used, sa);
    }
    add_sums(tally, d, progress, w_t);
}

INLINE void solve_group(const struct sweep_call *call, uint32_t k, int pair, int used,
                        struct lane_tally *tally) {
    for (int part = 0; part < PARTS; part++)
        solve_part(call, k, part, pair, used - part * WIDTH < WIDTH ? used - part * WIDTH : WIDTH,
                   tally);
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
            solve_group(call, k, 1, LANES, &tally);
        else
            solve_group(call, k, 0, LANES, &tally);
    }
    if (full < end)
        solve_group(call, full, pair, (int)batch->lanes, &tally);
    close_tally(&tally);
}
