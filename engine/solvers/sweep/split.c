#include "engine/solvers/sweep/split.h"

#include <string.h>

void split_add(struct sweep_plan *plan, int32_t body, int32_t copies) {
    plan->splits = memory_reserve(plan->splits, &plan->split_capacity, plan->split_count + 1,
                                  sizeof *plan->splits, "splits");
    plan->splits[plan->split_count++] =
        (struct split_body){body, plan->solver_body_count - 1, copies};
    plan->solver_body_count += copies - 1;
}

static void make_room_for_copies(struct sweep_plan *plan) {
    size_t needed = (size_t)plan->solver_body_count, capacity = 0;
    struct solver_body *bodies =
        memory_reserve_aligned(NULL, &capacity, needed, sizeof *bodies, "solver bodies");
    memcpy(bodies, plan->bodies, (size_t)plan->body_count * sizeof *bodies);
    memory_free(plan->bodies);
    plan->bodies = bodies;
    plan->body_capacity = capacity;
    plan->copies = memory_reserve(plan->copies, &plan->copies_capacity, needed,
                                  sizeof *plan->copies, "copies");
    for (size_t i = 0; i < needed; i++)
        plan->copies[i] = 1;
}

// Copies have a share of the mass: the plan needs inverse masses of its own.
static void make_room_for_inverse(struct sweep_plan *plan) {
    size_t count = (size_t)plan->body_count, capacity = 0;
    struct inverse_mass *inverse = memory_reserve_aligned(
        NULL, &capacity, (size_t)plan->solver_body_count, sizeof *inverse, "inverse masses");
    memcpy(inverse, plan->inverse, count * sizeof *inverse);
    memory_free(plan->own_inverse);
    plan->inverse = plan->own_inverse = inverse;
    plan->inverse_capacity = capacity;
}

static void copy_body(struct sweep_plan *plan, const struct split_body *split) {
    double copies = split->copies;
    struct solver_body *body = &plan->bodies[split->body];
    body->inv_m *= copies;
    body->k *= copies;
    plan->copies[split->body] = split->copies;
    for (int32_t j = split->first_copy; j < split->first_copy + split->copies - 1; j++) {
        plan->bodies[j] = *body;
        plan->copies[j] = split->copies;
    }
    if (!plan->inverse)
        return;
    struct inverse_mass *inverse = &plan->own_inverse[split->body];
    *inverse = inverse_mass_scale(copies, *inverse);
    for (int32_t j = split->first_copy; j < split->first_copy + split->copies - 1; j++)
        plan->own_inverse[j] = *inverse;
}

void split_fill(struct sweep_plan *plan) {
    if (plan->split_count > 0)
        make_room_for_copies(plan);
    if (plan->split_count > 0 && plan->inverse)
        make_room_for_inverse(plan);
    for (size_t k = 0; k < plan->split_count; k++)
        copy_body(plan, &plan->splits[k]);
    // The null body of unused lanes: any positive inverse mass keeps divisions finite.
    plan->bodies[plan->solver_body_count - 1] = (struct solver_body){.inv_m = 1, .k = 1};
}

// Returns the split body that a copy belongs to: they are in ascending order of their copies.
static const struct split_body *split_of(const struct sweep_plan *plan, int32_t index) {
    size_t low = 0, high = plan->split_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (plan->splits[middle].first_copy <= index)
            low = middle;
        else
            high = middle;
    }
    return &plan->splits[low];
}

static bool is_copy(const struct sweep_plan *plan, int32_t index) {
    return index >= plan->body_count && index < plan->solver_body_count - 1;
}

int32_t split_whole(const struct sweep_plan *plan, int32_t index) {
    return is_copy(plan, index) ? split_of(plan, index)->body : index;
}

uint64_t split_name(const struct sweep_plan *plan, int32_t index) {
    if (!is_copy(plan, index))
        return (uint64_t)index << 32;
    const struct split_body *split = split_of(plan, index);
    return (uint64_t)split->body << 32 | (uint64_t)(index - split->first_copy + 1);
}
