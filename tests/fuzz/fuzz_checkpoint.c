// Feeds the checkpoint reader with files whose seal is good and whose contents are not:
//   fuzz_checkpoint [-max_total_time=60]
// The first byte of an input says what it is: a file, changes of single bytes of a good file, or
// changes of its datasets and attributes. The first two reach HDF5's parser, the last our checks.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/api/define.h"
#include "engine/contact/contacts.h"
#include "engine/contact/interfaces.h"
#include "io/checkpoint/format.h"
#include "io/file/file.h"
#include "parallel/memory.h"
#include "tests/fuzz/forge.h"

static struct team *team;
static char folder[64], good_path[128], path[128];
static char *good;
static size_t good_size;

static struct gabion_world *empty_world(void) {
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    settings.step = 0.001;
    settings.end = 1;
    struct gabion_world *world = world_create(&settings, team, &error);
    if (!world)
        abort();
    gabion_add_material(world, "glass", 2500, NULL);
    return world;
}

// Three grains, a floor, a block on it, a body that waits, and memory of one contact.
static void write_good(void) {
    struct gabion_error error = {0};
    struct gabion_world *world = empty_world();
    struct gabion_body body = gabion_default_body();
    body.radius = 0.5;
    body.mass = 1;
    body.group = gabion_add_group(world, "grains", NULL);
    for (int k = 0; k < 3; k++) {
        body.position = vec3_make(0, 0, 1.5 * k);
        gabion_add_body(world, &body, &error);
    }
    body.insert_time = 0.5;
    gabion_add_body(world, &body, &error);
    body = gabion_default_body();
    body.shape = GABION_HALF_SPACE;
    body.fixed = true;
    body.normal = vec3_make(0, 0, 1);
    body.tangent = vec3_make(1, 0, 0);
    gabion_add_body(world, &body, &error);
    body = gabion_default_body();
    body.shape = GABION_POLYHEDRON;
    body.fixed = true; // they come last, as the engine would have it
    body.polyhedron =
        world_add_polyhedron(world, polyhedron_box(vec3_make(1, 1, 1), &error), &error);
    body.position = vec3_make(9, 0, 1);
    gabion_add_body(world, &body, &error);
    world->bodies.mass[world->bodies.count - 1] = 1; // or it would have no joint
    interfaces_find(world);
    world->bodies.mass[world->bodies.count - 1] = 0;
    struct contacts *contacts = world->contacts;
    world->bodies.moving = 3;
    contacts->memory_start =
        memory_reserve(NULL, &contacts->start_capacity, 4, sizeof(uint32_t), "memory");
    memcpy(contacts->memory_start, (uint32_t[]){0, 1, 1, 1}, 4 * sizeof(uint32_t));
    contacts->memory =
        memory_reserve(NULL, &contacts->memory_capacity, 1, sizeof *contacts->memory, "memory");
    contacts->memory[0] = (struct contact_memory){.a = 3, .impulse = {0, 0, 1}};
    contacts->memory_count = 1;
    struct checkpoint_note note = {.case_text = "time: 1\n", .parent = ""};
    if (error.status || !checkpoint_write(folder, world, &note, 0, &error)) {
        fprintf(stderr, "%s\n", error.text);
        abort();
    }
    gabion_destroy(world);
}

static void clean_up(void) {
    unlink(good_path);
    unlink(path);
    rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    struct gabion_error error = {0};
    keep_memory();
    make_folder("fuzz_checkpoint", folder, sizeof folder);
    team = team_create(1, NULL, &error);
    if (!team)
        abort();
    snprintf(good_path, sizeof good_path, "%s/checkpoint-000000000.h5", folder);
    snprintf(path, sizeof path, "%s/input.h5", folder);
    write_good();
    good = file_read(good_path, 1 << 24, &good_size, &error);
    if (!good)
        abort();
    atexit(clean_up);
    return 0;
}

// Counts through the stored fields of all parts, single numbers or rows.
static const struct state_field *some_field(uint64_t which, bool rows, const char **group) {
    for (size_t p = 0;; p = (p + 1) % STATE_PARTS)
        for (size_t k = 0; !state_parts[p]->rows != rows && k < state_parts[p]->fields; k++)
            if (!(state_parts[p]->field[k].flags & STATE_UNSTORED) && which-- == 0) {
                *group = state_parts[p]->group;
                return &state_parts[p]->field[k];
            }
}

static void change_attribute(hid_t file, uint64_t which, struct input *input) {
    const char *object;
    const struct state_field *number = some_field(which, false, &object);
    struct gabion_error error = {0};
    struct h5_file forged = {.id = file, .writing = true};
    int64_t value = (int64_t)take(input, 8);
    H5Adelete_by_name(file, object, number->name, H5P_DEFAULT);
    enum h5_type type =
        take(input, 1) & 1 ? checkpoint_type(number->type) : (enum h5_type)(value & 3);
    if (take(input, 1) & 1)
        h5_write_number(&forged, object, number->name, type, &value, &error);
}

static void change_names(hid_t file, const char *name, struct input *input) {
    struct gabion_error error = {0};
    struct h5_file forged = {.id = file, .writing = true};
    char text[3][32] = {""};
    for (int k = 0; k < 3; k++)
        for (size_t c = 0, length = take(input, 1) % 31; c < length; c++)
            text[k][c] = (char)take(input, 1);
    H5Ldelete(file, name, H5P_DEFAULT);
    h5_write_strings(&forged, name, (char *[]){text[0], text[1], text[2]}, take(input, 1) % 4,
                     &error);
}

static void change_structure(struct input *input) {
    static const char *const names[] = {CHECKPOINT_CASE, CHECKPOINT_GROUP_NAMES,
                                        CHECKPOINT_MATERIAL_NAMES};
    store(path, good, good_size, 0);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    while (input->size > 0) {
        uint64_t what = take(input, 1), which = take(input, 1);
        const char *group, *name = some_field(which, true, &group)->name;
        if (what % 5 == 0)
            replace_dataset(file, name, input);
        else if (what % 5 == 1)
            change_value(file, name, input);
        else if (what % 5 == 2)
            change_attribute(file, which, input);
        else if (what % 5 == 3)
            change_names(file, names[which % 3], input);
        else
            replace_by_link(file, name, "/bodies/mass", input);
    }
    H5Fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {data, size};
    struct gabion_error error = {0};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    switch (take(&input, 1) % 4) {
    case 0:
        store(path, input.data, input.size, SEAL_SIZE);
        break;
    case 1:
        change_bytes(path, good, good_size, SEAL_SIZE, &input);
        break;
    default:
        change_structure(&input);
    }
    if (!seal_write(path, &checkpoint_kind, &error))
        abort();
    struct checkpoint *checkpoint = checkpoint_open(path, &error);
    if (checkpoint) {
        char text[4096];
        checkpoint_describe(checkpoint, text, sizeof text);
        struct gabion_world *world = empty_world();
        // Either rejected with a reason, or the state that was stored.
        if (!checkpoint_restore(checkpoint, world, &error) && error.status != GABION_ERROR_INPUT)
            abort();
        gabion_destroy(world);
        checkpoint_close(checkpoint);
    } else if (error.status != GABION_ERROR_INPUT) {
        abort();
    }
    return 0;
}
