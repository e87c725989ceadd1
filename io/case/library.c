// The function of engine/gabion.h that reads case files.
#include "engine/api/entry.h"
#include "io/case/case.h"
#include "io/file/h5.h"
#include "parallel/memory.h"

struct loading {
    const char *path;
    const char *const *overrides;
    int override_count, threads;
    struct gabion_world *world;
    bool good;
    struct gabion_error *error;
};

// The case and all that reading it needs belong to the account of this work, the world to its own.
static void load(void *context) {
    struct loading *loading = context;
    struct case_file *file =
        case_load(loading->path, loading->overrides, loading->override_count, loading->error);
    if (!file)
        return;
    loading->world = gabion_create(case_settings(file), loading->threads, loading->error);
    loading->good = loading->world && case_build(file, loading->world, loading->error);
    case_free(file);
}

static bool check_overrides(const char *const *overrides, int count, struct gabion_error *error) {
    if (count < 0)
        return entry_reject(error, "the number of overrides must not be negative, found %d", count);
    if (count > 0 && !overrides)
        return entry_missing("overrides", error);
    for (int i = 0; i < count; i++)
        if (!overrides[i])
            return entry_reject(error, "overrides[%d] is a null pointer", i);
    return true;
}

struct gabion_world *gabion_load_case(const char *path, const char *const *overrides,
                                      int override_count, int threads, struct gabion_error *error) {
    struct gabion_error ignored = {0};
    struct loading loading = {path, overrides, override_count,          threads,
                              NULL, false,     error ? error : &ignored};
    if (!path) {
        entry_missing("the path", error);
        return NULL;
    }
    if (!check_overrides(overrides, override_count, error))
        return NULL;
    h5_take();
    bool done = entry_try(load, &loading, loading.error);
    h5_leave();
    if (done && loading.good)
        return loading.world;
    gabion_destroy(loading.world);
    return NULL;
}
