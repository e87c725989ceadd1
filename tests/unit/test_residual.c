// The scaled residual: its scale, what it allows for rounding, and the worst contact.
#include "engine/problem/residual.h"
#include "engine/step/solve.h"
#include "parallel/memory.h"
#include "tests/unit/random_problem.h"
#include "tests/unit/scene.h"

#define H      1e-3
#define RADIUS 0.1

static struct gabion_world *floor_world(struct gabion_settings settings) {
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    scene_floor(world);
    return world;
}

// Returns the rows of the step that the world is about to do.
static struct contact_problem *rows_of(struct gabion_world *world) {
    scene_enter_step(world);
    scene_find_contacts(world);
    scene_open_problem(world);
    solve_close(world);
    struct contact_problem *problem = solve_problem(world);
    contact_problem_materialise(problem);
    return problem;
}

static double scale_of(const struct contact_problem *problem) {
    return fmax(sqrt(residual_closing2(problem)), problem->least.floor);
}

// Four hundred spheres rest on the floor, each a contact that closes with h g. One more that comes
// down a thousand times as fast may count ten times the usual speed: s grows by sqrt(500 / 400).
static double scale_with_fast(bool fast) {
    struct gabion_world *world = floor_world(scene_settings(H, 0.5));
    for (int k = 0; k < 400; k++)
        scene_sphere(world, vec3_make(k % 20, k / 20, RADIUS), RADIUS, 1, vec3_zero());
    if (fast)
        scene_sphere(world, vec3_make(-1, 0, RADIUS), RADIUS, 1, vec3_make(0, 0, -9.81));
    struct contact_problem *problem = rows_of(world);
    double scale = scale_of(problem);
    contact_problem_free(problem);
    scene_destroy(world);
    return scale;
}

static void test_one_fast_body(void **state) {
    (void)state;
    double slow = scale_with_fast(false);
    assert_near(slow, 20 * 9.81 * H, 1e-12);
    assert_at_most(scale_with_fast(true), 1.2 * slow);
}

// Where all contacts close equally fast, or none faster than ten times the usual, s is the norm.
static void test_usual_speeds(void **state) {
    (void)state;
    struct gabion_world *world = floor_world(scene_settings(H, 0.5));
    double sum = 0;
    for (int k = 0; k < 5; k++) {
        scene_sphere(world, vec3_make(k, 0, RADIUS), RADIUS, 1, vec3_make(0, 0, -1 - k));
        sum += (1 + k + 9.81 * H) * (1 + k + 9.81 * H);
    }
    struct contact_problem *problem = rows_of(world);
    assert_near(scale_of(problem), sqrt(sum), 1e-12);
    contact_problem_free(problem);
    scene_destroy(world);
}

// The views that sweeps measure and the rows have the same scale.
static void test_views_agree(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(H, 0.5);
    settings.max_sweeps = 1;
    settings.on_cap = GABION_CAP_ACCEPT;
    struct gabion_world *world = floor_world(settings);
    for (int k = 0; k < 50; k++)
        scene_sphere(world, vec3_make(k, 0, RADIUS), RADIUS, 1, vec3_make(0.01 * k, 0, 0));
    for (int k = 0; k < 3; k++)
        scene_sphere(world, vec3_make(-1, 0, RADIUS * (2 * k + 1)), RADIUS, 1, vec3_make(0, 0, -5));
    scene_step(world, 1);
    struct contact_problem *problem = solve_problem(world);
    contact_problem_materialise(problem);
    double *r = memory_allocate(contact_problem_size(problem), sizeof *r, "test");
    contact_problem_to_rows(problem, world->contacts->impulse, r);
    struct contact_error error = residual_of(problem, r);
    assert_true(error.scaled > 1e-6);
    assert_near(world->report.residual, error.scaled, 1e-11 * error.scaled);
    assert_near(world->report.residual_worst, error.worst, 1e-11 * error.worst);
    // The chain of three: one sweep leaves its two lower contacts unsolved.
    assert_true(world->report.worst_body_a > 50 || world->report.worst_body_b > 50);
    memory_free(r);
    contact_problem_free(problem);
    scene_destroy(world);
}

// Half way up a gravity ramp the floor is half of h g; without gravity it follows the body's size.
static void test_floor_follows_gravity(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(H, 0.5);
    settings.gravity_ramp_end = 1000 * H;
    struct gabion_world *world = floor_world(settings);
    scene_sphere(world, vec3_make(0, 0, RADIUS), RADIUS, 1, vec3_zero());
    scene_step(world, 500);
    assert_near(solve_least_speeds(world).floor, 0.5 * 9.81 * H, 0.01 * 9.81 * H);
    scene_destroy(world);

    settings = scene_settings(H, 0.5);
    settings.gravity = vec3_zero();
    world = floor_world(settings);
    scene_sphere(world, vec3_make(0, 0, RADIUS), RADIUS, 1, vec3_zero());
    scene_sphere(world, vec3_make(9, 0, 1), 1, 1, vec3_zero());
    scene_enter_step(world);
    assert_near(solve_least_speeds(world).floor, 1e-9 * RADIUS / H, 1e-20);
    assert_near(solve_least_speeds(world).still, 1e-14 * RADIUS / H, 1e-25);
    scene_destroy(world);
}

// A cluster that meets in flight, seen from a frame that moves.
static struct gabion_world *cluster(double frame_speed) {
    struct gabion_settings settings = scene_settings(H, 0.5);
    struct random_stream random = {7};
    settings.gravity = vec3_zero();
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.3});
    for (int k = 0; k < 27; k++) {
        vec3 centre = vec3_make(0.2 * (k % 3), 0.2 * (k / 3 % 3), 0.2 * (k / 9));
        vec3 v = vec3_scale(0.2, scene_random_unit(&random));
        scene_sphere(world, centre, RADIUS, 1 + k % 3,
                     vec3_add(v, vec3_make(frame_speed, 0, 0.5 * frame_speed)));
    }
    return world;
}

static void cluster_error(double frame_speed, double impulse, struct contact_error *error,
                          double *rounding) {
    struct gabion_world *world = cluster(frame_speed);
    struct contact_problem *problem = rows_of(world);
    double *r = memory_allocate(contact_problem_size(problem), sizeof *r, "test");
    for (int32_t a = 0; a < problem->contacts; a++)
        contact_set(r, a, vec3_make(impulse * (1 + a % 3), 0.1 * impulse, 0));
    struct residual_sums sums = residual_of_rows(problem, r);
    *error = residual_error(&sums, problem->least.floor);
    *rounding = residual_rounding(&sums, problem->least.floor);
    assert_true(*rounding <= 1e-9 * scale_of(problem));
    memory_free(r);
    contact_problem_free(problem);
    scene_destroy(world);
}

static void test_moving_frame(void **state) {
    (void)state;
    struct contact_error still, moving;
    double still_rounding, moving_rounding;
    cluster_error(0, 0.1, &still, &still_rounding);
    cluster_error(10, 0.1, &moving, &moving_rounding); // slow enough for the same candidates
    assert_true(still.scaled > 0.1);
    assert_near(moving.scaled, still.scaled, 1e-11 * still.scaled);
    assert_near(moving.worst, still.worst, 1e-11 * still.worst);
    assert_near(moving_rounding, still_rounding, 1e-11 * still_rounding);
}

// Impulses that have run away excuse nothing.
static void test_rounding_is_bounded(void **state) {
    (void)state;
    struct contact_error error;
    double rounding;
    cluster_error(0, 1e12, &error, &rounding); // 4 eps 1e12 is far above the bound
    assert_true(error.scaled > 1e9);
}

// Spheres at rest whose impulses are what they should be, but for one that lets its sphere sink at
// the speed `sinking`.
static struct residual_sums sums_at_rest(double sinking, struct least_speeds *least) {
    struct gabion_world *world = floor_world(scene_settings(H, 0.5));
    for (int k = 0; k < 100; k++)
        scene_sphere(world, vec3_make(k, 0, RADIUS), RADIUS, 2, vec3_zero());
    struct contact_problem *problem = rows_of(world);
    double *r = memory_allocate(contact_problem_size(problem), sizeof *r, "test");
    for (int32_t a = 0; a < problem->contacts; a++)
        contact_set(r, a, vec3_make(2 * (9.81 * H - (a == 37 ? sinking : 0)), 0, 0));
    struct residual_sums sums = residual_of_rows(problem, r);
    *least = problem->least;
    memory_free(r);
    contact_problem_free(problem);
    scene_destroy(world);
    return sums;
}

// Both allowances to the digit (docs/solvers.md). Every q is h g, and every impulse alone causes
// |W| r = 3.5 h g: 4 eps sqrt(100 (1 + 3.5^2)) h g is taken off. A speed that moves the body by
// 1e-14 of its radius in a step is none.
static void test_allowances(void **state) {
    (void)state;
    struct least_speeds least;
    double s = 10 * 9.81 * H, still = 1e-14 * RADIUS / H;
    struct residual_sums sums = sums_at_rest(2 * still, &least);
    double allowed = 4 * DBL_EPSILON * sqrt(1 + 3.5 * 3.5) * s;
    assert_near(residual_rounding(&sums, least.floor), allowed, 1e-9 * allowed);
    assert_near(residual_scaled(&sums, least.floor), (2 * still - allowed) / s, 0.01 * allowed / s);
    assert_near(residual_scaled(&sums, 0), 2 * still / s, 0.01 * allowed / s); // a file
    sums = sums_at_rest(1.001 * still, &least);
    assert_true(residual_scaled(&sums, least.floor) > 0.9 * still / s);
    sums = sums_at_rest(0.999 * still, &least);
    assert_near(residual_scaled(&sums, least.floor), 0, 0);
}

// Diverged impulses: no more than 1e-9 s.
static void test_largest_allowance(void **state) {
    (void)state;
    struct least_speeds least;
    struct residual_sums sums = sums_at_rest(0, &least);
    sums.wr2 *= 1e20;
    double most = 1e-9 * 10 * 9.81 * H;
    assert_near(residual_rounding(&sums, least.floor), most, 1e-12 * most);
}

// Two bodies that have met drift together: what is left of q is rounding. Every step can be solved
// to 1e-10, in either frame.
static void test_drift_is_solved(void **state) {
    (void)state;
    for (int k = 0; k < 30; k++) {
        struct gabion_settings settings = scene_settings(0.013, 0.5);
        settings.gravity = vec3_zero();
        settings.gap = GABION_GAP_STABILIZED; // makes velocities of rounded gaps
        settings.max_sweeps = 1000;
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
        vec3 n = scene_random_unit(&(struct random_stream){(uint64_t)k});
        vec3 frame = k % 2 ? vec3_make(10, 0, 5) : vec3_zero();
        scene_sphere(world, vec3_zero(), 0.5, 1, vec3_add_scaled(frame, 2, n));
        scene_sphere(world, vec3_scale(1.31, n), 0.5, 3, vec3_add_scaled(frame, -1, n));
        scene_step(world, 40); // fails where a step stays above the tolerance
        assert_at_most(world->report.residual, settings.tolerance);
        scene_destroy(world);
    }
}

// A sphere at rest with an impulse 1 % short: u_n = -0.01 h g, and its own scale is the velocity
// that its impulse alone causes, |W| r with |W| = 1/m + R^2/I = 3.5/m.
static void test_worst_contact(void **state) {
    (void)state;
    struct gabion_world *world = floor_world(scene_settings(H, 0.5));
    for (int k = 0; k < 100; k++)
        scene_sphere(world, vec3_make(k, 0, RADIUS), RADIUS, 2, vec3_zero());
    struct contact_problem *problem = rows_of(world);
    double *r = memory_allocate(contact_problem_size(problem), sizeof *r, "test");
    double weight = 2 * 9.81 * H;
    for (int32_t a = 0; a < problem->contacts; a++)
        contact_set(r, a, vec3_make(a == 37 ? 0.99 * weight : weight, 0, 0));
    struct residual_sums sums = residual_of_rows(problem, r);
    struct contact_error error = residual_error(&sums, problem->least.floor);
    assert_int_equal(sums.worst, 38);
    assert_near(error.worst, 0.01 / (3.5 * 0.99), 1e-12);
    assert_near(error.scaled, 0.01 / 10, 1e-12);
    memory_free(r);
    contact_problem_free(problem);
    scene_destroy(world);
}

#define MOST_ROWS 150

// Rows of every kind: open, sticking and sliding, at rest and on the edge of the cone.
static void random_rows(struct random_stream *random, struct contact_problem *problem, double *r,
                        double *u) {
    static const double frictions[] = {0, 0.3, 0.7, 40, CONTACT_STICKS};
    int kinds = random_bits(random) % 4 == 0 ? 5 : 4; // few problems have contacts that stick
    for (int32_t a = 0; a < problem->contacts; a++) {
        double mu = frictions[random_bits(random) % (uint64_t)kinds];
        double scale = pow(10, random_between(random, -9, 3));
        vec3 push = vec3_scale(scale, random_vector(random)), zero = vec3_zero();
        push.x = fabs(push.x);
        problem->mu[a] = mu;
        problem->rho[a] = random_bits(random) % 11 == 0 ? 0 : random_between(random, 0.1, 9);
        contact_set(problem->q, a, random_vector(random));
        contact_set(r, a, random_bits(random) % 3 == 0 ? zero : push);
        contact_set(u, a, random_bits(random) % 5 == 0 ? zero : random_vector(random));
    }
}

// The sums of one contact after the other.
static struct residual_sums sums_one_by_one(const struct contact_problem *problem, const double *r,
                                            const double *u) {
    struct residual_tally tally = {0};
    struct residual_base base = residual_base(problem);
    for (int32_t a = 0; a < problem->contacts; a++) {
        vec3 r_a = contact_get(r, a), u_a = contact_get(u, a);
        double rho = problem->rho[a] > 0 ? problem->rho[a] : base.spare;
        struct contact_view view = {r_a.x, u_a.x, problem->mu[a], rho, .place = a + 1};
        view.still = problem->least.still;
        view.r_t = vec3_make(0, r_a.y, r_a.z);
        view.u_t = vec3_make(0, u_a.y, u_a.z);
        residual_add_free(
            &(struct contact_view){.u_n = problem->q[3 * a],
                                   .u_t = {0, problem->q[3 * a + 1], problem->q[3 * a + 2]}},
            problem->least.floor, &tally);
        residual_add_solved(&view, problem->least.floor, &tally);
    }
    return residual_close(&tally);
}

// Rows go four at a time, and sums of few rows have a way of their own: the bits are those of one
// row after the other.
static void test_rows_one_by_one(void **state) {
    (void)state;
    struct random_stream random = {11};
    double mu[MOST_ROWS], rho[MOST_ROWS], q[3 * MOST_ROWS], r[3 * MOST_ROWS], u[3 * MOST_ROWS];
    for (int trial = 0; trial < 2000; trial++) {
        struct contact_problem problem = {.mu = mu, .rho = rho, .q = q};
        problem.contacts = trial < 1500 ? trial % 11 : trial % MOST_ROWS;
        problem.least.still = trial % 2 ? 1e-3 : 0;
        random_rows(&random, &problem, r, u);
        if (trial % 100 == 99)
            u[1] = NAN;
        struct residual_sums sums = residual_at(&problem, r, u);
        struct residual_sums one_by_one = sums_one_by_one(&problem, r, u);
        assert_memory_equal(&sums, &one_by_one, sizeof sums);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_one_by_one),       cmocka_unit_test(test_one_fast_body),
        cmocka_unit_test(test_usual_speeds),          cmocka_unit_test(test_views_agree),
        cmocka_unit_test(test_floor_follows_gravity), cmocka_unit_test(test_moving_frame),
        cmocka_unit_test(test_rounding_is_bounded),   cmocka_unit_test(test_allowances),
        cmocka_unit_test(test_largest_allowance),     cmocka_unit_test(test_drift_is_solved),
        cmocka_unit_test(test_worst_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
