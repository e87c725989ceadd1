#include "engine/step/projection.h"

#include "engine/contact/contacts.h"
#include "engine/contact/detection.h"
#include "engine/contact/pairs.h"
#include "engine/solvers/krylov/partition.h"
#include "parallel/memory.h"

#define CHUNK 4096

// Of the pass after a step whose joints gave way to contacts.
#define JAMMED_ITERATIONS 100

struct correction projection_find(const struct gabion_world *world, const struct contact *contacts,
                                  int iterations) {
    size_t count = world->contacts->count;
    struct contact_problem *problem;
    bool *near = memory_allocate(count, sizeof *near, "projection");
    for (size_t k = 0; k < count; k++)
        near[k] = contacts[k].gap < INFINITY; // not of a body that has left its drum
    struct correction correction = correction_open(world, contacts, near);
    memory_free(near);
    problem = correction.problem;
    for (int32_t k = 0; k < problem->contacts; k++) {
        const struct correction_row *row = &correction.rows[k];
        if (row->point < 0) {
            double gap = contacts[row->index].gap;
            correction.class[k] = gap < 0 ? PARTITION_ACTIVE : PARTITION_INACTIVE;
            contact_set(problem->q, k, vec3_make(gap, 0, 0));
        } else {
            const struct joint_block *block = &world->contacts->joints.blocks[row->index];
            contact_set(problem->q, k, joint_points_gap(world, block, row->point));
        }
    }
    correction_solve(&correction, world, iterations);
    return correction;
}

void projection_displace(struct bodies *bodies, int32_t i, struct body_velocity by) {
    vec3 angle = vec3_scale(1 / bodies->radius[i], by.s);
    bodies->x[i] = vec3_add(bodies->x[i], by.v);
    if (vec3_dot(angle, angle) > 0)
        bodies->q[i] = quat_normalize(quat_multiply(quat_exp(angle), bodies->q[i]));
}

void projection_move(struct gabion_world *world, const struct correction *correction) {
    struct bodies *bodies = &world->bodies;
    double *moved = correction_motion(correction);
    for (int32_t i = 0; i < bodies->moving; i++) {
        const double *six = moved + 6 * (size_t)i;
        projection_displace(bodies, i,
                            (struct body_velocity){vec3_make(six[0], six[1], six[2]),
                                                   vec3_make(six[3], six[4], six[5])});
    }
    memory_free(moved);
}

struct after {
    const struct gabion_world *world;
    struct contact *list;
};

static void fill_after(void *context, size_t begin, size_t end) {
    const struct after *after = context;
    for (size_t k = begin; k < end; k++) {
        const struct contact *contact = &after->world->contacts->list[k];
        after->list[k] = *contact;
        after->list[k].gap = pairs_gap(after->world, contact, &after->list[k].normal);
    }
}

static bool any_overlap(const struct contact *list, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (list[k].gap < 0)
            return true;
    return false;
}

static int iterations(const struct gabion_world *world) {
    int asked = world->settings.projection;
    return world->jammed && asked < JAMMED_ITERATIONS ? JAMMED_ITERATIONS : asked;
}

// The pairs are those of the step, not detected again: its alert distance has seen all that can
// meet by the end of it, and the contacts that the step's output shows stay what they are. Points
// of blocks are those of the midpoint, moved with their bodies; what that misses, the square of the
// angle turned, the next step's pass finds.
void projection_apply(struct gabion_world *world) {
    detection_complete(world);
    size_t count = world->contacts->count;
    struct after after = {world, memory_allocate(count, sizeof *after.list, "projection")};
    team_for(world->team, count, CHUNK, fill_after, &after);
    if (any_overlap(after.list, count) || world->joints.count > 0) {
        struct correction correction = projection_find(world, after.list, iterations(world));
        projection_move(world, &correction);
        correction_close(&correction);
    }
    memory_free(after.list);
}
