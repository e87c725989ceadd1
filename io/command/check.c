#include "io/command/commands.h"
#include "io/command/inspect.h"
#include "io/study/study.h"
#include "io/text/remarks.h"

// What was taken over from earlier runs; what was not is a warning.
static void print_notes(const struct scene *scene) {
    const struct remarks *remarks = case_remarks(scene->file);
    for (size_t k = 0; k < remarks->count; k++)
        if (!remarks->list[k].warning)
            fprintf(stderr, "%s\n", remarks->list[k].text);
}

static bool check_scene(const struct scene *scene, bool strict, struct gabion_error *error) {
    int64_t steps;
    if (!scene_steps_until(scene, case_settings(scene->file)->end, &steps, error))
        return false;
    print_notes(scene);
    scene_describe(scene, stdout);
    int warnings = inspect_scene(scene, steps, stdout);
    printf("warnings: %d\n", warnings);
    return !strict || warnings == 0 ||
           error_set(error, GABION_ERROR_RUN, "--strict: warnings: %d", warnings);
}

static bool check_study(const struct options *options, struct gabion_error *error) {
    struct options study = *options;
    if (options->override_count > 0 || options->from)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s is a study, which takes no --set and no --from; write values for "
                         "all members under `set` of the study",
                         options->target);
    study.check = true;
    return command_study(&study, error);
}

bool command_check(const struct options *options, struct gabion_error *error) {
    struct scene_request request = options_scene(options);
    struct scene scene;
    if (study_recognise(options->target))
        return check_study(options, error);
    if (!scene_open_case(&scene, &request, error))
        return false;
    bool good = check_scene(&scene, options->strict, error);
    scene_close(&scene);
    return good;
}
