// Chooses between sweeps and factorisations for the method auto, by what each is expected to cost.
//
// Costs are counted from the sizes of the problem, in units of about a nanosecond of one core; they
// are never measured with a clock, so that a run takes the same decisions everywhere. What earlier
// solves of the run took is in its solver memory (engine/world/solver_memory.h).
#ifndef ENGINE_SOLVERS_CHOICE_H
#define ENGINE_SOLVERS_CHOICE_H

#include "engine/solvers/monitor.h"
#include "engine/world/solver_memory.h"

#define CHOICE_IPM 2.2 // cost of an iteration of ipm in iterations of newton

struct choice {
    struct solver_memory *memory;
    bool faces;           // pairs of bodies touch at several points
    bool large;           // too large for anything but sweeps
    bool affordable;      // factors fit into memory and time
    bool cheap;           // factors cost little beside sweeps of prox
    bool credit;          // work by other methods than sweeps is not overdrawn
    bool rescue;          // other methods may follow sweeps that fail
    bool sweeps_first;    // begin with sweeps,
    bool trial;           // to see whether they have become cheaper
    double sweep;         // cost of one
    double setup, factor; // cost of the symbolic analysis, and of an iteration of newton
    double alternation;   // cost of an iteration of admm
    double iterations;    // such iterations that a solve by ipm is expected to cost
    double worth;         // sweeps after which factorisations are expected to be cheaper
    double effort;        // sweeps that are worth making where nothing else helps
};

// Chooses for the problem that is open in the workspace. Makes its rows where the cost of a
// factorisation must be predicted anew.
struct choice choice_make(struct contact_problem *problem, struct solver_workspace *workspace,
                          struct solver_memory *memory, const struct solver_settings *settings);

// Returns whether a problem has so many pairs of bodies that it is only swept.
bool choice_is_large(size_t nodes);

// Return the cost of an iteration of newton, by rows and multiplications of its factorisation, and
// such iterations that a solve by ipm is expected to cost.
double choice_iteration(double rows, double multiplications);
double choice_iterations(double tolerance);

// Return the cost of sweeps, and what a solve by ipm is expected to cost.
double choice_sweeps(const struct choice *choice, double sweeps);
double choice_solve(const struct choice *choice);

// Note what was taken: the sweeps that the solution took or was expected to take, and the cost of
// factorisations with the method that solved the problem by them.
void choice_note_sweeps(struct choice *choice, double sweeps, bool solved);
void choice_note_factors(struct choice *choice, double cost, enum gabion_method method,
                         bool solved);
// Notes sweeps that a solve began with. Among grains they earn the credit that other methods spend,
// those that fail several times: no method is cheap at hard steps there, and a run shall not take
// more than about twice the time of its sweeps.
void choice_earn(struct choice *choice, double sweeps);
// Decides what the next solve begins with. Sweeps that lost are tried again after a pause, which
// doubles with every trial in vain.
void choice_end(struct choice *choice);

#endif
