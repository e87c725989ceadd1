// The schedule: what is still going to change the run at a given time. A run that rests while
// something is scheduled has not come to rest for good (gabion_at_rest).
#ifndef ENGINE_WORLD_SCHEDULE_H
#define ENGINE_WORLD_SCHEDULE_H

#include "engine/world/world.h"

enum schedule_kind {
    SCHEDULE_DRIVER,
    SCHEDULE_FORCE,
    SCHEDULE_RESET,
    SCHEDULE_REMOVAL,
    SCHEDULE_INSERTION,
    SCHEDULE_GRAVITY_RAMP,
    SCHEDULE_TILT,
};

struct scheduled {
    enum schedule_kind kind;
    int group;    // of a driver, force, reset or removal; -1: all moving bodies
    double until; // last change, or time of the event; INFINITY: never ends, -INFINITY: no effect
};

// Entries 0 to schedule_count - 1, over or not. All bodies that wait to enter are one entry.
int schedule_count(const struct gabion_world *world);
struct scheduled schedule_entry(const struct gabion_world *world, int k);

// Returns the time since which nothing that is scheduled acts any more; INFINITY while an event is
// still to come and where an action never ends. Events of the past do not count: they start the
// clock of rest_since anew as they take place.
double schedule_over_since(const struct gabion_world *world);

#endif
