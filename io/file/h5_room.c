#include "io/file/h5_room.h"

#include <stddef.h>
#include <sys/mman.h>

// A block of 65536 rows of six numbers, packed and unpacked, HDF5's caches and its code's own data:
// a run in which address space was the limit crashed with up to 3.5 MiB less than a checkpoint of a
// few blocks needs.
#define H5_ROOM ((size_t)16 << 20)

bool h5_room_check(const char *path, struct gabion_error *error) {
    void *room = mmap(NULL, H5_ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return error_set(
            error, GABION_ERROR_MEMORY,
            "out of memory: HDF5 needs %zu MiB for %.1024s. Use a smaller case or a machine "
            "with more memory.",
            H5_ROOM >> 20, path);
    munmap(room, H5_ROOM);
    return true;
}
