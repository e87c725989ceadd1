// Overlaps measured by fresh detection, and their removal after a step.
#include "tests/unit/clump_scene.h"

#include "engine/contact/standing.h"
#include "engine/step/healing.h"

static const struct gabion_law rough = {.friction = 0.5};

static struct gabion_settings still_settings(void) {
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.gravity = vec3_zero();
    return settings;
}

// Pairs of shapes -----------------------------------------------------------------------------

enum kind { SPHERE, BOX, PLATE, HULL, CLUMP, KINDS };

struct shapes {
    int box, plate, hull, clump;
};

static struct polyhedron *random_hull(struct random_stream *random) {
    vec3 corner[12];
    struct gabion_error error = {0};
    for (int k = 0; k < 12; k++) {
        vec3 p = {random_between(random, -1, 1), random_between(random, -1, 1),
                  random_between(random, -1, 1)};
        corner[k] = vec3_scale(1 / vec3_length(p), p);
    }
    return polyhedron_hull(corner, 12, &error);
}

static struct shapes make_shapes(struct gabion_world *world, struct random_stream *random) {
    return (struct shapes){scene_box_shape(world, vec3_make(0.5, 0.6, 0.8)),
                           scene_box_shape(world, vec3_make(1, 1, 0.05)),
                           scene_shape(world, random_hull(random)),
                           clump_scene_bar(world, 3, 0.4, 0.5)};
}

static quat random_turn(struct random_stream *random) {
    vec3 w = {random_between(random, -3, 3), random_between(random, -3, 3),
              random_between(random, -3, 3)};
    return quat_exp(w);
}

static struct gabion_body make_body(const struct shapes *shapes, enum kind kind, vec3 at,
                                    quat turn) {
    struct gabion_body body;
    if (kind == SPHERE)
        return scene_sphere_body(at, 0.5, 500);
    if (kind == CLUMP)
        return clump_scene_body(shapes->clump, at, turn);
    body = scene_block_body(kind == BOX    ? shapes->box
                            : kind == HULL ? shapes->hull
                                           : shapes->plate,
                            at);
    body.orientation = turn;
    return body;
}

int main(void) {
    struct random_stream random = {11};
    for (int i = 0; i < KINDS; i++)
        for (int j = 0; j <= i; j++) {
            int slow = 0, worst_steps = 0, rises = 0, tried = 0; double most_left = 0;
            for (int t = 0; t < 200; t++) {
                struct gabion_settings settings = still_settings();
                struct gabion_world *world = scene_create(&settings, rough);
                struct shapes shapes = make_shapes(world, &random);
                vec3 d = {random_between(&random, -1, 1), random_between(&random, -1, 1),
                          random_between(&random, -1, 1)};
                struct gabion_body a = make_body(&shapes, (enum kind)i, vec3_zero(), random_turn(&random));
                struct gabion_body b = make_body(&shapes, (enum kind)j, d, random_turn(&random));
                b.fixed = t % 3 == 0;
                if (b.fixed) b.mass = b.density = 0;
                scene_add(world, &a);
                scene_add(world, &b);
                double share = standing_initial_overlap(world).relative;
                if (share > 0.05) {
                    int step = 0;
                    double last = share;
                    tried++;
                    while (step < 200 && last > 1e-3) {
                        scene_step(world, 1);
                        step++;
                        double now = world->report.max_overlap_relative;
                        rises += now > last * 1.000001;
 if (i==3&&j==2&&getenv("T")&&t==atoi(getenv("T"))) { const struct contact *cc=world->contacts->list; print_message("%d %.6f n %zu (%.3f %.3f %.3f)\n", step, now, world->contacts->count, cc->normal.x, cc->normal.y, cc->normal.z); }
                        last = now;
                    }
                    if (step > worst_steps) worst_steps = step;
                    if (last > 1e-3) { if (slow < 2 && (i==3||i==2) && j >= 1) print_message("  %d %d trial %d fixed %d share %g left %g\n", i, j, t, b.fixed, share, last); slow++; if (last > most_left) most_left = last; }
                    if (world->ledger.kinetic != 0) print_message("kinetic %g\n", world->ledger.kinetic);
                }
                scene_destroy(world);
            }
            print_message("%d %d: tried %d, worst steps %d, not healed %d (left %g), rises %d\n", i, j, tried, worst_steps, slow, most_left, rises);
        }
    return 0;
}
