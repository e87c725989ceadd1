// The folder of a run: who may write there, and which of its files a run made.
#ifndef IO_FILE_FOLDER_H
#define IO_FILE_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "parallel/error.h"

#define FOLDER_PATH_MAX 4096

bool folder_is_directory(const char *path);

// out/<case name without .yaml>
bool folder_default(const char *case_path, char directory[FOLDER_PATH_MAX],
                    struct gabion_error *error);

#define FOLDER_NO_LOCK (-1)

// One writer at a time: rejects a folder that another process has locked. The kernel drops the lock
// with the process, however that ends. Where the file system has no locks, *lock is FOLDER_NO_LOCK.
bool folder_lock(const char *directory, int *lock, struct gabion_error *error);
void folder_unlock(int lock);

// Locks the folder and makes it ready for a new run; *lock is to be unlocked whatever is returned.
// One that holds results is rejected, or with `force` rid of the files that runs make (and of
// nothing else). case_path is NULL for a run that starts from a checkpoint.
bool folder_claim(const char *directory, const char *case_path, bool force, int *lock,
                  struct gabion_error *error);

// Removes full-precision frames of later steps: a resumed run has not been there yet.
void folder_drop_frames(const char *directory, int64_t step);

#endif
