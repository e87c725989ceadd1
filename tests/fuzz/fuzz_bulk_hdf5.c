// libFuzzer: bodies in HDF5 files. The first byte of an input says what it is: a file, changes of
// single bytes of a good import or of a frame, or changes of their datasets. Frames are sealed
// anew, so that the changes get past their hash.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/api/define.h"
#include "io/bulk/bulk.h"
#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/donor.h"
#include "io/file/file.h"
#include "io/file/h5.h"
#include "io/file/seal.h"
#include "parallel/team.h"
#include "parallel/topology.h"
#include "tests/fuzz/forge.h"

enum { ROWS = 4 };

static const struct seal_kind frame_kind = {"gabion-frame", "frame", 2, 1};
static struct team *team;
static char folder[64], path[128], frame_path[128];

struct good {
    char *bytes;
    size_t size;
};
static struct good import, frame;

static struct gabion_world *empty_world(void) {
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    struct gabion_world *world = world_create(&settings, team, &error);
    if (!world)
        abort();
    gabion_add_material(world, "stone", 2000, NULL);
    return world;
}

static struct good read_good(const char *name) {
    struct gabion_error error = {0};
    struct good good = {0};
    good.bytes = file_read(name, 1 << 20, &good.size, &error);
    if (!good.bytes)
        abort();
    return good;
}

static void write_import(void) {
    static const double numbers[ROWS * 4] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7};
    static const struct {
        const char *name;
        int columns;
    } sets[] = {{"position", 3},    {"radius", 1}, {"velocity", 3}, {"spin", 3},
                {"orientation", 4}, {"mass", 1},   {"density", 1},  {"id", 1}};
    struct gabion_error error = {0};
    struct h5_file file;
    char *names[] = {"stone", "stone", "stone", "stone"};
    bool written = h5_create(&file, path, 0, &error);
    for (size_t k = 0; written && k < sizeof sets / sizeof *sets; k++) {
        struct h5_rows rows = {.name = sets[k].name,
                               .type = H5_TYPE_FLOAT64,
                               .columns = sets[k].columns,
                               .count = ROWS,
                               .base = (char *)numbers,
                               .stride = (size_t)sets[k].columns * sizeof *numbers};
        written = h5_write_rows(&file, &rows, &error);
    }
    if (!written || !h5_write_strings(&file, "material", names, ROWS, &error) ||
        !h5_close(&file, &error))
        abort();
    import = read_good(path);
}

static void write_frame(void) {
    struct gabion_error error = {0};
    struct gabion_world *world = empty_world();
    struct gabion_body body = gabion_default_body();
    body.radius = 0.5;
    body.mass = 1;
    for (int k = 0; k < ROWS; k++) {
        body.position.z = 1.5 * k;
        gabion_add_body(world, &body, &error);
    }
    if (error.status || !frame_write(folder, world, &error))
        abort();
    gabion_destroy(world);
    frame = read_good(frame_path);
}

static void clean_up(void) {
    char frames[128];
    snprintf(frames, sizeof frames, "%s/frames", folder);
    unlink(frame_path);
    rmdir(frames);
    unlink(path);
    rmdir(folder);
}

// Reading a frame starts a world of its own. A made-up machine, and a topology that stays, keep
// hwloc from loading its plugins and asking this machine for each input: a fifth of the time.
static void keep_topology(struct gabion_error *error) {
    static struct topology *kept;
    setenv("HWLOC_SYNTHETIC", "core:1 pu:1", 1);
    kept = topology_load(error);
    if (!kept)
        abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    struct gabion_error error = {0};
    keep_topology(&error);
    keep_memory();
    make_folder("fuzz_bulk_hdf5", folder, sizeof folder);
    snprintf(path, sizeof path, "%s/input.h5", folder);
    snprintf(frame_path, sizeof frame_path, "%s/frames/frame-000000000.h5", folder);
    team = team_create(1, NULL, &error);
    if (!team)
        abort();
    write_import();
    write_frame();
    atexit(clean_up);
    return 0;
}

static void change_structure(const struct good *good, const char *group, struct input *input) {
    static const char *const names[] = {"position", "radius",  "velocity", "spin",  "orientation",
                                        "mass",     "density", "id",       "shape", "material"};
    char name[64], other[64];
    store(path, good->bytes, good->size, 0);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    while (input->size > 0) {
        uint64_t what = take(input, 1), which = take(input, 1) % 10;
        snprintf(name, sizeof name, "%s/%s", group, names[which]);
        snprintf(other, sizeof other, "%s/%s", group, names[(which + 1) % 10]);
        if (what % 3 == 0)
            replace_dataset(file, name, input);
        else if (what % 3 == 1)
            change_value(file, name, input);
        else
            replace_by_link(file, name, other, input);
    }
    H5Fclose(file);
}

// Returns whether the forged file is a frame and needs a seal.
static bool forge(struct input *input) {
    switch (take(input, 1) % 6) {
    case 0:
        store(path, input->data, input->size, 0);
        return false;
    case 1:
        change_bytes(path, import.bytes, import.size, 0, input);
        return false;
    case 2:
        change_bytes(path, frame.bytes, frame.size, SEAL_SIZE, input);
        return true;
    case 3:
        change_structure(&frame, "/bodies", input);
        return true;
    default:
        change_structure(&import, "", input);
        return false;
    }
}

// Imports the bodies of a frame, then takes their state by id, and adopts the contacts.
static bool take_frame(struct gabion_world *world, const struct gabion_body *template,
                       struct gabion_error *error) {
    struct remarks remarks = {0};
    struct kept_contacts kept = {0};
    struct donor *donor = donor_open(path, &remarks, error);
    struct donor_transfer transfer = {donor, world, &kept, &remarks};
    struct donor_choice choice = {.template = *template, .orientation = {1, 0, 0, 0}};
    bool good = donor && donor_import(&transfer, &choice, error) &&
                donor_take(&transfer, DONOR_BY_ID, true, error);
    if (good)
        contacts_adopt(world, &kept);
    donor_close(donor);
    kept_contacts_free(&kept);
    remarks_free(&remarks);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {data, size};
    struct gabion_error error = {0};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    bool framed = forge(&input);
    if (framed && !seal_write(path, &frame_kind, &error))
        abort();
    struct gabion_world *world = empty_world();
    struct gabion_body template = gabion_default_body();
    int64_t skipped;
    template.density = 2000;
    bool good = framed ? take_frame(world, &template, &error)
                       : bulk_add_bodies(world, path, &template, &skipped, &error);
    if (good != (error.status == GABION_OK)) // a rejection has a reason, a success has none
        abort();
    gabion_destroy(world);
    return 0;
}
