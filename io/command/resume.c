#include <math.h>
#include <string.h>

#include "io/command/commands.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/run/runner.h"
#include "parallel/memory.h"
#include "parallel/ranks.h"

static void folder_of(const char *path, char directory[FOLDER_PATH_MAX]) {
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        snprintf(directory, FOLDER_PATH_MAX, ".");
    else
        snprintf(directory, FOLDER_PATH_MAX, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

static struct checkpoint *open_newest(const char *directory, struct gabion_error *error) {
    char remarks[2048] = "";
    struct checkpoint *checkpoint =
        checkpoint_open_newest(directory, remarks, sizeof remarks, error);
    if (remarks[0] != '\0' && ranks_me() == 0)
        fprintf(stderr, "gabion: %s%s", remarks, remarks[strlen(remarks) - 1] == '\n' ? "" : "\n");
    return checkpoint;
}

// Going on in a folder from anything but its newest good checkpoint would throw away the later
// ones: that is the user's to say.
static bool check_newest(const struct checkpoint *checkpoint, const char *directory,
                         struct gabion_error *error) {
    struct gabion_error cause = {0};
    char remarks[2048];
    struct checkpoint *newest = checkpoint_open_newest(directory, remarks, sizeof remarks, &cause);
    if (newest == NULL)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s cannot be continued in its folder; give a new folder for the results "
                         "with -o. The reason: %s",
                         checkpoint_path(checkpoint), cause.text);
    const char *name = strrchr(checkpoint_path(checkpoint), '/');
    const char *newest_name = strrchr(checkpoint_path(newest), '/');
    name = name ? name + 1 : checkpoint_path(checkpoint);
    newest_name = newest_name ? newest_name + 1 : checkpoint_path(newest);
    bool same = strcmp(name, newest_name) == 0;
    if (!same)
        error_set(error, GABION_ERROR_INPUT,
                  "%s is not the newest good checkpoint of its folder, %s is; go on from that one "
                  "with: gabion resume %s, or give a new folder with -o",
                  checkpoint_path(checkpoint), newest_name, directory);
    checkpoint_close(newest);
    return same;
}

static bool find_folder(const char *target, char directory[FOLDER_PATH_MAX],
                        struct gabion_error *error) {
    if (!file_exists(target))
        return error_set(error, GABION_ERROR_INPUT,
                         "%s does not exist; give the folder of a run or a checkpoint", target);
    if (folder_is_directory(target))
        snprintf(directory, FOLDER_PATH_MAX, "%s", target);
    else
        folder_of(target, directory);
    return true;
}

static struct checkpoint *open_target(const struct options *options, const char *directory,
                                      struct gabion_error *error) {
    if (folder_is_directory(options->target))
        return open_newest(directory, error);
    struct checkpoint *checkpoint = checkpoint_open(options->target, error);
    if (checkpoint != NULL && options->output == NULL &&
        !check_newest(checkpoint, directory, error)) {
        checkpoint_close(checkpoint);
        return NULL;
    }
    return checkpoint;
}

static bool find_goal(const struct scene *scene, const struct options *options, int64_t *goal,
                      struct gabion_error *error) {
    if (options->steps >= 0) {
        *goal = gabion_step_number(scene->world) + options->steps;
        return true;
    }
    double end = isnan(options->until) ? case_settings(scene->file)->end : options->until;
    return scene_steps_until(scene, end, goal, error);
}

// Runs in the folder of the run, whose lock the caller holds, or in a new one.
static bool run_claimed(const struct runner_request *request, struct gabion_error *error) {
    int lock = FOLDER_NO_LOCK;
    if (!request->resume && ranks_me() == 0)
        folder_claim(request->directory, NULL, false, &lock, error);
    bool done = ranks_follow(error) && runner_run(request, error);
    folder_unlock(lock);
    return done;
}

static bool resume_scene(struct scene *scene, const struct checkpoint *checkpoint,
                         const char *directory, const struct options *options,
                         struct gabion_error *error) {
    char reference[VTK_REFERENCE_TEXT];
    checkpoint_reference(checkpoint, reference, sizeof reference);
    char *rows = checkpoint_rows(checkpoint);
    struct runner_request request = {
        .scene = scene,
        .directory = options->output ? options->output : directory,
        .resume = options->output == NULL,
        .may_stop = options->steps < 0,
        .quiet = options->quiet,
        .strict = options->strict,
        .wall_time = checkpoint_wall_time(checkpoint),
        .parent = checkpoint_path(checkpoint),
        .reference = reference,
        .rows = rows,
    };
    bool done = find_goal(scene, options, &request.target, error) && run_claimed(&request, error);
    memory_free(rows);
    return done;
}

static bool resume_folder(const char *directory, const struct options *options,
                          struct gabion_error *error) {
    struct scene_request request = options_scene(options);
    struct scene scene = {0};
    struct checkpoint *checkpoint = open_target(options, directory, error);
    if (checkpoint != NULL)
        scene_open_checkpoint(&scene, checkpoint, &request, error);
    bool done = ranks_agree(error) && resume_scene(&scene, checkpoint, directory, options, error);
    scene_close(&scene);
    if (checkpoint != NULL)
        checkpoint_close(checkpoint);
    return done;
}

bool command_resume(const struct options *options, struct gabion_error *error) {
    char directory[FOLDER_PATH_MAX];
    int lock = FOLDER_NO_LOCK;
    find_folder(options->target, directory, error);
    if (!ranks_agree(error))
        return false;
    // Before the checkpoint is read: a run that ended in between would have left a newer one.
    if (options->output == NULL && ranks_me() == 0)
        folder_lock(directory, &lock, error);
    bool done = ranks_follow(error) && resume_folder(directory, options, error);
    folder_unlock(lock);
    return done;
}
