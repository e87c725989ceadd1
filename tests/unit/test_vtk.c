// ParaView files of small worlds whose every number is known. `test_vtk DIR` also leaves a run with
// a history in DIR, for tests/cli/vtk_check.py to read with VTK itself.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "engine/contact/contacts.h"
#include "engine/contact/interfaces.h"
#include "engine/world/world.h"
#include "io/file/file.h"
#include "io/vtk/pvd.h"
#include "io/vtk/vtk.h"
#include "parallel/memory.h"
#include "tests/unit/contact_list.h"

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

// The worlds are defined through the public interface; what only a run brings about (the step, the
// contacts, the order in memory, walls that move) is then set by hand, so that every number in the
// files is known.

static struct gabion_world *world_empty(int threads) {
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    settings.step = H;
    struct gabion_world *world = gabion_create(&settings, threads, &error);
    if (!world)
        fail_msg("%s", error.text);
    return world;
}

static int32_t add_body(struct gabion_world *world, const struct gabion_body *body) {
    struct gabion_error error = {0};
    int32_t id = gabion_add_body(world, body, &error);
    if (id < 0)
        fail_msg("%s", error.text);
    return id;
}

static struct gabion_body sphere(vec3 position) {
    struct gabion_body body = gabion_default_body();
    body.radius = 0.5;
    body.mass = 1;
    body.position = position;
    return body;
}

static struct gabion_body wall(vec3 position, vec3 normal, vec3 tangent, double first,
                               double second) {
    struct gabion_body body = gabion_default_body();
    body.shape = GABION_HALF_SPACE;
    body.fixed = true;
    body.position = position;
    body.normal = normal;
    body.tangent = tangent;
    body.extent[0] = first;
    body.extent[1] = second;
    return body;
}

// Ids 0, 1 and 3 are spheres, the first of them fixed; 2 enters later; 4 is the ground, drawn as a
// rectangle; 5 is a side wall that fits the scene and moves.
static struct gabion_world *world_make(void) {
    struct gabion_error error = {0};
    struct gabion_world *world = world_empty(1);
    for (int k = 0; k < 10; k++) {
        char name[] = {(char)('a' + k), '\0'};
        assert_int_equal(gabion_add_material(world, name, 1000, &error), k);
        assert_int_equal(gabion_add_group(world, name, &error), k + 1);
    }
    struct gabion_body body = sphere(vec3_make(0, 1, 0.5));
    body.fixed = true;
    body.group = 9;
    assert_int_equal(add_body(world, &body), 0);
    body = sphere(vec3_make(1, 0, 0.5));
    body.spin = vec3_make(0, 0, 4);
    body.orientation = (quat){0, 1, 0, 0};
    assert_int_equal(add_body(world, &body), 1);
    body = sphere(vec3_make(5, 5, 5));
    body.insert_time = 1000;
    assert_int_equal(add_body(world, &body), 2);
    body = sphere(vec3_make(0, 0, 0.5));
    body.velocity = vec3_make(1, 2, 3);
    body.material = 2;
    assert_int_equal(add_body(world, &body), 3);
    body = wall(vec3_zero(), vec3_make(0, 0, 1), vec3_make(1, 0, 0), 4, 2);
    assert_int_equal(add_body(world, &body), 4);
    body = wall(vec3_make(-0.5, 7, 7), vec3_make(1, 0, 0), vec3_make(0, 1, 0), 0, 0);
    assert_int_equal(add_body(world, &body), 5);

    const int32_t *at = world->bodies.index_of;
    world->bodies.v[at[5]] = vec3_make(-2, 0, 0);
    world->step = 8;
    const struct contact list[4] = {
        {at[3], at[1], 0, 0, CONTACT_SLIP, CONTACT_ACTIVE, 0.0, {-1, 0, 0}, {0, 0, 0}},
        {at[3], at[4], 0, 0, CONTACT_STICK, CONTACT_ACTIVE, 0.0, {0, 0, 1}, {0, 0, 0}},
        {at[3], at[5], 0, 0, CONTACT_OPEN, CONTACT_ACTIVE, 0.0625, {1, 0, 0}, {0, 0, 0}},
        {at[1], at[4], 0, 0, CONTACT_STICK, CONTACT_ACTIVE, -0.125, {0, 0, 1}, {0, 0, 0}},
    };
    const vec3 impulse[4] = {{-0.5, 0.25, 0}, {0.125, 0, 1}, {0, 0, 0}, {0, 0, 2}};
    for (int k = 0; k < 4; k++)
        contact_list_add(world, list[k], impulse[k]);
    return world;
}

// Many spheres, in an order that is not that of their ids.
static struct gabion_world *world_make_large(int32_t count, int threads) {
    struct gabion_error error = {0};
    struct gabion_world *world = world_empty(threads);
    int32_t *order = memory_allocate((size_t)count, sizeof *order, "test");
    gabion_add_material(world, "stone", 1000, &error);
    for (int32_t id = 0; id < count; id++) {
        // Sevenths fill the mantissa, so that blocks do not compress to nothing.
        struct gabion_body body =
            sphere(vec3_make(id / 7.0, (id * 31 % 1009) / 7.0, (id * 17 % 4001) / 7.0));
        assert_int_equal(add_body(world, &body), id);
        order[id] = count - 1 - id;
    }
    struct memory_account *before = memory_account_use(world->account);
    bodies_permute(&world->bodies, order, count, count);
    memory_account_use(before);
    memory_free(order);
    return world;
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
    struct gabion_world *world = world_make();
    write_frame(world, false);
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
    gabion_destroy(world);
}

static void walls_are_rectangles(void **state) {
    (void)state;
    struct gabion_world *world = world_make();
    write_frame(world, false);
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
    gabion_destroy(world);
}

// A third of a turn about the diagonal takes x to y, y to z and z to x.
static void turned_walls_are_drawn_turned(void **state) {
    (void)state;
    struct gabion_world *world = world_make();
    world->bodies.q[world->bodies.index_of[4]] = (quat){0.5, 0.5, 0.5, 0.5};
    write_frame(world, false);
    double y0 = 0.5 - 1.1, y1 = 0.5 + 1.1, z0 = 0.5 - 0.55, z1 = 0.5 + 0.55;
    EXPECT("vtk/walls_000008.vtp", "Points", "Points", 0, -4, -2, 0, 4, -2, 0, 4, 2, 0, -4, 2, //
           -0.5, y0, z0, -0.5, y1, z0, -0.5, y1, z1, -0.5, y0, z1);
    gabion_destroy(world);
}

static void contacts_are_lines(void **state) {
    (void)state;
    struct gabion_world *world = world_make();
    write_frame(world, false);
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
    gabion_destroy(world);
}

// A rod from a sphere to the world, a hinge between two spheres, and a joint of a sphere that
// enters later, which is not drawn.
static void joints_are_lines(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = world_make();
    world->step = 0;
    struct gabion_joint rod = {.kind = GABION_JOINT_DISTANCE,
                               .first = 1,
                               .second = -1,
                               .anchor = {1, 0, 0.75},
                               .anchor_second = {1, 0, 2}};
    struct gabion_joint late = {.kind = GABION_JOINT_BALL, .first = 2, .second = 3};
    struct gabion_joint hinge = {.kind = GABION_JOINT_HINGE,
                                 .first = 3,
                                 .second = 1,
                                 .anchor = {0.5, 0, 0.5},
                                 .axis = {0, 1, 0}};
    assert_int_equal(gabion_add_joint(world, &rod, &error), 0);
    assert_int_equal(gabion_add_joint(world, &late, &error), 1);
    assert_int_equal(gabion_add_joint(world, &hinge, &error), 2);
    world->step = 8;
    // The hinge is open by a quarter of a metre and pulls with 2 N s along y.
    world->bodies.x[world->bodies.index_of[3]] = vec3_make(-0.25, 0, 0.5);
    world->joints.list[2].axis[1] = vec3_make(0, 1, 0);
    world->joints.list[2].impulse[0] = vec3_make(0, 2, 0);
    write_frame(world, false);
    const char *file = "vtk/joints_000008.vtp";
    EXPECT(file, "CellData", "joint", 0, 2);
    EXPECT(file, "CellData", "kind", 3, 1);
    EXPECT(file, "CellData", "body_a", 1, 3);
    EXPECT(file, "CellData", "body_b", -1, 1);
    EXPECT(file, "CellData", "anchor", 1, 0, 0.75, 0.25, 0, 0.5);
    EXPECT(file, "CellData", "force", 0, 0, 0, 0, 2 / H, 0);
    EXPECT(file, "CellData", "error", 0, 0.25);
    EXPECT(file, "Points", "Points", 1, 0, 0.75, 1, 0, 2, // from anchor to anchor
           -0.25, 0, 0.5, 0.5, 0, 0.5);                   // from the centre to the other anchor
    gabion_destroy(world);
}

static void tiny_force_stays_above_zero(void **state) {
    (void)state;
    struct gabion_world *world = world_make();
    world->contacts->impulse[3] = vec3_make(0, 0, 1e-200);
    write_frame(world, false);
    size_t count;
    double *force = read_array("vtk/contacts_000008.vtp", "CellData", "normal_force", &count);
    assert_true(force[3] > 0);
    memory_free(force);
    gabion_destroy(world);
}

static void empty_world_still_gives_frames(void **state) {
    (void)state;
    struct gabion_world *world = world_empty(1);
    write_frame(world, false);
    size_t count;
    memory_free(read_array("vtk/bodies_000000.vtp", "PointData", "velocity", &count));
    assert_int_equal(count, 0);
    memory_free(read_array("vtk/walls_000000.vtp", "CellData", "force", &count));
    assert_int_equal(count, 0);
    memory_free(read_array("vtk/contacts_000000.vtp", "PointData", "normal_force", &count));
    assert_int_equal(count, 0);
    gabion_destroy(world);
}

// 524 288 spheres: positions need seven blocks, and an id array is exactly two.
static void pieces_do_not_depend_on_threads(void **state) {
    (void)state;
    const int32_t count = 1 << 19;
    char *whole[2];
    size_t size[2];
    for (int k = 0; k < 2; k++) {
        struct gabion_world *world = world_make_large(count, 1 + 2 * k);
        write_frame(world, false);
        whole[k] = read_whole(in_folder("vtk/bodies_000000.vtp"), &size[k]);
        gabion_destroy(world);
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

static int polyhedron_wedge(struct gabion_world *world) {
    const vec3 corner[6] = {{-1, -0.5, 0}, {1, -0.5, 0}, {0, 0.5, 0},
                            {-1, -0.5, 1}, {1, -0.5, 1}, {0, 0.5, 1}};
    struct gabion_error error = {0};
    return gabion_add_hull(world, corner, 6, &error);
}

static struct gabion_world *blocks_make(void) {
    struct gabion_error error = {0};
    struct gabion_world *world = world_empty(1);
    gabion_add_material(world, "stone", 2000, &error);
    struct gabion_body body = gabion_default_body();
    body.shape = GABION_POLYHEDRON;
    body.density = 2000;
    body.fixed = true;
    body.polyhedron = gabion_add_box(world, vec3_make(8, 4, 1), &error);
    body.position = vec3_make(0, 0, -0.5);
    add_body(world, &body);
    body.fixed = false;
    body.group = gabion_add_group(world, "bricks", &error);
    body.velocity = vec3_make(1, 2, 3);
    body.spin = vec3_make(0, 0, 4);
    body.polyhedron = gabion_add_box(world, vec3_make(2, 1, 0.5), &error);
    body.position = vec3_make(0, 0, 0.25);
    add_body(world, &body);
    body.polyhedron = polyhedron_wedge(world);
    body.position = vec3_make(0, 0, 0.5);
    assert_int_equal(add_body(world, &body), 2);
    assert_true(gabion_find_interfaces(world, &error));
    world->bodies.x[1] = vec3_add(world->bodies.x[1], vec3_make(0.25, 0, 0.5));
    world->step = 8;
    return world;
}

static void blocks_contact(struct gabion_world *world, int32_t c, int32_t a, vec3 point,
                           double impulse) {
    struct contact contact = {.c = c,
                              .a = a,
                              .status = CONTACT_STICK,
                              .flags = CONTACT_ACTIVE,
                              .normal = {0, 0, 1},
                              .point = point};
    contact_list_add(world, contact, vec3_make(0, 0, impulse));
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
    gabion_destroy(world);
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
    gabion_destroy(world);
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
    gabion_destroy(world);
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
    gabion_destroy(world);
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
    struct gabion_world *world = world_make();
    write_frame(world, false);
    const char *names[] = {"blocks.pvd", "interfaces.pvd", "thrust.pvd"};
    for (int k = 0; k < 3; k++)
        assert_false(file_exists(in_folder(names[k])));
    gabion_destroy(world);
}

static void series_resumes_without_later_frames(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = world_make();
    struct vtk_series *series = vtk_open(folder, world, false, VTK_BLOCKS_SURFACE, &error);
    for (world->step = 0; world->step <= 40; world->step += 10)
        assert_true(vtk_write(series, world, &error));
    vtk_close(series);
    assert_int_equal(count_frames("walls.pvd"), 5);

    world->step = 20;
    assert_int_equal(unlink(in_folder("contacts.pvd")), 0);
    series = vtk_open(folder, world, true, VTK_BLOCKS_SURFACE, &error);
    assert_non_null(series);
    assert_int_equal(count_frames("bodies.pvd"), 3);
    assert_true(file_exists(in_folder("vtk/bodies_000020.vtp")));
    assert_false(file_exists(in_folder("vtk/bodies_000030.vtp")));
    world->step = 30;
    assert_true(vtk_write(series, world, &error));
    vtk_close(series);
    assert_int_equal(count_frames("bodies.pvd"), 4);
    assert_int_equal(count_frames("contacts.pvd"), 1);
    expect_text("bodies.pvd",
                "<DataSet timestep=\"3.75\" part=\"0\" file=\"vtk/bodies_000030.vtp\"/>");

    // A new run in the same folder starts from nothing.
    world->step = 0;
    write_frame(world, false);
    assert_int_equal(count_frames("bodies.pvd"), 1);
    assert_false(file_exists(in_folder("vtk/bodies_000010.vtp")));
    gabion_destroy(world);
}

// After a restart the list of contacts is empty; the frame written before it is the right one.
static void frame_asked_for_again_is_kept(void **state) {
    (void)state;
    struct gabion_world *world = world_make();
    write_frame(world, false);
    world->contacts->count = 0;
    write_frame(world, true);
    assert_int_equal(count_frames("contacts.pvd"), 1);
    EXPECT("vtk/contacts_000008.vtp", "CellData", "status", 2, 1, 0, 1);
    gabion_destroy(world);
}

static void full_disk_is_reported(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = world_make();
    struct vtk_series *series = vtk_open(folder, world, false, VTK_BLOCKS_SURFACE, &error);
    assert_non_null(series);
    const char *temporary = in_folder("vtk/walls_000008.vtp.tmp");
    assert_int_equal(symlink("/dev/full", temporary), 0);
    assert_false(vtk_write(series, world, &error));
    vtk_close(series);
    assert_int_equal(error.status, GABION_ERROR_RUN);
    assert_non_null(strstr(error.text, "walls_000008.vtp"));
    assert_non_null(strstr(error.text, "No space left"));
    struct stat about;
    assert_int_not_equal(lstat(temporary, &about), 0);
    assert_false(file_exists(in_folder("vtk/walls_000008.vtp")));
    assert_false(file_exists(in_folder("walls.pvd")));
    gabion_destroy(world);
}

// Frames written beside the caller.

static void write_series_of(int frames, struct background *background, const char *directory) {
    struct gabion_error error = {0};
    struct gabion_world *world = world_make();
    struct vtk_series *series = vtk_open(directory, world, false, VTK_BLOCKS_SURFACE, &error);
    assert_non_null(series);
    vtk_write_beside(series, background);
    world->step = 0;
    for (int k = 0; k < frames; k++, world->step += 8) {
        if (!vtk_write(series, world, &error))
            fail_msg("%s", error.text);
        world->bodies.x[world->bodies.index_of[5]].x -= 0.25; // while the frame is written
    }
    gabion_destroy(world); // so is the last one
    vtk_close(series);
}

static void expect_same_folders(const char *one, const char *other) {
    char command[1024];
    snprintf(command, sizeof command, "diff -r '%s' '%s' >&2", one, other);
    assert_int_equal(system(command), 0);
}

static void frames_written_beside_have_the_same_bytes(void **state) {
    (void)state;
    char first[128], second[128];
    snprintf(first, sizeof first, "%s", in_folder("at_once"));
    snprintf(second, sizeof second, "%s", in_folder("beside"));
    struct background *background = background_create();
    assert_non_null(background);
    write_series_of(4, NULL, first);
    write_series_of(4, background, second);
    background_destroy(background);
    expect_same_folders(first, second);
    assert_int_equal(count_frames("beside/bodies.pvd"), 4);
}

// Allocations of a copy, which are more than 40, fail in turn: where there is no room for the copy
// the frame is written at once.
static void without_room_for_a_copy_frames_are_written_at_once(void **state) {
    (void)state;
    struct gabion_error error = {0};
    char whole[128], short_of[128];
    snprintf(whole, sizeof whole, "%s", in_folder("whole"));
    write_series_of(1, NULL, whole);
    struct background *background = background_create();
    for (int k = 0; k < 40; k += 2) {
        struct gabion_world *world = world_make();
        snprintf(short_of, sizeof short_of, "%s", in_folder("short"));
        struct vtk_series *series = vtk_open(short_of, world, false, VTK_BLOCKS_SURFACE, &error);
        vtk_write_beside(series, background);
        world->step = 0;
        memory_fail_after(k);
        bool written = vtk_write(series, world, &error);
        memory_fail_after(-1);
        if (!written || !background_wait(background, &error))
            fail_msg("allocation %d: %s", k, error.text);
        vtk_close(series);
        gabion_destroy(world);
        expect_same_folders(whole, short_of);
    }
    background_destroy(background);
}

static void failure_beside_is_reported_by_the_next_frame(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = world_make();
    struct background *background = background_create();
    struct vtk_series *series = vtk_open(folder, world, false, VTK_BLOCKS_SURFACE, &error);
    vtk_write_beside(series, background);
    assert_int_equal(symlink("/dev/full", in_folder("vtk/walls_000008.vtp.tmp")), 0);
    assert_true(vtk_write(series, world, &error));
    world->step = 16;
    assert_false(vtk_write(series, world, &error));
    assert_int_equal(error.status, GABION_ERROR_RUN);
    assert_non_null(strstr(error.text, "walls_000008.vtp"));
    assert_non_null(strstr(error.text, "No space left"));
    vtk_close(series);
    background_destroy(background);
    assert_false(file_exists(in_folder("vtk/walls_000016.vtp")));
    gabion_destroy(world);
}

// Collections.

static ino_t file_number(const char *name) {
    struct stat about;
    assert_int_equal(stat(in_folder(name), &about), 0);
    return about.st_ino;
}

static void append_frames(struct pvd *pvd, int64_t first, int64_t last) {
    struct gabion_error error = {0};
    for (int64_t step = first; step <= last; step++)
        if (!pvd_append(pvd, 0.1 * (double)step, step, &error))
            fail_msg("%s", error.text);
}

// The file of before is the one of whole lists, which pvd_write writes.
static void collections_grow_in_place(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct pvd pvd = {.directory = folder, .kind = "walls", .extension = "vtp"};
    append_frames(&pvd, 8, 8);
    ino_t number = file_number("walls.pvd");
    append_frames(&pvd, 9, 12);
    assert_int_equal(file_number("walls.pvd"), number);
    char *grown = read_whole(in_folder("walls.pvd"), NULL);
    assert_true(pvd_write(&pvd, &error));
    char *written = read_whole(in_folder("walls.pvd"), NULL);
    assert_string_equal(grown, written);
    memory_free(grown);

    // Where the file is not what was written last, all of it is written.
    assert_int_equal(truncate(in_folder("walls.pvd"), 10), 0);
    append_frames(&pvd, 13, 13);
    assert_int_equal(count_frames("walls.pvd"), 6);
    assert_int_equal(unlink(in_folder("walls.pvd")), 0);
    append_frames(&pvd, 14, 14);
    assert_int_equal(count_frames("walls.pvd"), 7);
    expect_text("walls.pvd", "</Collection>\n</VTKFile>\n");
    memory_free(written);
    pvd_free(&pvd);
}

static void collection_that_cannot_grow_stays_as_it_was(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct pvd pvd = {.directory = folder, .kind = "walls", .extension = "vtp"};
    append_frames(&pvd, 8, 9);
    char *before = read_whole(in_folder("walls.pvd"), NULL);
    struct rlimit old, limit;
    getrlimit(RLIMIT_FSIZE, &old);
    limit = (struct rlimit){strlen(before) + 20, old.rlim_max}; // a part of the line fits
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    bool grown = pvd_append(&pvd, 1, 10, &error);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_false(grown);
    assert_int_equal(error.status, GABION_ERROR_RUN);
    assert_non_null(strstr(error.text, "walls.pvd"));
    char *after = read_whole(in_folder("walls.pvd"), NULL);
    assert_string_equal(after, before);
    memory_free(before);
    memory_free(after);
    pvd_free(&pvd);
}

static void unusable_folder_is_reported(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = world_empty(1);
    FILE *file = fopen(in_folder("vtk"), "w");
    fclose(file);
    assert_null(vtk_open(folder, world, false, VTK_BLOCKS_SURFACE, &error));
    assert_int_equal(error.status, GABION_ERROR_RUN);
    assert_non_null(strstr(error.text, "/vtk"));
    gabion_destroy(world);
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
    struct gabion_error error = {0};
    char path[1024];
    struct gabion_world *world = world_make();
    struct vtk_series *series = vtk_open(directory, world, false, VTK_BLOCKS_SURFACE, &error);
    snprintf(path, sizeof path, "%s/history.csv", directory);
    FILE *history = fopen(path, "w");
    if (!series || !history)
        exit(2);
    fprintf(history, "step,time,bodies,candidates,contacts\n");
    for (world->step = 0; world->step <= 16; world->step += 8) {
        world->contacts->count = world->step ? 4 : 0;
        world->bodies.x[world->bodies.index_of[5]].x -= 0.25;
        if (!vtk_write(series, world, &error))
            exit(1);
        fprintf(history, "%d,%.17g,3,%d,%d\n", (int)world->step, gabion_time(world),
                world->step ? 4 : 0, world->step ? 3 : 0);
    }
    fclose(history);
    vtk_close(series);
    gabion_destroy(world);
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
        TEST(joints_are_lines),
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
        TEST(frames_written_beside_have_the_same_bytes),
        TEST(without_room_for_a_copy_frames_are_written_at_once),
        TEST(failure_beside_is_reported_by_the_next_frame),
        TEST(collections_grow_in_place),
        TEST(collection_that_cannot_grow_stays_as_it_was),
        TEST(unusable_folder_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
