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

// Lanes that go through the processor at once: a group is worked on in LANES / WIDTH parts, or two
// groups together.
#if defined __AVX512F__
#define WIDTH 8
#elif defined __AVX__
#define WIDTH 4
#else
#define WIDTH 2
#endif
#define PARTS  (WIDTH < LANES ? LANES / WIDTH : 1)
#define GROUPS (WIDTH > LANES ? WIDTH / LANES : 1)

// Sets of lanes are bits of a number, those of a group or those of a part of it.
#define ALL_LANES             ((1u << LANES) - 1)
#define ALL_WIDTH             ((1u << WIDTH) - 1)
#define part_bits(bits, part) ((bits) >> ((part)*WIDTH) & ALL_WIDTH)

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

// Intrinsics where they exist: compilers build a vector number by number in memory.
INLINE lanes splat(double a) {
#if defined __AVX512F__
    return (lanes)_mm512_set1_pd(a);
#elif defined __AVX__
    return (lanes)_mm256_set1_pd(a);
#else
    return (lanes){a, a};
#endif
}

INLINE lanes lane_sqrt(lanes a) {
#if defined __AVX512F__
    return (lanes)_mm512_sqrt_pd((__m512d)a);
#elif defined __AVX__
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
#if defined __AVX512F__
    return _mm512_movepi64_mask((__m512i)mask);
#elif defined __AVX__
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

INLINE struct lane_vec scale(lanes s, struct lane_vec a) {
    return (struct lane_vec){s * a.x, s * a.y, s * a.z};
}

INLINE struct lane_vec subtract(struct lane_vec a, struct lane_vec b) {
    return (struct lane_vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

// `load` and `store` move a part of the numbers of a group. Where the processor takes two groups at
// once, the numbers of the other one are `apart` bytes further.
#if WIDTH <= LANES
INLINE lanes load_numbers_apart(const double *a, int part, size_t apart) {
    (void)apart;
    return *(const lanes *)(a + part * WIDTH);
}

INLINE void store_numbers_apart(double *a, int part, size_t apart, lanes value) {
    (void)apart;
    *(lanes *)(a + part * WIDTH) = value;
}
#else
typedef double group_lanes __attribute__((vector_size(LANES * sizeof(double)), may_alias));

INLINE lanes load_numbers_apart(const double *a, int part, size_t apart) {
    (void)part;
    const group_lanes *other = (const group_lanes *)((const char *)a + apart);
    return __builtin_shufflevector(*(const group_lanes *)a, *other, 0, 1, 2, 3, 4, 5, 6, 7);
}

INLINE void store_numbers_apart(double *a, int part, size_t apart, lanes value) {
    (void)part;
    *(group_lanes *)a = __builtin_shufflevector(value, value, 0, 1, 2, 3);
    *(group_lanes *)((char *)a + apart) = __builtin_shufflevector(value, value, 4, 5, 6, 7);
}
#endif

INLINE struct lane_vec load_apart(const struct lane_vector *a, int part, size_t apart) {
    return (struct lane_vec){load_numbers_apart(a->x, part, apart),
                             load_numbers_apart(a->y, part, apart),
                             load_numbers_apart(a->z, part, apart)};
}

INLINE void store_apart(struct lane_vector *a, int part, size_t apart, struct lane_vec value) {
    store_numbers_apart(a->x, part, apart, value.x);
    store_numbers_apart(a->y, part, apart, value.y);
    store_numbers_apart(a->z, part, apart, value.z);
}

#if WIDTH <= LANES
INLINE lanes load_numbers(const double *a, int part) { return load_numbers_apart(a, part, 0); }

INLINE struct lane_vec load(const struct lane_vector *a, int part) {
    return load_apart(a, part, 0);
}

INLINE void store(struct lane_vector *a, int part, struct lane_vec value) {
    store_apart(a, part, 0, value);
}
#endif

// `gather` turns four numbers from the memory of each lane into four vectors, one number of every
// lane each; `scatter` writes them back where the bit of the lane is set.
#if WIDTH == 8
// Eight lines of memory of eight numbers each, turned so that each vector holds one number of every
// line; turning them twice is no change.
INLINE void transpose(lanes *r) {
    lanes a[WIDTH], b[WIDTH];
    for (int k = 0; k < WIDTH; k += 2) {
        a[k] = __builtin_shufflevector(r[k], r[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        a[k + 1] = __builtin_shufflevector(r[k], r[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int k = 0; k < WIDTH; k++) {
        int at = k & ~2; // numbers at % 4 and at % 4 + 4, or those two further, of four lines
        b[k] = k & 2 ? __builtin_shufflevector(a[at], a[at + 2], 2, 3, 6, 7, 10, 11, 14, 15)
                     : __builtin_shufflevector(a[at], a[at + 2], 0, 1, 4, 5, 8, 9, 12, 13);
    }
    for (int k = 0; k < 4; k++) {
        r[k] = __builtin_shufflevector(b[k], b[k + 4], 0, 1, 4, 5, 8, 9, 12, 13);
        r[k + 4] = __builtin_shufflevector(b[k], b[k + 4], 2, 3, 6, 7, 10, 11, 14, 15);
    }
}
#elif WIDTH == 4
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

// One solver body of each lane.
struct body_lanes {
    struct lane_row v, s; // v and inv_m, s and k
};

#if WIDTH == 8
INLINE struct body_lanes gather_bodies(struct solver_body *const *of) {
    lanes r[WIDTH];
    for (int lane = 0; lane < WIDTH; lane++)
        r[lane] = *(const lanes *)of[lane];
    transpose(r);
    return (struct body_lanes){{{r[0], r[1], r[2]}, r[3]}, {{r[4], r[5], r[6]}, r[7]}};
}

// Adds to the velocities of the bodies, of which all lanes are in use.
INLINE void add_to_bodies(struct solver_body *const *of, unsigned bits, struct lane_vec v,
                          struct lane_vec s) {
    lanes zero = splat(0), r[WIDTH] = {v.x, v.y, v.z, zero, s.x, s.y, s.z, zero};
    (void)bits;
    transpose(r);
    for (int lane = 0; lane < WIDTH; lane++)
        *(lanes *)of[lane] += r[lane];
}
#else
INLINE struct body_lanes gather_bodies(struct solver_body *const *of) {
    const double *v[WIDTH], *s[WIDTH];
    for (int lane = 0; lane < WIDTH; lane++) {
        v[lane] = of[lane]->v;
        s[lane] = of[lane]->s;
    }
    return (struct body_lanes){gather(v), gather(s)};
}

INLINE void scatter_bodies(struct solver_body *const *of, unsigned bits, struct body_lanes body) {
    double *v[WIDTH], *s[WIDTH];
    for (int lane = 0; lane < WIDTH; lane++) {
        v[lane] = of[lane]->v;
        s[lane] = of[lane]->s;
    }
    scatter(v, bits, body.v);
    scatter(s, bits, body.s);
}

// Adds to the velocities of the bodies whose bits are set.
INLINE void add_to_bodies(struct solver_body *const *of, unsigned bits, struct lane_vec v,
                          struct lane_vec s) {
    double change[2][WIDTH][4], *to[2][WIDTH];
    lanes zero = splat(0);
    for (int lane = 0; lane < WIDTH; lane++) {
        to[0][lane] = change[0][lane];
        to[1][lane] = change[1][lane];
    }
    scatter(to[0], ALL_WIDTH, (struct lane_row){v, zero});
    scatter(to[1], ALL_WIDTH, (struct lane_row){s, zero});
    for (int lane = 0; lane < WIDTH; lane++)
        if (bits >> lane & 1)
            for (int k = 0; k < 4; k += WIDTH) {
                *(lanes_anywhere *)(of[lane]->v + k) += *(lanes_anywhere *)(change[0][lane] + k);
                *(lanes_anywhere *)(of[lane]->s + k) += *(lanes_anywhere *)(change[1][lane] + k);
            }
}
#endif

#endif
