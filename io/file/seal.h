// The seal of a file of ours: its first SEAL_SIZE bytes (HDF5's user block) are a line of text with
// the kind of file, its version, and the size and the hash of all that follows. It is checked
// before HDF5 sees the file, so that neither a truncated file nor a flipped bit anywhere gets as
// far as its parser.
#ifndef IO_FILE_SEAL_H
#define IO_FILE_SEAL_H

#include "parallel/error.h"

#define SEAL_SIZE 512

// `word` is what messages call such a file. A program reads every minor version of its major one.
struct seal_kind {
    const char *format, *word; // the format begins with "gabion-"
    int major, minor;
};

// Hashes the finished file and fills in its first bytes.
bool seal_write(const char *path, const struct seal_kind *kind, struct gabion_error *error);

// Compares a file with its seal. *damaged says whether a file that is rejected is no longer what
// was written; one that cannot be read, or is of another version, may be a good one.
bool seal_verify(const char *path, const struct seal_kind *kind, bool *damaged,
                 struct gabion_error *error);

// Compares a file that somebody names with its seal, whatever its kind and version, and returns the
// seal's "format major.minor". A file without a seal, such as those of others, passes as "".
#define SEAL_NAME_SIZE 64
bool seal_check_own(const char *path, char name[SEAL_NAME_SIZE], struct gabion_error *error);

#endif
