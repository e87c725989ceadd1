// The modified biconjugate gradient of Galizzi and Faure ("Animation efficace de solides en contact
// par modele physique", AFIG 2002, section 4.1) in its original form: contacts are active (u_n = 0)
// or inactive (r = 0), and the recurrence runs over the active ones alone. After every iteration an
// active contact that pulls becomes inactive and an inactive one that closes becomes active. If any
// changed, the recurrence restarts from the present r.
//
// A contact without friction has one row, one that sticks has three (section 8). Points of joints
// are always active in the directions they hold (section 7). The caller decides what r and u mean:
// forces and accelerations, impulses and velocities, or displacement multipliers and gaps (section
// 6).
#ifndef ENGINE_SOLVERS_KRYLOV_PARTITION_H
#define ENGINE_SOLVERS_KRYLOV_PARTITION_H

#include "engine/problem/contact_problem.h"

enum partition_class {
    PARTITION_ABSENT, // takes no part: neither body can move
    PARTITION_INACTIVE,
    PARTITION_ACTIVE,
};

// Solves from r in up to `iterations` iterations, or until the errors q of the closing contacts are
// reduced to `tolerance` of their size. `class` has one enum partition_class per contact, at the
// start and on return. Returns the number of iterations. Contacts never pull. r is left with the
// iterate that obeyed the laws best, which need not be the last: where a load can be shared in many
// ways, large forces may cancel each other, and dropping one that pulls would leave the other
// alone.
int partition_solve(const struct contact_problem *problem, uint8_t *class, int iterations,
                    double tolerance, double *r);

#endif
