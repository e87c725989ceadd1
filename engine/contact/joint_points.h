// The points of joints in the contact problem of a step.
#ifndef ENGINE_CONTACT_JOINT_POINTS_H
#define ENGINE_CONTACT_JOINT_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "geometry/vec.h"

// The points of one joint share a frame; they act on c, and against it on a.
struct joint_block {
    int32_t c, a;   // body indices, c < a; the number of bodies for the world itself
    uint32_t begin; // of its points
    uint32_t count;
    int32_t joint; // of the world
    bool swapped;  // c is the joint's second body
    vec3 axis[3];  // n, s, t at q_m
};

struct joint_point {
    vec3 arm_c, arm_a; // from the centre to the point, in units of the body's R
    vec3 bias;         // u + bias = 0 in the directions held
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

// Returns the number of points if no joint sleeps.
size_t joint_points_most(const struct gabion_world *world);

// Lays out the points of all joints whose bodies are in the run, at the midpoint, and starts from
// the impulses of the last step.
void joint_points_find(struct gabion_world *world);

// Keeps their impulses for the next step.
void joint_points_remember(struct gabion_world *world);

// Returns the error of point k of a block by the state of the bodies, of c against a, in the
// directions of the step.
vec3 joint_points_gap(const struct gabion_world *world, const struct joint_block *block, int k);

#endif
