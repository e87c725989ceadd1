#include "parallel/available.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "parallel/cgroup.h"
#include "parallel/ranks.h"

static FILE *file_open(const char *root, const char *name) {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s%s", root, name);
    return length < (int)sizeof path ? fopen(path, "r") : NULL;
}

// Sums the lines of /proc/meminfo that say what is left: "MemAvailable:   12345 kB".
static double machine_memory(const char *root) {
    char line[256], name[64];
    double left = 0, number;
    FILE *file = file_open(root, "/proc/meminfo");
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%63s %lf", name, &number) == 2 &&
            (strcmp(name, "MemAvailable:") == 0 || strcmp(name, "SwapFree:") == 0))
            left += 1024 * number;
    fclose(file);
    return left;
}

// /proc/self/statm counts pages: whole address space, resident, shared, code, 0, data and stack.
enum { STATM_SPACE = 0, STATM_DATA = 5, STATM_NUMBERS = 6 };

static void read_statm(const char *root, double bytes[STATM_NUMBERS]) {
    FILE *file = file_open(root, "/proc/self/statm");
    double page = (double)sysconf(_SC_PAGESIZE);
    for (int k = 0; k < STATM_NUMBERS; k++) {
        double pages = 0;
        bytes[k] = file && fscanf(file, "%lf", &pages) == 1 ? page * pages : 0;
    }
    if (file)
        fclose(file);
}

// 0 means no limit, so that at least one byte is left of one.
static double limit_room(int resource, double used) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return 0;
    double room = (double)limit.rlim_cur - used;
    return room > 1 ? room : 1;
}

// What `ulimit -v` and `ulimit -d` leave to this process.
static double process_memory(const char *root) {
    double used[STATM_NUMBERS];
    read_statm(root, used);
    return cgroup_smaller(limit_room(RLIMIT_AS, used[STATM_SPACE]),
                          limit_room(RLIMIT_DATA, used[STATM_DATA]));
}

// Ranks on this machine share what it has left; limits of a process are its own.
double available_memory(const char *root) {
    double shared = cgroup_smaller(machine_memory(root), cgroup_memory_room(root));
    return cgroup_smaller(shared / ranks_on_machine(), process_memory(root));
}
