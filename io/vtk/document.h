// The text and the arrays of one VTK file: compressed and written as they come, or recorded, so
// that another thread writes them later. The bytes of the file are the same.
//
// Arrays are base64 of zlib blocks. Where they are written as they come, values are computed block
// by block, and no array exists as a whole in memory; a record holds all of them, uncompressed. The
// bytes do not depend on the number of threads.
#ifndef IO_VTK_DOCUMENT_H
#define IO_VTK_DOCUMENT_H

#include <stddef.h>
#include <stdint.h>

#include "parallel/team.h"

enum vtk_type { VTK_FLOAT32, VTK_INT32, VTK_UINT16, VTK_UINT8 };

// Sets the components of value k. Called by several threads at once.
typedef void (*vtk_value)(const void *context, size_t k, double *components);

struct vtk_array {
    const char *name;
    enum vtk_type type;
    const char *components; // one letter for each, at most VTK_COMPONENTS_MAX; "": a single number
    vtk_value value;
};
#define VTK_COMPONENTS_MAX 9

const char *vtk_type_name(enum vtk_type type);
int vtk_array_components(const struct vtk_array *array);

struct document;

// Begins a file under a temporary name. Returns NULL with an error where it cannot be created.
struct document *document_open(const char *path, struct team *team, struct gabion_error *error);
// Begins a record of the file `path`.
struct document *document_record(const char *path, struct team *team, struct gabion_error *error);

// Adds text. These two return false with the document's error where the file cannot be written.
__attribute__((format(printf, 2, 3))) bool document_print(struct document *document,
                                                          const char *format, ...);
// Adds the values of an array. Where they are `shared` between cells or corners they repeat.
bool document_add(struct document *document, const struct vtk_array *array, const void *context,
                  size_t count, bool shared);

// Ends a document that is written, and renames its file where all of it was `written`.
bool document_close(struct document *document, bool written);

// Writes a record under its name. It can be freed then.
bool document_write(const struct document *record, struct gabion_error *error);
void document_free(struct document *record);

#endif
