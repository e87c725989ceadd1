// Files that are either whole or absent.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/file/file.h"
#include "io/file/folder.h"
#include "parallel/memory.h"

static char folder[64];

static char *in_folder(const char *name) {
    static char path[4][256];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void expect_text(const char *path, const char *text) {
    struct gabion_error error = {0};
    size_t size;
    char *whole = file_read(path, 1000000, &size, &error);
    assert_non_null(whole);
    assert_int_equal(size, strlen(text));
    assert_string_equal(whole, text);
    memory_free(whole);
}

static bool is_there(const char *path) {
    struct stat about;
    return lstat(path, &about) == 0;
}

static void unsynced_commit_replaces_the_old_file(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct safe_file file;
    const char *path = in_folder("unsynced");
    write_text(path, "old");
    assert_true(safe_file_open(&file, path, &error));
    fputs("new", file.stream);
    expect_text(path, "old");
    assert_true(safe_file_commit_unsynced(&file, &error));
    expect_text(path, "new");
    assert_false(is_there(in_folder("unsynced.tmp")));
    assert_true(file_sync_all(folder, &error));
    assert_false(file_sync_all(in_folder("nowhere"), &error));
    assert_int_equal(error.status, GABION_ERROR_RUN);
    assert_non_null(strstr(error.text, "nowhere"));
}

static void commit_replaces_the_old_file(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct safe_file file;
    const char *path = in_folder("a");
    write_text(path, "old");
    assert_true(safe_file_open(&file, path, &error));
    fputs("new", file.stream);
    expect_text(path, "old");
    assert_true(safe_file_commit(&file, &error));
    expect_text(path, "new");
    assert_false(is_there(file.temporary));
}

static void abandon_keeps_the_old_file(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct safe_file file;
    const char *path = in_folder("a");
    write_text(path, "old");
    assert_true(safe_file_open(&file, path, &error));
    fputs("new", file.stream);
    safe_file_abandon(&file);
    expect_text(path, "old");
    assert_false(is_there(file.temporary));
}

// More than a stream buffers: the write fails before the commit, and nobody looks at its result.
static void commit_finds_the_disk_full(void **state) {
    (void)state;
    for (int bytes = 1; bytes < 1000000; bytes += 500000) {
        struct gabion_error error = {0};
        struct safe_file file;
        const char *path = in_folder("a");
        write_text(path, "old");
        assert_int_equal(symlink("/dev/full", in_folder("a.tmp")), 0);
        assert_true(safe_file_open(&file, path, &error));
        for (int k = 0; k < bytes; k++)
            fputc('x', file.stream);
        assert_false(safe_file_commit(&file, &error));
        assert_int_equal(error.status, GABION_ERROR_RUN);
        assert_non_null(strstr(error.text, path));
        assert_false(is_there(in_folder("a.tmp")));
        expect_text(path, "old");
    }
}

static void open_names_the_file(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct safe_file file;
    assert_false(safe_file_open(&file, in_folder("missing/a"), &error));
    assert_non_null(strstr(error.text, "missing/a"));

    char *path = memory_allocate(5000, 1, "test");
    memset(path, 'a', 4999);
    error.status = GABION_OK;
    assert_false(safe_file_open(&file, path, &error));
    assert_non_null(strstr(error.text, "too long"));
    memory_free(path);
}

static void publish_renames(void **state) {
    (void)state;
    struct gabion_error error = {0};
    write_text(in_folder("b.tmp"), "text");
    assert_true(file_publish(in_folder("b.tmp"), in_folder("b"), &error));
    expect_text(in_folder("b"), "text");
    assert_false(is_there(in_folder("b.tmp")));
    assert_false(file_publish(in_folder("b.tmp"), in_folder("c"), &error));
    assert_int_equal(error.status, GABION_ERROR_RUN);
}

static void read_rejects_folders_and_large_files(void **state) {
    (void)state;
    struct gabion_error error = {0};
    write_text(in_folder("a"), "12345");
    expect_text(in_folder("a"), "12345");
    char *whole = file_read(in_folder("a"), 5, NULL, &error);
    assert_non_null(whole);
    memory_free(whole);
    assert_null(file_read(in_folder("a"), 4, NULL, &error));
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    assert_non_null(strstr(error.text, "at most 4"));

    error.status = GABION_OK;
    assert_null(file_read(folder, 1000, NULL, &error));
    assert_non_null(strstr(error.text, "is a folder"));
    error.status = GABION_OK;
    assert_null(file_read(in_folder("missing"), 1000, NULL, &error));
    assert_non_null(strstr(error.text, "No such file"));
}

// Without a size of their own and without an end; opening the pipe would wait for a writer.
static void read_rejects_pipes_and_devices(void **state) {
    (void)state;
    char link[4096];
    struct gabion_error error = {0};
    assert_null(file_read("/dev/zero", 100000, NULL, &error));
    assert_non_null(strstr(error.text, "/dev/zero is a pipe or a device"));
    assert_int_equal(mkfifo(in_folder("pipe"), 0666), 0);
    snprintf(link, sizeof link, "%s", in_folder("link"));
    assert_int_equal(symlink("pipe", link), 0);
    error = (struct gabion_error){0};
    alarm(60); // it would wait for ever
    assert_null(file_read(link, 100000, NULL, &error));
    alarm(0);
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    assert_non_null(strstr(error.text, "is a pipe or a device"));
    unlink(link);
    unlink(in_folder("pipe"));
}

static void directories_come_with_parents(void **state) {
    (void)state;
    struct gabion_error error = {0};
    assert_true(file_make_directory(in_folder("x/y//z/"), &error));
    assert_true(file_exists(in_folder("x/y/z")));
    assert_true(file_make_directory(in_folder("x/y/z"), &error));
    assert_true(file_make_directory("/", &error));
    write_text(in_folder("x/file"), "");
    assert_false(file_make_directory(in_folder("x/file"), &error));
    assert_non_null(strstr(error.text, "x/file"));
    error.status = GABION_OK;
    assert_false(file_make_directory(in_folder("x/file/below"), &error));
    assert_int_equal(error.status, GABION_ERROR_RUN);
}

static void what_cannot_be_asked_for_may_exist(void **state) {
    (void)state;
    assert_int_equal(symlink("circle", in_folder("circle")), 0);
    assert_true(file_exists(in_folder("circle")));
    assert_false(file_exists(in_folder("missing")));
    write_text(in_folder("file"), "");
    assert_false(file_exists(in_folder("file/below")));
}

// Lets the program open so many files more; returns the limit before.
static struct rlimit limit_files(int more) {
    struct rlimit before, limit;
    int next = open("/dev/null", O_RDONLY);
    assert_true(next >= 0);
    close(next);
    getrlimit(RLIMIT_NOFILE, &before);
    limit = before;
    limit.rlim_cur = (rlim_t)(next + more);
    setrlimit(RLIMIT_NOFILE, &limit);
    return before;
}

static void a_folder_that_cannot_be_listed_is_not_claimed(void **state) {
    (void)state;
    int lock = FOLDER_NO_LOCK;
    write_text(in_folder("history.csv"), "of another run");
    for (int more = 0; more < 2; more++) {
        struct gabion_error error = {0};
        struct rlimit before = limit_files(more);
        bool claimed = folder_claim(folder, NULL, false, &lock, &error);
        setrlimit(RLIMIT_NOFILE, &before);
        folder_unlock(lock);
        assert_false(claimed);
        assert_int_equal(error.status, GABION_ERROR_INPUT);
        assert_non_null(strstr(error.text, "cannot see what folder"));
        assert_non_null(strstr(error.text, "Too many open files"));
    }
    struct gabion_error error = {0};
    assert_false(folder_claim(folder, NULL, false, &lock, &error));
    folder_unlock(lock);
    assert_non_null(strstr(error.text, "holds the results of another run"));
    expect_text(in_folder("history.csv"), "of another run");
}

static int folder_make(void **state) {
    (void)state;
    strcpy(folder, "/tmp/gabion_test_file_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int folder_remove(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(unsynced_commit_replaces_the_old_file),
        TEST(commit_replaces_the_old_file),
        TEST(abandon_keeps_the_old_file),
        TEST(commit_finds_the_disk_full),
        TEST(open_names_the_file),
        TEST(publish_renames),
        TEST(read_rejects_folders_and_large_files),
        TEST(read_rejects_pipes_and_devices),
        TEST(what_cannot_be_asked_for_may_exist),
        TEST(a_folder_that_cannot_be_listed_is_not_claimed),
        TEST(directories_come_with_parents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
