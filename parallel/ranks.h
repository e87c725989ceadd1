// The ranks of a run: processes that run the same program on the same case and talk through MPI.
// A build without MPI, and a program that no launcher started, have one rank, for which every
// function here returns at once.
//
// All functions below "Together" are collective: every rank calls them, in the same order. A rank
// that leaves its work early while the others wait for it in such a call would stop them for ever;
// where that can happen (memory runs out on one rank) the program ends by ranks_abort.
//
// Results have the same bits on all ranks and for any number of ranks: integers are added and
// compared, doubles are compared and never added.
//
// Only the thread that called ranks_begin may call any of these functions. In a region of a team
// (parallel/team.h) that thread is thread 0.
#ifndef PARALLEL_RANKS_H
#define PARALLEL_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parallel/error.h"

// The run ------------------------------------------------------------------------------------

// Called once, before anything else of this header and before the first team. Connects the ranks
// where a launcher (mpirun, srun) started the program.
void ranks_begin(void);

// Ends the ranks together, with rank 0's exit status, which it returns. Those that come early wait
// without using their cores.
int ranks_end(int status);

int ranks_me(void);      // from 0
int ranks_count(void);   // 1 without MPI, and after ranks_leave_to_first
int ranks_started(void); // as many as the launcher started

// Called by all ranks where rank 0 goes on as the only one. Returns false on the others, which then
// call ranks_end and wait there.
bool ranks_leave_to_first(void);

// The MPI library ("Open MPI v4.1.4"), or "" for a build without MPI.
const char *ranks_library(void);

// Ranks that may use the same cores as this one when the program starts: how many they are, this
// one included, and how many of them have a lower number.
struct ranks_sharing {
    int before, count;
};
struct ranks_sharing ranks_sharing_cores(void);

// How many ranks compute on this machine.
int ranks_on_machine(void);

// Prints one message on standard error and ends all ranks with status 1. For what one rank alone
// meets while the others may be waiting for it; the files of the run stay as they are.
_Noreturn void ranks_abort(const char *message);

// Together -----------------------------------------------------------------------------------

// Replace each of `count` values by its sum (unsigned: modulo 2^64), or, over all ranks.
void ranks_sum_signed(int64_t *values, size_t count);
void ranks_sum(uint64_t *values, size_t count);
void ranks_or(uint64_t *values, size_t count);

// Replace each value by its maximum or minimum over all ranks, with -0 below +0. Where a rank has
// NaN the result is NaN.
void ranks_max(double *values, size_t count);
void ranks_min(double *values, size_t count);

// Replace each of `count` values of `size` bytes by what all ranks have of it, merged. merge(total,
// part) gives the same bits in any order.
void ranks_merge(void *values, size_t count, size_t size,
                 void (*merge)(void *total, const void *part));

bool ranks_any(bool mine);
bool ranks_all(bool mine);

// Returns rank 0's answer. For whatever depends on a clock, a signal or a file: the ranks would
// answer differently and go separate ways.
bool ranks_decide(bool mine);

// Replaces the data of all ranks by those of one.
void ranks_broadcast(void *data, size_t bytes, int from);

// Makes every rank return the error of the lowest rank that has one, and false; returns true where
// none has. The text names that rank, unless all ranks failed: they then found the same.
bool ranks_agree(struct gabion_error *error);

// Makes every rank return what rank 0 has, an error or none; the others have none of their own. For
// what rank 0 did alone. Returns whether it went well.
bool ranks_follow(struct gabion_error *error);

// Writes to offsets[0 .. ranks_count()] where each rank's piece begins when the pieces, of `bytes`
// on this rank, are put one after the other. The last offset is the size of the whole.
void ranks_offsets(size_t bytes, size_t *offsets);

// Put the pieces of all ranks together, on all ranks or on rank `to` (where the others give NULL as
// `whole`). The piece may be in its place in `whole` already. Any number of bytes.
void ranks_gather_all(const void *piece, const size_t *offsets, void *whole);
void ranks_gather_to(int to, const void *piece, const size_t *offsets, void *whole);

// Messages -----------------------------------------------------------------------------------

// A set of messages between neighbours that is sent again and again: sizes and buffers are given
// once. parallel/exchange.h packs elements of arrays into them.
struct ranks_messages;

struct ranks_messages *ranks_messages_create(size_t most);
void ranks_messages_free(struct ranks_messages *messages);

// Messages between two ranks are matched by tag (from 0 to 32767) and then by order. A message must
// have less than 2^31 bytes; the buffers outlive the set.
void ranks_messages_send(struct ranks_messages *messages, int to, int tag, const void *data,
                         size_t bytes);
void ranks_messages_receive(struct ranks_messages *messages, int from, int tag, void *data,
                            size_t bytes);

// Starts all messages, and waits until all have arrived here and left here.
void ranks_messages_start(struct ranks_messages *messages);
void ranks_messages_wait(struct ranks_messages *messages);

// For tests: the largest number of bytes that a gather hands to MPI at once.
void ranks_limit_messages(size_t bytes);

#endif
