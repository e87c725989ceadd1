#include "engine/contact/ghosts.h"

#include <stdlib.h>

#include "engine/contact/contacts.h"
#include "engine/contact/detection.h"
#include "engine/motion/midpoint.h"
#include "parallel/memory.h"

#define CHUNK 4096

// How far the horizon lies beyond the reach of a body: so many of its sizes, and the way of so many
// steps.
#define SKIN_SIZE  0.25
#define SKIN_STEPS 16

// What rounding may take off a distance, as shares of the horizon and of the coordinates.
#define SLACK       1e-9
#define PLACE_SLACK 1e-12

struct ghosts {
    vec3 *centre;       // of the horizon of each own body
    double *horizon;    // by body
    int32_t *candidate; // own bodies, ghosts, and those that do not move but walls
    int32_t candidates;
    struct pair_list pairs;
    size_t centre_capacity, horizon_capacity, candidate_capacity;
};

struct ghosts *ghosts_create(void) {
    return memory_allocate(1, sizeof(struct ghosts), "ghosts");
}

void ghosts_free(struct ghosts *ghosts) {
    if (!ghosts)
        return;
    memory_free(ghosts->centre);
    memory_free(ghosts->horizon);
    memory_free(ghosts->candidate);
    pair_list_free(&ghosts->pairs);
    memory_free(ghosts);
}

struct near_candidates ghosts_candidates(const struct ghosts *ghosts) {
    return (struct near_candidates){ghosts->candidate, ghosts->candidates};
}

// Horizons ----------------------------------------------------------------------------------------

struct watching {
    const struct ghosts *ghosts;
    const struct gabion_world *world;
    const vec3 *x;
    const double *reach;
    size_t begin; // first own body
};

// A place that is no number is beyond any horizon.
static void find_beyond(void *context, size_t begin, size_t end, double *out) {
    const struct watching *watching = context;
    for (size_t k = begin; k < end; k++) {
        size_t i = watching->begin + k;
        vec3 centre = watching->ghosts->centre[k];
        double horizon = watching->ghosts->horizon[i];
        double moved = vec3_length(vec3_sub(watching->x[i], centre));
        double slack = SLACK * horizon + PLACE_SLACK * vec3_length(centre);
        if (!(moved + watching->reach[i] <= horizon - slack))
            out[0] = 1;
    }
}

bool ghosts_suffice(const struct ghosts *ghosts, const struct gabion_world *world, const vec3 *x,
                    const double *reach) {
    int32_t begin = piece_begin(world), end = piece_end(world);
    struct watching watching = {ghosts, world, x, reach, (size_t)begin};
    double beyond;
    team_max(world->team, (size_t)(end - begin), 1, find_beyond, &watching, &beyond);
    return !piece_any(world, beyond > 0);
}

struct horizons {
    struct ghosts *ghosts;
    const struct gabion_world *world;
    const double *reach;
};

static void fill_horizons(void *context, size_t begin, size_t end) {
    const struct horizons *horizons = context;
    const struct gabion_world *world = horizons->world;
    for (size_t i = begin; i < end; i++)
        horizons->ghosts->horizon[i] =
            horizons->reach[i] + SKIN_SIZE * bodies_size(&world->bodies, (int32_t)i) +
            SKIN_STEPS * world->settings.step * detection_speed(world, (int32_t)i);
}

static void place_horizons(struct ghosts *ghosts, const struct gabion_world *world,
                           const double *reach) {
    const struct cuts *cuts = &world->contacts->cuts;
    int32_t moving = world->bodies.moving, begin = cuts_begin(cuts), end = cuts_end(cuts, moving);
    ghosts->horizon = memory_reserve(ghosts->horizon, &ghosts->horizon_capacity, (size_t)moving,
                                     sizeof *ghosts->horizon, "ghosts");
    ghosts->centre = memory_reserve(ghosts->centre, &ghosts->centre_capacity, (size_t)(end - begin),
                                    sizeof *ghosts->centre, "ghosts");
    struct horizons horizons = {ghosts, world, reach};
    team_for(world->team, (size_t)moving, CHUNK, fill_horizons, &horizons);
    for (int32_t i = begin; i < end; i++)
        ghosts->centre[i - begin] = world->midpoint->x_m[i];
}

// Lists -------------------------------------------------------------------------------------------

// An own body that another rank has as a ghost: rank << 32 | body.
struct sent {
    uint64_t *key;
    size_t count, capacity;
};

static int compare_keys(const void *x, const void *y) {
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

static void note_pair(const struct cuts *cuts, int32_t own, int32_t other, bool *is_ghost,
                      struct sent *sent) {
    is_ghost[other] = true;
    sent->key =
        memory_reserve(sent->key, &sent->capacity, sent->count + 1, sizeof *sent->key, "ghosts");
    sent->key[sent->count++] = (uint64_t)cuts_owner(cuts, other) << 32 | (uint64_t)own;
}

static void note_pairs(const struct ghosts *ghosts, const struct gabion_world *world,
                       bool *is_ghost, struct sent *sent) {
    const struct cuts *cuts = &world->contacts->cuts;
    const struct pair_list *pairs = &ghosts->pairs;
    for (int32_t i = 0; i < world->bodies.moving; i++)
        for (uint32_t p = pairs->start[i]; p < pairs->start[i + 1]; p++) {
            int32_t j = pairs->other[p];
            if (!cuts_mine(cuts, i))
                note_pair(cuts, j, i, is_ghost, sent);
            else if (!cuts_mine(cuts, j))
                note_pair(cuts, i, j, is_ghost, sent);
        }
}

static void list_ghosts(struct piece *piece, int32_t moving, const bool *is_ghost) {
    piece->ghosts = piece->below = 0;
    for (int32_t i = 0; i < moving; i++) {
        if (!is_ghost[i])
            continue;
        piece->ghost = memory_reserve(piece->ghost, &piece->ghost_capacity, piece->ghosts + 1,
                                      sizeof *piece->ghost, "ghosts");
        piece->ghost[piece->ghosts++] = i;
        piece->below += i < cuts_begin(piece->cuts);
    }
}

static struct exchange_peer *add_peer(struct piece *piece, int rank) {
    piece->peer = memory_reserve(piece->peer, &piece->peer_capacity, piece->peers + 1,
                                 sizeof *piece->peer, "ghosts");
    piece->peer[piece->peers] = (struct exchange_peer){.rank = rank};
    return &piece->peer[piece->peers++];
}

// Pairs are found on both sides, so that each rank that sends something receives something too, and
// both lists have the peers in order.
static void list_peers(struct piece *piece, struct sent *sent) {
    size_t received = 0;
    piece->sent_count = piece->peers = 0;
    if (sent->count > 1)
        qsort(sent->key, sent->count, sizeof *sent->key, compare_keys);
    piece->sent = memory_reserve(piece->sent, &piece->sent_capacity, sent->count,
                                 sizeof *piece->sent, "ghosts");
    for (size_t k = 0; k < sent->count; k++) {
        int rank = (int)(sent->key[k] >> 32);
        if (k > 0 && sent->key[k] == sent->key[k - 1])
            continue;
        struct exchange_peer *peer = piece->peers > 0 ? &piece->peer[piece->peers - 1] : NULL;
        if (!peer || peer->rank != rank) {
            peer = add_peer(piece, rank);
            peer->send = piece->sent + piece->sent_count;
            peer->receive = (const uint32_t *)piece->ghost + received;
            while (received < piece->ghosts &&
                   cuts_owner(piece->cuts, piece->ghost[received]) == rank)
                received++, peer->receive_count++;
        }
        piece->sent[piece->sent_count++] = (uint32_t)sent->key[k];
        peer->send_count++;
    }
}

static void list_candidates(struct ghosts *ghosts, const struct gabion_world *world) {
    int32_t finite = detection_finite(&world->bodies);
    ghosts->candidates = (int32_t)piece_count(world, finite);
    ghosts->candidate =
        memory_reserve(ghosts->candidate, &ghosts->candidate_capacity, (size_t)ghosts->candidates,
                       sizeof *ghosts->candidate, "ghosts");
    for (int32_t k = 0; k < ghosts->candidates; k++)
        ghosts->candidate[k] = piece_body(world, (size_t)k);
}

void ghosts_list(struct ghosts *ghosts, struct gabion_world *world, const double *reach) {
    struct piece *piece = &world->piece;
    int32_t moving = world->bodies.moving;
    bool *is_ghost = memory_allocate((size_t)moving, sizeof *is_ghost, "ghosts");
    struct sent sent = {0};
    place_horizons(ghosts, world, reach);
    detection_pairs_of(world, world->midpoint->x_m, ghosts->horizon, moving, &ghosts->pairs);
    note_pairs(ghosts, world, is_ghost, &sent);
    piece->cuts = &world->contacts->cuts;
    list_ghosts(piece, moving, is_ghost);
    list_peers(piece, &sent);
    piece->listed = piece->partial = true;
    piece->listings++;
    list_candidates(ghosts, world);
    memory_free(is_ghost);
    memory_free(sent.key);
}
