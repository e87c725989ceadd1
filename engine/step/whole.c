#include "engine/step/whole.h"

#include "engine/contact/detection.h"
#include "engine/motion/motion.h"
#include "engine/solvers/sweep/workspace.h"

void whole_bodies(struct gabion_world *world) {
    if (!world->piece.partial)
        return;
    piece_leave(world);
    motion_predict(world);
    detection_reach_all(world);
    solver_workspace_gather(world->workspace, world->piece.cuts);
}

void whole_step(struct gabion_world *world) {
    whole_bodies(world);
    detection_complete(world);
}
