#include "engine/api/entry.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

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

int64_t call_run(struct gabion_world *world, void (*work)(struct call *call), const void *arguments,
                 struct gabion_error *error) {
    struct gabion_error ignored = {0};
    struct call call = {world, arguments, error ? error : &ignored, -1};
    if (entry_readable(world, call.error))
        work(&call);
    return call.result;
}
