#include "engine/solvers/dense/active_set.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "parallel/memory.h"
#include "parallel/stop.h"
#include "parallel/wide.h"

#define DEPENDENT                                                                                  \
    1e-9 // fraction of the diagonal below which a column depends linearly on the active ones
#define VIOLATED 1e-13 // fraction of the largest term of y below which a negative y is rounding
#define CHANGES  3     // per unknown and call, before the method gives up

struct active_set {
    struct active_matrix matrix;
    size_t count;           // active unknowns
    size_t *taken;          // their numbers
    size_t stride;          // of the inverse
    double *inverse;        // of Q over the active unknowns, by rows
    bool *is_taken;         // of each unknown
    double *x, *y;          // over all unknowns
    double *column, *row;   // of the unknown that enters
    double *along, *across; // inverse times column, row times inverse
    double tolerance;       // of y
    int changes;
};

struct active_set *active_set_create(const struct active_matrix *matrix) {
    struct active_set *set = memory_allocate(1, sizeof *set, "active set");
    size_t n = matrix->size, capacity = 0;
    set->matrix = *matrix;
    if (set->matrix.rank > n)
        set->matrix.rank = n;
    size_t rank = set->matrix.rank;
    set->stride = (rank + 3) / 4 * 4;
    set->taken = memory_allocate(rank, sizeof(size_t), "active set");
    set->inverse = memory_reserve_aligned(NULL, &capacity, set->stride * set->stride,
                                          sizeof(double), "active set");
    memset(set->inverse, 0, set->stride * set->stride * sizeof(double));
    set->is_taken = memory_allocate(n, sizeof(bool), "active set");
    double **vectors[] = {&set->x, &set->y, &set->column, &set->row};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = memory_allocate(n, sizeof(double), "active set");
    set->along = memory_allocate(set->stride, sizeof(double), "active set");
    capacity = 0;
    set->across =
        memory_reserve_aligned(NULL, &capacity, set->stride, sizeof(double), "active set");
    return set;
}

void active_set_free(struct active_set *set) {
    void *arrays[] = {set->taken,  set->inverse, set->is_taken, set->x,      set->y,
                      set->column, set->row,     set->along,    set->across, set};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
}

int active_set_changes(const struct active_set *set) { return set->changes; }

static double *inverse_row(const struct active_set *set, size_t i) {
    return set->inverse + i * set->stride;
}

// The inverse ---------------------------------------------------------------------------------

// Adds factor[i] * vector to each row i of `inverse`.
WIDE static void add_outer(double *inverse, size_t stride, size_t count, const double *factor,
                           const double *vector) {
    for (size_t i = 0; i < count; i++) {
        lanes4 *row = (lanes4 *)(inverse + i * stride);
        const lanes4 *v = (const lanes4 *)vector;
        for (size_t j = 0; j < stride / 4 && 4 * j < count; j++)
            row[j] += factor[i] * v[j];
    }
}

// Computes along = inverse Q_Ap for the unknown p whose column is in set->column. Returns the part
// of its diagonal that is independent of the active unknowns.
static double find_direction(struct active_set *set, size_t p) {
    double left = set->column[p];
    for (size_t i = 0; i < set->count; i++) {
        const double *row = inverse_row(set, i);
        double sum = 0;
        for (size_t j = 0; j < set->count; j++)
            sum += row[j] * set->column[set->taken[j]];
        set->along[i] = sum;
        left -= set->row[set->taken[i]] * sum;
    }
    return left;
}

// Makes unknown p active; extends the inverse by bordering.
static void take(struct active_set *set, size_t p, double left) {
    size_t n = set->count;
    memset(set->across, 0, set->stride * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        const double *row = inverse_row(set, i);
        double entry = set->row[set->taken[i]] / left;
        for (size_t j = 0; j < n; j++)
            set->across[j] += entry * row[j];
    }
    add_outer(set->inverse, set->stride, n, set->along, set->across);
    for (size_t i = 0; i < n; i++) {
        inverse_row(set, i)[n] = -set->along[i] / left;
        inverse_row(set, n)[i] = -set->across[i];
    }
    inverse_row(set, n)[n] = 1 / left;
    set->taken[set->count++] = p;
    set->is_taken[p] = true;
    set->changes++;
}

// Makes an unknown inactive; the last active one moves into its place.
static void drop(struct active_set *set, size_t m) {
    size_t last = --set->count;
    double pivot = inverse_row(set, m)[m];
    set->is_taken[set->taken[m]] = false;
    set->x[set->taken[m]] = 0;
    set->taken[m] = set->taken[last];
    memset(set->across, 0, set->stride * sizeof(double));
    for (size_t j = 0; j <= last; j++)
        set->across[j] = inverse_row(set, m)[j];
    set->across[m] = set->across[last];
    set->across[last] = 0;
    for (size_t i = 0; i <= last; i++)
        set->along[i] = -inverse_row(set, i)[m] / pivot;
    for (size_t i = 0; i <= last; i++)
        inverse_row(set, i)[m] = inverse_row(set, i)[last];
    memcpy(inverse_row(set, m), inverse_row(set, last), last * sizeof(double));
    set->along[m] = set->along[last];
    add_outer(set->inverse, set->stride, last, set->along, set->across);
    for (size_t i = 0; i <= last; i++)
        inverse_row(set, i)[last] = inverse_row(set, last)[i] = 0;
    set->changes++;
}

// Computes the inverse again, adding one unknown after the other. An unknown that had become active
// only because of rounding stays out.
void active_set_renew(struct active_set *set) {
    size_t count = set->count;
    int changes = set->changes;
    memset(set->is_taken, 0, set->matrix.size * sizeof(bool));
    set->count = 0;
    for (size_t k = 0; k < count && !stop_requested(); k++) {
        size_t p = set->taken[k];
        set->matrix.column(set->matrix.context, p, set->column);
        set->matrix.row(set->matrix.context, p, set->row);
        double left = find_direction(set, p);
        if (left > DEPENDENT * set->column[p])
            take(set, p, left);
        else
            set->x[p] = 0;
    }
    set->changes = changes;
}

// The method ----------------------------------------------------------------------------------

// Computes y and its tolerance. Q has ones on its diagonal, so each x is a term of its own y, and
// large terms that cancel add to the rounding error.
static void find_y(struct active_set *set, const double *c) {
    double most = 0;
    set->matrix.product(set->matrix.context, set->x, set->y);
    for (size_t i = 0; i < set->matrix.size; i++) {
        most = fmax(most, fmax(fabs(set->x[i]), fabs(c[i])));
        set->y[i] += c[i];
    }
    set->tolerance = VIOLATED * most;
}

// Solves for the x of the active unknowns that make their y vanish; a second pass removes the
// rounding error of the first.
static void solve_taken(struct active_set *set, const double *c) {
    memset(set->x, 0, set->matrix.size * sizeof(double));
    for (int pass = 0; pass < 2; pass++) {
        find_y(set, c);
        for (size_t i = 0; i < set->count; i++)
            for (size_t j = 0; j < set->count; j++)
                set->x[set->taken[i]] -= inverse_row(set, i)[j] * set->y[set->taken[j]];
    }
}

// Drops active unknowns with negative x: the method may start from any set whose x are positive.
static void shed_negative(struct active_set *set, const double *c) {
    for (;;) {
        size_t worst = SIZE_MAX;
        double least = 0;
        solve_taken(set, c);
        for (size_t i = 0; i < set->count; i++)
            if (set->x[set->taken[i]] < least) {
                least = set->x[set->taken[i]];
                worst = i;
            }
        if (worst == SIZE_MAX || stop_requested())
            break;
        drop(set, worst);
    }
    find_y(set, c);
}

// Returns the largest y of the active unknowns, which grows as updates of the inverse lose
// accuracy.
static double unsolved(const struct active_set *set) {
    double most = 0;
    for (size_t i = 0; i < set->count; i++)
        most = fmax(most, fabs(set->y[set->taken[i]]));
    return most;
}

// Recomputes x, y and, if need be, the inverse. The remaining defect bounds the accuracy of y.
static void repair(struct active_set *set, const double *c) {
    shed_negative(set, c);
    if (unsolved(set) > set->tolerance) {
        active_set_renew(set);
        shed_negative(set, c);
    }
    set->tolerance = fmax(set->tolerance, 2 * unsolved(set));
}

static size_t most_violated(const struct active_set *set) {
    size_t worst = SIZE_MAX;
    double least = -set->tolerance;
    for (size_t i = 0; i < set->matrix.size; i++)
        if (!set->is_taken[i] && set->y[i] < least) {
            least = set->y[i];
            worst = i;
        }
    return worst;
}

// The unknown that reaches zero first as the new one grows, and at which size of the new one.
static size_t first_to_vanish(const struct active_set *set, double *step) {
    size_t first = SIZE_MAX;
    *step = INFINITY;
    for (size_t i = 0; i < set->count; i++) {
        if (!(set->along[i] > 0))
            continue;
        double t = set->x[set->taken[i]] / set->along[i];
        if (t < *step) {
            *step = t;
            first = i;
        }
    }
    return first;
}

// p grows until its own y vanishes; those that vanish before are dropped on the way.
static bool bring_in(struct active_set *set, size_t p) {
    double y = set->y[p], grown = 0;
    set->matrix.column(set->matrix.context, p, set->column);
    set->matrix.row(set->matrix.context, p, set->row);
    for (;;) {
        double left = find_direction(set, p), step;
        bool independent = left > DEPENDENT * set->column[p] && set->count < set->matrix.rank;
        size_t first = first_to_vanish(set, &step);
        bool full = independent && -y / left <= step;
        if (full)
            step = -y / left;
        if ((!full && first == SIZE_MAX) || stop_requested())
            return false;
        for (size_t i = 0; i < set->count; i++)
            set->x[set->taken[i]] -= step * set->along[i];
        grown += step;
        y += step * left;
        set->x[p] = grown;
        if (full) {
            take(set, p, left);
            return true;
        }
        drop(set, first);
    }
}

enum active_status active_set_solve(struct active_set *set, const double *c, double *x) {
    enum active_status status = ACTIVE_SOLVED;
    int last = set->changes, most = CHANGES * (int)(set->matrix.size + 10);
    repair(set, c);
    while (status == ACTIVE_SOLVED) {
        size_t p = most_violated(set);
        if (p == SIZE_MAX) {
            // Done, if it is so with x solved anew.
            repair(set, c);
            p = most_violated(set);
        }
        if (p == SIZE_MAX)
            break;
        if (set->changes - last > most || stop_requested())
            status = ACTIVE_CAP;
        else if (!bring_in(set, p))
            status = ACTIVE_UNBOUNDED;
        find_y(set, c);
        if (unsolved(set) > set->tolerance)
            repair(set, c);
    }
    memcpy(x, set->x, set->matrix.size * sizeof *x);
    return status;
}

void active_set_follow(const struct active_set *set, const double *dc, double *dx) {
    memset(dx, 0, set->matrix.size * sizeof *dx);
    for (size_t j = 0; j < set->count; j++) {
        double change = dc[set->taken[j]];
        for (size_t i = 0; i < set->count && change != 0; i++)
            dx[set->taken[i]] -= inverse_row(set, i)[j] * change;
    }
}
