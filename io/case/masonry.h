// The shapes of blocks and the masonry generators of a case file.
#ifndef IO_CASE_MASONRY_H
#define IO_CASE_MASONRY_H

#include "cases/generators.h"
#include "io/case/fields.h"

// Adds the body, or the bodies of a mesh, of an entry under `bodies` that gives the shape of a
// block; `body` holds the rest of it.
bool case_add_block(struct fields entry, struct gabion_body *body, struct gabion_world *world,
                    struct gabion_error *error);

// Each adds what an entry under `generators` says; `template` gives everything but shape and place.
bool case_add_wall(struct fields entry, const struct gabion_body *template,
                   struct gabion_world *world, struct gabion_error *error);
bool case_add_slabs(struct fields entry, const struct gabion_body *template,
                    struct gabion_world *world, struct gabion_error *error);
bool case_add_arch(struct fields entry, const struct gabion_body *template,
                   struct gabion_world *world, struct gabion_error *error);
bool case_add_dome(struct fields entry, const struct gabion_body *template,
                   struct gabion_world *world, struct gabion_error *error);
bool case_add_tower(struct fields entry, const struct gabion_body *template,
                    struct gabion_world *world, struct gabion_error *error);
bool case_add_stack(struct fields entry, const struct gabion_body *template,
                    struct gabion_world *world, struct gabion_error *error);

// Angles are degrees in a case file and radians below.
static inline double fields_angle(struct fields fields, const char *key) {
    return fields_number(fields, key) * (3.14159265358979323846 / 180.0);
}

#endif
