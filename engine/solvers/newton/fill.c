#include "engine/solvers/newton/fill.h"

#include <suitesparse/amd.h>

#include "parallel/memory.h"

// The neighbours of every node of a symmetric pattern, from start[node] on.
struct pattern {
    int32_t nodes;
    int32_t *start, *neighbour;
};

static struct pattern pattern_open(int32_t nodes, size_t entries) {
    struct pattern pattern = {.nodes = nodes};
    pattern.start = memory_allocate((size_t)nodes + 1, sizeof(int32_t), "pattern");
    pattern.neighbour = memory_allocate(entries + 1, sizeof(int32_t), "pattern");
    return pattern;
}

// Between bodies: who touches whom.
static struct pattern pattern_of_bodies(const struct contact_bodies *bodies) {
    struct pattern pattern = pattern_open(bodies->count, 2 * bodies->pair_count);
    for (size_t k = 0; k < bodies->pair_count; k++) {
        pattern.start[bodies->first[k] + 1]++;
        pattern.start[bodies->second[k] + 1]++;
    }
    for (int32_t i = 0; i < bodies->count; i++)
        pattern.start[i + 1] += pattern.start[i];
    for (size_t k = bodies->pair_count; k-- > 0;) {
        pattern.neighbour[--pattern.start[bodies->first[k] + 1]] = bodies->second[k];
        pattern.neighbour[--pattern.start[bodies->second[k] + 1]] = bodies->first[k];
    }
    for (int32_t i = 0; i < bodies->count; i++)
        pattern.start[i] = pattern.start[i + 1];
    pattern.start[bodies->count] = (int32_t)(2 * bodies->pair_count);
    return pattern;
}

static struct pattern pattern_of_matrix(const struct contact_problem *problem) {
    const struct contact_matrix *W = &problem->matrix;
    struct pattern pattern = pattern_open(problem->contacts, W->start[problem->contacts]);
    for (int32_t a = 0; a <= problem->contacts; a++)
        pattern.start[a] = (int32_t)W->start[a];
    for (size_t e = 0; e < W->start[problem->contacts]; e++)
        pattern.neighbour[e] = W->column[e];
    return pattern;
}

double fill_cost(const struct contact_problem *problem) {
    bool bodies = problem->face == FACE_BODIES;
    struct pattern pattern =
        bodies ? pattern_of_bodies(&problem->bodies) : pattern_of_matrix(problem);
    int32_t *order = memory_allocate((size_t)pattern.nodes + 1, sizeof *order, "pattern");
    double info[AMD_INFO];
    int status = amd_order(pattern.nodes, pattern.start, pattern.neighbour, order, NULL, info);
    memory_free(order);
    memory_free(pattern.start);
    memory_free(pattern.neighbour);
    if (status == AMD_OUT_OF_MEMORY) // another choice of methods would be another result
        memory_exhausted((size_t)pattern.nodes, sizeof *order, "the order of a sparse matrix");
    if (status < AMD_OK)
        return INFINITY;
    double products = info[AMD_NMULTSUBS_LU] + 2 * info[AMD_NDIV] + pattern.nodes;
    return (bodies ? 216 : 27) * products;
}
