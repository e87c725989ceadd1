// Contact problems from files, solved and timed: what `solve` and `compare` share.
#ifndef IO_COMMAND_SOLVING_H
#define IO_COMMAND_SOLVING_H

#include "engine/solvers/panel.h"
#include "io/command/options.h"
#include "parallel/team.h"

// Reads a problem and gives it the team's threads. Its stored solution is not wanted here.
struct contact_problem *solving_read(const char *path, struct team *team,
                                     struct gabion_error *error);

struct solving {
    struct solver_result result;
    struct contact_error error; // measured anew on the answer, by code that no solver shares
    double seconds;             // of solving alone
    bool solved;                // converged, and the new measure says so too
};

// From zero impulses; the answer is left in r.
struct solving solving_run(struct contact_problem *problem, struct solver_choice choice,
                           const struct solver_settings *settings, double *r);

double solving_measure(const struct solver_settings *settings, const struct contact_error *error);
bool solving_has_local(enum gabion_method method); // has it a choice of them?
// A local solver must have an effect.
bool solving_check(struct solver_choice choice, struct gabion_error *error);

// "nsgs", "nsgs/exact".
#define SOLVING_LABEL_SIZE 32
const char *solving_label(struct solver_choice choice, char text[SOLVING_LABEL_SIZE]);

struct workers {
    struct topology *topology;
    struct team *team;
};
bool workers_start(struct workers *workers, int threads, struct gabion_error *error);
void workers_stop(struct workers *workers);

#endif
