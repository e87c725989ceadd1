// How much memory this process can still get. The system promises more than it has and kills a
// process that uses what was promised, so a large array is compared with this before it is
// allocated.
#ifndef PARALLEL_AVAILABLE_H
#define PARALLEL_AVAILABLE_H

// Returns the bytes that the machine with its swap, the control group and the limits of the process
// (`ulimit -v`, `ulimit -d`) leave; 0 where none of them says so. `root` is put before every path,
// as in parallel/cgroup.h.
double available_memory(const char *root);

#endif
