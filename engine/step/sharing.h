// What the ranks of a run (parallel/ranks.h) did with its contacts: an account for the summary,
// from when the world was created. No state, and the same numbers on every rank. One process keeps
// none.
#ifndef ENGINE_STEP_SHARING_H
#define ENGINE_STEP_SHARING_H

#include <stdbool.h>

struct gabion_world;

// Adds what the ranks sent in the problem that is about to be closed. Call it once it was solved.
void sharing_note_solve(struct gabion_world *world);

// Counts the step. All ranks take part.
void sharing_count_step(struct gabion_world *world);

#endif
