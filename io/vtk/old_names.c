// Series that an older version wrote under names which mean something else now.
#include <stdio.h>
#include <string.h>

#include "io/file/file.h"
#include "io/vtk/pvd.h"
#include "io/vtk/vtk.h"
#include "parallel/memory.h"

#define FRAME_BYTES_MAX ((size_t)1 << 31)

static bool reject(const char *directory, const char *kind, const char *meaning,
                   struct gabion_error *error) {
    return error_set(error, GABION_ERROR_INPUT,
                     "%s/%s.pvd holds %s under the name that an older version gave them; resume "
                     "into a new folder with -o, so that the series are not mixed",
                     directory, kind, meaning);
}

// Only masonry interfaces have this array.
static bool holds_openings(const char *path, bool *found, struct gabion_error *error) {
    char *text = file_read(path, FRAME_BYTES_MAX, NULL, error);
    if (!text)
        return false;
    *found = strstr(text, "Name=\"opening\"") != NULL;
    memory_free(text);
    return true;
}

// Looks into the first frame of the series that is still there.
static bool holds_interfaces(const struct pvd *pvd, bool *found, struct gabion_error *error) {
    char path[PVD_PATH_MAX];
    *found = false;
    for (size_t k = 0; k < pvd->count; k++) {
        if (!pvd_frame_path(pvd, pvd->frames[k].step, path, error))
            return false;
        if (file_exists(path))
            return holds_openings(path, found, error);
    }
    return true;
}

static bool check_joints(const char *directory, struct gabion_error *error) {
    struct pvd pvd = {.directory = directory, .kind = "joints"};
    bool old = false;
    bool good = pvd_read(&pvd, error) && holds_interfaces(&pvd, &old, error);
    pvd_free(&pvd);
    return good && (!old || reject(directory, pvd.kind, "masonry interfaces", error));
}

bool vtk_check_names(const char *directory, struct gabion_error *error) {
    struct pvd links = {.directory = directory, .kind = "links"};
    if (pvd_exists(&links))
        return reject(directory, links.kind, "joints between bodies", error);
    return check_joints(directory, error);
}
