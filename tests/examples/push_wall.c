// Pushes a dry stone wall with forces of its own: every block feels a share of its weight along x,
// first less than friction can hold, then more. The wall slides by (share - friction) g t^2 / 2.
#include <gabion.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCKS 12

static bool push(struct gabion_world *world, double share, int steps, struct gabion_error *error) {
    for (int step = 0; step < steps; step++) {
        for (int32_t id = 0; id < BLOCKS; id++) {
            struct gabion_body_state block = {0};
            gabion_get_body(world, id, &block, error);
            gabion_vec3 force = {share * 9.81 * block.mass, 0, 0}, moment = {0, 0, 0};
            gabion_apply_force(world, id, force, moment, error); // for the next step alone
        }
        if (!gabion_step(world, error))
            return false;
    }
    return true;
}

static void print_position(const struct gabion_world *world, const char *name, int32_t id) {
    struct gabion_body_state block = {0};
    gabion_get_body(world, id, &block, NULL);
    printf("%s %.12g\n", name, block.position.x);
}

int main(void) {
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    settings.tolerance = 1e-9;
    settings.method = GABION_METHOD_NEWTON;
    struct gabion_world *world = gabion_create(&settings, 2, &error);
    struct gabion_law between_blocks = {.friction = 0.8}, on_soil = {.friction = 0.4};
    struct gabion_body block = gabion_default_body(), ground = gabion_default_body();
    block.material = gabion_add_material(world, "stone", 2200, &error);
    ground.material = gabion_add_material(world, "soil", 1800, &error);
    gabion_set_default_law(world, &between_blocks, &error);
    gabion_set_law(world, block.material, ground.material, &on_soil, &error);
    block.shape = GABION_POLYHEDRON;
    block.polyhedron = gabion_add_box(world, (gabion_vec3){0.5, 0.3, 0.2}, &error);
    block.density = 2200;
    for (int k = 0; k < BLOCKS; k++) { // three courses of four, in running bond
        block.position.x = 0.5 * (k % 4) + (k / 4 % 2 ? 0.25 : 0);
        block.position.z = 0.1 + 0.2 * (k / 4);
        gabion_add_body(world, &block, &error);
    }
    ground.shape = GABION_HALF_SPACE;
    ground.fixed = true;
    gabion_add_body(world, &ground, &error);
    bool done = push(world, 0.3, 50, &error);
    print_position(world, "stood", 0);
    done = done && push(world, 0.6, 200, &error);
    print_position(world, "slid", 0);
    print_position(world, "top", 11); // the last block, 1.5 m further
    fprintf(stderr, "%s", error.text);
    gabion_destroy(world);
    return done && error.status == GABION_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
