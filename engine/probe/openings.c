// The interfaces of masonry that have opened or slid most.
#include "engine/contact/interfaces.h"
#include "engine/probe/quantities.h"
#include "engine/probe/selection.h"
#include "parallel/memory.h"

static bool is_of(const struct gabion_world *world, int32_t id, int group) {
    int32_t i = world->bodies.index_of[id];
    return i >= 0 && world->bodies.group[i] == group;
}

// Both measures are counted from the start of the run, which only initial interfaces have.
static bool counts(const struct gabion_world *world, const struct probe *probe,
                   const struct gabion_interface *interface) {
    bool a = probe->group < 0 || is_of(world, interface->a, probe->group);
    bool b = probe->group < 0 || is_of(world, interface->b, probe->group);
    if (!interface->initial || !(a || b))
        return false;
    return probe->against < 0 || (a && is_of(world, interface->b, probe->against)) ||
           (b && is_of(world, interface->a, probe->against));
}

static double opening_of(const struct gabion_interface *interface) { return interface->opening; }

static double sliding_of(const struct gabion_interface *interface) {
    return vec3_length(interface->sliding);
}

// The first of equals counts; interfaces are in the order of the ids of their bodies.
static void find_largest(const struct gabion_world *world, const struct probe *probe,
                         double (*measure)(const struct gabion_interface *), double *values) {
    size_t count;
    struct gabion_interface *interfaces = interfaces_measure(world, &count);
    values[0] = NAN;
    values[1] = values[2] = -1;
    for (size_t k = 0; k < count; k++) {
        if (!counts(world, probe, &interfaces[k]))
            continue;
        double value = measure(&interfaces[k]);
        if (values[0] >= value)
            continue;
        values[0] = value;
        values[1] = interfaces[k].a;
        values[2] = interfaces[k].b;
    }
    memory_free(interfaces);
}

void probe_opening(const struct gabion_world *world, const struct probe *probe, double *values) {
    find_largest(world, probe, opening_of, values);
}

void probe_sliding(const struct gabion_world *world, const struct probe *probe, double *values) {
    find_largest(world, probe, sliding_of, values);
}
