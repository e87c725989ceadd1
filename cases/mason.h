// The mason: what the masonry generators share. It lays blocks one after the other, numbers them,
// puts marked ones into their groups and creates each shape only once.
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
    struct block_mark *mark; // sorted by block
    size_t marks, next_mark;
    int64_t laid;          // number of blocks so far
    struct mason_box *box; // shapes of boxes so far
    size_t boxes, box_capacity;
};

// Starts the work. `marks` may be NULL. mason_finish releases what it holds.
struct mason mason_start(struct gabion_world *world, const struct gabion_body *template,
                         const struct block_marks *marks);

// Lays the next block, with its drawing frame at `position` and turned by `orientation`.
bool mason_lay(struct mason *mason, int polyhedron, vec3 position, quat orientation,
               struct gabion_error *error);
bool mason_lay_box(struct mason *mason, vec3 centre, vec3 size, struct gabion_error *error);

// Adds a support: a fixed block in the given group, without a number.
bool mason_support(struct mason *mason, int polyhedron, vec3 position, quat orientation, int group,
                   struct gabion_error *error);
bool mason_support_box(struct mason *mason, vec3 centre, vec3 size, quat orientation, int group,
                       struct gabion_error *error);

// Ends the work. `good` says whether all blocks were laid. Returns false when it is false, or with
// an error when a mark names a block that does not exist. Errors begin with the name of the
// generator, `what`.
bool mason_finish(struct mason *mason, bool good, const char *what, struct gabion_error *error);

// Rejects more blocks than there is memory for, before the first is laid.
bool mason_check_count(const struct mason *mason, double blocks, struct gabion_error *error);

// Check the lengths of a block, and the radius and thickness of an arch or a dome.
bool mason_check_block(vec3 block, vec3 origin, struct gabion_error *error);
bool mason_check_ring(double radius, double thickness, vec3 origin, struct gabion_error *error);

#endif
