#include "engine/solvers/pivot/cone_program.h"

#include <string.h>

#include "engine/solvers/local/polygon.h"
#include "parallel/memory.h"
#include "parallel/stop.h"

// Q = G^T W G ---------------------------------------------------------------------------------

static void impulses_of(const struct cone_program *p, const double *x, double *r) {
    for (int32_t a = 0; a < p->problem->contacts; a++) {
        vec3 sum = vec3_zero();
        for (size_t k = p->start[a]; k < p->start[a + 1]; k++)
            if (x[k] != 0)
                sum = vec3_add_scaled(sum, x[k], p->edge[k]);
        contact_set(r, a, sum);
    }
}

static void along_edges(const struct cone_program *p, const double *u, double *y) {
    for (int32_t a = 0; a < p->problem->contacts; a++)
        for (size_t k = p->start[a]; k < p->start[a + 1]; k++)
            y[k] = vec3_dot(p->edge[k], contact_get(u, a));
}

static void product(const void *context, const double *x, double *Qx) {
    const struct cone_program *p = context;
    impulses_of(p, x, p->r);
    contact_problem_product(p->problem, p->r, p->u);
    along_edges(p, p->u, Qx);
}

static void column(const void *context, size_t j, double *out) {
    const struct cone_program *p = context;
    memset(p->r, 0, contact_problem_size(p->problem) * sizeof *p->r);
    contact_set(p->r, p->contact[j], p->edge[j]);
    contact_problem_product(p->problem, p->r, p->u);
    along_edges(p, p->u, out);
}

static void row(const void *context, size_t i, double *out) {
    const struct cone_program *p = context;
    const struct contact_matrix *matrix = &p->problem->matrix;
    int32_t a = p->contact[i];
    memset(out, 0, p->start[p->problem->contacts] * sizeof *out);
    for (size_t e = matrix->start[a]; e < matrix->start[a + 1]; e++) {
        mat3 W = contact_block(matrix->value + e * CONTACT_BLOCK);
        vec3 through = mat3_apply_transposed(W, p->edge[i]);
        int32_t b = matrix->column[e];
        for (size_t k = p->start[b]; k < p->start[b + 1]; k++)
            out[k] = vec3_dot(p->edge[k], through);
    }
}

// The program ---------------------------------------------------------------------------------

static void list_edges(struct cone_program *p) {
    size_t k = 0;
    for (int32_t a = 0; a < p->problem->contacts; a++) {
        double mu = p->problem->mu[a];
        for (int i = 0; i < (mu > 0 ? p->sides : 1); i++, k++) {
            p->edge[k] = polygon_edge(p->column, p->sides, mu, i, &p->problem->diagonal[a]);
            p->contact[k] = a;
        }
        p->start[a + 1] = k;
    }
}

struct cone_program *cone_program_create(const struct contact_problem *problem,
                                         const struct gabion_cone *cone) {
    struct cone_program *p = memory_allocate(1, sizeof *p, "qp");
    size_t contacts = (size_t)problem->contacts, most = contacts * (size_t)cone->sides;
    p->problem = contact_problem_assemble(problem);
    p->problem->team = NULL; // products of a few hundred contacts, thousands of them
    p->sides = cone->sides;
    p->column = polygon_columns(cone);
    p->start = memory_allocate(contacts + 1, sizeof *p->start, "qp");
    p->edge = memory_allocate(most, sizeof *p->edge, "qp");
    p->contact = memory_allocate(most, sizeof *p->contact, "qp");
    p->r = memory_allocate(3 * contacts, sizeof(double), "qp");
    p->u = memory_allocate(3 * contacts, sizeof(double), "qp");
    p->c = memory_allocate(most, sizeof(double), "qp");
    p->x = memory_allocate(most, sizeof(double), "qp");
    list_edges(p);
    struct active_matrix matrix = {p->start[contacts], 3 * contacts, p, product, column, row};
    p->set = active_set_create(&matrix);
    return p;
}

void cone_program_free(struct cone_program *p) {
    active_set_free(p->set);
    contact_problem_free(p->problem);
    void *arrays[] = {p->column, p->start, p->edge, p->contact, p->r, p->u, p->c, p->x, p};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
}

// Computes what sliding at the velocities of r adds to u_n.
void cone_program_slide(const struct cone_program *p, const double *r, double *slide) {
    contact_problem_velocity(p->problem, r, p->u);
    for (int32_t a = 0; a < p->problem->contacts; a++)
        slide[a] = fmin(p->problem->mu[a], POLYGON_STICKS) *
                   polygon_support(p->column, p->sides, contact_get(p->u, a));
}

// problem->diagonal keeps W_aa as it was.
void cone_program_soften(struct cone_program *p, const struct contact_problem *original,
                         double compliance, const double *reference) {
    struct contact_problem *soft = p->problem;
    for (int32_t a = 0; a < soft->contacts; a++) {
        double *block = soft->matrix.value + soft->matrix.diagonal[a] * CONTACT_BLOCK;
        double give = soft->rho[a] > 0 ? compliance / soft->rho[a] : 0;
        for (int i = 0; i < 3; i++)
            block[5 * i] = vec3_get(soft->diagonal[a].row[i], i) + give;
        vec3 q = contact_get(original->q, a);
        contact_set(soft->q, a, vec3_add_scaled(q, -give, contact_get(reference, a)));
    }
    active_set_renew(p->set);
}

enum active_status cone_program_solve(struct cone_program *p, const double *slide, double *r) {
    for (int32_t a = 0; a < p->problem->contacts; a++) {
        vec3 q = contact_get(p->problem->q, a);
        q.x += slide[a];
        for (size_t k = p->start[a]; k < p->start[a + 1]; k++)
            p->c[k] = vec3_dot(p->edge[k], q);
    }
    enum active_status status = active_set_solve(p->set, p->c, p->x);
    impulses_of(p, p->x, r);
    return status;
}

// Returns the corner that u_t points away from most.
static vec3 sliding_corner(const struct cone_program *p, int32_t a) {
    vec3 u = contact_get(p->u, a), corner = p->column[0];
    for (int k = 1; k < p->sides; k++)
        if (vec3_dot(p->column[k], u) < vec3_dot(corner, u))
            corner = p->column[k];
    return vec3_scale(-fmin(p->problem->mu[a], POLYGON_STICKS), corner);
}

// Column by column, one product each.
void cone_program_jacobian(struct cone_program *p, const double *r, double *jacobian) {
    size_t n = (size_t)p->problem->contacts;
    vec3 *corner = memory_allocate(n, sizeof *corner, "qp");
    contact_problem_velocity(p->problem, r, p->u);
    for (int32_t a = 0; a < p->problem->contacts; a++)
        corner[a] = sliding_corner(p, a);
    memset(p->c, 0, p->start[n] * sizeof *p->c);
    for (size_t b = 0; b < n && !stop_requested(); b++) {
        for (size_t k = p->start[b]; k < p->start[b + 1]; k++)
            p->c[k] = p->edge[k].x;
        active_set_follow(p->set, p->c, p->x);
        for (size_t k = p->start[b]; k < p->start[b + 1]; k++)
            p->c[k] = 0;
        impulses_of(p, p->x, p->r);
        contact_problem_product(p->problem, p->r, p->u);
        for (size_t a = 0; a < n; a++)
            jacobian[a * n + b] = (a == b) - vec3_dot(corner[a], contact_get(p->u, (int32_t)a));
    }
    memory_free(corner);
}
