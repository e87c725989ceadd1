// A library to preload: lets allocations fail that one of the libraries of the program makes.
//   GABION_FAIL_IN     a part of the library's file name; "": the program itself
//   GABION_FAIL_AT     the first allocation of that library that fails
//   GABION_FAIL_COUNT  how many fail from there on; 0: all
//   GABION_FAIL_LOG    where nothing fails: a file for the number of its allocations
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// glibc's allocator under its own names.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static _Atomic long calls;
static long first, last;
static uintptr_t code_begin, code_end; // where the library is in memory

static int find_library(struct dl_phdr_info *info, size_t size, void *context) {
    const char *part = context;
    (void)size;
    if (part[0] ? !strstr(info->dlpi_name, part) : info->dlpi_name[0])
        return 0;
    for (int k = 0; k < info->dlpi_phnum; k++)
        if (info->dlpi_phdr[k].p_type == PT_LOAD && info->dlpi_phdr[k].p_flags & PF_X) {
            code_begin = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr;
            code_end = code_begin + info->dlpi_phdr[k].p_memsz;
        }
    return 1;
}

static long number_in(const char *name) {
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

__attribute__((constructor)) static void begin(void) {
    long count = number_in("GABION_FAIL_COUNT");
    const char *part = getenv("GABION_FAIL_IN");
    dl_iterate_phdr(find_library, (void *)(part ? part : ""));
    first = number_in("GABION_FAIL_AT");
    last = first > 0 ? first + (count > 0 ? count - 1 : 1000000000) : 0;
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("GABION_FAIL_LOG");
    FILE *stream = path && first == 0 ? fopen(path, "w") : NULL;
    if (!stream)
        return;
    fprintf(stream, "%ld\n", atomic_load(&calls));
    fclose(stream);
}

static int fails(const void *caller) {
    if ((uintptr_t)caller < code_begin || (uintptr_t)caller >= code_end)
        return 0;
    long call = atomic_fetch_add(&calls, 1) + 1;
    if (call < first || call > last)
        return 0;
    errno = ENOMEM;
    return 1;
}

#define CALLER_FAILS fails(__builtin_return_address(0))

void *malloc(size_t size) { return CALLER_FAILS ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) { return CALLER_FAILS ? NULL : __libc_calloc(count, size); }

void *realloc(void *old, size_t size) { return CALLER_FAILS ? NULL : __libc_realloc(old, size); }

void *aligned_alloc(size_t alignment, size_t size) {
    return CALLER_FAILS ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **place, size_t alignment, size_t size) {
    *place = CALLER_FAILS ? NULL : __libc_memalign(alignment, size);
    return *place ? 0 : ENOMEM;
}
