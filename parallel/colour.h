// Colouring of pairs: two pairs that share a moving index get different colours, so threads can
// work on all pairs of one colour at the same time.
//
// Pairs take turns, and each gets the first colour that fits. The turn is a hash of the pair's
// name; pairs of one turn go by their names, which is the order of the list. So the colours follow
// from the pairs and their names alone, and wherever two pairs far from each other are coloured,
// neither waits for the other: a chain of neighbours with descending turns is short, unlike one
// along the list (Jones and Plassmann, "A parallel graph coloring heuristic", 1993).
#ifndef PARALLEL_COLOUR_H
#define PARALLEL_COLOUR_H

#include <stddef.h>
#include <stdint.h>

struct team;

// Each index has a 64-bit mask of the colours it already has. A pair of indices of degrees d and e
// (the number of their pairs) needs at most colour number d + e - 1, so colours never run out as
// long as no degree exceeds COLOUR_DEGREE_MAX. The caller splits indices of higher degree.
#define COLOUR_MAX        64
#define COLOUR_DEGREE_MAX 32

#define COLOUR_TURNS 256

// Pairs in the order of their names. Indices in [fixed_begin, fixed_end) do not move and are never
// in conflict.
struct colour_graph {
    const int32_t *first, *second;
    const uint8_t *turn;
    size_t count, indices;
    int32_t fixed_begin, fixed_end;
};

// Room that the caller lends: for all pairs, and twice for all indices.
struct colour_room {
    uint32_t *order;
    uint64_t *mask;
    int32_t *owner;
};

// Returns the turn of the pair with the name (first, second, number).
static inline uint8_t colour_turn(int32_t first, int32_t second, uint32_t number) {
    uint64_t z = (uint64_t)(uint32_t)first << 32 | (uint32_t)second;
    z = (z + number * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 32) * 0x94d049bb133111ebu;
    return (uint8_t)(z >> 56);
}

// Gives colour[k] to pair k, counted from 0. Returns the number of colours, or -1 when more than
// COLOUR_MAX would be needed. A team with several threads is put to work where there are many
// pairs; NULL: one thread.
int colour_pairs(struct team *team, const struct colour_graph *graph,
                 const struct colour_room *room, uint8_t *colour);

#endif
