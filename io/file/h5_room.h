// HDF5 does not survive running out of memory: where an allocation of its own fails, its cleaning
// up may crash or corrupt the heap. So memory is asked for before HDF5 is.
#ifndef IO_FILE_H5_ROOM_H
#define IO_FILE_H5_ROOM_H

#include "parallel/error.h"

// Fails with GABION_ERROR_MEMORY unless there is as much memory as HDF5 takes to read or write a
// file of ours, apart from what the caller allocates.
bool h5_room_check(const char *path, struct gabion_error *error);

#endif
