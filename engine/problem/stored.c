#include "engine/problem/stored.h"

#include <string.h>

#include "parallel/memory.h"

struct stored_views *stored_views_create(int32_t bodies, size_t contacts, int laws, bool general,
                                         bool before) {
    const char *what = "contact problem";
    size_t n = (size_t)bodies;
    struct stored_views *stored = memory_allocate(1, sizeof *stored, what);
    struct midpoint *midpoint = &stored->midpoint;
    midpoint_size(midpoint, bodies);
    midpoint->general = general;
    if (general)
        midpoint_size_inverse(midpoint);
    midpoint->radius = stored->radius = memory_allocate(n, sizeof *stored->radius, what);
    midpoint->mass = stored->mass = memory_allocate(n, sizeof *stored->mass, what);
    midpoint->inertia = stored->inertia = memory_allocate(n, sizeof *stored->inertia, what);
    midpoint->lock = stored->lock = memory_allocate(n, sizeof *stored->lock, what);
    midpoint->known = bodies;
    stored->contacts = memory_allocate(contacts, sizeof *stored->contacts, what);
    stored->bias = memory_allocate(contacts, sizeof *stored->bias, what);
    stored->before = before ? memory_allocate(contacts, sizeof *stored->before, what) : NULL;
    stored->laws = memory_allocate((size_t)laws, sizeof *stored->laws, what);
    stored->v = memory_allocate(n, sizeof *stored->v, what);
    stored->w = memory_allocate(n, sizeof *stored->w, what);
    stored->start = memory_allocate(contacts, sizeof *stored->start, what);
    stored->count = contacts;
    stored->law_count = laws;
    return stored;
}

void stored_views_free(struct stored_views *stored) {
    if (!stored)
        return;
    struct midpoint *midpoint = &stored->midpoint;
    void *arrays[] = {midpoint->x_m,    midpoint->v_free, midpoint->s_free, midpoint->inverse,
                      stored->radius,   stored->mass,     stored->inertia,  stored->lock,
                      stored->contacts, stored->bias,     stored->before,   stored->laws,
                      stored->v,        stored->w,        stored->start};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    joint_points_free(&stored->joints);
    memory_free(stored);
}

static void copy_midpoint(const struct contact_views *views, struct stored_views *stored) {
    const struct midpoint *from = views->midpoint;
    struct midpoint *to = &stored->midpoint;
    size_t n = (size_t)from->count, known = (size_t)from->known;
    to->moving = from->moving;
    memcpy(to->x_m, from->x_m, n * sizeof *to->x_m);
    memcpy(to->v_free, from->v_free, n * sizeof *to->v_free);
    memcpy(to->s_free, from->s_free, n * sizeof *to->s_free);
    if (from->general)
        memcpy(to->inverse, from->inverse, n * sizeof *to->inverse);
    memcpy(stored->radius, from->radius, known * sizeof *stored->radius);
    memcpy(stored->mass, from->mass, known * sizeof *stored->mass);
    memcpy(stored->inertia, from->inertia, known * sizeof *stored->inertia);
    memcpy(stored->lock, from->lock, known * sizeof *stored->lock);
    memcpy(stored->v, views->v, known * sizeof *stored->v);
    memcpy(stored->w, views->w, known * sizeof *stored->w);
}

static void copy_joints(const struct joint_points *from, struct joint_points *to) {
    to->block_count = from->block_count;
    to->count = from->count;
    to->blocks = memory_allocate(from->block_count, sizeof *to->blocks, "joints");
    to->points = memory_allocate(from->count, sizeof *to->points, "joints");
    if (from->block_count > 0)
        memcpy(to->blocks, from->blocks, from->block_count * sizeof *to->blocks);
    if (from->count > 0)
        memcpy(to->points, from->points, from->count * sizeof *to->points);
}

struct contact_problem *contact_problem_copy(const struct contact_problem *problem,
                                             const vec3 *start) {
    const struct contact_views *views = &problem->views;
    size_t slots = contact_problem_slots(problem);
    struct stored_views *stored =
        stored_views_create(views->midpoint->count, views->count, views->law_count,
                            views->midpoint->general, views->before != NULL);
    copy_midpoint(views, stored);
    copy_joints(views->joints, &stored->joints);
    memory_free(stored->start);
    stored->start = memory_allocate(slots, sizeof *stored->start, "contact problem");
    if (views->count > 0) {
        memcpy(stored->contacts, views->contacts, views->count * sizeof *stored->contacts);
        memcpy(stored->bias, views->bias, views->count * sizeof *stored->bias);
        if (views->before)
            memcpy(stored->before, views->before, views->count * sizeof *stored->before);
    }
    if (slots > 0)
        memcpy(stored->start, start, slots * sizeof *start);
    memcpy(stored->laws, views->laws, (size_t)views->law_count * sizeof *stored->laws);
    return contact_problem_of_stored(stored, problem->least, problem->team);
}

struct contact_problem *contact_problem_of_stored(struct stored_views *stored,
                                                  struct least_speeds least, struct team *team) {
    struct contact_views views = {
        .midpoint = &stored->midpoint,
        .contacts = stored->contacts,
        .count = stored->count,
        .bias = stored->bias,
        .before = stored->before,
        .joints = &stored->joints,
        .laws = stored->laws,
        .law_count = stored->law_count,
        .v = stored->v,
        .w = stored->w,
    };
    struct contact_problem *problem = contact_problem_of_views(&views, least, team);
    problem->stored = stored;
    return problem;
}
