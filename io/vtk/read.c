#include "io/vtk/read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "io/file/file.h"
#include "io/text/base64.h"
#include "parallel/memory.h"

#define FILE_BYTES_MAX ((size_t)1 << 31)
#define COLUMNS_MAX    64
#define HEADER_WORDS   3    // number of blocks, bytes of a block, bytes of a shorter last one
#define DEFLATE_RATIO  1032 // no zlib stream grows by more than this

struct reader {
    char *at, *end;
    const char *path;
    struct vtk_content *content;
    struct gabion_error *error;
    enum vtk_section section; // VTK_SECTION_COUNT: none
    double bytes;             // of the arrays so far
};

static bool reject(const struct reader *reader, const char *what) {
    return error_set(reader->error, GABION_ERROR_INPUT,
                     "%s: %s; the file is damaged or was not written by gabion", reader->path,
                     what);
}

// Copies the value of an attribute of a tag; "" where it has none.
static const char *attribute(const char *tag, const char *name, char value[VTK_NAME_MAX]) {
    char wanted[VTK_NAME_MAX];
    value[0] = '\0';
    snprintf(wanted, sizeof wanted, " %s=\"", name);
    const char *found = strstr(tag, wanted);
    if (!found)
        return value;
    found += strlen(wanted);
    size_t length = strcspn(found, "\"");
    if (found[length] == '"' && length < VTK_NAME_MAX) {
        memcpy(value, found, length);
        value[length] = '\0';
    }
    return value;
}

static bool attribute_is(const char *tag, const char *name, const char *wanted) {
    char value[VTK_NAME_MAX];
    return strcmp(attribute(tag, name, value), wanted) == 0;
}

static size_t attribute_count(const char *tag, const char *name) {
    char value[VTK_NAME_MAX];
    return (size_t)strtoull(attribute(tag, name, value), NULL, 10);
}

// ---- values ----

static bool type_find(const char *name, enum vtk_type *type) {
    static const char *const names[] = {[VTK_FLOAT32] = "Float32",
                                        [VTK_INT32] = "Int32",
                                        [VTK_UINT16] = "UInt16",
                                        [VTK_UINT8] = "UInt8"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(names[k], name) == 0) {
            *type = (enum vtk_type)k;
            return true;
        }
    *type = VTK_UINT8;
    return strcmp(name, "String") == 0;
}

static size_t type_bytes(enum vtk_type type) {
    static const size_t bytes[] = {
        [VTK_FLOAT32] = 4, [VTK_INT32] = 4, [VTK_UINT16] = 2, [VTK_UINT8] = 1};
    return bytes[type];
}

static bool inflate_block(unsigned char *packed, size_t packed_bytes, unsigned char *raw,
                          size_t raw_bytes) {
    uLongf written = raw_bytes;
    return uncompress(raw, &written, packed, packed_bytes) == Z_OK && written == raw_bytes;
}

// The blocks of an array: how many bytes each has.
struct blocks {
    uint64_t count, bytes, last;
    uint64_t *packed;
    uint64_t packed_sum;
};

static uint64_t block_bytes(const struct blocks *blocks, uint64_t k) {
    return k + 1 == blocks->count && blocks->last > 0 ? blocks->last : blocks->bytes;
}

// Reads the header of an array from `letters` letters. Returns how many letters it takes; 0: it
// cannot be right.
static size_t read_header(const char *text, size_t letters, struct blocks *blocks) {
    uint64_t words[HEADER_WORDS];
    if (letters < base64_length(sizeof words) ||
        !base64_decode(text, (unsigned char *)words, sizeof words))
        return 0;
    *blocks = (struct blocks){.count = words[0], .bytes = words[1], .last = words[2]};
    if (blocks->count > letters || blocks->bytes > FILE_BYTES_MAX || blocks->last > blocks->bytes)
        return 0;
    size_t bytes = (HEADER_WORDS + (size_t)blocks->count) * sizeof *words;
    if (base64_length(bytes) > letters)
        return 0;
    uint64_t *all =
        memory_allocate(HEADER_WORDS + (size_t)blocks->count, sizeof *all, "a VTK file");
    blocks->packed = all;
    if (!base64_decode(text, (unsigned char *)all, bytes))
        return 0;
    for (uint64_t k = 0; k < blocks->count; k++) {
        if (all[HEADER_WORDS + k] > letters)
            return 0;
        blocks->packed_sum += all[HEADER_WORDS + k];
    }
    return base64_length(bytes);
}

static uint64_t raw_bytes(const struct blocks *blocks) {
    return blocks->count == 0
               ? 0
               : (blocks->count - 1) * blocks->bytes + block_bytes(blocks, blocks->count - 1);
}

static bool inflate_blocks(const struct blocks *blocks, unsigned char *packed, unsigned char *raw) {
    for (uint64_t k = 0; k < blocks->count; k++) {
        size_t bytes = (size_t)blocks->packed[HEADER_WORDS + k];
        if (!inflate_block(packed, bytes, raw, (size_t)block_bytes(blocks, k)))
            return false;
        packed += bytes;
        raw += block_bytes(blocks, k);
    }
    return true;
}

// Many arrays that are small enough, each by itself, may be too much together.
static bool there_is_room(struct reader *reader, size_t bytes) {
    reader->bytes += (double)bytes;
    return memory_check(reader->bytes, reader->path, reader->error);
}

// Unpacks the letters of one array; *bytes is the size of the result. Returns NULL where they make
// no sense. A file of a few kilobytes cannot ask for gigabytes: the packed bytes bound the others.
static unsigned char *unpack(struct reader *reader, const char *text, size_t letters,
                             size_t *bytes) {
    struct blocks blocks = {0};
    unsigned char *raw = NULL;
    size_t header = read_header(text, letters, &blocks);
    bool sound = header > 0 && base64_length((size_t)blocks.packed_sum) == letters - header &&
                 raw_bytes(&blocks) <= blocks.packed_sum * DEFLATE_RATIO &&
                 raw_bytes(&blocks) <= FILE_BYTES_MAX && blocks.count <= blocks.packed_sum &&
                 there_is_room(reader, (size_t)raw_bytes(&blocks));
    if (sound) {
        unsigned char *packed = memory_allocate((size_t)blocks.packed_sum, 1, "a VTK file");
        *bytes = (size_t)raw_bytes(&blocks);
        raw = memory_allocate(*bytes + 1, 1, "a VTK file");
        if (!base64_decode(text + header, packed, (size_t)blocks.packed_sum) ||
            !inflate_blocks(&blocks, packed, raw)) {
            memory_free(raw);
            raw = NULL;
        }
        memory_free(packed);
    }
    memory_free(blocks.packed);
    return raw;
}

// ---- tags ----

// Cuts the next tag out of the text, without its brackets. What stands before it is skipped.
static char *next_tag(struct reader *reader) {
    char *open = memchr(reader->at, '<', (size_t)(reader->end - reader->at));
    char *close = open ? memchr(open, '>', (size_t)(reader->end - open)) : NULL;
    if (!close)
        return NULL;
    *close = '\0';
    reader->at = close + 1;
    return open + 1;
}

static bool tag_is(const char *tag, const char *name) {
    size_t length = strlen(name);
    return strncmp(tag, name, length) == 0 && (tag[length] == '\0' || tag[length] == ' ');
}

// Field data: the time and the step are decimal numbers.
static void read_plain(struct reader *reader, const char *tag) {
    if (attribute_is(tag, "Name", "TimeValue"))
        reader->content->time = strtod(reader->at, NULL);
    else if (attribute_is(tag, "Name", "step"))
        reader->content->step = strtoll(reader->at, NULL, 10);
}

static bool read_values(struct reader *reader, const char *tag) {
    char type[VTK_NAME_MAX];
    struct vtk_content *content = reader->content;
    struct vtk_column column = {.section = reader->section, .components = 1};
    attribute(tag, "Name", column.name);
    size_t components = attribute_count(tag, "NumberOfComponents");
    if (components > VTK_COMPONENTS_MAX || content->columns == COLUMNS_MAX)
        return reject(reader, "an array has too many components, or there are too many arrays");
    if (components > 0)
        column.components = (int)components;
    if (!type_find(attribute(tag, "type", type), &column.type))
        return reject(reader, "an array has a type that is not used here");
    char *close = memchr(reader->at, '<', (size_t)(reader->end - reader->at));
    if (!close)
        return reject(reader, "the text ends within an array");
    char *from = reader->at, *to = close;
    for (; from < to && (*from == '\n' || *from == '\r' || *from == ' '); from++)
        ;
    for (; to > from && (to[-1] == '\n' || to[-1] == '\r' || to[-1] == ' '); to--)
        ;
    size_t bytes = 0, value = (size_t)column.components * type_bytes(column.type);
    column.value = unpack(reader, from, (size_t)(to - from), &bytes);
    if (!column.value || bytes % value != 0) {
        memory_free(column.value);
        return reject(reader, "an array cannot be unpacked");
    }
    column.count = bytes / value;
    content->column = memory_reserve(content->column, &content->capacity, content->columns + 1,
                                     sizeof *content->column, "a VTK file");
    content->column[content->columns++] = column;
    reader->at = close;
    return true;
}

static bool read_array(struct reader *reader, const char *tag) {
    if (reader->section == VTK_SECTION_COUNT)
        return reject(reader, "an array stands outside of every section");
    if (attribute_is(tag, "format", "binary"))
        return read_values(reader, tag);
    if (reader->section != VTK_FIELD_DATA)
        return reject(reader, "an array is not in binary form");
    read_plain(reader, tag);
    return true;
}

static void read_piece(struct reader *reader, const char *tag) {
    struct vtk_content *content = reader->content;
    static const char *const kinds[] = {"NumberOfCells", "NumberOfVerts", "NumberOfLines",
                                        "NumberOfPolys"};
    content->points = attribute_count(tag, "NumberOfPoints");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        content->cells += attribute_count(tag, kinds[k]);
}

static bool read_start(const struct reader *reader, const char *tag) {
    const char *order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "LittleEndian" : "BigEndian";
    return (attribute_is(tag, "byte_order", order) && attribute_is(tag, "header_type", "UInt64") &&
            attribute_is(tag, "compressor", "vtkZLibDataCompressor")) ||
           reject(reader, "byte order, header or compression are not those of this program");
}

static void enter_section(struct reader *reader, const char *tag) {
    static const struct {
        const char *name;
        enum vtk_section section;
    } sections[] = {
        {"FieldData", VTK_FIELD_DATA}, {"PointData", VTK_POINT_DATA}, {"CellData", VTK_CELL_DATA},
        {"Points", VTK_POINTS},        {"Verts", VTK_TOPOLOGY},       {"Lines", VTK_TOPOLOGY},
        {"Polys", VTK_TOPOLOGY},       {"Cells", VTK_TOPOLOGY},
    };
    bool leaving = tag[0] == '/';
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
        if (tag_is(tag + leaving, sections[k].name))
            reader->section = leaving ? VTK_SECTION_COUNT : sections[k].section;
}

static bool read_tag(struct reader *reader, const char *tag) {
    if (tag_is(tag, "DataArray") || tag_is(tag, "Array"))
        return read_array(reader, tag);
    if (tag_is(tag, "VTKFile"))
        return read_start(reader, tag);
    if (tag_is(tag, "UnstructuredGrid"))
        reader->content->solid = true;
    else if (tag_is(tag, "Piece"))
        read_piece(reader, tag);
    else
        enter_section(reader, tag);
    return true;
}

// ---- checks ----

static bool is_ints(const struct vtk_column *column) {
    return column && column->type == VTK_INT32 && column->components == 1;
}

// Offsets rise to the number of values that they divide.
static bool check_offsets(const struct vtk_column *offsets, size_t cells, size_t values) {
    if (!is_ints(offsets) || offsets->count != cells)
        return false;
    const int32_t *end = offsets->value;
    for (size_t k = 0; k < cells; k++)
        if (end[k] < (k > 0 ? end[k - 1] : 0) || (size_t)end[k] > values)
            return false;
    return cells == 0 ? values == 0 : (size_t)end[cells - 1] == values;
}

static bool check_indices(const struct vtk_column *column, size_t points) {
    const int32_t *index = column->value;
    for (size_t k = 0; k < column->count; k++)
        if (index[k] < 0 || (size_t)index[k] >= points)
            return false;
    return true;
}

// The words of one solid cell: its number of faces and, for each, its corners and their points.
static bool check_faces(const int32_t *word, size_t count, size_t points) {
    if (count == 0 || word[0] < 0)
        return false;
    size_t at = 1;
    for (int32_t face = 0; face < word[0]; face++) {
        if (at >= count || word[at] < 0 || (size_t)word[at] > count - at - 1)
            return false;
        for (int32_t corner = 1; corner <= word[at]; corner++)
            if (word[at + (size_t)corner] < 0 || (size_t)word[at + (size_t)corner] >= points)
                return false;
        at += 1 + (size_t)word[at];
    }
    return at == count;
}

static bool check_solids(const struct vtk_content *content) {
    const struct vtk_column *faces = vtk_find(content, VTK_TOPOLOGY, "faces"),
                            *offsets = vtk_find(content, VTK_TOPOLOGY, "faceoffsets");
    if (!is_ints(faces) || !check_offsets(offsets, content->cells, faces->count))
        return false;
    const int32_t *word = faces->value, *end = offsets->value;
    for (size_t k = 0; k < content->cells; k++) {
        size_t begin = k > 0 ? (size_t)end[k - 1] : 0;
        if (!check_faces(word + begin, (size_t)end[k] - begin, content->points))
            return false;
    }
    return true;
}

static bool check_topology(const struct vtk_content *content) {
    const struct vtk_column *corner = vtk_find(content, VTK_TOPOLOGY, "connectivity"),
                            *end = vtk_find(content, VTK_TOPOLOGY, "offsets");
    return is_ints(corner) && check_offsets(end, content->cells, corner->count) &&
           check_indices(corner, content->points) && (!content->solid || check_solids(content));
}

static bool check_content(const struct reader *reader) {
    const struct vtk_content *content = reader->content;
    for (size_t k = 0; k < content->columns; k++) {
        const struct vtk_column *column = &content->column[k];
        bool fits = column->section == VTK_CELL_DATA ? column->count == content->cells
                    : column->section == VTK_POINT_DATA || column->section == VTK_POINTS
                        ? column->count == content->points
                        : true;
        if (!fits)
            return reject(reader,
                          "an array has more or fewer values than there are cells or points");
    }
    const struct vtk_column *points = vtk_find(content, VTK_POINTS, "Points");
    if (!points || points->type != VTK_FLOAT32 || points->components != 3)
        return reject(reader, "there are no points");
    return check_topology(content) || reject(reader, "a cell names points that do not exist");
}

bool vtk_parse(char *text, size_t size, const char *path, struct vtk_content *content,
               struct gabion_error *error) {
    *content = (struct vtk_content){0};
    struct reader reader = {.at = text,
                            .end = text + size,
                            .path = path,
                            .content = content,
                            .error = error,
                            .section = VTK_SECTION_COUNT};
    bool good = true, whole = false;
    for (char *tag; good && !whole && (tag = next_tag(&reader));) {
        good = read_tag(&reader, tag);
        whole = tag_is(tag, "/VTKFile");
    }
    if (good && !whole)
        good = reject(&reader, "the text ends early");
    if (good && check_content(&reader))
        return true;
    vtk_content_free(content);
    return false;
}

static bool read_file(const char *path, struct vtk_content *content, struct gabion_error *error) {
    size_t size;
    char *text = file_read(path, FILE_BYTES_MAX, &size, error);
    if (!text)
        return false;
    bool good = vtk_parse(text, size, path, content, error);
    memory_free(text);
    return good;
}

bool vtk_read(const char *path, struct vtk_content *content, struct gabion_error *error) {
    const char *dot = strrchr(path, '.');
    if (dot && strcmp(dot, ".pvtp") == 0)
        return vtk_read_pieces(path, content, error);
    return read_file(path, content, error);
}

void vtk_content_free(struct vtk_content *content) {
    for (size_t k = 0; k < content->columns; k++)
        memory_free(content->column[k].value);
    memory_free(content->column);
    *content = (struct vtk_content){0};
}

const struct vtk_column *vtk_find(const struct vtk_content *content, enum vtk_section section,
                                  const char *name) {
    for (size_t k = 0; k < content->columns; k++)
        if (content->column[k].section == section && strcmp(content->column[k].name, name) == 0)
            return &content->column[k];
    return NULL;
}

double vtk_number(const struct vtk_column *column, size_t value, int component) {
    size_t k = value * (size_t)column->components + (size_t)component;
    switch (column->type) {
    case VTK_FLOAT32:
        return ((const float *)column->value)[k];
    case VTK_INT32:
        return ((const int32_t *)column->value)[k];
    case VTK_UINT16:
        return ((const uint16_t *)column->value)[k];
    default:
        return ((const uint8_t *)column->value)[k];
    }
}

// The letters have one NUL behind them, which `unpack` adds.
const char *vtk_name(const struct vtk_column *column, size_t k) {
    const char *text = column->value, *end = text + column->count;
    for (; k > 0 && text < end; k--)
        text += strlen(text) + 1;
    return text < end ? text : "";
}
