// The folder of a run: who may write there, and which of its files a run made.
#ifndef IO_FILE_FOLDER_H
#define IO_FILE_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "parallel/error.h"

#define FOLDER_PATH_MAX 4096

bool folder_is_directory(const char *path);

// Writes the default folder of a case: out/<case name without .yaml>.
bool folder_default(const char *case_path, char directory[FOLDER_PATH_MAX],
                    struct gabion_error *error);

#define FOLDER_NO_LOCK (-1)

// Locks a folder; rejects one that another process has locked, so that only one process writes to
// it. The kernel releases the lock when the process ends, however it ends. Where the file system
// has no locks, *lock is FOLDER_NO_LOCK.
bool folder_lock(const char *directory, int *lock, struct gabion_error *error);
void folder_unlock(int lock);
// Returns whether another process has locked the folder. A folder that is free is locked for an
// instant, in a way that other readers share.
bool folder_in_use(const char *directory);

// Locks the folder and prepares it for a new run; the caller unlocks *lock whatever is returned. A
// folder that holds results is rejected; with `force`, the files that runs write are removed from
// it, and nothing else. case_path is NULL for a run that starts from a checkpoint.
bool folder_claim(const char *directory, const char *case_path, bool force, int *lock,
                  struct gabion_error *error);

// Removes the full-precision frames of `step` and later, which a resumed run will write again.
void folder_drop_frames(const char *directory, int64_t step);

#endif
