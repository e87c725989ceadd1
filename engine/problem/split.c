#include "engine/problem/split.h"

#include <string.h>

void split_add(struct problem *problem, int32_t body, int32_t copies) {
    problem->splits = memory_reserve(problem->splits, &problem->split_capacity,
                                     problem->split_count + 1, sizeof *problem->splits, "splits");
    problem->splits[problem->split_count++] =
        (struct split_body){body, problem->solver_body_count - 1, copies};
    problem->solver_body_count += copies - 1;
}

static void make_room_for_copies(struct problem *problem) {
    size_t needed = (size_t)problem->solver_body_count, capacity = 0;
    struct solver_body *bodies =
        memory_reserve_aligned(NULL, &capacity, needed, sizeof *bodies, "solver bodies");
    memcpy(bodies, problem->bodies, (size_t)problem->body_count * sizeof *bodies);
    memory_free(problem->bodies);
    problem->bodies = bodies;
    problem->body_capacity = capacity;
    if (problem->tensor_needed)
        problem_size_tensors(problem);
    problem->copies = memory_reserve(problem->copies, &problem->copies_capacity, needed,
                                     sizeof *problem->copies, "copies");
    for (size_t i = 0; i < needed; i++)
        problem->copies[i] = 1;
}

static void copy_body(struct problem *problem, const struct split_body *split) {
    double copies = split->copies;
    struct solver_body *body = &problem->bodies[split->body];
    body->inv_m *= copies;
    body->k *= copies;
    problem->copies[split->body] = split->copies;
    for (int32_t j = split->first_copy; j < split->first_copy + split->copies - 1; j++) {
        problem->bodies[j] = *body;
        problem->copies[j] = split->copies;
    }
    if (!problem->tensor_needed)
        return;
    struct solver_tensor *tensor = &problem->tensors[split->body];
    *tensor = solver_tensor_scale(copies, *tensor);
    for (int32_t j = split->first_copy; j < split->first_copy + split->copies - 1; j++)
        problem->tensors[j] = *tensor;
}

void split_fill(struct problem *problem) {
    if (problem->split_count > 0)
        make_room_for_copies(problem);
    for (size_t k = 0; k < problem->split_count; k++)
        copy_body(problem, &problem->splits[k]);
    // The null body of unused lanes: any positive inverse mass keeps divisions finite.
    problem->bodies[problem->solver_body_count - 1] = (struct solver_body){.inv_m = 1, .k = 1};
}
