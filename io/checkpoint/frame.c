// Frames for analysis: one HDF5 file per chosen step, at full precision. Each step has a file of
// its own, because a file that grows is lost when the process is killed.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/contact/contacts.h"
#include "engine/contact/interfaces.h"
#include "engine/contact/shared.h"
#include "io/checkpoint/format.h"
#include "io/checkpoint/frame_rows.h"
#include "io/checkpoint/sealed.h"
#include "io/file/file.h"
#include "io/file/h5_shared.h"
#include "parallel/memory.h"
#include "parallel/ranks.h"

#define FORMAT_VERSION "2.2"
const struct seal_kind frame_kind = {"gabion-frame", "frame", FRAME_FORMAT_MAJOR,
                                     FRAME_FORMAT_MINOR};

#define CONTACT(dataset, unit_text, kind, width, field)                                            \
    {                                                                                              \
        .name = dataset, .unit = unit_text, .type = kind, .columns = width,                        \
        .count = contacts->count - first, .stride = sizeof(struct contact),                        \
        .base = contacts->list                                                                     \
                    ? (char *)(contacts->list + first) + offsetof(struct contact, field)           \
                    : NULL                                                                         \
    }

#define INTERFACE(dataset, unit_text, kind, width, field)                                          \
    {                                                                                              \
        .name = dataset, .unit = unit_text, .type = kind, .columns = width, .count = count,        \
        .stride = sizeof *interface,                                                               \
        .base = (char *)interface + offsetof(struct gabion_interface, field)                       \
    }

_Static_assert(sizeof(enum gabion_interface_status) == 4, "stored as it lies in memory");

// The contacts that this rank writes: all of them, or its own ones, the end of the list.
struct own_list {
    const struct gabion_world *world;
    const struct contact *list;
};

// Frames name bodies by id, because indices change from frame to frame.
static void gather_candidates(const void *context, size_t begin, size_t count, void *rows) {
    const struct own_list *own = context;
    for (size_t k = 0; k < count; k++)
        ((int32_t *)rows)[k] = own->world->bodies.id[own->list[begin + k].c];
}

static void gather_antagonists(const void *context, size_t begin, size_t count, void *rows) {
    const struct own_list *own = context;
    for (size_t k = 0; k < count; k++)
        ((int32_t *)rows)[k] = own->world->bodies.id[own->list[begin + k].a];
}

static void gather_points(const void *context, size_t begin, size_t count, void *rows) {
    const struct own_list *own = context;
    for (size_t k = 0; k < count; k++)
        ((vec3 *)rows)[k] = contacts_position(own->world, &own->list[begin + k]);
}

static bool write_all(const struct h5_file *file, const struct h5_rows *rows, size_t count,
                      struct gabion_error *error) {
    for (size_t k = 0; k < count; k++)
        if (!h5_write_rows(file, &rows[k], error))
            return false;
    return true;
}

static bool write_contacts(struct h5_file *file, const struct gabion_world *world,
                           struct gabion_error *error) {
    const struct contacts *contacts = world->contacts;
    size_t first = contacts_own_begin(contacts);
    struct own_list own = {world, contacts->list ? contacts->list + first : NULL};
    struct h5_rows candidate = CONTACT("contacts/candidate", "1", H5_TYPE_INT32, 1, c);
    struct h5_rows antagonist = CONTACT("contacts/antagonist", "1", H5_TYPE_INT32, 1, a);
    struct h5_rows point = CONTACT("contacts/point", "m", H5_TYPE_FLOAT64, 3, point);
    candidate.context = antagonist.context = point.context = &own;
    candidate.gather = gather_candidates;
    antagonist.gather = gather_antagonists;
    point.gather = gather_points;
    const struct h5_rows rows[] = {
        candidate,
        antagonist,
        point,
        CONTACT("contacts/status", "1", H5_TYPE_UINT8, 1, status),
        CONTACT("contacts/gap", "m", H5_TYPE_FLOAT64, 1, gap),
        CONTACT("contacts/normal", "1", H5_TYPE_FLOAT64, 3, normal),
        {.name = "contacts/impulse",
         .unit = "N s",
         .type = H5_TYPE_FLOAT64,
         .columns = 3,
         .count = contacts->count - first,
         .stride = sizeof *contacts->impulse,
         .base = contacts->impulse ? (char *)(contacts->impulse + first) : NULL},
    };
    size_t count = sizeof rows / sizeof *rows;
    if (!contacts_are_shared(contacts))
        return write_all(file, rows, count, error);
    for (size_t k = 0; k < count; k++)
        if (!h5_write_shared_rows(file, &rows[k], error))
            return false;
    return true;
}

static bool write_part(struct h5_file *file, const struct state *state,
                       const struct state_part *part, struct gabion_error *error) {
    for (size_t k = 0; k < part->fields; k++) {
        if (!(part->field[k].flags & (STATE_FRAMED | STATE_MEASURED)))
            continue;
        struct h5_rows rows = checkpoint_view(state, part, &part->field[k]);
        if (!file->guest && strcmp(part->group, "/") != 0 && !h5_exists(file, part->group) &&
            !h5_write_group(file, part->group, error))
            return false;
        bool shared = checkpoint_own_rows(state, part, &rows);
        if (shared ? !h5_write_shared_rows(file, &rows, error)
            : part->rows
                ? !h5_write_rows(file, &rows, error)
                : !h5_write_number(file, part->group, rows.name, rows.type, rows.base, error))
            return false;
    }
    return true;
}

// Writes the fields of the state that frames have, as they are in a checkpoint. Shapes that the run
// does not have are left out.
static bool write_state(struct h5_file *file, const struct gabion_world *world,
                        struct gabion_error *error) {
    struct state state = {.world = (struct gabion_world *)world};
    bool written = true;
    if (contacts_are_shared(world->contacts))
        state.contacts = world->contacts;
    if (!file->guest)
        flat_shapes_fill(&state);
    for (size_t k = 0; written && k < STATE_PARTS; k++)
        if (state_parts[k] == &state_bodies || state_rows(state_parts[k], &state) > 0)
            written = write_part(file, &state, state_parts[k], error);
    flat_shapes_free(&state.shapes);
    return written;
}

void frame_interface_rows(struct gabion_interface *interface, size_t count,
                          struct h5_rows rows[FRAME_INTERFACE_ROWS]) {
    const struct h5_rows all[FRAME_INTERFACE_ROWS] = {
        INTERFACE("interfaces/body_a", "1", H5_TYPE_INT32, 1, a),
        INTERFACE("interfaces/body_b", "1", H5_TYPE_INT32, 1, b),
        INTERFACE("interfaces/initial", "1", H5_TYPE_UINT8, 1, initial),
        INTERFACE("interfaces/status", "1", H5_TYPE_UINT32, 1, status),
        INTERFACE("interfaces/normal", "1", H5_TYPE_FLOAT64, 3, normal),
        INTERFACE("interfaces/position", "m", H5_TYPE_FLOAT64, 3, position),
        INTERFACE("interfaces/middle", "m", H5_TYPE_FLOAT64, 3, middle),
        INTERFACE("interfaces/opening", "m", H5_TYPE_FLOAT64, 1, opening),
        INTERFACE("interfaces/sliding", "m", H5_TYPE_FLOAT64, 3, sliding),
        INTERFACE("interfaces/force", "N", H5_TYPE_FLOAT64, 3, force),
        INTERFACE("interfaces/normal_force", "N", H5_TYPE_FLOAT64, 1, normal_force),
        INTERFACE("interfaces/eccentricity", "m", H5_TYPE_FLOAT64, 3, eccentricity),
        INTERFACE("interfaces/relative_eccentricity", "1", H5_TYPE_FLOAT64, 1,
                  relative_eccentricity),
    };
    memcpy(rows, all, sizeof all);
}

static bool write_interfaces(const struct h5_file *file, const struct gabion_world *world,
                             struct gabion_error *error) {
    size_t count;
    struct gabion_interface *interface = interfaces_measure(world, &count);
    struct h5_rows rows[FRAME_INTERFACE_ROWS];
    frame_interface_rows(interface, count, rows);
    bool written = h5_write_group(file, "interfaces", error) &&
                   write_all(file, rows, FRAME_INTERFACE_ROWS, error);
    memory_free(interface);
    return written;
}

struct h5_rows frame_joint_axes(const struct gabion_world *world) {
    return (struct h5_rows){
        .name = "joints/axes",
        .unit = "1",
        .type = H5_TYPE_FLOAT64,
        .columns = 9,
        .count = (size_t)world->joints.count,
        .stride = sizeof(struct joint),
        .base =
            world->joints.list ? (char *)world->joints.list + offsetof(struct joint, axis) : NULL,
    };
}

static bool write_joint_axes(const struct h5_file *file, const struct gabion_world *world,
                             struct gabion_error *error) {
    struct h5_rows axes = frame_joint_axes(world);
    return axes.count == 0 || h5_write_rows(file, &axes, error);
}

struct h5_rows frame_friction(double *friction, int materials) {
    return (struct h5_rows){
        .name = "laws/friction",
        .unit = "1",
        .type = H5_TYPE_FLOAT64,
        .columns = 1,
        .count = (size_t)materials * (size_t)materials,
        .stride = sizeof *friction,
        .base = (char *)friction,
    };
}

static bool write_laws(const struct h5_file *file, const struct gabion_world *world,
                       struct gabion_error *error) {
    const struct law_table *laws = &world->laws;
    size_t pairs = (size_t)laws->materials * (size_t)laws->materials;
    double *friction = memory_allocate(pairs, sizeof *friction, "laws");
    for (size_t k = 0; k < pairs; k++)
        friction[k] = laws->law[laws->of[k]].friction;
    struct h5_rows rows = frame_friction(friction, laws->materials);
    bool written = h5_write_group(file, "laws", error) && h5_write_rows(file, &rows, error);
    memory_free(friction);
    return written;
}

static bool write_names(const struct h5_file *file, const struct gabion_world *world,
                        struct gabion_error *error) {
    return h5_write_group(file, "groups", error) && h5_write_group(file, "materials", error) &&
           h5_write_strings(file, CHECKPOINT_GROUP_NAMES, world->groups.name,
                            (size_t)world->groups.count, error) &&
           h5_write_strings(file, CHECKPOINT_MATERIAL_NAMES, world->materials.name,
                            (size_t)world->materials.count, error);
}

static bool write_contents(struct h5_file *file, const void *context, struct gabion_error *error) {
    const struct gabion_world *world = context;
    double time = world_time(world);
    uint8_t lost = world->contacts->lost;
    return h5_write_text(file, "/", "format", frame_kind.format, error) &&
           h5_write_text(file, "/", "format_version", FORMAT_VERSION, error) &&
           h5_write_number(file, "/", "time", H5_TYPE_FLOAT64, &time, error) &&
           h5_write_number(file, "/", "time_step", H5_TYPE_FLOAT64, &world->settings.step, error) &&
           h5_write_number(file, "/", "contacts_lost", H5_TYPE_UINT8, &lost, error) &&
           write_names(file, world, error) && write_laws(file, world, error) &&
           write_state(file, world, error) && write_joint_axes(file, world, error) &&
           h5_write_group(file, "contacts", error) && write_contacts(file, world, error) &&
           (world->bodies.polyhedron_count == 0 || write_interfaces(file, world, error));
}

bool frame_write(const char *directory, const struct gabion_world *world,
                 struct gabion_error *error) {
    char folder[4096], path[4096], temporary[4096];
    int lengths[] = {
        snprintf(folder, sizeof folder, "%s/frames", directory),
        snprintf(temporary, sizeof temporary, "%s/frames/frame.h5.tmp", directory),
    };
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        if (lengths[k] < 0 || (size_t)lengths[k] >= sizeof path)
            return error_set(error, GABION_ERROR_INPUT, "%s: folder name too long", directory);
    if (!frame_name(folder, world->step, path, sizeof path, error))
        return false;
    const struct sealed_file file = {.path = path,
                                     .temporary = temporary,
                                     .kind = &frame_kind,
                                     .shared = contacts_are_shared(world->contacts),
                                     .write = write_contents,
                                     .context = world};
    // Where there is no folder all ranks learn it from the file that cannot be made.
    bool made = (file.shared && ranks_me() != 0) || file_make_directory(folder, error);
    bool written = (made || file.shared) && sealed_write(&file, error);
    return (made && written) ||
           error_context(error, "step %" PRId64 ": no frame written", world->step);
}

// Reading -------------------------------------------------------------------------------------

// Arrays by id have room for bodies that have left. A small file with one large id would need
// gigabytes of them, so that there is a bound: this many, and one more for each byte of the file.
#define MOST_IDS 10000000

static bool check_last_id(const struct h5_file *file, int32_t last, struct gabion_error *error) {
    return last < 0 || (uint64_t)last <= MOST_IDS + file->size ||
           error_set(error, GABION_ERROR_INPUT,
                     "%s: dataset 'bodies/id' has an id of %" PRId32
                     ", which is too large for a file of %" PRIu64
                     " bytes; take a checkpoint of that run instead",
                     file->path, last, file->size);
}

// A frame does not say how many ids there are: as many as the largest one needs.
static bool count_ids(struct checkpoint *frame, struct gabion_error *error) {
    struct h5_rows rows = {.name = "bodies/id", .type = H5_TYPE_INT32, .columns = 1};
    if (!h5_find_rows(&frame->file, &rows, error))
        return false;
    int32_t *id = memory_allocate(rows.count, sizeof *id, "ids"), last = -1;
    rows.base = (char *)id;
    rows.stride = sizeof *id;
    bool good = h5_read_rows(&frame->file, &rows, NULL, NULL, error);
    for (size_t k = 0; good && k < rows.count; k++)
        last = id[k] > last ? id[k] : last;
    memory_free(id);
    frame->numbers.bodies.id_count = last == INT32_MAX ? last : last + 1;
    return good && check_last_id(&frame->file, last, error);
}

static bool read_frame(struct checkpoint *frame, struct gabion_error *error) {
    const struct h5_file *file = &frame->file;
    return h5_read_number(file, "/", "step", H5_TYPE_INT64, &frame->numbers.step, error) &&
           h5_read_number(file, "/", "time", H5_TYPE_FLOAT64, &frame->time, error) &&
           h5_read_number(file, "/", "time_step", H5_TYPE_FLOAT64, &frame->numbers.settings.step,
                          error) &&
           count_ids(frame, error);
}

struct frame_opening {
    struct checkpoint *frame;
    const char *path;
    struct gabion_error *error;
    bool opened;
};

static void open_file(void *context) {
    struct frame_opening *opening = context;
    bool damaged;
    struct checkpoint *frame = memory_allocate(1, sizeof *frame, "a frame");
    frame->file.id = H5I_INVALID_HID;
    frame->frame = true;
    opening->frame = frame;
    opening->opened = seal_verify(opening->path, &frame_kind, &damaged, opening->error) &&
                      h5_open(&frame->file, opening->path, opening->error) &&
                      read_frame(frame, opening->error);
}

// The file is closed even when memory runs out on the way.
struct checkpoint *framed_open(const char *path, struct gabion_error *error) {
    struct frame_opening opening = {NULL, path, error, false};
    bool ended = memory_try(memory_account_current(), open_file, &opening, error);
    if (ended && opening.opened)
        return opening.frame;
    checkpoint_close(opening.frame);
    return NULL;
}
