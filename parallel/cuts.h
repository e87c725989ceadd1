// How the indices [0, count) of something are cut among the ranks of a run: one contiguous piece
// for each, some of which may be empty. What a rank computes for its own piece has the same bits
// wherever the cuts are, so cuts may move at any time.
#ifndef PARALLEL_CUTS_H
#define PARALLEL_CUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cuts {
    int ranks, me;
    int32_t *first; // of each piece; one more entry: the end of the last. NULL: all is one piece
};

void cuts_free(struct cuts *cuts);

// Cuts [0, count) into pieces of about equal weight; weight is that of each of `bins` bins of
// equal length (the last may be shorter). Without weights (bins 0) pieces have equal length.
void cuts_make(struct cuts *cuts, int ranks, int me, int32_t count, const double *weight,
               size_t bins);

// Returns the first index of this rank's piece, and the one after its last.
static inline int32_t cuts_begin(const struct cuts *cuts) {
    return cuts->first ? cuts->first[cuts->me] : 0;
}

static inline int32_t cuts_end(const struct cuts *cuts, int32_t count) {
    return cuts->first ? cuts->first[cuts->me + 1] : count;
}

// Returns whether an index is in this rank's piece.
static inline bool cuts_mine(const struct cuts *cuts, int32_t i) {
    return !cuts->first || (i >= cuts->first[cuts->me] && i < cuts->first[cuts->me + 1]);
}

// Returns the rank in whose piece an index is.
int cuts_owner(const struct cuts *cuts, int32_t i);

#endif
