// Finds which rows act on which bodies.
#include "engine/problem/contact_problem.h"
#include "parallel/memory.h"

static void list_incident(struct contact_problem *problem) {
    struct contact_bodies *bodies = &problem->bodies;
    size_t *start = bodies->start;
    for (int32_t k = 0; k < problem->contacts; k++) {
        const int32_t touched[2] = {bodies->rows[k].c, bodies->rows[k].a};
        for (int side = 0; side < 2; side++)
            if (touched[side] >= 0)
                start[touched[side] + 1]++;
    }
    for (int32_t b = 0; b < bodies->count; b++)
        start[b + 1] += start[b];
    size_t *place = memory_allocate((size_t)bodies->count, sizeof *place, "contact problem");
    for (int32_t b = 0; b < bodies->count; b++)
        place[b] = start[b];
    for (int32_t k = 0; k < problem->contacts; k++) {
        const int32_t touched[2] = {bodies->rows[k].c, bodies->rows[k].a};
        for (int side = 0; side < 2; side++)
            if (touched[side] >= 0)
                bodies->incident[place[touched[side]]++] = 2 * k + side;
    }
    memory_free(place);
}

static bool same_bodies(const struct contact_row *x, const struct contact_row *y) {
    return x->c == y->c && x->a == y->a;
}

// Returns the first row with the same two bodies, searched among the rows of the body that has
// fewer of them. Rows of one pair of bodies need not follow each other; only contacts with the same
// normal do.
static int32_t first_of_pair(const struct contact_bodies *bodies, int32_t contact) {
    const struct contact_row *row = &bodies->rows[contact];
    const size_t *start = bodies->start;
    bool few = start[row->c + 1] - start[row->c] <= start[row->a + 1] - start[row->a];
    const int32_t *incident = &bodies->incident[start[few ? row->c : row->a]];
    while (!same_bodies(&bodies->rows[*incident / 2], row))
        incident++;
    return *incident / 2;
}

static void list_pairs(struct contact_problem *problem) {
    struct contact_bodies *bodies = &problem->bodies;
    for (int32_t k = 0; k < problem->contacts; k++) {
        const struct contact_row *row = &bodies->rows[k];
        bool begins = k == 0 || !same_bodies(row, row - 1);
        bodies->pair[k] = -1;
        if (row->c < 0 || row->a < 0)
            continue;
        int32_t first = begins ? first_of_pair(bodies, k) : k - 1;
        if (first == k) {
            bodies->first[bodies->pair_count] = row->c;
            bodies->second[bodies->pair_count] = row->a;
            bodies->pair[k] = (int32_t)bodies->pair_count++;
        } else {
            bodies->pair[k] = bodies->pair[first];
        }
    }
}

void contact_problem_join(struct contact_problem *problem) {
    list_incident(problem);
    list_pairs(problem);
}
