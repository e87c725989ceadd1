// After which colours of a sweep the velocities of bodies travel to a rank that reads them.
//
// The reader solves the nodes that it shares with the owner itself, and needs a body only then: a
// body that other nodes changed since the last of these is sent before the next one. It may travel
// at any time in between, so that one message takes along what later ones would have to fetch, and
// there are as few messages as there can be.
#ifndef ENGINE_SOLVERS_SWEEP_DUE_H
#define ENGINE_SOLVERS_SWEEP_DUE_H

#include <stddef.h>
#include <stdint.h>

// Sets bit k of due[i] where body i travels before colour k begins; before colour 0: when a sweep
// begins. used[i] has a bit for each colour of the body's nodes, read[i] for those of them that
// the reader solves, too, of which there is one at least. Sweeps follow each other, and what
// happens to all velocities in between happens on both sides.
void due_find(const uint64_t *used, const uint64_t *read, size_t count, uint64_t *due);

#endif
