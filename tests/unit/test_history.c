#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/api/define.h"
#include "engine/world/world.h"
#include "io/file/file.h"
#include "io/run/history.h"
#include "parallel/memory.h"

#define OLDER_HEADER                                                                               \
    "step,time,bodies,candidates,contacts,sweeps,residual,residual_fclib,max_overlap,"             \
    "kinetic_energy,potential_energy,contact_work,driver_work,applied_work,theta_work,"            \
    "energy_error,wall_time,max_overlap_relative,removed_energy,colours,converged,max_speed,"      \
    "projection_work,mean_overlap"
#define HEADER                                                                                     \
    OLDER_HEADER                                                                                   \
    ",overlap_body_a,overlap_body_b,method,residual_worst,contact_gain,impact_gain,changes,"       \
    "spent_nsgs,spent_psor,spent_cpg,spent_lemke,spent_qp,spent_newton,spent_bicg,spent_anderson," \
    "spent_ipm,"                                                                                   \
    "spent_prox,"                                                                                  \
    "spent_admm,spent_auto"
#define COLUMNS 49
#define PROBES  ",nut.x,nut.y,nut.z,a_b.x,a_b.y,a_b.z\n"

static struct team *team;
static char folder[64], path[128];

static struct gabion_world *world_make(void) {
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    settings.step = 0.1;
    settings.end = 10;
    struct gabion_world *world = world_create(&settings, team, &error);
    assert_non_null(world);
    struct gabion_body body = gabion_default_body();
    body.material = gabion_add_material(world, "glass", 2500, NULL);
    body.group = gabion_add_group(world, "nut", NULL);
    body.radius = 0.5;
    body.mass = 2;
    body.position = vec3_make(1.0 / 3, 2, -3e-300);
    assert_int_equal(gabion_add_body(world, &body, &error), 0);
    assert_int_equal(gabion_add_probe(world, "nut", body.group, GABION_POSITION, &error), 0);
    assert_int_equal(gabion_add_probe(world, "a,b", body.group, GABION_VELOCITY, &error), 1);
    world->report = (struct gabion_step_report){
        .bodies = 1,
        .candidates = 5000000000,
        .contacts = 3,
        .sweeps = 17,
        .finished_by = GABION_METHOD_NEWTON,
        .spent = {[GABION_METHOD_NSGS] = 5, [GABION_METHOD_NEWTON] = 12},
        .colours = 6,
        .converged = true,
        .residual = 1.0 / 7,
        .residual_fclib = 1e-300,
        .residual_worst = 0.0625,
        .max_overlap = 0,
        .max_overlap_relative = 0.25,
        .overlap_body_a = 7,
        .overlap_body_b = 11,
        .mean_overlap = 0.125,
        .max_speed = 2.5};
    world->ledger = (struct ledger){.kinetic = 0.1,
                                    .potential = -0.2,
                                    .contact_work = 0.3,
                                    .contact_gain = 0.03125,
                                    .impact_gain = 0.015625,
                                    .driver_work = 0.4,
                                    .applied_work = 0.5,
                                    .theta_work = 0.6,
                                    .projection_work = 0.8,
                                    .removed_energy = 0.7,
                                    .energy_error = 1e-17};
    return world;
}

static char *text_now(void) {
    struct gabion_error error = {0};
    char *text = file_read(path, 1 << 20, NULL, &error);
    if (!text)
        fail_msg("%s", error.text);
    return text;
}

static void text_set(const char *text) {
    FILE *stream = fopen(path, "w");
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

static void assert_text(const char *expected) {
    char *text = text_now();
    assert_string_equal(text, expected);
    memory_free(text);
}

static void close_history(struct history *history) {
    struct gabion_error error = {0};
    char *left;
    assert_true(history_close(history, &left, &error));
    assert_null(left);
}

static void write_steps(struct gabion_world *world, int64_t first, int64_t last, bool resume) {
    struct gabion_error error = {0};
    struct history *history = history_open(folder, world, resume, 0, NULL, &error);
    if (!history)
        fail_msg("%s", error.text);
    for (int64_t step = first; step <= last; step++) {
        world->step = step;
        assert_true(history_write(history, world, (double)step, &error));
    }
    assert_true(history_flush(history, &error));
    close_history(history);
}

// Starts a file with the rows of some steps, all of one wall time.
static void write_steps_at(struct gabion_world *world, int64_t first, int64_t last, double wall) {
    struct gabion_error error = {0};
    struct history *history = history_open(folder, world, false, 0, NULL, &error);
    assert_non_null(history);
    for (world->step = first; world->step <= last; world->step++)
        assert_true(history_write(history, world, wall, &error));
    close_history(history);
}

// The numbers of the first column, "1 2 3 ".
static void steps_now(char *steps) {
    char *text = text_now(), *line = strchr(text, '\n') + 1;
    *steps = '\0';
    for (; *line; line = strchr(line, '\n') + 1)
        steps += sprintf(steps, "%ld ", strtol(line, NULL, 10));
    memory_free(text);
}

static void test_row(void **state) {
    (void)state;
    struct gabion_world *world = world_make();
    text_set("left from an older run\n");
    write_steps(world, 3, 3, false);
    char *text = text_now(), *row = strchr(text, '\n') + 1;
    assert_memory_equal(text, HEADER PROBES, strlen(HEADER PROBES));
    double values[COLUMNS];
    int columns = 0;
    for (char *end = row; *end != '\n' && columns < COLUMNS; columns++) {
        values[columns] = strtod(columns > 0 ? end + 1 : end, &end);
        end += strcspn(end, ",\n"); // of the method, which is a word and read as 0
    }
    assert_int_equal(columns, COLUMNS);
    assert_int_equal(strchr(row, '\n')[1], '\0');
    // What was written is read back to the last bit.
    const double expected[COLUMNS] = {
        3,   3 * 0.1, 1,       5000000000, 3,       17,  1.0 / 7, 1e-300, 0,   0.1, -0.2,  0.3, 0.4,
        0.5, 0.6,     1e-17,   3,          0.25,    0.7, 6,       1,      2.5, 0.8, 0.125, 7,   11,
        0,   0.0625,  0.03125, 0.015625,   0,       5,   0,       0,      0,   0,   12,    0,   0,
        0,   0,       0,       0,          1.0 / 3, 2,   -3e-300, 0,      0,   0};
    for (int k = 0; k < COLUMNS; k++)
        if (values[k] != expected[k])
            fail_msg("column %d: %.17g, expected %.17g", k + 1, values[k], expected[k]);
    assert_memory_equal(row, "3,", 2);
    assert_non_null(strstr(row, ",1,5000000000,3,17,"));
    assert_non_null(strstr(row, ",0.125,7,11,newton,0.0625,0.03125,0.015625,0,5,0,0,0,0,12,0,"));
    memory_free(text);
    gabion_destroy(world);
}

static void test_not_a_number(void **state) {
    (void)state;
    struct gabion_world *world = world_make();
    world->bodies.v[0].y = -NAN; // as the probe of a group that is not in the run
    write_steps(world, 1, 1, false);
    char *text = text_now();
    assert_non_null(strstr(text, ",0,nan,0\n"));
    memory_free(text);
    gabion_destroy(world);
}

static void test_header_alone(void **state) {
    (void)state;
    struct gabion_world *world = world_make();
    write_steps(world, 1, 0, false);
    assert_text(HEADER PROBES);
    gabion_destroy(world);
}

static void test_resume(void **state) {
    (void)state;
    char steps[256];
    struct gabion_world *world = world_make();
    write_steps(world, 1, 6, false);
    char *before = text_now();
    world->step = 4;
    write_steps(world, 5, 4, true); // no new rows
    steps_now(steps);
    assert_string_equal(steps, "1 2 3 4 ");
    world->step = 4;
    write_steps(world, 5, 6, true);
    assert_text(before);
    // A kill in the middle of a line.
    char *cut = strrchr(before, '6');
    *cut = '\0';
    text_set(before);
    world->step = 9;
    write_steps(world, 10, 10, true);
    steps_now(steps);
    assert_string_equal(steps, "1 2 3 4 5 10 ");
    memory_free(before);
    gabion_destroy(world);
}

static void test_resume_without_rows(void **state) {
    (void)state;
    char steps[256];
    struct gabion_world *world = world_make();
    unlink(path);
    write_steps(world, 8, 8, true);
    steps_now(steps);
    assert_string_equal(steps, "8 ");
    const char *starts[] = {"", "step,ti", HEADER PROBES, HEADER PROBES "1"};
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
        text_set(starts[k]);
        world->step = 8;
        write_steps(world, 9, 9, true);
        steps_now(steps);
        assert_string_equal(steps, "9 ");
    }
    gabion_destroy(world);
}

static void assert_rejected(const struct gabion_world *world, const char *text, const char *word) {
    struct gabion_error error = {0};
    text_set(text);
    assert_null(history_open(folder, world, true, 0, NULL, &error));
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    assert_non_null(strstr(error.text, path));
    assert_non_null(strstr(error.text, word));
    assert_text(text); // what cannot be continued is left alone
}

static void test_foreign_file(void **state) {
    (void)state;
    struct gabion_world *world = world_make();
    // A version that knew fewer columns.
    assert_rejected(world, OLDER_HEADER PROBES "1,0.1\n", ":1: the columns");
    assert_rejected(world, HEADER PROBES "1,0.1\nx,0.2\n", ":3: a row");
    assert_rejected(world, HEADER PROBES "\n", ":2: a row");
    struct gabion_error error = {0};
    assert_null(history_open("/nonexistent/folder", world, false, 0, NULL, &error));
    assert_non_null(strstr(error.text, "/nonexistent/folder"));
    gabion_destroy(world);
}

// Rows of before keep what they had, by name; what they had not is nan. The file of before stays.
static void test_other_probes(void **state) {
    (void)state;
    struct gabion_world *world = world_make();
    struct gabion_error error = {0};
    write_steps(world, 1, 2, false);
    char *before = text_now();
    assert_int_equal(gabion_add_probe(world, "late", 0, GABION_POSITION, &error), 2);
    write_steps(world, 3, 3, true);
    char *after = text_now(), *line = strchr(after, '\n') + 1, aside[160];
    const char *old = strchr(before, '\n') + 1;
    assert_memory_equal(after, HEADER, strlen(HEADER));
    assert_non_null(strstr(after, ",a_b.z,late.x,late.y,late.z\n"));
    size_t length = strcspn(old, "\n");
    assert_memory_equal(line, old, length);
    assert_memory_equal(line + length, ",nan,nan,nan\n", 13);
    snprintf(aside, sizeof aside, "%s/history-000000002.csv", folder);
    char *kept = file_read(aside, 1 << 20, NULL, &error);
    assert_non_null(kept);
    assert_string_equal(kept, before);
    assert_int_equal(unlink(aside), 0);
    memory_free(before);
    memory_free(after);
    memory_free(kept);
    gabion_destroy(world);
}

static int full_disk_child(struct gabion_world *world) {
    struct gabion_error error = {0};
    struct rlimit limit = {4000, 4000};
    signal(SIGXFSZ, SIG_IGN);
    struct history *history = history_open(folder, world, false, 0, NULL, &error);
    setrlimit(RLIMIT_FSIZE, &limit);
    bool good = history != NULL;
    for (int step = 1; good && step < 100; step++) {
        world->step = step;
        good = history_write(history, world, 0, &error);
    }
    if (good || error.status != GABION_ERROR_RUN || !strstr(error.text, strerror(EFBIG)) ||
        !strstr(error.text, path))
        return 1;
    char *left;
    history_close(history, &left, &error);
    return !left;
}

static void test_full_disk(void **state) {
    (void)state;
    struct gabion_world *world = world_make();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(full_disk_child(world));
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
    // The rows before it are there, and the run can go on.
    char steps[1024];
    world->step = 3;
    write_steps(world, 4, 4, true);
    steps_now(steps);
    assert_string_equal(steps, "1 2 3 4 ");
    gabion_destroy(world);
}

static void test_rows_at_once(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = world_make();
    struct history *history = history_open(folder, world, false, 0, NULL, &error);
    for (world->step = 1; world->step <= 3; world->step++) {
        char steps[64];
        assert_true(history_write(history, world, 0, &error));
        steps_now(steps);
        assert_int_equal(steps[strlen(steps) - 2] - '0', world->step);
    }
    close_history(history);
    gabion_destroy(world);
}

// As it is within a run: another thread prints and writes.
static void test_rows_beside(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = world_make();
    write_steps(world, 1, 5, false);
    char *expected = text_now(), steps[64];
    struct history *history = history_open(folder, world, false, 0, NULL, &error);
    history_write_beside(history);
    for (world->step = 1; world->step <= 4; world->step++)
        assert_true(history_write(history, world, (double)world->step, &error));
    assert_true(history_flush(history, &error));
    steps_now(steps);
    assert_string_equal(steps, "1 2 3 4 ");
    assert_true(history_write(history, world, 5, &error));
    for (steps[8] = '\0'; steps[8] == '\0';) // nobody has to ask for the row
        steps_now(steps);
    assert_text(expected);
    close_history(history);
    memory_free(expected);
    gabion_destroy(world);
}

// Rows that a full disk keeps out of the file come back when the run is resumed with them, once.
static int rows_left_child(struct gabion_world *world) {
    struct gabion_error error = {0}, second = {0};
    struct rlimit limit = {4000, RLIM_INFINITY};
    char *left;
    signal(SIGXFSZ, SIG_IGN);
    struct history *history = history_open(folder, world, false, 0, NULL, &error);
    history_write_beside(history);
    setrlimit(RLIMIT_FSIZE, &limit);
    for (world->step = 1; world->step <= 20; world->step++)
        history_write(history, world, 0, &error);
    world->step = 20;
    bool flushed = history_flush(history, &second);
    history_close(history, &left, &second);
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
    if (flushed || second.status != GABION_ERROR_RUN || !strstr(second.text, strerror(EFBIG)) ||
        !left)
        return 1;
    for (int time = 0; time < 2; time++) {
        error = (struct gabion_error){0};
        history = history_open(folder, world, true, 0, left, &error);
        if (!history)
            return 2;
        history_close(history, &(char *){NULL}, &error);
    }
    memory_free(left);
    return 0;
}

static void test_rows_left(void **state) {
    (void)state;
    struct gabion_world *world = world_make();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(rows_left_child(world));
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
    char *text = text_now(); // no row is cut or joined with another one
    write_steps_at(world, 1, 20, 0);
    assert_text(text);
    memory_free(text);
    gabion_destroy(world);
}

static int group_setup(void **state) {
    (void)state;
    struct gabion_error error = {0};
    snprintf(folder, sizeof folder, "/tmp/test_history.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/history.csv", folder);
    team = team_create(1, NULL, &error);
    return team ? 0 : -1;
}

static int group_teardown(void **state) {
    (void)state;
    unlink(path);
    rmdir(folder);
    team_destroy(team);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row),          cmocka_unit_test(test_header_alone),
        cmocka_unit_test(test_resume),       cmocka_unit_test(test_resume_without_rows),
        cmocka_unit_test(test_foreign_file), cmocka_unit_test(test_other_probes),
        cmocka_unit_test(test_full_disk),    cmocka_unit_test(test_rows_at_once),
        cmocka_unit_test(test_not_a_number), cmocka_unit_test(test_rows_beside),
        cmocka_unit_test(test_rows_left),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
