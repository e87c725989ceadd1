// Topology, CPU quota and pinning. A process of its own: it changes its environment and masks.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <hwloc.h>

#include "parallel/cgroup.h"
#include "parallel/team.h"
#include "parallel/topology.h"
#include "tests/unit/fake_root.h"

static const char *program;

static struct topology *load(void) {
    struct gabion_error error = {0};
    struct topology *topology = topology_load(&error);
    assert_non_null(topology);
    return topology;
}

static int limited(int cores, double quota) {
    if (quota > 0 && quota < cores)
        cores = (int)quota;
    return cores > 1 ? cores : 1;
}

static void test_synthetic_machine(void **state) {
    (void)state;
    setenv("HWLOC_SYNTHETIC", "pack:2 numa:1 l3:1 core:8 pu:2", 1);
    struct topology *topology = load();
    assert_int_equal(topology_packages(topology), 2);
    assert_int_equal(topology_numa_nodes(topology), 2);
    assert_int_equal(topology_cores(topology), 16);
    assert_int_equal(topology_allowed_cores(topology), 16);
    assert_int_equal(topology_default_threads(topology), limited(16, topology_cpu_quota(topology)));
    assert_false(topology_pin(topology, 0)); // another machine's core
    assert_false(topology_unpin(topology));

    char text[1024];
    topology_describe(topology, text, sizeof text);
    assert_non_null(strstr(text, "packages: 2\nnuma-nodes: 2\ncores: 16\nhardware-threads: 32\n"));
    assert_non_null(strstr(text, "\nl3-cache: 2 x "));
    assert_non_null(strstr(text, "\nallowed-cores: 16\n"));
    char cut[20];
    topology_describe(topology, cut, sizeof cut);
    assert_memory_equal(cut, text, sizeof cut - 1);
    assert_int_equal(cut[sizeof cut - 1], 0);

    // More threads than cores run all the same, and a warning goes to the log.
    struct gabion_error error = {0};
    struct team *team = team_create(17, topology, &error);
    assert_non_null(team);
    assert_int_equal(team_size(team), 17);
    if (strstr(text, "pinning: one core per thread"))
        assert_non_null(strstr(team_note(team), "17 threads on 16 allowed cores"));
    team_destroy(team);
    topology_free(topology);
    unsetenv("HWLOC_SYNTHETIC");
}

static void test_machine_without_cores(void **state) {
    (void)state;
    setenv("HWLOC_SYNTHETIC", "pack:1 pu:4", 1);
    struct topology *topology = load();
    assert_int_equal(topology_cores(topology), 4);
    assert_int_equal(topology_allowed_cores(topology), 4);
    topology_free(topology);
    unsetenv("HWLOC_SYNTHETIC");
}

static void assert_quota(const char *root, double expected) {
    double quota = cgroup_cpu_quota(root);
    assert_true(quota > expected - 1e-9 && quota < expected + 1e-9);
}

// A system with the hybrid layout: version 1 for the processor, an empty version 2 beside it.
static void test_quota_version_1(void **state) {
    (void)state;
    char root[] = "/tmp/test_topology.XXXXXX";
    assert_non_null(mkdtemp(root));
    assert_quota(root, 0); // no /proc at all
    folder_make(root, "/proc/self");
    folder_make(root, "/group/cpu/batch/job");
    file_write(root, "/proc/self/mountinfo",
               "31 23 0:28 / /group rw - tmpfs tmpfs rw,mode=755\n"
               "33 31 0:30 / /group/cpuset rw,relatime - cgroup cgroup rw,cpuset\n"
               "32 31 0:29 / /group/cpu rw,relatime shared:5 - cgroup cgroup rw,cpuacct,cpu\n");
    file_write(root, "/proc/self/cgroup", "3:cpuset:/\n2:cpuacct,cpu:/batch/job\n0::/\n");
    assert_quota(root, 0);
    file_write(root, "/group/cpu/batch/job/cpu.cfs_quota_us", "-1\n");
    file_write(root, "/group/cpu/batch/job/cpu.cfs_period_us", "100000\n");
    assert_quota(root, 0);
    file_write(root, "/group/cpu/batch/cpu.cfs_quota_us", "350000\n");
    file_write(root, "/group/cpu/batch/cpu.cfs_period_us", "100000\n");
    assert_quota(root, 3.5); // a group above limits too
    file_write(root, "/group/cpu/batch/job/cpu.cfs_quota_us", "150000\n");
    assert_quota(root, 1.5);
    // Inside a container its group is the mount point, while /proc gives the machine's path.
    file_write(root, "/proc/self/mountinfo",
               "32 31 0:29 /docker/1f /group/cpu/batch rw - cgroup cgroup rw,cpu\n");
    file_write(root, "/proc/self/cgroup", "2:cpu:/docker/1f\n");
    assert_quota(root, 3.5);
    file_write(root, "/proc/self/cgroup", "2:cpu:/docker/1f/job\n");
    assert_quota(root, 1.5);
    folder_remove(root);
}

static void test_quota_version_2(void **state) {
    (void)state;
    char root[] = "/tmp/test_topology.XXXXXX";
    assert_non_null(mkdtemp(root));
    folder_make(root, "/proc/self");
    folder_make(root, "/group/user/run");
    file_write(root, "/proc/self/mountinfo", "35 24 0:30 / /group rw - cgroup2 cgroup2 rw\n");
    file_write(root, "/proc/self/cgroup", "0::/user/run\n");
    assert_quota(root, 0);
    file_write(root, "/group/user/run/cpu.max", "max 100000\n");
    assert_quota(root, 0);
    file_write(root, "/group/user/cpu.max", "400000 100000\n");
    assert_quota(root, 4);
    file_write(root, "/group/user/run/cpu.max", "25000 50000\n");
    assert_quota(root, 0.5);
    file_write(root, "/group/user/run/cpu.max", "not a number\n");
    assert_quota(root, 4);
    file_write(root, "/proc/self/cgroup", "0::/gone\nnonsense\n");
    assert_quota(root, 0);
    folder_remove(root);
}

// Runs this program as `--count` behind `prefix` and returns the allowed cores it prints.
static int count_behind(const char *prefix) {
    char command[1200];
    snprintf(command, sizeof command, "%s '%s' --count", prefix, program);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    int cores = -1;
    int read = fscanf(pipe, "%d", &cores);
    assert_int_equal(pclose(pipe), 0);
    assert_int_equal(read, 1);
    return cores;
}

static int count_print(void) {
    struct gabion_error error = {0};
    struct topology *topology = topology_load(&error);
    if (topology == NULL)
        return 1;
    printf("%d\n", topology_allowed_cores(topology));
    topology_free(topology);
    return 0;
}

// False when the caller's environment has placed the threads already.
static bool machine_is_plain(const struct topology *topology) {
    char text[1024];
    topology_describe(topology, text, sizeof text);
    return strstr(text, "pinning: one core per thread") != NULL;
}

static void test_masks_from_outside(void **state) {
    (void)state;
    struct topology *topology = load();
    bool plain = machine_is_plain(topology);
    int allowed = topology_allowed_cores(topology);
    assert_in_range(allowed, 1, topology_cores(topology));
    topology_free(topology);
    if (!plain)
        skip();
    // Bound before main to its first place, the process must still count them all.
    assert_int_equal(count_behind("OMP_PROC_BIND=true"), allowed);
    assert_int_equal(count_behind("OMP_PLACES=cores"), allowed);

    hwloc_topology_t hwloc;
    hwloc_bitmap_t mask = hwloc_bitmap_alloc();
    assert_int_equal(hwloc_topology_init(&hwloc), 0);
    assert_int_equal(hwloc_topology_load(hwloc), 0);
    assert_int_equal(hwloc_get_cpubind(hwloc, mask, HWLOC_CPUBIND_THREAD), 0);
    char taskset[64];
    snprintf(taskset, sizeof taskset, "taskset -c %d", hwloc_bitmap_last(mask));
    assert_int_equal(count_behind(taskset), 1);
    hwloc_bitmap_free(mask);
    hwloc_topology_destroy(hwloc);
}

struct masks {
    hwloc_topology_t hwloc;
    hwloc_bitmap_t mask[64];
};

static void mask_read(void *context, int thread, int threads) {
    (void)threads;
    struct masks *masks = context;
    hwloc_get_cpubind(masks->hwloc, masks->mask[thread], HWLOC_CPUBIND_THREAD);
}

static void assert_all_apart(const struct team *team, const struct masks *masks) {
    for (int a = 0; a < team_size(team); a++) {
        assert_false(hwloc_bitmap_iszero(masks->mask[a]));
        for (int b = 0; b < a; b++)
            assert_false(hwloc_bitmap_intersects(masks->mask[a], masks->mask[b]));
    }
}

struct fresh_run {
    struct team *team;
    struct masks *masks;
};

static void *fresh_run(void *context) {
    struct fresh_run *run = context;
    team_run(run->team, 0, mask_read, run->masks);
    return NULL;
}

// OpenMP gives a new thread of the program new workers. Like workers that were ended and started
// again they inherit one core from the pinned main thread, and must be pinned at their first
// region.
static void run_on_new_workers(struct team *team, struct masks *masks) {
    struct fresh_run run = {team, masks};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fresh_run, &run), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

// Ranks that start with the same cores get parts that do not overlap and leave nothing over.
static void test_division(void **state) {
    (void)state;
    setenv("HWLOC_SYNTHETIC", "pack:2 numa:1 l3:1 core:8 pu:2", 1);
    for (int count = 1; count <= 20; count++) {
        int sum = 0;
        for (int before = 0; before < count; before++) {
            struct topology *topology = load();
            topology_divide(topology, before, count);
            int cores = topology_allowed_cores(topology);
            assert_in_range(cores, count > 16 ? 1 : 16 / count, count > 16 ? 1 : 16 / count + 1);
            assert_int_equal(topology_is_crowded(topology), count > 16);
            sum += cores;
            topology_free(topology);
        }
        assert_int_equal(sum, count > 16 ? count : 16);
    }
    unsetenv("HWLOC_SYNTHETIC");
}

// On this machine: the threads of two ranks' teams are on cores of their own.
static void test_divided_pinning(void **state) {
    (void)state;
    struct topology *first = load(), *second = load();
    int cores = topology_allowed_cores(first);
    if (!machine_is_plain(first) || cores < 2) {
        topology_free(first);
        topology_free(second);
        skip();
    }
    topology_divide(first, 0, 2);
    topology_divide(second, 1, 2);
    hwloc_topology_t hwloc;
    assert_int_equal(hwloc_topology_init(&hwloc), 0);
    assert_int_equal(hwloc_topology_load(hwloc), 0);
    hwloc_bitmap_t used = hwloc_bitmap_alloc(), mask = hwloc_bitmap_alloc();
    for (int rank = 0; rank < 2; rank++) {
        struct topology *topology = rank == 0 ? first : second;
        for (int k = 0; k < topology_allowed_cores(topology); k++) {
            assert_true(topology_pin(topology, k));
            hwloc_get_cpubind(hwloc, mask, HWLOC_CPUBIND_THREAD);
            assert_false(hwloc_bitmap_intersects(used, mask));
            hwloc_bitmap_or(used, used, mask);
        }
        assert_false(topology_pin(topology, topology_allowed_cores(topology)));
    }
    assert_true(topology_unpin(second));
    hwloc_get_cpubind(hwloc, mask, HWLOC_CPUBIND_THREAD);
    assert_true(hwloc_bitmap_isequal(mask, used));
    hwloc_bitmap_free(used);
    hwloc_bitmap_free(mask);
    hwloc_topology_destroy(hwloc);
    topology_free(first);
    topology_free(second);
}

static void test_pinning(void **state) {
    (void)state;
    struct topology *topology = load();
    int cores = topology_allowed_cores(topology);
    if (!machine_is_plain(topology) || cores < 2 || cores > 64) {
        topology_free(topology);
        skip();
    }
    struct masks masks;
    assert_int_equal(hwloc_topology_init(&masks.hwloc), 0);
    assert_int_equal(hwloc_topology_load(masks.hwloc), 0);
    for (int i = 0; i < 64; i++)
        masks.mask[i] = hwloc_bitmap_alloc();
    hwloc_bitmap_t before = hwloc_bitmap_alloc();
    assert_int_equal(hwloc_get_cpubind(masks.hwloc, before, HWLOC_CPUBIND_THREAD), 0);

    struct gabion_error error = {0};
    struct team *team = team_create(cores, topology, &error);
    team_run(team, 0, mask_read, &masks);
    assert_all_apart(team, &masks);
    run_on_new_workers(team, &masks);
    assert_all_apart(team, &masks);
    team_destroy(team);

    // Everyone has the start mask again, and a team that does not fill the cores keeps it.
    team = team_create(cores - 1, topology, &error);
    team_run(team, 0, mask_read, &masks);
    for (int thread = 0; thread < team_size(team); thread++)
        assert_true(hwloc_bitmap_isequal(masks.mask[thread], before));
    team_destroy(team);

    assert_true(topology_pin(topology, cores - 1));
    assert_false(topology_pin(topology, cores));
    assert_true(topology_unpin(topology));
    hwloc_bitmap_free(before);
    for (int i = 0; i < 64; i++)
        hwloc_bitmap_free(masks.mask[i]);
    hwloc_topology_destroy(masks.hwloc);
    topology_free(topology);
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "--count") == 0)
        return count_print();
    program = arguments[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_synthetic_machine),  cmocka_unit_test(test_division),
        cmocka_unit_test(test_divided_pinning),    cmocka_unit_test(test_machine_without_cores),
        cmocka_unit_test(test_quota_version_1),    cmocka_unit_test(test_quota_version_2),
        cmocka_unit_test(test_masks_from_outside), cmocka_unit_test(test_pinning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
