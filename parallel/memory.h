// Arrays that grow. Running out of memory cannot be handled by a caller in a useful way, so these
// end the program with a message that names what was being stored and how much was asked for.
#ifndef PARALLEL_MEMORY_H
#define PARALLEL_MEMORY_H

#include <stddef.h>

void *memory_allocate(size_t count, size_t size, const char *what); // zeroed; count 0 is allowed
void *memory_resize(void *old, size_t count, size_t size, const char *what);

// Makes room for `needed` elements, growing by half at a time. Returns the (moved) array and
// updates *capacity. New elements are not initialised.
void *memory_reserve(void *array, size_t *capacity, size_t needed, size_t size, const char *what);

// Hot arrays start on a cache line, so that a 64-byte record never straddles two.
#define CACHE_LINE 64
void *memory_reserve_aligned(void *array, size_t *capacity, size_t needed, size_t size,
                             const char *what); // contents are not kept
void memory_free(void *array);                  // of any of the above

// For a program that runs steps: what is freed stays with it instead of going back to the system.
// The arrays of a step's contact problem are a few megabytes, and pages that come and go with every
// step cost a twentieth of it.
void memory_keep_freed(void);

#endif
