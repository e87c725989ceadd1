#include "io/checkpoint/format.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/contact/contacts.h"
#include "engine/contact/interfaces.h"
#include "parallel/memory.h"

// One array per property of the bodies ...
#define BODY(field)                                                                                \
    .pointer = offsetof(struct gabion_world, bodies.field),                                        \
    .stride = sizeof *((struct gabion_world *)0)->bodies.field, .offset = 0

// ... and arrays of structures elsewhere.
#define ELEMENT_OF(owner, array, element, field)                                                   \
    .pointer = offsetof(owner, array), .stride = sizeof(element), .offset = offsetof(element, field)
#define ELEMENT(array, element, field) ELEMENT_OF(struct gabion_world, array, element, field)

#define HALF_SPACE(field) ELEMENT(bodies.half_spaces, struct half_space, field)
#define HOLLOW(field)     ELEMENT(bodies.hollows, struct hollow, field)
#define MEMORY(field)     ELEMENT_OF(struct contacts, memory, struct contact_memory, field)
#define PENDING(field)    ELEMENT(pending, struct pending_body, field)
#define DRIVEN(field)     ELEMENT(driven, struct driven_body, field)
#define INTERFACE(field)  ELEMENT_OF(struct interfaces, list, struct interface, field)
#define CORNER(field)     ELEMENT_OF(struct interfaces, corner, struct interface_corner, field)

#define JOINT(field) ELEMENT(joints.list, struct joint, field)

#define SHAPES(field)                                                                              \
    .pointer = offsetof(struct shape_table, field),                                                \
    .stride = sizeof *((struct shape_table *)0)->field, .offset = 0

_Static_assert(sizeof(bool) == 1 && sizeof(enum gabion_shape) == 4 && sizeof(int) == 4,
               "stored as they lie in memory");

// A member added to one of these needs a row in the tables below, and another format version.
_Static_assert(sizeof(struct ledger) == 96 && sizeof(struct joint) == 368 &&
                   sizeof(struct half_space) == 64 && sizeof(struct hollow) == 48 &&
                   sizeof(struct driven_body) == 64 && sizeof(struct pending_body) == 280 &&
                   sizeof(struct interface) == 40 && sizeof(struct interface_corner) == 48,
               "tables of the checkpoint format");

// Orientations are (w, x, y, z); inertia is along body axes; velocity and spin are in world axes.
// The memory of contacts of moving body k (index, not id) is rows start[k] to start[k + 1]; `body`
// is the index of the other one. Columns of a `pending` body are those of struct gabion_body.
// `start` has a row for every id up to that of the last polyhedron. Corners of an interface are
// those from `begin` on, in the own axes of either body; corners of polyhedra are in theirs, and
// `centre` and `axes` lead back to the frame they were drawn in. Faces have their corners
// counter-clockwise seen from outside, counted from 0 in each polyhedron. Spheres of clumps are in
// the clump's own axes too; its volume and inertia are those of the body of density 1.
const struct state_array checkpoint_arrays[] = {
    {"bodies/id", "1", H5_TYPE_INT32, 1, ROWS_BODIES, VALUE_ID, BODY(id)},
    {"bodies/shape", "1", H5_TYPE_UINT8, 1, ROWS_BODIES, VALUE_SHAPE, BODY(shape)},
    {"bodies/shape_index", "1", H5_TYPE_INT32, 1, ROWS_BODIES, VALUE_SHAPE_INDEX,
     BODY(shape_index)},
    {"bodies/material", "1", H5_TYPE_UINT16, 1, ROWS_BODIES, VALUE_MATERIAL, BODY(material)},
    {"bodies/group", "1", H5_TYPE_UINT16, 1, ROWS_BODIES, VALUE_GROUP, BODY(group)},
    {"bodies/lock", "1", H5_TYPE_UINT8, 1, ROWS_BODIES, VALUE_LOCK, BODY(lock)},
    {"bodies/radius", "m", H5_TYPE_FLOAT64, 1, ROWS_BODIES, VALUE_NOT_NEGATIVE, BODY(radius)},
    {"bodies/mass", "kg", H5_TYPE_FLOAT64, 1, ROWS_BODIES, VALUE_NOT_NEGATIVE, BODY(mass)},
    {"bodies/inertia", "kg m2", H5_TYPE_FLOAT64, 3, ROWS_BODIES, VALUE_NOT_NEGATIVE, BODY(inertia)},
    {"bodies/position", "m", H5_TYPE_FLOAT64, 3, ROWS_BODIES, VALUE_FINITE, BODY(x)},
    {"bodies/orientation", "1", H5_TYPE_FLOAT64, 4, ROWS_BODIES, VALUE_FINITE, BODY(q)},
    {"bodies/velocity", "m/s", H5_TYPE_FLOAT64, 3, ROWS_BODIES, VALUE_FINITE, BODY(v)},
    {"bodies/spin", "rad/s", H5_TYPE_FLOAT64, 3, ROWS_BODIES, VALUE_FINITE, BODY(w)},

    {"half_spaces/normal", "1", H5_TYPE_FLOAT64, 3, ROWS_HALF_SPACES, VALUE_FINITE,
     HALF_SPACE(normal)},
    {"half_spaces/tangent", "1", H5_TYPE_FLOAT64, 3, ROWS_HALF_SPACES, VALUE_FINITE,
     HALF_SPACE(tangent)},
    {"half_spaces/extent", "m", H5_TYPE_FLOAT64, 2, ROWS_HALF_SPACES, VALUE_NOT_NEGATIVE,
     HALF_SPACE(extent)},

    {"hollows/axis", "1", H5_TYPE_FLOAT64, 3, ROWS_HOLLOWS, VALUE_FINITE, HOLLOW(axis)},
    {"hollows/radius", "m", H5_TYPE_FLOAT64, 1, ROWS_HOLLOWS, VALUE_NOT_NEGATIVE, HOLLOW(radius)},
    {"hollows/half_length", "m", H5_TYPE_FLOAT64, 1, ROWS_HOLLOWS, VALUE_NOT_NEGATIVE,
     HOLLOW(half_length)},
    {"hollows/ends", "1", H5_TYPE_UINT8, 1, ROWS_HOLLOWS, VALUE_FLAG, HOLLOW(ends)},

    {"contacts/start", "1", H5_TYPE_UINT32, 1, ROWS_STARTS, VALUE_ANY,
     .pointer = offsetof(struct contacts, memory_start), .stride = sizeof(uint32_t)},
    {"contacts/body", "1", H5_TYPE_INT32, 1, ROWS_MEMORY, VALUE_BODY, MEMORY(a)},
    {"contacts/feature", "1", H5_TYPE_UINT32, 1, ROWS_MEMORY, VALUE_ANY, MEMORY(feature)},
    {"contacts/point", "m", H5_TYPE_FLOAT64, 3, ROWS_MEMORY, VALUE_FINITE, MEMORY(point)},
    {"contacts/impulse", "N s", H5_TYPE_FLOAT64, 3, ROWS_MEMORY, VALUE_FINITE, MEMORY(impulse)},
    {"contacts/collision", "m/s", H5_TYPE_FLOAT64, 3, ROWS_COLLISIONS, VALUE_FINITE,
     .pointer = offsetof(struct contacts, memory_collision), .stride = sizeof(vec3)},

    {"pending/id", "1", H5_TYPE_INT32, 1, ROWS_PENDING, VALUE_ID, PENDING(id)},
    {"pending/shape", "1", H5_TYPE_UINT32, 1, ROWS_PENDING, VALUE_SHAPE, PENDING(body.shape)},
    {"pending/radius", "m", H5_TYPE_FLOAT64, 1, ROWS_PENDING, VALUE_NOT_NEGATIVE,
     PENDING(body.radius)},
    {"pending/normal", "1", H5_TYPE_FLOAT64, 3, ROWS_PENDING, VALUE_FINITE, PENDING(body.normal)},
    {"pending/tangent", "1", H5_TYPE_FLOAT64, 3, ROWS_PENDING, VALUE_FINITE, PENDING(body.tangent)},
    {"pending/extent", "m", H5_TYPE_FLOAT64, 2, ROWS_PENDING, VALUE_NOT_NEGATIVE,
     PENDING(body.extent)},
    {"pending/length", "m", H5_TYPE_FLOAT64, 1, ROWS_PENDING, VALUE_NOT_NEGATIVE,
     PENDING(body.length)},
    {"pending/ends", "1", H5_TYPE_UINT8, 1, ROWS_PENDING, VALUE_FLAG, PENDING(body.ends)},
    {"pending/position", "m", H5_TYPE_FLOAT64, 3, ROWS_PENDING, VALUE_FINITE,
     PENDING(body.position)},
    {"pending/orientation", "1", H5_TYPE_FLOAT64, 4, ROWS_PENDING, VALUE_FINITE,
     PENDING(body.orientation)},
    {"pending/velocity", "m/s", H5_TYPE_FLOAT64, 3, ROWS_PENDING, VALUE_FINITE,
     PENDING(body.velocity)},
    {"pending/spin", "rad/s", H5_TYPE_FLOAT64, 3, ROWS_PENDING, VALUE_FINITE, PENDING(body.spin)},
    {"pending/material", "1", H5_TYPE_INT32, 1, ROWS_PENDING, VALUE_MATERIAL,
     PENDING(body.material)},
    {"pending/group", "1", H5_TYPE_INT32, 1, ROWS_PENDING, VALUE_GROUP, PENDING(body.group)},
    {"pending/fixed", "1", H5_TYPE_UINT8, 1, ROWS_PENDING, VALUE_FLAG, PENDING(body.fixed)},
    {"pending/lock", "1", H5_TYPE_UINT32, 1, ROWS_PENDING, VALUE_LOCK, PENDING(body.lock)},
    {"pending/density", "kg/m3", H5_TYPE_FLOAT64, 1, ROWS_PENDING, VALUE_NOT_NEGATIVE,
     PENDING(body.density)},
    {"pending/mass", "kg", H5_TYPE_FLOAT64, 1, ROWS_PENDING, VALUE_NOT_NEGATIVE,
     PENDING(body.mass)},
    {"pending/inertia", "kg m2", H5_TYPE_FLOAT64, 3, ROWS_PENDING, VALUE_NOT_NEGATIVE,
     PENDING(body.inertia)},
    {"pending/polyhedron", "1", H5_TYPE_INT32, 1, ROWS_PENDING, VALUE_POLYHEDRON,
     PENDING(body.polyhedron)},
    {"pending/clump", "1", H5_TYPE_INT32, 1, ROWS_PENDING, VALUE_CLUMP, PENDING(body.clump)},
    {"pending/insert_time", "s", H5_TYPE_FLOAT64, 1, ROWS_PENDING, VALUE_NOT_NAN,
     PENDING(body.insert_time)},

    {"driven/id", "1", H5_TYPE_INT32, 1, ROWS_DRIVEN, VALUE_ID, DRIVEN(id)},
    {"driven/origin", "m", H5_TYPE_FLOAT64, 3, ROWS_DRIVEN, VALUE_FINITE, DRIVEN(origin)},
    {"driven/orientation", "1", H5_TYPE_FLOAT64, 4, ROWS_DRIVEN, VALUE_FINITE, DRIVEN(orientation)},

    {"start/position", "m", H5_TYPE_FLOAT64, 3, ROWS_BODY_STARTS, VALUE_FINITE, BODY(start_of)},

    {"interfaces/a", "1", H5_TYPE_INT32, 1, ROWS_INTERFACES, VALUE_ID, INTERFACE(a)},
    {"interfaces/b", "1", H5_TYPE_INT32, 1, ROWS_INTERFACES, VALUE_ID, INTERFACE(b)},
    {"interfaces/begin", "1", H5_TYPE_UINT32, 1, ROWS_INTERFACES, VALUE_ANY, INTERFACE(begin)},
    {"interfaces/corners", "1", H5_TYPE_UINT32, 1, ROWS_INTERFACES, VALUE_PATCH_SIZE,
     INTERFACE(corners)},
    {"interfaces/normal", "1", H5_TYPE_FLOAT64, 3, ROWS_INTERFACES, VALUE_FINITE,
     INTERFACE(normal)},
    {"interface_corners/in_a", "m", H5_TYPE_FLOAT64, 3, ROWS_INTERFACE_CORNERS, VALUE_FINITE,
     CORNER(in_a)},
    {"interface_corners/in_b", "m", H5_TYPE_FLOAT64, 3, ROWS_INTERFACE_CORNERS, VALUE_FINITE,
     CORNER(in_b)},

    {"joints/kind", "1", H5_TYPE_UINT32, 1, ROWS_JOINTS, VALUE_JOINT_KIND, JOINT(kind)},
    {"joints/first", "1", H5_TYPE_INT32, 1, ROWS_JOINTS, VALUE_JOINED, JOINT(id[0])},
    {"joints/second", "1", H5_TYPE_INT32, 1, ROWS_JOINTS, VALUE_JOINED, JOINT(id[1])},
    {"joints/collide", "1", H5_TYPE_UINT8, 1, ROWS_JOINTS, VALUE_FLAG, JOINT(collide)},
    {"joints/anchor_first", "m", H5_TYPE_FLOAT64, 3, ROWS_JOINTS, VALUE_FINITE,
     JOINT(side[0].anchor)},
    {"joints/frame_first", "1", H5_TYPE_FLOAT64, 9, ROWS_JOINTS, VALUE_FINITE,
     JOINT(side[0].frame)},
    {"joints/anchor_second", "m", H5_TYPE_FLOAT64, 3, ROWS_JOINTS, VALUE_FINITE,
     JOINT(side[1].anchor)},
    {"joints/frame_second", "1", H5_TYPE_FLOAT64, 9, ROWS_JOINTS, VALUE_FINITE,
     JOINT(side[1].frame)},
    {"joints/lever", "m", H5_TYPE_FLOAT64, 1, ROWS_JOINTS, VALUE_NOT_NEGATIVE, JOINT(lever)},
    {"joints/length", "m", H5_TYPE_FLOAT64, 1, ROWS_JOINTS, VALUE_NOT_NEGATIVE, JOINT(length)},
    {"joints/impulse", "N s", H5_TYPE_FLOAT64, 9, ROWS_JOINTS, VALUE_FINITE, JOINT(impulse)},

    {"polyhedra/corner_count", "1", H5_TYPE_UINT32, 1, ROWS_POLYHEDRA, VALUE_CORNER_COUNT,
     SHAPES(corner_count)},
    {"polyhedra/face_count", "1", H5_TYPE_UINT32, 1, ROWS_POLYHEDRA, VALUE_FACE_COUNT,
     SHAPES(face_count)},
    {"polyhedra/centre", "m", H5_TYPE_FLOAT64, 3, ROWS_POLYHEDRA, VALUE_FINITE, SHAPES(centre)},
    {"polyhedra/axes", "1", H5_TYPE_FLOAT64, 4, ROWS_POLYHEDRA, VALUE_FINITE, SHAPES(axes)},
    {"polyhedra/face_size", "1", H5_TYPE_UINT32, 1, ROWS_FACES, VALUE_FACE_SIZE, SHAPES(face_size)},
    {"polyhedra/corner", "m", H5_TYPE_FLOAT64, 3, ROWS_CORNERS, VALUE_FINITE, SHAPES(corner)},
    {"polyhedra/face_corner", "1", H5_TYPE_INT32, 1, ROWS_FACE_CORNERS, VALUE_CORNER,
     SHAPES(face_corner)},

    {"clumps/sphere_count", "1", H5_TYPE_UINT32, 1, ROWS_CLUMPS, VALUE_SPHERE_COUNT,
     SHAPES(sphere_count)},
    {"clumps/volume", "m3", H5_TYPE_FLOAT64, 1, ROWS_CLUMPS, VALUE_NOT_NEGATIVE,
     SHAPES(clump_volume)},
    {"clumps/inertia", "m5", H5_TYPE_FLOAT64, 3, ROWS_CLUMPS, VALUE_NOT_NEGATIVE,
     SHAPES(clump_inertia)},
    {"clumps/centre", "m", H5_TYPE_FLOAT64, 3, ROWS_CLUMPS, VALUE_FINITE, SHAPES(clump_centre)},
    {"clumps/axes", "1", H5_TYPE_FLOAT64, 4, ROWS_CLUMPS, VALUE_FINITE, SHAPES(clump_axes)},
    {"clumps/sphere", "m", H5_TYPE_FLOAT64, 3, ROWS_CLUMP_SPHERES, VALUE_FINITE, SHAPES(sphere)},
    {"clumps/sphere_radius", "m", H5_TYPE_FLOAT64, 1, ROWS_CLUMP_SPHERES, VALUE_NOT_NEGATIVE,
     SHAPES(sphere_radius)},
};
const size_t checkpoint_array_count = sizeof checkpoint_arrays / sizeof *checkpoint_arrays;

#define NUMBER(object, name, type, field)                                                          \
    { object, name, type, offsetof(struct gabion_world, field) }
#define LEDGER(name, field) NUMBER("ledger", name, H5_TYPE_FLOAT64, ledger.field)
#define RUN(field)          NUMBER("run", #field, H5_TYPE_INT64, run.field)
#define REPORT(field, type) NUMBER("last_step", #field, type, report.field)

const struct state_number checkpoint_numbers[] = {
    NUMBER("/", "step", H5_TYPE_INT64, step),
    NUMBER("/", "rest_since", H5_TYPE_FLOAT64, rest_since),
    NUMBER("bodies", "moving", H5_TYPE_INT32, bodies.moving),
    NUMBER("bodies", "id_count", H5_TYPE_INT32, bodies.id_count),
    LEDGER("kinetic_energy", kinetic),
    LEDGER("potential_energy", potential),
    LEDGER("contact_work", contact_work),
    LEDGER("joint_work", joint_work),
    LEDGER("driver_work", driver_work),
    LEDGER("applied_work", applied_work),
    LEDGER("theta_work", theta_work),
    LEDGER("projection_work", projection_work),
    LEDGER("removed_energy", removed_energy),
    LEDGER("energy_error", energy_error),
    LEDGER("turnover", turnover),
    // Not state, but the summary of a resumed run is that of the whole run.
    RUN(steps),
    RUN(unconverged_steps),
    RUN(local_fallbacks),
    RUN(sweeps),
    RUN(contact_sweeps),
    REPORT(bodies, H5_TYPE_INT32),
    REPORT(candidates, H5_TYPE_INT64),
    REPORT(contacts, H5_TYPE_INT64),
    REPORT(sweeps, H5_TYPE_INT32),
    REPORT(colours, H5_TYPE_INT32),
    REPORT(converged, H5_TYPE_UINT8),
    REPORT(residual, H5_TYPE_FLOAT64),
    REPORT(residual_fclib, H5_TYPE_FLOAT64),
    REPORT(max_overlap, H5_TYPE_FLOAT64),
    REPORT(max_overlap_relative, H5_TYPE_FLOAT64),
    REPORT(mean_overlap, H5_TYPE_FLOAT64),
    REPORT(joint_error, H5_TYPE_FLOAT64),
    REPORT(max_speed, H5_TYPE_FLOAT64),
};
const size_t checkpoint_number_count = sizeof checkpoint_numbers / sizeof *checkpoint_numbers;

const char *const checkpoint_groups[] = {
    "bodies",  "hollows",   "clumps", "half_spaces", "contacts",
    "pending", "driven",    "start",  "interfaces",  "interface_corners",
    "joints",  "polyhedra", "groups", "materials",   "ledger",
    "run",     "last_step",
};
const size_t checkpoint_group_count = sizeof checkpoint_groups / sizeof *checkpoint_groups;

size_t checkpoint_rows(const struct state *state, enum row_kind kind) {
    const struct gabion_world *world = state->world;
    const struct bodies *bodies = &world->bodies;
    const struct contacts *contacts = world->contacts;
    switch (kind) {
    case ROWS_BODIES:
        return (size_t)bodies->count;
    case ROWS_HALF_SPACES:
        return bodies->half_space_count;
    case ROWS_HOLLOWS:
        return bodies->hollow_count;
    case ROWS_STARTS:
        return contacts->start_capacity > (size_t)bodies->moving ? (size_t)bodies->moving + 1 : 0;
    case ROWS_MEMORY:
        return contacts->memory_count;
    case ROWS_COLLISIONS:
        return contacts->memory_collision ? contacts->memory_count : 0;
    case ROWS_PENDING:
        return (size_t)world->pending_count;
    case ROWS_DRIVEN:
        return (size_t)world->driven_count;
    case ROWS_BODY_STARTS:
        return bodies->start_count;
    case ROWS_INTERFACES:
        return world->interfaces->count;
    case ROWS_INTERFACE_CORNERS:
        return world->interfaces->corner_count;
    case ROWS_JOINTS:
        return (size_t)world->joints.count;
    case ROWS_POLYHEDRA:
        return state->shapes.polyhedra;
    case ROWS_FACES:
        return state->shapes.faces;
    case ROWS_CORNERS:
        return state->shapes.corners;
    case ROWS_FACE_CORNERS:
        return state->shapes.face_corners;
    case ROWS_CLUMPS:
        return state->shapes.clumps;
    case ROWS_CLUMP_SPHERES:
        return state->shapes.spheres;
    case ROWS_KINDS:
        break;
    }
    return 0;
}

struct h5_rows checkpoint_view(const struct state *state, const struct state_array *array) {
    struct h5_rows rows = {
        .name = array->name,
        .unit = array->unit,
        .type = array->type,
        .columns = array->columns,
        .count = checkpoint_rows(state, array->rows),
        .stride = array->stride,
    };
    const char *owner = (const char *)state->world;
    if (array->rows >= ROWS_POLYHEDRA)
        owner = (const char *)&state->shapes;
    else if (array->rows >= ROWS_STARTS && array->rows <= ROWS_COLLISIONS)
        owner = (const char *)state->world->contacts;
    else if (array->rows >= ROWS_INTERFACES && array->rows <= ROWS_INTERFACE_CORNERS)
        owner = (const char *)state->world->interfaces;
    // The address is copied as bytes because each of them has a type of its own.
    memcpy(&rows.base, owner + array->pointer, sizeof rows.base);
    if (rows.base)
        rows.base += array->offset;
    return rows;
}

bool checkpoint_name(const char *directory, int64_t step, char *path, size_t size,
                     struct gabion_error *error) {
    int length = snprintf(path, size, "%s/checkpoint-%09" PRId64 ".h5", directory, step);
    if (length < 0 || (size_t)length >= size)
        return error_set(error, GABION_ERROR_INPUT, "%s: folder name too long", directory);
    return true;
}

// -1: not the name that checkpoint_name gives to a step.
static int64_t name_step(const char *name) {
    static const char prefix[] = "checkpoint-", suffix[] = ".h5";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return -1;
    const char *digits = name + sizeof prefix - 1;
    size_t length = strspn(digits, "0123456789");
    if (length < 9 || length > 18 || strcmp(digits + length, suffix) != 0)
        return -1;
    return length > 9 && digits[0] == '0' ? -1 : strtoll(digits, NULL, 10);
}

static int compare_steps(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

int64_t *checkpoint_list(const char *directory, size_t *count, struct gabion_error *error) {
    DIR *folder = opendir(directory);
    if (!folder) {
        error_set(error, GABION_ERROR_INPUT, "%s: %s", directory, strerror(errno));
        return NULL;
    }
    size_t capacity = 0;
    int64_t *steps = memory_reserve(NULL, &capacity, 16, sizeof *steps, "checkpoint names");
    *count = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        int64_t step = name_step(entry->d_name);
        if (step < 0)
            continue;
        steps = memory_reserve(steps, &capacity, *count + 1, sizeof *steps, "checkpoint names");
        steps[(*count)++] = step;
    }
    closedir(folder);
    qsort(steps, *count, sizeof *steps, compare_steps);
    return steps;
}
