// Validation 2.2, the rows of boxes: the full 3x3 matrix W of a contact point against the response
// of the bodies to an impulse there, and what is determined of the forces under a box at rest.
// Validation 4.2: the local solvers agree on the points of a block.
#include "engine/contact/contacts.h"
#include "engine/solvers/local/exact.h"
#include "engine/solvers/local/alart_curnier.h"
#include "tests/unit/scene.h"

#define GRAVITY 9.81
#define STEP    1e-3

// The contact problem of the next step, built and not solved.
static void problem_prepare(struct gabion_world *world) {
    scene_enter_step(world);
    scene_find_contacts(world);
    contacts_match(world);
    scene_open_problem(world);
}

// A box by its drawing: nothing of this comes from the engine.
struct brick {
    vec3 half, x;
    vec3 axis[3]; // its edges in the world
    double density;
    bool fixed;
};

// Velocity that the impulse p at the point y gives the brick there.
static vec3 brick_response(const struct brick *brick, vec3 y, vec3 p) {
    const vec3 h = brick->half;
    if (brick->fixed)
        return vec3_zero();
    double mass = brick->density * 8 * h.x * h.y * h.z;
    const double moment[3] = {mass / 3 * (h.y * h.y + h.z * h.z),
                              mass / 3 * (h.x * h.x + h.z * h.z),
                              mass / 3 * (h.x * h.x + h.y * h.y)};
    vec3 arm = vec3_sub(y, brick->x), turn = vec3_cross(arm, p), spin = vec3_zero();
    for (int k = 0; k < 3; k++)
        spin = vec3_add_scaled(spin, vec3_dot(brick->axis[k], turn) / moment[k], brick->axis[k]);
    return vec3_add(vec3_scale(1 / mass, p), vec3_cross(spin, arm));
}

// u(r) of brick c against brick a, both first at rest, in the frame of the block.
static vec3 relative_velocity(const struct brick *c, const struct brick *a, vec3 y,
                              const struct block *block, vec3 r) {
    vec3 p = block_impulse(block, r);
    vec3 u = vec3_sub(brick_response(c, y, p), brick_response(a, y, vec3_negate(p)));
    return vec3_make(vec3_dot(block->n, u), vec3_dot(block->s, u), vec3_dot(block->t, u));
}

static void assert_positive_definite(const mat3 *W) {
    double minor = W->row[0].x * W->row[1].y - W->row[0].y * W->row[1].x;
    assert_true(W->row[0].x > 0);
    assert_true(minor > 0);
    assert_true(vec3_dot(W->row[0], vec3_cross(W->row[1], W->row[2])) > 0);
}

// Central differences of u(r) about some impulse, relative to the largest entry.
static void assert_block(const struct gabion_world *world, const struct brick *c,
                         const struct brick *a) {
    const struct sweep_plan *plan = scene_plan(world);
    assert_int_equal(plan->block_count, 1);
    assert_int_equal(plan->point_count, 1);
    const struct block *block = &plan->blocks[0];
    const mat3 *W = &plan->points[0].W;
    vec3 y = world->contacts->list[0].point, about = {0.3, -0.2, 0.1};
    double scale = vec3_length(W->row[0]), worst = 0, coupling = 0;
    for (int j = 0; j < 3; j++) {
        vec3 above = about, below = about;
        vec3_set(&above, j, vec3_get(about, j) + 0.5);
        vec3_set(&below, j, vec3_get(about, j) - 0.5);
        vec3 column = vec3_sub(relative_velocity(c, a, y, block, above),
                               relative_velocity(c, a, y, block, below));
        for (int i = 0; i < 3; i++) {
            double entry = vec3_get(W->row[i], j);
            worst = fmax(worst, fabs(entry - vec3_get(column, i)) / scale);
            coupling = i == j ? coupling : fmax(coupling, fabs(entry) / scale);
            assert_near(entry, vec3_get(W->row[j], i), 1e-10 * scale);
        }
    }
    assert_at_most(worst, 1e-10);
    assert_true(coupling > 0.1); // full, or the comparison says little
    assert_positive_definite(W);
}

static struct brick brick_make(vec3 half, vec3 x, quat q, double density) {
    struct brick brick = {.half = half, .x = x, .density = density};
    mat3 axes = quat_matrix(q);
    for (int k = 0; k < 3; k++)
        brick.axis[k] =
            vec3_make(vec3_get(axes.row[0], k), vec3_get(axes.row[1], k), vec3_get(axes.row[2], k));
    return brick;
}

static void brick_add(struct gabion_world *world, const struct brick *brick, quat q) {
    struct gabion_body body = scene_block_body(scene_box_shape(world, brick->half), brick->x);
    body.orientation = q;
    body.density = brick->density;
    scene_add(world, &body);
}

// The lowest corner of a tumbled brick touches the top of another, or the ground.
static void test_corner(void **state) {
    (void)state;
    struct random_stream random = {22};
    for (int k = 0; k < 20; k++) {
        struct gabion_settings settings = scene_settings(STEP, 0.5);
        settings.gravity = vec3_zero();      // so that the midpoint is the drawing
        settings.local = GABION_LOCAL_EXACT; // whose points keep W
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
        quat upright = {1, 0, 0, 0}, q = quat_about(scene_random_unit(&random), 0.9);
        struct brick ground = {.fixed = true}, low, top;
        low = brick_make(vec3_make(0.5, 0.4, 0.1), vec3_make(0, 0, -0.1), upright, 2000);
        top = brick_make(vec3_make(0.1, 0.05, 0.2), vec3_make(0, 0, -1e-12), q, 1500);
        for (int axis = 0; axis < 3; axis++)
            top.x.z += fabs(top.axis[axis].z) * vec3_get(top.half, axis);
        bool on_brick = k % 2;
        if (on_brick)
            brick_add(world, &low, upright);
        else
            scene_floor(world);
        brick_add(world, &top, q);
        problem_prepare(world);
        const struct contact *contact = &world->contacts->list[0];
        bool top_is_c = world->bodies.id[contact->c] == 1;
        const struct brick *other = on_brick ? &low : &ground;
        assert_block(world, top_is_c ? &top : other, top_is_c ? other : &top);
        solve_close(world);
        scene_destroy(world);
    }
}

// Sum and moment of the impulses on a box at rest on a slope: m g h upwards through its centre. How
// the four corners share it is nobody's business.
static void test_resting_box(void **state) {
    (void)state;
    const double slopes[] = {0, 0.1, 0.3};
    for (int k = 0; k < 3; k++) {
        struct gabion_settings settings = scene_settings(STEP, 0.5);
        settings.tolerance = 1e-12;
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
        vec3 half = {0.1, 0.15, 0.05}, normal = {sin(slopes[k]), 0, cos(slopes[k])};
        scene_plane(world, vec3_zero(), normal);
        struct gabion_body body =
            scene_block_body(scene_box_shape(world, half), vec3_scale(half.z, normal));
        body.orientation = quat_about(vec3_make(0, 1, 0), slopes[k]);
        int32_t box = scene_add(world, &body);
        scene_step(world, 10);
        vec3 moment = vec3_zero(), x = scene_position(world, box);
        for (size_t n = 0; n < world->contacts->count; n++) {
            const struct contact *contact = &world->contacts->list[n];
            vec3 arm = vec3_sub(contact->point, x);
            moment = vec3_add(moment, vec3_cross(arm, scene_contact_impulse(world, contact)));
        }
        double weight = 1000 * 8 * half.x * half.y * half.z * GRAVITY * STEP;
        vec3 sum = vec3_scale(1 / weight, scene_pair_impulse(world, box, 0));
        assert_int_equal(world->contacts->count, 4);
        assert_vector_near(sum, vec3_make(0, 0, 1), 1e-10);
        assert_at_most(vec3_length(moment) / (weight * half.z), 1e-10);
        scene_destroy(world);
    }
}

static double remembered(const struct gabion_world *world, uint32_t feature) {
    for (size_t m = 0; m < world->contacts->memory_count; m++)
        if (world->contacts->memory[m].feature == feature)
            return world->contacts->memory[m].impulse.z;
    return 0;
}

// A point that is gone hands its impulse to the nearest one that is left, which has its own.
static void test_lost_point(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(STEP, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    scene_floor(world);
    struct gabion_body body =
        scene_block_body(scene_box_shape(world, vec3_make(0.1, 0.05, 0.05)), vec3_make(0, 0, 0.05));
    scene_add(world, &body);
    scene_step(world, 1);
    scene_enter_step(world);
    scene_find_contacts(world);
    assert_int_equal(world->contacts->count, 4);
    struct contact lost = world->contacts->list[--world->contacts->count];
    contacts_match(world);
    for (size_t k = 0; k < world->contacts->count; k++) {
        const struct contact *contact = &world->contacts->list[k];
        double expected = remembered(world, contact->feature);
        if (fabs(contact->point.x - lost.point.x) < 1e-9)
            expected += remembered(world, lost.feature);
        assert_near(world->contacts->impulse[k].z, expected, 1e-12);
    }
    assert_true(remembered(world, lost.feature) > 0);
    scene_destroy(world);
}

// Local solvers ----------------------------------------------------------------------------------

#define BRICKS 8

// A leaning pile of bricks whose upper half is thrown about: some points open, some slide, some
// stick.
static struct gabion_world *pile_create(enum gabion_local local) {
    struct gabion_settings settings = scene_settings(STEP, 0.5);
    settings.tolerance = 1e-13;
    settings.local = local;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.4});
    int shape = scene_box_shape(world, vec3_make(0.2, 0.1, 0.05));
    struct random_stream random = {42};
    scene_floor(world);
    for (int k = 0; k < BRICKS; k++) {
        struct gabion_body body =
            scene_block_body(shape, vec3_make(0.03 * k, 0.01 * (k % 3), 0.05 + 0.1 * k));
        body.orientation = quat_about(vec3_make(0, 0, 1), random_between(&random, -0.5, 0.5));
        if (k >= BRICKS / 2) {
            body.velocity = vec3_scale(0.3, scene_random_unit(&random));
            body.spin = scene_random_unit(&random);
        }
        scene_add(world, &body);
    }
    return world;
}

// The same step with either solver: the velocities it ends with, and the resultant of each joint,
// which unlike its points is determined.
static void test_agreement(void **state) {
    (void)state;
    struct gabion_world *newton = pile_create(GABION_LOCAL_NEWTON);
    struct gabion_world *exact = pile_create(GABION_LOCAL_EXACT);
    double velocity = 0, impulse = 0;
    scene_step(newton, 1);
    scene_step(exact, 1);
    assert_true(newton->run.local_fallbacks + exact->run.local_fallbacks == 0);
    double unit = 8 * 0.2 * 0.1 * 0.05 * 1000 * 0.3; // momentum of a brick
    int status[3] = {0};
    for (size_t k = 0; k < newton->contacts->count; k++)
        status[newton->contacts->list[k].status]++;
    for (int32_t id = 1; id <= BRICKS; id++) {
        vec3 v = vec3_sub(scene_velocity(newton, id), scene_velocity(exact, id));
        vec3 w = vec3_sub(scene_spin(newton, id), scene_spin(exact, id));
        vec3 p =
            vec3_sub(scene_pair_impulse(newton, id, id - 1), scene_pair_impulse(exact, id, id - 1));
        velocity = fmax(velocity, vec3_length(v) / 0.3 + vec3_length(w));
        impulse = fmax(impulse, vec3_length(p) / unit);
    }
    print_message("newton and exact: velocities differ by %.1e, joints by %.1e; %d open, %d stick, "
                  "%d slip\n",
                  velocity, impulse, status[CONTACT_OPEN], status[CONTACT_STICK],
                  status[CONTACT_SLIP]);
    for (int k = 0; k < 3; k++)
        assert_true(status[k] > 0);
    assert_at_most(velocity, 1e-8);
    assert_at_most(impulse, 1e-8);
    scene_destroy(newton);
    scene_destroy(exact);
}

// Each point of that step by itself, given what the others do: the same impulse from either.
static void test_point_agreement(void **state) {
    (void)state;
    struct gabion_world *world = pile_create(GABION_LOCAL_EXACT); // whose points keep W
    double worst = 0;
    problem_prepare(world);
    world->settings.max_sweeps = 3; // neighbours that are not yet in balance
    solve_run(world);
    const struct sweep_plan *plan = scene_plan(world);
    for (size_t k = 0; k < plan->block_count; k++) {
        const struct block *block = &plan->blocks[k];
        struct body_velocity c = solver_velocity(&plan->bodies[block->c]);
        struct body_velocity a = solver_velocity(&plan->bodies[block->a]);
        for (uint32_t n = 0; n < block->count; n++) {
            const struct block_point *point = &plan->points[block->begin + n];
            vec3 u = vec3_add(block_velocity(block, point, &c, &a), point->b);
            vec3 r = point->r, direct = r, q = vec3_sub(u, mat3_apply(point->W, r));
            double slip = 0, k_start = point->k;
            assert_true(alart_curnier_solve(&point->W, &point->inverse, u, 0.4, &r, &k_start));
            assert_true(exact_solve(&point->W, q, 0.4, &direct, &slip));
            double size = fmax(vec3_length(direct), point->rho * vec3_length(q));
            worst = fmax(worst, vec3_length(vec3_sub(r, direct)) / size);
        }
    }
    print_message("newton and exact on %zu points: %.1e\n", plan->point_count, worst);
    assert_true(plan->point_count >= 4 * BRICKS);
    assert_at_most(worst, 1e-8);
    solve_close(world);
    scene_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corner),          cmocka_unit_test(test_resting_box),
        cmocka_unit_test(test_lost_point),      cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_point_agreement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
