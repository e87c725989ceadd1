// Many bodies from CSV and HDF5 files.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/api/define.h"
#include "engine/world/world.h"
#include "io/bulk/bulk.h"

static char folder[] = "/tmp/gabion-test-bulk-XXXXXX";
static char path[256];

struct scene {
    struct team *team;
    struct gabion_world *world;
    struct gabion_body template;
    struct gabion_error error;
};

static struct scene scene_create(void) {
    struct scene scene = {.template = gabion_default_body()};
    struct gabion_settings settings = gabion_default_settings();
    scene.team = team_create(1, NULL, &scene.error);
    scene.world = world_create(&settings, scene.team, &scene.error);
    assert_non_null(scene.world);
    gabion_add_material(scene.world, "stone", 2000, NULL);
    gabion_add_material(scene.world, "steel", 8000, NULL);
    scene.template.density = 2000;
    scene.template.velocity = vec3_make(0, 0, 7);
    return scene;
}

static void scene_free(struct scene *scene) {
    gabion_destroy(scene->world);
    team_destroy(scene->team);
}

static void write_bytes(const char *name, const char *bytes, size_t size) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    fclose(stream);
}

static void reject(struct scene *scene, const char *part) {
    scene->error = (struct gabion_error){0};
    int64_t skipped;
    assert_false(bulk_add_bodies(scene->world, path, &scene->template, &skipped, &scene->error));
    assert_int_equal(scene->error.status, GABION_ERROR_INPUT);
    if (!strstr(scene->error.text, part))
        fail_msg("message: %s\nexpected part: %s", scene->error.text, part);
}

static void reject_csv(const char *text, const char *part) {
    struct scene scene = scene_create();
    write_bytes("bodies.csv", text, strlen(text));
    reject(&scene, part);
    scene_free(&scene);
}

static void accept(struct scene *scene, int32_t count) {
    int64_t skipped;
    bool good = bulk_add_bodies(scene->world, path, &scene->template, &skipped, &scene->error);
    assert_string_equal(scene->error.text, "");
    assert_true(good);
    assert_int_equal(scene->world->bodies.count, count);
}

static void assert_same(double a, double b) {
    if (!(a == b))
        fail_msg("%.17g is not %.17g", a, b);
}

static double sphere_weight(double radius, double density) {
    return density * 4.0 / 3.0 * acos(-1.0) * radius * radius * radius;
}

static void csv_is_read(void **state) {
    (void)state;
    struct scene scene = scene_create();
    const char *text = "\xef\xbb\xbf"
                       "radius , y,x,\"z\",wx,material\r\n"
                       "0.5,2,1,3,0.125,steel\r\n\n# comment\n 0.25 ,-5,4e0,+6,0,\"stone\"";
    write_bytes("bodies.csv", text, strlen(text));
    accept(&scene, 2);
    const struct bodies *bodies = &scene.world->bodies;
    assert_same(bodies->x[0].x, 1);
    assert_same(bodies->x[0].y, 2);
    assert_same(bodies->x[0].z, 3);
    assert_same(bodies->w[0].x, 0.125);
    assert_same(bodies->v[0].z, 7);
    assert_int_equal(bodies->material[0], 1);
    assert_true(fabs(bodies->mass[0] / sphere_weight(0.5, 8000) - 1) < 1e-12);
    assert_same(bodies->x[1].y, -5);
    assert_same(bodies->radius[1], 0.25);
    assert_int_equal(bodies->material[1], 0);
    scene_free(&scene);
}

static void an_import_may_set_radius_and_density(void **state) {
    (void)state;
    struct scene scene = scene_create();
    scene.template.radius = 0.5;
    scene.template.density = 100;
    write_bytes("bodies.csv", "x,y,z,material\n0,0,0,steel\n", 27);
    accept(&scene, 1);
    assert_true(fabs(scene.world->bodies.mass[0] / sphere_weight(0.5, 100) - 1) < 1e-12);
    scene_free(&scene);
}

static void bad_csv_is_reported(void **state) {
    (void)state;
    reject_csv("x,y,z,radius\n0,0,0,1\n0,0,0,abc\n",
               "bodies.csv:3: radius: expected a positive number, found \"abc\"");
    reject_csv("x,y,z,radius\n0,0,0,-1\n", "bodies.csv:2: radius: expected a positive number");
    reject_csv("x,y,z,radius\n0,nan,0,1\n", "bodies.csv:2: y: expected a number, found \"nan\"");
    reject_csv("x,y,z,radius\n0,inf,0,1\n", "y: expected a number, found \"inf\"");
    reject_csv("x,y,z,radius\n0,1e999,0,1\n", "y: expected a number, found \"1e999\"");
    reject_csv("x,y,z,radius\n0,,0,1\n", "y: expected a number, found \"\"");
    reject_csv("x,y,radius\n0,0,1\n", "bodies.csv:1: the column \"z\" is missing");
    reject_csv("x,y,z\n0,0,0\n", "the column \"radius\" is missing");
    reject_csv("x,y,z,radius\n0,0,0\n", "bodies.csv:2: expected 4 columns, found 3");
    reject_csv("x,y,z,radius\n0,0,0,1,\n", "expected 4 columns, found 5");
    reject_csv("x,y,z,radus\n0,0,0,1\n", "unknown column \"radus\"");
    reject_csv("x,y,z,radus\n0,0,0,1\n", "did you mean \"radius\"?");
    reject_csv("x,x,y,z,radius\n0,0,0,0,1\n", "column \"x\" is given twice");
    reject_csv("1,2,3,0.5\n", "the first row names the columns");
    reject_csv("x,y,z,radius,material\n0,0,0,1,gold\n", "the case has no material \"gold\"");
    reject_csv("x,y,z,radius,mass\n0,0,0,1,0\n", "mass: expected a positive number");
    reject_csv("", "is empty");
    reject_csv("# only this\n", "contains no rows");
    reject_csv("x,y,z,radius\n", "bodies.csv: contains no bodies");
    struct scene scene = scene_create();
    write_bytes("binary.csv", "x,y,z,radius\n0,\0,0,1\n", 22);
    reject(&scene, "binary.csv:2: expected a CSV table or an HDF5 file, found binary data");
    char *line = malloc(300000);
    memset(line, '1', 300000);
    write_bytes("long.csv", line, 300000);
    free(line);
    reject(&scene, "long.csv:1: line longer than");
    snprintf(path, sizeof path, "%s", folder);
    reject(&scene, "is a folder; a file is expected here");
    snprintf(path, sizeof path, "%s/absent", folder);
    reject(&scene, "cannot open");
    scene_free(&scene);
}

static void long_csv_is_whole(void **state) {
    (void)state;
    struct scene scene = scene_create();
    enum { ROWS = 50000 }; // several buffers long
    snprintf(path, sizeof path, "%s/many.csv", folder);
    FILE *stream = fopen(path, "w");
    fprintf(stream, "x,y,z,radius\n");
    for (int i = 0; i < ROWS; i++)
        fprintf(stream, "%d,%d,0.25,0.5\n", i, -i);
    fclose(stream);
    accept(&scene, ROWS);
    for (int i = 0; i < ROWS; i++) {
        assert_same(scene.world->bodies.x[i].x, i);
        assert_same(scene.world->bodies.x[i].y, -i);
    }
    scene_free(&scene);
}

// ---- HDF5 ----

static hid_t create_hdf5(void) {
    snprintf(path, sizeof path, "%s/bodies.h5", folder);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static void put(hid_t file, const char *name, hid_t stored, hid_t type, int rank, hsize_t rows,
                hsize_t width, const void *values) {
    hsize_t size[2] = {rows, width};
    hid_t space = H5Screate_simple(rank, size, NULL);
    hid_t set = H5Dcreate2(file, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
    H5Sclose(space);
}

static void put_numbers(hid_t file, const char *name, int rank, hsize_t rows, hsize_t width,
                        const double *values) {
    put(file, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, rank, rows, width, values);
}

static const double positions[6] = {1, 2, 3, 4, 5, 6}, radii[2] = {0.5, 0.25};

static void put_materials(hid_t file, size_t size, const void *names) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    put(file, "material", type, type, 1, 2, 1, names);
    H5Tclose(type);
}

static void hdf5_is_read(void **state) {
    (void)state;
    struct scene scene = scene_create();
    hid_t file = create_hdf5();
    const double spins[6] = {0, 0, 1, 0, 0, 2};
    put_numbers(file, "position", 2, 2, 3, positions);
    put_numbers(file, "spin", 2, 2, 3, spins);
    put(file, "radius", H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, 1, 2, 1, radii);
    put_materials(file, 8, "steel\0\0\0stone\0\0");
    H5Fclose(file);
    accept(&scene, 2);
    const struct bodies *bodies = &scene.world->bodies;
    assert_same(bodies->x[1].z, 6);
    assert_same(bodies->radius[1], 0.25);
    assert_same(bodies->w[1].z, 2);
    assert_same(bodies->v[1].z, 7);
    assert_int_equal(bodies->material[0], 1);
    assert_int_equal(bodies->material[1], 0);
    assert_true(fabs(bodies->mass[0] / sphere_weight(0.5, 8000) - 1) < 1e-12);
    scene_free(&scene);
}

static void long_hdf5_is_whole(void **state) {
    (void)state;
    struct scene scene = scene_create();
    enum { ROWS = 50000 }; // several slabs long
    double *x = malloc(3 * ROWS * sizeof *x), *r = malloc(ROWS * sizeof *r);
    for (int i = 0; i < ROWS; i++) {
        x[3 * i] = i;
        x[3 * i + 1] = -i;
        x[3 * i + 2] = 0.25;
        r[i] = 1 + i;
    }
    hid_t file = create_hdf5();
    put_numbers(file, "position", 2, ROWS, 3, x);
    put_numbers(file, "radius", 1, ROWS, 1, r);
    H5Fclose(file);
    free(x);
    free(r);
    accept(&scene, ROWS);
    for (int i = 0; i < ROWS; i++) {
        assert_same(scene.world->bodies.x[i].y, -i);
        assert_same(scene.world->bodies.radius[i], 1 + i);
    }
    scene_free(&scene);
}

// As in a frame or a checkpoint: spheres and a wall, out of order, materials by number.
static hid_t create_saved(void) {
    hid_t file = create_hdf5();
    hid_t group = H5Gcreate2(file, "bodies", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_numbers(group, "position", 2, 3, 3, (const double[]){1, 2, 3, 0, 0, 0, 4, 5, 6});
    put_numbers(group, "radius", 1, 3, 1, (const double[]){0.5, 0, 0.25});
    put_numbers(group, "mass", 1, 3, 1, (const double[]){0, 0, 3});
    put_numbers(group, "orientation", 2, 3, 4,
                (const double[]){1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0});
    put_numbers(group, "velocity", 2, 3, 3, (const double[]){0, 0, 0, 0, 0, 0, 0, 8, 9});
    put_numbers(group, "material", 1, 3, 1, (const double[]){1, 1, 1});
    put(group, "id", H5T_STD_I32LE, H5T_NATIVE_INT, 1, 3, 1, (const int[]){70000, 3, 5});
    H5Gclose(group);
    return file;
}

static void saved_bodies_are_read_by_id(void **state) {
    (void)state;
    struct scene scene = scene_create();
    H5Fclose(create_saved());
    accept(&scene, 2);
    const struct bodies *bodies = &scene.world->bodies;
    assert_same(bodies->x[0].x, 4);
    assert_same(bodies->x[1].x, 1);
    assert_same(bodies->mass[0], 3);
    assert_true(fabs(bodies->mass[1] / sphere_weight(0.5, 2000) - 1) < 1e-12);
    assert_same(bodies->q[0].w, 0);
    assert_same(bodies->q[0].y, 1);
    assert_same(bodies->v[0].z, 9);
    assert_same(bodies->v[1].z, 0);
    assert_int_equal(bodies->material[0], 0);
    scene_free(&scene);
    scene = scene_create();
    scene.template.fixed = true;
    scene.template.velocity = vec3_make(0, 0, 0);
    accept(&scene, 2);
    assert_same(scene.world->bodies.v[0].z, 0);
    scene_free(&scene);
}

static void plain_files_may_give_orientation_and_id(void **state) {
    (void)state;
    struct scene scene = scene_create();
    hid_t file = create_hdf5();
    put_numbers(file, "position", 2, 2, 3, positions);
    put_numbers(file, "radius", 1, 2, 1, radii);
    put_numbers(file, "orientation", 2, 2, 4, (const double[]){0, 1, 0, 0, 0, 0, 0, 1});
    put_numbers(file, "id", 1, 2, 1, (const double[]){1, 0});
    H5Fclose(file);
    accept(&scene, 2);
    assert_same(scene.world->bodies.x[0].x, 4);
    assert_same(scene.world->bodies.q[0].z, 1);
    assert_same(scene.world->bodies.q[1].x, 1);
    scene_free(&scene);
}

static void reject_hdf5(hid_t file, const char *part) {
    struct scene scene = scene_create();
    H5Fclose(file);
    reject(&scene, part);
    scene_free(&scene);
}

static void ids_are_whole_and_distinct(void **state) {
    (void)state;
    const struct {
        double id[2];
        const char *part;
    } trial[] = {{{1.5, 0}, "bodies.h5: row 0: id: expected whole numbers from 0 on, found 1.5"},
                 {{0, -1}, "row 1: id: expected whole numbers"},
                 {{0, NAN}, "row 1: id: expected whole numbers"},
                 {{7, 7}, "rows 0 and 1 have the same id 7"}};
    for (size_t k = 0; k < sizeof trial / sizeof *trial; k++) {
        hid_t file = create_hdf5();
        put_numbers(file, "position", 2, 2, 3, positions);
        put_numbers(file, "radius", 1, 2, 1, radii);
        put_numbers(file, "id", 1, 2, 1, trial[k].id);
        reject_hdf5(file, trial[k].part);
    }
}

static void bad_hdf5_is_named(void **state) {
    (void)state;
    hid_t file = create_hdf5();
    reject_hdf5(file, "bodies.h5: position: this dataset is missing");
    file = create_hdf5();
    put_numbers(file, "position", 2, 2, 3, positions);
    reject_hdf5(file, "bodies.h5: radius: this dataset is missing");
    file = create_hdf5();
    put_numbers(file, "position", 1, 6, 1, positions);
    put_numbers(file, "radius", 1, 2, 1, radii);
    reject_hdf5(file, "position: expected the shape [N, 3]");
    file = create_hdf5();
    put_numbers(file, "position", 2, 3, 2, positions);
    reject_hdf5(file, "position: expected the shape [N, 3]");
    file = create_hdf5();
    put_numbers(file, "position", 2, 2, 3, positions);
    put_numbers(file, "radius", 1, 1, 1, radii);
    reject_hdf5(file, "radius has 1 rows, but position has 2");
    file = create_hdf5();
    put_numbers(file, "position", 2, 2, 3, positions);
    put_numbers(file, "radius", 1, 2, 1, (const double[]){0.5, -1});
    reject_hdf5(file, "row 1: radius: expected a positive number, found -1");
    file = create_hdf5();
    put_numbers(file, "position", 2, 2, 3, (const double[]){0, 0, 0, 0, NAN, 0});
    put_numbers(file, "radius", 1, 2, 1, radii);
    reject_hdf5(file, "row 1: position: expected a number, found nan");
    file = create_hdf5();
    put(file, "position", H5T_C_S1, H5T_C_S1, 1, 2, 1, "ab");
    reject_hdf5(file, "position: expected numbers");
    file = create_hdf5();
    H5Gclose(H5Gcreate2(file, "position", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    reject_hdf5(file, "dataset '/position': not a dataset");
    const char *const variable_names[] = {"steel", "stone"};
    file = create_hdf5();
    put_numbers(file, "position", 2, 2, 3, positions);
    put_numbers(file, "radius", 1, 2, 1, radii);
    put_materials(file, H5T_VARIABLE, variable_names);
    reject_hdf5(file, "'/material' has values of variable length");
    file = create_hdf5();
    put_numbers(file, "position", 2, 2, 3, positions);
    put_numbers(file, "radius", 1, 2, 1, radii);
    put_numbers(file, "material", 1, 2, 1, radii);
    reject_hdf5(file, "material: expected names of materials");
    file = create_hdf5();
    put_numbers(file, "position", 2, 0, 3, positions);
    put_numbers(file, "radius", 1, 0, 1, radii);
    reject_hdf5(file, "position: contains no rows");
    file = create_hdf5();
    put_numbers(file, "position", 2, 2, 3, positions);
    put_numbers(file, "radius", 1, 2, 1, radii);
    put_numbers(file, "orientation", 2, 2, 3, positions);
    reject_hdf5(file, "orientation: expected the shape [N, 4]");
    file = create_hdf5();
    put_numbers(file, "position", 2, 2, 3, positions);
    put_numbers(file, "radius", 1, 2, 1, radii);
    put_numbers(file, "id", 1, 2, 1, (const double[]){0, NAN});
    reject_hdf5(file, "id: expected whole numbers from 0 on");
    file = create_hdf5();
    hid_t group = H5Gcreate2(file, "bodies", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_numbers(group, "position", 2, 2, 3, positions);
    put_numbers(group, "radius", 1, 2, 1, (const double[]){0, 0});
    H5Gclose(group);
    reject_hdf5(file, "bodies.h5: contains no bodies");
}

static void a_cut_hdf5_file_is_rejected(void **state) {
    (void)state;
    struct scene scene = scene_create();
    hid_t file = create_hdf5();
    put_numbers(file, "position", 2, 2, 3, positions);
    put_numbers(file, "radius", 1, 2, 1, radii);
    H5Fclose(file);
    FILE *stream = fopen(path, "rb");
    char bytes[600];
    size_t size = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    write_bytes("bodies.h5", bytes, size);
    reject(&scene, "truncated file");
    scene_free(&scene);
}

static void reject_claimed_rows(int sets) {
    struct scene scene = scene_create();
    hid_t file = create_hdf5(), chunked = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t size[2] = {1000000000, 3}, chunk[2] = {1024, 3};
    const char *names[] = {"position", "radius", "id"};
    for (int k = 0; k < sets; k++) {
        int rank = k == 0 ? 2 : 1;
        hid_t space = H5Screate_simple(rank, size, NULL);
        H5Pset_chunk(chunked, rank, chunk);
        H5Dclose(
            H5Dcreate2(file, names[k], H5T_IEEE_F64LE, space, H5P_DEFAULT, chunked, H5P_DEFAULT));
        H5Sclose(space);
    }
    H5Pclose(chunked);
    H5Fclose(file);
    reject(&scene, "'/position' has rows that were never written");
    assert_true(scene.world->bodies.capacity < 1000000);
    scene_free(&scene);
}

// A file of a few kilobytes that claims a thousand million bodies must not make the reader allocate
// memory for them.
static void claimed_rows_cost_nothing(void **state) {
    (void)state;
    for (int sets = 2; sets <= 3; sets++)
        reject_claimed_rows(sets);
}

static int make_folder(void **state) {
    (void)state;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_is_read),
        cmocka_unit_test(an_import_may_set_radius_and_density),
        cmocka_unit_test(bad_csv_is_reported),
        cmocka_unit_test(long_csv_is_whole),
        cmocka_unit_test(hdf5_is_read),
        cmocka_unit_test(long_hdf5_is_whole),
        cmocka_unit_test(saved_bodies_are_read_by_id),
        cmocka_unit_test(plain_files_may_give_orientation_and_id),
        cmocka_unit_test(ids_are_whole_and_distinct),
        cmocka_unit_test(bad_hdf5_is_named),
        cmocka_unit_test(a_cut_hdf5_file_is_rejected),
        cmocka_unit_test(claimed_rows_cost_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
