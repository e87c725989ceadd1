#include "io/file/h5_driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

struct driver_settings {
    struct h5_driver *driver;
};

struct driver_file {
    H5FD_t common; // HDF5's part
    int descriptor;
    struct h5_driver *driver;
    haddr_t end_of_addresses, end_of_file;
};

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t limit) {
    (void)limit;
    bool create = flags & H5F_ACC_TRUNC;
    struct stat status;
    const struct driver_settings *settings = H5Pget_driver_info(access);
    struct driver_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    file->driver = settings->driver;
    file->descriptor = open(name, O_RDWR | O_CLOEXEC | (create ? O_CREAT | O_TRUNC : 0), 0666);
    if (file->descriptor >= 0 && fstat(file->descriptor, &status) == 0) {
        file->end_of_file = (haddr_t)status.st_size;
        return &file->common;
    }
    file->driver->failure = errno;
    if (file->descriptor >= 0)
        close(file->descriptor);
    free(file);
    return NULL;
}

static herr_t driver_close(H5FD_t *common) {
    struct driver_file *file = (struct driver_file *)common;
    // Some file systems report a full disk only on closing.
    if (close(file->descriptor) != 0 && file->driver->failure == 0)
        file->driver->failure = errno;
    free(file);
    return 0;
}

static herr_t driver_query(const H5FD_t *common, unsigned long *flags) {
    (void)common;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *common, H5FD_mem_t type) {
    (void)type;
    return ((const struct driver_file *)common)->end_of_addresses;
}

static herr_t driver_set_eoa(H5FD_t *common, H5FD_mem_t type, haddr_t address) {
    (void)type;
    ((struct driver_file *)common)->end_of_addresses = address;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *common, H5FD_mem_t type) {
    (void)type;
    return ((const struct driver_file *)common)->end_of_file;
}

static herr_t driver_read(H5FD_t *common, H5FD_mem_t type, hid_t transfer, haddr_t address,
                          size_t size, void *buffer) {
    (void)type;
    (void)transfer;
    const struct driver_file *file = (const struct driver_file *)common;
    char *bytes = buffer;
    while (size > 0) {
        ssize_t got = pread(file->descriptor, bytes, size, (off_t)address);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0) { // beyond the end of the file: zeros, as the other drivers have it
            memset(bytes, 0, size);
            break;
        }
        bytes += got;
        address += (haddr_t)got;
        size -= (size_t)got;
    }
    return 0;
}

int h5_driver_put(int descriptor, const void *bytes, size_t size, uint64_t offset) {
    const char *next = bytes;
    while (size > 0) {
        ssize_t put = pwrite(descriptor, next, size, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return put < 0 ? errno : ENOSPC;
        next += put;
        offset += (uint64_t)put;
        size -= (size_t)put;
    }
    return 0;
}

static herr_t driver_write(H5FD_t *common, H5FD_mem_t type, hid_t transfer, haddr_t address,
                           size_t size, const void *buffer) {
    (void)transfer;
    struct driver_file *file = (struct driver_file *)common;
    struct h5_driver *driver = file->driver;
    if (driver->reserving && type == H5FD_MEM_DRAW)
        driver->reserved = address;
    else if (driver->failure == 0)
        driver->failure = h5_driver_put(file->descriptor, buffer, size, address);
    if (address + size > file->end_of_file)
        file->end_of_file = address + size;
    return 0;
}

static herr_t driver_truncate(H5FD_t *common, hid_t transfer, hbool_t closing) {
    (void)transfer;
    (void)closing;
    struct driver_file *file = (struct driver_file *)common;
    if (file->end_of_addresses == file->end_of_file)
        return 0;
    if (file->driver->failure == 0 &&
        ftruncate(file->descriptor, (off_t)file->end_of_addresses) != 0)
        file->driver->failure = errno;
    file->end_of_file = file->end_of_addresses;
    return 0;
}

static const H5FD_class_t driver_class = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, // 512 and above are free for drivers outside HDF5
#endif
    .name = "gabion",
    .maxaddr = ((haddr_t)1 << 62),
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(struct driver_settings),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

bool h5_driver_set(hid_t access, struct h5_driver *driver) {
    static hid_t id = H5I_INVALID_HID;
    if (id < 0)
        id = H5FDregister(&driver_class);
    struct driver_settings settings = {driver};
    *driver = (struct h5_driver){0};
    return id >= 0 && H5Pset_driver(access, id, &settings) >= 0;
}
