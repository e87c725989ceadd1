// The newton method against sweeps and closed forms: the same contact law, found in another way.
#include "cases/generators.h"
#include "engine/contact/contacts.h"
#include "engine/solvers/sweep/plan.h"
#include "engine/solvers/panel.h"
#include "parallel/memory.h"
#include "tests/unit/scene.h"

static struct gabion_settings newton_settings(void) {
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.method = GABION_METHOD_NEWTON;
    settings.max_sweeps = 400;
    return settings;
}

static vec3 total_impulse(const struct gabion_world *world, int32_t id) {
    int32_t i = world->bodies.index_of[id];
    vec3 sum = vec3_zero();
    for (size_t k = 0; k < world->contacts->count; k++) {
        const struct contact *contact = &world->contacts->list[k];
        double sign = (contact->c == i) - (contact->a == i);
        sum = vec3_add_scaled(sum, sign, scene_contact_impulse(world, contact));
    }
    return sum;
}

// A wall of 3 courses in running bond at rest: every course carries what is above, in one step from
// a cold start, to the tolerance of 1e-10 that sweeps do not reach here.
static void test_wall(void **state) {
    (void)state;
    struct gabion_settings settings = newton_settings();
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.6});
    int whole = scene_box_shape(world, vec3_make(0.1, 0.05, 0.05));
    int half = scene_box_shape(world, vec3_make(0.05, 0.05, 0.05));
    int32_t ground = scene_floor(world);
    double mass = 0;
    for (int course = 0; course < 3; course++)
        for (int k = 0; k < (course == 1 ? 4 : 3); k++) {
            bool end = course == 1 && (k == 0 || k == 3);
            double x = course != 1 ? 0.1 + 0.2 * k : k == 0 ? 0.05 : k == 3 ? 0.55 : 0.2 * k;
            scene_block(world, end ? half : whole, vec3_make(x, 0.05, 0.05 + 0.1 * course));
            mass += 1000 * (end ? 0.001 : 0.002);
        }
    for (int step = 0; step < 20; step++) {
        scene_step(world, 1);
        assert_true(world->report.converged);
        vec3 reaction = total_impulse(world, ground);
        assert_near(reaction.z, -mass * 9.81 * 1e-3, 1e-9 * mass);
        assert_at_most(world->report.max_speed, 1e-10);
    }
    scene_assert_ledger(world);
    scene_destroy(world);
}

// A wall at rest is not solved again in every step: nineteen steps out of twenty, when the first
// have passed, need no factorisation. A few do, because impulses that are held push blocks over
// like hinged columns.
static void test_rest(void **state) {
    (void)state;
    struct gabion_settings settings = newton_settings();
    struct gabion_error error = {0};
    settings.tolerance = 1e-6;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.6});
    scene_floor(world);
    struct wall_definition wall = {
        .template = gabion_default_body(),
        .block = {0.2, 0.1, 0.1},
        .courses = 12,
        .blocks = 8,
    };
    wall.template.material = SCENE_BODY;
    wall.template.density = 2200;
    assert_true(generate_wall(world, &wall, &error));
    scene_step(world, 200);
    int solved = 0;
    for (int step = 0; step < 400; step++) {
        scene_step(world, 1);
        assert_true(world->report.converged);
        solved += world->report.spent[GABION_METHOD_NEWTON] > 0;
    }
    assert_at_most(solved, 400 / 20);
    scene_destroy(world);
}

// Steel balls and blocks in one heap, some turning only about one axis, one too busy for a single
// node: spheres, tensors, locks and copies in the same system.
static struct gabion_world *mixed_heap(const struct gabion_settings *settings) {
    struct gabion_world *world = scene_create(settings, (struct gabion_law){.friction = 0.4});
    int shape = scene_box_shape(world, vec3_make(0.2, 0.15, 0.1));
    scene_floor(world);
    for (int k = 0; k < 4; k++)
        scene_block(world, shape, vec3_make(0.5 * k, 0.02 * k, 0.1));
    for (int k = 0; k < 4; k++) {
        struct gabion_body ball =
            scene_sphere_body(vec3_make(0.5 * k + 0.03, 0.02 * k, 0.3), 0.1, 5);
        ball.spin = vec3_make(0, 3, 0);
        if (k == 2) {
            ball.lock = GABION_LOCK_Y | GABION_LOCK_RX | GABION_LOCK_RZ;
            ball.velocity = vec3_make(0.2, 0, 0);
        }
        scene_add(world, &ball);
    }
    scene_sphere(world, vec3_make(0.78, 0.02, 1.0), 0.5, 40, vec3_make(0, 0, -1));
    return world;
}

// One contact each or statically determined: velocities and impulses are unique, so the two methods
// must agree step after step.
static void test_mixed(void **state) {
    (void)state;
    struct gabion_settings settings = newton_settings();
    struct gabion_world *newton = mixed_heap(&settings);
    settings.method = GABION_METHOD_NSGS;
    settings.max_sweeps = 200000;
    struct gabion_world *sweeps = mixed_heap(&settings);
    for (int step = 0; step < 100; step++) {
        scene_step(newton, 1);
        scene_step(sweeps, 1);
        for (int32_t id = 0; id < newton->bodies.id_count; id++) {
            vec3 d = vec3_sub(scene_velocity(newton, id), scene_velocity(sweeps, id));
            assert_at_most(vec3_length(d), 1e-7);
        }
    }
    assert_true(newton->report.contacts > 10);
    scene_assert_ledger(newton);
    scene_destroy(newton);
    scene_destroy(sweeps);
}

// A ball on which forty others rest is split into copies for the sweeps; the system has it whole.
static void test_split_body(void **state) {
    (void)state;
    struct gabion_settings settings = newton_settings();
    settings.gravity = vec3_make(0, 0, -9.81);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    int slab = scene_box_shape(world, vec3_make(2, 2, 0.1));
    int brick = scene_box_shape(world, vec3_make(0.1, 0.1, 0.1));
    int32_t floor = scene_floor(world), table = scene_block(world, slab, vec3_make(0, 0, 0.1));
    for (int k = 0; k < 49; k++)
        scene_block(world, brick, vec3_make(0.5 * (k % 7) - 1.5, 0.5 * (k / 7) - 1.5, 0.3));
    for (int step = 0; step < 5; step++) {
        scene_step(world, 1);
        assert_true(scene_plan(world)->split_count > 0);
        double weight = (1000 * 3.2 + 49 * 8) * 9.81e-3;
        assert_near(scene_pair_impulse(world, table, floor).z, weight, 1e-8 * weight);
    }
    scene_destroy(world);
}

// A cap of one factorisation is not enough for a cold start: the step says so.
static void test_honest(void **state) {
    (void)state;
    struct gabion_settings settings = newton_settings();
    settings.max_sweeps = 1;
    settings.on_cap = GABION_CAP_ACCEPT;
    struct gabion_world *world = mixed_heap(&settings);
    scene_step(world, 1);
    assert_false(world->report.converged);
    assert_true(world->report.residual > settings.tolerance);
    assert_true(world->report.sweeps <= settings.max_sweeps);
    assert_int_equal(world->run.unconverged_steps, 1);
    assert_int_equal(world->run.fallback_steps, 1);
    scene_free(world);
}

// The same problem through the velocities of the bodies and with W built: the velocities agree.
static void test_faces(void **state) {
    (void)state;
    struct gabion_settings settings = newton_settings();
    struct gabion_world *world = mixed_heap(&settings);
    scene_step(world, 3);
    struct contact_problem *bodies = scene_rows(world);
    struct contact_problem *built = contact_problem_assemble(bodies);
    struct solver_settings accurate = {.tolerance = 1e-11, .max_iterations = 400};
    size_t size = contact_problem_size(bodies);
    double *r = memory_allocate(4 * size, sizeof *r, "test"), *s = r + size;
    double *u = s + size, *v = u + size;
    assert_true(size > 30);
    assert_int_equal(panel_solve(bodies, GABION_METHOD_NEWTON, &accurate, NULL, r).status,
                     SOLVER_CONVERGED);
    assert_int_equal(panel_solve(built, GABION_METHOD_NEWTON, &accurate, NULL, s).status,
                     SOLVER_CONVERGED);
    contact_problem_velocity(bodies, r, u);
    contact_problem_velocity(built, s, v);
    for (size_t i = 0; i < size; i++)
        assert_near(u[i], v[i], 1e-9);
    memory_free(r);
    contact_problem_free(bodies);
    contact_problem_free(built);
    scene_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wall),   cmocka_unit_test(test_rest),
        cmocka_unit_test(test_mixed),  cmocka_unit_test(test_split_body),
        cmocka_unit_test(test_honest), cmocka_unit_test(test_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
