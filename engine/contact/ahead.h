// Contacts that bodies meet on their way: a second look at the step, after its solve.
//
// Contacts are found at the midpoint q_m, from the features that are closest there, and the law
// keeps their gaps open to first order. Three things escape that: corners and edges that swing in,
// the curvature of paths and of hollow walls, and bodies that another one pushes further than the
// search looked. With the solved velocities v+ the way of every body is known, from q_m to
// q_m' = q_m + h v+, the next midpoint. Where a pair gets more than a tolerance inside on that way,
// its contacts at that moment tau, normal and lever arms included, join the list, with the law
//
//   g(tau) + h (u_n - tau u_n(v+)) >= 0,
//
// the gap at the end of the way, linearised about the moment of the meeting; the step is solved
// again. This is a sequence of linear programs in the sense of M. Anitescu and G. Hart, "A
// constraint-stabilized time-stepping approach for rigid multibody dynamics with joints, contact
// and friction" (2004), with cuts that are kept within the step. The moment itself is found by
// conservative advancement (B. Mirtich, "Impulse-based dynamic simulation", 1996): along the axis n
// between two bodies nothing comes nearer than n.(v_a - v_c) + |w_c x n| R_c + |w_a x n| R_a lets
// it.
#ifndef ENGINE_CONTACT_AHEAD_H
#define ENGINE_CONTACT_AHEAD_H

#include "engine/motion/motion.h"
#include "engine/world/world.h"

// Looks along the ways of the bodies with the velocities that the solve found, and adds the
// contacts that they meet. Returns the number of contacts added; 0: the solution stands. `round`
// counts the looks of a step from 0.
size_t ahead_look(struct gabion_world *world, velocity_function velocity, const void *context,
                  int round);

#endif
