#include "io/run/runner_checkpoint.h"

#include <inttypes.h>

#include "engine/contact/contacts.h"
#include "engine/world/world.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/run/log.h"
#include "io/run/runner_summary.h"
#include "io/run/runner_together.h"
#include "parallel/clock.h"
#include "parallel/ranks.h"

static bool write_case(const struct runner *runner, struct gabion_error *error) {
    const char *text = case_text(runner->request->scene->file);
    char path[FOLDER_PATH_MAX + 16];
    struct safe_file file;
    snprintf(path, sizeof path, "%s/case.yaml", runner->request->directory);
    if (!safe_file_open(&file, path, error))
        return false;
    fputs(text, file.stream);
    return safe_file_commit(&file, error);
}

bool runner_settle_case(struct runner *runner, struct gabion_error *error) {
    if (runner->case_settled)
        return true;
    runner->case_settled = true;
    return write_case(runner, error);
}

static bool checkpoint_state(struct runner *runner, struct gabion_error *error) {
    const struct runner_request *request = runner->request;
    struct checkpoint_note note = {
        .case_text = case_text(request->scene->file),
        .wall_time = request->wall_time + runner_wall_time(runner),
        .parent = request->parent,
        .reference = runner->reference_text,
        .rows = runner_rows_to_keep(runner),
    };
    return checkpoint_write(request->directory, runner->world, &note,
                            runner->output->checkpoint_keep, error);
}

static bool note_checkpoint(struct runner *runner, struct gabion_error *error) {
    log_line(runner->log, "checkpoint of step %" PRId64, runner->checkpoint_step);
    return runner_settle_case(runner, error) &&
           (runner->status != NULL || runner_write_summary(runner, error));
}

bool runner_checkpoint_due(const struct runner *runner) {
    double allowed = 60 * runner->output->checkpoint_minutes;
    return runner_due(runner, runner->output->checkpoint_every) ||
           (allowed > 0 && clock_past(runner->checkpoint_time + allowed));
}

bool runner_save(struct runner *runner, struct gabion_error *error) {
    if (!runner_gather_bodies(runner, error))
        return false;
    runner_note_hash(runner);
    if (!runner_write_shared(runner, error, checkpoint_state,
                             runner->world->contacts->memory_shared))
        return false;
    runner->checkpoint_step = runner_step(runner);
    runner->checkpoint_time = clock_seconds();
    return runner_write_alone(runner, error, note_checkpoint);
}
