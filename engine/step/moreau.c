#include "engine/step/moreau.h"

#include "engine/contact/contacts.h"
#include "engine/contact/detection.h"
#include "engine/contact/gap.h"
#include "engine/contact/shared.h"
#include "engine/motion/motion.h"
#include "engine/probe/tracks.h"
#include "engine/step/gain.h"
#include "engine/step/healing.h"
#include "engine/step/jam.h"
#include "engine/step/look.h"
#include "engine/step/overlap.h"
#include "engine/step/projection.h"
#include "engine/step/solve.h"
#include "engine/step/step.h"
#include "engine/step/work.h"

bool moreau_step(struct gabion_world *world, struct gabion_error *error) {
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
    step_phase(world, PHASE_BROAD, detection_broad);
    if (step_stopped(world, error))
        return false;
    step_phase(world, PHASE_NARROW, detection_narrow);
    if (step_stopped(world, error))
        return false;
    step_phase(world, PHASE_CONTACTS, contacts_match);
    step_phase(world, PHASE_CONTACTS, solve_admit);
    step_phase(world, PHASE_PROBLEM, gap_activate);
    step_phase(world, PHASE_CONTACTS, contacts_weigh);
    step_phase(world, PHASE_PROBLEM, joint_points_find);
    look_begin(world);
    do {
        step_phase(world, PHASE_PROBLEM, solve_open);
        step_phase(world, PHASE_SOLVE, solve_run);
        step_phase(world, PHASE_SOLVE, solve_close);
        step_phase(world, PHASE_NARROW, look_ahead);
    } while (look_found(world) || jam_found(world));
    if (!step_check(world, error))
        return false;
    step_commit(world);
    step_phase(world, PHASE_CONTACTS, gap_note_collisions);
    step_phase(world, PHASE_CONTACTS, contacts_judge);
    step_phase(world, PHASE_LEDGER, work_of_step);
    step_phase(world, PHASE_LEDGER, gain_of_step);
    step_phase(world, PHASE_INTEGRATE, step_integrate);
    step_phase(world, PHASE_CONTACTS, contacts_remember);
    step_phase(world, PHASE_CONTACTS, joint_points_remember);
    step_phase(world, PHASE_LEDGER, ledger_close);
    if (world->settings.projection > 0 || world->jammed) {
        step_phase(world, PHASE_PROJECT, projection_apply);
        step_phase(world, PHASE_LEDGER, ledger_projection);
    }
    step_phase(world, PHASE_LEDGER, overlap_measure);
    if (healing_needed(world)) {
        step_phase(world, PHASE_PROJECT, healing_apply);
        step_phase(world, PHASE_LEDGER, ledger_projection);
        step_phase(world, PHASE_LEDGER, overlap_measure);
    }
    step_phase(world, PHASE_LEDGER, tracks_end);
    step_count(world);
    return true;
}
