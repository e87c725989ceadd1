#include "io/checkpoint/sealed.h"

#include <unistd.h>

#include "io/file/file.h"
#include "io/file/h5_shared.h"
#include "parallel/memory.h"
#include "parallel/ranks.h"

struct attempt {
    const struct sealed_file *file;
    struct h5_file h5;
    struct gabion_error *error;
    bool written;
};

static void write_contents(void *context) {
    struct attempt *attempt = context;
    const struct sealed_file *file = attempt->file;
    attempt->written = file->write(&attempt->h5, file->context, attempt->error);
}

// The file is closed even when memory runs out on the way.
static bool write_alone(const struct sealed_file *file, struct gabion_error *error) {
    struct attempt attempt = {.file = file, .error = error};
    if (!h5_create(&attempt.h5, file->temporary, SEAL_SIZE, error))
        return false;
    if (memory_try(memory_account_current(), write_contents, &attempt, error) && attempt.written)
        return h5_close(&attempt.h5, error);
    h5_abandon(&attempt.h5);
    return false;
}

static bool write_together(const struct sealed_file *file, struct gabion_error *error) {
    struct attempt attempt = {.file = file, .error = error};
    if (!h5_create_shared(&attempt.h5, file->temporary, SEAL_SIZE, error))
        return false;
    if (memory_try(memory_account_current(), write_contents, &attempt, error))
        return h5_close_shared(&attempt.h5, attempt.written, file->lasting, error);
    h5_leave_shared(&attempt.h5);
    return false;
}

static bool publish(const struct sealed_file *file, struct gabion_error *error) {
    return seal_write(file->temporary, file->kind, error) &&
           (file->lasting ? file_publish(file->temporary, file->path, error)
                          : file_publish_unsynced(file->temporary, file->path, error));
}

static bool publish_for_all(const struct sealed_file *file, struct gabion_error *error) {
    struct gabion_error own = {0};
    if (ranks_me() == 0)
        publish(file, &own);
    return ranks_follow(&own) || error_set(error, own.status, "%s", own.text);
}

bool sealed_write(const struct sealed_file *file, struct gabion_error *error) {
    bool shared = file->shared;
    if (shared ? write_together(file, error) && publish_for_all(file, error)
               : write_alone(file, error) && publish(file, error))
        return true;
    if (!shared || ranks_me() == 0 || error->status == GABION_ERROR_MEMORY)
        unlink(file->temporary);
    return false;
}
