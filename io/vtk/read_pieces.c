// Reads a frame that ranks have written in pieces, as if it were one file.
#include <stdio.h>
#include <string.h>

#include "io/file/file.h"
#include "io/vtk/read.h"
#include "parallel/memory.h"

#define INDEX_BYTES_MAX ((size_t)1 << 24)

static bool reject(const char *path, const char *problem, struct gabion_error *error) {
    return error_set(error, GABION_ERROR_INPUT,
                     "%s: not an index of pieces that this program "
                     "wrote: %s",
                     path, problem);
}

static size_t column_bytes(const struct vtk_column *column) {
    static const size_t bytes[] = {
        [VTK_FLOAT32] = 4, [VTK_INT32] = 4, [VTK_UINT16] = 2, [VTK_UINT8] = 1};
    return column->count * (size_t)column->components * bytes[column->type];
}

// Numbers of points and of corners go on from those of the pieces before.
static void shift(struct vtk_column *column, size_t from, size_t by) {
    int32_t *value = column->value;
    for (size_t k = from; k < column->count; k++)
        value[k] += (int32_t)by;
}

static void append_column(struct vtk_column *column, const struct vtk_column *more, size_t by) {
    size_t before = column_bytes(column), added = column_bytes(more), from = column->count;
    column->value = memory_resize(column->value, before + added, 1, "a frame in pieces");
    memcpy((char *)column->value + before, more->value, added);
    column->count += more->count;
    if (column->section == VTK_TOPOLOGY)
        shift(column, from, by);
}

// Numbers of points and corners are shifted, which nothing else in their section can be.
static bool is_like(const struct vtk_column *column, const struct vtk_column *other) {
    return other && other->type == column->type && other->components == column->components &&
           (column->section != VTK_TOPOLOGY ||
            (column->type == VTK_INT32 && column->components == 1));
}

static bool append(struct vtk_content *content, const struct vtk_content *piece) {
    const struct vtk_column *corners = vtk_find(content, VTK_TOPOLOGY, "connectivity");
    size_t points = content->points, corner_count = corners->count;
    size_t more_corners = vtk_find(piece, VTK_TOPOLOGY, "connectivity")->count;
    if (content->solid || piece->solid || piece->columns != content->columns ||
        points + piece->points > INT32_MAX || corner_count + more_corners > INT32_MAX)
        return false;
    for (size_t k = 0; k < content->columns; k++) {
        struct vtk_column *column = &content->column[k];
        const struct vtk_column *more = vtk_find(piece, column->section, column->name);
        if (!is_like(column, more))
            return false;
        if (column->section != VTK_FIELD_DATA)
            append_column(column, more,
                          strcmp(column->name, "offsets") == 0 ? corner_count : points);
    }
    content->points += piece->points;
    content->cells += piece->cells;
    return true;
}

static bool read_piece(const char *path, const char *name, bool first, struct vtk_content *content,
                       struct gabion_error *error) {
    char place[4096];
    struct vtk_content piece;
    const char *dot = strrchr(name, '.');
    if (strchr(name, '/') || !dot || strcmp(dot, ".vtp") != 0 ||
        !file_beside(place, sizeof place, path, name))
        return reject(path, "a piece is not a .vtp file in the same folder", error);
    if (first)
        return vtk_read(place, content, error);
    if (!vtk_read(place, &piece, error))
        return false;
    bool like = append(content, &piece);
    vtk_content_free(&piece);
    return like || reject(path, "its pieces do not have the same arrays", error);
}

static bool read_all(const char *path, char *text, struct vtk_content *content,
                     struct gabion_error *error) {
    static const char before[] = "<Piece Source=\"";
    bool first = true;
    for (char *name = text; (name = strstr(name, before)) != NULL; first = false) {
        name += strlen(before);
        char *end = strchr(name, '"');
        if (!end)
            return reject(path, "its text ends early", error);
        *end = '\0';
        if (!read_piece(path, name, first, content, error))
            return false;
        name = end + 1;
    }
    return !first || reject(path, "it has no pieces", error);
}

bool vtk_read_pieces(const char *path, struct vtk_content *content, struct gabion_error *error) {
    *content = (struct vtk_content){0};
    char *text = file_read(path, INDEX_BYTES_MAX, NULL, error);
    bool good =
        text && (strstr(text, "</VTKFile>") != NULL || reject(path, "its text ends early", error));
    good = good && read_all(path, text, content, error);
    memory_free(text);
    if (!good)
        vtk_content_free(content);
    return good;
}
