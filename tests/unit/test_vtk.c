// ParaView files of a small world made by hand. `test_vtk DIR` also leaves a run with a history in
// DIR, for tests/cli/vtk_check.py to read with VTK itself.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "engine/api/define.h"
#include "engine/contact/contacts.h"
#include "engine/contact/interfaces.h"
#include "engine/world/world.h"
#include "io/file/file.h"
#include "io/vtk/vtk.h"
#include "parallel/memory.h"

#define H 0.125 // exact in binary, as are all numbers below: files hold floats

static char folder[512];

static char *in_folder(const char *name) {
    static char path[4][2048];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static char *read_whole(const char *path, size_t *size) {
    struct gabion_error error = {0};
    char *text = file_read(path, (size_t)1 << 30, size, &error);
    if (!text)
        fail_msg("%s", error.text);
    return text;
}

// The world.

static void world_reserve(struct gabion_world *world, int32_t count, size_t contacts) {
    struct bodies *bodies = &world->bodies;
    size_t n = (size_t)count;
    bodies->count = bodies->moving = count;
    bodies->id_count = count;
    bodies->id = memory_allocate(n, sizeof *bodies->id, "test");
    bodies->index_of = memory_allocate(n, sizeof *bodies->index_of, "test");
    bodies->shape_index = memory_allocate(n, sizeof *bodies->shape_index, "test");
    bodies->material = memory_allocate(n, sizeof *bodies->material, "test");
    bodies->group = memory_allocate(n, sizeof *bodies->group, "test");
    bodies->shape = memory_allocate(n, sizeof *bodies->shape, "test");
    bodies->radius = memory_allocate(n, sizeof *bodies->radius, "test");
    bodies->x = memory_allocate(n, sizeof *bodies->x, "test");
    bodies->q = memory_allocate(n, sizeof *bodies->q, "test");
    bodies->v = memory_allocate(n, sizeof *bodies->v, "test");
    bodies->w = memory_allocate(n, sizeof *bodies->w, "test");
    bodies->half_spaces = memory_allocate(2, sizeof *bodies->half_spaces, "test");
    for (int32_t i = 0; i < count; i++) {
        bodies->id[i] = bodies->index_of[i] = i;
        bodies->shape_index[i] = -1;
        bodies->q[i] = (quat){1, 0, 0, 0};
        bodies->radius[i] = 0.5;
    }
    world->settings.step = H;
    world->contacts = memory_allocate(1, sizeof *world->contacts, "test");
    world->interfaces = memory_allocate(1, sizeof *world->interfaces, "test");
    world->contacts->list = memory_allocate(contacts, sizeof *world->contacts->list, "test");
    world->contacts->count = contacts;
}

static void world_release(struct gabion_world *world) {
    struct bodies *bodies = &world->bodies;
    void *arrays[] = {bodies->id,
                      bodies->index_of,
                      bodies->shape_index,
                      bodies->material,
                      bodies->group,
                      bodies->shape,
                      bodies->radius,
                      bodies->x,
                      bodies->q,
                      bodies->v,
                      bodies->w,
                      bodies->half_spaces,
                      world->contacts->list};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    memory_free(world->contacts);
    memory_free(world->interfaces);
    team_destroy(world->team);
}

static struct team *team_of(int threads) {
    struct gabion_error error = {0};
    struct team *team = team_create(threads, NULL, &error);
    assert_non_null(team);
    return team;
}

// Index:   0      1      2            3              4
// Id:      3      1      0            4              5          (2 has left the run)
// Shape:   sphere sphere fixed sphere ground (drawn) side wall (fits the scene, moving)
static void world_make(struct gabion_world *world) {
    memset(world, 0, sizeof *world);
    world_reserve(world, 5, 4);
    world->team = team_of(1);
    world->step = 8;
    struct bodies *bodies = &world->bodies;
    bodies->moving = 2;
    memory_free(bodies->index_of);
    bodies->id_count = 6;
    bodies->index_of = memory_allocate(6, sizeof *bodies->index_of, "test");
    const int32_t id[5] = {3, 1, 0, 4, 5}, index_of[6] = {2, 1, -1, 0, 3, 4};
    memcpy(bodies->id, id, sizeof id);
    memcpy(bodies->index_of, index_of, sizeof index_of);
    const vec3 x[5] = {{0, 0, 0.5}, {1, 0, 0.5}, {0, 1, 0.5}, {0, 0, 0}, {-0.5, 7, 7}};
    memcpy(bodies->x, x, sizeof x);
    bodies->v[0] = vec3_make(1, 2, 3);
    bodies->v[4] = vec3_make(-2, 0, 0);
    bodies->w[1] = vec3_make(0, 0, 4);
    bodies->q[1] = (quat){0, 1, 0, 0};
    bodies->material[0] = 2;
    bodies->group[2] = 9;
    bodies->radius[3] = bodies->radius[4] = 0;

    bodies->half_space_count = 2;
    bodies->shape[3] = bodies->shape[4] = GABION_HALF_SPACE;
    bodies->shape_index[3] = 1;
    bodies->shape_index[4] = 0;
    bodies->half_spaces[1] = (struct half_space){{0, 0, 1}, {1, 0, 0}, {4, 2}};
    bodies->half_spaces[0] = (struct half_space){{1, 0, 0}, {0, 1, 0}, {0, 0}};

    const struct contact list[4] = {
        {0, 1, 0, 0, CONTACT_SLIP, 1, 0.0, {-1, 0, 0}, {0, 0, 0}, {-0.5, 0.25, 0}},
        {0, 3, 0, 0, CONTACT_STICK, 1, 0.0, {0, 0, 1}, {0, 0, 0}, {0.125, 0, 1}},
        {0, 4, 0, 0, CONTACT_OPEN, 1, 0.0625, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}},
        {1, 3, 0, 0, CONTACT_STICK, 1, -0.125, {0, 0, 1}, {0, 0, 0}, {0, 0, 2}},
    };
    memcpy(world->contacts->list, list, sizeof list);
}

// Many spheres, in an order that is not that of their ids.
static void world_make_large(struct gabion_world *world, int32_t count, int threads) {
    memset(world, 0, sizeof *world);
    world_reserve(world, count, 0);
    world->team = team_of(threads);
    for (int32_t i = 0; i < count; i++) {
        int32_t id = count - 1 - i;
        world->bodies.id[i] = id;
        world->bodies.index_of[id] = i;
        // Sevenths fill the mantissa, so that blocks do not compress to nothing.
        world->bodies.x[i] = vec3_make(id / 7.0, (id * 31 % 1009) / 7.0, (id * 17 % 4001) / 7.0);
    }
}

// Reading back: one array of one file, as doubles.

static size_t base64_decode(const char *text, unsigned char *bytes) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t size = 0;
    unsigned group = 0, bits = 0;
    for (; *text && strchr(letters, *text); text++) {
        group = group << 6 | (unsigned)(strchr(letters, *text) - letters);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes[size++] = (unsigned char)(group >> bits);
        }
    }
    return size;
}

static double component(const char *type, const unsigned char *bytes, size_t k) {
    if (strcmp(type, "Float32") == 0)
        return ((const float *)bytes)[k];
    if (strcmp(type, "Int32") == 0)
        return ((const int32_t *)bytes)[k];
    if (strcmp(type, "UInt16") == 0)
        return ((const uint16_t *)bytes)[k];
    assert_string_equal(type, "UInt8");
    return bytes[k];
}

static size_t type_bytes(const char *type) {
    return strstr(type, "32") ? 4 : strstr(type, "16") ? 2 : 1;
}

// Inflates the blocks behind `text` (header, then data) and returns the number of bytes.
static size_t inflate_array(const char *text, unsigned char **raw) {
    uint64_t start[3];
    char first[33] = {0};
    memcpy(first, text, 32);
    base64_decode(first, (unsigned char *)start);
    size_t blocks = start[0], block_bytes = start[1], header_bytes = 8 * (3 + blocks);
    size_t header_text = (header_bytes + 2) / 3 * 4;
    size_t packed_text = strcspn(text, "\n") - header_text;

    char *piece = memory_allocate(header_text + 1, 1, "test");
    uint64_t *header = memory_allocate(header_text + 8, 1, "test");
    memcpy(piece, text, header_text);
    assert_int_equal(base64_decode(piece, (unsigned char *)header), header_bytes);
    unsigned char *packed = memory_allocate(packed_text + 1, 1, "test");
    size_t packed_bytes = base64_decode(text + header_text, packed), at = 0, size = 0;
    *raw = memory_allocate(blocks * block_bytes + 1, 1, "test");
    for (size_t k = 0; k < blocks; k++) {
        size_t whole = k + 1 == blocks && start[2] ? start[2] : block_bytes;
        uLongf got = whole;
        assert_int_equal(uncompress(*raw + size, &got, packed + at, header[3 + k]), Z_OK);
        assert_int_equal(got, whole);
        at += header[3 + k];
        size += got;
    }
    assert_int_equal(at, packed_bytes);
    memory_free(piece);
    memory_free(header);
    memory_free(packed);
    return size;
}

static double *read_array(const char *name, const char *section, const char *array, size_t *count) {
    char pattern[64], type[16];
    char *text = read_whole(in_folder(name), NULL);
    snprintf(pattern, sizeof pattern, "<%s>", section);
    char *place = strstr(text, pattern);
    assert_non_null(place);
    snprintf(pattern, sizeof pattern, "Name=\"%s\"", array);
    place = strstr(place, pattern);
    assert_non_null(place);
    char *tag = place;
    while (*tag != '<')
        tag--;
    assert_int_equal(sscanf(tag, "<DataArray type=\"%15[^\"]\"", type), 1);
    unsigned char *raw;
    size_t bytes = inflate_array(strchr(place, '\n') + 1, &raw);
    *count = bytes / type_bytes(type);
    double *values = memory_allocate(*count, sizeof *values, "test");
    for (size_t k = 0; k < *count; k++)
        values[k] = component(type, raw, k);
    memory_free(raw);
    memory_free(text);
    return values;
}

static void expect_array(const char *name, const char *section, const char *array, size_t count,
                         const double *expected) {
    size_t got;
    double *values = read_array(name, section, array, &got);
    if (got != count)
        fail_msg("%s: %s has %zu numbers, expected %zu", name, array, got, count);
    for (size_t k = 0; k < count; k++)
        if (values[k] != (double)(float)expected[k])
            fail_msg("%s: %s[%zu] is %.9g, expected %.9g", name, array, k, values[k], expected[k]);
    memory_free(values);
}
#define EXPECT(name, section, array, ...)                                                          \
    expect_array(name, section, array, sizeof((double[]){__VA_ARGS__}) / sizeof(double),           \
                 (double[]){__VA_ARGS__})

static void expect_text(const char *name, const char *text) {
    char *whole = read_whole(in_folder(name), NULL);
    if (!strstr(whole, text))
        fail_msg("%s does not hold: %s", name, text);
    memory_free(whole);
}

static void write_frame(const struct gabion_world *world, bool resume) {
    struct gabion_error error = {0};
    struct vtk_series *series = vtk_open(folder, world, resume, VTK_BLOCKS_SURFACE, &error);
    if (!series || !vtk_write(series, world, &error))
        fail_msg("%s", error.text);
    vtk_close(series);
}

// Tests.

static void bodies_are_points_in_order_of_id(void **state) {
    (void)state;
    struct gabion_world world;
    world_make(&world);
    write_frame(&world, false);
    const char *file = "vtk/bodies_000008.vtp";
    EXPECT(file, "PointData", "id", 0, 1, 3);
    EXPECT(file, "PointData", "radius", 0.5, 0.5, 0.5);
    EXPECT(file, "PointData", "material", 0, 0, 2);
    EXPECT(file, "PointData", "group", 9, 0, 0);
    EXPECT(file, "PointData", "velocity", 0, 0, 0, 0, 0, 0, 1, 2, 3);
    EXPECT(file, "PointData", "angular_velocity", 0, 0, 0, 0, 0, 4, 0, 0, 0);
    EXPECT(file, "PointData", "orientation", 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0);
    EXPECT(file, "PointData", "coordination", 0, 2, 2);
    EXPECT(file, "Points", "Points", 0, 1, 0.5, 1, 0, 0.5, 0, 0, 0.5);
    EXPECT(file, "Verts", "connectivity", 0, 1, 2);
    EXPECT(file, "Verts", "offsets", 1, 2, 3);
    expect_text(file, "NumberOfPoints=\"3\" NumberOfVerts=\"3\" NumberOfLines=\"0\"");
    expect_text(file, "Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">1<");
    expect_text(file, "Name=\"step\" NumberOfTuples=\"1\" format=\"ascii\">8<");
    expect_text(file, "ComponentName0=\"w\" ComponentName1=\"x\"");
    expect_text("bodies.pvd",
                "<DataSet timestep=\"1\" part=\"0\" file=\"vtk/bodies_000008.vtp\"/>");
    world_release(&world);
}

static void walls_are_rectangles(void **state) {
    (void)state;
    struct gabion_world world;
    world_make(&world);
    write_frame(&world, false);
    const char *file = "vtk/walls_000008.vtp";
    EXPECT(file, "CellData", "id", 4, 5);
    EXPECT(file, "CellData", "velocity", 0, 0, 0, -2, 0, 0);
    EXPECT(file, "CellData", "force", -0.125 / H, 0, -3 / H, 0, 0, 0);
    // Spheres fill [-0.5, 1.5] x [-0.5, 1.5] x [0, 1]; the margin is a tenth.
    double y0 = 0.5 - 1.1, y1 = 0.5 + 1.1, z0 = 0.5 - 0.55, z1 = 0.5 + 0.55;
    EXPECT(file, "Points", "Points", -4, -2, 0, 4, -2, 0, 4, 2, 0, -4, 2, 0, //
           -0.5, y0, z0, -0.5, y1, z0, -0.5, y1, z1, -0.5, y0, z1);
    EXPECT(file, "Polys", "connectivity", 0, 1, 2, 3, 4, 5, 6, 7);
    EXPECT(file, "Polys", "offsets", 4, 8);
    world_release(&world);
}

// A third of a turn about the diagonal takes x to y, y to z and z to x.
static void turned_walls_are_drawn_turned(void **state) {
    (void)state;
    struct gabion_world world;
    world_make(&world);
    for (int32_t i = 0; i < world.bodies.count; i++)
        if (world.bodies.id[i] == 4)
            world.bodies.q[i] = (quat){0.5, 0.5, 0.5, 0.5};
    write_frame(&world, false);
    double y0 = 0.5 - 1.1, y1 = 0.5 + 1.1, z0 = 0.5 - 0.55, z1 = 0.5 + 0.55;
    EXPECT("vtk/walls_000008.vtp", "Points", "Points", 0, -4, -2, 0, 4, -2, 0, 4, 2, 0, -4, 2, //
           -0.5, y0, z0, -0.5, y1, z0, -0.5, y1, z1, -0.5, y0, z1);
    world_release(&world);
}

static void contacts_are_lines(void **state) {
    (void)state;
    struct gabion_world world;
    world_make(&world);
    write_frame(&world, false);
    const char *file = "vtk/contacts_000008.vtp";
    EXPECT(file, "CellData", "body_a", 3, 3, 3, 1);
    EXPECT(file, "CellData", "body_b", 1, 4, 5, 4);
    EXPECT(file, "CellData", "status", 2, 1, 0, 1);
    EXPECT(file, "CellData", "gap", 0, 0, 0.0625, -0.125);
    EXPECT(file, "CellData", "normal_force", 0.5 / H, 1 / H, 0, 2 / H);
    EXPECT(file, "PointData", "normal_force", 0.5 / H, 0.5 / H, 1 / H, 1 / H, 0, 0, 2 / H, 2 / H);
    EXPECT(file, "CellData", "impulse", -0.5, 0.25, 0, 0.125, 0, 1, 0, 0, 0, 0, 0, 2);
    EXPECT(file, "CellData", "force", -0.5 / H, 0.25 / H, 0, 0.125 / H, 0, 1 / H, 0, 0, 0, 0, 0,
           2 / H);
    EXPECT(file, "CellData", "normal", -1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1);
    EXPECT(file, "CellData", "point", 0.5, 0, 0.5, 0, 0, 0, -0.5, 0, 0.5, 1, 0, 0);
    EXPECT(file, "Points", "Points", 0, 0, 0.5, 1, 0, 0.5, // centre to centre
           0, 0, 0.5, 0, 0, 0,                             // down to the ground
           0, 0, 0.5, -0.5, 0, 0.5,                        // across to the side wall
           1, 0, 0.5, 1, 0, 0);
    world_release(&world);
}

static void tiny_force_stays_above_zero(void **state) {
    (void)state;
    struct gabion_world world;
    world_make(&world);
    world.contacts->list[3].impulse = vec3_make(0, 0, 1e-200);
    write_frame(&world, false);
    size_t count;
    double *force = read_array("vtk/contacts_000008.vtp", "CellData", "normal_force", &count);
    assert_true(force[3] > 0);
    memory_free(force);
    world_release(&world);
}

static void empty_world_still_gives_frames(void **state) {
    (void)state;
    struct gabion_world world;
    memset(&world, 0, sizeof world);
    world_reserve(&world, 0, 0);
    world.team = team_of(1);
    write_frame(&world, false);
    size_t count;
    memory_free(read_array("vtk/bodies_000000.vtp", "PointData", "velocity", &count));
    assert_int_equal(count, 0);
    memory_free(read_array("vtk/walls_000000.vtp", "CellData", "force", &count));
    assert_int_equal(count, 0);
    memory_free(read_array("vtk/contacts_000000.vtp", "PointData", "normal_force", &count));
    assert_int_equal(count, 0);
    world_release(&world);
}

// 524 288 spheres: positions need seven blocks, and an id array is exactly two.
static void pieces_do_not_depend_on_threads(void **state) {
    (void)state;
    const int32_t count = 1 << 19;
    char *whole[2];
    size_t size[2];
    for (int k = 0; k < 2; k++) {
        struct gabion_world world;
        world_make_large(&world, count, 1 + 2 * k);
        write_frame(&world, false);
        whole[k] = read_whole(in_folder("vtk/bodies_000000.vtp"), &size[k]);
        world_release(&world);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(whole[0], whole[1], size[0]);
    memory_free(whole[0]);
    memory_free(whole[1]);

    size_t got;
    double *id = read_array("vtk/bodies_000000.vtp", "PointData", "id", &got);
    double *x;
    assert_int_equal(got, count);
    x = read_array("vtk/bodies_000000.vtp", "Points", "Points", &got);
    assert_int_equal(got, 3 * count);
    for (int32_t k = 0; k < count; k++)
        if (id[k] != k || x[3 * k] != (double)(float)(k / 7.0) ||
            x[3 * k + 2] != (double)(float)((k * 17 % 4001) / 7.0))
            fail_msg("body %d is not in its place", k);
    memory_free(id);
    memory_free(x);
}

static int count_frames(const char *name) {
    char *whole = read_whole(in_folder(name), NULL);
    int count = 0;
    for (char *at = whole; (at = strstr(at, "<DataSet ")); at++)
        count++;
    memory_free(whole);
    return count;
}

// Blocks: a fixed slab (id 0), a box on it (id 1) that has moved by (0.25, 0, 0.5) since the start,
// and a wedge (id 2) on the box. All numbers are exact in binary.

#define SLAB_VOLUME  (8.0 * 4 * 1)
#define BOX_VOLUME   (2.0 * 1 * 0.5)
#define WEDGE_VOLUME (0.5 * 2 * 1 * 1)

static struct gabion_world *blocks_make(void) {
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    settings.step = H;
    struct gabion_world *world = world_create(&settings, team_of(1), &error);
    assert_non_null(world);
    gabion_add_material(world, "stone", 2000, NULL);
    struct gabion_body body = gabion_default_body();
    body.shape = GABION_POLYHEDRON;
    body.density = 2000;
    body.fixed = true;
    body.polyhedron =
        world_add_polyhedron(world, polyhedron_box(vec3_make(4, 2, 0.5), &error), &error);
    body.position = vec3_make(0, 0, -0.5);
    gabion_add_body(world, &body, &error);
    body.fixed = false;
    body.group = gabion_add_group(world, "bricks", NULL);
    body.velocity = vec3_make(1, 2, 3);
    body.spin = vec3_make(0, 0, 4);
    body.polyhedron =
        world_add_polyhedron(world, polyhedron_box(vec3_make(1, 0.5, 0.25), &error), &error);
    body.position = vec3_make(0, 0, 0.25);
    gabion_add_body(world, &body, &error);
    const double triangle[3][2] = {{-1, -0.5}, {1, -0.5}, {0, 0.5}};
    body.polyhedron =
        world_add_polyhedron(world, polyhedron_prism(triangle, 3, 0, 1, &error), &error);
    body.position = vec3_make(0, 0, 0.5);
    assert_int_equal(gabion_add_body(world, &body, &error), 2);
    interfaces_find(world);
    world->bodies.x[1] = vec3_add(world->bodies.x[1], vec3_make(0.25, 0, 0.5));
    world->step = 8;
    return world;
}

static void blocks_contact(struct gabion_world *world, int32_t c, int32_t a, vec3 point,
                           double impulse) {
    struct contacts *contacts = world->contacts;
    contacts->list =
        memory_resize(contacts->list, contacts->count + 1, sizeof *contacts->list, "test");
    contacts->list[contacts->count++] = (struct contact){.c = c,
                                                         .a = a,
                                                         .status = CONTACT_STICK,
                                                         .active = 1,
                                                         .normal = {0, 0, 1},
                                                         .point = point,
                                                         .impulse = {0, 0, impulse}};
}

static void blocks_destroy(struct gabion_world *world) {
    struct team *team = world->team;
    gabion_destroy(world);
    team_destroy(team);
}

static void write_blocks(const struct gabion_world *world, bool resume, enum vtk_blocks blocks) {
    struct gabion_error error = {0};
    struct vtk_series *series = vtk_open(folder, world, resume, blocks, &error);
    if (!series || !vtk_write(series, world, &error))
        fail_msg("%s", error.text);
    vtk_close(series);
}

// Six times the volume under a polygon, seen from the origin.
static double cone(const double *point, const double *corner, size_t begin, size_t end) {
    double sum = 0;
    for (size_t k = begin + 1; k + 1 < end; k++) {
        const double *p[3] = {point + 3 * (size_t)corner[begin], point + 3 * (size_t)corner[k],
                              point + 3 * (size_t)corner[k + 1]};
        vec3 v[3];
        for (int i = 0; i < 3; i++)
            v[i] = vec3_make(p[i][0], p[i][1], p[i][2]);
        sum += vec3_dot(v[0], vec3_cross(v[1], v[2]));
    }
    return sum;
}

static void blocks_are_polygons(void **state) {
    (void)state;
    struct gabion_world *world = blocks_make();
    write_blocks(world, false, VTK_BLOCKS_SURFACE);
    const char *file = "vtk/blocks_000008.vtp";
    EXPECT(file, "CellData", "id", 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2);
    EXPECT(file, "CellData", "group", 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    EXPECT(file, "CellData", "fixed", 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    expect_text(file, "NumberOfPoints=\"22\" NumberOfVerts=\"0\" NumberOfLines=\"0\" "
                      "NumberOfStrips=\"0\" NumberOfPolys=\"17\"");
    size_t points, corners, cells, three;
    double *point = read_array(file, "Points", "Points", &points);
    double *corner = read_array(file, "Polys", "connectivity", &corners);
    double *end = read_array(file, "Polys", "offsets", &cells);
    double *displacement = read_array(file, "CellData", "displacement", &three);
    double *velocity = read_array(file, "CellData", "velocity", &three);
    assert_int_equal(points, 3 * 22);
    assert_int_equal(corners, 24 + 24 + 18);
    assert_int_equal(cells, 17);
    double volume[3] = {0};
    for (size_t k = 0; k < cells; k++)
        volume[k < 6    ? 0
               : k < 12 ? 1
                        : 2] +=
            cone(point, corner, k > 0 ? (size_t)end[k - 1] : 0, (size_t)end[k]) / 6;
    assert_true(fabs(volume[0] - SLAB_VOLUME) < 1e-5);
    assert_true(fabs(volume[1] - BOX_VOLUME) < 1e-5);
    assert_true(fabs(volume[2] - WEDGE_VOLUME) < 1e-5);
    for (size_t k = 0; k < cells; k++) {
        assert_true(displacement[3 * k] == (k >= 6 && k < 12 ? 0.25 : 0));
        assert_true(displacement[3 * k + 2] == (k >= 6 && k < 12 ? 0.5 : 0));
        assert_true(velocity[3 * k + 1] == (k < 6 ? 0 : 2));
    }
    memory_free(point);
    memory_free(corner);
    memory_free(end);
    memory_free(displacement);
    memory_free(velocity);
    assert_false(file_exists(in_folder("bodies.pvd"))); // there are no spheres
    assert_true(file_exists(in_folder("walls.pvd")));
    blocks_destroy(world);
}

static void blocks_are_solid_cells(void **state) {
    (void)state;
    struct gabion_world *world = blocks_make();
    write_blocks(world, false, VTK_BLOCKS_SOLID);
    const char *file = "vtk/blocks_000008.vtu";
    expect_text("blocks.pvd", "file=\"vtk/blocks_000008.vtu\"");
    expect_text(file, "<VTKFile type=\"UnstructuredGrid\"");
    expect_text(file, "<Piece NumberOfPoints=\"22\" NumberOfCells=\"3\">");
    EXPECT(file, "CellData", "id", 0, 1, 2);
    EXPECT(file, "CellData", "displacement", 0, 0, 0, 0.25, 0, 0.5, 0, 0, 0);
    EXPECT(file, "CellData", "angular_velocity", 0, 0, 0, 0, 0, 4, 0, 0, 4);
    EXPECT(file, "Cells", "types", 42, 42, 42);
    EXPECT(file, "Cells", "offsets", 8, 16, 22);
    EXPECT(file, "Cells", "faceoffsets", 31, 62, 86);
    size_t words, points;
    double *face = read_array(file, "Cells", "faces", &words), volume[3] = {0};
    double *point = read_array(file, "Points", "Points", &points);
    assert_int_equal(words, 86);
    for (size_t block = 0, at = 0; block < 3; block++) {
        int faces = (int)face[at++];
        assert_int_equal(faces, block < 2 ? 6 : 5);
        for (int f = 0; f < faces; f++) {
            size_t size = (size_t)face[at++];
            volume[block] += cone(point, face, at, at + size) / 6;
            at += size;
        }
    }
    assert_true(fabs(volume[0] - SLAB_VOLUME) < 1e-5);
    assert_true(fabs(volume[1] - BOX_VOLUME) < 1e-5);
    assert_true(fabs(volume[2] - WEDGE_VOLUME) < 1e-5);
    memory_free(face);
    memory_free(point);

    // A series keeps its form when it is taken up again; a new run has its own.
    world->step = 16;
    write_blocks(world, true, VTK_BLOCKS_SURFACE);
    assert_int_equal(count_frames("blocks.pvd"), 2);
    assert_true(file_exists(in_folder("vtk/blocks_000016.vtu")));
    write_blocks(world, false, VTK_BLOCKS_SURFACE);
    assert_int_equal(count_frames("blocks.pvd"), 1);
    assert_false(file_exists(in_folder("vtk/blocks_000016.vtu")));
    assert_true(file_exists(in_folder("vtk/blocks_000016.vtp")));
    blocks_destroy(world);
}

static void interfaces_are_points_and_thrust_is_lines(void **state) {
    (void)state;
    struct gabion_world *world = blocks_make();
    for (int i = 1; i < 3; i++)
        world->bodies.v[i] = world->bodies.w[i] = vec3_zero();
    // Order of the arrays: slab, box, wedge. A pair with more points than one, and one that is
    // open.
    blocks_contact(world, 1, 0, vec3_make(1, 0, 0), 1);
    blocks_contact(world, 1, 0, vec3_make(0, 0, 0), 3);
    blocks_contact(world, 1, 0, vec3_make(0, 0.5, 0), 0);
    blocks_contact(world, 2, 1, vec3_make(0.5, -0.25, 0.5), 2);
    write_blocks(world, false, VTK_BLOCKS_SURFACE);
    const char *file = "vtk/interfaces_000008.vtp";
    EXPECT(file, "PointData", "body_a", 0, 1);
    EXPECT(file, "PointData", "body_b", 1, 2);
    EXPECT(file, "PointData", "initial", 1, 1);
    EXPECT(file, "PointData", "status", 1, 1);
    // The box has gone up by a half: away from the slab, into the wedge.
    EXPECT(file, "PointData", "opening", 0.5, -0.5);
    EXPECT(file, "PointData", "slide", 0.25, 0.25);
    EXPECT(file, "PointData", "sliding", -0.25, 0, 0, 0.25, 0, 0); // of a against b
    EXPECT(file, "PointData", "normal_force", 4 / H, 2 / H);
    EXPECT(file, "PointData", "force", 0, 0, -4 / H, 0, 0, -2 / H);
    EXPECT(file, "Points", "Points", 0.25, 0, 0, 0.5, -0.25, 0.5);

    file = "vtk/thrust_000008.vtp";
    EXPECT(file, "CellData", "id", 1); // the wedge has one loaded interface, the slab is fixed
    EXPECT(file, "CellData", "normal_force", 3 / H);
    EXPECT(file, "PointData", "normal_force", 4 / H, 2 / H);
    EXPECT(file, "Points", "Points", 0.25, 0, 0, 0.5, -0.25, 0.5);

    // Lines to a slab end at the contact, not in its middle.
    file = "vtk/contacts_000008.vtp";
    EXPECT(file, "CellData", "point", 1, 0, 0, 0, 0, 0, 0, 0.5, 0, 0.5, -0.25, 0.5);
    size_t count;
    double *end = read_array(file, "Points", "Points", &count);
    assert_int_equal(count, 3 * 8);
    assert_true(end[0] == 0.25 && end[2] == 0.75); // centre of the box
    assert_true(end[3] == 1 && end[5] == 0);
    assert_true(end[21] == 0.25 && end[23] == 0.75);
    memory_free(end);
    EXPECT("vtk/blocks_000008.vtp", "CellData", "coordination", 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3,
           1, 1, 1, 1, 1);
    blocks_destroy(world);
}

static void expect_rejected(const char *name) {
    struct gabion_error error = {0};
    assert_false(vtk_check_names(folder, &error));
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    assert_non_null(strstr(error.text, in_folder(name)));
    assert_non_null(strstr(error.text, "into a new folder with -o"));
}

static void write_text(const char *name, const char *text) {
    FILE *file = fopen(in_folder(name), "w");
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

// Interfaces used to be called joints, and joints links.
static void names_of_an_older_version_are_rejected(void **state) {
    (void)state;
    struct gabion_error error = {0};
    assert_true(vtk_check_names(folder, &error)); // an empty folder
    struct gabion_world *world = blocks_make();
    write_blocks(world, false, VTK_BLOCKS_SURFACE);
    blocks_destroy(world);
    assert_true(vtk_check_names(folder, &error));

    // The first frame is gone, the second one shows what the series holds.
    write_text("joints.pvd",
               "<DataSet timestep=\"0\" part=\"0\" file=\"vtk/joints_000000.vtp\"/>\n"
               "<DataSet timestep=\"1\" part=\"0\" file=\"vtk/joints_000008.vtp\"/>\n");
    assert_true(vtk_check_names(folder, &error));
    write_text("vtk/joints_000008.vtp", "<CellData>\n<DataArray Name=\"joint\"/>\n</CellData>");
    assert_true(vtk_check_names(folder, &error));
    assert_int_equal(
        rename(in_folder("vtk/interfaces_000008.vtp"), in_folder("vtk/joints_000008.vtp")), 0);
    expect_rejected("joints.pvd");

    write_text("links.pvd", "");
    expect_rejected("links.pvd");
}

static void spheres_alone_have_no_series_of_blocks(void **state) {
    (void)state;
    struct gabion_world world;
    world_make(&world);
    write_frame(&world, false);
    const char *names[] = {"blocks.pvd", "interfaces.pvd", "thrust.pvd"};
    for (int k = 0; k < 3; k++)
        assert_false(file_exists(in_folder(names[k])));
    world_release(&world);
}

static void series_resumes_without_later_frames(void **state) {
    (void)state;
    struct gabion_world world;
    struct gabion_error error = {0};
    world_make(&world);
    struct vtk_series *series = vtk_open(folder, &world, false, VTK_BLOCKS_SURFACE, &error);
    for (world.step = 0; world.step <= 40; world.step += 10)
        assert_true(vtk_write(series, &world, &error));
    vtk_close(series);
    assert_int_equal(count_frames("walls.pvd"), 5);

    world.step = 20;
    assert_int_equal(unlink(in_folder("contacts.pvd")), 0);
    series = vtk_open(folder, &world, true, VTK_BLOCKS_SURFACE, &error);
    assert_non_null(series);
    assert_int_equal(count_frames("bodies.pvd"), 3);
    assert_true(file_exists(in_folder("vtk/bodies_000020.vtp")));
    assert_false(file_exists(in_folder("vtk/bodies_000030.vtp")));
    world.step = 30;
    assert_true(vtk_write(series, &world, &error));
    vtk_close(series);
    assert_int_equal(count_frames("bodies.pvd"), 4);
    assert_int_equal(count_frames("contacts.pvd"), 1);
    expect_text("bodies.pvd",
                "<DataSet timestep=\"3.75\" part=\"0\" file=\"vtk/bodies_000030.vtp\"/>");

    // A new run in the same folder starts from nothing.
    world.step = 0;
    write_frame(&world, false);
    assert_int_equal(count_frames("bodies.pvd"), 1);
    assert_false(file_exists(in_folder("vtk/bodies_000010.vtp")));
    world_release(&world);
}

// After a restart the list of contacts is empty; the frame written before it is the right one.
static void frame_asked_for_again_is_kept(void **state) {
    (void)state;
    struct gabion_world world;
    world_make(&world);
    write_frame(&world, false);
    world.contacts->count = 0;
    write_frame(&world, true);
    assert_int_equal(count_frames("contacts.pvd"), 1);
    EXPECT("vtk/contacts_000008.vtp", "CellData", "status", 2, 1, 0, 1);
    world_release(&world);
}

static void full_disk_is_reported(void **state) {
    (void)state;
    struct gabion_world world;
    struct gabion_error error = {0};
    world_make(&world);
    struct vtk_series *series = vtk_open(folder, &world, false, VTK_BLOCKS_SURFACE, &error);
    assert_non_null(series);
    const char *temporary = in_folder("vtk/walls_000008.vtp.tmp");
    assert_int_equal(symlink("/dev/full", temporary), 0);
    assert_false(vtk_write(series, &world, &error));
    vtk_close(series);
    assert_int_equal(error.status, GABION_ERROR_RUN);
    assert_non_null(strstr(error.text, "walls_000008.vtp"));
    assert_non_null(strstr(error.text, "No space left"));
    struct stat about;
    assert_int_not_equal(lstat(temporary, &about), 0);
    assert_false(file_exists(in_folder("vtk/walls_000008.vtp")));
    assert_false(file_exists(in_folder("walls.pvd")));
    world_release(&world);
}

static void unusable_folder_is_reported(void **state) {
    (void)state;
    struct gabion_world world = {.settings.step = H};
    struct gabion_error error = {0};
    FILE *file = fopen(in_folder("vtk"), "w");
    fclose(file);
    assert_null(vtk_open(folder, &world, false, VTK_BLOCKS_SURFACE, &error));
    assert_int_equal(error.status, GABION_ERROR_RUN);
    assert_non_null(strstr(error.text, "/vtk"));
}

static int folder_make(void **state) {
    (void)state;
    strcpy(folder, "/tmp/gabion_test_vtk_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int folder_remove(void **state) {
    (void)state;
    char command[1024];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void leave_run(const char *directory) {
    struct gabion_world world;
    struct gabion_error error = {0};
    char path[1024];
    world_make(&world);
    struct vtk_series *series = vtk_open(directory, &world, false, VTK_BLOCKS_SURFACE, &error);
    snprintf(path, sizeof path, "%s/history.csv", directory);
    FILE *history = fopen(path, "w");
    if (!series || !history)
        exit(2);
    fprintf(history, "step,time,bodies,candidates,contacts\n");
    for (world.step = 0; world.step <= 16; world.step += 8) {
        world.contacts->count = world.step ? 4 : 0;
        world.bodies.x[4].x -= 0.25;
        if (!vtk_write(series, &world, &error))
            exit(1);
        fprintf(history, "%d,%.17g,3,%d,%d\n", (int)world.step, world_time(&world),
                world.step ? 4 : 0, world.step ? 3 : 0);
    }
    fclose(history);
    vtk_close(series);
    world_release(&world);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)

int main(int argc, char **argv) {
    if (argc > 1)
        leave_run(argv[1]);
    const struct CMUnitTest tests[] = {
        TEST(bodies_are_points_in_order_of_id),
        TEST(walls_are_rectangles),
        TEST(turned_walls_are_drawn_turned),
        TEST(contacts_are_lines),
        TEST(tiny_force_stays_above_zero),
        TEST(empty_world_still_gives_frames),
        TEST(pieces_do_not_depend_on_threads),
        TEST(blocks_are_polygons),
        TEST(blocks_are_solid_cells),
        TEST(interfaces_are_points_and_thrust_is_lines),
        TEST(names_of_an_older_version_are_rejected),
        TEST(spheres_alone_have_no_series_of_blocks),
        TEST(series_resumes_without_later_frames),
        TEST(frame_asked_for_again_is_kept),
        TEST(full_disk_is_reported),
        TEST(unusable_folder_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
