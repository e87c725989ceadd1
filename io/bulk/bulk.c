#include "io/bulk/bulk.h"

#include "engine/world/world.h"
#include "io/bulk/columns.h"
#include "io/file/h5.h"

bool bulk_set_material(const struct gabion_world *world, const struct gabion_body *template,
                       const char *name, bool density_given, struct gabion_body *body,
                       struct gabion_error *error) {
    body->material = gabion_find_material(world, name);
    if (body->material < 0)
        return error_set(
            error, GABION_ERROR_INPUT,
            "material: the case has no material \"%.60s\"; add it to materials, or leave the "
            "column out, and all bodies have the material of the import",
            name);
    bool import_gives = template->density != gabion_material_density(world, template->material);
    if (!density_given && !import_gives)
        body->density = gabion_material_density(world, body->material);
    return true;
}

bool bulk_add_bodies(struct gabion_world *world, const char *path,
                     const struct gabion_body *template, int64_t *skipped,
                     struct gabion_error *error) {
    int32_t before = world->bodies.id_count;
    *skipped = 0;
    bool good = h5_recognise(path) ? bulk_add_hdf5(world, path, template, skipped, error)
                                   : bulk_add_csv(world, path, template, error);
    if (good && world->bodies.id_count == before)
        return error_set(error, GABION_ERROR_INPUT, "%s: contains no bodies", path);
    return good;
}
