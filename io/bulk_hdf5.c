#include <hdf5.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "io/bulk_columns.h"
#include "parallel/memory.h"

#define SLAB_ROWS     16384 // read at a time: under 2 MB for all columns
#define MATERIAL_SIZE 256
#define AT(member)    offsetof(struct gabion_body, member)

static const struct bulk_column columns[] = {
    {"position", AT(position), 3, true, false},  {"radius", AT(radius), 1, true, true},
    {"velocity", AT(velocity), 3, false, false}, {"spin", AT(spin), 3, false, false},
    {"mass", AT(mass), 1, false, true},          {"density", AT(density), 1, false, true},
};
enum { POSITION, RADIUS, VELOCITY, SPIN, MASS, DENSITY, MATERIAL, DATASETS };

struct reader {
    const char *path;
    const struct gabion_body *template;
    struct gabion_world *world;
    struct error *error;
    hid_t file;
    hid_t dataset[DATASETS]; // 0: not in the file
    double *slab[MATERIAL];
    char *names; // of the materials of a slab, MATERIAL_SIZE bytes each
    hsize_t rows;
};

static const char *dataset_name(int k) { return k == MATERIAL ? "material" : columns[k].name; }

static bool fail(struct reader *r, int k, const char *what) {
    return error_set(r->error, ERROR_INPUT, "%s: %s: %s", r->path, dataset_name(k), what);
}

static bool check_type(struct reader *r, int k) {
    hid_t type = H5Dget_type(r->dataset[k]);
    H5T_class_t class = H5Tget_class(type);
    size_t size = H5Tget_size(type);
    bool variable = class == H5T_STRING && H5Tis_variable_str(type) > 0;
    H5Tclose(type);
    if (k != MATERIAL && class != H5T_FLOAT && class != H5T_INTEGER)
        return fail(r, k, "expected numbers");
    if (k == MATERIAL && (class != H5T_STRING || (!variable && size >= MATERIAL_SIZE)))
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
    if (!good)
        return fail(r, k, width == 1 ? "expected the shape [N]" : "expected the shape [N, 3]");
    if (k == POSITION)
        r->rows = size[0];
    if (size[0] != r->rows)
        return error_set(r->error, ERROR_INPUT,
                         "%s: %s has %" PRIu64 " rows, but position has %" PRIu64, r->path,
                         dataset_name(k), (uint64_t)size[0], (uint64_t)r->rows);
    return true;
}

static bool open_datasets(struct reader *r) {
    for (int k = 0; k < DATASETS; k++) {
        bool replaced = k == RADIUS && r->template->radius > 0.0;
        bool required = k != MATERIAL && columns[k].required && !replaced;
        if (H5Lexists(r->file, dataset_name(k), H5P_DEFAULT) <= 0) {
            if (required)
                return fail(r, k, "this dataset is missing");
            continue;
        }
        r->dataset[k] = H5Dopen2(r->file, dataset_name(k), H5P_DEFAULT);
        if (r->dataset[k] <= 0) {
            r->dataset[k] = 0;
            return fail(r, k, "is not a dataset");
        }
        if (!check_type(r, k) || !check_shape(r, k))
            return false;
        if (k == MATERIAL)
            r->names = memory_allocate(SLAB_ROWS, MATERIAL_SIZE, "imported materials");
        else
            r->slab[k] = memory_allocate((size_t)(SLAB_ROWS * columns[k].width), sizeof(double),
                                         "imported bodies");
    }
    if (r->rows == 0 || r->rows > INT32_MAX)
        return fail(r, POSITION, r->rows ? "too many bodies" : "holds no rows");
    return true;
}

// Strings of fixed and of variable length are different types to HDF5.
static bool read_names(struct reader *r, hid_t memory, hid_t place, size_t rows) {
    hid_t stored = H5Dget_type(r->dataset[MATERIAL]);
    hid_t type = H5Tcopy(H5T_C_S1);
    bool variable = H5Tis_variable_str(stored) > 0, good;
    H5Tset_cset(type, H5Tget_cset(stored));
    H5Tclose(stored);
    if (!variable) {
        H5Tset_size(type, MATERIAL_SIZE);
        good = H5Dread(r->dataset[MATERIAL], type, memory, place, H5P_DEFAULT, r->names) >= 0;
    } else {
        char **text = memory_allocate(rows, sizeof *text, "imported materials");
        H5Tset_size(type, H5T_VARIABLE);
        good = H5Dread(r->dataset[MATERIAL], type, memory, place, H5P_DEFAULT, text) >= 0;
        for (size_t i = 0; good && i < rows; i++)
            strncpy(r->names + i * MATERIAL_SIZE, text[i] ? text[i] : "", MATERIAL_SIZE - 1);
        if (good)
            H5Dvlen_reclaim(type, memory, H5P_DEFAULT, text);
        memory_free(text);
    }
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
        good = read_names(r, memory, place, (size_t)rows);
    else if (good)
        good =
            H5Dread(r->dataset[k], H5T_NATIVE_DOUBLE, memory, place, H5P_DEFAULT, r->slab[k]) >= 0;
    H5Sclose(memory);
    H5Sclose(place);
    return good || fail(r, k, "cannot be read; the file is damaged or uses an unknown filter");
}

static bool add_row(struct reader *r, size_t i) {
    struct gabion_body body = *r->template;
    for (int k = 0; k < MATERIAL; k++)
        for (int j = 0; r->dataset[k] && j < columns[k].width; j++) {
            double value = r->slab[k][i * (size_t)columns[k].width + (size_t)j];
            if (!bulk_accept(&columns[k], value))
                return error_set(r->error, ERROR_INPUT, "%s: expected %s, found %g",
                                 columns[k].name, bulk_expected(&columns[k]), value);
            bulk_value(&columns[k], &body)[j] = value;
        }
    if (r->dataset[MATERIAL] &&
        !bulk_set_material(r->world, r->template, r->names + i * MATERIAL_SIZE,
                           r->dataset[DENSITY] > 0, &body, r->error))
        return false;
    return gabion_add_body(r->world, &body, r->error) >= 0;
}

static bool add_rows(struct reader *r) {
    // A damaged file may claim any number of rows: memory is set aside only if the data are there.
    if (H5Dget_storage_size(r->dataset[POSITION]) >= r->rows)
        gabion_reserve_bodies(r->world, (size_t)r->rows);
    for (hsize_t first = 0; first < r->rows; first += SLAB_ROWS) {
        hsize_t rows = r->rows - first < SLAB_ROWS ? r->rows - first : SLAB_ROWS;
        for (int k = 0; k < DATASETS; k++)
            if (r->dataset[k] && !read_slab(r, k, first, rows))
                return false;
        for (size_t i = 0; i < rows; i++)
            if (!add_row(r, i))
                return error_context(r->error, "%s: row %" PRIu64, r->path, (uint64_t)(first + i));
    }
    return true;
}

bool bulk_add_hdf5(struct gabion_world *world, const char *path, const struct gabion_body *template,
                   struct error *error) {
    struct reader r = {.path = path, .template = template, .world = world, .error = error};
    r.file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (r.file < 0)
        return error_set(error, ERROR_INPUT, "cannot open %s: not a complete HDF5 file", path);
    bool good = open_datasets(&r) && add_rows(&r);
    for (int k = 0; k < DATASETS; k++)
        if (r.dataset[k])
            H5Dclose(r.dataset[k]);
    for (int k = 0; k < MATERIAL; k++)
        memory_free(r.slab[k]);
    memory_free(r.names);
    H5Fclose(r.file);
    return good;
}
