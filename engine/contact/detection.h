// Detection: which bodies may touch in this step, where, and with what gap.
#ifndef ENGINE_CONTACT_DETECTION_H
#define ENGINE_CONTACT_DETECTION_H

#include "engine/world/world.h"

struct detection *detection_create(void);
void detection_free(struct detection *detection);

// Pairs within the alert distance at q_m, in canonical order.
void detection_broad(struct gabion_world *world);

// Gaps and normals of those pairs: fills world->contacts, without impulses.
void detection_narrow(struct gabion_world *world);

// The largest overlap of the bodies as they stand, before the first step: metres, share of the
// smaller radius, and the two ids. False when nothing overlaps.
bool world_initial_overlap(struct gabion_world *world, double *overlap, double *relative,
                           int32_t *id_a, int32_t *id_b);

#endif
