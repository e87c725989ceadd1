// Writes files that are either complete or absent: under a temporary name first, then flushed and
// renamed. Also reads and copies files.
#ifndef IO_FILE_FILE_H
#define IO_FILE_FILE_H

#include <stdio.h>

#include "parallel/error.h"

struct safe_file {
    FILE *stream;
    char path[4096], temporary[4096];
};

bool safe_file_open(struct safe_file *file, const char *path, struct gabion_error *error);
// Flushes the file to disk and renames it. On failure the temporary file is removed, an old file of
// that name is kept, and the error names the file and the cause (disk full, no permission).
bool safe_file_commit(struct safe_file *file, struct gabion_error *error);
// Renames the file without waiting for the disk. Whatever happens to the process, the file is
// whole; where the machine loses its power before file_sync_all, it may be damaged or missing.
bool safe_file_commit_unsynced(struct safe_file *file, struct gabion_error *error);
void safe_file_abandon(struct safe_file *file);

// The same for a file that another library wrote to `temporary`: flushes it, renames it and flushes
// the folder, or renames it without waiting.
bool file_publish(const char *temporary, const char *path, struct gabion_error *error);
bool file_publish_unsynced(const char *temporary, const char *path, struct gabion_error *error);

// Flushes everything that was written to the file system of a folder, by one call for all files.
bool file_sync_all(const char *folder, struct gabion_error *error);

// Opens an ordinary file to be read. Rejects folders, and pipes and devices without waiting for
// them: they may never end.
FILE *file_open(const char *path, struct gabion_error *error);

// Opens a file as fopen does, to be written. Rejects pipes without waiting for somebody to read.
FILE *file_open_to_write(const char *path, const char *mode, struct gabion_error *error);

bool file_copy(const char *from, const char *to, struct gabion_error *error); // replaces `to`

// Reads a whole file; rejects what file_open rejects and anything larger than `limit` bytes. Adds a
// final NUL.
char *file_read(const char *path, size_t limit, size_t *size, struct gabion_error *error);

bool file_make_directory(const char *path,
                         struct gabion_error *error); // with parents; existing is fine

// Writes the path of a file that is named relative to the file `from`. Returns false where it does
// not fit.
bool file_beside(char *path, size_t size, const char *from, const char *name);

// Returns false only where there is certainly no such file: one that cannot be asked for may exist.
bool file_exists(const char *path);

// Called first by a program: keeps the files that it opens from getting the numbers of standard
// input, output and error, where these are closed, and the messages from ending up in them. Reading
// and writing the standard files fails as before.
void file_fill_standard(void);

#endif
