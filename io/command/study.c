#include "io/command/commands.h"
#include "io/file/folder.h"
#include "io/study/conduct.h"

static bool check_modes(const struct options *options, struct gabion_error *error) {
    int modes = options->check + options->collect + options->slurm + (options->member > 0) +
                (options->repeat != NULL);
    return modes <= 1 ||
           error_set(error, GABION_ERROR_INPUT,
                     "give one of --check, --collect, --slurm, --member and --repeat");
}

bool command_study(const struct options *options, struct gabion_error *error) {
    char directory[FOLDER_PATH_MAX];
    struct study_request request = {
        .path = options->target,
        .folder = options->output,
        .cores = options->threads,
        .force = options->force,
        .quiet = options->quiet,
        .collect = options->collect,
        .only = (size_t)options->member,
        .repeat = options->repeat,
    };
    if (!check_modes(options, error))
        return false;
    if (!options->output) {
        if (!folder_default(options->target, directory, error))
            return false;
        request.folder = directory;
    }
    if (options->check)
        return study_check(&request, error);
    if (options->slurm)
        return study_slurm(&request, error);
    return options->repeat ? study_repeat(&request, error) : study_conduct(&request, error);
}
