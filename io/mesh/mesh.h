// Convex pieces from mesh files: Wavefront OBJ (.obj), STL in text or binary (.stl).
//
// OBJ: the reader uses `v` and `f` lines (v, v/vt, v//vn, v/vt/vn, negative indices); `o` and `g`
// start a new object; all other lines are skipped. STL: every `solid` is an object, and equal
// corners of triangles are one point. Each connected part of an object's surface is a piece; bodies
// that only touch remain separate pieces. Coplanar neighbouring faces are merged, so that a cube
// has six.
#ifndef IO_MESH_MESH_H
#define IO_MESH_MESH_H

#include <stddef.h>

#include "geometry/polyhedron.h"

// Reads all pieces, in the order of their first faces, with lengths multiplied by `scale`. The
// caller frees each piece with polyhedron_free and the array with memory_free. Returns NULL on an
// error, which names the file, the piece, and the face, edge or line that is open, not flat or not
// convex.
struct polyhedron **mesh_read(const char *path, double scale, size_t *count,
                              struct gabion_error *error);

// Reads all pieces likewise, and cuts those that are not convex into at most `most` convex parts
// (geometry/decompose.h). piece[k], an array for memory_free, is the number of the piece that part
// k belongs to; parts of one piece are next to each other.
struct polyhedron **mesh_read_parts(const char *path, double scale, int64_t most, size_t *count,
                                    size_t **piece, struct gabion_error *error);

// Reads all faces as triangles, three corners each, in the order of the file. Polygons must be
// convex. The caller frees the array with memory_free. Returns NULL on an error that names file and
// line.
vec3 *mesh_read_triangles(const char *path, size_t *count, struct gabion_error *error);

#endif
