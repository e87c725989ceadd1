// Generators: every promise of cases/generators.h, and the bits of the random numbers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cases/size.h"
#include "engine/api/define.h"
#include "engine/world/world.h"
#include "parallel/hash.h"

static struct team *team;

static int start_team(void **state) {
    struct gabion_error error = {0};
    (void)state;
    team = team_create(1, NULL, &error);
    return team == NULL;
}

static int stop_team(void **state) {
    (void)state;
    team_destroy(team);
    return 0;
}

static int make_world(void **state) {
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    struct gabion_world *world = world_create(&settings, team, &error);
    if (world == NULL || gabion_add_material(world, "stone", 2600.0, NULL) != 0)
        return 1;
    *state = world;
    return 0;
}

static int drop_world(void **state) {
    gabion_destroy(*state);
    return 0;
}

static struct gabion_body stone(void) {
    struct gabion_body body = gabion_default_body();
    body.density = 2600.0;
    return body;
}

static struct grain_kind kind; // of plain_lattice and plain_fill

static struct grain_mixture plain_grains(double radius) {
    kind = (struct grain_kind){.template = stone(), .size = {.radius = radius}};
    return (struct grain_mixture){&kind, 1, SHARE_NUMBER};
}

static struct lattice_definition plain_lattice(void) {
    return (struct lattice_definition){
        .grains = plain_grains(0.1),
        .origin = {1, 2, 3},
        .spacing = {0.5, 0.25, 1.0},
        .count = {3, 2, 4},
        .seed = 7,
    };
}

static struct fill_definition plain_fill(void) {
    return (struct fill_definition){
        .grains = plain_grains(0.05),
        .region = {.kind = REGION_BOX, .low = {-1, 0, 0}, .high = {1, 1, 0.5}},
        .count = 300,
        .attempts = 1000,
        .seed = 11,
    };
}

static void lattice_sites_are_in_order(void **state) {
    struct gabion_world *world = *state;
    struct gabion_error error = {0};
    struct lattice_definition lattice = plain_lattice();
    assert_true(generate_lattice(world, &lattice, &error));
    assert_int_equal(world->bodies.count, 24);
    for (int32_t i = 0; i < 24; i++) {
        vec3 x = world->bodies.x[world->bodies.index_of[i]];
        assert_true(x.x == 1 + 0.5 * (i % 3));
        assert_true(x.y == 2 + 0.25 * (i / 3 % 2));
        assert_true(x.z == 3 + 1.0 * (i / 6));
        assert_true(world->bodies.radius[i] == 0.1);
    }
}

static void lattice_jitter_and_limit_hold(void **state) {
    struct gabion_world *world = *state;
    struct gabion_error error = {0};
    struct lattice_definition lattice = plain_lattice();
    double largest = 0.0;
    lattice.jitter = 0.1;
    lattice.limit = 20;
    assert_true(generate_lattice(world, &lattice, &error));
    assert_int_equal(world->bodies.count, 20);
    for (int32_t i = 0; i < 20; i++) {
        vec3 x = world->bodies.x[world->bodies.index_of[i]];
        double shift = fabs(x.x - 1 - 0.5 * (i % 3));
        assert_true(shift <= 0.05 && fabs(x.y - 2 - 0.25 * (i / 3 % 2)) <= 0.025);
        largest = fmax(largest, shift);
    }
    assert_true(largest > 0.02);
}

static void assert_rejected(bool made, struct gabion_error *error, const char *word) {
    assert_false(made);
    assert_int_equal(error->status, GABION_ERROR_INPUT);
    if (strstr(error->text, word) == NULL)
        fail_msg("no '%s' in: %s", word, error->text);
    *error = (struct gabion_error){0};
}

static void bad_lattices_are_rejected(void **state) {
    struct gabion_world *world = *state;
    struct gabion_error error = {0};
    struct lattice_definition lattice = plain_lattice();
    kind.size.radius = -0.1;
    assert_rejected(generate_lattice(world, &lattice, &error), &error, "radius is -0.1");
    lattice = plain_lattice();
    lattice.count[1] = 0;
    assert_rejected(generate_lattice(world, &lattice, &error), &error, "count along y");
    lattice = plain_lattice();
    lattice.count[0] = lattice.count[2] = 100000;
    assert_rejected(generate_lattice(world, &lattice, &error), &error, "sites");
    lattice = plain_lattice();
    lattice.spacing.x = 0.0;
    assert_rejected(generate_lattice(world, &lattice, &error), &error, "spacing along x");
    lattice = plain_lattice();
    lattice.jitter = NAN;
    assert_rejected(generate_lattice(world, &lattice, &error), &error, "jitter");
    assert_int_equal(world->bodies.count, 0);
}

static void assert_packed(const struct gabion_world *world, const struct fill_definition *fill) {
    const struct bodies *bodies = &world->bodies;
    for (int32_t i = 0; i < bodies->count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            double x = vec3_get(bodies->x[i], axis), r = bodies->radius[i];
            assert_true(x - r >= vec3_get(fill->region.low, axis) - 1e-12);
            assert_true(x + r <= vec3_get(fill->region.high, axis) + 1e-12);
        }
        for (int32_t j = 0; j < i; j++) {
            double distance = vec3_length(vec3_sub(bodies->x[i], bodies->x[j]));
            assert_true(distance >= (bodies->radius[i] + bodies->radius[j]) * (1 - 1e-12));
        }
    }
}

static void fill_has_no_overlap(void **state) {
    struct gabion_world *world = *state;
    struct gabion_error error = {0};
    struct fill_definition fill = plain_fill();
    assert_true(generate_fill(world, &fill, &error));
    assert_int_equal(world->bodies.count, 300);
    assert_packed(world, &fill);
}

// Sizes of 20 to 1: several levels of the grid, largest first.
static void fill_of_mixed_sizes_has_no_overlap(void **state) {
    struct gabion_world *world = *state;
    struct gabion_error error = {0};
    struct fill_definition fill = plain_fill();
    double radius[3] = {0.2, 0.03, 0.01}, share[3] = {1, 40, 800};
    kind.size = (struct size_distribution){
        .kind = SIZE_CLASSES, .classes = 3, .class_radius = radius, .class_share = share};
    fill.count = 1500;
    assert_true(generate_fill(world, &fill, &error));
    assert_int_equal(world->bodies.count, 1500);
    assert_packed(world, &fill);
    for (int32_t id = 1; id < 1500; id++)
        assert_true(world->bodies.radius[world->bodies.index_of[id]] <=
                    world->bodies.radius[world->bodies.index_of[id - 1]]);
    assert_true(world->bodies.radius[world->bodies.index_of[0]] == 0.2);
    assert_true(world->bodies.radius[world->bodies.index_of[1499]] == 0.01);
}

static uint64_t hash_of_fill(uint64_t seed) {
    void *state;
    struct gabion_error error = {0};
    struct fill_definition fill = plain_fill();
    kind.size = (struct size_distribution){.kind = SIZE_LOGNORMAL, .mean = 0.04, .deviation = 0.2};
    fill.seed = seed;
    assert_int_equal(make_world(&state), 0);
    struct gabion_world *world = state;
    assert_true(generate_fill(world, &fill, &error));
    uint64_t hash = hash_bytes(HASH_START, world->bodies.x, 300 * sizeof(vec3));
    hash = hash_bytes(hash, world->bodies.radius, 300 * sizeof(double));
    gabion_destroy(world);
    return hash;
}

static void fill_depends_on_the_seed_alone(void **state) {
    (void)state;
    assert_true(hash_of_fill(3) == hash_of_fill(3));
    assert_true(hash_of_fill(3) != hash_of_fill(4));
}

static void a_jammed_fill_says_how_far_it_came(void **state) {
    struct gabion_world *world = *state;
    struct gabion_error error = {0};
    struct fill_definition fill = plain_fill();
    fill.count = 2000;
    assert_false(generate_fill(world, &fill, &error));
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    long long at = 0, placed = 0;
    double fraction = 0.0;
    const char *text = strstr(error.text, "sphere ");
    assert_non_null(text);
    assert_int_equal(sscanf(text, "sphere %lld of 2000", &at), 1);
    text = strstr(error.text, "attempts; ");
    assert_non_null(text);
    assert_int_equal(
        sscanf(text, "attempts; %lld are placed, volume fraction %lf", &placed, &fraction), 2);
    assert_true(placed > 300 && placed < 2000 && at == placed + 1);
    double exact = (double)placed * 4.0 / 3.0 * acos(-1.0) * 0.05 * 0.05 * 0.05;
    assert_true(fabs(fraction - exact) < 1e-3 && fraction > 0.25 && fraction < 0.4);
    assert_int_equal(world->bodies.count, 0);
}

static void bad_fills_are_rejected(void **state) {
    struct gabion_world *world = *state;
    struct gabion_error error = {0};
    struct fill_definition fill = plain_fill();
    fill.region.high.y = fill.region.low.y;
    assert_rejected(generate_fill(world, &fill, &error), &error, "empty");
    fill = plain_fill();
    kind.size.radius = 0.3;
    assert_rejected(generate_fill(world, &fill, &error), &error, "does not fit");
    fill = plain_fill();
    fill.count = 0;
    assert_rejected(generate_fill(world, &fill, &error), &error, "count");
    fill = plain_fill();
    fill.region.low.x = NAN;
    assert_rejected(generate_fill(world, &fill, &error), &error, "finite");
    fill = plain_fill();
    kind.size.radius = NAN;
    assert_rejected(generate_fill(world, &fill, &error), &error, "radius");
}

static void container_walls_face_inwards(void **state) {
    struct gabion_world *world = *state;
    struct gabion_error error = {0};
    struct container_definition box = {
        .name = "box", .low = {-1, -2, 0}, .high = {1, 2, 3}, .walls = 1 | 2 | 4 | 8 | 16};
    vec3 centre = {0, 0, 1.5};
    assert_true(generate_container(world, &box, &error));
    assert_int_equal(world->bodies.count, 5);
    assert_int_equal(world->bodies.moving, 0);
    for (int32_t i = 0; i < 5; i++) {
        const struct half_space *plane = bodies_half_space(&world->bodies, i);
        double depth = vec3_dot(plane->normal, vec3_sub(centre, world->bodies.x[i]));
        double half = fabs(vec3_dot(plane->normal, (vec3){1, 2, 1.5}));
        assert_true(fabs(depth - half) < 1e-15);
        vec3 second = vec3_cross(plane->normal, plane->tangent);
        assert_true(fabs(vec3_dot(plane->tangent, (vec3){1, 2, 1.5})) == plane->extent[0]);
        assert_true(fabs(vec3_dot(second, (vec3){1, 2, 1.5})) == plane->extent[1]);
    }
    assert_true(gabion_find_group(world, "box.zmin") >= 0);
    assert_true(gabion_find_group(world, "box.zmax") < 0);
}

static void bad_containers_are_rejected(void **state) {
    struct gabion_world *world = *state;
    struct gabion_error error = {0};
    struct container_definition box = {.name = "box", .high = {1, 0, 1}, .walls = 63};
    assert_rejected(generate_container(world, &box, &error), &error, "empty: along y");
    box.high.y = 1;
    box.walls = 0;
    assert_rejected(generate_container(world, &box, &error), &error, "walls");
    box.walls = 64;
    assert_rejected(generate_container(world, &box, &error), &error, "walls");
}

#define DRAWS 40000

// Mean and deviation of f(radius), f = identity or logarithm.
static void moments(const struct size_distribution *size, double (*f)(double), double *mean,
                    double *deviation) {
    struct gabion_error error = {0};
    struct random_stream stream = {5};
    double sum = 0.0, squares = 0.0;
    assert_true(size_check(size, &error));
    for (int i = 0; i < DRAWS; i++) {
        double radius;
        assert_true(size_draw(size, &stream, &radius, &error));
        double value = f == NULL ? radius : f(radius);
        sum += value;
        squares += value * value;
    }
    *mean = sum / DRAWS;
    *deviation = sqrt(squares / DRAWS - *mean * *mean);
}

static void distributions_have_their_moments(void **state) {
    double mean, deviation;
    (void)state;
    struct size_distribution size = {.kind = SIZE_NORMAL, .mean = 2.0, .deviation = 0.25};
    moments(&size, NULL, &mean, &deviation);
    assert_true(fabs(mean - 2.0) < 0.005 && fabs(deviation - 0.25) < 0.005);
    size = (struct size_distribution){.kind = SIZE_LOGNORMAL, .mean = 0.5, .deviation = 0.3};
    moments(&size, log, &mean, &deviation);
    assert_true(fabs(mean - log(0.5)) < 0.006 && fabs(deviation - 0.3) < 0.006);
    size = (struct size_distribution){.kind = SIZE_UNIFORM, .low = 1.0, .high = 3.0};
    moments(&size, NULL, &mean, &deviation);
    assert_true(fabs(mean - 2.0) < 0.01 && fabs(deviation - 2.0 / sqrt(12.0)) < 0.01);
    double radius[3] = {1.0, 5.0, 2.0}, share[3] = {3.0, 0.0, 1.0};
    size = (struct size_distribution){
        .kind = SIZE_CLASSES, .classes = 3, .class_radius = radius, .class_share = share};
    moments(&size, NULL, &mean, &deviation);
    assert_true(fabs(mean - 1.25) < 0.01 && fabs(deviation - sqrt(3.0) / 4.0) < 0.01);
}

static void bounds_cut(void **state) {
    struct gabion_error error = {0};
    struct random_stream stream = {9};
    struct size_distribution size = {
        .kind = SIZE_NORMAL, .mean = 1.0, .deviation = 1.0, .low = 0.5, .high = 1.2};
    (void)state;
    for (int i = 0; i < 1000; i++) {
        double radius = 0.0;
        assert_true(size_draw(&size, &stream, &radius, &error));
        assert_true(radius >= 0.5 && radius <= 1.2);
    }
    size.high = 0.0;
    size.low = 0.0;
    for (int i = 0; i < 1000; i++) {
        double radius = 0.0;
        assert_true(size_draw(&size, &stream, &radius, &error));
        assert_true(radius > 0.0);
    }
    size = (struct size_distribution){
        .kind = SIZE_NORMAL, .mean = 1.0, .deviation = 0.01, .low = 5.0, .high = 6.0};
    double radius;
    assert_rejected(size_draw(&size, &stream, &radius, &error), &error, "widen the bounds");
}

static void bad_sizes_are_rejected(void **state) {
    struct gabion_error error = {0};
    (void)state;
    struct size_distribution size = {.kind = SIZE_UNIFORM, .low = 2.0, .high = 1.0};
    assert_rejected(size_check(&size, &error), &error, "bounds");
    size = (struct size_distribution){.kind = SIZE_NORMAL, .mean = 1.0, .deviation = -1.0};
    assert_rejected(size_check(&size, &error), &error, "deviation");
    size = (struct size_distribution){.kind = SIZE_NORMAL, .mean = 1.0, .deviation = NAN};
    assert_rejected(size_check(&size, &error), &error, "deviation");
    size = (struct size_distribution){.kind = SIZE_CLASSES};
    assert_rejected(size_check(&size, &error), &error, "no class");
    double radius = 1.0, share = 0.0;
    size = (struct size_distribution){
        .kind = SIZE_CLASSES, .classes = 1, .class_radius = &radius, .class_share = &share};
    assert_rejected(size_check(&size, &error), &error, "sum to 0");
}

// The very bits: another processor, C library or compiler must give these. That they are also
// right is seen beside them, in long double arithmetic.
static void random_radii_have_the_same_bits_everywhere(void **state) {
    struct gabion_error error = {0};
    struct random_stream stream = {42};
    struct size_distribution size = {.kind = SIZE_LOGNORMAL, .mean = 1.0, .deviation = 1.0};
    uint64_t digest = 0;
    (void)state;
    for (int i = 0; i < 1000; i++) {
        double radius = 0.0, u, v, s;
        struct random_stream copy = stream;
        do {
            u = random_between(&copy, -1.0, 1.0);
            v = random_between(&copy, -1.0, 1.0);
            s = u * u + v * v;
        } while (s >= 1.0);
        assert_true(size_draw(&size, &stream, &radius, &error));
        long double exact = expl((long double)u * sqrtl(-2.0L * logl(s) / s));
        assert_true(fabsl(radius / exact - 1.0L) < 4e-15L);
        uint64_t bits;
        memcpy(&bits, &radius, sizeof bits);
        digest = digest * 31 + bits;
    }
    if (digest != 0x8e9c6b40a85f9392u)
        fail_msg("the digest of 1000 radii is %016llx", (unsigned long long)digest);
}

int main(void) {
#define WORLD_TEST(f) cmocka_unit_test_setup_teardown(f, make_world, drop_world)
    const struct CMUnitTest tests[] = {
        WORLD_TEST(lattice_sites_are_in_order),
        WORLD_TEST(lattice_jitter_and_limit_hold),
        WORLD_TEST(bad_lattices_are_rejected),
        WORLD_TEST(fill_has_no_overlap),
        WORLD_TEST(fill_of_mixed_sizes_has_no_overlap),
        cmocka_unit_test(fill_depends_on_the_seed_alone),
        WORLD_TEST(a_jammed_fill_says_how_far_it_came),
        WORLD_TEST(bad_fills_are_rejected),
        WORLD_TEST(container_walls_face_inwards),
        WORLD_TEST(bad_containers_are_rejected),
        cmocka_unit_test(distributions_have_their_moments),
        cmocka_unit_test(bounds_cut),
        cmocka_unit_test(bad_sizes_are_rejected),
        cmocka_unit_test(random_radii_have_the_same_bits_everywhere),
    };
    return cmocka_run_group_tests(tests, start_team, stop_team);
}
