// The stages of the method auto on contact problems in files: what it makes of a problem, and when
// it goes from one method to the next.
#include "engine/solvers/choice.h"
#include "engine/solvers/krylov/anderson.h"
#include "engine/solvers/panel.h"
#include "io/fclib/fclib.h"
#include "parallel/team.h"
#include "tests/unit/problem_maker.h"

#define TOLERANCE 1e-8

static struct solver_settings settings_to(int most) {
    return (struct solver_settings){.tolerance = TOLERANCE,
                                    .measure = GABION_MEASURE_SCALED,
                                    .max_iterations = most,
                                    .relaxation = 1,
                                    .momentum = true,
                                    .cone = {.sides = 8}};
}

static struct team *team;

static int open_team(void **state) {
    (void)state;
    struct gabion_error error = {0};
    team = team_create(1, NULL, &error);
    return team ? 0 : 1;
}

static int close_team(void **state) {
    (void)state;
    team_destroy(team);
    return 0;
}

static struct contact_problem *read_shipped(const char *name) {
    struct gabion_error error = {0};
    struct contact_problem *problem = NULL;
    char path[200];
    snprintf(path, sizeof path, "tests/problems/%s.hdf5", name);
    if (!fclib_read_step(path, &problem, &error))
        fail_msg("%s", error.text);
    assert_non_null(problem);
    problem->team = team;
    return problem;
}

static struct solver_result solve(struct contact_problem *problem, int most) {
    struct solver_settings settings = settings_to(most);
    double *r = memory_allocate(3 * contact_problem_slots(problem), sizeof *r, "impulses");
    struct solver_result result = panel_solve(problem, GABION_METHOD_AUTO, &settings, NULL, r);
    memory_free(r);
    return result;
}

static struct solver_result solve_shipped(const char *name, int most) {
    struct contact_problem *problem = read_shipped(name);
    struct solver_result result = solve(problem, most);
    contact_problem_free(problem);
    return result;
}

// ipm comes near the solutions of these and stalls. Newton then takes some factorisations from the
// velocities that follow from the impulses found; from those before the step it took 174 to 220.
static void test_newton_finishes_what_ipm_found(void **state) {
    (void)state;
    static const char *const names[] = {"settling-shallow", "brazil-nut-lifted", "hopper-full",
                                        "hopper-opening"};
    int newton = 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct solver_result result = solve_shipped(names[k], 10000);
        assert_int_equal(result.status, SOLVER_CONVERGED);
        assert_true(result.spent[GABION_METHOD_IPM] > 0);
        assert_true(result.spent[GABION_METHOD_IPM] < 60);
        newton += result.spent[GABION_METHOD_NEWTON];
    }
    assert_true(newton > 0 && newton < 60);
}

// Sweeps leave impulses from which no step of ipm gets away; it then starts elsewhere.
static void test_bad_start_of_ipm_is_dropped(void **state) {
    (void)state;
    struct solver_result result = solve_shipped("settling-late", 10000);
    assert_int_equal(result.status, SOLVER_CONVERGED);
    assert_true(result.spent[GABION_METHOD_NEWTON] < 60);
}

// A structure that moves is left by admm after a trial, one that sticks is nearly solved by it.
static void test_trial_of_admm(void **state) {
    (void)state;
    struct solver_result moves = solve_shipped("arch-falling", 10000);
    assert_int_equal(moves.status, SOLVER_CONVERGED);
    assert_true(moves.spent[GABION_METHOD_ADMM] > 0);
    assert_true(moves.spent[GABION_METHOD_ADMM] <= 24);
    struct solver_result sticks = solve_shipped("tower-heavy", 10000);
    assert_int_equal(sticks.status, SOLVER_CONVERGED);
    assert_true(sticks.spent[GABION_METHOD_ADMM] > 24);
    assert_true(sticks.spent[GABION_METHOD_ADMM] < 60);
    assert_true(sticks.spent[GABION_METHOD_IPM] <= 6);
}

// Among grains newton takes no more than the sweeps of the cap would cost, but some factorisations.
static void test_newton_is_bounded_among_grains(void **state) {
    (void)state;
    struct solver_result result = solve_shipped("settling-late", 200);
    assert_int_not_equal(result.status, SOLVER_CONVERGED);
    assert_int_equal(result.spent[GABION_METHOD_NEWTON], 20);
}

// Two contacts that hardly know of each other: sweeps gain digits faster than anything could be set
// up.
static void test_few_contacts_are_swept(void **state) {
    (void)state;
    double W[36] = {0}, q[6] = {-1, 0.3, 0, -1, 0, 0.2}, mu[2] = {0.5, 0.5};
    for (int i = 0; i < 6; i++)
        W[7 * i] = 1;
    W[3] = W[18] = 1e-4;
    struct contact_problem *problem = maker_matrix(2, W, q, mu);
    struct solver_result result = solve(problem, 100);
    assert_int_equal(result.status, SOLVER_CONVERGED);
    assert_int_equal(result.finished, GABION_METHOD_NSGS);
    assert_int_equal(result.spent[GABION_METHOD_ANDERSON], 0);
    assert_in_range(result.spent[GABION_METHOD_NSGS], 2, 4);
    contact_problem_free(problem);
}

static int asked;

static double worth_some(const struct contact_problem *problem, double tolerance) {
    (void)problem, (void)tolerance;
    asked++;
    return 400;
}

// What sweeps are worth is asked for once. After a fifth of that they are left where more than half
// is missing.
static void test_anderson_asks_once(void **state) {
    (void)state;
    struct contact_problem *problem = read_shipped("settling-late");
    contact_problem_materialise(problem);
    struct solver_settings settings = settings_to(10000);
    struct monitor monitor = monitor_open(problem, &settings);
    double *r = memory_allocate(contact_problem_size(problem), sizeof *r, "impulses");
    asked = 0;
    assert_false(monitor_check(&monitor, 0, r));
    assert_false(anderson_run(&monitor, worth_some, r));
    assert_int_equal(asked, 1);
    assert_in_range(monitor.iterations, 80, 100);
    monitor_close(&monitor);
    memory_free(r);
    contact_problem_free(problem);
}

// A solution to more digits is expected to take longer, and to cost more with more fill.
static void test_expected_cost(void **state) {
    (void)state;
    assert_near(choice_iterations(1e-8), 2 * choice_iterations(1e-4), 1e-12);
    assert_true(choice_iteration(100, 1e6) > choice_iteration(100, 1e5));
    assert_near(choice_iteration(200, 2e5), 2 * choice_iteration(100, 1e5), 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_newton_finishes_what_ipm_found),
        cmocka_unit_test(test_bad_start_of_ipm_is_dropped),
        cmocka_unit_test(test_trial_of_admm),
        cmocka_unit_test(test_newton_is_bounded_among_grains),
        cmocka_unit_test(test_few_contacts_are_swept),
        cmocka_unit_test(test_anderson_asks_once),
        cmocka_unit_test(test_expected_cost),
    };
    return cmocka_run_group_tests(tests, open_team, close_team);
}
