// Reads and writes HDF5 files: the functions that checkpoints, frames and FCLIB files share. HDF5's
// own error output is switched off; its error stack becomes an error text with file, dataset and
// cause.
#ifndef IO_FILE_H5_H
#define IO_FILE_H5_H

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

#include "io/file/h5_driver.h"
#include "parallel/error.h"

struct h5_file {
    hid_t id;
    bool writing;
    // Of a file that ranks write together (io/file/h5_shared.h): whether another rank has it open,
    // so that the functions below leave all writing to that, where this rank writes its rows, and
    // whether some rank has failed.
    bool guest;
    int descriptor;
    bool given_up;
    struct h5_driver driver;
    uint64_t size; // of an existing file, bytes: bounds what a dataset can claim to hold
    char path[4096];
};

// Files are little-endian whatever the machine.
enum h5_type {
    H5_TYPE_UINT8,
    H5_TYPE_UINT16,
    H5_TYPE_INT32,
    H5_TYPE_UINT32,
    H5_TYPE_INT64,
    H5_TYPE_FLOAT64,
};

// Make the calling thread the only one that uses HDF5, which may be a build that only one thread
// can use at a time. Library functions whose callers may be several threads take turns with these.
void h5_take(void);
void h5_leave(void);

size_t h5_type_size(enum h5_type type);

// Rows of numbers in memory, `stride` bytes apart, and the dataset that holds them.
struct h5_rows {
    const char *name, *unit; // unit NULL: none is stored
    enum h5_type type;
    int columns; // 1: a dataset of rank 1; more: [count, columns]
    bool plain;  // written in one piece, for readers that support neither chunks nor filters
    size_t count;
    char *base;
    size_t stride;
    // When given, produces rows [begin, begin + count) instead of base and stride.
    void (*gather)(const void *context, size_t begin, size_t count, void *rows);
    const void *context;
};

// Numbers go to and from disk in blocks of this many rows, which are also the chunks.
#define H5_BLOCK_ROWS 65536

// Creates or replaces a file whose first `user_block` bytes HDF5 leaves alone.
bool h5_create(struct h5_file *file, const char *path, size_t user_block,
               struct gabion_error *error);
bool h5_open(struct h5_file *file, const char *path, struct gabion_error *error);
bool h5_edit(struct h5_file *file, const char *path,
             struct gabion_error *error); // opens it for reading and writing
bool h5_close(struct h5_file *file,
              struct gabion_error *error); // flushes: the last write that can fail
void h5_abandon(struct h5_file *file);     // closes it and ignores errors

bool h5_recognise(const char *path); // whether it is an HDF5 file at all

uint64_t h5_user_block(const struct h5_file *file);           // bytes before HDF5's own
bool h5_exists(const struct h5_file *file, const char *name); // "/group/dataset"
bool h5_remove(const struct h5_file *file, const char *name, struct gabion_error *error);

// Objects are named from the root; attributes by object ("/" is the root) and name.
bool h5_write_group(const struct h5_file *file, const char *name, struct gabion_error *error);
bool h5_write_rows(const struct h5_file *file, const struct h5_rows *rows,
                   struct gabion_error *error);
// Numbers in one piece, not packed: what FCLIB reads.
bool h5_write_vector(const struct h5_file *file, const char *name, enum h5_type type,
                     const void *numbers, size_t count, struct gabion_error *error);
bool h5_write_strings(const struct h5_file *file, const char *name, char *const *strings,
                      size_t count, struct gabion_error *error);
bool h5_write_document(const struct h5_file *file, const char *name, const char *text,
                       struct gabion_error *error);
bool h5_write_number(const struct h5_file *file, const char *object, const char *name,
                     enum h5_type type, const void *value, struct gabion_error *error);
bool h5_write_text(const struct h5_file *file, const char *object, const char *name,
                   const char *text, struct gabion_error *error);

// Rejects a name that leads to its object, if there is one, by a link other than a hard one.
bool h5_check_links(const struct h5_file *file, const char *name, struct gabion_error *error);

// Opens a dataset of a file that is not trusted (io/file/h5_trust.h); negative with an error where
// it is rejected.
hid_t h5_open_dataset(const struct h5_file *file, const char *name, struct gabion_error *error);

// Called, unless NULL, for each block of rows that was read, before it reaches the array. `first`
// is the number of the block's first row.
typedef bool (*h5_check)(const void *context, const struct h5_rows *rows, const void *block,
                         size_t first, size_t count, struct gabion_error *error);

// Verifies name, type and rank of a dataset and sets rows->count, without reading it. A count that
// the file is too small to hold is rejected.
bool h5_find_rows(const struct h5_file *file, struct h5_rows *rows, struct gabion_error *error);
bool h5_read_rows(const struct h5_file *file, const struct h5_rows *rows, h5_check check,
                  const void *context, struct gabion_error *error);
// `count` strings of `size` bytes each, NUL-terminated, one after the other; free with memory_free.
char *h5_read_strings(const struct h5_file *file, const char *name, size_t *count, size_t *size,
                      struct gabion_error *error);
bool h5_read_number(const struct h5_file *file, const char *object, const char *name,
                    enum h5_type type, void *value, struct gabion_error *error);
bool h5_has_attribute(const struct h5_file *file, const char *object, const char *name);
bool h5_read_text(const struct h5_file *file, const char *object, const char *name, char *text,
                  size_t size, struct gabion_error *error); // longer text is cut

#endif
