// The explicit and the exact one-contact solver inside the same sweeps: on spheres, whose contact
// blocks are diagonal, both are exact and must give the same answer (Renouf, Acary 2006, section
// 5).
#include "engine/contact/contacts.h"
#include "parallel/memory.h"
#include "tests/unit/settling.h"

#define SPHERES       75
#define SETTLED_STEPS 200 // later the cold problem takes sweeps beyond the cap to TOLERANCE
#define TOLERANCE     1e-12
#define AGREEMENT     1e-8

// A heap in a box, three spheres wide, at rest or nearly so.
static struct gabion_world *settle_heap(double friction) {
    struct gabion_world *world = settling(SPHERES, 9, SETTLED_STEPS, friction);
    scene_enter_step(world);
    return world;
}

struct solution {
    bool converged;
    int64_t local_fallbacks;
    size_t count;
    size_t general; // contacts that went through the exact solver
    vec3 *impulse, *velocity, *spin;
};

// The step that follows, from zero impulses. The world itself does not move.
static struct solution solve_cold(struct gabion_world *world, enum gabion_local local) {
    struct solution solution = {0};
    world->settings.method = GABION_METHOD_NSGS;
    world->settings.local = local;
    world->settings.tolerance = TOLERANCE;
    world->settings.max_sweeps = 200000;
    int64_t fallbacks = world->run.local_fallbacks;
    scene_find_contacts(world);
    scene_open_problem(world);
    solve_run(world);
    solve_close(world);
    solution.converged = world->report.converged;
    solution.local_fallbacks = world->run.local_fallbacks - fallbacks;
    size_t moving = (size_t)world->bodies.moving;
    solution.count = world->contacts->count;
    solution.general = scene_plan(world)->point_count;
    solution.impulse = memory_allocate(solution.count, sizeof(vec3), "test");
    solution.velocity = memory_allocate(moving, sizeof(vec3), "test");
    solution.spin = memory_allocate(moving, sizeof(vec3), "test");
    for (size_t k = 0; k < solution.count; k++)
        solution.impulse[k] = world->contacts->impulse[k];
    for (size_t i = 0; i < moving; i++) {
        solution.velocity[i] = solver_v(&scene_plan(world)->bodies[i]);
        solution.spin[i] = solver_s(&scene_plan(world)->bodies[i]);
    }
    return solution;
}

static void solution_free(struct solution *solution) {
    memory_free(solution->impulse);
    memory_free(solution->velocity);
    memory_free(solution->spin);
}

static double largest_difference(const vec3 *a, const vec3 *b, size_t count) {
    double largest = 0;
    for (size_t k = 0; k < count; k++)
        largest = fmax(largest, vec3_length(vec3_sub(a[k], b[k])));
    return largest;
}

static double largest_length(const vec3 *a, size_t count) {
    double largest = 0;
    for (size_t k = 0; k < count; k++)
        largest = fmax(largest, vec3_length(a[k]));
    return largest;
}

static void assert_agreement(const char *what, const vec3 *a, const vec3 *b, size_t count,
                             double scale) {
    double difference = largest_difference(a, b, count);
    if (!(difference <= AGREEMENT * scale))
        fail_msg("%s differ by %.3e, more than %.0e of %.3e", what, difference, AGREEMENT, scale);
}

// Impulses of a heap with friction are not unique. They are compared all the same: the two solvers
// answer each one-contact problem alike, so that their sweeps follow the same path.
static void compare_solvers(double friction) {
    struct gabion_world *world = settle_heap(friction);
    size_t moving = (size_t)world->bodies.moving;
    double speed = world->settings.step * vec3_length(world->settings.gravity);
    struct solution explicit_one = solve_cold(world, GABION_LOCAL_EXPLICIT);
    struct solution exact = solve_cold(world, GABION_LOCAL_EXACT);

    assert_true(explicit_one.converged);
    assert_true(exact.converged);
    assert_int_equal(exact.local_fallbacks, 0);
    assert_int_equal(explicit_one.general, 0);
    assert_int_equal(exact.general, exact.count);
    assert_true(exact.count > 2 * SPHERES);
    assert_int_equal(explicit_one.count, exact.count);
    assert_agreement("velocities", explicit_one.velocity, exact.velocity, moving, speed);
    assert_agreement("spins", explicit_one.spin, exact.spin, moving, speed);
    assert_agreement("impulses", explicit_one.impulse, exact.impulse, exact.count,
                     largest_length(exact.impulse, exact.count));
    solution_free(&explicit_one);
    solution_free(&exact);
    scene_destroy(world);
}

static void test_with_friction(void **state) {
    (void)state;
    compare_solvers(0.3);
}

static void test_without_friction(void **state) {
    (void)state;
    compare_solvers(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_with_friction),
        cmocka_unit_test(test_without_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
