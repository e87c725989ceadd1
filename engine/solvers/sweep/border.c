#include "engine/solvers/sweep/border.h"

#include <stdlib.h>
#include <string.h>

#include "engine/solvers/sweep/due.h"
#include "engine/solvers/sweep/layout.h"
#include "engine/solvers/sweep/split.h"
#include "parallel/cuts.h"
#include "parallel/ranks.h"

// Another rank that has nodes with bodies of this one.
struct peer {
    int rank;
    uint32_t *node; // between the two ranks, in canonical order
    size_t nodes, node_capacity;
    // The solver bodies of this rank that the other reads, and those of the other that this one
    // reads. On both ranks in order of body and copy, so that what one sends the other expects.
    uint32_t *own, *ghost;
    size_t own_count, ghost_count;
};

struct border {
    const struct sweep_plan *plan;
    const struct cuts *cuts;
    struct peer *peer;
    int peers;
    int32_t *ghost; // ascending
    size_t ghosts;
    struct exchange *words;      // channel 0: border_share
    struct exchange *velocities; // a channel for each colour, then `all` and `split`
    int colours;
    uint8_t *mark;     // by solver body
    uint64_t *between; // by solver body: colours of its nodes with the peer at work
};

// Ghosts ------------------------------------------------------------------------------------------

bool border_is_ghost(const struct border *border, int32_t index) {
    int32_t moving = border->plan->moving;
    int32_t body = index < moving ? index : split_whole(border->plan, index);
    return body < moving && !cuts_mine(border->cuts, body);
}

// Returns the end of a node whose body belongs to another rank, or -1.
static int foreign_end(const struct border *border, size_t node) {
    const struct layout *layout = border->plan->layout;
    if (border_is_ghost(border, layout->first[node]))
        return 0;
    return border_is_ghost(border, layout->second[node]) ? 1 : -1;
}

static int32_t *node_end(const struct border *border, size_t node, int end) {
    const struct layout *layout = border->plan->layout;
    return end == 0 ? &layout->first[node] : &layout->second[node];
}

static struct peer *peer_of(struct border *border, int rank) {
    for (int k = 0; k < border->peers; k++)
        if (border->peer[k].rank == rank)
            return &border->peer[k];
    border->peer = memory_resize(border->peer, (size_t)border->peers + 1, sizeof *border->peer,
                                 "neighbouring ranks");
    border->peer[border->peers] = (struct peer){.rank = rank};
    return &border->peer[border->peers++];
}

static int compare_bodies(const void *x, const void *y) {
    int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;
    return (a > b) - (a < b);
}

static void drop_repeated(struct border *border) {
    size_t count = 0;
    if (border->ghosts > 1)
        qsort(border->ghost, border->ghosts, sizeof *border->ghost, compare_bodies);
    for (size_t k = 0; k < border->ghosts; k++)
        if (k == 0 || border->ghost[k] != border->ghost[k - 1])
            border->ghost[count++] = border->ghost[k];
    border->ghosts = count;
}

struct border *border_open(const struct sweep_plan *plan) {
    struct border *border = memory_allocate(1, sizeof *border, "neighbouring ranks");
    size_t capacity = 0;
    border->plan = plan;
    border->cuts = plan->views->cuts;
    for (size_t node = 0; node < plan->nodes; node++) {
        int end = foreign_end(border, node);
        if (end < 0)
            continue;
        int32_t body = *node_end(border, node, end);
        struct peer *peer = peer_of(border, cuts_owner(border->cuts, body));
        peer->node = memory_reserve(peer->node, &peer->node_capacity, peer->nodes + 1,
                                    sizeof *peer->node, "nodes between ranks");
        peer->node[peer->nodes++] = (uint32_t)node;
        border->ghost = memory_reserve(border->ghost, &capacity, border->ghosts + 1,
                                       sizeof *border->ghost, "bodies of other ranks");
        border->ghost[border->ghosts++] = body;
    }
    drop_repeated(border);
    return border;
}

static void drop_lists(struct border *border) {
    for (int p = 0; p < border->peers; p++) {
        memory_free(border->peer[p].own);
        memory_free(border->peer[p].ghost);
    }
    memory_free(border->mark);
    exchange_free(border->words);
}

void border_close(struct border *border) {
    if (!border)
        return;
    drop_lists(border);
    for (int k = 0; k < border->peers; k++)
        memory_free(border->peer[k].node);
    memory_free(border->peer);
    memory_free(border->ghost);
    memory_free(border->between);
    exchange_free(border->velocities);
    memory_free(border);
}

const struct sweep_plan *border_plan(const struct border *border) { return border->plan; }

const int32_t *border_ghosts(const struct border *border, size_t *count) {
    *count = border->ghosts;
    return border->ghost;
}

// Copies ------------------------------------------------------------------------------------------

void border_tell_copies(struct border *border, border_read mine, border_write theirs,
                        void *context) {
    struct ranks_messages *messages = ranks_messages_create(2 * (size_t)border->peers);
    struct border_copy **in =
        memory_allocate(2 * (size_t)border->peers, sizeof *in, "copies of bodies");
    struct border_copy **out = in + border->peers;
    for (int p = 0; p < border->peers; p++) {
        const struct peer *peer = &border->peer[p];
        size_t bytes = peer->nodes * sizeof **in;
        in[p] = memory_allocate(peer->nodes, sizeof **in, "copies of bodies");
        out[p] = memory_allocate(peer->nodes, sizeof **out, "copies of bodies");
        for (size_t k = 0; k < peer->nodes; k++)
            out[p][k] = mine(context, peer->node[k], !foreign_end(border, peer->node[k]));
        ranks_messages_receive(messages, peer->rank, 0, in[p], bytes);
        ranks_messages_send(messages, peer->rank, 0, out[p], bytes);
    }
    ranks_messages_start(messages);
    ranks_messages_wait(messages);
    ranks_messages_free(messages);
    for (int p = 0; p < border->peers; p++) {
        const struct peer *peer = &border->peer[p];
        for (size_t k = 0; k < peer->nodes; k++)
            theirs(context, peer->node[k], foreign_end(border, peer->node[k]), in[p][k]);
        memory_free(in[p]);
        memory_free(out[p]);
    }
    memory_free(in);
}

// Lists -------------------------------------------------------------------------------------------

// A solver body and its place in the order that does not depend on the rank.
struct listed {
    uint64_t name; // body, then copy
    uint32_t index;
};

static int compare_listed(const void *x, const void *y) {
    const struct listed *a = x, *b = y;
    return (a->name > b->name) - (a->name < b->name);
}

// Lists the solver bodies at the ends of a peer's nodes that are foreign, or own.
static uint32_t *list_ends(const struct border *border, const struct peer *peer, bool foreign,
                           size_t *count) {
    struct listed *list = memory_allocate(peer->nodes, sizeof *list, "bodies of other ranks");
    uint32_t *index = memory_allocate(peer->nodes, sizeof *index, "bodies of other ranks");
    for (size_t k = 0; k < peer->nodes; k++) {
        int end = foreign_end(border, peer->node[k]);
        int32_t at = *node_end(border, peer->node[k], foreign ? end : !end);
        list[k] = (struct listed){split_name(border->plan, at), (uint32_t)at};
    }
    qsort(list, peer->nodes, sizeof *list, compare_listed);
    *count = 0;
    for (size_t k = 0; k < peer->nodes; k++)
        if (k == 0 || list[k].name != list[k - 1].name)
            index[(*count)++] = list[k].index;
    memory_free(list);
    return index;
}

static struct exchange_peer *whole_lists(const struct border *border) {
    struct exchange_peer *lists =
        memory_allocate((size_t)border->peers, sizeof *lists, "neighbouring ranks");
    for (int p = 0; p < border->peers; p++) {
        const struct peer *peer = &border->peer[p];
        lists[p] = (struct exchange_peer){peer->rank, peer->own, peer->ghost, peer->own_count,
                                          peer->ghost_count};
    }
    return lists;
}

void border_list(struct border *border) {
    drop_lists(border);
    border->mark = memory_allocate((size_t)border->plan->solver_body_count, sizeof *border->mark,
                                   "bodies of other ranks");
    for (int p = 0; p < border->peers; p++) {
        struct peer *peer = &border->peer[p];
        peer->own = list_ends(border, peer, false, &peer->own_count);
        peer->ghost = list_ends(border, peer, true, &peer->ghost_count);
        for (size_t k = 0; k < peer->own_count; k++)
            border->mark[peer->own[k]] = BORDER_READ;
        for (size_t k = 0; k < peer->ghost_count; k++)
            border->mark[peer->ghost[k]] = BORDER_GHOST;
    }
    struct exchange_peer *lists = whole_lists(border);
    border->words = exchange_create(1, sizeof(struct border_words), sizeof(struct border_words));
    exchange_set(border->words, 0, lists, (size_t)border->peers);
    memory_free(lists);
}

const uint8_t *border_marks(const struct border *border) { return border->mark; }

void border_share(struct border *border, struct border_words *words, uint64_t *mask) {
    for (int p = 0; p < border->peers; p++) {
        const struct peer *peer = &border->peer[p];
        for (size_t k = 0; k < peer->own_count; k++)
            words[peer->own[k]].colours = mask[peer->own[k]];
    }
    exchange_start(border->words, 0, words);
    exchange_finish(border->words, 0, words);
    for (int p = 0; p < border->peers; p++) {
        const struct peer *peer = &border->peer[p];
        for (size_t k = 0; k < peer->ghost_count; k++)
            mask[peer->ghost[k]] = words[peer->ghost[k]].colours;
    }
}

void border_forget_next(const struct border *border, struct border_words *words) {
    for (int p = 0; p < border->peers; p++) {
        const struct peer *peer = &border->peer[p];
        for (size_t k = 0; k < peer->own_count; k++)
            words[peer->own[k]].next[0] = UINT64_MAX;
    }
}

// Messages of the colours -------------------------------------------------------------------------

// Finds when the listed bodies travel between this rank and a peer, whose nodes are marked.
static uint64_t *find_due(const struct border *border, const uint32_t *list, size_t count) {
    uint64_t *masks = memory_allocate(3 * count, sizeof *masks, "colours");
    uint64_t *due = masks, *used = masks + count, *read = used + count;
    for (size_t k = 0; k < count; k++) {
        used[k] = border->plan->layout->mask[list[k]];
        read[k] = border->between[list[k]];
    }
    due_find(used, read, count, due);
    return due;
}

static void mark_between(struct border *border, const struct peer *peer, bool set) {
    const struct layout *layout = border->plan->layout;
    for (size_t k = 0; k < peer->nodes; k++)
        for (int end = 0; end < 2; end++) {
            uint64_t *between = &border->between[*node_end(border, peer->node[k], end)];
            *between = set ? *between | (uint64_t)1 << layout->colour[peer->node[k]] : 0;
        }
}

// The bodies of a peer that travel in one channel after the other.
struct travellers {
    uint64_t *own_due, *ghost_due;
    uint32_t *send, *receive; // of the channel at work
};

static struct travellers *travellers_open(struct border *border) {
    struct travellers *travellers =
        memory_allocate((size_t)border->peers, sizeof *travellers, "bodies of other ranks");
    for (int p = 0; p < border->peers; p++) {
        const struct peer *peer = &border->peer[p];
        struct travellers *of = &travellers[p];
        mark_between(border, peer, true);
        of->own_due = find_due(border, peer->own, peer->own_count);
        of->ghost_due = find_due(border, peer->ghost, peer->ghost_count);
        mark_between(border, peer, false);
        of->send = memory_allocate(peer->own_count, sizeof *of->send, "bodies of other ranks");
        of->receive =
            memory_allocate(peer->ghost_count, sizeof *of->receive, "bodies of other ranks");
    }
    return travellers;
}

static void travellers_close(struct travellers *travellers, int peers) {
    for (int p = 0; p < peers; p++) {
        memory_free(travellers[p].own_due);
        memory_free(travellers[p].ghost_due);
        memory_free(travellers[p].send);
        memory_free(travellers[p].receive);
    }
    memory_free(travellers);
}

static size_t select_due(const uint32_t *list, const uint64_t *due, size_t count, int colour,
                         uint32_t *out) {
    size_t chosen = 0;
    for (size_t k = 0; k < count; k++)
        if (due[k] >> colour & 1)
            out[chosen++] = list[k];
    return chosen;
}

static size_t select_split(const struct border *border, const uint32_t *list, size_t count,
                           uint32_t *out) {
    size_t chosen = 0;
    for (size_t k = 0; k < count; k++)
        if (solver_copies(border->plan, (int32_t)list[k]) > 1)
            out[chosen++] = list[k];
    return chosen;
}

static void add_lists(struct border *border, int channel, const struct travellers *travellers,
                      struct exchange_peer *lists) {
    for (int p = 0; p < border->peers; p++) {
        const struct peer *peer = &border->peer[p];
        const struct travellers *of = &travellers[p];
        struct exchange_peer *list = &lists[p];
        *list =
            (struct exchange_peer){.rank = peer->rank, .send = of->send, .receive = of->receive};
        if (channel < border->colours) {
            list->send_count =
                select_due(peer->own, of->own_due, peer->own_count, channel, of->send);
            list->receive_count =
                select_due(peer->ghost, of->ghost_due, peer->ghost_count, channel, of->receive);
        } else {
            list->send_count = select_split(border, peer->own, peer->own_count, of->send);
            list->receive_count = select_split(border, peer->ghost, peer->ghost_count, of->receive);
        }
    }
    exchange_set(border->velocities, channel, lists, (size_t)border->peers);
}

// Channels behind those of the colours.
static int channel_all(const struct border *border) { return border->colours; }
static int channel_split(const struct border *border) { return border->colours + 1; }

void border_prepare(struct border *border, int colours) {
    border->colours = colours;
    border->velocities =
        exchange_create(colours + 2, sizeof(struct solver_body), SOLVER_VELOCITY_BYTES);
    border->between = memory_allocate((size_t)border->plan->solver_body_count,
                                      sizeof *border->between, "colours");
    struct exchange_peer *lists = whole_lists(border);
    struct travellers *travellers = travellers_open(border);
    exchange_set(border->velocities, channel_all(border), lists, (size_t)border->peers);
    for (int colour = 0; colour < colours; colour++)
        add_lists(border, colour, travellers, lists);
    if (ranks_any(border->plan->split_count > 0))
        add_lists(border, channel_split(border), travellers, lists);
    travellers_close(travellers, border->peers);
    memory_free(lists);
}

enum border_class border_class(const struct border *border, size_t node) {
    const struct layout *layout = border->plan->layout;
    uint8_t first = border->mark[layout->first[node]], second = border->mark[layout->second[node]];
    if (first & BORDER_GHOST)
        return BORDER_ELSEWHERE;
    return (first | second) & BORDER_READ ? BORDER_SENT : BORDER_INSIDE;
}

void border_start(struct border *border, int colour) {
    exchange_start(border->velocities, colour, border->plan->bodies);
}

void border_finish(struct border *border, int colour) {
    exchange_finish(border->velocities, colour, border->plan->bodies);
}

static void share_channel(struct border *border, int channel) {
    border_start(border, channel);
    border_finish(border, channel);
}

void border_share_all(struct border *border) { share_channel(border, channel_all(border)); }

void border_share_split(struct border *border) { share_channel(border, channel_split(border)); }

struct exchange_account border_sent(const struct border *border) {
    return exchange_read_account(border->velocities);
}
