#include "io/file/h5_shared.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "io/file/h5_parts.h"
#include "parallel/memory.h"
#include "parallel/ranks.h"

#define HEAD_TAG 0

// Chunks ------------------------------------------------------------------------------------------

// The rows of all ranks, and the chunks that are cut from them.
struct cutting {
    struct h5_rows rows; // as of the whole dataset
    const struct h5_rows *own;
    size_t *first; // row of each rank; one more entry: the number of rows
    size_t chunk_rows, chunk_bytes, chunks;
    size_t begin, end; // this rank's chunks
    char *tail;        // the last of them, with rows of other ranks
};

// Returns the first chunk that begins in the rows of a rank or behind them.
static size_t chunk_from(const struct cutting *cutting, int rank) {
    return (cutting->first[rank] + cutting->chunk_rows - 1) / cutting->chunk_rows;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static size_t chunk_end(const struct cutting *cutting, size_t chunk) {
    return smaller((chunk + 1) * cutting->chunk_rows, cutting->rows.count);
}

static void cutting_begin(struct cutting *cutting, const struct h5_rows *own) {
    int ranks = ranks_count(), me = ranks_me();
    *cutting = (struct cutting){.rows = *own, .own = own};
    cutting->first = memory_allocate((size_t)ranks + 1, sizeof *cutting->first, "rows of ranks");
    ranks_offsets(own->count, cutting->first);
    size_t total = cutting->rows.count = cutting->first[ranks];
    cutting->chunk_rows = smaller(total > 0 ? total : 1, H5_BLOCK_ROWS);
    cutting->chunk_bytes = cutting->chunk_rows * h5_row_size(own);
    cutting->chunks = chunk_from(cutting, ranks);
    cutting->begin = chunk_from(cutting, me);
    cutting->end = chunk_from(cutting, me + 1);
}

static void cutting_end(struct cutting *cutting) {
    memory_free(cutting->first);
    memory_free(cutting->tail);
}

// Returns the rank that has the first row of a chunk, one below this rank.
static int owner_below(const struct cutting *cutting, size_t chunk) {
    int rank = ranks_me() - 1;
    while (cutting->first[rank] > chunk * cutting->chunk_rows)
        rank--;
    return rank;
}

// Sends the rows before this rank's first chunk to the rank whose chunk they end.
static char *send_head(const struct cutting *cutting, struct ranks_messages *messages) {
    size_t begin = cutting->first[ranks_me()];
    size_t end = smaller(cutting->begin * cutting->chunk_rows, cutting->first[ranks_me() + 1]);
    if (begin >= end)
        return NULL;
    char *head = memory_allocate(end - begin, h5_row_size(cutting->own), "rows of ranks");
    h5_gather(cutting->own, 0, end - begin, head);
    ranks_messages_send(messages, owner_below(cutting, cutting->begin - 1), HEAD_TAG, head,
                        (end - begin) * h5_row_size(cutting->own));
    return head;
}

static void receive_tail(struct cutting *cutting, struct ranks_messages *messages) {
    size_t size = h5_row_size(cutting->own);
    if (cutting->begin == cutting->end)
        return;
    size_t last = cutting->end - 1, end = chunk_end(cutting, last);
    cutting->tail = memory_allocate(cutting->chunk_rows, size, "rows of ranks");
    for (int rank = ranks_me() + 1; rank < ranks_count() && cutting->first[rank] < end; rank++) {
        size_t from = cutting->first[rank], rows = smaller(cutting->first[rank + 1], end) - from;
        if (rows > 0)
            ranks_messages_receive(messages, rank, HEAD_TAG,
                                   cutting->tail + (from - last * cutting->chunk_rows) * size,
                                   rows * size);
    }
}

static void exchange_rows(struct cutting *cutting) {
    struct ranks_messages *messages = ranks_messages_create((size_t)ranks_count() + 1);
    char *head = send_head(cutting, messages);
    receive_tail(cutting, messages);
    ranks_messages_start(messages);
    ranks_messages_wait(messages);
    ranks_messages_free(messages);
    memory_free(head);
}

// Packing -----------------------------------------------------------------------------------------

// A chunk as it lies in the file. Filters that HDF5 has left out are bits of the mask.
struct packed {
    char *bytes;
    hsize_t size;
    uint32_t mask;
};

static bool read_packed(hid_t dataset, struct packed *packed) {
    const hsize_t origin[2] = {0, 0};
    if (H5Dget_chunk_storage_size(dataset, origin, &packed->size) < 0)
        return false;
    packed->bytes = memory_resize(packed->bytes, packed->size, 1, "a packed chunk");
    return H5Dread_chunk(dataset, H5P_DEFAULT, origin, &packed->mask, packed->bytes) >= 0;
}

// Has HDF5 pack a chunk of `count` rows in a file of its own, in memory.
static bool pack_rows(const struct cutting *cutting, const char *block, size_t count,
                      struct packed *packed) {
    int rank = cutting->rows.columns > 1 ? 2 : 1;
    hsize_t columns = (hsize_t)cutting->rows.columns, origin[2] = {0, 0};
    hsize_t chunk[2] = {cutting->chunk_rows, columns}, part[2] = {count, columns};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = h5_rows_creation(&cutting->rows);
    H5Pset_fapl_core(access, (size_t)1 << 20, false);
    hid_t file = H5Fcreate("a chunk", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    hid_t space = H5Screate_simple(rank, chunk, NULL), some = H5Screate_simple(rank, part, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, origin, NULL, part, NULL);
    hid_t dataset = H5Dcreate2(file, "rows", h5_type_in_file(cutting->rows.type), space,
                               H5P_DEFAULT, creation, H5P_DEFAULT);
    bool good = H5Dwrite(dataset, h5_type_in_memory(cutting->rows.type), some, space, H5P_DEFAULT,
                         block) >= 0 &&
                read_packed(dataset, packed);
    H5Dclose(dataset);
    H5Sclose(some);
    H5Sclose(space);
    H5Fclose(file);
    H5Pclose(creation);
    H5Pclose(access);
    return good;
}

static bool pack_chunk(const struct cutting *cutting, size_t chunk, char *block,
                       struct packed *packed) {
    size_t begin = chunk * cutting->chunk_rows, end = chunk_end(cutting, chunk);
    size_t before = cutting->first[ranks_me()];
    if (chunk + 1 == cutting->end)
        block = cutting->tail;
    h5_gather(cutting->own, begin - before, smaller(end, cutting->first[ranks_me() + 1]) - begin,
              block);
    return pack_rows(cutting, block, end - begin, packed);
}

// Places ------------------------------------------------------------------------------------------

#define NO_PLACE UINT64_MAX
#define CHECKSUM 4 // bytes behind a chunk that is not packed

// What rank 0 needs to know of a chunk.
struct note {
    uint64_t size, mask;
};

// A dataset that is being written. Chunks of integers are packed before their places are known, and
// wait for them; others have a size that is known, and are packed when they are written.
struct writing {
    struct h5_file *file;
    struct cutting cutting;
    struct packed *packed; // by own chunk
    char *block;
    uint64_t *place; // by chunk
    bool good;
};

static bool is_packed_first(const struct writing *writing) {
    return writing->cutting.rows.type != H5_TYPE_FLOAT64;
}

static void pack_first(struct writing *writing) {
    const struct cutting *cutting = &writing->cutting;
    for (size_t k = cutting->begin; k < cutting->end && writing->good; k++)
        writing->good =
            pack_chunk(cutting, k, writing->block, &writing->packed[k - cutting->begin]);
}

static struct note *take_notes(const struct writing *writing) {
    const struct cutting *cutting = &writing->cutting;
    size_t count = cutting->end - cutting->begin;
    struct note *notes = memory_allocate(count, sizeof *notes, "chunks of ranks");
    for (size_t k = 0; k < count; k++)
        notes[k] = is_packed_first(writing)
                       ? (struct note){writing->packed[k].size, writing->packed[k].mask}
                       : (struct note){cutting->chunk_bytes + CHECKSUM, 0};
    return notes;
}

// Rank 0 gets the notes of all chunks; the others NULL.
static struct note *gather_notes(const struct writing *writing) {
    const struct cutting *cutting = &writing->cutting;
    size_t *offsets =
        memory_allocate((size_t)ranks_count() + 1, sizeof *offsets, "chunks of ranks");
    struct note *own = take_notes(writing), *all = NULL;
    if (ranks_me() == 0)
        all = memory_allocate(cutting->chunks, sizeof *all, "chunks of ranks");
    for (int rank = 0; rank <= ranks_count(); rank++)
        offsets[rank] = chunk_from(cutting, rank) * sizeof *all;
    ranks_gather_to(0, own, offsets, all);
    memory_free(own);
    memory_free(offsets);
    return all;
}

// Lets HDF5 find room for each chunk, in their order, as if it wrote them.
static bool reserve_chunks(struct writing *writing, hid_t dataset, const struct note *notes) {
    const struct cutting *cutting = &writing->cutting;
    struct h5_driver *driver = &writing->file->driver;
    uint64_t most = 0;
    bool good = true;
    for (size_t k = 0; k < cutting->chunks; k++)
        most = notes[k].size > most ? notes[k].size : most;
    char *nothing = memory_allocate(most, 1, "a packed chunk"); // never written
    driver->reserving = true;
    for (size_t k = 0; k < cutting->chunks && good; k++) {
        const hsize_t origin[2] = {k * cutting->chunk_rows, 0};
        driver->reserved = NO_PLACE;
        good = H5Dwrite_chunk(dataset, H5P_DEFAULT, (uint32_t)notes[k].mask, origin, notes[k].size,
                              nothing) >= 0 &&
               driver->reserved != NO_PLACE;
        writing->place[k] = driver->reserved;
    }
    driver->reserving = false;
    memory_free(nothing);
    return good;
}

// On rank 0: makes the dataset and finds the places of all chunks.
static bool make_dataset(struct writing *writing, const struct note *notes,
                         struct gabion_error *error) {
    const struct h5_rows *rows = &writing->cutting.rows;
    hsize_t total[2] = {rows->count, (hsize_t)rows->columns};
    hid_t creation = h5_rows_creation(rows);
    hid_t space = H5Screate_simple(rows->columns > 1 ? 2 : 1, total, NULL);
    hid_t dataset = h5_create_dataset(writing->file, rows->name, h5_type_in_file(rows->type), space,
                                      creation, error);
    H5Sclose(space);
    H5Pclose(creation);
    if (dataset < 0)
        return false;
    bool good = reserve_chunks(writing, dataset, notes) ||
                h5_fail(writing->file, error, "dataset", rows->name);
    return h5_finish_dataset(writing->file, rows->name, dataset, good, rows->unit, error);
}

static bool find_places(struct writing *writing, struct gabion_error *error) {
    size_t chunks = writing->cutting.chunks;
    writing->place = memory_allocate(chunks, sizeof *writing->place, "places of chunks");
    struct note *notes = gather_notes(writing);
    bool good = ranks_me() != 0 || make_dataset(writing, notes, error);
    memory_free(notes);
    bool found = ranks_decide(good);
    if (found)
        ranks_broadcast(writing->place, chunks * sizeof *writing->place, 0);
    return found;
}

// Writing -----------------------------------------------------------------------------------------

static bool write_chunks(struct writing *writing) {
    const struct cutting *cutting = &writing->cutting;
    struct h5_file *file = writing->file;
    for (size_t k = cutting->begin; k < cutting->end; k++) {
        struct packed *packed = &writing->packed[k - cutting->begin];
        if (!is_packed_first(writing) && !pack_chunk(cutting, k, writing->block, packed))
            return false;
        if (file->driver.failure == 0)
            file->driver.failure =
                h5_driver_put(file->descriptor, packed->bytes, packed->size, writing->place[k]);
        memory_free(packed->bytes);
        packed->bytes = NULL;
    }
    return file->driver.failure == 0;
}

static bool write_cut_rows(struct writing *writing, struct gabion_error *error) {
    struct cutting *cutting = &writing->cutting;
    const char *name = cutting->rows.name;
    size_t chunks = cutting->end - cutting->begin;
    exchange_rows(cutting);
    writing->packed = memory_allocate(chunks, sizeof *writing->packed, "chunks of ranks");
    if (chunks > 1) // the last one has a place of its own
        writing->block = memory_allocate(cutting->chunk_bytes, 1, "rows of ranks");
    if (is_packed_first(writing))
        pack_first(writing);
    bool packed = writing->good || h5_fail(writing->file, error, "dataset", name);
    bool good = find_places(writing, error) && packed &&
                (write_chunks(writing) || h5_fail(writing->file, error, "dataset", name));
    for (size_t k = 0; k < chunks; k++)
        memory_free(writing->packed[k].bytes);
    memory_free(writing->packed);
    memory_free(writing->block);
    memory_free(writing->place);
    return good;
}

bool h5_write_shared_rows(struct h5_file *file, const struct h5_rows *own,
                          struct gabion_error *error) {
    file->given_up = !ranks_all(true);
    if (file->given_up)
        return false;
    struct writing writing = {.file = file, .good = true};
    cutting_begin(&writing.cutting, own);
    bool good = writing.cutting.rows.count > 0 ? write_cut_rows(&writing, error)
                                               : h5_write_rows(file, own, error);
    cutting_end(&writing.cutting);
    return good;
}

// The file ----------------------------------------------------------------------------------------

static bool settle(const struct gabion_error *own, struct gabion_error *error) {
    struct gabion_error common = *own;
    return ranks_agree(&common) || error_set(error, common.status, "%s", common.text);
}

bool h5_create_shared(struct h5_file *file, const char *path, size_t user_block,
                      struct gabion_error *error) {
    struct gabion_error own = {0};
    bool guest = ranks_me() != 0;
    bool begun = guest ? h5_begin(file, path, true, &own) : h5_create(file, path, user_block, &own);
    file->guest = guest;
    bool created = settle(&own, error);
    if (created) {
        file->descriptor = open(path, O_WRONLY | O_CLOEXEC);
        if (file->descriptor < 0)
            error_set(&own, GABION_ERROR_RUN, "%s: cannot write: %s", path, strerror(errno));
    }
    if (created && settle(&own, error))
        return true;
    if (begun)
        h5_leave_shared(file);
    return false;
}

static void close_descriptor(struct h5_file *file, bool lasting) {
    int cause = lasting && fsync(file->descriptor) != 0 ? errno : 0;
    if (close(file->descriptor) != 0 && cause == 0) // some file systems report a full disk only now
        cause = errno;
    file->descriptor = -1;
    if (file->driver.failure == 0)
        file->driver.failure = cause;
}

bool h5_close_shared(struct h5_file *file, bool good, bool lasting, struct gabion_error *error) {
    struct gabion_error own = *error;
    bool all = !file->given_up && ranks_all(good);
    close_descriptor(file, lasting && all && file->guest);
    if (!all)
        h5_leave_shared(file);
    else if (file->guest && file->driver.failure != 0)
        h5_fail(file, &own, "file", file->path);
    else if (!file->guest)
        h5_close(file, &own);
    *error = (struct gabion_error){0};
    return settle(&own, error);
}

void h5_leave_shared(struct h5_file *file) {
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
    h5_abandon(file);
}
