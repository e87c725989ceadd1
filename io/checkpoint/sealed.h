// Writes a sealed HDF5 file (io/file/seal.h): under a temporary name first, and then either whole
// under its own name or not at all.
#ifndef IO_CHECKPOINT_SEALED_H
#define IO_CHECKPOINT_SEALED_H

#include "io/file/h5.h"
#include "io/file/seal.h"

struct sealed_file {
    const char *path, *temporary; // in the same folder
    const struct seal_kind *kind;
    bool shared;  // all ranks write it together (io/file/h5_shared.h), and call sealed_write
    bool lasting; // it is on disk afterwards, also where the machine loses its power
    bool (*write)(struct h5_file *file, const void *context, struct gabion_error *error);
    const void *context;
};

// Returns the same on all ranks of a shared file, unless memory runs out on one of them. The others
// wait for that one then: its program must end (ranks_abort).
bool sealed_write(const struct sealed_file *file, struct gabion_error *error);

#endif
