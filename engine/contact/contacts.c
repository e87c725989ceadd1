#include "engine/contact/contacts.h"

#include <string.h>

#include "engine/contact/arms.h"
#include "engine/contact/pairs.h"
#include "engine/motion/midpoint.h"
#include "engine/world/islands.h"
#include "engine/world/world.h"
#include "parallel/memory.h"

#define CHUNK 1024

// Vectors that sweeps have room for beyond the impulses (solver_settings.spare): they fill up
// lanes.
#define SPARE(count) ((count) / 128)

void contacts_void_list(struct contacts *contacts) {
    contacts->count = contacts->joints.block_count = contacts->joints.count = 0;
    contacts->lost = true;
    contacts->shared = false;
}

void contacts_free(struct contacts *contacts) {
    memory_free(contacts->list);
    memory_free(contacts->impulse);
    memory_free(contacts->bias);
    memory_free(contacts->before);
    memory_free(contacts->spread);
    joint_points_free(&contacts->joints);
    memory_free(contacts->memory);
    memory_free(contacts->memory_start);
    memory_free(contacts->collision);
    memory_free(contacts->memory_collision);
    memory_free(contacts->weight);
    cuts_free(&contacts->cuts);
    *contacts = (struct contacts){0};
}

void contacts_size(struct gabion_world *world, size_t count) {
    struct contacts *contacts = world->contacts;
    contacts->count = count;
    contacts->lost = contacts->arrived = false;
    contacts->list = memory_reserve_aligned(contacts->list, &contacts->capacity, count,
                                            sizeof *contacts->list, "contacts");
    contacts->impulse = memory_reserve_aligned(contacts->impulse, &contacts->impulse_capacity,
                                               count + joint_points_most(world) + SPARE(count),
                                               sizeof *contacts->impulse, "contacts");
}

void contacts_forget_late(struct contacts *contacts) {
    memory_free(contacts->spread);
    contacts->spread = NULL;
    contacts->spread_capacity = 0;
}

size_t contacts_first(const struct contacts *contacts, int32_t c, int32_t a) {
    size_t low = 0, high = contacts->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct contact *contact = &contacts->list[middle];
        if (contact->c < c || (contact->c == c && contact->a < a))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Returns a copy of an array that memory_reserve_aligned is about to replace.
static void *copy_of(const void *array, size_t bytes) {
    void *copy = array ? memory_allocate(bytes, 1, "contacts") : NULL;
    if (copy && bytes > 0)
        memcpy(copy, array, bytes);
    return copy;
}

static bool comes_before(const struct contact *contact, const struct contact *other) {
    return contact->c < other->c || (contact->c == other->c && contact->a <= other->a);
}

static void put_addition(struct gabion_world *world, size_t k,
                         const struct contact_addition *addition) {
    struct contacts *contacts = world->contacts;
    contacts->list[k] = addition->contact;
    contacts->impulse[k] = vec3_zero();
    contacts->bias[k] = addition->bias;
    contacts->spread[k] = addition->spread;
    if (contacts->before)
        contacts->before[k] = contact_velocity_now(world, &addition->contact, &addition->spread);
}

static void put_old(struct contacts *contacts, size_t k, const struct contacts *old, size_t from) {
    contacts->list[k] = old->list[from];
    contacts->impulse[k] = old->impulse[from];
    contacts->bias[k] = old->bias[from];
    contacts->spread[k] = old->spread ? old->spread[from] : vec3_zero();
    if (contacts->before)
        contacts->before[k] = old->before[from];
}

static struct contacts copy_step(const struct contacts *contacts) {
    size_t count = contacts->count, slots = count + contacts->joints.count;
    return (struct contacts){
        .count = count,
        .list = copy_of(contacts->list, count * sizeof *contacts->list),
        .impulse = copy_of(contacts->impulse, slots * sizeof *contacts->impulse),
        .bias = copy_of(contacts->bias, count * sizeof *contacts->bias),
        .before = copy_of(contacts->before, count * sizeof *contacts->before),
        .spread = copy_of(contacts->spread, count * sizeof *contacts->spread),
    };
}

static void size_step(struct gabion_world *world, size_t count) {
    struct contacts *contacts = world->contacts;
    contacts_size(world, count);
    contacts->bias = memory_reserve_aligned(contacts->bias, &contacts->bias_capacity, count,
                                            sizeof *contacts->bias, "contacts");
    contacts->spread = memory_reserve_aligned(contacts->spread, &contacts->spread_capacity, count,
                                              sizeof *contacts->spread, "contacts");
    if (contacts->before)
        contacts->before = memory_reserve_aligned(contacts->before, &contacts->before_capacity,
                                                  count, sizeof *contacts->before, "contacts");
}

void contacts_insert(struct gabion_world *world, const struct contact_addition *additions,
                     size_t count) {
    struct contacts *contacts = world->contacts, old = copy_step(contacts);
    size_t from = 0, added = 0, total = old.count + count;
    size_step(world, total);
    for (size_t k = 0; k < total; k++)
        if (added == count ||
            (from < old.count && comes_before(&old.list[from], &additions[added].contact)))
            put_old(contacts, k, &old, from++);
        else
            put_addition(world, k, &additions[added++]);
    for (size_t k = 0; k < contacts->joints.count; k++)
        contacts->impulse[total + k] = old.impulse[old.count + k];
    contacts_free(&old);
}

// The tolerance around the cone allows for rounding.
void contacts_join(const struct contacts *contacts, struct islands *islands) {
    for (size_t k = 0; k < contacts->count; k++)
        if (contacts_carries(contacts, k))
            islands_join(islands, contacts->list[k].c, contacts->list[k].a);
    for (size_t k = 0; k < contacts->joints.block_count; k++)
        islands_join(islands, contacts->joints.blocks[k].c, contacts->joints.blocks[k].a);
}

enum contact_status contacts_status(const struct contacts *contacts, size_t k, double mu) {
    if (!contacts_carries(contacts, k))
        return CONTACT_OPEN;
    vec3 impulse = contacts->impulse[k], n = contacts->list[k].normal;
    double normal = vec3_dot(impulse, n);
    vec3 tangential = vec3_add_scaled(impulse, -normal, n);
    return vec3_length(tangential) >= mu * normal * (1 - 1e-9) ? CONTACT_SLIP : CONTACT_STICK;
}

static void take_over(struct contacts *contacts, uint32_t m, struct contact *contact) {
    size_t k = contacts_index(contacts, contact);
    contacts->impulse[k] = contacts->memory[m].impulse;
    if (contacts->collision && contacts->memory_collision)
        contacts->collision[k] = contacts->memory_collision[m];
}

// Warm start: copies the impulse of a contact of the last step that has the same bodies and
// feature. The lists of a body are short and both in canonical order.
static void match_features(struct contacts *contacts, struct contact *contact, bool *taken) {
    uint32_t start = contacts->memory_start[contact->c];
    uint32_t stop = contacts->memory_start[contact->c + 1];
    for (uint32_t m = start; m < stop; m++) {
        const struct contact_memory *memory = &contacts->memory[m];
        if (memory->a == contact->a && memory->feature == contact->feature) {
            take_over(contacts, m, contact);
            taken[m] = true;
            return;
        }
    }
}

static double distance2(const struct contact_memory *memory, const struct contact *contact) {
    vec3 d = vec3_sub(contact->point, memory->point);
    return vec3_dot(d, d);
}

// Features of blocks change where corners pass edges, and points come and go where edges cross.
// What is then left over goes to the nearest contact of the pair, in addition to what that one has:
// losing it would cost the solver more than the whole step. Contacts of clumps and compounds have
// normals of their own: there only one without an impulse takes it.
static void match_places(struct contacts *contacts, struct contact *contact, size_t count,
                         const bool *taken, bool one_normal) {
    uint32_t stop = contacts->memory_start[contact->c + 1];
    size_t first = contacts_index(contacts, contact);
    for (uint32_t m = contacts->memory_start[contact->c]; m < stop; m++) {
        const struct contact_memory *memory = &contacts->memory[m];
        struct contact *nearest = NULL;
        if (memory->a != contact->a || taken[m])
            continue;
        for (size_t k = 0; k < count; k++)
            if ((one_normal || !contacts_carries(contacts, first + k)) &&
                (!nearest || distance2(memory, &contact[k]) < distance2(memory, nearest)))
                nearest = &contact[k];
        if (!nearest)
            continue;
        vec3 *impulse = &contacts->impulse[contacts_index(contacts, nearest)];
        if (contacts_carries(contacts, contacts_index(contacts, nearest)))
            *impulse = vec3_add(*impulse, memory->impulse);
        else
            take_over(contacts, m, nearest);
    }
}

struct match {
    struct gabion_world *world;
    bool *taken; // by memory: found its contact
};

static void match_range(void *context, size_t begin, size_t end) {
    const struct match *match = context;
    struct contacts *contacts = match->world->contacts;
    for (size_t k = begin; k < end; k++)
        match_features(contacts, &contacts->list[k], match->taken);
}

// A pair belongs to the range that holds its first contact.
static void match_leftovers(void *context, size_t begin, size_t end) {
    const struct match *match = context;
    struct contacts *contacts = match->world->contacts;
    size_t last = contacts->count;
    for (size_t k = begin; k < end; k++) {
        struct contact *contact = &contacts->list[k];
        if (k > 0 && contact[-1].c == contact->c && contact[-1].a == contact->a)
            continue; // not the first of its pair
        size_t count = 1;
        while (k + count < last && contact[count].c == contact->c && contact[count].a == contact->a)
            count++;
        bool one_normal = pairs_kind(&match->world->bodies, contact->c, contact->a)->one_normal;
        match_places(contacts, contact, count, match->taken, one_normal);
    }
}

// The normal has turned since the last step, and the cone with it.
static void project_range(void *context, size_t begin, size_t end) {
    const struct gabion_world *world = context;
    for (size_t k = begin; k < end; k++) {
        const struct contact *contact = &world->contacts->list[k];
        vec3 *impulse = &world->contacts->impulse[k];
        double normal = vec3_dot(*impulse, contact->normal);
        double limit = world->laws.law[contact->law].friction * normal;
        vec3 along = vec3_add_scaled(*impulse, -normal, contact->normal);
        double length = vec3_length(along);
        if (!(normal > 0))
            *impulse = vec3_zero();
        else if (length > limit)
            *impulse = vec3_add_scaled(vec3_scale(normal, contact->normal), limit / length, along);
    }
}

static void forget_collisions(struct contacts *contacts) {
    contacts->collision =
        memory_reserve_aligned(contacts->collision, &contacts->collision_capacity, contacts->count,
                               sizeof *contacts->collision, "collisions");
    for (size_t k = 0; k < contacts->count; k++)
        contacts->collision[k] = vec3_zero();
}

// A run may have been stabilized until its settings changed: room for fewer contacts is left over.
static void drop_collisions(struct contacts *contacts) {
    memory_free(contacts->collision);
    contacts->collision = NULL;
    contacts->collision_capacity = 0;
}

void contacts_match(struct gabion_world *world) {
    struct contacts *contacts = world->contacts;
    if (world->settings.gap == GABION_GAP_STABILIZED)
        forget_collisions(contacts);
    else
        drop_collisions(contacts);
    if (contacts->memory_count == 0)
        return;
    struct match match = {world, NULL};
    match.taken = memory_allocate(contacts->memory_count, sizeof *match.taken, "warm start");
    team_for(world->team, contacts->count, CHUNK, match_range, &match);
    if (bodies_have_axes(&world->bodies))
        team_for(world->team, contacts->count, CHUNK, match_leftovers, &match);
    memory_free(match.taken);
}

void contacts_admit(struct gabion_world *world) {
    team_for(world->team, world->contacts->count, CHUNK, project_range, world);
}

static void judge_range(void *context, size_t begin, size_t end) {
    const struct gabion_world *world = context;
    struct contacts *contacts = world->contacts;
    for (size_t k = begin; k < end; k++) {
        double mu = world->laws.law[contacts->list[k].law].friction;
        contacts->list[k].status = (uint8_t)contacts_status(contacts, k, mu);
    }
}

void contacts_judge(struct gabion_world *world) {
    team_for(world->team, world->contacts->count, CHUNK, judge_range, world);
}

struct remember {
    struct contacts *contacts;
    uint32_t *place; // where the memory of each chunk of contacts begins
};

static void count_range(void *context, size_t begin, size_t end) {
    const struct remember *remember = context;
    uint32_t count = 0;
    for (size_t k = begin; k < end; k++)
        count += contacts_carries(remember->contacts, k);
    remember->place[begin / CHUNK + 1] = count;
}

// Each contact that is the first of its body also writes where that body's memory begins, and
// where that of the bodies without contacts before it does.
static void remember_range(void *context, size_t begin, size_t end) {
    const struct remember *remember = context;
    struct contacts *contacts = remember->contacts;
    uint32_t place = remember->place[begin / CHUNK];
    int32_t next = begin > 0 ? contacts->list[begin - 1].c + 1 : 0;
    for (size_t k = begin; k < end; k++) {
        const struct contact *contact = &contacts->list[k];
        while (next <= contact->c)
            contacts->memory_start[next++] = place;
        if (!contacts_carries(contacts, k))
            continue;
        if (contacts->collision)
            contacts->memory_collision[place] = contacts->collision[k];
        contacts->memory[place++] = (struct contact_memory){contact->a, contact->feature,
                                                            contact->point, contacts->impulse[k]};
    }
}

// Keeps the collisions for the next step. There are none when a run continues from a checkpoint
// with another setting of contact.gap.
static void remember_collisions(struct contacts *contacts) {
    if (contacts->collision) {
        contacts->memory_collision = memory_reserve_aligned(
            contacts->memory_collision, &contacts->memory_collision_capacity,
            contacts->memory_count, sizeof *contacts->memory_collision, "collisions");
        return;
    }
    memory_free(contacts->memory_collision);
    contacts->memory_collision = NULL;
    contacts->memory_collision_capacity = 0;
}

void contacts_remember(struct gabion_world *world) {
    struct contacts *contacts = world->contacts;
    contacts->memory_shared = contacts->shared;
    size_t moving = (size_t)world->bodies.moving, chunks = (contacts->count + CHUNK - 1) / CHUNK;
    struct remember remember = {contacts, NULL};
    remember.place = memory_allocate(chunks + 1, sizeof *remember.place, "contact memory");
    contacts->memory_start = memory_reserve(contacts->memory_start, &contacts->start_capacity,
                                            moving + 1, sizeof(uint32_t), "contact memory");
    team_for(world->team, contacts->count, CHUNK, count_range, &remember);
    for (size_t c = 0; c < chunks; c++)
        remember.place[c + 1] += remember.place[c];
    contacts->memory_count = remember.place[chunks];
    contacts->memory =
        memory_reserve_aligned(contacts->memory, &contacts->memory_capacity, contacts->memory_count,
                               sizeof *contacts->memory, "contact memory");
    remember_collisions(contacts);
    team_for(world->team, contacts->count, CHUNK, remember_range, &remember);
    size_t next = contacts->count > 0 ? (size_t)contacts->list[contacts->count - 1].c + 1 : 0;
    while (next <= moving)
        contacts->memory_start[next++] = (uint32_t)contacts->memory_count;
    memory_free(remember.place);
}

static vec3 velocity_at(const struct bodies *bodies, int32_t i, vec3 point) {
    return vec3_add(bodies->v[i], vec3_cross(bodies->w[i], vec3_sub(point, bodies->x[i])));
}

// q+ = q_m + theta h v+; a point between two bodies goes with both. The corrective scheme finds its
// contacts at the end of the step.
vec3 contacts_position(const struct gabion_world *world, const struct contact *contact) {
    const struct gabion_settings *settings = &world->settings;
    const struct bodies *bodies = &world->bodies;
    int32_t c = contact->c, a = contact->a;
    if (bodies_shape(bodies, c)->ball)
        return vec3_add_scaled(bodies->x[c], -bodies->radius[c], contact->normal);
    if (bodies_shape(bodies, a)->ball)
        return vec3_add_scaled(bodies->x[a], bodies->radius[a], contact->normal);
    if (settings->scheme == GABION_SCHEME_CORRECTIVE || world->contacts->arrived)
        return contact->point;
    vec3 both =
        vec3_add(velocity_at(bodies, c, contact->point), velocity_at(bodies, a, contact->point));
    return vec3_add_scaled(contact->point, 0.5 * settings->theta * settings->step, both);
}
