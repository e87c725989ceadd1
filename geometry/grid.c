#include "geometry/grid.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/cells.h"
#include "parallel/check.h"
#include "parallel/memory.h"
#include "parallel/sort.h"

#define LEVELS            16     // bodies above 2^15 times the smallest size share
#define LEVEL_LAST        0x1p15 // the last level
#define BODIES_PER_THREAD 4096
#define CELLS_MAX         (1 << 19) // along each axis; larger scenes get larger cells

// Copies of the bodies in cell order; the search reads only these, from front to back.
struct grid_item {
    vec3 x;
    double reach;
};

struct grid_level {
    double cell;
    int64_t nx, ny, nz;
    uint64_t base; // first key
    size_t end;    // index after its last item; that of the level before if it is empty
};

struct grid_pair {
    int32_t first, second;
};

// What one thread found. Begins in the memory that is lent to the search, with room for as many
// pairs as the last search found; if there are more, moves to memory of its own.
struct pair_buffer {
    struct grid_pair *list, *own;
    size_t count, capacity;
    char padding[CACHE_LINE - 2 * sizeof(struct grid_pair *) - 2 * sizeof(size_t)];
};

struct grid {
    vec3 low, high;
    double reach_min;
    struct grid_level level[LEVELS];
    uint64_t *key; // this and the two below are lent to a search
    uint32_t *body;
    struct grid_item *item;
    struct pair_buffer *buffer; // one per thread
    size_t most_pairs;          // of a buffer in the last search
    int buffers, threads;       // number of buffers, and of those in use in this search
};

struct grid_call { // arguments shared by the parallel parts of one search
    struct grid *grid;
    const vec3 *x;
    const double *reach;
    size_t count;
    int32_t moving;
    struct pair_list *pairs;
};

struct grid *grid_create(void) {
    return memory_allocate(1, sizeof(struct grid), "grid");
}

void grid_free(struct grid *grid) {
    if (!grid)
        return;
    for (int t = 0; t < grid->buffers; t++)
        memory_free(grid->buffer[t].own);
    memory_free(grid->buffer);
    memory_free(grid);
}

void pair_list_free(struct pair_list *pairs) {
    memory_free(pairs->start);
    memory_free(pairs->other);
    *pairs = (struct pair_list){0};
}

// Levels --------------------------------------------------------------------------------------

static void measure_bounds(void *context, size_t begin, size_t end, double *out) {
    const struct grid_call *call = context;
    for (int k = 0; k < 7; k++)
        out[k] = -INFINITY;
    for (size_t i = begin; i < end; i++) {
        vec3 x = call->x[i];
        out[0] = fmax(out[0], x.x);
        out[1] = fmax(out[1], x.y);
        out[2] = fmax(out[2], x.z);
        out[3] = fmax(out[3], -x.x);
        out[4] = fmax(out[4], -x.y);
        out[5] = fmax(out[5], -x.z);
        out[6] = fmax(out[6], -call->reach[i]);
    }
}

static int level_of(const struct grid *grid, double reach) {
    int exponent;
    double ratio = reach / grid->reach_min;
    if (!(ratio < LEVEL_LAST)) // also where it is beyond the range of numbers
        return LEVELS - 1;
    frexp(ratio, &exponent); // ratio in [2^(e-1), 2^e)
    return exponent < 1 ? 0 : exponent - 1;
}

static void measure_levels(void *context, size_t begin, size_t end, double *out) {
    const struct grid_call *call = context;
    for (size_t i = begin; i < end; i++) {
        int level = level_of(call->grid, call->reach[i]);
        out[level] = fmax(out[level], call->reach[i]);
    }
}

// Differences of far positions may be beyond the range of numbers.
static vec3 offset_of(vec3 x, vec3 low) {
    vec3 offset = vec3_sub(x, low);
    return vec3_make(fmin(offset.x, DBL_MAX), fmin(offset.y, DBL_MAX), fmin(offset.z, DBL_MAX));
}

static void size_levels(struct grid *grid, const double *largest) {
    vec3 span = offset_of(grid->high, grid->low);
    double longest = fmax(span.x, fmax(span.y, span.z));
    uint64_t base = 0;
    for (int k = 0; k < LEVELS; k++) {
        struct grid_level *level = &grid->level[k];
        *level = (struct grid_level){.base = base};
        if (largest[k] <= 0)
            continue;
        // Two bodies of a level touch only if their centres are no further apart than one cell.
        level->cell = fmax(2.0 * largest[k] * (1 + 1e-12), longest / CELLS_MAX);
        level->nx = (int64_t)(span.x / level->cell) + 1;
        level->ny = (int64_t)(span.y / level->cell) + 1;
        level->nz = (int64_t)(span.z / level->cell) + 1;
        CHECK(level->nx > 0 && level->ny > 0 && level->nz > 0, "a level of the grid has no cells");
        base += (uint64_t)(level->nx * level->ny * level->nz);
    }
}

static void fill_keys(void *context, size_t begin, size_t end) {
    const struct grid_call *call = context;
    struct grid *grid = call->grid;
    for (size_t i = begin; i < end; i++) {
        const struct grid_level *level = &grid->level[level_of(grid, call->reach[i])];
        vec3 offset = offset_of(call->x[i], grid->low);
        int64_t cx = cells_find(offset.x, level->cell, level->nx);
        int64_t cy = cells_find(offset.y, level->cell, level->ny);
        int64_t cz = cells_find(offset.z, level->cell, level->nz);
        grid->key[i] = level->base + (uint64_t)((cz * level->ny + cy) * level->nx + cx);
        grid->body[i] = (uint32_t)i;
    }
}

static void fill_items(void *context, size_t begin, size_t end) {
    const struct grid_call *call = context;
    struct grid *grid = call->grid;
    for (size_t k = begin; k < end; k++) {
        uint32_t i = grid->body[k];
        grid->item[k] = (struct grid_item){call->x[i], call->reach[i]};
    }
}

// Search --------------------------------------------------------------------------------------

static size_t lower_bound(const uint64_t *key, size_t low, size_t high, uint64_t wanted) {
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (key[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void grow_buffer(struct pair_buffer *buffer) {
    bool moves = !buffer->own;
    buffer->own = memory_reserve(buffer->own, &buffer->capacity, buffer->count + 1,
                                 sizeof *buffer->own, "candidate pairs");
    if (moves && buffer->count > 0)
        memcpy(buffer->own, buffer->list, buffer->count * sizeof *buffer->own);
    buffer->list = buffer->own;
}

static void emit_pair(struct pair_buffer *buffer, uint32_t i, uint32_t j, int32_t moving) {
    int32_t first = (int32_t)(i < j ? i : j), second = (int32_t)(i < j ? j : i);
    if (first >= moving)
        return;
    if (buffer->count == buffer->capacity)
        grow_buffer(buffer);
    buffer->list[buffer->count++] = (struct grid_pair){first, second};
}

// Tests item s against the items from t on whose key is at most `last`.
static void test_run(const struct grid_call *call, struct pair_buffer *buffer, size_t s, size_t t,
                     uint64_t last) {
    const struct grid *grid = call->grid;
    struct grid_item me = grid->item[s];
    for (; t < call->count && grid->key[t] <= last; t++) {
        vec3 d = vec3_sub(grid->item[t].x, me.x);
        double reach = me.reach + grid->item[t].reach;
        if (vec3_dot(d, d) <= reach * reach)
            emit_pair(buffer, grid->body[s], grid->body[t], call->moving);
    }
}

// The four rows of cells after an item's own row that hold its remaining neighbours on its level.
// As items are visited in key order, the place where each row's run starts only moves forward.
struct row_cursor {
    int dy, dz;
    size_t place;
    bool placed;
};

static void search_own_level(const struct grid_call *call, struct pair_buffer *buffer, size_t s,
                             const struct grid_level *level, struct row_cursor *rows) {
    const struct grid *grid = call->grid;
    uint64_t key = grid->key[s], local = key - level->base;
    int64_t cx = (int64_t)(local % (uint64_t)level->nx);
    int64_t row = (int64_t)(local / (uint64_t)level->nx);
    int64_t cy = row % level->ny, cz = row / level->ny;
    test_run(call, buffer, s, s + 1, cx + 1 < level->nx ? key + 1 : key);
    for (int r = 0; r < 4; r++) {
        int64_t y = cy + rows[r].dy, z = cz + rows[r].dz;
        if (y < 0 || y >= level->ny || z >= level->nz)
            continue;
        uint64_t start = level->base + (uint64_t)((z * level->ny + y) * level->nx);
        uint64_t first = start + (uint64_t)(cx > 0 ? cx - 1 : 0);
        uint64_t last = start + (uint64_t)(cx + 1 < level->nx ? cx + 1 : cx);
        if (!rows[r].placed) {
            rows[r].place = lower_bound(grid->key, s, call->count, first);
            rows[r].placed = true;
        }
        while (rows[r].place < call->count && grid->key[rows[r].place] < first)
            rows[r].place++;
        test_run(call, buffer, s, rows[r].place, last);
    }
}

// The cells of a coarser level that a body may touch. They are kept from one item to the next,
// because neighbours in key order mostly need the same ones and most of their rows are empty.
struct coarse_window {
    int64_t low[3], high[3];
    int rows;         // number of rows that hold items
    size_t place[27]; // first item of each row
    uint64_t last[27];
    bool valid;
};

static void window_of(const struct grid *grid, const struct grid_level *level,
                      struct grid_item item, int64_t *low, int64_t *high) {
    double margin = item.reach + 0.5 * level->cell;
    int64_t n[3] = {level->nx, level->ny, level->nz};
    vec3 offset = offset_of(item.x, grid->low);
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = cells_find(vec3_get(offset, axis) - margin, level->cell, n[axis]);
        high[axis] = cells_find(vec3_get(offset, axis) + margin, level->cell, n[axis]);
    }
}

static void fill_window(const struct grid_call *call, const struct grid_level *level, size_t s,
                        struct coarse_window *window) {
    const struct grid *grid = call->grid;
    const int64_t *low = window->low, *high = window->high;
    window->rows = 0;
    for (int64_t z = low[2]; z <= high[2]; z++)
        for (int64_t y = low[1]; y <= high[1]; y++) {
            uint64_t start = level->base + (uint64_t)((z * level->ny + y) * level->nx);
            uint64_t last = start + (uint64_t)high[0];
            size_t place = lower_bound(grid->key, s + 1, call->count, start + (uint64_t)low[0]);
            if (place == call->count || grid->key[place] > last)
                continue;
            window->place[window->rows] = place;
            window->last[window->rows++] = last;
        }
    window->valid = true;
}

static void search_coarser(const struct grid_call *call, struct pair_buffer *buffer, size_t s,
                           const struct grid_level *level, struct coarse_window *window) {
    int64_t low[3], high[3];
    window_of(call->grid, level, call->grid->item[s], low, high);
    if (!window->valid || memcmp(low, window->low, sizeof low) != 0 ||
        memcmp(high, window->high, sizeof high) != 0) {
        memcpy(window->low, low, sizeof low);
        memcpy(window->high, high, sizeof high);
        fill_window(call, level, s, window);
    }
    for (int k = 0; k < window->rows; k++)
        test_run(call, buffer, s, window->place[k], window->last[k]);
}

static void search_range(void *context, int thread, int threads) {
    const struct grid_call *call = context;
    struct grid *grid = call->grid;
    struct pair_buffer *buffer = &grid->buffer[thread];
    size_t begin, end;
    team_share(0, call->count, thread, threads, &begin, &end);
    struct row_cursor rows[4] = {{1, 0, 0, 0}, {-1, 1, 0, 0}, {0, 1, 0, 0}, {1, 1, 0, 0}};
    struct coarse_window windows[LEVELS] = {0};
    int k = 0;
    buffer->count = 0;
    for (size_t s = begin; s < end; s++) {
        if (s >= grid->level[k].end || s == begin) {
            while (s >= grid->level[k].end)
                k++;
            for (int r = 0; r < 4; r++)
                rows[r].placed = false;
            memset(windows, 0, sizeof windows);
        }
        search_own_level(call, buffer, s, &grid->level[k], rows);
        for (int coarser = k + 1; coarser < LEVELS; coarser++)
            if (grid->level[coarser].cell > 0)
                search_coarser(call, buffer, s, &grid->level[coarser], &windows[coarser]);
    }
}

// Canonical order -----------------------------------------------------------------------------

// Each thread owns a range of first bodies and reads all buffers for them. No two threads write to
// the same place, and the sorted list does not depend on the order of the buffers.
static void thread_range(const struct grid_call *call, int thread, int threads, int32_t *begin,
                         int32_t *end) {
    size_t from, to;
    team_share(0, (size_t)call->moving, thread, threads, &from, &to);
    *begin = (int32_t)from;
    *end = (int32_t)to;
}

static void count_pairs(void *context, int thread, int threads) {
    const struct grid_call *call = context;
    uint32_t *start = call->pairs->start;
    int32_t begin, end;
    thread_range(call, thread, threads, &begin, &end);
    memset(start + begin + 1, 0, (size_t)(end - begin) * sizeof *start);
    for (int t = 0; t < call->grid->buffers; t++) {
        const struct pair_buffer *buffer = &call->grid->buffer[t];
        for (size_t k = 0; k < buffer->count; k++) {
            int32_t first = buffer->list[k].first;
            if (first >= begin && first < end)
                start[first + 1]++;
        }
    }
}

static void sort_neighbours(int32_t *list, uint32_t count) {
    for (uint32_t k = 1; k < count; k++) {
        int32_t value = list[k];
        uint32_t place = k;
        for (; place > 0 && list[place - 1] > value; place--)
            list[place] = list[place - 1];
        list[place] = value;
    }
}

// Insertion sort for the usual dozen neighbours; a big body may have thousands.
static int compare_indices(const void *a, const void *b) {
    return (*(const int32_t *)a > *(const int32_t *)b) -
           (*(const int32_t *)a < *(const int32_t *)b);
}

static void place_pairs(void *context, int thread, int threads) {
    const struct grid_call *call = context;
    uint32_t *start = call->pairs->start;
    int32_t *other = call->pairs->other;
    int32_t begin, end;
    thread_range(call, thread, threads, &begin, &end);
    if (begin == end)
        return;
    // start[i] is used as the next free place of i, and ends up as the start of i + 1. The caller
    // shifts the array back by one.
    for (int t = 0; t < call->grid->buffers; t++) {
        const struct pair_buffer *buffer = &call->grid->buffer[t];
        for (size_t k = 0; k < buffer->count; k++) {
            int32_t first = buffer->list[k].first;
            if (first >= begin && first < end)
                other[start[first]++] = buffer->list[k].second;
        }
    }
}

static void order_pairs(void *context, int thread, int threads) {
    const struct grid_call *call = context;
    const uint32_t *start = call->pairs->start;
    int32_t begin, end;
    thread_range(call, thread, threads, &begin, &end);
    for (int32_t i = begin; i < end; i++) {
        uint32_t count = start[i + 1] - start[i];
        if (count <= 32)
            sort_neighbours(call->pairs->other + start[i], count);
        else
            qsort(call->pairs->other + start[i], count, sizeof(int32_t), compare_indices);
    }
}

static void build_lists(struct grid_call *call, struct team *team) {
    struct pair_list *pairs = call->pairs;
    size_t total = 0;
    for (int t = 0; t < call->grid->buffers; t++)
        total += call->grid->buffer[t].count;
    pairs->count = total;
    pairs->start = memory_reserve(pairs->start, &pairs->start_capacity, (size_t)call->moving + 1,
                                  sizeof *pairs->start, "pair list");
    pairs->other = memory_reserve(pairs->other, &pairs->other_capacity, total, sizeof *pairs->other,
                                  "pair list");
    pairs->start[0] = 0;
    team_run(team, call->grid->threads, count_pairs, call);
    for (int32_t i = 0; i < call->moving; i++)
        pairs->start[i + 1] += pairs->start[i];
    team_run(team, call->grid->threads, place_pairs, call);
    memmove(pairs->start + 1, pairs->start, (size_t)call->moving * sizeof *pairs->start);
    pairs->start[0] = 0;
    team_run(team, call->grid->threads, order_pairs, call);
}

// ---------------------------------------------------------------------------------------------

static void prepare_buffers(struct grid *grid, int threads) {
    if (grid->buffers >= threads)
        return;
    grid->buffer =
        memory_resize(grid->buffer, (size_t)threads, sizeof *grid->buffer, "pair buffers");
    memset(grid->buffer + grid->buffers, 0,
           (size_t)(threads - grid->buffers) * sizeof *grid->buffer);
    grid->buffers = threads;
}

// Pairs come and go from step to step. The first search has room for those of a loose packing; what
// is not used of it takes no memory.
static size_t expected_pairs(const struct grid *grid, size_t count) {
    if (grid->most_pairs == 0)
        return 4 * count / (size_t)grid->threads;
    return grid->most_pairs + grid->most_pairs / 16;
}

// Also before a search: one that ran out of memory may have left something.
static void empty_buffers(struct grid *grid) {
    for (int t = 0; t < grid->buffers; t++) {
        memory_free(grid->buffer[t].own);
        grid->buffer[t] = (struct pair_buffer){0};
    }
}

// Keys are lent first, items and buffers after sorting, which borrows as much as keys.
static void *borrow_keys(struct grid *grid, size_t count) {
    struct memory_part part[] = {{.bytes = count * sizeof *grid->key},
                                 {.bytes = count * sizeof *grid->body}};
    void *lent = memory_borrow_parts(part, 2, "grid");
    grid->key = part[0].start;
    grid->body = part[1].start;
    return lent;
}

static void *borrow_items(struct grid *grid, size_t count) {
    size_t each = expected_pairs(grid, count);
    struct memory_part part[] = {
        {.bytes = count * sizeof *grid->item},
        {.bytes = (size_t)grid->threads * each * sizeof(struct grid_pair)}};
    void *lent = memory_borrow_parts(part, 2, "grid");
    grid->item = part[0].start;
    for (int t = 0; t < grid->threads; t++) {
        grid->buffer[t].list = (struct grid_pair *)part[1].start + (size_t)t * each;
        grid->buffer[t].capacity = each;
    }
    return lent;
}

static void note_pairs(struct grid *grid) {
    grid->most_pairs = 0;
    for (int t = 0; t < grid->threads; t++)
        if (grid->buffer[t].count > grid->most_pairs)
            grid->most_pairs = grid->buffer[t].count;
}

static int bits_for(uint64_t largest) {
    int bits = 1;
    while (bits < 64 && largest >> bits)
        bits++;
    return bits;
}

static void bound_levels(struct grid *grid, size_t count) {
    size_t place = 0;
    for (int k = 0; k < LEVELS; k++) {
        uint64_t next = k + 1 < LEVELS ? grid->level[k + 1].base : UINT64_MAX;
        place = lower_bound(grid->key, place, count, next);
        grid->level[k].end = place;
    }
}

void grid_find_pairs(struct grid *grid, struct team *team, const vec3 *x, const double *reach,
                     int32_t count, int32_t moving, struct pair_list *pairs) {
    struct grid_call call = {grid, x, reach, (size_t)count, moving, pairs};
    grid->threads = team_worth(team, (size_t)count, BODIES_PER_THREAD);
    prepare_buffers(grid, grid->threads);
    empty_buffers(grid);
    void *keys_lent = borrow_keys(grid, (size_t)count), *items_lent = NULL;
    if (count > 0) {
        double bound[7], largest[LEVELS];
        size_t n = (size_t)count;
        team_max(team, n, 7, measure_bounds, &call, bound);
        grid->high = vec3_make(bound[0], bound[1], bound[2]);
        grid->low = vec3_make(-bound[3], -bound[4], -bound[5]);
        grid->reach_min = -bound[6];
        team_max(team, n, LEVELS, measure_levels, &call, largest);
        size_levels(grid, largest);
        team_for(team, n, 4096, fill_keys, &call);
        const struct grid_level *last = &grid->level[LEVELS - 1];
        uint64_t keys = last->base + (uint64_t)(last->nx * last->ny * last->nz);
        sort_by_key(team, grid->key, grid->body, n, bits_for(keys));
        items_lent = borrow_items(grid, n);
        team_for(team, n, 4096, fill_items, &call);
        bound_levels(grid, n);
        team_run(team, grid->threads, search_range, &call);
    }
    build_lists(&call, team);
    note_pairs(grid);
    empty_buffers(grid);
    memory_return(items_lent);
    memory_return(keys_lent);
}
