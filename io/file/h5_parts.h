// What the writers of HDF5 files have in common: h5.c and h5_shared.c.
#ifndef IO_FILE_H5_PARTS_H
#define IO_FILE_H5_PARTS_H

#include "io/file/h5.h"

hid_t h5_type_in_file(enum h5_type type);
hid_t h5_type_in_memory(enum h5_type type);

// Sets the error from HDF5's error stack, which any other function of HDF5 clears. Returns false.
bool h5_fail(const struct h5_file *file, struct gabion_error *error, const char *kind,
             const char *name);

// Prepares the structure, and HDF5, for a file that is opened next.
bool h5_begin(struct h5_file *file, const char *path, bool writing, struct gabion_error *error);

size_t h5_row_size(const struct h5_rows *rows);

// Writes rows [begin, begin + count) to `block`, one after the other.
void h5_gather(const struct h5_rows *rows, size_t begin, size_t count, char *block);

// Returns how a dataset of so many rows is stored: chunks, and their filters.
hid_t h5_rows_creation(const struct h5_rows *rows);

hid_t h5_create_dataset(const struct h5_file *file, const char *name, hid_t type, hid_t space,
                        hid_t creation, struct gabion_error *error);
// Closes a dataset, whose writing was `good`, and adds its unit.
bool h5_finish_dataset(const struct h5_file *file, const char *name, hid_t dataset, bool good,
                       const char *unit, struct gabion_error *error);

#endif
