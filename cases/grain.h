// Grains: the bodies of a lattice or fill, drawn from a mixture before they have a place.
#ifndef CASES_GRAIN_H
#define CASES_GRAIN_H

#include "cases/generators.h"
#include "parallel/random.h"

struct polyhedron;
struct clump;

struct grain {
    const struct grain_kind *kind;
    double size;   // as drawn from the distribution of its kind
    double radius; // of the sphere about its centre of mass that holds it
    double core;   // radius of a sphere about that centre inside of its hull
    double volume;
    double density;                // relative to that of its kind
    int64_t order;                 // in which it was drawn
    struct polyhedron *polyhedron; // a shape of its own until it is in the world; owned
    struct clump *clump;           // likewise
    int shape;                     // number of its shape in the world; -1: none yet
    bool own;                      // no other body has that shape
    vec3 position;                 // as gabion_add_body takes them
    quat orientation;
};

bool mixture_check(const struct grain_mixture *mixture, struct gabion_error *error);

// Rejects more bodies than there is memory for.
bool mixture_fits_memory(const struct gabion_world *world, const struct grain_mixture *mixture,
                         int64_t count, struct gabion_error *error);

// Draws `count` grains, kinds in random order. Free them with grains_free.
struct grain *mixture_draw(const struct gabion_world *world, const struct grain_mixture *mixture,
                           int64_t count, struct random_stream *stream, struct gabion_error *error);
void grains_free(struct grain *grains, int64_t count);

// Draws one grain of a kind. grain_free frees a shape that did not get into the world.
bool grain_draw(const struct gabion_world *world, const struct grain_kind *kind,
                struct random_stream *stream, struct grain *grain, struct gabion_error *error);
void grain_free(struct grain *grain);

static inline bool grain_is_ball(const struct grain *grain) {
    return grain->kind->form == GRAIN_BALL || grain->kind->form == GRAIN_DISK;
}

// Returns the body of a grain without a place; puts its shape into the world. Returns false with an
// error where the shape is rejected.
bool grain_body(struct gabion_world *world, struct grain *grain, struct gabion_body *body,
                struct gabion_error *error);

// Sets mass and inertia of a body with a radius to those of a disk, where they are not given. A
// disk has the geometry of a sphere and the moment of a cylinder about its axis. Its other two
// rotations are locked, so an isotropic inertia serves.
void grain_weigh_disk(struct gabion_body *body, double thickness);

// Returns the centre of mass in the drawing frame of a grain whose shape is in the world.
vec3 grain_centre(const struct gabion_world *world, const struct gabion_body *body);

// Takes a shape that the grain alone has out of the world again, which got no other one since.
void grain_withdraw(struct gabion_world *world, const struct grain *grain);

#endif
