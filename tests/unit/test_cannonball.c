// Validation 7.2 (Anitescu 2003, section V), the fast part: 66 disks of radius 3 in a cannonball
// arrangement collapse between two slanted walls. make papers has the whole run.
#include "tests/unit/scene.h"

#define ROWS    11
#define DISKS   66
#define R       3.0
#define GRAVITY 9.81

static const double half = 0.70710678118654752440; // sin and cos of 45 degrees

// Ids of the disks are 3 and up, row by row from the left.
static struct gabion_world *pile_create(enum gabion_gap gap, double theta) {
    struct gabion_settings settings = scene_settings(0.05, theta);
    settings.gap = gap;
    settings.method = GABION_METHOD_AUTO;
    settings.tolerance = 1e-8;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0.15, 0.4, 0});
    scene_floor(world);
    scene_plane(world, vec3_make(-39, 0, 0), vec3_make(half, 0, half));
    scene_plane(world, vec3_make(39, 0, 0), vec3_make(-half, 0, half));
    for (int k = 0; k < ROWS; k++)
        for (int i = 0; i < ROWS - k; i++) {
            vec3 x = {(2 * i + k - 10) * R, 0, R * (1 + k * sqrt(3))};
            struct gabion_body disk = scene_sphere_body(x, R, 1);
            disk.inertia = vec3_make(4.5, 4.5, 4.5);
            disk.lock = GABION_LOCK_Y | GABION_LOCK_RX | GABION_LOCK_RZ;
            scene_add(world, &disk);
        }
    return world;
}

static double asymmetry(const struct gabion_world *world) {
    double worst = 0;
    int32_t first = 3;
    for (int k = 0; k < ROWS; first += ROWS - k, k++)
        for (int i = 0; i < ROWS - k; i++) {
            vec3 x = scene_position(world, first + i);
            vec3 other = scene_position(world, first + ROWS - 1 - k - i);
            worst = fmax(worst, fmax(fabs(x.x + other.x), fabs(x.z - other.z)));
        }
    return worst;
}

// E(0) = m g R (66 + 220 sqrt 3); 165 contacts of disks and 11 with the plank, all within the alert
// distance of the first step; (i), (iii) and (v) of the catalogue.
static void test_stabilized(void **state) {
    (void)state;
    const double energy = GRAVITY * R * (66 + 220 * sqrt(3));
    struct gabion_world *world = pile_create(GABION_GAP_STABILIZED, 1);
    double potential = 0, before = energy;
    for (int32_t id = 3; id < 3 + DISKS; id++)
        potential += GRAVITY * scene_position(world, id).z;
    assert_near(potential, energy, 1e-9);
    for (int k = 0; k < 60; k++) {
        scene_step(world, 1);
        if (k == 0)
            assert_int_equal(world->report.candidates, 165 + 11);
        if (k == 19)
            assert_at_most(asymmetry(world), 1e-6);
        assert_at_most(world->report.max_overlap, 1e-6); // the paper's: 0.08
        assert_at_most(fabs(world->ledger.energy_error), 1e-9 * energy);
        if (k % 20 == 19) { // over every second; a rebound alone may raise it
            assert_at_most(scene_energy(world), before);
            before = scene_energy(world);
        }
    }
    scene_assert_ledger(world);
    scene_destroy(world);
}

// (ii): with theta = 1/2 no step raises the energy by more than 1e-6 of the first.
static void test_energy_falls(void **state) {
    (void)state;
    for (int gap = GABION_GAP_MOREAU; gap <= GABION_GAP_GAP; gap++) {
        struct gabion_world *world = pile_create((enum gabion_gap)gap, 0.5);
        double energy = GRAVITY * R * (66 + 220 * sqrt(3)), before = energy;
        for (int k = 0; k < 60; k++) {
            scene_step(world, 1);
            assert_at_most(scene_energy(world) - before, 1e-6 * energy);
            before = scene_energy(world);
        }
        scene_assert_ledger(world);
        scene_destroy(world);
    }
}

// Where factors cost little, hard steps are solved by them again and again, with credit or without
// (engine/solvers/choice.h).
static void test_every_step_is_solved(void **state) {
    (void)state;
    struct gabion_world *world = pile_create(GABION_GAP_STABILIZED, 1);
    world->settings.on_cap = GABION_CAP_ACCEPT;
    scene_step(world, 160);
    assert_int_equal(world->run.unconverged_steps, 0);
    scene_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stabilized),
        cmocka_unit_test(test_energy_falls),
        cmocka_unit_test(test_every_step_is_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
