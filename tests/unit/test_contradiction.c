// Joints that no motion can keep stop the run with an error that names them
// (engine/step/contradiction.h), and joints that can be kept do not, solved or not.
#include "tests/unit/scene.h"
#include "tests/unit/scene_joints.h"

static struct gabion_world *empty_scene(void) {
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.method = GABION_METHOD_AUTO;
    settings.max_sweeps = 1000;
    settings.on_cap = GABION_CAP_ACCEPT;
    return scene_create(&settings, (struct gabion_law){.friction = 0.3});
}

// A fixed ball at the origin that moves along x from t = 10 ms on.
static int32_t add_hand(struct gabion_world *world) {
    struct gabion_body hand = scene_sphere_body(vec3_zero(), 0.05, 0);
    hand.fixed = true;
    hand.group = gabion_add_group(world, "hand", NULL);
    int32_t id = scene_add(world, &hand);
    scene_drive(world, hand.group, vec3_make(1, 0, 0),
                scene_signal(GABION_SIGNAL_LINEAR, 1, 0.01, INFINITY));
    return id;
}

// Steps until the run is stopped. Returns the number of steps made.
static int steps_made(struct gabion_world *world, int most, struct gabion_error *error) {
    int steps = 0;
    while (steps < most && gabion_step(world, error))
        steps++;
    return steps;
}

static void assert_stops(struct gabion_world *world, int least, int most, const char *names) {
    struct gabion_error error = {0};
    int steps = steps_made(world, 200, &error);
    assert_in_range(steps, least, most);
    assert_non_null(strstr(error.text, names));
    assert_int_equal(world->step, steps);
    assert_true(world->ledger.kinetic < 100);
    scene_destroy(world);
}

// A ball hangs on a hand and on a post, and the hand moves towards the post.
static void test_two_joints(void **state) {
    (void)state;
    struct gabion_world *world = empty_scene();
    int32_t hand = add_hand(world);
    int32_t bar = scene_sphere(world, vec3_make(0.5, 0, 0), 0.05, 1, vec3_zero());
    int32_t other = scene_sphere(world, vec3_make(0, 0, 3), 0.05, 1, vec3_zero());
    scene_join(world,
               scene_joint(GABION_JOINT_BALL, other, -1, vec3_make(0, 0, 4))); // swings freely
    scene_join(world, scene_joint(GABION_JOINT_BALL, hand, bar, vec3_zero()));
    scene_join(world, scene_joint(GABION_JOINT_BALL, bar, -1, vec3_make(1, 0, 0)));
    assert_stops(world, 9, 12, "keeps joints[1], joints[2]:");
}

// A hand pulls at a body whose translations are locked. The impulse has a lever of 1 nm to turn it
// by.
static void test_locked_translations(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct gabion_world *world = empty_scene();
        int32_t hand = add_hand(world);
        struct gabion_body held = scene_sphere_body(vec3_make(0.5, 0, 0), 0.05, 1);
        held.lock = GABION_LOCK_X | GABION_LOCK_Y | GABION_LOCK_Z;
        int32_t id = scene_add(world, &held);
        scene_join(world, scene_joint(GABION_JOINT_BALL, hand, id, vec3_make(0.5, k * 1e-9, 0)));
        assert_stops(world, 10, 30, "keeps joints[0]:");
    }
}

// Steps that are not solved, of joints that can be kept: a closed loop with too few sweeps.
static void test_unsolved_is_no_contradiction(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.method = GABION_METHOD_NSGS;
    settings.max_sweeps = 2;
    settings.on_cap = GABION_CAP_ACCEPT;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
    scene_rhomb(world);
    scene_step(world, 300);
    assert_true(world->run.unconverged_steps > 100);
    scene_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_joints),
        cmocka_unit_test(test_locked_translations),
        cmocka_unit_test(test_unsolved_is_no_contradiction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
