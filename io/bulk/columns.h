// Shared by the readers of bulk files: the columns, and the property of a body that each one fills.
#ifndef IO_BULK_COLUMNS_H
#define IO_BULK_COLUMNS_H

#include <stddef.h>

#include "engine/gabion.h"
#include "geometry/vec.h"

struct bulk_column {
    const char *name;
    size_t offset; // where its first number goes in struct gabion_body
    int width;     // numbers per body
    bool required;
    bool positive;
};

// Returns whether the value is finite, and positive where it must be.
static inline bool bulk_accept(const struct bulk_column *column, double value) {
    return isfinite(value) && (!column->positive || value > 0.0);
}

static inline const char *bulk_expected(const struct bulk_column *column) {
    return column->positive ? "a positive number" : "a number";
}

static inline double *bulk_value(const struct bulk_column *column, struct gabion_body *body) {
    return (double *)((char *)body + column->offset);
}

// Sets the material by name. Its density applies unless a column or the import gives one.
bool bulk_set_material(const struct gabion_world *world, const struct gabion_body *template,
                       const char *name, bool density_given, struct gabion_body *body,
                       struct gabion_error *error);

bool bulk_add_csv(struct gabion_world *world, const char *path, const struct gabion_body *template,
                  struct gabion_error *error);
bool bulk_add_hdf5(struct gabion_world *world, const char *path, const struct gabion_body *template,
                   int64_t *skipped, struct gabion_error *error);

#endif
