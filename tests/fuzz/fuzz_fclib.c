// libFuzzer: contact problems in FCLIB files. The first byte of an input says what it is: changes
// of single bytes of a good file, which reach HDF5's parser, changes of its datasets, or their
// numbers, which reach our checks. What is accepted must come back the same after it was written.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/problem/residual.h"
#include "io/fclib/fclib.h"
#include "io/file/file.h"
#include "io/file/h5.h"
#include "parallel/memory.h"
#include "tests/fuzz/forge.h"

static char folder[64], path[128], copy_path[128];
static char *good;
static size_t good_size;

#define LONGEST 40

// Mostly small numbers, so that some inputs make sense.
static int32_t take_integer(struct input *input) {
    uint64_t kind = take(input, 1);
    return kind == 255 ? (int32_t)take(input, 4) : (int32_t)(kind % 16) - 2;
}

static double take_real(struct input *input) {
    uint64_t kind = take(input, 1), bits = kind > 250 ? take(input, 8) : 0;
    double real;
    memcpy(&real, &bits, sizeof real);
    return kind > 250 ? real : ((double)kind - 60) / 8;
}

static void put(const struct h5_file *file, const char *name, enum h5_type type,
                const void *numbers, size_t count) {
    struct gabion_error error = {0};
    if (!h5_write_vector(file, name, type, numbers, count, &error))
        abort();
}

// Integers ascend where they may be beginnings, else W would hardly ever make sense.
static void put_integers(const struct h5_file *file, const char *name, size_t count, bool ascend,
                         struct input *input) {
    int32_t numbers[LONGEST], sum = 0;
    for (size_t k = 0; k < count; k++) {
        int32_t number = take_integer(input);
        sum += k > 0 && number > 0 && number < LONGEST ? number : 0;
        numbers[k] = ascend ? sum : number;
    }
    put(file, name, H5_TYPE_INT32, numbers, count);
}

static void put_reals(const struct h5_file *file, const char *name, size_t count,
                      struct input *input) {
    double numbers[LONGEST];
    for (size_t k = 0; k < count; k++)
        numbers[k] = take_real(input);
    put(file, name, H5_TYPE_FLOAT64, numbers, count);
}

static void put_integer(const struct h5_file *file, const char *name, int32_t value) {
    put(file, name, H5_TYPE_INT32, &value, 1);
}

// A file of the right sizes, unless the input says otherwise.
static void write_structure(struct input *input) {
    struct gabion_error error = {0};
    struct h5_file file;
    static const char *const groups[] = {"/fclib_local", "/fclib_local/W", "/fclib_local/vectors",
                                         "/solution"};
    int32_t nz = take_integer(input);
    size_t side = 3 * (take(input, 1) % 4), wrong = take(input, 1) % 32;
    size_t entries = nz >= 0 ? (size_t)nz % LONGEST : take(input, 1) % LONGEST;
    if (!h5_create(&file, path, 0, &error))
        abort();
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++)
        h5_write_group(&file, groups[k], &error);
    put_integer(&file, "/fclib_local/spacedim", wrong == 1 ? take_integer(input) : 3);
    put_integer(&file, "/fclib_local/W/m", wrong == 2 ? take_integer(input) : (int32_t)side);
    put_integer(&file, "/fclib_local/W/n", wrong == 3 ? take_integer(input) : (int32_t)side);
    put_integer(&file, "/fclib_local/W/nz", nz);
    size_t p_count = wrong == 4 ? take(input, 1) % LONGEST : nz >= 0 ? entries : side + 1;
    put_integers(&file, "/fclib_local/W/p", p_count, nz < 0 && wrong != 5, input);
    put_integers(&file, "/fclib_local/W/i", wrong == 6 ? entries / 2 : entries, false, input);
    put_reals(&file, "/fclib_local/W/x", wrong == 7 ? entries / 2 : entries, input);
    put_reals(&file, "/fclib_local/vectors/q", wrong == 8 ? side + 1 : side, input);
    put_reals(&file, "/fclib_local/vectors/mu", wrong == 9 ? side : side / 3, input);
    if (wrong >= 16)
        put_reals(&file, "/solution/r", wrong == 16 ? side + 1 : side, input);
    if (!h5_close(&file, &error))
        abort();
}

static void change_structure(struct input *input) {
    static const char *const names[] = {
        "/fclib_local/spacedim",   "/fclib_local/W/m", "/fclib_local/W/n", "/fclib_local/W/nz",
        "/fclib_local/W/p",        "/fclib_local/W/i", "/fclib_local/W/x", "/fclib_local/vectors/q",
        "/fclib_local/vectors/mu", "/solution/r"};
    store(path, good, good_size, 0);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    while (input->size > 0) {
        uint64_t what = take(input, 1);
        const char *name = names[take(input, 1) % (sizeof names / sizeof *names)];
        if (what % 3 == 0)
            replace_dataset(file, name, input);
        else if (what % 3 == 1)
            change_value(file, name, input);
        else
            replace_by_link(file, name, "/fclib_local/vectors/q", input);
    }
    H5Fclose(file);
}

static void clean_up(void) {
    unlink(path);
    unlink(copy_path);
    rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    struct gabion_error error = {0};
    keep_memory();
    make_folder("fuzz_fclib", folder, sizeof folder);
    snprintf(path, sizeof path, "%s/input.hdf5", folder);
    snprintf(copy_path, sizeof copy_path, "%s/copy.hdf5", folder);
    // One contact: triplets (nz 3) of a unit matrix, q, mu, and a solution.
    static const uint8_t one[] = {5,  1,  31, 2,   3,  4,  2,   3,  4,  68,
                                  68, 68, 52, 200, 60, 64, 100, 60, 60, 60};
    write_structure(&(struct input){one, sizeof one});
    double *r;
    struct contact_problem *problem = fclib_read(path, &r, &error);
    good = file_read(path, 1 << 20, &good_size, &error);
    if (!problem || !r || !good)
        abort();
    contact_problem_free(problem);
    memory_free(r);
    atexit(clean_up);
    return 0;
}

static bool same(const struct contact_problem *a, const struct contact_problem *b) {
    size_t n = (size_t)a->contacts, blocks = a->matrix.start[n];
    return a->contacts == b->contacts && b->matrix.start[n] == blocks &&
           memcmp(a->matrix.column, b->matrix.column, blocks * sizeof *a->matrix.column) == 0 &&
           memcmp(a->matrix.value, b->matrix.value,
                  blocks * CONTACT_BLOCK * sizeof *a->matrix.value) == 0 &&
           memcmp(a->q, b->q, 3 * n * sizeof *a->q) == 0 &&
           memcmp(a->mu, b->mu, n * sizeof *a->mu) == 0;
}

static void check_accepted(const struct contact_problem *problem, const double *r) {
    struct gabion_error error = {0};
    double *stored;
    if (!fclib_write(copy_path, problem, r, NULL, &error))
        abort();
    struct contact_problem *copy = fclib_read(copy_path, &stored, &error);
    if (!copy || !same(problem, copy) || (r == NULL) != (stored == NULL))
        abort();
    if (r && isnan(residual_of(problem, r).scaled))
        abort();
    contact_problem_free(copy);
    memory_free(stored);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {data, size};
    struct gabion_error error = {0};
    double *r;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    switch (take(&input, 1) % 4) {
    case 0:
        change_bytes(path, good, good_size, 0, &input);
        break;
    case 1:
        change_structure(&input);
        break;
    default:
        write_structure(&input);
    }
    struct contact_problem *problem = fclib_read(path, &r, &error);
    if (problem)
        check_accepted(problem, r);
    else if (error.status != GABION_ERROR_INPUT)
        abort();
    contact_problem_free(problem);
    memory_free(r);
    return 0;
}
