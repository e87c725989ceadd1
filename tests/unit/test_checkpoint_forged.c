// Files whose seal is good and whose contents are not.
#include "tests/unit/checkpoint_world.h"

static hid_t forge_begin(void) {
    size_t size;
    char *bytes = bytes_of(path_of_step(1), &size);
    bytes_write(path_of("forged.h5"), bytes, size);
    memory_free(bytes);
    hid_t file = H5Fopen(path_of("forged.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static void forge_end(hid_t file, const char *word) {
    struct gabion_error error = {0};
    assert_true(H5Fclose(file) >= 0);
    assert_true(seal_write(path_of("forged.h5"), &checkpoint_kind, &error));
    assert_rejected(path_of("forged.h5"), word);
}

static void forge_replace(const char *name, hid_t type, int rank, hsize_t rows, hsize_t columns) {
    hid_t file = forge_begin();
    hsize_t extent[3] = {rows, columns, 1};
    hid_t space = H5Screate_simple(rank, extent, NULL);
    assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(creation, H5D_ALLOC_TIME_LATE);
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(dataset >= 0);
    H5Pclose(creation);
    H5Dclose(dataset);
    H5Sclose(space);
    forge_end(file, name);
}

// Writes one value into the first row.
static void forge_value(const char *name, hid_t type, const void *value, const char *word) {
    hid_t file = forge_begin();
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
    hsize_t zero[2] = {0, 0}, one[2] = {1, 1};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, zero, NULL, one, NULL);
    hid_t memory = H5Screate_simple(1, one, NULL);
    assert_true(H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, value) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(dataset);
    forge_end(file, word);
}

static hid_t stored_type(enum state_type type) {
    return type == STATE_FLOAT64  ? H5T_IEEE_F64LE
           : type == STATE_UINT8  ? H5T_STD_U8LE
           : type == STATE_UINT16 ? H5T_STD_U16LE
           : type == STATE_INT32  ? H5T_STD_I32LE
                                  : H5T_STD_U32LE;
}

static void forge_dataset(const struct state *stored, const struct state_part *part, size_t k) {
    const struct state_field *field = &part->field[k];
    hsize_t rows = state_rows(part, stored), columns = (hsize_t)field->columns;
    hid_t type = stored_type(field->type), file = forge_begin();
    int rank = columns > 1 ? 2 : 1;
    assert_true(H5Ldelete(file, field->name, H5P_DEFAULT) >= 0);
    forge_end(file, field->name);
    forge_replace(field->name, field->type == STATE_FLOAT64 ? H5T_STD_I64LE : H5T_IEEE_F64LE, rank,
                  rows, columns);
    forge_replace(field->name, H5T_IEEE_F32BE, rank, rows, columns);
    forge_replace(field->name, type, 3 - rank, rows, columns);
    forge_replace(field->name, type, 3, rows, columns);
    forge_replace(field->name, type, 2, rows, columns + 1);
    forge_replace(field->name, type, rank, (hsize_t)1 << 40, columns);
    if (k > 0 || part == &state_contact_collisions)
        forge_replace(field->name, type, rank, rows + 1, columns);
}

static void test_forged_datasets(void **state) {
    (void)state;
    folder_clear();
    struct gabion_world *world = world_make(12, 1);
    write_good(world, 0);
    struct state stored = {.world = world};
    flat_shapes_fill(&stored);
    for (size_t p = 0; p < STATE_PARTS; p++)
        for (size_t k = 0; state_parts[p]->rows && k < state_parts[p]->fields; k++)
            forge_dataset(&stored, state_parts[p], k);
    flat_shapes_free(&stored.shapes);
    gabion_destroy(world);
}

static void forge_values(const struct state_field *field) {
    double nan = NAN, negative = -1;
    unsigned char large = 200;
    int big = 1000000, minus = -2;
    if (field->type == STATE_FLOAT64)
        forge_value(field->name, H5T_NATIVE_DOUBLE, &nan, field->name);
    if (field->check == VALUE_NOT_NEGATIVE)
        forge_value(field->name, H5T_NATIVE_DOUBLE, &negative, field->name);
    if (field->type == STATE_UINT8)
        forge_value(field->name, H5T_NATIVE_UCHAR, &large, field->name);
    else if (field->type != STATE_FLOAT64 && field->check != VALUE_ANY)
        forge_value(field->name, H5T_NATIVE_INT, &big, field->name);
    if (field->type == STATE_INT32)
        forge_value(field->name, H5T_NATIVE_INT, &minus, field->name);
}

static void test_forged_values(void **state) {
    (void)state;
    folder_clear();
    struct gabion_world *world = world_make(12, 1);
    write_good(world, 0);
    gabion_destroy(world);
    for (size_t p = 0; p < STATE_PARTS; p++)
        for (size_t k = 0; state_parts[p]->rows && k < state_parts[p]->fields; k++)
            forge_values(&state_parts[p]->field[k]);
    forge_value("bodies/id", H5T_NATIVE_INT, &(int){0}, "two bodies with one id");
    forge_value("bodies/mass", H5T_NATIVE_DOUBLE, &(double){0}, "without mass");
    forge_value("bodies/shape_index", H5T_NATIVE_INT, &(int){0}, "does not fit the shape");
    forge_value("contacts/start", H5T_NATIVE_INT, &(int){1}, "contacts/start");
    forge_value("contacts/body", H5T_NATIVE_INT, &(int){0}, "contacts/body");
    forge_value("pending/id", H5T_NATIVE_INT, &(int){0}, "pending/id");
    forge_value("bodies/shape", H5T_NATIVE_INT, &(int){GABION_POLYHEDRON},
                "does not fit the shape");
    forge_value("interfaces/a", H5T_NATIVE_INT, &(int){20}, "not below its partner");
    forge_value("interfaces/begin", H5T_NATIVE_INT, &(int){1}, "interfaces/begin");
    forge_value("interfaces/corners", H5T_NATIVE_INT, &(int){100}, "interfaces/begin");
    forge_value("polyhedra/corner_count", H5T_NATIVE_INT, &(int){7}, "polyhedron 0: its counts");
    forge_value("polyhedra/corner_count", H5T_NATIVE_INT, &(int){9}, "polyhedron 0");
    forge_value("polyhedra/face_count", H5T_NATIVE_INT, &(int){30000}, "polyhedron 0: its counts");
    forge_value("polyhedra/face_size", H5T_NATIVE_INT, &(int){64}, "polyhedron 0: its counts");
    forge_value("polyhedra/face_size", H5T_NATIVE_INT, &(int){3}, "polyhedron 0");
    forge_value("polyhedra/face_corner", H5T_NATIVE_INT, &(int){8}, "polyhedron 0: its counts");
    forge_value("polyhedra/face_corner", H5T_NATIVE_INT, &(int){7}, "polyhedron 0");
    forge_value("polyhedra/corner", H5T_NATIVE_DOUBLE, &(double){0}, "polyhedron 0");
    forge_value("polyhedra/centre", H5T_NATIVE_DOUBLE, &(double){0.5}, "hash");
    forge_value("clumps/sphere_count", H5T_NATIVE_INT, &(int){30}, "clump 0: more spheres");
    forge_value("clumps/sphere_count", H5T_NATIVE_INT, &(int){2}, "belong to no clump");
    forge_value("clumps/sphere_radius", H5T_NATIVE_DOUBLE, &(double){0}, "clump 0");
    forge_value("clumps/volume", H5T_NATIVE_DOUBLE, &(double){0}, "clump 0");
    forge_value("clumps/axes", H5T_NATIVE_DOUBLE, &(double){2}, "clump 0");
    forge_value("compounds/part_count", H5T_NATIVE_INT, &(int){30}, "compound 0: more parts");
    forge_value("compounds/part_count", H5T_NATIVE_INT, &(int){1}, "compound 0");
    forge_value("compounds/part_polyhedron", H5T_NATIVE_INT, &(int){7}, "part_polyhedron");
    forge_value("compounds/part_polyhedron", H5T_NATIVE_INT, &(int){1}, "compound 0");
    forge_value("compounds/part_density", H5T_NATIVE_DOUBLE, &(double){0}, "compound 0");
    forge_value("compounds/part_orientation", H5T_NATIVE_DOUBLE, &(double){0.5}, "compound 0");
    forge_value("compounds/part_position", H5T_NATIVE_DOUBLE, &(double){9}, "compound 0");
    forge_value("compounds/axes", H5T_NATIVE_DOUBLE, &(double){2}, "compound 0");
    forge_value("compounds/centre", H5T_NATIVE_DOUBLE, &(double){0.5}, "hash");
    forge_value("pending/compound", H5T_NATIVE_INT, &(int){0}, "hash");
    forge_value("pending/compound", H5T_NATIVE_INT, &(int){2}, "compound");
    forge_value("clumps/centre", H5T_NATIVE_DOUBLE, &(double){0.5}, "hash");
    forge_value("hollows/radius", H5T_NATIVE_DOUBLE, &(double){0.5}, "hash");
    forge_value("pending/clump", H5T_NATIVE_INT, &(int){0}, "hash");
    forge_value("interface_corners/in_a", H5T_NATIVE_DOUBLE, &(double){0.5}, "hash");
    forge_value("start/position", H5T_NATIVE_DOUBLE, &(double){0.5}, "hash");
    forge_value("driven/orientation", H5T_NATIVE_DOUBLE, &(double){0.5}, "hash");
    forge_value("joints/kind", H5T_NATIVE_INT, &(int){4}, "joints/kind");
    forge_value("joints/first", H5T_NATIVE_INT, &(int){-1}, "not a pair of bodies");
    forge_value("joints/second", H5T_NATIVE_INT, &(int){1000000}, "joints/second");
    forge_value("joints/collide", H5T_NATIVE_INT, &(int){2}, "joints/collide");
    forge_value("joints/lever", H5T_NATIVE_DOUBLE, &(double){-1}, "negative");
    forge_value("joints/impulse", H5T_NATIVE_DOUBLE, &(double){0.5}, "hash");
    forge_value("pending/polyhedron", H5T_NATIVE_INT, &(int){0}, "hash");
    // Plausible but not what was written: only the state hash knows.
    forge_value("bodies/position", H5T_NATIVE_DOUBLE, &(double){0.5}, "hash");
}

static void forge_number(const char *object, const char *name, enum h5_type type, int64_t value,
                         const char *word) {
    hid_t file = forge_begin();
    struct gabion_error error = {0};
    struct h5_file forged = {.id = file, .writing = true};
    assert_true(H5Adelete_by_name(file, object, name, H5P_DEFAULT) >= 0);
    assert_true(h5_write_number(&forged, object, name, type, &value, &error));
    forge_end(file, word);
}

// Files of earlier minor versions lack some attributes, which are then zero; all others must be
// there, and be single numbers.
static void forge_attribute(const char *object, const struct state_field *field) {
    const char *name = field->name;
    hid_t file;
    if (!(field->flags & STATE_LATER)) {
        file = forge_begin();
        assert_true(H5Adelete_by_name(file, object, name, H5P_DEFAULT) >= 0);
        forge_end(file, name);
    }
    file = forge_begin();
    H5Adelete_by_name(file, object, name, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, (hsize_t[]){2}, NULL);
    hid_t attribute = H5Acreate_by_name(file, object, name, H5T_STD_I64LE, space, H5P_DEFAULT,
                                        H5P_DEFAULT, H5P_DEFAULT);
    H5Aclose(attribute);
    H5Sclose(space);
    forge_end(file, name);
}

static void test_forged_attributes(void **state) {
    (void)state;
    folder_clear();
    struct gabion_world *world = world_make(12, 1);
    write_good(world, 0);
    gabion_destroy(world);
    for (size_t p = 0; p < STATE_PARTS; p++)
        for (size_t k = 0; !state_parts[p]->rows && k < state_parts[p]->fields; k++)
            if (!(state_parts[p]->field[k].flags & STATE_UNSTORED))
                forge_attribute(state_parts[p]->group, &state_parts[p]->field[k]);
    forge_number("/", "pace_step", H5_TYPE_INT64, 2, "pace_");
    forge_number("/", "pace_step", H5_TYPE_INT64, -1, "pace_");
    forge_number("/", "step", H5_TYPE_INT64, -1, "step");
    forge_number("bodies", "moving", H5_TYPE_INT32, -1, "moving");
    forge_number("bodies", "moving", H5_TYPE_INT32, 13, "moving");
    forge_number("bodies", "moving", H5_TYPE_INT32, 3, "contacts/start");
    forge_number("bodies", "id_count", H5_TYPE_INT32, -5, "id_count");
    forge_number("bodies", "id_count", H5_TYPE_INT32, 12, "id_count");
    forge_number("last_step", "converged", H5_TYPE_UINT8, 7, "converged");
}

static void forge_text(const char *name, const char *text) {
    hid_t file = forge_begin();
    struct gabion_error error = {0};
    H5Ldelete(file, name, H5P_DEFAULT);
    struct h5_file forged = {.id = file, .writing = true};
    if (text)
        assert_true(h5_write_strings(&forged, name, (char *[]){"", (char *)text, "x"}, 3, &error));
    forge_end(file, text ? "" : name);
}

static void test_forged_names(void **state) {
    (void)state;
    folder_clear();
    struct gabion_world *world = world_make(12, 1);
    write_good(world, 0);
    gabion_destroy(world);
    const char *names[] = {CHECKPOINT_CASE, CHECKPOINT_GROUP_NAMES, CHECKPOINT_MATERIAL_NAMES};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        forge_text(names[k], NULL);
        forge_text(names[k], "x");
        forge_replace(names[k], H5T_IEEE_F64LE, 1, 3, 1);
        hid_t text = H5Tcopy(H5T_C_S1);
        H5Tset_size(text, H5T_VARIABLE);
        forge_replace(names[k], text, 1, 3, 1);
        H5Tset_size(text, 1000);
        forge_replace(names[k], text, 1, (hsize_t)1 << 50, 1);
        H5Tclose(text);
    }
}

static void test_other_materials(void **state) {
    (void)state;
    folder_clear();
    struct gabion_error error = {0};
    struct gabion_world *world = world_make(12, 1), *other = empty_world();
    write_good(world, 0);
    gabion_add_material(other, "wood", 600, NULL);
    struct checkpoint *checkpoint = checkpoint_open(path_of_step(1), &error);
    assert_false(checkpoint_restore(checkpoint, other, &error));
    assert_non_null(strstr(error.text, "materials"));
    checkpoint_close(checkpoint);
    gabion_destroy(world);
    gabion_destroy(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forged_datasets),   cmocka_unit_test(test_forged_values),
        cmocka_unit_test(test_forged_attributes), cmocka_unit_test(test_forged_names),
        cmocka_unit_test(test_other_materials),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
