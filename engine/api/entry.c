#include "engine/api/entry.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "parallel/memory.h"

// Its address is the name of the calling thread.
static _Thread_local char this_thread;

bool entry_reject(struct gabion_error *error, const char *format, ...) {
    char text[sizeof error->text];
    va_list arguments;
    if (!error)
        return false;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(error, GABION_ERROR_INPUT, "%s", text);
}

bool entry_missing(const char *name, struct gabion_error *error) {
    return entry_reject(error, "%s is a null pointer", name);
}

bool entry_index(int64_t index, int64_t count, const char *what, struct gabion_error *error) {
    if (index >= 0 && index < count)
        return true;
    if (count == 0)
        return entry_reject(error, "%s %" PRId64 " does not exist: there are none", what, index);
    return entry_reject(error, "%s %" PRId64 " does not exist: they are numbered 0 to %" PRId64,
                        what, index, count - 1);
}

bool entry_capacity(int64_t capacity, const void *array, const char *name,
                    struct gabion_error *error) {
    if (capacity < 0)
        return entry_reject(error, "the capacity of %s must not be negative, found %" PRId64, name,
                            capacity);
    return capacity == 0 || array || entry_missing(name, error);
}

bool entry_readable(const struct gabion_world *world, struct gabion_error *error) {
    if (!world)
        return entry_missing("the world", error);
    if (world->condition == WORLD_BROKEN)
        return entry_reject(error, "the world is broken: an earlier call failed while it was "
                                   "changing it; destroy it and create another one");
    const void *user = atomic_load(&world->user.thread);
    return !user || user == &this_thread ||
           entry_reject(error, "the world is in use by another thread; let one thread use a world "
                               "at a time, or give each thread its own");
}

bool entry_take(struct gabion_world *world, struct gabion_error *error) {
    const void *nobody = NULL;
    if (!entry_readable(world, error))
        return false;
    if (world->condition == WORLD_SPENT)
        return entry_reject(error, "the world ran out of memory in a step: its last complete step "
                                   "can be read and written to a checkpoint, but it cannot go on; "
                                   "restore that checkpoint into another world");
    if (atomic_load(&world->user.thread) != &this_thread &&
        !atomic_compare_exchange_strong(&world->user.thread, &nobody, &this_thread))
        return entry_readable(world, error) && entry_take(world, error); // taken, or left again
    world->user.depth++;
    return true;
}

void entry_leave(struct gabion_world *world) {
    if (--world->user.depth == 0)
        atomic_store(&world->user.thread, NULL);
}

bool entry_inside(const struct gabion_world *world) {
    return atomic_load(&world->user.thread) != NULL;
}

// A call and its work function, as one argument.
struct guarded {
    struct call call;
    void (*work)(struct call *call);
};

static void run_guarded(void *context) {
    struct guarded *guarded = context;
    guarded->work(&guarded->call);
}

int64_t call_run(struct gabion_world *world, void (*work)(struct call *call), const void *arguments,
                 struct gabion_error *error) {
    struct gabion_error ignored = {0};
    struct guarded guarded = {{world, arguments, error ? error : &ignored, -1}, work};
    if (!entry_take(world, guarded.call.error))
        return -1;
    if (!world->account) // made by world_create: its caller handles missing memory
        work(&guarded.call);
    else if (!memory_try(world->account, run_guarded, &guarded, guarded.call.error)) {
        world->condition = WORLD_BROKEN;
        guarded.call.result = -1; // the work may have set it before memory ran out
    }
    entry_leave(world);
    return guarded.call.result;
}

bool entry_try(void (*work)(void *context), void *context, struct gabion_error *error) {
    struct memory_account *account = memory_account_create(error);
    bool done = account && memory_try(account, work, context, error);
    memory_account_destroy(account);
    return done;
}
