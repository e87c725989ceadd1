#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "engine/solvers/newton/block_dense.h"
#include "engine/solvers/newton/block_kernel.h"
#include "parallel/stop.h"

// Panels --------------------------------------------------------------------------------------

// Rows of a panel are counted from its first column on; those from `columns` on are below it.
struct view {
    int32_t first, columns, rows;
    const int32_t *row;         // those of its first column
    ptrdiff_t skip[PANEL_MOST]; // of each column: its block in row r is number skip + r
};

INLINE struct view view_panel(const struct block_matrix *matrix, int32_t p) {
    struct panel panel = matrix->pieces.panel[p];
    const size_t *start = matrix->start + panel.first;
    struct view view = {.first = panel.first, .columns = panel.count};
    view.rows = (int32_t)(start[1] - start[0]) + 1;
    view.row = matrix->row + start[0];
    for (int32_t q = 0; q < panel.count; q++)
        view.skip[q] = (ptrdiff_t)start[q] - q - 1;
    return view;
}

// Returns the row of the matrix.
INLINE int32_t row_of(const struct view *view, int32_t r) {
    return r > 0 ? view->row[r - 1] : view->first;
}

INLINE double *block_at(int side, double *blocks, ptrdiff_t k) {
    return blocks + k * side * BLOCK_STRIDE(side);
}

// What the first columns of a panel change in column q of its rows, where q is a row of the panel
// too: blocks below the diagonal and above it, of one row r or of two.
struct change {
    const struct view *view;
    int32_t columns, q, r;
    double *below, *above;           // of row r
    double *also_below, *also_above; // of row r + 1
};

INLINE void apply(int side, int lanes, bool two, struct block_matrix *matrix,
                  const struct change *change) {
    struct sources sources = {.skip = change->view->skip, .count = change->columns};
    sources.a = block_at(side, matrix->above, change->q);
    sources.b = block_at(side, matrix->below, change->r);
    subtract_products(side, lanes, two, change->below, change->also_below, &sources);
    sources.a = block_at(side, matrix->below, change->q);
    sources.b = block_at(side, matrix->above, change->r);
    subtract_products(side, lanes, two, change->above, change->also_above, &sources);
}

// The block on the diagonal of row r changes only once.
INLINE void apply_diagonal(int side, int lanes, struct block_matrix *matrix,
                           const struct view *view, int32_t columns, int32_t r) {
    struct sources sources = {.skip = view->skip, .count = columns};
    sources.a = block_at(side, matrix->below, r);
    sources.b = block_at(side, matrix->above, r);
    subtract_products(side, lanes, false, block_at(side, matrix->diagonal, row_of(view, r)), NULL,
                      &sources);
}

INLINE void divide_block(int side, int lanes, struct block_matrix *matrix, double *below,
                         int32_t k) {
    divide(side, lanes, below, block_at(side, matrix->diagonal, k), matrix->order + side * k);
}

// Makes the blocks of row r final in the first columns of the panel, and those of row r + 1.
INLINE void finish_row(int side, int lanes, struct block_matrix *matrix, const struct view *view,
                       int32_t columns, int32_t r) {
    for (int32_t q = 0; q < columns; q++) {
        double *below = block_at(side, matrix->below, view->skip[q] + r);
        double *above = block_at(side, matrix->above, view->skip[q] + r);
        struct change change = {view, q, q, r, below, above, NULL, NULL};
        if (q > 0)
            apply(side, lanes, false, matrix, &change);
        divide_block(side, lanes, matrix, below, view->first + q);
    }
}

INLINE void finish_two(int side, int lanes, struct block_matrix *matrix, const struct view *view,
                       int32_t columns, int32_t r) {
    ptrdiff_t size = side * BLOCK_STRIDE(side);
    for (int32_t q = 0; q < columns; q++) {
        double *below = block_at(side, matrix->below, view->skip[q] + r);
        double *above = block_at(side, matrix->above, view->skip[q] + r);
        struct change change = {view, q, q, r, below, above, below + size, above + size};
        if (q > 0)
            apply(side, lanes, true, matrix, &change);
        divide_block(side, lanes, matrix, below, view->first + q);
        divide_block(side, lanes, matrix, below + size, view->first + q);
    }
}

INLINE void finish_rows(int side, int lanes, struct block_matrix *matrix, const struct view *view,
                        int32_t from, int32_t to) {
    int32_t r = from;
    for (; r + 1 < to; r += 2)
        finish_two(side, lanes, matrix, view, view->columns, r);
    if (r < to)
        finish_row(side, lanes, matrix, view, view->columns, r);
}

// The square of the panel on the diagonal. Returns false where a pivot is singular.
INLINE bool factor_square(int side, int lanes, struct block_matrix *matrix,
                          const struct view *view) {
    bool good = true;
    for (int32_t r = 0; r < view->columns; r++) {
        finish_row(side, lanes, matrix, view, r, r);
        if (r > 0)
            apply_diagonal(side, lanes, matrix, view, r, r);
        good &= factor_pivot(side, block_at(side, matrix->diagonal, view->first + r),
                             matrix->order + side * (view->first + r));
    }
    return good;
}

// Subtracts what the panel changes in the column of its row q. The rows of the panel after q are
// among those of that column: one walk finds them.
INLINE void update_column(int side, int lanes, struct block_matrix *matrix, const struct view *view,
                          int32_t q) {
    struct change change = {.view = view, .columns = view->columns, .q = q};
    size_t to = matrix->start[row_of(view, q)];
    apply_diagonal(side, lanes, matrix, view, view->columns, q);
    for (int32_t r = q + 1; r < view->rows; r += 2) {
        while (matrix->row[to] != row_of(view, r))
            to++;
        change.r = r;
        change.below = block_at(side, matrix->below, (ptrdiff_t)to);
        change.above = block_at(side, matrix->above, (ptrdiff_t)to);
        if (r + 1 == view->rows) {
            apply(side, lanes, false, matrix, &change);
            break;
        }
        while (matrix->row[to] != row_of(view, r + 1))
            to++;
        change.also_below = block_at(side, matrix->below, (ptrdiff_t)to);
        change.also_above = block_at(side, matrix->above, (ptrdiff_t)to);
        apply(side, lanes, true, matrix, &change);
    }
}

// Ranges --------------------------------------------------------------------------------------
// From here on the order in time is that of the threads; the order of the sums is not.

struct factoring {
    struct block_matrix *matrix;
    int32_t panel; // of the top, which is shared
    atomic_bool singular, stopped;
};

// Returns whether somebody asks to stop, which only the calling thread can see. What is left of a
// loop is then left out.
INLINE bool is_stopped(struct factoring *factoring) {
    if (stop_requested())
        atomic_store_explicit(&factoring->stopped, true, memory_order_relaxed);
    return atomic_load_explicit(&factoring->stopped, memory_order_relaxed);
}

INLINE void note_pivot(struct factoring *factoring, bool good) {
    if (!good)
        atomic_store_explicit(&factoring->singular, true, memory_order_relaxed);
}

// Only blocks of pairs are not zero at the beginning.
INLINE void transpose_pairs(int side, int lanes, struct factoring *factoring, size_t from,
                            size_t to) {
    struct block_matrix *matrix = factoring->matrix;
    (void)lanes;
    for (size_t k = from; k < to; k++)
        transpose(side, block_at(side, matrix->below, (ptrdiff_t)matrix->listed[k]));
}

// Factorises panels and what they change in the columns before `end`.
INLINE void factor_panels(int side, int lanes, struct factoring *factoring, int32_t from,
                          int32_t to, int32_t end) {
    struct block_matrix *matrix = factoring->matrix;
    for (int32_t p = from; p < to && !is_stopped(factoring); p++) {
        struct view view = view_panel(matrix, p);
        note_pivot(factoring, factor_square(side, lanes, matrix, &view));
        finish_rows(side, lanes, matrix, &view, view.columns, view.rows);
        for (int32_t q = view.columns; q < view.rows && row_of(&view, q) < end; q++)
            update_column(side, lanes, matrix, &view, q);
    }
}

// The last column of a piece is its root; rows beyond it are those of the top.
INLINE void factor_pieces(int side, int lanes, struct factoring *factoring, size_t from,
                          size_t to) {
    const struct block_pieces *pieces = &factoring->matrix->pieces;
    for (size_t p = from; p < to; p++) {
        struct panel last = pieces->panel[pieces->start[p + 1] - 1];
        factor_panels(side, lanes, factoring, pieces->start[p], pieces->start[p + 1],
                      last.first + last.count);
    }
}

// What the pieces change in columns of the top.
INLINE void gather_pieces(int side, int lanes, struct factoring *factoring, size_t from,
                          size_t to) {
    const struct block_pieces *pieces = &factoring->matrix->pieces;
    for (size_t t = from; t < to && !is_stopped(factoring); t++)
        for (size_t g = pieces->gather_start[t]; g < pieces->gather_start[t + 1]; g++) {
            struct view view = view_panel(factoring->matrix, pieces->gather[g].panel);
            update_column(side, lanes, factoring->matrix, &view, pieces->gather[g].row);
        }
}

// Panels of the top, by one thread.
INLINE void factor_top(int side, int lanes, struct factoring *factoring, size_t from, size_t to) {
    factor_panels(side, lanes, factoring, (int32_t)from, (int32_t)to, factoring->matrix->nodes);
}

// A panel of the top, by all threads: its square by one, then its rows, then what it changes.
INLINE void factor_shared(int side, int lanes, struct factoring *factoring, size_t from,
                          size_t to) {
    struct view view = view_panel(factoring->matrix, factoring->panel);
    if (from < to)
        note_pivot(factoring, factor_square(side, lanes, factoring->matrix, &view));
}

INLINE void finish_shared(int side, int lanes, struct factoring *factoring, size_t from,
                          size_t to) {
    struct view view = view_panel(factoring->matrix, factoring->panel);
    finish_rows(side, lanes, factoring->matrix, &view, view.columns + (int32_t)from,
                view.columns + (int32_t)to);
}

INLINE void update_shared(int side, int lanes, struct factoring *factoring, size_t from,
                          size_t to) {
    struct view view = view_panel(factoring->matrix, factoring->panel);
    for (size_t q = from; q < to; q++)
        update_column(side, lanes, factoring->matrix, &view, view.columns + (int32_t)q);
}

// Versions ------------------------------------------------------------------------------------

// Defines a range function for a version: `suffix` names it, `target` lets the compiler use what
// the processor has.
#define RANGE(work, suffix, target, side, lanes)                                                   \
    target static void work##suffix(void *context, size_t from, size_t to) {                       \
        work(side, lanes, context, from, to);                                                      \
    }

#define VERSION(suffix, target, side, lanes)                                                       \
    RANGE(transpose_pairs, suffix, target, side, lanes)                                            \
    RANGE(factor_pieces, suffix, target, side, lanes)                                              \
    RANGE(gather_pieces, suffix, target, side, lanes)                                              \
    RANGE(factor_top, suffix, target, side, lanes)                                                 \
    RANGE(factor_shared, suffix, target, side, lanes)                                              \
    RANGE(finish_shared, suffix, target, side, lanes)                                              \
    RANGE(update_shared, suffix, target, side, lanes)                                              \
    static const struct block_kernel kernel##suffix = {                                            \
        transpose_pairs##suffix, factor_pieces##suffix, gather_pieces##suffix, factor_top##suffix, \
        factor_shared##suffix,   finish_shared##suffix, update_shared##suffix};

VERSION(_3, , 3, 2)
VERSION(_6, , 6, 2)
#ifdef __x86_64__
VERSION(_3_avx2, __attribute__((target("avx2"))), 3, 4)
VERSION(_6_avx2, __attribute__((target("avx2"))), 6, 4)
VERSION(_6_avx512, __attribute__((target("avx512f"))), 6, 8)
#endif

const struct block_kernel *block_kernel_choose(int side) {
#ifdef __x86_64__
    const char *most = getenv("GABION_KERNEL");
    bool plain = most && strcmp(most, "baseline") == 0, narrow = most && strcmp(most, "avx2") == 0;
    if (side == 6 && !plain && !narrow && __builtin_cpu_supports("avx512f"))
        return &kernel_6_avx512;
    if (!plain && __builtin_cpu_supports("avx2"))
        return side == 3 ? &kernel_3_avx2 : &kernel_6_avx2;
#endif
    return side == 3 ? &kernel_3 : &kernel_6;
}

// Factorisation -------------------------------------------------------------------------------

// Panels of the top with fewer rows below are not worth two stages.
#define SHARED_ROWS 8
#define PAIRS       256 // of a chunk

static void share_panel(struct factoring *factoring, struct team *team, int32_t p, size_t rows) {
    const struct block_kernel *kernel = factoring->matrix->kernel;
    factoring->panel = p;
    kernel->factor_square(factoring, 0, 1);
    team_for(team, rows, 2, kernel->finish_rows, factoring);
    team_for(team, rows, 1, kernel->update_columns, factoring);
}

static void factor_the_top(struct factoring *factoring, struct team *team) {
    const struct block_matrix *matrix = factoring->matrix;
    const struct block_pieces *pieces = &matrix->pieces;
    size_t end = (size_t)pieces->start[pieces->count + 1];
    for (size_t p = (size_t)pieces->start[pieces->count]; p < end; p++) {
        struct panel panel = pieces->panel[p];
        size_t rows = matrix->start[panel.first + 1] - matrix->start[panel.first] + 1;
        size_t below = rows - (size_t)panel.count;
        if (is_stopped(factoring))
            return;
        if (team && below >= SHARED_ROWS)
            share_panel(factoring, team, (int32_t)p, below);
        else
            matrix->kernel->factor_panels(factoring, p, p + 1);
    }
}

// Less work than this, in numbers multiplied (some milliseconds), is not worth another thread:
// columns of the top wait for each other a hundred times.
#define THREAD_WORK 30000000

bool block_matrix_factor(struct block_matrix *matrix, struct team *team) {
    const struct block_kernel *kernel = matrix->kernel;
    size_t work = (size_t)matrix->products * (size_t)(matrix->side * matrix->side * matrix->side);
    struct team *shared = team_worth(team, work, THREAD_WORK) > 1 ? team : NULL;
    struct factoring factoring = {.matrix = matrix};
    team_for(shared, matrix->listed_count, PAIRS, kernel->transpose, &factoring);
    team_for(shared, (size_t)matrix->pieces.count, 1, kernel->factor_pieces, &factoring);
    team_for(shared, matrix->pieces.top_count, 1, kernel->gather_pieces, &factoring);
    factor_the_top(&factoring, shared);
    return !factoring.singular && !factoring.stopped;
}
