#include "parallel/hash.h"

#include <string.h>

// XXH64 (Yann Collet, https://github.com/Cyan4973/xxHash, specification 0.1.1), seeded with the
// hash so far. It hashes about 10 GB/s, and there are published values to test against.
static const uint64_t prime_1 = 0x9e3779b185ebca87u;
static const uint64_t prime_2 = 0xc2b2ae3d27d4eb4fu;
static const uint64_t prime_3 = 0x165667b19e3779f9u;
static const uint64_t prime_4 = 0x85ebca77c2b2ae63u;
static const uint64_t prime_5 = 0x27d4eb2f165667c5u;

static inline uint64_t rotate_left(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

// Uses memcpy because the bytes may lie at any address.
static inline uint64_t read_8(const unsigned char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline uint64_t read_4(const unsigned char *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word;
}

static inline uint64_t hash_round(uint64_t lane, uint64_t word) {
    return rotate_left(lane + word * prime_2, 31) * prime_1;
}

static inline uint64_t hash_merge(uint64_t hash, uint64_t lane) {
    return (hash ^ hash_round(0, lane)) * prime_1 + prime_4;
}

static void lanes_begin(uint64_t lane[4], uint64_t seed) {
    lane[0] = seed + prime_1 + prime_2;
    lane[1] = seed + prime_2;
    lane[2] = seed;
    lane[3] = seed - prime_1;
}

// Hashes blocks of 32 bytes in four independent lanes, so that four multiplications run at once.
static void lanes_add(uint64_t lane[4], const unsigned char *bytes, size_t blocks) {
    uint64_t lane_0 = lane[0], lane_1 = lane[1], lane_2 = lane[2], lane_3 = lane[3];
    for (const unsigned char *end = bytes + 32 * blocks; bytes < end; bytes += 32) {
        lane_0 = hash_round(lane_0, read_8(bytes));
        lane_1 = hash_round(lane_1, read_8(bytes + 8));
        lane_2 = hash_round(lane_2, read_8(bytes + 16));
        lane_3 = hash_round(lane_3, read_8(bytes + 24));
    }
    lane[0] = lane_0;
    lane[1] = lane_1;
    lane[2] = lane_2;
    lane[3] = lane_3;
}

static uint64_t lanes_end(const uint64_t lane[4]) {
    uint64_t hash = rotate_left(lane[0], 1) + rotate_left(lane[1], 7) + rotate_left(lane[2], 12) +
                    rotate_left(lane[3], 18);
    for (int k = 0; k < 4; k++)
        hash = hash_merge(hash, lane[k]);
    return hash;
}

// Hashes the last 0 to 31 bytes.
static uint64_t hash_tail(uint64_t hash, const unsigned char *bytes, size_t size) {
    for (; size >= 8; bytes += 8, size -= 8)
        hash = rotate_left(hash ^ hash_round(0, read_8(bytes)), 27) * prime_1 + prime_4;
    if (size >= 4) {
        hash = rotate_left(hash ^ read_4(bytes) * prime_1, 23) * prime_2 + prime_3;
        bytes += 4;
        size -= 4;
    }
    for (; size > 0; bytes++, size--)
        hash = rotate_left(hash ^ *bytes * prime_5, 11) * prime_1;
    return hash;
}

void hash_stream_begin(struct hash_stream *stream, uint64_t hash) {
    *stream = (struct hash_stream){.seed = hash};
    lanes_begin(stream->lane, hash);
}

void hash_stream_add(struct hash_stream *stream, const void *bytes, size_t size) {
    const unsigned char *next = bytes;
    size_t waiting = stream->size % sizeof stream->rest;
    size_t needed = sizeof stream->rest - waiting;
    stream->size += size;
    if (waiting > 0 && size >= needed) {
        memcpy(stream->rest + waiting, next, needed);
        lanes_add(stream->lane, stream->rest, 1);
        next += needed;
        size -= needed;
        waiting = 0;
    }
    if (waiting == 0) {
        lanes_add(stream->lane, next, size / 32);
        next += size / 32 * 32;
        size %= 32;
    }
    if (size > 0)
        memcpy(stream->rest + waiting, next, size);
}

uint64_t hash_stream_end(const struct hash_stream *stream) {
    size_t rest = stream->size % sizeof stream->rest;
    uint64_t hash = stream->size >= 32 ? lanes_end(stream->lane) : stream->seed + prime_5;
    hash = hash_tail(hash + stream->size, stream->rest, rest);
    hash = (hash ^ hash >> 33) * prime_2;
    hash = (hash ^ hash >> 29) * prime_3;
    return hash ^ hash >> 32;
}

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    struct hash_stream stream;
    hash_stream_begin(&stream, hash);
    hash_stream_add(&stream, bytes, size);
    return hash_stream_end(&stream);
}
