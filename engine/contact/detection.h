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

// Finds the pairs anew where a body with the velocity that the solve found travels further than the
// search knew. Returns whether that has happened in this step.
bool detection_renew(struct gabion_world *world, velocity_function velocity, const void *context);

// Return the pairs of finite bodies, and how many bodies are finite: walls come after them.
const struct pair_list *detection_pairs(const struct gabion_world *world);
int32_t detection_finite(const struct gabion_world *world);

// Finds the largest overlap before the first step: in metres, as a share of the smaller body's
// size, and the ids of the two bodies. Returns false when nothing overlaps.
bool world_initial_overlap(struct gabion_world *world, double *overlap, double *relative,
                           int32_t *id_a, int32_t *id_b);

#endif
