// The phases of a step. The time of each is measured and reported.
#ifndef ENGINE_WORLD_REPORT_H
#define ENGINE_WORLD_REPORT_H

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

#endif
