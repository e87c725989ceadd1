// HDF5 files that ranks write together. `make unit` runs this program as one rank, which writes
// such a file alone; under mpirun each test is a test of that many (tests/cli/test_ranks.sh).
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/file/file.h"
#include "io/file/h5_shared.h"
#include "parallel/memory.h"
#include "parallel/ranks.h"

static char folder[] = "/tmp/test_h5_shared.XXXXXX";

static int make_folder(void **state) {
    (void)state;
    bool made = ranks_me() != 0 || mkdtemp(folder) != NULL;
    ranks_broadcast(folder, sizeof folder, 0);
    return made ? 0 : -1;
}

static const char *in_folder(const char *name) {
    static char path[2][256];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static int remove_folder(void **state) {
    (void)state;
    if (ranks_me() == 0) {
        unlink(in_folder("alone"));
        unlink(in_folder("together"));
        rmdir(folder);
    }
    return 0;
}

// Rows of a dataset follow from their numbers; `context` is that of the first one.
static void gather_bytes(const void *context, size_t begin, size_t count, void *rows) {
    size_t first = *(const size_t *)context + begin;
    for (size_t k = 0; k < count; k++)
        ((uint8_t *)rows)[k] = (uint8_t)((first + k) * 7 % 251);
}

static void gather_numbers(const void *context, size_t begin, size_t count, void *rows) {
    size_t first = *(const size_t *)context + begin;
    for (size_t k = 0; k < count; k++)
        ((int32_t *)rows)[k] = (int32_t)((first + k) * 2654435761u % 100003);
}

static void gather_vectors(const void *context, size_t begin, size_t count, void *rows) {
    size_t first = *(const size_t *)context + begin;
    for (size_t k = 0; k < 3 * count; k++)
        ((double *)rows)[k] = 1.0 / (double)(3 * first + k + 1);
}

#define DATASETS 3

static void describe(struct h5_rows rows[DATASETS], const size_t *first, size_t count) {
    const struct h5_rows all[DATASETS] = {
        {"bytes", "1", H5_TYPE_UINT8, 1, false, count, NULL, 0, gather_bytes, first},
        {"numbers", "m", H5_TYPE_INT32, 1, false, count, NULL, 0, gather_numbers, first},
        {"vectors", NULL, H5_TYPE_FLOAT64, 3, false, count, NULL, 0, gather_vectors, first},
    };
    memcpy(rows, all, sizeof all);
}

static void write_alone(size_t count) {
    struct gabion_error error = {0};
    struct h5_file file;
    struct h5_rows rows[DATASETS];
    const size_t first = 0;
    describe(rows, &first, count);
    assert_true(h5_create(&file, in_folder("alone"), 512, &error));
    assert_true(h5_write_group(&file, "group", &error));
    for (int k = 0; k < DATASETS; k++)
        assert_true(h5_write_rows(&file, &rows[k], &error));
    assert_true(h5_write_text(&file, "/", "name", "a text", &error));
    assert_true(h5_close(&file, &error));
}

static bool write_together(size_t count, struct gabion_error *error) {
    struct h5_file file;
    struct h5_rows rows[DATASETS];
    size_t *first = memory_allocate((size_t)ranks_count() + 1, sizeof *first, "rows");
    ranks_offsets(count, first);
    describe(rows, &first[ranks_me()], count);
    if (!h5_create_shared(&file, in_folder("together"), 512, error)) {
        memory_free(first);
        return false;
    }
    bool good = h5_write_group(&file, "group", error);
    for (int k = 0; good && k < DATASETS; k++)
        good = h5_write_shared_rows(&file, &rows[k], error);
    good = good && h5_write_text(&file, "/", "name", "a text", error);
    memory_free(first);
    return h5_close_shared(&file, good, true, error);
}

static void assert_same_files(void) {
    struct gabion_error error = {0};
    size_t alone, together;
    char *expected = file_read(in_folder("alone"), (size_t)1 << 30, &alone, &error);
    char *found = file_read(in_folder("together"), (size_t)1 << 30, &together, &error);
    assert_non_null(expected);
    assert_non_null(found);
    assert_int_equal(alone, together);
    assert_memory_equal(expected, found, alone);
    memory_free(expected);
    memory_free(found);
}

static void check(size_t own) {
    struct gabion_error error = {0};
    int64_t total = (int64_t)own;
    ranks_sum_signed(&total, 1);
    bool written = write_together(own, &error);
    assert_string_equal(error.text, "");
    assert_true(written);
    if (ranks_me() == 0) {
        write_alone((size_t)total);
        assert_same_files();
    }
    ranks_all(true);
}

// The file is the one of a single process, wherever the rows are.
static void same_bytes(void **state) {
    (void)state;
    bool first = ranks_me() == 0, last = ranks_me() == ranks_count() - 1;
    check(0);
    check((size_t)ranks_me() + 1); // a chunk of all ranks
    check(100000);                 // chunks that begin on one rank and end on the next
    check(last ? 150001 : 0);      // ranks without rows
    check(first ? 150001 : 0);
    check(first ? 2 * H5_BLOCK_ROWS : 5);    // chunks that begin where a rank does
    check(last ? H5_BLOCK_ROWS + 1 : 20000); // ranks that have no chunk of their own
}

// A write that fails on one rank is an error on all, with its cause.
static void a_full_disk(void **state) {
    (void)state;
    struct rlimit old, limit;
    struct gabion_error error = {0};
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    limit = (struct rlimit){1000000, old.rlim_max};
    if (ranks_me() == ranks_count() - 1)
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    bool written = write_together(100000, &error);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_false(written);
    assert_int_equal(error.status, GABION_ERROR_RUN);
    assert_non_null(strstr(error.text, "File too large"));
    check(70000);
}

static void no_folder(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct h5_file file;
    assert_false(h5_create_shared(&file, in_folder("missing/file"), 512, &error));
    assert_non_null(strstr(error.text, "missing/file"));
    assert_non_null(strstr(error.text, "No such file"));
}

int main(void) {
    ranks_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bytes),
        cmocka_unit_test(a_full_disk),
        cmocka_unit_test(no_folder),
    };
    int failed = cmocka_run_group_tests(tests, make_folder, remove_folder);
    // The others may be waiting for a rank whose test failed.
    if (failed > 0)
        ranks_abort("a test failed");
    return ranks_end(0);
}
