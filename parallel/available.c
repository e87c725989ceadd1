#include "parallel/available.h"

#include <stdio.h>
#include <string.h>

#include "parallel/cgroup.h"

// Sums the lines of /proc/meminfo that say what is left: "MemAvailable:   12345 kB".
static double machine_memory(const char *root) {
    char path[4096], line[256], name[64];
    double left = 0, number;
    int length = snprintf(path, sizeof path, "%s/proc/meminfo", root);
    FILE *file = length < (int)sizeof path ? fopen(path, "r") : NULL;
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%63s %lf", name, &number) == 2 &&
            (strcmp(name, "MemAvailable:") == 0 || strcmp(name, "SwapFree:") == 0))
            left += 1024 * number;
    fclose(file);
    return left;
}

double available_memory(const char *root) {
    double machine = machine_memory(root), group = cgroup_memory_room(root);
    return group > 0 && (machine <= 0 || group < machine) ? group : machine;
}
