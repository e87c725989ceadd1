#include "io/file/h5_chunks.h"

#include <stdlib.h>
#include <zlib.h>

#define CHECKSUM 4 // bytes that fletcher32 puts behind a chunk

// A chunk as the file has it.
struct packed {
    unsigned char *bytes;
    hsize_t stored;
    uint32_t skipped; // a bit for each filter that it has not gone through
};

// Returns how many bytes a stream of zlib's holds, at most one more than `most`; 0: it is damaged.
static hsize_t count_inflated(unsigned char *bytes, hsize_t count, hsize_t most) {
    unsigned char piece[1 << 14];
    z_stream stream = {.next_in = bytes, .avail_in = (uInt)count};
    int status = Z_OK;
    if (count > UINT32_MAX || inflateInit(&stream) != Z_OK)
        return 0;
    while (status == Z_OK && stream.total_out <= most) {
        stream.next_out = piece;
        stream.avail_out = sizeof piece;
        status = inflate(&stream, Z_NO_FLUSH);
    }
    hsize_t found = stream.total_out <= most ? stream.total_out : most + 1;
    inflateEnd(&stream);
    return status == Z_STREAM_END || found > most ? found : 0;
}

// Undoes the filters, the last one first.
static hsize_t unpacked_size(const struct packed *packed, hid_t creation, hsize_t most) {
    hsize_t count = packed->stored;
    for (int k = H5Pget_nfilters(creation) - 1; k >= 0; k--) {
        unsigned flags, config;
        size_t values = 0;
        H5Z_filter_t filter =
            H5Pget_filter2(creation, (unsigned)k, &flags, &values, NULL, 0, NULL, &config);
        if (packed->skipped >> k & 1)
            continue;
        if (filter == H5Z_FILTER_FLETCHER32)
            count = count > CHECKSUM ? count - CHECKSUM : 0;
        else if (filter == H5Z_FILTER_DEFLATE)
            count = count_inflated(packed->bytes, count, most + CHECKSUM);
    }
    return count;
}

// Each call of H5Dget_chunk_info_by_coord walks over all chunks; these two look for one.
static bool chunk_fits(hid_t dataset, hid_t creation, const hsize_t *place, hsize_t bytes) {
    struct packed packed = {0};
    if (H5Dget_chunk_storage_size(dataset, place, &packed.stored) < 0 || packed.stored == 0)
        return false;
    packed.bytes = malloc(packed.stored);
    bool fits = packed.bytes &&
                H5Dread_chunk(dataset, H5P_DEFAULT, place, &packed.skipped, packed.bytes) >= 0 &&
                unpacked_size(&packed, creation, bytes) == bytes;
    free(packed.bytes);
    return fits;
}

// Goes on to the next chunk, the last dimension fastest. Returns false after the last one.
static bool next_place(hsize_t *place, const hsize_t *extent, const hsize_t *chunk, int rank) {
    for (int k = rank - 1; k >= 0; k--) {
        place[k] += chunk[k];
        if (place[k] < extent[k])
            return true;
        place[k] = 0;
    }
    return false;
}

bool h5_chunks_fit(hid_t dataset, hid_t creation, const hsize_t *extent, const hsize_t *chunk,
                   int rank, hsize_t bytes) {
    hsize_t place[H5S_MAX_RANK] = {0};
    do {
        if (!chunk_fits(dataset, creation, place, bytes))
            return false;
    } while (next_place(place, extent, chunk, rank));
    return true;
}
