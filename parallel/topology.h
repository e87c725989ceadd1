// The cores of the machine and which of them this process may use, as hwloc finds them.
#ifndef PARALLEL_TOPOLOGY_H
#define PARALLEL_TOPOLOGY_H

#include <stddef.h>

#include "parallel/error.h"

struct topology;

// Returns NULL with an error when hwloc fails.
struct topology *topology_load(struct gabion_error *error);
void topology_free(struct topology *topology);

int topology_packages(const struct topology *topology);
int topology_numa_nodes(const struct topology *topology);
int topology_cores(const struct topology *topology); // physical cores of the machine

// Physical cores that this process may use: containers and `taskset` can take some away.
int topology_allowed_cores(const struct topology *topology);

// The limit of the process's control group, in cores; 0: no limit.
double topology_cpu_quota(const struct topology *topology);

// One thread per allowed core, but no more than the quota allows.
int topology_default_threads(const struct topology *topology);

// Writes several "key: value" lines for `gabion info`, cut at `size` - 1 characters.
void topology_describe(const struct topology *topology, char *text, size_t size);

#endif
