// A restored world that goes on with other definitions than those that its state was made with:
// laws, loads, drivers, events, probes and settings.
#ifndef ENGINE_API_VARY_H
#define ENGINE_API_VARY_H

#include "engine/gabion.h"

// Lets drivers be added although steps were made. Called after the restore, with the settings of
// then, before the actions are added.
void world_vary_begin(struct gabion_world *world);

// Goes over to the new settings and definitions: drivers take their bodies on from where they are,
// and what the change of loads makes of the potential energy is booked as removed_energy. Fails
// where a driven body that differs in its drivers has still to enter, or a pair of materials has no
// law.
bool world_vary_end(struct gabion_world *world, const struct gabion_settings *settings,
                    struct gabion_error *error);

#endif
