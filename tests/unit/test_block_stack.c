// Validation 13: stacks of boxes, straight, heavy on light and tall; what a run says when its
// sweeps are too few. Validation 4.2: what the full 3x3 matrix W is for.
#include "engine/contact/contacts.h"
#include "engine/solvers/local/exact.h"
#include "tests/unit/effort.h"
#include "tests/unit/scene.h"

#define SIDE 0.1 // of the cubes
#define STEP 1e-3

// `count` cubes on a plane, ids 1 .. count upwards, each `growth` times as dense as the one below.
static struct gabion_world *stack_create(const struct gabion_settings *settings, int count,
                                         double growth) {
    struct gabion_world *world = scene_create(settings, (struct gabion_law){.friction = 0.5});
    int shape = scene_box_shape(world, vec3_make(0.5 * SIDE, 0.5 * SIDE, 0.5 * SIDE));
    double density = 1000;
    scene_floor(world);
    for (int k = 0; k < count; k++, density *= growth) {
        struct gabion_body body = scene_block_body(shape, vec3_make(0, 0, (k + 0.5) * SIDE));
        body.density = density;
        scene_add(world, &body);
    }
    return world;
}

// How far the top is from where it was put, in cubes.
static double stack_drift(const struct gabion_world *world, int count) {
    vec3 start = {0, 0, (count - 0.5) * SIDE};
    return vec3_length(vec3_sub(scene_position(world, count), start)) / SIDE;
}

static void test_mass_ratio(void **state) {
    (void)state;
    long_test();
    const double ratios[] = {100, 0.01};
    for (int k = 0; k < 2; k++) {
        struct gabion_settings settings = scene_settings(STEP, 0.5);
        settings.tolerance = 1e-14;
        struct gabion_world *world = stack_create(&settings, 2, ratios[k]);
        double overlap = 0, landed = 0;
        for (int step = 1; step <= (int)(10 / STEP); step++) {
            scene_step(world, 1);
            overlap = fmax(overlap, world->report.max_overlap);
            if (step == (int)(1 / STEP))
                landed = stack_drift(world, 2);
        }
        double creep = fabs(stack_drift(world, 2) - landed);
        print_message(
            "upper cube %g times as heavy: overlap %.1e of a side; crept by %.1e from 1 s "
            "to 10 s\n",
            ratios[k], overlap / SIDE, creep);
        assert_at_most(overlap / SIDE, 1e-3);
        assert_at_most(creep, 1e-12);
        scene_destroy(world);
    }
}

// The thirty of the catalogue, for a minute, are in tests/validation/masonry.py.
static void test_tall_stack(void **state) {
    (void)state;
    long_test();
    struct gabion_settings settings = scene_settings(STEP, 0.5);
    settings.tolerance = 1e-8;
    struct gabion_world *world = stack_create(&settings, 10, 1);
    scene_step(world, (int)(10 / STEP));
    print_message("10 cubes: the top drifted by %.1e of a side in 10 s, %.1f sweeps per step\n",
                  stack_drift(world, 10), (double)world->run.sweeps / (10 / STEP));
    assert_at_most(stack_drift(world, 10), 1e-6);
    scene_destroy(world);
}

// Three sweeps are too few for a tower that lands: the run goes on, counts its bad steps, and the
// residual it reports is above the tolerance.
static void test_honest_convergence(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(STEP, 0.5);
    settings.max_sweeps = 3;
    settings.on_cap = GABION_CAP_WARN;
    struct gabion_world *world = stack_create(&settings, 30, 1);
    int bad = 0;
    for (int step = 0; step < 200; step++) {
        scene_step(world, 1);
        const struct gabion_step_report *report = &world->report;
        assert_true(report->sweeps <= 3);
        assert_int_equal(report->converged, report->residual <= settings.tolerance);
        bad += !report->converged;
    }
    print_message("3 sweeps: %d of 200 steps not converged, residual %.1e\n", bad,
                  world->report.residual);
    assert_true(bad > 100);
    assert_int_equal(world->run.unconverged_steps, bad);
    scene_destroy(world);
}

// The shortcut ------------------------------------------------------------------------------------

// Renouf, Acary and Dumont (2005, section 6.2) warn of keeping only the diagonal of a contact's own
// matrix W in  u = W r + b,  b what the other contacts do: spheres have no more, boxes have. The
// sweeps of this section do that, or not; nothing else does. In the engine's own sweeps W only
// finds the next impulse and velocities are those of the bodies, so that even a wrong W could not
// falsify them.

static void push(struct sweep_plan *plan, int32_t body, vec3 arm, vec3 p) {
    struct solver_body *velocity = &plan->bodies[body];
    vec3 v = vec3_times(plan->inverse[body].inv_m, p);
    vec3 s = sym3_apply(plan->inverse[body].k, vec3_cross(arm, p));
    for (int axis = 0; axis < 3; axis++) {
        velocity->v[axis] += vec3_get(v, axis);
        velocity->s[axis] += vec3_get(s, axis);
    }
}

static void push_point(struct sweep_plan *plan, const struct block *block,
                       const struct block_point *point, vec3 r) {
    vec3 p = block_impulse(block, r);
    push(plan, block->c, point->arm_c, p);
    push(plan, block->a, point->arm_a, vec3_negate(p));
}

static void solve_point(struct sweep_plan *plan, const struct block *block,
                        struct block_point *point, double mu, bool diagonal) {
    struct body_velocity c = solver_velocity(&plan->bodies[block->c]);
    struct body_velocity a = solver_velocity(&plan->bodies[block->a]);
    vec3 u = vec3_add(block_velocity(block, point, &c, &a), point->b), r = point->r;
    vec3 others = vec3_sub(u, mat3_apply(point->W, r));
    mat3 W = point->W;
    for (int axis = 0; diagonal && axis < 3; axis++) {
        vec3 row = vec3_zero();
        vec3_set(&row, axis, vec3_get(W.row[axis], axis));
        W.row[axis] = row;
    }
    assert_true(exact_solve(&W, others, mu, &r, &point->k));
    push_point(plan, block, point, vec3_sub(r, point->r));
    point->r = r;
}

static void start_velocities(struct sweep_plan *plan, const struct midpoint *midpoint) {
    for (int32_t i = 0; i < plan->body_count; i++)
        for (int axis = 0; axis < 3; axis++) {
            plan->bodies[i].v[axis] = vec3_get(midpoint->v_free[i], axis);
            plan->bodies[i].s[axis] = vec3_get(midpoint->s_free[i], axis);
        }
    for (size_t k = 0; k < plan->block_count; k++) {
        const struct block *block = &plan->blocks[k];
        for (uint32_t n = 0; n < block->count; n++) {
            const struct block_point *point = &plan->points[block->begin + n];
            push_point(plan, block, point, point->r);
        }
    }
}

static void swept_step(struct gabion_world *world, int sweeps, double mu, bool diagonal) {
    struct solver_settings settings = {.relaxation = 1, .local = GABION_LOCAL_EXACT};
    scene_enter_step(world);
    scene_find_contacts(world);
    contacts_match(world);
    scene_open_problem(world);
    struct sweep_plan *plan =
        workspace_plan(world->workspace, world->problem, &settings, world->contacts->impulse);
    start_velocities(plan, world->midpoint);
    for (int sweep = 0; sweep < sweeps; sweep++)
        for (size_t k = 0; k < plan->block_count; k++)
            for (uint32_t n = 0; n < plan->blocks[k].count; n++)
                solve_point(plan, &plan->blocks[k], &plan->points[plan->blocks[k].begin + n], mu,
                            diagonal);
    sweep_plan_store(plan, world->contacts->impulse);
    solve_close(world);
    step_integrate(world);
    contacts_remember(world);
    world->step++;
}

static double swept_drift(bool diagonal) {
    struct gabion_settings settings = scene_settings(STEP, 0.5);
    struct gabion_world *world = stack_create(&settings, 10, 1);
    double worst = 0;
    for (int step = 0; step < 1000 && worst < 1; step++) {
        swept_step(world, 300, 0.5, diagonal);
        worst = fmax(worst, stack_drift(world, 10));
    }
    print_message("tower of 10, %s W: the top moved by %.1e of a side in %.2f s\n",
                  diagonal ? "diagonal" : "full", worst, gabion_time(world));
    scene_destroy(world);
    return worst;
}

static void test_diagonal(void **state) {
    (void)state;
    long_test();
    assert_at_most(swept_drift(false), 1e-3);
    assert_true(swept_drift(true) > 1);
}

int main(void) {
    const struct CMUnitTest standing[] = {
        cmocka_unit_test(test_mass_ratio),
        cmocka_unit_test(test_tall_stack),
    };
    const struct CMUnitTest sweeping[] = {
        cmocka_unit_test(test_honest_convergence),
        cmocka_unit_test(test_diagonal),
    };
    int failed = cmocka_run_group_tests(sweeping, NULL, NULL);
    return failed + scene_run_methods(standing, sizeof standing / sizeof *standing);
}
