// Views (engine/problem/contact_problem.h) whose contents the problem owns: a copy of those of a
// step, or what was read from a file.
#ifndef ENGINE_PROBLEM_STORED_H
#define ENGINE_PROBLEM_STORED_H

#include "engine/problem/contact_problem.h"

struct stored_views {
    struct midpoint midpoint;
    // The arrays that the midpoint points at.
    double *radius, *mass;
    vec3 *inertia;
    uint8_t *lock;
    struct contact *contacts;
    double *bias;
    vec3 *before; // NULL: no law has a tangential restitution
    struct joint_points joints;
    struct gabion_law *laws;
    vec3 *v, *w;
    vec3 *start; // impulses that the solve of the step started from, over the slots
    size_t count;
    int law_count;
};

// Returns stored views with room for the given numbers of bodies, contacts and laws, without
// joints. `general`: inverse masses need more than two numbers; `before`: some law has a tangential
// restitution.
struct stored_views *stored_views_create(int32_t bodies, size_t contacts, int laws, bool general,
                                         bool before);
void stored_views_free(struct stored_views *stored);

// Returns a problem with a copy of the views of another, and of the impulses `start`.
struct contact_problem *contact_problem_copy(const struct contact_problem *problem,
                                             const vec3 *start);

// Returns a problem that owns `stored`.
struct contact_problem *contact_problem_of_stored(struct stored_views *stored,
                                                  struct least_speeds least, struct team *team);

#endif
