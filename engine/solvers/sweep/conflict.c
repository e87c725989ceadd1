#include "engine/solvers/sweep/conflict.h"

struct search {
    const struct sweep_plan *plan;
    int *last; // by solver body: the colour that met it last, plus 1
    int colour;
    int32_t found;
};

static bool is_written(const struct sweep_plan *plan, int32_t body) {
    bool copy = body >= plan->body_count && body < plan->solver_body_count - 1;
    return body < plan->moving || copy;
}

static void meet(struct search *search, int32_t body) {
    if (search->found != CONFLICT_NONE)
        return;
    if (body < 0 || body >= search->plan->solver_body_count) {
        search->found = CONFLICT_OUTSIDE;
        return;
    }
    if (!is_written(search->plan, body))
        return;
    if (search->last[body] == search->colour + 1)
        search->found = body;
    search->last[body] = search->colour + 1;
}

static void search_batch(struct search *search, const struct batch *batch) {
    const struct sweep_plan *plan = search->plan;
    for (uint32_t k = batch->begin; k < batch->end; k++) {
        if (batch->kind == BATCH_BLOCK) {
            meet(search, plan->blocks[k].c);
            meet(search, plan->blocks[k].a);
            continue;
        }
        if (batch->kind == BATCH_LANES) {
            const struct lane_block *block = &plan->lane_blocks[k];
            for (uint32_t lane = 0; lane < LANES && block->used >> lane & 1; lane++) {
                meet(search, block->c[lane]);
                meet(search, block->a[lane]);
            }
            continue;
        }
        uint32_t used = k + 1 == batch->end ? batch->lanes : LANES;
        for (uint32_t lane = 0; lane < used; lane++) {
            meet(search, plan->groups[k].c[lane]);
            meet(search, plan->groups[k].a[lane]);
        }
    }
}

int32_t conflict_find(const struct sweep_plan *plan) {
    struct search search = {.plan = plan, .found = CONFLICT_NONE};
    search.last = memory_allocate((size_t)plan->solver_body_count, sizeof *search.last, "colours");
    for (search.colour = 0; search.colour < plan->colours; search.colour++)
        for (uint32_t k = plan->colour_start[search.colour];
             k < plan->colour_start[search.colour + 1]; k++)
            search_batch(&search, &plan->batches[k]);
    memory_free(search.last);
    return search.found;
}
