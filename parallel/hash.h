// A 64-bit hash of bytes, for state hashes and checkpoint checksums. Not cryptographic.
#ifndef PARALLEL_HASH_H
#define PARALLEL_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START 0xcbf29ce484222325u

// Continues `hash`, HASH_START at first, over `size` bytes. Hashing the same bytes in other pieces
// gives another result.
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size);

// The same hash of bytes that come in several pieces, and from several ranks: hash_stream_end
// returns what hash_bytes does for all of them in one piece.
struct hash_stream {
    uint64_t seed, lane[4];
    uint64_t size; // of all pieces so far
    unsigned char rest[32];
};

void hash_stream_begin(struct hash_stream *stream, uint64_t hash);
void hash_stream_add(struct hash_stream *stream, const void *bytes, size_t size);
uint64_t hash_stream_end(const struct hash_stream *stream);

#endif
