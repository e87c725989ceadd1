#include "parallel/colour.h"

#include <stdbool.h>
#include <string.h>

#include "parallel/memory.h"
#include "parallel/team.h"

// Fewer pairs per thread are not worth waking it.
#define PAIRS_PER_THREAD 4000

// Owners of an index: nobody, a thread (counted from 1) with all its pairs, or several.
#define NOBODY  0
#define SEVERAL (-1)

struct share {
    size_t begin, waiting; // in `order`: pairs that wait are moved to the front
    int colours;           // -1: they ran out
};

struct colouring {
    const struct colour_graph *graph;
    const struct colour_room *room;
    uint8_t *colour;
    struct team *team;
    struct share *shares; // one per thread
};

static bool moves(const struct colour_graph *graph, int32_t i) {
    return i < graph->fixed_begin || i >= graph->fixed_end;
}

// Gives each pair of the list the first colour that fits. Returns the number of colours, at least
// `colours`, or -1. The pointers are copied since a store to a colour might change anything else.
static int colour_list(const struct colouring *colouring, const uint32_t *list, size_t count,
                       int colours) {
    const int32_t *first = colouring->graph->first, *second = colouring->graph->second;
    const uint32_t fixed = (uint32_t)colouring->graph->fixed_begin;
    const uint32_t fixed_count = (uint32_t)colouring->graph->fixed_end - fixed;
    uint64_t *mask = colouring->room->mask;
    uint8_t *colour = colouring->colour;
    for (size_t at = 0; at < count; at++) {
        uint32_t k = list[at];
        int32_t a = first[k], b = second[k];
        // The mask of a fixed index stays empty, so it excludes no colour.
        uint64_t used = mask[a] | mask[b];
        if (used == UINT64_MAX)
            return -1;
        int c = __builtin_ctzll(~used);
        uint64_t bit = (uint64_t)1 << c;
        if ((uint32_t)a - fixed >= fixed_count)
            mask[a] |= bit;
        if ((uint32_t)b - fixed >= fixed_count)
            mask[b] |= bit;
        colour[k] = (uint8_t)c;
        colours = c >= colours ? c + 1 : colours;
    }
    return colours;
}

// Sorts the pairs [begin, end) by their turns.
static void sort_turns(const struct colouring *colouring, size_t begin, size_t end) {
    const uint8_t *turn = colouring->graph->turn;
    uint32_t *order = colouring->room->order + begin;
    uint32_t place[COLOUR_TURNS + 1] = {0};
    for (size_t k = begin; k < end; k++)
        place[turn[k] + 1]++;
    for (int t = 0; t < COLOUR_TURNS; t++)
        place[t + 1] += place[t];
    for (size_t k = begin; k < end; k++)
        order[place[turn[k]]++] = (uint32_t)k;
}

// Several threads -----------------------------------------------------------------------------

// A thread has a part of the list. It may colour a pair whose indices have no pairs in other parts,
// unless it is next to one that waits.

static void own(struct colouring *colouring, int32_t i, int32_t thread) {
    int32_t *owner = &colouring->room->owner[i], found = NOBODY;
    if (!moves(colouring->graph, i))
        return;
    if (!__atomic_compare_exchange_n(owner, &found, thread + 1, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED) &&
        found != thread + 1)
        __atomic_store_n(owner, SEVERAL, __ATOMIC_RELAXED);
}

static bool waits(const struct colouring *colouring, int32_t i) {
    return moves(colouring->graph, i) && colouring->room->owner[i] == SEVERAL;
}

// All later pairs of an index wait, too.
static void stop(const struct colouring *colouring, int32_t i) {
    if (moves(colouring->graph, i) && colouring->room->owner[i] != SEVERAL)
        colouring->room->owner[i] = SEVERAL;
}

static void colour_share(void *context, int thread, int threads) {
    struct colouring *colouring = context;
    const struct colour_graph *graph = colouring->graph;
    uint32_t *order = colouring->room->order;
    size_t begin, end;
    team_share(0, graph->count, thread, threads, &begin, &end);
    struct share share = {begin, 0, 0};
    for (size_t k = begin; k < end; k++) {
        own(colouring, graph->first[k], thread);
        own(colouring, graph->second[k], thread);
    }
    sort_turns(colouring, begin, end);
    team_barrier(colouring->team, thread, threads);
    for (size_t at = begin; at < end; at++) {
        uint32_t k = order[at];
        int32_t a = graph->first[k], b = graph->second[k];
        if (!waits(colouring, a) && !waits(colouring, b)) {
            if (share.colours >= 0)
                share.colours = colour_list(colouring, &k, 1, share.colours);
            continue;
        }
        stop(colouring, a);
        stop(colouring, b);
        order[begin + share.waiting++] = k;
    }
    colouring->shares[thread] = share;
}

// Colours the pairs that wait, turn by turn, and in each turn in the order of the list.
static int colour_waiting(const struct colouring *colouring, int threads) {
    const uint32_t *order = colouring->room->order;
    int colours = 0;
    for (int t = 0; t < threads; t++) {
        int other = colouring->shares[t].colours;
        if (other < 0)
            return -1;
        colours = other > colours ? other : colours;
    }
    for (int turn = 0; turn < COLOUR_TURNS; turn++)
        for (int t = 0; t < threads; t++) {
            struct share *share = &colouring->shares[t];
            for (; share->waiting > 0 && colouring->graph->turn[order[share->begin]] == turn;
                 share->begin++, share->waiting--)
                if (colours >= 0)
                    colours = colour_list(colouring, &order[share->begin], 1, colours);
        }
    return colours;
}

static int colour_shares(struct colouring *colouring, int threads) {
    memset(colouring->room->owner, 0, colouring->graph->indices * sizeof(int32_t));
    colouring->shares = memory_allocate((size_t)threads, sizeof *colouring->shares, "colouring");
    team_run(colouring->team, threads, colour_share, colouring);
    int colours = colour_waiting(colouring, threads);
    memory_free(colouring->shares);
    return colours;
}

// ---------------------------------------------------------------------------------------------

int colour_pairs(struct team *team, const struct colour_graph *graph,
                 const struct colour_room *room, uint8_t *colour) {
    struct colouring colouring = {graph, room, colour, team, NULL};
    int threads = team ? team_worth(team, graph->count, PAIRS_PER_THREAD) : 1;
    memset(room->mask, 0, graph->indices * sizeof *room->mask);
    if (threads > 1)
        return colour_shares(&colouring, threads);
    sort_turns(&colouring, 0, graph->count);
    return colour_list(&colouring, room->order, graph->count, 0);
}
