// Statistics of the contact forces: how unequal they are, and how near to slipping.
#include <stdlib.h>

#include "engine/probe/quantities.h"
#include "engine/probe/selection.h"
#include "parallel/memory.h"

// Normal forces in ascending order, and what is counted on the way.
struct forces {
    double *normal; // N
    size_t count;
    double sum;
    size_t sliding;
    double mobilised; // sum of |f_t| / (mu f_n)
    size_t rubbing;   // contacts that have such a ratio
};

static int compare(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// A contact without friction, one that sticks whatever the force, and one without pressure have no
// ratio.
static void add_friction(struct forces *forces, double mu, double normal, vec3 tangential) {
    if (!(mu > 0 && isfinite(mu) && normal > 0))
        return;
    forces->mobilised += vec3_length(tangential) / (mu * normal);
    forces->rubbing++;
}

static struct forces collect(const struct gabion_world *world, const struct probe *probe) {
    const struct contacts *contacts = world->contacts;
    struct forces forces = {0};
    double rate = 1 / world->settings.step;
    forces.normal = memory_allocate(contacts->count, sizeof *forces.normal, "contact forces");
    for (size_t k = 0; k < contacts->count; k++) {
        const struct contact *contact = &contacts->list[k];
        if (!probe_has_contact(world, probe, k))
            continue;
        vec3 force = vec3_scale(rate, contacts->impulse[k]);
        double normal = vec3_dot(force, contact->normal);
        add_friction(&forces, world->laws.law[contact->law].friction, normal,
                     vec3_add_scaled(force, -normal, contact->normal));
        forces.sliding += contact->status == CONTACT_SLIP;
        forces.normal[forces.count++] = normal;
    }
    if (forces.count > 1)
        qsort(forces.normal, forces.count, sizeof *forces.normal, compare);
    for (size_t k = 0; k < forces.count; k++)
        forces.sum += forces.normal[k];
    return forces;
}

static double share_above(const struct forces *forces, double mean) {
    size_t above = 0;
    for (size_t k = 0; k < forces->count; k++)
        above += forces->normal[k] > mean;
    return (double)above / (double)forces->count;
}

// Half the mean difference of two forces, as a share of their mean: 0 where all are equal, 1 where
// one carries all.
static double gini(const struct forces *forces) {
    double n = (double)forces->count, weighted = 0;
    for (size_t k = 0; k < forces->count; k++)
        weighted += (2 * (double)k + 1 - n) * forces->normal[k];
    return weighted / (n * forces->sum);
}

// (sum f)^2 / (n sum f^2): the share of the contacts that would carry, if they carried alike.
static double participation(const struct forces *forces) {
    double squares = 0;
    for (size_t k = 0; k < forces->count; k++)
        squares += forces->normal[k] * forces->normal[k];
    return forces->sum * forces->sum / ((double)forces->count * squares);
}

// The density of f / mean: what is above the last class is left out.
static void fill_histogram(const struct forces *forces, const struct probe *probe, double mean,
                           double *values) {
    double width = probe->bins_to / probe->bins;
    for (int k = 0; k < probe->bins; k++)
        values[k] = 0;
    for (size_t k = 0; k < forces->count; k++) {
        double place = forces->normal[k] / mean / width;
        if (place >= 0 && place < probe->bins)
            values[(int)place] += 1 / (width * (double)forces->count);
    }
}

void probe_network(const struct gabion_world *world, const struct probe *probe, double *values) {
    struct forces forces = collect(world, probe);
    double n = (double)forces.count, mean = forces.sum / n;
    values[0] = n;
    values[1] = mean;
    values[2] = forces.count > 0 ? forces.normal[forces.count - 1] : NAN;
    values[3] = share_above(&forces, mean);
    values[4] = gini(&forces);
    values[5] = participation(&forces);
    values[6] = forces.mobilised / (double)forces.rubbing;
    values[7] = (double)forces.sliding / n;
    fill_histogram(&forces, probe, mean, values + 8);
    memory_free(forces.normal);
}
