// Keeps the sweep plan between solves.
#include "engine/solvers/sweep/workspace.h"

#include "engine/solvers/sweep/border.h"
#include "engine/solvers/sweep/measure.h"
#include "engine/solvers/sweep/packed.h"

struct solver_workspace {
    struct sweep_plan *plan; // NULL until a problem is opened
    struct solver_keep keep;
    const struct contact_problem *problem; // open; NULL: none
    bool fresh;                            // holds the impulses that it was opened with
};

struct solver_workspace *solver_workspace_create(void) {
    return memory_allocate(1, sizeof(struct solver_workspace), "sweeps");
}

void solver_workspace_free(struct solver_workspace *workspace) {
    if (!workspace)
        return;
    if (workspace->plan)
        sweep_plan_free(workspace->plan);
    if (workspace->keep.free)
        workspace->keep.free(workspace->keep.data);
    memory_free(workspace);
}

struct solver_keep *solver_workspace_keep(struct solver_workspace *workspace) {
    return &workspace->keep;
}

void solver_workspace_open(struct solver_workspace *workspace,
                           const struct contact_problem *problem,
                           const struct solver_settings *settings, const vec3 *r) {
    if (!workspace->plan)
        workspace->plan = sweep_plan_create();
    sweep_plan_build(workspace->plan, problem, settings, r);
    workspace->problem = problem;
    workspace->fresh = true;
}

void solver_workspace_require(struct solver_workspace *workspace,
                              const struct contact_problem *problem,
                              const struct solver_settings *settings, const vec3 *r) {
    if (workspace->problem != problem || workspace->plan->local != settings->local)
        solver_workspace_open(workspace, problem, settings, r);
}

void solver_workspace_close(struct solver_workspace *workspace) {
    workspace->problem = NULL;
    workspace->fresh = false;
    sweep_plan_close(workspace->plan);
}

const struct sweep_plan *workspace_peek(const struct solver_workspace *workspace) {
    return workspace->plan;
}

static void load(struct solver_workspace *workspace, const vec3 *r) {
    if (!workspace->fresh)
        sweep_plan_load(workspace->plan, r);
    workspace->fresh = false; // the caller may change r before the next call
}

struct sweep_plan *workspace_plan(struct solver_workspace *workspace,
                                  const struct contact_problem *problem,
                                  const struct solver_settings *settings, const vec3 *r) {
    solver_workspace_require(workspace, problem, settings, r);
    load(workspace, r);
    return workspace->plan;
}

struct solver_measure solver_workspace_measure(struct solver_workspace *workspace,
                                               const struct solver_settings *settings,
                                               const vec3 *r) {
    struct sweep_plan *plan = workspace->plan;
    struct solver_measure result = {0};
    load(workspace, r);
    struct packed packed = packed_open(plan, settings, NULL);
    if (plan->total.active > 0) {
        packed_measure(&packed);
        result.error = residual_error(&packed.total, plan->least.floor);
        result.swelling = residual_swelling(&packed.total, plan->least.floor);
    } else {
        packed_rest(&packed);
    }
    packed_close(&packed);
    sweep_plan_share(plan);
    return result;
}

void solver_workspace_gather(struct solver_workspace *workspace, const struct cuts *cuts) {
    sweep_plan_gather(workspace->plan, cuts);
}

struct body_velocity solver_workspace_velocity(const struct solver_workspace *workspace,
                                               int32_t body) {
    return solver_velocity(&workspace->plan->bodies[body]);
}

struct solver_sizes solver_workspace_sizes(const struct solver_workspace *workspace) {
    const struct sweep_plan *plan = workspace->plan;
    return (struct solver_sizes){plan->total.active - plan->total.general, plan->total.general,
                                 plan->total.general_nodes};
}

bool solver_workspace_worst(const struct solver_workspace *workspace, int32_t *c, int32_t *a) {
    const struct sweep_plan *plan = workspace->plan;
    return plan->total.active > 0 && measure_place(plan->worst, c, a);
}

int solver_workspace_colours(const struct solver_workspace *workspace) {
    return workspace->plan->colours;
}

struct solver_share solver_workspace_share(const struct solver_workspace *workspace) {
    const struct sweep_plan *plan = workspace->plan;
    struct solver_share share = {.contacts = plan->active, .bytes_after = plan->shared_bytes};
    if (plan->border)
        share.sent = border_sent(plan->border);
    return share;
}

size_t solver_workspace_active(const struct solver_workspace *workspace) {
    return workspace->plan->total.active;
}
