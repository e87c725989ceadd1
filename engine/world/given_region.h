// Regions as programs give them (engine/gabion.h) and as the engine keeps them (geometry/region.h).
// Their kinds are in the same order.
#ifndef ENGINE_WORLD_GIVEN_REGION_H
#define ENGINE_WORLD_GIVEN_REGION_H

#include <stddef.h>

#include "engine/gabion.h"
#include "geometry/region.h"

_Static_assert((int)GABION_REGION_MESH == (int)REGION_MESH, "the same kinds, in order");

// The triangles remain those of the program: region_copy takes them over.
static inline struct region region_take(const struct gabion_region *given) {
    bool mesh = given->kind == GABION_REGION_MESH;
    return (struct region){
        .kind = (enum region_kind)given->kind,
        .outside = given->outside,
        .low = given->low,
        .high = given->high,
        .position = given->position,
        .axis = given->axis,
        .radius = given->radius,
        .inner = given->inner,
        .end_radius = given->end_radius,
        .length = given->length,
        .corner = mesh ? (vec3 *)given->corner : NULL,
        .triangles = mesh ? given->triangles : 0,
    };
}

static inline struct gabion_region region_give(const struct region *region) {
    return (struct gabion_region){
        .kind = (enum gabion_region_kind)region->kind,
        .outside = region->outside,
        .low = region->low,
        .high = region->high,
        .position = region->position,
        .axis = region->axis,
        .radius = region->radius,
        .inner = region->inner,
        .end_radius = region->end_radius,
        .length = region->length,
        .corner = region->corner,
        .triangles = region->triangles,
    };
}

#endif
