// Which bodies and contacts a probe measures.
#ifndef ENGINE_PROBE_SELECTION_H
#define ENGINE_PROBE_SELECTION_H

#include "engine/contact/contacts.h"
#include "engine/probe/probe.h"

static inline bool probe_in_group(const struct gabion_world *world, const struct probe *probe,
                                  int32_t i) {
    return probe->group < 0 ? world->bodies.mass[i] > 0 : world->bodies.group[i] == probe->group;
}

static inline bool probe_in_region(const struct probe *probe, vec3 point) {
    return !probe->in_region || region_depth(&probe->region, point) >= 0;
}

// A wall has no centre that could be in a region.
static inline bool probe_has_body(const struct gabion_world *world, const struct probe *probe,
                                  int32_t i) {
    return probe_in_group(world, probe, i) &&
           (!probe->in_region ||
            (!bodies_is_wall(&world->bodies, i) && probe_in_region(probe, world->bodies.x[i])));
}

// Returns whether a contact carries force, is in the region and, where there is a group, one of its
// bodies belongs to the group.
static inline bool probe_has_contact(const struct gabion_world *world, const struct probe *probe,
                                     size_t k) {
    const struct contact *contact = &world->contacts->list[k];
    return contacts_carries(world->contacts, k) &&
           (probe_in_group(world, probe, contact->c) || probe_in_group(world, probe, contact->a)) &&
           probe_in_region(probe, contacts_position(world, contact));
}

static inline void probe_put(double *values, vec3 a) {
    values[0] = a.x;
    values[1] = a.y;
    values[2] = a.z;
}

#endif
