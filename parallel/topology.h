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

// Leaves to this process its part of the allowed cores where `count` processes have the same ones,
// of which it is number `before` from 0. Where they are more than the cores, several share one.
// topology_load does this for the ranks of a run.
void topology_divide(struct topology *topology, int before, int count);

// Returns whether other ranks of the run may use the same cores, so that pinning would put two
// threads on one core.
bool topology_is_crowded(const struct topology *topology);

// The limit of the process's control group, in cores; 0: no limit.
double topology_cpu_quota(const struct topology *topology);

// One thread per allowed core, but no more than the quota allows.
int topology_default_threads(const struct topology *topology);

// Writes several "key: value" lines for `gabion info`, cut at `size` - 1 characters.
void topology_describe(const struct topology *topology, char *text, size_t size);

#endif
