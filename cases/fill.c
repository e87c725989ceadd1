#include "cases/orientation.h"
#include "cases/size.h"

#include <stdlib.h>

#include "engine/world/footprint.h"
#include "geometry/cells.h"
#include "parallel/memory.h"

// Random sequential addition: places spheres one after the other, largest first, each at the first
// random position where it overlaps none of those before. Equal spheres jam near a volume fraction
// of 0.38.
//
// Sizes may differ by a factor of 100, so there is one grid of cells per size level (a factor of
// two). A sphere looks at no more than 27 cells of each level, whatever the sizes.

struct grain {
    double radius;
    int64_t order; // in which it was drawn; makes the order of equal radii unique
    vec3 position;
    int64_t next; // grain in the same cell; -1: last
};

struct level {
    double edge;   // of a cell; at least the diameter of the level's largest sphere
    double radius; // of the level's largest sphere
    int64_t cells[3];
    int64_t *first;    // first grain of each cell; -1: none
    int64_t grain_end; // index after the level's last grain
};

#define LEVEL_MAX        64
#define ATTEMPTS_DEFAULT 10000

struct packing {
    const struct fill_definition *definition;
    struct grain *grains; // largest first
    int64_t placed;
    struct level levels[LEVEL_MAX];
    int level_count;
};

static int compare_grains(const void *left, const void *right) {
    const struct grain *a = left, *b = right;
    if (a->radius != b->radius)
        return a->radius < b->radius ? 1 : -1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static bool draw_grains(struct packing *packing, struct random_stream *stream,
                        struct gabion_error *error) {
    const struct fill_definition *definition = packing->definition;
    size_t count = (size_t)definition->count;
    packing->grains = memory_allocate(count, sizeof *packing->grains, "spheres to be placed");
    for (int64_t i = 0; i < definition->count; i++) {
        packing->grains[i].order = i;
        if (!size_draw(&definition->size, stream, &packing->grains[i].radius, error))
            return false;
    }
    qsort(packing->grains, count, sizeof *packing->grains, compare_grains);
    return true;
}

static int64_t cell_count(const struct level *level) {
    return level->cells[0] * level->cells[1] * level->cells[2];
}

// Sizes the cells. In a nearly empty box, cells of one diameter would be far more numerous than
// spheres; they are enlarged until there are a few per sphere.
static void make_cells(struct level *level, vec3 size, int64_t grains) {
    double wanted = 4.0 * (double)grains + 64.0;
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
    size_t count = (size_t)cell_count(level);
    level->first = memory_allocate(count, sizeof *level->first, "cells of a random fill");
    for (size_t cell = 0; cell < count; cell++)
        level->first[cell] = -1;
}

static void make_levels(struct packing *packing) {
    const struct fill_definition *definition = packing->definition;
    vec3 size = vec3_sub(definition->high, definition->low);
    int64_t begin = 0;
    while (begin < definition->count) {
        struct level *level = &packing->levels[packing->level_count++];
        int64_t end = begin;
        level->radius = packing->grains[begin].radius;
        while (end < definition->count && (packing->level_count == LEVEL_MAX ||
                                           packing->grains[end].radius > 0.5 * level->radius))
            end++;
        level->grain_end = end;
        make_cells(level, size, end - begin);
        begin = end;
    }
}

static int64_t cell_along(const struct packing *packing, const struct level *level, int axis,
                          double coordinate) {
    double offset = coordinate - vec3_get(packing->definition->low, axis);
    return cells_find(offset, level->edge, level->cells[axis]);
}

static bool cell_hits(const struct packing *packing, int64_t first, vec3 position, double radius) {
    for (int64_t i = first; i >= 0; i = packing->grains[i].next) {
        vec3 d = vec3_sub(position, packing->grains[i].position);
        double reach = radius + packing->grains[i].radius;
        if (vec3_dot(d, d) < reach * reach)
            return true;
    }
    return false;
}

static bool level_hits(const struct packing *packing, const struct level *level, vec3 position,
                       double radius) {
    int64_t low[3], high[3];
    double reach = radius + level->radius;
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = cell_along(packing, level, axis, vec3_get(position, axis) - reach);
        high[axis] = cell_along(packing, level, axis, vec3_get(position, axis) + reach);
    }
    for (int64_t z = low[2]; z <= high[2]; z++)
        for (int64_t y = low[1]; y <= high[1]; y++)
            for (int64_t x = low[0]; x <= high[0]; x++) {
                int64_t cell = (z * level->cells[1] + y) * level->cells[0] + x;
                if (cell_hits(packing, level->first[cell], position, radius))
                    return true;
            }
    return false;
}

// Draws a position inside the box; along a locked axis it is the middle.
static vec3 draw_position(const struct fill_definition *definition, double radius,
                          struct random_stream *stream) {
    vec3 position;
    for (int axis = 0; axis < 3; axis++) {
        double low = vec3_get(definition->low, axis), high = vec3_get(definition->high, axis);
        double place = random_between(stream, low + radius, high - radius);
        bool locked = definition->template.lock >> axis & 1;
        vec3_set(&position, axis, locked ? 0.5 * (low + high) : place);
    }
    return position;
}

// Places the next grain; `last` is the level it belongs to.
static bool place_grain(struct packing *packing, int last, struct random_stream *stream) {
    int attempts = packing->definition->attempts;
    struct grain *grain = &packing->grains[packing->placed];
    if (attempts == 0)
        attempts = ATTEMPTS_DEFAULT;
    for (int attempt = 0; attempt < attempts; attempt++) {
        vec3 position = draw_position(packing->definition, grain->radius, stream);
        bool hit = false;
        for (int k = 0; k <= last && !hit; k++)
            hit = level_hits(packing, &packing->levels[k], position, grain->radius);
        if (hit)
            continue;
        const struct level *level = &packing->levels[last];
        int64_t x = cell_along(packing, level, 0, position.x);
        int64_t y = cell_along(packing, level, 1, position.y);
        int64_t z = cell_along(packing, level, 2, position.z);
        int64_t *first = &level->first[(z * level->cells[1] + y) * level->cells[0] + x];
        grain->position = position;
        grain->next = *first;
        *first = packing->placed++;
        return true;
    }
    return false;
}

static bool explain_jam(const struct packing *packing, struct gabion_error *error) {
    const struct fill_definition *definition = packing->definition;
    vec3 size = vec3_sub(definition->high, definition->low);
    double volume = 0.0;
    for (int64_t i = 0; i < packing->placed; i++) {
        double r = packing->grains[i].radius;
        volume += 4.0 / 3.0 * 3.14159265358979323846 * r * r * r;
    }
    return error_set(error, GABION_ERROR_INPUT,
                     "no free place for sphere %lld of %lld (radius %g m) in %d attempts; %lld "
                     "are placed, volume fraction %.3f of the box. Random places jam near 0.38 "
                     "for equal spheres: enlarge the box, or ask for fewer or smaller spheres",
                     (long long)packing->placed + 1, (long long)definition->count,
                     packing->grains[packing->placed].radius,
                     definition->attempts == 0 ? ATTEMPTS_DEFAULT : definition->attempts,
                     (long long)packing->placed, volume / (size.x * size.y * size.z));
}

static bool place_all(struct packing *packing, struct random_stream *stream,
                      struct gabion_error *error) {
    for (int last = 0; packing->placed < packing->definition->count;) {
        if (packing->placed == packing->levels[last].grain_end)
            last++;
        if (!place_grain(packing, last, stream))
            return explain_jam(packing, error);
    }
    return true;
}

static bool check_fill(const struct fill_definition *definition, struct gabion_error *error) {
    if (!size_check(&definition->size, error))
        return false;
    if (definition->count < 1 || definition->count > INT32_MAX)
        return error_set(error, GABION_ERROR_INPUT, "count is %lld; 1 to %d is needed",
                         (long long)definition->count, INT32_MAX);
    if (definition->attempts < 0)
        return error_set(error, GABION_ERROR_INPUT, "attempts is %d; 0 (default) or more is needed",
                         definition->attempts);
    if (!vec3_finite(definition->low) || !vec3_finite(definition->high))
        return error_set(error, GABION_ERROR_INPUT, "min and max must be finite numbers");
    for (int axis = 0; axis < 3; axis++) {
        double low = vec3_get(definition->low, axis), high = vec3_get(definition->high, axis);
        if (!(low < high))
            return error_set(error, GABION_ERROR_INPUT,
                             "the box is empty: along %c it goes from %g to %g m", "xyz"[axis], low,
                             high);
        if (!isfinite(high - low))
            return error_set(error, GABION_ERROR_INPUT,
                             "the box is too large: along %c it goes from %g to %g m, a length "
                             "beyond the range of numbers",
                             "xyz"[axis], low, high);
    }
    return true;
}

static bool check_room(const struct packing *packing, struct gabion_error *error) {
    const struct fill_definition *definition = packing->definition;
    double diameter = 2.0 * packing->grains[0].radius;
    for (int axis = 0; axis < 3; axis++) {
        double side = vec3_get(definition->high, axis) - vec3_get(definition->low, axis);
        if (side < diameter)
            return error_set(error, GABION_ERROR_INPUT,
                             "a sphere of diameter %g m does not fit into the box, %g m along %c",
                             diameter, side, "xyz"[axis]);
    }
    return true;
}

static bool add_grains(struct gabion_world *world, const struct packing *packing,
                       struct random_stream *stream, struct gabion_error *error) {
    const struct fill_definition *definition = packing->definition;
    struct gabion_body body = definition->template;
    if (!gabion_reserve_bodies(world, (size_t)packing->placed, error))
        return false;
    for (int64_t i = 0; i < packing->placed; i++) {
        body.radius = packing->grains[i].radius;
        orientation_place(&body, definition->centre, packing->grains[i].position,
                          definition->turned, stream);
        if (gabion_add_body(world, &body, error) < 0)
            return error_context(error, "sphere %lld", (long long)i + 1);
    }
    return true;
}

static bool pack(struct gabion_world *world, struct packing *packing, struct gabion_error *error) {
    struct random_stream stream = {packing->definition->seed};
    if (!draw_grains(packing, &stream, error) || !check_room(packing, error))
        return false;
    make_levels(packing);
    return place_all(packing, &stream, error) && add_grains(world, packing, &stream, error);
}

bool generate_fill(struct gabion_world *world, const struct fill_definition *definition,
                   struct gabion_error *error) {
    struct packing packing = {.definition = definition};
    bool done =
        check_fill(definition, error) &&
        footprint_check(world, (double)definition->count, definition->template.shape, error) &&
        pack(world, &packing, error);
    for (int k = 0; k < packing.level_count; k++)
        memory_free(packing.levels[k].first);
    memory_free(packing.grains);
    return done ||
           error_context(error, "fill '%s'", gabion_group_name(world, definition->template.group));
}
