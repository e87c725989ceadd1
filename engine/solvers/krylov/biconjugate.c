// The shadow residual starts as A r, not r: with a symmetric A that minimises |A x - rhs|, as
// Galizzi and Faure (2002, section 4.1) have it, and does not mind an A that is singular (Press et
// al., Numerical Recipes, "Sparse linear systems").
#include "engine/solvers/krylov/biconjugate.h"

#include <math.h>
#include <string.h>

#include "parallel/memory.h"
#include "parallel/stop.h"

#define MAX_RESIDUAL_GROWTH 1e4 // relative to the smallest residual; beyond, the solve stops

struct bicg {
    struct bicg_operator A;
    const bool *active;
    double *r, *shadow, *p, *p_shadow, *Ap, *Ap_shadow, *best;
    double rho; // shadow.r
};

static double dot(const struct bicg *b, const double *x, const double *y) {
    double sum = 0;
    for (size_t i = 0; i < b->A.size; i++)
        sum += b->active[i] ? x[i] * y[i] : 0;
    return sum;
}

static void keep_active(const struct bicg *b, double *x) {
    for (size_t i = 0; i < b->A.size; i++)
        x[i] = b->active[i] ? x[i] : 0;
}

// x = y + s x
static void extend(const struct bicg *b, double s, const double *y, double *x) {
    for (size_t i = 0; i < b->A.size; i++)
        x[i] = y[i] + s * x[i];
}

static void add_scaled(const struct bicg *b, double s, const double *y, double *x) {
    for (size_t i = 0; i < b->A.size; i++)
        x[i] += s * y[i];
}

static void apply(const struct bicg *b, bool transposed, const double *x, double *Ax) {
    (transposed ? b->A.transposed : b->A.product)(b->A.context, x, Ax);
    keep_active(b, Ax);
}

struct bicg *bicg_open(const struct bicg_operator *A, const bool *active) {
    struct bicg *b = memory_allocate(1, sizeof *b, "bicg");
    b->A = *A;
    b->active = active;
    double **vectors[] = {&b->r, &b->shadow, &b->p, &b->p_shadow, &b->Ap, &b->Ap_shadow, &b->best};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = memory_allocate(A->size, sizeof(double), "bicg");
    return b;
}

void bicg_close(struct bicg *b) {
    void *arrays[] = {b->r, b->shadow, b->p, b->p_shadow, b->Ap, b->Ap_shadow, b->best, b};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
}

double bicg_residual(const struct bicg *b) { return sqrt(dot(b, b->r, b->r)); }

void bicg_restart(struct bicg *b, const double *rhs, const double *x) {
    apply(b, false, x, b->r);
    extend(b, -1, rhs, b->r);
    keep_active(b, b->r);
    apply(b, false, b->r, b->shadow);
    b->rho = dot(b, b->shadow, b->r);
    memcpy(b->p, b->r, b->A.size * sizeof *b->p);
    memcpy(b->p_shadow, b->shadow, b->A.size * sizeof *b->p);
}

bool bicg_step(struct bicg *b, double *x) {
    apply(b, false, b->p, b->Ap);
    apply(b, true, b->p_shadow, b->Ap_shadow);
    double alpha = b->rho / dot(b, b->p_shadow, b->Ap);
    if (!isfinite(alpha) || alpha == 0)
        return false;
    add_scaled(b, alpha, b->p, x);
    add_scaled(b, -alpha, b->Ap, b->r);
    add_scaled(b, -alpha, b->Ap_shadow, b->shadow);
    double rho = dot(b, b->shadow, b->r), beta = rho / b->rho;
    extend(b, beta, b->r, b->p);
    extend(b, beta, b->shadow, b->p_shadow);
    b->rho = rho;
    return isfinite(beta);
}

static int iterate(struct bicg *b, double *x, int iterations, double small, double *least) {
    int k = 0;
    bool goes_on = true;
    *least = bicg_residual(b);
    memcpy(b->best, x, b->A.size * sizeof *x);
    while (k < iterations && goes_on && *least > small && !stop_requested()) {
        goes_on = bicg_step(b, x);
        k++;
        double residual = bicg_residual(b);
        if (residual < *least) {
            *least = residual;
            memcpy(b->best, x, b->A.size * sizeof *x);
        }
        goes_on &= residual < MAX_RESIDUAL_GROWTH * *least;
    }
    memcpy(x, b->best, b->A.size * sizeof *x);
    return k;
}

int bicg_solve(const struct bicg_operator *A, const bool *active, const double *rhs, double *x,
               int iterations, double small, double *left) {
    struct bicg *b = bicg_open(A, active);
    double scale = sqrt(dot(b, rhs, rhs));
    bicg_restart(b, rhs, x);
    int used = iterate(b, x, iterations, small * scale, left);
    *left = scale > 0 ? *left / scale : 0;
    bicg_close(b);
    return used;
}
