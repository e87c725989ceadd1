#include "io/file/h5_trust.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "io/file/h5_chunks.h"

// HDF5 unpacks a chunk at a time, whatever part of it is asked for.
#define MAX_CHUNK ((hsize_t)64 << 20)

bool h5_trust_file(const char *path, uint64_t *size, struct gabion_error *error) {
    struct stat status;
    if (stat(path, &status) != 0)
        return error_set(error, GABION_ERROR_INPUT, "%s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error_set(error, GABION_ERROR_INPUT, "%s: not an ordinary file", path);
    *size = (uint64_t)status.st_size;
    return true;
}

bool h5_trust_links(hid_t file, const char *name) {
    char part[256];
    size_t length = strlen(name);
    for (size_t end = 1; end <= length; end++) {
        if (name[end] != '/' && name[end] != '\0')
            continue;
        if (end >= sizeof part)
            return false;
        snprintf(part, sizeof part, "%.*s", (int)end, name);
        H5L_info_t link;
        bool hard = strcmp(part, "/") == 0 || (H5Lget_info(file, part, &link, H5P_DEFAULT) >= 0 &&
                                               link.type == H5L_TYPE_HARD);
        H5Eclear2(H5E_DEFAULT);
        if (!hard)
            return false;
    }
    return true;
}

// Datasets: each function returns what is wrong, or NULL ------------------------------------------

static const char *find_place_fault(hid_t creation) {
    if (H5Pget_layout(creation) == H5D_VIRTUAL)
        return "takes its rows from other datasets (a virtual dataset)";
    if (H5Pget_external_count(creation) != 0)
        return "has its rows in another file (external storage)";
    return NULL;
}

static const char *find_filter_fault(hid_t creation, bool *deflated) {
    int count = H5Pget_nfilters(creation);
    for (int k = 0; k < count; k++) {
        unsigned flags, config;
        size_t values = 0;
        H5Z_filter_t filter =
            H5Pget_filter2(creation, (unsigned)k, &flags, &values, NULL, 0, NULL, &config);
        if (filter == H5Z_FILTER_DEFLATE && *deflated)
            return "is packed twice";
        *deflated |= filter == H5Z_FILTER_DEFLATE;
        if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
            filter != H5Z_FILTER_FLETCHER32)
            return "uses a filter other than shuffle, deflate and fletcher32";
    }
    return NULL;
}

static const char *find_type_fault(hid_t type) {
    if (H5Tis_variable_str(type) > 0 || H5Tdetect_class(type, H5T_VLEN) > 0)
        return "has values of variable length; write strings of a fixed length (numpy: dtype "
               "\"S32\")";
    if (H5Tdetect_class(type, H5T_REFERENCE) > 0)
        return "has references to other objects";
    return NULL;
}

// Rows of chunks that were never written would be read as fill values.
static const char *find_chunk_fault(hid_t dataset, hid_t creation, hid_t space, size_t size) {
    hsize_t extent[H5S_MAX_RANK], chunk[H5S_MAX_RANK], wanted = 1, stored = 0, bytes = size;
    int rank = H5Sget_simple_extent_dims(space, extent, NULL);
    if (rank < 1 || H5Pget_chunk(creation, H5S_MAX_RANK, chunk) != rank)
        return "has chunks of another rank than its rows";
    for (int k = 0; k < rank; k++) {
        if (chunk[k] == 0 || chunk[k] > MAX_CHUNK / bytes)
            return "is stored in chunks of more than 64 MiB";
        bytes *= chunk[k];
        wanted *= (extent[k] - 1) / chunk[k] + 1;
    }
    if (H5Dget_num_chunks(dataset, space, &stored) < 0 || stored != wanted)
        return "has rows that were never written";
    if (!h5_chunks_fit(dataset, creation, extent, chunk, rank, bytes))
        return "has chunks that do not unpack to their size";
    return NULL;
}

static const char *find_storage_fault(hid_t dataset, uint64_t size, hid_t space, size_t type_size,
                                      bool deflated) {
    hssize_t points = H5Sget_simple_extent_npoints(space);
    hsize_t stored = H5Dget_storage_size(dataset);
    if (points < 0 || type_size == 0)
        return "has no size";
    if (stored > size)
        return "claims more bytes than the file has";
    if (stored == 0)
        return "has rows that were never written";
    if ((hsize_t)points > stored * (deflated ? H5_TRUST_DEFLATE : 1) / type_size)
        return "claims more rows than the file can hold";
    return NULL;
}

static const char *find_row_fault(hid_t dataset, uint64_t size, hid_t creation, hid_t type,
                                  bool deflated) {
    hid_t space = H5Dget_space(dataset);
    hssize_t points = H5Sget_simple_extent_npoints(space);
    const char *fault = space < 0 ? "is damaged" : NULL;
    if (!fault && points != 0)
        fault = find_storage_fault(dataset, size, space, H5Tget_size(type), deflated);
    if (!fault && points != 0 && H5Pget_layout(creation) == H5D_CHUNKED)
        fault = find_chunk_fault(dataset, creation, space, H5Tget_size(type));
    H5Sclose(space);
    return fault;
}

// Asks where the rows are before anything else: HDF5 looks for those of a virtual dataset to tell
// how many there are, and crashes where these are its own.
static const char *find_fault(hid_t dataset, uint64_t size) {
    hid_t creation = H5Dget_create_plist(dataset), type = H5Dget_type(dataset);
    bool deflated = false;
    const char *fault = creation < 0 || type < 0 ? "is damaged" : find_place_fault(creation);
    if (!fault)
        fault = find_filter_fault(creation, &deflated);
    if (!fault)
        fault = find_type_fault(type);
    if (!fault)
        fault = find_row_fault(dataset, size, creation, type, deflated);
    H5Tclose(type);
    H5Pclose(creation);
    H5Eclear2(H5E_DEFAULT);
    return fault;
}

bool h5_trust_dataset(hid_t dataset, uint64_t size, const char *path, const char *name,
                      struct gabion_error *error) {
    const char *fault = find_fault(dataset, size);
    return !fault || error_set(error, GABION_ERROR_INPUT, "%s: dataset '%s' %s", path, name, fault);
}
