#include "parallel/cgroup.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a group can limit: how version 1 calls it, and how to read the limit from the folder of a
// group; 0 where it has none.
struct cgroup_limit {
    const char *controller;
    double (*read_1)(const char *folder), (*read_2)(const char *folder);
};

// A mounted hierarchy of groups that can limit it.
struct cgroup_mount {
    int version;
    char root[PATH_MAX];  // the group that appears at `point`
    char point[PATH_MAX]; // the folder where it is mounted
};

__attribute__((format(printf, 1, 2))) static FILE *file_open(const char *format, ...) {
    char path[3 * PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    return length < (int)sizeof path ? fopen(path, "r") : NULL;
}

// Whether a comma-separated list contains a word.
static bool list_has(const char *list, const char *word) {
    size_t length = strlen(word);
    for (;;) {
        size_t item = strcspn(list, ",");
        if (item == length && strncmp(list, word, length) == 0)
            return true;
        if (list[item] == '\0')
            return false;
        list += item + 1;
    }
}

// 0 when there is no such file.
static double number_read(const char *folder, const char *name) {
    double number = 0;
    FILE *file = file_open("%s/%s", folder, name);
    if (file == NULL)
        return 0;
    if (fscanf(file, "%lf", &number) != 1)
        number = 0;
    fclose(file);
    return number;
}

// Version 2: the file holds time and period, "150000 100000", or "max 100000" for no limit.
static double quota_read_2(const char *folder) {
    double time = 0, period = 0;
    FILE *file = file_open("%s/cpu.max", folder);
    if (file == NULL)
        return 0;
    int read = fscanf(file, "%lf %lf", &time, &period);
    fclose(file);
    return read == 2 && time > 0 && period > 0 ? time / period : 0;
}

// Version 1: two files; a time of -1 means no limit.
static double quota_read_1(const char *folder) {
    double time = number_read(folder, "cpu.cfs_quota_us");
    double period = number_read(folder, "cpu.cfs_period_us");
    return time > 0 && period > 0 ? time / period : 0;
}

// What is left of the group's memory. What the system could take back from caches of files counts
// as free.
static double room_of(double limit, double used, double cached) {
    double room = limit - used + cached;
    return limit <= 0 ? 0 : room > 1 ? room : 1;
}

// A line of memory.stat, "inactive_file 4096".
static double cached_read(const char *folder, const char *key) {
    double cached = 0, number;
    char name[64];
    FILE *file = file_open("%s/memory.stat", folder);
    if (file == NULL)
        return 0;
    while (fscanf(file, "%63s %lf", name, &number) == 2)
        if (strcmp(name, key) == 0)
            cached = number;
    fclose(file);
    return cached;
}

static double room_read_2(const char *folder) {
    return room_of(number_read(folder, "memory.max"), number_read(folder, "memory.current"),
                   cached_read(folder, "inactive_file"));
}

static double room_read_1(const char *folder) {
    return room_of(number_read(folder, "memory.limit_in_bytes"),
                   number_read(folder, "memory.usage_in_bytes"),
                   cached_read(folder, "total_inactive_file"));
}

static const struct cgroup_limit processor_time = {"cpu", quota_read_1, quota_read_2};
static const struct cgroup_limit memory_room = {"memory", room_read_1, room_read_2};

// Returns the part of a group's path below the mount point. Without a group namespace, a container
// sees its own group mounted but the machine's whole path in /proc; the part above the mount is
// then cut off.
static const char *path_below(const struct cgroup_mount *mount, const char *path) {
    size_t length = strlen(mount->root);
    if (strcmp(mount->root, "/") == 0)
        return strcmp(path, "/") == 0 ? "" : path;
    bool below =
        strncmp(path, mount->root, length) == 0 && (path[length] == '/' || path[length] == '\0');
    return below ? path + length : "";
}

// Returns the smallest limit from the group up to the mount point: each level limits those below
// it.
static double limit_of_group(const char *root, const struct cgroup_limit *limit,
                             const struct cgroup_mount *mount, const char *path) {
    char folder[3 * PATH_MAX];
    int length =
        snprintf(folder, sizeof folder, "%s%s%s", root, mount->point, path_below(mount, path));
    if (length >= (int)sizeof folder)
        return 0;
    size_t top = strlen(root) + strlen(mount->point);
    double found = 0;
    for (;;) {
        found = cgroup_smaller(found,
                               mount->version == 2 ? limit->read_2(folder) : limit->read_1(folder));
        char *slash = strrchr(folder, '/');
        if (slash == NULL || (size_t)(slash - folder) < top)
            return found;
        *slash = '\0';
    }
}

// Reads one line of /proc/self/mountinfo and returns whether it is such a mount, for example
// "36 35 0:31 /docker/1f /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct"
static bool mount_parse(const char *line, const char *controller, struct cgroup_mount *mount) {
    char type[64], options[1024];
    _Static_assert(PATH_MAX >= 4096, "the widths below fit the arrays");
    if (sscanf(line, "%*d %*d %*s %4095s %4095s", mount->root, mount->point) != 2)
        return false;
    const char *rest = strstr(line, " - ");
    if (rest == NULL || sscanf(rest, " - %63s %*s %1023s", type, options) != 2)
        return false;
    mount->version = strcmp(type, "cgroup2") == 0 ? 2 : 1;
    return mount->version == 2 || (strcmp(type, "cgroup") == 0 && list_has(options, controller));
}

// Returns the limit of this process's group in the mount's hierarchy. /proc/self/cgroup names the
// group: "4:cpu,cpuacct:/docker/1f" in version 1, "0::/docker/1f" in version 2.
static double limit_of_mount(const char *root, const struct cgroup_limit *limit,
                             const struct cgroup_mount *mount) {
    FILE *file = file_open("%s/proc/self/cgroup", root);
    if (file == NULL)
        return 0;
    double found = 0;
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, file) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (path == NULL)
            continue;
        *path++ = '\0';
        controllers++;
        bool ours =
            mount->version == 2 ? *controllers == '\0' : list_has(controllers, limit->controller);
        if (ours)
            found = cgroup_smaller(found, limit_of_group(root, limit, mount, path));
    }
    free(line);
    fclose(file);
    return found;
}

static double limit_of_process(const char *root, const struct cgroup_limit *limit) {
    FILE *file = file_open("%s/proc/self/mountinfo", root);
    if (file == NULL)
        return 0;
    double found = 0;
    struct cgroup_mount mount;
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, file) >= 0) {
        if (mount_parse(line, limit->controller, &mount))
            found = cgroup_smaller(found, limit_of_mount(root, limit, &mount));
    }
    free(line);
    fclose(file);
    return found;
}

double cgroup_cpu_quota(const char *root) { return limit_of_process(root, &processor_time); }

double cgroup_memory_room(const char *root) { return limit_of_process(root, &memory_room); }
