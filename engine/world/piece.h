// The piece of a scene that a rank (parallel/ranks.h) computes. Where ranks share the bodies, each
// has moving bodies of its own, one contiguous piece of their order (parallel/cuts.h), and knows of
// the others only its ghosts: those that its own may meet (engine/contact/ghosts.h). All ranks know
// all bodies that do not move.
//
// The arrays of bodies have a place for every body on every rank. Between two gathers the state of
// a moving body that is neither own nor a ghost is an old one. What needs all bodies calls
// piece_gather first, on all ranks at once.
#ifndef ENGINE_WORLD_PIECE_H
#define ENGINE_WORLD_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parallel/cuts.h"
#include "parallel/exchange.h"
#include "parallel/team.h"

struct gabion_world;

struct piece {
    const struct cuts *cuts; // of the moving bodies
    bool wanted;             // the step in progress shares its bodies, as soon as they are listed
    bool partial;            // this rank follows its own bodies and ghosts alone
    bool stale;              // the others have moved since they were last gathered
    bool listed;             // ghosts and peers are those of the present order and cuts
    int32_t *ghost;          // ascending; the first `below` come before the own bodies
    size_t ghosts, below, ghost_capacity;
    uint32_t *sent; // own bodies that other ranks have as ghosts, peer after peer, ascending
    size_t sent_count, sent_capacity;
    struct exchange_peer *peer; // into `sent` and `ghost`
    size_t peers, peer_capacity;
    int64_t listings; // so many lists have been made
    // Of the account in engine/world/sharing.h: how often the bodies were gathered, and what this
    // rank sent for it.
    int64_t gathers, bytes;
};

void piece_free(struct piece *piece);

// Forgets ghosts and peers, because bodies have another order or the cuts move. The state of all
// bodies must be known.
void piece_forget(struct piece *piece);

// Gives every rank the present state of all bodies. The ranks go on with their pieces.
void piece_gather(struct gabion_world *world);

// Does that with an array by body, of elements of `size` bytes, of which each rank has its own.
void piece_gather_array(struct piece *piece, void *array, size_t size);

// Gathers the state, and lets every rank follow all bodies for the rest of the step.
void piece_leave(struct gabion_world *world);

// Returns the exchange by which own elements of an array by body get to the ranks that have the
// body as a ghost: channel 0.
struct exchange *piece_exchange(const struct piece *piece, size_t stride, size_t bytes);

// Returns whether the ghosts of all ranks are as their owners have them.
bool piece_agrees(const struct gabion_world *world);

// The bodies that this rank follows, numbered from 0, in ascending order: those of the moving ones
// that it knows, then all others before `end`, which is at least the number of moving bodies.
size_t piece_count(const struct gabion_world *world, int32_t end);
int32_t piece_body(const struct gabion_world *world, size_t k);

// Calls f for ranges of indices that together are these bodies, in parallel.
void piece_for(const struct gabion_world *world, int32_t end, size_t chunk, range_function f,
               void *context);

// Take sums over the moving bodies of all ranks, each counted once (team_sum), and maxima over all
// bodies before `end` (team_max). All ranks get the same.
void piece_sum(const struct gabion_world *world, int width, sum_function f, void *context,
               double *total);
void piece_max(const struct gabion_world *world, int32_t end, int width, max_function f,
               void *context, double *total);

// Takes sums over [begin, end), `merged` with what the other ranks have of theirs.
void piece_sum_range(struct team *team, size_t begin, size_t end, bool merged, int width,
                     sum_function f, void *context, double *total);

// Return whether something holds on any rank, and the least index that any rank has found, where
// ranks share the bodies.
bool piece_any(const struct gabion_world *world, bool mine);
int32_t piece_first(const struct gabion_world *world, int32_t mine);

// The own bodies of this rank; all that move where ranks do not share them.
int32_t piece_begin(const struct gabion_world *world);
int32_t piece_end(const struct gabion_world *world);

#endif
