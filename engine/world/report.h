// What a step did: counts, accuracy and time by phase.
#ifndef ENGINE_WORLD_REPORT_H
#define ENGINE_WORLD_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/gabion.h"

enum phase {
    PHASE_EVENTS,
    PHASE_PREDICT,
    PHASE_BROAD,
    PHASE_NARROW,
    PHASE_CONTACTS,
    PHASE_PROBLEM,
    PHASE_SOLVE,
    PHASE_INTEGRATE,
    PHASE_PROJECT,
    PHASE_LEDGER,
    PHASE_COUNT
};

extern const char *const phase_names[PHASE_COUNT];

struct step_report {
    int32_t bodies;     // spheres and blocks in the run, fixed ones included
    int64_t candidates; // contact points within the alert distance
    int64_t contacts;   // those that carry force
    int64_t rows;       // contacts and points of joints in the solve
    int32_t sweeps;     // or iterations, as the method that finished counts
    int32_t colours;
    enum gabion_method finished_by;     // the method whose impulses the step goes on with
    int32_t spent[GABION_METHOD_COUNT]; // iterations of each method
    int64_t substitutions;              // contacts that another local solver served
    bool converged;
    double residual;             // scaled measure
    double residual_fclib;       // unscaled one of FCLIB and Siconos
    double max_overlap;          // m, at the end of the step
    double max_overlap_relative; // to the smaller body's size
    double mean_overlap;         // m, over the contacts that overlap or carry force
    double joint_error;          // m, largest of any joint at the end of the step
    double max_speed;
    char refusal[200]; // "", or why the solver rejects such problems
};

struct run_report {
    int64_t steps;
    int64_t unconverged_steps;
    int64_t local_fallbacks;        // one-contact problems that only the guard could answer
    int64_t sweeps;                 // total
    int64_t contact_sweeps;         // contacts times sweeps, total
    double phase_time[PHASE_COUNT]; // s, wall
};

#endif
