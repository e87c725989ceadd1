// Pairs in which a body touches with balls: the spheres of a clump, a sphere, or the corners of a
// polyhedron in a hollow, which are balls of radius 0 (shape.balls).
//
// Each ball in reach gives a contact with its own normal. Its feature names the ball of the first
// body and the ball or wall of the second.
#ifndef ENGINE_CONTACT_CLUMP_PAIR_H
#define ENGINE_CONTACT_CLUMP_PAIR_H

#include "engine/contact/pair.h"

// Each appends the contacts that are closer than `reach`, between the balls of the first body and
// the balls, the faces, the plane, the inner walls or the triangles of the second.
void clump_find_balls(const struct pair *pair, double reach, struct contact_list *out);
void clump_find_faces(const struct pair *pair, double reach, struct contact_list *out);
void clump_find_plane(const struct pair *pair, double reach, struct contact_list *out);
void clump_find_hollow(const struct pair *pair, double reach, struct contact_list *out);
void clump_find_surface(const struct pair *pair, double reach, struct contact_list *out);

// Appends a contact for each ball and each face of a surface within reach of it.
void clump_nearest_surface(const struct pair *pair, double reach, struct contact_list *out);

// Each returns the gap of such a contact where the pair has its bodies.
double clump_gap_balls(const struct pair *pair, const struct contact *contact);
double clump_gap_plane(const struct pair *pair, const struct contact *contact);
double clump_gap_hollow(const struct pair *pair, const struct contact *contact);
double clump_gap_surface(const struct pair *pair, const struct contact *contact);

#endif
