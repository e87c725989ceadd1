#include "engine/problem/problem.h"

#include "engine/contact/contacts.h"
#include "engine/problem/assembly.h"
#include "engine/problem/block.h"
#include "engine/contact/gap.h"
#include "parallel/memory.h"

#define CHUNK 4096

struct problem *problem_create(void) {
    struct problem *problem = memory_allocate(1, sizeof *problem, "contact problem");
    problem->assembly = assembly_create();
    return problem;
}

void problem_free(struct problem *problem) {
    if (!problem)
        return;
    void *arrays[] = {
        problem->bodies,        problem->tensors,        problem->x_m,         problem->v_free,
        problem->s_free,        problem->group_force,    problem->splits,      problem->groups,
        problem->blocks,        problem->points,         problem->axes_m,      problem->batches,
        problem->slot,          problem->copies,         problem->chunks,      problem->last,
        problem->last_velocity, problem->joint_inverses, problem->joint_moment};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    assembly_free(problem->assembly);
    memory_free(problem);
}

void problem_size(struct problem *problem, int32_t body_count) {
    size_t n = (size_t)body_count;
    problem->body_count = body_count;
    problem->solver_body_count = body_count + 1;
    problem->bodies = memory_reserve_aligned(problem->bodies, &problem->body_capacity, n + 1,
                                             sizeof *problem->bodies, "solver bodies");
    problem->x_m = memory_reserve_aligned(problem->x_m, &problem->midpoint_capacity, n,
                                          sizeof(vec3), "midpoints");
    problem->v_free = memory_reserve_aligned(problem->v_free, &problem->v_free_capacity, n,
                                             sizeof(vec3), "free velocities");
    problem->s_free = memory_reserve_aligned(problem->s_free, &problem->s_free_capacity, n,
                                             sizeof(vec3), "free velocities");
}

void problem_size_axes(struct problem *problem) {
    problem->axes_m =
        memory_reserve_aligned(problem->axes_m, &problem->axes_capacity,
                               (size_t)problem->body_count, sizeof *problem->axes_m, "midpoints");
}

void problem_size_tensors(struct problem *problem) {
    problem->tensors = memory_reserve(problem->tensors, &problem->tensor_capacity,
                                      (size_t)problem->solver_body_count, sizeof *problem->tensors,
                                      "inertia tensors");
}

void problem_size_last(struct problem *problem) {
    problem->last = memory_reserve_aligned(problem->last, &problem->last_capacity,
                                           problem->group_count, sizeof *problem->last, "sweeps");
    problem->last_velocity = memory_reserve_aligned(
        problem->last_velocity, &problem->last_velocity_capacity,
        (size_t)problem->solver_body_count, sizeof *problem->last_velocity, "sweeps");
}

static vec3 impulse_of(const struct problem *problem, const struct contact *contact,
                       uint32_t slot) {
    if (slot & SLOT_POINT) {
        struct block block;
        block_frame(&block, contact->normal);
        return block_impulse(&block, problem->points[slot & ~SLOT_POINT].r);
    }
    const struct sphere_group *group = &problem->groups[slot / LANES];
    uint32_t lane = slot % LANES;
    return lane_get(&group->p, lane);
}

static void store_range(void *context, size_t begin, size_t end) {
    struct gabion_world *world = context;
    for (size_t k = begin; k < end; k++) {
        struct contact *contact = &world->contacts->list[k];
        uint32_t slot = world->problem->slot[k];
        vec3 impulse = slot == SLOT_NONE ? vec3_zero() : impulse_of(world->problem, contact, slot);
        if (world->settings.gap == GABION_GAP_STABILIZED)
            gap_note_collision(world, contact, impulse);
        contact->impulse = impulse;
        contact->status = (uint8_t)contacts_status(contact, world->laws.law[contact->law].friction);
    }
}

void problem_store(struct gabion_world *world) {
    team_for(world->team, world->contacts->count, CHUNK, store_range, world);
}
