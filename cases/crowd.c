#include "cases/crowd.h"

#include "geometry/cells.h"
#include "parallel/memory.h"

// Sizes the cells: at least a diameter. In a nearly empty box such cells would be far more numerous
// than bodies; they are enlarged until there are a few per body.
static void make_cells(struct crowd_level *level, vec3 size, size_t members) {
    double wanted = 4.0 * (double)members + 64.0;
    level->edge = 2.0 * level->radius;
    for (;;) {
        double cells = 1.0;
        for (int axis = 0; axis < 3; axis++)
            cells *= floor(vec3_get(size, axis) / level->edge) + 1.0;
        if (cells <= wanted)
            break;
        level->edge *= 1.25;
    }
    for (int axis = 0; axis < 3; axis++)
        level->cells[axis] = (int64_t)floor(vec3_get(size, axis) / level->edge) + 1;
    size_t count = (size_t)(level->cells[0] * level->cells[1] * level->cells[2]);
    level->first = memory_allocate(count, sizeof *level->first, "cells of a random fill");
    for (size_t cell = 0; cell < count; cell++)
        level->first[cell] = -1;
}

static int level_of(const struct crowd *crowd, double radius) {
    int k = 0;
    while (k + 1 < CROWD_LEVELS && radius <= crowd->level[k + 1].radius)
        k++;
    return k;
}

void crowd_open(struct crowd *crowd, vec3 low, vec3 high, const double *radius, size_t count) {
    size_t members[CROWD_LEVELS] = {0};
    double largest = 0.0;
    *crowd = (struct crowd){.low = low};
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, radius[i]);
    for (int k = 0; k < CROWD_LEVELS; k++)
        crowd->level[k].radius = ldexp(largest, -k);
    for (size_t i = 0; i < count; i++)
        members[level_of(crowd, radius[i])]++;
    for (int k = 0; k < CROWD_LEVELS; k++)
        if (members[k] > 0)
            make_cells(&crowd->level[k], vec3_sub(high, low), members[k]);
}

void crowd_close(struct crowd *crowd) {
    for (int k = 0; k < CROWD_LEVELS; k++)
        memory_free(crowd->level[k].first);
    memory_free(crowd->member);
}

static void find_cell(const struct crowd *crowd, const struct crowd_level *level, vec3 x,
                      double shift, int64_t cell[3]) {
    for (int axis = 0; axis < 3; axis++)
        cell[axis] = cells_find(vec3_get(x, axis) + shift - vec3_get(crowd->low, axis), level->edge,
                                level->cells[axis]);
}

static int64_t *first_of(const struct crowd_level *level, int64_t x, int64_t y, int64_t z) {
    return &level->first[(z * level->cells[1] + y) * level->cells[0] + x];
}

void crowd_add(struct crowd *crowd, vec3 x, double radius, int32_t body, int32_t group) {
    const struct crowd_level *level = &crowd->level[level_of(crowd, radius)];
    int64_t cell[3];
    find_cell(crowd, level, x, 0, cell);
    int64_t *first = first_of(level, cell[0], cell[1], cell[2]);
    crowd->member = memory_reserve(crowd->member, &crowd->capacity, crowd->count + 1,
                                   sizeof *crowd->member, "bodies of a random fill");
    crowd->member[crowd->count] = (struct crowd_member){x, radius, body, group, *first};
    *first = (int64_t)crowd->count++;
}

struct search {
    const struct crowd *crowd;
    vec3 x;
    double radius;
    bool (*meets)(void *, const struct crowd_member *);
    void *context;
};

static const struct crowd_member *search_cell(const struct search *search, int64_t first) {
    for (int64_t i = first; i >= 0; i = search->crowd->member[i].next) {
        const struct crowd_member *member = &search->crowd->member[i];
        vec3 d = vec3_sub(search->x, member->x);
        double reach = search->radius + member->radius;
        if (vec3_dot(d, d) < reach * reach && search->meets(search->context, member))
            return member;
    }
    return NULL;
}

static const struct crowd_member *search_level(const struct search *search,
                                               const struct crowd_level *level) {
    int64_t low[3], high[3];
    double reach = search->radius + level->radius;
    find_cell(search->crowd, level, search->x, -reach, low);
    find_cell(search->crowd, level, search->x, reach, high);
    for (int64_t z = low[2]; z <= high[2]; z++)
        for (int64_t y = low[1]; y <= high[1]; y++)
            for (int64_t x = low[0]; x <= high[0]; x++) {
                const struct crowd_member *found = search_cell(search, *first_of(level, x, y, z));
                if (found)
                    return found;
            }
    return NULL;
}

const struct crowd_member *crowd_find(const struct crowd *crowd, vec3 x, double radius,
                                      bool (*meets)(void *context, const struct crowd_member *),
                                      void *context) {
    struct search search = {crowd, x, radius, meets, context};
    for (int k = 0; k < CROWD_LEVELS; k++) {
        const struct crowd_member *found =
            crowd->level[k].first ? search_level(&search, &crowd->level[k]) : NULL;
        if (found)
            return found;
    }
    return NULL;
}
