#include "io/fclib/step.h"

#include <math.h>
#include <string.h>

#include "io/fclib/fclib.h"
#include "io/fclib/format.h"
#include "parallel/memory.h"

// What rows a dataset has.
enum rows_of { OF_BODIES, OF_CONTACTS, OF_LAWS };

struct column {
    const char *name, *unit;
    enum h5_type type;
    int width;
    enum rows_of rows;
    size_t pointer; // in struct stored_views: where the address of the elements is
    size_t stride, offset;
    bool optional; // absent where the pointer is NULL
};

#define ARRAY(field)                                                                               \
    .pointer = offsetof(struct stored_views, field),                                               \
    .stride = sizeof *((struct stored_views *)0)->field
#define MEMBER(array, element, member)                                                             \
    .pointer = offsetof(struct stored_views, array), .stride = sizeof(element),                    \
    .offset = offsetof(element, member)
#define BODY(field)      FCLIB_BODIES "/" field
#define CONTACT(field)   FCLIB_CONTACT "/" field
#define OF_CONTACT(name) MEMBER(contacts, struct contact, name)

static const struct column columns[] = {
    {BODY("radius"), "m", H5_TYPE_FLOAT64, 1, OF_BODIES, ARRAY(radius)},
    {BODY("position"), "m", H5_TYPE_FLOAT64, 3, OF_BODIES, ARRAY(midpoint.x_m)},
    {BODY("free_velocity"), "m/s", H5_TYPE_FLOAT64, 3, OF_BODIES, ARRAY(midpoint.v_free)},
    {BODY("free_spin"), "m/s", H5_TYPE_FLOAT64, 3, OF_BODIES, ARRAY(midpoint.s_free)},
    {BODY("velocity"), "m/s", H5_TYPE_FLOAT64, 3, OF_BODIES, ARRAY(v)},
    {BODY("spin"), "rad/s", H5_TYPE_FLOAT64, 3, OF_BODIES, ARRAY(w)},
    {BODY("mass"), "kg", H5_TYPE_FLOAT64, 1, OF_BODIES, ARRAY(mass)},
    {BODY("inertia"), "kg m2", H5_TYPE_FLOAT64, 3, OF_BODIES, ARRAY(inertia)},
    {BODY("lock"), "1", H5_TYPE_UINT8, 1, OF_BODIES, ARRAY(lock)},
    {BODY("inverse_mass"), "1/kg", H5_TYPE_FLOAT64, 9, OF_BODIES, ARRAY(midpoint.inverse),
     .optional = true},
    {CONTACT("candidate"), "1", H5_TYPE_INT32, 1, OF_CONTACTS, OF_CONTACT(c)},
    {CONTACT("antagonist"), "1", H5_TYPE_INT32, 1, OF_CONTACTS, OF_CONTACT(a)},
    {CONTACT("law"), "1", H5_TYPE_UINT16, 1, OF_CONTACTS, OF_CONTACT(law)},
    {CONTACT("flags"), "1", H5_TYPE_UINT8, 1, OF_CONTACTS, OF_CONTACT(flags)},
    {CONTACT("gap"), "m", H5_TYPE_FLOAT64, 1, OF_CONTACTS, OF_CONTACT(gap)},
    {CONTACT("normal"), "1", H5_TYPE_FLOAT64, 3, OF_CONTACTS, OF_CONTACT(normal)},
    {CONTACT("point"), "m", H5_TYPE_FLOAT64, 3, OF_CONTACTS, OF_CONTACT(point)},
    {CONTACT("bias"), "m/s", H5_TYPE_FLOAT64, 1, OF_CONTACTS, ARRAY(bias)},
    {CONTACT("before"), "m/s", H5_TYPE_FLOAT64, 3, OF_CONTACTS, ARRAY(before), .optional = true},
    {CONTACT("spread"), "m", H5_TYPE_FLOAT64, 3, OF_CONTACTS, ARRAY(spread), .optional = true},
    {CONTACT("start"), "N s", H5_TYPE_FLOAT64, 3, OF_CONTACTS, ARRAY(start)},
    {FCLIB_LAWS "/friction", "1", H5_TYPE_FLOAT64, 1, OF_LAWS,
     MEMBER(laws, struct gabion_law, friction)},
    {FCLIB_LAWS "/tangential_restitution", "1", H5_TYPE_FLOAT64, 1, OF_LAWS,
     MEMBER(laws, struct gabion_law, tangential_restitution)},
};
#define COLUMNS (sizeof columns / sizeof *columns)

_Static_assert(sizeof(struct inverse_mass) == 72, "stored as it lies in memory");

static struct h5_rows view(const struct stored_views *stored, const struct column *column) {
    const size_t counts[] = {[OF_BODIES] = (size_t)stored->midpoint.count,
                             [OF_CONTACTS] = stored->count,
                             [OF_LAWS] = (size_t)stored->law_count};
    char *base;
    // The address is copied as bytes because each of them has a type of its own.
    memcpy(&base, (const char *)stored + column->pointer, sizeof base);
    return (struct h5_rows){.name = column->name,
                            .unit = column->unit,
                            .type = column->type,
                            .columns = column->width,
                            .count = counts[column->rows],
                            .base = base ? base + column->offset : NULL,
                            .stride = column->stride};
}

// Writing -------------------------------------------------------------------------------------

bool fclib_write_step(const struct h5_file *file, const struct contact_problem *problem,
                      struct gabion_error *error) {
    const struct stored_views *stored = problem->stored;
    bool written =
        h5_write_group(file, FCLIB_STEP, error) && h5_write_group(file, FCLIB_BODIES, error) &&
        h5_write_group(file, FCLIB_CONTACT, error) && h5_write_group(file, FCLIB_LAWS, error) &&
        h5_write_number(file, FCLIB_STEP, "floor", H5_TYPE_FLOAT64, &problem->least.floor, error) &&
        h5_write_number(file, FCLIB_STEP, "still", H5_TYPE_FLOAT64, &problem->least.still, error) &&
        h5_write_number(file, FCLIB_BODIES, "moving", H5_TYPE_INT32, &stored->midpoint.moving,
                        error);
    for (size_t k = 0; written && k < COLUMNS; k++) {
        struct h5_rows rows = view(stored, &columns[k]);
        if (rows.base || !columns[k].optional)
            written = h5_write_rows(file, &rows, error);
    }
    return written;
}

// Reading -------------------------------------------------------------------------------------

struct sizes {
    size_t of[3];
    bool general, before, late;
};

static bool check_room(const struct h5_file *file, const struct sizes *sizes,
                       struct gabion_error *error) {
    double bytes = 0;
    for (size_t k = 0; k < COLUMNS; k++)
        bytes += (double)sizes->of[columns[k].rows] * columns[k].width *
                 (double)h5_type_size(columns[k].type);
    return memory_check(bytes, "the exported step", error) ||
           error_context(error, "%s", file->path);
}

static bool find_sizes(const struct h5_file *file, struct sizes *sizes,
                       struct gabion_error *error) {
    bool known[3] = {false};
    sizes->general = h5_exists(file, BODY("inverse_mass"));
    sizes->before = h5_exists(file, CONTACT("before"));
    sizes->late = h5_exists(file, CONTACT("spread"));
    for (size_t k = 0; k < COLUMNS; k++) {
        struct h5_rows rows = {.name = columns[k].name,
                               .type = columns[k].type,
                               .columns = columns[k].width,
                               .stride = columns[k].stride};
        if (columns[k].optional && !h5_exists(file, rows.name))
            continue;
        if (!h5_find_rows(file, &rows, error))
            return false;
        size_t *size = &sizes->of[columns[k].rows];
        if (known[columns[k].rows] && *size != rows.count)
            return error_set(error, GABION_ERROR_INPUT,
                             "%s: '%s' has %zu rows where others have %zu", file->path, rows.name,
                             rows.count, *size);
        known[columns[k].rows] = true;
        *size = rows.count;
    }
    if (!check_room(file, sizes, error))
        return false;
    bool fit = sizes->of[OF_BODIES] < INT32_MAX && sizes->of[OF_CONTACTS] < INT32_MAX / 3 &&
               sizes->of[OF_LAWS] <= UINT16_MAX;
    return fit || error_set(error, GABION_ERROR_INPUT, "%s: '" FCLIB_STEP "' has too many rows",
                            file->path);
}

// Everything but friction, which may stick, is finite.
static bool check_reals(const void *context, const struct h5_rows *rows, const void *block,
                        size_t first, size_t count, struct gabion_error *error) {
    const struct h5_file *file = context;
    const double *number = block;
    size_t width = (size_t)rows->columns;
    for (size_t k = 0; k < count * width; k++)
        if (isnan(number[k]) || (isinf(number[k]) && strcmp(rows->name, FCLIB_LAWS "/friction")))
            return error_set(error, GABION_ERROR_INPUT,
                             "%s: '%s', row %zu: expected a finite number, found %g", file->path,
                             rows->name, first + k / width, number[k]);
    return true;
}

static const char *contact_defect(const struct stored_views *stored, size_t k) {
    const struct contact *contact = &stored->contacts[k];
    const struct midpoint *midpoint = &stored->midpoint;
    if (contact->c < 0 || contact->c >= midpoint->moving || contact->a <= contact->c ||
        contact->a >= midpoint->count)
        return "names a body that is not there";
    if (contact->law >= stored->law_count)
        return "names a law that is not there";
    if (contact->flags & CONTACT_GENERAL && !midpoint->general)
        return "is marked as general, but there are no inverse masses";
    if (stored->laws[contact->law].tangential_restitution > 0 && !stored->before)
        return "has a tangential restitution, but no velocity before the step";
    if (contact->flags & CONTACT_LATE && !stored->spread)
        return "is marked as late, but has no spread";
    return NULL;
}

static bool check_step(const struct h5_file *file, const struct stored_views *stored,
                       struct gabion_error *error) {
    const struct midpoint *midpoint = &stored->midpoint;
    if (midpoint->moving < 0 || midpoint->moving > midpoint->count)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: attribute 'moving' of '" FCLIB_BODIES "' is %d; expected 0 to %d",
                         file->path, midpoint->moving, midpoint->count);
    for (int32_t i = 0; i < midpoint->moving; i++)
        if (!(midpoint->mass[i] > 0 && midpoint->radius[i] > 0 && midpoint->inertia[i].x > 0))
            return error_set(error, GABION_ERROR_INPUT,
                             "%s: '" FCLIB_BODIES
                             "', row %d: expected a moving body with a radius, a "
                             "mass and moments of inertia above 0",
                             file->path, i);
    for (int k = 0; k < stored->law_count; k++)
        if (!(stored->laws[k].friction >= 0))
            return error_set(error, GABION_ERROR_INPUT,
                             "%s: '" FCLIB_LAWS "/friction', row %d: expected 0 or more, found %g",
                             file->path, k, stored->laws[k].friction);
    for (size_t k = 0; k < stored->count; k++) {
        const char *defect = contact_defect(stored, k);
        if (defect)
            return error_set(error, GABION_ERROR_INPUT,
                             "%s: '" FCLIB_CONTACT "', row %zu: the contact %s", file->path, k,
                             defect);
    }
    return true;
}

struct stored_views *fclib_load_step(const struct h5_file *file, struct least_speeds *least,
                                     struct gabion_error *error) {
    struct sizes sizes = {0};
    if (!find_sizes(file, &sizes, error))
        return NULL;
    struct stored_views *stored =
        stored_views_create((int32_t)sizes.of[OF_BODIES], sizes.of[OF_CONTACTS],
                            (int)sizes.of[OF_LAWS], sizes.general, sizes.before, sizes.late);
    bool read = h5_read_number(file, FCLIB_STEP, "floor", H5_TYPE_FLOAT64, &least->floor, error) &&
                h5_read_number(file, FCLIB_STEP, "still", H5_TYPE_FLOAT64, &least->still, error) &&
                h5_read_number(file, FCLIB_BODIES, "moving", H5_TYPE_INT32,
                               &stored->midpoint.moving, error);
    for (size_t k = 0; read && k < COLUMNS; k++) {
        struct h5_rows rows = view(stored, &columns[k]);
        h5_check check = columns[k].type == H5_TYPE_FLOAT64 ? check_reals : NULL;
        if (rows.base || !columns[k].optional)
            read = h5_read_rows(file, &rows, check, file, error);
    }
    if (read && check_step(file, stored, error))
        return stored;
    stored_views_free(stored);
    return NULL;
}
