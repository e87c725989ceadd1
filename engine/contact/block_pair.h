// Pairs of a block, which is a polyhedron or a compound of polyhedra, and a sphere, a half-space or
// another block. The points where two convex parts touch share one normal, and each is named by the
// corners, edges or faces that meet there.
#ifndef ENGINE_CONTACT_BLOCK_PAIR_H
#define ENGINE_CONTACT_BLOCK_PAIR_H

#include "engine/contact/pair.h"

// Each appends the contacts that are closer than `reach`. The first body is the block.
void block_find_sphere(const struct pair *pair, double reach, struct contact_list *out);
void block_find_half_space(const struct pair *pair, double reach, struct contact_list *out);
void block_find_block(const struct pair *pair, double reach, struct contact_list *out);

// Appends one contact for each two convex parts of the bodies, along the axis on which they are
// furthest apart, unless they are further apart than `reach`.
void block_nearest_block(const struct pair *pair, double reach, struct contact_list *out);

// Returns whether the boxes around the two bodies come within reach: the grid knows bodies as
// spheres, which says little of a slab.
bool block_boxes_meet(const struct pair *pair, double reach);

#endif
