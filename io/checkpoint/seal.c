#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/checkpoint/format.h"
#include "parallel/hash.h"
#include "parallel/memory.h"

// The hash of a file is that of blocks of this size, one after the other.
#define SEAL_BLOCK ((size_t)1 << 20)

struct seal {
    int major, minor;
    uint64_t size, hash; // of what follows the seal
};

// Padded with newlines: `head -1` shows it.
static void seal_print(const struct seal *seal, char text[CHECKPOINT_SEAL_SIZE + 1]) {
    memset(text, '\n', CHECKPOINT_SEAL_SIZE);
    text[CHECKPOINT_SEAL_SIZE] = '\0';
    int length = snprintf(text, CHECKPOINT_SEAL_SIZE, "%s %d.%d size %" PRIu64 " hash %016" PRIx64,
                          CHECKPOINT_FORMAT, seal->major, seal->minor, seal->size, seal->hash);
    text[length] = '\n';
}

static bool seal_scan(const char *text, struct seal *seal) {
    size_t length = strlen(CHECKPOINT_FORMAT);
    return strncmp(text, CHECKPOINT_FORMAT, length) == 0 &&
           sscanf(text + length, " %9d.%9d size %" SCNu64 " hash %" SCNx64, &seal->major,
                  &seal->minor, &seal->size, &seal->hash) >= 2;
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
static char *block_allocate(void) {
    return memory_allocate(SEAL_BLOCK, 1, "a block of a checkpoint");
}

// Fills in size and hash of what follows the seal; false with errno set when it cannot be read.
static bool seal_compute(int descriptor, char *block, struct seal *seal) {
    seal->size = 0;
    seal->hash = HASH_START;
    ssize_t got;
    do {
        got = read_fully(descriptor, block, SEAL_BLOCK, (off_t)(CHECKPOINT_SEAL_SIZE + seal->size));
        if (got > 0) {
            seal->hash = hash_bytes(seal->hash, block, (size_t)got);
            seal->size += (uint64_t)got;
        }
    } while (got == (ssize_t)SEAL_BLOCK);
    return got >= 0;
}

static bool seal_file(const char *path, char *block, struct gabion_error *error) {
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0)
        return error_set(error, GABION_ERROR_RUN, "%s: %s", path, strerror(errno));
    struct seal seal = {.major = CHECKPOINT_FORMAT_MAJOR, .minor = CHECKPOINT_FORMAT_MINOR};
    char text[CHECKPOINT_SEAL_SIZE + 1];
    bool good = seal_compute(descriptor, block, &seal);
    if (good) {
        seal_print(&seal, text);
        errno = ENOSPC; // what a short write without an error of its own means
        good = pwrite(descriptor, text, CHECKPOINT_SEAL_SIZE, 0) == CHECKPOINT_SEAL_SIZE;
    }
    if (!good)
        error_set(error, GABION_ERROR_RUN, "%s: cannot write: %s", path, strerror(errno));
    close(descriptor);
    return good;
}

bool checkpoint_seal(const char *path, struct gabion_error *error) {
    char *block = block_allocate();
    bool sealed = seal_file(path, block, error);
    memory_free(block);
    return sealed;
}

static bool seal_compare(const char *path, int descriptor, char *block,
                         struct gabion_error *error) {
    struct stat status;
    if (fstat(descriptor, &status) == 0 && !S_ISREG(status.st_mode))
        return error_set(error, GABION_ERROR_INPUT, "%s: not a file; a checkpoint was expected",
                         path);
    char stored[CHECKPOINT_SEAL_SIZE + 1] = "", expected[CHECKPOINT_SEAL_SIZE + 1];
    struct seal claimed = {0}, found;
    if (read_fully(descriptor, stored, CHECKPOINT_SEAL_SIZE, 0) < 0)
        return error_set(error, GABION_ERROR_INPUT, "%s: %s", path, strerror(errno));
    if (!seal_scan(stored, &claimed))
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: not a Gabion checkpoint, or damaged: it does not begin with '%s'",
                         path, CHECKPOINT_FORMAT);
    if (claimed.major > CHECKPOINT_FORMAT_MAJOR)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: checkpoint format %d.%d is newer than this program, which reads "
                         "%d.x; use the version of Gabion that wrote it",
                         path, claimed.major, claimed.minor, CHECKPOINT_FORMAT_MAJOR);
    if (claimed.major < 1 || claimed.minor < 0)
        return error_set(error, GABION_ERROR_INPUT, "%s: there is no checkpoint format %d.%d", path,
                         claimed.major, claimed.minor);
    if (claimed.major < CHECKPOINT_FORMAT_MAJOR)
        return error_set(
            error, GABION_ERROR_INPUT,
            "%s: checkpoint format %d.%d is of an earlier version of Gabion; this "
            "program reads %d.x. Go on with the version that wrote it, or run the case "
            "anew",
            path, claimed.major, claimed.minor, CHECKPOINT_FORMAT_MAJOR);
    found = claimed;
    if (!seal_compute(descriptor, block, &found))
        return error_set(error, GABION_ERROR_INPUT, "%s: %s", path, strerror(errno));
    if (found.size != claimed.size)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: damaged: %" PRIu64 " bytes of state, of %" PRIu64 " written", path,
                         found.size, claimed.size);
    seal_print(&found, expected);
    if (memcmp(stored, expected, CHECKPOINT_SEAL_SIZE) != 0)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: damaged: its contents do not match its hash", path);
    return true;
}

static bool verify_file(const char *path, char *block, struct gabion_error *error) {
    // Opening a pipe must not wait for somebody to write to it.
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return error_set(error, GABION_ERROR_INPUT, "%s: %s", path, strerror(errno));
    bool good = seal_compare(path, descriptor, block, error);
    close(descriptor);
    return good;
}

bool checkpoint_verify(const char *path, struct gabion_error *error) {
    char *block = block_allocate();
    bool verified = verify_file(path, block, error);
    memory_free(block);
    return verified;
}
