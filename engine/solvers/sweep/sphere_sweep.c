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

// Lanes that go through the processor at once: a group is worked on in LANES / WIDTH parts. Sums
// are kept lane by lane, so that their order does not depend on the width.
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

struct lane_sums {
    lanes alignment, change2, largest2;
};

INLINE void add_sums(struct lane_sums *sums, struct lane_vec change, struct lane_vec progress,
                     lanes w_t) {
    lanes change2 = dot(change, change), largest2 = change2 * (w_t * w_t);
    sums->alignment -= w_t * dot(change, progress);
    sums->change2 += w_t * change2;
    sums->largest2 = choose(largest2 > sums->largest2, largest2, sums->largest2);
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
                       struct lane_sums *sums) {
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
    add_sums(sums, d, progress, w_t);
}

INLINE void solve_group(const struct sweep_call *call, uint32_t k, int pair, int used,
                        struct lane_sums *sums) {
    for (int part = 0; part < PARTS; part++)
        solve_part(call, k, part, pair, used - part * WIDTH < WIDTH ? used - part * WIDTH : WIDTH,
                   &sums[part]);
}

void SPHERE_SWEEP(const struct sweep_call *call, uint32_t begin, uint32_t end,
                  struct sweep_sums *sums) {
    const struct batch *batch = call->batch;
    struct lane_sums lane[PARTS] = {{splat(0), splat(0), splat(0)}};
    bool pair = batch->kind == BATCH_SPHERE_PAIR;
    uint32_t full = end == batch->end && batch->lanes < LANES ? end - 1 : end;
    for (uint32_t k = begin; k < full; k++) {
        if (k + PREFETCH_DISTANCE < batch->end)
            prefetch(call, k);
        if (pair)
            solve_group(call, k, 1, LANES, lane);
        else
            solve_group(call, k, 0, LANES, lane);
    }
    if (full < end)
        solve_group(call, full, pair, (int)batch->lanes, lane);
    for (int i = 0; i < LANES; i++) {
        const struct lane_sums *part = &lane[i / WIDTH];
        sums->alignment += part->alignment[i % WIDTH];
        sums->change2 += part->change2[i % WIDTH];
        sums->largest2 = fmax(sums->largest2, part->largest2[i % WIDTH]);
    }
}
