#include "io/run/scene.h"

#include <inttypes.h>
#include <math.h>

static bool start_world(struct scene *scene, int threads, struct gabion_error *error) {
    scene->world = gabion_create(case_settings(scene->file), threads, error);
    return scene->world != NULL;
}

bool scene_start(struct scene *scene, int threads, struct gabion_error *error) {
    return start_world(scene, threads, error) &&
           case_define_materials(scene->file, scene->world, error);
}

static bool build_case(struct scene *scene, const struct scene_request *request,
                       struct gabion_error *error) {
    scene->file = case_load(request->case_path, request->overrides, request->override_count, error);
    return scene->file != NULL && start_world(scene, request->threads, error) &&
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
    return scene->file != NULL && scene_start(scene, request->threads, error) &&
           checkpoint_restore(checkpoint, scene->world, error) &&
           case_add_actions(scene->file, scene->world, error);
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
    if (scene->world != NULL)
        gabion_destroy(scene->world);
    if (scene->file != NULL)
        case_free(scene->file);
    *scene = (struct scene){0};
}

bool scene_steps_until(const struct scene *scene, double time, int64_t *steps,
                       struct gabion_error *error) {
    double h = case_settings(scene->file)->step, slack = 1e-6 * h;
    if (!(time / h < 0x1p53))
        return error_set(error, GABION_ERROR_INPUT,
                         "%g s are too many steps of %g s: check time.step and time.end", time, h);
    double n = fmax(0.0, ceil(time / h));
    while (n > 0.0 && (n - 1.0) * h >= time - slack)
        n -= 1.0;
    *steps = (int64_t)n;
    return true;
}

static int32_t count_blocks(const struct gabion_world *world) {
    struct gabion_bodies bodies = {0};
    int32_t blocks = 0;
    gabion_view_bodies(world, &bodies, NULL);
    for (int32_t i = 0; i < bodies.count; i++)
        blocks += bodies.shape[i] == GABION_POLYHEDRON;
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
    fprintf(stream, "bodies: %" PRId32 "\n", counts.moving);
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
