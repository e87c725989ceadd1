// What the control group that this process runs in leaves to it (`docker --cpus --memory`, systemd
// CPUQuota, Slurm). hwloc and nproc ignore the quota of processor time, and the system
// stops a team with more threads than the quota allows for most of every period; it kills a process
// that takes more memory.
#ifndef PARALLEL_CGROUP_H
#define PARALLEL_CGROUP_H

// Returns the smallest quota of the group and of all groups above it, in cores; 0: no limit. Reads
// versions 1 and 2 of control groups. `root` is put before every path: "" reads the machine's
// files, tests pass a folder with files of their own.
double cgroup_cpu_quota(const char *root);

// Returns the bytes that the group and all groups above it have left, 0: no limit.
double cgroup_memory_room(const char *root);

// The smaller of two limits, where 0 means no limit.
static inline double cgroup_smaller(double a, double b) {
    if (a <= 0 || b <= 0)
        return a > b ? a : b;
    return a < b ? a : b;
}

#endif
