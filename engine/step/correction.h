// Corrects the errors of contacts and joints in positions, velocities or accelerations (Galizzi and
// Faure 2002, sections 6 and 7). The three cases solve the same system, J M^-1 J^T x = errors, with
// J the gradients of the constraints and M the masses; M^-1 J^T x is the correction of the bodies.
// Bodies are numbered as in the world.
#ifndef ENGINE_STEP_CORRECTION_H
#define ENGINE_STEP_CORRECTION_H

#include "engine/contact/contacts.h"
#include "engine/problem/contact_problem.h"
#include "engine/world/world.h"

// The contact or the point of a joint that a row of the system stands for. Rows of contacts come
// first.
struct correction_row {
    int32_t c, a;   // bodies; the number of bodies stands for the world
    uint32_t index; // of the contact in the list, or of the struct joint_block
    int point;      // of the joint; -1: a contact
};

struct correction {
    struct contact_problem *problem; // its q holds the errors
    struct correction_row *rows;
    uint8_t *class; // enum partition_class of each row; active at first
    double *x;      // multipliers: of displacements, impulses, or forces times h
    int iterations;
};

// Creates a correction with a row for each contact k of `list` (world->contacts->count of them)
// that has chosen[k], and for each point of the joints that act. Errors, friction and unknowns are
// zero.
struct correction correction_open(const struct gabion_world *world, const struct contact *list,
                                  const bool *chosen);
void correction_close(struct correction *correction);

// Iterates up to `iterations` times, or to the tolerance of the solver.
void correction_solve(struct correction *correction, const struct gabion_world *world,
                      int iterations);

// Returns M^-1 J^T x: six numbers for each moving body, the angles or spins multiplied by its
// radius. The caller frees it with memory_free.
double *correction_motion(const struct correction *correction);

#endif
