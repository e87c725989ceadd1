// Validation 9.8: cards that lean on each other at an angle theta from the vertical. A card of
// length L and thickness t stands on its lower corner P and touches the other at A = P + L along
// the card, so the moments about P give the thrust
//
//   H L cos(theta) = W (L sin(theta) - t cos(theta)) / 2 + Q (L sin(theta) - t cos(theta))
//
// where Q is a load on its upper corner. The two stand if and only if the friction of the ground is
// at least H / (W + Q) = (tan(theta) - t/L) (W/2 + Q) / (W + Q); thin cards: tan(theta)/2 unloaded.
// The apex carries no friction, but without any the two would sway: an inverted pendulum. They move
// in their plane, where the forces are determined: feet can also push each other sideways.
#include "tests/unit/effort.h"
#include "tests/unit/scene.h"

#define STEP  1e-3
#define L     1.0
#define T     0.02
#define FACET 2e-5 // height of the vertical facet at A, so that the apex has a horizontal normal
#define HALF  0.2  // width
#define THETA (20 * PI / 180)
#define PLANE (GABION_LOCK_Y | GABION_LOCK_RX | GABION_LOCK_RZ)

enum { PLATE = SCENE_GROUND + 1 }; // material

// The cross-section of the left card, leaning to the right, with P in the origin.
static int card_shape(struct gabion_world *world, bool left) {
    double s = sin(THETA), c = cos(THETA), side = left ? 1 : -1;
    double a = L - FACET / c, b = FACET / c * tan(THETA);
    const double along[5] = {0, a, L, L, 0}, across[5] = {0, 0, -b, -T, -T};
    vec3 point[10];
    for (int k = 0; k < 10; k++) {
        double u = along[k % 5], v = across[k % 5];
        point[k] = vec3_make(side * (u * s + v * c), k < 5 ? -HALF : HALF, u * c - v * s);
    }
    struct gabion_error error = {0};
    return scene_shape(world, polyhedron_hull(point, 10, &error));
}

static struct gabion_world *cards_world(double mu_card, double mu_ground, double mu_plate) {
    struct gabion_settings settings = scene_settings(STEP, 0.5);
    settings.tolerance = 1e-8;
    settings.max_sweeps = 2000; // enough to stand; a falling one need not be exact
    settings.on_cap = GABION_CAP_ACCEPT;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = mu_card});
    struct gabion_law ground = {.friction = mu_ground}, plate = {.friction = mu_plate};
    struct gabion_error error = {0};
    assert_int_equal(gabion_add_material(world, "plate", 1000, NULL), PLATE);
    assert_true(gabion_set_law(world, SCENE_BODY, SCENE_GROUND, &ground, &error));
    assert_true(gabion_set_law(world, SCENE_BODY, PLATE, &plate, &error));
    scene_floor(world);
    return world;
}

// Two cards that meet over x; returns the id of the left one.
static int32_t cards_add(struct gabion_world *world, const int shape[2], double x, double z,
                         unsigned lock) {
    double foot = L * sin(THETA) - FACET * tan(THETA);
    int32_t id = -1;
    for (int side = 0; side < 2; side++) {
        struct gabion_body card =
            scene_block_body(shape[side], vec3_make(side == 0 ? x - foot : x + foot, 0, z));
        card.lock = lock;
        id = scene_add(world, &card);
    }
    return id - 1;
}

static struct gabion_body plate_body(struct gabion_world *world, double x, double half, double z) {
    int shape = scene_box_shape(world, vec3_make(half, HALF, 0.5 * T));
    struct gabion_body body = scene_block_body(shape, vec3_make(x, 0, z + 0.5 * T));
    body.material = PLATE;
    return body;
}

static double top_of(double z) { return z + L * cos(THETA) + T * sin(THETA); }

// Sinking of a body in 10 s, or until it has sunk by a tenth of a card.
static double sink(struct gabion_world *world, int32_t id) {
    double start = scene_position(world, id).z, sunk = 0;
    while (gabion_time(world) < 10 && sunk < 0.1 * L) {
        scene_step(world, 1);
        sunk = start - scene_position(world, id).z;
    }
    if (sunk < 0.1 * L)
        assert_int_equal(world->run.unconverged_steps, 0);
    return sunk;
}

static double pair_sink(double friction, double load) {
    struct gabion_world *world = cards_world(0.5, friction, 0);
    int shape[2] = {card_shape(world, true), card_shape(world, false)};
    int32_t card = cards_add(world, shape, 0, 0, PLANE);
    double mass = world->bodies.mass[world->bodies.index_of[card]];
    if (load > 0) { // on both cards, guided: frictionless, it would wander off
        struct gabion_body plate = plate_body(world, 0, 0.3 * L, top_of(0));
        plate.mass = 2 * load * mass;
        plate.lock = PLANE | GABION_LOCK_X;
        scene_add(world, &plate);
    }
    double sunk = sink(world, card);
    print_message("load %g W, friction %.4f: sank by %.1e m in %.1f s, %.0f sweeps per step\n",
                  load, friction, sunk, gabion_time(world),
                  (double)world->run.sweeps / (double)world->run.steps);
    scene_destroy(world);
    return sunk;
}

static void test_leaning_cards(void **state) {
    (void)state;
    long_test();
    const double loads[] = {0, 0.5, 5};
    for (int k = 0; k < 3; k++) {
        double demand = (tan(THETA) - T / L) * (0.5 + loads[k]) / (1 + loads[k]);
        assert_at_most(fabs(pair_sink(1.002 * demand, loads[k])), 1e-6);
        assert_true(pair_sink(0.998 * demand, loads[k]) > 0.09 * L);
    }
}

// Three levels: tents side by side, a plate from apex to apex, and on it the next level.
static struct gabion_world *house_create(double friction, int32_t *top) {
    struct gabion_world *world = cards_world(friction, friction, friction);
    struct gabion_law law = {.friction = friction};
    struct gabion_error error = {0};
    assert_true(gabion_set_law(world, PLATE, PLATE, &law, &error));
    int shape[2] = {card_shape(world, true), card_shape(world, false)};
    double pitch = 2 * L * sin(THETA) + 0.1 * L, z = 0;
    for (int level = 0; level < 3; level++) {
        double first = 0.5 * pitch * level;
        for (int k = 0; k < 3 - level; k++)
            *top = cards_add(world, shape, first + k * pitch, z, 0);
        z = top_of(z);
        for (int k = 0; k < 2 - level; k++) { // a finger between neighbours
            double half = 0.5 * pitch - 0.005 * L;
            struct gabion_body plate = plate_body(world, first + (k + 0.5) * pitch, half, z);
            scene_add(world, &plate);
        }
        z += T;
    }
    return world;
}

static void test_card_house(void **state) {
    (void)state;
    long_test();
    const double frictions[] = {0.5, 0.15};
    for (int k = 0; k < 2; k++) {
        int32_t top;
        struct gabion_world *world = house_create(frictions[k], &top);
        double sunk = sink(world, top);
        print_message(
            "card house, friction %g: top sank by %.1e m in %.2f s, %.0f sweeps per step\n",
            frictions[k], sunk, gabion_time(world),
            (double)world->run.sweeps / (double)world->run.steps);
        if (k == 0)
            assert_at_most(fabs(sunk), 1e-6);
        else
            assert_true(sunk > 0.09 * L);
        scene_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaning_cards),
        cmocka_unit_test(test_card_house),
    };
    return scene_run_methods(tests, sizeof tests / sizeof *tests);
}
