// What cores there are and which of them this process may use (hwloc). Loaded once, before the
// first thread is started: pinning changes what later questions would answer.
#ifndef PARALLEL_TOPOLOGY_H
#define PARALLEL_TOPOLOGY_H

#include <stddef.h>

#include "parallel/error.h"

struct topology;

struct topology *topology_load(struct gabion_error *error);
void topology_free(struct topology *topology);

int topology_packages(const struct topology *topology);
int topology_numa_nodes(const struct topology *topology);
int topology_cores(const struct topology *topology);         // physical cores of the machine
int topology_allowed_cores(const struct topology *topology); // in the allowed set and start mask
double topology_cpu_quota(const struct topology *topology);  // cgroup limit in cores; 0: none
int topology_default_threads(const struct topology *topology);

// Binds the calling thread to the k-th allowed core. False where the system refuses.
bool topology_pin(const struct topology *topology, int k);

// Gives the calling thread all allowed cores again: a thread started by a pinned one (a writer)
// inherits its single core.
bool topology_unpin(const struct topology *topology);

// Several "key: value" lines for `gabion info`.
void topology_describe(const struct topology *topology, char *text, size_t size);

#endif
