// Convex pieces from mesh files: Wavefront OBJ (.obj), STL in text or binary (.stl).
//
// OBJ: `v` and `f` lines count (v, v/vt, v//vn, v/vt/vn, negative indices), `o` and `g` start a new
// object, everything else is passed over. STL: every `solid` is an object, equal corners of
// triangles are the same point. Each connected part of an object's surface is a piece; bodies that
// only touch are told apart. Flat neighbouring faces are merged, so that a cube has six.
#ifndef IO_MESH_MESH_H
#define IO_MESH_MESH_H

#include <stddef.h>

#include "geometry/polyhedron.h"

// Reads all pieces, lengths multiplied by `scale`, in the order of their first faces. The caller
// frees each with polyhedron_free and the array with memory_free. NULL: the error names the file,
// the piece and its face, edge or line that is open, not flat or not convex.
struct polyhedron **mesh_read(const char *path, double scale, size_t *count,
                              struct gabion_error *error);

#endif
