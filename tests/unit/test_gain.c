// Energy that contacts created (engine/step/gain.h): none where every law is obeyed and nothing
// rebounds, the closed form where friction meets restitution (validation 9.13), and what impulses
// gave that obey no law.
#include "engine/step/gain.h"
#include "tests/unit/scene.h"

// A slanted bar of two small spheres, 1 kg, no gravity, falls at 1 m/s, shifts at -1/2 m/s and hits
// the floor with its lower end.
static struct gabion_world *slanted_bar(double restitution, double friction,
                                        enum gabion_scheme scheme) {
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.gravity = vec3_zero();
    settings.scheme = scheme;
    if (scheme == GABION_SCHEME_CORRECTIVE)
        settings.method = GABION_METHOD_BICG;
    settings.gap = GABION_GAP_MOREAU;
    settings.tolerance = 1e-13;
    settings.on_cap = GABION_CAP_ACCEPT;
    struct gabion_world *world = scene_create(
        &settings, (struct gabion_law){.friction = friction, .restitution = restitution});
    scene_floor(world);
    const vec3 end[2] = {{-0.5, 0, 0}, {0.5, 0, 0}};
    const double radius[2] = {0.05, 0.05}, angle = 50 * PI / 180;
    struct gabion_body bar =
        scene_sphere_body(vec3_make(0, 0, 0.5 * sin(angle) + 0.05 + 2.5e-3), 0, 1);
    bar.shape = GABION_CLUMP;
    bar.clump = gabion_add_clump(world, end, radius, 2, GABION_CLUMP_SUM, NULL);
    bar.inertia = vec3_make(0.1, 0.1, 0.1);
    bar.orientation = quat_exp(vec3_make(0, angle, 0));
    bar.velocity = vec3_make(-0.5, 0, -1);
    scene_add(world, &bar);
    return world;
}

// 1/2 (u+ + u-).r of the one contact where it sticks with e = 1: r = W^-1 (u+ - u-), in the plane.
static double sticking_gain(void) {
    double angle = 50 * PI / 180, x = 0.5 * cos(angle), z = -(0.5 * sin(angle) + 0.05);
    double w_tt = 1 + z * z / 0.1, w_nn = 1 + x * x / 0.1, w_tn = -x * z / 0.1;
    double jump_t = 0.5, jump_n = 2, det = w_tt * w_nn - w_tn * w_tn;
    double r_t = (w_nn * jump_t - w_tn * jump_n) / det, r_n = (w_tt * jump_n - w_tn * jump_t) / det;
    assert_true(fabs(r_t) < 0.5 * r_n); // within the cone
    return 0.5 * (-0.5 * r_t + 0 * r_n);
}

static void test_impact_with_friction(void **state) {
    (void)state;
    struct gabion_world *world = slanted_bar(1, 0.5, GABION_SCHEME_MOREAU);
    scene_step(world, 10);
    double gain = sticking_gain();
    assert_true(gain > 0.1);
    assert_near(world->ledger.impact_gain, gain, 1e-12);
    assert_near(world->ledger.contact_work, gain, 1e-12);
    assert_at_most(world->ledger.contact_gain, 1e-12); // the law was obeyed
    scene_destroy(world);
}

// Less restitution, no friction, or Poisson's restitution (of a contact that sticks) create
// nothing.
static void test_impacts_that_lose(void **state) {
    (void)state;
    struct gabion_world *worlds[] = {slanted_bar(0, 0.5, GABION_SCHEME_MOREAU),
                                     slanted_bar(0.2, 0.5, GABION_SCHEME_MOREAU),
                                     slanted_bar(1, 0, GABION_SCHEME_MOREAU),
                                     slanted_bar(1, INFINITY, GABION_SCHEME_CORRECTIVE)};
    for (size_t k = 0; k < sizeof worlds / sizeof *worlds; k++) {
        scene_step(worlds[k], 10);
        assert_true(worlds[k]->ledger.contact_work < 1e-12);
        assert_true(vec3_length(scene_spin(worlds[k], 1)) > 0.1); // it has hit
        assert_at_most(worlds[k]->ledger.impact_gain, 1e-12);
        assert_at_most(worlds[k]->ledger.contact_gain, 1e-12);
        scene_destroy(worlds[k]);
    }
}

// A block slides to rest on the floor: its contacts take energy, and give none but rounding.
static struct gabion_world *sliding_block(int steps) {
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.tolerance = 1e-12;
    settings.on_cap = GABION_CAP_ACCEPT;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.3});
    scene_floor(world);
    struct gabion_body block =
        scene_block_body(scene_box_shape(world, vec3_make(0.2, 0.2, 0.1)), vec3_make(0, 0, 0.1));
    block.velocity = vec3_make(1, 0, 0);
    scene_add(world, &block);
    scene_step(world, steps);
    return world;
}

static void test_sliding_gains_nothing(void **state) {
    (void)state;
    struct gabion_world *world = sliding_block(500);
    assert_true(world->ledger.contact_work < -0.99 * world->ledger.turnover / 3);
    assert_at_most(world->ledger.contact_gain, 1e-9 * world->ledger.turnover);
    assert_true(world->ledger.impact_gain == 0);
    scene_destroy(world);
}

// Friction that pushes the way the block slides, as no law allows: the gain is its work.
static void test_wrong_impulses(void **state) {
    (void)state;
    struct gabion_world *world = sliding_block(100);
    double speed = 1 - 0.3 * 9.81 * 0.1, expected = 0;
    struct contacts *contacts = world->contacts;
    for (size_t k = 0; k < contacts->count; k++) {
        contacts->impulse[k].x = fabs(contacts->impulse[k].x);
        expected += contacts->impulse[k].x * speed;
    }
    double before = world->ledger.contact_gain;
    gain_of_step(world); // with the velocities that the step left
    assert_true(expected > 0);
    assert_near(world->ledger.contact_gain - before, expected, 1e-2 * expected);
    scene_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_impact_with_friction),
        cmocka_unit_test(test_impacts_that_lose),
        cmocka_unit_test(test_sliding_gains_nothing),
        cmocka_unit_test(test_wrong_impulses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
