#include "engine/solvers/sweep/sphere_sweep.h"
#include "io/command/commands.h"
#include "io/fclib/fclib.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/run/scene.h"
#include "parallel/ranks.h"
#include "parallel/topology.h"

static bool describe_machine(struct gabion_error *error) {
    char text[4096];
    struct topology *topology = topology_load(error);
    if (topology == NULL)
        return false;
    const char *kernel;
    sphere_sweep_choose(&kernel);
    topology_describe(topology, text, sizeof text);
    printf("version: %s\ncompiler: %s\nkernel: %s\n", GABION_VERSION, __VERSION__, kernel);
    printf("mpi: %s\nranks: %d\n%s", ranks_library()[0] ? ranks_library() : "none", ranks_started(),
           text);
    topology_free(topology);
    return true;
}

static bool describe_checkpoint(struct checkpoint *checkpoint) {
    char text[4096];
    if (checkpoint == NULL)
        return false;
    checkpoint_describe(checkpoint, text, sizeof text);
    fputs(text, stdout);
    checkpoint_close(checkpoint);
    return true;
}

static bool describe_folder(const char *directory, struct gabion_error *error) {
    char remarks[2048] = "";
    struct checkpoint *checkpoint =
        checkpoint_open_newest(directory, remarks, sizeof remarks, error);
    if (remarks[0] != '\0')
        fprintf(stderr, "gabion: %s\n", remarks);
    return describe_checkpoint(checkpoint);
}

static bool describe_case(const struct options *options, struct gabion_error *error) {
    struct scene_request request = options_scene(options);
    struct scene scene;
    if (!scene_open_case(&scene, &request, error))
        return false;
    scene_describe(&scene, stdout);
    scene_close(&scene);
    return true;
}

bool command_info(const struct options *options, struct gabion_error *error) {
    const char *target = options->target;
    if (target == NULL)
        return describe_machine(error);
    if (!file_exists(target))
        return error_set(error, GABION_ERROR_INPUT,
                         "%s does not exist; give a case, a checkpoint, a contact problem or the "
                         "folder of a run",
                         target);
    if (folder_is_directory(target))
        return describe_folder(target, error);
    if (fclib_recognise(target))
        return fclib_describe(target, stdout, error);
    if (checkpoint_recognise(target))
        return describe_checkpoint(checkpoint_open(target, error));
    return describe_case(options, error);
}
