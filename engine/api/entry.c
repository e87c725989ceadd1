#include "engine/api/entry.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "parallel/memory.h"

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

bool entry_readable(const struct gabion_world *world, struct gabion_error *error) {
    if (!world)
        return entry_missing("the world", error);
    if (world->broken)
        return entry_reject(error, "the world is broken: an earlier call failed while it was "
                                   "changing it; destroy it and create another one");
    return true;
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
    if (!entry_readable(world, guarded.call.error))
        return -1;
    if (!world->account) // made by world_create: its caller handles missing memory
        work(&guarded.call);
    else if (!memory_try(world->account, run_guarded, &guarded, guarded.call.error))
        world->broken = true;
    return guarded.call.result;
}

bool entry_try(void (*work)(void *context), void *context, struct gabion_error *error) {
    struct memory_account *account = memory_account_create(error);
    bool done = account && memory_try(account, work, context, error);
    memory_account_destroy(account);
    return done;
}
