// One VTK XML file: cells with values on cells and points, as PolyData (.vtp) or, for solid cells,
// as an UnstructuredGrid (.vtu).
//
// Arrays are written inline, as base64 of zlib blocks, because ParaView 5.11 with a current expat
// rejects appended data.
#ifndef IO_VTK_XML_H
#define IO_VTK_XML_H

#include "io/vtk/document.h"

// Polygons or polyhedra of different sizes whose corners are shared points.
struct vtk_topology {
    size_t points, corners;
    const int32_t *corner; // point of each corner of each cell
    const int32_t *end;    // by cell: corners up to and with it
    // Polyhedra only (VTK's cell type 42): by cell the number of faces and, for each of them, its
    // number of corners and their points.
    bool solid;
    size_t face_words;
    const int32_t *face_word, *face_end;
};

// Names that integers of an array stand for, stored in the file's field data: name k is what k
// means.
struct vtk_names {
    const char *name;
    int count;
    const char *(*text)(const void *context, int k);
};

#define VTK_PIECE_NAME 256

struct vtk_mesh {
    size_t cells;
    int corners; // of every cell: 1 vertices, 2 lines, 4 quads; cell k has the k-th `corners`
                 // points
    const struct vtk_topology *topology; // instead of `corners`; NULL: none
    vtk_value position;                  // of each point
    const struct vtk_array *point_arrays, *cell_arrays;
    int point_array_count, cell_array_count;
    const struct vtk_names *names;
    int name_lists;
    int pieces; // not 0: the file is an index of so many files beside it
    const char *(*piece)(const void *context, int k, char *name); // their names, at most
                                                                  // VTK_PIECE_NAME letters
    const void *context; // for every vtk_value and every text of the names
    double time;
    int64_t step;
};

// Writes the file under a temporary name and renames it: a file with this path is complete.
bool vtk_xml_write(const char *path, const struct vtk_mesh *mesh, struct team *team,
                   struct gabion_error *error);

// Records what the file would hold. Nothing of the mesh is needed any more when document_write
// writes it. Returns NULL with an error.
struct document *vtk_xml_record(const char *path, const struct vtk_mesh *mesh, struct team *team,
                                struct gabion_error *error);

#endif
