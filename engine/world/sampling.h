// Sampling: how much of a signal the steps of a run do not see.
//
// Steps see a signal at multiples of the step h and, between these, the straight line from one
// sample to the next. What is lost is the root mean square of the difference between the signal and
// that line, as a share of the root mean square of the signal about its mean: 0 for a signal that
// the steps follow exactly, near 1 where they see nothing of it. A record is judged by its
// accelerations.
#ifndef ENGINE_WORLD_SAMPLING_H
#define ENGINE_WORLD_SAMPLING_H

#include "engine/world/signal.h"

// Lost shares above this are worth a warning. Of a sine this is lost at 5.9 steps per period.
#define SAMPLING_LOSS 0.1

// Returns the share of the signal that steps of this length lose, in [0, 1].
double sampling_loss(const struct signal *signal, double step);

// Returns a length of the step, at most `step`, that loses no more than SAMPLING_LOSS.
double sampling_step(const struct signal *signal, double step);

#endif
