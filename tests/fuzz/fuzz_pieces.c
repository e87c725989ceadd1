// libFuzzer: frames in pieces, as vtk_read reads them (io/vtk/read.h). Arrays are packed here from
// the bytes of the input, because a packed array with changed bytes hardly ever unpacks. What is
// accepted must be consistent, as that of a single file.
#include <string.h>
#include <zlib.h>

#include "io/report/drawing.h"
#include "io/text/base64.h"
#include "io/vtk/read.h"
#include "parallel/memory.h"
#include "tests/fuzz/input.h"

#define PIECES      3
#define SECTION     5
#define COUNT(list) (sizeof(list) / sizeof *(list))

static char folder[64];

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    make_folder("fuzz_pieces", folder, sizeof folder);
    return 0;
}

static FILE *open_file(const char *name, char path[256]) {
    snprintf(path, 256, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file)
        abort();
    return file;
}

static void print_bytes(FILE *file, const void *bytes, size_t size) {
    char *text = memory_allocate(base64_length(size) + 1, 1, "text");
    base64_encode(bytes, size / 3, text);
    if (size % 3)
        base64_encode_rest((const unsigned char *)bytes + size / 3 * 3, size % 3,
                           text + size / 3 * 4);
    fputs(text, file);
    memory_free(text);
}

struct array {
    const char *type, *name;
    int components;
    const void *values;
    size_t size;
};

// `lie` is added to one word of the header: number of blocks, their bytes, the last, packed bytes.
static void print_array(FILE *file, const struct array *array, uint64_t lie) {
    unsigned char packed[4096];
    uLongf size = sizeof packed;
    if (compress(packed, &size, array->values, array->size) != Z_OK)
        abort();
    uint64_t header[4] = {1, array->size, 0, size};
    header[lie % 4] += lie / 4;
    fprintf(file,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">\n",
            array->type, array->name, array->components);
    print_bytes(file, header, sizeof header);
    print_bytes(file, packed, size);
    fputs("\n</DataArray>\n", file);
}

static void print_any(FILE *file, struct input *input) {
    static const char *const types[] = {"Int32", "Float32", "UInt16", "UInt8", "String"};
    static const char *const names[] = {"connectivity", "offsets",  "id",           "radius",
                                        "Points",       "velocity", "normal_force", "group_names"};
    unsigned char values[256];
    struct array array = {.type = types[take(input, 1) % COUNT(types)],
                          .name = names[take(input, 1) % COUNT(names)],
                          .components = (int)take(input, 1) % 5,
                          .values = values,
                          .size = (size_t)take(input, 1)};
    for (size_t k = 0; k < array.size; k++)
        values[k] = (unsigned char)take(input, 1);
    print_array(file, &array, take(input, 1) % 8 == 0 ? take(input, 8) : 0);
}

// The arrays that every file has, for so many points and as many cells of one point each.
static void print_good(FILE *file, int section, int32_t points) {
    float position[3 * 16] = {0};
    int32_t corner[16], end[16];
    for (int32_t k = 0; k < points; k++) {
        position[3 * k] = (float)k;
        corner[k] = k;
        end[k] = k + 1;
    }
    size_t size = (size_t)points * sizeof *corner;
    const struct array place = {"Float32", "Points", 3, position, 3 * size},
                       corners = {"Int32", "connectivity", 1, corner, size},
                       ends = {"Int32", "offsets", 1, end, size};
    if (section == 3)
        print_array(file, &place, 0);
    if (section == 4) {
        print_array(file, &corners, 0);
        print_array(file, &ends, 0);
    }
}

static void write_piece(int piece, struct input *input) {
    static const char *const sections[SECTION] = {"FieldData", "PointData", "CellData", "Points",
                                                  "Verts"};
    char name[32], path[256];
    snprintf(name, sizeof name, "p%d.vtp", piece);
    FILE *file = open_file(name, path);
    int32_t points = (int32_t)(take(input, 1) % 16);
    uint64_t good = take(input, 1), claim = good & 1 ? take(input, 8) : (uint64_t)points;
    fprintf(file,
            "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
            "compressor=\"vtkZLibDataCompressor\">\n<Piece NumberOfPoints=\"%ju\" "
            "NumberOfVerts=\"%d\">\n",
            (uintmax_t)claim, points);
    for (int section = 0; section < SECTION; section++) {
        fprintf(file, "<%s>\n", sections[section]);
        if (!(good & 2))
            print_good(file, section, points);
        for (uint64_t k = take(input, 1) % 3; k > 0; k--)
            print_any(file, input);
        fprintf(file, "</%s>\n", sections[section]);
    }
    fputs("</Piece>\n</VTKFile>\n", file);
    fclose(file);
}

// A good index, or one of which the rest of the input is a part.
static void write_index(uint64_t pieces, struct input *input, char path[256]) {
    FILE *file = open_file("index.pvtp", path);
    fputs("<VTKFile type=\"PPolyData\">\n", file);
    for (uint64_t k = 0; k < pieces; k++)
        fprintf(file, "<Piece Source=\"p%d.vtp\"/>\n", (int)(take(input, 1) % PIECES));
    fwrite(input->data, 1, input->size, file);
    fputs("</VTKFile>\n", file);
    fclose(file);
}

static void draw(const struct vtk_content *content) {
    static const char *const kinds[] = {"contacts", "bodies", "blocks"};
    struct drawing_rule rule = {.every = 1, .quantum = 1e-3};
    drawing_smallest(content);
    for (size_t k = 0; k < COUNT(kinds); k++) {
        struct pack_frame frame = {0};
        drawing_add(&frame, kinds[k], content, &rule);
        pack_free(&frame);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {data, size};
    struct gabion_error error = {0};
    struct vtk_content content;
    char path[256];
    uint64_t pieces = take(&input, 1) % (2 * PIECES);
    for (int piece = 0; piece < PIECES; piece++)
        write_piece(piece, &input);
    write_index(pieces, &input, path);
    bool read = vtk_read(path, &content, &error);
    if (read == (error.status == GABION_ERROR_INPUT))
        abort();
    if (read) {
        draw(&content);
        vtk_content_free(&content);
    }
    return 0;
}
