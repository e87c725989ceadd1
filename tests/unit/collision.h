// Random collisions of two bodies of any shapes, and how deep they get into each other: measured
// afresh from the shapes and positions, at the ends of steps and along the way between them.
#ifndef TESTS_UNIT_COLLISION_H
#define TESTS_UNIT_COLLISION_H

#include <stdio.h>
#include <stdlib.h>

#include "engine/api/define.h"
#include "engine/contact/pairs.h"
#include "engine/motion/midpoint.h"
#include "engine/world/world.h"
#include "parallel/random.h"
#include "parallel/team.h"

enum collision_shape {
    COLLISION_SPHERE,
    COLLISION_CLUMP,
    COLLISION_BOX,
    COLLISION_HULL,
    COLLISION_MOVING, // the shapes above move
    COLLISION_PLATE = COLLISION_MOVING,
    COLLISION_DRIVEN_PLATE,
    COLLISION_HALF_SPACE,
    COLLISION_DRIVEN_HALF_SPACE,
    COLLISION_HOLLOW,
    COLLISION_DRUM,
    COLLISION_SHAPES
};

static const char *const collision_names[COLLISION_SHAPES] = {
    "sphere",       "clump",      "box",         "hull",   "plate",
    "driven plate", "half-space", "driven wall", "hollow", "drum"};

#define COLLISION_STEP    1e-3
#define COLLISION_SAMPLES 24  // along the way of a step
#define COLLISION_THROUGH 0.5 // of the smaller size: who was so deep inside has passed through

// What a collision does, at worst.
struct collision {
    double overlap; // at the end of a step, share of the smaller body's size
    double on_way;  // between
    double gain;    // of kinetic energy in a step, share of that at the start, in the frame of
                    // the body that does not move freely
    int rounds;     // solves again, of any step
    int unsolved;   // steps
    bool met;       // some contact carried an impulse
};

static inline void collision_need(bool fine, const struct gabion_error *error) {
    if (fine)
        return;
    fprintf(stderr, "collision: %s\n", error->text);
    abort();
}

static inline vec3 collision_direction(struct random_stream *random) {
    for (;;) {
        vec3 a = {random_between(random, -1, 1), random_between(random, -1, 1),
                  random_between(random, -1, 1)};
        double length = vec3_length(a);
        if (length > 0.1 && length < 1)
            return vec3_scale(1 / length, a);
    }
}

static inline quat collision_turn(struct random_stream *random) {
    return quat_normalize(
        quat_exp(vec3_scale(random_between(random, 0, 3), collision_direction(random))));
}

// Shapes ----------------------------------------------------------------------------------------

static inline int collision_box(struct gabion_world *world, vec3 side) {
    struct gabion_error error = {0};
    int shape = gabion_add_box(world, side, &error);
    collision_need(shape >= 0, &error);
    return shape;
}

static inline int collision_hull(struct gabion_world *world, struct random_stream *random,
                                 double radius) {
    struct gabion_error error = {0};
    vec3 point[16];
    int count = 6 + (int)(10 * random_unit(random));
    for (int k = 0; k < count; k++)
        point[k] = vec3_scale(radius * random_between(random, 0.7, 1), collision_direction(random));
    for (int axis = 0; axis < 3; axis++) // never flat
        for (int side = 0; side < 2; side++) {
            vec3 *p = &point[2 * axis + side];
            *p = vec3_zero();
            vec3_set(p, axis, (side ? 1 : -1) * radius * random_between(random, 0.6, 1));
        }
    int shape = gabion_add_hull(world, point, count, &error);
    collision_need(shape >= 0, &error);
    return shape;
}

static inline int collision_clump(struct gabion_world *world, struct random_stream *random,
                                  double radius) {
    struct gabion_error error = {0};
    vec3 centre[4];
    double r[4];
    int count = 2 + (int)(3 * random_unit(random));
    for (int k = 0; k < count; k++) {
        r[k] = radius * random_between(random, 0.4, 0.7);
        centre[k] = vec3_scale(radius - r[k], collision_direction(random));
    }
    int shape = gabion_add_clump(world, centre, r, count, GABION_CLUMP_SUM, &error);
    collision_need(shape >= 0, &error);
    return shape;
}

// A body that moves, of about the given radius.
static inline struct gabion_body collision_body(struct gabion_world *world,
                                                struct random_stream *random,
                                                enum collision_shape shape, double radius) {
    struct gabion_body body = gabion_default_body();
    body.density = 1000;
    body.orientation = collision_turn(random);
    if (shape == COLLISION_SPHERE) {
        body.shape = GABION_SPHERE;
        body.radius = radius;
    } else if (shape == COLLISION_CLUMP) {
        body.shape = GABION_CLUMP;
        body.clump = collision_clump(world, random, radius);
    } else if (shape == COLLISION_BOX) {
        body.shape = GABION_POLYHEDRON;
        vec3 side = {random_between(random, 0.4, 1), random_between(random, 0.4, 1),
                     random_between(random, 0.4, 1)};
        body.polyhedron = collision_box(world, vec3_scale(1.4 * radius, side));
    } else {
        body.shape = GABION_POLYHEDRON;
        body.polyhedron = collision_hull(world, random, radius);
    }
    return body;
}

// The way in `direction` of a body that the driver of group `name` moves.
static inline void collision_drive(struct gabion_world *world, struct gabion_body *body,
                                   vec3 velocity) {
    struct gabion_error error = {0};
    body->group = gabion_add_group(world, "driven", &error);
    struct gabion_signal signal = {.kind = GABION_SIGNAL_LINEAR, .amplitude = 1, .end = INFINITY};
    collision_need(gabion_add_driver(world, body->group, velocity, &signal, &error), &error);
}

// Scenes ----------------------------------------------------------------------------------------

struct collision_scene {
    struct gabion_world *world;
    vec3 frame; // velocity of the body that is fixed or driven
    int steps;
};

static inline struct gabion_world *collision_world(struct team *team, double step,
                                                   double friction) {
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    settings.step = step;
    settings.gravity = vec3_zero();
    settings.tolerance = 1e-8;
    settings.method = GABION_METHOD_NEWTON; // sweeps do not reach this tolerance in 1000
    struct gabion_world *world = world_create(&settings, team, &error);
    collision_need(world != NULL, &error);
    collision_need(gabion_add_material(world, "body", 1000, &error) >= 0, &error);
    struct gabion_law law = {.friction = friction};
    collision_need(gabion_set_default_law(world, &law, &error), &error);
    return world;
}

static inline double collision_size(const struct gabion_world *world, int32_t id) {
    return bodies_size(&world->bodies, world->bodies.index_of[id]);
}

static inline int32_t collision_add(struct gabion_world *world, const struct gabion_body *body) {
    struct gabion_error error = {0};
    int32_t id = gabion_add_body(world, body, &error);
    collision_need(id >= 0, &error);
    return id;
}

// The body that does not move freely, about the origin. Its front is towards +x, or all around.
static inline void collision_add_fixed(struct gabion_world *world, struct random_stream *random,
                                       enum collision_shape shape, vec3 velocity, double radius,
                                       double travel) {
    struct gabion_body body = gabion_default_body();
    body.fixed = true;
    if (shape == COLLISION_PLATE || shape == COLLISION_DRIVEN_PLATE) {
        double thickness = radius * random_between(random, 0.05, 0.5);
        body.shape = GABION_POLYHEDRON;
        body.polyhedron = collision_box(world, vec3_make(thickness, 40 * radius, 40 * radius));
    } else if (shape == COLLISION_HALF_SPACE || shape == COLLISION_DRIVEN_HALF_SPACE) {
        body.shape = GABION_HALF_SPACE;
        body.normal = vec3_make(1, 0, 0);
    } else {
        body.shape = shape == COLLISION_HOLLOW ? GABION_HOLLOW_SPHERE : GABION_DRUM;
        body.radius = 1.5 * radius + travel * random_between(random, 0.6, 4);
        body.normal = vec3_make(0, 0, 1);
        body.length = 2 * body.radius * random_between(random, 1, 1.5);
        body.ends = true;
    }
    if (shape == COLLISION_DRIVEN_PLATE || shape == COLLISION_DRIVEN_HALF_SPACE)
        collision_drive(world, &body, velocity);
    collision_add(world, &body);
}

// The velocity of the body `travels` of its sizes per step, and a spin of up to as much at its rim,
// but no more than 1.5 rad in a step.
static inline void collision_launch(struct random_stream *random, struct gabion_body *body,
                                    vec3 direction, double travel, double radius) {
    double rate = fmin(random_unit(random) * travel / radius, 1.5) / COLLISION_STEP;
    body->velocity = vec3_scale(travel / COLLISION_STEP, direction);
    body->spin = vec3_scale(rate, collision_direction(random));
}

// A body meets a fixed or driven one, or is inside a hollow one.
static inline void collision_against_wall(struct collision_scene *scene,
                                          struct random_stream *random, enum collision_shape first,
                                          enum collision_shape second, double travel,
                                          double radius) {
    bool hollow = second == COLLISION_HOLLOW || second == COLLISION_DRUM;
    bool driven = second == COLLISION_DRIVEN_PLATE || second == COLLISION_DRIVEN_HALF_SPACE;
    struct gabion_body body = collision_body(scene->world, random, first, radius);
    vec3 direction = collision_direction(random);
    if (!hollow) {
        direction.x = -fabs(direction.x) - 0.3;
        direction = vec3_scale(1 / vec3_length(direction), direction);
    }
    double away = radius * 1.2 + travel * random_between(random, 0.5, 3);
    body.position = hollow ? vec3_zero() : vec3_make(radius + away, 0, 0);
    double share = driven ? random_unit(random) : 0; // of the wall in the speed of approach
    scene->frame = vec3_make(share * travel / COLLISION_STEP, 0, 0);
    collision_launch(random, &body, direction, travel, radius);
    body.velocity = vec3_scale(1 - share, body.velocity);
    collision_add(scene->world, &body);
    collision_add_fixed(scene->world, random, second, scene->frame, radius, travel);
    scene->steps = 12;
}

// Two bodies meet that both move.
static inline void collision_between(struct collision_scene *scene, struct random_stream *random,
                                     enum collision_shape first, enum collision_shape second,
                                     double travel, double radius) {
    struct gabion_body body[2];
    double other = radius * random_between(random, 1, 2);
    body[0] = collision_body(scene->world, random, first, radius);
    body[1] = collision_body(scene->world, random, second, other);
    vec3 direction = collision_direction(random), aside = collision_direction(random);
    double away = 1.05 * (radius + other) + travel * random_between(random, 0.6, 2);
    double share = random_unit(random);
    aside = vec3_cross(aside, direction);
    aside = vec3_scale(0.6 * (radius + other) * random_unit(random), aside);
    body[1].position = vec3_add_scaled(aside, away, direction);
    collision_launch(random, &body[0], direction, share * travel, radius);
    collision_launch(random, &body[1], direction, (share - 1) * travel, other);
    collision_add(scene->world, &body[0]);
    collision_add(scene->world, &body[1]);
    scene->steps = (int)(away / travel) + 6;
}

// Draws a collision: two shapes, `travel` in sizes of the smaller body per step, a friction.
static inline struct collision_scene collision_draw(struct team *team, uint64_t seed,
                                                    enum collision_shape first,
                                                    enum collision_shape second) {
    static const double frictions[] = {0, 0.3, 0.8};
    struct random_stream random = {seed};
    double friction = frictions[(int)(3 * random_unit(&random))];
    double radius = random_between(&random, 0.01, 0.03);
    double travel = 1.4 * radius * pow(50, random_unit(&random)) * 0.1;
    struct collision_scene scene = {.world = collision_world(team, COLLISION_STEP, friction)};
    (second < COLLISION_MOVING ? collision_between : collision_against_wall)(
        &scene, &random, first, second, travel, radius);
    return scene;
}

// Two cubes of 35 mm that meet at 1.5 m/s, with steps of 2 ms.
static inline struct collision_scene collision_cubes(struct team *team, uint64_t seed) {
    struct random_stream random = {seed};
    struct collision_scene scene = {.world = collision_world(team, 2e-3, 0.3), .steps = 60};
    int cube = collision_box(scene.world, vec3_make(0.035, 0.035, 0.035));
    vec3 direction = collision_direction(&random);
    for (int k = 0; k < 2; k++) {
        struct gabion_body body = gabion_default_body();
        body.density = 1000;
        body.shape = GABION_POLYHEDRON;
        body.polyhedron = cube;
        body.orientation = collision_turn(&random);
        vec3 aside = vec3_scale(0.01 * random_unit(&random), collision_direction(&random));
        body.position = vec3_add_scaled(aside, (k ? 1 : -1) * 0.04, direction);
        body.velocity = vec3_scale((k ? -1 : 1) * 0.75, direction);
        body.spin = vec3_scale(20 * random_unit(&random), collision_direction(&random));
        collision_add(scene.world, &body);
    }
    return scene;
}

// Measuring -------------------------------------------------------------------------------------

static inline struct pose collision_pose(vec3 x, quat q) {
    return (struct pose){x, quat_matrix(q)};
}

// The overlap of bodies 0 and 1 at any places, as a share of the smaller size; negative: none.
static inline double collision_overlap(const struct gabion_world *world, struct pose c,
                                       struct pose a) {
    const struct bodies *bodies = &world->bodies;
    struct contact_list found = {0};
    double deepest = -1, size = bodies_smaller_size(bodies, 0, 1);
    if (pairs_kind(bodies, 0, 1)->direct) {
        vec3 x[2] = {c.x, a.x}, normal;
        mat3 axes[2] = {c.axes, a.axes};
        return -pair_gap(bodies, x, &axes[1], 0, 1, &normal) / size;
    }
    struct pair pair = pairs_place(world, 0, 1, c, a);
    pairs_find_there(&pair, 0, &found);
    for (size_t k = 0; k < found.count; k++)
        deepest = fmax(deepest, -found.list[k].gap / size);
    contact_list_free(&found);
    return deepest;
}

// Half of the sum of m (v - V)^2 and w.I w.
static inline double collision_energy(const struct gabion_world *world, vec3 frame) {
    const struct bodies *bodies = &world->bodies;
    double energy = 0;
    for (int32_t i = 0; i < bodies->moving; i++) {
        vec3 v = vec3_sub(bodies->v[i], frame);
        vec3 w = mat3_apply_transposed(quat_matrix(bodies->q[i]), bodies->w[i]);
        energy += 0.5 * bodies->mass[i] * vec3_dot(v, v) +
                  0.5 * vec3_dot(vec3_times(bodies->inertia[i], w), w);
    }
    return energy;
}

struct collision_leg {
    vec3 x[2], v[2], w[2];
    quat q[2];
};

static inline struct collision_leg collision_leg_now(const struct gabion_world *world) {
    const struct bodies *bodies = &world->bodies;
    struct collision_leg leg;
    for (int i = 0; i < 2; i++) {
        leg.x[i] = bodies->x[i];
        leg.q[i] = bodies->q[i];
        leg.v[i] = bodies->v[i];
        leg.w[i] = bodies->w[i];
    }
    return leg;
}

static inline double collision_on_leg(const struct gabion_world *world,
                                      const struct collision_leg *leg, double duration) {
    double deepest = -1;
    for (int k = 0; k <= COLLISION_SAMPLES; k++) {
        struct pose pose[2];
        double t = duration * k / COLLISION_SAMPLES;
        for (int i = 0; i < 2; i++)
            pose[i] = collision_pose(vec3_add_scaled(leg->x[i], t, leg->v[i]),
                                     quat_multiply(quat_exp(vec3_scale(t, leg->w[i])), leg->q[i]));
        deepest = fmax(deepest, collision_overlap(world, pose[0], pose[1]));
    }
    return deepest;
}

// The deepest overlap on the way of the last step: to the midpoint with the velocity before it, and
// from the next place back with the velocity after it.
static inline double collision_way(const struct gabion_world *world,
                                   const struct collision_leg *before) {
    double h = world->settings.step, theta = world->settings.theta;
    struct collision_leg after = collision_leg_now(world);
    return fmax(collision_on_leg(world, before, (1 - theta) * h),
                collision_on_leg(world, &after, -theta * h));
}

static inline bool collision_touches(const struct gabion_world *world) {
    for (size_t k = 0; k < world->contacts->count; k++)
        if (contacts_carries(world->contacts, k))
            return true;
    return false;
}

// Runs a scene and destroys it. The first step is not watched: bodies are sorted in it.
static inline struct collision collision_run(struct collision_scene *scene) {
    struct gabion_world *world = scene->world;
    struct collision collision = {-1, -1, 0, 0, 0, false};
    double first = 0, energy = INFINITY;
    for (int step = 0; step < scene->steps; step++) {
        struct gabion_error error = {0};
        struct collision_leg before = collision_leg_now(world);
        collision_need(gabion_step(world, &error), &error);
        if (step == 0) {
            first = energy = collision_energy(world, scene->frame);
            continue;
        }
        double now = collision_energy(world, scene->frame);
        struct collision_leg here = collision_leg_now(world);
        collision.overlap =
            fmax(collision.overlap, collision_overlap(world, collision_pose(here.x[0], here.q[0]),
                                                      collision_pose(here.x[1], here.q[1])));
        collision.on_way = fmax(collision.on_way, collision_way(world, &before));
        collision.gain = fmax(collision.gain, (now - energy) / first);
        collision.rounds =
            world->report.rounds > collision.rounds ? world->report.rounds : collision.rounds;
        collision.unsolved += !world->report.converged;
        collision.met |= collision_touches(world);
        energy = now;
    }
    gabion_destroy(world);
    return collision;
}

#endif
