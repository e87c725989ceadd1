// libFuzzer: VTK files as io/vtk/read.h reads them: any bytes, or a good file with some of them
// changed. What is accepted must be consistent: every number and every corner can be read.
#include <string.h>

#include "io/file/file.h"
#include "io/report/drawing.h"
#include "io/vtk/vtk.h"
#include "parallel/memory.h"
#include "tests/fuzz/input.h"

#define GOOD 3
static const char *const kinds[GOOD] = {"bodies", "blocks", "walls"};
static char *good[GOOD];
static size_t good_size[GOOD];

static struct gabion_world *make_world(void) {
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    struct gabion_world *world = gabion_create(&settings, 1, &error);
    struct gabion_body body = gabion_default_body();
    gabion_add_material(world, "stone", 2000, &error);
    body.density = 2000;
    body.radius = 0.5;
    gabion_add_body(world, &body, &error);
    body.shape = GABION_POLYHEDRON;
    body.polyhedron = gabion_add_box(world, (gabion_vec3){1, 2, 3}, &error);
    gabion_add_body(world, &body, &error);
    body = gabion_default_body();
    body.shape = GABION_HALF_SPACE;
    body.fixed = true;
    gabion_add_body(world, &body, &error);
    return world;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    char folder[64], path[256];
    struct gabion_error error = {0};
    (void)argc;
    (void)argv;
    make_folder("fuzz_vtk", folder, sizeof folder);
    struct gabion_world *world = make_world();
    struct vtk_series *series = vtk_open(folder, world, false, VTK_BLOCKS_SOLID, &error);
    if (!series || !vtk_write(series, world, &error))
        abort();
    vtk_close(series);
    gabion_destroy(world);
    for (int k = 0; k < GOOD; k++) {
        snprintf(path, sizeof path, "%s/vtk/%s_000000.%s", folder, kinds[k],
                 k == 1 ? "vtu" : "vtp");
        good[k] = file_read(path, 1 << 20, &good_size[k], &error);
        if (!good[k])
            abort();
    }
    snprintf(path, sizeof path, "rm -r %s", folder);
    return system(path);
}

static void read_text(const char *kind, const void *bytes, size_t size) {
    struct gabion_error error = {0};
    struct vtk_content content;
    char *text = memory_allocate(size + 1, 1, "copy");
    memcpy(text, bytes, size);
    bool read = vtk_parse(text, size, "fuzz", &content, &error);
    if (read == (error.status == GABION_ERROR_INPUT))
        abort();
    if (read) {
        struct pack_frame frame = {0};
        struct drawing_rule rule = {.every = 1, .quantum = 1e-3};
        drawing_smallest(&content);
        drawing_add(&frame, kind, &content, &rule);
        pack_free(&frame);
        vtk_content_free(&content);
    }
    memory_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {data, size};
    int k = (int)take(&input, 1) % (GOOD + 1);
    if (k == GOOD) {
        read_text("blocks", input.data, input.size);
        return 0;
    }
    char *text = memory_allocate(good_size[k], 1, "copy");
    memcpy(text, good[k], good_size[k]);
    while (input.size >= 3) {
        size_t at = (size_t)take(&input, 2) % good_size[k];
        text[at] = (char)take(&input, 1);
    }
    read_text(kinds[k], text, good_size[k]);
    memory_free(text);
    return 0;
}
