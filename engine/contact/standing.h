// The bodies as they stand, between steps or at the end of one: which of them overlap or are near
// each other. The functions of the pairs of shapes are those of a step's detection
// (engine/contact/detection.h); only the positions differ.
#ifndef ENGINE_CONTACT_STANDING_H
#define ENGINE_CONTACT_STANDING_H

#include "engine/contact/contacts.h"
#include "engine/contact/pair.h"
#include "engine/motion/midpoint.h"
#include "engine/world/world.h"
#include "geometry/grid.h"

// The deepest overlaps of any two bodies.
struct overlap {
    double depth;          // m, the largest
    double relative;       // the largest share of the smaller body's size
    int32_t first, second; // ids of the bodies that overlap by this share; -1: nothing overlaps
};

struct standing {
    struct gabion_world view; // the world with `place` for a midpoint
    struct midpoint place;    // the present positions and axes
    struct contacts contacts; // of the view, where it is not that of the world
    mat3 *axes;
    int32_t finite;         // bodies [0, finite) are no walls
    struct pair_list pairs; // of finite bodies that were within reach
};

// Finds where the bodies are and which of them are near each other, on every rank for all of them:
// their state must be known (piece_gather). Moving bodies reach `share` of their size beyond their
// surface.
void standing_open(struct standing *standing, struct gabion_world *world, double share);
void standing_close(struct standing *standing);

// Follows bodies that moved since. The pairs remain those of standing_open.
void standing_follow(struct standing *standing);

// Appends the contacts of those pairs, in canonical order, as far as moving bodies reach with
// another `share` of their size.
void standing_find(const struct standing *standing, double share, struct contact_list *out);

// Measures the deepest overlaps after a step, by fresh detection of all pairs. It uses the pairs of
// the step's broad phase where they are complete, and the step's gaps of pairs that it found apart
// or just touching and that have moved by less than a millionth of the smaller body's size since.
// `depth` is how deep each contact of the list is now, 0 where its bodies are apart: where all
// pairs in reach are contacts of the list, nothing else needs to be detected.
struct overlap standing_overlap(struct gabion_world *world, const double *depth);

// Measures the deepest overlaps before the first step. Sorts the bodies.
struct overlap standing_initial_overlap(struct gabion_world *world);

#endif
