#include "io/vtk/xml.h"

#include <inttypes.h>
#include <string.h>

#include "parallel/memory.h"

static bool array_describe(struct document *document, const char *element,
                           const struct vtk_array *array) {
    if (!document_print(document, "<%s type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\"", element,
                        vtk_type_name(array->type), array->name, vtk_array_components(array)))
        return false;
    for (int i = 0; array->components[i]; i++)
        if (!document_print(document, " ComponentName%d=\"%c\"", i, array->components[i]))
            return false;
    return true;
}

static bool array_write(struct document *document, const struct vtk_array *array,
                        const void *context, size_t count, bool shared) {
    return array_describe(document, "DataArray", array) &&
           document_print(document, " format=\"binary\">\n") &&
           document_add(document, array, context, count, shared) &&
           document_print(document, "\n</DataArray>\n");
}

static void letter_value(const void *context, size_t k, double *components) {
    components[0] = ((const unsigned char *)context)[k];
}

// Writes the texts of a list one after the other, each with a final NUL, as VTK stores strings.
static bool names_write(struct document *document, const struct vtk_names *names,
                        const void *context) {
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
        document_print(
            document,
            "<Array type=\"String\" Name=\"%s\" NumberOfTuples=\"%d\" format=\"binary\">\n",
            names->name, names->count) &&
        document_add(document, &array, letters, size, true) &&
        document_print(document, "\n</Array>\n");
    memory_free(letters);
    return written;
}

static bool all_names_write(struct document *document, const struct vtk_mesh *mesh) {
    for (int k = 0; k < mesh->name_lists; k++)
        if (!names_write(document, &mesh->names[k], mesh->context))
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

static bool section_write(struct document *document, const char *section,
                          const struct vtk_array *arrays, int array_count,
                          const struct vtk_mesh *mesh, bool on_points) {
    size_t count = on_points ? mesh_points(mesh) : mesh->cells;
    bool shared = on_points ? mesh->corners > 1 : mesh->topology && !mesh->topology->solid;
    if (!document_print(document, "<%s>\n", section))
        return false;
    for (int k = 0; k < array_count; k++)
        if (!array_write(document, &arrays[k], mesh->context, count, shared))
            return false;
    return document_print(document, "</%s>\n", section);
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

static bool solids_write(struct document *document, const struct vtk_mesh *mesh) {
    const struct vtk_array types = {"types", VTK_UINT8, "", type_value};
    const struct vtk_array faces = {"faces", VTK_INT32, "", face_value};
    const struct vtk_array offsets = {"faceoffsets", VTK_INT32, "", face_offset_value};
    return array_write(document, &types, mesh, mesh->cells, true) &&
           array_write(document, &faces, mesh, mesh->topology->face_words, false) &&
           array_write(document, &offsets, mesh, mesh->cells, false);
}

static bool cells_write(struct document *document, const struct vtk_mesh *mesh) {
    const struct vtk_array connectivity = {"connectivity", VTK_INT32, "", connectivity_value};
    const struct vtk_array offsets = {"offsets", VTK_INT32, "", offset_value};
    const char *section = mesh_solid(mesh)     ? "Cells"
                          : mesh->corners == 1 ? "Verts"
                          : mesh->corners == 2 ? "Lines"
                                               : "Polys";
    return document_print(document, "<%s>\n", section) &&
           array_write(document, &connectivity, mesh, mesh_corners(mesh), false) &&
           array_write(document, &offsets, mesh, mesh->cells, false) &&
           (!mesh_solid(mesh) || solids_write(document, mesh)) &&
           document_print(document, "</%s>\n", section);
}

static bool piece_write(struct document *document, const struct vtk_mesh *mesh) {
    size_t points = mesh_points(mesh), cells = mesh->cells;
    if (mesh_solid(mesh))
        return document_print(document, "<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n",
                              points, cells);
    return document_print(
        document,
        "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"%zu\" "
        "NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n",
        points, mesh->corners == 1 ? cells : 0, mesh->corners == 2 ? cells : 0,
        mesh->corners > 2 || mesh->topology ? cells : 0);
}

static const struct vtk_array *position_array(const struct vtk_mesh *mesh,
                                              struct vtk_array *array) {
    *array = (struct vtk_array){"Points", VTK_FLOAT32, "xyz", mesh->position};
    return array;
}

static bool mesh_begin(struct document *document, const struct vtk_mesh *mesh, const char *type) {
    const char *order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "LittleEndian" : "BigEndian";
    return document_print(document,
                          "<?xml version=\"1.0\"?>\n"
                          "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" "
                          "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n<%s>\n"
                          "<FieldData>\n"
                          "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                          "format=\"ascii\">%.17g</DataArray>\n"
                          "<DataArray type=\"Int64\" Name=\"step\" NumberOfTuples=\"1\" "
                          "format=\"ascii\">%" PRId64 "</DataArray>\n",
                          type, order, type, mesh->time, mesh->step) &&
           all_names_write(document, mesh) && document_print(document, "</FieldData>\n");
}

static bool mesh_write(struct document *document, const struct vtk_mesh *mesh) {
    const char *type = mesh_solid(mesh) ? "UnstructuredGrid" : "PolyData";
    struct vtk_array position;
    return mesh_begin(document, mesh, type) && piece_write(document, mesh) &&
           section_write(document, "PointData", mesh->point_arrays, mesh->point_array_count, mesh,
                         true) &&
           section_write(document, "CellData", mesh->cell_arrays, mesh->cell_array_count, mesh,
                         false) &&
           section_write(document, "Points", position_array(mesh, &position), 1, mesh, true) &&
           cells_write(document, mesh) &&
           document_print(document, "</Piece>\n</%s>\n</VTKFile>\n", type);
}

// An index of pieces.

static bool section_describe(struct document *document, const char *section,
                             const struct vtk_array *arrays, int count) {
    if (!document_print(document, "<%s>\n", section))
        return false;
    for (int k = 0; k < count; k++)
        if (!array_describe(document, "PDataArray", &arrays[k]) ||
            !document_print(document, "/>\n"))
            return false;
    return document_print(document, "</%s>\n", section);
}

static bool index_write(struct document *document, const struct vtk_mesh *mesh) {
    struct vtk_array position;
    char name[VTK_PIECE_NAME];
    bool written =
        mesh_begin(document, mesh, "PPolyData") &&
        section_describe(document, "PPointData", mesh->point_arrays, mesh->point_array_count) &&
        section_describe(document, "PCellData", mesh->cell_arrays, mesh->cell_array_count) &&
        section_describe(document, "PPoints", position_array(mesh, &position), 1);
    for (int k = 0; written && k < mesh->pieces; k++)
        written = document_print(document, "<Piece Source=\"%s\"/>\n",
                                 mesh->piece(mesh->context, k, name));
    return written && document_print(document, "</PPolyData>\n</VTKFile>\n");
}

static bool any_write(struct document *document, const struct vtk_mesh *mesh) {
    return mesh->pieces > 0 ? index_write(document, mesh) : mesh_write(document, mesh);
}

static bool check_size(const char *path, const struct vtk_mesh *mesh, struct gabion_error *error) {
    size_t corners = mesh->topology ? 1 : (size_t)mesh->corners;
    return mesh->cells <= (size_t)INT32_MAX / corners ||
           error_set(error, GABION_ERROR_RUN,
                     "%s: %zu cells are more than one VTK frame can hold (2^31 points); set "
                     "output.vtk_every to 0",
                     path, mesh->cells);
}

bool vtk_xml_write(const char *path, const struct vtk_mesh *mesh, struct team *team,
                   struct gabion_error *error) {
    if (!check_size(path, mesh, error))
        return false;
    struct document *document = document_open(path, team, error);
    return document && document_close(document, any_write(document, mesh));
}

struct document *vtk_xml_record(const char *path, const struct vtk_mesh *mesh, struct team *team,
                                struct gabion_error *error) {
    if (!check_size(path, mesh, error))
        return NULL;
    struct document *record = document_record(path, team, error);
    any_write(record, mesh); // into memory, where it cannot fail
    return record;
}
