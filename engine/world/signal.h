// Signals: scalar functions of time that drivers and forces follow.
#ifndef ENGINE_WORLD_SIGNAL_H
#define ENGINE_WORLD_SIGNAL_H

#include "engine/gabion.h"

// A signal as the world keeps it, with its own copy of the tables.
struct signal {
    struct gabion_signal given;      // as the user defined it, without its tables
    double *time, *value;            // points of a table or record, with the baseline correction
    double *velocity, *displacement; // of a record: integrals at the points
};

// Returns the value at a time, which is clamped to [start, end], so that a driver rests before its
// start and after its end.
double signal_value(const struct signal *signal, double time);

// Returns the value minus that at the start. Paths use this: a sine with a phase or a table that
// does not begin at zero must not make a body jump.
double signal_change(const struct signal *signal, double time);

// Return the time after which the signal changes nothing any more: INFINITY where it never ends,
// -INFINITY where it has no effect at all. A path rests outside [start, end]; a force is zero
// there, so that it changes at both ends.
double signal_path_end(const struct signal *signal);
double signal_force_end(const struct signal *signal);

// Returns a smooth step from 0 at s <= 0 to 1 at s >= 1 with zero first and second derivatives at
// the ends.
double signal_smooth_step(double s);

// Returns NULL, or a text that says what is wrong with the signal.
const char *signal_defect(const struct gabion_signal *signal);

// Returns whether the value itself jumps: a table with two points of the same time. A record only
// has an acceleration that jumps there.
bool signal_jumps(const struct gabion_signal *signal);

struct signal signal_copy(const struct gabion_signal *given);
void signal_free(struct signal *signal);

#endif
