#include "io/command/commands.h"
#include "io/file/folder.h"
#include "io/run/runner.h"
#include "io/text/remarks.h"
#include "parallel/ranks.h"

// With --strict a run does not begin with a state that lacks something.
static bool check_strictly(const struct scene *scene, bool strict, struct gabion_error *error) {
    const struct remarks *remarks = case_remarks(scene->file);
    for (size_t k = 0; strict && k < remarks->count; k++)
        if (remarks->list[k].warning)
            return error_set(error, GABION_ERROR_RUN, "--strict: %s. Nothing was run",
                             remarks->list[k].text);
    return true;
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
