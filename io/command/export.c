#include <inttypes.h>
#include <string.h>

#include "engine/contact/contacts.h"
#include "engine/problem/residual.h"
#include "engine/problem/stored.h"
#include "engine/step/solve.h"
#include "io/command/commands.h"
#include "io/fclib/fclib.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/run/scene.h"
#include "parallel/memory.h"

// Describes the written file by reading it again, so that the output is what a reader will see.
static bool print_written(const char *path, const struct gabion_world *world,
                          struct gabion_error *error) {
    double *r;
    struct contact_problem *problem = fclib_read(path, &r, error);
    if (problem == NULL)
        return false;
    struct contact_error residual = residual_of(problem, r);
    printf("file: %s\nstep: %" PRId64 "\ntime: %.9g\ncontacts: %" PRId32 "\nblocks: %zu\n", path,
           world->step, world_time(world), problem->contacts,
           problem->matrix.start[problem->contacts]);
    printf("residual-scaled: %.6g\nresidual-fclib: %.6g\n", residual.scaled, residual.fclib);
    contact_problem_free(problem);
    memory_free(r);
    return true;
}

static bool write_problem(const struct scene *scene, const struct options *options,
                          const struct contact_problem *problem, struct gabion_error *error) {
    const struct gabion_world *world = scene->world;
    const char *title = case_title(scene->file);
    char description[1024];
    double *r = memory_allocate(contact_problem_size(problem), sizeof *r, "impulses");
    contact_problem_to_rows(problem, world->contacts->impulse, r);
    snprintf(description, sizeof description,
             "Step %" PRId64 " of %.512s, time %.9g s, step length %.9g s, written by Gabion "
             "%s. The solution is what the run found, to its tolerance of %.3g.",
             world->step, options->target, world_time(world), world->settings.step, GABION_VERSION,
             world->settings.tolerance);
    struct fclib_texts texts = {
        .title = title[0] != '\0' ? title : options->target,
        .description = description,
        .math_info = "W = H^T M^-1 H; q: free velocities with gaps and restitution",
    };
    bool written = fclib_write(options->fclib, problem, r, &texts, error);
    memory_free(r);
    return written;
}

// The corrective scheme builds no problem of velocities; a step may have no contacts.
static bool write_kept(const struct scene *scene, const struct options *options,
                       struct contact_problem *problem, struct gabion_error *error) {
    const struct gabion_world *world = scene->world;
    if (problem == NULL)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: time.scheme corrective has no contact problem to write; export a "
                         "step of a case with time.scheme moreau",
                         options->target);
    contact_problem_materialise(problem);
    if (problem->contacts > 0)
        return write_problem(scene, options, problem, error);
    return error_set(error, GABION_ERROR_INPUT,
                     "%s: no contacts in step %" PRId64 " (time %.9g s), so there is no problem to "
                     "write; choose another step with --step",
                     options->target, world->step, world_time(world));
}

static bool make_step(struct scene *scene, const struct options *options,
                      struct gabion_error *error) {
    struct gabion_world *world = scene->world;
    int64_t step = options->step > 0 ? options->step : world->step + 1;
    if (step <= world->step)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: is at step %" PRId64 "; step %" PRId64 " cannot be made from there",
                         options->target, world->step, step);
    struct step_keeper keeper = {.observer = {step_keep}};
    bool made = true;
    while (made && world->step < step) {
        world->observer = world->step + 1 == step ? &keeper.observer : NULL;
        made = gabion_step(world, error);
    }
    world->observer = NULL;
    bool written = made && write_kept(scene, options, keeper.problem, error);
    contact_problem_free(keeper.problem);
    return written && print_written(options->fclib, world, error);
}

static struct checkpoint *open_checkpoint(const struct options *options,
                                          struct gabion_error *error) {
    char remarks[2048] = "";
    if (!folder_is_directory(options->target))
        return checkpoint_open(options->target, error);
    int64_t last = options->step > 0 ? options->step - 1 : INT64_MAX;
    struct checkpoint *checkpoint =
        checkpoint_open_before(options->target, last, remarks, sizeof remarks, error);
    if (remarks[0] != '\0')
        fprintf(stderr, "gabion: %s\n", remarks);
    return checkpoint;
}

static bool open_scene(struct scene *scene, const struct options *options,
                       struct gabion_error *error) {
    struct scene_request request = options_scene(options);
    if (!folder_is_directory(options->target) && !checkpoint_recognise(options->target))
        return scene_open_case(scene, &request, error);
    struct checkpoint *checkpoint = open_checkpoint(options, error);
    if (checkpoint == NULL)
        return false;
    bool opened = scene_open_checkpoint(scene, checkpoint, &request, error);
    checkpoint_close(checkpoint);
    return opened;
}

bool command_export(const struct options *options, struct gabion_error *error) {
    struct scene scene;
    if (options->fclib == NULL)
        return error_set(error, GABION_ERROR_INPUT,
                         "gabion export needs --fclib FILE, the file to write; see gabion export "
                         "--help");
    if (file_exists(options->fclib) && !options->force)
        return error_set(error, GABION_ERROR_INPUT, "%s exists; --force replaces it",
                         options->fclib);
    if (!open_scene(&scene, options, error))
        return false;
    bool written = make_step(&scene, options, error);
    scene_close(&scene);
    return written;
}
