// The mason: what the masonry generators share. Lays blocks one after the other, numbers them, puts
// the marked ones into their groups and makes each shape once.
#ifndef CASES_MASON_H
#define CASES_MASON_H

#include "cases/generators.h"

struct mason_box {
    vec3 size;
    int polyhedron;
};

struct mason {
    struct gabion_world *world;
    struct gabion_body template;
    struct block_mark *mark; // in the order of the blocks
    size_t marks, next_mark;
    int64_t laid;
    struct mason_box *box; // shapes so far
    size_t boxes, box_capacity;
};

// marks NULL: none.
struct mason mason_start(struct gabion_world *world, const struct gabion_body *template,
                         const struct block_marks *marks);

// Lays the next block, its drawing frame at `position` and turned by `orientation`.
bool mason_lay(struct mason *mason, int polyhedron, vec3 position, quat orientation,
               struct gabion_error *error);
bool mason_lay_box(struct mason *mason, vec3 centre, vec3 size, struct gabion_error *error);

// A fixed block of a group of its own that has no number.
bool mason_support(struct mason *mason, int polyhedron, vec3 position, quat orientation, int group,
                   struct gabion_error *error);
bool mason_support_box(struct mason *mason, vec3 centre, vec3 size, quat orientation, int group,
                       struct gabion_error *error);

// Ends the work: `good` tells whether it went well. False when it did not, or when a mark names a
// block that does not exist; the error then names the generator, `what`.
bool mason_finish(struct mason *mason, bool good, const char *what, struct gabion_error *error);

// Lengths that a block can have, and a radius and thickness that an arch or a dome can have.
bool mason_check_block(vec3 block, vec3 origin, struct gabion_error *error);
bool mason_check_ring(double radius, double thickness, vec3 origin, struct gabion_error *error);

#endif
