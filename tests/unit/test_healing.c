// Overlaps measured by fresh detection, and their removal after a step.
#include "tests/unit/clump_scene.h"

#include "engine/contact/standing.h"
#include "engine/step/healing.h"

static const struct gabion_law rough = {.friction = 0.5};

__attribute__((unused)) static struct gabion_settings still_settings(void) {
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.gravity = vec3_zero();
    return settings;
}

static void stack(int n, double share, int steps) {
    struct gabion_settings settings = gabion_default_settings();
    settings.step = 1e-3;
    settings.on_cap = GABION_CAP_ACCEPT;
    struct gabion_world *world = scene_create(&settings, rough);
    int shape = scene_box_shape(world, vec3_make(0.5, 0.4, 0.25));
    scene_floor(world);
    for (int k = 0; k < n; k++)
        scene_block(world, shape,
                    vec3_make(0.01 * (k % 3), 0, 0.25 + 0.5 * k - share * 0.25 * (k + 1)));
    for (int s = 0; s < steps; s++) {
        scene_step(world, 1);
        if (s < 20 || s % 100 == 99)
            print_message("stack %d: step %d overlap %g kin %g proj %g pot %g err %g top %g\n", n,
                          s + 1, world->report.max_overlap_relative, world->ledger.kinetic,
                          world->ledger.projection_work, world->ledger.potential,
                          world->ledger.energy_error, scene_position(world, n).z);
    }
    scene_destroy(world);
}
int main(void) {
    stack(5, 0.05, 300);
    stack(30, 0.05, 300);
    return 0;
}
