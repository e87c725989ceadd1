// Functions compiled twice and chosen at run time: for AVX2 and for any processor. Both do the same
// operations in the same order and give the same bits. The race detector is not ready yet when the
// program's loader makes the choice.
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

// Four numbers side by side. Only for local variables: how such a value is passed between functions
// depends on the processor.
typedef double lanes4 __attribute__((vector_size(32)));

#endif
