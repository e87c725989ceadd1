// Copies elements of an array between ranks that each hold a copy of it: the owner of an element
// sends it to the ranks that read it. The lists are given once and the messages are prepared; each
// exchange then costs the packing and one message per neighbour.
//
// An exchange has channels, which are lists of their own over the same array: one per colour of a
// sweep. A channel without elements for a rank sends it nothing.
//
// Only the thread that called ranks_begin may call these functions.
#ifndef PARALLEL_EXCHANGE_H
#define PARALLEL_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exchange;

// What one channel sends to and receives from one other rank, in this order. What one rank sends is
// what the other one receives: lists of equal length, in which each rank uses its own indices. Each
// pair of ranks appears at most once in a channel.
struct exchange_peer {
    int rank;
    const uint32_t *send, *receive; // indices of elements
    size_t send_count, receive_count;
};

// For an array whose elements are `stride` bytes apart and of which the first `bytes` are copied.
struct exchange *exchange_create(int channels, size_t stride, size_t bytes);
void exchange_free(struct exchange *exchange); // NULL is allowed; no channel is under way

// Prepares a channel, once. The lists are copied.
void exchange_set(struct exchange *exchange, int channel, const struct exchange_peer *peers,
                  size_t count);

// Returns whether a channel sends or receives anything.
bool exchange_is_used(const struct exchange *exchange, int channel);

// Starts a channel: what it sends is read from the array before the function returns. Then waits
// for it and puts what arrived into the array. In between other channels may be started, and the
// array may be read and changed except for the elements that the channel receives.
void exchange_start(struct exchange *exchange, int channel, const void *array);
void exchange_finish(struct exchange *exchange, int channel, void *array);

// What was sent by this rank since the exchange was created.
struct exchange_account {
    int64_t messages, bytes;
    double waiting; // s, in exchange_finish
};
struct exchange_account exchange_read_account(const struct exchange *exchange);

#endif
