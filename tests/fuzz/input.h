// What fuzzers share: bytes of their input as numbers, and a folder for those that need files.
#ifndef TESTS_FUZZ_INPUT_H
#define TESTS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);
const char *__asan_default_options(void);

// HDF5 itself loses memory when a file makes no sense; what we lose is still found.
const char *__lsan_default_suppressions(void) { return "leak:libhdf5"; }

// Freed memory is held back for a shorter while than by default, in which a fuzzer would touch 256
// MiB of fresh pages over and over, and its allocations are named by fewer callers.
const char *__asan_default_options(void) {
    return "quarantine_size_mb=8:malloc_context_size=5:allocator_release_to_os_interval_ms=-1";
}

struct input {
    const uint8_t *data;
    size_t size;
};

static inline uint64_t take(struct input *input, size_t bytes) {
    uint64_t value = 0;
    for (; bytes > 0 && input->size > 0; bytes--, input->data++, input->size--)
        value = value << 8 | *input->data;
    return value;
}

// In memory where there is such a place.
static inline void make_folder(const char *name, char *folder, size_t size) {
    snprintf(folder, size, "%s/%s.XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
             name);
    if (!mkdtemp(folder))
        abort();
}

#endif
