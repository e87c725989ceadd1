// Temporary data for building a sweep plan (engine/solvers/sweep/plan.h): the nodes of its graph,
// their colours and the batches that they go to.
#ifndef ENGINE_SOLVERS_SWEEP_LAYOUT_H
#define ENGINE_SOLVERS_SWEEP_LAYOUT_H

#include "engine/solvers/sweep/plan.h"

#define CHUNK 4096 // contacts

// Blocks go to lane blocks by their number of points, so that few points are empty. The last class
// is that of so many points or more.
#define LANE_CLASSES 8

// All arrays but the histogram are lent while the plan is built.
struct layout {
    size_t histogram_capacity;
    void *nodes_lent, *indices_lent;
    size_t joints;           // the first node that is a joint; all later ones are joints too
    uint32_t *contact;       // index of the first contact of each node, or of the joint's block
    uint32_t *points;        // active contacts of each node
    int32_t *first, *second; // its solver bodies
    uint32_t *number;        // among the nodes of its pair; NULL: no other rank asks for it
    uint8_t *turn;           // in the colouring
    uint8_t *colour;
    uint32_t *order;     // by turn
    uint64_t *mask;      // by solver body
    int32_t *owner;      // likewise
    uint32_t *histogram; // [thread][bin]
    double *mu;          // distinct friction coefficients
    uint16_t *mu_of_law;
    int mu_count;
    int threads;
};

// Return the number of bins (one for each colour, kind, class of lane blocks and friction
// coefficient), the bin of a node and the kind of a bin.
size_t layout_bins(const struct sweep_plan *plan);
uint32_t layout_bin(const struct sweep_plan *plan, size_t node);
enum batch_kind layout_kind(const struct sweep_plan *plan, uint32_t bin);

// Returns whether two contacts belong to the same node. In the canonical order the contacts of a
// pair follow each other, and among them those that share a normal.
static inline bool layout_same_node(const struct contact *x, const struct contact *y) {
    return x->c == y->c && x->a == y->a && x->normal.x == y->normal.x &&
           x->normal.y == y->normal.y && x->normal.z == y->normal.z;
}

#endif
