// Functions of time: what drivers and forces follow.
#ifndef ENGINE_SIGNAL_H
#define ENGINE_SIGNAL_H

#include "engine/gabion.h"

// Value inside [start, end]; the time is clamped to that interval, so a driver rests before its
// start and after its end.
double signal_value(const struct gabion_signal *signal, double time);

// Smooth step from 0 at s <= 0 to 1 at s >= 1 with zero first and second derivatives at the ends.
double signal_smooth_step(double s);

// NULL, or what is wrong with the signal.
const char *signal_defect(const struct gabion_signal *signal);

struct gabion_signal signal_copy(const struct gabion_signal *signal); // with its table
void signal_free(struct gabion_signal *signal);

#endif
