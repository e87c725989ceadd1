// Colours nodes that the ranks share: the same colours as on one rank, where each node in its turn
// gets the first that fits (parallel/colour.h).
//
// In rounds, a rank goes through its nodes without a colour in order. One between own bodies is
// coloured where no earlier node of either waits. One between two ranks is coloured by both in the
// same round: where it was, at the end of the round before, the first that waited at either end.
// The nodes of a body are thus coloured in order, and the colours that are taken are all known.
#include <string.h>

#include "engine/solvers/sweep/border.h"
#include "engine/solvers/sweep/layout.h"
#include "parallel/memory.h"
#include "parallel/ranks.h"

struct name {
    uint64_t word[2];
};

struct agreement {
    struct border *border;
    const struct sweep_plan *plan;
    struct layout *layout;
    struct border_words *words; // by solver body
    size_t waiting;             // first entries of layout->order
    int32_t round;
    double colours; // so far; -1: they ran out
};

// layout->owner notes the round in which a body was last seen with a node that waits, and which
// bodies belong to other ranks.
#define FOREIGN INT32_MAX

static bool moves(const struct sweep_plan *plan, int32_t i) {
    return i < plan->moving || i >= plan->body_count;
}

// The place of a node in the order of the colouring: its turn, then its place in the canonical list
// of all ranks.
static struct name name_of(const struct agreement *agreement, size_t node) {
    const struct sweep_plan *plan = agreement->plan;
    const struct layout *layout = agreement->layout;
    uint64_t turn = (uint64_t)layout->turn[node] << 40;
    if (node >= layout->joints)
        return (struct name){{turn | (uint64_t)1 << 32, layout->contact[node]}};
    const struct contact *contact = &plan->views->contacts[layout->contact[node]];
    return (struct name){
        {turn | (uint32_t)contact->c, (uint64_t)(uint32_t)contact->a << 32 | layout->number[node]}};
}

// Returns whether the node was the first of this end that waited, when the ranks last told each
// other.
static bool was_next(const struct agreement *agreement, int32_t end, struct name name) {
    return memcmp(agreement->words[end].next, name.word, sizeof name.word) == 0;
}

static bool has_turn(const struct agreement *agreement, size_t node) {
    const struct layout *layout = agreement->layout;
    int32_t first = layout->first[node], second = layout->second[node];
    int32_t one = layout->owner[first], other = layout->owner[second];
    if (one < agreement->round && other < agreement->round)
        return true;
    if (one != FOREIGN && other != FOREIGN)
        return false;
    struct name name = name_of(agreement, node);
    return was_next(agreement, first, name) && was_next(agreement, second, name);
}

static void colour_node(struct agreement *agreement, size_t node) {
    struct layout *layout = agreement->layout;
    int32_t first = layout->first[node], second = layout->second[node];
    uint64_t used = layout->mask[first] | layout->mask[second]; // empty of what does not move
    if (used == UINT64_MAX) {
        agreement->colours = -1;
        return;
    }
    int colour = __builtin_ctzll(~used);
    if (moves(agreement->plan, first))
        layout->mask[first] |= (uint64_t)1 << colour;
    if (moves(agreement->plan, second))
        layout->mask[second] |= (uint64_t)1 << colour;
    layout->colour[node] = (uint8_t)colour;
    if (agreement->colours >= 0 && colour >= agreement->colours)
        agreement->colours = colour + 1;
}

static void hold_up(const struct agreement *agreement, int32_t end) {
    int32_t *seen = &agreement->layout->owner[end];
    if (*seen != FOREIGN && moves(agreement->plan, end))
        *seen = agreement->round;
}

static void do_round(struct agreement *agreement) {
    struct layout *layout = agreement->layout;
    size_t left = 0;
    agreement->round++;
    for (size_t k = 0; k < agreement->waiting; k++) {
        uint32_t node = layout->order[k];
        if (has_turn(agreement, node)) {
            colour_node(agreement, node);
            continue;
        }
        hold_up(agreement, layout->first[node]);
        hold_up(agreement, layout->second[node]);
        layout->order[left++] = node;
    }
    agreement->waiting = left;
}

// Whether no node that waits of an own body that others read has been found yet.
static bool lacks_next(const struct agreement *agreement, int32_t end) {
    return (border_marks(agreement->border)[end] & BORDER_READ) &&
           agreement->words[end].next[0] == UINT64_MAX;
}

// Finds the first node that waits of each own body that others read: nobody asks about another.
static void find_next(const struct agreement *agreement) {
    const struct layout *layout = agreement->layout;
    border_forget_next(agreement->border, agreement->words);
    for (size_t k = 0; k < agreement->waiting; k++) {
        uint32_t node = layout->order[k];
        const int32_t end[2] = {layout->first[node], layout->second[node]};
        for (int e = 0; e < 2; e++)
            if (lacks_next(agreement, end[e]))
                memcpy(agreement->words[end[e]].next, name_of(agreement, node).word,
                       sizeof(struct name));
    }
}

static void mark_foreign(const struct agreement *agreement, size_t count) {
    const uint8_t *mark = border_marks(agreement->border);
    struct layout *layout = agreement->layout;
    for (size_t i = 0; i < count; i++)
        layout->owner[i] = mark[i] & BORDER_GHOST ? FOREIGN : 0;
}

int border_colour(struct border *border) {
    const struct sweep_plan *plan = border_plan(border);
    size_t count = (size_t)plan->solver_body_count;
    struct agreement agreement = {
        .border = border,
        .plan = plan,
        .layout = plan->layout,
        .words = memory_allocate(count, sizeof *agreement.words, "colours"),
        .waiting = plan->nodes,
    };
    mark_foreign(&agreement, count);
    memset(plan->layout->mask, 0, count * sizeof *plan->layout->mask);
    do {
        find_next(&agreement);
        border_share(border, agreement.words, plan->layout->mask);
        do_round(&agreement);
    } while (ranks_any(agreement.waiting > 0));
    border_share(border, agreement.words, plan->layout->mask);
    memory_free(agreement.words);
    double ran_out = agreement.colours < 0;
    ranks_max(&agreement.colours, 1);
    ranks_max(&ran_out, 1);
    return ran_out > 0 ? -1 : (int)agreement.colours;
}
