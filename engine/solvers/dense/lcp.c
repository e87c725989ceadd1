#include "engine/solvers/dense/lcp.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "parallel/memory.h"
#include "parallel/stop.h"
#include "parallel/team.h"
#include "parallel/wide.h"

// All numbers of the tableau are relative to rows, columns and right-hand side of size one.
#define PIVOT_LEAST   1e-9  // of the largest of its column: below is what rounding leaves of zero
#define TIE           1e-14 // of the values: they may differ by rounding alone
#define TIE_ROWS      1e-9  // of the lexicographic rows, which many pivots have rounded
#define WRONG_SIGN    1e-14 // of the final solution, built anew: more of it starts another round
#define WRONG_AT_MOST 1e-8  // and this much is not a solution
#define ROUNDS        4
#define PARALLEL      200000 // numbers of the tableau that are worth a thread

// Basic variables as functions of the others, one row each:
//   x_row = sum over columns T x_column + value
// Variables: w_i is i, z_i is size + i, the artificial z_0 is 2 size. Columns are those that are
// not basic, then the value, then nothing up to whole lanes.
struct tableau {
    size_t size, stride; // stride in numbers
    const double *M, *q; // as given
    double *row_scale, *column_scale, q_scale;
    double *T;
    size_t *basic, *other; // variable of each row; of each column
    size_t *place;         // row or column of each variable
    bool *is_basic;
    bool *swapped; // w_i and z_i have changed names since the start: see tableau_rename
    double *factor;
    size_t *tied;
    struct team *team;
    int pivots;
};

static double *row_of(const struct tableau *t, size_t i) { return t->T + i * t->stride; }

static double value_of(const struct tableau *t, size_t i) { return row_of(t, i)[t->size + 1]; }

static size_t artificial(const struct tableau *t) { return 2 * t->size; }

// Scales --------------------------------------------------------------------------------------

// The power of two that brings x to about one: a product with it is exact.
static double power_for(double x) {
    int exponent;
    frexp(x, &exponent);
    return x > 0 && isfinite(x) ? ldexp(1, -exponent) : 1;
}

// Signs and complementarity do not change when rows and columns are scaled. Lengths of impulses
// and velocities have nothing to do with each other, so both are.
static void find_scales(struct tableau *t) {
    size_t n = t->size;
    for (size_t i = 0; i < n; i++)
        t->row_scale[i] = t->column_scale[i] = 1;
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < n; i++) {
            double most = 0;
            for (size_t j = 0; j < n; j++)
                most = fmax(most, fabs(t->M[i * n + j]) * t->column_scale[j]);
            t->row_scale[i] = power_for(most);
        }
        double *most = t->factor;
        memset(most, 0, n * sizeof *most);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                most[j] = fmax(most[j], fabs(t->M[i * n + j]) * t->row_scale[i]);
        for (size_t j = 0; j < n; j++)
            t->column_scale[j] = power_for(most[j]);
    }
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(t->q[i]) * t->row_scale[i]);
    t->q_scale = power_for(most);
}

// Tableau -------------------------------------------------------------------------------------

static struct tableau tableau_open(size_t n, const double *M, const double *q, struct team *team) {
    struct tableau t = {.size = n, .stride = (n + 2 + 3) / 4 * 4, .M = M, .q = q, .team = team};
    size_t capacity = 0;
    t.T = memory_reserve_aligned(NULL, &capacity, n * t.stride, sizeof *t.T, "tableau");
    t.row_scale = memory_allocate(n, sizeof(double), "tableau");
    t.column_scale = memory_allocate(n, sizeof(double), "tableau");
    t.factor = memory_allocate(n, sizeof(double), "tableau");
    t.basic = memory_allocate(n, sizeof(size_t), "tableau");
    t.other = memory_allocate(n + 1, sizeof(size_t), "tableau");
    t.place = memory_allocate(2 * n + 1, sizeof(size_t), "tableau");
    t.tied = memory_allocate(n, sizeof(size_t), "tableau");
    t.is_basic = memory_allocate(2 * n + 1, sizeof(bool), "tableau");
    t.swapped = memory_allocate(n, sizeof(bool), "tableau");
    find_scales(&t);
    return t;
}

static void tableau_close(struct tableau *t) {
    void *arrays[] = {t->T,     t->row_scale, t->column_scale, t->factor,   t->basic,
                      t->other, t->place,     t->tied,         t->is_basic, t->swapped};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
}

static void put_basic(struct tableau *t, size_t row, size_t variable) {
    t->basic[row] = variable;
    t->place[variable] = row;
    t->is_basic[variable] = true;
}

static void put_other(struct tableau *t, size_t column, size_t variable) {
    t->other[column] = variable;
    t->place[variable] = column;
    t->is_basic[variable] = false;
}

static void tableau_fill(struct tableau *t) {
    size_t n = t->size;
    memset(t->T, 0, n * t->stride * sizeof *t->T);
    for (size_t i = 0; i < n; i++) {
        double *row = row_of(t, i);
        for (size_t j = 0; j < n; j++)
            row[j] = t->M[i * n + j] * t->row_scale[i] * t->column_scale[j];
        row[n] = 1;
        row[n + 1] = t->q[i] * t->row_scale[i] * t->q_scale;
        put_basic(t, i, i);
        put_other(t, i, n + i);
    }
    put_other(t, n, artificial(t));
}

WIDE static void add_rows(double *T, size_t stride, const double *factor, const double *pivot_row,
                          size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        if (factor[i] == 0)
            continue;
        lanes4 *row = (lanes4 *)(T + i * stride);
        const lanes4 *pivot = (const lanes4 *)pivot_row;
        for (size_t j = 0; j < stride / 4; j++)
            row[j] += factor[i] * pivot[j];
    }
}

struct elimination {
    struct tableau *t;
    const double *pivot_row;
};

static void eliminate(void *context, size_t begin, size_t end) {
    struct elimination *e = context;
    add_rows(e->t->T, e->t->stride, e->t->factor, e->pivot_row, begin, end);
}

// The variable of `column` becomes basic in `row`.
static void tableau_pivot(struct tableau *t, size_t row, size_t column) {
    double *pivot_row = row_of(t, row), pivot = pivot_row[column];
    for (size_t j = 0; j < t->size + 2; j++)
        pivot_row[j] /= -pivot;
    pivot_row[column] = 1 / pivot;
    for (size_t i = 0; i < t->size; i++) {
        double *entry = &row_of(t, i)[column];
        t->factor[i] = i == row ? 0 : *entry;
        if (i != row)
            *entry = 0;
    }
    struct elimination elimination = {t, pivot_row};
    size_t chunk = PARALLEL / t->stride + 1;
    if (t->team && t->size > 2 * chunk)
        team_for(t->team, t->size, chunk, eliminate, &elimination);
    else
        eliminate(&elimination, 0, t->size);
    size_t leaving = t->basic[row], entering = t->other[column];
    put_basic(t, row, entering);
    put_other(t, column, leaving);
}

// The ratio test ------------------------------------------------------------------------------

// With q + (eps, eps^2, ...) in place of q no two rows are ever equal: the number that eps^(j+1) is
// multiplied by in this row.
static double lexicographic(const struct tableau *t, size_t row, size_t j) {
    if (t->is_basic[j])
        return t->basic[row] == j;
    return -row_of(t, row)[t->place[j]];
}

// Returns, among the tied rows, the one that is smallest when divided by its entry in `column`
// (times sign).
static size_t break_tie(const struct tableau *t, size_t column, double sign, size_t count) {
    size_t *tied = t->tied;
    for (size_t j = 0; j < t->size && count > 1; j++) {
        double least = INFINITY;
        for (size_t k = 0; k < count; k++) {
            t->factor[k] = lexicographic(t, tied[k], j) / (sign * row_of(t, tied[k])[column]);
            least = fmin(least, t->factor[k]);
        }
        size_t kept = 0;
        for (size_t k = 0; k < count; k++)
            if (t->factor[k] <= least + TIE_ROWS * (1 + fabs(least)))
                tied[kept++] = tied[k];
        count = kept;
    }
    return tied[0];
}

static double column_most(const struct tableau *t, size_t column) {
    double most = 0;
    for (size_t i = 0; i < t->size; i++)
        most = fmax(most, fabs(row_of(t, i)[column]));
    return most;
}

#define NO_ROW SIZE_MAX

// The row that reaches zero first as the variable of `column` grows. The artificial one is
// preferred: where it can leave, the problem is solved.
static size_t leaving_row(const struct tableau *t, size_t column) {
    double least = PIVOT_LEAST * column_most(t, column), limit = INFINITY;
    for (size_t i = 0; i < t->size; i++) {
        double slope = row_of(t, i)[column];
        if (slope < -least)
            limit = fmin(limit, (fmax(value_of(t, i), 0) + TIE) / -slope);
    }
    size_t count = 0;
    for (size_t i = 0; i < t->size; i++) {
        double slope = row_of(t, i)[column];
        if (!(slope < -least) || value_of(t, i) > limit * -slope)
            continue;
        if (t->basic[i] == artificial(t))
            return i;
        t->tied[count++] = i;
    }
    return count > 0 ? break_tie(t, column, -1, count) : NO_ROW;
}

// The first pivot: z_0 lifts all rows until the lowest is zero. NO_ROW: none was negative.
static size_t lowest_row(const struct tableau *t) {
    double least = 0;
    size_t count = 0;
    for (size_t i = 0; i < t->size; i++)
        least = fmin(least, value_of(t, i));
    for (size_t i = 0; i < t->size; i++)
        if (least < 0 && value_of(t, i) <= least + TIE)
            t->tied[count++] = i;
    return count > 0 ? break_tie(t, t->size, 1, count) : NO_ROW;
}

static size_t complement(const struct tableau *t, size_t variable) {
    return variable < t->size ? variable + t->size : variable - t->size;
}

// Unknowns of the problem as given: columns that became basic, and the rows they took.
static size_t list_basis(const struct tableau *t, size_t *columns, size_t *rows) {
    size_t n = t->size, count = 0, row_count = 0;
    for (size_t i = 0; i < n; i++) {
        size_t w = t->swapped[i] ? n + i : i;
        if (t->is_basic[complement(t, w)])
            columns[count++] = i;
        if (!t->is_basic[w])
            rows[row_count++] = i;
    }
    if (t->is_basic[artificial(t)])
        columns[count++] = n;
    return count;
}

// The tableau of the same basis from M itself, by the largest pivot of each column: what rounding
// piled up on the way is gone. False where the basis is singular: the tableau is then that of the
// start.
static bool tableau_refresh(struct tableau *t) {
    size_t n = t->size, *columns = memory_allocate(2 * n + 1, sizeof *columns, "tableau");
    size_t *rows = columns + n + 1, count = list_basis(t, columns, rows);
    tableau_fill(t);
    memset(t->swapped, 0, n * sizeof *t->swapped);
    bool regular = true;
    for (size_t k = 0; k < count && regular && !stop_requested(); k++) {
        size_t best = k, column = columns[k];
        for (size_t l = k + 1; l < count; l++)
            if (fabs(row_of(t, rows[l])[column]) > fabs(row_of(t, rows[best])[column]))
                best = l;
        size_t row = rows[best];
        rows[best] = rows[k];
        regular = fabs(row_of(t, row)[column]) > DBL_EPSILON;
        if (regular)
            tableau_pivot(t, row, column);
    }
    if (!regular)
        tableau_fill(t);
    memory_free(columns);
    return regular;
}

// A ray that rounding made is none on a tableau built anew. (The renamed problems of later rounds
// have another z_0, which only their own tableau knows.)
static size_t look_again(struct tableau *t, bool renamed, size_t entering) {
    if (renamed || !tableau_refresh(t) || t->is_basic[entering])
        return NO_ROW;
    return leaving_row(t, t->place[entering]);
}

static enum lcp_status follow_path(struct tableau *t, bool renamed, int cap) {
    size_t row = lowest_row(t), entering = artificial(t);
    if (row == NO_ROW)
        return LCP_SOLVED;
    for (;;) {
        if (t->pivots++ >= cap || stop_requested())
            return LCP_CAP;
        size_t leaving = t->basic[row];
        tableau_pivot(t, row, t->place[entering]);
        if (leaving == artificial(t))
            return LCP_SOLVED;
        entering = complement(t, leaving);
        row = leaving_row(t, t->place[entering]);
        if (row == NO_ROW)
            row = look_again(t, renamed, entering);
        if (row == NO_ROW)
            return LCP_RAY;
    }
}

// The solution built anew ---------------------------------------------------------------------

static void swap_rows(struct tableau *t, size_t i, size_t j) {
    double *a = row_of(t, i), *b = row_of(t, j);
    for (size_t k = 0; k < t->stride; k++) {
        double kept = a[k];
        a[k] = b[k];
        b[k] = kept;
    }
    size_t kept = t->basic[i];
    put_basic(t, i, t->basic[j]);
    put_basic(t, j, kept);
}

static void swap_columns(struct tableau *t, size_t i, size_t j) {
    for (size_t k = 0; k < t->size; k++) {
        double *row = row_of(t, k), kept = row[i];
        row[i] = row[j];
        row[j] = kept;
    }
    size_t kept = t->other[i];
    put_other(t, i, t->other[j]);
    put_other(t, j, kept);
}

// A complementary basis is another problem of the same kind (its principal transform): basic
// variables are called w, the others z, and Lemke's method may start there.
static void tableau_rename(struct tableau *t) {
    size_t n = t->size;
    for (size_t i = 0; i < n; i++) {
        t->swapped[i] = t->is_basic[n + i];
        size_t row = t->place[t->swapped[i] ? n + i : i];
        if (row != i)
            swap_rows(t, i, row);
        size_t column = t->place[t->swapped[i] ? i : n + i];
        if (column != i)
            swap_columns(t, i, column);
    }
    for (size_t i = 0; i < n; i++) {
        put_basic(t, i, i);
        put_other(t, i, n + i);
        row_of(t, i)[n] = 1;
    }
}

static double most_wrong(const struct tableau *t) {
    double wrong = 0;
    for (size_t i = 0; i < t->size; i++)
        wrong = fmax(wrong, -value_of(t, i));
    return wrong;
}

static void read_solution(const struct tableau *t, double *z) {
    for (size_t i = 0; i < t->size; i++) {
        double value = t->swapped[i] ? fmax(value_of(t, i), 0) : 0;
        z[i] = value * t->column_scale[i] / t->q_scale;
    }
}

// The path ends on a tableau without z_0. The fresh one of that basis is believed; where rounding
// had turned signs, another round from there may repair them. The best of all rounds is kept.
static enum lcp_status solve(struct tableau *t, int cap, double *z) {
    double least = INFINITY;
    tableau_fill(t);
    for (int round = 0; round < ROUNDS && least > WRONG_SIGN; round++) {
        enum lcp_status status = follow_path(t, round > 0, cap);
        if (status != LCP_SOLVED && !(least <= WRONG_AT_MOST))
            return status;
        if (status != LCP_SOLVED || !tableau_refresh(t))
            break;
        tableau_rename(t);
        if (most_wrong(t) < least)
            read_solution(t, z);
        least = fmin(least, most_wrong(t));
    }
    return least <= WRONG_AT_MOST ? LCP_SOLVED : LCP_RAY;
}

struct lcp_result lcp_solve(size_t size, const double *M, const double *q, int cap,
                            struct team *team, double *z) {
    struct tableau t = tableau_open(size, M, q, team);
    memset(z, 0, size * sizeof *z);
    enum lcp_status status = solve(&t, cap, z);
    if (status != LCP_SOLVED)
        memset(z, 0, size * sizeof *z);
    struct lcp_result result = {status, t.pivots};
    tableau_close(&t);
    return result;
}
