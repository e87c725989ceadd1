// Reads STL files, text and binary (Marshall Burns, "Automated Fabrication", 1993, section 6.5).
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "io/mesh/faces.h"

// A binary file has 80 bytes of any content, the number of triangles, and for each triangle its
// normal and three corners as 32-bit floats and two bytes of attributes, all little-endian.
#define STL_HEADER   84
#define STL_TRIANGLE 50

static uint32_t read_word(const char *bytes) {
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double read_float(const char *bytes) {
    uint32_t word = read_word(bytes);
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static bool read_binary(struct mesh_faces *mesh, const char *path, const char *bytes, size_t count,
                        struct gabion_error *error) {
    mesh->place_noun = "triangle";
    for (size_t f = 0; f < count; f++) {
        const char *at = bytes + STL_HEADER + f * STL_TRIANGLE + 12; // skips the normal
        for (int corner = 0; corner < 3; corner++, at += 12) {
            vec3 point = {read_float(at), read_float(at + 4), read_float(at + 8)};
            if (!vec3_finite(point))
                return error_set(error, GABION_ERROR_INPUT,
                                 "%s: corner %d of triangle %zu is not a finite number", path,
                                 corner + 1, f + 1);
            mesh_add_corner(mesh, (int64_t)mesh->points);
            mesh_add_point(mesh, point);
        }
        mesh_end_face(mesh, (int64_t)f + 1);
    }
    return true;
}

// The facet of a text file that is being read, and its number of corners so far.
struct facet {
    int64_t line;
    int corners;
};

static bool end_facet(struct mesh_faces *mesh, const struct mesh_text *text, struct facet *facet,
                      struct gabion_error *error) {
    if (facet->corners != 3)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s:%" PRId64 ": expected a facet of 3 vertices, found %d", text->path,
                         text->line, facet->corners);
    mesh_end_face(mesh, facet->line);
    facet->corners = 0;
    return true;
}

static bool read_vertex(struct mesh_faces *mesh, struct mesh_text *text, char *line,
                        struct facet *facet, struct gabion_error *error) {
    vec3 point = {0};
    if (facet->corners == 3)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s:%" PRId64 ": a facet of more than 3 vertices", text->path, text->line);
    if (!mesh_read_vector(text, &line, &point, error))
        return false;
    mesh_add_corner(mesh, (int64_t)mesh->points);
    mesh_add_point(mesh, point);
    facet->corners++;
    return true;
}

static bool read_line(struct mesh_faces *mesh, struct mesh_text *text, char *line,
                      struct facet *facet, struct gabion_error *error) {
    char *word = mesh_next_word(&line);
    if (!word || strcasecmp(word, "outer") == 0 || strcasecmp(word, "endloop") == 0)
        return true;
    if (strcasecmp(word, "vertex") == 0)
        return read_vertex(mesh, text, line, facet, error);
    if (strcasecmp(word, "endfacet") == 0)
        return end_facet(mesh, text, facet, error);
    if (facet->corners > 0)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s:%" PRId64 ": \"%.40s\" within the facet of line %" PRId64
                         "; expected vertex, endloop or endfacet",
                         text->path, text->line, word, facet->line);
    if (strcasecmp(word, "facet") == 0)
        facet->line = text->line;
    else if (strcasecmp(word, "solid") == 0)
        mesh_start_object(mesh, line, text->line);
    else if (strcasecmp(word, "endsolid") != 0)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s:%" PRId64 ": \"%.40s\"; expected solid, facet, outer loop, vertex, "
                         "endloop, endfacet or endsolid",
                         text->path, text->line, word);
    return true;
}

static bool read_text(struct mesh_faces *mesh, const char *path, char *text, size_t size,
                      struct gabion_error *error) {
    struct mesh_text lines = {path, text, text + size, 0};
    struct facet facet = {0};
    mesh->place_noun = "line";
    for (char *line; (line = mesh_next_line(&lines));)
        if (!read_line(mesh, &lines, line, &facet, error))
            return false;
    if (facet.corners > 0)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: ends within the facet that starts in line %" PRId64, path,
                         facet.line);
    return true;
}

bool mesh_read_stl(struct mesh_faces *mesh, const char *path, char *text, size_t size,
                   struct gabion_error *error) {
    // The size decides, because many binary files start with "solid" too.
    uint64_t count = size >= STL_HEADER ? read_word(text + STL_HEADER - 4) : 0;
    if (size >= STL_HEADER && size == STL_HEADER + count * STL_TRIANGLE)
        return read_binary(mesh, path, text, (size_t)count, error);
    size_t blanks = strspn(text, " \t\r\n");
    if (strncasecmp(text + blanks, "solid", 5) == 0 && !memchr(text, '\0', size))
        return read_text(mesh, path, text, size, error);
    if (size < STL_HEADER)
        return error_set(
            error, GABION_ERROR_INPUT,
            "%s: %zu bytes are not an STL file: text starts with \"solid\", binary has "
            "at least %d bytes",
            path, size, STL_HEADER);
    return error_set(error, GABION_ERROR_INPUT,
                     "%s: not an STL file, or cut short: text starts with \"solid\", and binary of "
                     "%" PRIu64 " triangles, as its header says, has %" PRIu64
                     " bytes where this has %zu",
                     path, count, STL_HEADER + count * STL_TRIANGLE, size);
}
