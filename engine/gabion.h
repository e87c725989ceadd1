// Gabion simulates granular media and dry masonry by Non-Smooth Contact Dynamics. This header is
// its complete C interface.
//
// A program creates a world, defines materials, shapes and bodies, steps the world and reads it.
// All quantities are in SI units; vectors are in world axes unless a comment says otherwise.
//
// Identity.   Bodies, materials, groups, shapes, joints and probes are named by small integers,
//             given out from 0 in order of definition and never reused.
// Errors.     A function that can fail takes a `struct gabion_error *`, which may be NULL, and
//             returns false, NULL or a negative number. The status of the error says what kind it
//             is, the text what was expected. A function that rejects its arguments
//             (GABION_ERROR_INPUT: a null pointer, an id or index that does not exist, a value out
//             of range) has changed nothing. No function exits or aborts. Zero the error before
//             the first call: it keeps the first error until it is zeroed again.
// Memory.     A function that runs out of memory fails with GABION_ERROR_MEMORY. After a step the
//             last complete step can then be read and written to a checkpoint, but the world cannot
//             be changed any more. If the world was being changed in another way, or the state had
//             begun to change, it is broken: every later call fails and says so, and all that is
//             left to do is gabion_destroy, which frees everything.
// Ownership.  The library copies what it is given. Texts and arrays that it hands out belong to
//             the world and stay valid until the next call that takes the world without `const`,
//             unless a comment says otherwise. gabion_set_velocity, gabion_apply_force and the
//             functions that set a callback leave them valid.
// Threads.    A world may be used from any thread, by one thread at a time. Functions that take a
//             constant world may run side by side while no other function runs on that world.
//             While a thread is inside a function that changes a world, calls of other threads on
//             it fail and change nothing. Worlds are independent of each other.
#ifndef GABION_H
#define GABION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parallel/types.h"

#define GABION_VERSION_MAJOR 0
#define GABION_VERSION_MINOR 2
#define GABION_VERSION_PATCH 0
#define GABION_VERSION       "0.2.0"

// Marks what the shared library exports.
#if defined(__GNUC__)
#define GABION_API __attribute__((visibility("default")))
#else
#define GABION_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct gabion_world;

// Returns the version of the library that runs, which may be newer than the header. Never fails.
GABION_API const char *gabion_version(void);

// Settings ------------------------------------------------------------------------------------

enum gabion_scheme {
    GABION_SCHEME_MOREAU,     // each step solves one contact problem for the velocities at its end
    GABION_SCHEME_CORRECTIVE, // accelerations, positions and velocities corrected one after another
};

// Iterations of each correction of GABION_SCHEME_CORRECTIVE.
struct gabion_budget {
    int positions, velocities, accelerations;
};

// How the gap g of a contact, measured at the midpoint of the step, limits its normal velocity u_n
// (h is the time step).
enum gabion_gap {
    GABION_GAP_MOREAU, // active when the predicted gap closes; restitution acts there
    GABION_GAP_GAP,    // u_n + max(g, 0)/h >= 0: bodies arrive exactly
    // u_n + gamma g/h + Lambda >= 0, g of either sign: Anitescu 2003, with his restitution Lambda
    GABION_GAP_STABILIZED,
};

// The velocity of approach that the restitution of GABION_GAP_STABILIZED is applied to.
enum gabion_restitution_velocity {
    GABION_RESTITUTION_CORRECTED,   // before the step in which the bodies collided
    GABION_RESTITUTION_UNCORRECTED, // after that step; wrong at every step size, kept for
                                    // comparison
};

enum gabion_method {        // docs/solvers.md describes each
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
    GABION_METHOD_ADMM,     // alternating directions with one factorisation
    GABION_METHOD_AUTO,     // chooses among the above by the problem, until it is solved
    GABION_METHOD_COUNT
};

// Solvers of the problem of one contact, whose part of W is a 3x3 block.
enum gabion_local {
    GABION_LOCAL_AUTO,     // explicit where the 3x3 block is diagonal, newton elsewhere
    GABION_LOCAL_EXPLICIT, // for diagonal blocks, which only spheres have; elsewhere newton
                           // replaces it
    GABION_LOCAL_NEWTON,   // Newton's method of Alart and Curnier on the full block, exact where it
                           // fails
    GABION_LOCAL_LEMKE,    // lexicographic pivots on the polygonal cone
    GABION_LOCAL_QP,       // quadratic programs on the polygonal cone
    GABION_LOCAL_EXACT,    // the full 3x3 Coulomb problem solved directly
    GABION_LOCAL_COUNT
};

// Coulomb's cone for the methods that need flat faces: a polygon whose corners lie on the circle
// (inner) or whose sides touch it (outer), its first corner turned by `angle` from s towards t.
struct gabion_cone {
    int sides; // 3 or more; in struct gabion_settings at most 64, in struct gabion_solver 1000
    bool outer;
    double angle; // rad
};

// What a step that does not converge does: goes on silently, logs a warning, or fails.
enum gabion_on_cap { GABION_CAP_ACCEPT, GABION_CAP_WARN, GABION_CAP_STOP };
// What a step does about which a watch warns (docs/output-files.md): goes on, or fails once it is
// complete.
enum gabion_watch { GABION_WATCH_WARN, GABION_WATCH_STOP };
// The residual that is compared with the tolerance: scaled by velocities, or as FCLIB defines it.
enum gabion_measure { GABION_MEASURE_SCALED, GABION_MEASURE_FCLIB };

#define GABION_AUTOMATIC (-1.0) // for alert and restitution_cutoff

struct gabion_settings {
    double step;  // s, length of a time step
    double end;   // s, for programs that run to a time; gabion_step and gabion_run ignore it
    double theta; // weight of the new state, in [0.5, 1]; 0.5 keeps energy, 1 is implicit Euler
    gabion_vec3 gravity;
    // Gravity grows smoothly from 0 over this interval; equal: it acts fully from the start.
    double gravity_ramp_start, gravity_ramp_end;
    enum gabion_scheme scheme;
    struct gabion_budget budget; // of GABION_SCHEME_CORRECTIVE, per step
    enum gabion_gap gap;
    double alert;              // m, added to each body's reach; GABION_AUTOMATIC
    double restitution_cutoff; // m/s; GABION_AUTOMATIC: 2 |gravity| step
    int projection;            // iterations of the position pass after each step; 0: none,
                               // GABION_AUTOMATIC: where bodies overlap by a thousandth
    double gamma;              // of GABION_GAP_STABILIZED: the part of a gap that a step closes
    enum gabion_restitution_velocity restitution_velocity;
    double joint_correction; // share of a joint's error that a step takes off, in [0, 1]
    enum gabion_method method;
    enum gabion_local local;
    double tolerance;
    enum gabion_measure measure;
    int max_sweeps; // of a step; with GABION_METHOD_NEWTON its factorisations; with AUTO its
                    // sweeps, from which the caps of its other stages follow
    double relaxation;
    bool momentum; // accelerate the sweeps
    struct gabion_cone cone;
    enum gabion_on_cap on_cap;
    double time_budget; // s of wall clock for a step; 0: none. Any other gives up reproducibility
    double rest_speed, rest_duration; // gabion_at_rest: slower than this for this long; 0: never
    double fall_distance, fall_speed; // gabion_collapsed: m and m/s; 0: not looked at
    enum gabion_watch watch;
};

// Returns the default settings. Change what differs. Never fails.
GABION_API struct gabion_settings gabion_default_settings(void);

// Return names as in case files ("nsgs", "auto"); NULL for a value outside the enumeration.
GABION_API const char *gabion_method_name(enum gabion_method method);
GABION_API const char *gabion_local_name(enum gabion_local local);

// The world -----------------------------------------------------------------------------------

// Creates an empty world with a copy of the settings and a team of `threads` threads; 0: one per
// physical core that the process may use. Results do not depend on the number of threads, to the
// last bit. Returns NULL on an error; gabion_destroy frees the world.
GABION_API struct gabion_world *gabion_create(const struct gabion_settings *settings, int threads,
                                              struct gabion_error *error);
// Frees the world and all that it handed out. NULL is allowed. Does nothing but log a warning while
// a function that changes the world has not returned: in a step function, or in another thread.
GABION_API void gabion_destroy(struct gabion_world *world);

GABION_API bool gabion_get_settings(const struct gabion_world *world,
                                    struct gabion_settings *settings, struct gabion_error *error);
// Changes the settings, before the first step or between steps. `scheme` cannot change after the
// first step. With another `step` the time goes on from the present one. A change of gravity
// changes the potential energy: the ledger books the difference as removed_energy.
GABION_API bool gabion_set_settings(struct gabion_world *world,
                                    const struct gabion_settings *settings,
                                    struct gabion_error *error);
GABION_API int gabion_threads(const struct gabion_world *world); // -1: no world

// Creates the world that a case file (docs/case-files.md) describes: settings, materials, laws,
// bodies, drivers, forces, events and probes, as `gabion run` does, so that stepping it gives the
// bits of that run. Overrides, "solver.tolerance=1e-8", replace single values of the file;
// `overrides` may be NULL where there are none. Tables, meshes and other files that the case names
// are read. What the case says about output and stopping is not done: time.end and the stop
// criteria are among the settings. Returns NULL on an error, which names file, line and column;
// gabion_destroy frees the world.
GABION_API struct gabion_world *gabion_load_case(const char *path, const char *const *overrides,
                                                 int override_count, int threads,
                                                 struct gabion_error *error);

// Definition ----------------------------------------------------------------------------------
//
// Bodies, joints and drivers are defined before the first step; the rest may also be defined
// between steps. A world restored from a checkpoint gets the drivers that it had.

// Returns the number of the material, -1 on an error. Adding a name again changes the density of
// the material that has it. There are at most 65535 materials. Density in kg/m3.
GABION_API int gabion_add_material(struct gabion_world *world, const char *name, double density,
                                   struct gabion_error *error);
GABION_API int gabion_find_material(const struct gabion_world *world, const char *name); // -1: none
// NULL and NAN for a material that does not exist.
GABION_API const char *gabion_material_name(const struct gabion_world *world, int material);
GABION_API double gabion_material_density(const struct gabion_world *world, int material);

struct gabion_law {
    double friction; // INFINITY: sticking
    double restitution, tangential_restitution;
};

// Set the contact law between two materials, and the law of all pairs that have none of their own.
GABION_API bool gabion_set_law(struct gabion_world *world, int material_a, int material_b,
                               const struct gabion_law *law, struct gabion_error *error);
GABION_API bool gabion_set_default_law(struct gabion_world *world, const struct gabion_law *law,
                                       struct gabion_error *error);

// Returns the number of the group, which may exist already; -1 on an error. Group 0 is the unnamed
// one. There are at most 65535 groups.
GABION_API int gabion_add_group(struct gabion_world *world, const char *name,
                                struct gabion_error *error);
GABION_API int gabion_find_group(const struct gabion_world *world, const char *name);  // -1: none
GABION_API const char *gabion_group_name(const struct gabion_world *world, int group); // or NULL

// Shapes that any number of bodies may have. Lengths in metres, in any frame (the drawing frame).
// Each returns the number of the shape, -1 on an error.

// A convex polyhedron: face f has the corners face_corner[face_start[f]] up to, but without,
// face_corner[face_start[f + 1]], counter-clockwise seen from outside (or all clockwise).
GABION_API int gabion_add_polyhedron(struct gabion_world *world, const gabion_vec3 *corner,
                                     int64_t corners, const int64_t *face_start,
                                     const int64_t *face_corner, int64_t faces,
                                     struct gabion_error *error);
// Adds the convex hull of points.
GABION_API int gabion_add_hull(struct gabion_world *world, const gabion_vec3 *point, int64_t points,
                               struct gabion_error *error);
// Adds a box about the origin with these sides.
GABION_API int gabion_add_box(struct gabion_world *world, gabion_vec3 size,
                              struct gabion_error *error);

// A convex part of a compound: the drawing frame of a polyhedron in that of the compound.
struct gabion_part {
    int polyhedron; // which, from gabion_add_polyhedron, _hull or _box
    gabion_vec3 position;
    gabion_quat orientation; // of any length but zero
    double density;          // relative to that of the body; 0: 1
};

// Adds a rigid body made of convex parts, which may share faces or overlap. Its mass is that of the
// parts one by one: where parts overlap, the overlap counts once for each of them.
GABION_API int gabion_add_compound(struct gabion_world *world, const struct gabion_part *part,
                                   int64_t parts, struct gabion_error *error);

// How the mass of a clump is distributed.
enum gabion_clump_mass {
    GABION_CLUMP_SUM,   // the spheres one by one: an overlap counts once for each of them
    GABION_CLUMP_UNION, // the solid that they make together
};

// Adds a rigid body made of spheres that may overlap.
GABION_API int gabion_add_clump(struct gabion_world *world, const gabion_vec3 *centre,
                                const double *radius, int64_t spheres, enum gabion_clump_mass mass,
                                struct gabion_error *error);

// Adds a surface of triangles, open or closed, for walls that bodies touch from both sides:
// triangle t has the points triangle[3 t], triangle[3 t + 1] and triangle[3 t + 2]. Equal points
// may appear several times; triangles may be drawn in either sense. Rejects triangles without area,
// the same triangle twice, and edges of more than two triangles.
GABION_API int gabion_add_surface(struct gabion_world *world, const gabion_vec3 *point,
                                  int64_t points, const int64_t *triangle, int64_t triangles,
                                  struct gabion_error *error);

enum gabion_shape {
    GABION_SPHERE,
    GABION_HALF_SPACE,
    GABION_POLYHEDRON,
    GABION_CLUMP,         // a rigid body made of spheres
    GABION_HOLLOW_SPHERE, // the inside of a sphere; all moving bodies are in it
    GABION_DRUM,          // the inside of a cylinder
    GABION_COMPOUND,      // a rigid body made of polyhedra
    GABION_SURFACE,       // triangles without thickness, touched from both sides
    GABION_SHAPE_COUNT
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
    double radius;       // sphere; hollow sphere and drum: of the inside
    gabion_vec3 normal;  // half-space: out of the solid, unit; drum: its axis, unit
    gabion_vec3 tangent; // half-space as drawn: direction of the first half extent, unit
    double extent[2];    // half-space as drawn: half sides of the rectangle; 0: fit the scene
    double length;       // drum
    bool ends;           // drum: closed by two flat discs
    int polyhedron;      // polyhedron: which, from gabion_add_polyhedron, _hull or _box
    int clump;           // clump: which, from gabion_add_clump
    int compound;        // compound: which, from gabion_add_compound
    int surface;         // surface: which, from gabion_add_surface
    // Centre of a sphere, hollow sphere or drum; point of the plane, centre of the drawn rectangle;
    // origin and axes of the drawing frame of a polyhedron, clump, compound or surface. The
    // orientation of a half-space or drum is that of its normal. The body's state speaks of its
    // centre of mass and principal axes.
    gabion_vec3 position;
    gabion_quat orientation;
    gabion_vec3 velocity, spin; // spin: angular velocity
    int material, group;        // group 0 is the unnamed one
    bool fixed;                 // never moves, or only as a driver says
    unsigned lock;              // enum gabion_lock bits
    double density;             // used when mass is 0
    double mass;                // 0: from shape and density
    gabion_vec3 inertia;        // principal moments; zero: from shape and mass
    double insert_time;         // enters the run at this time; 0 or less: from the start
};

// Returns an unnamed body with default values. Fill in what differs. Never fails.
GABION_API struct gabion_body gabion_default_body(void);
// Returns the id of the body, -1 on an error.
GABION_API int32_t gabion_add_body(struct gabion_world *world, const struct gabion_body *body,
                                   struct gabion_error *error);
// Makes room for `count` more bodies at once. This saves time and is never required.
GABION_API bool gabion_reserve_bodies(struct gabion_world *world, size_t count,
                                      struct gabion_error *error);

enum gabion_joint_kind {
    GABION_JOINT_BALL,     // the anchor is one point of both bodies
    GABION_JOINT_HINGE,    // and they turn against each other about the axis alone
    GABION_JOINT_FIXED,    // they move as one
    GABION_JOINT_DISTANCE, // the two anchors stay as far apart as they are
    GABION_JOINT_COUNT
};

struct gabion_joint {
    enum gabion_joint_kind kind;
    int32_t first, second;     // bodies; second may be -1: the world
    gabion_vec3 anchor;        // with the bodies where they are as defined
    gabion_vec3 anchor_second; // distance: on the second body
    gabion_vec3 axis;          // hinge
    bool collide;              // joined bodies do not touch each other unless this is true
};

// A joint holds while both bodies are in the run; a body that leaves ends it. Returns the number of
// the joint, -1 on an error.
GABION_API int gabion_add_joint(struct gabion_world *world, const struct gabion_joint *joint,
                                struct gabion_error *error);

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
    int points;              // table, record: time and value of each point, time increasing; two
                             // points of the same time are a jump, not of a displacement or angle
    const double *table_time, *table_value;
    bool returns; // record: add c0 + c1 t to it so that it ends at rest, where it began
};

// Drivers move the fixed bodies of a group along `direction` by the signal, or turn them about the
// axis through `pivot` by it (rad). A force acts at the centre of every moving body of the group. A
// reset sets velocities and spins; a removal takes the group out of the run.
GABION_API bool gabion_add_driver(struct gabion_world *world, int group, gabion_vec3 direction,
                                  const struct gabion_signal *signal, struct gabion_error *error);
GABION_API bool gabion_add_rotation(struct gabion_world *world, int group, gabion_vec3 pivot,
                                    gabion_vec3 axis, const struct gabion_signal *signal,
                                    struct gabion_error *error);
GABION_API bool gabion_add_force(struct gabion_world *world, int group, gabion_vec3 direction,
                                 const struct gabion_signal *signal, struct gabion_error *error);
GABION_API bool gabion_add_reset(struct gabion_world *world, int group, double time,
                                 gabion_vec3 velocity, gabion_vec3 spin,
                                 struct gabion_error *error);
GABION_API bool gabion_add_removal(struct gabion_world *world, int group, double time,
                                   struct gabion_error *error);

// A part of space.
enum gabion_region_kind {
    GABION_REGION_BOX,        // from low to high
    GABION_REGION_HALF_SPACE, // behind the plane through `position` with the normal `axis`
    GABION_REGION_SPHERE,     // about `position`; with `inner`, a shell
    GABION_REGION_CYLINDER,   // about `axis`, its middle at `position`; with `inner`, a tube
    GABION_REGION_CONE,       // from `radius` at `position` to `end_radius`, `length` along `axis`
    GABION_REGION_MESH,       // the inside of a closed surface of triangles
    GABION_REGION_COUNT
};

struct gabion_region {
    enum gabion_region_kind kind;
    bool outside; // everything but that
    gabion_vec3 low, high;
    gabion_vec3 position, axis; // the axis has any length but 0
    double radius, inner, end_radius, length;
    const gabion_vec3 *corner; // mesh: three corners of each triangle, all turned the same way
    int64_t triangles;
};

// Takes bodies out of the run whose centre of mass lies in the region at the start of a step: of
// the first step that starts at `from` or later and, where `until` (which may be INFINITY) is
// later, of all steps from then on until then. The group -1 stands for all moving bodies.
GABION_API bool gabion_add_region_removal(struct gabion_world *world, int group,
                                          const struct gabion_region *region, double from,
                                          double until, struct gabion_error *error);
// Turns gravity about `axis` by the signal (rad), as on a tilting table.
GABION_API bool gabion_set_tilt(struct gabion_world *world, gabion_vec3 axis,
                                const struct gabion_signal *signal, struct gabion_error *error);

// Makes gabion_collapsed look at the moving bodies of one group alone; -1: at all of them.
GABION_API bool gabion_watch_fall(struct gabion_world *world, int group,
                                  struct gabion_error *error);

// What probes measure. docs/measuring.md has the formulas, signs and units. Each has one or more
// components, whose names are in brackets. Quantities of contacts are those of the last step.
enum gabion_quantity {
    GABION_POSITION,     // mean [x y z]
    GABION_VELOCITY,     // mean [x y z]
    GABION_SPIN,         // mean [x y z]
    GABION_FORCE,        // sum of the contact and joint forces on the group [x y z]
    GABION_MOMENT,       // and of their moments about the mean position of the group [x y z]
    GABION_ORIENTATION,  // mean, of the frame that the bodies were drawn in [w x y z]
    GABION_ANGLE,        // turned about `axis` since the bodies entered the run or, if that was
                         // later, the probe was defined; whole turns are counted; mean []
    GABION_DISPLACEMENT, // mean, since the bodies entered the run [x y z length]
    GABION_OPENING,      // of the interface that gapes most, and its bodies [max body_a body_b]
    GABION_SLIDING,      // of the interface that slid most, and its bodies [max body_a body_b]
    GABION_MASS,         // sum, moving bodies []
    GABION_BODY_COUNT,   // moving bodies []
    GABION_FLOW,         // of mass through a plane: mean over the last complete window, sums, and
                         // sums of what crossed backwards [rate mass count back_mass back_count]
    GABION_STRESS,       // mean over the region, compression positive; pressure and deviator
                         // [xx xy xz yx yy yz zx zy zz p q]
    GABION_FABRIC,       // mean of n n^T over contacts [xx xy xz yy yz zz contacts]
    GABION_COORDINATION, // neighbours per body, rattlers included and left out
                         // [z z_mechanical bodies rattlers]
    GABION_REACTION,     // force of the group on the others, and the point of a plane where it acts
                         // [x y z px py pz]
    GABION_NETWORK,      // statistics of the normal forces
                         // [contacts mean max above gini participation mobilised sliding h1 ...]
    GABION_FREE_SURFACE, // the top of a heap over square columns; volume below it; angles of the
                         // plane and of the cone that fit it [mean max volume slope repose columns]
    GABION_QUANTITY_COUNT
};

// A plane, or a part of one.
struct gabion_section {
    gabion_vec3 point, normal; // the normal has any length; zero: there is no plane
    double radius;             // of a disc about the point; 0: none
    gabion_vec3 tangent;       // of a rectangle about the point: direction of the first side
    double size[2];            // its sides; 0: none
};

struct gabion_probe {
    const char *name;
    enum gabion_quantity quantity;
    int group;                          // -1: all moving bodies
    int against;                        // displacement: relative to this group; opening, sliding:
                                        // of the interfaces with it; -1: none
    const struct gabion_region *region; // of the centres of bodies, of the points of contacts;
                                        // NULL: everywhere
    gabion_vec3 axis;                   // angle
    struct gabion_section plane;        // flow; reaction: zero is the plane of the first half-space
                                        // of the group, or a level one through its mean position;
                                        // surface: zero is the plane z = 0
    double window;                      // flow: s; 0: a step
    bool kinetic;                       // stress: add the part of the velocities
    int bins;                           // network: classes of the histogram, at most 64
    double bins_to;                     // they divide [0, this] times the mean force; 0: 5
    double column;                      // surface: width of a column, m
};
// Returns a probe of the position of all moving bodies, without a name. Never fails.
GABION_API struct gabion_probe gabion_default_probe(void);

// Defines a probe. Parts that the quantity does not use are rejected. Returns the number of the
// probe, -1 on an error. What a flow and an angle count is part of the state: a world restored from
// a checkpoint goes on counting for a probe that is defined as before.
GABION_API int gabion_define_probe(struct gabion_world *world, const struct gabion_probe *probe,
                                   struct gabion_error *error);
// Defines a probe that needs no more than a group.
GABION_API int gabion_add_probe(struct gabion_world *world, const char *name, int group,
                                enum gabion_quantity quantity, struct gabion_error *error);

// Running -------------------------------------------------------------------------------------

// Does one step. Returns false on an error that stops the run: a velocity became NaN, the step did
// not converge and on_cap is GABION_CAP_STOP, the method rejects the problem, a body does not fit
// into a hollow, or the stop function abandoned the step. State and report are then those of the
// last complete step, with the events that fall due at its end already done and without its
// contacts, and trying again does the same again. With GABION_WATCH_STOP it also returns false
// after a complete step that a watch warns about.
GABION_API bool gabion_step(struct gabion_world *world, struct gabion_error *error);

// Does up to `steps` steps, fewer if the step function asks to stop. Returns how many were done, -1
// on an error (gabion_step_number then says which step it reached).
GABION_API int64_t gabion_run(struct gabion_world *world, int64_t steps,
                              struct gabion_error *error);

// Called after every complete step of gabion_step and gabion_run, in the thread that called them.
// Returning false makes gabion_run stop. The function may read the world, set velocities, apply
// forces, change settings and write checkpoints; it may not step, restore or destroy the world.
typedef bool (*gabion_step_function)(struct gabion_world *world, void *user);
GABION_API bool gabion_set_step_function(struct gabion_world *world, gabion_step_function function,
                                         void *user, struct gabion_error *error); // NULL: none

// Called now and then during a step, in the thread that called gabion_step or gabion_run: as a rule
// several times per second, from inside the solver. Returning true abandons the step within about a
// second. gabion_step and gabion_run then fail with GABION_ERROR_STOPPED, and the world is that of
// the last complete step, as after any step that fails: it can be stepped again, with the same
// result as if it had never been stopped. The function may not call the library; reading a flag
// that a signal handler or another thread sets is what it is for.
typedef bool (*gabion_stop_function)(void *user);
GABION_API bool gabion_set_stop_function(struct gabion_world *world, gabion_stop_function function,
                                         void *user, struct gabion_error *error); // NULL: none

enum gabion_log_level {
    GABION_LOG_DEBUG,   // a line for each step
    GABION_LOG_INFO,    // what was done: a run, a checkpoint
    GABION_LOG_WARNING, // what may make the results less than was asked for
};

// Receives lines without a line break, in the thread that called the library. The text is valid
// during the call. The function must not call the library with this world.
typedef void (*gabion_log_function)(void *user, enum gabion_log_level level, const char *text);
// Sets the log function; NULL: none. It receives no lines below the level `least`. A warning about
// the threads of the world, if there is one, is sent during this call.
GABION_API bool gabion_set_log(struct gabion_world *world, enum gabion_log_level least,
                               gabion_log_function function, void *user,
                               struct gabion_error *error); // NULL: none

// Sets velocity and spin of a moving body between steps. Directions that are locked must be zero.
// The ledger books the change of energy as removed_energy, as it does for resets.
GABION_API bool gabion_set_velocity(struct gabion_world *world, int32_t body, gabion_vec3 velocity,
                                    gabion_vec3 spin, struct gabion_error *error);

// Adds a force at the centre of mass (N) and a moment (N m) to what acts on a moving body over the
// next step. After that step they are gone and have to be applied again; a step that failed keeps
// them. Locked directions ignore them. Their work is in applied_work. They are not part of the
// state: neither hashes nor checkpoints hold them.
GABION_API bool gabion_apply_force(struct gabion_world *world, int32_t body, gabion_vec3 force,
                                   gabion_vec3 moment, struct gabion_error *error);

// Writes the state to `path`: first to a temporary name beside it, then renamed, so that a file
// with that name is complete. Drivers, forces, events, probes, laws and settings are definitions
// and not part of it.
GABION_API bool gabion_write_checkpoint(const struct gabion_world *world, const char *path,
                                        struct gabion_error *error);
// Replaces the state of a world by that of a checkpoint. The world must have the same materials,
// the same length of the step and, as far as it has groups, the same groups in the same order;
// bodies, shapes and joints come from the file. A file that cannot be used leaves the world as it
// was; one that proves damaged after reading began leaves a broken world.
GABION_API bool gabion_restore_checkpoint(struct gabion_world *world, const char *path,
                                          struct gabion_error *error);

// Reading: the run ----------------------------------------------------------------------------

GABION_API int64_t gabion_step_number(const struct gabion_world *world); // -1: no or broken world
GABION_API double gabion_time(const struct gabion_world *world);         // NAN: likewise
// Returns whether the rest criterion of the settings holds: for rest_duration no body was faster
// than rest_speed and nothing that is scheduled took place. The criterion waits for drivers,
// forces, tilt and the ramp of gravity until they change no more, and for resets, removals and
// bodies that enter; where one of them never ends, it never holds. Forces that a program applies
// itself (gabion_apply_force) are not waited for.
GABION_API bool gabion_at_rest(const struct gabion_world *world);

// A body that has fallen.
struct gabion_fall {
    int32_t body;
    double distance; // m, from where it entered the run, along the gravity that acts now
    double speed;    // m/s, in that direction
};
// Returns whether a moving body has fallen by fall_distance or falls at fall_speed, and which; of
// several, the one with the lowest id. Distances are those of centres of mass. A tilt turns the
// direction; the ramp of gravity does not matter. `fall` may be NULL.
GABION_API bool gabion_collapsed(const struct gabion_world *world, struct gabion_fall *fall);

// Equal hashes mean that two runs with the same definitions go on equally. 0: no or broken world.
// Where ranks share contacts all of them call this, and gabion_write_checkpoint, together; both
// gather the bodies (gabion_gather_bodies).
GABION_API uint64_t gabion_state_hash(const struct gabion_world *world);

struct gabion_counts {
    int32_t bodies;        // in the run, fixed ones included
    int32_t moving;        // those of them that are free to move
    int32_t finite;        // all but walls: half-spaces, hollow spheres and drums
    int32_t ids;           // given out; bodies that wait or have left included
    int32_t waiting;       // bodies that enter later
    int materials, groups; // group 0 included
    int polyhedra, clumps; // shapes
    int compounds;         // likewise
    int planes, hollows;   // half-spaces; hollow spheres and drums
    int surfaces;          // shapes
    int joints, probes;    // as defined
    int drivers, forces;   // as defined
    int events;            // resets and removals
    int64_t contacts;      // candidate contact points of the last step, for gabion_read_contacts
};
GABION_API bool gabion_read_counts(const struct gabion_world *world, struct gabion_counts *counts,
                                   struct gabion_error *error);

// What the last step did.
struct gabion_step_report {
    int32_t bodies;     // in the run, fixed ones included, walls excluded
    int64_t candidates; // contact points within the alert distance
    int64_t contacts;   // those that carry force
    int64_t rows;       // contacts and points of joints in the solve
    int32_t sweeps;     // or iterations, of the method that finished
    int32_t colours;
    bool converged;
    enum gabion_method finished_by;     // the method whose impulses the step went on with
    bool fell_back;                     // the method asked for failed, and sweeps went on
    int32_t spent[GABION_METHOD_COUNT]; // iterations of each method
    int32_t rounds; // times that it was solved again, for contacts that its bodies met on the way
                    // or for mechanisms that jammed
    int64_t late;   // those contacts
    int64_t substitutions; // contacts solved by another local solver than the one asked for
    double residual;       // scaled measure
    double residual_fclib; // unscaled one of FCLIB and Siconos
    double residual_worst; // of the worst contact, in its own scale
    int32_t worst_body_a;  // ids of its two bodies; -1: no contact has an error, or not known
    int32_t worst_body_b;
    double max_overlap;          // m, of any two bodies at the end of the step
    double max_overlap_relative; // likewise, as a share of the smaller body's size
    int32_t overlap_body_a;      // ids of the two bodies that overlap by max_overlap_relative; -1:
    int32_t overlap_body_b;      // nothing overlaps, or the state was read from a checkpoint
    double mean_overlap;         // m, over the contacts that overlap or carry force
    double joint_error;          // m, largest of any joint at the end of the step
    double max_speed;
    double max_turn;     // rad in a step, of any body but spheres with equal moments
    bool stuck;          // a body is so far out that numbers there are too coarse to move it
    char rejection[200]; // "", or why the solver rejected the problem
};
GABION_API bool gabion_read_step_report(const struct gabion_world *world,
                                        struct gabion_step_report *report,
                                        struct gabion_error *error);

// Totals since the start of the run.
struct gabion_run_report {
    int64_t steps;
    int64_t unconverged_steps;
    int64_t fallback_steps;  // those in which the method asked for failed, and sweeps went on
    int64_t local_fallbacks; // one-contact problems where the local solver failed and a projected
                             // step was used
    int64_t sweeps;          // of nsgs and psor; iterations of other methods do not count
    int64_t contact_sweeps;  // contacts times sweeps
    int64_t spent[GABION_METHOD_COUNT]; // iterations of each method
};
GABION_API bool gabion_read_run_report(const struct gabion_world *world,
                                       struct gabion_run_report *report,
                                       struct gabion_error *error);

// The energy ledger, J. Works are sums since the start of the run;
//   energy_error = change of (kinetic + potential) - contact - joint - driver - applied - theta
//                  - projection - removed.
struct gabion_energies {
    double kinetic, potential; // now
    double contact_work;       // friction, impact, restitution
    double contact_gain;       // what contacts gave beyond their law: unsolved steps, overlaps
    double impact_gain;        // what impacts with friction created by the law of restitution
    double gain_scale;         // of contact_gain: work that contacts did on bodies one by one
    double joint_work;         // of joints between bodies
    double driver_work;        // done by prescribed bodies on the others
    double applied_work;       // applied forces; change of gravity under a ramp
    double theta_work;         // of the time integration
    double projection_work;    // bodies moved apart by the position pass
    double removed_energy;     // bodies that entered or left, velocities and settings that were set
    double energy_error;
    double turnover; // sum of |work| of every kind and step, the scale of energy_error
    bool closes;     // energy_error is no more than rounding
};
GABION_API bool gabion_read_energies(const struct gabion_world *world,
                                     struct gabion_energies *energies, struct gabion_error *error);

// Wall-clock time by phase of the step, summed since the world was created.
struct gabion_timing {
    const char *phase; // "broad", "solve"; valid for ever
    double seconds;
};
// Fills in up to `capacity` phases, in the order in which a step takes them. Returns the number of
// phases, -1 on an error; `timings` may be NULL where capacity is 0.
GABION_API int gabion_read_timings(const struct gabion_world *world, struct gabion_timing *timings,
                                   int capacity, struct gabion_error *error);

// NULL for a probe that does not exist.
GABION_API const char *gabion_probe_name(const struct gabion_world *world, int probe);
GABION_API int gabion_find_probe(const struct gabion_world *world, const char *name); // -1: none
// Returns how many components a probe has, and the name of one: "x", or "" where it is the only
// one. -1 and NULL: there is none.
GABION_API int gabion_probe_components(const struct gabion_world *world, int probe);
GABION_API const char *gabion_probe_component(const struct gabion_world *world, int probe,
                                              int component);
// Reads all components; `capacity` is the room in `values`. Means are NaN while none of the bodies
// is in the run, quantities of contacts in a restored world before its first step. After a step
// that failed they are those of the last complete one. Returns how many components there are, -1 on
// an error.
GABION_API int gabion_probe_read(const struct gabion_world *world, int probe, double *values,
                                 int capacity, struct gabion_error *error);
// Reads a probe whose components are x, y and z.
GABION_API bool gabion_probe_value(const struct gabion_world *world, int probe, gabion_vec3 *value,
                                   struct gabion_error *error);

// Reading: bodies -----------------------------------------------------------------------------

// All bodies in the run, one array per property and without a copy. The order of the bodies has no
// meaning and may change with every step: identify them by `id`.
struct gabion_bodies {
    int32_t count;
    const int32_t *id;
    const uint8_t *shape; // enum gabion_shape
    const int32_t
        *shape_index; // for gabion_get_polyhedron, _clump, _compound, _plane, _hollow; -1: sphere
    const uint16_t *material, *group;
    const uint8_t *lock;            // enum gabion_lock bits
    const double *radius;           // of the sphere about the position that holds the body; 0: wall
    const double *mass;             // 0: fixed
    const gabion_vec3 *inertia;     // principal moments
    const gabion_vec3 *position;    // centre of mass, or point of the plane
    const gabion_quat *orientation; // of the principal axes
    const gabion_vec3 *velocity, *spin;

    int32_t ids;             // given out
    const int32_t *index_of; // id -> place in the arrays above; -1: not in the run
    // id -> position of the body when it entered the run, for ids below `starts`.
    const gabion_vec3 *start;
    int32_t starts;
};
GABION_API bool gabion_view_bodies(const struct gabion_world *world, struct gabion_bodies *bodies,
                                   struct gabion_error *error);

// The state of one body.
struct gabion_body_state {
    int32_t id;
    enum gabion_shape shape;
    int shape_index; // -1: sphere
    int material, group;
    bool fixed;
    unsigned lock;
    double radius, mass;
    gabion_vec3 inertia;
    gabion_vec3 position;
    gabion_quat orientation;
    gabion_vec3 velocity, spin;
};
// Reads one body. Fails where the body is not in the run (it has not entered yet, or has left).
GABION_API bool gabion_get_body(const struct gabion_world *world, int32_t body,
                                struct gabion_body_state *state, struct gabion_error *error);
// Copies up to `capacity` bodies in order of their id. Returns how many are in the run, -1 on an
// error; `states` may be NULL where capacity is 0.
GABION_API int32_t gabion_read_bodies(const struct gabion_world *world,
                                      struct gabion_body_state *states, int32_t capacity,
                                      struct gabion_error *error);
// Reads the definition of a body that enters later: number `index` of `waiting` in the counts.
GABION_API bool gabion_get_waiting(const struct gabion_world *world, int32_t index, int32_t *id,
                                   struct gabion_body *body, struct gabion_error *error);

// Shapes as they are kept, in own axes: origin in the centre of mass, principal axes. A point p of
// the shape is at position + R(orientation) p in the world.
struct gabion_polyhedron {
    int32_t corners, faces;
    const gabion_vec3 *corner;
    const int32_t *face_start, *face_corner; // as for gabion_add_polyhedron; faces + 1 starts
    double volume;
    gabion_vec3 centre; // of mass, in the drawing frame
    gabion_quat axes;   // own axes in the drawing frame
};
struct gabion_clump {
    int32_t spheres;
    const gabion_vec3 *sphere; // centres
    const double *radius;
    double volume; // of the sum or of the union, as the mass was asked for
    gabion_vec3 centre;
    gabion_quat axes;
};
struct gabion_compound {
    int32_t parts;
    double volume; // of the parts one by one
    double mass;   // at density 1: volumes times relative densities
    gabion_vec3 centre;
    gabion_quat axes;
};
// A point p of the own axes of a part is at position + R(orientation) p in those of the compound.
struct gabion_compound_part {
    int polyhedron; // for gabion_get_polyhedron
    gabion_vec3 position;
    gabion_quat orientation;
    double density; // relative
};
// A half-space is the solid behind a plane through the body's position. Own axes.
struct gabion_plane {
    gabion_vec3 normal;  // out of the solid
    gabion_vec3 tangent; // as drawn: direction of the first half extent
    double extent[2];    // as drawn: half sides of the rectangle; 0: fit the scene
};
// The inside of a sphere or drum about the body's position.
struct gabion_hollow {
    gabion_vec3 axis; // of a drum, own axes; zero: a sphere
    double radius;
    double half_length; // of a drum
    bool ends;          // a drum closed by two flat discs
};

// A surface of triangles in its own frame, which is the drawing frame. Equal points were welded.
struct gabion_surface {
    int32_t points, triangles;
    const gabion_vec3 *point;
    const int32_t *triangle; // three points each
    int32_t groups;          // flat parts that triangles in one plane were joined to
};
GABION_API bool gabion_get_polyhedron(const struct gabion_world *world, int index,
                                      struct gabion_polyhedron *polyhedron,
                                      struct gabion_error *error);
GABION_API bool gabion_get_clump(const struct gabion_world *world, int index,
                                 struct gabion_clump *clump, struct gabion_error *error);
GABION_API bool gabion_get_compound(const struct gabion_world *world, int index,
                                    struct gabion_compound *compound, struct gabion_error *error);
GABION_API bool gabion_get_compound_part(const struct gabion_world *world, int index, int32_t part,
                                         struct gabion_compound_part *state,
                                         struct gabion_error *error);
GABION_API bool gabion_get_plane(const struct gabion_world *world, int index,
                                 struct gabion_plane *plane, struct gabion_error *error);
GABION_API bool gabion_get_hollow(const struct gabion_world *world, int index,
                                  struct gabion_hollow *hollow, struct gabion_error *error);
GABION_API bool gabion_get_surface(const struct gabion_world *world, int index,
                                   struct gabion_surface *surface, struct gabion_error *error);

// Reading: contacts, joints, interfaces -------------------------------------------------------

enum gabion_contact_status { GABION_CONTACT_OPEN, GABION_CONTACT_STICK, GABION_CONTACT_SLIP };

// Where several processes share a run (MPI ranks), each has only its own bodies and their contacts
// after a step. Gives every process all of them; all must call it, after the same step. Bodies,
// contacts and their number (gabion_counts), interfaces, probes and the state hash can be read
// afterwards, on any process; after gabion_gather_bodies, bodies and probes that read no contacts.
// Does nothing in a run of one process.
GABION_API bool gabion_gather(struct gabion_world *world, struct gabion_error *error);
GABION_API bool gabion_gather_bodies(struct gabion_world *world, struct gabion_error *error);

// A candidate contact point of the last step.
struct gabion_contact {
    int32_t body[2];     // ids; the first one moves
    int32_t index[2];    // their places in struct gabion_bodies
    gabion_vec3 point;   // at the end of the step
    gabion_vec3 normal;  // unit, from the second body to the first, at the midpoint of the step
    double gap;          // m, at the midpoint of the step; negative: overlap
    gabion_vec3 impulse; // N s, on the first body
    gabion_vec3 force;   // N, on the first body: impulse / step
    double friction;     // coefficient
    enum gabion_contact_status status;
};
// Copies up to `capacity` contacts of the last step, from number `first` on. Returns how many were
// copied, -1 on an error. There are none before the first step, after bodies entered or left, after
// a step that failed, and in a world just restored.
GABION_API int64_t gabion_read_contacts(const struct gabion_world *world, int64_t first,
                                        int64_t capacity, struct gabion_contact *contacts,
                                        struct gabion_error *error);

// The same for the list of this process alone, where several share a run and have not gathered
// their contacts. Its own contacts are the end of that list, from gabion_own_contacts on; those of
// all processes, one after the other, are the whole list. In a run of one process all are its own.
GABION_API int64_t gabion_own_contacts(const struct gabion_world *world);
GABION_API int64_t gabion_read_local_contacts(const struct gabion_world *world, int64_t first,
                                              int64_t capacity, struct gabion_contact *contacts,
                                              struct gabion_error *error);

// The contacts of the last step without a copy. The elements of every array but `impulse` are
// `stride` bytes apart: contact k has its gap at (const char *)gap + k * stride. Bodies are given
// by their places in struct gabion_bodies, which is valid for as long as this one.
struct gabion_contacts {
    int64_t count;
    size_t stride;              // bytes
    const int32_t *first;       // body that the impulse acts on; it moves
    const int32_t *second;      // the other one
    const uint8_t *status;      // enum gabion_contact_status
    const double *gap;          // m, at the midpoint of the step; negative: overlap
    const gabion_vec3 *normal;  // unit, from the second body to the first
    const gabion_vec3 *point;   // at the midpoint of the step
    const gabion_vec3 *impulse; // N s, on the first body; one after the other, without `stride`
};
// Shows the contacts that gabion_read_contacts copies, in the same order.
GABION_API bool gabion_view_contacts(const struct gabion_world *world,
                                     struct gabion_contacts *contacts, struct gabion_error *error);

struct gabion_joint_state {
    enum gabion_joint_kind kind;
    int32_t first, second; // ids; second may be -1: the world
    bool acts;             // both bodies are in the run; if not, the rest is zero
    gabion_vec3 anchor[2]; // where the joint is on each body now
    gabion_vec3 force;     // N, on the first body over the last step
    gabion_vec3 moment;    // N m, about the first anchor
    double
        error; // m, largest distance between its points on the two bodies, in the directions held
};
GABION_API bool gabion_get_joint(const struct gabion_world *world, int joint,
                                 struct gabion_joint_state *state, struct gabion_error *error);

enum gabion_interface_status {
    GABION_INTERFACE_OPEN, // carries no force
    GABION_INTERFACE_STICK,
    GABION_INTERFACE_SLIP, // every contact that carries force slips
};

// An interface is the face on which two blocks lie against each other: one that existed when the
// run began, or a pair that came together later and carries force.
struct gabion_interface {
    int32_t a, b; // ids, a < b
    bool initial;
    enum gabion_interface_status status;
    gabion_vec3 normal;       // from b to a, now
    gabion_vec3 position;     // centre of pressure where it carries force, else middle of the patch
    gabion_vec3 middle;       // of the patch
    double opening;           // m, at the corner that gapes most; negative: overlap. 0: not initial
    gabion_vec3 sliding;      // m, in the plane of the interface, of a against b, where they are
                              // closest. 0: not initial
    gabion_vec3 force;        // N, on a
    double normal_force;      // N
    gabion_vec3 eccentricity; // m, from the middle of the patch to the centre of pressure
    double relative_eccentricity; // 0 in the middle, 1 at the rim of the patch
};
// Measures all interfaces after the last step. The array belongs to the caller, who frees it with
// gabion_free. NULL on an error; with a count of 0 there is an array of no elements. Forces are
// zero in a world just restored.
GABION_API struct gabion_interface *gabion_measure_interfaces(const struct gabion_world *world,
                                                              size_t *count,
                                                              struct gabion_error *error);
// The first step finds the interfaces that exist as the run begins. This function does it
// earlier, so that they can be measured at the start.
GABION_API bool gabion_find_interfaces(struct gabion_world *world, struct gabion_error *error);
GABION_API void gabion_free(void *array); // NULL is allowed

// Solving one contact problem -----------------------------------------------------------------

// Find impulses r so that the velocities u = W r + q obey Signorini's and Coulomb's law at each
// contact with friction coefficient mu. Vectors have three numbers per contact: normal, first and
// second tangent; u_n > 0 separates, r_n > 0 pushes apart.
struct gabion_problem {
    int32_t contacts;
    // W by rows of 3x3 blocks: row c has the blocks row_start[c] up to, but without,
    // row_start[c + 1]. Columns ascend within a row, and the diagonal block is always there.
    const int64_t *row_start; // contacts + 1
    const int32_t *column;
    const double *block; // 9 per block, row by row
    const double *q;     // 3 per contact
    const double *mu;    // per contact; INFINITY: sticking
};

struct gabion_solver {
    enum gabion_method method;
    enum gabion_local local;
    double tolerance;
    enum gabion_measure measure;
    int max_iterations;
    double relaxation;
    bool momentum; // accelerate the sweeps of GABION_METHOD_NSGS
    struct gabion_cone cone;
    double time_budget; // s; 0: none
    int threads;        // 0: one per physical core; 1: no team is started
};
// Returns GABION_METHOD_AUTO with a tolerance of 1e-8 and one thread. Never fails.
GABION_API struct gabion_solver gabion_default_solver(void);

enum gabion_solve_status {
    GABION_SOLVE_CONVERGED,
    GABION_SOLVE_CAP,      // iterations or time used up
    GABION_SOLVE_STALLED,  // the method cannot get further
    GABION_SOLVE_REJECTED, // the method cannot solve problems of this kind; the note says why
};

struct gabion_solution {
    enum gabion_solve_status status;
    double residual;       // scaled measure
    double residual_fclib; // unscaled one of FCLIB and Siconos
    int iterations;        // sweeps, pivots or factorisations, as the method counts
    enum gabion_method
        method; // that found these impulses: with GABION_METHOD_AUTO, one of its stages
    int spent[GABION_METHOD_COUNT]; // iterations of each method
    int64_t local_fallbacks; // one-contact problems where the local solver failed and a projected
                             // step was used
    int64_t substitutions;   // contacts solved by another local solver than the one asked for
    char note[200];          // "", or a sentence
};
// Solves the problem, starting from r, and leaves the best impulses in r. False only where the
// problem or the settings are wrong, or memory is short (r then holds no answer): a problem left
// unsolved is not an error, but a status.
GABION_API bool gabion_solve(const struct gabion_problem *problem,
                             const struct gabion_solver *solver, double *r,
                             struct gabion_solution *solution, struct gabion_error *error);

#ifdef __cplusplus
}
#endif

#endif
