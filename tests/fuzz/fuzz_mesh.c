// libFuzzer: any bytes as a mesh file, and any points as a hull. The first byte says which: OBJ or
// STL from the input, or a good file of either kind with some bytes changed, or coordinates.
// What is accepted must be a sound body, and the same one after a checkpoint.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/mesh/mesh.h"
#include "parallel/memory.h"
#include "tests/fuzz/input.h"

static char folder[64], obj_path[128], stl_path[128];
static char good_stl[84 + 12 * 50];
static const char good_obj[] =
    "o a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 4 3 2\nf 4 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
    "g b\nv 0 0 1\nv 3 0 1\nv 0 3 1\nv 0 0 4\nf -4 -2 -3\nf -4 -3 -1\nf -3 -2 -1\nf -2 -4 -1\n";

static void make_good_stl(void) {
    static const unsigned char corner[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                                {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                                {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    good_stl[80] = 12;
    for (int t = 0; t < 12; t++)
        for (int k = 0; k < 3; k++) {
            int c = corner[t][k];
            float at[3] = {(float)(c & 1), (float)(c >> 1 & 1), (float)(c >> 2)};
            memcpy(good_stl + 84 + 50 * t + 12 + 12 * k, at, sizeof at);
        }
}

static void clean_up(void) {
    unlink(obj_path);
    unlink(stl_path);
    rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    make_folder("fuzz_mesh", folder, sizeof folder);
    snprintf(obj_path, sizeof obj_path, "%s/fuzz.obj", folder);
    snprintf(stl_path, sizeof stl_path, "%s/fuzz.stl", folder);
    make_good_stl();
    atexit(clean_up);
    return 0;
}

static void check_body(const struct polyhedron *body) {
    struct gabion_error error = {0};
    if (!(body->volume > 0) || !(body->thickness > 0) || !(body->inertia.x > 0) ||
        body->corner_count - body->edge_count + body->face_count != 2)
        abort();
    struct polyhedron *again =
        polyhedron_restore(body->corner, body->corner_count, body->face_start, body->face_corner,
                           body->face_count, body->centre, body->axes, &error);
    if (!again || memcmp(&again->volume, &body->volume, sizeof body->volume) != 0) {
        fprintf(stderr, "%s\n", error.text);
        abort();
    }
    polyhedron_free(again);
}

// Pieces that are cut into parts: the parts are bodies too, those of a piece together.
static void read_parts(const char *path) {
    struct gabion_error error = {0};
    size_t count = 0, *piece = NULL;
    struct polyhedron **parts = mesh_read_parts(path, 0.5, 16, &count, &piece, &error);
    if (!parts != (error.status == GABION_ERROR_INPUT))
        abort();
    for (size_t k = 0; parts && k < count; k++) {
        if (k > 0 && piece[k] != piece[k - 1] && piece[k] != piece[k - 1] + 1)
            abort();
        check_body(parts[k]);
        polyhedron_free(parts[k]);
    }
    memory_free(parts);
    memory_free(piece);
}

static void read_mesh(const char *path, const void *bytes, size_t size) {
    struct gabion_error error = {0};
    size_t count = 0;
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
    struct polyhedron **pieces = mesh_read(path, 0.5, &count, &error);
    if (!pieces !=
        (error.status == GABION_ERROR_INPUT)) // a rejection has a reason, a success has none
        abort();
    for (size_t k = 0; pieces && k < count; k++) {
        check_body(pieces[k]);
        polyhedron_free(pieces[k]);
    }
    memory_free(pieces);
    read_parts(path);
}

static void read_changed(const char *path, const char *good, size_t good_size, const uint8_t *data,
                         size_t size) {
    char *bytes = memory_allocate(good_size, 1, "copy");
    memcpy(bytes, good, good_size);
    for (; size >= 3; data += 3, size -= 3)
        bytes[(data[0] << 8 | data[1]) % good_size] = (char)data[2];
    read_mesh(path, bytes, good_size);
    memory_free(bytes);
}

// Small whole numbers, where much is coplanar, with some of them moved by little.
static void make_hull(const uint8_t *data, size_t size) {
    struct gabion_error error = {0};
    vec3 point[256];
    int64_t count = 0;
    for (; size >= 4 && count < 256; data += 4, size -= 4) {
        double move = data[3] < 128 ? 0 : ldexp(1, -(data[3] - 127) / 2);
        point[count++] =
            vec3_make((int8_t)data[0] % 8 + move, (int8_t)data[1] % 8 - move, (int8_t)data[2] % 8);
    }
    struct polyhedron *body = polyhedron_hull(point, count, &error);
    if (!body != (error.status == GABION_ERROR_INPUT))
        abort();
    if (body)
        check_body(body);
    polyhedron_free(body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    switch (data[0] % 5) {
    case 0:
        read_mesh(obj_path, data + 1, size - 1);
        break;
    case 1:
        read_mesh(stl_path, data + 1, size - 1);
        break;
    case 2:
        read_changed(obj_path, good_obj, sizeof good_obj - 1, data + 1, size - 1);
        break;
    case 3:
        read_changed(stl_path, good_stl, sizeof good_stl, data + 1, size - 1);
        break;
    default:
        make_hull(data + 1, size - 1);
    }
    return 0;
}
