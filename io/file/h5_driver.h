// The file driver with which HDF5 files are written. HDF5 cannot close a file after a failed write:
// it crashes at exit and treats the file as open for ever. This driver records the first failed
// write and reports success to HDF5.
#ifndef IO_FILE_H5_DRIVER_H
#define IO_FILE_H5_DRIVER_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

// What a file and its driver tell each other.
struct h5_driver {
    int failure; // errno of the first failed write
    // While set, rows that HDF5 writes get their place in the file, `reserved`, and are not
    // written: another rank does that.
    bool reserving;
    uint64_t reserved;
};

// Makes the property list create files, or open them to write, with this driver. *driver must stay
// where it is until the file is closed.
bool h5_driver_set(hid_t access, struct h5_driver *driver);

// Writes all bytes at an offset. Returns 0 or the cause of the failure.
int h5_driver_put(int descriptor, const void *bytes, size_t size, uint64_t offset);

#endif
