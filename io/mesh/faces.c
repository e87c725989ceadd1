#include "io/mesh/faces.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/text/number.h"
#include "parallel/memory.h"

void mesh_add_point(struct mesh_faces *mesh, vec3 point) {
    mesh->point = memory_reserve(mesh->point, &mesh->point_capacity, mesh->points + 1,
                                 sizeof *mesh->point, "points of a mesh");
    mesh->point[mesh->points++] = point;
}

void mesh_add_corner(struct mesh_faces *mesh, int64_t point) {
    mesh->corner = memory_reserve(mesh->corner, &mesh->corner_capacity, mesh->corners + 1,
                                  sizeof *mesh->corner, "faces of a mesh");
    mesh->corner[mesh->corners++] = point;
}

void mesh_end_face(struct mesh_faces *mesh, int64_t place) {
    size_t f = mesh->faces++;
    mesh->start = memory_reserve(mesh->start, &mesh->start_capacity, f + 2, sizeof *mesh->start,
                                 "faces of a mesh");
    mesh->place = memory_reserve(mesh->place, &mesh->place_capacity, f + 1, sizeof *mesh->place,
                                 "faces of a mesh");
    mesh->object = memory_reserve(mesh->object, &mesh->object_capacity, f + 1, sizeof *mesh->object,
                                  "faces of a mesh");
    if (mesh->object_count == 0)
        mesh_start_object(mesh, "", 0);
    mesh->start[0] = 0;
    mesh->start[f + 1] = (int64_t)mesh->corners;
    mesh->place[f] = place;
    mesh->object[f] = (int32_t)mesh->object_count - 1;
}

void mesh_start_object(struct mesh_faces *mesh, const char *name, int64_t line) {
    bool unused =
        mesh->object_count > 0 &&
        (mesh->faces == 0 || mesh->object[mesh->faces - 1] != (int32_t)mesh->object_count - 1);
    if (!unused)
        mesh->object_count++;
    mesh->objects = memory_reserve(mesh->objects, &mesh->objects_capacity, mesh->object_count,
                                   sizeof *mesh->objects, "objects of a mesh");
    struct mesh_object *object = &mesh->objects[mesh->object_count - 1];
    object->line = line;
    name += strspn(name, " \t");
    snprintf(object->name, sizeof object->name, "%.*s", (int)strcspn(name, "\r"), name);
    for (char *c = object->name; *c; c++) // it appears in messages
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
}

char *mesh_next_line(struct mesh_text *text) {
    if (text->next >= text->end)
        return NULL;
    char *line = text->next, *end = memchr(line, '\n', (size_t)(text->end - line));
    text->next = end ? end + 1 : text->end;
    if (end)
        *end = '\0';
    text->line++;
    return line;
}

char *mesh_next_word(char **line) {
    char *word = *line + strspn(*line, " \t\r\v\f"), *end = word + strcspn(word, " \t\r\v\f");
    if (*word == '\0')
        return NULL;
    *line = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

bool mesh_read_vector(struct mesh_text *text, char **line, vec3 *vector,
                      struct gabion_error *error) {
    for (int axis = 0; axis < 3; axis++) {
        const char *word = mesh_next_word(line);
        double value = 0;
        if (!word)
            return error_set(error, GABION_ERROR_INPUT,
                             "%s:%" PRId64 ": expected 3 coordinates, found %d", text->path,
                             text->line, axis);
        if (!number_parse(word, &value))
            return error_set(error, GABION_ERROR_INPUT,
                             "%s:%" PRId64 ": coordinate \"%.40s\" is not a finite number",
                             text->path, text->line, word);
        vec3_set(vector, axis, value);
    }
    return true;
}
