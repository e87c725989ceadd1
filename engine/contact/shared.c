#include "engine/contact/shared.h"

#include <math.h>
#include <string.h>

#include "engine/world/world.h"
#include "parallel/check.h"
#include "parallel/memory.h"
#include "parallel/ranks.h"

// Bodies are cut by the weights of so many parts: at least these, and some for each rank.
#define LEAST_BINS     4096
#define BINS_OF_A_RANK 64

// What a body weighs beside its contacts: one more of them.
#define BODY_WEIGHT 1

// The cuts move when a rank has this many times the work of the average, which is looked at when
// the cuts are new and every so many steps, because moving them puts the memory of all contacts on
// every rank.
#define UNEQUAL          1.1
#define BALANCE_INTERVAL 32

// Gathering ---------------------------------------------------------------------------------------

// An array with an element for each contact of the list, or of the memory.
struct shared_array {
    void **array;
    size_t *capacity, size;
};

// Replaces the elements [begin, end) of an array by those of all ranks, one after the other.
static void gather(const struct shared_array *shared, size_t begin, size_t end, size_t tail) {
    size_t *offsets =
        memory_allocate((size_t)ranks_count() + 1, sizeof *offsets, "contacts of all ranks");
    size_t capacity = 0, size = shared->size;
    ranks_offsets((end - begin) * size, offsets);
    size_t total = offsets[ranks_count()] / size;
    char *whole = memory_reserve_aligned(NULL, &capacity, total + tail, size, "contacts");
    ranks_gather_all((char *)*shared->array + begin * size, offsets, whole);
    if (tail > 0)
        memcpy(whole + total * size, (char *)*shared->array + end * size, tail * size);
    memory_free(*shared->array);
    *shared->array = whole;
    *shared->capacity = capacity;
    memory_free(offsets);
}

static bool on_any_rank(const void *array) { return ranks_any(array != NULL); }

static void gather_optional(const struct shared_array *shared, size_t begin, size_t end) {
    if (on_any_rank(*shared->array))
        gather(shared, begin, end, 0);
}

#define SHARED(of, member, room)                                                                   \
    (&(struct shared_array){(void **)&(of)->member, &(of)->room, sizeof *(of)->member})

size_t contacts_own_begin(const struct contacts *contacts) {
    return contacts->shared ? contacts_first(contacts, cuts_begin(&contacts->cuts), -1) : 0;
}

void contacts_sum(const struct gabion_world *world, int width, sum_function f, void *context,
                  double *total) {
    const struct contacts *contacts = world->contacts;
    piece_sum_range(world->team, contacts_own_begin(contacts), contacts->count, contacts->shared,
                    width, f, context, total);
}

int64_t contacts_total(const struct gabion_world *world) {
    const struct contacts *contacts = world->contacts;
    int64_t own = (int64_t)(contacts->count - contacts_own_begin(contacts));
    if (contacts->shared)
        ranks_sum_signed(&own, 1);
    return own;
}

bool contacts_any(const struct contacts *contacts, bool mine) {
    return contacts->shared ? ranks_any(mine) : mine;
}

void contacts_complete(struct gabion_world *world) {
    struct contacts *contacts = world->contacts;
    if (!contacts->shared)
        return;
    size_t begin = contacts_own_begin(contacts), end = contacts->count;
    int64_t total = contacts_total(world);
    gather(SHARED(contacts, list, capacity), begin, end, 0);
    gather(SHARED(contacts, impulse, impulse_capacity), begin, end, contacts->joints.count);
    gather_optional(SHARED(contacts, bias, bias_capacity), begin, end);
    gather_optional(SHARED(contacts, before, before_capacity), begin, end);
    gather_optional(SHARED(contacts, spread, spread_capacity), begin, end);
    gather_optional(SHARED(contacts, collision, collision_capacity), begin, end);
    contacts->count = (size_t)total;
    contacts->shared = false;
}

// Writes where the memory of each body begins when that of all ranks is one list, from the numbers
// that the ranks have of their own bodies. `start` may be that of the contacts.
static void gather_starts(const struct contacts *contacts, int32_t moving, uint32_t *start) {
    size_t *offsets =
        memory_allocate((size_t)ranks_count() + 1, sizeof *offsets, "contacts of all ranks");
    const uint32_t *own = contacts->memory_start;
    uint32_t place = 0;
    int32_t begin = cuts_begin(&contacts->cuts), end = cuts_end(&contacts->cuts, moving);
    uint32_t *counts = memory_allocate((size_t)moving, sizeof *counts, "contact memory");
    for (int32_t c = begin; c < end; c++)
        counts[c] = own[c + 1] - own[c];
    ranks_offsets((size_t)(end - begin) * sizeof *counts, offsets);
    ranks_gather_all(counts + begin, offsets, counts);
    for (int32_t c = 0; c < moving; c++) {
        start[c] = place;
        place += counts[c];
    }
    start[moving] = place;
    memory_free(counts);
    memory_free(offsets);
}

void contacts_own_memory(const struct contacts *contacts, int32_t moving, struct contacts *own) {
    size_t begin = contacts->memory_start[cuts_begin(&contacts->cuts)];
    size_t end = contacts->memory_start[cuts_end(&contacts->cuts, moving)];
    *own = *contacts;
    own->memory += begin;
    own->memory_count = end - begin;
    if (own->memory_collision)
        own->memory_collision += begin;
    own->memory_start =
        memory_allocate((size_t)moving + 1, sizeof *own->memory_start, "contact memory");
    gather_starts(contacts, moving, own->memory_start);
}

void contacts_own_memory_free(struct contacts *own) { memory_free(own->memory_start); }

struct own_bodies contacts_own_bodies(const struct contacts *contacts, int32_t count) {
    const struct cuts *cuts = &contacts->cuts;
    bool last = ranks_me() == ranks_count() - 1;
    return (struct own_bodies){cuts_begin(cuts), last ? count : cuts_end(cuts, count)};
}

void contacts_complete_memory(struct contacts *contacts, int32_t moving) {
    if (!contacts->memory_shared)
        return;
    size_t begin = contacts->memory_start[cuts_begin(&contacts->cuts)];
    size_t end = contacts->memory_start[cuts_end(&contacts->cuts, moving)];
    gather(SHARED(contacts, memory, memory_capacity), begin, end, 0);
    gather_optional(SHARED(contacts, memory_collision, memory_collision_capacity), begin, end);
    gather_starts(contacts, moving, contacts->memory_start);
    contacts->memory_count = contacts->memory_start[moving];
    contacts->memory_shared = false;
}

// Cuts --------------------------------------------------------------------------------------------

void contacts_forget_cuts(struct gabion_world *world) {
    struct contacts *contacts = world->contacts;
    CHECK(!world->piece.stale, "bodies that other ranks moved are put in another order");
    piece_forget(&world->piece);
    cuts_free(&contacts->cuts);
    contacts->weights = 0;
    contacts->weighed = false;
}

static size_t bins_of(int32_t moving) {
    size_t bins = (size_t)ranks_count() * BINS_OF_A_RANK;
    if (bins < LEAST_BINS)
        bins = LEAST_BINS;
    return (size_t)moving < bins ? (size_t)moving : bins;
}

// A contact between ranks is solved by both, and weighs on a body of each.
static int32_t own_end(const struct contacts *contacts, size_t k) {
    const struct contact *contact = &contacts->list[k];
    return cuts_mine(&contacts->cuts, contact->c) ? contact->c : contact->a;
}

void contacts_weigh(struct gabion_world *world) {
    struct contacts *contacts = world->contacts;
    int32_t moving = world->bodies.moving;
    size_t bins = bins_of(moving);
    bool due = world->step % BALANCE_INTERVAL == 0 || contacts->weights == 0;
    if (!contacts->shared || !due)
        return;
    contacts->weight = memory_reserve(contacts->weight, &contacts->weight_capacity, bins,
                                      sizeof *contacts->weight, "contacts of all ranks");
    memset(contacts->weight, 0, bins * sizeof *contacts->weight);
    for (size_t k = 0; k < contacts->count; k++)
        if (contacts->list[k].flags & CONTACT_ACTIVE)
            contacts->weight[(size_t)own_end(contacts, k) * bins / (size_t)moving]++;
    ranks_sum_signed(contacts->weight, bins);
    contacts->weights = bins;
    contacts->weighed = true;
}

// The work of a rank, in contacts, of one part of the bodies.
static double work_of(const struct contacts *contacts, int32_t moving, size_t bin) {
    return (double)contacts->weight[bin] + BODY_WEIGHT * (double)moving / (double)contacts->weights;
}

static void cut(struct contacts *contacts, int32_t moving) {
    size_t bins = contacts->weights;
    double *weight = memory_allocate(bins, sizeof *weight, "pieces of ranks");
    for (size_t k = 0; k < bins; k++)
        weight[k] = work_of(contacts, moving, k);
    cuts_make(&contacts->cuts, ranks_count(), ranks_me(), moving, weight, bins);
    memory_free(weight);
}

// Returns whether some rank has much more work than the average. All ranks have the same weights,
// and the same answer.
static bool is_unequal(const struct contacts *contacts, int32_t moving) {
    const struct cuts *cuts = &contacts->cuts;
    double most = 0, total = 0;
    size_t bins = contacts->weights, k = 0;
    for (int rank = 0; rank < cuts->ranks; rank++) {
        double own = 0;
        for (; k < bins && (int64_t)k * moving < (int64_t)cuts->first[rank + 1] * (int64_t)bins;
             k++)
            own += work_of(contacts, moving, k);
        total += own;
        most = fmax(most, own);
    }
    double grain = total / (double)(bins > 0 ? bins : 1); // what the bins cannot tell
    return most > UNEQUAL * total / cuts->ranks + 2 * grain;
}

// Joints, and passes that correct positions in every step, look at all bodies.
static bool shares_bodies(const struct gabion_world *world) {
    return world->contacts->shared && world->joints.count == 0 && !(world->settings.projection > 0);
}

static void share_bodies(struct gabion_world *world, bool cuts_move) {
    struct piece *piece = &world->piece;
    piece->wanted = shares_bodies(world);
    if (cuts_move || !piece->wanted)
        piece_gather(world);
    if (cuts_move)
        piece_forget(piece);
    piece->partial = piece->wanted && piece->listed;
}

void contacts_begin(struct gabion_world *world, bool share) {
    struct contacts *contacts = world->contacts;
    int32_t moving = world->bodies.moving;
    contacts->shared = share && ranks_count() > 1 && moving > 0;
    bool cut_before = contacts->shared && contacts->cuts.first;
    bool moves = cut_before && contacts->weighed && is_unequal(contacts, moving);
    contacts->weighed = false;
    share_bodies(world, moves);
    if (cut_before && !moves)
        return;
    contacts->moves += moves;
    contacts_complete_memory(contacts, moving);
    if (contacts->shared)
        cut(contacts, moving);
}
