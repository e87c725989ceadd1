// Bodies that are tried at places without being part of the world: would they overlap what is
// there?
//
// A trial has arrays of bodies of its own, which begin with copies of the world's, and shares the
// world's shapes. How two bodies meet is in the table of pairs (engine/contact/pairs.h), so that
// every shape that the engine knows is seen.
#ifndef ENGINE_CONTACT_TRIAL_H
#define ENGINE_CONTACT_TRIAL_H

#include "engine/contact/pair.h"

struct trial {
    const struct gabion_world *world;
    struct gabion_world view; // the world with other bodies
    struct contact_list found;
};

void trial_open(struct trial *trial, const struct gabion_world *world);
void trial_close(struct trial *trial);

// Adds a body and returns its index. Its shape, if it has one of its own, must be in the world.
int32_t trial_add(struct trial *trial, const struct gabion_body *body);

// Takes the body that was added last away again.
void trial_drop(struct trial *trial);

// Puts a body, its centre of mass and principal axes, somewhere else.
void trial_move(struct trial *trial, int32_t i, vec3 x, quat q);

// Makes a ball of another radius of a ball.
void trial_resize(struct trial *trial, int32_t i, double radius);

// Returns whether body c, which is no wall, overlaps body a by more than `slack`.
bool trial_meets(struct trial *trial, int32_t c, int32_t a, double slack);

#endif
