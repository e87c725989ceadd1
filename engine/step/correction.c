#include "engine/step/correction.h"

#include "engine/motion/midpoint.h"
#include "engine/problem/rows.h"
#include "engine/solvers/krylov/partition.h"
#include "parallel/memory.h"

#define INNER 1e-3 // of the tolerance: what the systems are solved to, as in bicg.c

static void put_row(struct correction *correction, int32_t k, int32_t moving,
                    struct contact_row row, struct correction_row about) {
    correction->rows[k] = about;
    correction->class[k] = PARTITION_ACTIVE;
    row.c = row.c < moving ? row.c : CONTACT_FIXED;
    row.a = row.a < moving ? row.a : CONTACT_FIXED;
    correction->problem->bodies.rows[k] = row;
}

static int32_t add_contacts(const struct contact_views *views, const bool *chosen,
                            struct correction *correction) {
    struct contact_row row;
    struct row_law law;
    int32_t count = 0;
    for (size_t k = 0; k < views->count; k++) {
        if (!chosen[k])
            continue;
        row_of_contact(views, k, &row, &law);
        struct correction_row about = {row.c, row.a, (uint32_t)k, -1};
        put_row(correction, count++, views->midpoint->moving, row, about);
    }
    return count;
}

static void add_joints(const struct contact_views *views, int32_t count,
                       struct correction *correction) {
    struct contact_row row;
    struct row_law law;
    mat3 W;
    for (size_t j = 0; j < views->joints->block_count; j++) {
        const struct joint_block *block = &views->joints->blocks[j];
        for (uint32_t k = 0; k < block->count; k++) {
            row_of_joint(views, block, block->begin + k, &row, &W, &law);
            contact_problem_hold(correction->problem, count, law.held);
            struct correction_row about = {row.c, row.a, (uint32_t)j, (int)k};
            put_row(correction, count++, views->midpoint->moving, row, about);
        }
    }
}

static size_t count_rows(const struct contact_views *views, const bool *chosen) {
    size_t count = views->joints->count;
    for (size_t k = 0; k < views->count; k++)
        count += chosen[k];
    return count;
}

struct correction correction_open(const struct gabion_world *world, const struct contact *list,
                                  const bool *chosen) {
    const struct contacts *contacts = world->contacts;
    struct contact_views views = {.midpoint = world->midpoint,
                                  .contacts = list,
                                  .count = contacts->count,
                                  .before = contacts->before,
                                  .spread = contacts->spread,
                                  .joints = &contacts->joints,
                                  .laws = world->laws.law,
                                  .law_count = world->laws.count};
    size_t count = count_rows(&views, chosen);
    struct correction correction = {
        .problem = contact_problem_with_bodies((int32_t)count, world->bodies.moving),
        .rows = memory_allocate(count, sizeof *correction.rows, "correction"),
        .class = memory_allocate(count, sizeof *correction.class, "correction"),
        .x = memory_allocate(3 * count, sizeof *correction.x, "correction"),
    };
    for (int32_t i = 0; i < world->bodies.moving; i++)
        correction.problem->bodies.inverse[i] = midpoint_inverse(world->midpoint, i);
    add_joints(&views, add_contacts(&views, chosen, &correction), &correction);
    correction.problem->team = world->team;
    contact_problem_join(correction.problem);
    contact_problem_finish(correction.problem);
    return correction;
}

void correction_close(struct correction *correction) {
    contact_problem_free(correction->problem);
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
    return contact_state_open(correction->problem, correction->x).v;
}
