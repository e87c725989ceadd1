// The contact problem of a step as a problem by itself.
#include <math.h>
#include <string.h>

#include "engine/problem/friction_problem.h"
#include "parallel/colour.h"
#include "parallel/memory.h"

// From here on sweeps are worth colours.
#define COLOURED_CONTACTS 4000

struct source {
    const struct gabion_world *world;
    struct friction_problem *problem;
    int32_t *whole;   // the body that each copy of a split one is a part of
    int32_t *body_of; // of the new problem, by body of the world
    int32_t bodies, contacts;
};

// Copies and prescribed bodies ----------------------------------------------------------------

static void find_wholes(struct source *source) {
    const struct problem *step = source->world->problem;
    for (int32_t i = 0; i < step->solver_body_count; i++)
        source->whole[i] = i;
    for (size_t k = 0; k < step->split_count; k++)
        for (int32_t j = 0; j < step->splits[k].copies - 1; j++)
            source->whole[step->splits[k].first_copy + j] = step->splits[k].body;
}

struct solver_tensor friction_inverse_mass(const struct problem *step, int32_t body) {
    const struct solver_body *round = &step->bodies[body];
    struct solver_tensor tensor = {{round->inv_m, round->inv_m, round->inv_m},
                                   {round->k, round->k, round->k, 0, 0, 0}};
    if (step->tensor_needed)
        tensor = step->tensors[body];
    return solver_tensor_scale(1 / solver_copies(step, body), tensor);
}

static int32_t name_body(struct source *source, int32_t solver_body) {
    int32_t body = source->whole[solver_body];
    if (body >= source->world->bodies.moving)
        return FRICTION_FIXED;
    if (source->body_of[body] == FRICTION_FIXED)
        source->body_of[body] = source->bodies++;
    return source->body_of[body];
}

// Contacts ------------------------------------------------------------------------------------

static vec3 free_velocity(const struct problem *step, int32_t body, vec3 arm) {
    return vec3_add(step->v_free[body], vec3_cross(step->s_free[body], arm));
}

static double speed2(const struct problem *step, int32_t body) {
    vec3 v = step->v_free[body], s = step->s_free[body];
    return vec3_dot(v, v) + vec3_dot(s, s);
}

static int32_t add_row(struct source *source, struct friction_row row, int32_t c, int32_t a,
                       double mu, vec3 b) {
    const struct problem *step = source->world->problem;
    int32_t k = source->contacts++;
    row.c = name_body(source, c);
    row.a = name_body(source, a);
    vec3 u = vec3_sub(free_velocity(step, source->whole[c], row.arm_c),
                      free_velocity(step, source->whole[a], row.arm_a));
    vec3 q =
        vec3_make(vec3_dot(row.axis[0], u), vec3_dot(row.axis[1], u), vec3_dot(row.axis[2], u));
    source->problem->speed2 += speed2(step, source->whole[c]) + speed2(step, source->whole[a]);
    source->problem->bodies.rows[k] = row;
    source->problem->mu[k] = mu;
    friction_set(source->problem->q, k, vec3_add(q, b));
    return k;
}

static void add_block(struct source *source, const struct block *block, double mu) {
    const struct problem *step = source->world->problem;
    for (uint32_t k = 0; k < block->count; k++) {
        const struct block_point *point = &step->points[block->begin + k];
        struct friction_row row = {.axis = {block->n, block->s, block->t},
                                   .arm_c = point->arm_c,
                                   .arm_a = point->arm_a,
                                   .slot = SLOT_POINT | (block->begin + k)};
        int32_t contact = add_row(source, row, block->c, block->a, mu, point->b);
        source->problem->rho[contact] = point->rho;
        if (point->held)
            friction_problem_hold(source->problem, contact, point->held);
    }
}

static void add_lane(struct source *source, uint32_t index, uint32_t lane, double mu) {
    const struct sphere_group *group = &source->world->problem->groups[index];
    vec3 n = lane_get(&group->n, lane);
    struct friction_row row = {
        .axis = {n}, .arm_c = vec3_negate(n), .arm_a = n, .slot = index * LANES + lane};
    vec3_tangents(n, &row.axis[1], &row.axis[2]);
    add_row(source, row, group->c[lane], group->a[lane], mu, vec3_make(group->b[lane], 0, 0));
}

static void add_rows(struct source *source) {
    const struct problem *step = source->world->problem;
    for (size_t k = 0; k < step->batch_count; k++) {
        const struct batch *batch = &step->batches[k];
        for (uint32_t i = batch->begin; i < batch->end; i++) {
            uint32_t used = i + 1 == batch->end ? batch->lanes : LANES;
            if (batch->kind == BATCH_BLOCK)
                add_block(source, &step->blocks[i], batch->mu);
            for (uint32_t lane = 0; batch->kind != BATCH_BLOCK && lane < used; lane++)
                add_lane(source, i, lane, batch->mu);
        }
    }
}

static void put_drift(const struct gabion_world *world, int32_t i, double *six) {
    const struct bodies *bodies = &world->bodies;
    vec3 v = vec3_sub(bodies->v[i], world->problem->v_free[i]);
    vec3 s = vec3_sub(vec3_scale(bodies->radius[i], bodies->w[i]), world->problem->s_free[i]);
    memcpy(six, &v, sizeof v);
    memcpy(six + 3, &s, sizeof s);
}

struct friction_problem *friction_problem_of_step(const struct gabion_world *world) {
    const struct problem *step = world->problem;
    size_t moving = (size_t)world->bodies.moving;
    struct source source = {.world = world};
    source.problem = friction_problem_with_bodies((int32_t)step->active, (int32_t)moving);
    source.whole = memory_allocate((size_t)step->solver_body_count, sizeof(int32_t), "bodies");
    source.body_of = memory_allocate(moving, sizeof(int32_t), "bodies");
    for (size_t i = 0; i < moving; i++)
        source.body_of[i] = FRICTION_FIXED;
    source.problem->speed2 = 0;
    find_wholes(&source);
    add_rows(&source);
    struct friction_bodies *bodies = &source.problem->bodies;
    bodies->count = source.bodies;
    bodies->drift = memory_allocate(6 * (size_t)source.bodies, sizeof(double), "velocities");
    for (int32_t i = 0; i < world->bodies.moving; i++)
        if (source.body_of[i] != FRICTION_FIXED) {
            bodies->inverse[source.body_of[i]] = friction_inverse_mass(step, i);
            bodies->id[source.body_of[i]] = i;
            put_drift(world, i, bodies->drift + 6 * (size_t)source.body_of[i]);
        }
    memory_free(source.whole);
    memory_free(source.body_of);
    source.problem->floor = world->settings.step * vec3_length(world->settings.gravity);
    source.problem->team = world->team;
    friction_problem_join(source.problem);
    friction_problem_finish(source.problem);
    return source.problem;
}

// Impulses ------------------------------------------------------------------------------------

void friction_problem_get(const struct friction_problem *problem, const struct problem *step,
                          double *r) {
    for (int32_t k = 0; k < problem->contacts; k++) {
        const struct friction_row *row = &problem->bodies.rows[k];
        vec3 p;
        if (row->slot & SLOT_POINT) {
            friction_set(r, k, step->points[row->slot & ~SLOT_POINT].r);
            continue;
        }
        p = lane_get(&step->groups[row->slot / LANES].p, row->slot % LANES);
        friction_set(r, k,
                     vec3_make(vec3_dot(row->axis[0], p), vec3_dot(row->axis[1], p),
                               vec3_dot(row->axis[2], p)));
    }
}

void friction_problem_put(const struct friction_problem *problem, const double *r,
                          struct problem *step) {
    for (int32_t k = 0; k < problem->contacts; k++) {
        const struct friction_row *row = &problem->bodies.rows[k];
        vec3 r_k = friction_get(r, k);
        if (row->slot & SLOT_POINT)
            step->points[row->slot & ~SLOT_POINT].r = r_k;
        else
            lane_set(&step->groups[row->slot / LANES].p, row->slot % LANES,
                     friction_row_impulse(row, r_k));
    }
}

// Who touches whom ----------------------------------------------------------------------------

static void list_incident(struct friction_problem *problem) {
    struct friction_bodies *bodies = &problem->bodies;
    size_t *start = bodies->start;
    for (int32_t k = 0; k < problem->contacts; k++) {
        const int32_t touched[2] = {bodies->rows[k].c, bodies->rows[k].a};
        for (int side = 0; side < 2; side++)
            if (touched[side] >= 0)
                start[touched[side] + 1]++;
    }
    for (int32_t b = 0; b < bodies->count; b++)
        start[b + 1] += start[b];
    size_t *place = memory_allocate((size_t)bodies->count, sizeof *place, "contact problem");
    for (int32_t b = 0; b < bodies->count; b++)
        place[b] = start[b];
    for (int32_t k = 0; k < problem->contacts; k++) {
        const int32_t touched[2] = {bodies->rows[k].c, bodies->rows[k].a};
        for (int side = 0; side < 2; side++)
            if (touched[side] >= 0)
                bodies->incident[place[touched[side]]++] = 2 * k + side;
    }
    memory_free(place);
}

static bool same_bodies(const struct friction_row *x, const struct friction_row *y) {
    return x->c == y->c && x->a == y->a;
}

// Contacts and joints of the same two bodies need not follow each other: those of one normal do.
// The first of the pair, looked for among the contacts of the body that has fewer of them.
static int32_t first_of_pair(const struct friction_bodies *bodies, int32_t contact) {
    const struct friction_row *row = &bodies->rows[contact];
    const size_t *start = bodies->start;
    bool few = start[row->c + 1] - start[row->c] <= start[row->a + 1] - start[row->a];
    const int32_t *incident = &bodies->incident[start[few ? row->c : row->a]];
    while (!same_bodies(&bodies->rows[*incident / 2], row))
        incident++;
    return *incident / 2;
}

static size_t list_runs(struct friction_problem *problem) {
    struct friction_bodies *bodies = &problem->bodies;
    size_t runs = 0;
    problem->run = memory_allocate((size_t)problem->contacts, sizeof *problem->run, "sweeps");
    for (int32_t k = 0; k < problem->contacts; k++) {
        const struct friction_row *row = &bodies->rows[k];
        bool begins = k == 0 || !same_bodies(row, row - 1);
        if (begins)
            problem->run[runs++] = (struct friction_run){k, k};
        problem->run[runs - 1].end = k + 1;
        bodies->pair[k] = -1;
        if (row->c < 0 || row->a < 0)
            continue;
        int32_t first = begins ? first_of_pair(bodies, k) : k - 1;
        if (first == k) {
            bodies->first[bodies->pair_count] = row->c;
            bodies->second[bodies->pair_count] = row->a;
            bodies->pair[k] = (int32_t)bodies->pair_count++;
        } else {
            bodies->pair[k] = bodies->pair[first];
        }
    }
    return runs;
}

static void sort_runs(struct friction_problem *problem, size_t runs, const uint8_t *colour) {
    size_t *start = memory_allocate((size_t)problem->colours + 1, sizeof *start, "sweeps");
    struct friction_run *sorted = memory_allocate(runs, sizeof *sorted, "sweeps");
    size_t place = 0;
    for (int c = 0; c < problem->colours; c++) {
        start[c] = place;
        for (size_t k = 0; k < runs; k++)
            if (colour[k] == c)
                sorted[place++] = problem->run[k];
    }
    start[problem->colours] = place;
    memory_free(problem->run);
    problem->run = sorted;
    problem->colour_start = start;
}

static void colour_runs(struct friction_problem *problem, size_t runs) {
    const struct friction_bodies *bodies = &problem->bodies;
    int32_t fixed = bodies->count;
    int32_t *pair = memory_allocate(2 * runs, sizeof *pair, "sweeps");
    uint64_t *mask = memory_allocate((size_t)fixed + 1, sizeof *mask, "sweeps");
    uint8_t *colour = memory_allocate(runs, sizeof *colour, "sweeps");
    for (size_t k = 0; k < runs; k++) {
        const struct friction_row *row = &bodies->rows[problem->run[k].begin];
        pair[k] = row->c >= 0 ? row->c : fixed;
        pair[runs + k] = row->a >= 0 ? row->a : fixed;
    }
    problem->colours =
        colour_pairs(pair, pair + runs, runs, (size_t)fixed + 1, fixed, fixed + 1, mask, colour);
    if (problem->colours > 0)
        sort_runs(problem, runs, colour);
    else
        problem->colours = 0; // a body with too many contacts: sweeps go one by one
    memory_free(pair);
    memory_free(mask);
    memory_free(colour);
}

void friction_problem_join(struct friction_problem *problem) {
    list_incident(problem);
    size_t runs = list_runs(problem);
    if (problem->contacts >= COLOURED_CONTACTS)
        colour_runs(problem, runs);
}
