// Checks at the entry of the library: every public function calls one of these before it does
// anything, so that a bad world or pointer is an error and not a crash.
#ifndef ENGINE_API_ENTRY_H
#define ENGINE_API_ENTRY_H

#include "engine/world/world.h"

// A call of a public function that changes the world: work(call) does the work and stores the
// result.
struct call {
    struct gabion_world *world;
    const void *arguments;      // of the function's own type
    struct gabion_error *error; // never NULL
    int64_t result;             // negative: failed
};

// Runs the work of a call and returns its result. Returns -1 where the world cannot be taken, and
// where memory runs out, which leaves the world broken. `error` may be NULL.
int64_t call_run(struct gabion_world *world, void (*work)(struct call *call), const void *arguments,
                 struct gabion_error *error);

// Runs work that keeps no memory and does not change the world. Returns false with an error where
// memory runs out; `error` must not be NULL.
bool entry_try(void (*work)(void *context), void *context, struct gabion_error *error);

// Returns whether the world may be read; false with an error where it is NULL or broken, or another
// thread is changing it.
bool entry_readable(const struct gabion_world *world, struct gabion_error *error);

// Return whether the bodies of the world, and its contacts too, may be read: false with an error as
// entry_readable, and where ranks share them.
bool entry_bodies(const struct gabion_world *world, struct gabion_error *error);
bool entry_whole(const struct gabion_world *world, struct gabion_error *error);

// Makes the calling thread the only one that may use the world until it calls entry_leave; calls
// nest. Returns false with an error where the world may not be read or changed, or another thread
// has taken it.
bool entry_take(struct gabion_world *world, struct gabion_error *error);
void entry_leave(struct gabion_world *world);

// Returns whether any thread has taken the world.
bool entry_inside(const struct gabion_world *world);

// Always return false. entry_missing reports that the pointer `name` is NULL, entry_reject reports
// the formatted text. `error` may be NULL.
bool entry_missing(const char *name, struct gabion_error *error);
bool entry_reject(struct gabion_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Returns whether 0 <= index < count; false with an error if not. `what` names the kind of thing.
bool entry_index(int64_t index, int64_t count, const char *what, struct gabion_error *error);

// Returns whether an array for `capacity` elements may be filled: NULL is allowed where it is 0.
// `name` is that of the array.
bool entry_capacity(int64_t capacity, const void *array, const char *name,
                    struct gabion_error *error);

// Returns the index of a body in the arrays; -1 with an error where it is not in the run.
int32_t entry_body(const struct gabion_world *world, int32_t id, struct gabion_error *error);

#endif
