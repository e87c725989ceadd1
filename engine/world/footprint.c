#include "engine/world/footprint.h"

#include <stdio.h>

#include "parallel/memory.h"

// Lattices of 64 000 and 512 000 grains with three contact points each, few of them loaded, take
// 993 and 960 bytes per grain, which is 205 a point. A loaded point has 56 more. Five points per
// grain lie within the alert distance of a dense packing, three of them loaded. A block is counted
// with its ten points, as measured on a wall of 10 025 in running bond.
#define BYTES_AT_START    20e6
#define BYTES_PER_BODY    350.0
#define BYTES_PER_CONTACT 240.0
#define BYTES_PER_BLOCK   7400.0

// So few bodies fit everywhere, and need not be compared with the world's others.
#define FEW 8000

static double body_bytes(int shape) {
    return shape_kinds[shape].spin_reach ? BYTES_PER_BLOCK
                                         : BYTES_PER_BODY + 5.0 * BYTES_PER_CONTACT;
}

// Without the contacts that it need not have.
static double least_bytes(int shape) {
    return shape_kinds[shape].block ? BYTES_PER_BLOCK : BYTES_PER_BODY;
}

static double sum_bytes(const struct gabion_world *world, double (*bytes)(int shape)) {
    double sum = 0;
    for (int32_t i = 0; i < world->bodies.count; i++)
        sum += bytes(world->bodies.shape[i]);
    for (int k = 0; k < world->pending_count; k++)
        sum += bytes(world->pending[k].body.shape);
    return sum;
}

double footprint_estimate(const struct gabion_world *world) {
    return BYTES_AT_START + sum_bytes(world, body_bytes);
}

bool footprint_check(const struct gabion_world *world, double count, enum gabion_shape shape,
                     struct gabion_error *error) {
    char what[96];
    if (count < FEW)
        return true;
    double there = world->bodies.count + (double)world->pending_count;
    // What the bodies before have already taken is no longer available.
    double bytes = sum_bytes(world, least_bytes) - BYTES_PER_BODY * there;
    snprintf(what, sizeof what, "a world of %.6g %s", there + count,
             shape_kinds[shape].block ? "blocks" : "bodies");
    if (!memory_check(bytes + count * least_bytes(shape), what, error))
        return false;
    return there + count <= INT32_MAX ||
           error_set(error, GABION_ERROR_INPUT, "%s: a world has at most %d bodies", what,
                     INT32_MAX);
}
