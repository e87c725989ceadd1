// Interfaces: what masons call joints, the faces on which two blocks lie against each other.
//
// Those that exist when the run begins are remembered with the corners of the patch they share, in
// the axes of both bodies. From these alone follow, at any later time, how far an interface has
// opened and slid. They are part of the state. Forces come from the contacts of the last step.
#ifndef ENGINE_CONTACT_INTERFACES_H
#define ENGINE_CONTACT_INTERFACES_H

#include <stddef.h>
#include <stdint.h>

#include "engine/gabion.h"
#include "geometry/vec.h"

// A corner of the initial patch, in the own axes of body a and of body b.
struct interface_corner {
    vec3 in_a, in_b;
};

struct interface {
    int32_t a, b;   // ids, a < b; one of them may be a wall
    uint32_t begin; // its corners
    uint32_t corners;
    vec3 normal; // from b to a, in the own axes of b
};

struct interfaces {
    struct interface *list; // in order of (a, b)
    size_t count, capacity;
    struct interface_corner *corner;
    size_t corner_count, corner_capacity;
    // As a frame has them, instead of the patches above; NULL: they are measured.
    struct gabion_interface *measured;
    size_t measured_count;
};

void interfaces_free(struct interfaces *interfaces);

// Finds the interfaces of the world as it stands: at the first step, or before it for a picture of
// the start. The order of the bodies does not matter.
void interfaces_find(struct gabion_world *world);

// The state of all interfaces after the last step; free with memory_free. Needs the list of
// contacts, which a resumed run has only after its first step: forces are zero until then.
struct gabion_interface *interfaces_measure(const struct gabion_world *world, size_t *count);

#endif
