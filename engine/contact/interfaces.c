#include "engine/contact/interfaces.h"

#include <stdlib.h>
#include <string.h>

#include "engine/contact/contacts.h"
#include "engine/world/world.h"
#include "geometry/grid.h"
#include "geometry/manifold.h"
#include "geometry/patch.h"
#include "parallel/memory.h"

// Blocks that are drawn against each other touch but for rounding.
#define TOUCH 1e-6 // of the smaller thickness

_Static_assert(PATCH_POINTS_MAX >= MANIFOLD_MAX, "a manifold is a patch");

void interfaces_free(struct interfaces *interfaces) {
    memory_free(interfaces->list);
    memory_free(interfaces->corner);
    memory_free(interfaces->measured);
    *interfaces = (struct interfaces){0};
}

// Pairs ---------------------------------------------------------------------------------------

// Two bodies that touch, by id, a < b; where it comes from contacts of a step: which.
struct pair {
    int32_t a, b;
    size_t begin, end;
};

struct pairs {
    struct pair *list;
    size_t count, capacity;
};

static void pairs_add(struct pairs *pairs, int32_t id, int32_t other, size_t begin, size_t end) {
    pairs->list = memory_reserve(pairs->list, &pairs->capacity, pairs->count + 1,
                                 sizeof *pairs->list, "pairs of blocks");
    pairs->list[pairs->count++] =
        (struct pair){id < other ? id : other, id < other ? other : id, begin, end};
}

static int compare_ids(int32_t a, int32_t b, int32_t c, int32_t d) {
    return a != c ? (a > c) - (a < c) : (b > d) - (b < d);
}

static int compare_pairs(const void *left, const void *right) {
    const struct pair *first = left, *second = right;
    return compare_ids(first->a, first->b, second->a, second->b);
}

static void pairs_sort(struct pairs *pairs) {
    if (pairs->count > 1)
        qsort(pairs->list, pairs->count, sizeof *pairs->list, compare_pairs);
}

static bool is_block(const struct bodies *bodies, int32_t i) {
    return bodies->shape[i] == GABION_POLYHEDRON;
}

static bool is_wall(const struct bodies *bodies, int32_t i) {
    return bodies->shape[i] == GABION_HALF_SPACE;
}

// Two blocks, or a block and a wall: spheres have no face to lie on.
static bool may_lie(const struct bodies *bodies, int32_t i, int32_t j) {
    return (is_block(bodies, i) && (is_block(bodies, j) || is_wall(bodies, j))) ||
           (is_wall(bodies, i) && is_block(bodies, j));
}

// Finding -------------------------------------------------------------------------------------

static void find_near_blocks(const struct gabion_world *world, const int32_t *block, int32_t count,
                             struct pairs *pairs) {
    const struct bodies *bodies = &world->bodies;
    vec3 *x = memory_allocate((size_t)count, sizeof *x, "blocks");
    double *reach = memory_allocate((size_t)count, sizeof *reach, "blocks");
    for (int32_t k = 0; k < count; k++) {
        x[k] = bodies->x[block[k]];
        reach[k] = (1 + TOUCH) * bodies->radius[block[k]];
    }
    struct grid *grid = grid_create();
    struct pair_list near = {0};
    grid_find_pairs(grid, world->team, x, reach, count, count, &near);
    for (int32_t k = 0; k < count; k++)
        for (uint32_t p = near.start[k]; p < near.start[k + 1]; p++) {
            int32_t i = block[k], j = block[near.other[p]];
            if (bodies->mass[i] > 0 || bodies->mass[j] > 0)
                pairs_add(pairs, bodies->id[i], bodies->id[j], 0, 0);
        }
    pair_list_free(&near);
    grid_free(grid);
    memory_free(x);
    memory_free(reach);
}

static void find_pairs(const struct gabion_world *world, struct pairs *pairs) {
    const struct bodies *bodies = &world->bodies;
    int32_t *block = memory_allocate((size_t)bodies->count, sizeof *block, "blocks"), count = 0;
    for (int32_t i = 0; i < bodies->count; i++)
        if (is_block(bodies, i))
            block[count++] = i;
    if (count > 0)
        find_near_blocks(world, block, count, pairs);
    for (int32_t i = 0; i < bodies->count; i++)
        for (int32_t k = 0; k < count && is_wall(bodies, i); k++)
            if (bodies->mass[block[k]] > 0)
                pairs_add(pairs, bodies->id[i], bodies->id[block[k]], 0, 0);
    memory_free(block);
    pairs_sort(pairs);
}

// The manifold of i against j, normal from j to i. False: they do not touch.
static bool find_manifold(const struct bodies *bodies, int32_t i, int32_t j,
                          struct manifold *manifold) {
    if (is_wall(bodies, i)) {
        bool touch = find_manifold(bodies, j, i, manifold);
        manifold->normal = vec3_negate(manifold->normal);
        return touch;
    }
    struct placed a = {bodies_polyhedron(bodies, i), bodies->x[i], quat_matrix(bodies->q[i])};
    double reach = 2 * TOUCH * bodies_smaller_size(bodies, i, j);
    if (is_wall(bodies, j)) {
        mat3 axes = quat_matrix(bodies->q[j]);
        manifold_half_space(&a, bodies->x[j], bodies_plane_normal(bodies, j, &axes), reach,
                            manifold);
    } else {
        struct placed b = {bodies_polyhedron(bodies, j), bodies->x[j], quat_matrix(bodies->q[j])};
        manifold_polyhedra(&a, &b, reach, manifold);
    }
    return manifold->count > 0;
}

static vec3 to_own_axes(const struct bodies *bodies, int32_t i, vec3 point) {
    return mat3_apply_transposed(quat_matrix(bodies->q[i]), vec3_sub(point, bodies->x[i]));
}

static vec3 to_world(const struct bodies *bodies, int32_t i, vec3 own) {
    return vec3_add(bodies->x[i], mat3_apply(quat_matrix(bodies->q[i]), own));
}

static double gap_at(const struct manifold *manifold, vec3 position) {
    int k = 0;
    while (k + 1 < manifold->count &&
           vec3_length(vec3_sub(manifold->point[k].position, position)) > 0)
        k++;
    return manifold->point[k].gap;
}

// Edges and corners that touch are no interface: a patch needs an area.
static void add_interface(struct interfaces *interfaces, const struct bodies *bodies,
                          const struct pair *pair) {
    struct manifold manifold;
    vec3 corner[MANIFOLD_MAX];
    int32_t i = bodies->index_of[pair->a], j = bodies->index_of[pair->b];
    if (!find_manifold(bodies, i, j, &manifold))
        return;
    double size = 2 * bodies_smaller_size(bodies, i, j);
    for (int k = 0; k < manifold.count; k++)
        corner[k] = manifold.point[k].position;
    int corners = patch_hull(corner, manifold.count, manifold.normal, TOUCH * size);
    if (corners < 3 || !(patch_area(corner, corners, manifold.normal) > TOUCH * size * size))
        return;
    interfaces->list =
        memory_reserve(interfaces->list, &interfaces->capacity, interfaces->count + 1,
                       sizeof *interfaces->list, "interfaces");
    interfaces->list[interfaces->count++] = (struct interface){
        .a = pair->a,
        .b = pair->b,
        .begin = (uint32_t)interfaces->corner_count,
        .corners = (uint32_t)corners,
        .normal = mat3_apply_transposed(quat_matrix(bodies->q[j]), manifold.normal),
    };
    interfaces->corner = memory_reserve(interfaces->corner, &interfaces->corner_capacity,
                                        interfaces->corner_count + (size_t)corners,
                                        sizeof *interfaces->corner, "corners of interfaces");
    // A point of the manifold lies halfway between the two surfaces.
    for (int k = 0; k < corners; k++) {
        double half = 0.5 * gap_at(&manifold, corner[k]);
        vec3 on_a = vec3_add_scaled(corner[k], half, manifold.normal);
        vec3 on_b = vec3_add_scaled(corner[k], -half, manifold.normal);
        interfaces->corner[interfaces->corner_count++] =
            (struct interface_corner){to_own_axes(bodies, i, on_a), to_own_axes(bodies, j, on_b)};
    }
}

void interfaces_find(struct gabion_world *world) {
    struct pairs pairs = {0};
    interfaces_free(world->interfaces);
    if (world->bodies.polyhedron_count == 0)
        return;
    find_pairs(world, &pairs);
    for (size_t k = 0; k < pairs.count; k++)
        add_interface(world->interfaces, &world->bodies, &pairs.list[k]);
    memory_free(pairs.list);
}

// Measuring -----------------------------------------------------------------------------------

// The patch as it is now, halfway between its images in the two bodies.
struct patch {
    int count;
    vec3 corner[PATCH_POINTS_MAX];
};

// Opening is that of the corner that gapes most. Sliding is that of the corners that gape least:
// where two blocks turn about a hinge, the others move sideways without any sliding.
static void measure_corners(const struct gabion_world *world, const struct interface *interface,
                            struct gabion_interface *state, struct patch *patch) {
    const struct bodies *bodies = &world->bodies;
    int32_t i = bodies->index_of[state->a], j = bodies->index_of[state->b];
    const struct interface_corner *corner = &world->interfaces->corner[interface->begin];
    vec3 apart[PATCH_POINTS_MAX];
    state->normal = mat3_apply(quat_matrix(bodies->q[j]), interface->normal);
    state->opening = -INFINITY;
    patch->count = (int)interface->corners;
    for (int k = 0; k < patch->count; k++) {
        vec3 on_a = to_world(bodies, i, corner[k].in_a), on_b = to_world(bodies, j, corner[k].in_b);
        apart[k] = vec3_sub(on_a, on_b);
        patch->corner[k] = vec3_scale(0.5, vec3_add(on_a, on_b));
        state->opening = fmax(state->opening, vec3_dot(state->normal, apart[k]));
    }
    // Where no corner stands out all count alike.
    double total = 0, least = TOUCH * bodies_smaller_size(bodies, i, j);
    for (int k = 0; k < patch->count; k++) {
        double gape = vec3_dot(state->normal, apart[k]), weight = state->opening - gape + least;
        vec3 along = vec3_add_scaled(apart[k], -gape, state->normal);
        state->sliding = vec3_add_scaled(state->sliding, weight, along);
        total += weight;
    }
    state->sliding = vec3_scale(1 / total, state->sliding);
}

// A pair that came together later: the patch is where its contacts are.
static void measure_contacts(const struct gabion_world *world, const struct pair *pair,
                             struct gabion_interface *state, struct patch *patch) {
    const struct bodies *bodies = &world->bodies;
    const struct contact *list = world->contacts->list;
    bool turned = bodies->id[list[pair->begin].c] != state->a;
    vec3 normal = list[pair->begin].normal;
    state->normal = turned ? vec3_negate(normal) : normal;
    patch->count = 0;
    for (size_t k = pair->begin; k < pair->end && patch->count < PATCH_POINTS_MAX; k++)
        patch->corner[patch->count++] = contacts_position(world, &list[k]);
    double size = bodies_smaller_size(bodies, list[pair->begin].c, list[pair->begin].a);
    patch->count = patch_hull(patch->corner, patch->count, state->normal, TOUCH * size);
}

// One contact that sticks holds the interface: the others then turn about it.
static void measure_force(const struct gabion_world *world, const struct pair *pair,
                          struct gabion_interface *state) {
    double normal_impulse = 0;
    vec3 moment = vec3_zero(), impulse = vec3_zero();
    for (size_t k = pair->begin; k < pair->end; k++) {
        const struct contact *contact = &world->contacts->list[k];
        vec3 p = world->contacts->impulse[k];
        double share = vec3_dot(p, contact->normal);
        if (!contacts_carries(world->contacts, k))
            continue;
        vec3 from_middle = vec3_sub(contacts_position(world, contact), state->middle);
        moment = vec3_add_scaled(moment, share, from_middle);
        normal_impulse += share;
        bool turned = world->bodies.id[contact->c] != state->a;
        impulse = vec3_add_scaled(impulse, turned ? -1 : 1, p);
        if (contact->status == CONTACT_STICK)
            state->status = GABION_INTERFACE_STICK;
        else if (state->status == GABION_INTERFACE_OPEN)
            state->status = GABION_INTERFACE_SLIP;
    }
    double rate = 1 / world->settings.step;
    state->force = vec3_scale(rate, impulse);
    state->normal_force = fmax(rate * normal_impulse, 0);
    // Sticking contacts may carry without any pressure: such a force has no place.
    if (!(normal_impulse > 1e-12 * vec3_length(impulse)))
        return;
    vec3 away = vec3_scale(1 / normal_impulse, moment);
    state->position = vec3_add(state->middle, away);
    state->eccentricity = vec3_add_scaled(away, -vec3_dot(away, state->normal), state->normal);
}

static void measure_interface(const struct gabion_world *world, const struct interface *interface,
                              const struct pair *pair, struct gabion_interface *state) {
    struct patch patch;
    *state = (struct gabion_interface){
        .a = interface ? interface->a : pair->a,
        .b = interface ? interface->b : pair->b,
        .initial = interface != NULL,
    };
    if (interface)
        measure_corners(world, interface, state, &patch);
    else
        measure_contacts(world, pair, state, &patch);
    state->middle = patch_middle(patch.corner, patch.count, state->normal);
    state->position = state->middle;
    if (pair)
        measure_force(world, pair, state);
    if (state->normal_force > 0)
        state->relative_eccentricity =
            patch_place(patch.corner, patch.count, state->normal, state->middle,
                        vec3_add(state->middle, state->eccentricity));
}

static bool carries(const struct contacts *contacts, const struct pair *pair) {
    for (size_t k = pair->begin; k < pair->end; k++)
        if (contacts_carries(contacts, k))
            return true;
    return false;
}

// Contacts are in canonical order: those of a pair lie together.
static void list_pairs(const struct gabion_world *world, struct pairs *pairs) {
    const struct bodies *bodies = &world->bodies;
    const struct contact *list = world->contacts->list;
    for (size_t begin = 0, end; begin < world->contacts->count; begin = end) {
        int32_t c = list[begin].c, a = list[begin].a;
        for (end = begin; end < world->contacts->count && list[end].c == c && list[end].a == a;)
            end++;
        if (may_lie(bodies, c, a))
            pairs_add(pairs, bodies->id[c], bodies->id[a], begin, end);
    }
    pairs_sort(pairs);
}

static bool in_run(const struct bodies *bodies, const struct interface *interface) {
    return bodies->index_of[interface->a] >= 0 && bodies->index_of[interface->b] >= 0;
}

static struct gabion_interface *copy_measured(const struct interfaces *interfaces, size_t *count) {
    size_t size = sizeof *interfaces->measured;
    struct gabion_interface *copy = memory_allocate(interfaces->measured_count, size, "interfaces");
    memcpy(copy, interfaces->measured, interfaces->measured_count * size);
    *count = interfaces->measured_count;
    return copy;
}

struct gabion_interface *interfaces_measure(const struct gabion_world *world, size_t *count) {
    const struct interfaces *initial = world->interfaces;
    struct pairs pairs = {0};
    if (initial->measured)
        return copy_measured(initial, count);
    list_pairs(world, &pairs);
    struct gabion_interface *states =
        memory_allocate(initial->count + pairs.count, sizeof *states, "interfaces");
    size_t k = 0, p = 0;
    *count = 0;
    while (k < initial->count || p < pairs.count) {
        const struct interface *interface = k < initial->count ? &initial->list[k] : NULL;
        const struct pair *pair = p < pairs.count ? &pairs.list[p] : NULL;
        int order = !interface ? 1
                    : !pair    ? -1
                               : compare_ids(interface->a, interface->b, pair->a, pair->b);
        k += order <= 0;
        p += order >= 0;
        if (order <= 0 ? in_run(&world->bodies, interface) : carries(world->contacts, pair))
            measure_interface(world, order <= 0 ? interface : NULL, order >= 0 ? pair : NULL,
                              &states[(*count)++]);
    }
    memory_free(pairs.list);
    return states;
}
