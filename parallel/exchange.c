#include "parallel/exchange.h"

#include <string.h>

#include "parallel/clock.h"
#include "parallel/memory.h"
#include "parallel/ranks.h"

// The elements of one channel for or from all its peers, one peer after the other, and the buffer
// in which they travel.
struct parcel {
    uint32_t *index;
    char *buffer;
    size_t count;
};

struct channel {
    struct parcel out, in;
    struct ranks_messages *messages; // NULL: the channel is not used
    int64_t sends;                   // messages of each exchange
};

struct exchange {
    size_t stride, bytes;
    struct exchange_account account;
    int channel_count;
    struct channel channels[];
};

struct exchange *exchange_create(int channels, size_t stride, size_t bytes) {
    size_t size = (size_t)channels * sizeof(struct channel);
    struct exchange *exchange = memory_allocate(1, sizeof *exchange + size, "an exchange");
    exchange->stride = stride;
    exchange->bytes = bytes;
    exchange->channel_count = channels;
    return exchange;
}

void exchange_free(struct exchange *exchange) {
    if (exchange == NULL)
        return;
    for (int k = 0; k < exchange->channel_count; k++) {
        struct channel *channel = &exchange->channels[k];
        if (channel->messages == NULL)
            continue;
        ranks_messages_free(channel->messages);
        memory_free(channel->out.index);
        memory_free(channel->out.buffer);
        memory_free(channel->in.index);
        memory_free(channel->in.buffer);
    }
    memory_free(exchange);
}

static void parcel_allocate(struct parcel *parcel, size_t count, size_t bytes) {
    parcel->index = memory_allocate(count, sizeof *parcel->index, "elements to exchange");
    parcel->buffer = memory_allocate(count, bytes, "messages");
}

// Appends a list. Returns the place in the buffer that its elements will have.
static void *parcel_append(struct parcel *parcel, const uint32_t *index, size_t count,
                           size_t bytes) {
    if (count > 0)
        memcpy(parcel->index + parcel->count, index, count * sizeof *index);
    char *place = parcel->buffer + parcel->count * bytes;
    parcel->count += count;
    return place;
}

void exchange_set(struct exchange *exchange, int number, const struct exchange_peer *peers,
                  size_t count) {
    struct channel *channel = &exchange->channels[number];
    size_t sends = 0, receives = 0, bytes = exchange->bytes;
    for (size_t k = 0; k < count; k++) {
        sends += peers[k].send_count;
        receives += peers[k].receive_count;
    }
    if (sends + receives == 0)
        return;
    parcel_allocate(&channel->out, sends, bytes);
    parcel_allocate(&channel->in, receives, bytes);
    channel->messages = ranks_messages_create(2 * count);
    for (size_t k = 0; k < count; k++) {
        const struct exchange_peer *peer = &peers[k];
        void *in = parcel_append(&channel->in, peer->receive, peer->receive_count, bytes);
        void *out = parcel_append(&channel->out, peer->send, peer->send_count, bytes);
        if (peer->receive_count > 0)
            ranks_messages_receive(channel->messages, peer->rank, number, in,
                                   peer->receive_count * bytes);
        if (peer->send_count > 0)
            ranks_messages_send(channel->messages, peer->rank, number, out,
                                peer->send_count * bytes);
        channel->sends += peer->send_count > 0;
    }
}

bool exchange_is_used(const struct exchange *exchange, int channel) {
    return exchange->channels[channel].messages != NULL;
}

// A copy of constant size is a few instructions, and one of any other size a call. Velocities have
// this one, and are packed and unpacked several times in a sweep.
#define USUAL_BYTES 56

static inline void pack_elements(const struct parcel *parcel, const char *array, size_t stride,
                                 size_t bytes) {
    for (size_t k = 0; k < parcel->count; k++)
        memcpy(parcel->buffer + k * bytes, array + parcel->index[k] * stride, bytes);
}

static inline void unpack_elements(const struct parcel *parcel, char *array, size_t stride,
                                   size_t bytes) {
    for (size_t k = 0; k < parcel->count; k++)
        memcpy(array + parcel->index[k] * stride, parcel->buffer + k * bytes, bytes);
}

void exchange_start(struct exchange *exchange, int number, const void *array) {
    struct channel *channel = &exchange->channels[number];
    size_t bytes = exchange->bytes;
    if (channel->messages == NULL)
        return;
    if (bytes == USUAL_BYTES)
        pack_elements(&channel->out, array, exchange->stride, USUAL_BYTES);
    else
        pack_elements(&channel->out, array, exchange->stride, bytes);
    ranks_messages_start(channel->messages);
    exchange->account.messages += channel->sends;
    exchange->account.bytes += (int64_t)(channel->out.count * bytes);
}

void exchange_finish(struct exchange *exchange, int number, void *array) {
    struct channel *channel = &exchange->channels[number];
    if (channel->messages == NULL)
        return;
    double begin = clock_seconds();
    ranks_messages_wait(channel->messages);
    exchange->account.waiting += clock_seconds() - begin;
    if (exchange->bytes == USUAL_BYTES)
        unpack_elements(&channel->in, array, exchange->stride, USUAL_BYTES);
    else
        unpack_elements(&channel->in, array, exchange->stride, exchange->bytes);
}

struct exchange_account exchange_read_account(const struct exchange *exchange) {
    return exchange->account;
}
