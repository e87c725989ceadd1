// Card house, column of drums, vault and stairs: neighbours share faces, and nothing falls.
#include "cases/generators.h"
#include "engine/contact/standing.h"
#include "tests/unit/effort.h"
#include "tests/unit/scene.h"

#define DEGREE (PI / 180)

static struct gabion_world *world;

static int stop(void **state) {
    (void)state;
    scene_free(world); // a falling house may use up its sweeps
    return 0;
}

static struct gabion_body stone(void) {
    struct gabion_body body = gabion_default_body();
    body.material = SCENE_BODY;
    body.density = 2400;
    return body;
}

static void begin(double friction, double step) {
    struct gabion_settings settings = scene_settings(step, 0.5);
    settings.method = GABION_METHOD_AUTO;
    settings.tolerance = 1e-8;
    settings.max_sweeps = 2000;
    settings.on_cap = GABION_CAP_ACCEPT;
    world = scene_create(&settings, (struct gabion_law){.friction = friction});
    scene_floor(world);
}

// Returns how far any block moves in a second.
static double drift(double seconds) {
    int32_t count = world->bodies.id_count;
    vec3 *from = test_malloc((size_t)count * sizeof *from);
    double most = 0;
    for (int32_t id = 0; id < count; id++)
        from[id] = scene_position(world, id);
    scene_step(world, (int)(seconds / world->settings.step + 0.5));
    for (int32_t id = 0; id < count; id++)
        most = fmax(most, vec3_length(vec3_sub(scene_position(world, id), from[id])));
    test_free(from);
    return most;
}

static void assert_touching(void) {
    struct overlap overlap = standing_initial_overlap(world);
    assert_at_most(overlap.relative, 1e-9);
}

static void made(bool good, const struct gabion_error *error) {
    if (!good)
        fail_msg("%s", error->text);
}

// Drums that taper with plinth and capital; the mass against the volume of frusta.
static void test_drums(void **state) {
    (void)state;
    struct gabion_error error = {0};
    begin(0.6, 5e-3);
    struct block_mark mark = {gabion_add_group(world, "top", NULL), 7};
    struct drums_definition drums = {.template = stone(),
                                     .radius = 0.5,
                                     .top_radius = 0.4,
                                     .height = 4,
                                     .drums = 5,
                                     .sides = 12,
                                     .plinth = {1.2, 1.2, 0.3},
                                     .capital = {1, 1, 0.2},
                                     .marks = {&mark, 1}};
    made(generate_drums(world, &drums, &error), &error);
    assert_touching();
    assert_int_equal(world->bodies.moving, 7);
    double mass = 0, polygon = 6 * sin(PI / 6); // area over the square of the radius
    for (int32_t i = 0; i < world->bodies.count; i++)
        mass += world->bodies.mass[i];
    double volume = polygon * 4 * (0.25 + 0.2 + 0.16) / 3 + 1.44 * 0.3 + 0.2;
    assert_near(mass, 2400 * volume, 1e-8 * mass);
    assert_near(scene_position(world, 7).z, 4.4, 1e-12); // id 0 is the floor
    assert_int_equal(world->bodies.group[world->bodies.index_of[7]], mark.group);
    assert_at_most(drift(1), 1e-8);
    drums.sides = 2;
    assert_false(generate_drums(world, &drums, &error));
    assert_non_null(strstr(error.text, "sides"));
}

// A vault thick enough to stand: 0.2 of the radius; a semicircle needs 0.1075.
static void test_vault(void **state) {
    (void)state;
    struct gabion_error error = {0};
    begin(0.7, 2e-3);
    struct vault_definition vault = {.template = stone(),
                                     .name = "vault",
                                     .origin = {0, 0, 1},
                                     .radius = 1,
                                     .thickness = 0.2,
                                     .length = 1.2,
                                     .angle = 180 * DEGREE,
                                     .courses = 7,
                                     .blocks = 2};
    made(generate_vault(world, &vault, &error), &error);
    assert_true(gabion_find_group(world, "vault.left") >= 0);
    assert_touching();
    assert_int_equal(world->bodies.moving, 4 * 2 + 3 * 3); // every second course has a block more
    double mass = 0, expected = 7 * sin(PI / 7) * 0.5 * (1.21 - 0.81) * 1.2 * 2400;
    for (int32_t i = 0; i < world->bodies.count; i++)
        mass += world->bodies.mass[i];
    assert_near(mass, expected, 1e-9 * expected);
    assert_at_most(drift(effort(1000, 100) * 1e-3), 1e-6);
}

// Stones of two treads: the joints of a course are in the middle of the stones below.
static void test_stairs(void **state) {
    (void)state;
    struct gabion_error error = {0};
    begin(0.6, 5e-3);
    struct stairs_definition stairs = {
        .template = stone(), .steps = 5, .tread = 0.3, .rise = 0.17, .width = 1, .stone = 0.6};
    made(generate_stairs(world, &stairs, &error), &error);
    assert_touching();
    assert_int_equal(world->bodies.moving, 3 + 2 + 2 + 1 + 1);
    double mass = 0;
    for (int32_t i = 0; i < world->bodies.count; i++)
        mass += world->bodies.mass[i];
    assert_near(mass, 2400 * 15 * 0.3 * 0.17, 1e-9 * mass);
    assert_near(scene_position(world, 4).x, 0.3 + 0.3,
                1e-12); // the second course begins a tread on
    assert_near(scene_position(world, 9).z, 4.5 * 0.17, 1e-12);
    assert_at_most(drift(1), 1e-8);
    stairs.stone = 0.2;
    assert_false(generate_stairs(world, &stairs, &error));
}

static int32_t add_cards(double friction, int storeys) {
    struct gabion_error error = {0};
    begin(friction, 1e-3);
    struct cards_definition cards = {.template = stone(),
                                     .card = {1, 0.4, 0.02},
                                     .angle = 20 * DEGREE,
                                     .storeys = storeys,
                                     .tents = storeys,
                                     .gap = 0.1};
    if (storeys == 1) // in the plane, where the forces are determined
        cards.template.lock = GABION_LOCK_Y | GABION_LOCK_RX | GABION_LOCK_RZ;
    made(generate_cards(world, &cards, &error), &error);
    assert_touching();
    return world->bodies.id_count - 1;
}

// One tent against the closed form of tests/unit/test_block_cards.c: friction (tan(angle) - t/L)/2.
static void test_tent(void **state) {
    (void)state;
    double demand = 0.5 * (tan(20 * DEGREE) - 0.02);
    add_cards(1.005 * demand, 1);
    assert_int_equal(world->bodies.moving, 2);
    assert_at_most(drift(0.3), 1e-6);
    scene_free(world);
    int32_t card = add_cards(0.95 * demand, 1);
    vec3 from = scene_position(world, card);
    scene_step(world, 600);
    assert_true(from.z - scene_position(world, card).z > 1e-3);
}

// Three storeys: 12 cards that lean and 3 that lie. It stands at a friction of 0.5.
static void test_card_house(void **state) {
    (void)state;
    int32_t last = add_cards(0.5, 3);
    assert_int_equal(world->bodies.moving, 15);
    double rise = cos(20 * DEGREE) + 0.02 * sin(20 * DEGREE);
    assert_true(scene_position(world, last).z > 2 * rise + 0.04);
    assert_at_most(drift(effort(1000, 50) * 1e-3), 1e-6);
}

static void test_bad_cards(void **state) {
    (void)state;
    struct gabion_error error = {0};
    begin(0.5, 1e-3);
    struct cards_definition cards = {
        .template = stone(), .card = {1, 0.4, 0.02}, .angle = 1 * DEGREE, .storeys = 1, .tents = 1};
    assert_false(generate_cards(world, &cards, &error));
    assert_non_null(strstr(error.text, "lean"));
    error = (struct gabion_error){0};
    cards.angle = 20 * DEGREE;
    cards.storeys = 2;
    assert_false(generate_cards(world, &cards, &error));
    assert_non_null(strstr(error.text, "tents"));
}

#define TEST(f) cmocka_unit_test_teardown(f, stop)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_drums),      TEST(test_vault),
                                       TEST(test_stairs),     TEST(test_tent),
                                       TEST(test_card_house), TEST(test_bad_cards)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
