#include "io/run/host.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void print_processor(FILE *stream) {
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[512];
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
            fprintf(stream, "processor:%s", strchr(line, ':') + 1);
            break;
        }
    if (file)
        fclose(file);
}

void host_print(FILE *stream) {
    struct utsname name;
    long cores = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES);
    if (uname(&name) == 0)
        fprintf(stream, "host: %s\nsystem: %s %s %s\n", name.nodename, name.sysname, name.release,
                name.machine);
    print_processor(stream);
    if (cores > 0)
        fprintf(stream, "processors: %ld\n", cores);
    if (pages > 0)
        fprintf(stream, "memory-mb: %.0f\n",
                (double)pages * (double)sysconf(_SC_PAGESIZE) / 1048576.0);
}
