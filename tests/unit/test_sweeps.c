// Sweeps, accelerated sweeps and the proximal point on contact problems by themselves.
#include <string.h>

#include "engine/solvers/local/local.h"
#include "engine/solvers/panel.h"
#include "engine/solvers/sweep/row_sweep.h"
#include "tests/unit/problem_files.h"

// Problems ------------------------------------------------------------------------------------

static struct solver_settings settings_of(double tolerance, int cap) {
    return (struct solver_settings){
        .tolerance = tolerance, .max_iterations = cap, .relaxation = 1, .cone = {.sides = 8}};
}

// A problem whose only blocks are on the diagonal.
static struct contact_problem *uncoupled(int contacts, const mat3 *W, const vec3 *q,
                                         const double *mu) {
    struct contact_problem *problem = contact_problem_create(contacts, (size_t)contacts);
    for (int a = 0; a < contacts; a++) {
        problem->matrix.start[a + 1] = (size_t)a + 1;
        problem->matrix.column[a] = a;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                problem->matrix.value[CONTACT_BLOCK * a + 4 * j + i] = vec3_get(W[a].row[i], j);
        problem->mu[a] = mu[a];
        contact_set(problem->q, a, q[a]);
    }
    contact_problem_finish(problem);
    return problem;
}

static double *solve(struct contact_problem *problem, enum gabion_method method,
                     const struct solver_settings *settings, struct solver_result *result) {
    double *r = memory_allocate(contact_problem_size(problem), sizeof *r, "test");
    *result = panel_solve(problem, method, settings, NULL, r);
    return r;
}

// |u_1 - u_2| / |q|: velocities are unique where impulses are not.
static double distance(const struct contact_problem *problem, const double *r_1,
                       const double *r_2) {
    size_t size = contact_problem_size(problem);
    double *u = memory_allocate(2 * size, sizeof *u, "test"), difference2 = 0, q2 = 0;
    contact_problem_velocity(problem, r_1, u);
    contact_problem_velocity(problem, r_2, u + size);
    for (size_t i = 0; i < size; i++) {
        difference2 += (u[i] - u[size + i]) * (u[i] - u[size + i]);
        q2 += problem->q[i] * problem->q[i];
    }
    memory_free(u);
    return sqrt(difference2 / q2);
}

static void assert_solved(const struct solver_result *result, double tolerance) {
    if (result->status != SOLVER_CONVERGED)
        fail_msg("%s, residual %g %s", panel_status(result->status), result->error.scaled,
                 result->note);
    assert_at_most(result->error.scaled, tolerance);
}

// A heap of spheres thrown together, one row of boxes on it.
static struct gabion_world *heap_create(int side, bool boxes) {
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.max_sweeps = 3;
    settings.on_cap = GABION_CAP_ACCEPT;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.4});
    struct random_stream random = {5};
    int shape = boxes ? scene_box_shape(world, vec3_make(0.1, 0.1, 0.1)) : 0;
    scene_floor(world);
    for (int k = 0; k < side * side * side; k++) {
        vec3 place = {0.199 * (k % side), 0.199 * (k / side % side),
                      0.1 + 0.199 * (k / side / side)};
        vec3 velocity = vec3_scale(0.1, scene_random_unit(&random));
        scene_sphere(world, place, 0.1, random_between(&random, 1, 2), velocity);
    }
    for (int k = 0; boxes && k < side; k++)
        scene_block(world, shape, vec3_make(0.2 * k, 0, 0.1 + 0.199 * side));
    scene_step(world, 1);
    return world;
}

// Local solvers -------------------------------------------------------------------------------

static void assert_locals_agree(struct contact_problem *problem) {
    const enum gabion_local locals[] = {GABION_LOCAL_EXACT, GABION_LOCAL_AUTO,
                                        GABION_LOCAL_EXPLICIT, GABION_LOCAL_NEWTON};
    double *reference = NULL;
    for (int k = 0; k < 4; k++) {
        struct solver_settings settings = settings_of(1e-10, 100000);
        struct solver_result result;
        settings.local = locals[k];
        double *r = solve(problem, GABION_METHOD_NSGS, &settings, &result);
        assert_solved(&result, 1e-10);
        if (k > 0)
            assert_at_most(distance(problem, r, reference), 1e-8);
        if (k > 0)
            memory_free(r);
        else
            reference = r;
    }
    memory_free(reference);
}

static void test_locals_agree(void **state) {
    (void)state;
    const char *const names[] = {"brazil-nut-shaken", "NESpheres_10_1", "Rover1039",
                                 "FrictionContact3D_1c"};
    struct gabion_world *world = heap_create(2, true);
    struct contact_problem *step = scene_rows(world);
    assert_locals_agree(step);
    contact_problem_free(step);
    scene_destroy(world);
    for (int k = 0; k < 4; k++) {
        struct contact_problem *problem = read_problem(names[k], k == 0);
        if (problem)
            assert_locals_agree(problem);
        contact_problem_free(problem);
    }
}

// Newton's method on the function of Alart and Curnier from r = 0, with nothing to help it.
static bool plain_newton(const mat3 *W, vec3 b, double mu) {
    double rho = 3 / (W->row[0].x + W->row[1].y + W->row[2].z);
    vec3 r = vec3_zero();
    for (int iteration = 0; iteration < 200; iteration++) {
        vec3 u = vec3_add(mat3_apply(*W, r), b), y = vec3_add_scaled(r, -rho, u), F = r, step;
        double length = sqrt(y.y * y.y + y.z * y.z), limit = mu * fmax(y.x, 0);
        double shrink = length > limit ? limit / length : 1;
        mat3 J = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        if (y.x > 0) {
            vec3 dn = vec3_sub(J.row[0], vec3_scale(rho, W->row[0]));
            vec3 ds = vec3_sub(J.row[1], vec3_scale(rho, W->row[1]));
            vec3 dt = vec3_sub(J.row[2], vec3_scale(rho, W->row[2]));
            double s = y.y / length, t = y.z / length;
            vec3 across = vec3_sub(vec3_scale(t, ds), vec3_scale(s, dt));
            bool slides = length > limit;
            J.row[1] = slides ? vec3_add_scaled(vec3_add_scaled(J.row[1], -mu * s, dn), -shrink * t,
                                                across)
                              : vec3_scale(rho, W->row[1]);
            J.row[2] =
                slides ? vec3_add_scaled(vec3_add_scaled(J.row[2], -mu * t, dn), shrink * s, across)
                       : vec3_scale(rho, W->row[2]);
            J.row[0] = vec3_scale(rho, W->row[0]);
            F = vec3_make(rho * u.x, r.y - shrink * y.y, r.z - shrink * y.z);
        }
        if (vec3_length(F) <= 1e-12 * rho * vec3_length(b))
            return true;
        if (!mat3_solve(J, F, &step))
            return false;
        r = vec3_sub(r, step);
    }
    return false;
}

// Contacts on which it cycles, and one (the last) on which sweeps by the diagonal of W diverge.
static const struct {
    double w[6]; // nn, ns, nt, ss, st, tt
    double mu;
    vec3 b;
} hard_contacts[] = {
    {{2, 5, -4, 22, 4, 32}, 0.6, {-3, 8, -1}},   {{11, -5, 15, 13, -9, 25}, 0.9, {-3, -7, 9}},
    {{5, -3, 4, 18, 6, 8}, 1.0, {-4, -8, 5}},    {{21, -7, -1, 5, -5, 21}, 1.0, {-5, 2, 3}},
    {{6, 0, -15, 29, 8, 41}, 0.5, {-3, 5, 3}},   {{4, 6, 8, 14, 17, 26}, 0.5, {-1, 1, 6}},
    {{2, -4, 8, 25, -10, 36}, 0.3, {-4, -4, 3}}, {{10, 9, 9, 10, 9, 10}, 5, {-10, -9, -9.5}},
};
#define HARD_CONTACTS (sizeof hard_contacts / sizeof *hard_contacts)

static void test_hard_contacts(void **state) {
    (void)state;
    mat3 W[HARD_CONTACTS];
    vec3 b[HARD_CONTACTS];
    double mu[HARD_CONTACTS];
    for (size_t k = 0; k < HARD_CONTACTS; k++) {
        const double *w = hard_contacts[k].w;
        W[k] = (mat3){{{w[0], w[1], w[2]}, {w[1], w[3], w[4]}, {w[2], w[4], w[5]}}};
        b[k] = hard_contacts[k].b;
        mu[k] = hard_contacts[k].mu;
        assert_int_equal(plain_newton(&W[k], b[k], mu[k]), k + 1 == HARD_CONTACTS);
    }
    struct contact_problem *problem = uncoupled(HARD_CONTACTS, W, b, mu);
    for (int local = 0; local < GABION_LOCAL_COUNT; local++) {
        if (local == GABION_LOCAL_LEMKE || local == GABION_LOCAL_QP)
            continue;
        struct solver_settings settings = settings_of(1e-12, 10000);
        struct solver_result result;
        settings.local = (enum gabion_local)local;
        double *r = solve(problem, GABION_METHOD_NSGS, &settings, &result);
        assert_solved(&result, 1e-12);
        assert_int_equal(result.local_fallbacks, 0);
        if (local != GABION_LOCAL_EXPLICIT)
            assert_true(result.iterations <= 3);
        memory_free(r);
    }
    contact_problem_free(problem);
}

// A local model that is not quite W_aa must not move the solution: W unsymmetric by a tenth.
static void test_unsymmetric(void **state) {
    (void)state;
    const mat3 W[2] = {{{{2, 0.3, 0.1}, {0.1, 3, -0.2}, {0.2, 0.1, 4}}},
                       {{{2, 0.3, 0.1}, {0.1, 3, -0.2}, {0.2, 0.1, 4}}}};
    const vec3 q[2] = {{-1, 0.1, 0.1}, {-1, 5, -4}}; // sticks, slides
    const double mu[2] = {0.5, 0.5};
    struct contact_problem *problem = uncoupled(2, W, q, mu);
    for (int local = 0; local < GABION_LOCAL_COUNT; local++) {
        if (local == GABION_LOCAL_LEMKE || local == GABION_LOCAL_QP)
            continue;
        struct solver_settings settings = settings_of(1e-13, 1000);
        struct solver_result result;
        settings.local = (enum gabion_local)local;
        double *r = solve(problem, GABION_METHOD_NSGS, &settings, &result);
        assert_solved(&result, 1e-13);
        vec3 stuck = contact_get(r, 0), slid = contact_get(r, 1);
        vec3 u = vec3_add(mat3_apply(W[1], slid), q[1]);
        assert_vector_near(mat3_apply(W[0], stuck), vec3_negate(q[0]), 1e-12);
        assert_near(u.x, 0, 1e-12);
        assert_near(hypot(slid.y, slid.z), 0.5 * slid.x, 1e-12);
        assert_near(u.y * slid.z - u.z * slid.y, 0, 1e-12);
        assert_true(u.y * slid.y + u.z * slid.z < 0);
        memory_free(r);
    }
    contact_problem_free(problem);
}

// Methods -------------------------------------------------------------------------------------

static const enum gabion_method family[] = {GABION_METHOD_NSGS, GABION_METHOD_ANDERSON,
                                            GABION_METHOD_PROX};

// How many colours sweeps go by; 0: in natural order.
static int colours_of(const struct contact_problem *problem) {
    struct solver_settings settings = settings_of(0, 1);
    double *r = memory_allocate(contact_problem_size(problem), sizeof *r, "test");
    struct row_sweep rows = row_sweep_open(problem, &settings, r);
    int colours = rows.colours;
    row_sweep_close(&rows);
    memory_free(r);
    return colours;
}

// Through bodies and through the matrix: the same sweeps up to rounding.
static void test_faces(void **state) {
    (void)state;
    struct gabion_world *world = heap_create(3, true);
    struct contact_problem *bodies = scene_rows(world);
    struct contact_problem *matrix = contact_problem_assemble(bodies);
    assert_int_equal(colours_of(bodies), 0);
    for (int k = 0; k < 3; k++) {
        struct solver_settings settings = settings_of(1e-10, 100000);
        struct solver_result by_bodies, by_matrix;
        double *r_1 = solve(bodies, family[k], &settings, &by_bodies);
        double *r_2 = solve(matrix, family[k], &settings, &by_matrix);
        assert_solved(&by_bodies, 1e-10);
        assert_solved(&by_matrix, 1e-10);
        assert_at_most(distance(matrix, r_1, r_2), 1e-8);
        memory_free(r_1);
        settings.tolerance = 0; // exactly ten sweeps, too few for rounding to grow
        settings.max_iterations = 10;
        memory_free(r_2);
        r_1 = solve(bodies, family[k], &settings, &by_bodies);
        r_2 = solve(matrix, family[k], &settings, &by_matrix);
        assert_int_equal(by_bodies.iterations, 10);
        assert_int_equal(by_matrix.iterations, 10);
        assert_at_most(distance(matrix, r_1, r_2), 1e-11);
        memory_free(r_1);
        memory_free(r_2);
    }
    contact_problem_free(bodies);
    contact_problem_free(matrix);
    scene_destroy(world);
}

static void test_threads(void **state) {
    (void)state;
    struct gabion_world *world = heap_create(13, false);
    struct contact_problem *problem = scene_rows(world);
    struct solver_settings settings = settings_of(0, 25);
    assert_true(colours_of(problem) > 1);
    for (int k = 0; k < 3; k++) {
        struct solver_result result;
        problem->team = NULL;
        double *alone = solve(problem, family[k], &settings, &result);
        assert_int_equal(result.iterations, 25);
        for (int threads = 1; threads <= 3; threads++) {
            struct gabion_error error = {0};
            problem->team = team_create(threads, NULL, &error);
            double *r = solve(problem, family[k], &settings, &result);
            assert_memory_equal(r, alone, contact_problem_size(problem) * sizeof *r);
            team_destroy(problem->team);
            memory_free(r);
        }
        memory_free(alone);
    }
    contact_problem_free(problem);
    scene_destroy(world);
}

// A chain of spheres on the floor at rest: contact k carries all above it. Accelerated sweeps need
// no more than one per link and some, sweeps alone about 4 N^2/pi^2 per factor e.
static void test_chain(void **state) {
    (void)state;
    enum { LINKS = 40 };
    struct contact_problem *problem = contact_problem_create(LINKS, 3 * LINKS - 2);
    struct contact_matrix *matrix = &problem->matrix;
    size_t e = 0;
    for (int a = 0; a < LINKS; a++) {
        for (int b = a - 1; b <= a + 1; b++) {
            if (b < 0 || b >= LINKS)
                continue;
            double w = a != b ? -1 : a == 0 ? 1 : 2;
            matrix->column[e] = b;
            matrix->value[CONTACT_BLOCK * e] = w;
            matrix->value[CONTACT_BLOCK * e + 5] = matrix->value[CONTACT_BLOCK * e + 10] = w;
            e++;
        }
        matrix->start[a + 1] = e;
    }
    contact_set(problem->q, 0, vec3_make(-1, 0, 0));
    contact_problem_finish(problem);
    int sweeps[3];
    for (int k = 0; k < 3; k++)
        for (int frictionless = 0; frictionless < 2; frictionless++) {
            struct solver_settings settings = settings_of(1e-12, 1000000);
            struct solver_result result;
            for (int a = 0; a < LINKS; a++)
                problem->mu[a] = frictionless ? 0 : 0.3;
            double *r = solve(problem, family[k], &settings, &result);
            assert_solved(&result, 1e-12);
            for (int a = 0; a < LINKS; a++)
                assert_vector_near(contact_get(r, a), vec3_make(LINKS - a, 0, 0), 1e-8);
            sweeps[k] = result.iterations;
            memory_free(r);
        }
    print_message("%d links: %d sweeps, %d accelerated, %d proximal\n", LINKS, sweeps[0], sweeps[1],
                  sweeps[2]);
    assert_true(sweeps[0] > 5000);
    assert_true(sweeps[1] < 500);
    contact_problem_free(problem);
}

static void test_degenerate(void **state) {
    (void)state;
    const mat3 W[4] = {{{{2, 0.5, 0}, {0.5, 3, 0}, {0, 0, 4}}},
                       {{{2, 0.5, 0}, {0.5, 3, 0}, {0, 0, 4}}},
                       {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
                       {{{1e-8, 0, 0}, {0, 3e-8, 0}, {0, 0, 3e-8}}}};
    const vec3 q[4] = {{-1, 1, 2}, {-1, 100, -100}, {1, 1, 0}, {-1, 0.1, 0}};
    const double mu[4] = {0, INFINITY, 0.5, 0.5};
    struct contact_problem *problem = uncoupled(4, W, q, mu);
    struct contact_problem *empty = contact_problem_create(0, 0);
    contact_problem_finish(empty);
    for (int k = 0; k < 3; k++) {
        struct solver_settings settings = settings_of(1e-12, 10000);
        struct solver_result result;
        double *r = solve(problem, family[k], &settings, &result);
        assert_solved(&result, 1e-12);
        assert_vector_near(contact_get(r, 0), vec3_make(0.5, 0, 0), 1e-10);
        vec3 stuck = vec3_add(mat3_apply(W[1], contact_get(r, 1)), q[1]);
        assert_vector_near(stuck, vec3_zero(), 1e-9);
        assert_vector_near(contact_get(r, 2), vec3_zero(), 0);
        assert_vector_near(vec3_scale(1e-8, contact_get(r, 3)), vec3_make(1, -0.1 / 3, 0), 1e-9);
        memory_free(r);
        // Two prescribed bodies that meet: nothing can stop them. The scaled measure, which has no
        // scale there, leaves them out; the other says so.
        settings.max_iterations = 20;
        settings.measure = GABION_MEASURE_FCLIB;
        problem->q[6] = -1;
        r = solve(problem, family[k], &settings, &result);
        assert_int_equal(result.status, SOLVER_CAP);
        assert_vector_near(contact_get(r, 2), vec3_zero(), 0);
        problem->q[6] = 1;
        memory_free(r);
        r = solve(empty, family[k], &settings, &result);
        assert_int_equal(result.status, SOLVER_CONVERGED);
        memory_free(r);
    }
    contact_problem_free(empty);
    contact_problem_free(problem);
}

// Files ---------------------------------------------------------------------------------------

// Plain sweeps stop above the error `left`; acceleration and the proximal term get to the
// tolerance.
static void check_stall(struct contact_problem *problem, struct solver_settings *settings,
                        double left) {
    struct solver_result result;
    settings->measure = GABION_MEASURE_FCLIB;
    memory_free(solve(problem, GABION_METHOD_NSGS, settings, &result));
    assert_int_equal(result.status, SOLVER_CAP);
    assert_true(result.error.fclib > left);
    for (int k = 1; k < 3; k++) {
        memory_free(solve(problem, family[k], settings, &result));
        assert_int_equal(result.status, SOLVER_CONVERGED);
    }
}

static void test_stall(void **state) {
    (void)state;
    const char *const names[] = {"tower-heavy", "arch-falling"};
    for (int k = 0; k < 2; k++) {
        struct solver_settings settings = settings_of(1e-6, 3000);
        struct contact_problem *problem = read_problem(names[k], true);
        check_stall(problem, &settings, 5e-6);
        contact_problem_free(problem);
    }
}

// Two contacts of one body with mu = 1, by the rows of H^T: what one takes the other gives back,
// and sweeps cycle for ever.
static struct contact_problem *cycling(void) {
    static const double H[6][6] = {
        {-0.6, 0.4, -0.2, 0, -0.7, -0.7}, {-0.8, -0.8, 0.8, -0.7, -0.4, 0.4},
        {0.5, -0.6, 0.6, 0.7, 0.7, 0.3},  {0.4, -0.9, 0.8, 0.4, 0.7, 0.8},
        {0, 0.3, -0.5, 0.3, 0.8, -0.4},   {0.5, -0.1, 0.6, -0.4, -0.1, 0.4},
    };
    static const double v[6] = {-0.6, 1, -0.8, 0.3, 0.5, 0.3};
    struct contact_problem *problem = contact_problem_create(2, 4);
    for (size_t e = 0; e < 4; e++) {
        problem->matrix.start[e / 2 + 1] = 2 * (e / 2 + 1);
        problem->matrix.column[e] = (int32_t)(e % 2);
    }
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < 6; k++) {
            problem->q[i] += H[i][k] * v[k];
            for (size_t j = 0; j < 6; j++) {
                size_t e = 2 * (i / 3) + j / 3;
                problem->matrix.value[CONTACT_BLOCK * e + 4 * (j % 3) + i % 3] += H[i][k] * H[j][k];
            }
        }
    problem->mu[0] = problem->mu[1] = 1;
    contact_problem_finish(problem);
    return problem;
}

// Shorter steps of the sweeps end a cycle as well. The second problem need not be there.
static void test_cycle(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct contact_problem *problem =
            k ? read_problem("OneObject-i100000-499", false) : cycling();
        struct solver_settings settings = settings_of(1e-8, 20000);
        struct solver_result result;
        if (!problem)
            continue;
        check_stall(problem, &settings, 1e-4);
        settings.relaxation = 0.5;
        memory_free(solve(problem, GABION_METHOD_NSGS, &settings, &result));
        assert_int_equal(result.status, SOLVER_CONVERGED);
        contact_problem_free(problem);
    }
}

// More impulses than motions. Accelerated sweeps alone are left out where their end is a matter of
// luck.
static const struct {
    const char *name;
    bool shipped, anderson;
} hyperstatic[] = {
    {"arch-standing", true, true},
    {"wall", true, true},
    {"wall-high-landing", true, true},
    {"settling", true, false},
    {"hopper-full", true, false},
    {"KaplasTower-i1061-4", false, true},
    {"BoxesStack1-i100000-32", false, true},
    {"spheres-in-a-box-98-i10000-256-10", false, false},
    {"Capsules-i125-1213", false, false},
};

static void test_hyperstatic(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof hyperstatic / sizeof *hyperstatic; i++) {
        struct contact_problem *problem = read_problem(hyperstatic[i].name, hyperstatic[i].shipped);
        for (int k = hyperstatic[i].anderson ? 1 : 2; problem && k < 3; k++) {
            struct solver_settings settings = settings_of(1e-6, 50000);
            struct solver_result result;
            memory_free(solve(problem, family[k], &settings, &result));
            print_message("%s %s: %d sweeps\n", hyperstatic[i].name, panel_name(family[k]),
                          result.iterations);
            assert_solved(&result, 1e-6);
        }
        contact_problem_free(problem);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_locals_agree), cmocka_unit_test(test_hard_contacts),
        cmocka_unit_test(test_unsymmetric),  cmocka_unit_test(test_faces),
        cmocka_unit_test(test_threads),      cmocka_unit_test(test_chain),
        cmocka_unit_test(test_degenerate),   cmocka_unit_test(test_stall),
        cmocka_unit_test(test_cycle),        cmocka_unit_test(test_hyperstatic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
