// What messages between the ranks of one machine cost, for the model of tests/bench/ranks_model.py:
//   make MPI=1 build/mpi/tests/bench/messages && mpirun -n 2 build/mpi/tests/bench/messages
// Each rank exchanges elements of an array with the next one (0 with 1, 2 with 3), by the same
// calls as a sweep. Shortest of many repeats, because other programs may have the cores meanwhile.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "parallel/clock.h"
#include "parallel/exchange.h"
#include "parallel/memory.h"
#include "parallel/ranks.h"

#define STRIDE   64 // of a body in a sweep (engine/solvers/sweep/plan.h)
#define BYTES    56
#define CHANNELS 4
#define REPEATS  2000
#define ELEMENTS ((size_t)1 << 17) // of the array: more than a cache holds
#define WORDS    12                // that a sweep sums up

static const size_t channel_elements[CHANNELS] = {1, 100, 1000, 10000};

// Elements in ascending order with gaps, as the bodies at a border.
static void set_channel(struct exchange *exchange, int channel) {
    size_t count = channel_elements[channel];
    uint32_t *index = memory_allocate(count, sizeof *index, "elements");
    for (size_t k = 0; k < count; k++)
        index[k] = (uint32_t)(k * (ELEMENTS / count));
    struct exchange_peer peer = {ranks_me() ^ 1, index, index, count, count};
    exchange_set(exchange, channel, &peer, 1);
    memory_free(index);
}

static double exchange_seconds(struct exchange *exchange, int channel, char *array) {
    double least = INFINITY;
    for (int k = 0; k < REPEATS; k++) {
        double begin = clock_seconds();
        exchange_start(exchange, channel, array);
        exchange_finish(exchange, channel, array);
        least = fmin(least, clock_seconds() - begin);
    }
    ranks_max(&least, 1);
    return least;
}

static double reduction_seconds(void) {
    double least = INFINITY;
    int64_t words[WORDS] = {0};
    for (int k = 0; k < REPEATS; k++) {
        double begin = clock_seconds();
        ranks_sum_signed(words, WORDS);
        least = fmin(least, clock_seconds() - begin);
    }
    ranks_max(&least, 1);
    return least;
}

int main(void) {
    ranks_begin();
    if (ranks_count() % 2 != 0) {
        fprintf(stderr, "messages: %d ranks; start an even number with mpirun\n", ranks_count());
        return ranks_end(2);
    }
    struct exchange *exchange = exchange_create(CHANNELS, STRIDE, BYTES);
    char *array = memory_allocate(ELEMENTS, STRIDE, "elements");
    for (int channel = 0; channel < CHANNELS; channel++) {
        set_channel(exchange, channel);
        double seconds = exchange_seconds(exchange, channel, array);
        if (ranks_me() == 0)
            printf("%zu elements: %.2f us\n", channel_elements[channel], 1e6 * seconds);
    }
    double reduction = reduction_seconds();
    if (ranks_me() == 0)
        printf("reduction: %.2f us\n", 1e6 * reduction);
    exchange_free(exchange);
    memory_free(array);
    return ranks_end(0);
}
