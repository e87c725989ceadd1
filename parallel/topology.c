#include "parallel/topology.h"

#include <errno.h>
#include <hwloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parallel/cgroup.h"
#include "parallel/memory.h"
#include "parallel/ranks.h"

struct topology {
    hwloc_topology_t hwloc;
    hwloc_obj_type_t core_type;
    // Hardware threads that are both allowed and in the start mask, and those of them that no other
    // rank has.
    hwloc_bitmap_t usable;
    int allowed_cores;
    bool crowded; // other ranks have the same cores
    double quota;
};

// Finds the usable hardware threads. hwloc's allowed set reflects cpuset containers but not
// `taskset`, which the mask that this thread started with reflects. `start` is scratch.
static void usable_find(struct topology *topology, hwloc_bitmap_t start) {
    hwloc_const_cpuset_t allowed = hwloc_topology_get_allowed_cpuset(topology->hwloc);
    hwloc_bitmap_copy(topology->usable, allowed);
    if (!hwloc_topology_is_thissystem(topology->hwloc))
        return;
    if (hwloc_get_cpubind(topology->hwloc, start, HWLOC_CPUBIND_THREAD) != 0)
        hwloc_bitmap_zero(start);
    if (hwloc_bitmap_intersects(start, allowed))
        hwloc_bitmap_and(topology->usable, start, allowed);
}

// Returns the number of cores with a usable hardware thread.
static int count_usable(const struct topology *topology) {
    hwloc_obj_t core = NULL;
    int count = 0;
    while ((core = hwloc_get_next_obj_by_type(topology->hwloc, topology->core_type, core)))
        count += hwloc_bitmap_intersects(core->cpuset, topology->usable);
    return count;
}

// What hwloc takes, and more: it crashes where an allocation of its own fails, so that memory is
// asked for before it is.
#define HWLOC_ROOM ((size_t)2 << 20)

static bool hwloc_has_room(struct gabion_error *error) {
    void *room = malloc(HWLOC_ROOM);
    free(room);
    return room != NULL || error_set(error, GABION_ERROR_MEMORY,
                                     "out of memory: hwloc needs %zu bytes", HWLOC_ROOM);
}

static bool hwloc_load(hwloc_topology_t *hwloc, struct gabion_error *error) {
    if (!hwloc_has_room(error))
        return false;
    if (hwloc_topology_init(hwloc) != 0) {
        *hwloc = NULL;
        return error_set(error, GABION_ERROR_RUN, "hwloc could not start: %s", strerror(errno));
    }
    // Cores that a container may not use are still cores of the machine.
    hwloc_topology_set_flags(*hwloc, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    return hwloc_topology_load(*hwloc) == 0 ||
           error_set(error, GABION_ERROR_RUN,
                     "hwloc could not read the machine's topology: %s. Try `lstopo`, and unset "
                     "HWLOC_* environment variables",
                     strerror(errno));
}

static bool topology_fill(struct topology *topology, struct gabion_error *error) {
    if (!hwloc_load(&topology->hwloc, error))
        return false;
    // Some virtual machines show hardware threads without cores.
    bool has_cores = hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_CORE) > 0;
    topology->core_type = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    topology->usable = hwloc_bitmap_alloc();
    hwloc_bitmap_t start = hwloc_bitmap_alloc();
    bool complete = topology->usable != NULL && start != NULL;
    if (complete)
        usable_find(topology, start);
    else
        error_set(error, GABION_ERROR_MEMORY, "out of memory: hwloc's sets of cores");
    hwloc_bitmap_free(start);
    if (!complete)
        return false;
    topology->allowed_cores = count_usable(topology);
    topology->quota = cgroup_cpu_quota("") / ranks_on_machine();
    struct ranks_sharing sharing = ranks_sharing_cores();
    topology_divide(topology, sharing.before, sharing.count);
    return true;
}

// Allocates before hwloc starts: a failed allocation does not return, and hwloc's own memory would
// be lost.
struct topology *topology_load(struct gabion_error *error) {
    struct topology *topology = memory_allocate(1, sizeof *topology, "topology");
    if (topology_fill(topology, error))
        return topology;
    topology_free(topology);
    return NULL;
}

void topology_free(struct topology *topology) {
    if (topology == NULL)
        return;
    hwloc_bitmap_free(topology->usable);
    if (topology->hwloc != NULL)
        hwloc_topology_destroy(topology->hwloc);
    memory_free(topology);
}

static int object_count(const struct topology *topology, hwloc_obj_type_t type) {
    int count = hwloc_get_nbobjs_by_type(topology->hwloc, type);
    return count > 0 ? count : 0;
}

void topology_divide(struct topology *topology, int before, int count) {
    int cores = topology->allowed_cores;
    int part = cores * (before + 1) / count - cores * before / count;
    topology->crowded = count > cores;
    topology->allowed_cores = part > 0 ? part : 1;
}

bool topology_is_crowded(const struct topology *topology) { return topology->crowded; }

int topology_packages(const struct topology *topology) {
    return object_count(topology, HWLOC_OBJ_PACKAGE);
}

int topology_numa_nodes(const struct topology *topology) {
    return object_count(topology, HWLOC_OBJ_NUMANODE);
}

int topology_cores(const struct topology *topology) {
    return object_count(topology, topology->core_type);
}

int topology_allowed_cores(const struct topology *topology) { return topology->allowed_cores; }

double topology_cpu_quota(const struct topology *topology) { return topology->quota; }

int topology_default_threads(const struct topology *topology) {
    int threads = topology->allowed_cores;
    // Rounded down: the system stops all threads when the quota of a period is spent.
    if (topology->quota > 0 && topology->quota < threads)
        threads = (int)topology->quota;
    return threads > 1 ? threads : 1;
}

struct description {
    char *text;
    size_t size, length;
};

__attribute__((format(printf, 2, 3))) static void describe_line(struct description *description,
                                                                const char *format, ...) {
    if (description->length >= description->size)
        return;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(description->text + description->length,
                           description->size - description->length, format, arguments);
    va_end(arguments);
    description->length += length > 0 ? (size_t)length : 0;
}

static void describe_cache(struct description *description, const struct topology *topology,
                           hwloc_obj_type_t type, const char *name) {
    hwloc_obj_t cache = hwloc_get_obj_by_type(topology->hwloc, type, 0);
    if (cache != NULL)
        describe_line(description, "%s: %d x %llu KiB\n", name, object_count(topology, type),
                      (unsigned long long)cache->attr->cache.size / 1024);
}

void topology_describe(const struct topology *topology, char *text, size_t size) {
    struct description description = {text, size, 0};
    if (size > 0)
        text[0] = '\0';
    describe_line(&description, "packages: %d\n", topology_packages(topology));
    describe_line(&description, "numa-nodes: %d\n", topology_numa_nodes(topology));
    describe_line(&description, "cores: %d\n", topology_cores(topology));
    describe_line(&description, "hardware-threads: %d\n", object_count(topology, HWLOC_OBJ_PU));
    describe_cache(&description, topology, HWLOC_OBJ_L3CACHE, "l3-cache");
    describe_cache(&description, topology, HWLOC_OBJ_L2CACHE, "l2-cache");
    describe_cache(&description, topology, HWLOC_OBJ_L1CACHE, "l1-cache");
    describe_line(&description, "allowed-cores: %d\n", topology->allowed_cores);
    if (topology->quota > 0)
        describe_line(&description, "cpu-quota: %.2f\n", topology->quota);
    else
        describe_line(&description, "cpu-quota: none\n");
    describe_line(&description, "default-threads: %d\n", topology_default_threads(topology));
}
