// Contacts that a run takes over from another one, as a warm start of its first step.
#ifndef ENGINE_CONTACT_ADOPT_H
#define ENGINE_CONTACT_ADOPT_H

#include <stddef.h>
#include <stdint.h>

#include "geometry/vec.h"

struct gabion_world;

// A contact that carried an impulse, by the ids of its bodies in the run that takes it over.
struct kept_contact {
    int32_t first, second;
    uint32_t feature;               // as in struct contact
    vec3 point, impulse, collision; // the last two on `first`, and of it relative to `second`
};

struct kept_contacts {
    struct kept_contact *list;
    size_t count, capacity;
};

void kept_contacts_add(struct kept_contacts *kept, struct kept_contact contact);
void kept_contacts_free(struct kept_contacts *kept);

// Gives a world that has made no step yet these contacts as those of its last step, and sorts its
// bodies, because contacts are kept by index. Contacts between bodies that are not in the run, or
// none of which moves, are left out. Returns how many were taken.
size_t contacts_adopt(struct gabion_world *world, const struct kept_contacts *kept);

#endif
