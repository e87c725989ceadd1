// Explicit local solution for spheres, several contacts at a time. With W = diag(w_n, w_t, w_t) the
// one-contact problem is solved exactly by clipping the normal impulse at zero and projecting the
// tangential one radially on the disk of radius mu r_n (Renouf, Acary, Dumont 2005, section 6.2,
// with the signs put right). Everything is written on world vectors:
//
//   u = v_c - v_a - (s_c + s_a) x n,   p_n' = max(0, p.n - (u.n + b) / w_n),
//   p_t* = p_t - u_t / w_t,            p_t' = p_t* min(1, mu p_n' / |p_t*|).
#include "engine/solvers/sweep/sphere_sweep.h"

#include "engine/solvers/sweep/lane_tally.h"

#define SPHERE_SWEEP KERNEL_NAME(sphere_sweep)

// The impulse p after the local solution, from relative velocity u and the block diag(w_n, w_t).
INLINE struct lane_vec local_solve(struct lane_vec p, struct lane_vec u, struct lane_vec n, lanes b,
                                   lanes w_n, lanes w_t, lanes mu, lanes omega) {
    lanes zero = splat(0), one = splat(1);
    lanes u_n = dot(u, n), p_n = dot(p, n);
    struct lane_vec u_t = add_scaled(u, -u_n, n), p_t = add_scaled(p, -p_n, n);
    lanes new_n = p_n - omega * (u_n + b) / w_n;
    new_n = choose(new_n > zero, new_n, zero);
    struct lane_vec trial = add_scaled(p_t, -omega / w_t, u_t);
    lanes limit = mu * new_n, length2 = dot(trial, trial);
    lanes shrink = choose(length2 > limit * limit, limit / lane_sqrt(length2), one);
    return (struct lane_vec){new_n * n.x + shrink * trial.x, new_n * n.y + shrink * trial.y,
                             new_n * n.z + shrink * trial.z};
}

// A run of groups goes through loops one after the other: the relative velocities of its contacts,
// their impulses, what these change of the velocities, the sums. In a single loop eight contacts
// were 450 instructions and a chain of more than 200 cycles, while a processor looks some 450
// instructions ahead: hardly two of them overlapped.
#define RUN 16

// What the loops leave to each other, of the contacts that go through the processor together: those
// of a part of a group, or of two groups.
struct span {
    struct lane_vec u, d, progress; // relative velocity; changes of the impulse
    lanes w_n, w_t;
    lanes m_c, k_c, m_a, k_a; // of the bodies: inv_m and k
};
#define SPANS (RUN * PARTS / GROUPS)

// Where the numbers of a span are.
struct place {
    struct sphere_group *group;
    struct lane_vector *last;
    int part;
};

INLINE struct place find_span(const struct sweep_call *call, uint32_t begin, uint32_t span) {
    uint32_t k = begin + span / PARTS * GROUPS;
    return (struct place){&call->groups[k], &call->last[k], (int)(span % PARTS)};
}

INLINE void find_bodies(const struct sweep_call *call, const int32_t *index, int part,
                        struct solver_body **of) {
    for (int lane = 0; lane < WIDTH; lane++) {
        const char *group = (const char *)index + lane / LANES * sizeof(struct sphere_group);
        of[lane] = &call->bodies[((const int32_t *)group)[part * WIDTH + lane % LANES]];
    }
}

INLINE struct lane_vec load_of(const struct place *place, const struct lane_vector *vector) {
    return load_apart(vector, place->part, sizeof *place->group);
}

INLINE void approach(const struct sweep_call *call, struct place place, struct span *span) {
    const struct sphere_group *group = place.group;
    struct solver_body *of_c[WIDTH], *of_a[WIDTH];
    find_bodies(call, group->c, place.part, of_c);
    find_bodies(call, group->a, place.part, of_a);
    struct body_lanes c = gather_bodies(of_c), a = gather_bodies(of_a);
    struct lane_vec n = load_of(&place, &group->n);
    span->u = subtract(subtract(c.v.a, a.v.a), cross(add(c.s.a, a.s.a), n));
    span->w_n = c.v.b + a.v.b;
    span->w_t = span->w_n + (c.s.b + a.s.b);
    span->m_c = c.v.b;
    span->k_c = c.s.b;
    span->m_a = a.v.b;
    span->k_a = a.s.b;
}

INLINE void solve(const struct sweep_call *call, struct place place, struct span *span) {
    struct sphere_group *group = place.group;
    lanes mu = splat(call->batch->mu), omega = splat(call->omega), beta = splat(call->beta);
    struct lane_vec n = load_of(&place, &group->n), p = load_of(&place, &group->p);
    struct lane_vec last = load_apart(place.last, place.part, sizeof *place.last);
    lanes b = load_numbers_apart(group->b, place.part, sizeof *group);
    struct lane_vec next = local_solve(p, span->u, n, b, span->w_n, span->w_t, mu, omega);
    span->d = subtract(next, p);
    span->progress = subtract(next, last);
    store_apart(place.last, place.part, sizeof *place.last, next);
    store_apart(&group->p, place.part, sizeof *group, add_scaled(next, beta, span->progress));
}

INLINE void push(const struct sweep_call *call, struct place place, const struct span *span,
                 int pair, unsigned used) {
    struct solver_body *of[WIDTH];
    struct lane_vec turn = cross(load_of(&place, &place.group->n), span->d);
    find_bodies(call, place.group->c, place.part, of);
    add_to_bodies(of, used, scale(span->m_c, span->d), scale(-span->k_c, turn));
    if (!pair)
        return;
    find_bodies(call, place.group->a, place.part, of);
    add_to_bodies(of, used, scale(-span->m_a, span->d), scale(-span->k_a, turn));
}

// The terms are added as if all were below the bound, and once more where they are not.
INLINE void add_spans(struct lane_tally *tally, const struct span *begin, const struct span *end) {
    struct lane_tally sums = *tally;
    lane_mask fit = splat(0) == splat(0);
    for (const struct span *span = begin; span < end; span++) {
        struct lane_terms terms = terms_of(span->d, span->progress, span->w_t);
        fit &= terms_fit(tally, &terms);
        add_fitting(&sums, &terms);
    }
    if (lane_bits(fit) == ALL_WIDTH) {
        *tally = sums;
        return;
    }
    for (const struct span *span = begin; span < end; span++)
        add_sums(tally, span->d, span->progress, span->w_t);
}

// Colours scatter neighbours over memory, and no hardware guesses where the next ones are: asks for
// the bodies of the next run, and for the contacts of the run after it, while there is arithmetic
// to do.
INLINE void prefetch(const struct sweep_call *call, uint32_t k) {
    const struct sphere_group *group = &call->groups[k + RUN];
    for (int lane = 0; lane < LANES; lane++) {
        __builtin_prefetch(&call->bodies[group->c[lane]]);
        __builtin_prefetch(&call->bodies[group->a[lane]]);
    }
    for (size_t line = 0; line < sizeof *group; line += CACHE_LINE)
        __builtin_prefetch((const char *)(group + RUN) + line);
    for (size_t line = 0; line < sizeof *call->last; line += CACHE_LINE)
        __builtin_prefetch((const char *)&call->last[k + 2 * RUN] + line);
}

// `used` are the lanes of a group on its own; of several groups all are.
INLINE void solve_run(const struct sweep_call *call, uint32_t begin, uint32_t end, int pair,
                      unsigned used, struct lane_tally *tally) {
    struct span spans[SPANS];
    const uint32_t count = (end - begin) / GROUPS * PARTS;
    for (uint32_t k = 0; k < count; k++)
        approach(call, find_span(call, begin, k), &spans[k]);
    for (uint32_t k = 0; k < count; k++) {
        struct place place = find_span(call, begin, k);
        uint32_t group = (uint32_t)(place.group - call->groups);
        for (uint32_t g = group; g < group + GROUPS && place.part == 0; g++)
            if (g + RUN < call->batch->end)
                prefetch(call, g);
        solve(call, place, &spans[k]);
    }
    for (uint32_t k = 0; k < count; k++) {
        struct place place = find_span(call, begin, k);
        push(call, place, &spans[k], pair, part_bits(used, place.part));
    }
    add_spans(tally, spans, spans + count);
}

// Returns the first group that is left: one that has unused lanes, or no other one to go with.
static uint32_t solve_full(const struct sweep_call *call, uint32_t begin, uint32_t end,
                           struct lane_tally *tally) {
    const struct batch *batch = call->batch;
    uint32_t full = end == batch->end && batch->lanes < LANES ? end - 1 : end;
    full -= (full - begin) % GROUPS;
    for (uint32_t k = begin; k < full; k += RUN) {
        uint32_t stop = k + RUN < full ? k + RUN : full;
        if (batch->kind == BATCH_SPHERE_PAIR)
            solve_run(call, k, stop, 1, ALL_LANES, tally);
        else
            solve_run(call, k, stop, 0, ALL_LANES, tally);
    }
    return full;
}

void SPHERE_SWEEP(const struct sweep_call *call, uint32_t begin, uint32_t end,
                  struct sweep_tally *total) {
    struct lane_tally tally;
    open_tally(&tally, total);
    uint32_t left = solve_full(call, begin, end, &tally);
#if WIDTH <= LANES
    if (left < end)
        solve_run(call, left, end, call->batch->kind == BATCH_SPHERE_PAIR,
                  (1u << call->batch->lanes) - 1, &tally);
    close_tally(&tally);
#else
    close_tally(&tally);
    if (left < end)
        sphere_sweep_avx2(call, left, end, total);
#endif
}
