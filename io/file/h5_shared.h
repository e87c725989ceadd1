// An HDF5 file that all ranks of a run write together (parallel/ranks.h). Each rank gives the rows
// that it has; the file is, to the byte, the one that a single process would have written.
//
// Rank 0 alone has the file open in HDF5 and writes all that is not rows. Rows are cut into chunks,
// and a chunk belongs to the rank that has its first row, which gets the others from its
// neighbours, packs the chunk by HDF5's own filters, and writes it where HDF5 on rank 0 has
// reserved its place. HDF5's own driver for MPI is not used: it crashes where a write has failed,
// and has no way to tell why.
//
// All functions are collective. A rank that fails lets the others know by the next of them; only
// where memory runs out must the program end (ranks_abort).
#ifndef IO_FILE_H5_SHARED_H
#define IO_FILE_H5_SHARED_H

#include "io/file/h5.h"

// Creates or replaces a file on rank 0, and opens it on the others. Returns the same on all ranks.
bool h5_create_shared(struct h5_file *file, const char *path, size_t user_block,
                      struct gabion_error *error);

// Writes a dataset of the rows of all ranks, those of rank 0 first. Returns false without an error
// where another rank has failed.
bool h5_write_shared_rows(struct h5_file *file, const struct h5_rows *own,
                          struct gabion_error *error);

// Closes the file; with `lasting` what this rank wrote is on disk then. `good` says whether all
// writing went well here. Returns the same on all ranks, with the error of one that failed.
bool h5_close_shared(struct h5_file *file, bool good, bool lasting, struct gabion_error *error);

// Closes what this rank has open, for a program that is about to end. Not collective.
void h5_leave_shared(struct h5_file *file);

#endif
