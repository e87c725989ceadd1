// A pour of mixed hulls, boxes and clumps into a box, with what has to be watched of it.
#ifndef TESTS_UNIT_POUR_H
#define TESTS_UNIT_POUR_H

#include "engine/contact/detection.h"
#include "tests/unit/collision.h"

#define POUR_SIDE  5    // bodies beside each other in the lattice that they fall from
#define POUR_PITCH 0.07 // m, of that lattice

struct pour {
    int steps, unsolved, again, rounds;
    long late;
    double overlap, last; // at any time and now, share of the smaller body's size
    double rise;          // of the total energy in a step, share of that at the start
    double first, energy;
};

static inline void pour_wall(struct gabion_world *world, vec3 point, vec3 normal) {
    struct gabion_body body = gabion_default_body();
    body.shape = GABION_HALF_SPACE;
    body.position = point;
    body.normal = normal;
    body.fixed = true;
    collision_add(world, &body);
}

static inline void pour_box(struct gabion_world *world, double width) {
    pour_wall(world, vec3_zero(), vec3_make(0, 0, 1));
    pour_wall(world, vec3_zero(), vec3_make(1, 0, 0));
    pour_wall(world, vec3_zero(), vec3_make(0, 1, 0));
    pour_wall(world, vec3_make(width, 0, 0), vec3_make(-1, 0, 0));
    pour_wall(world, vec3_make(0, width, 0), vec3_make(0, -1, 0));
}

// Defaults but for the step. One in three is a box, a hull, a clump; radii from 15 to 30 mm.
static inline struct gabion_world *pour_create(struct team *team, int bodies, double step,
                                               uint64_t seed) {
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    struct random_stream random = {seed};
    int side = bodies >= 500 ? 2 * POUR_SIDE : POUR_SIDE;
    settings.step = step;
    settings.on_cap = GABION_CAP_ACCEPT;
    struct gabion_world *world = world_create(&settings, team, &error);
    collision_need(world != NULL, &error);
    collision_need(gabion_add_material(world, "body", 2000, &error) >= 0, &error);
    struct gabion_law law = {.friction = 0.4};
    collision_need(gabion_set_default_law(world, &law, &error), &error);
    pour_box(world, side * POUR_PITCH);
    for (int k = 0; k < bodies; k++) {
        enum collision_shape shape = (enum collision_shape)(COLLISION_CLUMP + k % 3);
        struct gabion_body body =
            collision_body(world, &random, shape, random_between(&random, 0.015, 0.03));
        body.position = vec3_scale(
            POUR_PITCH, vec3_make(0.5 + k % side, 0.5 + k / side % side, 0.5 + k / (side * side)));
        body.velocity = vec3_scale(random_unit(&random), collision_direction(&random));
        body.spin = vec3_scale(20 * random_unit(&random), collision_direction(&random));
        collision_add(world, &body);
    }
    return world;
}

// Makes a step and watches.
static inline void pour_step(struct gabion_world *world, struct pour *pour) {
    struct gabion_error error = {0};
    collision_need(gabion_step(world, &error), &error);
    const struct gabion_step_report *report = &world->report;
    double energy = world->ledger.kinetic + world->ledger.potential;
    if (pour->steps++ == 0)
        pour->first = energy;
    else
        pour->rise = fmax(pour->rise, (energy - pour->energy) / pour->first);
    pour->energy = energy;
    pour->unsolved += !report->converged;
    pour->again += report->rounds > 0;
    pour->rounds += report->rounds;
    pour->late += (long)report->late;
    pour->last = report->max_overlap_relative;
    pour->overlap = fmax(pour->overlap, pour->last);
}

#endif
