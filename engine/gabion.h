// Gabion's public C interface: define a world, step it, read it.
//
// SI units throughout. Functions that can fail take a `struct gabion_error *` (parallel/error.h)
// and return false or a negative id. Bodies, materials and groups are named by small integers given
// out in order of definition and never reused.
#ifndef ENGINE_GABION_H
#define ENGINE_GABION_H

#include <stdint.h>

#include "geometry/vec.h"
#include "parallel/error.h"
#include "parallel/team.h"

struct gabion_world;
struct polyhedron; // geometry/polyhedron.h
struct clump;      // geometry/clump.h

enum gabion_scheme {
    GABION_SCHEME_MOREAU,     // one implicit problem of velocities per step
    GABION_SCHEME_CORRECTIVE, // accelerations, positions and velocities corrected one after another
};

// Iterations of each correction.
struct gabion_budget {
    int positions, velocities, accelerations;
};

// How a contact constraint reads the gap g, measured at the midpoint configuration q_m.
enum gabion_gap {
    GABION_GAP_MOREAU, // active when the predicted gap closes; restitution acts there
    GABION_GAP_GAP,    // u_n + max(g, 0)/h >= 0: bodies arrive exactly
    // u_n + gamma g/h + Lambda >= 0, g of either sign: Anitescu 2003, with his restitution Lambda
    GABION_GAP_STABILIZED,
};

// Which approach the restitution of GABION_GAP_STABILIZED returns a part of.
enum gabion_restitution_velocity {
    GABION_RESTITUTION_CORRECTED,   // that before the step of the collision
    GABION_RESTITUTION_UNCORRECTED, // what that step left of it: wrong at every step size
};

enum gabion_method {        // docs/solvers.md has a page on each
    GABION_METHOD_NSGS,     // block Gauss-Seidel sweeps
    GABION_METHOD_PSOR,     // scalar projected over-relaxation; frictionless
    GABION_METHOD_CPG,      // conjugate projected gradient
    GABION_METHOD_LEMKE,    // lexicographic pivots on the polygonal cone
    GABION_METHOD_QP,       // quadratic programs on the polygonal cone
    GABION_METHOD_NEWTON,   // nonsmooth Newton with proximal regularisation, by sparse factors
    GABION_METHOD_BICG,     // active set and biconjugate gradients
    GABION_METHOD_ANDERSON, // accelerated sweeps
    GABION_METHOD_IPM,      // interior point
    GABION_METHOD_PROX,     // proximal point around accelerated sweeps
    GABION_METHOD_AUTO,     // a chain of the above, each when the one before stalls
    GABION_METHOD_COUNT
};

enum gabion_local {
    GABION_LOCAL_AUTO,     // explicit where the contact block is diagonal, newton elsewhere
    GABION_LOCAL_EXPLICIT, // the same; only spheres have such blocks
    GABION_LOCAL_NEWTON,   // Alart-Curnier on the full 3x3 block, exact where it fails
    GABION_LOCAL_LEMKE,    // lexicographic pivots on the polygonal cone
    GABION_LOCAL_QP,       // quadratic programs on the polygonal cone
    GABION_LOCAL_EXACT,    // the full 3x3 Coulomb problem solved directly
    GABION_LOCAL_COUNT
};

// Coulomb's cone for the methods that need flat faces: a polygon whose corners lie on the circle
// (inner) or whose sides touch it (outer), its first corner turned by `angle` from s towards t.
struct gabion_cone {
    int sides; // 3 or more
    bool outer;
    double angle; // rad
};

enum gabion_on_cap { GABION_CAP_ACCEPT, GABION_CAP_WARN, GABION_CAP_STOP };
enum gabion_measure { GABION_MEASURE_SCALED, GABION_MEASURE_FCLIB };

#define GABION_AUTOMATIC (-1.0) // for alert and restitution_cutoff

// A scalar function of time on [start, end]: displacement of a driver, size of a force.
enum gabion_signal_kind {
    GABION_SIGNAL_CONSTANT, // amplitude
    GABION_SIGNAL_LINEAR,   // amplitude * (t - start): a constant velocity
    GABION_SIGNAL_SINE,     // amplitude * sin(2 pi frequency (t - start) + phase)
    GABION_SIGNAL_RAMP,     // from 0 at start to amplitude at end
    GABION_SIGNAL_TABLE,    // amplitude * (linear interpolation of the points)
    GABION_SIGNAL_RECORD,   // the points are accelerations, linear between points and timed from
                            // `start`: amplitude * their double integral, from rest; goes on at
                            // the last speed
};

struct gabion_signal {
    enum gabion_signal_kind kind;
    double start, end;       // end may be INFINITY
    double amplitude;        // m, m/s, rad, rad/s or N
    double frequency, phase; // Hz, rad
    double smooth;           // s: length of the smooth run-in and run-out (sine, ramp); 0: none
    int points;              // table, record: time and value of each point, time increasing
    double *table_time, *table_value;
    bool returns; // record: add c0 + c1 t to it so that it ends at rest, where it began
    double *record_velocity, *record_displacement; // of a signal's copy inside the world
};

struct gabion_settings {
    double step, end, theta;
    vec3 gravity;
    double gravity_ramp_start,
        gravity_ramp_end; // gravity grows smoothly from 0 over this; equal: none
    enum gabion_scheme scheme;
    struct gabion_budget budget; // of GABION_SCHEME_CORRECTIVE, per step
    enum gabion_gap gap;
    double alert;              // m, added to each body's reach; GABION_AUTOMATIC
    double restitution_cutoff; // m/s; GABION_AUTOMATIC: 2 |gravity| step
    int projection;            // iterations of the position pass after each step; 0: none
    double gamma;              // of GABION_GAP_STABILIZED: the part of a gap that a step closes
    enum gabion_restitution_velocity restitution_velocity;
    double joint_correction; // share of a joint's error that a step takes off, in [0, 1]
    enum gabion_method method;
    enum gabion_local local;
    double tolerance;
    enum gabion_measure measure;
    int max_sweeps; // of a step; with GABION_METHOD_NEWTON its factorisations
    double relaxation;
    bool momentum; // accelerate the sweeps
    struct gabion_cone cone;
    enum gabion_on_cap on_cap;
    double time_budget; // s of wall clock for a step; 0: none. Any other gives up reproducibility
    double rest_speed, rest_duration; // stop when every body is slower for this long; 0: never
};

struct gabion_law {
    double friction; // INFINITY: sticking
    double restitution, tangential_restitution;
};

enum gabion_shape {
    GABION_SPHERE,
    GABION_HALF_SPACE,
    GABION_POLYHEDRON,
    GABION_CLUMP,         // a rigid body made of spheres
    GABION_HOLLOW_SPHERE, // the inside of a sphere; all moving bodies are in it
    GABION_DRUM,          // the inside of a cylinder
};

enum gabion_lock { // degrees of freedom, world axes
    GABION_LOCK_X = 1,
    GABION_LOCK_Y = 2,
    GABION_LOCK_Z = 4,
    GABION_LOCK_RX = 8,
    GABION_LOCK_RY = 16,
    GABION_LOCK_RZ = 32,
};

struct gabion_body {
    enum gabion_shape shape;
    double radius;    // sphere; hollow sphere and drum: of the inside
    vec3 normal;      // half-space: out of the solid, unit; drum: its axis, unit
    vec3 tangent;     // half-space as drawn: direction of the first half extent, unit
    double extent[2]; // half-space as drawn: half sides of the rectangle; 0: fit the scene
    double length;    // drum
    bool ends;        // drum: closed by two flat discs
    int polyhedron;   // polyhedron: which, from gabion_add_polyhedron
    int clump;        // clump: which, from gabion_add_clump
    // Centre of a sphere, hollow sphere or drum; point of the plane, centre of the drawn rectangle;
    // origin and axes of the drawing frame of a polyhedron or clump. The orientation of a
    // half-space or drum is that of its normal. The body's state speaks of its centre of mass and
    // principal axes.
    vec3 position;
    quat orientation;
    vec3 velocity, spin; // spin: angular velocity, world axes
    int material, group; // group 0 is the unnamed one
    bool fixed;          // never moves, or only as a driver says
    unsigned lock;       // enum gabion_lock bits
    double density;      // used when mass is 0
    double mass;         // 0: from shape and density
    vec3 inertia;        // principal moments; zero: from shape and mass
    double insert_time;  // enters the run at this time; 0 or less: from the start
};

enum gabion_joint_kind {
    GABION_JOINT_BALL,     // the anchor is one point of both bodies
    GABION_JOINT_HINGE,    // and they turn against each other about the axis alone
    GABION_JOINT_FIXED,    // they move as one
    GABION_JOINT_DISTANCE, // the two anchors stay as far apart as they are
    GABION_JOINT_COUNT
};

struct gabion_joint {
    enum gabion_joint_kind kind;
    int32_t first, second; // bodies; second may be -1: the world
    vec3 anchor;           // where the bodies are as they are defined, world axes
    vec3 anchor_second;    // distance: on the second body
    vec3 axis;             // hinge
    bool collide;          // joined bodies do not touch each other unless this is said
};

enum gabion_quantity {
    GABION_POSITION,
    GABION_VELOCITY,
    GABION_SPIN,
    GABION_FORCE,  // sum of the contact and joint forces on the group over the last step
    GABION_MOMENT, // and of their moments about the mean position of the group
};

// Default settings and an empty, named body: fill in what differs.
struct gabion_settings gabion_default_settings(void);
struct gabion_body gabion_default_body(void);

struct gabion_world *gabion_create(const struct gabion_settings *settings, struct team *team,
                                   struct gabion_error *error);
void gabion_destroy(struct gabion_world *world);

// Definition, before the first step. Names may be looked up again; materials are capped at
// UINT16_MAX, groups too.
int gabion_add_material(struct gabion_world *world, const char *name, double density);
int gabion_find_material(const struct gabion_world *world, const char *name); // -1: none
double gabion_material_density(const struct gabion_world *world, int material);
bool gabion_set_law(struct gabion_world *world, int material_a, int material_b,
                    const struct gabion_law *law, struct gabion_error *error);
bool gabion_set_default_law(struct gabion_world *world, const struct gabion_law *law,
                            struct gabion_error *error); // pairs without a law of their own
int gabion_add_group(struct gabion_world *world, const char *name);        // or the existing one
int gabion_find_group(const struct gabion_world *world, const char *name); // -1: none
const char *gabion_group_name(const struct gabion_world *world, int group);
// Shapes that any number of bodies may have. The world takes them over, even when it returns -1.
int gabion_add_polyhedron(struct gabion_world *world, struct polyhedron *polyhedron,
                          struct gabion_error *error);
int gabion_add_clump(struct gabion_world *world, struct clump *clump, struct gabion_error *error);
int32_t gabion_add_body(struct gabion_world *world, const struct gabion_body *body,
                        struct gabion_error *error);
void gabion_reserve_bodies(struct gabion_world *world, size_t count);

// Drivers move fixed bodies along `direction` by the signal, or turn them about the axis through
// `pivot` by it (rad); gravity may be turned too, as on a tilting table. Forces act at the centre
// of every moving body of the group; a reset sets velocities and spins; a removal takes the group
// out.
bool gabion_add_driver(struct gabion_world *world, int group, vec3 direction,
                       const struct gabion_signal *signal, struct gabion_error *error);
bool gabion_add_rotation(struct gabion_world *world, int group, vec3 pivot, vec3 axis,
                         const struct gabion_signal *signal, struct gabion_error *error);
bool gabion_set_tilt(struct gabion_world *world, vec3 axis, const struct gabion_signal *signal,
                     struct gabion_error *error); // of gravity about `axis`, rad
bool gabion_add_force(struct gabion_world *world, int group, vec3 direction,
                      const struct gabion_signal *signal, struct gabion_error *error);
bool gabion_add_reset(struct gabion_world *world, int group, double time, vec3 velocity, vec3 spin,
                      struct gabion_error *error);
bool gabion_add_removal(struct gabion_world *world, int group, double time,
                        struct gabion_error *error);
// A joint holds while both bodies are in the run; one that leaves ends it. Returns its number, -1
// on an error.
int gabion_add_joint(struct gabion_world *world, const struct gabion_joint *joint,
                     struct gabion_error *error);
int gabion_add_probe(struct gabion_world *world, const char *name, int group,
                     enum gabion_quantity quantity, struct gabion_error *error);

// One step. False only on an error that stops the run (a body became NaN, the cap with
// GABION_CAP_STOP); the state is then that of the last complete step, with the events that fall due
// at its end already done. Trying again, or resuming from its checkpoint, does the same again.
bool gabion_step(struct gabion_world *world, struct gabion_error *error);

// Of the state between steps.
int64_t gabion_step_number(const struct gabion_world *world);
double gabion_time(const struct gabion_world *world);
bool gabion_at_rest(const struct gabion_world *world); // the rest criterion holds
uint64_t gabion_state_hash(const struct gabion_world *world);
bool gabion_body_state(const struct gabion_world *world, int32_t body, vec3 *position,
                       quat *orientation, vec3 *velocity, vec3 *spin); // false: not in the run
vec3 gabion_probe_value(const struct gabion_world *world, int probe);

#endif
