// Reads contact problems from files, solves them and measures the time: shared by the commands
// `solve` and `compare`.
#ifndef IO_COMMAND_SOLVING_H
#define IO_COMMAND_SOLVING_H

#include "engine/solvers/panel.h"
#include "io/command/options.h"
#include "parallel/team.h"

// Reads a problem, to be solved by the threads of the team: the views of a step that Gabion
// exported, if the file holds them, else the matrix. A stored solution is not read.
struct contact_problem *solving_read(const char *path, struct team *team,
                                     struct gabion_error *error);

// Returns the impulses that the file gives as a start, over the slots of the problem; NULL and an
// error where it gives none. Free with memory_free.
double *solving_start(const char *path, const struct contact_problem *problem,
                      struct gabion_error *error);

struct solving {
    struct solver_result result;
    struct contact_error error; // measured again on the solution
    double seconds;             // of the solve alone
    bool solved;                // converged, and the second measurement confirms it
};

// Solves from `start` over the slots of the problem (NULL: from zero) and leaves the answer in r,
// over its rows.
struct solving solving_run(struct contact_problem *problem, struct solver_choice choice,
                           const struct solver_settings *settings, const double *start, double *r);

double solving_measure(const struct solver_settings *settings, const struct contact_error *error);
bool solving_has_local(enum gabion_method method); // only nsgs offers local solvers
// Rejects a local solver that the method does not offer.
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
