#include "engine/step/correction.h"

#include <string.h>

#include "engine/contact/contacts.h"
#include "engine/problem/block.h"
#include "engine/solvers/krylov/partition.h"
#include "parallel/memory.h"

#define INNER 1e-3 // of the tolerance: what the systems are solved to, as in bicg.c

static int32_t name_body(const struct gabion_world *world, int32_t i) {
    return i < world->bodies.moving ? i : FRICTION_FIXED;
}

static struct friction_row *start_row(const struct gabion_world *world,
                                      struct correction *correction, int32_t k,
                                      struct correction_row about) {
    struct friction_row *row = &correction->problem->bodies.rows[k];
    correction->rows[k] = about;
    correction->class[k] = PARTITION_ACTIVE;
    row->c = name_body(world, about.c);
    row->a = name_body(world, about.a);
    row->slot = SLOT_NONE;
    return row;
}

static int32_t add_contacts(const struct gabion_world *world, const struct contact *list,
                            const bool *chosen, struct correction *correction) {
    int32_t count = 0;
    for (size_t k = 0; k < world->contacts->count; k++) {
        const struct contact *contact = &list[k];
        if (!chosen[k])
            continue;
        struct correction_row about = {contact->c, contact->a, (uint32_t)k, -1};
        struct friction_row *row = start_row(world, correction, count++, about);
        row->axis[0] = contact->normal;
        vec3_tangents(contact->normal, &row->axis[1], &row->axis[2]);
        block_arms(world, contact, &row->arm_c, &row->arm_a);
    }
    return count;
}

static void add_joints(const struct gabion_world *world, int32_t count,
                       struct correction *correction) {
    for (int j = 0; j < world->joints.count; j++) {
        const struct joint *joint = &world->joints.list[j];
        for (int k = 0; joint->slot != SLOT_NONE && k < joint_points(joint); k++) {
            const struct block_point *point = &world->problem->points[joint->slot + (uint32_t)k];
            struct correction_row about = {joint->body[joint->swapped],
                                           joint->body[!joint->swapped], (uint32_t)j, k};
            friction_problem_hold(correction->problem, count, point->held);
            struct friction_row *row = start_row(world, correction, count++, about);
            memcpy(row->axis, joint->axis, sizeof row->axis);
            row->arm_c = point->arm_c;
            row->arm_a = point->arm_a;
        }
    }
}

static size_t count_rows(const struct gabion_world *world, const bool *chosen) {
    size_t count = 0;
    for (size_t k = 0; k < world->contacts->count; k++)
        count += chosen[k];
    for (int j = 0; j < world->joints.count; j++)
        if (world->joints.list[j].slot != SLOT_NONE)
            count += (size_t)joint_points(&world->joints.list[j]);
    return count;
}

struct correction correction_open(const struct gabion_world *world, const struct contact *list,
                                  const bool *chosen) {
    size_t count = count_rows(world, chosen);
    struct correction correction = {
        .problem = friction_problem_with_bodies((int32_t)count, world->bodies.moving),
        .rows = memory_allocate(count, sizeof *correction.rows, "correction"),
        .class = memory_allocate(count, sizeof *correction.class, "correction"),
        .x = memory_allocate(3 * count, sizeof *correction.x, "correction"),
    };
    struct friction_bodies *bodies = &correction.problem->bodies;
    for (int32_t i = 0; i < world->bodies.moving; i++) {
        bodies->inverse[i] = friction_inverse_mass(world->problem, i);
        bodies->id[i] = i;
    }
    add_joints(world, add_contacts(world, list, chosen, &correction), &correction);
    correction.problem->team = world->team;
    friction_problem_join(correction.problem);
    friction_problem_finish(correction.problem);
    return correction;
}

void correction_close(struct correction *correction) {
    friction_problem_free(correction->problem);
    memory_free(correction->rows);
    memory_free(correction->class);
    memory_free(correction->x);
}

void correction_solve(struct correction *correction, const struct gabion_world *world,
                      int iterations) {
    correction->iterations = partition_solve(correction->problem, correction->class, iterations,
                                             INNER * world->settings.tolerance, correction->x);
}

double *correction_motion(const struct correction *correction) {
    return friction_state_open(correction->problem, correction->x).v;
}
