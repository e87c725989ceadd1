// Exact decomposition of a closed polyhedral surface, convex or not, into convex polyhedra.
//
// The convex hull of the surface is cut along the planes of those faces that lie inside it (a
// binary space partition: Thibault and Naylor, "Set operations on polyhedra using binary space
// partitioning trees", SIGGRAPH 1987) until no face passes through the inside of a cell. Cells in
// the solid are kept, and joined where two of them make a convex one. Cutting along the faces that
// meet at reflex edges is what Chazelle ("Convex partitions of polyhedra", SIAM J. Comput. 13,
// 1984) does; the hull makes every cell convex from the start, so that a cut is that of a convex
// body. The result depends on nothing but the drawing.
#ifndef GEOMETRY_DECOMPOSE_H
#define GEOMETRY_DECOMPOSE_H

#include <stddef.h>

#include "geometry/surface.h"

// Returns the parts, at most `most` of them; the caller frees each with polyhedron_free and the
// array with memory_free. Together they have the volume of the surface, within 1e-9 of it where the
// faces of the drawing are flat to rounding. Returns NULL with an error where the surface is open
// or passes through itself, or where there would be more parts.
struct polyhedron **decompose(const struct drawing *drawing, int64_t most, size_t *count,
                              struct gabion_error *error);

#endif
