// Whether impulses that solve this step will solve the next one as well.
//
// Impulses that bring bodies to rest stop what velocity they had, and this part of them is wrong in
// the next step, when there is nothing left to stop. Accepted there as long as it is within the
// tolerance, it sets the bodies in motion again: a wall at rest would ring at the tolerance for
// ever, with a solve in every second step.
#ifndef ENGINE_STEP_REST_H
#define ENGINE_STEP_REST_H

#include "engine/problem/contact_problem.h"
#include "engine/solvers/monitor.h"

// Measures the impulses r, a vector over the slots of the problem, with the velocities that they
// cause when they act for another step. Materialises the rows of the problem.
struct contact_error rest_error_of_next(struct contact_problem *problem, const vec3 *r);

#endif
