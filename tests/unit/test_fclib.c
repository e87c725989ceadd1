// Contact problems in FCLIB's format: every storage of W, round trips to the last bit, bad files.
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/problem/residual.h"
#include "io/file/file.h"
#include "io/file/h5.h"
#include "tests/unit/problem_files.h"

#define SIDE 6

static char folder[64], path[96];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/gabion-fclib-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/problem.hdf5", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    DIR *directory = opendir(folder);
    int left = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char file[400];
        snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
        left += entry->d_name[0] != '.' && strcmp(file, path) != 0;
        unlink(file);
    }
    closedir(directory);
    return rmdir(folder) + left; // nothing else may be lying about
}

// What a file says, before it is a file ---------------------------------------------------------

struct content {
    int32_t dimension, m, n, nzmax, nz;
    int32_t p[64], i[64];
    double x[64], q[SIDE], mu[SIDE], r[SIDE];
    size_t p_count, i_count, x_count, q_count, mu_count, r_count;
    const char *extra; // a group more
    const char *drop;  // a dataset that is left out
};

// Not symmetric; a block that is absent, a block with a hole, a diagonal entry that is absent.
static const double W[SIDE][SIDE] = {
    {4, 0.5, 0.25, 0, -1, 0},    {0.75, 5, 0, 0, 0, 0.125},  {0.3, 0.1, 0, 0.2, 0, 0},
    {0, 0, 0, 6, -0.0625, 0.01}, {0, 0, 0, 0.02, 7, 1e-300}, {0, 0, 0, 0, 0.7, 8},
};

// Line by line; `of_rows`: lines are rows. p is where lines begin, or the line of each entry.
static struct content content_of(int32_t nz, bool of_rows) {
    struct content content = {.dimension = 3, .m = SIDE, .n = SIDE, .nz = nz};
    size_t count = 0;
    for (int line = 0; line < SIDE; line++) {
        for (int k = 0; k < SIDE; k++) {
            double value = of_rows ? W[line][k] : W[k][line];
            if (value == 0)
                continue;
            if (nz >= 0)
                content.p[count] = line;
            content.i[count] = k;
            content.x[count++] = value;
        }
        if (nz < 0)
            content.p[line + 1] = (int32_t)count;
    }
    content.nz = nz >= 0 ? (int32_t)count : nz;
    content.nzmax = (int32_t)count;
    content.i_count = content.x_count = count;
    content.p_count = nz >= 0 ? count : SIDE + 1;
    content.q_count = SIDE;
    content.mu_count = SIDE / 3;
    for (int k = 0; k < SIDE; k++)
        content.q[k] = -1.5 + k;
    content.mu[0] = 0.5;
    content.mu[1] = 0.25;
    return content;
}

static struct content compressed_rows(void) { return content_of(-2, true); }

static void put(const struct h5_file *file, const struct content *content, const char *name,
                enum h5_type type, const void *numbers, size_t count) {
    struct gabion_error error = {0};
    if (content->drop == NULL || strcmp(content->drop, name) != 0)
        assert_true(h5_write_vector(file, name, type, numbers, count, &error));
}

static void store(const struct content *content) {
    struct gabion_error error = {0};
    struct h5_file file;
    const char *groups[] = {"/fclib_local", "/fclib_local/W", "/fclib_local/vectors", "/solution",
                            content->extra};
    assert_true(h5_create(&file, path, 0, &error));
    for (size_t k = 0; k < 5 && groups[k] != NULL; k++)
        assert_true(h5_write_group(&file, groups[k], &error));
    put(&file, content, "/fclib_local/spacedim", H5_TYPE_INT32, &content->dimension, 1);
    put(&file, content, "/fclib_local/W/m", H5_TYPE_INT32, &content->m, 1);
    put(&file, content, "/fclib_local/W/n", H5_TYPE_INT32, &content->n, 1);
    put(&file, content, "/fclib_local/W/nzmax", H5_TYPE_INT32, &content->nzmax, 1);
    put(&file, content, "/fclib_local/W/nz", H5_TYPE_INT32, &content->nz, 1);
    put(&file, content, "/fclib_local/W/p", H5_TYPE_INT32, content->p, content->p_count);
    put(&file, content, "/fclib_local/W/i", H5_TYPE_INT32, content->i, content->i_count);
    put(&file, content, "/fclib_local/W/x", H5_TYPE_FLOAT64, content->x, content->x_count);
    put(&file, content, "/fclib_local/vectors/q", H5_TYPE_FLOAT64, content->q, content->q_count);
    put(&file, content, "/fclib_local/vectors/mu", H5_TYPE_FLOAT64, content->mu, content->mu_count);
    if (content->r_count > 0)
        put(&file, content, "/solution/r", H5_TYPE_FLOAT64, content->r, content->r_count);
    assert_true(h5_close(&file, &error));
}

static struct contact_problem *load(const char *name, double **r) {
    struct gabion_error error = {0};
    struct contact_problem *problem = fclib_read(name, r, &error);
    if (problem == NULL)
        fail_msg("%s", error.text);
    return problem;
}

static double entry(const struct contact_problem *problem, int i, int j) {
    const struct contact_matrix *matrix = &problem->matrix;
    for (size_t e = matrix->start[i / 3]; e < matrix->start[i / 3 + 1]; e++)
        if (matrix->column[e] == j / 3)
            return matrix->value[e * CONTACT_BLOCK + 4 * (size_t)(j % 3) + (size_t)(i % 3)];
    return 0;
}

static void assert_matrix(const struct contact_problem *problem) {
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            if (entry(problem, i, j) != W[i][j])
                fail_msg("W[%d][%d] is %g, expected %g", i, j, entry(problem, i, j), W[i][j]);
}

// Reading -------------------------------------------------------------------------------------

static void test_storages(void **state) {
    (void)state;
    // Triplets are by column, with p the column: as compressed columns are.
    struct content contents[] = {compressed_rows(), content_of(-1, false), content_of(0, false)};
    for (int k = 0; k < 3; k++) {
        double *r;
        store(&contents[k]);
        struct contact_problem *problem = load(path, &r);
        assert_null(r);
        assert_int_equal(problem->contacts, 2);
        assert_int_equal(problem->face, FACE_MATRIX);
        assert_int_equal(problem->matrix.start[1], 2); // (0,0) and (0,1)
        assert_int_equal(problem->matrix.start[2], 3); // (1,1): nothing is stored of (1,0)
        assert_matrix(problem);
        assert_memory_equal(problem->q, contents[k].q, sizeof contents[k].q);
        assert_memory_equal(problem->mu, contents[k].mu, 2 * sizeof(double));
        contact_problem_free(problem);
    }
}

// In any order, some entries in two parts, and x longer than nz as FCLIB may leave it.
static void test_triplets(void **state) {
    (void)state;
    struct content content = content_of(0, false);
    size_t count = content.x_count;
    for (size_t k = 0; k < count / 2; k++) {
        size_t other = count - 1 - k;
        struct content old = content;
        content.p[k] = old.p[other], content.p[other] = old.p[k];
        content.i[k] = old.i[other], content.i[other] = old.i[k];
        content.x[k] = old.x[other], content.x[other] = old.x[k];
    }
    for (size_t k = 0; k < 3; k++) { // halves of numbers are exact
        content.x[k] /= 2;
        content.p[count + k] = content.p[k];
        content.i[count + k] = content.i[k];
        content.x[count + k] = content.x[k];
    }
    content.nz = (int32_t)(count + 3);
    content.p_count = content.i_count = count + 3;
    content.nzmax = (int32_t)(content.x_count = count + 5);
    store(&content);
    double *r;
    struct contact_problem *problem = load(path, &r);
    assert_matrix(problem);
    contact_problem_free(problem);
}

// Two prescribed bodies leave a contact without its block of W.
static void test_missing_diagonal(void **state) {
    (void)state;
    struct content content = compressed_rows();
    for (int k = 4; k <= SIDE; k++)
        content.p[k] = content.p[3];
    content.i_count = content.x_count = (size_t)(content.nzmax = content.p[3]);
    store(&content);
    double *r;
    struct contact_problem *problem = load(path, &r);
    assert_int_equal(problem->matrix.start[2], 3);
    assert_int_equal(problem->matrix.column[2], 1);
    assert_true(entry(problem, 4, 4) == 0 && problem->rho[1] == 0);
    contact_problem_free(problem);
}

static void test_no_contacts(void **state) {
    (void)state;
    struct content content = {.dimension = 3, .nz = -2, .p_count = 1};
    store(&content);
    double *r;
    struct contact_problem *problem = load(path, &r);
    assert_int_equal(problem->contacts, 0);
    contact_problem_free(problem);
}

// Writing -------------------------------------------------------------------------------------

static void assert_same(const struct contact_problem *a, const struct contact_problem *b) {
    size_t n = (size_t)a->contacts;
    assert_int_equal(a->contacts, b->contacts);
    assert_memory_equal(a->matrix.start, b->matrix.start, (n + 1) * sizeof *a->matrix.start);
    size_t blocks = a->matrix.start[n];
    assert_memory_equal(a->matrix.column, b->matrix.column, blocks * sizeof *a->matrix.column);
    assert_memory_equal(a->matrix.value, b->matrix.value,
                        blocks * CONTACT_BLOCK * sizeof *a->matrix.value);
    assert_memory_equal(a->q, b->q, 3 * n * sizeof *a->q);
    assert_memory_equal(a->mu, b->mu, n * sizeof *a->mu);
}

static void assert_text(const char *name, const char *expected) {
    char *text = fclib_read_text(path, name);
    assert_string_equal(text, expected);
    memory_free(text);
}

static void test_round_trip(void **state) {
    (void)state;
    struct content content = compressed_rows();
    content.q[0] = -0.0, content.q[1] = 5e-324, content.q[2] = 0.1 + 0.2;
    content.mu[0] = 0, content.mu[1] = 1e200;
    content.x[1] = -0.0;
    memcpy(content.r, (double[]){1, -0.0, 3e-310, 1.0 / 3, 0.1, -2}, sizeof content.r);
    content.r_count = SIDE;
    store(&content);
    double *r, *again;
    struct gabion_error error = {0};
    struct contact_problem *problem = load(path, &r);
    assert_memory_equal(r, content.r, sizeof content.r);
    assert_true(signbit(entry(problem, 0, 1)));
    assert_true(
        fclib_write(path, problem, r, &(struct fclib_texts){.title = "two contacts"}, &error));
    struct contact_problem *copy = load(path, &again);
    assert_same(problem, copy);
    assert_memory_equal(r, again, sizeof content.r);
    assert_text("title", "two contacts");
    assert_text("description", "");
    assert_true(fclib_recognise(path));
    contact_problem_free(problem);
    contact_problem_free(copy);
    memory_free(r);
    memory_free(again);
}

static double *read_doubles(const char *name, size_t *count) {
    struct gabion_error error = {0};
    struct h5_file file;
    struct h5_rows rows = {.name = name, .type = H5_TYPE_FLOAT64, .columns = 1, .stride = 8};
    assert_true(h5_open(&file, path, &error) && h5_find_rows(&file, &rows, &error));
    double *numbers = memory_allocate(rows.count, 8, "numbers");
    rows.base = (char *)numbers;
    assert_true(h5_read_rows(&file, &rows, NULL, NULL, &error));
    h5_abandon(&file);
    *count = rows.count;
    return numbers;
}

// A solution is added, then replaced; the rest of the file, whatever it is, stays.
static void test_save_solution(void **state) {
    (void)state;
    struct content content = compressed_rows();
    content.extra = "/guesses";
    store(&content);
    struct gabion_error error = {0};
    struct h5_file file;
    double *r, first[SIDE] = {1, 2, 3, 4, 5, 6}, second[SIDE] = {6, 5, 4, 3, 2, 1};
    struct contact_problem *problem = load(path, &r);
    assert_true(fclib_save_solution(path, problem, first, &error));
    assert_true(fclib_save_solution(path, problem, second, &error));
    struct contact_problem *copy = load(path, &r);
    assert_same(problem, copy);
    assert_memory_equal(r, second, sizeof second);
    size_t count;
    double *u = read_doubles("/solution/u", &count);
    assert_int_equal(count, SIDE);
    for (int i = 0; i < SIDE; i++) {
        double expected = content.q[i];
        for (int j = 0; j < SIDE; j++)
            expected += W[i][j] * second[j];
        assert_near(u[i], expected, 1e-13);
    }
    assert_true(h5_open(&file, path, &error));
    assert_true(h5_exists(&file, "/guesses"));
    h5_abandon(&file);
    contact_problem_free(problem);
    contact_problem_free(copy);
    memory_free(r);
    memory_free(u);
}

// A ball of mass 2 on a floor, pressed by gravity for one step: W is 1/m in the normal direction
// and 1/m + a^2/I = (1 + 5/2)/m in the plane, q_n is -g h and friction infinite.
static void test_step(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-2, 1);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = INFINITY});
    scene_floor(world);
    scene_sphere(world, vec3_make(0, 0, 0.3), 0.3, 2, vec3_zero());
    scene_step(world, 1);
    struct gabion_error error = {0};
    struct contact_problem *problem = solve_problem(world);
    contact_problem_materialise(problem);
    double *r = memory_allocate(contact_problem_size(problem), sizeof *r, "impulses"), *stored;
    contact_problem_to_rows(problem, world->contacts->impulse, r);
    assert_true(fclib_write(path, problem, r, NULL, &error));
    struct contact_problem *copy = load(path, &stored);
    assert_int_equal(copy->contacts, 1);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_near(entry(copy, i, j), i != j ? 0 : i == 0 ? 0.5 : 3.5 / 2, 1e-14);
    assert_near(copy->q[0], -9.81e-2, 1e-14);
    assert_near(stored[0], 2 * 9.81e-2, 1e-9);
    assert_true(copy->mu[0] == CONTACT_STICKS);
    memory_free(r);
    memory_free(stored);
    contact_problem_free(problem);
    contact_problem_free(copy);
    scene_destroy(world);
}

static void test_no_room(void **state) {
    (void)state;
    struct gabion_error error = {0};
    double *r;
    store(&(struct content){.dimension = 3, .nz = -2, .p_count = 1});
    struct contact_problem *problem = load(path, &r);
    assert_false(fclib_write("/nowhere/at/all.hdf5", problem, NULL, NULL, &error));
    assert_int_equal(error.status, GABION_ERROR_RUN);
    assert_non_null(strstr(error.text, "/nowhere/at/all.hdf5"));
    contact_problem_free(problem);
}

// Bad files -----------------------------------------------------------------------------------

static void rejects(const struct content *content, const char *place, const char *what) {
    struct gabion_error error = {0};
    double *r;
    store(content);
    struct contact_problem *problem = fclib_read(path, &r, &error);
    if (problem != NULL)
        fail_msg("read; expected: %s %s", place, what);
    assert_null(r);
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    if (!strstr(error.text, path) || !strstr(error.text, place) || !strstr(error.text, what))
        fail_msg("'%s'; expected: %s %s", error.text, place, what);
}

#define BAD(change, place, what)                                                                   \
    do {                                                                                           \
        struct content content = compressed_rows();                                                \
        change;                                                                                    \
        rejects(&content, place, what);                                                            \
    } while (0)

static void test_bad_numbers(void **state) {
    (void)state;
    BAD(content.x[3] = NAN, "/fclib_local/W/x'[3]", "finite");
    BAD(content.x[3] = -INFINITY, "/fclib_local/W/x'[3]", "finite");
    BAD(content.q[5] = NAN, "/fclib_local/vectors/q'[5]", "finite");
    BAD(content.mu[1] = NAN, "/fclib_local/vectors/mu'[1]", "friction");
    BAD(content.mu[1] = INFINITY, "/fclib_local/vectors/mu'[1]", "1e+100");
    BAD(content.mu[0] = -0.1, "/fclib_local/vectors/mu'[0] is -0.1", "0 or more");
    BAD(content.r[2] = NAN; content.r_count = SIDE, "/solution/r'[2]", "finite");
    BAD(content.i[1] = SIDE, "/fclib_local/W/i'[1] is 6", "0 to 5");
    BAD(content.i[1] = -1, "/fclib_local/W/i'[1] is -1", "0 to 5");
    BAD(content.p[0] = 1, "/fclib_local/W/p'[0] is 1", "0 was expected");
    BAD(content.p[2] = 99, "/fclib_local/W/p'[2] is 99", "from 4");
    BAD(content.p[2] = 1, "/fclib_local/W/p'[2] is 1", "from 4");
    BAD(content.p[2] = -7, "/fclib_local/W/p'[2] is -7", "from 4");
    BAD(content.x[0] = content.x[1] = 1e308; content.i[0] = content.i[1] = 0, "row 0", "overflow");
}

static void test_bad_sizes(void **state) {
    (void)state;
    BAD(content.m = content.n = 5, "5 rows", "three for each contact");
    BAD(content.m = 9, "9 rows", "6 columns");
    BAD(content.m = content.n = -3, "-3 rows", "expected");
    BAD(content.m = content.n = 2147483646, "/fclib_local/W/p", "2147483647");
    BAD(content.nz = -3, "/fclib_local/W/nz' is -3", "compressed");
    BAD(content.nz = 60, "/fclib_local/W/p", "60 were expected");
    BAD(content.p_count = 6, "/fclib_local/W/p' has 6", "7 were expected");
    BAD(content.x_count = 3, "/fclib_local/W/i", "has 3");
    BAD(content.q_count = 5, "/fclib_local/vectors/q' has 5", "6 were expected");
    BAD(content.mu_count = 3, "/fclib_local/vectors/mu' has 3", "2 were expected");
    BAD(content.r_count = 3, "/solution/r' has 3", "6 were expected");
    BAD(content.drop = "/fclib_local/W/x", "/fclib_local/W/x", "cannot read");
    BAD(content.drop = "/fclib_local/W/nz", "/fclib_local/W/nz", "cannot read");
    BAD(content.drop = "/fclib_local/vectors/mu", "/fclib_local/vectors/mu", "cannot read");
    struct content triplets = content_of(0, false);
    triplets.p[4] = SIDE;
    rejects(&triplets, "/fclib_local/W/p'[4] is 6", "0 to 5");
    triplets.p[4] = 0;
    triplets.x_count = 4;
    rejects(&triplets, "/fclib_local/W/i' or '/x' has 4", "nz");
}

static void test_unsupported(void **state) {
    (void)state;
    BAD(content.dimension = 2, "/fclib_local/spacedim' is 2", "3 dimensions");
    BAD(content.extra = "/fclib_local/V", "/fclib_local/V", "equality constraints");
    BAD(content.extra = "/fclib_local/R", "/fclib_local/R", "not supported");
    BAD(content.extra = "/fclib_local/vectors/s", "/fclib_local/vectors/s", "not supported");
    struct gabion_error error = {0};
    struct h5_file file;
    double *r;
    assert_true(h5_create(&file, path, 0, &error) &&
                h5_write_group(&file, "/fclib_global", &error) && h5_close(&file, &error));
    assert_true(fclib_recognise(path));
    assert_null(fclib_read(path, &r, &error));
    assert_non_null(strstr(error.text, "global"));
    error = (struct gabion_error){0};
    assert_true(h5_create(&file, path, 0, &error) && h5_close(&file, &error));
    assert_false(fclib_recognise(path));
    assert_null(fclib_read(path, &r, &error));
    assert_non_null(strstr(error.text, "not an FCLIB file"));
}

// Cut anywhere, a file is rejected; it never ends the program.
static void test_truncated(void **state) {
    (void)state;
    struct content content = compressed_rows();
    store(&content);
    struct gabion_error error = {0};
    size_t size;
    char *whole = file_read(path, 1 << 20, &size, &error);
    for (size_t length = 0; length < size; length += 97) {
        FILE *file = fopen(path, "wb");
        assert_int_equal(fwrite(whole, 1, length, file), length);
        fclose(file);
        double *r;
        error = (struct gabion_error){0};
        assert_null(fclib_read(path, &r, &error));
        assert_int_equal(error.status, GABION_ERROR_INPUT);
        assert_non_null(strstr(error.text, path));
    }
    memory_free(whole);
    double *r;
    error = (struct gabion_error){0};
    assert_null(fclib_read(folder, &r, &error));
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    unlink(path);
    error = (struct gabion_error){0};
    assert_null(fclib_read(path, &r, &error));
    assert_non_null(strstr(error.text, "No such file"));
}

// Problems in files ---------------------------------------------------------------------------

// The file carries a solution whose error, as Siconos measures it, is 1e-12 at most.
static void check_solved_file(const char *name) {
    double *r, *again;
    struct gabion_error error = {0};
    struct contact_problem *problem = load(name, &r);
    assert_non_null(r);
    assert_at_most(residual_of(problem, r).fclib, 1e-12);
    assert_true(fclib_write(path, problem, r, NULL, &error));
    struct contact_problem *copy = load(path, &again);
    assert_same(problem, copy);
    assert_memory_equal(r, again, contact_problem_size(problem) * sizeof *r);
    contact_problem_free(problem);
    contact_problem_free(copy);
    memory_free(r);
    memory_free(again);
}

// Returns the number of problems in a folder, 0 where there is none.
static int check_collection(const char *collection) {
    DIR *directory = opendir(collection);
    int count = 0;
    for (struct dirent *file; directory && (file = readdir(directory)) != NULL;) {
        char name[1024];
        if (!strstr(file->d_name, ".hdf5"))
            continue;
        snprintf(name, sizeof name, "%s/%s", collection, file->d_name);
        check_solved_file(name);
        count++;
    }
    if (directory)
        closedir(directory);
    return count;
}

static void test_collection(void **state) {
    (void)state;
    assert_true(check_collection(SHIPPED_PROBLEMS) >= SHIPPED_LEAST);
    print_message("%d problems of other codes\n", check_collection(other_problems()));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_storages),    TEST(test_triplets),    TEST(test_missing_diagonal),
        TEST(test_no_contacts), TEST(test_round_trip),  TEST(test_save_solution),
        TEST(test_step),        TEST(test_no_room),     TEST(test_bad_numbers),
        TEST(test_bad_sizes),   TEST(test_unsupported), TEST(test_truncated),
        TEST(test_collection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
