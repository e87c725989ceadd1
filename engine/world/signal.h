// Functions of time: what drivers and forces follow.
#ifndef ENGINE_WORLD_SIGNAL_H
#define ENGINE_WORLD_SIGNAL_H

#include "engine/gabion.h"

// A signal as the world keeps it, with tables of its own.
struct signal {
    struct gabion_signal given;      // its tables are NULL
    double *time, *value;            // points of a table or record, with the baseline correction
    double *velocity, *displacement; // of a record: integrals at the points
};

// Value inside [start, end]; the time is clamped to that interval, so a driver rests before its
// start and after its end.
double signal_value(const struct signal *signal, double time);

// Value less that at the start. Paths use this: a sine with a phase or a table that does not begin
// at zero must not make a body jump.
double signal_change(const struct signal *signal, double time);

// Smooth step from 0 at s <= 0 to 1 at s >= 1 with zero first and second derivatives at the ends.
double signal_smooth_step(double s);

// NULL, or what is wrong with the signal.
const char *signal_defect(const struct gabion_signal *signal);

struct signal signal_copy(const struct gabion_signal *given);
void signal_free(struct signal *signal);

#endif
