#include "engine/step/overlap.h"

#include "engine/contact/pairs.h"
#include "engine/contact/shared.h"
#include "engine/contact/standing.h"
#include "parallel/memory.h"

#define CHUNK 1024

struct overlaps {
    const struct gabion_world *world;
    double *depth; // of each contact at the end of the step; 0: its bodies are apart
};

// Spheres are most of a run.
static double gap_of(const struct gabion_world *world, const struct contact *contact) {
    const uint8_t balls = CONTACT_BALL_C | CONTACT_BALL_A;
    vec3 normal;
    if ((contact->flags & balls) == balls)
        return pair_sphere_gap(&world->bodies, world->bodies.x, contact->c, contact->a);
    return pairs_gap(world, contact, &normal);
}

static void find_depths(void *context, size_t begin, size_t end) {
    const struct overlaps *overlaps = context;
    for (size_t k = begin; k < end; k++) {
        double gap = gap_of(overlaps->world, &overlaps->world->contacts->list[k]);
        overlaps->depth[k] = gap < 0 ? -gap : 0;
    }
}

enum { OVERLAP_DEPTH, OVERLAP_TOUCHING, OVERLAP_CARRYING, OVERLAP_COUNT };

// Adds up the overlaps that find_depths found.
static void add_overlap(void *context, size_t begin, size_t end, struct binned_sum *out) {
    const struct overlaps *overlaps = context;
    size_t touching = 0, carrying = 0;
    for (size_t k = begin; k < end; k++) {
        bool carries = contacts_carries(overlaps->world->contacts, k);
        touching += overlaps->depth[k] > 0 || carries;
        carrying += carries;
    }
    for (size_t k = begin; k < end; k += BINNED_ALL)
        binned_add_all(&out[OVERLAP_DEPTH], overlaps->depth + k,
                       end - k < BINNED_ALL ? end - k : BINNED_ALL);
    binned_add(&out[OVERLAP_TOUCHING], (double)touching);
    binned_add(&out[OVERLAP_CARRYING], (double)carrying);
}

static void find_mean(struct gabion_world *world, struct overlaps *overlaps) {
    double sum[OVERLAP_COUNT];
    contacts_sum(world, OVERLAP_COUNT, add_overlap, overlaps, sum);
    world->report.contacts = (int64_t)sum[OVERLAP_CARRYING];
    world->report.mean_overlap =
        sum[OVERLAP_TOUCHING] > 0 ? sum[OVERLAP_DEPTH] / sum[OVERLAP_TOUCHING] : 0;
}

void overlap_measure(struct gabion_world *world) {
    size_t count = world->contacts->count;
    struct overlaps overlaps = {world, memory_borrow(count * sizeof *overlaps.depth, "overlaps")};
    team_for(world->team, count, CHUNK, find_depths, &overlaps);
    struct overlap worst = standing_overlap(world, overlaps.depth);
    find_mean(world, &overlaps);
    memory_return(overlaps.depth);
    world->report.max_overlap = worst.depth;
    world->report.max_overlap_relative = worst.relative;
    world->report.overlap_body_a = worst.first;
    world->report.overlap_body_b = worst.second;
    world->report.joint_error = joints_error(world);
}
