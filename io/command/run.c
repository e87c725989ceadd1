#include "io/command/commands.h"
#include "io/command/inspect.h"
#include "io/file/folder.h"
#include "io/run/runner.h"
#include "parallel/ranks.h"

// With --strict a run does not begin where `check --strict` would fail: hours later its results
// would be those of a scene that was not meant.
static bool check_strictly(const struct scene *scene, bool strict, struct gabion_error *error) {
    int64_t steps;
    if (!strict)
        return true;
    if (!scene_steps_until(scene, case_settings(scene->file)->end, &steps, error))
        return false;
    int warnings = inspect_scene(scene, steps, NULL);
    return warnings == 0 ||
           error_set(error, GABION_ERROR_RUN,
                     "--strict: warnings: %d, before the first step. Nothing was run", warnings);
}

static bool run_scene(struct scene *scene, const struct options *options,
                      struct gabion_error *error) {
    char directory[FOLDER_PATH_MAX];
    int lock = FOLDER_NO_LOCK;
    struct runner_request request = {
        .scene = scene,
        .directory = options->output,
        .target = options->steps,
        .may_stop = options->steps < 0,
        .quiet = options->quiet,
        .strict = options->strict,
        .parent = case_source(scene->file),
    };
    if (!check_strictly(scene, options->strict, error))
        return false;
    if (options->steps < 0 &&
        !scene_steps_until(scene, case_settings(scene->file)->end, &request.target, error))
        return false;
    if (options->output == NULL) {
        if (!folder_default(options->target, directory, error))
            return false;
        request.directory = directory;
    }
    // Last of all, so that a bad case never costs the results of an earlier run.
    if (ranks_me() == 0)
        folder_claim(request.directory, options->target, options->force, &lock, error);
    bool done = ranks_follow(error) && runner_run(&request, error);
    folder_unlock(lock);
    return done;
}

bool command_run(const struct options *options, struct gabion_error *error) {
    struct scene_request request = options_scene(options);
    struct scene scene;
    scene_open_case(&scene, &request, error);
    bool done = ranks_agree(error) && run_scene(&scene, options, error);
    scene_close(&scene);
    return done;
}
