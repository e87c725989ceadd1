// The modified biconjugate gradient of Galizzi and Faure ("Animation efficace de solides en contact
// par modele physique", AFIG 2002, section 4.1) as they have it: contacts are active (u_n = 0) or
// inactive (r = 0), the recurrence runs over the active ones alone, and after every iteration an
// active contact that pulls becomes inactive and an inactive one that closes becomes active. When
// any did, the recurrence starts anew from where it is.
//
// A contact without friction has one row, one that sticks has three (section 8). Points of joints
// are always active in the directions they hold (section 7). What r and u are
// is the caller's affair: forces and accelerations, impulses and velocities, or actions of
// displacement and gaps (section 6).
#ifndef ENGINE_SOLVERS_KRYLOV_PARTITION_H
#define ENGINE_SOLVERS_KRYLOV_PARTITION_H

#include "engine/problem/contact_problem.h"

enum partition_class {
    PARTITION_ABSENT, // takes no part: nothing that could move
    PARTITION_INACTIVE,
    PARTITION_ACTIVE,
};

// Goes from r for up to `iterations`, or until what is left of the errors q of the closing contacts
// is `tolerance` of them. `class` has one enum partition_class per contact: where they start, and
// where they end. Returns the iterations. Contacts never pull. What is left in r is not the last
// but that which obeyed the laws best on the way: where a load is shared in many ways, forces that
// cancelled each other are large, and dropping one that pulls would leave the other alone.
int partition_solve(const struct contact_problem *problem, uint8_t *class, int iterations,
                    double tolerance, double *r);

#endif
