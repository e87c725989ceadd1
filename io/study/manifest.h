// The file manifest.csv of a study's folder: which case every member was, by its values. A member
// whose values are as before and whose case is not shows that the study or its base case changed.
#ifndef IO_STUDY_MANIFEST_H
#define IO_STUDY_MANIFEST_H

#include "io/text/sha256.h"
#include "parallel/error.h"

struct manifest_entry {
    char label[SHA256_TEXT_SIZE]; // hash of the description of the member
    char sha256[SHA256_TEXT_SIZE];
};

struct manifest {
    struct manifest_entry *old; // as read, sorted
    size_t old_count;
    struct manifest_entry *added;
    size_t added_count, added_capacity, written_count;
};

// A folder without the file has an empty manifest.
bool manifest_read(struct manifest *manifest, const char *folder, struct gabion_error *error);
void manifest_free(struct manifest *manifest);

// Returns the case that a member with this description was before; NULL: there was none.
const char *manifest_find(const struct manifest *manifest, const char *description);
void manifest_add(struct manifest *manifest, const char *description, const char *sha256);

// Writes old and added entries, if any was added since; an added one replaces an old one.
bool manifest_write(struct manifest *manifest, const char *folder, struct gabion_error *error);

#endif
