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

// Hashes blocks of 32 bytes in four independent lanes, so that four multiplications run at once.
static uint64_t hash_blocks(uint64_t seed, const unsigned char *bytes, size_t blocks) {
    uint64_t lane_0 = seed + prime_1 + prime_2, lane_1 = seed + prime_2;
    uint64_t lane_2 = seed, lane_3 = seed - prime_1;
    for (const unsigned char *end = bytes + 32 * blocks; bytes < end; bytes += 32) {
        lane_0 = hash_round(lane_0, read_8(bytes));
        lane_1 = hash_round(lane_1, read_8(bytes + 8));
        lane_2 = hash_round(lane_2, read_8(bytes + 16));
        lane_3 = hash_round(lane_3, read_8(bytes + 24));
    }
    uint64_t hash = rotate_left(lane_0, 1) + rotate_left(lane_1, 7) + rotate_left(lane_2, 12) +
                    rotate_left(lane_3, 18);
    hash = hash_merge(hash, lane_0);
    hash = hash_merge(hash, lane_1);
    hash = hash_merge(hash, lane_2);
    return hash_merge(hash, lane_3);
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

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *start = bytes;
    size_t blocks = size / 32;
    hash = blocks > 0 ? hash_blocks(hash, start, blocks) : hash + prime_5;
    hash += size;
    if (size % 32 > 0)
        hash = hash_tail(hash, start + 32 * blocks, size % 32);
    hash = (hash ^ hash >> 33) * prime_2;
    hash = (hash ^ hash >> 29) * prime_3;
    return hash ^ hash >> 32;
}
