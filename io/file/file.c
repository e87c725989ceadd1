#ifndef _GNU_SOURCE
#define _GNU_SOURCE // syncfs
#endif
#include "io/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parallel/memory.h"

// Long names are cut, so that the cause behind them is still read.
static bool file_fail(struct gabion_error *error, const char *doing, const char *path, int cause) {
    bool full = cause == ENOSPC || cause == EDQUOT;
    return error_set(error, GABION_ERROR_RUN, "cannot %s %.1024s: %s%s", doing, path,
                     cause ? strerror(cause) : "an earlier write to it failed; is the disk full?",
                     full ? "; free some space or choose another folder" : "");
}

FILE *file_open_to_write(const char *path, const char *mode, struct gabion_error *error) {
    struct stat about;
    if (stat(path, &about) == 0 && S_ISFIFO(about.st_mode)) {
        error_set(error, GABION_ERROR_RUN,
                  "cannot write %.1024s: it is a pipe, which nobody may ever read; remove it",
                  path);
        return NULL;
    }
    FILE *stream = fopen(path, mode);
    if (!stream)
        file_fail(error, "write", path, errno);
    return stream;
}

bool safe_file_open(struct safe_file *file, const char *path, struct gabion_error *error) {
    file->stream = NULL;
    int length = snprintf(file->path, sizeof file->path, "%s", path);
    int temporary = snprintf(file->temporary, sizeof file->temporary, "%s.tmp", path);
    if (length < 0 || temporary < 0 || (size_t)temporary >= sizeof file->temporary)
        return file_fail(error, "create", path, ENAMETOOLONG);
    file->stream = file_open_to_write(file->temporary, "wb", error);
    return file->stream != NULL;
}

// Closes the file under its temporary name, or removes it with an error.
static bool safe_file_end(struct safe_file *file, struct gabion_error *error) {
    errno = 0;
    // A failed write leaves its mark on the stream even when nobody looked at the result of fwrite.
    bool written = fflush(file->stream) == 0 && !ferror(file->stream);
    int cause = errno;
    if (!written) {
        safe_file_abandon(file);
        return file_fail(error, "write", file->path, cause);
    }
    bool closed = fclose(file->stream) == 0;
    cause = errno;
    file->stream = NULL;
    if (!closed) {
        unlink(file->temporary);
        return file_fail(error, "write", file->path, cause);
    }
    return true;
}

bool safe_file_commit(struct safe_file *file, struct gabion_error *error) {
    return safe_file_end(file, error) && file_publish(file->temporary, file->path, error);
}

bool safe_file_commit_unsynced(struct safe_file *file, struct gabion_error *error) {
    return safe_file_end(file, error) && file_publish_unsynced(file->temporary, file->path, error);
}

void safe_file_abandon(struct safe_file *file) {
    if (!file->stream)
        return;
    fclose(file->stream);
    file->stream = NULL;
    unlink(file->temporary);
}

// 0 or the cause of the failure.
static int file_flush_to_disk(const char *path, int flags) {
    int descriptor = open(path, flags);
    if (descriptor < 0)
        return errno;
    int cause = fsync(descriptor) == 0 ? 0 : errno;
    close(descriptor);
    return cause;
}

// Best effort: by now the file is whole under its name, and some file systems cannot flush folders.
static void file_flush_folder(const char *path) {
    char folder[4096];
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder)
        return;
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    file_flush_to_disk(slash ? folder : ".", O_RDONLY | O_DIRECTORY);
}

static bool publish_fail(const char *temporary, const char *path, int cause,
                         struct gabion_error *error) {
    unlink(temporary);
    return file_fail(error, "write", path, cause);
}

bool file_publish_unsynced(const char *temporary, const char *path, struct gabion_error *error) {
    return rename(temporary, path) == 0 || publish_fail(temporary, path, errno, error);
}

bool file_publish(const char *temporary, const char *path, struct gabion_error *error) {
    int cause = file_flush_to_disk(temporary, O_RDONLY);
    if (cause)
        return publish_fail(temporary, path, cause, error);
    if (!file_publish_unsynced(temporary, path, error))
        return false;
    file_flush_folder(path);
    return true;
}

// Linux knows how to flush one file system; elsewhere all of them are.
static int flush_file_system(int descriptor) {
#ifdef __linux__
    return syncfs(descriptor) == 0 ? 0 : errno;
#else
    (void)descriptor;
    sync();
    return 0;
#endif
}

bool file_sync_all(const char *folder, struct gabion_error *error) {
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return file_fail(error, "write", folder, errno);
    int cause = flush_file_system(descriptor);
    close(descriptor);
    return cause == 0 || file_fail(error, "write", folder, cause);
}

// What others may do with the file stays as it was.
static void copy_mode(FILE *from, FILE *to) {
    struct stat about;
    if (fstat(fileno(from), &about) == 0 && fchmod(fileno(to), about.st_mode & 07777) != 0)
        errno = 0; // a file system without modes
}

FILE *file_open(const char *path, struct gabion_error *error) {
    struct stat about;
    // Opening a pipe must not wait for somebody to write to it.
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0 || fstat(descriptor, &about) != 0) {
        error_set(error, GABION_ERROR_INPUT, "cannot open %s: %s", path, strerror(errno));
    } else if (S_ISREG(about.st_mode)) {
        FILE *stream = fdopen(descriptor, "rb");
        if (stream)
            return stream;
        error_set(error, GABION_ERROR_MEMORY, "cannot open %s: %s", path, strerror(errno));
    } else {
        error_set(error, GABION_ERROR_INPUT, "%s is %s; a file is expected here", path,
                  S_ISDIR(about.st_mode) ? "a folder" : "a pipe or a device");
    }
    if (descriptor >= 0)
        close(descriptor);
    return NULL;
}

bool file_copy(const char *from, const char *to, struct gabion_error *error) {
    struct safe_file copy;
    FILE *stream = file_open(from, error);
    if (!stream)
        return false;
    bool good = safe_file_open(&copy, to, error);
    if (good) {
        copy_mode(stream, copy.stream);
        char block[65536];
        size_t got;
        while ((got = fread(block, 1, sizeof block, stream)) > 0 &&
               fwrite(block, 1, got, copy.stream) == got)
            continue;
        if (ferror(stream)) {
            good =
                error_set(error, GABION_ERROR_INPUT, "cannot read %s: %s", from, strerror(errno));
            safe_file_abandon(&copy);
        } else {
            good = safe_file_commit(&copy, error);
        }
    }
    fclose(stream);
    return good;
}

// Reads to the end of the stream rather than trusting the size: the file may grow meanwhile.
static char *file_read_stream(FILE *stream, const char *path, size_t limit, size_t *size,
                              struct gabion_error *error) {
    char *text = NULL;
    size_t capacity = 0, length = 0, got;
    do {
        text = memory_reserve(text, &capacity, length + 65536, 1, "the contents of a file");
        size_t room = capacity - length - 1;
        got = fread(text + length, 1, room, stream);
        length += got;
    } while (got > 0 && length <= limit);
    if (ferror(stream))
        error_set(error, GABION_ERROR_INPUT, "cannot read %s: %s", path, strerror(errno));
    else if (length > limit)
        error_set(error, GABION_ERROR_INPUT, "%s is larger than the %zu bytes allowed here", path,
                  limit);
    else {
        text[length] = '\0';
        if (size)
            *size = length;
        return text;
    }
    memory_free(text);
    return NULL;
}

struct reading {
    FILE *stream;
    const char *path;
    size_t limit, *size;
    struct gabion_error *error;
    char *text;
};

static void read_whole(void *context) {
    struct reading *reading = context;
    reading->text = file_read_stream(reading->stream, reading->path, reading->limit, reading->size,
                                     reading->error);
}

// The file is closed even when memory runs out on the way.
static char *file_read_guarded(FILE *stream, const char *path, size_t limit, size_t *size,
                               struct gabion_error *error) {
    struct reading reading = {stream, path, limit, size, error, NULL};
    struct gabion_error exhausted = {0};
    bool done = memory_try(memory_account_current(), read_whole, &reading, &exhausted);
    fclose(stream);
    if (!done)
        memory_raise(&exhausted);
    return reading.text;
}

char *file_read(const char *path, size_t limit, size_t *size, struct gabion_error *error) {
    struct stat about;
    FILE *stream = file_open(path, error);
    if (!stream)
        return NULL;
    if (fstat(fileno(stream), &about) != 0 || (size_t)about.st_size <= limit)
        return file_read_guarded(stream, path, limit, size, error);
    error_set(error, GABION_ERROR_INPUT, "%s has %lld bytes; at most %zu are allowed here", path,
              (long long)about.st_size, limit);
    fclose(stream);
    return NULL;
}

bool file_make_directory(const char *path, struct gabion_error *error) {
    char part[4096];
    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part)
        return file_fail(error, "create folder", path, ENAMETOOLONG);
    for (char *end = part + (part[0] == '/');; end++) {
        if (*end != '/' && *end != '\0')
            continue;
        char separator = *end;
        *end = '\0';
        if (part[0] && mkdir(part, 0777) != 0 && errno != EEXIST)
            return file_fail(error, "create folder", part, errno);
        if (separator == '\0')
            break;
        *end = '/';
    }
    struct stat about;
    if (stat(path, &about) != 0)
        return file_fail(error, "create folder", path, errno);
    return S_ISDIR(about.st_mode) || file_fail(error, "create folder", path, ENOTDIR);
}

bool file_beside(char *path, size_t size, const char *from, const char *name) {
    const char *slash = strrchr(from, '/');
    int folder = name[0] == '/' || !slash ? 0 : (int)(slash - from + 1);
    int length = snprintf(path, size, "%.*s%s", folder, from, name);
    return length >= 0 && (size_t)length < size;
}

bool file_exists(const char *path) {
    return access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

void file_fill_standard(void) {
    static const int opposite[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++)
        if (fcntl(number, F_GETFD) < 0 && errno == EBADF)
            open("/dev/null", opposite[number]); // takes the lowest number that is free
}
