#include "io/vtk/pvd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file/file.h"
#include "parallel/memory.h"

#define PVD_BYTES_MAX ((size_t)1 << 30)
#define LINE_BYTES    256

static void pvd_add(struct pvd *pvd, struct pvd_frame frame) {
    pvd->frames = memory_reserve(pvd->frames, &pvd->capacity, pvd->count + 1, sizeof *pvd->frames,
                                 "frames of a ParaView series");
    pvd->frames[pvd->count++] = frame;
}

static bool path_fits(int length, const struct pvd *pvd, struct gabion_error *error) {
    return (length > 0 && length < PVD_PATH_MAX) ||
           error_set(error, GABION_ERROR_RUN, "%s: the name of the output folder is too long",
                     pvd->directory);
}

static bool pvd_path(const struct pvd *pvd, char path[PVD_PATH_MAX], struct gabion_error *error) {
    return path_fits(snprintf(path, PVD_PATH_MAX, "%s/%s.pvd", pvd->directory, pvd->kind), pvd,
                     error);
}

static const struct pvd_frame *find_frame(const struct pvd *pvd, int64_t step) {
    for (size_t k = pvd->count; k > 0; k--)
        if (pvd->frames[k - 1].step == step)
            return &pvd->frames[k - 1];
    return NULL;
}

static const char *prefix_of(bool pieces) { return pieces ? "p" : ""; }

bool pvd_frame_path(const struct pvd *pvd, int64_t step, char path[PVD_PATH_MAX],
                    struct gabion_error *error) {
    const struct pvd_frame *frame = find_frame(pvd, step);
    int length =
        snprintf(path, PVD_PATH_MAX, "%s/vtk/%s_%06" PRId64 ".%s%s", pvd->directory, pvd->kind,
                 step, prefix_of(frame ? frame->pieces : pvd->pieces), pvd->extension);
    return path_fits(length, pvd, error);
}

bool pvd_piece_path(const struct pvd *pvd, int64_t step, int piece, char path[PVD_PATH_MAX],
                    struct gabion_error *error) {
    int length = snprintf(path, PVD_PATH_MAX, "%s/vtk/%s_%06" PRId64 "_p%d.%s", pvd->directory,
                          pvd->kind, step, piece, pvd->extension);
    return path_fits(length, pvd, error);
}

// Reads one line of the file. Lines in another form than pvd_write's are skipped: the frames that
// they name could not be continued.
static void pvd_read_line(struct pvd *pvd, const char *line) {
    char pattern[128];
    snprintf(pattern, sizeof pattern,
             " <DataSet timestep=\"%%lf\" part=\"0\" file=\"vtk/%s_%%" SCNd64 ".%%4[a-z]\"/>",
             pvd->kind);
    struct pvd_frame frame;
    char extension[5];
    if (sscanf(line, pattern, &frame.time, &frame.step, extension) != 3)
        return;
    frame.pieces = strlen(extension) == 4 && extension[0] == 'p';
    snprintf(pvd->extension, sizeof pvd->extension, "%.3s", extension + frame.pieces);
    pvd_add(pvd, frame);
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

static const char trailer[] = "</Collection>\n</VTKFile>\n";
#define TRAILER_BYTES ((off_t)sizeof trailer - 1)

static int print_frame(char *text, size_t size, const struct pvd *pvd, size_t k) {
    return snprintf(text, size,
                    "<DataSet timestep=\"%.17g\" part=\"0\" file=\"vtk/%s_%06" PRId64 ".%s%s\"/>\n",
                    pvd->frames[k].time, pvd->kind, pvd->frames[k].step,
                    prefix_of(pvd->frames[k].pieces), pvd->extension);
}

bool pvd_write(struct pvd *pvd, struct gabion_error *error) {
    char path[PVD_PATH_MAX], line[LINE_BYTES];
    struct safe_file file;
    pvd->end = 0;
    if (!pvd_path(pvd, path, error) || !safe_file_open(&file, path, error))
        return false;
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n",
          file.stream);
    for (size_t k = 0; k < pvd->count; k++) {
        print_frame(line, sizeof line, pvd, k);
        fputs(line, file.stream);
    }
    off_t end = ftello(file.stream);
    fputs(trailer, file.stream);
    if (!safe_file_commit_unsynced(&file, error))
        return false;
    pvd->end = end;
    return true;
}

// Overwrites the end of the file by the last frame and the end again, in one call: a reader finds
// the frame or not. Returns 0 or the cause of the failure, after which the list is as before.
static int append_last(int descriptor, const struct pvd *pvd) {
    char text[LINE_BYTES + sizeof trailer];
    int length = print_frame(text, LINE_BYTES, pvd, pvd->count - 1);
    strcpy(text + length, trailer);
    size_t size = (size_t)length + (size_t)TRAILER_BYTES;
    ssize_t written = pwrite(descriptor, text, size, pvd->end);
    if (written == (ssize_t)size)
        return 0;
    int cause = written < 0 ? errno : ENOSPC; // what a short write without an error means
    if (written > 0 && (pwrite(descriptor, trailer, (size_t)TRAILER_BYTES, pvd->end) < 0 ||
                        ftruncate(descriptor, pvd->end + TRAILER_BYTES) != 0))
        return cause; // pvd_read still finds the frames before, and the next pvd_write mends the
                      // file
    return cause;
}

// Opens the file where it is the one that this program wrote last.
static int open_own(const struct pvd *pvd, const char *path) {
    struct stat about;
    int descriptor = pvd->end > 0 ? open(path, O_WRONLY | O_CLOEXEC) : -1;
    if (descriptor < 0 ||
        (fstat(descriptor, &about) == 0 && about.st_size == pvd->end + TRAILER_BYTES))
        return descriptor;
    close(descriptor);
    return -1;
}

bool pvd_append(struct pvd *pvd, double time, int64_t step, struct gabion_error *error) {
    char path[PVD_PATH_MAX];
    if (!pvd_path(pvd, path, error))
        return false;
    pvd_add(pvd, (struct pvd_frame){time, step, pvd->pieces});
    int descriptor = open_own(pvd, path);
    if (descriptor < 0)
        return pvd_write(pvd, error);
    int cause = append_last(descriptor, pvd);
    if (close(descriptor) != 0 && cause == 0)
        cause = errno;
    if (cause)
        return error_set(error, GABION_ERROR_RUN, "cannot write %s: %s", path, strerror(cause));
    char line[LINE_BYTES];
    pvd->end += print_frame(line, sizeof line, pvd, pvd->count - 1);
    return true;
}

void pvd_free(struct pvd *pvd) {
    memory_free(pvd->frames);
    pvd->frames = NULL;
    pvd->count = pvd->capacity = 0;
}

bool pvd_has(const struct pvd *pvd, int64_t step) { return find_frame(pvd, step) != NULL; }

static bool remove_frame(const struct pvd *pvd, const struct pvd_frame *frame,
                         struct gabion_error *error) {
    struct pvd listed = *pvd;
    char path[PVD_PATH_MAX];
    listed.pieces = frame->pieces;
    for (int piece = 0; frame->pieces; piece++) {
        if (!pvd_piece_path(pvd, frame->step, piece, path, error))
            return false;
        if (unlink(path) != 0)
            break;
    }
    if (!pvd_frame_path(&listed, frame->step, path, error))
        return false;
    unlink(path);
    return true;
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
    for (size_t k = kept; k < all; k++)
        if (!remove_frame(pvd, &pvd->frames[k], error))
            return false;
    return true;
}
