// The account of what the ranks of a run did with its contacts (engine/step/sharing.h).
#ifndef ENGINE_WORLD_SHARING_H
#define ENGINE_WORLD_SHARING_H

#include <stdbool.h>
#include <stdint.h>

// Of this rank, in the step in progress.
struct sharing_step {
    bool shared; // its contacts were
    int64_t messages, bytes;
    double waiting;     // s, for messages in sweeps
    int64_t contacts;   // that this rank solved; those between ranks are in the number of both
    int64_t body_bytes; // sent of bodies outside sweeps
};

// Of all ranks, in the steps whose contacts were shared.
struct sharing {
    int64_t shared_steps, whole_steps; // whole: each rank computed all of it
    int64_t sweeps;
    int64_t messages, bytes;
    double waiting, solving;         // s, sums over the ranks
    int64_t contacts, most_contacts; // sums over the steps: of all ranks, of the one with the most
    double solved;                   // s of solving, up to the last step
    int64_t ghosts, body_bytes;      // bodies of other ranks that ranks followed; sent of bodies
                                     // outside sweeps
    int64_t gathered;                // struct piece.bytes up to the last step
    struct sharing_step step;
};

#endif
