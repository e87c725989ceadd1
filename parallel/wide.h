// WIDE before a function compiles it twice, for AVX2 and for any processor; the program's loader
// chooses one. Both do the same operations in the same order and give the same bits. Under the race
// detector only one is compiled, because the detector is not ready when the loader runs.
#ifndef PARALLEL_WIDE_H
#define PARALLEL_WIDE_H

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__x86_64__) && !__has_feature(thread_sanitizer)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

// Four numbers side by side. Only for local variables: the way such a value is passed between
// functions depends on the instruction set.
typedef double lanes4 __attribute__((vector_size(32)));

#endif
