// Clumps: mass properties in closed form, and bodies that rest, roll, collide and hang.
#include <string.h>

#include "engine/contact/contacts.h"
#include "geometry/balls.h"
#include "geometry/manifold.h"
#include "tests/unit/clump_scene.h"

static const quat upright = {1, 0, 0, 0};

// Mass properties -----------------------------------------------------------------------------

// Parallel axes: m (2/5 r^2) along the bar, and the squares of the distances across it.
static void test_bar_mass(void **state) {
    (void)state;
    struct gabion_error error = {0};
    const double r = 0.05, spacing = 0.09, m = 4.0 / 3 * PI * r * r * r;
    struct clump *bar = clump_bar(6, r, spacing, CLUMP_SUM, &error);
    double along = 6 * 0.4 * m * r * r;
    double across = along + m * spacing * spacing * 2 * (0.25 + 2.25 + 6.25);
    assert_near(bar->volume, 6 * m, 1e-16);
    assert_vector_near(bar->inertia, vec3_make(along, across, across), 1e-18);
    assert_vector_near(bar->centre, vec3_zero(), 0);
    assert_near(bar->radius, 2.5 * spacing + r, 1e-16);
    clump_free(bar);
}

static void test_torus_mass(void **state) {
    (void)state;
    struct gabion_error error = {0};
    const double r = 0.05, ring = 0.25, m = 30 * 4.0 / 3 * PI * r * r * r;
    struct clump *torus = clump_torus(30, r, ring, CLUMP_SUM, &error);
    double across = m * (0.4 * r * r + 0.5 * ring * ring), axial = m * (0.4 * r * r + ring * ring);
    assert_near(torus->volume, m, 1e-15);
    assert_vector_near(torus->inertia, vec3_make(across, across, axial), 1e-15);
    assert_near(torus->radius, ring + r, 1e-15);
    clump_free(torus);
}

// Two balls less the lens that they share, anywhere and in any direction.
static void test_union_lens(void **state) {
    (void)state;
    struct random_stream random = {5};
    for (int k = 0; k < 20; k++) {
        vec3 c[2] = {scene_random_unit(&random), vec3_zero()};
        double R = 1, r = random_between(&random, 0.4, 1.2), d = random_between(&random, 0.5, 1.3);
        c[1] = vec3_add_scaled(c[0], d, scene_random_unit(&random));
        double radius[2] = {R, r}, sum = R + r;
        double lens = d >= sum ? 0
                               : PI * (sum - d) * (sum - d) *
                                     (d * d + 2 * d * sum - 3 * (R - r) * (R - r)) / (12 * d);
        double small = fmin(R, r);
        if (d + small <= fmax(R, r)) // one inside the other
            lens = 4.0 / 3 * PI * small * small * small;
        struct solid both = balls_union(c, radius, 2);
        double volume = 4.0 / 3 * PI * (R * R * R + r * r * r) - lens;
        assert_near(both.volume / volume, 1, 1e-12);
    }
}

// Balls that do not meet, and one that is there twice or inside another: known from the sum.
static void test_union_known(void **state) {
    (void)state;
    const vec3 c[] = {{0, 0, 0}, {1, 2, 3}, {-2, 1, 0.5}, {0, 0, 0}, {1, 2, 3.1}};
    const double r[] = {1, 0.8, 0.6, 1, 0.5};
    struct solid apart = balls_sum(c, r, 3), whole = balls_union(c, r, 5);
    assert_near(whole.volume, apart.volume, 1e-11);
    assert_vector_near(whole.centre, apart.centre, 1e-11);
    assert_near(whole.inertia.xx, apart.inertia.xx, 1e-10);
    assert_near(whole.inertia.yz, apart.inertia.yz, 1e-10);
}

// A solid of revolution: the union of two equal balls a distance 2 a apart, about its axis.
static void test_union_inertia(void **state) {
    (void)state;
    struct gabion_error error = {0};
    const double a = 0.6; // radius 1
    // Half of it: the ball from z = -a on; x^2 + y^2 integrates to pi (1 - z^2)^2 / 2 per slice.
    double z = -a, rest = z - 2 * z * z * z / 3 + z * z * z * z * z / 5;
    double axial = 2 * 0.5 * PI * (8.0 / 15 - rest),
           volume = 2 * PI * (2.0 / 3 - (z - z * z * z / 3));
    struct clump *pair = clump_bar(2, 1, 2 * a, CLUMP_UNION, &error);
    assert_near(pair->volume, volume, 1e-10);
    assert_near(pair->inertia.x, axial, 1e-10);
    assert_near(pair->inertia.y, pair->inertia.z, 1e-10);
    assert_true(pair->inertia.y > pair->inertia.x);
    clump_free(pair);
}

// Three balls that overlap each other, whose rims cross: volume and moment about the axis of
// symmetry against a sum over columns, each as high as the highest ball there.
static void test_union_of_three(void **state) {
    (void)state;
    const int n = 3000;
    struct gabion_error error = {0};
    const double r[3] = {1, 1, 1}, out = 1 / sqrt(3), cell = 4.0 / n;
    vec3 c[3] = {{out, 0, 0}, {-0.5 * out, 0.5, 0}, {-0.5 * out, -0.5, 0}};
    struct clump *clump = clump_create(c, r, 3, CLUMP_UNION, &error);
    assert_non_null(clump);
    double volume = 0, moment = 0;
    for (int i = 0; i < n * n; i++) {
        double x = (i % n + 0.5) * cell - 2, y = (i / n + 0.5) * cell - 2, high2 = 0;
        for (int k = 0; k < 3; k++)
            high2 = fmax(high2, 1 - (x - c[k].x) * (x - c[k].x) - (y - c[k].y) * (y - c[k].y));
        volume += 2 * sqrt(high2) * cell * cell;
        moment += 2 * sqrt(high2) * cell * cell * (x * x + y * y);
    }
    vec3 found = clump->inertia;
    assert_near(clump->volume, volume, 1e-6 * volume);
    assert_near(fmax(found.x, fmax(found.y, found.z)), moment, 1e-6 * moment);
    clump_free(clump);
}

// Drawn off its centre and at an angle, the same body comes out.
static void test_own_frame(void **state) {
    (void)state;
    struct gabion_error error = {0};
    const vec3 own[] = {{-1, 0, 0}, {1.5, 0.2, 0}, {0, 1, 0.3}};
    const double r[] = {0.5, 0.4, 0.6};
    quat turn = quat_normalize((quat){0.8, 0.3, -0.4, 0.2});
    vec3 shift = {100, -50, 7}, drawn[3];
    for (int k = 0; k < 3; k++)
        drawn[k] = vec3_add(shift, mat3_apply(quat_matrix(turn), own[k]));
    struct clump *here = clump_create(own, r, 3, CLUMP_UNION, &error);
    struct clump *there = clump_create(drawn, r, 3, CLUMP_UNION, &error);
    double trace = here->inertia.x + here->inertia.y + here->inertia.z;
    assert_near(there->volume, here->volume, 1e-9);
    assert_near(there->inertia.x + there->inertia.y + there->inertia.z, trace, 1e-9);
    for (int k = 0; k < 3; k++) {
        vec3 back = vec3_add(there->centre, mat3_apply(quat_matrix(there->axes), there->sphere[k]));
        assert_vector_near(back, drawn[k], 1e-12);
    }
    clump_free(here);
    clump_free(there);
}

static void test_bad_clumps(void **state) {
    (void)state;
    struct gabion_error error = {0};
    const vec3 c[] = {{0, 0, 0}, {NAN, 0, 0}};
    const double r[] = {1, 1}, flat[] = {1, 0};
    assert_null(clump_create(c, r, 0, CLUMP_SUM, &error));
    assert_null(clump_create(c, r, 2, CLUMP_SUM, &error));
    assert_null(clump_create(c, flat, 2, CLUMP_UNION, &error));
    assert_null(clump_torus(-3, 1, 1, CLUMP_SUM, &error));
    assert_null(clump_bar(1 << 20, 1, 1, CLUMP_SUM, &error));
    assert_non_null(strstr(error.text, "a clump has 1 to"));
}

// Motion --------------------------------------------------------------------------------------

// A clump of one sphere falls, bounces, rolls and is hit like the sphere.
static void test_one_sphere(void **state) {
    (void)state;
    vec3 x[2], w[2];
    for (int run = 0; run < 2; run++) {
        struct gabion_settings settings = scene_settings(2e-3, 0.5);
        struct gabion_world *world =
            scene_create(&settings, (struct gabion_law){.friction = 0.3, .restitution = 0.4});
        scene_plane(world, vec3_zero(), vec3_make(0.2 / sqrt(1.04), 0, 1 / sqrt(1.04)));
        scene_sphere(world, vec3_make(0.9, 0.1, 0.15), 0.2, 3, vec3_zero());
        struct gabion_body body = scene_sphere_body(vec3_make(0, 0, 0.4), 0.1, 2);
        if (run == 1) {
            body.shape = GABION_CLUMP;
            body.clump = clump_scene_bar(world, 1, 0.1, 0);
        }
        body.velocity = vec3_make(1, 0, 0);
        body.spin = vec3_make(0, 3, 7);
        int32_t id = scene_add(world, &body);
        scene_step(world, 500);
        x[run] = scene_position(world, id);
        w[run] = scene_spin(world, id);
        scene_assert_ledger(world);
        scene_destroy(world);
    }
    assert_vector_near(x[0], x[1], 1e-7);
    assert_vector_near(w[0], w[1], 1e-6);
}

static void test_bar_at_rest(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-2, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.3});
    int32_t ground = scene_floor(world);
    struct gabion_body body =
        clump_scene_body(clump_scene_bar(world, 6, 0.05, 0.09), vec3_make(0.3, -2, 0.05), upright);
    int32_t id = scene_add(world, &body);
    scene_step(world, 100);
    vec3 push = scene_pair_impulse(world, id, ground);
    double weight = world->bodies.mass[0] * 9.81;
    assert_vector_near(push, vec3_make(0, 0, weight * settings.step), 1e-9 * weight);
    assert_vector_near(scene_position(world, id), vec3_make(0.3, -2, 0.05), 1e-9);
    assert_int_equal((int)world->contacts->count, 6);
    assert_int_equal((int)scene_plan(world)->nodes, 1);
    scene_destroy(world);
}

// A ring of many spheres down a slope: g sin(alpha) / (1 + I / m R^2).
static void test_ring_rolls(void **state) {
    (void)state;
    const double alpha = 0.1, r = 0.02, ring = 0.3, R = ring + r;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.tolerance = 1e-8;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.6});
    scene_plane(world, vec3_zero(), vec3_make(sin(alpha), 0, cos(alpha)));
    vec3 start = vec3_scale(R, vec3_make(sin(alpha), 0, cos(alpha)));
    struct gabion_body body = clump_scene_body(clump_scene_torus(world, 300, r, ring), start,
                                               quat_about(vec3_make(1, 0, 0), PI / 2));
    int32_t id = scene_add(world, &body);
    scene_step(world, 800);
    double moment = ring * ring + 0.4 * r * r;
    double expected = 9.81 * sin(alpha) / (1 + moment / (R * R)) * 0.5 * 0.8 * 0.8;
    assert_near(vec3_length(vec3_sub(scene_position(world, id), start)) / expected, 1, 0.01);
    scene_destroy(world);
}

// A dumbbell at an angle hits the ground with one end, without friction: one impulse
// P = (1 + e) v / (1/m + (a cos)^2 / I).
static void test_dumbbell_impact(void **state) {
    (void)state;
    const double r = 0.1, a = 0.4, tilt = 0.5, e = 0.7, v = 2, m = 5;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.gravity = vec3_zero();
    settings.gap = GABION_GAP_MOREAU;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.restitution = e});
    scene_floor(world);
    // About y by +tilt the end at +x goes down.
    double height = a * sin(tilt) + r + 0.5 * v * settings.step;
    struct gabion_body body =
        clump_scene_body(clump_scene_bar(world, 2, r, 2 * a), vec3_make(0, 0, height),
                         quat_about(vec3_make(0, 1, 0), tilt));
    body.mass = m;
    body.velocity = vec3_make(0, 0, -v);
    int32_t id = scene_add(world, &body);
    scene_step(world, 1);
    double moment = m * (0.4 * r * r + a * a), arm = a * cos(tilt);
    double push = (1 + e) * v / (1 / m + arm * arm / moment);
    assert_vector_near(scene_velocity(world, id), vec3_make(0, 0, push / m - v), 1e-9);
    assert_vector_near(scene_spin(world, id), vec3_make(0, -push * arm / moment, 0), 1e-9);
    scene_destroy(world);
}

// A link hangs in another one that is fixed: it stays in it and comes to rest.
static void test_links_hold(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1.0 / 240, 1);
    settings.tolerance = 1e-7;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.3});
    int torus = clump_scene_torus(world, 30, 0.05, 0.25);
    struct gabion_body link =
        clump_scene_body(torus, vec3_zero(), quat_about(vec3_make(1, 0, 0), PI / 2));
    link.fixed = true;
    link.material = SCENE_GROUND;
    int32_t upper = scene_add(world, &link);
    link = clump_scene_body(torus, vec3_make(0, 0, -0.35), quat_about(vec3_make(0, 1, 0), PI / 2));
    int32_t lower = scene_add(world, &link);
    scene_step(world, 1200);
    vec3 x = scene_position(world, lower), push = scene_pair_impulse(world, lower, upper);
    double weight = world->bodies.mass[world->bodies.index_of[lower]] * 9.81;
    assert_at_most(vec3_length(scene_velocity(world, lower)), 1e-3);
    assert_near(x.z, -0.4, 0.011);
    assert_near(push.z / settings.step / weight, 1, 1e-3);
    assert_at_most(world->report.max_overlap, 1e-3);
    scene_destroy(world);
}

// Whichever comes first.
static void test_swapped(void **state) {
    (void)state;
    vec3 x[2][2], w[2][2];
    for (int run = 0; run < 2; run++) {
        struct gabion_settings settings = scene_settings(1e-3, 0.5);
        settings.tolerance = 1e-7;
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.4});
        scene_floor(world);
        struct gabion_body pair[2] = {
            clump_scene_body(clump_scene_bar(world, 5, 0.05, 0.08), vec3_make(0, 0, 0.05), upright),
            clump_scene_body(clump_scene_torus(world, 12, 0.04, 0.15), vec3_make(0.03, 0.02, 0.3),
                             quat_about(vec3_make(1, 0, 0), 0.3)),
        };
        int32_t id[2];
        for (int k = 0; k < 2; k++)
            id[k ^ run] = scene_add(world, &pair[k ^ run]);
        scene_step(world, 300);
        for (int k = 0; k < 2; k++) {
            x[run][k] = scene_position(world, id[k]);
            w[run][k] = scene_spin(world, id[k]);
        }
        assert_true(scene_contact(world, id[0], id[1]) != NULL);
        scene_destroy(world);
    }
    for (int k = 0; k < 2; k++) {
        assert_vector_near(x[0][k], x[1][k], 1e-5);
        assert_vector_near(w[0][k], w[1][k], 1e-3);
    }
}

// A contact is named by the spheres that make it, those of the body with the lower id first,
// wherever sorting has put the two.
static void test_feature(void **state) {
    (void)state;
    for (int side = -1; side < 2; side += 2) {
        struct gabion_settings settings = scene_settings(1e-3, 0.5);
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.4});
        struct gabion_body body =
            clump_scene_body(clump_scene_bar(world, 3, 0.1, 0.2), vec3_zero(), upright);
        int32_t first = scene_add(world, &body);
        body = clump_scene_body(clump_scene_bar(world, 2, 0.1, 0.2), vec3_make(side * 0.5, 0, 0),
                                upright);
        int32_t second = scene_add(world, &body);
        scene_step(world, 1);
        const int32_t *index = world->bodies.index_of;
        assert_int_equal(index[first]<index[second], side> 0);
        const struct contact *contact = scene_contact(world, first, second);
        assert_non_null(contact);
        assert_int_equal(contact->feature,
                         side > 0 ? MANIFOLD_FEATURE(2, 0) : MANIFOLD_FEATURE(0, 1));
        assert_near(contact->normal.x, -1, 1e-15); // from the upper index to the lower
        scene_destroy(world);
    }
}

// A block on a clump, which stands on the floor: rest with the weight carried.
static void test_block_on_clump(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(5e-3, 1);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    int32_t ground = scene_floor(world);
    const vec3 c[] = {{-0.5, -0.4, 0}, {0.5, -0.4, 0}, {0, 0.6, 0}};
    const double r[] = {0.2, 0.2, 0.2};
    struct gabion_error error = {0};
    int tripod = clump_scene_shape(world, clump_create(c, r, 3, CLUMP_UNION, &error));
    struct gabion_body legs = clump_scene_body(tripod, vec3_make(0, 0, 0.2), upright);
    int32_t low = scene_add(world, &legs);
    int32_t slab =
        scene_block(world, scene_box_shape(world, vec3_make(0.9, 0.9, 0.1)), vec3_make(0, 0, 0.5));
    scene_step(world, 200);
    const double *mass = world->bodies.mass;
    double upper = mass[world->bodies.index_of[slab]] * 9.81 * settings.step;
    double both = (mass[0] + mass[1]) * 9.81 * settings.step;
    assert_vector_near(scene_pair_impulse(world, slab, low), vec3_make(0, 0, upper), 1e-8 * upper);
    assert_vector_near(scene_pair_impulse(world, low, ground), vec3_make(0, 0, both), 1e-8 * both);
    scene_assert_ledger(world);
    scene_destroy(world);
}

// Lengths whose cubes or fifth powers are no numbers: rejected, whatever the shape.
static void test_no_mass(void **state) {
    (void)state;
    const double sizes[] = {1e-120, 1e-70, 1e70, 1e120};
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct gabion_error error = {0};
        struct gabion_body ball = scene_sphere_body(vec3_zero(), sizes[k], 0);
        ball.density = 1000;
        assert_int_equal(gabion_add_body(world, &ball, &error), -1);
        assert_non_null(strstr(error.text, "too small or too large"));
        error = (struct gabion_error){0};
        vec3 spheres[] = {{0, 0, 0}, {sizes[k], 0, 0}};
        double radii[] = {sizes[k], sizes[k]};
        struct clump *clump = clump_create(spheres, radii, 2, CLUMP_UNION, &error);
        struct gabion_body body =
            clump_scene_body(clump_scene_shape(world, clump), vec3_zero(), (quat){1, 0, 0, 0});
        assert_int_equal(gabion_add_body(world, &body, &error), -1);
        assert_non_null(strstr(error.text, "too small or too large"));
    }
    // Masses whose energies are no numbers.
    struct gabion_error error = {0};
    struct gabion_body heavy = scene_sphere_body(vec3_zero(), 1, 1e300);
    assert_int_equal(gabion_add_body(world, &heavy, &error), -1);
    assert_non_null(strstr(error.text, "too small or too large"));
    scene_destroy(world);
}

int main(void) {
    const struct CMUnitTest geometry[] = {
        cmocka_unit_test(test_bar_mass),      cmocka_unit_test(test_torus_mass),
        cmocka_unit_test(test_union_lens),    cmocka_unit_test(test_union_known),
        cmocka_unit_test(test_union_inertia), cmocka_unit_test(test_union_of_three),
        cmocka_unit_test(test_own_frame),     cmocka_unit_test(test_bad_clumps),
        cmocka_unit_test(test_no_mass),
    };
    const struct CMUnitTest motion[] = {
        cmocka_unit_test(test_one_sphere), cmocka_unit_test(test_bar_at_rest),
        cmocka_unit_test(test_ring_rolls), cmocka_unit_test(test_dumbbell_impact),
        cmocka_unit_test(test_links_hold), cmocka_unit_test(test_swapped),
        cmocka_unit_test(test_feature),    cmocka_unit_test(test_block_on_clump),
    };
    return cmocka_run_group_tests(geometry, NULL, NULL) +
           scene_run_methods(motion, sizeof motion / sizeof *motion);
}
