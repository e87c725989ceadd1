// The monitor watches a solver: it measures the residual (engine/problem/residual.h), decides when
// to stop, keeps the best impulses r and writes the history. Solvers differ only in how they
// improve r.
#ifndef ENGINE_SOLVERS_MONITOR_H
#define ENGINE_SOLVERS_MONITOR_H

#include "engine/problem/contact_problem.h"
#include "engine/problem/residual.h"

struct solver_settings {
    enum gabion_local local;
    double tolerance;
    enum gabion_measure measure;
    int max_iterations;
    double relaxation;
    bool momentum; // accelerate the sweeps of nsgs
    struct gabion_cone cone;
    struct solver_memory *memory; // of auto, which changes it; NULL: nothing is remembered
    // How many vectors the impulses over the slots of a problem have room for beyond these. nsgs
    // then keeps those of the last sweep there until it stores its own.
    size_t spare;
    double deadline; // clock_seconds at which to stop (solver.time_budget); 0: never
    // Called after each measurement, unless NULL.
    void (*record)(void *context, int iteration, const struct contact_error *error);
    void *context;
};

enum solver_status {
    SOLVER_CONVERGED,
    SOLVER_CAP,      // iterations or time used up, or asked to stop
    SOLVER_STALLED,  // the method cannot get further
    SOLVER_REJECTED, // the method cannot solve problems of this kind; the note says why
};

struct solver_result {
    enum solver_status status;
    enum gabion_method finished;    // the method whose impulses these are
    int spent[GABION_METHOD_COUNT]; // iterations by method
    int iterations;                 // sweeps, pivots or factorisations, as the method counts
    struct contact_error error;
    int64_t local_fallbacks; // one-contact problems where the local solver failed and a projected
                             // step was used
    int64_t substitutions;   // contacts solved by another local solver than the one asked for
    char note[200];          // "" or a sentence
};

struct monitor {
    struct contact_problem *problem; // a method may make its rows
    const struct solver_settings *settings;
    struct solver_result result; // of the best impulses; stalled until a check says otherwise
    // Memory kept between solves. NULL: the problem is a matrix, of which nothing is kept.
    struct solver_workspace *workspace;
    struct residual_base base; // of the problem, from the first measurement on
    bool based;                // it is known
    double *best;              // NULL until a check keeps one
    double best_measure, last; // the measure chosen: of the best impulses, of the last check
    int iterations;            // at the last check, over all stages
    int before;                // iterations of the stages before this one
    enum gabion_method stage;  // the method at work
    int spent_before;          // iterations of this method in earlier stages
};

struct monitor monitor_open(struct contact_problem *problem,
                            const struct solver_settings *settings);
void monitor_close(struct monitor *monitor);

// Records a measurement that the method made itself, of impulses that it keeps itself. Returns true
// when the method has to stop: converged or at the cap.
bool monitor_note(struct monitor *monitor, int iterations, const struct contact_error *error);

// Returns the measures of r, without a record; and whether such measures are within the tolerance.
struct contact_error monitor_measure(struct monitor *monitor, const double *r);
bool monitor_within(const struct monitor *monitor, const struct contact_error *error);

// Does what monitor_check does with impulses that have been measured.
bool monitor_take(struct monitor *monitor, int iterations, const double *r,
                  const struct contact_error *error);

// Measures r after `iterations` of the present stage. Returns true when the method has to stop:
// converged or at the cap.
bool monitor_check(struct monitor *monitor, int iterations, const double *r);
// Does the same where the velocities u that r causes are known.
bool monitor_check_both(struct monitor *monitor, int iterations, const double *r, const double *u);
// Does the same for impulses that may lie outside their friction cones: shortens their tangential
// parts until they lie inside, writes them to `admitted` and measures those. Only admissible
// impulses can be a solution.
bool monitor_check_admitted(struct monitor *monitor, int iterations, const double *r,
                            double *admitted);
// Returns whether the time of settings.deadline is over or somebody asks to stop (parallel/stop.h).
bool monitor_late(const struct monitor *monitor);
bool monitor_done(
    const struct monitor *monitor); // the last check said stop, or the problem was rejected

// Records that the method cannot solve problems of this kind, and why.
void monitor_reject(struct monitor *monitor, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Begins a new stage of a chain of methods, by the given method. The method counts its iterations
// from zero; the monitor adds them up.
void monitor_stage(struct monitor *monitor, enum gabion_method method);

#endif
