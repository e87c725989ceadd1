#include "engine/step/overlap.h"

#include "engine/contact/contacts.h"
#include "engine/contact/pairs.h"
#include "parallel/memory.h"

struct overlaps {
    const struct gabion_world *world;
    double *gap; // of each contact at the end of the step
};

static void measure_overlap(void *context, size_t begin, size_t end, double *out) {
    const struct overlaps *overlaps = context;
    const struct gabion_world *world = overlaps->world;
    vec3 normal;
    for (size_t k = begin; k < end; k++) {
        const struct contact *contact = &world->contacts->list[k];
        double gap = overlaps->gap[k] = pairs_gap(world, contact, &normal);
        out[0] = fmax(out[0], -gap);
        if (gap < 0)
            out[1] =
                fmax(out[1], -gap / bodies_smaller_size(&world->bodies, contact->c, contact->a));
    }
}

// Adds up the overlaps from the gaps that measure_overlap found.
static void add_overlap(void *context, size_t begin, size_t end, double *out) {
    const struct overlaps *overlaps = context;
    for (size_t k = begin; k < end; k++) {
        bool carries = contacts_carries(overlaps->world->contacts, k);
        double gap = overlaps->gap[k];
        out[0] -= gap < 0 ? gap : 0;
        out[1] += gap < 0 || carries;
        out[2] += carries;
    }
}

void overlap_measure(struct gabion_world *world) {
    size_t count = world->contacts->count;
    struct overlaps overlaps = {world, memory_allocate(count, sizeof *overlaps.gap, "overlaps")};
    double most[2], sum[3];
    team_max(world->team, count, 2, measure_overlap, &overlaps, most);
    team_sum(world->team, count, 3, add_overlap, &overlaps, sum);
    memory_free(overlaps.gap);
    world->report.contacts = (int64_t)sum[2];
    world->report.max_overlap = most[0];
    world->report.max_overlap_relative = most[1];
    world->report.mean_overlap = sum[1] > 0 ? sum[0] / sum[1] : 0;
    world->report.joint_error = joints_error(world);
}
