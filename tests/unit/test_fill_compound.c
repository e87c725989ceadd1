// Fills and lattices of compounds: by their real shapes, in all sizes, in mixtures.
#include "cases/generators.h"
#include "engine/contact/standing.h"
#include "tests/unit/compound_scene.h"
#include "tests/unit/one_world.h"

#define UNIT 0.05 // the L consists of three cubes with sides of two units

// An L in the plane x-z with arms of four units.
static int l_shape(double unit) {
    const struct compound_box box[2] = {{{2 * unit, unit, unit}, {0, 0, 0}},
                                        {{unit, unit, unit}, {-unit, 0, 2 * unit}}};
    return compound_scene_boxes(world, box, 2);
}

static struct grain_kind compounds(int number) {
    struct grain_kind kind = {.template = gabion_default_body(), .form = GRAIN_SHAPE};
    kind.template.material = SCENE_BODY;
    kind.template.density = 1000;
    kind.template.shape = GABION_COMPOUND;
    kind.template.compound = number;
    kind.size.radius = 1;
    kind.turned = true;
    kind.share = 1;
    return kind;
}

static struct grain_kind balls(double radius) {
    struct grain_kind kind = compounds(0);
    kind.form = GRAIN_BALL;
    kind.template.shape = GABION_SPHERE;
    kind.size.radius = radius;
    return kind;
}

static struct region box_region(vec3 low, vec3 high) {
    return (struct region){.kind = REGION_BOX, .low = low, .high = high};
}

static void place(const struct fill_definition *fill) {
    struct gabion_error error = {0};
    if (!generate_fill(world, fill, &error))
        fail_msg("%s", error.text);
}

// Returns how deep a point is inside of some part of a compound; negative outside.
static double depth_inside(int32_t i, vec3 point) {
    const struct compound *shape = bodies_compound(&world->bodies, i);
    double depth = -INFINITY;
    vec3 p = vec3_sub(point, world->bodies.x[i]);
    p = mat3_apply_transposed(quat_matrix(world->bodies.q[i]), p);
    for (int32_t k = 0; k < shape->count; k++) {
        const struct polyhedron *part = shape->part[k].shape;
        vec3 own =
            mat3_apply_transposed(quat_matrix(shape->part[k].q), vec3_sub(p, shape->part[k].x));
        double least = INFINITY;
        for (int32_t f = 0; f < part->face_count; f++)
            least = fmin(least, part->offset[f] - vec3_dot(part->normal[f], own));
        depth = fmax(depth, least);
    }
    return depth;
}

// Returns a point of a grid of 5 x 5 x 5 that spans the box of a part, in the world.
static vec3 grid_point(int32_t i, int32_t part, int number) {
    const struct compound *shape = bodies_compound(&world->bodies, i);
    const struct polyhedron *box = shape->part[part].shape;
    vec3 own, low = box->low, high = box->high;
    for (int axis = 0; axis < 3; axis++, number /= 5)
        vec3_set(&own, axis,
                 vec3_get(low, axis) +
                     0.25 * (number % 5) * (vec3_get(high, axis) - vec3_get(low, axis)));
    own = vec3_add(shape->part[part].x, mat3_apply(quat_matrix(shape->part[part].q), own));
    return vec3_add(world->bodies.x[i], mat3_apply(quat_matrix(world->bodies.q[i]), own));
}

static bool is_compound(int32_t i) { return world->bodies.shape[i] == GABION_COMPOUND; }

// No point of the parts of one compound lies inside of another one, as seen without the code that
// finds contacts. Returns how many pairs are so near that their hulls need not be apart.
static int assert_apart(void) {
    const struct bodies *bodies = &world->bodies;
    int near = 0;
    for (int32_t i = 0; i < bodies->count; i++)
        for (int32_t j = 0; j < bodies->count; j++) {
            if (i == j || !is_compound(i) || !is_compound(j))
                continue;
            double distance = vec3_length(vec3_sub(bodies->x[i], bodies->x[j]));
            near += distance < bodies->radius[i] + bodies->radius[j];
            for (int32_t part = 0; part < bodies_compound(bodies, i)->count; part++)
                for (int number = 0; number < 125; number++)
                    assert_true(depth_inside(j, grid_point(i, part, number)) < 1e-8);
        }
    assert_at_most(standing_initial_overlap(world).relative, 1e-8);
    return near;
}

// Ls of several sizes among spheres over a slope and around a fixed block.
static void compounds_keep_clear(void **state) {
    (void)state;
    scene_plane(world, vec3_make(0, 0, -0.4), vec3_make(0, 0.6, 0.8));
    scene_fixed_block(world, scene_box_shape(world, vec3_make(0.3, 0.2, 0.25)), vec3_zero());
    struct grain_kind kinds[] = {compounds(l_shape(UNIT)), balls(0.04)};
    kinds[0].size = (struct size_distribution){SIZE_UNIFORM, .low = 0.6, .high = 1.2};
    struct fill_definition fill = {.grains = {kinds, 2, SHARE_NUMBER},
                                   .region = box_region(vec3_make(-1, -1, -1), vec3_make(1, 1, 1)),
                                   .count = 240,
                                   .seed = 3};
    place(&fill);
    assert_true(assert_apart() > 100);
    int32_t placed = 0;
    for (int32_t i = 0; i < world->bodies.count; i++) {
        if (!is_compound(i))
            continue;
        placed++;
        for (int32_t part = 0; part < 2; part++)
            for (int number = 0; number < 125; number++) {
                vec3 p = grid_point(i, part, number);
                assert_true(fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) <= 1 + 1e-8);
                assert_true(0.6 * p.y + 0.8 * (p.z + 0.4) >= -1e-8);
                assert_true(fabs(p.x) >= 0.3 - 1e-8 || fabs(p.y) >= 0.2 - 1e-8 ||
                            fabs(p.z) >= 0.25 - 1e-8);
            }
    }
    assert_int_equal(placed, 120);
}

// The bay of a fixed L is inside of its hull, and a place for spheres; the stone is not.
static void bays_are_places(void **state) {
    (void)state;
    struct gabion_body fixed = compound_scene_body(l_shape(10 * UNIT), vec3_zero());
    fixed.fixed = true;
    scene_add(world, &fixed);
    struct grain_kind kind = balls(0.2);
    struct fill_definition fill = {.grains = {&kind, 1, SHARE_NUMBER},
                                   .region =
                                       box_region(vec3_make(0, -0.5, 0.5), vec3_make(1, 0.5, 1.5)),
                                   .count = 5};
    place(&fill);
    assert_int_equal(world->bodies.count, 1 + 5);
    struct gabion_error error = {0};
    fill.region = box_region(vec3_make(-1, -0.5, -0.5), vec3_make(0, 0.5, 1.5));
    assert_false(generate_fill(world, &fill, &error));
    assert_non_null(strstr(error.text, "no free place"));
}

// A factor s on all lengths makes the mass of an L that of three cubes times s^3; moments and radii
// follow as s^5 and s. The share of the mass counts relative densities.
static void sizes_are_drawn(void **state) {
    (void)state;
    int plain = l_shape(UNIT);
    struct grain_kind kind = compounds(plain);
    double least = INFINITY, most = 0, mass = 3 * 8 * UNIT * UNIT * UNIT * 1000;
    kind.size = (struct size_distribution){SIZE_UNIFORM, .low = 0.8, .high = 1.2};
    struct lattice_definition lattice = {
        .grains = {&kind, 1, SHARE_NUMBER}, .spacing = {1, 1, 1}, .count = {5, 5, 4}};
    struct gabion_error error = {0};
    assert_true(generate_lattice(world, &lattice, &error));
    const struct bodies *bodies = &world->bodies;
    const struct compound *one = bodies->compounds[plain];
    for (int32_t i = 0; i < bodies->count; i++) {
        const struct compound *shape = bodies_compound(bodies, i);
        double s = cbrt(bodies->mass[i] / mass);
        assert_near(shape->radius, s * one->radius, 1e-12);
        assert_near(shape->thickness, s * 2 * UNIT, 1e-12);
        assert_near(shape->inertia.y, pow(s, 5) * one->inertia.y, 1e-15);
        assert_near(bodies->radius[i], shape->radius, 0);
        least = fmin(least, s);
        most = fmax(most, s);
    }
    assert_true(least >= 0.8 - 1e-9 && least < 0.83 && most > 1.17 && most <= 1.2 + 1e-9);
    assert_int_equal(bodies->compound_count, 1 + 100);
}

static void shares_by_mass_count_densities(void **state) {
    (void)state;
    struct gabion_part part[2] = {
        {scene_box_shape(world, vec3_make(0.1, 0.1, 0.1)), {0, 0, 0}, {1, 0, 0, 0}, 1},
        {scene_box_shape(world, vec3_make(0.1, 0.1, 0.1)), {0.2, 0, 0}, {1, 0, 0, 0}, 3},
    };
    struct grain_kind kinds[] = {compounds(compound_scene_shape(world, part, 2)), balls(0.1)};
    struct gabion_error error = {0};
    double mass[2] = {0};
    kinds[1].template.group = gabion_add_group(world, "balls", &error);
    struct lattice_definition lattice = {
        .grains = {kinds, 2, SHARE_MASS}, .spacing = {1, 1, 1}, .count = {5, 5, 4}};
    assert_true(generate_lattice(world, &lattice, &error));
    for (int32_t i = 0; i < world->bodies.count; i++)
        mass[world->bodies.group[i] != 0] += world->bodies.mass[i];
    assert_true(fabs(mass[0] - mass[1]) <= 32); // the mass of one compound
}

// Bodies without a place leave no shapes behind.
static void full_regions_keep_no_shapes(void **state) {
    (void)state;
    char note[800];
    struct grain_kind kind = compounds(l_shape(UNIT));
    kind.size = (struct size_distribution){SIZE_UNIFORM, .low = 0.8, .high = 1.2};
    struct fill_definition fill = {.grains = {&kind, 1, SHARE_NUMBER},
                                   .region = box_region(vec3_zero(), vec3_make(0.6, 0.6, 0.6)),
                                   .count = 300,
                                   .attempts = 50,
                                   .accept = true,
                                   .note = note,
                                   .note_size = sizeof note};
    place(&fill);
    size_t placed = (size_t)world->bodies.count;
    assert_true(placed > 10 && placed < 300);
    assert_int_equal(world->bodies.compound_count, 1 + placed);
    assert_int_equal(world->bodies.polyhedron_count, 2 + 2 * placed);
    assert_apart();
}

// In a tube with a core no point of an L is outside, or in the core.
static void compounds_stay_in_their_region(void **state) {
    (void)state;
    struct grain_kind kind = compounds(l_shape(UNIT));
    struct region tube = {.kind = REGION_CYLINDER, .axis = {0, 0, 1}, .radius = 0.5, .length = 3};
    for (int inner = 0; inner < 2; inner++) {
        struct fill_definition fill = {.grains = {&kind, 1, SHARE_NUMBER}, .count = 70, .seed = 2};
        tube.inner = 0.03 * inner;
        tube.position.z = 5 * inner;
        assert_null(region_prepare(&tube));
        fill.region = tube;
        place(&fill);
    }
    for (int32_t i = 0; i < world->bodies.count; i++)
        for (int32_t part = 0; part < 2; part++)
            for (int number = 0; number < 125; number++) {
                vec3 p = grid_point(i, part, number);
                double low = p.z > 2.5 ? 5 : 0, across = sqrt(p.x * p.x + p.y * p.y);
                assert_true(across <= 0.5 + 1e-8 && fabs(p.z - low) <= 1.5 + 1e-8);
                assert_true(low == 0 || across >= 0.03 - 1e-8);
            }
    assert_apart();
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(compounds_keep_clear),
        TEST(bays_are_places),
        TEST(sizes_are_drawn),
        TEST(shares_by_mass_count_densities),
        TEST(full_regions_keep_no_shapes),
        TEST(compounds_stay_in_their_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
