// How high bodies reach over the columns of a square grid: what a needle would meet that comes down
// along the middle line of each column.
#ifndef ENGINE_PROBE_HEIGHTS_H
#define ENGINE_PROBE_HEIGHTS_H

#include "engine/probe/probe.h"

#define HEIGHTS_COLUMNS_MAX (1 << 22)

struct heights {
    vec3 point, normal; // heights are counted from this plane
    vec3 side[2];       // directions of rows, unit, across the normal
    double width;       // of a column; the middle line of column (0, 0) passes through the point
    int64_t low[2], count[2];
    double *height; // count[0] * count[1] columns, -INFINITY where nothing is
};

// Returns the number of columns that a disc or rectangle holds at most; 0: there is neither.
double heights_within(const struct gabion_section *plane, double width);

// Measures the bodies of a probe. Returns false where the columns would be more than there may be;
// the caller frees the heights with memory_free.
bool heights_measure(const struct gabion_world *world, const struct probe *probe,
                     struct heights *heights);

#endif
