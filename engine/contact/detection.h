// Detection: which bodies may touch in this step, where, and with what gap.
#ifndef ENGINE_CONTACT_DETECTION_H
#define ENGINE_CONTACT_DETECTION_H

#include "engine/motion/motion.h"
#include "engine/world/world.h"
#include "geometry/grid.h"

struct detection *detection_create(void);
void detection_free(struct detection *detection);

// Finds the pairs within the alert distance at q_m, in canonical order.
void detection_broad(struct gabion_world *world);

// Computes gaps and normals of those pairs and fills world->contacts, with impulses of zero.
void detection_narrow(struct gabion_world *world);

// Returns how fast any part of a body moves before contacts act: the spin of a sphere brings
// nothing nearer.
double detection_speed(const struct gabion_world *world, int32_t i);

// Returns whether a body with the velocity that the solve found travels further than the search
// knew.
bool detection_outrun(const struct gabion_world *world, velocity_function velocity,
                      const void *context);

// Finds how far the bodies reach that this rank did not follow, and follows now.
void detection_reach_all(struct gabion_world *world);

// Finds the pairs anew where a body with the velocity that the solve found travels further than the
// search knew. Returns whether that has happened in this step.
bool detection_renew(struct gabion_world *world, velocity_function velocity, const void *context);
bool detection_renewed(const struct gabion_world *world);

// Returns the number of bodies that are not walls. Walls come last.
int32_t detection_finite(const struct bodies *bodies);

// Returns the first wall that a body is tested against: one past the last where another rank does.
int32_t detection_first_wall(const struct gabion_world *world, int32_t c);

// The pairs of finite bodies that the last broad phase found, and the grid that it used.
const struct pair_list *detection_pairs(const struct gabion_world *world);
struct grid *detection_grid(const struct gabion_world *world);

// Gives every rank all contacts and pairs of the step, where they were shared.
void detection_complete(struct gabion_world *world);

// Finds the pairs of the bodies [0, finite) at x that are within reach of each other: all of them,
// or, where ranks share the contacts, those of this rank's bodies.
void detection_pairs_of(const struct gabion_world *world, const vec3 *x, const double *reach,
                        int32_t finite, struct pair_list *pairs);

// Returns how far beyond its surface a body looked for others in the last narrow phase; for a wall,
// how far it comes in the step, turning apart.
double detection_alert(const struct gabion_world *world, int32_t i);

#endif
