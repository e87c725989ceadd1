// Topology, CPU quota and the cores of a team. A process of its own: it changes its environment.
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

static void test_masks_from_outside(void **state) {
    (void)state;
    struct topology *topology = load();
    int allowed = topology_allowed_cores(topology);
    assert_in_range(allowed, 1, topology_cores(topology));
    topology_free(topology);
    assert_int_equal(count_behind(""), allowed);

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

static void mask_read(void *context, int part, int parts) {
    (void)parts;
    struct masks *masks = context;
    hwloc_get_cpubind(masks->hwloc, masks->mask[part], HWLOC_CPUBIND_THREAD);
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

// A pinned thread cannot leave a core that another program takes.
static void test_a_team_may_use_all_allowed_cores(void **state) {
    (void)state;
    struct topology *topology = load();
    int cores = topology_allowed_cores(topology);
    struct masks masks;
    assert_int_equal(hwloc_topology_init(&masks.hwloc), 0);
    assert_int_equal(hwloc_topology_load(masks.hwloc), 0);
    for (int i = 0; i < 64; i++)
        masks.mask[i] = hwloc_bitmap_alloc();
    hwloc_bitmap_t before = hwloc_bitmap_alloc();
    assert_int_equal(hwloc_get_cpubind(masks.hwloc, before, HWLOC_CPUBIND_THREAD), 0);

    struct gabion_error error = {0};
    struct team *team = team_create(cores < 64 ? cores : 64, topology, &error);
    assert_string_equal(team_note(team), "");
    team_run(team, 0, mask_read, &masks);
    for (int part = 0; part < team_size(team); part++)
        assert_true(hwloc_bitmap_isequal(masks.mask[part], before));
    team_destroy(team);

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
        cmocka_unit_test(test_synthetic_machine),
        cmocka_unit_test(test_division),
        cmocka_unit_test(test_machine_without_cores),
        cmocka_unit_test(test_quota_version_1),
        cmocka_unit_test(test_quota_version_2),
        cmocka_unit_test(test_masks_from_outside),
        cmocka_unit_test(test_a_team_may_use_all_allowed_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
