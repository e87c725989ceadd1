#include "engine/contact/interfaces.h"

#include <stdlib.h>

#include "engine/contact/contacts.h"
#include "engine/contact/pairs.h"
#include "engine/world/world.h"
#include "geometry/grid.h"
#include "geometry/manifold.h"
#include "geometry/patch.h"
#include "parallel/memory.h"

// Blocks that are drawn against each other touch but for rounding.
#define TOUCH 1e-6 // of the smaller thickness

// Two bodies of several parts may have several interfaces. Contacts belong to one of them where
// their normal is within 25 degrees of its, and to the one whose plane is nearest; two interfaces
// of one normal are in planes further apart than this share of the smaller body's size.
#define SAME_SIDE  0.9 // cosine
#define SAME_LEVEL 1e-3

_Static_assert(PATCH_POINTS_MAX >= MANIFOLD_MAX, "a manifold is a patch");

void interfaces_free(struct interfaces *interfaces) {
    memory_free(interfaces->list);
    memory_free(interfaces->corner);
    *interfaces = (struct interfaces){0};
}

// Pairs ---------------------------------------------------------------------------------------

// Two bodies that touch, by id, a < b; where it comes from contacts of a step: which.
struct touching {
    int32_t a, b;
    size_t begin, end;
};

struct touchings {
    struct touching *list;
    size_t count, capacity;
};

static void touchings_add(struct touchings *pairs, int32_t id, int32_t other, size_t begin,
                          size_t end) {
    pairs->list = memory_reserve(pairs->list, &pairs->capacity, pairs->count + 1,
                                 sizeof *pairs->list, "pairs of blocks");
    pairs->list[pairs->count++] =
        (struct touching){id < other ? id : other, id < other ? other : id, begin, end};
}

static int compare_ids(int32_t a, int32_t b, int32_t c, int32_t d) {
    return a != c ? (a > c) - (a < c) : (b > d) - (b < d);
}

static int compare_pairs(const void *left, const void *right) {
    const struct touching *first = left, *second = right;
    return compare_ids(first->a, first->b, second->a, second->b);
}

static void touchings_sort(struct touchings *pairs) {
    if (pairs->count > 1)
        qsort(pairs->list, pairs->count, sizeof *pairs->list, compare_pairs);
}

static bool is_block(const struct bodies *bodies, int32_t i) {
    return bodies_shape(bodies, i)->block;
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
                             struct touchings *pairs) {
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
                touchings_add(pairs, bodies->id[i], bodies->id[j], 0, 0);
        }
    pair_list_free(&near);
    grid_free(grid);
    memory_free(x);
    memory_free(reach);
}

static void find_pairs(const struct gabion_world *world, struct touchings *pairs) {
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
                touchings_add(pairs, bodies->id[i], bodies->id[block[k]], 0, 0);
    memory_free(block);
    touchings_sort(pairs);
}

static struct pose pose_now(const struct bodies *bodies, int32_t i) {
    return (struct pose){bodies->x[i], quat_matrix(bodies->q[i])};
}

// Finds the contacts of two bodies as they stand, with normals from j to i.
static void find_contacts(const struct gabion_world *world, int32_t i, int32_t j,
                          struct contact_list *found) {
    const struct bodies *bodies = &world->bodies;
    int32_t c = is_wall(bodies, i) ? j : i, a = c == i ? j : i;
    struct pair pair = pairs_place(world, c, a, pose_now(bodies, c), pose_now(bodies, a));
    found->count = 0;
    pairs_find_there(&pair, 2 * TOUCH * bodies_smaller_size(bodies, i, j), found);
    for (size_t k = 0; k < found->count; k++)
        if (found->list[k].c != i)
            found->list[k].normal = vec3_negate(found->list[k].normal);
}

// Returns whether two bodies have at most one interface.
static bool one_interface(const struct bodies *bodies, int32_t i, int32_t j) {
    return pairs_kind(bodies, is_wall(bodies, i) ? j : i, is_wall(bodies, i) ? i : j)->one_normal;
}

static vec3 to_own_axes(const struct bodies *bodies, int32_t i, vec3 point) {
    return mat3_apply_transposed(quat_matrix(bodies->q[i]), vec3_sub(point, bodies->x[i]));
}

static vec3 to_world(const struct bodies *bodies, int32_t i, vec3 own) {
    return vec3_add(bodies->x[i], mat3_apply(quat_matrix(bodies->q[i]), own));
}

// Contacts that share an interface: indices in the list of contacts.
struct members {
    size_t *k;
    size_t count, capacity;
};

static void members_add(struct members *members, size_t k) {
    members->k = memory_reserve(members->k, &members->capacity, members->count + 1,
                                sizeof *members->k, "interfaces");
    members->k[members->count++] = k;
}

// Returns whether two contacts of a pair lie in one plane.
static bool same_plane(const struct contact *first, const struct contact *other, double size) {
    double level = vec3_dot(first->normal, vec3_sub(other->point, first->point));
    return vec3_dot(first->normal, other->normal) > 1 - 1e-12 && fabs(level) <= SAME_LEVEL * size;
}

// Moves the first of the contacts and those that lie in one plane with it, or all of them, from
// `rest` to `plane`.
static void take_plane(const struct contact *list, double size, bool all, struct members *rest,
                       struct members *plane) {
    size_t left = 0;
    plane->count = 0;
    for (size_t k = 0; k < rest->count; k++)
        if (all || same_plane(&list[rest->k[0]], &list[rest->k[k]], size))
            members_add(plane, rest->k[k]);
    for (size_t k = 0, taken = 0; k < rest->count; k++)
        if (taken < plane->count && plane->k[taken] == rest->k[k])
            taken++;
        else
            rest->k[left++] = rest->k[k];
    rest->count = left;
}

static double gap_at(const struct contact *list, const struct members *members, vec3 position) {
    size_t k = 0;
    while (k + 1 < members->count && vec3_length(vec3_sub(list[members->k[k]].point, position)) > 0)
        k++;
    return list[members->k[k]].gap;
}

// Edges and corners that touch are no interface: a patch needs an area.
static void add_interface(struct interfaces *interfaces, const struct bodies *bodies,
                          const struct touching *pair, const struct contact *list,
                          const struct members *members) {
    vec3 corner[PATCH_POINTS_MAX], normal = list[members->k[0]].normal;
    int32_t i = bodies->index_of[pair->a], j = bodies->index_of[pair->b];
    double size = 2 * bodies_smaller_size(bodies, i, j);
    int count = 0;
    for (size_t k = 0; k < members->count && count < PATCH_POINTS_MAX; k++)
        corner[count++] = list[members->k[k]].point;
    int corners = patch_hull(corner, count, normal, TOUCH * size);
    if (corners < 3 || !(patch_area(corner, corners, normal) > TOUCH * size * size))
        return;
    interfaces->list =
        memory_reserve(interfaces->list, &interfaces->capacity, interfaces->count + 1,
                       sizeof *interfaces->list, "interfaces");
    interfaces->list[interfaces->count++] = (struct interface){
        .a = pair->a,
        .b = pair->b,
        .begin = (uint32_t)interfaces->corner_count,
        .corners = (uint32_t)corners,
        .normal = mat3_apply_transposed(quat_matrix(bodies->q[j]), normal),
    };
    interfaces->corner = memory_reserve(interfaces->corner, &interfaces->corner_capacity,
                                        interfaces->corner_count + (size_t)corners,
                                        sizeof *interfaces->corner, "corners of interfaces");
    // A contact point lies halfway between the two surfaces.
    for (int k = 0; k < corners; k++) {
        double half = 0.5 * gap_at(list, members, corner[k]);
        vec3 on_a = vec3_add_scaled(corner[k], half, normal);
        vec3 on_b = vec3_add_scaled(corner[k], -half, normal);
        interfaces->corner[interfaces->corner_count++] =
            (struct interface_corner){to_own_axes(bodies, i, on_a), to_own_axes(bodies, j, on_b)};
    }
}

// Memory that is used for one pair after the other.
struct scratch {
    struct contact_list found;
    struct members rest, plane;
};

static void scratch_free(struct scratch *scratch) {
    contact_list_free(&scratch->found);
    memory_free(scratch->rest.k);
    memory_free(scratch->plane.k);
}

static void add_interfaces(struct gabion_world *world, const struct touching *pair,
                           struct scratch *scratch) {
    const struct bodies *bodies = &world->bodies;
    int32_t i = bodies->index_of[pair->a], j = bodies->index_of[pair->b];
    double size = bodies_smaller_size(bodies, i, j);
    bool all = one_interface(bodies, i, j);
    find_contacts(world, i, j, &scratch->found);
    scratch->rest.count = 0;
    for (size_t k = 0; k < scratch->found.count; k++)
        members_add(&scratch->rest, k);
    while (scratch->rest.count > 0) {
        take_plane(scratch->found.list, size, all, &scratch->rest, &scratch->plane);
        add_interface(world->interfaces, bodies, pair, scratch->found.list, &scratch->plane);
    }
}

void interfaces_find(struct gabion_world *world) {
    struct touchings pairs = {0};
    struct scratch scratch = {0};
    interfaces_free(world->interfaces);
    if (world->bodies.polyhedron_count == 0)
        return;
    find_pairs(world, &pairs);
    for (size_t k = 0; k < pairs.count; k++)
        add_interfaces(world, &pairs.list[k], &scratch);
    scratch_free(&scratch);
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
static void measure_contacts(const struct gabion_world *world, const struct members *members,
                             struct gabion_interface *state, struct patch *patch) {
    const struct bodies *bodies = &world->bodies;
    const struct contact *list = world->contacts->list, *first = &list[members->k[0]];
    bool turned = bodies->id[first->c] != state->a;
    state->normal = turned ? vec3_negate(first->normal) : first->normal;
    patch->count = 0;
    for (size_t k = 0; k < members->count && patch->count < PATCH_POINTS_MAX; k++)
        patch->corner[patch->count++] = contacts_position(world, &list[members->k[k]]);
    double size = bodies_smaller_size(bodies, first->c, first->a);
    patch->count = patch_hull(patch->corner, patch->count, state->normal, TOUCH * size);
}

// One contact that sticks holds the interface: the others then turn about it.
static void measure_force(const struct gabion_world *world, const struct members *members,
                          struct gabion_interface *state) {
    double normal_impulse = 0;
    vec3 moment = vec3_zero(), impulse = vec3_zero();
    for (size_t m = 0; m < members->count; m++) {
        size_t k = members->k[m];
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

// Measures an interface of the start, or where `interface` is NULL the one of the contacts.
static void measure_interface(const struct gabion_world *world, const struct interface *interface,
                              const struct touching *pair, const struct members *members,
                              struct gabion_interface *state) {
    struct patch patch;
    *state = (struct gabion_interface){
        .a = interface ? interface->a : pair->a,
        .b = interface ? interface->b : pair->b,
        .initial = interface != NULL,
    };
    if (interface)
        measure_corners(world, interface, state, &patch);
    else
        measure_contacts(world, members, state, &patch);
    state->middle = patch_middle(patch.corner, patch.count, state->normal);
    state->position = state->middle;
    measure_force(world, members, state);
    if (state->normal_force > 0)
        state->relative_eccentricity =
            patch_place(patch.corner, patch.count, state->normal, state->middle,
                        vec3_add(state->middle, state->eccentricity));
}

static bool carries(const struct contacts *contacts, const struct members *members) {
    for (size_t k = 0; k < members->count; k++)
        if (contacts_carries(contacts, members->k[k]))
            return true;
    return false;
}

// Contacts are in canonical order: those of a pair lie together.
static void list_pairs(const struct gabion_world *world, struct touchings *pairs) {
    const struct bodies *bodies = &world->bodies;
    const struct contact *list = world->contacts->list;
    for (size_t begin = 0, end; begin < world->contacts->count; begin = end) {
        int32_t c = list[begin].c, a = list[begin].a;
        for (end = begin; end < world->contacts->count && list[end].c == c && list[end].a == a;)
            end++;
        if (may_lie(bodies, c, a))
            touchings_add(pairs, bodies->id[c], bodies->id[a], begin, end);
    }
    touchings_sort(pairs);
}

// What two bodies have: the interfaces of the start, one after the other, and contacts (NULL:
// none).
struct shared {
    const struct interface *interface;
    size_t interfaces;
    const struct touching *pair;
};

struct survey {
    const struct gabion_world *world;
    struct gabion_interface *state;
    size_t count, capacity;
    struct members rest, plane;
};

static void survey_add(struct survey *survey, const struct interface *interface,
                       const struct touching *pair, const struct members *members) {
    survey->state = memory_reserve(survey->state, &survey->capacity, survey->count + 1,
                                   sizeof *survey->state, "interfaces");
    measure_interface(survey->world, interface, pair, members, &survey->state[survey->count++]);
}

// Returns how far a contact is from the plane of an interface of the start; INFINITY where it has
// another normal.
static double distance_from(const struct gabion_world *world, const struct interface *interface,
                            const struct contact *contact) {
    const struct bodies *bodies = &world->bodies;
    int32_t j = bodies->index_of[interface->b];
    vec3 normal = mat3_apply(quat_matrix(bodies->q[j]), interface->normal);
    double turned = bodies->id[contact->c] != interface->a ? -1 : 1;
    vec3 corner = to_world(bodies, j, world->interfaces->corner[interface->begin].in_b);
    if (!(turned * vec3_dot(normal, contact->normal) > SAME_SIDE))
        return INFINITY;
    return fabs(vec3_dot(normal, vec3_sub(contacts_position(world, contact), corner)));
}

// Returns which of the interfaces a contact belongs to; their number: none.
static size_t interface_of(const struct gabion_world *world, const struct shared *shared,
                           const struct contact *contact) {
    size_t best = shared->interfaces;
    double least = INFINITY;
    for (size_t k = 0; k < shared->interfaces; k++) {
        double distance = distance_from(world, &shared->interface[k], contact);
        if (distance < least) {
            least = distance;
            best = k;
        }
    }
    return best;
}

// Fills `members` with the contacts of the pair that belong to interface number `wanted`. Convex
// bodies have one interface, and it has all their contacts.
static void find_members(const struct gabion_world *world, const struct shared *shared,
                         size_t wanted, struct members *members) {
    const struct contact *list = world->contacts->list;
    members->count = 0;
    if (!shared->pair)
        return;
    size_t begin = shared->pair->begin;
    bool all = one_interface(&world->bodies, list[begin].c, list[begin].a);
    size_t only = shared->interfaces > 0 ? 0 : shared->interfaces;
    for (size_t k = begin; k < shared->pair->end; k++)
        if ((all ? only : interface_of(world, shared, &list[k])) == wanted)
            members_add(members, k);
}

static bool in_run(const struct bodies *bodies, const struct interface *interface) {
    return bodies->index_of[interface->a] >= 0 && bodies->index_of[interface->b] >= 0;
}

static void survey_pair(struct survey *survey, const struct shared *shared) {
    const struct gabion_world *world = survey->world;
    const struct bodies *bodies = &world->bodies;
    for (size_t k = 0; k < shared->interfaces; k++)
        if (in_run(bodies, &shared->interface[k])) {
            find_members(world, shared, k, &survey->plane);
            survey_add(survey, &shared->interface[k], shared->pair, &survey->plane);
        }
    find_members(world, shared, shared->interfaces, &survey->rest);
    while (survey->rest.count > 0) {
        const struct contact *first = &world->contacts->list[survey->rest.k[0]];
        double size = bodies_smaller_size(bodies, first->c, first->a);
        bool all = one_interface(bodies, first->c, first->a);
        take_plane(world->contacts->list, size, all, &survey->rest, &survey->plane);
        if (carries(world->contacts, &survey->plane))
            survey_add(survey, NULL, shared->pair, &survey->plane);
    }
}

struct gabion_interface *interfaces_measure(const struct gabion_world *world, size_t *count) {
    const struct interfaces *initial = world->interfaces;
    struct touchings pairs = {0};
    struct survey survey = {.world = world};
    list_pairs(world, &pairs);
    survey.state = memory_reserve(NULL, &survey.capacity, initial->count + pairs.count,
                                  sizeof *survey.state, "interfaces");
    for (size_t k = 0, p = 0; k < initial->count || p < pairs.count;) {
        struct shared shared = {&initial->list[k], 0, p < pairs.count ? &pairs.list[p] : NULL};
        const struct interface *first = k < initial->count ? shared.interface : NULL;
        int order = !first ? 1
                    : !shared.pair
                        ? -1
                        : compare_ids(first->a, first->b, shared.pair->a, shared.pair->b);
        while (order <= 0 && k < initial->count &&
               compare_ids(first->a, first->b, initial->list[k].a, initial->list[k].b) == 0) {
            shared.interfaces++;
            k++;
        }
        p += order >= 0;
        if (order < 0)
            shared.pair = NULL;
        survey_pair(&survey, &shared);
    }
    memory_free(pairs.list);
    memory_free(survey.rest.k);
    memory_free(survey.plane.k);
    *count = survey.count;
    return survey.state;
}
