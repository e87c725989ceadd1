// The contacts and joints of bodies that a position pass has moved: what its sweeps look at. A
// sweep that looked at all of them took the time of the whole scene, and a body between two walls
// that leave it no room takes many sweeps.
#ifndef ENGINE_STEP_FRONTIER_H
#define ENGINE_STEP_FRONTIER_H

#include <stddef.h>
#include <stdint.h>

#include "engine/problem/rows.h"

// Places are those of the contacts, then those of the blocks of points of joints.
struct frontier {
    size_t contacts, places;
    size_t *begin, *place; // of each moving body: its places
    uint64_t *marks;       // a bit for each place
    size_t points;         // contacts, and points of joints, that are marked
    const struct contact_views *views;
};

struct frontier frontier_open(const struct contact_views *views, int32_t moving);
void frontier_close(struct frontier *frontier);

// Marks all places of a moving body.
void frontier_mark(struct frontier *frontier, int32_t body);

// Returns the first marked place in [begin, end), `end` where there is none.
size_t frontier_first(const struct frontier *frontier, size_t begin, size_t end);
// Returns the last marked place below `end`, SIZE_MAX where there is none.
size_t frontier_last(const struct frontier *frontier, size_t end);

#endif
