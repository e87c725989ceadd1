// How much of a straight line lies in a region.
#ifndef GEOMETRY_REGION_LINE_H
#define GEOMETRY_REGION_LINE_H

#include "geometry/region.h"

// Returns the share of the straight line between two points that is inside, in [0, 1]. Where the
// points coincide it is 1 or 0.
double region_share(const struct region *region, vec3 from, vec3 to);

#endif
