// A crowd: the bodies that a fill keeps clear of, found by their place.
//
// Sizes may differ by a factor of 100, so there is one grid of cells per size level (a factor of
// two). A body looks at no more than 27 cells of each level with smaller ones, whatever the sizes.
#ifndef CASES_CROWD_H
#define CASES_CROWD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "geometry/vec.h"

#define CROWD_LEVELS 64

struct crowd_member {
    vec3 x;
    double radius; // of the sphere that holds it
    int32_t body;  // as the caller numbers them; -1: a ball, of which this is all
    int32_t group; // likewise
    int64_t next;  // member in the same cell; -1: last
};

struct crowd_level {
    double edge;   // of a cell
    double radius; // no member is larger
    int64_t cells[3];
    int64_t *first; // first member of each cell; -1: none. NULL: the level is empty
};

struct crowd {
    vec3 low; // corner of the cells
    struct crowd_member *member;
    size_t count, capacity;
    struct crowd_level level[CROWD_LEVELS];
};

// Makes the cells of a box for members with these radii. Members outside of the box are found as
// well.
void crowd_open(struct crowd *crowd, vec3 low, vec3 high, const double *radius, size_t count);
void crowd_close(struct crowd *crowd);

void crowd_add(struct crowd *crowd, vec3 x, double radius, int32_t body, int32_t group);

// Returns the first member whose sphere overlaps a sphere and for which `meets` returns true; NULL:
// there is none.
const struct crowd_member *crowd_find(const struct crowd *crowd, vec3 x, double radius,
                                      bool (*meets)(void *context, const struct crowd_member *),
                                      void *context);

#endif
