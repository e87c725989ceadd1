// What a checkpoint file holds: one table for the writer and the reader.
//
// The first CHECKPOINT_SEAL_SIZE bytes (HDF5's user block) are a line of text with the size and
// the hash of all that follows. They are checked before HDF5 sees the file, so that neither a
// truncated file nor a flipped bit anywhere gets as far as its parser.
#ifndef IO_CHECKPOINT_FORMAT_H
#define IO_CHECKPOINT_FORMAT_H

#include "engine/contact/contacts.h"
#include "engine/contact/interfaces.h"
#include "engine/world/world.h"
#include "io/checkpoint/checkpoint.h"
#include "io/file/h5.h"

#define CHECKPOINT_FORMAT         "gabion-checkpoint"
#define CHECKPOINT_FORMAT_MAJOR   3 // 1: spheres only; 2: no joints, clumps, hollows or projection
#define CHECKPOINT_FORMAT_MINOR   0
#define CHECKPOINT_SEAL_SIZE      512
#define CHECKPOINT_TEMPORARY      "checkpoint.h5.tmp"
#define CHECKPOINT_CASE           "case"
#define CHECKPOINT_GROUP_NAMES    "groups/name"
#define CHECKPOINT_MATERIAL_NAMES "materials/name"

// Arrays of the world, by what their rows are.
enum row_kind {
    ROWS_BODIES,
    ROWS_HALF_SPACES,
    ROWS_HOLLOWS,
    ROWS_STARTS, // one more than moving bodies; none before the first step
    ROWS_MEMORY,
    ROWS_COLLISIONS, // as many as ROWS_MEMORY, or none
    ROWS_PENDING,
    ROWS_DRIVEN,
    ROWS_BODY_STARTS, // by id
    ROWS_INTERFACES,
    ROWS_INTERFACE_CORNERS,
    ROWS_JOINTS,
    // Of struct shape_table.
    ROWS_POLYHEDRA,
    ROWS_FACES,
    ROWS_CORNERS,
    ROWS_FACE_CORNERS,
    ROWS_CLUMPS,
    ROWS_CLUMP_SPHERES,
    ROWS_KINDS
};

// Polyhedra laid flat, one after the other: corners, faces, and the corners of each face. Then
// clumps and their spheres.
struct shape_table {
    size_t polyhedra, faces, corners, face_corners;
    uint32_t *corner_count, *face_count; // by polyhedron
    vec3 *centre;
    quat *axes;
    uint32_t *face_size;  // corners, by face
    vec3 *corner;         // own frame
    int32_t *face_corner; // among those of its polyhedron
    size_t clumps, spheres;
    uint32_t *sphere_count; // by clump
    double *clump_volume;
    vec3 *clump_inertia, *clump_centre;
    quat *clump_axes;
    vec3 *sphere; // own frame
    double *sphere_radius;
};

// What is stored: the world (only read while writing), and its shapes in a form that has rows.
struct state {
    struct gabion_world *world;
    struct shape_table shapes;
};

// What a value must be for the engine not to stumble over it.
enum value_check {
    VALUE_ANY,
    VALUE_NOT_NAN,
    VALUE_FINITE,
    VALUE_NOT_NEGATIVE, // and finite
    VALUE_ID,
    VALUE_BODY,   // an index
    VALUE_JOINED, // an id, or -1: the world
    VALUE_JOINT_KIND,
    VALUE_MATERIAL,
    VALUE_GROUP,
    VALUE_SHAPE,
    VALUE_SHAPE_INDEX, // -1: none
    VALUE_POLYHEDRON,  // of a body that need not be one
    VALUE_CLUMP,       // likewise
    VALUE_SPHERE_COUNT,
    VALUE_CORNER_COUNT,
    VALUE_FACE_COUNT,
    VALUE_FACE_SIZE,
    VALUE_PATCH_SIZE,
    VALUE_CORNER, // of a polyhedron
    VALUE_LOCK,
    VALUE_FLAG,
};

struct state_array {
    const char *name, *unit;
    enum h5_type type;
    int columns;
    enum row_kind rows;
    enum value_check check;
    size_t pointer; // where in struct gabion_world or shape_table the address of the elements is
    size_t stride;  // size of an element
    size_t offset;  // of the field in an element
};

// Single numbers of the world, stored as attributes of `object`.
struct state_number {
    const char *object, *name;
    enum h5_type type;
    size_t offset;
};

extern const struct state_array checkpoint_arrays[];
extern const size_t checkpoint_array_count;
extern const struct state_number checkpoint_numbers[];
extern const size_t checkpoint_number_count;
extern const char *const checkpoint_groups[]; // HDF5 groups
extern const size_t checkpoint_group_count;

// An open file whose seal was verified.
struct checkpoint {
    struct h5_file file;
    char *case_text;
    double time, wall_time;
    uint64_t state_hash;
    struct gabion_world numbers; // only the members of checkpoint_numbers are set
};

size_t checkpoint_rows(const struct state *state, enum row_kind kind);
struct h5_rows checkpoint_view(const struct state *state, const struct state_array *array);

// io/checkpoint/shapes.c
struct shape_table shape_table_make(const struct bodies *bodies);
struct shape_table shape_table_reserve(const size_t sizes[ROWS_KINDS]);
void shape_table_free(struct shape_table *shapes);
// Builds the polyhedra and clumps that a file described into those of `bodies`; nothing in the
// table is believed. `path` is for the error.
bool shape_table_restore(const struct shape_table *shapes, struct bodies *bodies, const char *path,
                         struct gabion_error *error);

// Hashes the finished file and fills in its first bytes.
bool checkpoint_seal(const char *path, struct gabion_error *error);
bool checkpoint_verify(const char *path, struct gabion_error *error);

// Steps of the files checkpoint-<digits>.h5 of a folder, oldest first; free with memory_free.
int64_t *checkpoint_list(const char *directory, size_t *count, struct gabion_error *error);
bool checkpoint_name(const char *directory, int64_t step, char *path, size_t size,
                     struct gabion_error *error);

#endif
