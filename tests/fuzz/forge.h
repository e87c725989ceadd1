// Forges HDF5 files from good ones, as the bytes of an input say: single bytes, values, and whole
// datasets of another type, size or storage, or links in their place.
#ifndef TESTS_FUZZ_FORGE_H
#define TESTS_FUZZ_FORGE_H

#include <hdf5.h>
#include <string.h>

#include "parallel/memory.h"
#include "tests/fuzz/input.h"

// HDF5 keeps what it frees, half a megabyte for each file that was open, instead of asking the
// sanitizer's allocator for fresh pages.
static inline void keep_memory(void) { H5set_free_list_limits(-1, -1, -1, -1, -1, -1); }

static inline void store(const char *path, const void *bytes, size_t size, size_t skip) {
    FILE *stream = fopen(path, "wb");
    if (!stream || fseek(stream, (long)skip, SEEK_SET) != 0 ||
        fwrite(bytes, 1, size, stream) != size || fclose(stream) != 0)
        abort();
}

// Stores a good file with some bytes changed, those of its first `begin` excepted.
static inline void change_bytes(const char *path, const char *good, size_t size, size_t begin,
                                struct input *input) {
    char *bytes = memory_allocate(size, 1, "copy");
    memcpy(bytes, good, size);
    while (input->size > 0) {
        size_t place = begin + take(input, 3) % (size - begin);
        bytes[place] = (char)take(input, 1);
    }
    store(path, bytes, size, 0);
    memory_free(bytes);
}

static inline hid_t some_type(uint64_t choice) {
    const hid_t types[] = {H5T_STD_U8LE,   H5T_STD_U16LE, H5T_STD_I32LE,
                           H5T_STD_U32LE,  H5T_STD_I64LE, H5T_IEEE_F64LE,
                           H5T_IEEE_F32BE, H5T_C_S1,      H5T_STD_REF_OBJ};
    return types[choice % (sizeof types / sizeof *types)];
}

// Chunks of a few rows: a large extent must not make a large file, and packing each number by
// itself took a fuzzer most of its time. Rows are written only where there are few.
static inline void replace_dataset(hid_t file, const char *name, struct input *input) {
    static const double zeros[4096];
    hid_t type = some_type(take(input, 1));
    hsize_t extent[3] = {take(input, 1) ? take(input, 1) : take(input, 5), take(input, 1) % 6, 1};
    hsize_t chunk[3] = {extent[0] && extent[0] < 16 ? extent[0] : 16, extent[1] ? extent[1] : 1, 1};
    int rank = 1 + (int)(take(input, 1) % 3);
    uint64_t filters = take(input, 1);
    hid_t space = H5Screate_simple(rank, extent, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, rank, chunk);
    if (filters & 1)
        H5Pset_shuffle(creation);
    if (filters & 2)
        H5Pset_deflate(creation, 9);
    if (filters & 4)
        H5Pset_nbit(creation);
    H5Ldelete(file, name, H5P_DEFAULT);
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (filters & 8 && extent[0] < 64)
        H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros);
    H5Dclose(dataset);
    H5Pclose(creation);
    H5Sclose(space);
}

static inline void change_value(hid_t file, const char *name, struct input *input) {
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
    hsize_t start[3] = {take(input, 1), take(input, 1) % 4, 0}, one[3] = {1, 1, 1};
    int64_t bits = (int64_t)take(input, 8);
    double real;
    memcpy(&real, &bits, sizeof real);
    bool whole = take(input, 1) & 1;
    hid_t memory = H5Screate_simple(1, one, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, one, NULL);
    H5Dwrite(dataset, whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT,
             whole ? (const void *)&bits : &real);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(dataset);
}

// Puts a link to another object, to another file or to nothing where a dataset was.
static inline void replace_by_link(hid_t file, const char *name, const char *other,
                                   struct input *input) {
    H5Ldelete(file, name, H5P_DEFAULT);
    switch (take(input, 1) % 3) {
    case 0:
        H5Lcreate_soft(other, file, name, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 1:
        H5Lcreate_hard(file, other, file, name, H5P_DEFAULT, H5P_DEFAULT);
        break;
    default:
        H5Lcreate_external("input.h5", other, file, name, H5P_DEFAULT, H5P_DEFAULT);
    }
}

#endif
