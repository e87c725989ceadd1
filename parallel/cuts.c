#include "parallel/cuts.h"

#include "parallel/memory.h"

void cuts_free(struct cuts *cuts) {
    memory_free(cuts->first);
    *cuts = (struct cuts){0};
}

// Returns the index up to which the bins weigh `wanted`, taking the weight of a bin as spread
// evenly over its indices. `bin` and `before`, its first bin and the weight before that, only grow.
static int32_t place_of(double wanted, const double *weight, size_t bins, int32_t count,
                        size_t *bin, double *before) {
    double length = (double)count / (double)bins;
    while (*bin + 1 < bins && *before + weight[*bin] <= wanted)
        *before += weight[(*bin)++];
    double share = weight[*bin] > 0 ? (wanted - *before) / weight[*bin] : 0;
    double place = ((double)*bin + (share < 1 ? share : 1)) * length;
    return place < (double)count ? (int32_t)place : count;
}

void cuts_make(struct cuts *cuts, int ranks, int me, int32_t count, const double *weight,
               size_t bins) {
    double total = 0, before = 0;
    size_t bin = 0;
    for (size_t k = 0; k < bins; k++)
        total += weight[k];
    cuts->first =
        memory_resize(cuts->first, (size_t)ranks + 1, sizeof *cuts->first, "pieces of ranks");
    cuts->ranks = ranks;
    cuts->me = me;
    cuts->first[0] = 0; // also where the first bins weigh nothing
    for (int rank = 1; rank < ranks; rank++)
        cuts->first[rank] = total > 0
                                ? place_of(total * rank / ranks, weight, bins, count, &bin, &before)
                                : (int32_t)((int64_t)count * rank / ranks);
    cuts->first[ranks] = count;
}

int cuts_owner(const struct cuts *cuts, int32_t i) {
    int low = 0, high = cuts->first ? cuts->ranks - 1 : 0;
    while (low < high) {
        int middle = low + (high - low) / 2 + 1;
        if (cuts->first[middle] <= i)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
