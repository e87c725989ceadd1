// A block of the contact problem: the points of one pair of bodies along one normal, in their local
// frame, with the full 3x3 matrix W of each.
#ifndef ENGINE_PROBLEM_BLOCK_H
#define ENGINE_PROBLEM_BLOCK_H

#include "engine/contact/contacts.h"
#include "engine/problem/problem.h"

// Lever arms of a contact in units of the bodies' spin radius (engine/world/bodies.h).
void block_arms(const struct gabion_world *world, const struct contact *contact, vec3 *arm_c,
                vec3 *arm_a);

// Velocity of c against a at the contact by the bodies' state: before the step until it is
// integrated.
vec3 block_velocity_now(const struct gabion_world *world, const struct contact *contact);

// The frame of a block from the normal of its first contact.
void block_frame(struct block *block, vec3 normal);

// Velocity along axis[i] at point k of a block that a unit impulse along axis[j] at point l causes,
// where the axes are those of the block.
double block_coupling(const struct problem *problem, const struct block *block,
                      const struct block_point *k, int i, const struct block_point *l, int j);

// W and rho of a point whose arms are set.
void block_weigh(const struct problem *problem, const struct block *block,
                 struct block_point *point);

// One point of a block whose bodies and frame are set; b as in engine/assembly.h.
void block_fill(const struct gabion_world *world, const struct contact *contact,
                const struct block *block, double b, struct block_point *point);

#endif
