#include "engine/detection.h"

#include <string.h>

#include "engine/order.h"
#include "engine/problem.h"
#include "geometry/grid.h"
#include "parallel/memory.h"

#define CHUNK 2048

struct detection {
    struct grid *grid;
    struct pair_list pairs; // sphere pairs
    double *reach;          // radius + alert, by sphere
    uint32_t *start;        // first contact of each moving body
    double *approach;       // how far each half-space comes in the step
    size_t reach_capacity, start_capacity, approach_capacity;
    int32_t spheres; // bodies [0, spheres); half-spaces follow
};

struct detection *detection_create(void) {
    struct detection *detection = memory_allocate(1, sizeof *detection, "detection");
    detection->grid = grid_create();
    return detection;
}

void detection_free(struct detection *detection) {
    if (!detection)
        return;
    grid_free(detection->grid);
    pair_list_free(&detection->pairs);
    memory_free(detection->reach);
    memory_free(detection->start);
    memory_free(detection->approach);
    memory_free(detection);
}

// Alert distance ------------------------------------------------------------------------------

static double speed_of(const struct gabion_world *world, int32_t i) {
    vec3 v = world->bodies.v[i], free = world->problem->v_free[i];
    return sqrt(fmax(vec3_dot(v, v), vec3_dot(free, free)));
}

static void measure_speed(void *context, size_t begin, size_t end, double *out) {
    const struct gabion_world *world = context;
    for (size_t i = begin; i < end; i++)
        out[0] = fmax(out[0], speed_of(world, (int32_t)i));
}

struct reach_context {
    struct gabion_world *world;
    double v_max;
};

// A body reaches as far as it can travel in the step. It must also see neighbours that a fast body
// may push it into: v_max h covers that, but one bullet must not blow up every cell, so this part
// stops at a quarter of the radius. Alert distances below v_max h cost 5-9 % of overlap.
static void fill_reach(void *context, size_t begin, size_t end) {
    const struct reach_context *reach = context;
    struct gabion_world *world = reach->world;
    double h = world->settings.step, asked = world->settings.alert;
    for (size_t i = begin; i < end; i++) {
        double radius = world->bodies.radius[i];
        double pushed = asked >= 0 ? asked : fmin(h * reach->v_max, 0.25 * radius);
        world->detection->reach[i] = radius + fmax(pushed, h * speed_of(world, (int32_t)i));
    }
}

static int32_t count_spheres(const struct bodies *bodies) {
    int32_t spheres = bodies->count;
    while (spheres > 0 && bodies->shape[spheres - 1] != GABION_SPHERE)
        spheres--;
    return spheres;
}

void detection_broad(struct gabion_world *world) {
    struct detection *detection = world->detection;
    struct reach_context reach = {world, 0};
    detection->spheres = count_spheres(&world->bodies);
    size_t spheres = (size_t)detection->spheres;
    detection->reach = memory_reserve(detection->reach, &detection->reach_capacity, spheres,
                                      sizeof *detection->reach, "detection");
    team_max(world->team, (size_t)world->bodies.count, 1, measure_speed, world, &reach.v_max);
    team_for(world->team, spheres, CHUNK, fill_reach, &reach);
    grid_find_pairs(detection->grid, world->team, world->problem->x_m, detection->reach,
                    detection->spheres, world->bodies.moving, &detection->pairs);
}

// Narrow phase --------------------------------------------------------------------------------

static double sphere_sphere(const struct bodies *bodies, const vec3 *x, int32_t c, int32_t a,
                            vec3 *normal) {
    vec3 d = vec3_sub(x[c], x[a]);
    double length = vec3_length(d);
    *normal = length > 0 ? vec3_scale(1 / length, d) : vec3_make(0, 0, 1);
    return length - (bodies->radius[c] + bodies->radius[a]);
}

static double sphere_half_space(const struct bodies *bodies, const vec3 *x, int32_t c, int32_t a,
                                vec3 *normal) {
    *normal = bodies_half_space(bodies, a)->normal;
    return vec3_dot(vec3_sub(x[c], x[a]), *normal) - bodies->radius[c];
}

// By shape of a; candidates are spheres.
static double (*const gap_functions[])(const struct bodies *, const vec3 *, int32_t, int32_t,
                                       vec3 *) = {
    [GABION_SPHERE] = sphere_sphere,
    [GABION_HALF_SPACE] = sphere_half_space,
};

double detection_gap(const struct bodies *bodies, const vec3 *x, int32_t c, int32_t a,
                     vec3 *normal) {
    return gap_functions[bodies->shape[a]](bodies, x, c, a, normal);
}

static void measure_approach(struct gabion_world *world) {
    struct detection *detection = world->detection;
    size_t half_spaces = (size_t)(world->bodies.count - detection->spheres);
    detection->approach = memory_reserve(detection->approach, &detection->approach_capacity,
                                         half_spaces, sizeof *detection->approach, "detection");
    for (size_t k = 0; k < half_spaces; k++)
        detection->approach[k] =
            world->settings.step * speed_of(world, detection->spheres + (int32_t)k);
}

// A driven wall comes towards the body by its own speed.
static bool near_half_space(const struct gabion_world *world, int32_t c, int32_t a) {
    const struct detection *detection = world->detection;
    vec3 normal;
    double gap = sphere_half_space(&world->bodies, world->problem->x_m, c, a, &normal);
    double alert = detection->reach[c] - world->bodies.radius[c];
    return gap <= alert + detection->approach[a - detection->spheres];
}

static void count_contacts(void *context, size_t begin, size_t end) {
    struct gabion_world *world = context;
    struct detection *detection = world->detection;
    const uint32_t *pair_start = detection->pairs.start;
    for (size_t c = begin; c < end; c++) {
        uint32_t count = pair_start[c + 1] - pair_start[c];
        for (int32_t a = detection->spheres; a < world->bodies.count; a++)
            count += near_half_space(world, (int32_t)c, a);
        detection->start[c + 1] = count;
    }
}

static struct contact make_contact(const struct gabion_world *world, int32_t c, int32_t a) {
    struct contact contact = {.c = c, .a = a, .law = world_law(world, c, a)};
    contact.gap = detection_gap(&world->bodies, world->problem->x_m, c, a, &contact.normal);
    return contact;
}

static void fill_contacts(void *context, size_t begin, size_t end) {
    struct gabion_world *world = context;
    struct detection *detection = world->detection;
    const struct pair_list *pairs = &detection->pairs;
    for (size_t k = begin; k < end; k++) {
        int32_t c = (int32_t)k;
        struct contact *out = &world->contacts.list[detection->start[c]];
        for (uint32_t p = pairs->start[c]; p < pairs->start[c + 1]; p++)
            *out++ = make_contact(world, c, pairs->other[p]);
        // Most bodies are far from every wall, and have been counted so.
        const struct contact *end_of_c = &world->contacts.list[detection->start[c + 1]];
        for (int32_t a = detection->spheres; out < end_of_c; a++)
            if (near_half_space(world, c, a))
                *out++ = make_contact(world, c, a);
    }
}

void detection_narrow(struct gabion_world *world) {
    struct detection *detection = world->detection;
    struct contacts *contacts = &world->contacts;
    size_t moving = (size_t)world->bodies.moving;
    detection->start = memory_reserve(detection->start, &detection->start_capacity, moving + 1,
                                      sizeof *detection->start, "detection");
    detection->start[0] = 0;
    measure_approach(world);
    team_for(world->team, moving, CHUNK, count_contacts, world);
    for (size_t c = 0; c < moving; c++)
        detection->start[c + 1] += detection->start[c];
    contacts->count = detection->start[moving];
    contacts->list = memory_reserve_aligned(contacts->list, &contacts->capacity, contacts->count,
                                            sizeof *contacts->list, "contacts");
    team_for(world->team, moving, CHUNK, fill_contacts, world);
}

// ---------------------------------------------------------------------------------------------

bool world_initial_overlap(struct gabion_world *world, double *overlap, double *relative,
                           int32_t *id_a, int32_t *id_b) {
    struct bodies *bodies = &world->bodies;
    order_bodies(world);
    problem_size(world->problem, bodies->count);
    memcpy(world->problem->x_m, bodies->x, (size_t)bodies->count * sizeof *bodies->x);
    memset(world->problem->v_free, 0, (size_t)bodies->count * sizeof *world->problem->v_free);
    detection_broad(world);
    detection_narrow(world);
    *overlap = 0;
    for (size_t k = 0; k < world->contacts.count; k++) {
        const struct contact *contact = &world->contacts.list[k];
        if (-contact->gap <= *overlap)
            continue;
        *overlap = -contact->gap;
        *relative = *overlap / bodies_smaller_size(bodies, contact->c, contact->a);
        *id_a = bodies->id[contact->c];
        *id_b = bodies->id[contact->a];
    }
    world->contacts.count = 0;
    return *overlap > 0;
}
