#include "geometry/grid_near.h"

#include <string.h>

#include "parallel/memory.h"

#define CHUNK 4096

// By so much of its size and distance from the origin the box is wider than the bodies need:
// rounding must not leave out a body that the search would find.
#define SLACK 1e-9

struct box {
    vec3 low, high;
};

struct near_bodies {
    struct box box;  // around the bodies of the range, as far as they reach
    int32_t *index;  // of the bodies near the box, in ascending order
    uint32_t *place; // where those of each chunk of bodies begin
    vec3 *x;
    double *reach;
    struct pair_list pairs; // by place in `index`
    size_t index_capacity, place_capacity, x_capacity, reach_capacity;
};

struct near_call { // arguments shared by the parallel parts of one search
    struct near_bodies *near;
    const vec3 *x;
    const double *reach;
    size_t begin, end; // the range
    struct near_candidates candidates;
};

struct near_bodies *near_bodies_create(void) {
    return memory_allocate(1, sizeof(struct near_bodies), "grid");
}

void near_bodies_free(struct near_bodies *near) {
    if (!near)
        return;
    memory_free(near->index);
    memory_free(near->place);
    memory_free(near->x);
    memory_free(near->reach);
    pair_list_free(&near->pairs);
    memory_free(near);
}

// The box -----------------------------------------------------------------------------------------

static void measure_box(void *context, size_t begin, size_t end, double *out) {
    const struct near_call *call = context;
    for (int k = 0; k < 6; k++)
        out[k] = -INFINITY;
    for (size_t i = call->begin + begin; i < call->begin + end; i++) {
        vec3 x = call->x[i];
        double reach = call->reach[i];
        out[0] = fmax(out[0], x.x + reach);
        out[1] = fmax(out[1], x.y + reach);
        out[2] = fmax(out[2], x.z + reach);
        out[3] = fmax(out[3], reach - x.x);
        out[4] = fmax(out[4], reach - x.y);
        out[5] = fmax(out[5], reach - x.z);
    }
}

static void find_box(struct near_call *call, struct team *team) {
    double bound[6], widest = 0;
    team_max(team, call->end - call->begin, 6, measure_box, call, bound);
    for (int k = 0; k < 6; k++)
        widest = fmax(widest, fabs(bound[k]));
    double slack = SLACK * widest;
    call->near->box = (struct box){
        vec3_make(-bound[3] - slack, -bound[4] - slack, -bound[5] - slack),
        vec3_make(bound[0] + slack, bound[1] + slack, bound[2] + slack),
    };
}

// A position that is no number is kept: the search then finds what it would find among all.
static bool is_near(const struct near_call *call, size_t i) {
    const struct box *box = &call->near->box;
    vec3 x = call->x[i];
    double reach = call->reach[i] * (1 + SLACK);
    bool apart = x.x - reach > box->high.x || x.x + reach < box->low.x ||
                 x.y - reach > box->high.y || x.y + reach < box->low.y ||
                 x.z - reach > box->high.z || x.z + reach < box->low.z;
    return !apart;
}

// Bodies near it ----------------------------------------------------------------------------------

static size_t candidate(const struct near_call *call, size_t k) {
    return call->candidates.list ? (size_t)call->candidates.list[k] : k;
}

static void count_near(void *context, size_t begin, size_t end) {
    const struct near_call *call = context;
    uint32_t count = 0;
    for (size_t k = begin; k < end; k++)
        count += is_near(call, candidate(call, k));
    call->near->place[begin / CHUNK + 1] = count;
}

static void list_near(void *context, size_t begin, size_t end) {
    const struct near_call *call = context;
    struct near_bodies *near = call->near;
    uint32_t place = near->place[begin / CHUNK];
    for (size_t k = begin; k < end; k++) {
        size_t i = candidate(call, k);
        if (!is_near(call, i))
            continue;
        near->index[place] = (int32_t)i;
        near->x[place] = call->x[i];
        near->reach[place++] = call->reach[i];
    }
}

// Returns the number of bodies near the box.
static int32_t gather_near(struct near_call *call, struct team *team) {
    struct near_bodies *near = call->near;
    size_t count = (size_t)call->candidates.count;
    size_t chunks = (count + CHUNK - 1) / CHUNK;
    near->place =
        memory_reserve(near->place, &near->place_capacity, chunks + 1, sizeof *near->place, "grid");
    near->place[0] = 0;
    team_for(team, count, CHUNK, count_near, call);
    for (size_t k = 0; k < chunks; k++)
        near->place[k + 1] += near->place[k];
    size_t found = near->place[chunks];
    near->index =
        memory_reserve(near->index, &near->index_capacity, found, sizeof *near->index, "grid");
    near->x = memory_reserve(near->x, &near->x_capacity, found, sizeof *near->x, "grid");
    near->reach =
        memory_reserve(near->reach, &near->reach_capacity, found, sizeof *near->reach, "grid");
    team_for(team, count, CHUNK, list_near, call);
    return (int32_t)found;
}

// Pairs -------------------------------------------------------------------------------------------

static bool is_in_range(const struct near_call *call, int32_t i) {
    return (size_t)i >= call->begin && (size_t)i < call->end;
}

// Copies the pairs that take in the range, with the bodies' own indices.
static void copy_pairs(const struct near_call *call, int32_t moving, int32_t moving_near,
                       struct pair_list *pairs) {
    const struct near_bodies *near = call->near;
    const struct pair_list *found = &near->pairs;
    int32_t next = 0;
    pairs->count = 0;
    pairs->start = memory_reserve(pairs->start, &pairs->start_capacity, (size_t)moving + 1,
                                  sizeof *pairs->start, "pair list");
    pairs->other = memory_reserve(pairs->other, &pairs->other_capacity, found->count,
                                  sizeof *pairs->other, "pair list");
    for (int32_t k = 0; k < moving_near; k++) {
        int32_t i = near->index[k];
        while (next <= i)
            pairs->start[next++] = (uint32_t)pairs->count;
        for (uint32_t p = found->start[k]; p < found->start[k + 1]; p++) {
            int32_t j = near->index[found->other[p]];
            if (is_in_range(call, i) || is_in_range(call, j))
                pairs->other[pairs->count++] = j;
        }
    }
    while (next <= moving)
        pairs->start[next++] = (uint32_t)pairs->count;
}

void near_bodies_find_pairs(struct near_bodies *near, struct grid *grid, struct team *team,
                            const vec3 *x, const double *reach, struct near_candidates candidates,
                            int32_t moving, int32_t begin, int32_t end, struct pair_list *pairs) {
    struct near_call call = {near, x, reach, (size_t)begin, (size_t)end, candidates};
    int32_t found = 0, moving_near = 0;
    if (end > begin) {
        find_box(&call, team);
        found = gather_near(&call, team);
    }
    while (moving_near < found && near->index[moving_near] < moving)
        moving_near++;
    grid_find_pairs(grid, team, near->x, near->reach, found, moving_near, &near->pairs);
    copy_pairs(&call, moving, moving_near, pairs);
}
