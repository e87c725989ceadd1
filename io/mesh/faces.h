// All faces of a mesh file as the readers of the formats hand them over to mesh.c.
#ifndef IO_MESH_FACES_H
#define IO_MESH_FACES_H

#include <stddef.h>
#include <stdint.h>

#include "geometry/vec.h"
#include "parallel/error.h"

#define MESH_NAME_SIZE 48

struct mesh_object {
    char name[MESH_NAME_SIZE];
    int64_t line; // where it starts; 0: a file without objects
};

struct mesh_faces {
    vec3 *point;
    size_t points, point_capacity;
    int64_t *corner; // points of all faces, one face after the other
    size_t corners, corner_capacity;
    int64_t *start;  // of each face in `corner`, and the end of the last
    int64_t *place;  // of each face in the file
    int32_t *object; // of each face
    size_t faces, start_capacity, place_capacity, object_capacity;
    struct mesh_object *objects;
    size_t object_count, objects_capacity;
    const char *place_noun; // what `place` counts
    bool points_named;      // the file numbers its points
};

// Each reads the text, which it may cut into words and which ends with a NUL.
bool mesh_read_obj(struct mesh_faces *mesh, const char *path, char *text, size_t size,
                   struct gabion_error *error);
bool mesh_read_stl(struct mesh_faces *mesh, const char *path, char *text, size_t size,
                   struct gabion_error *error);

void mesh_add_point(struct mesh_faces *mesh, vec3 point);
void mesh_add_corner(struct mesh_faces *mesh, int64_t point);
// The corners since the last face are a face of the last object.
void mesh_end_face(struct mesh_faces *mesh, int64_t place);
// The faces to come belong to a new object; one that got no faces is taken over.
void mesh_start_object(struct mesh_faces *mesh, const char *name, int64_t line);

// Lines of a text, cut out one after the other.
struct mesh_text {
    const char *path;
    char *next, *end;
    int64_t line; // of the last one, from 1
};
char *mesh_next_line(struct mesh_text *text); // NULL: no more
char *mesh_next_word(char **line);            // NULL: no more
bool mesh_read_vector(struct mesh_text *text, char **line, vec3 *vector,
                      struct gabion_error *error);

#endif
