// A 64-bit hash of bytes, for state hashes and checkpoint checksums. Not cryptographic.
#ifndef PARALLEL_HASH_H
#define PARALLEL_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START 0xcbf29ce484222325u

// Continues `hash`, HASH_START at first, over `size` bytes. Hashing the same bytes in other pieces
// gives another result.
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size);

#endif
