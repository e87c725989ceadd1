// One contact with a polygonal cone: what pivots and quadratic programs answer obeys the polygon's
// law, agrees, and tends to Coulomb's as corners are added.
#include "engine/problem/residual.h"
#include "engine/solvers/local/exact.h"
#include "engine/solvers/local/polygon.h"
#include "parallel/memory.h"
#include "tests/unit/scene.h"

static const enum gabion_local solvers[] = {GABION_LOCAL_LEMKE, GABION_LOCAL_QP};

static vec3 corner(const struct gabion_cone *cone, int k) {
    double radius = cone->outer ? 1 / cos(PI / cone->sides) : 1;
    double angle = cone->angle + 2 * PI * k / cone->sides;
    return vec3_make(0, radius * cos(angle), radius * sin(angle));
}

static double length2d(vec3 a) { return sqrt(a.y * a.y + a.z * a.z); }

// A definite block as rigid bodies have them, and a velocity that closes.
static mat3 random_block(struct random_stream *random) {
    vec3 a[3], row[3];
    for (int i = 0; i < 3; i++)
        a[i] = vec3_scale(random_between(random, 0.3, 2), scene_random_unit(random));
    for (int i = 0; i < 3; i++)
        row[i] = vec3_make(vec3_dot(a[i], a[0]), vec3_dot(a[i], a[1]), vec3_dot(a[i], a[2]));
    row[0].x += 0.3;
    row[1].y += 0.3;
    row[2].z += 0.3;
    return (mat3){{row[0], row[1], row[2]}};
}

static vec3 random_closing(struct random_stream *random) {
    vec3 b = vec3_scale(random_between(random, 0.1, 3), scene_random_unit(random));
    b.x = -fabs(b.x);
    return b;
}

static struct gabion_cone random_cone(int sides, struct random_stream *random) {
    struct gabion_cone cone = {.sides = sides, .outer = random_unit(random) < 0.5};
    cone.angle = random_between(random, -10, 10);
    return cone;
}

// Signorini; r_t in mu r_n P by the sides of P; and of all of P the most dissipation.
static void assert_law(const struct gabion_cone *cone, vec3 u, vec3 r, double mu,
                       double tolerance) {
    double apothem = cos(PI / cone->sides), most = 0;
    assert_at_most(-r.x, 0);
    assert_at_most(-u.x, tolerance);
    assert_at_most(fabs(r.x * u.x), tolerance);
    for (int k = 0; k < cone->sides; k++) {
        vec3 a = corner(cone, k), b = corner(cone, k + 1), middle = vec3_add(a, b);
        double outward = vec3_dot(middle, r) / length2d(middle);
        assert_at_most(outward, mu * r.x * length2d(a) * apothem + tolerance);
        most = fmax(most, -vec3_dot(a, u));
    }
    assert_near(u.y * r.y + u.z * r.z, -mu * r.x * most, tolerance);
}

static void test_corners(void **state) {
    (void)state;
    struct random_stream random = {1};
    for (int sides = 3; sides <= 64; sides++) {
        struct gabion_cone cone = random_cone(sides, &random);
        vec3 *column = polygon_columns(&cone);
        for (int k = 0; k < sides; k++)
            assert_vector_near(column[k], corner(&cone, k), 1e-13);
        assert_vector_near(column[sides], vec3_make(1, 0, 0), 0);
        memory_free(column);
    }
}

// Odd polygons too, whose corners do not come in pairs. Strong friction on a body that meets the
// contact obliquely may have several answers; they are compared where friction feeds the normal
// impulse too little for that.
static void test_law(void **state) {
    (void)state;
    int compared = 0;
    struct random_stream random = {2};
    for (int trial = 0; trial < 2800; trial++) {
        struct gabion_cone cone = random_cone(3 + trial % 14, &random);
        mat3 W = random_block(&random);
        vec3 b = random_closing(&random), u[2];
        double mu = random_between(&random, 0.01, 1.2);
        for (int k = 0; k < 2; k++) {
            vec3 r = vec3_zero();
            assert_true(polygon_solve(solvers[k], &cone, &W, b, mu, &r));
            u[k] = vec3_add(mat3_apply(W, r), b);
            assert_law(&cone, u[k], r, mu, 1e-11);
        }
        double oblique = length2d(W.row[0]) / cos(PI / cone.sides);
        if (mu * oblique > 0.3)
            continue;
        assert_vector_near(u[0], u[1], 1e-8);
        compared++;
    }
    assert_true(compared > 300);
}

// Blocks of files may be slightly unsymmetric.
static void test_unsymmetric(void **state) {
    (void)state;
    struct random_stream random = {3};
    for (int trial = 0; trial < 500; trial++) {
        struct gabion_cone cone = random_cone(3 + trial % 14, &random);
        mat3 W = random_block(&random);
        vec3 b = random_closing(&random);
        W.row[0].y *= 1.001;
        W.row[2].x *= 0.999;
        for (int k = 0; k < 2; k++) {
            vec3 r = vec3_zero();
            assert_true(polygon_solve(solvers[k], &cone, &W, b, 0.5, &r));
            assert_law(&cone, vec3_add(mat3_apply(W, r), b), r, 0.5, 1e-11);
        }
    }
}

// The sphere on a plane: W is diagonal and b needs no friction to be found by hand.
static void test_limits(void **state) {
    (void)state;
    struct gabion_cone cone = {.sides = 5};
    mat3 W = {{{1, 0, 0}, {0, 3.5, 0}, {0, 0, 3.5}}};
    for (int k = 0; k < 2; k++) {
        vec3 r = vec3_make(7, 7, 7);
        assert_true(polygon_solve(solvers[k], &cone, &W, vec3_make(1, 2, 3), 0.3, &r));
        assert_vector_near(r, vec3_zero(), 0); // it opens
        assert_true(polygon_solve(solvers[k], &cone, &W, vec3_make(-2, 2, 3), 0, &r));
        assert_vector_near(r, vec3_make(2, 0, 0), 1e-15); // frictionless
        assert_true(polygon_solve(solvers[k], &cone, &W, vec3_make(-2, 7, -14), INFINITY, &r));
        assert_vector_near(r, vec3_make(2, -2, 4), 1e-14); // sticks
        assert_true(polygon_solve(solvers[k], &cone, &W, vec3_make(-2, 0, 0), 0.3, &r));
        assert_vector_near(r, vec3_make(2, 0, 0), 1e-15); // nothing to rub
        assert_true(polygon_solve(solvers[k], &cone, &W, vec3_make(-2, -70, 0), 0.3, &r));
        assert_vector_near(r, vec3_make(2, 0.6, 0), 1e-14); // slides away from the first corner
    }
}

// A locked direction: nothing can be done along it, and the rest is solved all the same.
static void test_locked(void **state) {
    (void)state;
    struct gabion_cone cone = {.sides = 8};
    mat3 W = {{{1, 0, 0}, {0, 2, 0}, {0, 0, 0}}}, nothing = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    for (int k = 0; k < 2; k++) {
        vec3 r = vec3_zero();
        assert_true(polygon_solve(solvers[k], &cone, &W, vec3_make(-1, 0.1, 0), 0.5, &r));
        assert_vector_near(r, vec3_make(1, -0.05, r.z), 1e-14);
        assert_false(polygon_solve(solvers[k], &cone, &nothing, vec3_make(-1, 0.1, 0), 0.5, &r));
        assert_true(vec3_finite(r));
    }
}

// With more corners the friction that can be mobilised tends to mu r_n with the square of their
// number, its direction only with the number itself: r_t sits on a corner, up to pi / sides away.
static void test_convergence(void **state) {
    (void)state;
    struct random_stream random = {4};
    double direction[5] = {0}, size[5] = {0};
    for (int trial = 0; trial < 400; trial++) {
        mat3 W = random_block(&random);
        vec3 b = random_closing(&random), exact = vec3_zero();
        double k = 0, mu = 0.3;
        assert_true(exact_solve(&W, b, mu, &exact, &k));
        for (int level = 0; level < 5; level++) {
            struct gabion_cone cone = random_cone(8 << level, &random);
            vec3 r = vec3_zero();
            assert_true(polygon_solve(solvers[trial % 2], &cone, &W, b, mu, &r));
            double off = vec3_length(vec3_sub(r, exact)) / vec3_length(exact);
            double slack = fabs(length2d(r) - mu * r.x) / (mu * r.x);
            direction[level] = fmax(direction[level], off);
            if (length2d(exact) > 0.9999999 * mu * exact.x)
                size[level] = fmax(size[level], slack);
        }
    }
    for (int level = 0; level < 5; level++) {
        double angle = PI / (8 << level);
        assert_at_most(direction[level], angle);
        assert_at_most(size[level], 1.01 * (1 / cos(angle) - 1));
    }
    assert_near(direction[0] / direction[4], 16, 6);
    assert_near(size[0] / size[4], 256, 60);
}

// A ball that may not turn under a force of 1.25 mu m g along 60, 180 and -60 degrees: its
// acceleration over that of Coulomb's cone, and the angle between it and the force, in numbers of
// an independent projection of the force on the polygon. There `turn` is where the first corner of
// an inner polygon is, but where the first side of an outer one touches the circle.
static void test_cyclic_force(void **state) {
    (void)state;
    static const struct row {
        int sides;
        bool outer;
        double turn, ratio[3], angle[3];
    } rows[] = {
        {4, false, 0, {2.001, 1, 2.001}, {-15, 0, 15}},
        {4, false, 10, {2.153, 1.268, 1.703}, {-5, -33.2, 25}},
        {6, false, 10, {1.234, 1.234, 1.234}, {-20, -20, -20}},
        {8, false, 0, {1.262, 1, 1.262}, {7.5, 0, -7.5}},
        {8, false, 10, {1.073, 1.186, 1.300}, {17.5, -12.5, 2.5}},
        {12, false, 10, {1.117, 1.117, 1.117}, {-5, -5, -5}},
        {16, false, 0, {1.066, 1, 1.066}, {-3.8, 0, 3.8}},
        {16, false, 10, {1.047, 1.076, 1.019}, {6.2, -1.2, -8.8}},
        {4, true, 0, {0.330, 1, 0.330}, {30, 0, -30}},
        {4, true, 10, {0, 0.924, 0.698}, {0, 10, -20}},
        {8, true, 0, {0.830, 1, 0.830}, {-15, 0, 15}},
        {8, true, 10, {0.981, 0.924, 0.700}, {-5, 10, -15.6}},
        {16, true, 0, {0.957, 1, 0.957}, {7.5, 0, -7.5}},
        {16, true, 10, {0.981, 0.927, 0.995}, {-5, 5.5, 2.5}},
    };
    const double mu = 0.3, g = 9.81, h = 0.01, delta = 0.25, force[3] = {60, 180, -60};
    mat3 W = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int leg = 0; leg < 6; leg++) {
            const struct row *row = &rows[k];
            double angle = force[leg % 3] * PI / 180, f = (1 + delta) * mu * g * h;
            double to_corner = row->outer ? PI / row->sides : 0;
            struct gabion_cone cone = {row->sides, row->outer, row->turn * PI / 180 + to_corner};
            vec3 r = vec3_zero(), b = {-g * h, f * cos(angle), f * sin(angle)};
            assert_true(polygon_solve(solvers[leg / 3], &cone, &W, b, mu, &r));
            vec3 u = vec3_add(r, b);
            assert_near(length2d(u) / (delta * mu * g * h), row->ratio[leg % 3], 6e-4);
            if (row->ratio[leg % 3] > 0) {
                double along = cos(angle) * u.y + sin(angle) * u.z;
                double across = cos(angle) * u.z - sin(angle) * u.y;
                assert_near(atan2(across, along) * 180 / PI, row->angle[leg % 3], 0.06);
            }
        }
}

// The polygon's residual knows a solution, and with very many corners it is Coulomb's.
static void test_residual(void **state) {
    (void)state;
    struct random_stream random = {5};
    struct contact_problem *problem = contact_problem_create(1, 1);
    problem->matrix.start[1] = 1;
    for (int trial = 0; trial < 300; trial++) {
        mat3 W = random_block(&random);
        vec3 b = random_closing(&random), r = vec3_zero();
        problem->mu[0] = trial % 50 == 0 ? 0 : trial % 50 == 1 ? INFINITY : 0.6;
        for (int j = 0; j < 9; j++)
            problem->matrix.value[4 * (j % 3) + j / 3] = vec3_get(W.row[j / 3], j % 3);
        contact_set(problem->q, 0, b);
        contact_problem_finish(problem);
        struct gabion_cone cone = random_cone(3 + trial % 10, &random);
        assert_true(polygon_solve(solvers[trial % 2], &cone, &W, b, problem->mu[0], &r));
        assert_at_most(polygon_residual(problem, &cone, &r.x), 1e-12);
        vec3 away = vec3_add(r, scene_random_unit(&random));
        struct gabion_cone round = {.sides = 3000};
        assert_near(polygon_residual(problem, &round, &away.x),
                    residual_of(problem, &away.x).scaled, 2 * PI / round.sides);
    }
    contact_problem_free(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corners),      cmocka_unit_test(test_law),
        cmocka_unit_test(test_unsymmetric),  cmocka_unit_test(test_limits),
        cmocka_unit_test(test_locked),       cmocka_unit_test(test_convergence),
        cmocka_unit_test(test_cyclic_force), cmocka_unit_test(test_residual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
