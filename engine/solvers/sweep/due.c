#include "engine/solvers/sweep/due.h"

#include <stdbool.h>

#include "parallel/colour.h"

// While a body may travel: before any of the colours [begin, end].
struct window {
    int begin, end;
};

static uint64_t bit(int colour) { return (uint64_t)1 << colour; }

static int lowest(uint64_t set) { return __builtin_ctzll(set); }
static int highest(uint64_t set) { return 63 - __builtin_clzll(set); }

// Writes the windows of a body, one for each read that needs a message. Returns their number.
static int find_windows(uint64_t used, uint64_t read, struct window *window) {
    uint64_t changed = used & ~read, passed = 0;
    bool stale = changed > read; // some change comes after the last read of the sweep before
    int count = 0;
    for (uint64_t rest = read; rest != 0; rest &= rest - 1) {
        int colour = lowest(rest);
        uint64_t since = changed & (bit(colour) - 1) & ~passed;
        if (since != 0 || stale)
            window[count++] = (struct window){since != 0 ? highest(since) + 1 : 0, colour};
        passed = bit(colour) - 1;
        stale = false;
    }
    return count;
}

// Returns the fewest places such that each window has one: the latest beginning of a window that
// has none yet, again and again. first_end: by beginning, the first end of such windows.
static uint64_t choose_places(const int *first_end) {
    uint64_t places = 0;
    int next = COLOUR_MAX;
    for (int k = COLOUR_MAX - 1; k >= 0; k--)
        if (first_end[k] < next) {
            places |= bit(k);
            next = k;
        }
    return places;
}

void due_find(const uint64_t *used, const uint64_t *read, size_t count, uint64_t *due) {
    struct window window[COLOUR_MAX];
    int first_end[COLOUR_MAX];
    for (int k = 0; k < COLOUR_MAX; k++)
        first_end[k] = COLOUR_MAX;
    for (size_t i = 0; i < count; i++)
        for (int w = find_windows(used[i], read[i], window); w-- > 0;)
            if (window[w].end < first_end[window[w].begin])
                first_end[window[w].begin] = window[w].end;
    uint64_t places = choose_places(first_end);
    for (size_t i = 0; i < count; i++) {
        due[i] = 0;
        for (int w = find_windows(used[i], read[i], window); w-- > 0;)
            due[i] |= bit(window[w].begin + lowest(places >> window[w].begin));
    }
}
