// What the method auto remembers from step to step (engine/solvers/choice.h). It decides which
// method a step begins with, so it is state. All zero: nothing is remembered.
#ifndef ENGINE_WORLD_SOLVER_MEMORY_H
#define ENGINE_WORLD_SOLVER_MEMORY_H

#include <stdint.h>

struct solver_memory {
    int32_t method; // enum gabion_method of the last solve that took factorisations; 0: none did
    int32_t wait;   // solves until sweeps are tried again; 0: they come first
    int32_t pause;  // the wait after the next trial in vain
    int32_t rows;   // contacts and points of joints of the problem whose `factorisation` is known
    // Costs in the units of engine/solvers/choice.h; 0: not known.
    double factorisation;
    double sweeps, factors; // of a solve by sweeps and by factorisations, averaged over the last
    double credit;          // what methods other than sweeps may still cost among grains
};

#endif
