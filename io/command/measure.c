// gabion measure: the values of probes after a run, from its frames or checkpoints.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/probe/quantities.h"
#include "engine/probe/tracks.h"
#include "io/case/probes.h"
#include "io/command/commands.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/file/seal.h"
#include "io/run/columns.h"
#include "parallel/memory.h"

// The files to measure, in order of their steps.
struct source {
    bool frames;                  // or checkpoints
    char folder[FOLDER_PATH_MAX]; // of the files
    char case_path[FOLDER_PATH_MAX + 32];
    const char *single; // NULL: all files of the folder
    int64_t *steps;
    size_t count;
};

struct measurement {
    const struct options *options;
    struct source source;
    struct probe_document *probes; // NULL: those of the case
    struct scene scene;
    bool begun; // probes are defined and the header is printed
    FILE *stream;
    int64_t rows;
};

// Files -----------------------------------------------------------------------------------------

static void parent_of(const char *path, char folder[FOLDER_PATH_MAX]) {
    const char *slash = strrchr(path, '/');
    snprintf(folder, FOLDER_PATH_MAX, "%.*s", slash ? (int)(slash - path) + (slash == path) : 1,
             slash ? path : ".");
}

static bool find_single(struct source *source, const char *path, struct gabion_error *error) {
    char kind[SEAL_NAME_SIZE];
    if (!seal_check_own(path, kind, error))
        return false;
    source->single = path;
    source->count = 1;
    source->frames = strncmp(kind, "gabion-frame", 12) == 0;
    parent_of(path, source->folder);
    snprintf(source->case_path, sizeof source->case_path, "%s/../case.yaml", source->folder);
    return source->frames || strncmp(kind, "gabion-checkpoint", 17) == 0 ||
           error_set(error, GABION_ERROR_INPUT,
                     "%s: expected the folder of a run, a frame or a checkpoint", path);
}

static bool find_files(struct source *source, const struct options *options,
                       struct gabion_error *error) {
    const char *target = options->target;
    if (!file_exists(target))
        return error_set(error, GABION_ERROR_INPUT,
                         "%s does not exist; give the folder of a run, a frame or a checkpoint",
                         target);
    if (!folder_is_directory(target))
        return find_single(source, target, error);
    source->frames = !options->checkpoints;
    int length = snprintf(source->folder, sizeof source->folder, "%s%s", target,
                          source->frames ? "/frames" : "");
    if (length < 0 || (size_t)length >= sizeof source->folder)
        return error_set(error, GABION_ERROR_INPUT, "%s: folder name too long", target);
    snprintf(source->case_path, sizeof source->case_path, "%.*s/case.yaml", FOLDER_PATH_MAX - 1,
             target);
    if (file_exists(source->folder))
        source->steps = source->frames ? frame_list(source->folder, &source->count, error)
                                       : checkpoint_list(source->folder, &source->count, error);
    if (source->count > 0 || error->status != GABION_OK)
        return error->status == GABION_OK;
    return error_set(error, GABION_ERROR_INPUT,
                     source->frames ? "%s: there are no frames to measure; run the case with "
                                      "output.frames_every, or measure what checkpoints have "
                                      "with --checkpoints"
                                    : "%s: there are no checkpoints",
                     target);
}

static struct checkpoint *open_file(const struct source *source, size_t k,
                                    struct gabion_error *error) {
    char path[FOLDER_PATH_MAX + 64];
    if (source->single)
        return source->frames ? frame_open_file(source->single, error)
                              : checkpoint_open(source->single, error);
    if (source->frames)
        return frame_name(source->folder, source->steps[k], path, sizeof path, error)
                   ? frame_open_file(path, error)
                   : NULL;
    return checkpoint_name(source->folder, source->steps[k], path, sizeof path, error)
               ? checkpoint_open(path, error)
               : NULL;
}

// What a file has -------------------------------------------------------------------------------

// Before the first step nothing is counted, and all counts are zero.
static bool is_counted(const struct gabion_world *world, const struct probe *probe) {
    const struct bodies *bodies = &world->bodies;
    if (world->step == 0)
        return true;
    if (probe->quantity == GABION_FLOW)
        return tracks_flow(world->probes, probe) != NULL;
    for (int32_t i = 0; i < bodies->count; i++)
        if (bodies->group[i] == probe->group)
            return tracks_turn(world->probes, probe, bodies->id[i]) != NULL;
    return true;
}

static bool check_probe(const struct gabion_world *world, const struct probe *probe, bool frames,
                        const char *path, struct gabion_error *error) {
    const struct quantity *quantity = &probe_quantities[probe->quantity];
    if (quantity->sources & PROBE_CONTACTS && !frames)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: probe %s: a checkpoint does not have the contacts that %s needs; "
                         "measure frames, which output.frames_every writes",
                         path, probe->name, quantity->name);
    if (quantity->sources & PROBE_COUNTS && !is_counted(world, probe))
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: probe %s: %s is counted by every step, and the run did not count it; "
                         "put the probe, written in the same way, under probes of the case and run "
                         "it again",
                         path, probe->name, quantity->name);
    return true;
}

static bool check_probes(const struct measurement *measurement, const char *path,
                         struct gabion_error *error) {
    const struct gabion_world *world = measurement->scene.world;
    for (int k = 0; k < world->probes->count; k++)
        if (!check_probe(world, &world->probes->list[k], measurement->source.frames, path, error))
            return false;
    return true;
}

// Measuring -------------------------------------------------------------------------------------

// The probes name groups, which the first file brings.
static bool begin(struct measurement *measurement, struct gabion_error *error) {
    struct scene *scene = &measurement->scene;
    if (!(measurement->probes ? probe_document_define(measurement->probes, scene->world, error)
                              : case_define_probes(scene->file, scene->world, error)))
        return false;
    if (scene->world->probes->count == 0)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: the case has no probes; say what to measure with --probe or --probes",
                         measurement->options->target);
    fputs("step,time", measurement->stream);
    columns_print_names(measurement->stream, scene->world);
    fputc('\n', measurement->stream);
    return measurement->begun = true;
}

static bool restore(const struct measurement *measurement, const struct checkpoint *file,
                    struct gabion_error *error) {
    struct gabion_world *world = measurement->scene.world;
    return measurement->source.frames ? frame_restore(file, world, error)
                                      : checkpoint_restore(file, world, error);
}

static bool measure_row(struct measurement *measurement, double time, struct gabion_error *error) {
    const struct gabion_world *world = measurement->scene.world;
    FILE *stream = measurement->stream;
    int count = columns_count(world);
    double *values = memory_allocate((size_t)count, sizeof *values, "probes");
    bool read = columns_read(world, values, error);
    if (read) {
        fprintf(stream, "%" PRId64 ",", gabion_step_number(world));
        columns_print_real(stream, time);
        columns_print_values(stream, values, count);
        fputc('\n', stream);
        measurement->rows++;
    }
    memory_free(values);
    return read;
}

static bool measure_file(struct measurement *measurement, const struct checkpoint *file,
                         struct gabion_error *error) {
    const struct options *options = measurement->options;
    double time = checkpoint_time(file);
    if (time < options->since || time > options->until) // false where they are not given
        return true;
    if (!restore(measurement, file, error) || !(measurement->begun || begin(measurement, error)) ||
        !check_probes(measurement, checkpoint_path(file), error))
        return false;
    return measure_row(measurement, time, error);
}

static bool open_scene(struct measurement *measurement, struct gabion_error *error) {
    struct scene *scene = &measurement->scene;
    const struct source *source = &measurement->source;
    if (source->frames || !source->single) {
        scene->file = case_load(source->case_path, NULL, 0, error);
    } else {
        struct checkpoint *checkpoint = checkpoint_open(source->single, error);
        if (checkpoint)
            scene->file = case_parse(checkpoint_case(checkpoint), source->single, NULL, 0, error);
        checkpoint_close(checkpoint);
    }
    return scene->file && scene_start(scene, 1, error);
}

static bool measure_files(struct measurement *measurement, struct gabion_error *error) {
    const struct source *source = &measurement->source;
    for (size_t k = 0; k < source->count; k++) {
        struct checkpoint *file = open_file(source, k, error);
        bool measured = file && measure_file(measurement, file, error);
        checkpoint_close(file);
        if (!measured)
            return false;
    }
    return measurement->rows > 0 ||
           error_set(error, GABION_ERROR_INPUT,
                     "%s: none of %zu files lies between --since and --until",
                     measurement->options->target, source->count);
}

static bool write_table(struct measurement *measurement, struct gabion_error *error) {
    const char *path = measurement->options->output;
    struct safe_file file;
    if (!path) {
        measurement->stream = stdout;
        return measure_files(measurement, error);
    }
    if (file_exists(path) && !measurement->options->force)
        return error_set(error, GABION_ERROR_INPUT, "%s exists; --force replaces it", path);
    if (!safe_file_open(&file, path, error))
        return false;
    measurement->stream = file.stream;
    if (measure_files(measurement, error))
        return safe_file_commit(&file, error);
    safe_file_abandon(&file);
    return false;
}

bool command_measure(const struct options *options, struct gabion_error *error) {
    struct measurement measurement = {.options = options};
    bool given = options->probe_count > 0 || options->probe_file;
    bool good = find_files(&measurement.source, options, error);
    if (good && given) {
        measurement.probes =
            probe_document_read(options->probe_file, options->probes, options->probe_count, error);
        good = measurement.probes != NULL;
    }
    good = good && open_scene(&measurement, error) && write_table(&measurement, error);
    scene_close(&measurement.scene);
    probe_document_free(measurement.probes);
    memory_free(measurement.source.steps);
    return good;
}
