// A tree of boxes that do not move, for searching the few that a body may touch among many.
#ifndef GEOMETRY_BOX_TREE_H
#define GEOMETRY_BOX_TREE_H

#include <stdint.h>

#include "geometry/vec.h"

struct tree_box {
    vec3 low, high;
};

struct box_tree;

// Builds the tree of `count` boxes, at least one. The same boxes give the same tree.
struct box_tree *box_tree_create(const struct tree_box *box, int32_t count);
void box_tree_free(struct box_tree *tree);

// Calls visit(context, index) for every box that meets `query`, always in the same order.
void box_tree_visit(const struct box_tree *tree, const struct tree_box *query,
                    void (*visit)(void *context, int32_t index), void *context);

#endif
