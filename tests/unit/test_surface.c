// Surfaces of triangles as walls: what they are made of, and how spheres and blocks move on them.
// References are the same scenes on half-spaces, closed forms, and the conservation of energy.
#include "geometry/shell_touch.h"
#include "tests/unit/compound_scene.h"
#include "tests/unit/surface_scene.h"

static const struct shell *shell_of(const struct gabion_world *world, int surface) {
    return world->bodies.surfaces[surface];
}

static struct gabion_world *frictional(double h, double mu, double e) {
    struct gabion_settings settings = scene_settings(h, 0.5);
    return scene_create(&settings, (struct gabion_law){.friction = mu, .restitution = e});
}

// Returns the distance of p from a triangle, by brute force: the plane where p is above the inside,
// else the nearest of the three sides.
static double triangle_distance(const struct shell *shell, int32_t t, vec3 p) {
    vec3 a[3];
    for (int k = 0; k < 3; k++)
        a[k] = shell->point[shell->triangle[3 * t + k]];
    vec3 n = vec3_cross(vec3_sub(a[1], a[0]), vec3_sub(a[2], a[0]));
    bool inside = true;
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        vec3 along = vec3_sub(a[(k + 1) % 3], a[k]), to = vec3_sub(p, a[k]);
        double s = fmin(fmax(vec3_dot(to, along) / vec3_dot(along, along), 0), 1);
        inside &= vec3_dot(vec3_cross(n, along), to) > 0;
        least = fmin(least, vec3_length(vec3_add_scaled(to, -s, along)));
    }
    return inside ? fabs(vec3_dot(vec3_sub(p, a[0]), n)) / vec3_length(n) : least;
}

static void keep_least(void *context, const struct shell_point *point) {
    double *least = context;
    *least = fmin(*least, point->gap);
}

// Parts -----------------------------------------------------------------------------------------

// A flat parallelogram is one face with four corners however it was cut, and in any position.
static void test_flat_triangles_are_one_face(void **state) {
    (void)state;
    struct random_stream random = {7};
    struct gabion_world *world = frictional(1e-3, 0, 0);
    for (int k = 0; k < 20; k++) {
        vec3 u = scene_random_unit(&random), v = scene_random_unit(&random);
        struct sheet *sheet = sheet_new();
        sheet_grid(sheet, vec3_scale(3, scene_random_unit(&random)), u, v, 3 + 2 * k, 20,
                   (uint64_t)k);
        const struct shell *shell = shell_of(world, sheet_shape(world, sheet));
        assert_int_equal(shell->group_count, 1);
        assert_int_equal(shell->face_count, 1);
        assert_int_equal(shell->face_start[1], 4);
        assert_int_equal(shell->edge_count, 4);
    }
    scene_destroy(world);
}

// A frame around a hole is flat but not convex: faces cover it without gap or overlap, and the
// lines between them are no edges.
static void test_frame_is_cut_into_convex_faces(void **state) {
    (void)state;
    struct gabion_world *world = frictional(1e-3, 0, 0);
    struct sheet *sheet = sheet_new();
    for (int j = 0; j < 12; j++)
        for (int i = 0; i < 12; i++)
            if (i < 4 || i > 7 || j < 4 || j > 7)
                sheet_quad(sheet, vec3_make(i, j, 1), vec3_make(i + 1, j, 1),
                           vec3_make(i + 1, j + 1, 1), vec3_make(i, j + 1, 1));
    const struct shell *shell = shell_of(world, sheet_shape(world, sheet));
    double area = 0;
    assert_int_equal(shell->group_count, 1);
    assert_int_equal(shell->edge_count, 8);
    assert_true(shell->face_count >= 4 && shell->face_count <= 8);
    for (int32_t f = 0; f < shell->face_count; f++)
        area += 0.5 * surface_area(shell->point, shell->face_corner + shell->face_start[f],
                                   shell->face_start[f + 1] - shell->face_start[f])
                          .z;
    assert_near(fabs(area), 144 - 16, 1e-12);
    scene_destroy(world);
}

// A disc of 200 sides has more corners than a face may have.
static void test_large_outlines_are_cut(void **state) {
    (void)state;
    struct gabion_world *world = frictional(1e-3, 0, 0);
    struct sheet *sheet = sheet_new();
    int64_t middle = sheet_point(sheet, vec3_zero());
    for (int k = 0; k < 200; k++)
        sheet_point(sheet, vec3_make(cos(PI * k / 100), sin(PI * k / 100), 0));
    for (int k = 0; k < 200; k++)
        sheet_triangle(sheet, middle, 1 + k, 1 + (k + 1) % 200);
    const struct shell *shell = shell_of(world, sheet_shape(world, sheet));
    assert_int_equal(shell->group_count, 1);
    assert_int_equal(shell->edge_count, 200);
    assert_true(shell->face_count >= 4 && shell->face_count < 10);
    scene_destroy(world);
}

// On a plane ------------------------------------------------------------------------------------

// The same body on a half-space and on a fine plate, both turned in the same way.
struct twins {
    struct gabion_world *world[2];
    int32_t body[2], wall[2];
    quat turned;
    mat3 turn;
};

static struct twins twins_make(double mu, uint64_t seed, void (*draw)(struct sheet *, mat3)) {
    struct random_stream random = {seed};
    struct twins twins = {
        .turned = quat_normalize(quat_exp(vec3_scale(1.1, scene_random_unit(&random))))};
    twins.turn = quat_matrix(twins.turned);
    for (int k = 0; k < 2; k++)
        twins.world[k] = frictional(1e-3, mu, 0);
    for (int k = 0; k < 2; k++) {
        struct gabion_settings *settings = &twins.world[k]->settings;
        settings->gravity = mat3_apply(twins.turn, settings->gravity);
        settings->tolerance = 1e-13;
    }
    twins.wall[0] =
        scene_plane(twins.world[0], vec3_zero(), mat3_apply(twins.turn, vec3_make(0, 0, 1)));
    struct sheet *sheet = sheet_new();
    draw(sheet, twins.turn);
    twins.wall[1] = sheet_wall(twins.world[1], sheet);
    return twins;
}

static void draw_fine_plate(struct sheet *sheet, mat3 turn) {
    sheet_grid(sheet, mat3_apply(turn, vec3_make(-1, -1, 0)), mat3_apply(turn, vec3_make(4, 0, 0)),
               mat3_apply(turn, vec3_make(0, 2, 0)), 60, 31, 5);
}

// The plate with a window beside the way of the bodies, so that several faces make it up.
static void draw_windowed_plate(struct sheet *sheet, mat3 turn) {
    for (int j = -10; j < 10; j++)
        for (int i = -10; i < 30; i++) {
            if (i >= 3 && i < 8 && j >= 6 && j < 9)
                continue;
            vec3 corner[4];
            for (int k = 0; k < 4; k++)
                corner[k] = mat3_apply(
                    turn, vec3_make(0.1 * (i + (k == 1 || k == 2)), 0.1 * (j + (k > 1)), 0));
            sheet_quad(sheet, corner[0], corner[1], corner[2], corner[3]);
        }
}

static void assert_twins(const struct twins *twins, double tolerance) {
    vec3 x[2], v[2], w[2];
    quat q[2];
    for (int k = 0; k < 2; k++)
        assert_true(scene_state(twins->world[k], twins->body[k], &x[k], &q[k], &v[k], &w[k]));
    assert_vector_near(x[1], x[0], tolerance);
    assert_vector_near(v[1], v[0], tolerance);
    assert_vector_near(w[1], w[0], 10 * tolerance);
}

static void run_twins(struct twins *twins, int steps, double tolerance) {
    for (int k = 0; k < steps; k++) {
        scene_step(twins->world[0], 1);
        scene_step(twins->world[1], 1);
        assert_twins(twins, tolerance);
    }
    for (int k = 0; k < 2; k++) {
        scene_assert_ledger(twins->world[k]);
        scene_destroy(twins->world[k]);
    }
}

// From sliding to rolling, across some thirty lines between triangles.
static void test_sphere_rolls_as_on_a_half_space(void **state) {
    (void)state;
    void (*draw[])(struct sheet *, mat3) = {draw_fine_plate, draw_windowed_plate};
    for (int run = 0; run < 2; run++) {
        struct twins twins = twins_make(0.3, 11 + (uint64_t)run, draw[run]);
        for (int k = 0; k < 2; k++)
            twins.body[k] =
                scene_sphere(twins.world[k], mat3_apply(twins.turn, vec3_make(0, 0, 0.11)), 0.11, 3,
                             mat3_apply(twins.turn, vec3_make(2, 0.3, 0)));
        run_twins(&twins, 500, 1e-12);
    }
}

// Slides with mu g until it rests.
static void test_block_slides_as_on_a_half_space(void **state) {
    (void)state;
    void (*draw[])(struct sheet *, mat3) = {draw_fine_plate, draw_windowed_plate};
    for (int run = 0; run < 2; run++) {
        struct twins twins = twins_make(0.3, 21 + (uint64_t)run, draw[run]);
        for (int k = 0; k < 2; k++) {
            struct gabion_body body =
                scene_block_body(scene_box_shape(twins.world[k], vec3_make(0.15, 0.1, 0.05)),
                                 mat3_apply(twins.turn, vec3_make(-0.3, 0, 0.05)));
            body.orientation = twins.turned;
            body.velocity = mat3_apply(twins.turn, vec3_make(2, 0, 0));
            twins.body[k] = scene_add(twins.world[k], &body);
        }
        run_twins(&twins, 300, 1e-12);
    }
}

// A table of a top and two feet: what touches is two parts, across lines between triangles.
static void test_compound_slides_as_on_a_half_space(void **state) {
    (void)state;
    static const struct compound_box table[] = {{{0.15, 0.1, 0.02}, {0, 0, 0.08}},
                                                {{0.02, 0.1, 0.03}, {-0.13, 0, 0.03}},
                                                {{0.02, 0.1, 0.03}, {0.13, 0, 0.03}}};
    void (*draw[])(struct sheet *, mat3) = {draw_fine_plate, draw_windowed_plate};
    for (int run = 0; run < 2; run++) {
        struct twins twins = twins_make(0.3, 31 + (uint64_t)run, draw[run]);
        for (int k = 0; k < 2; k++) {
            int shape = compound_scene_boxes(twins.world[k], table, 3);
            struct gabion_body body =
                compound_scene_body(shape, mat3_apply(twins.turn, vec3_make(-0.3, 0, 0)));
            body.orientation = twins.turned;
            body.velocity = mat3_apply(twins.turn, vec3_make(2, 0, 0));
            twins.body[k] = scene_add(twins.world[k], &body);
        }
        run_twins(&twins, 300, 1e-12);
    }
}

// Edges -----------------------------------------------------------------------------------------

// Two plates that meet in a line along y, each rising by `slope` from it (falling: negative).
static void draw_groove(struct sheet *sheet, double slope) {
    vec3 along = {0, 2, 0}, from = {0, -1, 0};
    sheet_grid(sheet, from, vec3_make(1, 0, slope), along, 7, 11, 3);
    sheet_grid(sheet, from, vec3_make(-1, 0, slope), along, 5, 11, 4);
}

// A ball in a groove rests on both sides, each with m g / (2 cos a), a the slope angle, and never
// on the line between them.
static void test_ball_in_a_groove_has_two_contacts(void **state) {
    (void)state;
    const double slopes[] = {0.05, 0.5, 1, 3};
    for (int k = 0; k < 4; k++) {
        struct gabion_world *world = frictional(1e-3, 0, 0);
        struct sheet *sheet = sheet_new();
        draw_groove(sheet, slopes[k]);
        int32_t wall = sheet_wall(world, sheet);
        double angle = atan(slopes[k]), R = 0.1;
        int32_t ball = scene_sphere(world, vec3_make(0, 0.01, R / cos(angle)), R, 2, vec3_zero());
        scene_step(world, 20);
        assert_int_equal(scene_count_contacts(world, ball, wall, true), 2);
        for (size_t c = 0; c < world->contacts->count; c++) {
            if (!contacts_carries(world->contacts, c))
                continue;
            vec3 p = world->contacts->impulse[c], n = world->contacts->list[c].normal;
            assert_near(vec3_length(p), 2 * 9.81 * 1e-3 / (2 * cos(angle)), 1e-9);
            assert_near(fabs(n.x), sin(angle), 1e-12);
            assert_near(n.z, cos(angle), 1e-12);
        }
        assert_vector_near(scene_position(world, ball), vec3_make(0, 0.01, R / cos(angle)), 1e-8);
        scene_destroy(world);
    }
}

// A ball on a ridge: one contact, straight up, on the line, whatever the number of triangles.
static void test_ball_on_a_ridge_has_one_contact(void **state) {
    (void)state;
    const double slopes[] = {-0.05, -1, -3};
    for (int k = 0; k < 3; k++) {
        struct gabion_world *world = frictional(1e-3, 0.5, 0);
        struct sheet *sheet = sheet_new();
        draw_groove(sheet, slopes[k]);
        int32_t wall = sheet_wall(world, sheet);
        int32_t ball = scene_sphere(world, vec3_make(0, 0.013, 0.1), 0.1, 2, vec3_zero());
        scene_step(world, 1);
        assert_int_equal(scene_count_contacts(world, ball, wall, false), 1);
        const struct contact *contact = scene_contact(world, ball, wall);
        assert_vector_near(contact->normal, vec3_make(0, 0, 1), 1e-12);
        assert_near(scene_normal_impulse(world, ball, wall), 2 * 9.81 * 1e-3, 1e-9);
        scene_destroy(world);
    }
}

// Beside a line a ball touches the flank below it alone: the line is nearer to no other part of the
// surface, and a contact there would stop a ball that slides by.
static void test_ball_beside_a_line_has_one_contact(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct gabion_world *world = frictional(1e-3, 0.5, 0);
        struct sheet *sheet = sheet_new();
        double slope = k ? -1 : 0.1, angle = atan(slope);
        world->settings.alert = 0.05;
        draw_groove(sheet, slope);
        int32_t wall = sheet_wall(world, sheet);
        vec3 foot = vec3_scale(0.02, vec3_make(cos(angle), 0, sin(angle)));
        vec3 normal = {-sin(angle), 0, cos(angle)};
        int32_t ball = scene_sphere(world, vec3_add_scaled(foot, 0.1, normal), 0.1, 2, vec3_zero());
        scene_step(world, 1);
        int beside = 0;
        for (size_t c = 0; c < world->contacts->count; c++)
            beside += fabs(fabs(world->contacts->list[c].normal.x) - fabs(normal.x)) > 1e-9;
        assert_int_equal(beside, 0);
        assert_int_equal(scene_count_contacts(world, ball, wall, true), 1);
        scene_destroy(world);
    }
}

// Beyond the rim of a plate the normal leads from the rim to the centre, on both sides of the
// plate; over its corner from there.
static void test_rim_and_corner_of_a_plate(void **state) {
    (void)state;
    const vec3 centre[] = {{1.05, 0.3, 0.08},
                           {1.05, 0.3, -0.08},
                           {1.06, 1.02, 0.05},
                           {1.08, 0.2, 0},
                           {0.97, 0.2, -0.09}};
    const vec3 foot[] = {{1, 0.3, 0}, {1, 0.3, 0}, {1, 1, 0}, {1, 0.2, 0}, {0.97, 0.2, 0}};
    for (int k = 0; k < 5; k++) {
        struct gabion_world *world = frictional(1e-3, 0, 0);
        struct sheet *sheet = sheet_new();
        world->settings.gravity = vec3_zero();
        sheet_grid(sheet, vec3_make(-1, -1, 0), vec3_make(2, 0, 0), vec3_make(0, 2, 0), 13, 9, 8);
        int32_t wall = sheet_wall(world, sheet);
        int32_t ball = scene_sphere(world, centre[k], 0.1, 2, vec3_make(0, 0, 1e-9));
        scene_step(world, 1);
        vec3 away = vec3_sub(centre[k], foot[k]);
        double distance = vec3_length(away);
        assert_int_equal(scene_count_contacts(world, ball, wall, false), 1);
        const struct contact *contact = scene_contact(world, ball, wall);
        assert_near(contact->gap, distance - 0.1, 1e-12);
        assert_vector_near(contact->normal, vec3_scale(1 / distance, away), 1e-10);
        scene_destroy(world);
    }
}

// A ball that slides over the facets of a wave, bent both ways, without friction. It loses a little
// where a facet rises before it, and never gains as a whole; a single step knows the curve of its
// way around an edge to first order only. Its sideways velocity never changes.
static void test_ball_over_facets_gains_no_energy(void **state) {
    (void)state;
    struct gabion_world *world = frictional(1e-3, 0, 0);
    struct sheet *sheet = sheet_new();
    for (int k = 0; k < 80; k++) {
        double a = 0.05 * k, b = 0.05 * (k + 1);
        double z = 0.1 * sin(3 * a), y = 0.1 * sin(3 * b);
        sheet_quad(sheet, vec3_make(a, -1, z), vec3_make(b, -1, y), vec3_make(b, 1, y),
                   vec3_make(a, 1, z));
    }
    sheet_wall(world, sheet);
    int32_t ball = scene_sphere(world, vec3_make(0.1, 0, 0.25), 0.1, 1, vec3_make(1.5, 0.2, 0));
    scene_step(world, 200); // it lands
    double start = scene_energy(world), before = start;
    for (int k = 0; k < 1500; k++) {
        scene_step(world, 1);
        assert_at_most(scene_energy(world), start * (1 + 1e-5));
        assert_at_most(scene_energy(world) - before, 1e-5 * start);
        before = scene_energy(world);
        assert_at_most(world->report.max_overlap, 3e-4 * 0.1);
    }
    assert_at_most(0.85 * start, before);
    assert_near(scene_velocity(world, ball).y, 0.2, 1e-9);
    scene_assert_ledger(world);
    scene_destroy(world);
}

// A block on the rim, with its middle inside, rests on the corners of the shared rectangle.
static void test_block_over_the_rim(void **state) {
    (void)state;
    struct gabion_world *world = frictional(1e-3, 0.5, 0);
    struct sheet *sheet = sheet_new();
    sheet_grid(sheet, vec3_make(-1, -1, 0), vec3_make(2, 0, 0), vec3_make(0, 2, 0), 13, 9, 8);
    int32_t wall = sheet_wall(world, sheet);
    int shape = scene_box_shape(world, vec3_make(0.2, 0.1, 0.05));
    int32_t stands = scene_block(world, shape, vec3_make(0.99, 0.5, 0.05));
    int32_t falls = scene_block(world, shape, vec3_make(1.01, -0.5, 0.05));
    scene_step(world, 300);
    assert_int_equal(scene_count_contacts(world, stands, wall, false), 4);
    assert_vector_near(scene_position(world, stands), vec3_make(0.99, 0.5, 0.05), 1e-7);
    // It turns about the rim, as a physical pendulum with its middle 0.01 m beyond.
    assert_at_most(scene_position(world, falls).z, 0.045);
    assert_at_most(0.01, scene_spin(world, falls).y);
    scene_assert_ledger(world);
    scene_destroy(world);
}

// A block lies across a ridge line: along the line from end to end of its face, normal up.
static void test_block_on_a_ridge(void **state) {
    (void)state;
    struct gabion_world *world = frictional(1e-3, 0.5, 0);
    struct sheet *sheet = sheet_new();
    draw_groove(sheet, -0.7);
    int32_t wall = sheet_wall(world, sheet);
    int shape = scene_box_shape(world, vec3_make(0.2, 0.1, 0.05));
    int32_t block = scene_block(world, shape, vec3_make(0, 0.037, 0.05));
    scene_step(world, 1);
    assert_int_equal(scene_count_contacts(world, block, wall, false), 2);
    for (size_t k = 0; k < world->contacts->count; k++) {
        const struct contact *contact = &world->contacts->list[k];
        assert_vector_near(contact->normal, vec3_make(0, 0, 1), 1e-12);
        assert_near(fabs(contact->point.y - 0.037), 0.1, 1e-9);
        assert_near(contact->point.x, 0, 1e-9);
    }
    assert_near(scene_pair_impulse(world, block, wall).z, 0.008 * 1000 * 9.81e-3, 1e-9);
    scene_destroy(world);
}

// A cube in a groove of 90 degrees rests on both flanks with its faces.
static void test_block_in_a_groove(void **state) {
    (void)state;
    struct gabion_world *world = frictional(1e-3, 0.3, 0);
    struct sheet *sheet = sheet_new();
    draw_groove(sheet, 1);
    int32_t wall = sheet_wall(world, sheet);
    struct gabion_body body = scene_block_body(scene_box_shape(world, vec3_make(0.1, 0.1, 0.1)),
                                               vec3_make(0, 0, 0.1 * sqrt(2)));
    body.orientation = quat_about(vec3_make(0, 1, 0), PI / 4);
    int32_t block = scene_add(world, &body);
    scene_step(world, 100);
    assert_vector_near(scene_position(world, block), vec3_make(0, 0, 0.1 * sqrt(2)), 1e-7);
    assert_near(scene_pair_impulse(world, block, wall).z, 8 * 9.81e-3, 1e-7);
    scene_assert_ledger(world);
    scene_destroy(world);
}

// Speed -----------------------------------------------------------------------------------------

// Bodies at 10 m/s and steps of 10 ms, in which they travel many times their size, do not pass a
// plate, from either side, at any angle, with or without rebound, at the default settings.
static void test_fast_bodies_do_not_pass(void **state) {
    (void)state;
    struct random_stream random = {99};
    for (int run = 0; run < 60; run++) {
        struct gabion_settings settings = gabion_default_settings();
        settings.step = 1e-2;
        settings.gravity = vec3_zero();
        double e = run % 3 == 0 ? 0.6 : 0;
        struct gabion_world *world =
            scene_create(&settings, (struct gabion_law){.friction = 0.3, .restitution = e});
        struct sheet *sheet = sheet_new();
        sheet_grid(sheet, vec3_make(-3, -3, 0), vec3_make(6, 0, 0), vec3_make(0, 6, 0), 9, 9, 8);
        sheet_wall(world, sheet);
        double side = run % 2 ? -1 : 1, distance = random_between(&random, 0.2, 0.6);
        vec3 x = {random_between(&random, -0.5, 0.5), 0, side * distance};
        vec3 v = {random_between(&random, -3, 3), random_between(&random, -3, 3), -side * 10};
        int32_t id;
        if (run % 4 < 2) {
            id = scene_sphere(world, x, random_between(&random, 0.005, 0.05), 1, v);
        } else {
            struct gabion_body body =
                scene_block_body(scene_box_shape(world, vec3_make(0.03, 0.02, 0.01)), x);
            body.velocity = v;
            body.spin = vec3_scale(random_between(&random, 0, 60), scene_random_unit(&random));
            body.orientation = quat_about(scene_random_unit(&random), 1);
            id = scene_add(world, &body);
        }
        scene_step(world, 40);
        assert_true(side * scene_position(world, id).z > 0);
        scene_free(world);
    }
}

// Driven ----------------------------------------------------------------------------------------

static int32_t driven_plate(struct gabion_world *world, int group) {
    struct sheet *sheet = sheet_new();
    sheet_grid(sheet, vec3_make(-1, -1, 0), vec3_make(2, 0, 0), vec3_make(0, 2, 0), 8, 8, 6);
    struct gabion_body body = surface_body(sheet_shape(world, sheet));
    body.group = group;
    return scene_add(world, &body);
}

// A plate that rises at a constant speed carries a ball and a block: the probes of its group
// say m g downwards, and the moment of that about the plate's origin.
static void test_driven_plate_lifts_and_weighs(void **state) {
    (void)state;
    struct gabion_world *world = frictional(1e-3, 0.5, 0);
    int group = gabion_add_group(world, "plate", NULL);
    driven_plate(world, group);
    int32_t ball = scene_sphere(world, vec3_make(0.3, 0.2, 0.1), 0.1, 2, vec3_zero());
    int32_t block = scene_block(world, scene_box_shape(world, vec3_make(0.1, 0.1, 0.05)),
                                vec3_make(-0.4, 0, 0.05));
    scene_drive(world, group, vec3_make(0, 0, 1), scene_signal(GABION_SIGNAL_RAMP, 0.1, 0, 1));
    int force = gabion_add_probe(world, "force", group, GABION_FORCE, NULL);
    int moment = gabion_add_probe(world, "moment", group, GABION_MOMENT, NULL);
    scene_step(world, 400);
    // The jump of the plate's speed comes half a step before the bodies know it, 0.05 mm.
    assert_near(scene_position(world, ball).z, 0.1 + 0.04, 5.1e-5);
    assert_near(scene_position(world, block).z, 0.05 + 0.04, 5.1e-5);
    assert_vector_near(scene_probe(world, force), vec3_make(0, 0, -(2 + 4) * 9.81), 1e-5);
    // r x F of 2 g at (0.3, 0.2) and of 4 g at (-0.4, 0).
    assert_vector_near(scene_probe(world, moment),
                       vec3_make(-0.2 * 2 * 9.81, 0.3 * 2 * 9.81 - 0.4 * 4 * 9.81, 0), 1e-4);
    scene_assert_ledger(world);
    scene_destroy(world);
}

// A plate that turns about its own normal drags a ball that sticks to it: without slip a ball on a
// turntable goes round a circle with 2/7 of the table's angular velocity (S. Ramsey, "Dynamics",
// 1937; I = 2/5 m r^2). Started on that circle, it stays there.
static void test_ball_on_a_turntable(void **state) {
    (void)state;
    const double turn = 3, R = 0.05, r = 0.4;
    struct gabion_world *world = frictional(2e-4, 5, 0);
    int group = gabion_add_group(world, "plate", NULL);
    struct gabion_error error = {0};
    driven_plate(world, group);
    double w = 2.0 / 7 * turn, speed = w * r;
    struct gabion_body body = scene_sphere_body(vec3_make(r, 0, R), R, 1);
    body.velocity = vec3_make(0, speed, 0);
    // The point of the ball that touches has the velocity of the table: v + s x (-R z) = turn z x
    // r.
    body.spin = vec3_make((turn * r - speed) / R, 0, 0);
    int32_t ball = scene_add(world, &body);
    struct gabion_signal signal = scene_signal(GABION_SIGNAL_RAMP, turn, 0, 1);
    assert_true(
        gabion_add_rotation(world, group, vec3_zero(), vec3_make(0, 0, 1), &signal, &error));
    for (int k = 0; k < 10; k++) {
        scene_step(world, 400);
        vec3 x = scene_position(world, ball);
        double t = gabion_time(world);
        assert_near(sqrt(x.x * x.x + x.y * x.y), r, 2e-4);
        assert_vector_near(x, vec3_make(r * cos(w * t), r * sin(w * t), R), 5e-4);
    }
    scene_destroy(world);
}

// A driven plate pushes bodies that rest before it, at more than their size in a step.
static void test_plate_that_comes_fast(void **state) {
    (void)state;
    struct gabion_settings settings = gabion_default_settings();
    settings.step = 1e-2;
    settings.gravity = vec3_zero();
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.3});
    int group = gabion_add_group(world, "plate", NULL);
    driven_plate(world, group);
    int32_t ball = scene_sphere(world, vec3_make(0.3, 0.2, 0.5), 0.02, 2, vec3_zero());
    int32_t block = scene_block(world, scene_box_shape(world, vec3_make(0.02, 0.03, 0.01)),
                                vec3_make(-0.4, 0, 0.6));
    scene_drive(world, group, vec3_make(0, 0, 1), scene_signal(GABION_SIGNAL_RAMP, 10, 0, 1));
    scene_step(world, 90);
    assert_at_most(9 + 0.02 - 1e-4, scene_position(world, ball).z);
    assert_at_most(9 + 0.01 - 1e-4, scene_position(world, block).z);
    scene_destroy(world);
}

// Large meshes ----------------------------------------------------------------------------------

// A ball in a bowl of 20 000 triangles touches what it would touch among the triangles near it: the
// search finds the same contact as a test of all faces.
static void test_search_finds_the_nearest_face(void **state) {
    (void)state;
    struct random_stream random = {17};
    struct gabion_world *world = frictional(1e-3, 0, 0);
    struct sheet *sheet = sheet_new();
    sheet_grid(sheet, vec3_make(-1, -1, 0), vec3_make(2, 0, 0), vec3_make(0, 2, 0), 90, 90, 2);
    for (int64_t p = 0; p < sheet->points; p++)
        sheet->point[p].z = 0.5 * vec3_dot(sheet->point[p], sheet->point[p]);
    const struct shell *shell = shell_of(world, sheet_shape(world, sheet));
    struct placed_shell placed = {shell, vec3_zero(), quat_matrix((quat){1, 0, 0, 0})};
    for (int k = 0; k < 200; k++) {
        vec3 p = {random_between(&random, -1, 1), random_between(&random, -1, 1),
                  random_between(&random, -0.2, 1)};
        double least = INFINITY, found = INFINITY;
        for (int32_t t = 0; t < shell->triangle_count; t++)
            least = fmin(least, triangle_distance(shell, t, p));
        shell_touch_ball(&placed, p, 0.05, 0.3, keep_least, &found);
        if (least < 0.05 + 0.3)
            assert_near(found, least - 0.05, 1e-9);
        else
            assert_true(found == INFINITY);
    }
    scene_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat_triangles_are_one_face),
        cmocka_unit_test(test_frame_is_cut_into_convex_faces),
        cmocka_unit_test(test_large_outlines_are_cut),
        cmocka_unit_test(test_sphere_rolls_as_on_a_half_space),
        cmocka_unit_test(test_block_slides_as_on_a_half_space),
        cmocka_unit_test(test_compound_slides_as_on_a_half_space),
        cmocka_unit_test(test_ball_in_a_groove_has_two_contacts),
        cmocka_unit_test(test_ball_on_a_ridge_has_one_contact),
        cmocka_unit_test(test_ball_beside_a_line_has_one_contact),
        cmocka_unit_test(test_rim_and_corner_of_a_plate),
        cmocka_unit_test(test_ball_over_facets_gains_no_energy),
        cmocka_unit_test(test_block_over_the_rim),
        cmocka_unit_test(test_block_on_a_ridge),
        cmocka_unit_test(test_block_in_a_groove),
        cmocka_unit_test(test_fast_bodies_do_not_pass),
        cmocka_unit_test(test_driven_plate_lifts_and_weighs),
        cmocka_unit_test(test_ball_on_a_turntable),
        cmocka_unit_test(test_plate_that_comes_fast),
        cmocka_unit_test(test_search_finds_the_nearest_face),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
