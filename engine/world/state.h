// The state of a run as a table of fields: the hash covers it, checkpoints store it, frames show
// some of it, and arrays of bodies grow and are sorted by it.
//
// The table has parts. A part is a list of fields that have the same rows: one row for each body,
// for each joint, or a single row. Each room describes the parts that it owns; engine/api/state.h
// lists them all. A member added to a structure of the state needs a line here and nowhere else.
#ifndef ENGINE_WORLD_STATE_H
#define ENGINE_WORLD_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum state_type {
    STATE_UINT8,
    STATE_UINT16,
    STATE_INT32,
    STATE_UINT32,
    STATE_INT64,
    STATE_FLOAT64,
};

// The condition that a value read from a file must satisfy before the engine may use it.
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
    VALUE_COMPOUND,    // likewise
    VALUE_PART_COUNT,  // of a compound
    VALUE_SPHERE_COUNT,
    VALUE_CORNER_COUNT,
    VALUE_FACE_COUNT,
    VALUE_FACE_SIZE,
    VALUE_PATCH_SIZE,
    VALUE_CORNER, // of a polyhedron
    VALUE_LOCK,
    VALUE_FLAG,
};

// Bits of state_field.flags.
enum state_flag {
    STATE_JOINED = 1,   // hashed in one piece with the field before it
    STATE_FRAMED = 2,   // in frames too
    STATE_UNSTORED = 4, // hashed, but files have it in another form
    STATE_LATER = 8,    // earlier minor versions of files do not have it: zero, or no rows
};

struct state_field {
    const char *name; // as in files: group/dataset, or the attribute of a single row
    const char *unit; // NULL: attributes have none
    enum state_type type;
    int columns;
    enum value_check check;
    size_t pointer; // where in the owner the address of the rows is; not used by a single row
    size_t stride;  // bytes from row to row
    size_t offset;  // of the field in a row
    unsigned flags; // enum state_flag bits
};

// How a part enters the hash. The hash depends on where its pieces begin and end.
enum state_hash {
    STATE_HASH_NONE,
    STATE_HASH_FIELDS, // a piece for each field, of all its rows
    STATE_HASH_TABLE,  // one piece: the rows have no padding
    STATE_HASH_ROWS,   // row by row, a piece for each field and those joined to it
};

struct state; // engine/world/world_state.h
struct bodies;

struct state_part {
    const char *group; // in files; "/": the root
    const struct state_field *field;
    size_t fields;
    enum state_hash hash;
    size_t most;                             // rows that there can be
    void *(*owner)(const struct state *);    // what holds the addresses of the rows
    size_t (*rows)(const struct state *);    // NULL: a single row, in the owner itself
    void (*reserve)(struct state *, size_t); // frees the rows and makes room for others
    bool (*hashed)(const struct state *);    // NULL: always
    uint64_t (*hash_shapes)(uint64_t, const struct bodies *); // instead of `hash`
};

#define STATE_FIELDS(array) .field = (array), .fields = sizeof(array) / sizeof *(array)

// The last members of a field: an array in the owner, one element per row ...
#define STATE_ARRAY(owner, array)                                                                  \
    .pointer = offsetof(owner, array), .stride = sizeof *((owner *)0)->array, .offset = 0
// ... a member of the structures of such an array ...
#define STATE_ELEMENT(owner, array, element, member)                                               \
    .pointer = offsetof(owner, array), .stride = sizeof(element),                                  \
    .offset = offsetof(element, member)
// ... a member of the owner itself.
#define STATE_NUMBER(owner, member) .offset = offsetof(owner, member)

// Type and columns of the usual fields.
#define STATE_INTEGER    STATE_INT32, 1
#define STATE_COUNT      STATE_UINT32, 1
#define STATE_BYTE       STATE_UINT8, 1
#define STATE_REAL       STATE_FLOAT64, 1
#define STATE_VECTOR     STATE_FLOAT64, 3
#define STATE_QUATERNION STATE_FLOAT64, 4
#define STATE_MATRIX     STATE_FLOAT64, 9

size_t state_type_size(enum state_type type);

// Returns an integer of the type; not for STATE_FLOAT64.
int64_t state_integer(enum state_type type, const void *value);

size_t state_rows(const struct state_part *part, const struct state *state);

// Returns where the field of row 0 is; NULL where there are no rows.
char *state_address(const struct state_part *part, const struct state_field *field,
                    const struct state *state);

uint64_t state_hash_part(uint64_t hash, const struct state_part *part, const struct state *state);

// The address of the rows of a field. It is copied as bytes because each array has its own type.
static inline void *state_array(const void *owner, const struct state_field *field) {
    void *array;
    memcpy(&array, (const char *)owner + field->pointer, sizeof array);
    return array;
}

static inline void state_set_array(void *owner, const struct state_field *field, void *array) {
    memcpy((char *)owner + field->pointer, &array, sizeof array);
}

// For owners that have an array for each field.
void state_allocate_arrays(const struct state_part *part, void *owner, size_t rows);
void state_free_arrays(const struct state_part *part, void *owner);

#endif
