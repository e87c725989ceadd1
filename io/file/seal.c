#include "io/file/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parallel/hash.h"
#include "parallel/memory.h"

// The hash of a file is that of blocks of this size, one after the other.
#define SEAL_BLOCK ((size_t)1 << 20)

// What all formats of ours begin with.
#define OWN "gabion-"

struct seal {
    char format[32];
    int major, minor;
    uint64_t size, hash; // of what follows the seal
};

// Padded with newlines: `head -1` shows it.
static void seal_print(const struct seal *seal, char text[SEAL_SIZE + 1]) {
    memset(text, '\n', SEAL_SIZE);
    text[SEAL_SIZE] = '\0';
    int length = snprintf(text, SEAL_SIZE, "%s %d.%d size %" PRIu64 " hash %016" PRIx64,
                          seal->format, seal->major, seal->minor, seal->size, seal->hash);
    text[length] = '\n';
}

static bool seal_scan(const char *text, struct seal *seal) {
    return strncmp(text, OWN, strlen(OWN)) == 0 &&
           sscanf(text, "%31s %9d.%9d size %" SCNu64 " hash %" SCNx64, seal->format, &seal->major,
                  &seal->minor, &seal->size, &seal->hash) >= 3;
}

static ssize_t read_fully(int descriptor, char *bytes, size_t size, off_t offset) {
    size_t got = 0;
    while (got < size) {
        ssize_t part = pread(descriptor, bytes + got, size - got, offset + (off_t)got);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return -1;
        if (part == 0)
            break;
        got += (size_t)part;
    }
    return (ssize_t)got;
}

// Allocated before a file is opened: running out of memory would leave it open.
static char *block_allocate(void) { return memory_allocate(SEAL_BLOCK, 1, "a block of a file"); }

// Fills in size and hash of what follows the seal; false with errno set when it cannot be read.
static bool seal_compute(int descriptor, char *block, struct seal *seal) {
    seal->size = 0;
    seal->hash = HASH_START;
    ssize_t got;
    do {
        got = read_fully(descriptor, block, SEAL_BLOCK, (off_t)(SEAL_SIZE + seal->size));
        if (got > 0) {
            seal->hash = hash_bytes(seal->hash, block, (size_t)got);
            seal->size += (uint64_t)got;
        }
    } while (got == (ssize_t)SEAL_BLOCK);
    return got >= 0;
}

static bool seal_file(const char *path, const struct seal_kind *kind, char *block,
                      struct gabion_error *error) {
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0)
        return error_set(error, GABION_ERROR_RUN, "%s: %s", path, strerror(errno));
    struct seal seal = {.major = kind->major, .minor = kind->minor};
    snprintf(seal.format, sizeof seal.format, "%s", kind->format);
    char text[SEAL_SIZE + 1];
    bool good = seal_compute(descriptor, block, &seal);
    if (good) {
        seal_print(&seal, text);
        errno = ENOSPC; // what a short write without an error of its own means
        good = pwrite(descriptor, text, SEAL_SIZE, 0) == SEAL_SIZE;
    }
    if (!good)
        error_set(error, GABION_ERROR_RUN, "%s: cannot write: %s", path, strerror(errno));
    close(descriptor);
    return good;
}

bool seal_write(const char *path, const struct seal_kind *kind, struct gabion_error *error) {
    char *block = block_allocate();
    bool sealed = seal_file(path, kind, block, error);
    memory_free(block);
    return sealed;
}

// Checking ----------------------------------------------------------------------------------------

struct sealed {
    const char *path;
    const struct seal_kind *kind; // NULL: any, and files without a seal pass
    int descriptor;
    char *block;
    char name[SEAL_NAME_SIZE]; // format and version, where there is a seal
    bool damaged;
};

// A file of another version is whole, as far as this program can tell.
static bool check_version(struct sealed *file, const struct seal *claimed,
                          struct gabion_error *error) {
    const struct seal_kind *kind = file->kind;
    if (claimed->major > kind->major)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: %s format %d.%d is newer than this program, which reads "
                         "%d.x; use the version of Gabion that wrote it",
                         file->path, kind->word, claimed->major, claimed->minor, kind->major);
    file->damaged = claimed->major < 1 || claimed->minor < 0;
    if (file->damaged)
        return error_set(error, GABION_ERROR_INPUT, "%s: there is no %s format %d.%d", file->path,
                         kind->word, claimed->major, claimed->minor);
    if (claimed->major < kind->major)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: %s format %d.%d is of an earlier version of Gabion; this "
                         "program reads %d.x. Go on with the version that wrote it, or run the "
                         "case anew",
                         file->path, kind->word, claimed->major, claimed->minor, kind->major);
    return true;
}

static bool check_contents(struct sealed *file, const char *stored, const struct seal *claimed,
                           struct gabion_error *error) {
    char expected[SEAL_SIZE + 1];
    struct seal found = *claimed;
    if (!seal_compute(file->descriptor, file->block, &found))
        return error_set(error, GABION_ERROR_INPUT, "%s: %s", file->path, strerror(errno));
    seal_print(&found, expected);
    file->damaged = memcmp(stored, expected, SEAL_SIZE) != 0;
    if (found.size != claimed->size)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: damaged: %" PRIu64 " bytes of state, of %" PRIu64 " written",
                         file->path, found.size, claimed->size);
    if (file->damaged)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: damaged: its contents do not match its hash", file->path);
    return true;
}

static bool check_seal(struct sealed *file, struct gabion_error *error) {
    struct stat status;
    const char *word = file->kind ? file->kind->word : "file of bodies";
    if (fstat(file->descriptor, &status) == 0 && !S_ISREG(status.st_mode))
        return error_set(error, GABION_ERROR_INPUT, "%s: not a file; a %s was expected", file->path,
                         word);
    char stored[SEAL_SIZE + 1] = "";
    struct seal claimed = {0};
    if (read_fully(file->descriptor, stored, SEAL_SIZE, 0) < 0)
        return error_set(error, GABION_ERROR_INPUT, "%s: %s", file->path, strerror(errno));
    bool found = seal_scan(stored, &claimed);
    if (found)
        snprintf(file->name, sizeof file->name, "%s %d.%d", claimed.format, claimed.major,
                 claimed.minor);
    if (!file->kind)
        return !found || check_contents(file, stored, &claimed, error);
    file->damaged = !found || strcmp(claimed.format, file->kind->format) != 0;
    if (file->damaged)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: not a Gabion %s, or damaged: it does not begin with '%s'", file->path,
                         word, file->kind->format);
    return check_version(file, &claimed, error) && check_contents(file, stored, &claimed, error);
}

static bool open_and_check(struct sealed *file, struct gabion_error *error) {
    file->block = block_allocate();
    // Opening a pipe must not wait for somebody to write to it.
    file->descriptor = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool good;
    if (file->descriptor < 0) {
        good = error_set(error, GABION_ERROR_INPUT, "%s: %s", file->path, strerror(errno));
    } else {
        good = check_seal(file, error);
        close(file->descriptor);
    }
    memory_free(file->block);
    return good;
}

bool seal_verify(const char *path, const struct seal_kind *kind, bool *damaged,
                 struct gabion_error *error) {
    struct sealed file = {.path = path, .kind = kind};
    bool verified = open_and_check(&file, error);
    *damaged = file.damaged;
    return verified;
}

bool seal_check_own(const char *path, char name[SEAL_NAME_SIZE], struct gabion_error *error) {
    struct sealed file = {.path = path};
    bool whole = open_and_check(&file, error);
    memcpy(name, file.name, SEAL_NAME_SIZE);
    return whole;
}
