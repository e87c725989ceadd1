// Bodies: who they are, what they weigh, where they are. One array per property.
//
// Bodies [0, moving) are free; bodies [moving, count) are fixed or follow a driver, and no solver
// writes to them. An index is a place in these arrays and changes when bodies are sorted, inserted
// or removed; an id is for ever. The order is part of the state.
#ifndef ENGINE_WORLD_BODIES_H
#define ENGINE_WORLD_BODIES_H

#include <stddef.h>
#include <stdint.h>

#include "engine/gabion.h"
#include "engine/world/shapes.h"
#include "engine/world/state.h"
#include "geometry/clump.h"
#include "geometry/compound.h"
#include "geometry/hollow.h"
#include "geometry/polyhedron.h"

// A half-space is the solid behind a plane. The plane passes through the body's position. Its own
// axes are those of the world until a driver turns it.
struct half_space {
    vec3 normal;      // out of the solid, own axes
    vec3 tangent;     // as drawn, own axes
    double extent[2]; // half sides as drawn; 0: fit the scene
};

struct bodies {
    int32_t count, moving;
    size_t capacity;

    int32_t *id;
    int32_t *shape_index; // into the table of its shape; -1 for spheres
    uint16_t *material, *group;
    uint8_t *shape; // enum gabion_shape
    uint8_t *lock;  // enum gabion_lock bits

    double *radius; // of the sphere about x that holds the body; 0 for walls
    double *mass;   // 0 for fixed bodies
    vec3 *inertia;  // principal moments; body axes are principal axes

    vec3 *x; // centre of mass (or point of the plane)
    quat *q;
    vec3 *v;
    vec3 *w; // angular velocity, world axes

    int32_t id_count;  // ids given out
    int32_t *index_of; // id -> index; -1: not in the run (not yet, or removed)
    size_t id_capacity;

    struct half_space *half_spaces;
    size_t half_space_count, half_space_capacity;
    struct polyhedron **polyhedra; // shapes, each of any number of bodies
    size_t polyhedron_count, polyhedron_capacity;
    struct clump **clumps; // likewise
    size_t clump_count, clump_capacity;
    struct compound **compounds; // likewise; their parts are polyhedra of the list above
    size_t compound_count, compound_capacity;
    struct hollow *hollows; // hollow spheres and drums
    size_t hollow_count, hollow_capacity;
    vec3 *start_of; // id -> x when it entered the run; zero for a body that has not entered
    size_t start_count, start_capacity;
};

// The arrays with an element per body, and what the state has of them (engine/world/state.h).
#define BODY_FIELDS 13
extern const struct state_field body_fields[BODY_FIELDS];

void bodies_free(struct bodies *bodies);
void bodies_reserve(struct bodies *bodies, size_t count);

// Returns a new id. Its body may enter later (a timed insertion).
int32_t bodies_new_id(struct bodies *bodies);

// Puts the body at the end of the arrays; engine/world/order.h then restores the moving/fixed
// order.
void bodies_append(struct bodies *bodies, int32_t id, const struct gabion_body *body);

// Finds a body's centre of mass, its principal axes and the radius of the sphere about it.
void bodies_place(const struct bodies *bodies, const struct gabion_body *body, vec3 *x, quat *q,
                  double *radius);

// Finds its mass and principal moments of inertia, given or those of its shape; zero where it is
// fixed.
void bodies_weigh(const struct bodies *bodies, const struct gabion_body *body, double *mass,
                  vec3 *inertia);

// Reorders the bodies: order[k] is the old index of the k-th body. Bodies not in `order` leave the
// run.
void bodies_permute(struct bodies *bodies, const int32_t *order, int32_t count, int32_t moving);

// Fills index_of for the bodies in the arrays (it has room for id_count ids).
void bodies_index(struct bodies *bodies);

// Returns whether all moments of inertia are equal: then there is no gyroscopic term, and the
// orientation does not matter to contacts.
static inline bool bodies_isotropic(const struct bodies *bodies, int32_t i) {
    vec3 inertia = bodies->inertia[i];
    return inertia.x == inertia.y && inertia.y == inertia.z;
}

static inline const struct half_space *bodies_half_space(const struct bodies *bodies, int32_t i) {
    return &bodies->half_spaces[bodies->shape_index[i]];
}

// Returns the normal of a half-space in world axes; `axes` are those of the body, NULL where
// nothing turns.
static inline vec3 bodies_plane_normal(const struct bodies *bodies, int32_t i, const mat3 *axes) {
    vec3 normal = bodies_half_space(bodies, i)->normal;
    return axes ? mat3_apply(*axes, normal) : normal;
}

static inline const struct polyhedron *bodies_polyhedron(const struct bodies *bodies, int32_t i) {
    return bodies->polyhedra[bodies->shape_index[i]];
}

static inline const struct clump *bodies_clump(const struct bodies *bodies, int32_t i) {
    return bodies->clumps[bodies->shape_index[i]];
}

static inline const struct compound *bodies_compound(const struct bodies *bodies, int32_t i) {
    return bodies->compounds[bodies->shape_index[i]];
}

static inline const struct hollow *bodies_hollow(const struct bodies *bodies, int32_t i) {
    return &bodies->hollows[bodies->shape_index[i]];
}

static inline const struct shape_kind *bodies_shape(const struct bodies *bodies, int32_t i) {
    return &shape_kinds[bodies->shape[i]];
}

static inline bool bodies_is_wall(const struct bodies *bodies, int32_t i) {
    return bodies_shape(bodies, i)->wall;
}

// Returns whether some shape of the world has contacts that need axes, even before a body has it.
bool bodies_have_axes(const struct bodies *bodies);

// Returns whether the body has a place in start_of.
static inline bool bodies_has_start(const struct bodies *bodies, int32_t i) {
    return (size_t)bodies->id[i] < bodies->start_count;
}

// Returns whether shape_index leads to an entry of the shape's list.
bool bodies_shape_fits(const struct bodies *bodies, int32_t i);

// Returns the length R by which the solver turns a spin into a velocity, s = R w; one metre for a
// wall, which has no radius.
static inline double bodies_spin_radius(const struct bodies *bodies, int32_t i) {
    return bodies_is_wall(bodies, i) ? 1 : bodies->radius[i];
}

// Returns the length that an overlap is compared with: a radius, or half a thickness; a wall has
// none.
static inline double bodies_size(const struct bodies *bodies, int32_t i) {
    const struct shape_kind *shape = bodies_shape(bodies, i);
    if (shape->ball)
        return bodies->radius[i];
    return shape->size ? shape->size(bodies, i) : INFINITY;
}

static inline double bodies_smaller_size(const struct bodies *bodies, int32_t c, int32_t a) {
    return fmin(bodies_size(bodies, c), bodies_size(bodies, a));
}

#endif
