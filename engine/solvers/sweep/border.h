// What the ranks of a run (parallel/ranks.h) tell each other about a sweep plan whose contacts they
// share. Every rank has the nodes that take in its own bodies; a node between two ranks is solved
// by both, with the same numbers, so that only velocities travel: those of own bodies that other
// ranks have nodes with. There they are ghosts.
//
// A body that changed is sent before the next colour in which the other rank has a node with it,
// unless that rank has solved the nodes that changed it (engine/solvers/sweep/due.h). Which bodies
// these are follows on both sides from the colours of their nodes, so that lists need not be sent.
#ifndef ENGINE_SOLVERS_SWEEP_BORDER_H
#define ENGINE_SOLVERS_SWEEP_BORDER_H

#include "engine/solvers/sweep/plan.h"
#include "parallel/exchange.h"

struct border;

// Returns the plan whose border it is.
const struct sweep_plan *border_plan(const struct border *border);

// Finds the nodes between ranks and the ghosts. Call it once the nodes are listed, before bodies
// are split into copies.
struct border *border_open(const struct sweep_plan *plan);
void border_close(struct border *border); // NULL is allowed

// Returns whether a solver body belongs to another rank.
bool border_is_ghost(const struct border *border, int32_t index);

// The bodies of other ranks that have nodes here, in ascending order.
const int32_t *border_ghosts(const struct border *border, size_t *count);

// The place of one end of a node: one of `copies` copies of its body.
struct border_copy {
    uint32_t copy, copies;
};

// Tells the other ranks to which copies of busy own bodies the nodes between ranks belong, and
// learns it of theirs. `mine` and `theirs` are called with a node and its end (0: first, 1:
// second).
typedef struct border_copy (*border_read)(void *context, size_t node, int end);
typedef void (*border_write)(void *context, size_t node, int end, struct border_copy copy);
void border_tell_copies(struct border *border, border_read mine, border_write theirs,
                        void *context);

// Lists the solver bodies that travel. Call it once the ends of the nodes are copies.
void border_list(struct border *border);

// By solver body: whether it is an own one that another rank reads, or belongs to another rank and
// is read here. Known once they are listed.
#define BORDER_READ  1
#define BORDER_GHOST 2
const uint8_t *border_marks(const struct border *border);

// What the colouring has to know of a solver body: the colours of its nodes, and the first of its
// nodes without one, by its name (border_colour.c).
struct border_words {
    uint64_t colours, next[2];
};

// Tells the ranks that read own solver bodies their words, with the colours of `mask`, and puts the
// colours of ghosts into it. Words and masks are by solver body.
void border_share(struct border *border, struct border_words *words, uint64_t *mask);

// Notes that none of the own bodies that others read has a node without a colour.
void border_forget_next(const struct border *border, struct border_words *words);

// Colours the nodes as colour_pairs does (parallel/colour.h) where all are on one rank. Returns the
// number of colours on all ranks, or -1 when they run out. Leaves the colours of the nodes of each
// solver body, on whatever rank they are, in layout->mask.
int border_colour(struct border *border);

// Prepares the messages before each colour. `colours` is the largest number on any rank.
void border_prepare(struct border *border, int colours);

// What becomes of a node's solution. Nodes whose solution travels come first in their colour, so
// that the others are solved meanwhile.
enum border_class {
    BORDER_ELSEWHERE, // its first body belongs to another rank, which counts it
    BORDER_SENT,      // counted here; other ranks may read what it changes
    BORDER_INSIDE,    // counted here, and nobody else sees it
    BORDER_CLASSES
};
enum border_class border_class(const struct border *border, size_t node);

// Start and finish the messages that come before a colour. Only thread 0 calls them.
void border_start(struct border *border, int colour);
void border_finish(struct border *border, int colour);

// Copies the velocities of all own bodies that others read, or of those that are split.
void border_share_all(struct border *border);
void border_share_split(struct border *border);

// Returns what this rank sent of velocities since the border was opened.
struct exchange_account border_sent(const struct border *border);

#endif
