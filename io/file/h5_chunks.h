// Chunks of untrusted files. HDF5 takes what its filters make of a chunk for a whole one: where it
// is shorter the memory behind it becomes numbers, and where it is longer it takes all the memory
// there is before anything is said.
#ifndef IO_FILE_H5_CHUNKS_H
#define IO_FILE_H5_CHUNKS_H

#include <hdf5.h>
#include <stdbool.h>

// Returns whether every chunk of a dataset unpacks to so many bytes. The filters are shuffle,
// deflate and fletcher32, and deflate at most once.
bool h5_chunks_fit(hid_t dataset, hid_t creation, const hsize_t *extent, const hsize_t *chunk,
                   int rank, hsize_t bytes);

#endif
