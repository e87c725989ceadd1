#include "engine/step/galizzi.h"

#include "engine/contact/contacts.h"
#include "engine/contact/detection.h"
#include "engine/motion/motion.h"
#include "engine/probe/tracks.h"
#include "engine/step/corrective.h"
#include "engine/step/gain.h"
#include "engine/step/overlap.h"
#include "engine/step/step.h"
#include "engine/step/work.h"

static bool make_step(struct gabion_world *world, struct gabion_error *error) {
    step_phase(world, PHASE_EVENTS, step_enter);
    step_phase(world, PHASE_EVENTS, step_leave);
    step_phase(world, PHASE_EVENTS, step_account);
    step_phase(world, PHASE_EVENTS, step_interfaces);
    if (!step_fits(world, error))
        return false;
    step_begin(world);
    step_phase(world, PHASE_EVENTS, tracks_begin);
    step_phase(world, PHASE_PREDICT, motion_predict_free);
    step_phase(world, PHASE_PREDICT, motion_predict_fixed);
    step_phase(world, PHASE_PREDICT, motion_predict_driven);
    step_phase(world, PHASE_PREDICT, motion_predict_masses);
    step_phase(world, PHASE_PREDICT, motion_stand);
    step_phase(world, PHASE_BROAD, detection_broad);
    if (step_stopped(world, error))
        return false;
    step_phase(world, PHASE_NARROW, detection_narrow);
    if (step_stopped(world, error))
        return false;
    step_phase(world, PHASE_PROBLEM, joint_points_find);
    step_phase(world, PHASE_SOLVE, corrective_accelerations);
    if (!step_check(world, error))
        return false;
    step_phase(world, PHASE_INTEGRATE, corrective_keep_past);
    step_phase(world, PHASE_LEDGER, work_of_step);
    step_phase(world, PHASE_INTEGRATE, step_integrate);
    step_phase(world, PHASE_INTEGRATE, motion_stand);
    step_phase(world, PHASE_BROAD, detection_broad); // as far as the free velocities still reach
    step_phase(world, PHASE_NARROW, detection_narrow);
    step_phase(world, PHASE_INTEGRATE, motion_arrive);
    step_phase(world, PHASE_PROBLEM, joint_points_find);
    step_phase(world, PHASE_PROJECT, corrective_positions);
    step_phase(world, PHASE_SOLVE, corrective_velocities);
    if (!step_check(world, error)) {
        corrective_restore_past(world);
        return false;
    }
    step_commit(world);
    step_phase(world, PHASE_LEDGER, work_of_impulses);
    step_phase(world, PHASE_LEDGER, gain_of_step);
    step_phase(world, PHASE_INTEGRATE, corrective_take_velocities);
    step_phase(world, PHASE_LEDGER, ledger_close);
    step_phase(world, PHASE_PROJECT, corrective_move_apart);
    step_phase(world, PHASE_LEDGER, ledger_projection);
    step_phase(world, PHASE_CONTACTS, corrective_add_start);
    step_phase(world, PHASE_CONTACTS, contacts_judge);
    step_phase(world, PHASE_CONTACTS, contacts_remember);
    step_phase(world, PHASE_CONTACTS, joint_points_remember);
    step_phase(world, PHASE_LEDGER, overlap_measure);
    step_phase(world, PHASE_LEDGER, tracks_end);
    step_count(world);
    return true;
}

bool galizzi_step(struct gabion_world *world, struct gabion_error *error) {
    corrective_begin(world);
    bool good = make_step(world, error);
    corrective_end(world);
    return good;
}
