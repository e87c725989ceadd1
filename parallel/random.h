// Random numbers from a seed, the same on every machine (SplitMix64: Steele, Lea, Flood 2014).
#ifndef PARALLEL_RANDOM_H
#define PARALLEL_RANDOM_H

#include <stdint.h>

struct random_stream {
    uint64_t state; // starts as the seed
};

static inline uint64_t random_bits(struct random_stream *stream) {
    uint64_t z = (stream->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Uniform in [0, 1), with 53 random bits.
static inline double random_unit(struct random_stream *stream) {
    return (double)(random_bits(stream) >> 11) * 0x1p-53;
}

static inline double random_between(struct random_stream *stream, double low, double high) {
    return low + (high - low) * random_unit(stream);
}

#endif
