// Convex pieces from OBJ and STL files.
#include "tests/unit/scene.h"

#include <string.h>
#include <unistd.h>

#include "io/mesh/mesh.h"
#include "parallel/memory.h"

static char folder[64], path[128];

static void write_file(const char *name, const void *bytes, size_t size) {
    if (path[0])
        unlink(path);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void write_text(const char *name, const char *text) { write_file(name, text, strlen(text)); }

static struct polyhedron **pieces;
static size_t pieces_seen;

static void free_pieces(void) {
    for (size_t k = 0; k < pieces_seen; k++)
        polyhedron_free(pieces[k]);
    memory_free(pieces);
    pieces = NULL;
    pieces_seen = 0;
}

static void read_pieces(double scale, size_t expected) {
    struct gabion_error error = {0};
    free_pieces();
    pieces = mesh_read(path, scale, &pieces_seen, &error);
    if (!pieces)
        fail_msg("%s", error.text);
    assert_int_equal(pieces_seen, expected);
}

// Expects an error whose message names the file and contains all of `parts`, separated by '|'.
static void expect_error(const char *parts) {
    struct gabion_error error = {0};
    size_t count = 0;
    assert_null(mesh_read(path, 1, &count, &error));
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    char copy[256], *rest = copy;
    snprintf(copy, sizeof copy, "%s", parts);
    if (!strstr(error.text, path))
        fail_msg("no file name in: %s", error.text);
    for (char *part; (part = strtok_r(rest, "|", &rest));)
        if (!strstr(error.text, part))
            fail_msg("no \"%s\" in: %s", part, error.text);
}

#define CUBE_POINTS "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
#define CUBE_FACES  "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"

// The twelve triangles of a unit cube, counter-clockwise seen from outside.
static const int triangle[12][3] = {{3, 2, 1}, {3, 1, 0}, {4, 5, 6}, {4, 6, 7},
                                    {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5},
                                    {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};

static vec3 cube_corner(int k) {
    static const vec3 corner[8] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    return corner[k];
}

static void expect_box(const struct polyhedron *body, vec3 centre, double volume,
                       double tolerance) {
    assert_int_equal(body->corner_count, 8);
    assert_int_equal(body->edge_count, 12);
    assert_int_equal(body->face_count, 6);
    for (int32_t f = 0; f < 6; f++)
        assert_int_equal(body->face_start[f + 1] - body->face_start[f], 4);
    assert_near(body->volume, volume, tolerance * volume);
    assert_vector_near(body->centre, centre, tolerance);
}

static void obj_cube_in_all_ways_of_writing(void **state) {
    (void)state;
    static const char *const faces[] = {
        CUBE_FACES,
        "f 4/1 3/2 2/3 1/4\nf 5/1 6/2 7/3 8/4\nf 1//1 2//1 6//1 5//1\nf 2/1/1 3/2/1 7/3/1 6/4/1\n"
        "f -6 -5 -1 -2\nf -5/1 -8/2 -4/3 -1/4\n",
        "usemtl stone\ns off\nf 1 2 3 4\nf 8 7 6 5\nf 5 6 2 1\nf 6 7 3 2\nf 7 8 4 3\nf 8 5 1 4\n",
        "f 1 3 2\r\nf 1 4 3\r\nf 5 6 7\r\nf 5 7 8\r\nf 1 2 6 5\r\nf 2 3 7 6\r\nf 3 4 8 7\r\n"
        "f 4 1 5 8",
    };
    for (size_t k = 0; k < sizeof faces / sizeof *faces; k++) {
        char text[1024];
        snprintf(text, sizeof text, "# cube\n\nvn 0 0 1\nvt 0 0\n%s%s", CUBE_POINTS, faces[k]);
        write_text("cube.obj", text);
        read_pieces(2, 1);
        expect_box(pieces[0], vec3_make(1, 1, 1), 8, 1e-14);
        assert_near(pieces[0]->axes.w, 1, 0);
    }
}

static void obj_objects_and_groups_are_pieces(void **state) {
    (void)state;
    write_text("two.OBJ", "o first\n" CUBE_POINTS CUBE_FACES
                          "o second\nv 0 0 1\nv 3 0 1\nv 0 3 1\nv 0 0 4\ng tetrahedron\n"
                          "f -4 -2 -3\nf -4 -3 -1\nf -3 -2 -1\nf -2 -4 -1\n");
    read_pieces(1, 2);
    expect_box(pieces[0], vec3_make(0.5, 0.5, 0.5), 1, 1e-14);
    assert_near(pieces[1]->volume, 4.5, 1e-14);
    assert_vector_near(pieces[1]->centre, vec3_make(0.75, 0.75, 1.75), 1e-14);
}

struct cube {
    vec3 low, size;
    mat3 turn;
};

static vec3 place(const struct cube *cube, int corner) {
    return mat3_apply(cube->turn, vec3_add(cube->low, vec3_times(cube->size, cube_corner(corner))));
}

static void write_binary_stl(const struct cube *cube, uint32_t cubes, const char *header) {
    static char bytes[84 + 50 * 12 * 64];
    uint32_t count = 12 * cubes;
    memset(bytes, 0, sizeof bytes);
    snprintf(bytes, 80, "%s", header);
    memcpy(bytes + 80, &count, 4);
    char *at = bytes + 84;
    for (uint32_t c = 0; c < cubes; c++)
        for (int t = 0; t < 12; t++, at += 50)
            for (int k = 0; k < 3; k++) {
                vec3 p = place(&cube[c], triangle[t][k]);
                memcpy(at + 12 + 12 * k, (float[]){(float)p.x, (float)p.y, (float)p.z}, 12);
            }
    write_file("cube.stl", bytes, (size_t)(at - bytes));
}

static const mat3 upright = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static void binary_stl_cube_has_six_faces(void **state) {
    (void)state;
    struct cube cube = {{0, 0, 0}, {1, 2, 4}, upright};
    write_binary_stl(&cube, 1, "solid, though binary");
    read_pieces(0.5, 1);
    expect_box(pieces[0], vec3_make(0.25, 0.5, 1), 1, 1e-14);
    assert_near(pieces[0]->axes.w, 1, 0);
    // Turned, so that 32-bit floats put no face in a plane, and away from the origin.
    struct random_stream random = {5};
    for (int trial = 0; trial < 50; trial++) {
        cube.low = vec3_scale(10, scene_random_unit(&random));
        cube.turn = scene_rotation(scene_random_unit(&random), random_between(&random, -3, 3));
        write_binary_stl(&cube, 1, "");
        read_pieces(1, 1);
        vec3 middle = vec3_add(cube.low, vec3_scale(0.5, cube.size));
        expect_box(pieces[0], mat3_apply(cube.turn, middle), 8, 1e-5);
    }
}

static void bodies_that_touch_are_separate_pieces(void **state) {
    (void)state;
    // Stacked face on face, side by side along one edge, corner to corner.
    struct cube cube[] = {{{0, 0, 0}, {1, 1, 1}, upright},
                          {{0, 0, 1}, {1, 1, 2}, upright},
                          {{1, 0, 2}, {1, 1, 1}, upright},
                          {{1, 1, 1}, {3, 3, 1}, upright},
                          {{4, 4, 2}, {5, 1, 1}, upright}};
    uint32_t cubes = sizeof cube / sizeof *cube;
    write_binary_stl(cube, cubes, "");
    read_pieces(1, cubes);
    for (uint32_t k = 0; k < cubes; k++)
        expect_box(pieces[k], vec3_add(cube[k].low, vec3_scale(0.5, cube[k].size)),
                   cube[k].size.x * cube[k].size.y * cube[k].size.z, 1e-13);
}

static void write_text_stl(int triangles, const char *ending) {
    static char text[16384];
    int length = snprintf(text, sizeof text, "solid stone block\n");
    for (int t = 0; t < triangles; t++) {
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "facet normal 0 0 0\n outer loop\n");
        for (int k = 0; k < 3; k++) {
            vec3 p = cube_corner(triangle[t][k]);
            length += snprintf(text + length, sizeof text - (size_t)length, "  VERTEX %e %e %e\n",
                               p.x, p.y, p.z);
        }
        length += snprintf(text + length, sizeof text - (size_t)length, " endloop\nendfacet\n");
    }
    snprintf(text + length, sizeof text - (size_t)length, "%s", ending);
    write_text("text.stl", text);
}

static void text_stl(void **state) {
    (void)state;
    write_text_stl(12, "endsolid stone block\n");
    read_pieces(1, 1);
    expect_box(pieces[0], vec3_make(0.5, 0.5, 0.5), 1, 1e-14);
    write_text_stl(11, "endsolid\n");
    expect_error("piece 1 of 1 \"stone block\"|open|face 11 (line 72)|corner (0, 1, 0) and corner "
                 "(0, 0, 1)");
    write_text_stl(12, "facet normal 0 0 0\nouter loop\nvertex 0 0 0\n");
    expect_error("facet that starts in line 86");
    write_text_stl(12, "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendfacet\n");
    expect_error(":90:|expected a facet of 3 vertices, found 2|3");
    write_text_stl(12, "vertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\n");
    expect_error(":89:|more than 3");
    write_text_stl(12, "facet normal 0 0 0\nvertex 0 0 0\nfacet normal 0 0 0\n");
    expect_error(":88:|within the facet of line 86");
    write_text_stl(12, "facet normal 0 0 0\nvertex 0 nan 0\n");
    expect_error(":87:|\"nan\"|finite");
    write_text_stl(12, "face\n");
    expect_error(":86:|\"face\"|expected solid");
}

static void open_and_nonconvex_pieces_are_reported(void **state) {
    (void)state;
    write_text("open.obj",
               "o whole\n" CUBE_POINTS CUBE_FACES "o broken\nv 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 1\n"
               "f 9 11 10\nf 9 10 12\nf 10 11 12\n");
    expect_error("piece 2 of 2 \"broken\"|line 21|open|corner 9 (5, 0, 0) and corner 11 (5, 1, 0)");
    // A prism over an arrow head.
    write_text("arrow.obj", "o arrow\nv 0 0 0\nv 2 1 0\nv 0 2 0\nv 1 1 0\n"
                            "v 0 0 1\nv 2 1 1\nv 0 2 1\nv 1 1 1\n"
                            "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
    expect_error("\"arrow\"|not convex|(line 10)|corner|; mesh.decompose: {} cuts it into convex");
    // One face turned round.
    write_text("turned.obj", CUBE_POINTS "f 1 2 3 4\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\n"
                                         "f 3 4 8 7\nf 4 1 5 8\n");
    expect_error("same sense|face 1 (line 9)|turn one of them round");
    // Two cubes in one: every edge has four faces, and they cannot be separated.
    write_text("twice.obj", CUBE_POINTS CUBE_FACES CUBE_FACES);
    expect_error("4 faces");
    // A dent by a hundredth is no rounding.
    write_text("dent.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv .5 .5 -1\nv .5 .5 -.01\n"
                           "f 1 2 6\nf 2 3 6\nf 3 4 6\nf 4 1 6\nf 2 1 5\nf 3 2 5\nf 4 3 5\n"
                           "f 1 4 5\n");
    expect_error("not convex|in front of the plane of face 1 (line 7)|0.0|; mesh.decompose");
}

static void bad_obj_files_are_rejected(void **state) {
    (void)state;
    static const struct {
        const char *text, *parts;
    } bad[] = {
        {"", "0 faces"},
        {"v 0 0\n", ":1:|expected 3 coordinates, found 2"},
        {"v 0 0 x\n", ":1:|\"x\"|finite"},
        {"v 0 0 inf\n", ":1:|\"inf\""},
        {"v 0 0 1e999\n", ":1:|\"1e999\""},
        {CUBE_POINTS "f 1 2\n", ":9:|2 corners"},
        {CUBE_POINTS "f 1 2 0\n", ":9:|vertex 0"},
        {CUBE_POINTS "f 1 2 -9\n", ":9:|vertex -9"},
        {CUBE_POINTS "f 1 2 9\n", ":9:|vertex 9|has 8"},
        {CUBE_POINTS "f 1 2 99999999999999999999\n", ":9:|\"99999999999999999999\""},
        {CUBE_POINTS "f 1 2 3x\n", ":9:|\"3x\""},
        {CUBE_POINTS "f 1 2 /3\n", ":9:|\"/3\""},
        {CUBE_POINTS "f 1 1 2\n", "all faces have zero area"},
        {"v 1e200 0 0\nv 0 0 0\nv 0 1 0\nf 1 2 3\n", "too far"},
        {"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nf 4 3 2 1\n", "flat"},
        {"v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\nf 3 2 1\n", "at least 4"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        write_text("bad.obj", bad[k].text);
        expect_error(bad[k].parts);
    }
    write_file("bad.obj", "v 0 0\0 0\n", 9);
    expect_error("binary");
    write_text("mesh.ply", "ply\n");
    expect_error("*.obj or *.stl");
    unlink(path);
    expect_error("*.obj");
    snprintf(path, sizeof path, "%s/absent.stl", folder);
    expect_error("cannot open");
}

static void bad_stl_files_are_rejected(void **state) {
    (void)state;
    char bytes[84 + 50] = "no solid";
    write_file("bad.stl", bytes, 20);
    expect_error("20 bytes");
    bytes[80] = 2;
    write_file("bad.stl", bytes, sizeof bytes);
    expect_error("2 triangles|184|134");
    memset(bytes + 80, 0xff, 4);
    write_file("bad.stl", bytes, sizeof bytes);
    expect_error("4294967295 triangles");
    memcpy(bytes + 80, (uint32_t[]){1}, 4);
    memcpy(bytes + 84 + 12 + 4, (float[]){NAN}, 4);
    write_file("bad.stl", bytes, sizeof bytes);
    expect_error("corner 1 of triangle 1|finite");
    write_file("bad.stl", bytes, sizeof bytes - 1);
    expect_error("1 triangles|134|133");
    memcpy(bytes + 80, (uint32_t[]){0}, 4);
    write_file("bad.stl", bytes, sizeof bytes);
    expect_error("0 triangles|84|134");
    memcpy(bytes + 80, (uint32_t[]){1}, 4);
    memset(bytes + 84, 0, 50);
    write_file("bad.stl", bytes, sizeof bytes);
    expect_error("all faces have zero area");
    struct gabion_error error = {0};
    size_t count;
    struct cube cube = {{0, 0, 0}, {1, 1, 1}, upright};
    write_binary_stl(&cube, 1, "");
    assert_null(mesh_read(path, -1, &count, &error));
    assert_non_null(strstr(error.text, "scale: expected a positive number, found -1"));
}

static int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/test_mesh.XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    free_pieces();
    unlink(path);
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_cube_in_all_ways_of_writing),
        cmocka_unit_test(obj_objects_and_groups_are_pieces),
        cmocka_unit_test(binary_stl_cube_has_six_faces),
        cmocka_unit_test(bodies_that_touch_are_separate_pieces),
        cmocka_unit_test(text_stl),
        cmocka_unit_test(open_and_nonconvex_pieces_are_reported),
        cmocka_unit_test(bad_obj_files_are_rejected),
        cmocka_unit_test(bad_stl_files_are_rejected),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
