#include "io/run/runner_summary.h"

#include <string.h>

#include "engine/world/world.h"
#include "io/run/runner_messages.h"
#include "io/run/summary.h"

void runner_note_hash(struct runner *runner) { runner->hash = gabion_state_hash(runner->world); }

static struct summary summarise(const struct runner *runner) {
    return (struct summary){
        .status = runner->status != NULL ? runner->status : SUMMARY_RUNNING,
        .directory = runner->request->directory,
        .wall_time = runner_wall_time(runner),
        .wall_time_total = runner->request->wall_time + runner_wall_time(runner),
        .state_hash = runner->hash,
        .contact_sweeps = runner->start_contact_sweeps,
        .collapsed = runner->status != NULL && strcmp(runner->status, "collapsed") == 0,
        .warnings = runner_warnings(runner),
        .output_times = {.all = runner->output_times.all,
                         .waited = runner->output_times.waited,
                         .beside = runner->pictures_beside + runner->history_beside},
    };
}

void runner_print_summary(const struct runner *runner) {
    if (!runner_is_writer())
        return;
    struct summary summary = summarise(runner);
    summary_print(&summary, runner->world, stdout);
}

bool runner_write_summary(struct runner *runner, struct gabion_error *error) {
    struct summary summary = summarise(runner);
    return summary_write(&summary, runner->world, error);
}
