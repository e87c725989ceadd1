// The checkpoints of engine/gabion.h: single files without a case.
#include <stdio.h>
#include <unistd.h>

#include "engine/api/entry.h"
#include "engine/api/log.h"
#include "io/checkpoint/format.h"
#include "parallel/memory.h"

struct transfer {
    const char *path;
    const struct gabion_world *source; // of writing
    char temporary[4096];
    struct gabion_world *target; // of restoring
    struct checkpoint *checkpoint;
    struct gabion_error *error;
    bool good;
};

static bool try_alone(void (*work)(void *context), struct transfer *transfer) {
    h5_take();
    bool done = entry_try(work, transfer, transfer->error);
    h5_leave();
    return done;
}

// Writing -------------------------------------------------------------------------------------

static void write_file(void *context) {
    struct transfer *transfer = context;
    struct checkpoint_note note = {.case_text = "", .parent = ""};
    transfer->good = checkpoint_write_as(transfer->path, transfer->temporary, transfer->source,
                                         &note, transfer->error);
}

bool gabion_write_checkpoint(const struct gabion_world *world, const char *path,
                             struct gabion_error *error) {
    struct gabion_error ignored = {0};
    struct transfer transfer = {.path = path, .source = world, .error = error ? error : &ignored};
    if (!entry_readable(world, error))
        return false;
    if (!path)
        return entry_missing("the path", error);
    if (snprintf(transfer.temporary, sizeof transfer.temporary, "%s.tmp", path) >=
        (int)sizeof transfer.temporary)
        return entry_reject(error, "the path '%.40s...' is too long", path);
    if (!try_alone(write_file, &transfer))
        unlink(transfer.temporary);
    if (transfer.good)
        world_log(world, GABION_LOG_INFO, "step %lld written to %s", (long long)world->step, path);
    return transfer.good;
}

// Restoring -----------------------------------------------------------------------------------

// From here on the world is another one, or broken.
static void take_over(struct call *call) {
    memory_free(call->world->applied);
    call->world->applied = NULL;
    if (checkpoint_restore(call->arguments, call->world, call->error))
        call->result = 0;
    else
        call->world->condition = WORLD_BROKEN;
}

static void restore(void *context) {
    struct transfer *transfer = context;
    transfer->good =
        checkpoint_fits(transfer->checkpoint, transfer->target, transfer->error) &&
        call_run(transfer->target, take_over, transfer->checkpoint, transfer->error) >= 0;
}

// The file is closed even when memory runs out on the way.
static void restore_file(void *context) {
    struct transfer *transfer = context;
    transfer->checkpoint = checkpoint_open(transfer->path, transfer->error);
    if (transfer->checkpoint)
        memory_try(memory_account_current(), restore, transfer, transfer->error);
    checkpoint_close(transfer->checkpoint);
}

bool gabion_restore_checkpoint(struct gabion_world *world, const char *path,
                               struct gabion_error *error) {
    struct gabion_error ignored = {0};
    struct transfer transfer = {.path = path, .target = world, .error = error ? error : &ignored};
    if (!entry_readable(world, error))
        return false;
    if (!path)
        return entry_missing("the path", error);
    if (world->listeners.called)
        return entry_reject(error, "a step function may not restore its own world");
    try_alone(restore_file, &transfer);
    if (transfer.good)
        world_log(world, GABION_LOG_INFO, "step %lld restored from %s", (long long)world->step,
                  path);
    return transfer.good;
}
