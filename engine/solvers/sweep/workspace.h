// The solver workspace: memory kept from one solve to the next, which is the sweep plan and what
// newton keeps. While a
// problem with views is open in it, impulses can be measured with the same order of operations as
// in the sweeps, and the velocities that they cause can be read.
#ifndef ENGINE_SOLVERS_SWEEP_WORKSPACE_H
#define ENGINE_SOLVERS_SWEEP_WORKSPACE_H

#include "engine/problem/residual.h"
#include "engine/solvers/monitor.h"
#include "parallel/exchange.h"

struct solver_workspace;

struct solver_workspace *solver_workspace_create(void);
void solver_workspace_free(struct solver_workspace *workspace);

// What another room keeps here from solve to solve, and the function that frees it with the
// workspace. No result may depend on it. NULL: nothing yet.
struct solver_keep {
    void *data;
    void (*free)(void *data);
};
struct solver_keep *solver_workspace_keep(struct solver_workspace *workspace);

// Lays out a problem with views and loads the start impulses r, a vector over its slots. The
// problem must exist until solver_workspace_close.
void solver_workspace_open(struct solver_workspace *workspace,
                           const struct contact_problem *problem,
                           const struct solver_settings *settings, const vec3 *r);
// Does the same unless the problem is open already.
void solver_workspace_require(struct solver_workspace *workspace,
                              const struct contact_problem *problem,
                              const struct solver_settings *settings, const vec3 *r);
void solver_workspace_close(struct solver_workspace *workspace);

struct solver_measure {
    struct contact_error error;
    double swelling; // engine/problem/residual.h
};

// Measures impulses over the slots of the open problem and computes the velocities that they cause.
struct solver_measure solver_workspace_measure(struct solver_workspace *workspace,
                                               const struct solver_settings *settings,
                                               const vec3 *r);

// Returns the velocity that a body of the midpoint has with the impulses measured last, or with
// those that nsgs ended with. Velocities are kept after solver_workspace_close.
struct body_velocity solver_workspace_velocity(const struct solver_workspace *workspace,
                                               int32_t body);

// Gives every rank those of all bodies, where each has those of a piece (engine/world/piece.h).
void solver_workspace_gather(struct solver_workspace *workspace, const struct cuts *cuts);

// Sizes of the open problem: contacts between spheres, other contacts and points of joints, and the
// nodes that these belong to (pairs of bodies with a normal, joints).
struct solver_sizes {
    size_t spheres, points, nodes;
};
struct solver_sizes solver_workspace_sizes(const struct solver_workspace *workspace);

// Finds the bodies of the contact that had the largest error in its own scale (contact_error.worst)
// when impulses were measured last. Returns false where no contact has an error.
bool solver_workspace_worst(const struct solver_workspace *workspace, int32_t *c, int32_t *a);

int solver_workspace_colours(const struct solver_workspace *workspace);
size_t solver_workspace_active(const struct solver_workspace *workspace); // rows of the problem

// What one rank has of the open problem: the contacts that it solves, and what it sent since the
// problem was opened: in the sweeps, and of velocities after them.
struct solver_share {
    size_t contacts;
    struct exchange_account sent;
    int64_t bytes_after;
};
struct solver_share solver_workspace_share(const struct solver_workspace *workspace);

#endif
