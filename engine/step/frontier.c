#include "engine/step/frontier.h"

#include "parallel/memory.h"

#define WORD 64

// The two bodies of a place.
static void bodies_of(const struct frontier *frontier, size_t place, int32_t body[2]) {
    const struct contact_views *views = frontier->views;
    if (place < frontier->contacts) {
        body[0] = views->contacts[place].c;
        body[1] = views->contacts[place].a;
        return;
    }
    const struct joint_block *block = &views->joints->blocks[place - frontier->contacts];
    body[0] = block->c;
    body[1] = block->a;
}

// Counting sort: the places of a body are behind those of the bodies before it, in ascending order.
static void sort_places(struct frontier *frontier, int32_t moving) {
    int32_t body[2];
    size_t *begin = frontier->begin, end = 0;
    for (size_t k = 0; k < frontier->places; k++) {
        bodies_of(frontier, k, body);
        for (int side = 0; side < 2; side++)
            if (body[side] < moving)
                begin[body[side]]++;
    }
    for (int32_t i = 0; i <= moving; i++)
        begin[i] = end += begin[i];
    frontier->place = memory_allocate(end, sizeof *frontier->place, "contacts of overlaps");
    for (size_t k = frontier->places; k-- > 0;) {
        bodies_of(frontier, k, body);
        for (int side = 0; side < 2; side++)
            if (body[side] < moving)
                frontier->place[--begin[body[side]]] = k;
    }
}

struct frontier frontier_open(const struct contact_views *views, int32_t moving) {
    size_t places = views->count + views->joints->block_count;
    struct frontier frontier = {.contacts = views->count, .places = places, .views = views};
    frontier.begin =
        memory_allocate((size_t)moving + 1, sizeof *frontier.begin, "contacts of overlaps");
    frontier.marks =
        memory_allocate(places / WORD + 1, sizeof *frontier.marks, "contacts of overlaps");
    sort_places(&frontier, moving);
    return frontier;
}

void frontier_close(struct frontier *frontier) {
    memory_free(frontier->begin);
    memory_free(frontier->place);
    memory_free(frontier->marks);
}

void frontier_mark(struct frontier *frontier, int32_t body) {
    for (size_t k = frontier->begin[body]; k < frontier->begin[body + 1]; k++) {
        size_t place = frontier->place[k];
        uint64_t bit = UINT64_C(1) << place % WORD, *word = &frontier->marks[place / WORD];
        if (*word & bit)
            continue;
        *word |= bit;
        frontier->points += place < frontier->contacts
                                ? 1
                                : frontier->views->joints->blocks[place - frontier->contacts].count;
    }
}

size_t frontier_first(const struct frontier *frontier, size_t begin, size_t end) {
    uint64_t here = UINT64_MAX << begin % WORD;
    for (size_t k = begin / WORD; begin < end && k * WORD < end; k++, here = UINT64_MAX) {
        uint64_t word = frontier->marks[k] & here;
        if (word) {
            size_t place = k * WORD + (size_t)__builtin_ctzll(word);
            return place < end ? place : end;
        }
    }
    return end;
}

size_t frontier_last(const struct frontier *frontier, size_t end) {
    if (end == 0)
        return SIZE_MAX;
    uint64_t here = UINT64_MAX >> (WORD - 1 - (end - 1) % WORD);
    for (size_t k = (end - 1) / WORD + 1; k-- > 0; here = UINT64_MAX) {
        uint64_t word = frontier->marks[k] & here;
        if (word)
            return k * WORD + WORD - 1 - (size_t)__builtin_clzll(word);
    }
    return SIZE_MAX;
}
