// A body as the convex parts that it touches with: those of a compound, or the one of a polyhedron.
//
// Contacts with a compound are found part by part with the functions of polyhedra. What belongs to
// the whole is here: where a part is, how its corners, edges and faces are named, and how the
// contacts of parts that have one flat face together become those of that face.
#ifndef ENGINE_CONTACT_PARTS_H
#define ENGINE_CONTACT_PARTS_H

#include "engine/contact/pair.h"
#include "geometry/manifold.h"

struct parts {
    const struct polyhedron *single; // NULL: a compound
    struct placed_compound whole;    // place of either
    int32_t count;
    bool loose; // as in the pair
};

// Returns body i of a pair, one of the two.
struct parts parts_of(const struct pair *pair, int32_t i);

// Returns part k. It points into `parts`, which must outlive it.
struct placed parts_place(const struct parts *parts, int32_t k);

// Returns the convex hull of the body: where it meets a plane, or the inside of a convex room, it
// touches as its hull does.
struct placed parts_hull(const struct parts *parts);

// Returns whether the sphere around part k comes within reach of a sphere.
bool parts_near(const struct parts *parts, int32_t k, vec3 centre, double radius, double reach);

// Returns half a feature of part k as half a feature of the whole. Faces of compounds are named by
// their part, because a corner in a nook touches faces of two parts.
uint32_t parts_name(const struct parts *parts, int32_t k, uint32_t half);

// Puts the contacts from `begin` on, all of one pair, in order: those of one normal together, and
// of those that lie in one plane the corners of their hull alone, because contacts between them are
// implied. A body that lies across the seam of two parts then touches as if they were one.
void parts_join_contacts(const struct pair *pair, size_t begin, struct contact_list *list);

#endif
