// One rank. `make MPI=1` compiles ranks_mpi.c in place of this file.
#include "parallel/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parallel/memory.h"

void ranks_begin(void) {}
int ranks_end(int status) { return status; }
int ranks_me(void) { return 0; }
int ranks_count(void) { return 1; }
int ranks_started(void) { return 1; }
bool ranks_leave_to_first(void) { return true; }
const char *ranks_library(void) { return ""; }
struct ranks_sharing ranks_sharing_cores(void) {
    return (struct ranks_sharing){.count = 1};
}
int ranks_on_machine(void) { return 1; }

void ranks_abort(const char *message) {
    fprintf(stderr, "gabion: %s\n", message);
    exit(EXIT_FAILURE);
}

void ranks_sum_signed(int64_t *values, size_t count) { (void)values, (void)count; }
void ranks_sum(uint64_t *values, size_t count) { (void)values, (void)count; }
void ranks_or(uint64_t *values, size_t count) { (void)values, (void)count; }
void ranks_max(double *values, size_t count) { (void)values, (void)count; }
void ranks_min(double *values, size_t count) { (void)values, (void)count; }
void ranks_merge(void *values, size_t count, size_t size,
                 void (*merge)(void *total, const void *part)) {
    (void)values, (void)count, (void)size, (void)merge;
}
bool ranks_any(bool mine) { return mine; }
bool ranks_all(bool mine) { return mine; }
bool ranks_decide(bool mine) { return mine; }
void ranks_broadcast(void *data, size_t bytes, int from) { (void)data, (void)bytes, (void)from; }
bool ranks_agree(struct gabion_error *error) { return error->status == GABION_OK; }

bool ranks_follow(struct gabion_error *error) { return error->status == GABION_OK; }

void ranks_offsets(size_t bytes, size_t *offsets) {
    offsets[0] = 0;
    offsets[1] = bytes;
}

void ranks_gather_all(const void *piece, const size_t *offsets, void *whole) {
    ranks_gather_to(0, piece, offsets, whole);
}

void ranks_gather_to(int to, const void *piece, const size_t *offsets, void *whole) {
    (void)to;
    if (offsets[1] > 0)
        memmove(whole, piece, offsets[1]);
}

// There is no other rank to send anything to.
struct ranks_messages {
    int none;
};

struct ranks_messages *ranks_messages_create(size_t most) {
    (void)most;
    return memory_allocate(1, sizeof(struct ranks_messages), "messages");
}

void ranks_messages_free(struct ranks_messages *messages) { memory_free(messages); }

void ranks_messages_send(struct ranks_messages *messages, int to, int tag, const void *data,
                         size_t bytes) {
    (void)messages, (void)to, (void)tag, (void)data, (void)bytes;
}

void ranks_messages_receive(struct ranks_messages *messages, int from, int tag, void *data,
                            size_t bytes) {
    (void)messages, (void)from, (void)tag, (void)data, (void)bytes;
}

void ranks_messages_start(struct ranks_messages *messages) { (void)messages; }
void ranks_messages_wait(struct ranks_messages *messages) { (void)messages; }
void ranks_limit_messages(size_t bytes) { (void)bytes; }
