// Compounds of polyhedra: mass against closed forms, and bodies made of parts against the same
// bodies in one piece. What the seams between parts must not do is felt nowhere else.
#include "tests/unit/clump_scene.h"
#include "tests/unit/compound_scene.h"

#define GRAVITY 9.81

static const struct gabion_law sliding = {.friction = 0.3};

static const struct compound *shape_of(const struct gabion_world *world, int number) {
    return world->bodies.compounds[number];
}

// Mass ------------------------------------------------------------------------------------------

// An L: a foot of a x t and a leg of t x b on one end of it, both of depth d. Rectangles about
// their own centres, and Steiner.
static void test_ell(void **state) {
    (void)state;
    double a = 0.8, b = 0.6, t = 0.2, d = 0.3, density = 1000;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    struct gabion_world *world = scene_create(&settings, sliding);
    struct compound_box box[] = {{{a / 2, d / 2, t / 2}, {a / 2, 0, t / 2}},
                                 {{t / 2, d / 2, b / 2}, {t / 2, 0, t + b / 2}}};
    struct gabion_body body = compound_scene_body(compound_scene_boxes(world, box, 2), vec3_zero());
    int32_t id = scene_add(world, &body);
    struct gabion_body_state found;
    assert_true(gabion_get_body(world, id, &found, NULL));
    double m1 = density * a * t * d, m2 = density * t * b * d, m = m1 + m2;
    double x = (m1 * a / 2 + m2 * t / 2) / m, z = (m1 * t / 2 + m2 * (t + b / 2)) / m;
    assert_near(found.mass, m, 1e-12 * m);
    assert_vector_near(found.position, vec3_make(x, 0, z), 1e-15);
    double dx1 = a / 2 - x, dz1 = t / 2 - z, dx2 = t / 2 - x, dz2 = t + b / 2 - z;
    double xx = m1 * ((t * t + d * d) / 12 + dz1 * dz1) + m2 * ((b * b + d * d) / 12 + dz2 * dz2);
    double zz = m1 * ((a * a + d * d) / 12 + dx1 * dx1) + m2 * ((t * t + d * d) / 12 + dx2 * dx2);
    double yy = m1 * ((a * a + t * t) / 12 + dx1 * dx1 + dz1 * dz1) +
                m2 * ((t * t + b * b) / 12 + dx2 * dx2 + dz2 * dz2);
    double xz = -m1 * dx1 * dz1 - m2 * dx2 * dz2;
    double mean = (xx + zz) / 2, deviation = sqrt((xx - zz) * (xx - zz) / 4 + xz * xz);
    assert_near(found.inertia.y, yy, 1e-13 * yy);
    assert_near(fmax(found.inertia.x, found.inertia.z), mean + deviation, 1e-13 * yy);
    assert_near(fmin(found.inertia.x, found.inertia.z), mean - deviation, 1e-13 * yy);
    // The tensor in world axes is that of the sum, whatever the principal axes are called.
    sym3 tensor = sym3_from_principal(quat_matrix(found.orientation), found.inertia);
    assert_near(tensor.xx, xx, 1e-13 * yy);
    assert_near(tensor.xz, xz, 1e-13 * yy);
    scene_free(world);
}

// A drawing kilometres away from its origin, turned, has the same moments.
static void test_far_drawing(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    struct gabion_world *world = scene_create(&settings, sliding);
    int foot = scene_box_shape(world, vec3_make(0.4, 0.1, 0.1));
    int leg = scene_box_shape(world, vec3_make(0.1, 0.1, 0.3));
    quat turn = quat_about(vec3_make(0.6, 0, 0.8), 0.7);
    mat3 axes = quat_matrix(turn);
    vec3 far = {3000, -2000, 1000}, moment[2];
    for (int k = 0; k < 2; k++) {
        struct gabion_part part[] = {{foot, {0, 0, 0}, {1, 0, 0, 0}, 1},
                                     {leg, {-0.3, 0, 0.4}, {1, 0, 0, 0}, 1}};
        for (int p = 0; p < 2 && k; p++) {
            part[p].position = vec3_add(far, mat3_apply(axes, part[p].position));
            part[p].orientation = turn;
        }
        const struct compound *shape = shape_of(world, compound_scene_shape(world, part, 2));
        moment[k] = shape->inertia;
        assert_near(shape->volume, 8 * (0.004 + 0.003), 1e-15);
    }
    assert_near(moment[0].x + moment[0].y + moment[0].z, moment[1].x + moment[1].y + moment[1].z,
                1e-12);
    assert_near(moment[0].x * moment[0].y * moment[0].z, moment[1].x * moment[1].y * moment[1].z,
                1e-12);
    scene_free(world);
}

// Parts count one by one: two equal boxes in one place are a box of twice the mass. A relative
// density moves the centre.
static void test_overlap_and_density(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    struct gabion_world *world = scene_create(&settings, sliding);
    int box = scene_box_shape(world, vec3_make(0.5, 0.5, 0.5));
    struct gabion_part twice[] = {{box, {0, 0, 0}, {1, 0, 0, 0}, 0},
                                  {box, {0, 0, 0}, {2, 0, 0, 0}, 1}};
    const struct compound *both = shape_of(world, compound_scene_shape(world, twice, 2));
    assert_near(both->volume, 2, 1e-15);
    assert_near(both->inertia.x, 2 * 1.0 / 6, 1e-15);
    struct gabion_part heavy[] = {{box, {0, 0, 0}, {1, 0, 0, 0}, 3},
                                  {box, {1, 0, 0}, {1, 0, 0, 0}, 1}};
    const struct compound *one = shape_of(world, compound_scene_shape(world, heavy, 2));
    assert_near(one->volume, 2, 1e-15);
    assert_near(one->mass, 4, 1e-15);
    assert_vector_near(one->centre, vec3_make(0.25, 0, 0), 1e-15);
    assert_near(one->inertia.y, 4 * 1.0 / 6 + 3 * 0.0625 + 0.5625, 1e-15);
    scene_free(world);
}

// The hull of eight cubes is the cube: no corner in the middle of an edge or a face.
static void test_hull(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    struct gabion_world *world = scene_create(&settings, sliding);
    const struct compound *cube = shape_of(world, compound_scene_cube(world, 0.5));
    assert_int_equal(cube->hull->corner_count, 8);
    assert_near(cube->volume, 1, 1e-15);
    assert_near(cube->radius, sqrt(0.75), 1e-15);
    assert_vector_near(cube->inertia, vec3_make(1.0 / 6, 1.0 / 6, 1.0 / 6), 1e-15);
    scene_free(world);
}

// One piece and many
// --------------------------------------------------------------------------------

enum ground { PLANE, BLOCK, SLABS, GROUNDS };

// A floor with its top at z = 0: a half-space, a box, or a compound of four with one flat top, of
// which two meet under the origin.
static void add_ground(struct gabion_world *world, enum ground ground) {
    const struct compound_box slab[] = {{{2, 1, 0.25}, {-2, -1, -0.25}},
                                        {{2, 1, 0.5}, {2, -1, -0.5}},
                                        {{1, 1, 0.25}, {-3, 1, -0.25}},
                                        {{3, 1, 0.25}, {1, 1, -0.25}}};
    if (ground == PLANE)
        scene_floor(world);
    else if (ground == BLOCK)
        scene_fixed_block(world, scene_box_shape(world, vec3_make(4, 2, 0.25)),
                          vec3_make(0, 0, -0.25));
    else {
        struct gabion_body body =
            compound_scene_body(compound_scene_boxes(world, slab, 4), vec3_zero());
        body.fixed = true;
        body.material = SCENE_GROUND;
        scene_add(world, &body);
    }
}

static struct gabion_world *floor_world(enum ground ground, struct gabion_law law) {
    struct gabion_settings settings = scene_settings(2e-3, 0.5);
    settings.tolerance = 1e-12;
    settings.method = GABION_METHOD_NEWTON;
    struct gabion_world *world = scene_create(&settings, law);
    add_ground(world, ground);
    return world;
}

static int32_t add_cube(struct gabion_world *world, bool parts, const struct gabion_body *like) {
    struct gabion_body body = *like;
    body.shape = parts ? GABION_COMPOUND : GABION_POLYHEDRON;
    if (parts)
        body.compound = compound_scene_cube(world, 0.1);
    else
        body.polyhedron = scene_box_shape(world, vec3_make(0.1, 0.1, 0.1));
    body.density = 1000;
    return scene_add(world, &body);
}

// Runs the cube in one piece on a ground in one piece, and in eight on each ground: the same
// motion.
static void compare_cubes(const struct gabion_body *like, struct gabion_law law, int steps,
                          double tolerance) {
    for (enum ground ground = 0; ground < GROUNDS; ground++) {
        struct gabion_world *one = floor_world(ground == PLANE ? PLANE : BLOCK, law);
        struct gabion_world *many = floor_world(ground, law);
        int32_t id = add_cube(one, false, like), same = add_cube(many, true, like);
        double off = 0;
        for (int k = 0; k < steps; k++) {
            scene_step(one, 1);
            scene_step(many, 1);
            vec3 x = scene_position(one, id), y = scene_position(many, same);
            off = fmax(off, vec3_length(vec3_sub(x, y)));
        }
        print_message("ground %d: %.1e m apart after %d steps\n", (int)ground, off, steps);
        assert_at_most(off, tolerance);
        scene_assert_ledger(many);
        scene_free(one);
        scene_free(many);
    }
}

// It slides over the seams of the ground, and its own seams over the ground.
static void test_cube_slides(void **state) {
    (void)state;
    struct gabion_body like = gabion_default_body();
    like.position = vec3_make(-0.35, 0.02, 0.1);
    like.velocity = vec3_make(1.5, 0.1, 0);
    like.orientation = quat_about(vec3_make(0, 0, 1), 0.3);
    compare_cubes(&like, (struct gabion_law){.friction = 0.2}, 300, 1e-9);
}

static void test_cube_lands(void **state) {
    (void)state;
    struct gabion_body like = gabion_default_body();
    like.position = vec3_make(-0.05, 0.03, 0.25);
    like.velocity = vec3_make(0.4, 0, -0.5);
    compare_cubes(&like, (struct gabion_law){.friction = 0.5, .restitution = 0.3}, 200, 1e-9);
}

// It falls on an edge and tips over it, until it lands on its side. Blocks touch from a gap of a
// millionth of their thickness on, and the parts are half as thick as the cube: 1e-7 m.
static void test_cube_tips(void **state) {
    (void)state;
    struct gabion_body like = gabion_default_body();
    like.orientation = quat_about(vec3_make(0, 1, 0), 0.9);
    like.position = vec3_make(-0.02, 0, 0.15);
    compare_cubes(&like, (struct gabion_law){.friction = 0.8}, 178, 5e-7);
}

// Seams -----------------------------------------------------------------------------------------

// A block that is 1e-4 of its size inside the floor, more than any solver leaves, slides without
// friction across a seam at every angle: nothing may slow it down.
static void test_seam_is_not_felt(void **state) {
    (void)state;
    for (int k = 0; k < 8; k++) {
        struct gabion_world *world = floor_world(SLABS, (struct gabion_law){0});
        int shape = scene_box_shape(world, vec3_make(0.1, 0.08, 0.1));
        struct gabion_body body = scene_block_body(shape, vec3_make(-0.2, 0.01, 0.1 - 1e-5));
        body.orientation = quat_about(vec3_make(0, 0, 1), k < 2 ? 0 : 0.4 * k);
        body.velocity = vec3_make(0.1, k % 2 ? 0.05 : 0, 0);
        int32_t id = scene_add(world, &body);
        scene_step(world, 1500); // 0.3 m in steps of 0.2 mm
        assert_vector_near(scene_velocity(world, id), body.velocity, 1e-9);
        scene_free(world);
    }
}

// Balls roll over seams as over one floor.
static void test_ball_rolls(void **state) {
    (void)state;
    vec3 end[2];
    for (int k = 0; k < 2; k++) {
        struct gabion_world *world = floor_world(k ? SLABS : BLOCK, sliding);
        int32_t id =
            scene_sphere(world, vec3_make(-0.3, 0.01, 0.1 - 1e-6), 0.1, 1, vec3_make(1, 0.2, 0));
        scene_step(world, 300);
        end[k] = scene_position(world, id);
        scene_free(world);
    }
    assert_vector_near(end[0], end[1], 1e-9);
}

static vec3 slide_blade(enum ground ground, bool sharp) {
    static const double edge[3][2] = {{0, 0}, {0.02, 0.2}, {-0.02, 0.2}};
    struct gabion_error error = {0};
    struct gabion_world *world = floor_world(ground, (struct gabion_law){0});
    struct polyhedron *shape = sharp ? polyhedron_prism(edge, 3, -0.1, 0.1, &error)
                                     : polyhedron_box(vec3_make(1e-4, 0.1, 0.1), &error);
    struct gabion_body body = scene_block_body(scene_shape(world, shape), vec3_zero());
    body.position = vec3_make(0, -0.3, sharp ? -3e-4 : 0.1 - 3e-4);
    if (sharp)
        body.orientation = quat_about(vec3_make(1, 0, 0), PI / 2);
    body.lock = GABION_LOCK_RX | GABION_LOCK_RY | GABION_LOCK_RZ;
    body.velocity = vec3_make(0.05, 0, 0);
    int32_t id = scene_add(world, &body);
    scene_step(world, 200);
    vec3 x = scene_position(world, id);
    assert_near(scene_velocity(world, id).x, 0.05, 1e-9);
    scene_free(world);
    return x;
}

// A blade, sharp or thinner than it is pressed into the floor, begins with its edge on a seam: it
// rises and slides as on a floor in one piece.
static void test_blade_is_not_caught(void **state) {
    (void)state;
    for (int sharp = 0; sharp < 2; sharp++) {
        vec3 one = slide_blade(BLOCK, sharp), seam = slide_blade(SLABS, sharp);
        print_message("blade at %.9f %.9f, on one %.9f %.9f\n", seam.x, seam.z, one.x, one.z);
        assert_vector_near(seam, one, 1e-8);
    }
}

// No contact between bodies that lie on flat parts has another normal than that of the floor, and
// a body on a seam has the points that it has on one piece.
static void test_contacts_on_a_seam(void **state) {
    (void)state;
    struct gabion_world *world = floor_world(SLABS, sliding);
    int shape = scene_box_shape(world, vec3_make(0.1, 0.1, 0.1));
    scene_block(world, shape, vec3_make(0.03, 0.02, 0.1)); // on three slabs
    struct gabion_body cube =
        compound_scene_body(compound_scene_cube(world, 0.1), vec3_make(0.5, 0.02, 0.1));
    scene_add(world, &cube);
    scene_step(world, 3);
    assert_int_equal(world->contacts->count, 8);
    for (size_t k = 0; k < world->contacts->count; k++)
        assert_vector_near(world->contacts->list[k].normal, vec3_make(0, 0, 1), 1e-12);
    scene_free(world);
}

// Bays ------------------------------------------------------------------------------------------

static int add_ell(struct gabion_world *world) {
    const struct compound_box box[] = {{{0.5, 0.3, 0.1}, {0.5, 0, -0.1}},
                                       {{0.1, 0.3, 0.5}, {-0.1, 0, 0.3}}};
    return compound_scene_boxes(world, box, 2);
}

// A cube in the nook of a fixed L, pushed into the corner by tilted gravity, rests on both faces.
// Without friction the reactions are the components of its weight.
static void test_nook(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.gravity = vec3_make(-3, 0, -4);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    struct gabion_body ell = compound_scene_body(add_ell(world), vec3_zero());
    ell.fixed = true;
    int32_t fixed = scene_add(world, &ell);
    int32_t cube = scene_block(world, scene_box_shape(world, vec3_make(0.1, 0.1, 0.1)),
                               vec3_make(0.1, 0, 0.1));
    scene_step(world, 100);
    vec3 push = vec3_scale(1 / (8 * 1e-3), scene_pair_impulse(world, cube, fixed));
    assert_vector_near(vec3_scale(1e3, push), vec3_make(3e3, 0, 4e3), 1e-4);
    assert_vector_near(scene_position(world, cube), vec3_make(0.1, 0, 0.1), 1e-9);
    assert_near(scene_spin(world, cube).y, 0, 1e-9);
    scene_free(world);
}

// Two hooks, one hanging from the other, which is fixed: the lower one is held by the lip of the
// upper one and carries a weight of its own.
static void test_hooks_hold(void **state) {
    (void)state;
    // A C in the plane x z: a spine at x < 0 and two lips to x = 0.4.
    const struct compound_box cee[] = {{{0.1, 0.2, 0.5}, {-0.1, 0, 0}},
                                       {{0.2, 0.2, 0.1}, {0.2, 0, 0.4}},
                                       {{0.2, 0.2, 0.1}, {0.2, 0, -0.4}}};
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.max_sweeps = 20000;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    int shape = compound_scene_boxes(world, cee, 3);
    struct gabion_body upper = compound_scene_body(shape, vec3_zero());
    upper.fixed = true;
    scene_add(world, &upper);
    // The lower one is turned to face it; its upper lip lies on the lower lip of the upper one.
    struct gabion_body lower = compound_scene_body(shape, vec3_make(0.35, 0, -0.6 - 0.1));
    lower.orientation = quat_about(vec3_make(0, 0, 1), PI);
    lower.position.z = -0.6; // lips: upper one from -0.5 to -0.3, lower one's from -0.3 to -0.1
    int32_t id = scene_add(world, &lower);
    vec3 start = scene_position(world, id);
    scene_step(world, 400);
    vec3 moved = vec3_sub(scene_position(world, id), start);
    // It swings until its spine leans on the lip, and hangs: it does not fall through.
    assert_true(fabs(moved.z) < 0.2);
    assert_at_most(world->report.max_overlap_relative, 1e-4);
    scene_assert_ledger(world);
    scene_free(world);
}

// Balance ---------------------------------------------------------------------------------------

// An upside-down L: a post of t x h on the floor and an arm that reaches out by r at its top, of
// height t. It stands as long as its centre of mass is above the foot: with m_arm (r / 2) = moment
// about the edge of the foot on the arm's side, r = sqrt(t (h + t) ...): the post and the part of
// the arm above it, together t (h + t), are t / 2 inside the edge, the free arm r t is r / 2
// outside. It stands if r^2 < t (h + t).
static bool stands(double r) {
    double t = 0.1, h = 0.5, d = 0.1;
    struct gabion_settings settings = scene_settings(2e-3, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.6});
    add_ground(world, SLABS);
    const struct compound_box box[] = {{{t / 2, d, h / 2}, {-t / 2, 0, h / 2}},
                                       {{(t + r) / 2, d, t / 2}, {(r - t) / 2, 0, h + t / 2}}};
    struct gabion_body body = compound_scene_body(compound_scene_boxes(world, box, 2), vec3_zero());
    int32_t id = scene_add(world, &body);
    double height = scene_position(world, id).z;
    scene_step(world, 300);
    double fall = height - scene_position(world, id).z;
    scene_assert_ledger(world);
    scene_free(world);
    return fall < 1e-6;
}

static void test_arm_balances(void **state) {
    (void)state;
    double limit = sqrt(0.1 * 0.6);
    assert_true(stands(0.998 * limit));
    assert_false(stands(1.002 * limit));
}

// A dovetail: a tail that widens upwards sits in a groove of the same shape in a fixed block.
// Pulled up by any force it does not come out, and pulled along the groove it slides.
static void test_dovetail(void **state) {
    (void)state;
    struct gabion_error error = {0};
    static const double left[4][2] = {{-0.5, 0}, {-0.1, 0}, {-0.2, 0.2}, {-0.5, 0.2}};
    static const double right[4][2] = {{0.1, 0}, {0.5, 0}, {0.5, 0.2}, {0.2, 0.2}};
    static const double tail[4][2] = {{-0.1, 0}, {0.1, 0}, {0.2, 0.2}, {-0.2, 0.2}};
    quat up = quat_about(vec3_make(1, 0, 0), PI / 2); // drawn in x y, laid along y
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.gravity = vec3_make(0, 0.5, -3); // the groove opens downwards in this frame
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    struct gabion_part part[] = {
        {scene_shape(world, polyhedron_prism(left, 4, -1, 1, &error)), {0, 0, 0}, up, 0},
        {scene_shape(world, polyhedron_prism(right, 4, -1, 1, &error)), {0, 0, 0}, up, 0},
        {scene_box_shape(world, vec3_make(0.5, 1, 0.1)), {0, 0, 0.3}, {1, 0, 0, 0}, 0}};
    struct gabion_body groove =
        compound_scene_body(compound_scene_shape(world, part, 3), vec3_zero());
    groove.fixed = true;
    scene_add(world, &groove);
    struct gabion_body body = scene_block_body(
        scene_shape(world, polyhedron_prism(tail, 4, -0.3, 0.3, &error)), vec3_zero());
    body.orientation = up;
    int32_t id = scene_add(world, &body);
    double height = scene_position(world, id).z;
    scene_step(world, 500);
    assert_near(scene_position(world, id).z, height, 1e-8);
    assert_near(scene_velocity(world, id).y, 0.5 * 0.5, 1e-8);
    scene_free(world);
}

// Other shapes ------------------------------------------------------------------------------------

// A compound of every kind of neighbour falls into a heap in a drum and in a hollow sphere: nothing
// leaves, nothing stays inside another, the books close.
static void test_mixed_heap(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct gabion_settings settings = gabion_default_settings();
        settings.step = 1e-3;
        settings.tolerance = 1e-6;
        settings.max_sweeps = 2000;
        struct gabion_world *world = scene_create(&settings, sliding);
        struct gabion_body room =
            k ? clump_scene_hollow(0.6) : clump_scene_drum(0.6, 1, vec3_make(0, 1, 0), true);
        scene_add(world, &room);
        const struct compound_box cee[] = {{{0.02, 0.05, 0.1}, {0, 0, 0}},
                                           {{0.05, 0.05, 0.02}, {0.05, 0, 0.08}},
                                           {{0.05, 0.05, 0.02}, {0.05, 0, -0.08}}};
        int shape = compound_scene_boxes(world, cee, 3);
        int box = scene_box_shape(world, vec3_make(0.05, 0.04, 0.03));
        int bar = clump_scene_bar(world, 3, 0.03, 0.04);
        struct random_stream random = {7};
        for (int i = 0; i < 24; i++) {
            vec3 x = {0.22 * (i % 3 - 1), 0.22 * (i / 3 % 3 - 1), 0.24 * (i / 9) - 0.3};
            struct gabion_body body = compound_scene_body(shape, x);
            body.orientation = quat_about(scene_random_unit(&random), 2);
            if (i % 4 == 1)
                body = scene_sphere_body(x, 0.05, 0.5);
            if (i % 4 == 2)
                body = clump_scene_body(bar, x, body.orientation);
            if (i % 8 == 3)
                body = scene_block_body(box, x);
            scene_add(world, &body);
        }
        scene_step(world, 600);
        print_message("room %d: overlap %.1e, %zu contacts\n", k,
                      world->report.max_overlap_relative, world->contacts->count);
        assert_at_most(world->report.max_overlap_relative, 0.02);
        for (int32_t i = 0; i < world->bodies.moving; i++)
            assert_at_most(vec3_length(world->bodies.x[i]), k ? 0.6 : 0.8);
        scene_assert_ledger(world);
        scene_free(world);
    }
}

// A ball that begins deep between the parts of a cube, where the nearest faces are inner ones, is
// seen, and healed out of it.
static void test_deep_overlap_is_seen(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.gravity = vec3_zero();
    struct gabion_world *world = scene_create(&settings, sliding);
    struct gabion_body cube = compound_scene_body(compound_scene_cube(world, 0.5), vec3_zero());
    cube.fixed = true;
    int32_t id = scene_add(world, &cube);
    int32_t ball = scene_sphere(world, vec3_make(0.02, 0.01, 0.3), 0.05, 1, vec3_zero());
    int32_t block = scene_block(world, scene_box_shape(world, vec3_make(0.05, 0.05, 0.05)),
                                vec3_make(-0.02, 0.01, -0.4));
    scene_step(world, 1);
    const struct contact *contact = scene_contact(world, ball, id);
    assert_non_null(contact);
    assert_near(contact->gap, -0.25, 1e-12);
    assert_near(contact->normal.z, 1, 1e-12);
    contact = scene_contact(world, block, id);
    assert_non_null(contact);
    assert_near(contact->gap, -0.15, 1e-12);
    assert_near(contact->normal.z, -1, 1e-12);
    scene_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ell),
        cmocka_unit_test(test_far_drawing),
        cmocka_unit_test(test_overlap_and_density),
        cmocka_unit_test(test_hull),
        cmocka_unit_test(test_cube_slides),
        cmocka_unit_test(test_cube_lands),
        cmocka_unit_test(test_cube_tips),
        cmocka_unit_test(test_seam_is_not_felt),
        cmocka_unit_test(test_ball_rolls),
        cmocka_unit_test(test_blade_is_not_caught),
        cmocka_unit_test(test_contacts_on_a_seam),
        cmocka_unit_test(test_nook),
        cmocka_unit_test(test_hooks_hold),
        cmocka_unit_test(test_arm_balances),
        cmocka_unit_test(test_dovetail),
        cmocka_unit_test(test_mixed_heap),
        cmocka_unit_test(test_deep_overlap_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
