// From a file whose bytes are as they were written to a world: still nothing is believed that could
// make the engine read or write outside its arrays.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/contact/contacts.h"
#include "engine/contact/interfaces.h"
#include "geometry/patch.h"
#include "io/checkpoint/format.h"
#include "parallel/memory.h"

static bool damaged(const struct checkpoint *checkpoint, struct gabion_error *error,
                    const char *name, size_t row, const char *what) {
    return error_set(error, GABION_ERROR_INPUT, "%s: damaged: dataset '%s', row %zu: %s",
                     checkpoint->file.path, name, row, what);
}

// ---- names ----

static bool restore_name(const struct checkpoint *checkpoint, struct gabion_world *world, int k,
                         const char *name, struct gabion_error *error) {
    bool same = k < world->groups.count ? strcmp(world->groups.name[k], name) == 0
                                        : gabion_add_group(world, name, error) == k;
    return same || damaged(checkpoint, error, CHECKPOINT_GROUP_NAMES, (size_t)k,
                           "the group has another number in this run, or is named twice");
}

static bool restore_groups(const struct checkpoint *checkpoint, struct gabion_world *world,
                           struct gabion_error *error) {
    size_t count = 0, size = 0;
    char *names = h5_read_strings(&checkpoint->file, CHECKPOINT_GROUP_NAMES, &count, &size, error);
    if (!names)
        return false;
    bool good = count <= UINT16_MAX && count >= (size_t)world->groups.count;
    if (!good)
        error_set(error, GABION_ERROR_INPUT, "%s: dataset '%s' has %zu names; this run has %d",
                  checkpoint->file.path, CHECKPOINT_GROUP_NAMES, count, world->groups.count);
    for (size_t k = 0; good && k < count; k++)
        good = restore_name(checkpoint, world, (int)k, names + k * size, error);
    memory_free(names);
    return good;
}

static bool check_materials(const struct checkpoint *checkpoint, const struct gabion_world *world,
                            struct gabion_error *error) {
    size_t count = 0, size = 0;
    char *names =
        h5_read_strings(&checkpoint->file, CHECKPOINT_MATERIAL_NAMES, &count, &size, error);
    if (!names)
        return false;
    bool good = count == (size_t)world->materials.count;
    for (size_t k = 0; good && k < count; k++)
        good = strcmp(names + k * size, world->materials.name[k]) == 0;
    memory_free(names);
    return good || error_set(error, GABION_ERROR_INPUT,
                             "%s: the materials are not those of the case", checkpoint->file.path);
}

// ---- sizes ----

// Rows that a file has of each part.
struct sizes {
    size_t rows[STATE_PARTS];
};

static size_t rows_of(const struct sizes *sizes, const struct state_part *part) {
    for (size_t k = 0; k < STATE_PARTS; k++)
        if (state_parts[k] == part)
            return sizes->rows[k];
    return 0;
}

// A checkpoint has every field but those that came with a later version, a frame some of them.
static bool is_stored(const struct checkpoint *checkpoint, const struct state_part *part,
                      const struct state_field *field) {
    if (part->later && !h5_exists(&checkpoint->file, part->group))
        return false;
    if (checkpoint->frame)
        return checkpoint_has(checkpoint, field) && h5_exists(&checkpoint->file, field->name);
    return !(field->flags & STATE_LATER) || h5_exists(&checkpoint->file, CHECKPOINT_LATER);
}

static bool find_rows(const struct checkpoint *checkpoint, const struct state *state,
                      const struct state_part *part, size_t *count, struct gabion_error *error) {
    bool found = false;
    for (size_t k = 0; k < part->fields; k++) {
        struct h5_rows rows = checkpoint_view(state, part, &part->field[k]);
        if (!is_stored(checkpoint, part, &part->field[k]))
            continue;
        if (!h5_find_rows(&checkpoint->file, &rows, error))
            return false;
        if (found && rows.count != *count)
            return error_set(error, GABION_ERROR_INPUT,
                             "%s: damaged: dataset '%s' has %zu rows where others have %zu",
                             checkpoint->file.path, rows.name, rows.count, *count);
        *count = rows.count;
        found = true;
    }
    return *count <= part->most ||
           error_set(error, GABION_ERROR_INPUT, "%s: damaged: more rows than there can be",
                     checkpoint->file.path);
}

static bool find_sizes(const struct checkpoint *checkpoint, const struct state *state,
                       struct sizes *sizes, struct gabion_error *error) {
    for (size_t k = 0; k < STATE_PARTS; k++)
        if (state_parts[k]->rows &&
            !find_rows(checkpoint, state, state_parts[k], &sizes->rows[k], error))
            return false;
    return true;
}

static bool check_sizes(const struct checkpoint *checkpoint, const struct sizes *sizes,
                        struct gabion_error *error) {
    int64_t moving = checkpoint->numbers.bodies.moving, ids = checkpoint->numbers.bodies.id_count;
    size_t bodies = rows_of(sizes, &state_bodies), waiting = rows_of(sizes, &state_pending);
    size_t starts = rows_of(sizes, &state_contact_starts);
    size_t memory = rows_of(sizes, &state_contact_memory);
    size_t collisions = rows_of(sizes, &state_contact_collisions);
    const char *wrong = NULL;
    if (moving < 0 || moving > (int64_t)bodies)
        wrong = "attribute 'bodies/moving' is not a number of bodies";
    else if (ids < (int64_t)(bodies + waiting))
        wrong = "attribute 'bodies/id_count' is less than the number of bodies";
    else if (ids < (int64_t)rows_of(sizes, &state_body_starts))
        wrong = "dataset 'start/position' has more rows than there are ids";
    else if (!checkpoint->frame && ids > (int64_t)(rows_of(sizes, &state_body_starts) + waiting))
        wrong = "attribute 'bodies/id_count' is more than the bodies that have entered or wait";
    else if (checkpoint->frame && ids > INT32_MAX / 2)
        wrong = "attribute 'bodies/id_count' is more than there can be";
    else if (starts != (size_t)moving + 1 && (starts != 0 || memory != 0))
        wrong = "dataset 'contacts/start' should have one row more than there are moving bodies";
    else if (rows_of(sizes, &state_pending_compounds) != waiting &&
             is_stored(checkpoint, &state_pending_compounds, state_pending_compounds.field))
        wrong = "dataset 'pending/compound' should have a row for each waiting body";
    else if (rows_of(sizes, &state_pending_surfaces) != waiting &&
             is_stored(checkpoint, &state_pending_surfaces, state_pending_surfaces.field))
        wrong = "dataset 'pending/surface' should have a row for each waiting body";
    else if (collisions != 0 && collisions != memory)
        wrong = "dataset 'contacts/collision' should have a row for each contact, or none";
    return !wrong ||
           error_set(error, GABION_ERROR_INPUT, "%s: damaged: %s", checkpoint->file.path, wrong);
}

// The arrays are allocated one after the other; together they must fit.
static bool check_room(const struct checkpoint *checkpoint, const struct sizes *sizes,
                       struct gabion_error *error) {
    double bytes = (double)checkpoint->numbers.bodies.id_count * sizeof(int32_t);
    for (size_t k = 0; k < STATE_PARTS; k++)
        for (size_t f = 0; state_parts[k]->rows && f < state_parts[k]->fields; f++) {
            const struct state_field *field = &state_parts[k]->field[f];
            bytes += (double)sizes->rows[k] * field->columns * (double)state_type_size(field->type);
        }
    return memory_check(bytes, "its state", error) ||
           error_context(error, "%s", checkpoint->file.path);
}

static void make_room(const struct checkpoint *checkpoint, struct state *state,
                      const struct sizes *sizes) {
    for (size_t k = 0; k < STATE_PARTS; k++)
        if (state_parts[k]->rows)
            state_parts[k]->reserve(state, sizes->rows[k]);
    struct bodies *bodies = &state->world->bodies;
    bodies->moving = checkpoint->numbers.bodies.moving;
    bodies->id_count = checkpoint->numbers.bodies.id_count;
    bodies->index_of = memory_reserve(NULL, &bodies->id_capacity, (size_t)bodies->id_count,
                                      sizeof *bodies->index_of, "body ids");
    for (int32_t id = 0; id < bodies->id_count; id++)
        bodies->index_of[id] = -1;
}

// ---- values ----

struct value_context {
    const struct checkpoint *checkpoint;
    const struct state *state;
    const struct state_field *field;
};

// The number of things that can be pointed at.
static int64_t value_limit(const struct state *state, enum value_check check) {
    const struct gabion_world *world = state->world;
    int64_t polyhedra = (int64_t)state->shapes.polyhedra, clumps = (int64_t)state->shapes.clumps;
    switch (check) {
    case VALUE_ID:
    case VALUE_JOINED:
        return world->bodies.id_count;
    case VALUE_JOINT_KIND:
        return GABION_JOINT_COUNT;
    case VALUE_BODY:
        return world->bodies.count;
    case VALUE_MATERIAL:
        return world->materials.count;
    case VALUE_GROUP:
        return world->groups.count;
    case VALUE_SHAPE:
        return GABION_SHAPE_COUNT;
    case VALUE_SHAPE_INDEX:
        return INT32_MAX; // bodies_shape_fits knows better
    case VALUE_POLYHEDRON:
        return polyhedra > 0 ? polyhedra : 1; // 0 where it means nothing
    case VALUE_CLUMP:
        return clumps > 0 ? clumps : 1;
    case VALUE_COMPOUND:
        return state->shapes.compounds > 0 ? (int64_t)state->shapes.compounds : 1;
    case VALUE_PART_COUNT:
        return COMPOUND_PARTS_MAX + 1;
    case VALUE_SURFACE:
        return state->shapes.surfaces > 0 ? (int64_t)state->shapes.surfaces : 1;
    case VALUE_POINT_COUNT:
        return (int64_t)state->shapes.points + 1;
    case VALUE_TRIANGLE_COUNT:
        return (int64_t)state->shapes.triangles + 1;
    case VALUE_POINT:
        return (int64_t)state->shapes.points;
    case VALUE_SPHERE_COUNT:
        return CLUMP_SPHERES_MAX + 1;
    case VALUE_CORNER_COUNT:
    case VALUE_FACE_COUNT:
        return POLYHEDRON_CORNERS_MAX + 1;
    case VALUE_FACE_SIZE:
        return POLYHEDRON_FACE_MAX + 1;
    case VALUE_PATCH_SIZE:
        return PATCH_POINTS_MAX + 1;
    case VALUE_CORNER:
        return POLYHEDRON_CORNERS_MAX;
    case VALUE_LOCK:
        return 2 * GABION_LOCK_RZ;
    case VALUE_FLAG:
        return 2;
    default:
        return INT64_MAX;
    }
}

static int64_t value_least(enum value_check check) {
    switch (check) {
    case VALUE_SHAPE_INDEX:
    case VALUE_JOINED:
        return -1;
    case VALUE_SPHERE_COUNT:
    case VALUE_TRIANGLE_COUNT:
        return 1;
    case VALUE_CORNER_COUNT:
    case VALUE_FACE_COUNT:
        return 4;
    case VALUE_FACE_SIZE:
    case VALUE_PATCH_SIZE:
    case VALUE_POINT_COUNT:
        return 3;
    default:
        return 0;
    }
}

static bool check_integers(const void *context, const struct h5_rows *rows, const void *block,
                           size_t first, size_t count, struct gabion_error *error) {
    const struct value_context *value = context;
    const struct state_field *field = value->field;
    if (field->check == VALUE_ANY)
        return true;
    int64_t low = value_least(field->check);
    int64_t limit = value_limit(value->state, field->check);
    size_t size = state_type_size(field->type);
    for (size_t k = 0; k < count; k++) {
        int64_t integer = state_integer(field->type, (const char *)block + k * size);
        if (integer < low || integer >= limit)
            return error_set(error, GABION_ERROR_INPUT,
                             "%s: damaged: dataset '%s', row %zu: %" PRId64
                             " is not between %" PRId64 " and %" PRId64,
                             value->checkpoint->file.path, rows->name, first + k, integer, low,
                             limit - 1);
    }
    return true;
}

static bool check_reals(const void *context, const struct h5_rows *rows, const void *block,
                        size_t first, size_t count, struct gabion_error *error) {
    const struct value_context *value = context;
    enum value_check check = value->field->check;
    const double *real = block;
    size_t columns = (size_t)rows->columns;
    for (size_t k = 0; k < count * columns; k++) {
        bool good = check == VALUE_NOT_NAN ? !isnan(real[k]) : isfinite(real[k]);
        if (!good)
            return damaged(value->checkpoint, error, rows->name, first + k / columns,
                           "not a finite number");
        if (check == VALUE_NOT_NEGATIVE && real[k] < 0)
            return damaged(value->checkpoint, error, rows->name, first + k / columns,
                           "a negative number");
    }
    return true;
}

static void clear_rows(const struct h5_rows *rows) {
    size_t size = (size_t)rows->columns * h5_type_size(rows->type);
    for (size_t k = 0; k < rows->count; k++)
        memset(rows->base + k * rows->stride, 0, size);
}

static bool restore_part(const struct checkpoint *checkpoint, const struct state *state,
                         const struct state_part *part, struct gabion_error *error) {
    for (size_t k = 0; k < part->fields; k++) {
        const struct state_field *field = &part->field[k];
        struct value_context context = {checkpoint, state, field};
        struct h5_rows rows = checkpoint_view(state, part, field);
        if (!is_stored(checkpoint, part, field)) {
            clear_rows(&rows);
            continue;
        }
        h5_check check = field->type == STATE_FLOAT64 ? check_reals : check_integers;
        if (!h5_read_rows(&checkpoint->file, &rows, check, &context, error))
            return false;
    }
    return true;
}

static bool restore_rows(const struct checkpoint *checkpoint, const struct state *state,
                         struct gabion_error *error) {
    for (size_t k = 0; k < STATE_PARTS; k++)
        if (state_parts[k]->rows && !restore_part(checkpoint, state, state_parts[k], error))
            return false;
    return true;
}

static bool restore_shapes(const struct checkpoint *checkpoint, const struct state *state,
                           struct gabion_error *error) {
    return flat_shapes_restore(&state->shapes, &state->world->bodies, error) ||
           error_context(error, "%s: damaged", checkpoint->file.path);
}

// ---- what must agree between arrays ----

static bool check_bodies(const struct checkpoint *checkpoint, struct gabion_world *world,
                         struct gabion_error *error) {
    struct bodies *bodies = &world->bodies;
    for (int32_t i = 0; i < bodies->count; i++) {
        size_t row = (size_t)i;
        if (!bodies_shape_fits(bodies, i))
            return damaged(checkpoint, error, "bodies/shape_index", row, "does not fit the shape");
        if (!bodies_has_start(bodies, i))
            return damaged(checkpoint, error, "bodies/id", row, "no row in start/position");
        if (i < bodies->moving && (bodies_is_wall(bodies, i) || !(bodies->mass[i] > 0)))
            return damaged(checkpoint, error, "bodies/mass", row, "a moving body without mass");
        if (bodies->index_of[bodies->id[i]] >= 0)
            return damaged(checkpoint, error, "bodies/id", row, "two bodies with one id");
        bodies->index_of[bodies->id[i]] = i;
    }
    for (int k = 0; k < world->pending_count; k++) {
        const struct shape_kind *shape = &shape_kinds[world->pending[k].body.shape];
        if (bodies->index_of[world->pending[k].id] >= 0)
            return damaged(checkpoint, error, "pending/id", (size_t)k, "the body is in the run");
        if (shape->shared && shape->count(bodies) == 0)
            return damaged(checkpoint, error, "pending/shape", (size_t)k,
                           "there is no shape of this kind");
    }
    return true;
}

// A frame has no tables of walls, so that the indices of walls lead nowhere.
static bool check_framed_bodies(const struct checkpoint *checkpoint, struct gabion_world *world,
                                struct gabion_error *error) {
    struct bodies *bodies = &world->bodies;
    for (int32_t i = 0; i < bodies->count; i++) {
        size_t row = (size_t)i;
        if (!bodies_is_wall(bodies, i) && !bodies_shape_fits(bodies, i))
            return damaged(checkpoint, error, "bodies/shape_index", row, "does not fit the shape");
        if (bodies->index_of[bodies->id[i]] >= 0)
            return damaged(checkpoint, error, "bodies/id", row, "two bodies with one id");
        bodies->index_of[bodies->id[i]] = i;
    }
    return true;
}

static bool check_interfaces(const struct checkpoint *checkpoint, const struct gabion_world *world,
                             struct gabion_error *error) {
    const struct interfaces *interfaces = world->interfaces;
    size_t next = 0;
    for (size_t k = 0; k < interfaces->count; k++) {
        const struct interface *interface = &interfaces->list[k];
        if (interface->a >= interface->b)
            return damaged(checkpoint, error, "interfaces/a", k, "not below its partner");
        if (interface->begin != next || interface->corners > interfaces->corner_count - next)
            return damaged(checkpoint, error, "interfaces/begin", k, "out of order");
        next += interface->corners;
    }
    return true;
}

static bool check_joints(const struct checkpoint *checkpoint, const struct gabion_world *world,
                         struct gabion_error *error) {
    const struct joints *joints = &world->joints;
    for (int k = 0; k < joints->count; k++)
        if (joints->list[k].id[0] < 0 || joints->list[k].id[0] == joints->list[k].id[1])
            return damaged(checkpoint, error, "joints/first", (size_t)k, "not a pair of bodies");
    return true;
}

// Antagonists come after their candidate, and the memory of each body lies behind the last one's.
static bool check_memory(const struct checkpoint *checkpoint, const struct state *state,
                         struct gabion_error *error) {
    const struct contacts *contacts = state->world->contacts;
    const uint32_t *start = contacts->memory_start;
    size_t starts = state_rows(&state_contact_starts, state);
    if (starts > 0 && (start[0] != 0 || start[starts - 1] != contacts->memory_count))
        return damaged(checkpoint, error, "contacts/start", starts - 1,
                       "does not fit the number of contacts");
    for (size_t c = 0; c + 1 < starts; c++) {
        if (start[c] > start[c + 1] || start[c + 1] > contacts->memory_count)
            return damaged(checkpoint, error, "contacts/start", c + 1, "out of order");
        for (uint32_t k = start[c]; k < start[c + 1]; k++)
            if ((size_t)contacts->memory[k].a <= c)
                return damaged(checkpoint, error, "contacts/body", k, "out of order");
    }
    return true;
}

static void restore_numbers(const struct checkpoint *checkpoint, struct gabion_world *world) {
    struct state from = {.world = (struct gabion_world *)&checkpoint->numbers},
                 to = {.world = world};
    for (size_t k = 0; k < STATE_PARTS; k++)
        for (size_t f = 0; !state_parts[k]->rows && f < state_parts[k]->fields; f++) {
            const struct state_field *field = &state_parts[k]->field[f];
            if (!(field->flags & STATE_UNSTORED) && checkpoint_has(checkpoint, field))
                memcpy(state_address(state_parts[k], field, &to),
                       state_address(state_parts[k], field, &from), state_type_size(field->type));
        }
    world->report.overlap_body_a = world->report.overlap_body_b = -1; // files do not have them
    world->laws.complete = false;
    if (world->step > 0)
        contacts_void_list(world->contacts); // a checkpoint has their memory alone
}

static bool restore_state(const struct checkpoint *checkpoint, struct state *state,
                          struct gabion_error *error) {
    struct sizes sizes = {0};
    struct gabion_world *world = state->world;
    if (!find_sizes(checkpoint, state, &sizes, error) || !check_sizes(checkpoint, &sizes, error) ||
        !check_room(checkpoint, &sizes, error))
        return false;
    make_room(checkpoint, state, &sizes);
    return restore_rows(checkpoint, state, error) && restore_shapes(checkpoint, state, error) &&
           check_bodies(checkpoint, world, error) && check_memory(checkpoint, state, error) &&
           check_interfaces(checkpoint, world, error) && check_joints(checkpoint, world, error);
}

bool framed_restore(const struct checkpoint *frame, struct gabion_world *world,
                    struct gabion_error *error) {
    struct sizes sizes = {0};
    struct state state = {.world = world};
    struct memory_account *before = memory_account_use(world->account);
    bool good = find_sizes(frame, &state, &sizes, error) && check_room(frame, &sizes, error);
    if (good) {
        make_room(frame, &state, &sizes);
        good = restore_rows(frame, &state, error) && restore_shapes(frame, &state, error) &&
               check_framed_bodies(frame, world, error);
    }
    flat_shapes_free(&state.shapes);
    memory_account_use(before);
    return good;
}

// Times are products of the number and the length of the steps since the length last changed.
static bool check_time(const struct checkpoint *checkpoint, const struct gabion_world *world,
                       struct gabion_error *error) {
    const struct gabion_world *numbers = &checkpoint->numbers;
    double h = world->settings.step;
    double time = numbers->pace.time + (double)(numbers->step - numbers->pace.step) * h;
    return fabs(time - checkpoint->time) <= 1e-9 * fabs(checkpoint->time) ||
           error_set(error, GABION_ERROR_INPUT,
                     "%s: step %" PRId64 " is at t = %.9g s; with a time.step of %.9g s it would "
                     "be at %.9g s",
                     checkpoint->file.path, checkpoint->numbers.step, checkpoint->time, h, time);
}

bool checkpoint_fits(const struct checkpoint *checkpoint, const struct gabion_world *world,
                     struct gabion_error *error) {
    return check_materials(checkpoint, world, error) && check_time(checkpoint, world, error);
}

bool checkpoint_restore_parts(const struct checkpoint *checkpoint, struct gabion_world *world,
                              struct gabion_error *error) {
    struct state state = {.world = world};
    if (!check_materials(checkpoint, world, error) || !restore_groups(checkpoint, world, error))
        return false;
    bool restored = restore_state(checkpoint, &state, error);
    flat_shapes_free(&state.shapes);
    if (restored)
        restore_numbers(checkpoint, world);
    return restored;
}

static bool restore(const struct checkpoint *checkpoint, struct gabion_world *world,
                    struct gabion_error *error) {
    if (!checkpoint_restore_parts(checkpoint, world, error))
        return false;
    uint64_t hash = gabion_state_hash(world);
    // Versions before 0.2 hashed fewer fields of bodies that wait to enter.
    const char *waiting =
        world->pending_count > 0
            ? " (or, where Gabion 0.1 wrote it, with that version: bodies wait to "
              "enter, and their hash is another one now)"
            : "";
    return hash == checkpoint->state_hash ||
           error_set(error, GABION_ERROR_INPUT,
                     "%s: the restored state has hash %016" PRIx64 ", the stored one %016" PRIx64
                     "; go on from an earlier checkpoint%s",
                     checkpoint->file.path, hash, checkpoint->state_hash, waiting);
}

// What is restored belongs to the world's account, as if the world had made it itself.
bool checkpoint_restore(const struct checkpoint *checkpoint, struct gabion_world *world,
                        struct gabion_error *error) {
    struct memory_account *before = memory_account_use(world->account);
    bool restored = restore(checkpoint, world, error);
    memory_account_use(before);
    return restored;
}
