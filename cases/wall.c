#include <stdlib.h>

#include "cases/mason.h"
#include "parallel/memory.h"

// A range along x, from the left end of the wall.
struct span {
    double begin, end;
};

struct span_list {
    struct span *span;
    size_t count, capacity;
};

struct wall {
    const struct wall_definition *definition;
    double pitch;          // length of a block and an interface
    double end;            // length of the wall
    double sliver;         // narrower pieces come from rounding and are dropped
    struct span_list cuts; // where the current course has no blocks
    struct span_list pieces;
};

static void add_span(struct span_list *list, double begin, double end) {
    list->span = memory_reserve(list->span, &list->capacity, list->count + 1, sizeof *list->span,
                                "blocks of a course");
    list->span[list->count++] = (struct span){begin, end};
}

static int compare_spans(const void *left, const void *right) {
    const struct span *a = left, *b = right;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static void sort_spans(struct span_list *list) {
    if (list->count)
        qsort(list->span, list->count, sizeof *list->span, compare_spans);
}

// ---- openings ----

static struct span opening_span(const struct wall_opening *opening) {
    return (struct span){opening->x, opening->x + opening->width};
}

static struct span lintel_span(const struct wall_opening *opening) {
    struct span span = opening_span(opening);
    return (struct span){span.begin - opening->bearing, span.end + opening->bearing};
}

static bool is_open(const struct wall_opening *opening, int course) {
    return course >= opening->course && course < opening->course + opening->courses;
}

static bool has_lintel(const struct wall_opening *opening, int course) {
    return opening->bearing > 0 && course == opening->course + opening->courses;
}

// Checks that nothing else is where the lintel of opening `k` goes.
static bool check_lintel(const struct wall *wall, size_t k, struct gabion_error *error) {
    const struct wall_definition *definition = wall->definition;
    const struct wall_opening *opening = &definition->opening[k];
    int course = opening->course + opening->courses;
    struct span lintel = lintel_span(opening);
    if (course > definition->courses)
        return error_set(error, GABION_ERROR_INPUT,
                         "its lintel would be in course %d; the wall has %d, so leave one above "
                         "the opening",
                         course, definition->courses);
    if (lintel.begin < -wall->sliver || lintel.end > wall->end + wall->sliver)
        return error_set(error, GABION_ERROR_INPUT,
                         "its lintel would go from %g to %g m, out of the wall (0 to %g m)",
                         lintel.begin, lintel.end, wall->end);
    for (size_t other = 0; other < definition->openings; other++) {
        const struct wall_opening *its = &definition->opening[other];
        struct span taken = has_lintel(its, course) ? lintel_span(its) : opening_span(its);
        if (other != k && (is_open(its, course) || has_lintel(its, course)) &&
            lintel.begin < taken.end && taken.begin < lintel.end)
            return error_set(error, GABION_ERROR_INPUT,
                             "its lintel meets opening %zu, or its lintel, in course %d", other + 1,
                             course);
    }
    return true;
}

static bool check_opening(const struct wall *wall, size_t k, struct gabion_error *error) {
    const struct wall_opening *opening = &wall->definition->opening[k];
    struct span span = opening_span(opening);
    int courses = wall->definition->courses;
    if (!(opening->width > 0) || !(span.begin >= -wall->sliver) ||
        !(span.end <= wall->end + wall->sliver))
        return error_set(error, GABION_ERROR_INPUT,
                         "from %g to %g m; it must lie inside the wall, 0 to %g m", span.begin,
                         span.end, wall->end);
    if (opening->course < 1 || opening->courses < 1 || opening->course > courses ||
        opening->courses > courses - opening->course + 1)
        return error_set(error, GABION_ERROR_INPUT,
                         "%d courses from course %d; the wall has the courses 1 to %d",
                         opening->courses, opening->course, courses);
    if (!(opening->bearing >= 0) || !isfinite(opening->bearing))
        return error_set(error, GABION_ERROR_INPUT,
                         "a bearing of %g m; 0 (no lintel) or more is needed", opening->bearing);
    return opening->bearing == 0 || check_lintel(wall, k, error);
}

static bool check_wall(const struct wall *wall, struct gabion_error *error) {
    const struct wall_definition *definition = wall->definition;
    if (!mason_check_block(definition->block, definition->origin, error))
        return false;
    if (definition->courses < 1 || definition->blocks < 1)
        return error_set(error, GABION_ERROR_INPUT,
                         "%d courses of %d blocks; 1 or more of each are needed",
                         definition->courses, definition->blocks);
    if (!(definition->interface_width >= 0 && definition->interface_width < definition->block.x))
        return error_set(
            error, GABION_ERROR_INPUT,
            "interface_width: expected 0 or more and less than a block (%g m), found %g m",
            definition->block.x, definition->interface_width);
    for (size_t k = 0; k < definition->openings; k++)
        if (!check_opening(wall, k, error))
            return error_context(error, "opening %zu", k + 1);
    return true;
}

// Returns about how many blocks the wall has, and not more than that where openings overlap.
static double count_blocks(const struct wall *wall) {
    const struct wall_definition *definition = wall->definition;
    double count = (definition->blocks + 0.5) * definition->courses;
    for (size_t k = 0; k < definition->openings; k++)
        count -= (definition->opening[k].width / wall->pitch + 1) * definition->opening[k].courses;
    return count;
}

// ---- courses ----

static void find_cuts(struct wall *wall, int course) {
    const struct wall_definition *definition = wall->definition;
    wall->cuts.count = 0;
    for (size_t k = 0; k < definition->openings; k++) {
        const struct wall_opening *opening = &definition->opening[k];
        struct span span = opening_span(opening), lintel = lintel_span(opening);
        if (is_open(opening, course))
            add_span(&wall->cuts, span.begin, span.end);
        if (!has_lintel(opening, course))
            continue;
        add_span(&wall->cuts, lintel.begin - definition->interface_width,
                 lintel.end + definition->interface_width);
        add_span(&wall->pieces, fmax(lintel.begin, 0), fmin(lintel.end, wall->end));
    }
    sort_spans(&wall->cuts);
}

// Adds the pieces of a block that the cuts leave.
static void add_pieces(struct wall *wall, struct span block) {
    double begin = block.begin;
    for (size_t k = 0; k < wall->cuts.count; k++) {
        struct span cut = wall->cuts.span[k];
        if (cut.begin >= block.end || cut.end <= begin)
            continue;
        if (cut.begin > begin + wall->sliver)
            add_span(&wall->pieces, begin, cut.begin);
        begin = cut.end;
    }
    if (block.end > begin + wall->sliver)
        add_span(&wall->pieces, begin, block.end);
}

// Finds the pieces of a course. Block edges are whole or half multiples of the pitch, so that
// neighbours have exactly the same edge.
static void find_pieces(struct wall *wall, int course) {
    const struct wall_definition *definition = wall->definition;
    bool halves = course % 2 == 0;
    double shift = halves ? 0.5 : 0.0;
    wall->pieces.count = 0;
    find_cuts(wall, course);
    for (int k = 0; k < definition->blocks + halves; k++) {
        double begin = ((double)k - shift) * wall->pitch;
        double end = ((double)k + 1.0 - shift) * wall->pitch - definition->interface_width;
        add_pieces(wall, (struct span){fmax(begin, 0), fmin(end, wall->end)});
    }
    sort_spans(&wall->pieces);
}

static bool lay_course(struct wall *wall, struct mason *mason, int course,
                       struct gabion_error *error) {
    vec3 block = wall->definition->block, origin = wall->definition->origin;
    find_pieces(wall, course);
    for (size_t k = 0; k < wall->pieces.count; k++) {
        struct span piece = wall->pieces.span[k];
        vec3 size = {piece.end - piece.begin, block.y, block.z};
        vec3 centre = {0.5 * (piece.begin + piece.end), 0.5 * block.y,
                       ((double)course - 0.5) * block.z};
        if (!mason_lay_box(mason, vec3_add(origin, centre), size, error))
            return false;
    }
    return true;
}

bool generate_wall(struct gabion_world *world, const struct wall_definition *definition,
                   struct gabion_error *error) {
    struct mason mason = mason_start(world, &definition->template, &definition->marks);
    struct wall wall = {.definition = definition,
                        .pitch = definition->block.x + definition->interface_width,
                        .sliver = 1e-9 * definition->block.x};
    wall.end = (double)definition->blocks * wall.pitch - definition->interface_width;
    bool good = check_wall(&wall, error) && mason_check_count(&mason, count_blocks(&wall), error);
    for (int course = 1; good && course <= definition->courses; course++)
        good = lay_course(&wall, &mason, course, error);
    memory_free(wall.cuts.span);
    memory_free(wall.pieces.span);
    return mason_finish(&mason, good, "wall", error);
}
