#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/contact/contacts.h"
#include "io/checkpoint/donor_state.h"
#include "io/checkpoint/format.h"
#include "io/file/folder.h"
#include "parallel/memory.h"

// Finding -------------------------------------------------------------------------------------

bool donor_recognise(const char *path, bool *ours, struct gabion_error *error) {
    char name[SEAL_NAME_SIZE] = "";
    if (!seal_check_own(path, name, error))
        return false;
    *ours = name[0] != '\0';
    return true;
}

static struct checkpoint *open_newest(const char *folder, struct remarks *remarks,
                                      struct gabion_error *error) {
    char passed_over[2048] = "";
    struct checkpoint *checkpoint =
        checkpoint_open_newest(folder, passed_over, sizeof passed_over, error);
    if (passed_over[0] != '\0')
        remarks_add(remarks, true, "%s", passed_over);
    return checkpoint;
}

bool donor_find(const char *path, char *file, size_t size, struct remarks *remarks,
                struct gabion_error *error) {
    if (!folder_is_directory(path))
        return snprintf(file, size, "%s", path) < (int)size ||
               error_set(error, GABION_ERROR_INPUT, "%s: the name is too long", path);
    struct checkpoint *checkpoint = open_newest(path, remarks, error);
    if (!checkpoint)
        return false;
    snprintf(file, size, "%s", checkpoint_path(checkpoint));
    checkpoint_close(checkpoint);
    return true;
}

// Opening -------------------------------------------------------------------------------------

static bool add_materials(const struct checkpoint *checkpoint, struct gabion_world *world,
                          struct gabion_error *error) {
    size_t count = 0, size = 0;
    char *names =
        h5_read_strings(&checkpoint->file, CHECKPOINT_MATERIAL_NAMES, &count, &size, error);
    bool good = names != NULL;
    for (size_t k = 0; good && k < count; k++)
        good = gabion_add_material(world, names + k * size, 0, error) >= 0;
    memory_free(names);
    return good;
}

// The length of the step follows from the time: a checkpoint without a case does not say it.
static double step_length(const struct checkpoint *checkpoint) {
    const struct gabion_world *numbers = &checkpoint->numbers;
    int64_t steps = numbers->step - numbers->pace.step;
    double time = checkpoint->time - numbers->pace.time;
    return steps > 0 && time > 0 ? time / (double)steps : numbers->pace.before;
}

static void list_contacts(struct donor *donor) {
    const struct contacts *contacts = donor->world->contacts;
    const struct bodies *bodies = &donor->world->bodies;
    for (int32_t c = 0; contacts->memory_start && c < bodies->moving; c++)
        for (uint32_t m = contacts->memory_start[c]; m < contacts->memory_start[c + 1]; m++) {
            const struct contact_memory *memory = &contacts->memory[m];
            struct kept_contact kept = {bodies->id[c], bodies->id[memory->a], memory->feature,
                                        memory->point, memory->impulse,       vec3_zero()};
            if (contacts->memory_collision)
                kept.collision = contacts->memory_collision[m];
            kept_contacts_add(&donor->contacts, kept);
        }
}

static bool read_checkpoint(struct donor *donor, const struct checkpoint *checkpoint,
                            struct gabion_error *error) {
    if (!add_materials(checkpoint, donor->world, error) ||
        !checkpoint_restore(checkpoint, donor->world, error))
        return false;
    donor->step = step_length(checkpoint);
    list_contacts(donor);
    return true;
}

// Frames ----------------------------------------------------------------------------------------

// The contacts of a frame, as they are stored.
struct framed_contacts {
    size_t count;
    int32_t *first, *second; // ids
    vec3 *point, *impulse;
};

static bool read_column(const struct checkpoint *frame, struct h5_rows rows, size_t *count,
                        void *array, struct gabion_error *error) {
    void **place = array;
    size_t size = (size_t)rows.columns * h5_type_size(rows.type);
    if (!h5_find_rows(&frame->file, &rows, error))
        return false;
    if (*count != SIZE_MAX && rows.count != *count)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: damaged: dataset '%s' has %zu rows where others have %zu",
                         frame->file.path, rows.name, rows.count, *count);
    *count = rows.count;
    *place = memory_allocate(rows.count, size, "contacts of a frame");
    rows.base = *place;
    rows.stride = size;
    return h5_read_rows(&frame->file, &rows, NULL, NULL, error);
}

static bool read_contacts(const struct checkpoint *frame, struct framed_contacts *contacts,
                          struct gabion_error *error) {
    size_t *count = &contacts->count;
    *count = SIZE_MAX;
    return read_column(
               frame,
               (struct h5_rows){.name = "contacts/candidate", .type = H5_TYPE_INT32, .columns = 1},
               count, &contacts->first, error) &&
           read_column(
               frame,
               (struct h5_rows){.name = "contacts/antagonist", .type = H5_TYPE_INT32, .columns = 1},
               count, &contacts->second, error) &&
           read_column(
               frame,
               (struct h5_rows){.name = "contacts/point", .type = H5_TYPE_FLOAT64, .columns = 3},
               count, &contacts->point, error) &&
           read_column(
               frame,
               (struct h5_rows){.name = "contacts/impulse", .type = H5_TYPE_FLOAT64, .columns = 3},
               count, &contacts->impulse, error);
}

static int32_t framed_body(const struct bodies *bodies, int32_t id) {
    return id >= 0 && id < bodies->id_count ? bodies->index_of[id] : -1;
}

// Frames do not say which parts of two shapes touch. Balls have one, and the others find their
// contacts by place: no part has this number.
#define NO_FEATURE UINT32_MAX

static bool keep_framed(struct donor *donor, const struct framed_contacts *contacts,
                        struct gabion_error *error) {
    const struct bodies *bodies = &donor->world->bodies;
    for (size_t k = 0; k < contacts->count; k++) {
        int32_t i = framed_body(bodies, contacts->first[k]);
        int32_t j = framed_body(bodies, contacts->second[k]);
        vec3 impulse = contacts->impulse[k];
        if (i < 0 || j < 0 || i == j || !vec3_finite(contacts->point[k]) || !vec3_finite(impulse))
            return error_set(error, GABION_ERROR_INPUT,
                             "%s: damaged: dataset 'contacts/candidate', row %zu: not a contact "
                             "of two bodies",
                             donor->path, k);
        bool plain = (bodies_shape(bodies, i)->ball || bodies_is_wall(bodies, i)) &&
                     (bodies_shape(bodies, j)->ball || bodies_is_wall(bodies, j));
        if (vec3_dot(impulse, impulse) > 0)
            kept_contacts_add(&donor->contacts,
                              (struct kept_contact){contacts->first[k], contacts->second[k],
                                                    plain ? 0 : NO_FEATURE, contacts->point[k],
                                                    impulse, vec3_zero()});
    }
    return true;
}

static bool count_joints(struct donor *donor, const struct checkpoint *frame,
                         struct gabion_error *error) {
    struct h5_rows rows = {.name = "joints/first", .type = H5_TYPE_INT32, .columns = 1};
    if (!h5_exists(&frame->file, "joints"))
        return true; // a frame of version 2.0
    bool found = h5_find_rows(&frame->file, &rows, error);
    donor->unread_joints = rows.count;
    return found;
}

static bool read_frame(struct donor *donor, const struct checkpoint *frame,
                       struct gabion_error *error) {
    struct framed_contacts contacts = {0};
    double step = frame->numbers.settings.step;
    donor->frame = true;
    donor->step = step > 0 && isfinite(step) ? step : 0;
    if (gabion_add_material(donor->world, "unknown", 0, error) < 0 ||
        !framed_restore(frame, donor->world, error))
        return false;
    bool good = read_contacts(frame, &contacts, error) && keep_framed(donor, &contacts, error) &&
                count_joints(donor, frame, error);
    memory_free(contacts.first);
    memory_free(contacts.second);
    memory_free(contacts.point);
    memory_free(contacts.impulse);
    return good;
}

// Both ----------------------------------------------------------------------------------------

struct reading {
    struct donor *donor;
    struct checkpoint *file;
    struct gabion_error *error;
    bool good;
};

static void read_file(void *context) {
    struct reading *reading = context;
    struct gabion_settings settings = gabion_default_settings();
    reading->donor->world = gabion_create(&settings, 1, reading->error);
    if (reading->donor->world)
        reading->good = reading->file->frame
                            ? read_frame(reading->donor, reading->file, reading->error)
                            : read_checkpoint(reading->donor, reading->file, reading->error);
}

static struct checkpoint *open_either(const char *path, struct gabion_error *error) {
    char name[SEAL_NAME_SIZE] = "";
    if (!seal_check_own(path, name, error))
        return NULL;
    if (strncmp(name, "gabion-frame ", strlen("gabion-frame ")) == 0)
        return framed_open(path, error);
    return checkpoint_open(path, error);
}

static struct checkpoint *open_source(const char *path, struct remarks *remarks,
                                      struct gabion_error *error) {
    return folder_is_directory(path) ? open_newest(path, remarks, error) : open_either(path, error);
}

// The file is closed even when memory runs out on the way.
struct donor *donor_open(const char *path, struct remarks *remarks, struct gabion_error *error) {
    struct checkpoint *file = open_source(path, remarks, error);
    if (!file)
        return NULL;
    struct reading reading = {memory_allocate(1, sizeof *reading.donor, "a donor"), file, error,
                              false};
    snprintf(reading.donor->path, sizeof reading.donor->path, "%s", file->file.path);
    bool ended = memory_try(memory_account_current(), read_file, &reading, error);
    checkpoint_close(file);
    if (ended && reading.good)
        return reading.donor;
    donor_close(reading.donor);
    return NULL;
}

void donor_close(struct donor *donor) {
    if (!donor)
        return;
    gabion_destroy(donor->world);
    kept_contacts_free(&donor->contacts);
    memory_free(donor);
}

// Contacts --------------------------------------------------------------------------------------

double donor_scale(const struct donor_transfer *transfer) {
    double before = transfer->donor->step, now = transfer->world->settings.step;
    double scale = before > 0 ? now / before : 1;
    return fabs(scale - 1) < 1e-9 ? 1 : scale; // the step before follows from a time
}

size_t donor_keep_contacts(const struct donor_transfer *transfer, const int32_t *of,
                           const mat3 *turn, vec3 move) {
    const struct kept_contacts *contacts = &transfer->donor->contacts;
    double scale = donor_scale(transfer);
    size_t lost = 0;
    for (size_t k = 0; k < contacts->count; k++) {
        struct kept_contact kept = contacts->list[k];
        kept.first = of[kept.first];
        kept.second = of[kept.second];
        if (kept.first < 0 || kept.second < 0) {
            lost++;
            continue;
        }
        if (turn) {
            kept.point = vec3_add(move, mat3_apply(*turn, kept.point));
            kept.impulse = mat3_apply(*turn, kept.impulse);
            kept.collision = mat3_apply(*turn, kept.collision);
        }
        if (scale != 1)
            kept.impulse = vec3_scale(scale, kept.impulse);
        kept_contacts_add(transfer->kept, kept);
    }
    return lost;
}

vec3 donor_unlock(vec3 rate, unsigned lock, bool *changed) {
    for (int axis = 0; axis < 3; axis++)
        if (lock >> axis & 1 && vec3_get(rate, axis) != 0) {
            vec3_set(&rate, axis, 0);
            *changed = true;
        }
    return rate;
}

// Tallies ---------------------------------------------------------------------------------------

struct tally tally_start(const struct gabion_world *world, bool grouped) {
    struct tally tally = {.names = grouped ? &world->groups : NULL};
    tally.group = memory_allocate(grouped ? (size_t)world->groups.count : 1, sizeof *tally.group,
                                  "counts by group");
    return tally;
}

void tally_add(struct tally *tally, int group, int32_t id) {
    struct tally_group *of = &tally->group[tally->names ? group : 0];
    if (of->count < TALLY_IDS)
        of->id[of->count] = id;
    of->count++;
    tally->count++;
}

#define TALLY_GROUPS 4 // that a message names

static size_t print_group(const struct tally *tally, int g, char *text, size_t size) {
    const struct tally_group *group = &tally->group[g];
    const char *name = tally->names ? tally->names->name[g] : "";
    size_t used = 0;
    if (name[0] != '\0')
        used = (size_t)snprintf(text, size, "group %.60s: %" PRId64 ", ", name, group->count);
    used += (size_t)snprintf(text + used, size - used, group->count > 1 ? "ids" : "id");
    for (int k = 0; k < TALLY_IDS && k < group->count; k++)
        used += (size_t)snprintf(text + used, size - used, "%s %" PRId32, k > 0 ? "," : "",
                                 group->id[k]);
    if (group->count > TALLY_IDS)
        used += (size_t)snprintf(text + used, size - used, " ...");
    return used;
}

const char *tally_print(const struct tally *tally, char text[TALLY_TEXT]) {
    size_t used = (size_t)snprintf(text, TALLY_TEXT, "%" PRId64 " %s (", tally->count,
                                   tally->count == 1 ? "body" : "bodies");
    int groups = tally->names ? tally->names->count : 1, shown = 0, more = 0;
    for (int g = 0; g < groups; g++) {
        if (tally->group[g].count == 0)
            continue;
        if (shown == TALLY_GROUPS) {
            more++;
            continue;
        }
        if (shown++ > 0)
            used += (size_t)snprintf(text + used, TALLY_TEXT - used, "; ");
        used += print_group(tally, g, text + used, TALLY_TEXT - used);
    }
    if (more > 0)
        used += (size_t)snprintf(text + used, TALLY_TEXT - used, "; %d more groups", more);
    snprintf(text + used, TALLY_TEXT - used, ")");
    return text;
}

void tally_free(struct tally *tally) { memory_free(tally->group); }
