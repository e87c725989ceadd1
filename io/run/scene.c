#include "io/run/scene.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/api/vary.h"
#include "parallel/memory.h"

static bool start_world(struct scene *scene, int threads, const struct gabion_settings *settings,
                        struct gabion_error *error) {
    scene->world = gabion_create(settings, threads, error);
    return scene->world != NULL;
}

#define OVERRIDE_SIZE (PATH_MAX + 32)

// Turns --from and --match into overrides of the case, which then says where the run began.
static bool load_case(struct scene *scene, const struct scene_request *request,
                      struct gabion_error *error) {
    char from[OVERRIDE_SIZE] = "from.file=", match[64], path[PATH_MAX];
    size_t count = (size_t)request->override_count;
    const char **overrides = memory_allocate(count + 2, sizeof *overrides, "overrides");
    for (size_t k = 0; k < count; k++)
        overrides[k] = request->overrides[k];
    bool good = true;
    if (request->from) {
        good = realpath(request->from, path) != NULL ||
               error_set(error, GABION_ERROR_INPUT,
                         "--from %s does not exist; give a checkpoint, a frame or the folder of a "
                         "run",
                         request->from);
        // A text in quotes, whatever characters the name has.
        size_t length = strlen(from);
        from[length++] = '\'';
        for (const char *c = path; good && *c != '\0' && length + 3 < sizeof from; c++) {
            if (*c == '\'')
                from[length++] = '\'';
            from[length++] = *c;
        }
        from[length++] = '\'';
        from[length] = '\0';
        overrides[count++] = from;
    }
    if (request->match) {
        snprintf(match, sizeof match, "from.match=%.40s", request->match);
        overrides[count++] = match;
    }
    if (good)
        scene->file = case_load(request->case_path, overrides, (int)count, error);
    memory_free(overrides);
    return scene->file != NULL;
}

static bool build_case(struct scene *scene, const struct scene_request *request,
                       struct gabion_error *error) {
    if (!load_case(scene, request, error))
        return false;
    return start_world(scene, request->threads, case_settings(scene->file), error) &&
           case_build(scene->file, scene->world, error);
}

bool scene_open_case(struct scene *scene, const struct scene_request *request,
                     struct gabion_error *error) {
    *scene = (struct scene){0};
    if (build_case(scene, request, error))
        return true;
    scene_close(scene);
    return false;
}

static bool build_checkpoint(struct scene *scene, const struct checkpoint *checkpoint,
                             const struct scene_request *request, struct gabion_error *error) {
    scene->file = case_parse(checkpoint_case(checkpoint), checkpoint_path(checkpoint),
                             request->overrides, request->override_count, error);
    struct gabion_settings before;
    if (scene->file == NULL)
        return false;
    bool varied = case_varied(scene->file, &before);
    if (!start_world(scene, request->threads, varied ? &before : case_settings(scene->file),
                     error) ||
        !case_define_materials(scene->file, scene->world, error) ||
        !checkpoint_restore(checkpoint, scene->world, error))
        return false;
    if (varied)
        world_vary_begin(scene->world);
    if (!case_add_actions(scene->file, scene->world, error))
        return false;
    if (varied && (!case_check_laws(scene->file, scene->world, error) ||
                   !world_vary_end(scene->world, case_settings(scene->file), error)))
        return false;
    scene->changes =
        case_note_changes(scene->file, gabion_step_number(scene->world), gabion_time(scene->world));
    return true;
}

bool scene_open_checkpoint(struct scene *scene, const struct checkpoint *checkpoint,
                           const struct scene_request *request, struct gabion_error *error) {
    *scene = (struct scene){0};
    if (build_checkpoint(scene, checkpoint, request, error))
        return true;
    scene_close(scene);
    return error_context(error, "%s", checkpoint_path(checkpoint));
}

void scene_close(struct scene *scene) {
    // What building the world noted in the case was allocated for the world, which goes last.
    if (scene->file != NULL)
        case_free(scene->file);
    if (scene->world != NULL)
        gabion_destroy(scene->world);
    *scene = (struct scene){0};
}

bool scene_steps_until(const struct scene *scene, double time, int64_t *steps,
                       struct gabion_error *error) {
    double h = case_settings(scene->file)->step, slack = 1e-6 * h;
    int64_t before = gabion_step_number(scene->world); // the step may have been another one then
    time -= gabion_time(scene->world);
    if (!(time / h < 0x1p53))
        return error_set(error, GABION_ERROR_INPUT,
                         "%g s are too many steps of %g s: check time.step and time.end", time, h);
    double n = fmax(0.0, ceil(time / h));
    while (n > 0.0 && (n - 1.0) * h >= time - slack)
        n -= 1.0;
    *steps = before + (int64_t)n;
    return true;
}

static int32_t count_blocks(const struct gabion_world *world) {
    struct gabion_bodies bodies = {0};
    int32_t blocks = 0;
    gabion_view_bodies(world, &bodies, NULL);
    for (int32_t i = 0; i < bodies.count; i++)
        blocks += bodies.shape[i] == GABION_POLYHEDRON || bodies.shape[i] == GABION_COMPOUND;
    return blocks;
}

void scene_describe(const struct scene *scene, FILE *stream) {
    const struct gabion_world *world = scene->world;
    const struct gabion_settings *settings = case_settings(scene->file);
    struct gabion_counts counts = {0};
    int64_t steps = 0;
    gabion_read_counts(world, &counts, NULL);
    if (case_title(scene->file)[0] != '\0')
        fprintf(stream, "title: %s\n", case_title(scene->file));
    fprintf(stream, "bodies: %" PRId32 "\n", counts.finite);
    fprintf(stream, "moving-bodies: %" PRId32 "\n", counts.moving);
    fprintf(stream, "fixed-bodies: %" PRId32 "\n", counts.bodies - counts.moving);
    fprintf(stream, "blocks: %" PRId32 "\n", count_blocks(world));
    if (counts.waiting > 0)
        fprintf(stream, "bodies-to-come: %" PRId32 "\n", counts.waiting);
    fprintf(stream, "materials:");
    for (int i = 0; i < counts.materials; i++)
        fprintf(stream, " %s", gabion_material_name(world, i));
    fprintf(stream, "\ntime-step: %.9g\ntime-end: %.9g\n", settings->step, settings->end);
    struct gabion_error ignored = {0};
    if (scene_steps_until(scene, settings->end, &steps, &ignored))
        fprintf(stream, "steps: %" PRId64 "\n", steps);
    if (counts.joints > 0)
        fprintf(stream, "joints: %d\n", counts.joints);
    fprintf(stream, "drivers: %d\nforces: %d\nevents: %d\nprobes: %d\n", counts.drivers,
            counts.forces, counts.events, counts.probes);
}
