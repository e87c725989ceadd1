#include "parallel/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "parallel/error.h"

_Noreturn static void memory_exhausted(size_t count, size_t size, const char *what) {
    fprintf(stderr,
            "gabion: out of memory: %zu x %zu bytes for %s. Use a smaller case or a machine with "
            "more memory.\n",
            count, size, what);
    exit(GABION_ERROR_RUN);
}

// Never zero: malloc(0) may return NULL, which would look like a failure.
static size_t memory_bytes(size_t count, size_t size, const char *what) {
    if (size > 0 && count > (SIZE_MAX - CACHE_LINE) / size)
        memory_exhausted(count, size, what);
    size_t bytes = count * size;
    return bytes > 0 ? bytes : 1;
}

void *memory_allocate(size_t count, size_t size, const char *what) {
    void *array = calloc(1, memory_bytes(count, size, what));
    if (array == NULL)
        memory_exhausted(count, size, what);
    return array;
}

void *memory_resize(void *old, size_t count, size_t size, const char *what) {
    void *array = realloc(old, memory_bytes(count, size, what));
    if (array == NULL)
        memory_exhausted(count, size, what);
    return array;
}

static size_t memory_grown(size_t capacity, size_t needed) {
    size_t grown = capacity + capacity / 2;
    return grown > needed ? grown : needed;
}

void *memory_reserve(void *array, size_t *capacity, size_t needed, size_t size, const char *what) {
    if (array != NULL && needed <= *capacity)
        return array;
    size_t grown = memory_grown(*capacity, needed);
    array = memory_resize(array, grown, size, what);
    *capacity = grown;
    return array;
}

void *memory_reserve_aligned(void *array, size_t *capacity, size_t needed, size_t size,
                             const char *what) {
    if (array != NULL && needed <= *capacity)
        return array;
    size_t grown = memory_grown(*capacity, needed);
    // Freed before the new one is asked for: the contents are not kept, so both need not fit.
    free(array);
    // aligned_alloc wants a multiple of the alignment.
    size_t bytes = (memory_bytes(grown, size, what) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    array = aligned_alloc(CACHE_LINE, bytes);
    if (array == NULL)
        memory_exhausted(grown, size, what);
    *capacity = grown;
    return array;
}

void memory_free(void *array) { free(array); }

// glibc takes larger pieces than the first of these from the system one by one; 32 MB is the most
// it allows. Elsewhere nothing is done.
void memory_keep_freed(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}
