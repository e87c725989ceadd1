// Pairs of a polyhedron and a sphere, a half-space, another polyhedron or a surface of triangles.
// The points where they touch are named by the parts of both shapes that meet there. They share one
// normal, but for surfaces, which have one for each part that the polyhedron touches.
#ifndef ENGINE_CONTACT_BLOCK_PAIR_H
#define ENGINE_CONTACT_BLOCK_PAIR_H

#include "engine/contact/pair.h"

// Each appends the contacts that are closer than `reach`. The first body is the polyhedron.
void block_find_sphere(const struct pair *pair, double reach, struct contact_list *out);
void block_find_half_space(const struct pair *pair, double reach, struct contact_list *out);
void block_find_block(const struct pair *pair, double reach, struct contact_list *out);
void block_find_surface(const struct pair *pair, double reach, struct contact_list *out);

// Appends one contact along the axis on which the two polyhedra are furthest apart, unless they are
// further apart than `reach`.
void block_nearest_block(const struct pair *pair, double reach, struct contact_list *out);

// Appends such a contact for each face of the surface.
void block_nearest_surface(const struct pair *pair, double reach, struct contact_list *out);

// Returns whether the boxes around the two bodies come within reach: the grid knows bodies as
// spheres, which says little of a slab.
bool block_boxes_meet(const struct pair *pair, double reach);

#endif
