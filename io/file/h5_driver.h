// The file driver that HDF5 files are written with. HDF5 cannot close a file that it could not
// write to the end: it crashes at exit and takes the file for open ever after. This driver notes
// the first write that failed and lets HDF5 believe that all went well.
#ifndef IO_FILE_H5_DRIVER_H
#define IO_FILE_H5_DRIVER_H

#include <hdf5.h>
#include <stdbool.h>

// Makes the property list create files, or open them to write, with this driver. *failure receives
// the errno of the first failed write; it must stay where it is until the file is closed.
bool h5_driver_set(hid_t access, int *failure);

#endif
