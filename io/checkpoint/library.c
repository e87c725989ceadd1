// The checkpoints of engine/gabion.h: single files without a case.
#include <stdio.h>

#include "engine/api/entry.h"
#include "engine/api/log.h"
#include "io/checkpoint/format.h"
#include "parallel/memory.h"

bool gabion_write_checkpoint(const struct gabion_world *world, const char *path,
                             struct gabion_error *error) {
    struct gabion_error ignored = {0};
    struct checkpoint_note note = {.case_text = "", .parent = ""};
    char temporary[4096];
    error = error ? error : &ignored;
    if (!entry_readable(world, error))
        return false;
    if (!path)
        return entry_missing("the path", error);
    if (snprintf(temporary, sizeof temporary, "%s.tmp", path) >= (int)sizeof temporary)
        return entry_reject(error, "the path '%.40s...' is too long", path);
    if (!checkpoint_write_as(path, temporary, world, &note, error))
        return false;
    world_log(world, GABION_LOG_INFO, "step %lld written to %s", (long long)world->step, path);
    return true;
}

// From here on the world is another one, or broken.
static void take_over(struct call *call, const struct checkpoint *checkpoint) {
    struct gabion_world *world = call->world;
    memory_free(world->applied);
    world->applied = NULL;
    world->broken = !checkpoint_restore(checkpoint, world, call->error);
    if (world->broken)
        return;
    world_log(world, GABION_LOG_INFO, "step %lld restored from %s", (long long)world->step,
              checkpoint_path(checkpoint));
    call->result = 0;
}

static void restore(struct call *call) {
    if (call->world->listeners.called) {
        error_set(call->error, GABION_ERROR_INPUT, "a step function may not restore its own world");
        return;
    }
    struct checkpoint *checkpoint = checkpoint_open(call->arguments, call->error);
    if (checkpoint && checkpoint_fits(checkpoint, call->world, call->error))
        take_over(call, checkpoint);
    checkpoint_close(checkpoint);
}

bool gabion_restore_checkpoint(struct gabion_world *world, const char *path,
                               struct gabion_error *error) {
    if (!path)
        return entry_missing("the path", error);
    return call_run(world, restore, path, error) >= 0;
}
