#include "io/vtk/xml.h"

#include <errno.h>
#include <inttypes.h>
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
    int status; // of zlib
};

// An array that is being written, cut into blocks of whole values.
struct stream {
    const struct vtk_array *array;
    const void *context;
    int components, strategy;
    size_t count, value_bytes, block_values, block_count;
    size_t first_block; // of the batch that is worked on
    struct block *blocks;
};

struct writer {
    struct safe_file file;
    struct team *team;
    struct gabion_error *error;
    struct block *blocks;
    size_t batch;     // number of `blocks`
    uint64_t *header; // of one array
    size_t header_capacity;
    unsigned char rest[3]; // bytes that wait for a full base64 group
    size_t rest_bytes;
};

static bool writer_fail(struct writer *writer) {
    return error_set(writer->error, GABION_ERROR_RUN, "cannot write %.1024s: %s", writer->file.path,
                     strerror(errno));
}

__attribute__((format(printf, 2, 3))) static bool writer_print(struct writer *writer,
                                                               const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int printed = vfprintf(writer->file.stream, format, arguments);
    va_end(arguments);
    return printed >= 0 || writer_fail(writer);
}

static bool base64_write_groups(struct writer *writer, const unsigned char *bytes, size_t groups) {
    char text[4 * 4096];
    while (groups > 0) {
        size_t some = groups < 4096 ? groups : 4096;
        base64_encode(bytes, some, text);
        if (fwrite(text, 4, some, writer->file.stream) != some)
            return writer_fail(writer);
        bytes += 3 * some;
        groups -= some;
    }
    return true;
}

// Appends to the base64 stream that base64_end closes; pieces may be of any size.
static bool base64_write(struct writer *writer, const void *data, size_t size) {
    const unsigned char *bytes = data;
    while (size > 0 && writer->rest_bytes > 0 && writer->rest_bytes < 3) {
        writer->rest[writer->rest_bytes++] = *bytes++;
        size--;
    }
    if (writer->rest_bytes == 3) {
        if (!base64_write_groups(writer, writer->rest, 1))
            return false;
        writer->rest_bytes = 0;
    }
    size_t groups = size / 3, left = size - 3 * groups;
    if (left > 0) {
        memcpy(writer->rest, bytes + 3 * groups, left);
        writer->rest_bytes = left;
    }
    return base64_write_groups(writer, bytes, groups);
}

static bool base64_end(struct writer *writer) {
    size_t used = writer->rest_bytes;
    if (used == 0)
        return true;
    char text[4];
    base64_encode_rest(writer->rest, used, text);
    writer->rest_bytes = 0;
    return fwrite(text, 1, 4, writer->file.stream) == 4 || writer_fail(writer);
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

static void block_pack(struct block *block, int strategy) {
    z_stream z = {.next_in = block->raw,
                  .avail_in = (uInt)block->raw_bytes,
                  .next_out = block->packed,
                  .avail_out = (uInt)block->packed_capacity};
    block->status = deflateInit2(&z, 1, Z_DEFLATED, MAX_WBITS, MAX_MEM_LEVEL - 1, strategy);
    if (block->status != Z_OK)
        return;
    int status = deflate(&z, Z_FINISH);
    block->status = status == Z_STREAM_END ? Z_OK : Z_BUF_ERROR;
    block->packed_bytes = z.total_out;
    deflateEnd(&z);
}

static void stream_pack(void *context, size_t begin, size_t end) {
    struct stream *stream = context;
    for (size_t k = begin; k < end; k++) {
        struct block *block = &stream->blocks[k];
        size_t value = (stream->first_block + k) * stream->block_values;
        for (size_t at = 0; at < block->raw_bytes; at += stream->value_bytes, value++) {
            double components[VTK_COMPONENTS_MAX];
            stream->array->value(stream->context, value, components);
            stream_store(stream->array->type, components, stream->components, block->raw + at);
        }
        block_pack(block, stream->strategy);
    }
}

static void stream_reserve(const struct stream *stream, size_t batch) {
    for (size_t k = 0; k < batch; k++) {
        struct block *block = &stream->blocks[k];
        size_t left = stream->count - (stream->first_block + k) * stream->block_values;
        size_t values = left < stream->block_values ? left : stream->block_values;
        block->raw_bytes = values * stream->value_bytes;
        block->raw = memory_reserve(block->raw, &block->raw_capacity, block->raw_bytes, 1,
                                    "blocks of a VTK file");
        block->packed = memory_reserve(block->packed, &block->packed_capacity,
                                       compressBound(block->raw_bytes), 1, "blocks of a VTK file");
    }
}

static bool stream_write_blocks(struct stream *stream, struct writer *writer) {
    uint64_t *packed_bytes = writer->header + HEADER_WORDS;
    while (stream->first_block < stream->block_count) {
        size_t left = stream->block_count - stream->first_block;
        size_t batch = left < writer->batch ? left : writer->batch;
        stream_reserve(stream, batch);
        team_for(writer->team, batch, 1, stream_pack, stream);
        for (size_t k = 0; k < batch; k++) {
            const struct block *block = &stream->blocks[k];
            if (block->status != Z_OK)
                return error_set(writer->error, GABION_ERROR_RUN,
                                 "cannot compress array \"%s\" of %s: %s", stream->array->name,
                                 writer->file.path, zError(block->status));
            packed_bytes[stream->first_block + k] = block->packed_bytes;
            if (!base64_write(writer, block->packed, block->packed_bytes))
                return false;
        }
        stream->first_block += batch;
    }
    return base64_end(writer);
}

static bool header_write(struct writer *writer, const struct stream *stream) {
    size_t words = HEADER_WORDS + stream->block_count;
    return base64_write(writer, writer->header, words * sizeof *writer->header) &&
           base64_end(writer);
}

// The header holds the compressed sizes, which are known only after the blocks. Its base64 text has
// a fixed length, so it is written twice: first to reserve its place, then with the sizes.
static bool stream_write(struct stream *stream, struct writer *writer) {
    writer->header =
        memory_reserve(writer->header, &writer->header_capacity, HEADER_WORDS + stream->block_count,
                       sizeof *writer->header, "block sizes of a VTK file");
    memset(writer->header, 0, (HEADER_WORDS + stream->block_count) * sizeof *writer->header);
    writer->header[0] = stream->block_count;
    writer->header[1] = stream->block_values * stream->value_bytes;
    writer->header[2] = stream->count % stream->block_values * stream->value_bytes;

    FILE *file = writer->file.stream;
    off_t place = ftello(file);
    if (place < 0)
        return writer_fail(writer);
    if (!header_write(writer, stream) || !stream_write_blocks(stream, writer))
        return false;
    if (fseeko(file, place, SEEK_SET) != 0)
        return writer_fail(writer);
    if (!header_write(writer, stream))
        return false;
    return fseeko(file, 0, SEEK_END) == 0 || writer_fail(writer);
}

// The bytes of floating-point values hardly repeat: looking for matches in them takes twice the
// time and saves 1 %. Integers repeat, and so do values that the corners of a cell or the faces of
// a body share.
static int array_strategy(const struct vtk_array *array, bool shared) {
    return array->type == VTK_FLOAT32 && !shared ? Z_RLE : Z_DEFAULT_STRATEGY;
}

static int array_components(const struct vtk_array *array) {
    return array->components[0] ? (int)strlen(array->components) : 1;
}

// Writes what stands between the tags of an array.
static bool values_write(struct writer *writer, const struct vtk_array *array, const void *context,
                         size_t count, bool shared) {
    int components = array_components(array);
    struct stream stream = {
        .array = array,
        .context = context,
        .components = components,
        .strategy = array_strategy(array, shared),
        .count = count,
        .value_bytes = (size_t)components * type_table[array->type].bytes,
        .blocks = writer->blocks,
    };
    stream.block_values = BLOCK_BYTES / stream.value_bytes;
    stream.block_count = (count + stream.block_values - 1) / stream.block_values;
    return stream_write(&stream, writer);
}

static bool array_write(struct writer *writer, const struct vtk_array *array, const void *context,
                        size_t count, bool shared) {
    int components = array_components(array);
    if (!writer_print(writer, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\"",
                      type_table[array->type].name, array->name, components))
        return false;
    for (int i = 0; array->components[i]; i++)
        if (!writer_print(writer, " ComponentName%d=\"%c\"", i, array->components[i]))
            return false;
    return writer_print(writer, " format=\"binary\">\n") &&
           values_write(writer, array, context, count, shared) &&
           writer_print(writer, "\n</DataArray>\n");
}

static void letter_value(const void *context, size_t k, double *components) {
    components[0] = ((const unsigned char *)context)[k];
}

// Writes the texts of a list one after the other, each with a final NUL, as VTK stores strings.
static bool names_write(struct writer *writer, const struct vtk_names *names, const void *context) {
    const struct vtk_array array = {names->name, VTK_UINT8, "", letter_value};
    char *letters = NULL;
    size_t size = 0, capacity = 0;
    for (int k = 0; k < names->count; k++) {
        const char *text = names->text(context, k);
        size_t length = strlen(text) + 1;
        letters = memory_reserve(letters, &capacity, size + length, 1, "names of a VTK file");
        memcpy(letters + size, text, length);
        size += length;
    }
    bool written =
        writer_print(
            writer, "<Array type=\"String\" Name=\"%s\" NumberOfTuples=\"%d\" format=\"binary\">\n",
            names->name, names->count) &&
        values_write(writer, &array, letters, size, true) && writer_print(writer, "\n</Array>\n");
    memory_free(letters);
    return written;
}

static bool all_names_write(struct writer *writer, const struct vtk_mesh *mesh) {
    for (int k = 0; k < mesh->name_lists; k++)
        if (!names_write(writer, &mesh->names[k], mesh->context))
            return false;
    return true;
}

// The sizes of a mesh, with or without a topology.
static size_t mesh_points(const struct vtk_mesh *mesh) {
    return mesh->topology ? mesh->topology->points : mesh->cells * (size_t)mesh->corners;
}

static size_t mesh_corners(const struct vtk_mesh *mesh) {
    return mesh->topology ? mesh->topology->corners : mesh_points(mesh);
}

static bool mesh_solid(const struct vtk_mesh *mesh) {
    return mesh->topology && mesh->topology->solid;
}

static bool section_write(struct writer *writer, const char *section,
                          const struct vtk_array *arrays, int array_count,
                          const struct vtk_mesh *mesh, bool on_points) {
    size_t count = on_points ? mesh_points(mesh) : mesh->cells;
    bool shared = on_points ? mesh->corners > 1 : mesh->topology && !mesh->topology->solid;
    if (!writer_print(writer, "<%s>\n", section))
        return false;
    for (int k = 0; k < array_count; k++)
        if (!array_write(writer, &arrays[k], mesh->context, count, shared))
            return false;
    return writer_print(writer, "</%s>\n", section);
}

static void connectivity_value(const void *context, size_t k, double *components) {
    const struct vtk_mesh *mesh = context;
    components[0] = mesh->topology ? mesh->topology->corner[k] : (double)k;
}

static void offset_value(const void *context, size_t k, double *components) {
    const struct vtk_mesh *mesh = context;
    components[0] =
        mesh->topology ? mesh->topology->end[k] : (double)((k + 1) * (size_t)mesh->corners);
}

static void type_value(const void *context, size_t k, double *components) {
    (void)context;
    (void)k;
    components[0] = 42; // VTK_POLYHEDRON
}

static void face_value(const void *context, size_t k, double *components) {
    components[0] = ((const struct vtk_mesh *)context)->topology->face_word[k];
}

static void face_offset_value(const void *context, size_t k, double *components) {
    components[0] = ((const struct vtk_mesh *)context)->topology->face_end[k];
}

static bool solids_write(struct writer *writer, const struct vtk_mesh *mesh) {
    const struct vtk_array types = {"types", VTK_UINT8, "", type_value};
    const struct vtk_array faces = {"faces", VTK_INT32, "", face_value};
    const struct vtk_array offsets = {"faceoffsets", VTK_INT32, "", face_offset_value};
    return array_write(writer, &types, mesh, mesh->cells, true) &&
           array_write(writer, &faces, mesh, mesh->topology->face_words, false) &&
           array_write(writer, &offsets, mesh, mesh->cells, false);
}

static bool cells_write(struct writer *writer, const struct vtk_mesh *mesh) {
    const struct vtk_array connectivity = {"connectivity", VTK_INT32, "", connectivity_value};
    const struct vtk_array offsets = {"offsets", VTK_INT32, "", offset_value};
    const char *section = mesh_solid(mesh)     ? "Cells"
                          : mesh->corners == 1 ? "Verts"
                          : mesh->corners == 2 ? "Lines"
                                               : "Polys";
    return writer_print(writer, "<%s>\n", section) &&
           array_write(writer, &connectivity, mesh, mesh_corners(mesh), false) &&
           array_write(writer, &offsets, mesh, mesh->cells, false) &&
           (!mesh_solid(mesh) || solids_write(writer, mesh)) &&
           writer_print(writer, "</%s>\n", section);
}

static bool piece_write(struct writer *writer, const struct vtk_mesh *mesh) {
    size_t points = mesh_points(mesh), cells = mesh->cells;
    if (mesh_solid(mesh))
        return writer_print(writer, "<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n",
                            points, cells);
    return writer_print(writer,
                        "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"%zu\" "
                        "NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n",
                        points, mesh->corners == 1 ? cells : 0, mesh->corners == 2 ? cells : 0,
                        mesh->corners > 2 || mesh->topology ? cells : 0);
}

static bool document_write(struct writer *writer, const struct vtk_mesh *mesh) {
    const char *order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "LittleEndian" : "BigEndian";
    const char *type = mesh_solid(mesh) ? "UnstructuredGrid" : "PolyData";
    const struct vtk_array position = {"Points", VTK_FLOAT32, "xyz", mesh->position};
    return writer_print(writer,
                        "<?xml version=\"1.0\"?>\n"
                        "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" "
                        "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n<%s>\n"
                        "<FieldData>\n"
                        "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                        "format=\"ascii\">%.17g</DataArray>\n"
                        "<DataArray type=\"Int64\" Name=\"step\" NumberOfTuples=\"1\" "
                        "format=\"ascii\">%" PRId64 "</DataArray>\n",
                        type, order, type, mesh->time, mesh->step) &&
           all_names_write(writer, mesh) && writer_print(writer, "</FieldData>\n") &&
           piece_write(writer, mesh) &&
           section_write(writer, "PointData", mesh->point_arrays, mesh->point_array_count, mesh,
                         true) &&
           section_write(writer, "CellData", mesh->cell_arrays, mesh->cell_array_count, mesh,
                         false) &&
           section_write(writer, "Points", &position, 1, mesh, true) && cells_write(writer, mesh) &&
           writer_print(writer, "</Piece>\n</%s>\n</VTKFile>\n", type);
}

bool vtk_xml_write(const char *path, const struct vtk_mesh *mesh, struct team *team,
                   struct gabion_error *error) {
    size_t corners = mesh->topology ? 1 : (size_t)mesh->corners;
    if (mesh->cells > (size_t)INT32_MAX / corners)
        return error_set(error, GABION_ERROR_RUN,
                         "%s: %zu cells are more than one VTK frame can hold (2^31 points); set "
                         "output.vtk_every to 0",
                         path, mesh->cells);
    struct writer writer = {.team = team, .error = error};
    if (!safe_file_open(&writer.file, path, error))
        return false;
    writer.batch = BLOCKS_PER_THREAD * (size_t)team_size(team);
    writer.blocks = memory_allocate(writer.batch, sizeof *writer.blocks, "blocks of a VTK file");
    bool written = document_write(&writer, mesh);
    for (size_t k = 0; k < writer.batch; k++) {
        memory_free(writer.blocks[k].raw);
        memory_free(writer.blocks[k].packed);
    }
    memory_free(writer.blocks);
    memory_free(writer.header);
    if (written)
        return safe_file_commit(&writer.file, error);
    safe_file_abandon(&writer.file);
    return false;
}
