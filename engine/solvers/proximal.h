// Proximal Newton: what sweeps cannot do in reasonable time on masonry.
//
// Each proximal step makes the contacts compliant around the impulses at hand and solves the
// resulting equation for the velocities of the bodies (engine/solvers/body_system.h) by Newton's
// method; its impulses are the reference of the next. The compliance is so small that one to three
// steps are exact. Proximal regularisation is what makes Newton's method robust on hyperstatic
// problems, whose W is singular (Acary, Bremond, Huber, "On solving contact problems with Coulomb
// friction: formulations and numerical comparisons", 2018).
#ifndef ENGINE_SOLVERS_PROXIMAL_H
#define ENGINE_SOLVERS_PROXIMAL_H

#include "engine/problem.h"

struct proximal;

struct proximal *proximal_create(void);
void proximal_free(struct proximal *proximal);

// Once for each problem. Velocities start from those before the step.
void proximal_prepare(struct proximal *proximal, const struct gabion_world *world);

// One proximal step from the impulses in the problem. When it succeeds it replaces them; velocities
// are the caller's business. The compliance adapts from step to step. *budget counts the
// factorisations down, and ends the step at zero.
bool proximal_step(struct proximal *proximal, struct problem *problem, double tolerance,
                   int *budget);

// Notes the impulses of the problem, and puts them back: the best may not be the last. None have
// been noted: they vanish.
void proximal_keep(struct proximal *proximal, const struct problem *problem);
void proximal_restore(const struct proximal *proximal, struct problem *problem);

// No compliance is left that has not failed.
bool proximal_exhausted(const struct proximal *proximal);

#endif
