// The sweeps over four pairs of bodies at once (engine/solvers/sweep/lane_sweep.h) against those
// over one block after the other, which the local solver `exact` takes.
#include <string.h>

#include "engine/contact/contacts.h"
#include "engine/solvers/local/exact.h"
#include "engine/solvers/sweep/lane_block.h"
#include "engine/solvers/sweep/workspace.h"
#include "tests/unit/scene_joints.h"

#define STEP    1e-3
#define SPEED   0.2
#define STACKED 140 // bodies that have a stack of others above or below

// Scenes --------------------------------------------------------------------------------------

struct pile {
    enum gabion_local local;
    double friction, tolerance, relaxation;
    int sweeps;
    const char *kernel; // GABION_KERNEL; NULL: the best
};

static int prism_shape(struct gabion_world *world, int sides) {
    struct gabion_error error = {0};
    vec3 corner[2 * 12];
    for (int k = 0; k < 2 * sides; k++) {
        double turn = 2 * PI * (k / 2 + 0.3) / sides;
        corner[k] = vec3_make(0.1 * cos(turn), 0.1 * sin(turn), k % 2 ? 0.05 : -0.05);
    }
    int shape = gabion_add_hull(world, corner, 2 * sides, &error);
    if (shape < 0)
        fail_msg("%s", error.text);
    return shape;
}

static void add_thrown(struct gabion_world *world, struct random_stream *random, int shape,
                       vec3 place, quat q) {
    struct gabion_body body = scene_block_body(shape, place);
    body.orientation = q;
    body.velocity = vec3_scale(0.3, scene_random_unit(random));
    body.velocity.z -= SPEED;
    body.spin = scene_random_unit(random);
    body.density = random_between(random, 500, 3000);
    scene_add(world, &body);
}

// Stacks of two prisms with 3 to 12 corners, and boxes that stand on an edge or a corner: nodes of
// 1, 2, 3 ... 12 points, on the ground and between bodies that move.
static void fill_pile(struct gabion_world *world) {
    struct random_stream random = {3};
    quat upright = {1, 0, 0, 0};
    int box = scene_box_shape(world, vec3_make(0.05, 0.05, 0.05));
    scene_floor(world);
    for (int sides = 3; sides <= 12; sides++) {
        int shape = prism_shape(world, sides);
        for (int k = 0; k < 7; k++)
            for (int high = 0; high < 2; high++)
                add_thrown(world, &random, shape,
                           vec3_make(0.3 * k, 0.3 * sides, 0.0499 + 0.0999 * high), upright);
    }
    for (int k = 0; k < 7; k++) {
        quat edge = quat_about(vec3_make(0, 1, 0), PI / 4);
        quat corner = quat_multiply(quat_about(vec3_make(0, 1, 0), atan(sqrt(0.5))),
                                    quat_about(vec3_make(1, 0, 0), PI / 4));
        add_thrown(world, &random, box, vec3_make(0.3 * k, 0, 0.05 * sqrt(2) - 1e-5), edge);
        add_thrown(world, &random, box, vec3_make(0.3 * k, 0.3, 0.05 * sqrt(3) - 1e-5), corner);
    }
}

// Bricks and disks that move in the plane xz alone, and a ground of which one part moves across it:
// the tangents of its contacts are locked, and there the bodies slide.
static void fill_plane(struct gabion_world *world) {
    struct random_stream random = {5};
    int box = scene_box_shape(world, vec3_make(0.05, 0.05, 0.05));
    int slab = scene_box_shape(world, vec3_make(0.5, 0.5, 0.1));
    for (int side = 0; side < 2; side++) {
        struct gabion_body body = scene_block_body(slab, vec3_make(side, 0, -0.1));
        body.orientation = quat_about(vec3_make(0, 0, 1), 0.3 * side);
        body.fixed = true;
        body.material = SCENE_GROUND;
        body.group = side;
        scene_add(world, &body);
    }
    scene_drive(world, 1, vec3_make(0, 1, 0), scene_signal(GABION_SIGNAL_LINEAR, SPEED, 0, 1));
    for (int k = 0; k < 24; k++) {
        struct gabion_body body =
            k % 2 ? scene_sphere_body(vec3_make(0.1 * (k / 2) - 0.2, 0, 0.1499), 0.05, 0.5)
                  : scene_block_body(box, vec3_make(0.1 * (k / 2) - 0.2, 0, 0.0499));
        body.lock = SCENE_PLANE;
        body.velocity = vec3_make(random_between(&random, -0.3, 0.3), 0, -SPEED);
        scene_add(world, &body);
    }
}

static struct gabion_world *solve(void (*fill)(struct gabion_world *), const struct pile *pile) {
    struct gabion_settings settings = scene_settings(STEP, 0.5);
    settings.method = GABION_METHOD_NSGS;
    settings.local = pile->local;
    settings.tolerance = pile->tolerance;
    settings.relaxation = pile->relaxation;
    settings.on_cap = GABION_CAP_ACCEPT;
    struct gabion_world *world =
        scene_create(&settings, (struct gabion_law){.friction = pile->friction});
    assert_int_equal(gabion_add_group(world, "mover", NULL), 1);
    fill(world);
    if (pile->kernel)
        setenv("GABION_KERNEL", pile->kernel, 1);
    scene_enter_step(world);
    scene_find_contacts(world);
    contacts_match(world);
    scene_open_problem(world);
    world->settings.max_sweeps = pile->sweeps;
    solve_run(world);
    unsetenv("GABION_KERNEL");
    return world;
}

static void leave(struct gabion_world *world) {
    solve_close(world);
    scene_free(world);
}

// Comparing -----------------------------------------------------------------------------------

static double velocity_apart(const struct gabion_world *x, const struct gabion_world *y) {
    double apart = 0;
    for (int32_t i = 0; i < x->midpoint->moving; i++) {
        struct body_velocity u = solver_workspace_velocity(x->workspace, i);
        struct body_velocity v = solver_workspace_velocity(y->workspace, i);
        apart = fmax(apart, vec3_length(vec3_sub(u.v, v.v)) + vec3_length(vec3_sub(u.s, v.s)));
    }
    return apart;
}

static double largest_impulse(const struct gabion_world *world) {
    double most = 0;
    for (size_t k = 0; k < world->contacts->count; k++)
        most = fmax(most, vec3_length(world->contacts->impulse[k]));
    return most;
}

// The largest difference of an impulse, over the largest impulse.
static double impulse_apart(const struct gabion_world *x, const struct gabion_world *y) {
    double apart = 0;
    for (size_t k = 0; k < x->contacts->count; k++)
        apart =
            fmax(apart, vec3_length(vec3_sub(x->contacts->impulse[k], y->contacts->impulse[k])));
    return apart / largest_impulse(y);
}

static void assert_kinds(const struct gabion_world *lanes, const struct gabion_world *blocks) {
    const struct sweep_plan *x = scene_plan(lanes), *y = scene_plan(blocks);
    assert_true(x->lane_block_count > 0 && x->block_count == 0 && x->group_count == 0);
    assert_true(y->lane_block_count == 0 && y->block_count > 0 && y->group_count == 0);
    assert_int_equal(x->general, y->point_count);
    assert_int_equal(x->general_nodes, y->block_count);
}

// Without sliding a sweep is the same arithmetic up to rounding: one sweep, not its limit.
static void test_one_sweep(void **state) {
    (void)state;
    const double frictions[] = {0, INFINITY};
    for (int k = 0; k < 2; k++) {
        struct pile pile = {GABION_LOCAL_AUTO, frictions[k], 1e-14, 1, 1, NULL};
        struct gabion_world *lanes = solve(fill_pile, &pile);
        pile.local = GABION_LOCAL_EXACT;
        struct gabion_world *blocks = solve(fill_pile, &pile);
        assert_kinds(lanes, blocks);
        assert_at_most(velocity_apart(lanes, blocks), 1e-12);
        assert_at_most(impulse_apart(lanes, blocks), 1e-12);
        leave(lanes);
        leave(blocks);
    }
}

// How far the impulse of a point is from the answer of the exact solver, which takes what the other
// points do as given, over its size or that of an impulse that stops the usual speed.
static double point_error(const struct sweep_plan *plan, const struct lane_block *lanes,
                          uint32_t lane, uint32_t p, double friction) {
    struct block block = lane_block_get(lanes, lane);
    struct block_point point = lane_point_get(&plan->lane_points[block.begin + p], lane);
    mat3 W = lane_point_weigh(plan->inverse, &block, &point);
    struct body_velocity c = solver_velocity(&plan->bodies[block.c]);
    struct body_velocity a = solver_velocity(&plan->bodies[block.a]);
    vec3 u = vec3_add(block_velocity(&block, &point, &c, &a), point.b), r = point.r;
    vec3 b = vec3_sub(u, mat3_apply(W, r));
    double slip = 0;
    assert_true(exact_solve(&W, b, friction, &r, &slip));
    double size = fmax(vec3_length(r), point.rho * SPEED);
    return vec3_length(vec3_sub(r, point.r)) / size;
}

static double worst_point(const struct sweep_plan *plan, double friction) {
    double worst = 0;
    for (size_t n = 0; n < plan->lane_block_count; n++)
        for (uint32_t lane = 0; lane < LANES; lane++)
            for (uint32_t p = 0; p < plan->lane_blocks[n].points[lane]; p++)
                worst = fmax(worst, point_error(plan, &plan->lane_blocks[n], lane, p, friction));
    return worst;
}

// Velocities are no measure here: bodies that slide while they collide have several solutions.
static void test_sliding(void **state) {
    (void)state;
    const double frictions[] = {0.1, 0.5, 0.5}, relaxations[] = {1, 1, 0.7};
    for (int k = 0; k < 3; k++) {
        struct pile pile = {GABION_LOCAL_AUTO, frictions[k], 1e-13, relaxations[k], 5000, NULL};
        struct gabion_world *world = solve(fill_pile, &pile);
        double worst = worst_point(scene_plan(world), frictions[k]);
        print_message("friction %g, relaxation %g: %d sweeps, points are exact to %.1e\n",
                      frictions[k], relaxations[k], world->report.sweeps, worst);
        assert_at_most(world->report.residual, 1e-13);
        assert_true(world->run.local_fallbacks == 0);
        assert_at_most(worst, 1e-10);
        leave(world);
    }
}

// In a plane, also where bodies slide across it. With infinite friction that sliding has no answer,
// and what the scalar solver does is asked for: no impulse grows there.
static void test_locked(void **state) {
    (void)state;
    const double frictions[] = {0.3, 0.3, 0, INFINITY}, relaxations[] = {1, 1.2, 1, 1};
    for (int k = 0; k < 4; k++) {
        struct pile pile = {GABION_LOCAL_AUTO, frictions[k], 1e-13, relaxations[k], 5000, NULL};
        struct gabion_world *lanes = solve(fill_plane, &pile);
        pile.local = GABION_LOCAL_EXACT;
        struct gabion_world *blocks = solve(fill_plane, &pile);
        assert_kinds(lanes, blocks);
        if (frictions[k] < INFINITY) {
            assert_at_most(lanes->report.residual, 1e-13);
            assert_at_most(worst_point(scene_plan(lanes), frictions[k]), 1e-10);
        } else {
            assert_at_most(velocity_apart(lanes, blocks), 1e-11);
            assert_at_most(largest_impulse(lanes), 2 * largest_impulse(blocks));
        }
        leave(lanes);
        leave(blocks);
    }
}

// The contact of one body that slides: what remains of the error of a sweep is squared in the next,
// so that a few reach the closed form of exact_solve to rounding.
static void test_one_contact(void **state) {
    (void)state;
    struct pile pile = {GABION_LOCAL_AUTO, 0.3, 1e-15, 1, 4, NULL};
    struct gabion_world *lanes = solve(fill_pile, &pile);
    const struct sweep_plan *plan = scene_plan(lanes);
    int slide = 0;
    for (size_t k = 0; k < plan->lane_block_count; k++)
        for (uint32_t lane = 0; lane < LANES; lane++) {
            struct block block = lane_block_get(&plan->lane_blocks[k], lane);
            if (block.count != 1 || lanes->bodies.id[block.c] <= STACKED)
                continue;
            struct block_point point = lane_point_get(&plan->lane_points[block.begin], lane);
            mat3 W = lane_point_weigh(plan->inverse, &block, &point);
            struct body_velocity c = {lanes->midpoint->v_free[block.c],
                                      lanes->midpoint->s_free[block.c]};
            vec3 b =
                vec3_add(block_velocity(&block, &point, &c, &(struct body_velocity){0}), point.b);
            vec3 r = vec3_zero();
            double slip = 0;
            assert_true(exact_solve(&W, b, 0.3, &r, &slip));
            assert_at_most(vec3_length(vec3_sub(point.r, r)), 1e-13 * vec3_length(r));
            slide += slip > 0;
        }
    assert_true(slide > 0);
    leave(lanes);
}

// Lanes of different lengths ------------------------------------------------------------------

static void assert_empty(const struct lane_point *point, uint32_t lane) {
    struct block_point empty = lane_point_get(point, lane);
    assert_true(vec3_length(empty.r) == 0 && vec3_length(empty.last) == 0);
    assert_true(vec3_length(empty.arm_c) == 0 && empty.rho == 0);
}

static void test_empty_points(void **state) {
    (void)state;
    struct pile pile = {GABION_LOCAL_AUTO, 0.4, 1e-14, 1, 5, NULL};
    struct gabion_world *world = solve(fill_pile, &pile);
    const struct sweep_plan *plan = scene_plan(world);
    int unused = 0, mixed = 0, longest = 0;
    size_t points = 0;
    for (size_t k = 0; k < plan->lane_block_count; k++) {
        const struct lane_block *block = &plan->lane_blocks[k];
        for (uint32_t lane = 0; lane < LANES; lane++) {
            bool used = block->used >> lane & 1;
            points += block->points[lane];
            unused += !used;
            mixed += used && block->points[lane] < block->count;
            longest = block->points[lane] > longest ? block->points[lane] : longest;
            assert_true(used == (block->points[lane] > 0));
            for (uint32_t p = block->points[lane]; p < block->count; p++)
                assert_empty(&plan->lane_points[block->begin + p], lane);
        }
    }
    assert_int_equal(points, plan->general);
    assert_true(unused > 0 && mixed > 0);
    assert_true(longest >= 12);
    leave(world);
}

// Kernels -------------------------------------------------------------------------------------

static void assert_same_bits(void (*fill)(struct gabion_world *), double friction,
                             double relaxation) {
    struct pile pile = {GABION_LOCAL_AUTO, friction, 1e-14, relaxation, 30, NULL};
    struct gabion_world *best = solve(fill, &pile);
    pile.kernel = "baseline";
    struct gabion_world *baseline = solve(fill, &pile);
    assert_memory_equal(best->contacts->impulse, baseline->contacts->impulse,
                        best->contacts->count * sizeof *best->contacts->impulse);
    assert_true(velocity_apart(best, baseline) == 0);
    leave(best);
    leave(baseline);
}

static void test_kernels(void **state) {
    (void)state;
    assert_same_bits(fill_pile, 0.4, 1);
    assert_same_bits(fill_pile, 0.4, 1.3);
    assert_same_bits(fill_pile, 0, 1);
    assert_same_bits(fill_plane, 0.4, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_sweep),    cmocka_unit_test(test_sliding),
        cmocka_unit_test(test_locked),       cmocka_unit_test(test_one_contact),
        cmocka_unit_test(test_empty_points), cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
