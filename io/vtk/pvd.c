#include "io/vtk/pvd.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/file/file.h"
#include "parallel/memory.h"

#define PVD_BYTES_MAX ((size_t)1 << 30)

static bool path_fits(int length, const struct pvd *pvd, struct gabion_error *error) {
    return (length > 0 && length < PVD_PATH_MAX) ||
           error_set(error, GABION_ERROR_RUN, "%s: the name of the output folder is too long",
                     pvd->directory);
}

static bool pvd_path(const struct pvd *pvd, char path[PVD_PATH_MAX], struct gabion_error *error) {
    return path_fits(snprintf(path, PVD_PATH_MAX, "%s/%s.pvd", pvd->directory, pvd->kind), pvd,
                     error);
}

bool pvd_frame_path(const struct pvd *pvd, int64_t step, char path[PVD_PATH_MAX],
                    struct gabion_error *error) {
    int length = snprintf(path, PVD_PATH_MAX, "%s/vtk/%s_%06" PRId64 ".%s", pvd->directory,
                          pvd->kind, step, pvd->extension);
    return path_fits(length, pvd, error);
}

// Reads one line of the file. Lines in another form than pvd_write's are skipped: the frames that
// they name could not be continued.
static void pvd_read_line(struct pvd *pvd, const char *line) {
    char pattern[128];
    snprintf(pattern, sizeof pattern,
             " <DataSet timestep=\"%%lf\" part=\"0\" file=\"vtk/%s_%%" SCNd64 ".%%3[a-z]\"/>",
             pvd->kind);
    struct pvd_frame frame;
    char extension[4];
    if (sscanf(line, pattern, &frame.time, &frame.step, extension) != 3)
        return;
    strcpy(pvd->extension, extension);
    pvd_add(pvd, frame.time, frame.step);
}

bool pvd_exists(const struct pvd *pvd) {
    char path[PVD_PATH_MAX];
    struct gabion_error too_long = {0};
    return pvd_path(pvd, path, &too_long) && file_exists(path);
}

bool pvd_read(struct pvd *pvd, struct gabion_error *error) {
    char path[PVD_PATH_MAX];
    if (!pvd_path(pvd, path, error))
        return false;
    pvd->count = 0;
    if (!file_exists(path))
        return true;
    char *text = file_read(path, PVD_BYTES_MAX, NULL, error), *rest = NULL;
    if (!text)
        return false;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        pvd_read_line(pvd, line);
    memory_free(text);
    return true;
}

bool pvd_write(const struct pvd *pvd, struct gabion_error *error) {
    char path[PVD_PATH_MAX];
    struct safe_file file;
    if (!pvd_path(pvd, path, error) || !safe_file_open(&file, path, error))
        return false;
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n",
          file.stream);
    for (size_t k = 0; k < pvd->count; k++)
        fprintf(file.stream,
                "<DataSet timestep=\"%.17g\" part=\"0\" file=\"vtk/%s_%06" PRId64 ".%s\"/>\n",
                pvd->frames[k].time, pvd->kind, pvd->frames[k].step, pvd->extension);
    fputs("</Collection>\n</VTKFile>\n", file.stream);
    return safe_file_commit(&file, error);
}

void pvd_free(struct pvd *pvd) {
    memory_free(pvd->frames);
    pvd->frames = NULL;
    pvd->count = pvd->capacity = 0;
}

bool pvd_has(const struct pvd *pvd, int64_t step) {
    for (size_t k = pvd->count; k > 0; k--)
        if (pvd->frames[k - 1].step == step)
            return true;
    return false;
}

void pvd_add(struct pvd *pvd, double time, int64_t step) {
    pvd->frames = memory_reserve(pvd->frames, &pvd->capacity, pvd->count + 1, sizeof *pvd->frames,
                                 "frames of a ParaView series");
    pvd->frames[pvd->count++] = (struct pvd_frame){time, step};
}

bool pvd_drop_from(struct pvd *pvd, int64_t step, struct gabion_error *error) {
    size_t all = pvd->count, kept = 0;
    for (size_t k = 0; k < all; k++)
        if (pvd->frames[k].step < step) {
            struct pvd_frame frame = pvd->frames[k];
            pvd->frames[k] = pvd->frames[kept]; // the dropped ones gather behind the kept ones
            pvd->frames[kept++] = frame;
        }
    if (kept == all)
        return true;
    // The list is written before files are removed: it must never name a file that is gone.
    pvd->count = kept;
    if (!pvd_write(pvd, error))
        return false;
    for (size_t k = kept; k < all; k++) {
        char path[PVD_PATH_MAX];
        if (!pvd_frame_path(pvd, pvd->frames[k].step, path, error))
            return false;
        unlink(path);
    }
    return true;
}
