// VTK files as io/vtk/read.h reads them back, whole and damaged, and displacements against a body.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/world/world.h"
#include "io/file/file.h"
#include "io/vtk/read.h"
#include "io/vtk/vtk.h"
#include "parallel/memory.h"
#include "tests/unit/effort.h"

static char folder[64];

static int folder_make(void **state) {
    (void)state;
    strcpy(folder, "/tmp/gabion_vtk_read.XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int folder_remove(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

#define TABLE 0
#define BRICK 1
#define BALL  2

// A table, a brick on it and a ball, each in a group of its own.
static struct gabion_world *world_make(void) {
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    struct gabion_world *world = gabion_create(&settings, 1, &error);
    assert_non_null(world);
    gabion_add_material(world, "stone", 2000, &error);
    struct gabion_body body = gabion_default_body();
    body.shape = GABION_POLYHEDRON;
    body.density = 2000;
    body.fixed = true;
    body.group = gabion_add_group(world, "table", &error);
    body.polyhedron = gabion_add_box(world, vec3_make(8, 4, 1), &error);
    body.position = vec3_make(1, 0, -0.5);
    assert_int_equal(gabion_add_body(world, &body, &error), TABLE);
    body.fixed = false;
    body.group = gabion_add_group(world, "brick", &error);
    body.polyhedron = gabion_add_box(world, vec3_make(2, 1, 0.5), &error);
    body.position = vec3_make(3, 0, 0.25);
    assert_int_equal(gabion_add_body(world, &body, &error), BRICK);
    body = gabion_default_body();
    body.density = 2000;
    body.radius = 0.5;
    body.group = gabion_add_group(world, "ball", &error);
    body.position = vec3_make(0, 0, 4);
    assert_int_equal(gabion_add_body(world, &body, &error), BALL);
    return world;
}

static void write_world(const struct gabion_world *world, enum vtk_blocks blocks, int group) {
    struct gabion_error error = {0};
    struct vtk_series *series = vtk_open(folder, world, false, blocks, &error);
    struct vtk_reference reference;
    assert_non_null(series);
    assert_true(vtk_reference_begin(&reference, world, group, &error));
    vtk_refer(series, &reference);
    assert_true(vtk_write(series, world, &error));
    vtk_close(series);
}

static struct vtk_content read_file(const char *name) {
    char path[256];
    struct gabion_error error = {0};
    struct vtk_content content;
    snprintf(path, sizeof path, "%s/vtk/%s", folder, name);
    if (!vtk_read(path, &content, &error))
        fail_msg("%s", error.text);
    return content;
}

static const struct vtk_column *column_of(const struct vtk_content *content,
                                          enum vtk_section section, const char *name) {
    const struct vtk_column *column = vtk_find(content, section, name);
    if (!column)
        fail_msg("there is no array %s", name);
    return column;
}

static void what_was_written_is_read(void **state) {
    (void)state;
    struct gabion_world *world = world_make();
    write_world(world, VTK_BLOCKS_SURFACE, -1);
    struct vtk_content content = read_file("blocks_000000.vtp");
    assert_int_equal(content.cells, 12);
    assert_int_equal(content.points, 16);
    assert_false(content.solid);
    const struct vtk_column *mass = column_of(&content, VTK_CELL_DATA, "mass");
    assert_true(vtk_number(mass, 0, 0) == 0);    // fixed
    assert_true(vtk_number(mass, 6, 0) == 2000); // one cubic metre
    const struct vtk_column *names = column_of(&content, VTK_FIELD_DATA, "group_names");
    assert_string_equal(vtk_name(names, 0), "");
    assert_string_equal(vtk_name(names, 2), "brick");
    assert_string_equal(vtk_name(names, 3), "ball");
    assert_string_equal(vtk_name(names, 4), "");
    assert_string_equal(vtk_name(column_of(&content, VTK_FIELD_DATA, "material_names"), 0),
                        "stone");
    vtk_content_free(&content);
    content = read_file("bodies_000000.vtp");
    assert_int_equal(content.points, 1);
    assert_true(vtk_number(column_of(&content, VTK_POINTS, "Points"), 0, 2) == 4);
    assert_true(vtk_number(column_of(&content, VTK_POINT_DATA, "id"), 0, 0) == BALL);
    vtk_content_free(&content);
    content = read_file("contacts_000000.vtp"); // nothing in it
    assert_int_equal(content.cells, 0);
    vtk_content_free(&content);
    gabion_destroy(world);
}

static void solid_blocks_are_read(void **state) {
    (void)state;
    struct gabion_world *world = world_make();
    write_world(world, VTK_BLOCKS_SOLID, -1);
    struct vtk_content content = read_file("blocks_000000.vtu");
    assert_true(content.solid);
    assert_int_equal(content.cells, 2);
    assert_int_equal(column_of(&content, VTK_TOPOLOGY, "faces")->count, 2 * (1 + 6 * 5));
    vtk_content_free(&content);
    gabion_destroy(world);
}

static void expect_displacement(const char *file, enum vtk_section section, size_t k, vec3 wanted) {
    struct vtk_content content = read_file(file);
    const struct vtk_column *column = column_of(&content, section, "displacement");
    for (int c = 0; c < 3; c++)
        if (fabs(vtk_number(column, k, c) - vec3_get(wanted, c)) > 1e-6)
            fail_msg("%s: displacement %d is %g, expected %g", file, c, vtk_number(column, k, c),
                     vec3_get(wanted, c));
    vtk_content_free(&content);
}

// The table is carried by (0, 5, 0) and turned by a quarter about z; the brick goes with it and
// slides by 0.25 along the table's own x, which now is y; the ball stays where it is, so that it
// has left its place above the table, (1, 5, 0) + R (-1, 0, 4.5), by (-1, -4, 0).
static void displacements_are_against_the_body(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = world_make();
    int table = gabion_find_group(world, "table");
    struct vtk_reference reference;
    char text[VTK_REFERENCE_TEXT];
    assert_true(vtk_reference_begin(&reference, world, table, &error));
    vtk_reference_print(&reference, world, table, text);
    struct bodies *bodies = &world->bodies;
    quat quarter = {sqrt(0.5), 0, 0, sqrt(0.5)};
    for (int32_t i = 0; i < 3; i++) {
        if (bodies->id[i] == TABLE) {
            bodies->x[i] = vec3_add(bodies->x[i], vec3_make(0, 5, 0));
            bodies->q[i] = quat_multiply(quarter, bodies->q[i]);
        } else if (bodies->id[i] == BRICK)
            bodies->x[i] = vec3_make(1, 5 + 2 + 0.25, 0.25);
    }
    struct vtk_series *series = vtk_open(folder, world, false, VTK_BLOCKS_SURFACE, &error);
    reference.start = (quat){0};
    assert_true(vtk_reference_parse(&reference, world, table, text, &error));
    vtk_refer(series, &reference);
    assert_true(vtk_write(series, world, &error));
    vtk_close(series);
    expect_displacement("blocks_000000.vtp", VTK_CELL_DATA, 0, vec3_zero());
    expect_displacement("blocks_000000.vtp", VTK_CELL_DATA, 6, vec3_make(0, 0.25, 0));
    expect_displacement("bodies_000000.vtp", VTK_POINT_DATA, 0, vec3_make(-1, -4, 0));
    write_world(world, VTK_BLOCKS_SURFACE, -1); // without a reference: in space
    expect_displacement("blocks_000000.vtp", VTK_CELL_DATA, 6, vec3_make(-2, 7.25, 0));
    expect_displacement("bodies_000000.vtp", VTK_POINT_DATA, 0, vec3_zero());
    gabion_destroy(world);
}

static void a_reference_of_another_group_is_rejected(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = world_make();
    struct vtk_reference reference;
    char text[VTK_REFERENCE_TEXT];
    int table = gabion_find_group(world, "table"), ball = gabion_find_group(world, "ball");
    int absent = gabion_add_group(world, "absent", &error);
    assert_true(vtk_reference_begin(&reference, world, table, &error));
    vtk_reference_print(&reference, world, table, text);
    assert_false(vtk_reference_parse(&reference, world, ball, text, &error));
    assert_non_null(strstr(error.text, "\"ball\""));
    error = (struct gabion_error){0};
    assert_false(vtk_reference_parse(&reference, world, table, "", &error));
    error = (struct gabion_error){0};
    assert_false(vtk_reference_begin(&reference, world, absent, &error));
    assert_non_null(strstr(error.text, "\"absent\""));
    gabion_destroy(world);
}

// Reads a changed copy. A rejection has a reason, and what is accepted can be read to its end.
static bool try_text(const char *text, size_t size) {
    struct gabion_error error = {0};
    struct vtk_content content;
    char *copy = memory_allocate(size + 1, 1, "test");
    memcpy(copy, text, size);
    bool good = vtk_parse(copy, size, "copy", &content, &error);
    assert_true(good != (error.status == GABION_ERROR_INPUT));
    double sum = 0;
    for (size_t k = 0; good && k < content.columns; k++)
        for (size_t i = 0; i < content.column[k].count; i++)
            sum += vtk_number(&content.column[k], i, content.column[k].components - 1);
    assert_true(sum == sum || isnan(sum));
    if (good)
        vtk_content_free(&content);
    memory_free(copy);
    return good;
}

static void damaged_files_are_rejected(void **state) {
    (void)state;
    static const char *const files[] = {"blocks_000000.vtu", "bodies_000000.vtp"};
    struct gabion_world *world = world_make();
    write_world(world, VTK_BLOCKS_SOLID, -1);
    for (size_t f = 0; f < 2; f++) {
        char path[256];
        size_t size;
        struct gabion_error error = {0};
        snprintf(path, sizeof path, "%s/vtk/%s", folder, files[f]);
        char *text = file_read(path, 1 << 20, &size, &error);
        assert_true(try_text(text, size));
        for (size_t length = 0; length + 12 < size; length += (size_t)effort(1, 7))
            assert_false(try_text(text, length));
        static const char changes[] = "A</\"9=\0z";
        for (size_t at = 0; at < size; at++) {
            char kept = text[at];
            text[at] = changes[at % sizeof changes];
            try_text(text, size);
            text[at] = kept;
        }
        memory_free(text);
    }
    gabion_destroy(world);
}

static void write_index(const char *name, const char *contents) {
    char path[256];
    snprintf(path, sizeof path, "%s/vtk/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(contents, file);
    fclose(file);
}

static bool read_index(struct vtk_content *content, struct gabion_error *error) {
    char path[256];
    snprintf(path, sizeof path, "%s/vtk/bodies_000009.pvtp", folder);
    return vtk_read(path, content, error);
}

static void expect_rejected(const char *contents, const char *reason) {
    struct gabion_error error = {0};
    struct vtk_content content;
    write_index("bodies_000009.pvtp", contents);
    assert_false(read_index(&content, &error));
    if (!strstr(error.text, reason))
        fail_msg("no '%s' in: %s", reason, error.text);
}

#define PIECE(name) "<Piece Source=\"" name "\"/>\n"
#define END_TAG     "</PPolyData>\n</VTKFile>\n"

// Pieces are read as one: each has its own points behind those of the pieces before.
static void pieces_are_read_as_one(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct vtk_content one, two;
    char path[256];
    struct gabion_world *world = world_make();
    write_world(world, VTK_BLOCKS_SURFACE, -1);
    snprintf(path, sizeof path, "%s/vtk/bodies_000000.vtp", folder);
    assert_true(vtk_read(path, &one, &error));
    write_index("bodies_000009.pvtp",
                PIECE("bodies_000000.vtp") PIECE("bodies_000000.vtp") END_TAG);
    bool read = read_index(&two, &error);
    assert_string_equal(error.text, "");
    assert_true(read && two.points == 2 * one.points && two.cells == 2 * one.cells);
    assert_int_equal(two.columns, one.columns);
    assert_int_equal(two.step, one.step);
    const struct vtk_column *corner = vtk_find(&two, VTK_TOPOLOGY, "connectivity");
    const struct vtk_column *end = vtk_find(&two, VTK_TOPOLOGY, "offsets");
    const struct vtk_column *radius = vtk_find(&two, VTK_POINT_DATA, "radius");
    for (size_t k = 0; k < two.cells; k++) {
        assert_int_equal(((const int32_t *)corner->value)[k], k);
        assert_int_equal(((const int32_t *)end->value)[k], k + 1);
        assert_true(vtk_number(radius, k, 0) ==
                    vtk_number(vtk_find(&one, VTK_POINT_DATA, "radius"), k % one.cells, 0));
    }
    vtk_content_free(&one);
    vtk_content_free(&two);

    expect_rejected(PIECE("bodies_000000.vtp"), "ends early");
    expect_rejected(END_TAG, "it has no pieces");
    expect_rejected("<Piece Source=\"bodies_0 </VTKFile>", "ends early");
    expect_rejected(PIECE("../vtk/bodies_000000.vtp") END_TAG, "in the same folder");
    expect_rejected(PIECE("bodies_000009.pvtp") END_TAG, "in the same folder");
    expect_rejected(PIECE("bodies_000000.vtp") PIECE("bodies_000001.vtp") END_TAG, "000001");
    expect_rejected(PIECE("bodies_000000.vtp") PIECE("walls_000000.vtp") END_TAG, "same arrays");
    gabion_destroy(world);
}

// Gives a piece one more array of cells: its corners under another name and as numbers of one byte.
static void add_bytes(const char *name, const char *forged) {
    char path[256];
    struct gabion_error error = {0};
    snprintf(path, sizeof path, "%s/vtk/%s", folder, name);
    char *text = file_read(path, 1 << 20, NULL, &error), *end = strstr(text, "</Verts>");
    const char *values = strstr(strstr(text, "\"connectivity\""), ">") + 1;
    snprintf(path, sizeof path, "%s/vtk/%s", folder, forged);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "%.*s<DataArray type=\"UInt8\" Name=\"bytes\" format=\"binary\">%.*s</DataArray>%s",
            (int)(end - text), text, (int)(strchr(values, '<') - values), values, end);
    fclose(file);
    memory_free(text);
}

// Numbers of points go on from piece to piece, but not in an array that has none.
static void pieces_with_other_topology_are_rejected(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct vtk_content content;
    char path[256];
    struct gabion_world *world = world_make();
    write_world(world, VTK_BLOCKS_SURFACE, -1);
    add_bytes("bodies_000000.vtp", "forged.vtp");
    snprintf(path, sizeof path, "%s/vtk/forged.vtp", folder);
    assert_true(vtk_read(path, &content, &error)); // alone it makes sense
    vtk_content_free(&content);
    expect_rejected(PIECE("forged.vtp") PIECE("forged.vtp") END_TAG, "same arrays");
    gabion_destroy(world);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(what_was_written_is_read),
        TEST(solid_blocks_are_read),
        TEST(displacements_are_against_the_body),
        TEST(a_reference_of_another_group_is_rejected),
        TEST(damaged_files_are_rejected),
        TEST(pieces_are_read_as_one),
        TEST(pieces_with_other_topology_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
