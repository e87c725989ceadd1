// Reads Wavefront OBJ files (https://paulbourke.net/dataformats/obj/).
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/mesh/faces.h"

// Reads "12", "12/3", "12//4" or "12/3/4". Negative numbers count back from the last vertex.
static bool read_corner(struct mesh_faces *mesh, const struct mesh_text *text, const char *word,
                        struct gabion_error *error) {
    char *end = NULL;
    errno = 0;
    long long number = strtoll(word, &end, 10);
    if (end == word || errno != 0 || end[strspn(end, "0123456789-/")] != '\0' ||
        (*end != '\0' && *end != '/'))
        return error_set(error, GABION_ERROR_INPUT,
                         "%s:%" PRId64 ": corner \"%.40s\" of a face; expected a vertex number, "
                         "or v/vt/vn",
                         text->path, text->line, word);
    int64_t points = (int64_t)mesh->points;
    if (number == 0 || number < -points)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s:%" PRId64 ": vertex %lld of a face; there are %" PRId64
                         " so far, counted from 1, or from -1 backwards",
                         text->path, text->line, number, points);
    mesh_add_corner(mesh, number > 0 ? number - 1 : points + number);
    return true;
}

static bool read_face(struct mesh_faces *mesh, const struct mesh_text *text, char *line,
                      struct gabion_error *error) {
    size_t before = mesh->corners;
    for (char *word; (word = mesh_next_word(&line));)
        if (!read_corner(mesh, text, word, error))
            return false;
    if (mesh->corners - before < 3)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s:%" PRId64 ": a face of %zu corners; at least 3 are needed", text->path,
                         text->line, mesh->corners - before);
    mesh_end_face(mesh, text->line);
    return true;
}

static bool read_line(struct mesh_faces *mesh, struct mesh_text *text, char *line,
                      struct gabion_error *error) {
    char *word = mesh_next_word(&line);
    if (!word)
        return true;
    if (strcmp(word, "v") == 0) {
        vec3 point = {0};
        if (!mesh_read_vector(text, &line, &point, error))
            return false;
        mesh_add_point(mesh, point);
    } else if (strcmp(word, "f") == 0) {
        return read_face(mesh, text, line, error);
    } else if (strcmp(word, "o") == 0 || strcmp(word, "g") == 0) {
        mesh_start_object(mesh, line, text->line);
    }
    return true;
}

// Checks the vertex numbers of all faces at the end, because vertices may follow the faces that use
// them.
static bool check_corners(const struct mesh_faces *mesh, const char *path,
                          struct gabion_error *error) {
    for (size_t f = 0; f < mesh->faces; f++)
        for (int64_t k = mesh->start[f]; k < mesh->start[f + 1]; k++)
            if (mesh->corner[k] >= (int64_t)mesh->points)
                return error_set(error, GABION_ERROR_INPUT,
                                 "%s:%" PRId64 ": vertex %" PRId64 " of a face; the file has %zu",
                                 path, mesh->place[f], mesh->corner[k] + 1, mesh->points);
    return true;
}

bool mesh_read_obj(struct mesh_faces *mesh, const char *path, char *text, size_t size,
                   struct gabion_error *error) {
    struct mesh_text lines = {path, text, text + size, 0};
    mesh->place_noun = "line";
    mesh->points_named = true;
    if (memchr(text, '\0', size))
        return error_set(error, GABION_ERROR_INPUT, "%s: binary data; an OBJ file is text", path);
    for (char *line; (line = mesh_next_line(&lines));)
        if (!read_line(mesh, &lines, line, error))
            return false;
    return check_corners(mesh, path, error);
}
