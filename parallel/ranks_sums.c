#include "parallel/ranks_sums.h"

#include "parallel/memory.h"
#include "parallel/ranks.h"

// All ranks first keep the digits of the same places; whole numbers then add up.
void ranks_merge_sums(struct binned_sum *sums, size_t count) {
    if (ranks_count() == 1)
        return;
    double *bound = memory_allocate(count, sizeof *bound, "sums of all ranks");
    int64_t *word = memory_allocate(count * BINNED_WORDS, sizeof *word, "sums of all ranks");
    for (size_t k = 0; k < count; k++)
        bound[k] = sums[k].bound;
    ranks_max(bound, count);
    for (size_t k = 0; k < count; k++) {
        binned_raise(&sums[k], bound[k]);
        memcpy(&word[k * BINNED_WORDS], sums[k].word, sizeof sums[k].word);
    }
    ranks_sum_signed(word, count * BINNED_WORDS);
    for (size_t k = 0; k < count; k++)
        memcpy(sums[k].word, &word[k * BINNED_WORDS], sizeof sums[k].word);
    memory_free(bound);
    memory_free(word);
}
