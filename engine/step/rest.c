#include "engine/step/rest.h"

#include "parallel/memory.h"

// u = W r + q is u_before + (W r - H^T drift), where drift is the velocity before the step less the
// free one. Another step with the same impulses adds the same change.
static void add_change(const struct contact_problem *problem, const double *Wr, double *u) {
    const struct contact_bodies *bodies = &problem->bodies;
    for (int32_t a = 0; a < problem->contacts; a++) {
        vec3 drift = contact_row_velocity(&bodies->rows[a], bodies->drift);
        vec3 change = vec3_sub(contact_get(Wr, a), drift);
        contact_set(u, a, vec3_add(contact_get(u, a), change));
    }
}

struct contact_error rest_error_of_next(struct contact_problem *problem, const vec3 *slots) {
    contact_problem_materialise(problem);
    size_t size = contact_problem_size(problem);
    double *r = memory_allocate(3 * size, sizeof *r, "impulses"), *u = r + size, *Wr = u + size;
    contact_problem_to_rows(problem, slots, r);
    contact_problem_velocity(problem, r, u);
    contact_problem_product(problem, r, Wr);
    add_change(problem, Wr, u);
    struct residual_sums sums = residual_at(problem, r, u);
    memory_free(r);
    return residual_error(&sums, problem->least.floor);
}
