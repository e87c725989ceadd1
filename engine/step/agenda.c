#include "engine/step/agenda.h"

#include <string.h>

#include "parallel/memory.h"

#define WORD 64

static size_t words_of(const struct agenda *agenda) { return (agenda->count + WORD - 1) / WORD; }

// Lists the contacts by body: start[i + 1] counts them, then is the place of the next one.
static void list_contacts(struct agenda *agenda, const struct contact *list, int32_t moving) {
    uint32_t *next = agenda->start + 1, sum = 0;
    for (size_t k = 0; k < agenda->count; k++) {
        next[list[k].c]++;
        if (list[k].a < moving)
            next[list[k].a]++;
    }
    for (int32_t i = 0; i < moving; i++) {
        uint32_t own = next[i];
        next[i] = sum;
        sum += own;
    }
    agenda->contact = memory_allocate(sum, sizeof *agenda->contact, "overlaps");
    for (size_t k = 0; k < agenda->count; k++) {
        agenda->contact[next[list[k].c]++] = (uint32_t)k;
        if (list[k].a < moving)
            agenda->contact[next[list[k].a]++] = (uint32_t)k;
    }
}

struct agenda agenda_open(const struct contact *list, size_t count, int32_t moving) {
    struct agenda agenda = {.count = count};
    size_t words = words_of(&agenda);
    agenda.start = memory_allocate((size_t)moving + 1, sizeof *agenda.start, "overlaps");
    agenda.now = memory_allocate(words, sizeof *agenda.now, "overlaps");
    agenda.next = memory_allocate(words, sizeof *agenda.next, "overlaps");
    list_contacts(&agenda, list, moving);
    return agenda;
}

void agenda_close(struct agenda *agenda) {
    memory_free(agenda->start);
    memory_free(agenda->contact);
    memory_free(agenda->now);
    memory_free(agenda->next);
}

void agenda_add(struct agenda *agenda, int32_t body) {
    for (uint32_t p = agenda->start[body]; p < agenda->start[body + 1]; p++) {
        uint32_t k = agenda->contact[p];
        agenda->now[k / WORD] |= UINT64_C(1) << k % WORD;
        agenda->next[k / WORD] |= UINT64_C(1) << k % WORD;
    }
}

void agenda_turn(struct agenda *agenda) {
    uint64_t *done = agenda->now;
    agenda->now = agenda->next;
    agenda->next = done;
    memset(done, 0, words_of(agenda) * sizeof *done);
}

size_t agenda_from(const struct agenda *agenda, size_t k) {
    for (size_t word = k / WORD, words = words_of(agenda); word < words; word++) {
        uint64_t bits = agenda->now[word];
        if (word == k / WORD)
            bits &= ~UINT64_C(0) << k % WORD;
        if (bits)
            return word * WORD + (size_t)__builtin_ctzll(bits);
    }
    return agenda->count;
}

size_t agenda_before(const struct agenda *agenda, size_t k) {
    for (size_t word = k / WORD + 1; word-- > 0;) {
        uint64_t bits = word < words_of(agenda) ? agenda->now[word] : 0;
        if (word == k / WORD)
            bits &= (UINT64_C(1) << k % WORD) - 1;
        if (bits)
            return word * WORD + WORD - 1 - (size_t)__builtin_clzll(bits);
    }
    return agenda->count;
}
