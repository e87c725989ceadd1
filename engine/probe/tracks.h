// What probes count from step to step: mass that crosses planes, and turns of bodies.
#ifndef ENGINE_PROBE_TRACKS_H
#define ENGINE_PROBE_TRACKS_H

#include "engine/probe/probe.h"

// Called as a step begins, once the bodies that enter and leave in it have done so: makes a place
// for every count, and keeps the positions that crossings are seen by.
void tracks_begin(struct gabion_world *world);

// Called once the bodies are where the step leaves them.
void tracks_end(struct gabion_world *world);

// Return the counts of a probe and of a body; NULL: nothing has been counted.
const struct flow *tracks_flow(const struct probes *probes, const struct probe *probe);
const struct turn *tracks_turn(const struct probes *probes, const struct probe *probe, int32_t id);

#endif
