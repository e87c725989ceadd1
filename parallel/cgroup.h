// The CPU quota of the control group this process runs in (`docker --cpus`, systemd CPUQuota).
// hwloc, nproc and OpenMP do not see it, and a team with more threads than the quota allows is
// stopped for most of every period.
#ifndef PARALLEL_CGROUP_H
#define PARALLEL_CGROUP_H

// In cores, the smallest of the group and all groups above it, versions 1 and 2; 0: no limit.
// `root` goes before every path: "" for the machine, a folder with a made-up system for tests.
double cgroup_cpu_quota(const char *root);

#endif
