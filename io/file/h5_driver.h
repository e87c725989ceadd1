// The file driver with which HDF5 files are written. HDF5 cannot close a file after a failed write:
// it crashes at exit and treats the file as open for ever. This driver records the first failed
// write and reports success to HDF5.
#ifndef IO_FILE_H5_DRIVER_H
#define IO_FILE_H5_DRIVER_H

#include <hdf5.h>
#include <stdbool.h>

// Makes the property list create files, or open them to write, with this driver. *failure receives
// the errno of the first failed write; it must stay where it is until the file is closed.
bool h5_driver_set(hid_t access, int *failure);

#endif
