// The door of the library: every public function passes through one of these checks before it does
// anything, so that a bad world or pointer is an error and not a crash.
#ifndef ENGINE_API_ENTRY_H
#define ENGINE_API_ENTRY_H

#include "engine/world/world.h"

// A call that changes the world: work(call) does it and leaves its result.
struct call {
    struct gabion_world *world;
    const void *arguments;      // of the function's own type
    struct gabion_error *error; // never NULL
    int64_t result;             // negative: failed
};

// Runs the work of a call and returns its result; -1 where the world is NULL or broken, or memory
// runs out, which breaks it. `error` may be NULL.
int64_t call_run(struct gabion_world *world, void (*work)(struct call *call), const void *arguments,
                 struct gabion_error *error);

// Runs work that leaves no memory behind and does not change the world. False with an error where
// memory runs out; `error` must not be NULL.
bool entry_try(void (*work)(void *context), void *context, struct gabion_error *error);

// True: the world may be read.
bool entry_readable(const struct gabion_world *world, struct gabion_error *error);

// Returns false with an error that calls a pointer `name` missing, or a number out of range.
// `error` may be NULL.
bool entry_missing(const char *name, struct gabion_error *error);
bool entry_reject(struct gabion_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// False with an error unless 0 <= index < count; `what` is the thing counted.
bool entry_index(int64_t index, int64_t count, const char *what, struct gabion_error *error);

// Where a body is in the arrays; -1 with an error where it is not in the run.
int32_t entry_body(const struct gabion_world *world, int32_t id, struct gabion_error *error);

#endif
