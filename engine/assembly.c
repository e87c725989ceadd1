#include "engine/assembly.h"

#include <float.h>
#include <string.h>

#define CHUNK 4096

struct assembly {
    size_t capacity, mask_capacity, histogram_capacity;
    uint32_t *contact;       // index of each active contact
    int32_t *first, *second; // its solver bodies
    uint8_t *colour;
    uint32_t *bin;
    uint64_t *mask;
    uint32_t *histogram; // [thread][bin]
    double *mu;          // distinct friction coefficients
    uint16_t *mu_of_law;
    int mu_count;
};

struct assembly *assembly_create(void) {
    return memory_allocate(1, sizeof(struct assembly), "assembly");
}

void assembly_free(struct assembly *assembly) {
    void *arrays[] = {assembly->contact,   assembly->first, assembly->second,
                      assembly->colour,    assembly->bin,   assembly->mask,
                      assembly->histogram, assembly->mu,    assembly->mu_of_law};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    memory_free(assembly);
}

// Gap treatment -------------------------------------------------------------------------------

static double normal_velocity_before(const struct gabion_world *world,
                                     const struct contact *contact) {
    const vec3 *v = world->bodies.v;
    return vec3_dot(vec3_sub(v[contact->c], v[contact->a]), contact->normal);
}

static double restitution_cutoff(const struct gabion_settings *settings) {
    if (settings->restitution_cutoff >= 0)
        return settings->restitution_cutoff;
    return 2 * vec3_length(settings->gravity) * settings->step;
}

// `moreau`: restitution acts on contacts whose predicted gap closes. `gap`: the body may travel
// just as far as the gap; a contact that bounces is treated as `moreau` in that step, because
// restitution added to the gap term is wrong both ways (Anitescu 2003, section III.D).
bool assembly_bias(const struct gabion_world *world, const struct contact *contact, double *b) {
    const struct gabion_settings *settings = &world->settings;
    double e = world->laws.law[contact->law].restitution;
    double u_before = normal_velocity_before(world, contact), h = settings->step;
    bool bounces = e > 0 && u_before < -restitution_cutoff(settings);
    if (settings->gap == GABION_GAP_GAP && !bounces) {
        *b = fmax(contact->gap, 0) / h;
        return true;
    }
    *b = e * u_before;
    return contact->gap + settings->theta * h * u_before <= 0;
}

static void activate_range(void *context, size_t begin, size_t end) {
    struct gabion_world *world = context;
    double b;
    for (size_t k = begin; k < end; k++) {
        struct contact *contact = &world->contacts.list[k];
        contact->active = assembly_bias(world, contact, &b);
        world->problem->slot[k] = SLOT_NONE;
    }
}

// Colours -------------------------------------------------------------------------------------

static void list_active(struct gabion_world *world) {
    struct assembly *assembly = world->problem->assembly;
    size_t count = world->contacts.count, active = 0;
    if (assembly->capacity < count) {
        size_t room = count + count / 4;
        assembly->contact = memory_resize(assembly->contact, room, sizeof(uint32_t), "assembly");
        assembly->first = memory_resize(assembly->first, room, sizeof(int32_t), "assembly");
        assembly->second = memory_resize(assembly->second, room, sizeof(int32_t), "assembly");
        assembly->colour = memory_resize(assembly->colour, room, sizeof(uint8_t), "assembly");
        assembly->bin = memory_resize(assembly->bin, room, sizeof(uint32_t), "assembly");
        assembly->capacity = room;
    }
    for (size_t k = 0; k < count; k++) {
        const struct contact *contact = &world->contacts.list[k];
        if (!contact->active)
            continue;
        assembly->contact[active] = (uint32_t)k;
        assembly->first[active] = contact->c;
        assembly->second[active] = contact->a;
        active++;
    }
    world->problem->active = active;
}

static int colour(struct gabion_world *world) {
    struct problem *problem = world->problem;
    struct assembly *assembly = problem->assembly;
    size_t indices = (size_t)problem->solver_body_count;
    assembly->mask = memory_reserve_aligned(assembly->mask, &assembly->mask_capacity, indices,
                                            sizeof *assembly->mask, "colouring");
    return colour_pairs(assembly->first, assembly->second, problem->active, indices,
                        world->bodies.moving, world->bodies.count, assembly->mask,
                        assembly->colour);
}

// The mask array, between colourings, counts contacts per body and then numbers the copies.
static void count_degrees(const struct problem *problem, uint64_t *degree) {
    const struct assembly *assembly = problem->assembly;
    memset(degree, 0, (size_t)problem->body_count * sizeof *degree);
    for (size_t k = 0; k < problem->active; k++) {
        degree[assembly->first[k]]++;
        degree[assembly->second[k]]++;
    }
}

static void add_split(struct problem *problem, int32_t body, int32_t copies) {
    problem->splits = memory_reserve(problem->splits, &problem->split_capacity,
                                     problem->split_count + 1, sizeof *problem->splits, "splits");
    problem->splits[problem->split_count++] =
        (struct split_body){body, problem->solver_body_count - 1, copies};
    problem->solver_body_count += copies - 1;
}

// Contacts of a busy body go to its copies in runs of COLOUR_DEGREE_MAX, in canonical order.
static int32_t next_copy(const struct problem *problem, int32_t body, uint64_t *state) {
    uint64_t split = state[body] >> 32, used = state[body] & 0xffffffffu;
    if (split == 0)
        return body;
    state[body]++;
    const struct split_body *entry = &problem->splits[split - 1];
    int32_t copy = (int32_t)(used / COLOUR_DEGREE_MAX);
    return copy == 0 ? body : entry->first_copy + copy - 1;
}

static void split_busy_bodies(struct gabion_world *world) {
    struct problem *problem = world->problem;
    struct assembly *assembly = problem->assembly;
    uint64_t *state = assembly->mask;
    count_degrees(problem, state);
    for (int32_t i = 0; i < world->bodies.count; i++) {
        uint64_t degree = state[i];
        state[i] = 0;
        if (i >= world->bodies.moving || degree <= COLOUR_DEGREE_MAX)
            continue;
        add_split(problem, i, (int32_t)((degree + COLOUR_DEGREE_MAX - 1) / COLOUR_DEGREE_MAX));
        state[i] = (uint64_t)problem->split_count << 32;
    }
    for (size_t k = 0; k < problem->active; k++) {
        assembly->first[k] = next_copy(problem, assembly->first[k], state);
        assembly->second[k] = next_copy(problem, assembly->second[k], state);
    }
}

static void make_room_for_copies(struct problem *problem) {
    size_t needed = (size_t)problem->solver_body_count, capacity = 0;
    struct solver_body *bodies =
        memory_reserve_aligned(NULL, &capacity, needed, sizeof *bodies, "solver bodies");
    memcpy(bodies, problem->bodies, (size_t)problem->body_count * sizeof *bodies);
    memory_free(problem->bodies);
    problem->bodies = bodies;
    problem->body_capacity = capacity;
    if (problem->tensor_needed)
        problem_size_tensors(problem);
    problem->copies = memory_reserve(problem->copies, &problem->copies_capacity, needed,
                                     sizeof *problem->copies, "copies");
    for (size_t i = 0; i < needed; i++)
        problem->copies[i] = 1;
}

static void copy_body(struct problem *problem, const struct split_body *split) {
    double copies = split->copies;
    struct solver_body *body = &problem->bodies[split->body];
    body->inv_m *= copies;
    body->k *= copies;
    problem->copies[split->body] = split->copies;
    for (int32_t j = split->first_copy; j < split->first_copy + split->copies - 1; j++) {
        problem->bodies[j] = *body;
        problem->copies[j] = split->copies;
    }
    if (!problem->tensor_needed)
        return;
    struct solver_tensor *tensor = &problem->tensors[split->body];
    *tensor = solver_tensor_scale(copies, *tensor);
    for (int32_t j = split->first_copy; j < split->first_copy + split->copies - 1; j++)
        problem->tensors[j] = *tensor;
}

// Copies carry an equal share of the mass each.
static void fill_copies(struct problem *problem) {
    if (problem->split_count > 0)
        make_room_for_copies(problem);
    for (size_t k = 0; k < problem->split_count; k++)
        copy_body(problem, &problem->splits[k]);
    // The null body of unused lanes: any positive inverse mass keeps divisions finite.
    problem->bodies[problem->solver_body_count - 1] = (struct solver_body){.inv_m = 1, .k = 1};
}

static void colour_contacts(struct gabion_world *world) {
    struct problem *problem = world->problem;
    problem->split_count = 0;
    problem->solver_body_count = problem->body_count + 1;
    problem->colours = colour(world);
    if (problem->colours < 0 || problem->colours > COLOUR_DEGREE_MAX) {
        split_busy_bodies(world);
        problem->colours = colour(world);
    }
    fill_copies(problem);
}

// Batches -------------------------------------------------------------------------------------

// Frictions are few even where laws are many: batches go by value.
static void list_frictions(struct gabion_world *world) {
    struct assembly *assembly = world->problem->assembly;
    size_t laws = (size_t)world->laws.count;
    assembly->mu = memory_resize(assembly->mu, laws, sizeof *assembly->mu, "assembly");
    assembly->mu_of_law =
        memory_resize(assembly->mu_of_law, laws, sizeof *assembly->mu_of_law, "assembly");
    assembly->mu_count = 0;
    for (size_t k = 0; k < laws; k++) {
        // Sticking: a finite number keeps 0 * mu = 0 in the kernels.
        double mu = fmin(world->laws.law[k].friction, DBL_MAX);
        int found = 0;
        while (found < assembly->mu_count && assembly->mu[found] != mu)
            found++;
        if (found == assembly->mu_count)
            assembly->mu[assembly->mu_count++] = mu;
        assembly->mu_of_law[k] = (uint16_t)found;
    }
}

static enum batch_kind kind_of(const struct gabion_world *world, const struct contact *contact) {
    const struct bodies *bodies = &world->bodies;
    const struct problem *problem = world->problem;
    if (problem->tensor_needed &&
        (world->settings.local == GABION_LOCAL_EXACT ||
         world->laws.law[contact->law].tangential_restitution > 0 ||
         motion_needs_tensor(bodies, contact->c) || motion_needs_tensor(bodies, contact->a)))
        return BATCH_GENERAL;
    return contact->a < bodies->moving ? BATCH_SPHERE_PAIR : BATCH_SPHERE_FIXED;
}

static size_t bin_count(const struct problem *problem) {
    return (size_t)problem->colours * BATCH_KINDS * (size_t)problem->assembly->mu_count;
}

static void count_bins(void *context, int thread, int threads) {
    struct gabion_world *world = context;
    struct assembly *assembly = world->problem->assembly;
    size_t bins = bin_count(world->problem), begin, end;
    uint32_t *histogram = assembly->histogram + (size_t)thread * bins;
    team_share(0, world->problem->active, thread, threads, &begin, &end);
    for (size_t k = begin; k < end; k++) {
        const struct contact *contact = &world->contacts.list[assembly->contact[k]];
        uint32_t bin =
            ((uint32_t)assembly->colour[k] * BATCH_KINDS + (uint32_t)kind_of(world, contact)) *
                (uint32_t)assembly->mu_count +
            assembly->mu_of_law[contact->law];
        assembly->bin[k] = bin;
        histogram[bin]++;
    }
}

static void append_chunks(struct problem *problem, const struct batch *batch) {
    for (uint32_t begin = batch->begin; begin < batch->end; begin += PROBLEM_CHUNK) {
        uint32_t end = begin + PROBLEM_CHUNK < batch->end ? begin + PROBLEM_CHUNK : batch->end;
        problem->chunks =
            memory_reserve(problem->chunks, &problem->chunk_capacity, problem->chunk_count + 1,
                           sizeof *problem->chunks, "batches");
        problem->chunks[problem->chunk_count++] =
            (struct chunk){(uint32_t)(problem->batch_count - 1), begin, end};
    }
}

static void append_batch(struct problem *problem, enum batch_kind kind, double mu, uint32_t count) {
    problem->batches = memory_reserve(problem->batches, &problem->batch_capacity,
                                      problem->batch_count + 1, sizeof(struct batch), "batches");
    struct batch *batch = &problem->batches[problem->batch_count++];
    *batch = (struct batch){.kind = kind, .mu = mu};
    if (kind == BATCH_GENERAL) {
        batch->begin = (uint32_t)problem->general_count;
        problem->general_count += count;
        batch->end = (uint32_t)problem->general_count;
    } else {
        batch->begin = (uint32_t)problem->group_count;
        problem->group_count += (count + LANES - 1) / LANES;
        batch->end = (uint32_t)problem->group_count;
        batch->lanes = (count - 1) % LANES + 1;
    }
    append_chunks(problem, batch);
}

// Turns per-thread counts into first places: bin by bin, and thread by thread inside a bin, which
// is the canonical order whatever the number of threads.
static void place_bins(struct problem *problem, int threads) {
    struct assembly *assembly = problem->assembly;
    size_t bins = bin_count(problem), bin = 0;
    problem->batch_count = problem->group_count = problem->general_count = 0;
    problem->chunk_count = 0;
    for (int c = 0; c < problem->colours; c++) {
        problem->colour_start[c] = (uint32_t)problem->batch_count;
        problem->colour_chunk[c] = (uint32_t)problem->chunk_count;
        for (int kind = 0; kind < BATCH_KINDS; kind++)
            for (int m = 0; m < assembly->mu_count; m++, bin++) {
                uint32_t count = 0;
                for (int t = 0; t < threads; t++)
                    count += assembly->histogram[(size_t)t * bins + bin];
                if (count == 0)
                    continue;
                uint32_t place = kind == BATCH_GENERAL
                                     ? SLOT_GENERAL | (uint32_t)problem->general_count
                                     : (uint32_t)problem->group_count * LANES;
                append_batch(problem, (enum batch_kind)kind, assembly->mu[m], count);
                for (int t = 0; t < threads; t++) {
                    uint32_t mine = assembly->histogram[(size_t)t * bins + bin];
                    assembly->histogram[(size_t)t * bins + bin] = place;
                    place += mine;
                }
            }
    }
    problem->colour_start[problem->colours] = (uint32_t)problem->batch_count;
    problem->colour_chunk[problem->colours] = (uint32_t)problem->chunk_count;
}

// Filling -------------------------------------------------------------------------------------

static void set_lane(struct sphere_group *group, uint32_t lane, int32_t c, int32_t a, vec3 n,
                     vec3 p, double b) {
    group->c[lane] = c;
    group->a[lane] = a;
    lane_set(&group->n, lane, n);
    lane_set(&group->p, lane, p);
    group->b[lane] = b;
}

// Adds one body's part of W: 1/m + [arm]x^T K [arm]x, in the local frame.
static void add_body_block(struct solver_tensor tensor, vec3 arm, const vec3 *axis,
                           double w[3][3]) {
    for (int j = 0; j < 3; j++) {
        vec3 spin = sym3_apply(tensor.k, vec3_cross(arm, axis[j]));
        vec3 u = vec3_add(vec3_times(tensor.inv_m, axis[j]), vec3_cross(spin, arm));
        for (int i = 0; i < 3; i++)
            w[i][j] += vec3_dot(axis[i], u);
    }
}

// Largest eigenvalue of a symmetric matrix by Jacobi rotations.
static double largest_eigenvalue(double a[3][3]) {
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                if (a[p][q] == 0)
                    continue;
                double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                int r = 3 - p - q;
                double arp = a[r][p], arq = a[r][q], apq = a[p][q];
                a[p][p] -= t * apq;
                a[q][q] += t * apq;
                a[p][q] = a[q][p] = 0;
                a[r][p] = a[p][r] = c * arp - s * arq;
                a[r][q] = a[q][r] = s * arp + c * arq;
            }
    return fmax(a[0][0], fmax(a[1][1], a[2][2]));
}

static vec3 velocity_before(const struct gabion_world *world, int32_t i, vec3 arm) {
    const struct bodies *bodies = &world->bodies;
    vec3 s = vec3_scale(bodies->radius[i], bodies->w[i]);
    return vec3_add(bodies->v[i], vec3_cross(s, arm));
}

static void fill_general(struct gabion_world *world, const struct contact *contact, int32_t c,
                         int32_t a, double b, struct general_contact *out) {
    const struct problem *problem = world->problem;
    double e_t = world->laws.law[contact->law].tangential_restitution;
    double w[3][3] = {{0}}, true_w[3][3] = {{0}};
    *out = (struct general_contact){.c = c, .a = a, .n = contact->normal};
    vec3_tangents(out->n, &out->s, &out->t);
    // Lever arms of spheres, in units of the radius; a half-space has none, its spin is zero.
    out->arm_c = vec3_negate(contact->normal);
    out->arm_a = world->bodies.shape[contact->a] == GABION_SPHERE ? contact->normal : vec3_zero();
    vec3 axis[3] = {out->n, out->s, out->t};
    // The local solver must see the copies that the sweep moves; the residual's scale is that of
    // the true bodies.
    struct solver_tensor tensor_c = problem->tensors[c], tensor_a = problem->tensors[a];
    add_body_block(tensor_c, out->arm_c, axis, w);
    add_body_block(tensor_a, out->arm_a, axis, w);
    for (int i = 0; i < 3; i++)
        out->W.row[i] = vec3_make(w[i][0], w[i][1], w[i][2]);
    add_body_block(solver_tensor_scale(1 / solver_copies(problem, c), tensor_c), out->arm_c, axis,
                   true_w);
    add_body_block(solver_tensor_scale(1 / solver_copies(problem, a), tensor_a), out->arm_a, axis,
                   true_w);
    double norm = largest_eigenvalue(true_w);
    out->rho = norm > 0 ? 1 / norm : 0;
    vec3 before = vec3_sub(velocity_before(world, contact->c, out->arm_c),
                           velocity_before(world, contact->a, out->arm_a));
    out->b = vec3_make(b, e_t * vec3_dot(out->s, before), e_t * vec3_dot(out->t, before));
    out->r = vec3_make(vec3_dot(out->n, contact->impulse), vec3_dot(out->s, contact->impulse),
                       vec3_dot(out->t, contact->impulse));
}

static void fill_slots(void *context, int thread, int threads) {
    struct gabion_world *world = context;
    struct problem *problem = world->problem;
    struct assembly *assembly = problem->assembly;
    uint32_t *place = assembly->histogram + (size_t)thread * bin_count(problem);
    size_t begin, end;
    team_share(0, problem->active, thread, threads, &begin, &end);
    for (size_t k = begin; k < end; k++) {
        struct contact *contact = &world->contacts.list[assembly->contact[k]];
        uint32_t slot = place[assembly->bin[k]]++;
        double b;
        assembly_bias(world, contact, &b);
        problem->slot[assembly->contact[k]] = slot;
        if (slot & SLOT_GENERAL)
            fill_general(world, contact, assembly->first[k], assembly->second[k], b,
                         &problem->general[slot & ~SLOT_GENERAL]);
        else
            set_lane(&problem->groups[slot / LANES], slot % LANES, assembly->first[k],
                     assembly->second[k], contact->normal, contact->impulse, b);
    }
}

static void fill_unused_lanes(struct problem *problem) {
    int32_t null_body = problem->solver_body_count - 1;
    for (size_t k = 0; k < problem->batch_count; k++) {
        const struct batch *batch = &problem->batches[k];
        if (batch->kind == BATCH_GENERAL)
            continue;
        for (uint32_t lane = batch->lanes; lane < LANES; lane++)
            set_lane(&problem->groups[batch->end - 1], lane, null_body, null_body, vec3_zero(),
                     vec3_zero(), 0);
    }
}

void problem_build(struct gabion_world *world) {
    struct problem *problem = world->problem;
    struct assembly *assembly = problem->assembly;
    int threads = team_worth(world->team, world->contacts.count, CHUNK);
    problem->slot = memory_reserve_aligned(problem->slot, &problem->slot_capacity,
                                           world->contacts.count, sizeof *problem->slot, "slots");
    team_for(world->team, world->contacts.count, CHUNK, activate_range, world);
    list_active(world);
    colour_contacts(world);
    list_frictions(world);
    assembly->histogram = memory_reserve(assembly->histogram, &assembly->histogram_capacity,
                                         bin_count(problem) * (size_t)threads,
                                         sizeof *assembly->histogram, "assembly");
    // A team may come with fewer threads than asked for: rows that nobody fills stay empty.
    memset(assembly->histogram, 0,
           bin_count(problem) * (size_t)threads * sizeof *assembly->histogram);
    team_run(world->team, threads, count_bins, world);
    place_bins(problem, threads);
    problem->groups =
        memory_reserve_aligned(problem->groups, &problem->group_capacity, problem->group_count,
                               sizeof *problem->groups, "sphere contacts");
    problem->general =
        memory_reserve_aligned(problem->general, &problem->general_capacity, problem->general_count,
                               sizeof *problem->general, "contacts");
    fill_unused_lanes(problem);
    team_run(world->team, threads, fill_slots, world);
}
