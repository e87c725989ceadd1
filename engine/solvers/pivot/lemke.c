// The method lemke: all contacts form one linear complementarity problem, with W itself where there
// is no friction and the polygonal cone elsewhere (Klarbring 1986; Renouf, Acary, Dumont 2005,
// section 5.1). Pivoting either solves the polygonal problem exactly or gives nothing: there are no
// intermediate iterates.
#include <stdio.h>

#include "engine/solvers/dense/lcp.h"
#include "engine/solvers/methods.h"
#include "engine/solvers/local/polygon.h"
#include "parallel/memory.h"

// Returns where the unknowns of each contact begin.
static size_t *count_unknowns(const struct contact_problem *problem, int sides) {
    size_t *start = memory_allocate((size_t)problem->contacts + 1, sizeof *start, "lemke");
    for (int32_t a = 0; a < problem->contacts; a++)
        start[a + 1] = start[a] + polygon_unknowns(sides, problem->mu[a]);
    return start;
}

static void fill(const struct contact_problem *problem, const vec3 *column, int sides,
                 const size_t *start, double *M, double *q) {
    const struct contact_matrix *matrix = &problem->matrix;
    size_t n = start[problem->contacts];
    for (int32_t a = 0; a < problem->contacts; a++) {
        double mu = problem->mu[a], *rows = M + start[a] * n;
        for (size_t e = matrix->start[a]; e < matrix->start[a + 1]; e++) {
            int32_t b = matrix->column[e];
            polygon_add_block(column, sides, mu, problem->mu[b],
                              contact_block(matrix->value + e * CONTACT_BLOCK), rows + start[b], n);
        }
        polygon_add_bound(sides, mu, rows + start[a], n);
        polygon_add_free(column, sides, mu, contact_get(problem->q, a), q + start[a]);
    }
}

static void report(struct monitor *monitor, struct lcp_result result, size_t unknowns, double *r) {
    const struct gabion_cone *cone = &monitor->settings->cone;
    char *note = monitor->result.note, name[40] = "normal impulses";
    size_t size = sizeof monitor->result.note;
    if (unknowns > (size_t)monitor->problem->contacts)
        polygon_name(cone, name, sizeof name);
    if (result.status == LCP_SOLVED) {
        // The solution is that of the polygonal cone, even where the start was nearer to the round
        // cone.
        monitor->best_measure = INFINITY;
        monitor_check(monitor, result.pivots, r);
        snprintf(note, size, "solved for the %s to %.1e, %zu unknowns", name,
                 polygon_residual(monitor->problem, cone, r), unknowns);
        return;
    }
    monitor->result.iterations = result.pivots;
    if (result.status == LCP_CAP)
        monitor->result.status = SOLVER_CAP;
    snprintf(note, size, "%s after %d pivots, %zu unknowns: nothing was found",
             result.status == LCP_CAP ? "stopped" : "ended on a ray", result.pivots, unknowns);
}

void solver_lemke(struct monitor *monitor, double *r) {
    const struct solver_settings *settings = monitor->settings;
    int sides = settings->cone.sides;
    size_t *start = count_unknowns(monitor->problem, sides);
    size_t n = start[monitor->problem->contacts];
    if (n > LCP_MOST) {
        monitor_reject(
            monitor, "%zu unknowns (%d contacts): lemke takes at most %d, for its tableau is dense",
            n, (int)monitor->problem->contacts, LCP_MOST);
        memory_free(start);
        return;
    }
    struct contact_problem *built = contact_problem_assemble(monitor->problem);
    vec3 *column = polygon_columns(&settings->cone);
    double *M = memory_allocate(n * n, sizeof *M, "lemke");
    double *q = memory_allocate(2 * n, sizeof *q, "lemke"), *z = q + n;
    fill(built, column, sides, start, M, q);
    struct lcp_result result =
        lcp_solve(n, M, q, settings->max_iterations, monitor->problem->team, z);
    for (int32_t a = 0; a < built->contacts; a++)
        contact_set(r, a, polygon_impulse(column, sides, built->mu[a], z + start[a]));
    report(monitor, result, n, r);
    memory_free(M);
    memory_free(q);
    memory_free(start);
    memory_free(column);
    contact_problem_free(built);
}
