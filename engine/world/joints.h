// Joints: bilateral constraints between two bodies, or a body and the world, inside the contact
// problem of the step.
//
// A joint is one to three points, each a point of a block (engine/problem/problem.h) of whose three
// directions some are held: u = 0 there, and the impulse may have any sign.
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

    // Of the step; void while the joint sleeps.
    int32_t body[2]; // indices; the number of bodies for the world
    bool swapped;    // the block's c is the second body
    uint32_t slot;   // its first point in the problem; SLOT_NONE: it sleeps
    vec3 axis[3];    // n, s, t at q_m
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
struct problem;
struct block;
struct block_point;
struct joint_inverse;

void joints_free(struct joints *joints);

// The angular impulses of the last step into problem->joint_moment.
void joints_expect(struct gabion_world *world);

// Finds the bodies and frames of the step. A joint sleeps while one of its bodies is not in the
// run. Returns the number of points of those that do not.
size_t joints_begin(struct gabion_world *world);

// The same for a scheme that builds no contact problem: lays out the points of the joints alone.
void joints_stand(struct gabion_world *world);

int joint_points(const struct joint *joint);

// The block of a joint but for the place of its points, and one of these points.
void joint_start_block(const struct joint *joint, struct block *block);
void joint_fill_point(const struct gabion_world *world, const struct joint *joint, int k,
                      const struct block *block, struct block_point *point);

// Of all its points, when they are filled.
void joint_fill_inverse(const struct problem *problem, const struct joint *joint,
                        const struct block *block, struct joint_inverse *inverse);

void joints_remember(struct gabion_world *world); // impulses for the next step

// 1/2 (u+ + u-).r of all joints, and the part of it that prescribed bodies paid for.
void joints_work(const struct gabion_world *world, double *work, double *driven);

// The error of point k by the state of the bodies, of the block's c against its a, in the
// directions of the step.
vec3 joint_gap(const struct gabion_world *world, const struct joint *joint, int k);

// How far the points of a joint are apart in the directions held, by the state of its bodies; zero
// while one is not in the run. And the largest of all joints.
double joint_error(const struct gabion_world *world, const struct joint *joint);
double joints_error(const struct gabion_world *world);

// Where the joint is on each body now; false while one of them is not in the run. And the force on
// the first over the last step, and its moment about a point; zero while the joint sleeps.
bool joints_anchors(const struct gabion_world *world, const struct joint *joint, vec3 *first,
                    vec3 *second);
vec3 joints_force(const struct gabion_world *world, const struct joint *joint);
vec3 joints_moment(const struct gabion_world *world, const struct joint *joint, vec3 about);

void joints_list_apart(struct joints *joints); // before joints_part, once there are new ones

// A pair of ids, by joints_key, is on that list.
bool joints_listed(const struct joints *joints, uint64_t key);

// Two bodies, by id, are joined and therefore do not collide. Asked for every pair in reach.
static inline bool joints_part(const struct joints *joints, int32_t first, int32_t second) {
    return joints->apart_count > 0 && joints_listed(joints, joints_key(first, second));
}

#endif
