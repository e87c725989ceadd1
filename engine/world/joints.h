// Joints: bilateral constraints between two bodies, or a body and the world, inside the contact
// problem of the step.
//
// A joint is one to three points, of whose three directions some are held: u = 0 there, and the
// impulse may have any sign.
//
//   ball       the anchor, three directions
//   hinge      the anchor, and a point further along the axis, two directions across it
//   fixed      those, and a point off the axis, one direction across both
//   distance   the two anchors, one direction, along the line between them
//
// With the error g of the positions and u- = H v- at the start of the step, H_m at q_m, the law is
//
//   H_m v+ = -(1 - theta)/theta (H_m - H) v- - (1 - theta) u- - correction g / h.
//
// The first term is how the directions turn: at theta = 1/2 v+ leans out of them as much to one
// side as v- does to the other, so that the joint does no work in smooth motion and the scheme is
// of second order. The others are there for what a joint finds wrong, after shocks, sudden drivers
// and late arrivals. To first order an error goes over into
//
//   g' = g + h ((1 - theta) u- + theta u+),   u' = u+ = -(1 - theta) u- - g / h,
//
// whose square vanishes: velocity and position are right after two steps. (Asking for g' = 0 at
// once, theta u+ + (1 - theta) u- + g / h = 0, has at theta = 1/2 velocities that change sign for
// ever.) At theta = 1 this is u+ + g / h = 0, the scheme of Anitescu ("A fixed time-step approach
// for multi-body dynamics with contact and friction", IROS 2003).
#ifndef ENGINE_WORLD_JOINTS_H
#define ENGINE_WORLD_JOINTS_H

#include <stdint.h>

#include "engine/gabion.h"
#include "geometry/vec.h"

#define JOINT_POINTS 3

// Where a joint is on each of its two bodies, in the body's own axes from its centre; on the world,
// world axes from the origin.
struct joint_side {
    vec3 anchor;
    mat3 frame; // columns n, s, t
};

struct joint {
    enum gabion_joint_kind kind;
    int32_t id[2]; // bodies; -1: the world
    bool collide;
    struct joint_side side[2];
    double lever;  // from the anchor to the other points, m
    double length; // distance only, m

    vec3 impulse[JOINT_POINTS]; // state: of the last step on the first body, in the joint's frame
    vec3 axis[3];               // n, s, t at q_m of the last step
};

struct joints {
    struct joint *list;
    int count;
    // Pairs of ids that do not collide because they are joined, ascending: low << 32 | high.
    uint64_t *apart;
    size_t apart_count;
    int listed; // joints that the list was made of
};

static inline uint64_t joints_key(int32_t first, int32_t second) {
    uint64_t a = (uint64_t)first, b = (uint64_t)second;
    return a < b ? a << 32 | b : b << 32 | a;
}

struct gabion_world;

void joints_free(struct joints *joints);

// Points and places ---------------------------------------------------------------------------

int joint_points(const struct joint *joint);

// Returns the directions that point k holds: bits of engine/world/hold.h.
uint8_t joint_holds(const struct joint *joint, int k);

// A side of a joint in space.
struct joint_place {
    vec3 centre;
    vec3 arm;     // from the centre to the anchor
    vec3 axis[3]; // n, s, t
};

struct joint_place joint_place(const struct joint_side *side, vec3 centre, const mat3 *axes);

// Finds the indices of both bodies, the number of bodies for the world itself. False while one of
// them is not in the run: the joint sleeps.
bool joint_find_bodies(const struct gabion_world *world, const struct joint *joint, int32_t *body);

// Places both sides by the state of the bodies.
void joint_place_now(const struct gabion_world *world, const struct joint *joint,
                     const int32_t *body, struct joint_place *placed);

// Returns the vector from the centre of the side's body to point k.
vec3 joint_arm(const struct joint *joint, const struct joint_place *side, int k);

// Finds the joint's directions: they turn with its second body; those of a distance follow the
// line.
void joint_axes(const struct joint *joint, const struct joint_place *placed, vec3 *axis);

// Returns how far point k of the first side is from that of the second, in the directions held.
vec3 joint_error_at(const struct joint *joint, const struct joint_place *placed, const vec3 *axis,
                    int k);

// Readings ------------------------------------------------------------------------------------

// Adds up the angular impulses of the last step on each moving body.
void joints_moments(const struct gabion_world *world, vec3 *moment);

// How far the points of a joint are apart in the directions held, by the state of its bodies; zero
// while one is not in the run. And the largest of all joints.
double joint_error(const struct gabion_world *world, const struct joint *joint);
double joints_error(const struct gabion_world *world);

// Finds where the joint is on each body now; false while one of them is not in the run.
bool joints_anchors(const struct gabion_world *world, const struct joint *joint, vec3 *first,
                    vec3 *second);

// Return the force on the first body over the last step and its moment about a point; zero while
// the joint sleeps.
vec3 joints_force(const struct gabion_world *world, const struct joint *joint);
vec3 joints_moment(const struct gabion_world *world, const struct joint *joint, vec3 about);

// Joined bodies do not collide ------------------------------------------------------------------

void joints_list_apart(struct joints *joints); // before joints_part, once there are new ones

// Returns whether a pair of ids, by joints_key, is on that list.
bool joints_listed(const struct joints *joints, uint64_t key);

// Returns whether two bodies, by id, are joined and therefore do not collide. Called for every pair
// in reach.
static inline bool joints_part(const struct joints *joints, int32_t first, int32_t second) {
    return joints->apart_count > 0 && joints_listed(joints, joints_key(first, second));
}

#endif
