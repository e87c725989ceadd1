#include "engine/solvers/newton/cone_points.h"

#include "engine/solvers/newton/lorentz.h"
#include "parallel/memory.h"

// Four contacts side by side.
struct cone_four {
    mask4 active, cone; // have a law; have friction
    struct lanes3 S;
    struct lorentz_boost x, z;
    struct lorentz_scaling V;
    struct lanes3 lambda;            // V z = V^-1 x
    lanes4 det;                      // of lambda
    struct lanes3 tilt;              // E^-1 = I - n n^T + n tilt^T
    struct lanes3 plain;             // V E^-1 F - lambda, in the axes of V
    struct lanes3 left[3], right[3]; // rows
};

struct cone_points {
    struct cone_four *four;
    size_t fours;
};

static size_t fours_of(int32_t contacts) { return ((size_t)contacts + LANES - 1) / LANES; }

size_t cone_points_room(int32_t contacts) { return LANES * fours_of(contacts); }

struct cone_points *cone_points_create(int32_t contacts) {
    struct cone_points *points = memory_allocate(1, sizeof *points, "ipm");
    size_t capacity = 0;
    points->fours = fours_of(contacts);
    points->four =
        memory_reserve_aligned(NULL, &capacity, points->fours, sizeof *points->four, "ipm");
    for (size_t k = 0; k < points->fours; k++)
        points->four[k] = (struct cone_four){0};
    return points;
}

void cone_points_free(struct cone_points *points) {
    memory_free(points->four);
    memory_free(points);
}

void cone_points_put_scale(struct cone_points *points, int32_t contact, struct cone_scale scale) {
    struct cone_four *four = &points->four[contact / LANES];
    int lane = contact % LANES;
    four->active[lane] = scale.law != LAW_NONE ? -1 : 0;
    four->cone[lane] = scale.law == LAW_CONE ? -1 : 0;
    four->S.n[lane] = scale.S.x;
    four->S.s[lane] = scale.S.y;
    four->S.t[lane] = scale.S.z;
}

// Vectors and matrices in memory ----------------------------------------------------------------

INLINE struct lanes3 take(const double *x, size_t k) {
    lanes4 a = *(const lanes4_anywhere *)(x + 12 * k),
           b = *(const lanes4_anywhere *)(x + 12 * k + 4);
    lanes4 c = *(const lanes4_anywhere *)(x + 12 * k + 8);
    lanes4 ab = __builtin_shufflevector(a, b, 0, 1, 6, 7);
    lanes4 ac = __builtin_shufflevector(a, c, 2, 3, 4, 5);
    lanes4 bc = __builtin_shufflevector(b, c, 0, 1, 6, 7);
    return (struct lanes3){__builtin_shufflevector(ab, ac, 0, 5, 2, 7),
                           __builtin_shufflevector(ab, bc, 1, 4, 3, 6),
                           __builtin_shufflevector(ac, bc, 0, 5, 2, 7)};
}

INLINE void put(double *x, size_t k, struct lanes3 v) {
    lanes4 ns = __builtin_shufflevector(v.n, v.s, 0, 4, 2, 6);
    lanes4 tn = __builtin_shufflevector(v.t, v.n, 0, 5, 2, 7);
    lanes4 st = __builtin_shufflevector(v.s, v.t, 1, 5, 3, 7);
    *(lanes4_anywhere *)(x + 12 * k) = __builtin_shufflevector(ns, tn, 0, 1, 4, 5);
    *(lanes4_anywhere *)(x + 12 * k + 4) = __builtin_shufflevector(st, ns, 0, 1, 6, 7);
    *(lanes4_anywhere *)(x + 12 * k + 8) = __builtin_shufflevector(tn, st, 2, 3, 6, 7);
}

// Zeros for contacts without a law.
INLINE void put_active(double *x, size_t k, mask4 active, struct lanes3 value) {
    put(x, k, lanes3_choose(active, value, (struct lanes3){0}));
}

// Four numbers of each of four matrices, to[0], to[9] ...
INLINE void put_numbers(double *to, lanes4 a, lanes4 b, lanes4 c, lanes4 d) {
    lanes4 ab = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    lanes4 cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    lanes4 ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    lanes4 cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    *(lanes4_anywhere *)to = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(lanes4_anywhere *)(to + 9) = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
    *(lanes4_anywhere *)(to + 18) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    *(lanes4_anywhere *)(to + 27) = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}

INLINE void put_matrices(mat3 *to, const struct lanes3 *row) {
    double *first = &to->row[0].x;
    put_numbers(first, row[0].n, row[0].s, row[0].t, row[1].n);
    put_numbers(first + 4, row[1].s, row[1].t, row[2].n, row[2].s);
    for (int lane = 0; lane < LANES; lane++)
        to[lane].row[2].z = row[2].t[lane];
}

INLINE struct lanes3 apply(const struct lanes3 *row, struct lanes3 y) {
    return (struct lanes3){lanes3_dot(row[0], y), lanes3_dot(row[1], y), lanes3_dot(row[2], y)};
}

// Linearisation ---------------------------------------------------------------------------------

// E^-1 y
INLINE struct lanes3 tilt(const struct cone_four *four, struct lanes3 y) {
    y.n = lanes3_dot(four->tilt, y);
    return y;
}

// y in the axes of V, and back. Without friction V is a number, and the axes are those of the
// contact: through the cone's two, n would drown in their sum where V is large.
INLINE struct lanes3 axes(const struct cone_four *four, struct lanes3 y) {
    return lanes3_choose(four->cone, lorentz_axes(&four->V, y), y);
}

INLINE struct lanes3 back(const struct cone_four *four, struct lanes3 y) {
    return lanes3_choose(four->cone, lorentz_back(&four->V, y), y);
}

// Returns f(z) and puts E^-1.
INLINE lanes4 put_tilt(struct cone_four *four, double share, struct lanes3 z) {
    lanes4 k = splat(share), k_t = 1 - k, zero = splat(0);
    lanes4 f = root(k_t * (z.s * z.s + z.t * z.t) + k * z.n * z.n);
    lanes4 inverse = 1 / (f - k * z.n); // of f (1 - df/dz_n)
    struct lanes3 tilt = {f * inverse, k_t * z.s * inverse, k_t * z.t * inverse};
    four->tilt = lanes3_choose(four->cone, tilt, (struct lanes3){splat(1), zero, zero});
    return f;
}

// One axis of V, of the length of its eigenvalue: a row of left and a column of right.
INLINE void split_axis(const struct cone_four *four, mask4 some, struct lanes3 axis,
                       struct lanes3 *row, struct lanes3 *column) {
    const struct lanes3 *tilt = &four->tilt, none = {0};
    struct lanes3 sum = {0 + axis.n * tilt->n, axis.s + axis.n * tilt->s,
                         axis.t + axis.n * tilt->t};
    *column = lanes3_choose(some, lanes3_times(four->S, axis), none);
    *row = lanes3_choose(some, lanes3_times(four->S, sum), none);
}

// D = right left, through the axes of V.
INLINE void split_slope(struct cone_four *four) {
    const struct lorentz_scaling *V = &four->V;
    mask4 cone = four->cone;
    lanes4 f = LORENTZ_HALF * V->value.n, g = LORENTZ_HALF * V->value.s, h = V->value.t;
    lanes4 zero = splat(0);
    struct lanes3 first = {f, f * V->s, f * V->t}, alone = {V->value.n, zero, zero};
    struct lanes3 second = {g, -g * V->s, -g * V->t}, third = {zero, -h * V->t, h * V->s};
    struct lanes3 *left = four->left, *right = four->right, a, b, c;
    split_axis(four, four->active, lanes3_choose(cone, first, alone), &left[0], &a);
    split_axis(four, cone, second, &left[1], &b);
    split_axis(four, cone, third, &left[2], &c);
    right[0] = (struct lanes3){a.n, b.n, c.n};
    right[1] = (struct lanes3){a.s, b.s, c.s};
    right[2] = (struct lanes3){a.t, b.t, c.t};
}

// Functions marked WIDE pass four numbers by pointers: Clang lets them call no function with a
// vector that is not itself compiled for AVX2, not even one that is inlined.

INLINE void boost_four(struct cone_four *four, size_t k, const double *x, const double *z,
                       mask4 *outside) {
    mask4 both = lorentz_boost(take(x, k), &four->x) & lorentz_boost(take(z, k), &four->z);
    *outside |= four->active & ~both;
}

WIDE static bool boost_all(struct cone_points *points, const double *x, const double *z) {
    mask4 outside = {0};
    for (size_t k = 0; k < points->fours; k++)
        boost_four(&points->four[k], k, x, z, &outside);
    return !((outside[0] | outside[1]) | (outside[2] | outside[3]));
}

bool cone_points_inside(struct cone_points *points, const double *x, const double *z) {
    return boost_all(points, x, z);
}

INLINE void linearise_four(struct cone_four *four, size_t k, const struct cone_vectors *at,
                           double sigma, double share) {
    struct lanes3 x = take(at->x, k), z = take(at->z, k), u = take(at->u, k);
    struct lanes3 speed = lanes3_scale(splat(-1 / sigma), lanes3_times(four->S, u));
    struct lanes3 F = lanes3_add(z, speed);
    four->V = lorentz_scale(&four->x, &four->z);
    struct lanes3 lambda =
        lanes3_choose(four->cone, lorentz_lambda(&four->V, x, z), lanes3_scale(four->V.value.n, z));
    four->lambda = back(four, lambda);
    four->det = four->x.root * four->z.root;
    F.n = choose(four->cone, F.n - put_tilt(four, share, z), F.n);
    put_active(at->F, k, four->active, F);
    struct lanes3 tilted = axes(four, tilt(four, F));
    four->plain = lanes3_sub(lanes3_times(four->V.value, tilted), lambda);
    split_slope(four);
}

WIDE static void linearise(struct cone_points *points, const struct cone_vectors *at, double sigma,
                           double share, mat3 *left, mat3 *right) {
    for (size_t k = 0; k < points->fours; k++) {
        struct cone_four *four = &points->four[k];
        linearise_four(four, k, at, sigma, share);
        put_matrices(left + LANES * k, four->left);
        put_matrices(right + LANES * k, four->right);
    }
}

void cone_points_linearise(struct cone_points *points, struct cone_vectors at, double sigma,
                           double share, mat3 *left, mat3 *right) {
    linearise(points, &at, sigma, share, left, right);
}

// Steps -----------------------------------------------------------------------------------------

// What V^-1 dx + V dz has to be beyond -lambda, towards x o z = target e: with `share` of the
// predictor's term of second order, whose V dz is -lambda - V^-1 dx.
INLINE struct lanes3 beyond(const struct cone_four *four, double target, double share,
                            struct lanes3 y) {
    struct lanes3 lambda = four->lambda;
    lanes4 f = target / four->det; // times J lambda: the inverse
    struct lanes3 sum = {f * lambda.n, -f * lambda.s, -f * lambda.t};
    if (share == 0)
        return sum;
    struct lanes3 dx = back(four, y), dz = lanes3_add(lambda, dx);
    struct lanes3 quotient = lorentz_divide(lorentz_product(dx, dz), lambda, four->det);
    return lanes3_add(sum, lanes3_scale(splat(share), quotient));
}

INLINE void aim_four(const struct cone_four *four, size_t k, double target, double share,
                     const double *y, double *g) {
    struct lanes3 side = four->plain;
    if (target > 0 || share > 0)
        side = lanes3_add(side, axes(four, beyond(four, target, share, take(y, k))));
    put_active(g, k, four->active, side);
}

WIDE static void aim(const struct cone_points *points, double target, double share, const double *y,
                     double *g) {
    for (size_t k = 0; k < points->fours; k++)
        aim_four(&points->four[k], k, target, share, y, g);
}

void cone_points_aim(const struct cone_points *points, double target, double share, const double *y,
                     double *g) {
    aim(points, target, share, y, g);
}

INLINE void apply_right_four(const struct cone_four *four, size_t k, const double *y, double *r) {
    put(r, k, apply(four->right, take(y, k)));
}

WIDE static void apply_right(const struct cone_points *points, const double *y, double *r) {
    for (size_t k = 0; k < points->fours; k++)
        apply_right_four(&points->four[k], k, y, r);
}

void cone_points_apply_right(const struct cone_points *points, const double *y, double *r) {
    apply_right(points, y, r);
}

INLINE void find_defect_four(const struct cone_four *four, size_t k, const double *g,
                             const double *y, const double *u, double *defect) {
    struct lanes3 rest = lanes3_sub(take(g, k), take(y, k));
    put(defect, k, lanes3_sub(rest, apply(four->left, take(u, k))));
}

WIDE static void find_defect(const struct cone_points *points, const double *g, const double *y,
                             const double *u, double *defect) {
    for (size_t k = 0; k < points->fours; k++)
        find_defect_four(&points->four[k], k, g, y, u, defect);
}

void cone_points_defect(const struct cone_points *points, const double *g, const double *y,
                        const double *u, double *defect) {
    find_defect(points, g, y, u, defect);
}

INLINE double largest_lane(const lanes4 *a) {
    double most = 0;
    for (int lane = 0; lane < LANES; lane++)
        most = (*a)[lane] > most ? (*a)[lane] : most;
    return most;
}

INLINE void step_four(const struct cone_four *four, size_t k, const double *y, const double *u,
                      const double *F, double *dx, double *dz, lanes4 *most) {
    lanes4 zero = {0};
    struct lanes3 along = back(four, lanes3_times(four->V.value, take(y, k)));
    along.s = choose(four->cone, along.s, zero); // but for rounding
    along.t = choose(four->cone, along.t, zero);
    struct lanes3 up = tilt(four, lanes3_sub(lanes3_times(four->S, take(u, k)), take(F, k)));
    put_active(dx, k, four->active, along);
    put_active(dz, k, four->active, up);
    lanes4 x = lorentz_speed(&four->x, along), z = lorentz_speed(&four->z, up);
    *most = larger(*most, choose(four->active, choose(x > z, x, z), zero));
}

WIDE static double step(const struct cone_points *points, const double *y, const double *u,
                        const double *F, double *dx, double *dz) {
    lanes4 most = {0};
    for (size_t k = 0; k < points->fours; k++)
        step_four(&points->four[k], k, y, u, F, dx, dz, &most);
    return largest_lane(&most);
}

double cone_points_step(const struct cone_points *points, const double *y, const double *u,
                        const double *F, double *dx, double *dz) {
    return step(points, y, u, F, dx, dz);
}

INLINE void raise_four(const double *x, lanes4 *most) {
    lanes4 here = *(const lanes4_anywhere *)x;
    *most = larger(*most, choose(here < splat(0), -here, here));
}

WIDE static double largest(const double *x, size_t size) {
    lanes4 most = {0};
    size_t i = 0;
    for (; i + LANES <= size; i += LANES)
        raise_four(x + i, &most);
    for (; i < size; i++)
        most[0] = fabs(x[i]) > most[0] ? fabs(x[i]) : most[0];
    return largest_lane(&most);
}

double cone_points_largest(const double *x, size_t size) { return largest(x, size); }
