#include "engine/step/overlap.h"

#include "engine/contact/pairs.h"
#include "engine/contact/shared.h"
#include "engine/contact/standing.h"

// Adds up the overlaps at the end of the step.
static void add_overlap(void *context, size_t begin, size_t end, struct binned_sum *out) {
    const struct gabion_world *world = context;
    vec3 normal;
    for (size_t k = begin; k < end; k++) {
        bool carries = contacts_carries(world->contacts, k);
        double gap = pairs_gap(world, &world->contacts->list[k], &normal);
        binned_add(&out[0], gap < 0 ? -gap : 0);
        binned_add(&out[1], gap < 0 || carries);
        binned_add(&out[2], carries);
    }
}

static void find_mean(struct gabion_world *world) {
    double sum[3];
    contacts_sum(world, 3, add_overlap, world, sum);
    world->report.contacts = (int64_t)sum[2];
    world->report.mean_overlap = sum[1] > 0 ? sum[0] / sum[1] : 0;
}

void overlap_measure(struct gabion_world *world) {
    struct overlap worst = standing_overlap(world);
    find_mean(world);
    world->report.max_overlap = worst.depth;
    world->report.max_overlap_relative = worst.relative;
    world->report.overlap_body_a = worst.first;
    world->report.overlap_body_b = worst.second;
    world->report.joint_error = joints_error(world);
}
