#include "io/vtk/document.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <zlib.h>

#include "io/file/file.h"
#include "io/text/base64.h"
#include "parallel/memory.h"

#define BLOCK_BYTES       ((size_t)1 << 20)
#define BLOCKS_PER_THREAD 2 // in flight: more even out the work, fewer save memory
#define HEADER_WORDS      3 // number of blocks, bytes of a block, bytes of a shorter last one

static const struct {
    const char *name;
    size_t bytes;
} type_table[] = {
    [VTK_FLOAT32] = {"Float32", 4},
    [VTK_INT32] = {"Int32", 4},
    [VTK_UINT16] = {"UInt16", 2},
    [VTK_UINT8] = {"UInt8", 1},
};

struct block {
    unsigned char *raw, *packed;
    size_t raw_capacity, packed_capacity, raw_bytes, packed_bytes;
    z_stream zlib; // kept from array to array: most are small, and to begin one anew takes longer
    bool begun;
    int status; // of zlib
};

// An array that is being written, cut into blocks of whole values.
struct stream {
    const char *name;
    const struct vtk_array *array; // whose values are computed; NULL: they are in `recorded`
    const void *context;
    unsigned char *recorded;
    int components, strategy;
    size_t count, value_bytes, block_values, block_count;
    size_t first_block; // of the batch that is worked on
    struct block *blocks;
};

// An array of a record: the text up to `text_end` comes before it.
struct recorded {
    struct stream stream;
    size_t text_end;
};

struct document {
    bool recording;
    struct safe_file file;
    struct team *team; // NULL: the calling thread alone
    struct gabion_error *error;

    // Of a record.
    char *text;
    size_t text_size, text_capacity;
    struct recorded *arrays;
    size_t array_count, array_capacity;

    // Of a file that is being written.
    struct block *blocks;
    size_t batch;     // number of `blocks`
    uint64_t *header; // of one array
    size_t header_capacity;
    unsigned char rest[3]; // bytes that wait for a full base64 group
    size_t rest_bytes;
};

static bool document_fail(struct document *document) {
    return error_set(document->error, GABION_ERROR_RUN, "cannot write %.1024s: %s",
                     document->file.path, strerror(errno));
}

static bool base64_write_groups(struct document *document, const unsigned char *bytes,
                                size_t groups) {
    char text[4 * 4096];
    while (groups > 0) {
        size_t some = groups < 4096 ? groups : 4096;
        base64_encode(bytes, some, text);
        if (fwrite(text, 4, some, document->file.stream) != some)
            return document_fail(document);
        bytes += 3 * some;
        groups -= some;
    }
    return true;
}

// Appends to the base64 stream that base64_end closes; pieces may be of any size.
static bool base64_write(struct document *document, const void *data, size_t size) {
    const unsigned char *bytes = data;
    while (size > 0 && document->rest_bytes > 0 && document->rest_bytes < 3) {
        document->rest[document->rest_bytes++] = *bytes++;
        size--;
    }
    if (document->rest_bytes == 3) {
        if (!base64_write_groups(document, document->rest, 1))
            return false;
        document->rest_bytes = 0;
    }
    size_t groups = size / 3, left = size - 3 * groups;
    if (left > 0) {
        memcpy(document->rest, bytes + 3 * groups, left);
        document->rest_bytes = left;
    }
    return base64_write_groups(document, bytes, groups);
}

static bool base64_end(struct document *document) {
    size_t used = document->rest_bytes;
    if (used == 0)
        return true;
    char text[4];
    base64_encode_rest(document->rest, used, text);
    document->rest_bytes = 0;
    return fwrite(text, 1, 4, document->file.stream) == 4 || document_fail(document);
}

static void stream_store(enum vtk_type type, const double *components, int count, void *out) {
    for (int i = 0; i < count; i++)
        switch (type) {
        case VTK_FLOAT32:
            ((float *)out)[i] = (float)components[i];
            break;
        case VTK_INT32:
            ((int32_t *)out)[i] = (int32_t)components[i];
            break;
        case VTK_UINT16:
            ((uint16_t *)out)[i] = (uint16_t)components[i];
            break;
        case VTK_UINT8:
            ((uint8_t *)out)[i] = (uint8_t)components[i];
            break;
        }
}

// Leaves the stream as deflateInit2 would, but for its memory.
static int block_begin(struct block *block, int strategy) {
    z_stream *z = &block->zlib;
    if (block->begun) {
        int status = deflateReset(z);
        return status == Z_OK ? deflateParams(z, 1, strategy) : status;
    }
    int status = deflateInit2(z, 1, Z_DEFLATED, MAX_WBITS, MAX_MEM_LEVEL - 1, strategy);
    block->begun = status == Z_OK;
    return status;
}

static void block_pack(struct block *block, const unsigned char *raw, int strategy) {
    z_stream *z = &block->zlib;
    block->status = block_begin(block, strategy);
    if (block->status != Z_OK)
        return;
    z->next_in = (unsigned char *)raw;
    z->avail_in = (uInt)block->raw_bytes;
    z->next_out = block->packed;
    z->avail_out = (uInt)block->packed_capacity;
    block->status = deflate(z, Z_FINISH) == Z_STREAM_END ? Z_OK : Z_BUF_ERROR;
    block->packed_bytes = z->total_out;
}

static void stream_compute(const struct stream *stream, size_t value, size_t count, void *out) {
    for (size_t end = value + count; value < end; value++) {
        double components[VTK_COMPONENTS_MAX];
        stream->array->value(stream->context, value, components);
        stream_store(stream->array->type, components, stream->components, out);
        out = (char *)out + stream->value_bytes;
    }
}

static void stream_pack(void *context, size_t begin, size_t end) {
    struct stream *stream = context;
    for (size_t k = begin; k < end; k++) {
        struct block *block = &stream->blocks[k];
        size_t value = (stream->first_block + k) * stream->block_values;
        const unsigned char *raw = block->raw;
        if (stream->array)
            stream_compute(stream, value, block->raw_bytes / stream->value_bytes, block->raw);
        else
            raw = stream->recorded + value * stream->value_bytes;
        block_pack(block, raw, stream->strategy);
    }
}

static void stream_reserve(const struct stream *stream, size_t batch) {
    for (size_t k = 0; k < batch; k++) {
        struct block *block = &stream->blocks[k];
        size_t left = stream->count - (stream->first_block + k) * stream->block_values;
        size_t values = left < stream->block_values ? left : stream->block_values;
        block->raw_bytes = values * stream->value_bytes;
        if (stream->array)
            block->raw = memory_reserve(block->raw, &block->raw_capacity, block->raw_bytes, 1,
                                        "blocks of a VTK file");
        block->packed = memory_reserve(block->packed, &block->packed_capacity,
                                       compressBound(block->raw_bytes), 1, "blocks of a VTK file");
    }
}

static bool stream_write_blocks(struct stream *stream, struct document *document) {
    uint64_t *packed_bytes = document->header + HEADER_WORDS;
    while (stream->first_block < stream->block_count) {
        size_t left = stream->block_count - stream->first_block;
        size_t batch = left < document->batch ? left : document->batch;
        stream_reserve(stream, batch);
        if (document->team)
            team_for(document->team, batch, 1, stream_pack, stream);
        else
            stream_pack(stream, 0, batch);
        for (size_t k = 0; k < batch; k++) {
            const struct block *block = &stream->blocks[k];
            if (block->status != Z_OK)
                return error_set(document->error, GABION_ERROR_RUN,
                                 "cannot compress array \"%s\" of %s: %s", stream->name,
                                 document->file.path, zError(block->status));
            packed_bytes[stream->first_block + k] = block->packed_bytes;
            if (!base64_write(document, block->packed, block->packed_bytes))
                return false;
        }
        stream->first_block += batch;
    }
    return base64_end(document);
}

static bool header_write(struct document *document, const struct stream *stream) {
    size_t words = HEADER_WORDS + stream->block_count;
    return base64_write(document, document->header, words * sizeof *document->header) &&
           base64_end(document);
}

// The header holds the compressed sizes, which are known only after the blocks. Its base64 text has
// a fixed length, so it is written twice: first to reserve its place, then with the sizes.
static bool stream_write(struct stream *stream, struct document *document) {
    document->header = memory_reserve(document->header, &document->header_capacity,
                                      HEADER_WORDS + stream->block_count, sizeof *document->header,
                                      "block sizes of a VTK file");
    memset(document->header, 0, (HEADER_WORDS + stream->block_count) * sizeof *document->header);
    document->header[0] = stream->block_count;
    document->header[1] = stream->block_values * stream->value_bytes;
    document->header[2] = stream->count % stream->block_values * stream->value_bytes;

    FILE *file = document->file.stream;
    off_t place = ftello(file);
    if (place < 0)
        return document_fail(document);
    if (!header_write(document, stream) || !stream_write_blocks(stream, document))
        return false;
    if (fseeko(file, place, SEEK_SET) != 0)
        return document_fail(document);
    if (!header_write(document, stream))
        return false;
    return fseeko(file, 0, SEEK_END) == 0 || document_fail(document);
}

// A document ---------------------------------------------------------------------------------

const char *vtk_type_name(enum vtk_type type) { return type_table[type].name; }

int vtk_array_components(const struct vtk_array *array) {
    return array->components[0] ? (int)strlen(array->components) : 1;
}

// Most texts are short and fit into the room that is left: they are printed once.
static bool print_record(struct document *document, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    size_t room = document->text_capacity - document->text_size;
    size_t length = (size_t)vsnprintf(room > 0 ? document->text + document->text_size : NULL, room,
                                      format, arguments);
    if (length >= room) {
        document->text =
            memory_reserve(document->text, &document->text_capacity,
                           document->text_size + length + 4096, 1, "the text of a VTK file");
        vsnprintf(document->text + document->text_size, length + 1, format, again);
    }
    va_end(again);
    document->text_size += length;
    return true;
}

bool document_print(struct document *document, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    bool printed = document->recording ? print_record(document, format, arguments)
                                       : vfprintf(document->file.stream, format, arguments) >= 0;
    va_end(arguments);
    return printed || document_fail(document);
}

// The bytes of floating-point values hardly repeat: looking for matches in them takes twice the
// time and saves 1 %. Integers repeat, and so do values that the corners of a cell or the faces of
// a body share.
static int array_strategy(const struct vtk_array *array, bool shared) {
    return array->type == VTK_FLOAT32 && !shared ? Z_RLE : Z_DEFAULT_STRATEGY;
}

static void record_blocks(void *context, size_t begin, size_t end) {
    const struct stream *stream = context;
    for (size_t k = begin; k < end; k++) {
        size_t value = k * stream->block_values, left = stream->count - value;
        stream_compute(stream, value, left < stream->block_values ? left : stream->block_values,
                       stream->recorded + value * stream->value_bytes);
    }
}

static void record_add(struct document *record, struct stream *stream) {
    record->arrays =
        memory_reserve(record->arrays, &record->array_capacity, record->array_count + 1,
                       sizeof *record->arrays, "arrays of a VTK file");
    stream->recorded =
        memory_resize(NULL, stream->count, stream->value_bytes, "the copy of a ParaView frame");
    team_for(record->team, stream->block_count, 1, record_blocks, stream);
    stream->array = NULL;
    record->arrays[record->array_count++] = (struct recorded){*stream, record->text_size};
}

bool document_add(struct document *document, const struct vtk_array *array, const void *context,
                  size_t count, bool shared) {
    int components = vtk_array_components(array);
    struct stream stream = {
        .name = array->name,
        .array = array,
        .context = context,
        .components = components,
        .strategy = array_strategy(array, shared),
        .count = count,
        .value_bytes = (size_t)components * type_table[array->type].bytes,
        .blocks = document->blocks,
    };
    stream.block_values = BLOCK_BYTES / stream.value_bytes;
    stream.block_count = (count + stream.block_values - 1) / stream.block_values;
    if (!document->recording)
        return stream_write(&stream, document);
    record_add(document, &stream);
    return true;
}

struct document *document_open(const char *path, struct team *team, struct gabion_error *error) {
    struct document *document = memory_allocate(1, sizeof *document, "a VTK file");
    document->team = team;
    document->error = error;
    document->batch = team ? BLOCKS_PER_THREAD * (size_t)team_size(team) : 1;
    document->blocks =
        memory_allocate(document->batch, sizeof *document->blocks, "blocks of a VTK file");
    if (safe_file_open(&document->file, path, error))
        return document;
    document_free(document);
    return NULL;
}

struct document *document_record(const char *path, struct team *team, struct gabion_error *error) {
    struct document *record = memory_allocate(1, sizeof *record, "a VTK file");
    record->recording = true;
    record->team = team;
    record->error = error;
    snprintf(record->file.path, sizeof record->file.path, "%s", path);
    return record;
}

bool document_close(struct document *document, bool written) {
    if (written)
        written = safe_file_commit_unsynced(&document->file, document->error);
    else
        safe_file_abandon(&document->file);
    document_free(document);
    return written;
}

static bool write_text(struct document *document, const char *text, size_t size) {
    return fwrite(text, 1, size, document->file.stream) == size || document_fail(document);
}

static bool write_recorded(struct document *document, const struct document *record) {
    size_t at = 0;
    for (size_t k = 0; k < record->array_count; k++) {
        struct stream stream = record->arrays[k].stream;
        size_t end = record->arrays[k].text_end;
        stream.blocks = document->blocks;
        if (!write_text(document, record->text + at, end - at) || !stream_write(&stream, document))
            return false;
        at = end;
    }
    return write_text(document, record->text + at, record->text_size - at);
}

bool document_write(const struct document *record, struct gabion_error *error) {
    struct document *document = document_open(record->file.path, NULL, error);
    return document && document_close(document, write_recorded(document, record));
}

void document_free(struct document *document) {
    for (size_t k = 0; k < document->batch; k++) {
        if (document->blocks[k].begun)
            deflateEnd(&document->blocks[k].zlib);
        memory_free(document->blocks[k].raw);
        memory_free(document->blocks[k].packed);
    }
    for (size_t k = 0; k < document->array_count; k++)
        memory_free(document->arrays[k].stream.recorded);
    memory_free(document->arrays);
    memory_free(document->text);
    memory_free(document->blocks);
    memory_free(document->header);
    memory_free(document);
}
