#include "engine/solvers/sweep/measure.h"

#include "engine/solvers/sweep/lane_block.h"

static struct contact_view view_sphere(const struct sweep_plan *plan, const struct batch *batch,
                                       uint32_t group_index, uint32_t lane) {
    const struct sphere_group *group = &plan->groups[group_index];
    const struct solver_body *c = &plan->bodies[group->c[lane]];
    const struct solver_body *a = &plan->bodies[group->a[lane]];
    vec3 n = lane_get(&group->n, lane);
    vec3 p = lane_get(&group->p, lane);
    vec3 spin = vec3_add(solver_s(c), solver_s(a));
    vec3 u = vec3_sub(vec3_sub(solver_v(c), solver_v(a)), vec3_cross(spin, n));
    double u_n = vec3_dot(u, n), p_n = vec3_dot(p, n);
    double share_c = 1 / solver_copies(plan, group->c[lane]);
    double share_a = 1 / solver_copies(plan, group->a[lane]);
    double w_t = (c->inv_m + c->k) * share_c + (a->inv_m + a->k) * share_a; // >= w_n
    return (struct contact_view){
        .r_n = p_n,
        .u_n = u_n + group->b[lane],
        .mu = batch->mu,
        .rho = 1 / w_t,
        .still = plan->least.still,
        .place = (int64_t)group_index * LANES + lane + 1,
        .r_t = vec3_add_scaled(p, -p_n, n),
        .u_t = vec3_add_scaled(u, -u_n, n),
    };
}

static struct contact_view view_point(const struct sweep_plan *plan, const struct batch *batch,
                                      const struct block *block, const struct block_point *point,
                                      int64_t place) {
    struct body_velocity c = solver_velocity(&plan->bodies[block->c]);
    struct body_velocity a = solver_velocity(&plan->bodies[block->a]);
    vec3 u = vec3_add(block_velocity(block, point, &c, &a), point->b);
    if (point->held)
        u = hold_keep(point->held, u);
    return (struct contact_view){
        .held = point->held,
        .r_n = point->r.x,
        .u_n = u.x,
        .mu = batch->mu,
        .rho = point->rho,
        .still = plan->least.still,
        .place = place,
        .r_t = vec3_make(0, point->r.y, point->r.z),
        .u_t = vec3_make(0, u.y, u.z),
    };
}

// Adds one contact to the sums.
typedef void (*add_function)(const struct contact_view *view, double limit,
                             struct residual_sums *sums);

static void add_block(const struct sweep_plan *plan, const struct batch *batch, uint32_t k,
                      add_function add, double limit, struct residual_sums *sums) {
    const struct block *block = &plan->blocks[k];
    for (uint32_t p = 0; p < block->count; p++) {
        struct contact_view view =
            view_point(plan, batch, block, &plan->points[block->begin + p], -1 - (int64_t)k);
        add(&view, limit, sums);
    }
}

static void add_lane_block(const struct sweep_plan *plan, const struct batch *batch, uint32_t k,
                           add_function add, double limit, struct residual_sums *sums) {
    const struct lane_block *lanes = &plan->lane_blocks[k];
    for (uint32_t lane = 0; lane < LANES; lane++) {
        struct block block = lane_block_get(lanes, lane);
        int64_t place = -1 - (int64_t)plan->block_count - ((int64_t)k * LANES + lane);
        for (uint32_t p = 0; p < block.count; p++) {
            struct block_point point = lane_point_get(&plan->lane_points[block.begin + p], lane);
            struct contact_view view = view_point(plan, batch, &block, &point, place);
            add(&view, limit, sums);
        }
    }
}

static void add_group(const struct sweep_plan *plan, const struct batch *batch, uint32_t k,
                      add_function add, double limit, struct residual_sums *sums) {
    uint32_t used = k + 1 == batch->end ? batch->lanes : LANES;
    for (uint32_t lane = 0; lane < used; lane++) {
        struct contact_view view = view_sphere(plan, batch, k, lane);
        add(&view, limit, sums);
    }
}

static void add_chunk(const struct sweep_plan *plan, const struct chunk *chunk, add_function add,
                      double limit, struct residual_sums *sums) {
    const struct batch *batch = &plan->batches[chunk->batch];
    for (uint32_t k = chunk->begin; k < chunk->end; k++) {
        if (batch->kind == BATCH_BLOCK)
            add_block(plan, batch, k, add, limit, sums);
        else if (batch->kind == BATCH_LANES)
            add_lane_block(plan, batch, k, add, limit, sums);
        else
            add_group(plan, batch, k, add, limit, sums);
    }
}

void measure_free(const struct sweep_plan *plan, const struct chunk *chunk,
                  struct residual_sums *sums) {
    add_chunk(plan, chunk, residual_add_free, plan->least.floor, sums);
}

void measure_limited(const struct sweep_plan *plan, const struct chunk *chunk, double fast2,
                     struct residual_sums *sums) {
    add_chunk(plan, chunk, residual_add_limited, fast2, sums);
}

void measure_solved(const struct sweep_plan *plan, const struct chunk *chunk,
                    struct residual_sums *sums) {
    add_chunk(plan, chunk, residual_add_solved, plan->least.floor, sums);
}

// Returns the body that a solver body is, or is a copy of.
static int32_t whole_body(const struct sweep_plan *plan, int32_t i) {
    for (size_t k = 0; k < plan->split_count; k++) {
        const struct split_body *split = &plan->splits[k];
        if (i >= split->first_copy && i < split->first_copy + split->copies - 1)
            return split->body;
    }
    return i;
}

bool measure_place(const struct sweep_plan *plan, int64_t place, int32_t *c, int32_t *a) {
    if (place > 0) {
        const struct sphere_group *group = &plan->groups[(place - 1) / LANES];
        *c = group->c[(place - 1) % LANES];
        *a = group->a[(place - 1) % LANES];
    } else if (-1 - place >= (int64_t)plan->block_count) {
        int64_t lane = -1 - place - (int64_t)plan->block_count;
        *c = plan->lane_blocks[lane / LANES].c[lane % LANES];
        *a = plan->lane_blocks[lane / LANES].a[lane % LANES];
    } else if (place < 0) {
        *c = plan->blocks[-1 - place].c;
        *a = plan->blocks[-1 - place].a;
    } else {
        return false;
    }
    *c = whole_body(plan, *c);
    *a = whole_body(plan, *a);
    return true;
}
