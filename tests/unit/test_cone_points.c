// Four contacts at a time (engine/solvers/newton/cone_points.h) against one after the other: the
// same bits, whatever laws stand side by side and however many are left over at the end.
#include "engine/solvers/newton/cone_points.h"

#include <string.h>

#include "engine/problem/contact_problem.h"
#include "tests/unit/random_problem.h"

#define MOST  11
#define ROOM  12
#define SIGMA 0.7

// One contact -----------------------------------------------------------------------------------

static double lorentz_tangent(vec3 x) { return sqrt(x.y * x.y + x.z * x.z); }

// x o y = (x.y, x_n y_t + y_n x_t), whose unit is (1, 0, 0).
static vec3 lorentz_product(vec3 x, vec3 y) {
    return vec3_make(vec3_dot(x, y), x.x * y.y + y.x * x.y, x.x * y.z + y.x * x.z);
}

// Returns the y with x o y = p, where det is the determinant of x.
static vec3 lorentz_divide(vec3 p, vec3 x, double det) {
    double y = (x.x * p.x - x.y * p.y - x.z * p.z) / det, inverse = 1 / x.x;
    return vec3_make(y, (p.y - y * x.y) * inverse, (p.z - y * x.z) * inverse);
}

// The boost that maps a point x inside the cone to a unit vector: unit = x / root, root^2 = det x.
struct lorentz_boost {
    vec3 unit;
    double root, inverse; // root and its reciprocal
    double share;         // 1 / (unit_n + 1)
};

// Finds the boost of x. Returns false where x is not inside the cone.
static bool lorentz_boost(vec3 x, struct lorentz_boost *boost) {
    double t = lorentz_tangent(x);
    boost->root = sqrt((x.x - t) * (x.x + t)); // x_n^2 - t^2 would lose it to rounding
    boost->inverse = 1 / boost->root;
    boost->unit = vec3_scale(boost->inverse, x);
    boost->share = 1 / (boost->unit.x + 1);
    return x.x > t;
}

// Returns the speed with which x + a d approaches the boundary: it stays in the cone while a speed
// <= 1. After the boost of x is applied to d, this takes a single square root.
static double lorentz_speed(const struct lorentz_boost *x, vec3 d) {
    vec3 unit = x->unit;
    double n = unit.x * d.x - unit.y * d.y - unit.z * d.z, share = (n + d.x) * x->share;
    double s = d.y - share * unit.y, t = d.z - share * unit.z;
    return x->inverse * (sqrt(s * s + t * t) - n);
}

// The scaling V by its eigenvalues along (1, s, t), (1, -s, -t) and (0, -t, s), where (s, t) has
// unit length.
struct lorentz_scaling {
    vec3 value;
    double s, t;
};

static struct lorentz_scaling lorentz_scale(const struct lorentz_boost *x,
                                            const struct lorentz_boost *z) {
    vec3 a = x->unit, b = z->unit;
    double cosine = vec3_dot(a, b), half = 1 / sqrt(2 * (1 + (cosine > 1 ? cosine : 1)));
    vec3 w = vec3_make(half * (a.x + b.x), half * (a.y - b.y), half * (a.z - b.z));
    double t = lorentz_tangent(w);
    double scale = sqrt(x->root * z->inverse), stretch = w.x + t;
    struct lorentz_scaling scaling = {{scale * stretch, scale / stretch, scale}, 1, 0};
    if (t > 0) {
        double inverse = 1 / t;
        scaling.s = w.y * inverse;
        scaling.t = w.z * inverse;
    }
    return scaling;
}

#define LORENTZ_HALF 0.70710678118654752440 // square root of 1/2

// Convert y to the eigenvectors of V, and back.
static vec3 lorentz_axes(const struct lorentz_scaling *V, vec3 y) {
    double share = V->s * y.y + V->t * y.z;
    return vec3_make(LORENTZ_HALF * (y.x + share), LORENTZ_HALF * (y.x - share),
                     V->s * y.z - V->t * y.y);
}

static vec3 lorentz_back(const struct lorentz_scaling *V, vec3 y) {
    double share = LORENTZ_HALF * (y.x - y.y);
    return vec3_make(LORENTZ_HALF * (y.x + y.y), share * V->s - y.z * V->t,
                     share * V->t + y.z * V->s);
}

// Returns lambda in the eigenvectors of V. Each component is computed from x or from z, whichever
// loses less to cancellation.
static vec3 lorentz_lambda(const struct lorentz_scaling *V, vec3 x, vec3 z) {
    vec3 own_x = lorentz_axes(V, x), own_z = lorentz_axes(V, z);
    return vec3_make(own_x.x / V->value.x, own_z.y * V->value.y, own_z.z * V->value.z);
}

struct point {
    enum cone_law law;
    vec3 S; // diagonal
    struct lorentz_boost x, z;
    struct lorentz_scaling V;
    vec3 lambda; // V z = V^-1 x
    double det;  // of lambda
    vec3 tilt;   // E^-1 = I - n n^T + n tilt^T
    vec3 plain;  // V E^-1 F - lambda, in the axes of V
};

// E^-1 y
static vec3 tilt(const struct point *point, vec3 y) {
    y.x = vec3_dot(point->tilt, y);
    return y;
}

// y in the axes of V, and back. Without friction V is a number, and the axes are those of the
// contact: through the cone's two, n would drown in their sum where V is large.
static vec3 axes(const struct point *point, vec3 y) {
    return point->law == LAW_CONE ? lorentz_axes(&point->V, y) : y;
}

static vec3 back(const struct point *point, vec3 y) {
    return point->law == LAW_CONE ? lorentz_back(&point->V, y) : y;
}

// D = right left, through the axes of V: one of them, of the length of its eigenvalue.
static void split_axis(const struct point *point, vec3 axis, vec3 *row, double *column) {
    vec3 to = vec3_times(point->S, axis);
    column[0] = to.x;
    column[3] = to.y;
    column[6] = to.z;
    *row = vec3_times(point->S, vec3_add_scaled(vec3_make(0, axis.y, axis.z), axis.x, point->tilt));
}

static void split_slope(const struct point *point, mat3 *left, mat3 *right) {
    const struct lorentz_scaling *V = &point->V;
    double f = LORENTZ_HALF * V->value.x, g = LORENTZ_HALF * V->value.y, h = V->value.z;
    double *column = &right->row[0].x;
    if (point->law == LAW_FRICTIONLESS) {
        split_axis(point, vec3_make(V->value.x, 0, 0), &left->row[0], column);
        return;
    }
    split_axis(point, vec3_make(f, f * V->s, f * V->t), &left->row[0], column);
    split_axis(point, vec3_make(g, -g * V->s, -g * V->t), &left->row[1], column + 1);
    split_axis(point, vec3_make(0, -h * V->t, h * V->s), &left->row[2], column + 2);
}

struct vectors {
    double x[3 * ROOM], z[3 * ROOM], u[3 * ROOM], y[3 * ROOM], F[3 * ROOM], g[3 * ROOM];
    double dx[3 * ROOM], dz[3 * ROOM], r[3 * ROOM], defect[3 * ROOM];
    mat3 left[ROOM], right[ROOM];
};

static void linearise(struct point *point, struct vectors *v, int32_t a, double k) {
    vec3 x = contact_get(v->x, a), z = contact_get(v->z, a), u = contact_get(v->u, a);
    vec3 F = vec3_add_scaled(z, -1 / SIGMA, vec3_times(point->S, u));
    point->V = lorentz_scale(&point->x, &point->z);
    vec3 lambda =
        point->law == LAW_CONE ? lorentz_lambda(&point->V, x, z) : vec3_scale(point->V.value.x, z);
    point->lambda = back(point, lambda);
    point->det = point->x.root * point->z.root;
    point->tilt = vec3_make(1, 0, 0);
    if (point->law == LAW_CONE) {
        double f = sqrt((1 - k) * (z.y * z.y + z.z * z.z) + k * z.x * z.x);
        double inverse = 1 / (f - k * z.x);
        F.x -= f;
        point->tilt = vec3_make(f * inverse, (1 - k) * z.y * inverse, (1 - k) * z.z * inverse);
    }
    contact_set(v->F, a, F);
    point->plain = vec3_sub(vec3_times(point->V.value, axes(point, tilt(point, F))), lambda);
    split_slope(point, &v->left[a], &v->right[a]);
}

static vec3 side(const struct point *point, vec3 y, double target, double share) {
    vec3 lambda = point->lambda;
    double f = target / point->det;
    if (target == 0 && share == 0)
        return point->plain;
    vec3 sum = vec3_make(f * lambda.x, -f * lambda.y, -f * lambda.z);
    vec3 dx = back(point, y), dz = vec3_add(lambda, dx);
    vec3 quotient = lorentz_divide(lorentz_product(dx, dz), lambda, point->det);
    if (share > 0)
        sum = vec3_add_scaled(sum, share, quotient);
    return vec3_add(point->plain, axes(point, sum));
}

static double step(const struct point *point, struct vectors *v, int32_t a) {
    vec3 u = contact_get(v->u, a), y = contact_get(v->y, a);
    vec3 dx = back(point, vec3_times(point->V.value, y));
    vec3 dz = tilt(point, vec3_sub(vec3_times(point->S, u), contact_get(v->F, a)));
    if (point->law == LAW_FRICTIONLESS)
        dx.y = dx.z = 0;
    contact_set(v->dx, a, dx);
    contact_set(v->dz, a, dz);
    return fmax(lorentz_speed(&point->x, dx), lorentz_speed(&point->z, dz));
}

static double all_one_by_one(struct point *points, int32_t contacts, double target, double share,
                             struct vectors *v) {
    double most = 0;
    for (int32_t a = 0; a < contacts; a++) {
        if (points[a].law != LAW_NONE) {
            lorentz_boost(contact_get(v->x, a), &points[a].x);
            lorentz_boost(contact_get(v->z, a), &points[a].z);
            linearise(&points[a], v, a, 0.25);
            contact_set(v->g, a, side(&points[a], contact_get(v->y, a), target, share));
            most = fmax(most, step(&points[a], v, a));
        }
        vec3 rest = vec3_sub(contact_get(v->g, a), contact_get(v->y, a));
        vec3 answer = mat3_apply(v->left[a], contact_get(v->u, a));
        contact_set(v->defect, a, vec3_sub(rest, answer));
        contact_set(v->r, a, mat3_apply(v->right[a], contact_get(v->y, a)));
    }
    return most;
}

// Four at a time --------------------------------------------------------------------------------

static struct cone_points *points_of(const struct point *points, int32_t contacts) {
    struct cone_points *four = cone_points_create(contacts);
    for (int32_t a = 0; a < contacts; a++)
        cone_points_put_scale(four, a, (struct cone_scale){points[a].law, points[a].S});
    return four;
}

static double all_in_fours(const struct point *points, int32_t contacts, double target,
                           double share, struct vectors *v) {
    struct cone_points *four = points_of(points, contacts);
    struct cone_vectors at = {v->x, v->z, v->u, v->F};
    assert_true(cone_points_inside(four, v->x, v->z));
    cone_points_linearise(four, at, SIGMA, 0.25, v->left, v->right);
    cone_points_aim(four, target, share, v->y, v->g);
    double most = cone_points_step(four, v->y, v->u, v->F, v->dx, v->dz);
    cone_points_apply_right(four, v->y, v->r);
    cone_points_defect(four, v->g, v->y, v->u, v->defect);
    cone_points_free(four);
    return most;
}

// Points inside, some of them hardly, and some along the normal.
static vec3 random_inside(struct random_stream *random, enum cone_law law) {
    vec3 x = vec3_make(0, random_between(random, -1, 1), random_between(random, -1, 1));
    if (law == LAW_FRICTIONLESS || random_between(random, 0, 1) < 0.2)
        x = vec3_zero();
    x.x = lorentz_tangent(x) + pow(10, random_between(random, -12, 1));
    return law == LAW_NONE ? vec3_zero() : x;
}

static struct vectors fill(struct random_stream *random, struct point *points, int32_t contacts) {
    struct vectors v = {0};
    for (int32_t a = 0; a < contacts; a++) {
        double share = random_between(random, 0, 1), s = random_between(random, 0.5, 2);
        enum cone_law law = share < 0.2 ? LAW_NONE : share < 0.4 ? LAW_FRICTIONLESS : LAW_CONE;
        points[a] = (struct point){.law = law};
        if (law != LAW_NONE)
            points[a].S = law == LAW_CONE ? vec3_make(3 * s, s, s) : vec3_make(s, 0, 0);
        contact_set(v.x, a, random_inside(random, law));
        contact_set(v.z, a, random_inside(random, law));
        contact_set(v.u, a, random_vector(random));
        contact_set(v.y, a, random_vector(random));
    }
    return v;
}

static void test_same_bits(void **state) {
    (void)state;
    const double targets[] = {0, 0.3, 0.2}, shares[] = {0, 0, 0.6};
    struct random_stream random = {8};
    for (int k = 0; k < 3000; k++) {
        struct point points[MOST];
        int32_t contacts = 1 + k % MOST;
        struct vectors one = fill(&random, points, contacts), four = one;
        double target = targets[k % 3], share = shares[k % 3];
        double most = all_one_by_one(points, contacts, target, share, &one);
        double faster = all_in_fours(points, contacts, target, share, &four);
        assert_memory_equal(&most, &faster, sizeof most);
        assert_memory_equal(&one, &four, sizeof one);
    }
}

// A single point on the boundary counts wherever it is, but not where there is no law.
static void test_inside(void **state) {
    (void)state;
    struct random_stream random = {9};
    for (int32_t a = 0; a < MOST; a++)
        for (int law = LAW_NONE; law <= LAW_CONE; law++) {
            struct point points[MOST];
            struct vectors v = fill(&random, points, MOST);
            points[a].law = (enum cone_law)law;
            contact_set(v.x, a, vec3_make(1, 0, 0));
            contact_set(v.z, a, vec3_make(1, 0, 1));
            struct cone_points *four = points_of(points, MOST);
            assert_int_equal(cone_points_inside(four, v.x, v.z), law == LAW_NONE);
            cone_points_free(four);
        }
}

// Wherever the largest number is, with any number of them left over; NaN does not count.
static void test_largest(void **state) {
    (void)state;
    for (size_t size = 1; size <= MOST; size++)
        for (size_t k = 0; k < size; k++) {
            double x[MOST] = {0.5, -0.25, NAN, 0.125};
            x[k] = k % 2 ? 3 : -3;
            assert_true(cone_points_largest(x, size) == 3);
            x[k] = NAN;
            assert_true(cone_points_largest(x, size) == (k > 0 ? 0.5 : size > 1 ? 0.25 : 0));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_inside),
        cmocka_unit_test(test_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
