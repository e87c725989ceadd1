#include "io/run/scene.h"

#include <inttypes.h>

#include "engine/api/define.h"

static bool start_machine(struct scene *scene, int threads, struct gabion_error *error) {
    *scene = (struct scene){0};
    scene->topology = topology_load(error);
    if (scene->topology == NULL)
        return false;
    scene->team = team_create(threads, scene->topology, error);
    return scene->team != NULL;
}

static bool start_world(struct scene *scene, struct gabion_error *error) {
    scene->world = world_create(case_settings(scene->file), scene->team, error);
    return scene->world != NULL && case_define_materials(scene->file, scene->world, error);
}

static bool build_case(struct scene *scene, const struct scene_request *request,
                       struct gabion_error *error) {
    // Before the threads: a typing error in a case should not cost a look at the machine.
    struct case_file *file =
        case_load(request->case_path, request->overrides, request->override_count, error);
    if (file == NULL)
        return false;
    bool started = start_machine(scene, request->threads, error);
    scene->file = file;
    return started && start_world(scene, error) &&
           case_add_bodies(scene->file, scene->world, error) &&
           case_add_actions(scene->file, scene->world, error);
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
    if (!start_machine(scene, request->threads, error))
        return false;
    scene->file = case_parse(checkpoint_case(checkpoint), checkpoint_path(checkpoint),
                             request->overrides, request->override_count, error);
    return scene->file != NULL && start_world(scene, error) &&
           checkpoint_restore(checkpoint, scene->world, error) &&
           case_add_actions(scene->file, scene->world, error);
}

bool scene_open_checkpoint(struct scene *scene, const struct checkpoint *checkpoint,
                           const struct scene_request *request, struct gabion_error *error) {
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
    if (scene->team != NULL)
        team_destroy(scene->team);
    if (scene->topology != NULL)
        topology_free(scene->topology);
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

int32_t scene_moving_bodies(const struct gabion_world *world) {
    int32_t moving = 0;
    for (int32_t i = 0; i < world->bodies.count; i++)
        moving += world->bodies.mass[i] > 0.0;
    return moving;
}

static int32_t count_blocks(const struct bodies *bodies) {
    int32_t blocks = 0;
    for (int32_t i = 0; i < bodies->count; i++)
        blocks += bodies->shape[i] == GABION_POLYHEDRON;
    return blocks;
}

void scene_describe(const struct scene *scene, FILE *stream) {
    const struct gabion_world *world = scene->world;
    const struct gabion_settings *settings = &world->settings;
    struct gabion_error ignored = {0};
    int64_t steps = 0;
    int32_t moving = scene_moving_bodies(world);
    if (case_title(scene->file)[0] != '\0')
        fprintf(stream, "title: %s\n", case_title(scene->file));
    fprintf(stream, "bodies: %" PRId32 "\n", moving);
    fprintf(stream, "fixed-bodies: %" PRId32 "\n", world->bodies.count - moving);
    fprintf(stream, "blocks: %" PRId32 "\n", count_blocks(&world->bodies));
    if (world->pending_count > 0)
        fprintf(stream, "bodies-to-come: %d\n", world->pending_count);
    fprintf(stream, "materials:");
    for (int i = 0; i < world->materials.count; i++)
        fprintf(stream, " %s", world->materials.name[i]);
    fprintf(stream, "\ntime-step: %.9g\ntime-end: %.9g\n", settings->step, settings->end);
    if (scene_steps_until(scene, settings->end, &steps, &ignored))
        fprintf(stream, "steps: %" PRId64 "\n", steps);
    if (world->joints.count > 0)
        fprintf(stream, "joints: %d\n", world->joints.count);
    fprintf(stream, "drivers: %d\nforces: %d\nevents: %d\nprobes: %d\n", world->driver_count,
            world->force_count, world->event_count, world->probe_count);
}
