// Fills among other bodies, mixtures, random hulls, regions, rain, and removals by region.
#include "cases/generators.h"
#include "cases/size.h"
#include "engine/contact/standing.h"
#include "geometry/region.h"
#include "tests/unit/one_world.h"

static struct grain_kind ball(double radius) {
    struct grain_kind kind = {.template = gabion_default_body(), .size = {.radius = radius}};
    kind.template.material = SCENE_BODY;
    kind.template.density = 1000;
    kind.share = 1;
    return kind;
}

static struct grain_kind shaped(enum gabion_shape shape, int number) {
    struct grain_kind kind = ball(1);
    kind.form = GRAIN_SHAPE;
    kind.template.shape = shape;
    kind.template.polyhedron = kind.template.clump = number;
    kind.turned = true;
    return kind;
}

static struct grain_kind hulls(double radius) {
    struct grain_kind kind = ball(radius);
    kind.form = GRAIN_HULL;
    kind.template.shape = GABION_POLYHEDRON;
    kind.points = 12;
    kind.aspect = vec3_make(1, 0.7, 0.5);
    kind.turned = true;
    return kind;
}

static int bar(void) {
    struct gabion_error error = {0};
    const vec3 centre[3] = {{-0.05, 0, 0}, {0, 0, 0}, {0.05, 0, 0}};
    const double radius[3] = {0.04, 0.04, 0.04};
    return gabion_add_clump(world, centre, radius, 3, GABION_CLUMP_SUM, &error);
}

static struct region box_region(vec3 low, vec3 high) {
    return (struct region){.kind = REGION_BOX, .low = low, .high = high};
}

static void place(struct fill_definition *fill) {
    struct gabion_error error = {0};
    if (!generate_fill(world, fill, &error))
        fail_msg("%s", error.text);
}

static void assert_no_overlap(void) {
    struct overlap overlap = standing_initial_overlap(world);
    assert_at_most(overlap.relative, 1e-8);
}

// A fixed block, a clump, a sphere, a slope and a drum are in the region before the fill. The
// distance of a sphere from an axis-parallel block is computed here by itself.
static void fills_see_what_is_there(void **state) {
    (void)state;
    int block = scene_box_shape(world, vec3_make(0.3, 0.2, 0.25));
    scene_fixed_block(world, block, vec3_make(0, 0, 0));
    struct gabion_body clump = scene_sphere_body(vec3_make(0.6, 0.3, 0.2), 1, 1);
    clump.shape = GABION_CLUMP;
    clump.clump = bar();
    scene_add(world, &clump);
    scene_sphere(world, vec3_make(-0.6, 0, 0), 0.2, 1, vec3_zero());
    scene_plane(world, vec3_make(0, 0, -0.4), vec3_make(0, 0.6, 0.8));
    struct gabion_body drum = gabion_default_body();
    drum.shape = GABION_DRUM;
    drum.material = SCENE_GROUND;
    drum.fixed = drum.ends = true;
    drum.radius = 0.9;
    drum.length = 1.6;
    drum.normal = vec3_make(0, 0, 1);
    scene_add(world, &drum);
    int32_t before = world->bodies.count;
    struct grain_kind kinds[] = {
        ball(0.05), shaped(GABION_CLUMP, clump.clump),
        shaped(GABION_POLYHEDRON, scene_box_shape(world, vec3_make(0.06, 0.04, 0.03))),
        hulls(0.07)};
    struct fill_definition fill = {.grains = {kinds, 4, SHARE_NUMBER},
                                   .region = box_region(vec3_make(-1, -1, -1), vec3_make(1, 1, 1)),
                                   .count = 400,
                                   .seed = 3};
    place(&fill);
    assert_int_equal(world->bodies.count, before + 400);
    const struct bodies *bodies = &world->bodies;
    for (int32_t i = 0; i < bodies->count; i++) {
        if (bodies->shape[i] != GABION_SPHERE || bodies->id[i] < before)
            continue;
        vec3 x = bodies->x[i];
        vec3 out = {fmax(fabs(x.x) - 0.3, 0), fmax(fabs(x.y) - 0.2, 0), fmax(fabs(x.z) - 0.25, 0)};
        assert_true(vec3_length(out) >= 0.05 - 1e-9);
        assert_true(sqrt(x.x * x.x + x.y * x.y) <= 0.85 + 1e-9 && fabs(x.z) <= 0.75 + 1e-9);
        assert_true(0.6 * x.y + 0.8 * (x.z + 0.4) >= 0.05 - 1e-9);
    }
    assert_no_overlap();
}

// A later fill does not look at bodies that move away until then, but at those that enter with it.
static void later_fills_see_fixed_bodies(void **state) {
    (void)state;
    scene_sphere(world, vec3_zero(), 0.5, 1, vec3_zero());
    int block = scene_box_shape(world, vec3_make(0.5, 0.5, 0.1));
    scene_fixed_block(world, block, vec3_make(0, 0, -0.4));
    struct grain_kind kind = ball(0.1);
    kind.template.insert_time = 1;
    struct fill_definition fill = {
        .grains = {&kind, 1, SHARE_NUMBER},
        .region = box_region(vec3_make(-0.5, -0.5, -0.5), vec3_make(0.5, 0.5, 0.5)),
        .count = 12};
    place(&fill);
    place(&fill); // the same seed: without the first ones it would take the same places
    assert_int_equal(world->pending_count, 24);
    bool in_sphere = false;
    for (int i = 0; i < 24; i++) {
        vec3 x = world->pending[i].body.position;
        assert_true(x.z >= -0.2 - 1e-9);
        in_sphere |= vec3_length(x) < 0.5;
        for (int j = 0; j < i; j++)
            assert_true(vec3_length(vec3_sub(x, world->pending[j].body.position)) >= 0.2 - 1e-9);
    }
    assert_true(in_sphere);
}

// A region that is full: an error, or fewer bodies and a note with numbers.
static void full_regions_are_reported(void **state) {
    (void)state;
    char note[800];
    struct gabion_error error = {0};
    struct grain_kind kinds[] = {ball(0.2), ball(0.05)};
    struct fill_definition fill = {.grains = {kinds, 2, SHARE_VOLUME},
                                   .region = box_region(vec3_zero(), vec3_make(1, 1, 1)),
                                   .count = 1000,
                                   .attempts = 200,
                                   .note = note,
                                   .note_size = sizeof note};
    scene_plane(world, vec3_make(0, 0, 0.3), vec3_make(0, 0, 1));
    assert_false(generate_fill(world, &fill, &error));
    assert_non_null(strstr(error.text, "are placed, volume fraction"));
    assert_non_null(strstr(error.text, "if_full: accept"));
    assert_int_equal(world->bodies.moving, 0);
    fill.accept = true;
    place(&fill);
    int placed = 0;
    double fraction = 0;
    assert_int_equal(
        sscanf(note, "placed %d of 1000 bodies, volume fraction %lf", &placed, &fraction), 2);
    assert_int_equal(placed, world->bodies.count - 1);
    int small = 0;
    double volume = 0;
    for (int32_t i = 0; i < world->bodies.count; i++) {
        double r = world->bodies.radius[i];
        small += r == 0.05;
        volume += 4.0 / 3.0 * PI * r * r * r;
    }
    assert_true(small > 100); // large ones without a place do not keep the small ones out
    assert_near(fraction, volume, 1e-3);
    assert_no_overlap();
}

// Shares by volume are met to within one body; those by number exactly.
static void mixtures_meet_their_shares(void **state) {
    (void)state;
    struct grain_kind kinds[] = {ball(0.05), hulls(0.06), ball(0.1)};
    double volume[3] = {0}, largest = 4.0 / 3.0 * PI * 1e-3;
    kinds[0].share = 1;
    kinds[1].share = 2;
    kinds[2].share = 3;
    for (int k = 0; k < 3; k++)
        kinds[k].template.group = gabion_add_group(world, (const char *[]){"a", "b", "c"}[k], NULL);
    struct lattice_definition lattice = {
        .grains = {kinds, 3, SHARE_VOLUME}, .spacing = {1, 1, 1}, .count = {10, 10, 10}};
    struct gabion_error error = {0};
    assert_true(generate_lattice(world, &lattice, &error));
    for (int32_t i = 0; i < world->bodies.count; i++)
        volume[world->bodies.group[i] - 1] += world->bodies.mass[i] / 1000;
    assert_true(fabs(volume[0] * 2 - volume[1]) < 2 * largest);
    assert_true(fabs(volume[0] * 3 - volume[2]) < 3 * largest);
    int neighbours = 0; // kinds that took turns would never be beside their like
    for (int32_t id = 1; id < 1000; id++)
        neighbours += world->bodies.group[world->bodies.index_of[id]] ==
                      world->bodies.group[world->bodies.index_of[id - 1]];
    assert_true(neighbours > 200);
}

// The corners of a random hull lie on its ellipsoid, whose centre is the origin of the drawing
// frame.
static void random_hulls_lie_on_their_ellipsoid(void **state) {
    (void)state;
    struct grain_kind kind = hulls(0.2);
    struct lattice_definition lattice = {
        .grains = {&kind, 1, SHARE_NUMBER}, .spacing = {1, 1, 1}, .count = {5, 5, 1}};
    struct gabion_error error = {0};
    assert_true(generate_lattice(world, &lattice, &error));
    assert_int_equal(world->bodies.polyhedron_count, 25);
    for (size_t k = 0; k < 25; k++) {
        const struct polyhedron *hull = world->bodies.polyhedra[k];
        mat3 axes = quat_matrix(hull->axes);
        assert_true(hull->corner_count >= 4 && hull->corner_count <= 12);
        assert_true(hull->thickness >= 0.2 * 0.5 * 0.2);
        for (int32_t c = 0; c < hull->corner_count; c++) {
            vec3 p = vec3_add(hull->centre, mat3_apply(axes, hull->corner[c]));
            vec3 unit = {p.x / 0.2, p.y / 0.14, p.z / 0.1};
            assert_near(vec3_length(unit), 1, 1e-9);
        }
    }
}

// Equal seeds give equal bodies, shapes included.
static void seeds_decide(void **state) {
    (void)state;
    vec3 first[3] = {{0}};
    for (int run = 0; run < 3; run++) {
        struct gabion_settings settings = scene_settings(1e-3, 0.5);
        struct gabion_world *other = scene_create(&settings, (struct gabion_law){.friction = 0.5}),
                            *outer = world;
        world = other;
        struct grain_kind kinds[] = {hulls(0.1), ball(0.05)};
        struct fill_definition fill = {.grains = {kinds, 2, SHARE_NUMBER},
                                       .region = box_region(vec3_zero(), vec3_make(1, 1, 1)),
                                       .count = 40,
                                       .seed = run == 2 ? 8 : 7};
        place(&fill);
        for (int32_t i = 0; i < 40; i++)
            first[run] = vec3_add_scaled(first[run], i + 1, other->bodies.x[i]);
        world = outer;
        scene_destroy(other);
    }
    assert_memory_equal(&first[0], &first[1], sizeof(vec3));
    assert_true(first[0].x != first[2].x);
}

// Regions -------------------------------------------------------------------------------------

// The box [-1, 2] x [-1, 1] x [0, 1] as a mesh.
static void mesh_of_box(vec3 corner[36]) {
    static const int face[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                   {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    static const int fan[6] = {0, 1, 2, 0, 2, 3};
    int n = 0;
    for (int f = 0; f < 6; f++)
        for (int k = 0; k < 6; k++) {
            int c = face[f][fan[k]];
            corner[n++] = vec3_make(c & 1 ? 2 : -1, c & 2 ? 1 : -1, c & 4 ? 1 : 0);
        }
}

// Depths and volumes of all regions; that of a mesh of a box against that of the box.
static void regions_know_their_depth(void **state) {
    (void)state;
    vec3 corner[36];
    mesh_of_box(corner);
    struct region box = box_region(vec3_make(-1, -1, 0), vec3_make(2, 1, 1));
    struct region mesh = {.kind = REGION_MESH, .corner = corner, .triangles = 12};
    struct region tube = {
        .kind = REGION_CYLINDER, .axis = {0, 3, 4}, .radius = 1, .inner = 0.4, .length = 2};
    struct region cone = {
        .kind = REGION_CONE, .axis = {0, 0, 1}, .radius = 1, .end_radius = 0.5, .length = 2};
    struct region shell = {.kind = REGION_SPHERE, .radius = 1, .inner = 0.5};
    struct region below = {.kind = REGION_HALF_SPACE, .axis = {0, 0, 2}, .position = {5, 5, -1}};
    struct region *all[] = {&box, &mesh, &tube, &cone, &shell, &below};
    for (int k = 0; k < 6; k++)
        assert_null(region_prepare(all[k]));
    struct random_stream random = {4};
    for (int k = 0; k < 2000; k++) {
        vec3 p = {random_between(&random, -2, 3), random_between(&random, -2, 2),
                  random_between(&random, -1, 2)};
        double depth = region_depth(&box, p);
        assert_true((depth > 0) == (region_depth(&mesh, p) > 0));
        if (depth > 0)
            assert_near(region_depth(&mesh, p), depth, 1e-12);
    }
    assert_near(region_volume(&mesh), 6, 1e-12);
    assert_near(region_depth(&tube, vec3_make(0.7, 0, 0)), 0.3, 1e-12);
    assert_near(region_depth(&tube, vec3_make(0.5, 0, 0)), 0.1, 1e-12);
    assert_true(region_depth(&tube, vec3_make(0.3, 0, 0)) < 0);
    assert_near(region_depth(&tube, vec3_make(0.7, 0.57, 0.76)), 0.05, 1e-12);
    assert_near(region_volume(&tube), PI * (1 - 0.16) * 2, 1e-12);
    assert_near(region_depth(&cone, vec3_make(0, 0, 0.1)), 0.1, 1e-12);
    assert_near(region_depth(&cone, vec3_make(0.7, 0, 1)), 0.05 * 4 / sqrt(17), 1e-12);
    assert_near(region_volume(&cone), PI / 3 * 2 * (1 + 0.5 + 0.25), 1e-12);
    assert_near(region_depth(&shell, vec3_make(0, 0.6, 0)), 0.1, 1e-12);
    assert_near(region_depth(&below, vec3_make(0, 0, -3)), 2, 1e-12);
    below.outside = true;
    assert_near(region_depth(&below, vec3_make(0, 0, -3)), -2, 1e-12);
    corner[0].z = 0.5; // no longer closed
    assert_non_null(strstr(region_prepare(&mesh), "closed"));
}

// Whatever is placed in a tube stays inside of it, by its own shape.
static void fills_stay_in_their_region(void **state) {
    (void)state;
    struct grain_kind kinds[] = {ball(0.04), shaped(GABION_CLUMP, bar()), hulls(0.06)};
    struct region tube = {.kind = REGION_CYLINDER, .axis = {1, 1, 0}, .radius = 0.5, .length = 1};
    struct fill_definition fill = {.grains = {kinds, 3, SHARE_NUMBER}, .count = 200};
    for (int inner = 0; inner < 2; inner++) {
        tube.inner = 0.2 * inner;
        tube.position.z = 5 * inner;
        assert_null(region_prepare(&tube));
        fill.region = tube;
        place(&fill);
    }
    const struct bodies *bodies = &world->bodies;
    for (int32_t i = 0; i < bodies->count; i++) {
        double low = bodies->x[i].z > 2.5 ? 5 : 0, inside = low > 0 ? 0.2 : 0;
        struct shape_balls balls = bodies_shape(bodies, i)->balls(bodies, i);
        for (int32_t k = 0; k < balls.count; k++) {
            vec3 own = balls.centre ? balls.centre[k] : vec3_zero();
            vec3 p = vec3_add(bodies->x[i], mat3_apply(quat_matrix(bodies->q[i]), own));
            double r = balls.radii ? balls.radii[k] : balls.radius;
            double along = (p.x + p.y) / sqrt(2), side = (p.x - p.y) / sqrt(2), up = p.z - low;
            double across = sqrt(side * side + up * up);
            assert_true(across <= 0.5 - r + 1e-8 && fabs(along) <= 0.5 - r + 1e-8);
            assert_true(inside == 0 || across >= inside + r - 1e-8);
        }
    }
    assert_no_overlap();
}

// Rain ----------------------------------------------------------------------------------------

// Bodies enter at the rate and never overlap one that is still falling out of the region.
static void rain_enters_one_by_one(void **state) {
    (void)state;
    struct grain_kind kind = ball(0.1);
    kind.template.velocity = vec3_make(0, 0, -1);
    kind.template.insert_time = 0.5;
    struct fill_definition fill = {.grains = {&kind, 1, SHARE_NUMBER},
                                   .region = box_region(vec3_zero(), vec3_make(0.45, 0.45, 0.21)),
                                   .count = 60,
                                   .rate = 12};
    place(&fill);
    assert_int_equal(world->pending_count, 60);
    vec3 g = world->settings.gravity;
    for (int i = 0; i < 60; i++) {
        const struct gabion_body *late = &world->pending[i].body;
        assert_near(late->insert_time, 0.5 + i / 12.0, 1e-12);
        for (int j = 0; j < i; j++) {
            const struct gabion_body *early = &world->pending[j].body;
            double t = late->insert_time - early->insert_time;
            vec3 x = vec3_add_scaled(vec3_add_scaled(early->position, t, early->velocity),
                                     0.5 * t * t, g);
            assert_true(vec3_length(vec3_sub(x, late->position)) >= 0.2 - 1e-9);
        }
    }
}

// Sizes ---------------------------------------------------------------------------------------

// A power law has the share (1 - (r/a)^(1-n)) / (1 - (b/a)^(1-n)) of smaller radii; a grading curve
// has its shares of the volume.
static void new_distributions_have_their_shares(void **state) {
    (void)state;
    enum { DRAWS = 40000 };
    struct gabion_error error = {0};
    struct random_stream stream = {3};
    struct size_distribution power = {.kind = SIZE_POWER, .low = 1, .high = 4, .exponent = 3};
    double radius[3] = {0.01, 0.02, 0.04}, finer[3] = {0, 30, 100};
    struct size_distribution sieve = {
        .kind = SIZE_SIEVE, .classes = 3, .class_radius = radius, .class_share = finer};
    assert_true(size_check(&power, &error) && size_check(&sieve, &error));
    int below = 0;
    double fine = 0, medium = 0, all = 0;
    for (int k = 0; k < DRAWS; k++) {
        double r;
        assert_true(size_draw(&power, &stream, &r, &error) && r >= 1 && r <= 4 * (1 + 1e-12));
        below += r < 2;
        assert_true(size_draw(&sieve, &stream, &r, &error) && r >= 0.01 * (1 - 1e-12));
        all += r * r * r;
        fine += r < 0.02 ? r * r * r : 0;
        medium += r < 0.02 * sqrt(2) ? r * r * r : 0;
    }
    assert_near((double)below / DRAWS, 0.8, 0.01);
    assert_near(fine / all, 0.30, 0.01);
    assert_near(medium / all, 0.65, 0.015); // half way in the logarithm
    finer[2] = 20;
    assert_false(size_check(&sieve, &error));
    power.exponent = 50;
    error = (struct gabion_error){0};
    assert_false(size_check(&power, &error));
}

// Removals ------------------------------------------------------------------------------------

static bool is_in_run(int32_t id) { return world->bodies.index_of[id] >= 0; }

// Bodies fall through z = -1: they leave with the first step that starts there, those of another
// group only at their time, fixed ones never without their group; the ledger closes.
static void bodies_leave_where_they_are(void **state) {
    (void)state;
    struct gabion_error error = {0};
    int group = gabion_add_group(world, "other", &error);
    struct gabion_region below = {
        .kind = GABION_REGION_HALF_SPACE, .axis = {0, 0, 3}, .position = {0, 0, -1}};
    int block = scene_box_shape(world, vec3_make(0.1, 0.1, 0.1));
    int32_t fixed = scene_fixed_block(world, block, vec3_make(0, 0, -2));
    int32_t first = scene_sphere(world, vec3_make(1, 0, 0), 0.1, 1, vec3_zero());
    int32_t high = scene_sphere(world, vec3_make(2, 0, 3), 0.1, 1, vec3_zero());
    struct gabion_body body = scene_sphere_body(vec3_make(3, 0, 0), 0.1, 2);
    body.group = group;
    int32_t other = scene_add(world, &body);
    assert_true(gabion_add_region_removal(world, 0, &below, 0.1, INFINITY, &error));
    assert_true(gabion_add_region_removal(world, group, &below, 0.6, 0.6, &error));
    assert_false(gabion_add_region_removal(world, 99, &below, 0, 1, &error));
    // Group 0 is that of the fixed block too, which leaves as the removal begins.
    double fall = sqrt(2 / 9.81);
    while (is_in_run(first)) {
        assert_true(gabion_time(world) < fall + 2e-3);
        scene_step(world, 1);
        assert_true(is_in_run(fixed) == (gabion_time(world) <= 0.1 + 1e-9));
    }
    assert_near(gabion_time(world), fall, 2e-3);
    assert_true(is_in_run(other) && is_in_run(high));
    scene_step(world, 601 - (int)gabion_step_number(world));
    assert_true(!is_in_run(other) && is_in_run(high));
    assert_int_equal(world->bodies.moving, 1);
    scene_assert_ledger(world);
    struct gabion_energies energies;
    assert_true(gabion_read_energies(world, &energies, &error));
    // What left: 1 kg and 2 kg, each with the energy 0 that it began with.
    assert_near(energies.removed_energy, 0, 1e-9);
}

static void bad_removals_are_rejected(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_region region = {.kind = GABION_REGION_SPHERE, .radius = 0};
    assert_false(gabion_add_region_removal(world, -1, &region, 0, 1, &error));
    assert_non_null(strstr(error.text, "radius"));
    error = (struct gabion_error){0};
    region.radius = 1;
    assert_false(gabion_add_region_removal(world, -1, &region, 2, 1, &error));
    assert_non_null(strstr(error.text, "ends before"));
    error = (struct gabion_error){0};
    region.kind = GABION_REGION_COUNT;
    assert_false(gabion_add_region_removal(world, -1, &region, 0, 1, &error));
    assert_false(gabion_add_region_removal(world, -1, NULL, 0, 1, &error));
    assert_int_equal(world->event_count, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(fills_see_what_is_there),
        TEST(later_fills_see_fixed_bodies),
        TEST(full_regions_are_reported),
        TEST(mixtures_meet_their_shares),
        TEST(random_hulls_lie_on_their_ellipsoid),
        TEST(seeds_decide),
        TEST(regions_know_their_depth),
        TEST(fills_stay_in_their_region),
        TEST(rain_enters_one_by_one),
        TEST(new_distributions_have_their_shares),
        TEST(bodies_leave_where_they_are),
        TEST(bad_removals_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
