// The world: all data of a run. Internal; programs that use the library see engine/gabion.h.
#ifndef ENGINE_WORLD_WORLD_H
#define ENGINE_WORLD_WORLD_H

#include <stdatomic.h>

#include "engine/world/bodies.h"
#include "engine/gabion.h"
#include "engine/world/joints.h"
#include "engine/world/ledger.h"
#include "engine/world/piece.h"
#include "engine/world/report.h"
#include "engine/world/sharing.h"
#include "engine/world/signal.h"
#include "engine/world/solver_memory.h"
#include "geometry/region.h"
#include "parallel/error.h"
#include "parallel/stop.h"
#include "parallel/team.h"

// Members of the world that belong to the rooms above this one.
struct midpoint;         // engine/motion/midpoint.h
struct contacts;         // engine/contact/contacts.h
struct interfaces;       // engine/contact/interfaces.h
struct detection;        // engine/contact/detection.h
struct probes;           // engine/probe/probe.h
struct contact_problem;  // engine/problem/contact_problem.h
struct solver_workspace; // engine/solvers/sweep/workspace.h
struct step_observer;    // engine/step/solve.h
struct galizzi;          // engine/step/corrective.c
struct watch_log;        // engine/step/watch.h
struct machine;          // engine/api/machine.h

struct name_table {
    char **name;
    int count;
};

struct law_table {
    int materials; // side of the square table `of`
    uint16_t *of;  // [materials * materials] -> law
    struct gabion_law *law;
    int count; // law 0 is the default one
    bool has_default;
    bool complete; // no pair of materials that can touch lacks a law, as far as is known
};

struct driver {
    int group;
    bool turns; // turns about the axis `direction` through `pivot`; false: moves along `direction`
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
    int group; // -1: all moving bodies
    double time;
    vec3 velocity, spin;
    // Removals of the bodies in a region: those that are there at `time`, or in any step from then
    // until `until`.
    bool in_region;
    struct region region;
    double until;
};

// A body that waits for its time. Its id is already given out.
struct pending_body {
    int32_t id;
    struct gabion_body body;
};

// A fixed body that drivers move, as it was before they moved it. Drivers that turn act first, in
// their order; the sum of the displacements follows.
struct driven_body {
    int32_t id;
    vec3 origin;
    quat orientation;
};

// Force and moment that a program applied to a body for the next step (gabion_apply_force).
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
    bool called;      // the step function is running
    struct stop stop; // of the step in progress
};

// The times of steps: since the length of the step last changed they are its multiples.
struct pace {
    int64_t step;  // number of the step with which the present length began
    double time;   // then
    double before; // length of the step before it; 0: there was none
};

// What a change that ran out of memory left of the world.
enum world_condition {
    WORLD_SOUND,
    WORLD_SPENT,  // the state is that of the last complete step, but no further step is possible
    WORLD_BROKEN, // only gabion_destroy is allowed
};

// The thread that is inside a function that changes the world, and how many such functions it is
// in: step functions call others.
struct world_user {
    _Atomic(const void *) thread; // NULL: none
    int depth;
};

// What a step that fails puts back.
struct step_start {
    bool kept; // nothing else has changed since
    struct gabion_step_report report;
    struct solver_memory memory;
    int64_t local_fallbacks;
};

struct gabion_world {
    struct gabion_settings settings;
    struct team *team;
    // Memory and threads of a world made by gabion_create. NULL: the caller provides both.
    struct memory_account *account;
    struct machine *machine;
    enum world_condition condition;
    struct world_user user;
    struct listeners listeners;

    bool varies; // its definitions may differ from those before (engine/api/vary.h)
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
    struct probes *probes; // what they count from step to step is state
    int fall_group;        // that gabion_collapsed looks at; -1: all moving bodies
    struct joints joints;  // their impulses are state

    // State: with the settings and definitions above, all that the next step depends on.
    int64_t step;
    struct pace pace;
    struct bodies bodies;
    struct piece piece; // of the bodies, where ranks share them; no result depends on it
    struct contacts *contacts;
    struct applied *applied;      // by id, of the next step; NULL: none
    struct pending_body *pending; // from the first step on in order of insertion time, then id
    int pending_count;
    struct driven_body *driven; // every fixed body that a driver names
    int driven_count;
    struct interfaces *interfaces; // between masonry blocks, as found when the run began
    double rest_since;             // time since which all bodies are slow; NAN: they are not
    struct ledger ledger;
    struct solver_memory memory;

    // Reports of the last step and of the run.
    struct gabion_step_report report;
    struct gabion_run_report run;
    double phase_time[PHASE_COUNT]; // s, wall, of all steps
    struct sharing sharing;
    struct watch_log *watches;
    struct gabion_fall fallen; // after the last step, where ranks share the bodies (world/fall.h)

    // Data of the step in progress.
    struct step_start start;
    double deadline;       // solver.time_budget, clock_seconds; 0: none
    bool entered, changed; // bodies entered; events changed the state
    bool misfit;           // a body that entered does not fit into a hollow
    bool jammed;           // joints gave way to contacts (engine/step/jam.h)
    bool looked;           // the second look found no more contacts (engine/step/look.h)
    struct contact_problem *problem;
    struct step_observer *observer; // engine/step/solve.h; NULL: none

    // Memory kept from step to step.
    struct midpoint *midpoint;
    struct detection *detection;
    struct solver_workspace *workspace;
    struct galizzi *galizzi; // data that the phases of a corrective step share; NULL between steps
};

// Returns the time at which a step starts: a product, so that it does not drift.
static inline double world_time_of(const struct gabion_world *world, int64_t step) {
    return world->pace.time + (double)(step - world->pace.step) * world->settings.step;
}

static inline double world_time(const struct gabion_world *world) {
    return world_time_of(world, world->step);
}

// Returns the law between two bodies, as an index into laws.law.
static inline uint16_t world_law(const struct gabion_world *world, int32_t i, int32_t j) {
    const uint16_t *material = world->bodies.material;
    return world->laws.of[material[i] * world->laws.materials + material[j]];
}

#endif
