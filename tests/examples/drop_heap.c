// Drops a heap of spheres on a floor and reads its contacts after every step. What the floor gives
// back is known: the sum of its impulses is the weight times the time, and the change of momentum.
#include <gabion.h>
#include <stdio.h>
#include <stdlib.h>

static double floor_impulse; // N s, upwards

static bool read_contacts(struct gabion_world *world, void *user) {
    int32_t ground = *(int32_t *)user;
    struct gabion_contact contact[64];
    int64_t count, first = 0;
    while ((count = gabion_read_contacts(world, first, 64, contact, NULL)) > 0) {
        for (int64_t k = 0; k < count; k++)
            if (contact[k].body[1] == ground)
                floor_impulse += contact[k].impulse.z;
        first += count;
    }
    return true;
}

int main(void) {
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    struct gabion_world *world = gabion_create(&settings, 0, &error);
    struct gabion_law law = {.friction = 0.5};
    struct gabion_body grain = gabion_default_body(), ground = gabion_default_body();
    gabion_set_default_law(world, &law, &error);
    grain.material = ground.material = gabion_add_material(world, "glass", 2500, &error);
    grain.radius = 0.01;
    grain.density = 2500;
    for (int k = 0; k < 125; k++) { // rows are shifted, so that the heap spreads
        grain.position.x = 0.021 * (k % 5) + 0.003 * (k / 25);
        grain.position.y = 0.021 * (k / 5 % 5) + 0.002 * (k / 25);
        grain.position.z = 0.011 + 0.021 * (k / 25);
        gabion_add_body(world, &grain, &error);
    }
    ground.shape = GABION_HALF_SPACE;
    ground.fixed = true;
    int32_t floor_id = gabion_add_body(world, &ground, &error);
    gabion_set_step_function(world, read_contacts, &floor_id, &error);
    if (gabion_run(world, 400, &error) < 0 || error.status != GABION_OK) {
        fprintf(stderr, "%s\n", error.text);
        return EXIT_FAILURE;
    }
    struct gabion_bodies bodies;
    struct gabion_energies energies;
    double weight = 0, momentum = 0;
    gabion_view_bodies(world, &bodies, &error);
    gabion_read_energies(world, &energies, &error);
    for (int32_t i = 0; i < bodies.count; i++) {
        weight += 9.81 * bodies.mass[i];
        momentum += bodies.mass[i] * bodies.velocity[i].z;
    }
    printf("weight %.12g\ntime %.12g\nimpulse %.12g\nmomentum %.12g\nenergy-closes %d\n", weight,
           gabion_time(world), floor_impulse, momentum, energies.closes);
    gabion_destroy(world);
    return EXIT_SUCCESS;
}
