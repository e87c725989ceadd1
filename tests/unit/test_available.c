// How much memory is left: of the machine, of control groups of both versions, and of the limits of
// a process. A process of its own, because it limits itself.
#include "tests/unit/fake_root.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parallel/available.h"
#include "parallel/memory.h"
#include "parallel/ranks.h"

static char root[] = "/tmp/test_available.XXXXXX";

static int make_root(void **state) {
    (void)state;
    strcpy(root + sizeof root - 7, "XXXXXX");
    assert_non_null(mkdtemp(root));
    folder_make(root, "/proc/self");
    return 0;
}

static int remove_root(void **state) {
    (void)state;
    folder_remove(root);
    return 0;
}

// What the machine and its groups leave is shared by the ranks on it (tests/cli/test_ranks.sh).
static void assert_left(double of_all) {
    double left = available_memory(root), expected = of_all / ranks_on_machine();
    if (!(left == expected))
        fail_msg("%.17g bytes, expected %.17g", left, expected);
}

static void test_machine(void **state) {
    (void)state;
    assert_left(0); // no /proc/meminfo: nobody says
    file_write(root, "/proc/meminfo",
               "MemTotal:       16000000 kB\nMemFree:         100 kB\nMemAvailable:    3000 kB\n"
               "SwapTotal:      5000 kB\nSwapFree:        1000 kB\nHugePages_Total:       0\n");
    assert_left(4000 * 1024.0);
    file_write(root, "/proc/meminfo", "MemAvailable: nonsense\n");
    assert_left(0);
}

// A group above limits too, and caches of files can be taken back.
static void test_version_2(void **state) {
    (void)state;
    folder_make(root, "/group/user/run");
    file_write(root, "/proc/meminfo", "MemAvailable: 1000000 kB\n");
    file_write(root, "/proc/self/mountinfo", "35 24 0:30 / /group rw - cgroup2 cgroup2 rw\n");
    file_write(root, "/proc/self/cgroup", "0::/user/run\n");
    assert_left(1024e6);
    file_write(root, "/group/user/run/memory.max", "max\n");
    file_write(root, "/group/user/run/memory.current", "5000\n");
    assert_left(1024e6);
    file_write(root, "/group/user/memory.max", "100000\n");
    file_write(root, "/group/user/memory.current", "40000\n");
    assert_left(60000);
    file_write(root, "/group/user/memory.stat", "anon 30000\ninactive_file 7000\nfile 9000\n");
    assert_left(67000);
    file_write(root, "/group/user/run/memory.max", "20000\n");
    assert_left(15000);
    file_write(root, "/group/user/run/memory.current", "30000\n");
    assert_left(1); // nothing, but a limit all the same
    file_write(root, "/proc/meminfo", "MemAvailable: 0 kB\n");
    file_write(root, "/group/user/run/memory.current", "10000\n");
    assert_left(10000);
}

static void test_version_1(void **state) {
    (void)state;
    folder_make(root, "/group/memory/batch/job");
    file_write(root, "/proc/meminfo", "MemAvailable: 1000000 kB\n");
    file_write(root, "/proc/self/mountinfo",
               "33 31 0:30 / /group/cpu rw,relatime - cgroup cgroup rw,cpu\n"
               "32 31 0:29 / /group/memory rw,relatime - cgroup cgroup rw,memory\n");
    file_write(root, "/proc/self/cgroup", "3:cpu:/\n2:memory:/batch/job\n0::/\n");
    assert_left(1024e6);
    // What version 1 writes where there is no limit.
    file_write(root, "/group/memory/batch/job/memory.limit_in_bytes", "9223372036854771712\n");
    file_write(root, "/group/memory/batch/job/memory.usage_in_bytes", "7000\n");
    assert_left(1024e6);
    file_write(root, "/group/memory/batch/memory.limit_in_bytes", "90000\n");
    file_write(root, "/group/memory/batch/memory.usage_in_bytes", "50000\n");
    file_write(root, "/group/memory/batch/memory.stat", "cache 1\ntotal_inactive_file 2000\n");
    assert_left(42000);
}

// Runs a check in a process with a limit of its own; cmocka's failures do not reach this one.
static void check_limited(int resource, double limit, double expected) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit value = {(rlim_t)limit, (rlim_t)limit};
        bool good = setrlimit(resource, &value) == 0 && available_memory(root) == expected;
        _exit(good ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void test_limits_of_the_process(void **state) {
    (void)state;
    char text[128];
    double page = (double)sysconf(_SC_PAGESIZE), space = 0x1p46;
    file_write(root, "/proc/meminfo", "MemAvailable: 1000000000000 kB\n");
    snprintf(text, sizeof text, "1000 500 300 20 0 600 0\n");
    file_write(root, "/proc/self/statm", text);
    check_limited(RLIMIT_AS, space, space - 1000 * page);
    check_limited(RLIMIT_DATA, space, space - 600 * page);
    file_write(root, "/proc/meminfo", "MemAvailable: 2000 kB\n");
    check_limited(RLIMIT_AS, space, 2000 * 1024.0 / ranks_on_machine());
    file_write(root, "/proc/self/statm", "99999999999999 0 0 0 0 0 0\n");
    check_limited(RLIMIT_AS, space, 1);
}

// A world of bodies that no machine holds, and one that every machine does.
static void test_memory_check(void **state) {
    (void)state;
    struct gabion_error error = {0};
    assert_true(memory_check(1000, "a grain", &error));
    assert_false(memory_check(7.4e15, "the wall", &error));
    assert_int_equal(error.status, GABION_ERROR_MEMORY);
    assert_non_null(strstr(error.text, "the wall needs about 7.4 PB of memory, and "));
    assert_non_null(strstr(error.text, "B are available"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_machine, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_version_2, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_version_1, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_limits_of_the_process, make_root, remove_root),
        cmocka_unit_test(test_memory_check),
    };
    ranks_begin();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed > 0)
        ranks_abort("a test failed");
    return ranks_end(0);
}
