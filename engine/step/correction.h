// The errors of some contacts and of the joints of a world, and what corrects them, at any level:
// J M^-1 J^T x against positions, velocities or accelerations (Galizzi and Faure 2002, sections 6
// and 7). Bodies are numbered as in the world.
#ifndef ENGINE_STEP_CORRECTION_H
#define ENGINE_STEP_CORRECTION_H

#include "engine/contact/contacts.h"
#include "engine/problem/contact_problem.h"
#include "engine/world/world.h"

// What a row is of. Rows of contacts come first.
struct correction_row {
    int32_t c, a;   // bodies; the number of bodies for the world
    uint32_t index; // of the contact in the list, or of the block of the joint
    int point;      // of the joint; -1: a contact
};

struct correction {
    struct contact_problem *problem; // q: the errors
    struct correction_row *rows;
    uint8_t *class; // enum partition_class of each row; active at first
    double *x;      // actions of displacement, impulses, or forces times h
    int iterations;
};

// Makes a row for each contact with chosen[k], of those in `list` (world->contacts->count of them),
// and for each point of a joint that is laid out, without errors, friction or unknowns.
struct correction correction_open(const struct gabion_world *world, const struct contact *list,
                                  const bool *chosen);
void correction_close(struct correction *correction);

// Iterates up to `iterations` times, or to the tolerance of the solver.
void correction_solve(struct correction *correction, const struct gabion_world *world,
                      int iterations);

// Returns M^-1 J^T x: six numbers for each moving body, the angles or spins times its radius. Free
// it.
double *correction_motion(const struct correction *correction);

#endif
