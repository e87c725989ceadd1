// Mechanical joints: two-sided constraints between two bodies, or between a body and the world,
// that are solved together with the contacts of the step. (The faces between masonry blocks are
// called interfaces: engine/contact/interfaces.h.)
//
// A joint consists of one to three points. At each point the relative velocity u of the bodies
// vanishes in some of the three directions n, s, t; these directions are held, and the impulse
// along them may have either sign.
//
//   ball       the anchor, three directions
//   hinge      the anchor, and a point further along the axis, two directions across it
//   fixed      those, and a point off the axis, one direction across both
//   distance   the two anchors, one direction, along the line between them
//
// Let g be the error of the positions, u- = H v- the velocity across the joint at the start of the
// step, H its directions and lever arms there, and H_m those at the midpoint q_m. The law is
//
//   H_m v+ = -(1 - theta)/theta (H_m - H) v- - (1 - theta) u- - correction g / h.
//
// The first term accounts for the rotation of the directions during the step: at theta = 1/2, v+
// and v- deviate from the directions at q_m by opposite amounts, so that the joint does no work in
// smooth motion and the scheme is of second order. The other terms remove errors that shocks,
// sudden drivers and late bodies cause. To first order an error evolves as
//
//   g' = g + h ((1 - theta) u- + theta u+),   u' = u+ = -(1 - theta) u- - g / h,
//
// a linear map whose square is zero: velocity and position are correct after two steps. (The
// condition g' = 0 after one step, theta u+ + (1 - theta) u- + g / h = 0, makes velocities at theta
// = 1/2 change sign for ever.) At theta = 1 this is u+ + g / h = 0, the scheme of Anitescu ("A
// fixed time-step approach for multi-body dynamics with contact and friction", IROS 2003).
#ifndef ENGINE_WORLD_JOINTS_H
#define ENGINE_WORLD_JOINTS_H

#include <stdint.h>

#include "engine/gabion.h"
#include "geometry/vec.h"

#define JOINT_POINTS 3

// The place of a joint on one of its two bodies, in the body's own axes from its centre; for the
// world, in world axes from the origin.
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

    vec3 impulse[JOINT_POINTS]; // part of the state: impulse of the last step on the first body, in
                                // the joint's frame
    vec3 axis[3];               // n, s, t at q_m of the last step
};

struct joints {
    struct joint *list;
    int count;
    // Pairs of ids that do not collide because they are joined, ascending: low << 32 | high.
    uint64_t *apart;
    size_t apart_count;
    int listed; // number of joints when `apart` was made
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

// One side of a joint in world axes.
struct joint_place {
    vec3 centre;
    vec3 arm;     // from the centre to the anchor
    vec3 axis[3]; // n, s, t
};

struct joint_place joint_place(const struct joint_side *side, vec3 centre, const mat3 *axes);

// Finds the indices of both bodies; the index of the world is the number of bodies. Returns false
// while one of the bodies is not in the run: the joint then does not act.
bool joint_find_bodies(const struct gabion_world *world, const struct joint *joint, int32_t *body);

// Computes both sides from the present state of the bodies.
void joint_place_now(const struct gabion_world *world, const struct joint *joint,
                     const int32_t *body, struct joint_place *placed);

// Returns the vector from the centre of the side's body to point k.
vec3 joint_arm(const struct joint *joint, const struct joint_place *side, int k);

// Finds the directions n, s, t of the joint. They turn with its second body; those of a distance
// joint follow the line between the anchors.
void joint_axes(const struct joint *joint, const struct joint_place *placed, vec3 *axis);

// Returns the vector from point k of the second side to point k of the first, in the directions
// held.
vec3 joint_error_at(const struct joint *joint, const struct joint_place *placed, const vec3 *axis,
                    int k);

// Readings ------------------------------------------------------------------------------------

// Adds up the angular impulses of the last step on each moving body.
void joints_moments(const struct gabion_world *world, vec3 *moment);

// Return the distance between the points of a joint in the directions held, from the present state
// of its bodies (zero while one is not in the run), and the largest such distance of all joints.
double joint_error(const struct gabion_world *world, const struct joint *joint);
double joints_error(const struct gabion_world *world);

// Finds the present anchors on both bodies; returns false while one of them is not in the run.
bool joints_anchors(const struct gabion_world *world, const struct joint *joint, vec3 *first,
                    vec3 *second);

// Return the force on the first body over the last step and its moment about a point; zero while
// one of the bodies is not in the run.
vec3 joints_force(const struct gabion_world *world, const struct joint *joint);
vec3 joints_moment(const struct gabion_world *world, const struct joint *joint, vec3 about);

// Joined bodies do not collide ------------------------------------------------------------------

void joints_list_apart(
    struct joints *joints); // call it after joints were added, before joints_part

// Returns whether a pair of ids, by joints_key, is on that list.
bool joints_listed(const struct joints *joints, uint64_t key);

// Returns whether two bodies, by id, are joined and therefore do not collide. Called for every pair
// in reach.
static inline bool joints_part(const struct joints *joints, int32_t first, int32_t second) {
    return joints->apart_count > 0 && joints_listed(joints, joints_key(first, second));
}

#endif
