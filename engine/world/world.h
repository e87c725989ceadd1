// The world: everything a run is. Internal; users see engine/gabion.h.
#ifndef ENGINE_WORLD_WORLD_H
#define ENGINE_WORLD_WORLD_H

#include "engine/world/bodies.h"
#include "engine/gabion.h"
#include "engine/world/joints.h"
#include "engine/world/ledger.h"
#include "engine/world/report.h"
#include "engine/world/signal.h"
#include "parallel/error.h"
#include "parallel/team.h"

// Members of the world that belong to the rooms above this one.
struct midpoint;         // engine/motion/midpoint.h
struct contacts;         // engine/contact/contacts.h
struct interfaces;       // engine/contact/interfaces.h
struct detection;        // engine/contact/detection.h
struct contact_problem;  // engine/problem/contact_problem.h
struct solver_workspace; // engine/solvers/sweep/workspace.h
struct step_observer;    // engine/step/solve.h
struct galizzi;          // engine/step/galizzi.c
struct machine;          // engine/api/machine.h

struct name_table {
    char **name;
    int count;
};

struct law_table {
    int materials; // size of `of`, one side
    uint16_t *of;  // [materials * materials] -> law
    struct gabion_law *law;
    int count; // law 0 is the default one
};

struct driver {
    int group;
    bool turns;     // about the axis `direction` through `pivot`, not along it
    vec3 direction; // as given to a driver that moves; unit when it turns
    vec3 pivot;
    struct signal signal;
};

struct force {
    int group;
    vec3 direction;
    struct signal signal;
};

enum event_kind { EVENT_RESET, EVENT_REMOVAL };

struct event {
    enum event_kind kind;
    int group;
    double time;
    vec3 velocity, spin;
};

struct probe {
    char *name;
    int group;
    enum gabion_quantity quantity;
};

// A body that waits for its time. Its id is already given out.
struct pending_body {
    int32_t id;
    struct gabion_body body;
};

// Where a fixed body was before its drivers moved it. Its path is turned first, in the order of the
// drivers, then shifted by the sum of the others.
struct driven_body {
    int32_t id;
    vec3 origin;
    quat orientation;
};

// What a program applied to a body for the next step alone.
struct applied {
    vec3 force, moment;
};

// Functions of the program that uses the library; NULL: none.
struct listeners {
    gabion_step_function step;
    void *step_user;
    gabion_log_function log;
    void *log_user;
    enum gabion_log_level least;
    bool called;       // the step function is running
    bool overlap_told; // one warning is enough
};

struct gabion_world {
    struct gabion_settings settings;
    struct team *team;
    // Of gabion_create: where all its memory is, and its threads. NULL: both are the caller's.
    struct memory_account *account;
    struct machine *machine;
    bool broken; // left half changed: only gabion_destroy is allowed
    struct listeners listeners;

    struct name_table materials, groups;
    double *density; // by material
    struct law_table laws;

    struct driver *drivers;
    int driver_count;
    struct signal tilt; // of gravity, rad; amplitude 0: none
    vec3 tilt_axis;
    struct force *forces;
    int force_count;
    struct event *events;
    int event_count;
    struct probe *probes;
    int probe_count;
    struct joints joints; // their impulses are state

    // State: with the settings and definitions above, all that the next step depends on.
    int64_t step;
    struct bodies bodies;
    struct contacts *contacts;
    struct applied *applied;      // by id, of the next step; NULL: none
    struct pending_body *pending; // from the first step on in order of insertion time, then id
    int pending_count;
    struct driven_body *driven; // every fixed body that a driver names
    int driven_count;
    struct interfaces *interfaces; // of blocks, as the run began
    double rest_since;             // time since which all bodies are slow; NAN: they are not
    struct ledger ledger;

    // Of the last step.
    struct gabion_step_report report;
    struct gabion_run_report run;
    double phase_time[PHASE_COUNT]; // s, wall, of all steps

    // Of the step in progress.
    double deadline;       // solver.time_budget, clock_seconds; 0: none
    bool entered, changed; // bodies entered; events changed the state
    struct contact_problem *problem;
    struct step_observer *observer; // engine/step/solve.h; NULL: none

    // Memory kept from step to step.
    struct midpoint *midpoint;
    struct detection *detection;
    struct solver_workspace *workspace;
    struct galizzi *galizzi; // what the phases of a corrective step hand on; NULL between steps
};

// Time of step number `step`: a product, so that it does not drift.
static inline double world_time(const struct gabion_world *world) {
    return (double)world->step * world->settings.step;
}

// The law between two bodies, as an index into laws.law.
static inline uint16_t world_law(const struct gabion_world *world, int32_t i, int32_t j) {
    const uint16_t *material = world->bodies.material;
    return world->laws.of[material[i] * world->laws.materials + material[j]];
}

#endif
