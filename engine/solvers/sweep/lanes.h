// Arithmetic on several contacts at once, for the kernels of this folder. A kernel is one source
// that is compiled once per instruction set; every version does the same operations in the same
// order and gives the same bits.
#ifndef ENGINE_SOLVERS_SWEEP_LANES_H
#define ENGINE_SOLVERS_SWEEP_LANES_H

#include "engine/solvers/sweep/plan.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

// The Makefile defines KERNEL for versions other than the baseline.
#ifndef KERNEL
#define KERNEL baseline
#endif
#define KERNEL_PASTE(name, kernel)  name##_##kernel
#define KERNEL_EXPAND(name, kernel) KERNEL_PASTE(name, kernel)
#define KERNEL_NAME(name)           KERNEL_EXPAND(name, KERNEL)

// Lanes that go through the processor at once: a group is worked on in LANES / WIDTH parts.
#ifdef __AVX__
#define WIDTH 4
#else
#define WIDTH 2
#endif
#define PARTS (LANES / WIDTH)

// Sets of lanes are bits of a number, those of a group or those of a part of it.
#define ALL_LANES             ((1u << LANES) - 1)
#define part_bits(bits, part) ((bits) >> ((part)*WIDTH) & ((1u << WIDTH) - 1))

typedef double lanes __attribute__((vector_size(WIDTH * sizeof(double)), may_alias));
typedef double lanes_anywhere
    __attribute__((vector_size(WIDTH * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef int64_t lane_mask __attribute__((vector_size(WIDTH * sizeof(double))));
#define INLINE static inline __attribute__((always_inline))

struct lane_vec {
    lanes x, y, z;
};

struct lane_row { // four numbers per lane: v and inv_m, or s and k, of a body
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

// Returns the lanes where the mask is set, as bits.
INLINE unsigned lane_bits(lane_mask mask) {
#if defined __AVX__
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
#elif defined __SSE2__
    return (unsigned)_mm_movemask_pd((__m128d)mask);
#else
    unsigned bits = 0;
    for (int lane = 0; lane < WIDTH; lane++)
        bits |= (unsigned)(mask[lane] != 0) << lane;
    return bits;
#endif
}

INLINE lanes lane_abs(lanes a) { return (lanes)((lane_mask)a & ~(lane_mask)splat(-0.0)); }

INLINE lanes copy_sign(double a, lanes sign) {
    return (lanes)(((lane_mask)sign & (lane_mask)splat(-0.0)) | (lane_mask)splat(a));
}

INLINE lanes dot(struct lane_vec a, struct lane_vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

INLINE struct lane_vec cross(struct lane_vec a, struct lane_vec b) {
    return (struct lane_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

INLINE struct lane_vec add(struct lane_vec a, struct lane_vec b) {
    return (struct lane_vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

INLINE struct lane_vec add_scaled(struct lane_vec a, lanes s, struct lane_vec b) {
    return (struct lane_vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

INLINE struct lane_vec subtract(struct lane_vec a, struct lane_vec b) {
    return (struct lane_vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

INLINE lanes load_numbers(const double *a, int part) { return *(const lanes *)(a + part * WIDTH); }

INLINE struct lane_vec load(const struct lane_vector *a, int part) {
    return (struct lane_vec){load_numbers(a->x, part), load_numbers(a->y, part),
                             load_numbers(a->z, part)};
}

INLINE void store(struct lane_vector *a, int part, struct lane_vec value) {
    const int at = part * WIDTH;
    *(lanes *)(a->x + at) = value.x;
    *(lanes *)(a->y + at) = value.y;
    *(lanes *)(a->z + at) = value.z;
}

// `gather` turns four numbers from the memory of each lane into four vectors, one number of every
// lane each; `scatter` writes them back where the bit of the lane is set.
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

INLINE struct lane_row gather(const double *const *from) {
    lanes r[WIDTH];
    for (int lane = 0; lane < WIDTH; lane++)
        r[lane] = *(const lanes_anywhere *)from[lane];
    return transpose(r);
}

INLINE void scatter(double *const *to, unsigned bits, struct lane_row row) {
    lanes r[WIDTH] = {row.a.x, row.a.y, row.a.z, row.b};
    struct lane_row back = transpose(r);
    lanes out[WIDTH] = {back.a.x, back.a.y, back.a.z, back.b};
    for (int lane = 0; lane < WIDTH; lane++)
        if (bits >> lane & 1)
            *(lanes_anywhere *)to[lane] = out[lane];
}
#else
INLINE struct lane_row gather(const double *const *from) {
    const lanes_anywhere *a = (const lanes_anywhere *)from[0];
    const lanes_anywhere *b = (const lanes_anywhere *)from[1];
    return (struct lane_row){{__builtin_shufflevector(a[0], b[0], 0, 2),
                              __builtin_shufflevector(a[0], b[0], 1, 3),
                              __builtin_shufflevector(a[1], b[1], 0, 2)},
                             __builtin_shufflevector(a[1], b[1], 1, 3)};
}

INLINE void scatter(double *const *to, unsigned bits, struct lane_row row) {
    lanes_anywhere *a = (lanes_anywhere *)to[0], *b = (lanes_anywhere *)to[1];
    if (bits & 1) {
        a[0] = __builtin_shufflevector(row.a.x, row.a.y, 0, 2);
        a[1] = __builtin_shufflevector(row.a.z, row.b, 0, 2);
    }
    if (bits & 2) {
        b[0] = __builtin_shufflevector(row.a.x, row.a.y, 1, 3);
        b[1] = __builtin_shufflevector(row.a.z, row.b, 1, 3);
    }
}
#endif

// Half a solver body is v and inv_m, or s and k.
INLINE struct lane_row gather_half(const struct solver_body *bodies, const int32_t *index,
                                   int half) {
    const double *from[WIDTH];
    for (int lane = 0; lane < WIDTH; lane++)
        from[lane] = (const double *)&bodies[index[lane]] + 4 * half;
    return gather(from);
}

INLINE void scatter_half(struct solver_body *bodies, const int32_t *index, int half, unsigned bits,
                         struct lane_row row) {
    double *to[WIDTH];
    for (int lane = 0; lane < WIDTH; lane++)
        to[lane] = (double *)&bodies[index[lane]] + 4 * half;
    scatter(to, bits, row);
}

#endif
