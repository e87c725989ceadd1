// The points of mechanical joints (engine/world/joints.h) as rows of the contact problem of a step.
#ifndef ENGINE_CONTACT_JOINT_POINTS_H
#define ENGINE_CONTACT_JOINT_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "geometry/vec.h"

// A joint block is the set of points of one joint, which share a frame. Their impulses act on c,
// and the opposite impulses on a.
struct joint_block {
    int32_t c, a;   // body indices, c < a; the number of bodies for the world itself
    uint32_t begin; // its first point
    uint32_t count;
    int32_t joint; // its number in the world
    bool swapped;  // c is the joint's second body
    vec3 axis[3];  // n, s, t at q_m
};

struct joint_point {
    vec3 arm_c, arm_a; // from the centre to the point, in units of the body's R
    vec3 bias;         // u + bias = 0 in the directions held
    vec3 pull;         // the part of bias that closes the joint: correction g / h
    uint8_t held;      // engine/world/hold.h
};

struct joint_points {
    struct joint_block *blocks;
    size_t block_count, block_capacity;
    struct joint_point *points;
    size_t count, capacity;
};

struct gabion_world;

void joint_points_free(struct joint_points *joints);

// Returns the number of points when all joints act, an upper bound.
size_t joint_points_most(const struct gabion_world *world);

// Lays out the points of all joints whose bodies are in the run, at the midpoint, and starts from
// the impulses of the last step.
void joint_points_find(struct gabion_world *world);

// Returns whether some joint is further apart than a step may close.
bool joint_points_open(const struct gabion_world *world);

// Keeps the impulses of the points for the next step.
void joint_points_remember(struct gabion_world *world);

// Returns the error of point k of a joint block, c relative to a, from the present state of the
// bodies, in the directions that the joint had at q_m.
vec3 joint_points_gap(const struct gabion_world *world, const struct joint_block *block, int k);

#endif
