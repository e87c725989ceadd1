#include <string.h>

#include "engine/solvers/sphere_sweep.h"
#include "io/commands.h"
#include "io/file.h"
#include "io/folder.h"
#include "io/scene.h"
#include "io/version.h"

static bool describe_machine(struct error *error) {
    char text[4096];
    struct topology *topology = topology_load(error);
    if (topology == NULL)
        return false;
    const char *kernel;
    sphere_sweep_choose(&kernel);
    topology_describe(topology, text, sizeof text);
    printf("version: %s\ncompiler: %s\nkernel: %s\n%s", GABION_VERSION, __VERSION__, kernel, text);
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

static bool describe_folder(const char *directory, struct error *error) {
    char remarks[2048] = "";
    struct checkpoint *checkpoint =
        checkpoint_open_newest(directory, remarks, sizeof remarks, error);
    if (remarks[0] != '\0')
        fprintf(stderr, "gabion: %s\n", remarks);
    return describe_checkpoint(checkpoint);
}

// By its first bytes: people rename files. A checkpoint has a seal before the HDF5 part.
static bool is_checkpoint(const char *path) {
    char start[8] = "";
    FILE *stream = fopen(path, "rb");
    if (stream == NULL)
        return false;
    size_t got = fread(start, 1, sizeof start, stream);
    fclose(stream);
    const char *dot = strrchr(path, '.');
    return (dot != NULL && strcmp(dot, ".h5") == 0) ||
           (got == sizeof start &&
            (memcmp(start, "\211HDF\r\n\032\n", 8) == 0 || memcmp(start, "gabion-c", 8) == 0));
}

static bool describe_case(const struct options *options, struct error *error) {
    struct scene scene;
    if (!scene_open_case(&scene, options, error))
        return false;
    scene_describe(&scene, stdout);
    scene_close(&scene);
    return true;
}

bool command_info(const struct options *options, struct error *error) {
    const char *target = options->target;
    if (target == NULL)
        return describe_machine(error);
    if (!file_exists(target))
        return error_set(error, ERROR_INPUT,
                         "%s does not exist; give a case, a checkpoint or the folder of a run",
                         target);
    if (folder_is_directory(target))
        return describe_folder(target, error);
    if (is_checkpoint(target))
        return describe_checkpoint(checkpoint_open(target, error));
    return describe_case(options, error);
}
