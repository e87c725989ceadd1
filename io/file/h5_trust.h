// What an HDF5 file may make its reader do: links lead to other files and to pipes, datasets take
// their bytes from elsewhere, claim rows that nobody wrote or unpack to a thousand times the file.
// Files of others are checked for all of it before HDF5 reads a number or an array is allocated.
#ifndef IO_FILE_H5_TRUST_H
#define IO_FILE_H5_TRUST_H

#include <hdf5.h>
#include <stdint.h>

#include "parallel/error.h"

// Deflate shrinks zeros by this factor at best.
#define H5_TRUST_DEFLATE 1032

// Rejects what is not an ordinary file and returns the size of one, without waiting for a pipe.
bool h5_trust_file(const char *path, uint64_t *size, struct gabion_error *error);

// Returns whether a name leads to an object through hard links alone, and so within its file.
bool h5_trust_links(hid_t file, const char *name);

// Rejects a dataset unless all its rows were written, lie in this file of `size` bytes, and unpack
// to what their storage can hold, by filters of our own.
bool h5_trust_dataset(hid_t dataset, uint64_t size, const char *path, const char *name,
                      struct gabion_error *error);

#endif
