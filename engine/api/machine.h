// A machine holds the threads of a world or of a single contact problem, and the cores they run on.
#ifndef ENGINE_API_MACHINE_H
#define ENGINE_API_MACHINE_H

#include "parallel/team.h"

struct machine {
    struct memory_account *account; // memory of the two members below
    struct topology *topology;
    struct team *team;
};

// Starts a team of `threads` threads; 0: one per physical core. On failure nothing is left
// allocated.
bool machine_start(struct machine *machine, int threads, struct gabion_error *error);
void machine_stop(struct machine *machine); // a machine that was never started is allowed

#endif
