#include "io/run/overlap_watch.h"

#include <inttypes.h>
#include <stdio.h>

// Shares of the smaller body's size. Healing removes a hundredth within a step or two; where it
// stays, there is no room for the bodies or nothing heals.
#define ALWAYS_WORTH_A_WARNING 0.2
#define WORTH_COUNTING         0.01
#define TOO_LONG               100 // steps

#define NAME_SIZE 128

// Writes "7 (bricks)".
static const char *name_body(const struct gabion_world *world, int32_t id, char text[NAME_SIZE]) {
    struct gabion_body_state body;
    const char *group = NULL;
    if (gabion_get_body(world, id, &body, NULL) && body.group > 0)
        group = gabion_group_name(world, body.group);
    if (group)
        snprintf(text, NAME_SIZE, "%" PRId32 " (%s)", id, group);
    else
        snprintf(text, NAME_SIZE, "%" PRId32, id);
    return text;
}

static const char *remedy(const struct gabion_world *world) {
    struct gabion_settings settings;
    if (!gabion_get_settings(world, &settings, NULL))
        return "";
    if (settings.gap == GABION_GAP_STABILIZED || settings.scheme == GABION_SCHEME_CORRECTIVE)
        return "is a body put where another one is (position, insert_time)? If not, try a smaller "
               "time.step";
    if (settings.projection == 0)
        return "contact.projection: auto moves them apart; is a body put where another one is "
               "(position, insert_time)? If not, a smaller time.step leaves less overlap";
    return "contact.projection moves them apart as far as there is room; is a body put where "
           "another one is (position, insert_time), or pressed by a driver? If not, try a smaller "
           "time.step or more solver.max_sweeps";
}

bool overlap_watch_step(struct overlap_watch *watch, const struct gabion_world *world,
                        char text[OVERLAP_TEXT_SIZE]) {
    struct gabion_step_report step;
    char first[NAME_SIZE], second[NAME_SIZE];
    if (!gabion_read_step_report(world, &step, NULL) ||
        !(step.max_overlap_relative > WORTH_COUNTING)) {
        watch->in_a_row = 0;
        return false;
    }
    watch->steps++;
    watch->in_a_row++;
    if (step.max_overlap_relative > watch->worst.max_overlap_relative) {
        watch->worst = step;
        watch->worst_step = gabion_step_number(world);
    }
    if (watch->warned ||
        (watch->in_a_row < TOO_LONG && !(step.max_overlap_relative > ALWAYS_WORTH_A_WARNING)))
        return false;
    watch->warned = true;
    snprintf(text, OVERLAP_TEXT_SIZE,
             "warning: after step %" PRId64 " (t = %.6g s) bodies %s and %s overlap by %.3g %% of "
             "the smaller one's size; %s",
             gabion_step_number(world), gabion_time(world),
             name_body(world, step.overlap_body_a, first),
             name_body(world, step.overlap_body_b, second), 100 * step.max_overlap_relative,
             remedy(world));
    return true;
}

bool overlap_watch_end(const struct overlap_watch *watch, const struct gabion_world *world,
                       int64_t steps, char text[OVERLAP_TEXT_SIZE]) {
    char first[NAME_SIZE], second[NAME_SIZE];
    if (!watch->warned)
        return false;
    snprintf(text, OVERLAP_TEXT_SIZE,
             "warning: %" PRId64 " of %" PRId64 " steps ended with bodies that overlap by more "
             "than %g %% of the smaller one's size; the largest share is %.3g %%, of bodies %s and "
             "%s in step %" PRId64,
             watch->steps, steps, 100 * WORTH_COUNTING, 100 * watch->worst.max_overlap_relative,
             name_body(world, watch->worst.overlap_body_a, first),
             name_body(world, watch->worst.overlap_body_b, second), watch->worst_step);
    return true;
}
