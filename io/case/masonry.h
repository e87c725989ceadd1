// Reads the shapes of blocks and the masonry generators of a case.
#ifndef IO_CASE_MASONRY_H
#define IO_CASE_MASONRY_H

#include "cases/generators.h"
#include "io/case/fields.h"
#include "io/text/remarks.h"

// Adds the block of an entry under `bodies`, or the pieces of its mesh. `body` holds everything but
// the shape.
bool case_add_block(struct fields entry, struct gabion_body *body, struct gabion_world *world,
                    struct remarks *remarks, struct gabion_error *error);

// Adds the polyhedron or compound of one of the keys box, prism, wedge, hull, mesh and compound to
// the world and makes it the shape of the body. A mesh must have one piece, or be glued.
bool case_read_shape(struct fields entry, struct gabion_body *body, struct gabion_world *world,
                     struct gabion_error *error);

// Add the blocks of an entry under `generators`. `template` holds everything but shape and place.
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
bool case_add_cards(struct fields entry, const struct gabion_body *template,
                    struct gabion_world *world, struct gabion_error *error);
bool case_add_drums(struct fields entry, const struct gabion_body *template,
                    struct gabion_world *world, struct gabion_error *error);
bool case_add_vault(struct fields entry, const struct gabion_body *template,
                    struct gabion_world *world, struct gabion_error *error);
bool case_add_stairs(struct fields entry, const struct gabion_body *template,
                     struct gabion_world *world, struct gabion_error *error);
bool case_add_stack(struct fields entry, const struct gabion_body *template,
                    struct gabion_world *world, struct gabion_error *error);

// Returns an angle in radians. Case files give degrees.
static inline double fields_angle(struct fields fields, const char *key) {
    return fields_number(fields, key) * (3.14159265358979323846 / 180.0);
}

#endif
