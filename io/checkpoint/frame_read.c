// Reads frames back into a world that is measured, not stepped. Nothing in a file is believed that
// could make the engine read or write outside its arrays.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/contact/contacts.h"
#include "engine/contact/interfaces.h"
#include "io/checkpoint/format.h"
#include "io/checkpoint/frame_rows.h"
#include "parallel/memory.h"

// Opening ---------------------------------------------------------------------------------------

static bool check_version(const struct checkpoint *frame, struct gabion_error *error) {
    char version[32] = "";
    int major = 0, minor = 0;
    if (!h5_read_text(&frame->file, "/", "format_version", version, sizeof version, error))
        return false;
    return (sscanf(version, "%d.%d", &major, &minor) == 2 && minor >= FRAME_FORMAT_MINOR) ||
           error_set(error, GABION_ERROR_INPUT,
                     "%s: a frame of format %s, which has neither masses nor groups; run the case "
                     "again with this version to measure it",
                     frame->file.path, version);
}

struct checkpoint *frame_open_file(const char *path, struct gabion_error *error) {
    struct checkpoint *frame = framed_open(path, error);
    if (!frame)
        return NULL;
    frame->measured = true;
    if (check_version(frame, error) && checkpoint_read_numbers(frame, error))
        return frame;
    checkpoint_close(frame);
    return NULL;
}

// Rows ------------------------------------------------------------------------------------------

// Numbers are finite, a flag is 0 or 1, and a status one of three.
static bool is_good(const struct h5_rows *rows, const char *value) {
    double real;
    uint32_t word;
    if (rows->type == H5_TYPE_UINT8)
        return (unsigned char)*value <= (strcmp(rows->name, "contacts/status") == 0 ? 2 : 1);
    if (rows->type == H5_TYPE_UINT32) {
        memcpy(&word, value, sizeof word);
        return word <= GABION_INTERFACE_SLIP;
    }
    memcpy(&real, value, sizeof real);
    return rows->type != H5_TYPE_FLOAT64 || isfinite(real);
}

static bool check_values(const void *context, const struct h5_rows *rows, const void *block,
                         size_t first, size_t count, struct gabion_error *error) {
    const struct checkpoint *frame = context;
    size_t columns = (size_t)rows->columns, size = h5_type_size(rows->type);
    for (size_t k = 0; rows->type != H5_TYPE_INT32 && k < count * columns; k++)
        if (!is_good(rows, (const char *)block + k * size))
            return error_set(error, GABION_ERROR_INPUT,
                             "%s: damaged: dataset '%s', row %zu: not a possible value",
                             frame->file.path, rows->name, first + k / columns);
    return true;
}

// Reads a dataset that must have as many rows as are described.
static bool read_rows(const struct checkpoint *frame, const struct h5_rows *rows,
                      struct gabion_error *error) {
    struct h5_rows found = *rows;
    if (!h5_find_rows(&frame->file, &found, error))
        return false;
    if (found.count != rows->count)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: damaged: dataset '%s' has %zu rows where others have %zu",
                         frame->file.path, rows->name, found.count, rows->count);
    return rows->count == 0 || h5_read_rows(&frame->file, rows, check_values, frame, error);
}

static bool damaged(const struct checkpoint *frame, const char *name, size_t row,
                    struct gabion_error *error) {
    return error_set(error, GABION_ERROR_INPUT,
                     "%s: damaged: dataset '%s', row %zu: no body in the run has this id",
                     frame->file.path, name, row);
}

// Turns the id of a body into its index; false: it is not in the run.
static bool find_body(const struct gabion_world *world, int32_t *body) {
    const struct bodies *bodies = &world->bodies;
    *body = *body >= 0 && *body < bodies->id_count ? bodies->index_of[*body] : -1;
    return *body >= 0;
}

// Laws ------------------------------------------------------------------------------------------

static bool check_friction(const void *context, const struct h5_rows *rows, const void *block,
                           size_t first, size_t count, struct gabion_error *error) {
    const struct checkpoint *frame = context;
    const double *friction = block;
    for (size_t k = 0; k < count; k++)
        if (!(friction[k] >= 0))
            return error_set(error, GABION_ERROR_INPUT,
                             "%s: damaged: dataset '%s', row %zu: not a coefficient of friction",
                             frame->file.path, rows->name, first + k);
    return true;
}

// Gives each pair of materials a law of its own with this coefficient. A world that is measured
// uses nothing else of its laws.
static void set_friction(struct law_table *laws, const double *friction) {
    int materials = laws->materials, pairs = materials * materials;
    struct gabion_law *law = memory_allocate((size_t)pairs + 1, sizeof *law, "laws");
    law[0] = laws->law[0];
    for (int k = 0; k < pairs; k++) {
        law[k + 1] = laws->law[laws->of[k]];
        law[k + 1].friction = friction[k];
        laws->of[k] = (uint16_t)(k + 1);
    }
    memory_free(laws->law);
    laws->law = law;
    laws->count = pairs + 1;
}

// Frames of before have no laws: those of the case hold.
static bool read_friction(const struct checkpoint *frame, struct gabion_world *world,
                          struct gabion_error *error) {
    int materials = world->laws.materials;
    if (!h5_exists(&frame->file, "laws") || materials * materials >= UINT16_MAX)
        return true;
    size_t pairs = (size_t)materials * (size_t)materials;
    double *friction = memory_allocate(pairs, sizeof *friction, "laws");
    struct h5_rows rows = frame_friction(friction, materials), found = rows;
    bool good = h5_find_rows(&frame->file, &found, error);
    if (good && found.count != pairs)
        good = error_set(error, GABION_ERROR_INPUT,
                         "%s: damaged: dataset '%s' has %zu rows, expected %zu", frame->file.path,
                         rows.name, found.count, pairs);
    good = good && h5_read_rows(&frame->file, &rows, check_friction, frame, error);
    if (good)
        set_friction(&world->laws, friction);
    memory_free(friction);
    return good;
}

// Contacts --------------------------------------------------------------------------------------

#define CONTACT(dataset, kind, width, field)                                                       \
    {                                                                                              \
        .name = "contacts/" dataset, .type = kind, .columns = width, .count = contacts->count,     \
        .stride = sizeof(struct contact),                                                          \
        .base = contacts->list ? (char *)contacts->list + offsetof(struct contact, field) : NULL   \
    }

static bool read_contact_rows(const struct checkpoint *frame, struct contacts *contacts,
                              struct gabion_error *error) {
    const struct h5_rows rows[] = {
        CONTACT("candidate", H5_TYPE_INT32, 1, c),
        CONTACT("antagonist", H5_TYPE_INT32, 1, a),
        CONTACT("point", H5_TYPE_FLOAT64, 3, point),
        CONTACT("status", H5_TYPE_UINT8, 1, status),
        CONTACT("gap", H5_TYPE_FLOAT64, 1, gap),
        CONTACT("normal", H5_TYPE_FLOAT64, 3, normal),
        {.name = "contacts/impulse",
         .type = H5_TYPE_FLOAT64,
         .columns = 3,
         .count = contacts->count,
         .stride = sizeof *contacts->impulse,
         .base = (char *)contacts->impulse},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (!read_rows(frame, &rows[k], error))
            return false;
    return true;
}

static bool place_contacts(const struct checkpoint *frame, const struct gabion_world *world,
                           struct gabion_error *error) {
    struct contacts *contacts = world->contacts;
    for (size_t k = 0; k < contacts->count; k++) {
        struct contact *contact = &contacts->list[k];
        if (!find_body(world, &contact->c))
            return damaged(frame, "contacts/candidate", k, error);
        if (!find_body(world, &contact->a))
            return damaged(frame, "contacts/antagonist", k, error);
        contact->law = world_law(world, contact->c, contact->a);
        contact->flags = 0;
        contact->feature = 0;
    }
    return true;
}

static bool read_contacts(const struct checkpoint *frame, struct gabion_world *world,
                          struct gabion_error *error) {
    struct h5_rows first = {.name = "contacts/candidate", .type = H5_TYPE_INT32, .columns = 1};
    uint8_t lost = 0;
    if (!h5_read_number(&frame->file, "/", "contacts_lost", H5_TYPE_UINT8, &lost, error) ||
        !h5_find_rows(&frame->file, &first, error))
        return false;
    double bytes = (double)first.count * (sizeof(struct contact) + sizeof(vec3));
    if (!memory_check(bytes, "its contacts", error))
        return error_context(error, "%s", frame->file.path);
    contacts_size(world, first.count);
    bool read =
        read_contact_rows(frame, world->contacts, error) && place_contacts(frame, world, error);
    if (!read)
        world->contacts->count = 0;
    world->contacts->arrived = true;
    world->contacts->lost = lost != 0;
    return read;
}

// Interfaces ------------------------------------------------------------------------------------

static bool check_interfaces(const struct checkpoint *frame, const struct gabion_world *world,
                             struct gabion_error *error) {
    const struct interfaces *interfaces = world->interfaces;
    for (size_t k = 0; k < interfaces->measured_count; k++) {
        int32_t a = interfaces->measured[k].a, b = interfaces->measured[k].b;
        if (!find_body(world, &a))
            return damaged(frame, "interfaces/body_a", k, error);
        if (!find_body(world, &b))
            return damaged(frame, "interfaces/body_b", k, error);
    }
    return true;
}

// A frame of a run without blocks has none.
static bool read_interfaces(const struct checkpoint *frame, struct gabion_world *world,
                            struct gabion_error *error) {
    struct interfaces *interfaces = world->interfaces;
    struct h5_rows rows[FRAME_INTERFACE_ROWS];
    interfaces_free(interfaces);
    frame_interface_rows(NULL, 0, rows);
    bool there = h5_exists(&frame->file, "interfaces");
    if (there && !h5_find_rows(&frame->file, &rows[0], error))
        return false;
    size_t count = there ? rows[0].count : 0, size = sizeof *interfaces->measured;
    if (!memory_check((double)count * (double)size, "its interfaces", error))
        return error_context(error, "%s", frame->file.path);
    interfaces->measured = memory_allocate(count + 1, size, "interfaces");
    interfaces->measured_count = count;
    frame_interface_rows(interfaces->measured, count, rows);
    for (size_t k = 0; there && k < FRAME_INTERFACE_ROWS; k++)
        if (!read_rows(frame, &rows[k], error))
            return false;
    return check_interfaces(frame, world, error);
}

// -----------------------------------------------------------------------------------------------

// The length of the step may have changed during the run.
static bool restore(const struct checkpoint *frame, struct gabion_world *world,
                    struct gabion_error *error) {
    double step = frame->numbers.settings.step;
    if (!(step > 0 && isfinite(step)))
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: damaged: attribute 'time_step' should be a number > 0",
                         frame->file.path);
    world->settings.step = step;
    if (!checkpoint_fits(frame, world, error) || !checkpoint_restore_parts(frame, world, error))
        return false;
    struct h5_rows axes = frame_joint_axes(world);
    return (axes.count == 0 || read_rows(frame, &axes, error)) &&
           read_friction(frame, world, error) && read_contacts(frame, world, error) &&
           read_interfaces(frame, world, error);
}

bool frame_restore(const struct checkpoint *frame, struct gabion_world *world,
                   struct gabion_error *error) {
    struct memory_account *before = memory_account_use(world->account);
    bool restored = restore(frame, world, error);
    memory_account_use(before);
    return restored;
}
