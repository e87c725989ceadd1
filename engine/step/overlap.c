#include "engine/step/overlap.h"

#include "engine/contact/contacts.h"
#include "engine/contact/pairs.h"
#include "engine/contact/standing.h"
#include "parallel/memory.h"

#define CHUNK 4096

struct overlaps {
    const struct gabion_world *world;
    double *gap; // of each contact at the end of the step
};

static void find_gaps(void *context, size_t begin, size_t end) {
    const struct overlaps *overlaps = context;
    vec3 normal;
    for (size_t k = begin; k < end; k++)
        overlaps->gap[k] = pairs_gap(overlaps->world, &overlaps->world->contacts->list[k], &normal);
}

// Adds up the overlaps from the gaps that find_gaps found.
static void add_overlap(void *context, size_t begin, size_t end, struct binned_sum *out) {
    const struct overlaps *overlaps = context;
    for (size_t k = begin; k < end; k++) {
        bool carries = contacts_carries(overlaps->world->contacts, k);
        double gap = overlaps->gap[k];
        binned_add(&out[0], gap < 0 ? -gap : 0);
        binned_add(&out[1], gap < 0 || carries);
        binned_add(&out[2], carries);
    }
}

static void find_mean(struct gabion_world *world) {
    size_t count = world->contacts->count;
    struct overlaps overlaps = {world, memory_allocate(count, sizeof *overlaps.gap, "overlaps")};
    double sum[3];
    team_for(world->team, count, CHUNK, find_gaps, &overlaps);
    team_sum(world->team, count, 3, add_overlap, &overlaps, sum);
    memory_free(overlaps.gap);
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
