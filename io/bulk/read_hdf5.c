#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "engine/world/footprint.h"
#include "io/bulk/columns.h"
#include "io/file/h5.h"
#include "io/file/seal.h"
#include "parallel/memory.h"
#include "parallel/sort.h"

#define SLAB_ROWS     16384 // read at a time: under 2 MB for all columns
#define MATERIAL_SIZE 256
#define AT(member)    offsetof(struct gabion_body, member)

static const struct bulk_column columns[] = {
    {"position", AT(position), 3, true, false},
    {"radius", AT(radius), 1, true, true},
    {"velocity", AT(velocity), 3, false, false},
    {"spin", AT(spin), 3, false, false},
    {"orientation", AT(orientation), 4, false, false},
    {"mass", AT(mass), 1, false, true},
    {"density", AT(density), 1, false, true},
    {"id", 0, 1, false, false},    // orders the rows; not a property of a body
    {"shape", 0, 1, false, false}, // in frames and checkpoints: only spheres are read
};
enum {
    POSITION,
    RADIUS,
    VELOCITY,
    SPIN,
    ORIENTATION,
    MASS,
    DENSITY,
    ID,
    SHAPE,
    MATERIAL,
    DATASETS
};
enum { PROPERTIES = ID };

struct reader {
    const char *path;
    const struct gabion_body *template;
    struct gabion_world *world;
    struct gabion_error *error;
    struct h5_file file;
    bool saved;              // the file is a frame or a checkpoint, with its bodies in a group
    hid_t dataset[DATASETS]; // 0: not in the file
    double *slab[MATERIAL];
    char *names; // material names of a slab, MATERIAL_SIZE bytes each
    hsize_t rows, slab_rows;
    int64_t skipped; // bodies that are neither spheres nor walls
    uint32_t *order; // the rows in the order of their ids; NULL: as stored
};

static const char *dataset_name(int k) { return k == MATERIAL ? "material" : columns[k].name; }

static bool fail(struct reader *r, int k, const char *what) {
    return error_set(r->error, GABION_ERROR_INPUT, "%s: %s: %s", r->path, dataset_name(k), what);
}

static bool check_type(struct reader *r, int k) {
    hid_t type = H5Dget_type(r->dataset[k]);
    H5T_class_t class = H5Tget_class(type);
    size_t size = H5Tget_size(type);
    H5Tclose(type);
    if (k != MATERIAL && class != H5T_FLOAT && class != H5T_INTEGER)
        return fail(r, k, "expected numbers");
    if (k == MATERIAL && (class != H5T_STRING || size >= MATERIAL_SIZE))
        return fail(r, k, "expected names of materials");
    return true;
}

static bool check_shape(struct reader *r, int k) {
    int width = k == MATERIAL ? 1 : columns[k].width;
    hsize_t size[2] = {0, 1};
    hid_t space = H5Dget_space(r->dataset[k]);
    int rank = H5Sget_simple_extent_ndims(space);
    bool good = rank == (width == 1 ? 1 : 2) && H5Sget_simple_extent_dims(space, size, NULL) > 0 &&
                size[1] == (hsize_t)width;
    H5Sclose(space);
    if (!good && width == 1)
        return fail(r, k, "expected the shape [N]");
    if (!good)
        return error_set(r->error, GABION_ERROR_INPUT, "%s: %s: expected the shape [N, %d]",
                         r->path, dataset_name(k), width);
    if (k == POSITION)
        r->rows = size[0];
    if (size[0] != r->rows)
        return error_set(r->error, GABION_ERROR_INPUT,
                         "%s: %s has %" PRIu64 " rows, but position has %" PRIu64, r->path,
                         dataset_name(k), (uint64_t)size[0], (uint64_t)r->rows);
    return true;
}

static void stored_name(const struct reader *r, int k, char *name, size_t size) {
    snprintf(name, size, "%s/%s", r->saved ? "/bodies" : "", dataset_name(k));
}

static void find_group(struct reader *r) {
    r->saved = !h5_exists(&r->file, "/position") && h5_exists(&r->file, "/bodies/position");
}

// The seal does not cover its own words. A file of ours says them once more inside, and has room
// for a seal even where the seal is gone; frames before 2.1 have neither.
static bool check_seal(struct reader *r, const char *sealed) {
    char format[32], version[16], expected[64] = "";
    if (sealed[0] == '\0' && !(r->saved && h5_user_block(&r->file) == SEAL_SIZE))
        return true;
    if (!h5_read_text(&r->file, "/", "format", format, sizeof format, r->error) ||
        !h5_read_text(&r->file, "/", "format_version", version, sizeof version, r->error))
        return false;
    snprintf(expected, sizeof expected, "%s %s", format, version);
    return strcmp(sealed, expected) == 0 ||
           error_set(r->error, GABION_ERROR_INPUT,
                     "%s: damaged: its seal is of '%s', its contents are of '%s'", r->path, sealed,
                     expected);
}

// Returns whether a dataset is read. Frames and checkpoints number materials in the order of their
// own case, so these are skipped; so are the velocities if the bodies are fixed in this case.
static bool is_wanted(const struct reader *r, int k) {
    bool motion = k == VELOCITY || k == SPIN;
    if (!r->saved)
        return k != SHAPE;
    return k != MATERIAL && !(motion && r->template->fixed);
}

static bool open_dataset(struct reader *r, int k) {
    bool replaced = k == RADIUS && r->template->radius > 0.0 && !r->saved;
    bool required = k != MATERIAL && columns[k].required && !replaced;
    char name[64];
    stored_name(r, k, name, sizeof name);
    if (!h5_exists(&r->file, name))
        return !required || fail(r, k, "this dataset is missing");
    hid_t dataset = h5_open_dataset(&r->file, name, r->error);
    if (dataset < 0)
        return false;
    r->dataset[k] = dataset;
    return check_type(r, k) && check_shape(r, k);
}

static bool open_datasets(struct reader *r) {
    for (int k = 0; k < DATASETS; k++)
        if (is_wanted(r, k) && !open_dataset(r, k))
            return false;
    if (r->rows == 0 || r->rows > INT32_MAX)
        return fail(r, POSITION, r->rows ? "too many bodies" : "contains no rows");
    return true;
}

// The bytes that a row of the file takes in memory.
static double row_bytes(const struct reader *r) {
    double bytes = r->dataset[MATERIAL] ? MATERIAL_SIZE : 0;
    for (int k = 0; k < MATERIAL; k++)
        bytes += r->dataset[k] ? columns[k].width * (double)sizeof(double) : 0;
    return bytes;
}

// Allocates memory for one slab. Rows that are ordered by id can lie anywhere in the file, so the
// slab is then the whole file.
static bool reserve_slabs(struct reader *r) {
    r->slab_rows = SLAB_ROWS;
    if (r->dataset[ID])
        r->slab_rows = r->rows;
    if (!footprint_check(r->world, (double)r->rows, r->template->shape, r->error) ||
        !memory_check(row_bytes(r) * (double)r->slab_rows, "reading all rows at once", r->error))
        return error_context(r->error, "%s", r->path);
    for (int k = 0; k < MATERIAL; k++)
        if (r->dataset[k])
            r->slab[k] = memory_allocate((size_t)r->slab_rows * (size_t)columns[k].width,
                                         sizeof(double), "imported bodies");
    if (r->dataset[MATERIAL])
        r->names = memory_allocate((size_t)r->slab_rows, MATERIAL_SIZE, "imported materials");
    return true;
}

static bool read_names(struct reader *r, hid_t memory, hid_t place) {
    hid_t stored = H5Dget_type(r->dataset[MATERIAL]), type = H5Tcopy(H5T_C_S1);
    H5Tset_cset(type, H5Tget_cset(stored));
    H5Tset_size(type, MATERIAL_SIZE);
    bool good = H5Dread(r->dataset[MATERIAL], type, memory, place, H5P_DEFAULT, r->names) >= 0;
    H5Tclose(stored);
    H5Tclose(type);
    return good;
}

static bool read_slab(struct reader *r, int k, hsize_t first, hsize_t rows) {
    hsize_t width = k == MATERIAL ? 1 : (hsize_t)columns[k].width;
    hsize_t start[2] = {first, 0}, count[2] = {rows, width};
    int rank = width == 1 ? 1 : 2;
    hid_t memory = H5Screate_simple(rank, count, NULL), place = H5Dget_space(r->dataset[k]);
    bool good = H5Sselect_hyperslab(place, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
    if (good && k == MATERIAL)
        good = read_names(r, memory, place);
    else if (good)
        good =
            H5Dread(r->dataset[k], H5T_NATIVE_DOUBLE, memory, place, H5P_DEFAULT, r->slab[k]) >= 0;
    H5Sclose(memory);
    H5Sclose(place);
    return good || fail(r, k, "cannot be read; the file is damaged or uses an unknown filter");
}

// The ids must be whole numbers, no two of them equal: what they name would not be certain.
static bool read_ids(struct reader *r, uint64_t *ids) {
    for (size_t i = 0; i < (size_t)r->rows; i++) {
        double id = r->slab[ID][i];
        if (!(id >= 0.0 && id < 0x1p53 && id == floor(id)))
            return error_set(r->error, GABION_ERROR_INPUT,
                             "%s: row %zu: id: expected whole numbers from 0 on, found %g", r->path,
                             i, id);
        ids[i] = (uint64_t)id;
        r->order[i] = (uint32_t)i;
    }
    return true;
}

static bool check_distinct(struct reader *r, const uint64_t *sorted) {
    for (size_t i = 1; i < (size_t)r->rows; i++)
        if (sorted[i] == sorted[i - 1])
            return error_set(r->error, GABION_ERROR_INPUT,
                             "%s: rows %" PRIu32 " and %" PRIu32 " have the same id %" PRIu64
                             "; give every body its own",
                             r->path, r->order[i - 1], r->order[i], sorted[i]);
    return true;
}

static bool sort_rows(struct reader *r) {
    size_t rows = (size_t)r->rows;
    uint64_t *ids = memory_allocate(rows, sizeof *ids, "imported ids");
    r->order = memory_allocate(rows, sizeof *r->order, "imported ids");
    bool good = read_ids(r, ids);
    if (good)
        sort_by_key(r->world->team, ids, r->order, rows, 53);
    good = good && check_distinct(r, ids);
    memory_free(ids);
    return good;
}

static bool fill_body(struct reader *r, size_t i, struct gabion_body *body) {
    for (int k = 0; k < PROPERTIES; k++)
        for (int j = 0; r->dataset[k] && j < columns[k].width; j++) {
            double value = r->slab[k][i * (size_t)columns[k].width + (size_t)j];
            if (r->saved && k == MASS && value == 0.0)
                continue; // the body was fixed in that run: the density of the import applies
            if (!bulk_accept(&columns[k], value))
                return error_set(r->error, GABION_ERROR_INPUT, "%s: expected %s, found %g",
                                 columns[k].name, bulk_expected(&columns[k]), value);
            bulk_value(&columns[k], body)[j] = value;
        }
    return !r->dataset[MATERIAL] ||
           bulk_set_material(r->world, r->template, r->names + i * MATERIAL_SIZE,
                             r->dataset[DENSITY] > 0, body, r->error);
}

static bool is_wall(const struct reader *r, size_t i) {
    double shape = r->dataset[SHAPE] ? r->slab[SHAPE][i] : GABION_SPHERE;
    return r->slab[RADIUS][i] == 0.0 ||
           (shape >= 0 && shape < GABION_SHAPE_COUNT && shape_kinds[(int)shape].wall);
}

// Returns whether a radius is all that the body's shape needs.
static bool is_sphere(const struct reader *r, size_t i) {
    double shape = r->dataset[SHAPE] ? r->slab[SHAPE][i] : GABION_SPHERE;
    return shape >= 0 && shape < GABION_SHAPE_COUNT && shape_kinds[(int)shape].ball &&
           r->slab[RADIUS][i] != 0.0;
}

static bool add_row(struct reader *r, size_t i) {
    struct gabion_body body = *r->template;
    if (r->saved && !is_sphere(r, i)) {
        r->skipped += !is_wall(r, i);
        return true;
    }
    return fill_body(r, i, &body) && gabion_add_body(r->world, &body, r->error) >= 0;
}

static bool add_rows(struct reader *r) {
    if (!gabion_reserve_bodies(r->world, (size_t)r->rows, r->error))
        return false;
    for (hsize_t first = 0; first < r->rows; first += r->slab_rows) {
        hsize_t rows = r->rows - first < r->slab_rows ? r->rows - first : r->slab_rows;
        for (int k = 0; k < DATASETS; k++)
            if (r->dataset[k] && !read_slab(r, k, first, rows))
                return false;
        if (r->dataset[ID] && !sort_rows(r))
            return false;
        for (size_t i = 0; i < rows; i++) {
            size_t row = r->order ? r->order[i] : i;
            if (!add_row(r, row))
                return error_context(r->error, "%s: row %" PRIu64, r->path,
                                     (uint64_t)(first + row));
        }
    }
    return true;
}

bool bulk_add_hdf5(struct gabion_world *world, const char *path, const struct gabion_body *template,
                   int64_t *skipped, struct gabion_error *error) {
    struct reader r = {.path = path, .template = template, .world = world, .error = error};
    char sealed[SEAL_NAME_SIZE];
    if (!seal_check_own(path, sealed, error) || !h5_open(&r.file, path, error))
        return false;
    find_group(&r);
    bool good = check_seal(&r, sealed) && open_datasets(&r) && reserve_slabs(&r) && add_rows(&r);
    for (int k = 0; k < DATASETS; k++)
        if (r.dataset[k])
            H5Dclose(r.dataset[k]);
    for (int k = 0; k < MATERIAL; k++)
        memory_free(r.slab[k]);
    memory_free(r.names);
    memory_free(r.order);
    *skipped = r.skipped;
    h5_abandon(&r.file);
    return good;
}
