// Validation 9.9: the smallest piles stand at 0.1 % more friction than they need, and fall at 0.1 %
// less, judged after 10 s.
#include "tests/unit/scene.h"

#define GRAVITY 9.81
#define MASS    2.0
#define R       0.5
#define STEP    1e-3
#define STEPS   10000

// Just touching, with no force between the lower bodies: a force there is possible in the margin of
// 0.1 %, as between two stones wedged by hand, and the forces would not be determined.
#define APART (1 + 1e-9)

struct pile {
    struct gabion_world *world;
    int lower; // ids 1 .. lower on the ground (id 0), id lower + 1 on top
    double height;
};

static struct gabion_body disk(vec3 centre) {
    struct gabion_body body = scene_sphere_body(centre, R, MASS);
    double moment = 0.5 * MASS * R * R;
    body.inertia = vec3_make(moment, moment, moment);
    body.lock = GABION_LOCK_Y | GABION_LOCK_RX | GABION_LOCK_RZ;
    return body;
}

static struct pile pile_create(int lower, double mu_body, double mu_ground) {
    struct gabion_settings settings = scene_settings(STEP, 0.5);
    struct gabion_error error = {0};
    struct pile pile = {scene_create(&settings, (struct gabion_law){.friction = mu_body}), lower,
                        0};
    struct gabion_law ground = {.friction = mu_ground};
    assert_true(gabion_set_law(pile.world, SCENE_BODY, SCENE_GROUND, &ground, &error));
    scene_floor(pile.world);
    if (lower == 2) { // two equal cylinders carrying a third
        pile.height = R * (1 + sqrt(4 - APART * APART));
        vec3 centres[] = {{-R * APART, 0, R}, {R * APART, 0, R}, {0, 0, pile.height}};
        for (int k = 0; k < 3; k++) {
            struct gabion_body body = disk(centres[k]);
            scene_add(pile.world, &body);
        }
        return pile;
    }
    double radius = APART * 2 * R / sqrt(3); // of the triangle of centres; sin phi = 1/sqrt(3)
    for (int k = 0; k < 3; k++)
        scene_sphere(pile.world,
                     vec3_make(radius * cos(2 * PI * k / 3), radius * sin(2 * PI * k / 3), R), R,
                     MASS, vec3_zero());
    pile.height = R + sqrt(4 * R * R - radius * radius);
    scene_sphere(pile.world, vec3_make(0, 0, pile.height), R, MASS, vec3_zero());
    return pile;
}

static double pile_drop(const struct pile *pile) {
    return pile->height - scene_position(pile->world, pile->lower + 1).z;
}

// N = W / 2 (2-D) or W / 3 (3-D) between the upper body and each lower one, none among the lower
// ones, W (1 + 1 / lower) on the ground.
static void assert_forces(const struct pile *pile) {
    double W = MASS * GRAVITY;
    for (int k = 1; k <= pile->lower; k++) {
        double N = scene_normal_impulse(pile->world, k, pile->lower + 1) / STEP;
        double ground = scene_normal_impulse(pile->world, k, 0) / STEP;
        double beside = scene_normal_impulse(pile->world, k, k % pile->lower + 1) / STEP;
        assert_near(N / W, 1.0 / pile->lower, 1e-8);
        assert_near(ground / W, 1 + 1.0 / pile->lower, 1e-8);
        assert_near(beside / W, 0, 1e-8);
    }
}

static void assert_stands(int lower, double mu_body, double mu_ground) {
    struct pile pile = pile_create(lower, mu_body, mu_ground);
    scene_step(pile.world, 1);
    assert_forces(&pile);
    scene_step(pile.world, STEPS - 1);
    assert_forces(&pile);
    print_message("pile on %d: top sank by %.1e of its radius in 10 s, %.1f sweeps per step\n",
                  lower, pile_drop(&pile) / R, (double)pile.world->run.sweeps / STEPS);
    assert_near(pile_drop(&pile) / R, 0, 1e-6);
    scene_assert_ledger(pile.world);
    scene_destroy(pile.world);
}

static void assert_falls(int lower, double mu_body, double mu_ground) {
    struct pile pile = pile_create(lower, mu_body, mu_ground);
    for (int k = 0; k < STEPS && pile_drop(&pile) < 0.5 * R; k++)
        scene_step(pile.world, 1);
    assert_true(pile_drop(&pile) >= 0.5 * R);
    scene_assert_ledger(pile.world);
    scene_destroy(pile.world);
}

// Each of the two frictions is needed: the pile falls when either is missing.
static void assert_threshold(int lower, double mu_body, double mu_ground) {
    assert_stands(lower, 1.001 * mu_body, 1.001 * mu_ground);
    assert_falls(lower, 0.999 * mu_body, 1.001 * mu_ground);
    assert_falls(lower, 1.001 * mu_body, 0.999 * mu_ground);
    assert_falls(lower, 0.999 * mu_body, 0.999 * mu_ground);
}

static void test_three_cylinders(void **state) {
    (void)state;
    double mu_body = tan(PI / 12);
    assert_near(mu_body, 0.267949, 5e-7);
    assert_near(mu_body / 3, 0.089316, 5e-7);
    assert_threshold(2, mu_body, mu_body / 3);
}

static void test_four_spheres(void **state) {
    (void)state;
    double mu_body = tan(0.5 * asin(1 / sqrt(3)));
    assert_near(mu_body, 0.317837, 5e-7);
    assert_near(mu_body / 4, 0.079459, 5e-7);
    assert_threshold(3, mu_body, mu_body / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_cylinders),
        cmocka_unit_test(test_four_spheres),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
