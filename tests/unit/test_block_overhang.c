// Validation 9.8: n blocks of length 1, each as far out over the one below as it can be, reach
// 1/2 (1 + 1/2 + ... + 1/n) beyond the edge of the table. At 0.999 of every offset the stack
// stands, at 1.001 it falls, judged after 10 s. Every joint is on the edge of opening.
#include "tests/unit/effort.h"
#include "tests/unit/scene.h"

#define STEP   1e-3
#define LENGTH 1.0
#define HEIGHT 0.1

struct overhang {
    struct gabion_world *world;
    int blocks; // id 0 is the table, 1 .. blocks upwards
    double reach;
};

static struct overhang overhang_create(int blocks, double share) {
    struct gabion_settings settings = scene_settings(STEP, 0.5);
    settings.tolerance = 1e-8;
    settings.max_sweeps = 2000; // enough to stand; a falling one need not be exact
    settings.on_cap = GABION_CAP_ACCEPT;
    struct overhang overhang = {scene_create(&settings, (struct gabion_law){.friction = 0.5}),
                                blocks, 0};
    int table = scene_box_shape(overhang.world, vec3_make(1, 1, 0.5));
    int shape = scene_box_shape(overhang.world, vec3_make(0.5 * LENGTH, 0.2, 0.5 * HEIGHT));
    scene_fixed_block(overhang.world, table, vec3_make(-1, 0, -0.5));
    for (int k = 1; k <= blocks; k++) {
        overhang.reach += share * 0.5 * LENGTH / (blocks + 1 - k);
        scene_block(overhang.world, shape,
                    vec3_make(overhang.reach - 0.5 * LENGTH, 0, (k - 0.5) * HEIGHT));
    }
    return overhang;
}

static double overhang_sag(const struct overhang *overhang) {
    return (overhang->blocks - 0.5) * HEIGHT - scene_position(overhang->world, overhang->blocks).z;
}

static void check(int blocks) {
    const double harmonic[] = {0.5, 0.75, 0.916667, 1.041667};
    struct overhang stands = overhang_create(blocks, 0.999);
    struct overhang falls = overhang_create(blocks, 1.001);
    assert_near(stands.reach, 0.999 * harmonic[blocks - 1], 1e-6);
    scene_step(stands.world, (int)(10 / STEP));
    double sag = overhang_sag(&stands);
    while (gabion_time(falls.world) < 10 && overhang_sag(&falls) < HEIGHT)
        scene_step(falls.world, 1);
    print_message("%d blocks at 0.999: the top sank by %.1e m in 10 s, %.1f sweeps per step; at "
                  "1.001: by %.2f m in %.2f s\n",
                  blocks, sag, (double)stands.world->run.sweeps / (10 / STEP), overhang_sag(&falls),
                  gabion_time(falls.world));
    assert_at_most(fabs(sag), 1e-6);
    assert_int_equal(stands.world->run.unconverged_steps, 0);
    assert_true(overhang_sag(&falls) >= HEIGHT);
    scene_destroy(stands.world);
    scene_destroy(falls.world);
}

static void test_harmonic(void **state) {
    (void)state;
    for (int blocks = 1; blocks <= effort(4, 1); blocks++)
        check(blocks);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_harmonic)};
    return scene_run_methods(tests, sizeof tests / sizeof *tests);
}
