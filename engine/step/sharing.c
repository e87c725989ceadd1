#include "engine/step/sharing.h"

#include "engine/contact/shared.h"
#include "engine/solvers/sweep/workspace.h"
#include "engine/world/world.h"
#include "parallel/ranks.h"

#define NANOSECONDS 1e9

void sharing_note_solve(struct gabion_world *world) {
    struct sharing *sharing = &world->sharing;
    if (!contacts_are_shared(world->contacts))
        return;
    struct solver_share share = solver_workspace_share(world->workspace);
    sharing->step.shared = true;
    sharing->step.messages += share.sent.messages;
    sharing->step.bytes += share.sent.bytes;
    sharing->step.waiting += share.sent.waiting;
    sharing->step.contacts = (int64_t)share.contacts;
    sharing->step.body_bytes += share.bytes_after;
}

void sharing_count_step(struct gabion_world *world) {
    struct sharing *sharing = &world->sharing;
    struct sharing_step step = sharing->step;
    double solved = world->phase_time[PHASE_SOLVE];
    double solving = solved - sharing->solved, most = (double)step.contacts;
    sharing->solved = solved;
    step.body_bytes += world->piece.bytes - sharing->gathered;
    sharing->gathered = world->piece.bytes;
    sharing->step = (struct sharing_step){0};
    if (!step.shared) {
        sharing->whole_steps += ranks_count() > 1;
        return;
    }
    int64_t known = (int64_t)piece_count(world, world->bodies.moving);
    int64_t ghosts = known - (cuts_end(&world->contacts->cuts, world->bodies.moving) -
                              cuts_begin(&world->contacts->cuts));
    int64_t sums[] = {step.messages,
                      step.bytes,
                      (int64_t)(NANOSECONDS * step.waiting),
                      (int64_t)(NANOSECONDS * solving),
                      step.contacts,
                      ghosts,
                      step.body_bytes};
    ranks_sum_signed(sums, sizeof sums / sizeof *sums);
    ranks_max(&most, 1);
    sharing->shared_steps++;
    sharing->sweeps += world->report.spent[GABION_METHOD_NSGS];
    sharing->messages += sums[0];
    sharing->bytes += sums[1];
    sharing->waiting += (double)sums[2] / NANOSECONDS;
    sharing->solving += (double)sums[3] / NANOSECONDS;
    sharing->contacts += sums[4];
    sharing->ghosts += sums[5];
    sharing->body_bytes += sums[6];
    sharing->most_contacts += (int64_t)most;
}
