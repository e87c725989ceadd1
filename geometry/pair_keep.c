#include "geometry/pair_keep.h"

#include <string.h>

#include "parallel/memory.h"

#define CHUNK 1024 // bodies

// More than the rounding of the sums and squares that are compared.
#define SLACK 1e-12

// A wide search costs more than another one. Where its pairs served fewer searches than this, the
// next few do not keep theirs.
#define WORTH_SERVING 2
#define PAUSE         16

struct pair_keep {
    struct pair_list pairs;
    int32_t count, moving; // of the search that found them; -1: none are kept
    vec3 *x;               // where it saw the bodies,
    double *reach;         // and how far they reached
    size_t x_capacity, reach_capacity;
    int served, pause;
    int64_t all_served;
};

struct keep_call {
    struct pair_keep *keep;
    const struct pair_search *search;
    margin_function margin;
    const void *context;
    struct pair_list *out;
};

struct pair_keep *pair_keep_create(void) {
    struct pair_keep *keep = memory_allocate(1, sizeof *keep, "pair list");
    keep->count = -1;
    return keep;
}

void pair_keep_free(struct pair_keep *keep) {
    if (!keep)
        return;
    pair_list_free(&keep->pairs);
    memory_free(keep->x);
    memory_free(keep->reach);
    memory_free(keep);
}

int64_t pair_keep_served(const struct pair_keep *keep) { return keep->all_served; }

// Sufficiency ---------------------------------------------------------------------------------

static void measure_escape(void *context, size_t begin, size_t end, double *out) {
    const struct keep_call *call = context;
    const struct pair_keep *keep = call->keep;
    for (size_t i = begin; i < end; i++) {
        vec3 moved = vec3_sub(call->search->x[i], keep->x[i]);
        double room = keep->reach[i] * (1 - SLACK) - call->search->reach[i];
        if (!(room >= 0 && vec3_dot(moved, moved) <= room * room)) // also where it is no number
            out[0] = 1;
    }
}

// Returns whether every body with its reach is within the sphere that it had in the wide search.
static bool suffices(struct keep_call *call, struct team *team) {
    const struct pair_keep *keep = call->keep;
    double escaped = 0;
    if (keep->count != call->search->count || keep->moving != call->search->moving)
        return false;
    team_max(team, (size_t)keep->count, 1, measure_escape, call, &escaped);
    return !(escaped > 0);
}

// Choosing ------------------------------------------------------------------------------------

static bool near_enough(const struct pair_search *search, int32_t i, int32_t j) {
    vec3 d = vec3_sub(search->x[j], search->x[i]);
    double reach = search->reach[i] + search->reach[j];
    return vec3_dot(d, d) <= reach * reach;
}

static void count_near(void *context, size_t begin, size_t end) {
    const struct keep_call *call = context;
    const struct pair_list *kept = &call->keep->pairs;
    for (size_t i = begin; i < end; i++) {
        uint32_t count = 0;
        for (uint32_t p = kept->start[i]; p < kept->start[i + 1]; p++)
            count += near_enough(call->search, (int32_t)i, kept->other[p]);
        call->out->start[i + 1] = count;
    }
}

static void take_near(void *context, size_t begin, size_t end) {
    const struct keep_call *call = context;
    const struct pair_list *kept = &call->keep->pairs;
    for (size_t i = begin; i < end; i++) {
        int32_t *out = call->out->other + call->out->start[i];
        for (uint32_t p = kept->start[i]; p < kept->start[i + 1]; p++)
            if (near_enough(call->search, (int32_t)i, kept->other[p]))
                *out++ = kept->other[p];
    }
}

static void choose_pairs(struct keep_call *call, struct team *team) {
    struct pair_list *out = call->out;
    size_t moving = (size_t)call->search->moving;
    out->start = memory_reserve(out->start, &out->start_capacity, moving + 1, sizeof *out->start,
                                "pair list");
    out->start[0] = 0;
    team_for(team, moving, CHUNK, count_near, call);
    for (size_t i = 0; i < moving; i++)
        out->start[i + 1] += out->start[i];
    out->count = out->start[moving];
    out->other = memory_reserve(out->other, &out->other_capacity, out->count, sizeof *out->other,
                                "pair list");
    team_for(team, moving, CHUNK, take_near, call);
}

// Keeping -------------------------------------------------------------------------------------

static void widen(void *context, size_t begin, size_t end, double *out) {
    const struct keep_call *call = context;
    for (size_t i = begin; i < end; i++) {
        double margin = call->margin(call->context, (int32_t)i);
        call->keep->x[i] = call->search->x[i];
        call->keep->reach[i] = call->search->reach[i] + margin;
        if (!(margin < INFINITY))
            out[0] = 1;
    }
}

// Notes where the bodies are. Returns false where some body is too fast.
static bool note_bodies(struct keep_call *call, struct team *team) {
    struct pair_keep *keep = call->keep;
    size_t count = (size_t)call->search->count;
    double fast = 0;
    keep->x = memory_reserve(keep->x, &keep->x_capacity, count, sizeof *keep->x, "pair list");
    keep->reach =
        memory_reserve(keep->reach, &keep->reach_capacity, count, sizeof *keep->reach, "pair list");
    team_max(team, count, 1, widen, call, &fast);
    return !(fast > 0);
}

// Returns whether this search is to keep its pairs.
static bool keeps(struct keep_call *call, struct team *team) {
    struct pair_keep *keep = call->keep;
    bool kept = keep->count >= 0;
    keep->count = -1;
    if (kept && keep->served < WORTH_SERVING)
        keep->pause = PAUSE;
    keep->served = 0;
    if (keep->pause > 0) {
        keep->pause--;
        return false;
    }
    return note_bodies(call, team);
}

void pair_keep_find(struct pair_keep *keep, struct grid *grid, struct team *team,
                    const struct pair_search *search, margin_function margin, const void *context,
                    struct pair_list *pairs) {
    struct keep_call call = {keep, search, margin, context, pairs};
    if (suffices(&call, team)) {
        keep->served++;
        keep->all_served++;
    } else if (keeps(&call, team)) {
        grid_find_pairs(grid, team, search->x, keep->reach, search->count, search->moving,
                        &keep->pairs);
        keep->count = search->count;
        keep->moving = search->moving;
    } else {
        grid_find_pairs(grid, team, search->x, search->reach, search->count, search->moving, pairs);
        return;
    }
    choose_pairs(&call, team);
}
