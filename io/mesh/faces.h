// The faces of a mesh file, as the readers of the formats pass them to mesh.c.
#ifndef IO_MESH_FACES_H
#define IO_MESH_FACES_H

#include <stddef.h>
#include <stdint.h>

#include "geometry/vec.h"
#include "parallel/error.h"

#define MESH_NAME_SIZE 48

struct mesh_object {
    char name[MESH_NAME_SIZE];
    int64_t line; // where it starts; 0: the file has no objects
};

struct mesh_faces {
    vec3 *point;
    size_t points, point_capacity;
    int64_t *corner; // points of all faces, face by face
    size_t corners, corner_capacity;
    int64_t *start;  // index in `corner` of each face, and the end of the last one
    int64_t *place;  // place of each face in the file
    int32_t *object; // object of each face
    size_t faces, start_capacity, place_capacity, object_capacity;
    struct mesh_object *objects;
    size_t object_count, objects_capacity;
    const char *place_noun; // what `place` counts
    bool points_named;      // the file numbers its points
};

// Read a text that ends with a NUL. They may cut it into words.
bool mesh_read_obj(struct mesh_faces *mesh, const char *path, char *text, size_t size,
                   struct gabion_error *error);
bool mesh_read_stl(struct mesh_faces *mesh, const char *path, char *text, size_t size,
                   struct gabion_error *error);

void mesh_add_point(struct mesh_faces *mesh, vec3 point);
void mesh_add_corner(struct mesh_faces *mesh, int64_t point);
// Makes the corners added since the last face a face of the last object.
void mesh_end_face(struct mesh_faces *mesh, int64_t place);
// Starts a new object for the faces that follow. Replaces the last object if it has no faces.
void mesh_start_object(struct mesh_faces *mesh, const char *name, int64_t line);

// Cuts lines out of a text one by one.
struct mesh_text {
    const char *path;
    char *next, *end;
    int64_t line; // number of the last line, from 1
};
char *mesh_next_line(struct mesh_text *text); // NULL: no more
char *mesh_next_word(char **line);            // NULL: no more
bool mesh_read_vector(struct mesh_text *text, char **line, vec3 *vector,
                      struct gabion_error *error);

#endif
