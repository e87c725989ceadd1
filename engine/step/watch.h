// Watches: what makes the results of a run doubtful although every step is computed. One table says
// what is measured and from where on it is reported. A watch warns once, when it first matters, and
// counts what follows.
#ifndef ENGINE_STEP_WATCH_H
#define ENGINE_STEP_WATCH_H

#include "engine/world/world.h"

enum watch_kind {
    WATCH_SIGNAL,
    WATCH_SPIN,
    WATCH_POSITION,
    WATCH_UNSOLVED,
    WATCH_SUBSTITUTION,
    WATCH_OVERLAP,
    WATCH_EXPLOSION,
    WATCH_CONTACT_GAIN,
    WATCH_IMPACT_GAIN,
    WATCH_JOINT_GAIN,
    WATCH_KINDS
};

// The steps about which a watch has something to say.
struct watch_record {
    int64_t steps;
    int64_t in_a_row; // the last so many of them
    bool reported;
    struct gabion_step_report worst; // the step with the largest measure
    double most;                     // that measure
    int64_t worst_step;
};

// What the watches of a world have seen since it was made or restored. Not part of the state.
struct watch_log {
    int64_t steps;
    int warnings;        // given; what a watch says at the end about steps it had warned of is none
    int drivers, forces; // the first so many have been looked at
    bool tilt;           // has been looked at
    bool hopeless;       // a watch has spoken that ends a run under any policy
    double most_kinetic; // J, after any step
    struct watch_record of[WATCH_KINDS];
};

#define WATCH_TEXT_SIZE  700
#define WATCH_FOUND_SIZE (WATCH_TEXT_SIZE + 40) // with the name of the watch
// Receives the text of a warning.
typedef void (*watch_listener)(void *user, const char *text);

// Looks at the drivers, forces and tilt that it has not seen yet. Copies the first warning to
// `found`, which must be empty before.
void watch_signals(struct gabion_world *world, watch_listener listener, void *user,
                   char found[WATCH_FOUND_SIZE]);
// Looks at the bodies as they stand before the first step.
void watch_start(struct gabion_world *world, watch_listener listener, void *user);
// Looks at a complete step. Copies the first thing that is wrong with it to `found`, which must be
// empty before, whether it was reported before or not.
void watch_step(struct gabion_world *world, watch_listener listener, void *user,
                char found[WATCH_FOUND_SIZE]);
// Reports at the end of a run what was counted, and what is measured over the whole run.
void watch_end(struct gabion_world *world, watch_listener listener, void *user);

#endif
