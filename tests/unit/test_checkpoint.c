#include "engine/contact/contacts.h"
#include "tests/unit/checkpoint_world.h"
#include "tests/unit/contact_list.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "io/text/sha256.h"

static void round_trip(struct gabion_world *world) {
    struct gabion_error error = {0};
    write_good(world, 0);
    struct gabion_world *restored = read_back(path_of_step(world->step), &error);
    if (!restored)
        fail_msg("%s", error.text);
    assert_true(worlds_equal(world, restored));
    assert_true(reports_equal(world, restored));
    assert_true(gabion_state_hash(world) == gabion_state_hash(restored));
    assert_int_equal(restored->groups.count, world->groups.count);
    for (int k = 0; k < world->groups.count; k++)
        assert_string_equal(restored->groups.name[k], world->groups.name[k]);
    gabion_destroy(restored);
    gabion_destroy(world);
}

static void test_round_trip(void **state) {
    (void)state;
    folder_clear();
    round_trip(world_make(100, 7));
    round_trip(world_make(70000, 1234567890123)); // more than one block of rows
}

static void test_round_trip_empty(void **state) {
    (void)state;
    folder_clear();
    struct gabion_world *world = empty_world();
    assert_true(isnan(world->rest_since));
    round_trip(world);
}

// Rows that the history lacks are kept as they are.
static void test_rows(void **state) {
    (void)state;
    folder_clear();
    struct gabion_error error = {0};
    struct gabion_world *world = world_make(3, 7);
    write_good(world, 0);
    struct checkpoint *checkpoint = checkpoint_open(path_of_step(7), &error);
    assert_null(checkpoint_rows(checkpoint));
    checkpoint_close(checkpoint);
    struct checkpoint_note with_rows = note;
    with_rows.rows = "6,0.5\n7,1e-3\n";
    assert_true(checkpoint_write(folder, world, &with_rows, 0, &error));
    checkpoint = checkpoint_open(path_of_step(7), &error);
    char *rows = checkpoint_rows(checkpoint);
    assert_non_null(rows);
    assert_string_equal(rows, with_rows.rows);
    memory_free(rows);
    checkpoint_close(checkpoint);
    gabion_destroy(world);
}

static void test_describe(void **state) {
    (void)state;
    folder_clear();
    struct gabion_error error = {0};
    struct gabion_world *world = world_make(50, 2000);
    write_good(world, 0);
    struct checkpoint *checkpoint = checkpoint_open(path_of_step(2000), &error);
    assert_non_null(checkpoint);
    assert_int_equal(checkpoint_step(checkpoint), 2000);
    assert_string_equal(checkpoint_case(checkpoint), note.case_text);
    assert_string_equal(checkpoint_path(checkpoint), path_of_step(2000));
    assert_true(checkpoint_wall_time(checkpoint) == 12.5);
    char text[4096], hash[64], few[10];
    checkpoint_describe(checkpoint, text, sizeof text);
    snprintf(hash, sizeof hash, "\nstate-hash: %016" PRIx64 "\n", gabion_state_hash(world));
    const char *lines[] = {"\nstep: 2000\n",
                           "\ntime: 2\n",
                           "\nbodies: 48\n",
                           "\nblocks: 24\n",
                           "\ncontacts: 7\n",
                           "parent: checkpoint-0.h5\n",
                           hash};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
        if (!strstr(text, lines[k]))
            fail_msg("no '%s' in: %s", lines[k], text);
    checkpoint_describe(checkpoint, few, sizeof few);
    assert_int_equal(strlen(few), sizeof few - 1);
    checkpoint_close(checkpoint);
    world->step = world->run.steps = 0; // no step has counted the bodies
    world->report.bodies = 0;
    write_good(world, 0);
    checkpoint = checkpoint_open(path_of_step(0), &error);
    assert_non_null(checkpoint);
    checkpoint_describe(checkpoint, text, sizeof text);
    assert_non_null(strstr(text, "\nbodies: 48\n"));
    checkpoint_close(checkpoint);
    gabion_destroy(world);
}

static void test_truncated(void **state) {
    (void)state;
    folder_clear();
    struct gabion_world *world = world_make(40, 1);
    write_good(world, 0);
    gabion_destroy(world);
    size_t size;
    char *bytes = bytes_of(path_of_step(1), &size);
    for (size_t k = 0; k < 100; k++) {
        size_t length = k < 20 ? k * 40 : size - 1 - (size - 800) * (k - 20) / 80;
        bytes_write(path_of("cut.h5"), bytes, length);
        assert_rejected(path_of("cut.h5"), length < 80 ? "damaged" : "bytes of state");
    }
    memory_free(bytes);
}

static void test_flipped_bits(void **state) {
    (void)state;
    folder_clear();
    struct gabion_world *world = world_make(40, 1);
    write_good(world, 0);
    gabion_destroy(world);
    size_t size;
    char *bytes = bytes_of(path_of_step(1), &size);
    struct random_stream random = {5};
    for (size_t k = 0; k < 600; k++) {
        size_t place = k < 100 ? k : random_bits(&random) % size;
        bytes[place] ^= (char)(1 << k % 8);
        bytes_write(path_of("flip.h5"), bytes, size);
        assert_rejected(path_of("flip.h5"), "");
        bytes[place] ^= (char)(1 << k % 8);
    }
    memory_free(bytes);
}

static void test_not_a_checkpoint(void **state) {
    (void)state;
    folder_clear();
    assert_rejected(path_of("absent.h5"), "No such file");
    assert_rejected(folder, "not a file");
    bytes_write(path_of("empty.h5"), "", 0);
    assert_rejected(path_of("empty.h5"), "not a Gabion checkpoint");
    bytes_write(path_of("text.h5"), "hello\n", 6);
    assert_rejected(path_of("text.h5"), "not a Gabion checkpoint");
    // A good seal around what is not HDF5.
    struct gabion_error error = {0};
    char zeros[4096] = {0};
    bytes_write(path_of("zeros.h5"), zeros, sizeof zeros);
    assert_true(seal_write(path_of("zeros.h5"), &checkpoint_kind, &error));
    assert_rejected(path_of("zeros.h5"), "cannot read");
}

static void test_other_formats(void **state) {
    (void)state;
    folder_clear();
    struct gabion_world *world = world_make(10, 1);
    write_good(world, 0);
    gabion_destroy(world);
    size_t size;
    char *bytes = bytes_of(path_of_step(1), &size);
    char *version = strstr(bytes, " 5.2 ");
    assert_non_null(version);
    version[1] = '7';
    bytes_write(path_of("newer.h5"), bytes, size);
    assert_rejected(path_of("newer.h5"), "format 7.2 is newer");
    version[1] = '1';
    bytes_write(path_of("older.h5"), bytes, size);
    assert_rejected(path_of("older.h5"), "format 1.2 is of an earlier version");
    memory_free(bytes);
}

// ---- folders ----

static void write_steps(int64_t first, int64_t last, int keep) {
    for (int64_t step = first; step <= last; step++) {
        struct gabion_world *world = world_make(10, step);
        write_good(world, keep);
        gabion_destroy(world);
    }
}

static void test_newest(void **state) {
    (void)state;
    folder_clear();
    struct gabion_error error = {0};
    char remarks[1024];
    assert_null(checkpoint_open_newest(folder, remarks, sizeof remarks, &error));
    assert_non_null(strstr(error.text, "no checkpoint"));
    error = (struct gabion_error){0};
    assert_null(checkpoint_open_newest("/nonexistent", remarks, sizeof remarks, &error));
    assert_int_equal(error.status, GABION_ERROR_INPUT);

    error = (struct gabion_error){0};
    write_steps(1, 4, 0);
    assert_int_equal(truncate(path_of_step(4), 3000), 0);
    assert_int_equal(truncate(path_of_step(3), 0), 0);
    struct checkpoint *checkpoint = checkpoint_open_newest(folder, remarks, sizeof remarks, &error);
    assert_non_null(checkpoint);
    assert_int_equal(checkpoint_step(checkpoint), 2);
    assert_non_null(strstr(remarks, path_of_step(4)));
    assert_non_null(strstr(remarks, path_of_step(3)));
    assert_int_equal(error.status, GABION_OK);
    checkpoint_close(checkpoint);

    for (int64_t step = 1; step <= 2; step++)
        assert_int_equal(truncate(path_of_step(step), 100), 0);
    assert_null(checkpoint_open_newest(folder, remarks, sizeof remarks, &error));
    assert_non_null(strstr(error.text, "none of 4"));
}

struct newest {
    char remarks[1024];
    struct gabion_error error;
    struct checkpoint *found;
};

static void find_newest(void *context) {
    struct newest *newest = context;
    newest->found =
        checkpoint_open_newest(folder, newest->remarks, sizeof newest->remarks, &newest->error);
}

// A lack of memory at any allocation is no reason to go on from an older checkpoint.
static void test_newest_without_memory(void **state) {
    (void)state;
    folder_clear();
    write_steps(1, 2, 0);
    int64_t failures = 0;
    for (bool failed = true; failed; failures += failed) {
        struct newest newest = {.remarks = ""};
        struct gabion_error error = {0};
        memory_fail_after(failures);
        bool ended = memory_try(NULL, find_newest, &newest, &error);
        memory_fail_after(-1);
        failed = !ended || !newest.found;
        assert_string_equal(newest.remarks, "");
        if (failed)
            assert_int_equal(ended ? newest.error.status : error.status, GABION_ERROR_MEMORY);
        else
            assert_int_equal(checkpoint_step(newest.found), 2);
        checkpoint_close(newest.found);
    }
    assert_true(failures >= 3);
}

static void assert_not_passed_over(const char *text) {
    struct newest newest = {.remarks = ""};
    find_newest(&newest);
    assert_null(newest.found);
    assert_non_null(strstr(newest.error.text, text));
    assert_non_null(strstr(newest.error.text, "not damaged"));
}

// The newest file is of another version or cannot be read: it may be good.
static void test_newest_unreadable(void **state) {
    (void)state;
    folder_clear();
    write_steps(1, 2, 0);
    size_t size;
    char *bytes = bytes_of(path_of_step(2), &size);
    strstr(bytes, " 5.2 ")[1] = '7';
    bytes_write(path_of_step(2), bytes, size);
    memory_free(bytes);
    assert_not_passed_over("newer");
    assert_int_equal(unlink(path_of_step(2)), 0);
    assert_int_equal(mkdir(path_of_step(2), 0777), 0);
    assert_not_passed_over("not a file");
    assert_int_equal(rmdir(path_of_step(2)), 0);
}

static void test_set_aside(void **state) {
    (void)state;
    folder_clear();
    struct gabion_error error = {0};
    write_steps(1, 4, 0);
    assert_int_equal(truncate(path_of_step(3), 700), 0);
    assert_int_equal(truncate(path_of_step(4), 0), 0);
    bytes_write(path_of("checkpoint-000000004.h5.damaged"), "mine", 4);
    assert_true(checkpoint_set_aside(folder, 2, &error));
    assert_false(file_exists(path_of_step(3)) || file_exists(path_of_step(4)));
    assert_true(file_exists(path_of("checkpoint-000000003.h5.damaged")));
    assert_true(file_exists(path_of("checkpoint-000000004.h5.damaged-2")));
    size_t size;
    char *bytes = bytes_of(path_of("checkpoint-000000004.h5.damaged"), &size);
    assert_int_equal(size, 4);
    memory_free(bytes);
    // What is good is left alone.
    assert_false(checkpoint_set_aside(folder, 1, &error));
    assert_non_null(strstr(error.text, path_of_step(2)));
    assert_true(file_exists(path_of_step(2)));
}

static void test_keep(void **state) {
    (void)state;
    folder_clear();
    const char *others[] = {"checkpoint-12.h5", "checkpoint-000000001.h5.bak",
                            "checkpoint-00000000x.h5", "my-checkpoint-000000001.h5", "notes.txt"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        bytes_write(path_of(others[k]), "mine", 4);
    write_steps(1, 3, 0);
    for (int64_t step = 1; step <= 3; step++)
        assert_true(file_exists(path_of_step(step)));
    write_steps(4, 6, 2);
    for (int64_t step = 1; step <= 6; step++)
        assert_int_equal(file_exists(path_of_step(step)), step >= 5);
    // A run that was taken up again before its newest files.
    write_steps(2, 2, 2);
    assert_true(file_exists(path_of_step(2)) && file_exists(path_of_step(5)));
    assert_false(file_exists(path_of_step(6)));
    write_steps(3, 3, 1);
    assert_true(file_exists(path_of_step(3)));
    assert_false(file_exists(path_of_step(2)) || file_exists(path_of_step(5)));
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        assert_true(file_exists(path_of(others[k])));
}

static void test_stale_temporary(void **state) {
    (void)state;
    folder_clear();
    struct gabion_error error = {0};
    char *noise = memory_allocate(1 << 20, 1, "noise");
    memset(noise, 0x5a, 1 << 20);
    bytes_write(path_of(CHECKPOINT_TEMPORARY), noise, 1 << 20);
    memory_free(noise);
    write_steps(1, 1, 0);
    assert_false(file_exists(path_of(CHECKPOINT_TEMPORARY)));
    struct stat status;
    assert_int_equal(stat(path_of_step(1), &status), 0);
    assert_true(status.st_size < 1 << 20);
    struct gabion_world *world = read_back(path_of_step(1), &error);
    assert_non_null(world);
    gabion_destroy(world);
}

static void test_no_folder(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct gabion_world *world = world_make(10, 1);
    assert_false(checkpoint_write("/nonexistent/folder", world, &note, 0, &error));
    assert_int_equal(error.status, GABION_ERROR_RUN);
    assert_non_null(strstr(error.text, "/nonexistent/folder"));
    assert_non_null(strstr(error.text, "No such file"));
    gabion_destroy(world);
}

// ---- accidents ----

static void test_kill(void **state) {
    (void)state;
    folder_clear();
    struct random_stream random = {11};
    struct gabion_world *world = world_make(20000, 1);
    write_good(world, 2);
    for (int trial = 0; trial < 10; trial++) {
        int64_t first = world->step;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            struct gabion_error error = {0};
            for (;;) {
                world->step++;
                checkpoint_write(folder, world, &note, 2, &error);
            }
        }
        usleep((useconds_t)(20000 + random_bits(&random) % 60000));
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        struct gabion_error error = {0};
        char remarks[1024];
        struct checkpoint *checkpoint =
            checkpoint_open_newest(folder, remarks, sizeof remarks, &error);
        if (!checkpoint)
            fail_msg("%s", error.text);
        assert_string_equal(remarks, "");
        assert_true(checkpoint_step(checkpoint) >= first);
        world->step = checkpoint_step(checkpoint);
        struct gabion_world *restored = empty_world();
        assert_true(checkpoint_restore(checkpoint, restored, &error));
        assert_true(worlds_equal(world, restored));
        gabion_destroy(restored);
        checkpoint_close(checkpoint);
    }
    gabion_destroy(world);
}

// In a child with a limit on file sizes: 0 if all was as it should be, else the number of a check.
static int full_disk_child(struct gabion_world *world, rlim_t limit) {
    struct rlimit old, small;
    struct gabion_error error = {0};
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = limit;
    setrlimit(RLIMIT_FSIZE, &small);
    world->step = 2;
    if (checkpoint_write(folder, world, &note, 1, &error))
        return 1;
    if (error.status != GABION_ERROR_RUN || !strstr(error.text, folder) ||
        !strstr(error.text, strerror(EFBIG)))
        return 2;
    if (file_exists(path_of(CHECKPOINT_TEMPORARY)) || file_exists(path_of_step(2)))
        return 3;
    // There is room again: the run goes on.
    setrlimit(RLIMIT_FSIZE, &old);
    struct gabion_error again = {0};
    world->step = 3;
    if (!checkpoint_write(folder, world, &note, 0, &again))
        return 4;
    struct gabion_world *restored = read_back(path_of_step(3), &again);
    if (!restored || !worlds_equal(world, restored))
        return 5;
    gabion_destroy(restored);
    return 0;
}

static void test_full_disk(void **state) {
    (void)state;
    folder_clear();
    struct gabion_world *world = world_make(2000, 1);
    write_good(world, 0);
    struct stat status;
    assert_int_equal(stat(path_of_step(1), &status), 0);
    for (int k = 0; k < 24; k++) {
        rlim_t limit =
            k < 4 ? (rlim_t)k * 400 : (rlim_t)(status.st_size - 1) * (rlim_t)(k - 3) / 20;
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            exit(full_disk_child(world, limit)); // exit: HDF5 tidies up here, too
        int result;
        assert_int_equal(waitpid(child, &result, 0), child);
        if (!WIFEXITED(result) || WEXITSTATUS(result) != 0)
            fail_msg("limit %ld: %s %d", (long)limit,
                     WIFEXITED(result) ? "check" : "ended by signal",
                     WIFEXITED(result) ? WEXITSTATUS(result) : WTERMSIG(result));
        struct gabion_error error = {0};
        struct gabion_world *restored = read_back(path_of_step(1), &error);
        world->step = 1;
        assert_true(restored && worlds_equal(world, restored));
        gabion_destroy(restored);
    }
    gabion_destroy(world);
}

// ---- frames and the hash of the case ----

static void read_rows(const char *path, const char *name, hid_t type, void *values) {
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(dataset);
    H5Fclose(file);
}

static void test_frame(void **state) {
    (void)state;
    folder_clear();
    struct gabion_error error = {0};
    struct gabion_world *world = world_make(12, 42);
    struct contact sticking = {
        .c = 0, .a = 3, .status = CONTACT_STICK, .gap = 0.25, .normal = {0, 0, 1}};
    struct contact slipping = {
        .c = 2, .a = 11, .status = CONTACT_SLIP, .gap = -0.5, .normal = {0, 1, 0}};
    contact_list_add(world, sticking, vec3_make(1, 2, 3));
    contact_list_add(world, slipping, vec3_make(4, 5, 6));
    if (!frame_write(folder, world, &error))
        fail_msg("%s", error.text);
    char path[512];
    snprintf(path, sizeof path, "%s", path_of("frames/frame-000000042.h5"));
    vec3 position[12], impulse[2];
    int first[2], second[2];
    double gap[2];
    unsigned char status[2];
    read_rows(path, "bodies/position", H5T_NATIVE_DOUBLE, position);
    read_rows(path, "contacts/candidate", H5T_NATIVE_INT, first);
    read_rows(path, "contacts/antagonist", H5T_NATIVE_INT, second);
    read_rows(path, "contacts/gap", H5T_NATIVE_DOUBLE, gap);
    read_rows(path, "contacts/impulse", H5T_NATIVE_DOUBLE, impulse);
    read_rows(path, "contacts/status", H5T_NATIVE_UCHAR, status);
    assert_memory_equal(position, world->bodies.x, sizeof position);
    assert_int_equal(first[1], world->bodies.id[2]);
    assert_int_equal(second[1], world->bodies.id[11]);
    assert_true(gap[1] == -0.5 && impulse[1].z == 6 && impulse[0].x == 1);
    assert_int_equal(status[0], CONTACT_STICK);
    assert_int_equal(status[1], CONTACT_SLIP);
    const struct polyhedron *box = world->bodies.polyhedra[0], *prism = world->bodies.polyhedra[1];
    vec3 corner[14];
    read_rows(path, "polyhedra/corner", H5T_NATIVE_DOUBLE, corner);
    assert_memory_equal(corner, box->corner, 8 * sizeof *corner);
    assert_memory_equal(corner + 8, prism->corner, 6 * sizeof *corner);
    assert_false(file_exists(path_of("frames/frame.h5.tmp")));
    world->contacts->count = 0; // a frame without contacts is a frame too
    assert_true(frame_write(folder, world, &error));
    unlink(path);
    rmdir(path_of("frames"));
    gabion_destroy(world);
}

static void test_sha256(void **state) {
    (void)state;
    char text[SHA256_TEXT_SIZE], long_text[120];
    sha256_text("", 0, text);
    assert_string_equal(text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256_text("abc", 3, text);
    assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    memset(long_text, 'a', sizeof long_text);
    sha256_text(long_text, 119, text); // the length needs a block of its own
    assert_string_equal(text, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_round_trip_empty),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_flipped_bits),
        cmocka_unit_test(test_not_a_checkpoint),
        cmocka_unit_test(test_other_formats),
        cmocka_unit_test(test_newest),
        cmocka_unit_test(test_newest_without_memory),
        cmocka_unit_test(test_newest_unreadable),
        cmocka_unit_test(test_set_aside),
        cmocka_unit_test(test_keep),
        cmocka_unit_test(test_stale_temporary),
        cmocka_unit_test(test_no_folder),
        cmocka_unit_test(test_kill),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_frame),
        cmocka_unit_test(test_sha256),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
