#include "io/file/h5.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/file/h5_parts.h"
#include "io/file/h5_room.h"
#include "io/file/h5_trust.h"
#include "parallel/memory.h"

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

void h5_take(void) { pthread_mutex_lock(&turn); }
void h5_leave(void) { pthread_mutex_unlock(&turn); }

// The innermost entry of HDF5's error stack says what happened; the outer ones who asked for it.
static herr_t take_innermost(unsigned depth, const H5E_error2_t *entry, void *text) {
    if (depth == 0 && entry->desc)
        snprintf(text, 512, "%s", entry->desc);
    return 0;
}

// To be called before any other HDF5 function: each of them clears the stack.
bool h5_fail(const struct h5_file *file, struct gabion_error *error, const char *kind,
             const char *name) {
    char text[512] = "HDF5 gives no reason";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_innermost, text);
    H5Eclear2(H5E_DEFAULT);
    if (!file->writing)
        return error_set(error, GABION_ERROR_INPUT, "%s: cannot read %s '%s': %s", file->path, kind,
                         name, text);
    int cause = file->driver.failure;
    bool full = cause == ENOSPC || cause == EDQUOT || cause == EFBIG;
    return error_set(error, GABION_ERROR_RUN, "%s: cannot write %s '%s': %s%s", file->path, kind,
                     name, cause ? strerror(cause) : text,
                     full ? " (disk full or file size limit; make room and resume)" : "");
}

hid_t h5_type_in_file(enum h5_type type) {
    switch (type) {
    case H5_TYPE_UINT8:
        return H5T_STD_U8LE;
    case H5_TYPE_UINT16:
        return H5T_STD_U16LE;
    case H5_TYPE_INT32:
        return H5T_STD_I32LE;
    case H5_TYPE_UINT32:
        return H5T_STD_U32LE;
    case H5_TYPE_INT64:
        return H5T_STD_I64LE;
    case H5_TYPE_FLOAT64:
        return H5T_IEEE_F64LE;
    }
    return H5I_INVALID_HID;
}

hid_t h5_type_in_memory(enum h5_type type) {
    switch (type) {
    case H5_TYPE_UINT8:
        return H5T_NATIVE_UINT8;
    case H5_TYPE_UINT16:
        return H5T_NATIVE_UINT16;
    case H5_TYPE_INT32:
        return H5T_NATIVE_INT32;
    case H5_TYPE_UINT32:
        return H5T_NATIVE_UINT32;
    case H5_TYPE_INT64:
        return H5T_NATIVE_INT64;
    case H5_TYPE_FLOAT64:
        return H5T_NATIVE_DOUBLE;
    }
    return H5I_INVALID_HID;
}

static const char *type_name(enum h5_type type) {
    static const char *const names[] = {
        [H5_TYPE_UINT8] = "unsigned 8-bit integers",
        [H5_TYPE_UINT16] = "unsigned 16-bit integers",
        [H5_TYPE_INT32] = "32-bit integers",
        [H5_TYPE_UINT32] = "unsigned 32-bit integers",
        [H5_TYPE_INT64] = "64-bit integers",
        [H5_TYPE_FLOAT64] = "64-bit floating-point numbers",
    };
    return names[type];
}

size_t h5_type_size(enum h5_type type) {
    static const size_t size[] = {1, 2, 4, 4, 8, 8};
    return size[type];
}

size_t h5_row_size(const struct h5_rows *rows) {
    return (size_t)rows->columns * h5_type_size(rows->type);
}

bool h5_begin(struct h5_file *file, const char *path, bool writing, struct gabion_error *error) {
    *file = (struct h5_file){.id = H5I_INVALID_HID, .writing = writing, .descriptor = -1};
    if (!h5_room_check(path, error))
        return false;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5PLset_loading_state(0); // files name filters, and HDF5 would load code for them
    int length = snprintf(file->path, sizeof file->path, "%s", path);
    if (length < 0 || (size_t)length >= sizeof file->path)
        return error_set(error, GABION_ERROR_INPUT, "%s: file name too long", path);
    return true;
}

bool h5_create(struct h5_file *file, const char *path, size_t user_block,
               struct gabion_error *error) {
    if (!h5_begin(file, path, true, error))
        return false;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    H5Pset_userblock(creation, user_block);
    H5Pset_obj_track_times(creation, false);
    if (h5_driver_set(access, &file->driver))
        file->id = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    bool good = file->id >= 0 || h5_fail(file, error, "file", path);
    H5Pclose(creation);
    H5Pclose(access);
    return good;
}

bool h5_recognise(const char *path) {
    struct gabion_error ignored = {0};
    uint64_t size;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    bool recognised = h5_trust_file(path, &size, &ignored) && H5Fis_hdf5(path) > 0;
    H5Eclear2(H5E_DEFAULT);
    return recognised;
}

bool h5_open(struct h5_file *file, const char *path, struct gabion_error *error) {
    if (!h5_begin(file, path, false, error))
        return false;
    if (!h5_trust_file(path, &file->size, error))
        return false;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    file->id = H5Fopen(path, H5F_ACC_RDONLY, access);
    bool good = file->id >= 0 || h5_fail(file, error, "file", path);
    H5Pclose(access);
    return good;
}

bool h5_edit(struct h5_file *file, const char *path, struct gabion_error *error) {
    if (!h5_begin(file, path, true, error))
        return false;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (h5_driver_set(access, &file->driver))
        file->id = H5Fopen(path, H5F_ACC_RDWR, access);
    bool good = file->id >= 0 || h5_fail(file, error, "file", path);
    H5Pclose(access);
    return good;
}

// HDF5 wants every group on the way to be asked for first. What is behind a link out of the file is
// not asked for: the link is there, and opening it fails with a message.
bool h5_exists(const struct h5_file *file, const char *name) {
    char part[256];
    for (size_t end = 1; end <= strlen(name) && end < sizeof part; end++) {
        if (name[end] != '/' && name[end] != '\0')
            continue;
        snprintf(part, sizeof part, "%.*s", (int)end, name);
        bool there = H5Lexists(file->id, part, H5P_DEFAULT) > 0;
        H5Eclear2(H5E_DEFAULT);
        if (!there || !h5_trust_links(file->id, part))
            return there;
    }
    return true;
}

uint64_t h5_user_block(const struct h5_file *file) {
    hsize_t size = 0;
    hid_t creation = H5Fget_create_plist(file->id);
    H5Pget_userblock(creation, &size);
    H5Pclose(creation);
    return size;
}

bool h5_remove(const struct h5_file *file, const char *name, struct gabion_error *error) {
    return H5Ldelete(file->id, name, H5P_DEFAULT) >= 0 || h5_fail(file, error, "object", name);
}

bool h5_close(struct h5_file *file, struct gabion_error *error) {
    herr_t closed = H5Fclose(file->id);
    file->id = H5I_INVALID_HID;
    return (closed >= 0 && file->driver.failure == 0) || h5_fail(file, error, "file", file->path);
}

// A file that was never opened is left alone: the first call of HDF5 sets it up, which ends the
// program by a signal where memory is short.
void h5_abandon(struct h5_file *file) {
    if (file->id < 0)
        return;
    H5Fclose(file->id);
    H5Eclear2(H5E_DEFAULT);
    file->id = H5I_INVALID_HID;
}

bool h5_write_group(const struct h5_file *file, const char *name, struct gabion_error *error) {
    if (file->guest)
        return true;
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(creation, false);
    hid_t group = H5Gcreate2(file->id, name, H5P_DEFAULT, creation, H5P_DEFAULT);
    bool good = group >= 0 || h5_fail(file, error, "group", name);
    H5Pclose(creation);
    return good && (H5Gclose(group) >= 0 || h5_fail(file, error, "group", name));
}

// Attributes are named like datasets in messages: object/name.
static bool attribute_fail(const struct h5_file *file, struct gabion_error *error,
                           const char *object, const char *name) {
    char label[256];
    bool root = strcmp(object, "/") == 0;
    snprintf(label, sizeof label, "%s%s%s", root ? "" : object, root ? "" : "/", name);
    return h5_fail(file, error, "attribute", label);
}

static bool write_attribute(const struct h5_file *file, const char *object, const char *name,
                            hid_t stored, hid_t given, const void *value,
                            struct gabion_error *error) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate_by_name(file->id, object, name, stored, space, H5P_DEFAULT,
                                        H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 || attribute_fail(file, error, object, name);
    H5Sclose(space);
    if (!good)
        return false;
    good = H5Awrite(attribute, given, value) >= 0 || attribute_fail(file, error, object, name);
    H5Aclose(attribute);
    return good;
}

bool h5_write_number(const struct h5_file *file, const char *object, const char *name,
                     enum h5_type type, const void *value, struct gabion_error *error) {
    if (file->guest)
        return true;
    return write_attribute(file, object, name, h5_type_in_file(type), h5_type_in_memory(type),
                           value, error);
}

static hid_t string_type(size_t size) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

bool h5_write_text(const struct h5_file *file, const char *object, const char *name,
                   const char *text, struct gabion_error *error) {
    if (file->guest)
        return true;
    hid_t type = string_type(strlen(text) + 1);
    bool written = write_attribute(file, object, name, type, type, text, error);
    H5Tclose(type);
    return written;
}

// Checksums for floating-point numbers, which do not compress; deflate, which has its own, for
// integers. A chunk cannot be larger than its dataset, so an empty one has no chunks.
hid_t h5_rows_creation(const struct h5_rows *rows) {
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(creation, false);
    H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
    if (rows->count == 0 || rows->plain)
        return creation;
    hsize_t chunk[2] = {rows->count < H5_BLOCK_ROWS ? rows->count : H5_BLOCK_ROWS,
                        (hsize_t)rows->columns};
    H5Pset_chunk(creation, rows->columns > 1 ? 2 : 1, chunk);
    if (rows->type == H5_TYPE_FLOAT64) {
        H5Pset_fletcher32(creation);
    } else {
        H5Pset_shuffle(creation);
        H5Pset_deflate(creation, 1);
    }
    return creation;
}

void h5_gather(const struct h5_rows *rows, size_t begin, size_t count, char *block) {
    size_t size = h5_row_size(rows);
    if (rows->gather)
        rows->gather(rows->context, begin, count, block);
    else
        for (size_t k = 0; k < count; k++)
            memcpy(block + k * size, rows->base + (begin + k) * rows->stride, size);
}

static void block_scatter(const struct h5_rows *rows, size_t begin, size_t count,
                          const char *block) {
    size_t size = h5_row_size(rows);
    for (size_t k = 0; k < count; k++)
        memcpy(rows->base + (begin + k) * rows->stride, block + k * size, size);
}

// Rows that lie side by side need no copy.
static bool rows_packed(const struct h5_rows *rows) {
    return !rows->gather && rows->stride == h5_row_size(rows);
}

static size_t block_rows(const struct h5_rows *rows, size_t begin) {
    size_t left = rows->count - begin;
    return left < H5_BLOCK_ROWS ? left : H5_BLOCK_ROWS;
}

// To the file if it is being written, else from it.
static bool block_move(const struct h5_file *file, hid_t dataset, const struct h5_rows *rows,
                       size_t begin, void *block, struct gabion_error *error) {
    int rank = rows->columns > 1 ? 2 : 1;
    hsize_t total[2] = {rows->count, (hsize_t)rows->columns}, start[2] = {begin, 0};
    hsize_t size[2] = {block_rows(rows, begin), (hsize_t)rows->columns};
    hid_t type = h5_type_in_memory(rows->type);
    hid_t in_file = H5Screate_simple(rank, total, NULL);
    hid_t in_memory = H5Screate_simple(rank, size, NULL);
    H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, size, NULL);
    herr_t moved = file->writing ? H5Dwrite(dataset, type, in_memory, in_file, H5P_DEFAULT, block)
                                 : H5Dread(dataset, type, in_memory, in_file, H5P_DEFAULT, block);
    bool good =
        (moved >= 0 && file->driver.failure == 0) || h5_fail(file, error, "dataset", rows->name);
    H5Sclose(in_memory);
    H5Sclose(in_file);
    return good;
}

static char *block_allocate(const struct h5_rows *rows) {
    return rows_packed(rows) ? NULL
                             : memory_allocate(block_rows(rows, 0), h5_row_size(rows),
                                               "rows on their way to or from a file");
}

hid_t h5_create_dataset(const struct h5_file *file, const char *name, hid_t type, hid_t space,
                        hid_t creation, struct gabion_error *error) {
    hid_t dataset = H5Dcreate2(file->id, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (dataset < 0)
        h5_fail(file, error, "dataset", name);
    return dataset;
}

// Every dataset of ours ends with its unit.
bool h5_finish_dataset(const struct h5_file *file, const char *name, hid_t dataset, bool good,
                       const char *unit, struct gabion_error *error) {
    if (H5Dclose(dataset) < 0 && good)
        good = h5_fail(file, error, "dataset", name);
    return good && (!unit || h5_write_text(file, name, "unit", unit, error));
}

bool h5_write_rows(const struct h5_file *file, const struct h5_rows *rows,
                   struct gabion_error *error) {
    if (file->guest)
        return true;
    hsize_t total[2] = {rows->count, (hsize_t)rows->columns};
    hid_t creation = h5_rows_creation(rows);
    hid_t space = H5Screate_simple(rows->columns > 1 ? 2 : 1, total, NULL);
    hid_t dataset =
        h5_create_dataset(file, rows->name, h5_type_in_file(rows->type), space, creation, error);
    H5Sclose(space);
    H5Pclose(creation);
    if (dataset < 0)
        return false;
    bool good = true;
    char *buffer = block_allocate(rows);
    for (size_t begin = 0; begin < rows->count && good; begin += H5_BLOCK_ROWS) {
        if (buffer)
            h5_gather(rows, begin, block_rows(rows, begin), buffer);
        char *block = buffer ? buffer : rows->base + begin * rows->stride;
        good = block_move(file, dataset, rows, begin, block, error);
    }
    memory_free(buffer);
    return h5_finish_dataset(file, rows->name, dataset, good, rows->unit, error);
}

static bool write_string_dataset(const struct h5_file *file, const char *name, hid_t type,
                                 hid_t space, const void *text, struct gabion_error *error) {
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(creation, false);
    hid_t dataset = h5_create_dataset(file, name, type, space, creation, error);
    H5Pclose(creation);
    if (dataset < 0)
        return false;
    bool good = H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0 ||
                h5_fail(file, error, "dataset", name);
    return h5_finish_dataset(file, name, dataset, good, "", error);
}

bool h5_write_vector(const struct h5_file *file, const char *name, enum h5_type type,
                     const void *numbers, size_t count, struct gabion_error *error) {
    struct h5_rows rows = {.name = name,
                           .type = type,
                           .columns = 1,
                           .plain = true,
                           .count = count,
                           .base = (char *)numbers,
                           .stride = h5_type_size(type)};
    return h5_write_rows(file, &rows, error);
}

bool h5_write_strings(const struct h5_file *file, const char *name, char *const *strings,
                      size_t count, struct gabion_error *error) {
    if (file->guest)
        return true;
    size_t size = 1;
    for (size_t k = 0; k < count; k++)
        if (strlen(strings[k]) + 1 > size)
            size = strlen(strings[k]) + 1;
    char *table = memory_allocate(count, size, "names to write");
    for (size_t k = 0; k < count; k++)
        strcpy(table + k * size, strings[k]);
    hsize_t extent = count;
    hid_t space = H5Screate_simple(1, &extent, NULL), type = string_type(size);
    bool written = write_string_dataset(file, name, type, space, table, error);
    H5Tclose(type);
    H5Sclose(space);
    memory_free(table);
    return written;
}

bool h5_write_document(const struct h5_file *file, const char *name, const char *text,
                       struct gabion_error *error) {
    if (file->guest)
        return true;
    hid_t space = H5Screate(H5S_SCALAR), type = string_type(strlen(text) + 1);
    bool written = write_string_dataset(file, name, type, space, text, error);
    H5Tclose(type);
    H5Sclose(space);
    return written;
}

bool h5_check_links(const struct h5_file *file, const char *name, struct gabion_error *error) {
    return !h5_exists(file, name) || h5_trust_links(file->id, name) ||
           error_set(error, GABION_ERROR_INPUT,
                     "%s: '%s' is a link, and what it leads to may be another file; store the "
                     "numbers themselves",
                     file->path, name);
}

hid_t h5_open_dataset(const struct h5_file *file, const char *name, struct gabion_error *error) {
    if (!h5_check_links(file, name, error))
        return H5I_INVALID_HID;
    hid_t dataset = H5Dopen2(file->id, name, H5P_DEFAULT);
    if (dataset < 0) {
        h5_fail(file, error, "dataset", name);
        return H5I_INVALID_HID;
    }
    if (h5_trust_dataset(dataset, file->size, file->path, name, error))
        return dataset;
    H5Dclose(dataset);
    return H5I_INVALID_HID;
}

static bool find_extent(const struct h5_file *file, hid_t dataset, struct h5_rows *rows,
                        struct gabion_error *error) {
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    hsize_t extent[2] = {0, 1};
    int rank = H5Sget_simple_extent_ndims(space), wanted = rows->columns > 1 ? 2 : 1;
    bool right_type = H5Tequal(type, h5_type_in_file(rows->type)) > 0;
    bool right_rank = rank == wanted && H5Sget_simple_extent_dims(space, extent, NULL) == rank &&
                      extent[1] == (hsize_t)rows->columns;
    H5Sclose(space);
    H5Tclose(type);
    H5Eclear2(H5E_DEFAULT);
    if (!right_type)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: dataset '%s' has the wrong type of numbers; %s were expected",
                         file->path, rows->name, type_name(rows->type));
    if (!right_rank)
        return error_set(error, GABION_ERROR_INPUT, "%s: dataset '%s' should have %s%d column%s",
                         file->path, rows->name, rank == wanted ? "" : "another rank and ",
                         rows->columns, rows->columns > 1 ? "s" : "");
    rows->count = (size_t)extent[0];
    return true;
}

bool h5_find_rows(const struct h5_file *file, struct h5_rows *rows, struct gabion_error *error) {
    hid_t dataset = h5_open_dataset(file, rows->name, error);
    if (dataset < 0)
        return false;
    bool good = find_extent(file, dataset, rows, error);
    H5Dclose(dataset);
    return good;
}

bool h5_read_rows(const struct h5_file *file, const struct h5_rows *rows, h5_check check,
                  const void *context, struct gabion_error *error) {
    hid_t dataset = h5_open_dataset(file, rows->name, error);
    if (dataset < 0)
        return false;
    bool good = true;
    char *buffer = block_allocate(rows);
    for (size_t begin = 0; begin < rows->count && good; begin += H5_BLOCK_ROWS) {
        size_t count = block_rows(rows, begin);
        char *block = buffer ? buffer : rows->base + begin * rows->stride;
        good = block_move(file, dataset, rows, begin, block, error) &&
               (!check || check(context, rows, block, begin, count, error));
        if (good && buffer)
            block_scatter(rows, begin, count, block);
    }
    memory_free(buffer);
    H5Dclose(dataset);
    return good;
}

// Fixed-length strings only: those of variable length live in a heap whose sizes cannot be checked
// before HDF5 allocates them.
static size_t string_size(hid_t type) {
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
        return 0;
    return H5Tget_size(type);
}

static char *read_string_dataset(const struct h5_file *file, const char *name, hid_t dataset,
                                 size_t *count, size_t *size, struct gabion_error *error) {
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    hssize_t points = H5Sget_simple_extent_npoints(space);
    *size = string_size(type);
    *count = points > 0 ? (size_t)points : 0;
    char *text = NULL;
    if (*size == 0) {
        error_set(error, GABION_ERROR_INPUT, "%s: dataset '%s' should hold fixed-length strings",
                  file->path, name);
    } else if (points < 0 || *count > file->size / *size) {
        error_set(error, GABION_ERROR_INPUT,
                  "%s: dataset '%s' claims more text than the file can hold", file->path, name);
    } else {
        // HDF5 ends each string with a NUL only if the one who wrote it did.
        text = memory_allocate(*count * *size + 1, 1, "text of a checkpoint");
        if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) {
            h5_fail(file, error, "dataset", name);
            memory_free(text);
            text = NULL;
        }
    }
    H5Sclose(space);
    H5Tclose(type);
    return text;
}

char *h5_read_strings(const struct h5_file *file, const char *name, size_t *count, size_t *size,
                      struct gabion_error *error) {
    hid_t dataset = h5_open_dataset(file, name, error);
    if (dataset < 0)
        return NULL;
    char *text = read_string_dataset(file, name, dataset, count, size, error);
    H5Dclose(dataset);
    for (size_t k = 0; text && k + 1 < *count; k++) // after the last there is room
        text[(k + 1) * *size - 1] = '\0';
    return text;
}

static hid_t open_scalar(const struct h5_file *file, const char *object, const char *name,
                         struct gabion_error *error) {
    if (!h5_check_links(file, object, error))
        return H5I_INVALID_HID;
    hid_t attribute = H5Aopen_by_name(file->id, object, name, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) {
        attribute_fail(file, error, object, name);
        return attribute;
    }
    hid_t space = H5Aget_space(attribute);
    bool scalar = H5Sget_simple_extent_npoints(space) == 1;
    H5Sclose(space);
    if (scalar)
        return attribute;
    H5Aclose(attribute);
    error_set(error, GABION_ERROR_INPUT, "%s: attribute '%s' should be one value", file->path,
              name);
    return H5I_INVALID_HID;
}

bool h5_has_attribute(const struct h5_file *file, const char *object, const char *name) {
    struct gabion_error ignored = {0};
    return h5_check_links(file, object, &ignored) &&
           H5Aexists_by_name(file->id, object, name, H5P_DEFAULT) > 0;
}

bool h5_read_number(const struct h5_file *file, const char *object, const char *name,
                    enum h5_type type, void *value, struct gabion_error *error) {
    hid_t attribute = open_scalar(file, object, name, error);
    if (attribute < 0)
        return false;
    hid_t stored = H5Aget_type(attribute);
    bool good = H5Tequal(stored, h5_type_in_file(type)) > 0;
    H5Tclose(stored);
    if (!good)
        error_set(error, GABION_ERROR_INPUT, "%s: attribute '%s' has the wrong type of number",
                  file->path, name);
    else if (H5Aread(attribute, h5_type_in_memory(type), value) < 0)
        good = attribute_fail(file, error, object, name);
    H5Aclose(attribute);
    return good;
}

bool h5_read_text(const struct h5_file *file, const char *object, const char *name, char *text,
                  size_t size, struct gabion_error *error) {
    hid_t attribute = open_scalar(file, object, name, error);
    if (attribute < 0)
        return false;
    hid_t type = H5Aget_type(attribute);
    size_t length = string_size(type);
    bool good = length > 0 && length <= file->size;
    if (!good) {
        error_set(error, GABION_ERROR_INPUT, "%s: attribute '%s' should be text", file->path, name);
    } else {
        char *stored = memory_allocate(length + 1, 1, "text of an attribute");
        good = H5Aread(attribute, type, stored) >= 0 || attribute_fail(file, error, object, name);
        snprintf(text, size, "%s", stored);
        memory_free(stored);
    }
    H5Tclose(type);
    H5Aclose(attribute);
    return good;
}
