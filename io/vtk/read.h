// Reads the VTK XML files that io/vtk/xml.h writes: inline base64 of zlib blocks, in the byte order
// of this machine. A file is input that is not trusted: every size and index is checked before it
// is used, and what is read may be used without further checks.
#ifndef IO_VTK_READ_H
#define IO_VTK_READ_H

#include <stddef.h>
#include <stdint.h>

#include "io/vtk/xml.h"

enum vtk_section {
    VTK_FIELD_DATA,
    VTK_POINT_DATA,
    VTK_CELL_DATA,
    VTK_POINTS,
    VTK_TOPOLOGY, // connectivity, offsets, and for solid cells faces and faceoffsets
    VTK_SECTION_COUNT
};

#define VTK_NAME_MAX 64
struct vtk_column {
    char name[VTK_NAME_MAX];
    enum vtk_section section;
    enum vtk_type type;
    int components;
    size_t count; // values, each of `components` numbers; letters of a list of names
    void *value;
};

struct vtk_content {
    double time;
    int64_t step;
    bool solid; // polyhedral cells
    size_t points, cells;
    struct vtk_column *column;
    size_t columns, capacity;
};

// Reads a file; a .pvtp with all its pieces. On failure nothing is left to free; the error names
// the file and what is wrong.
bool vtk_read(const char *path, struct vtk_content *content, struct gabion_error *error);
// Reads the text of a file, which it changes; `path` is for messages.
bool vtk_parse(char *text, size_t size, const char *path, struct vtk_content *content,
               struct gabion_error *error);
// Reads the pieces that the index `path` names (io/vtk/read_pieces.c), as one content.
bool vtk_read_pieces(const char *path, struct vtk_content *content, struct gabion_error *error);
void vtk_content_free(struct vtk_content *content);

// Returns the column, or NULL where there is none of this name in this section.
const struct vtk_column *vtk_find(const struct vtk_content *content, enum vtk_section section,
                                  const char *name);
// Returns one number of a column.
double vtk_number(const struct vtk_column *column, size_t value, int component);
// Returns name number k of a list of names, "" where there are fewer.
const char *vtk_name(const struct vtk_column *column, size_t k);

#endif
