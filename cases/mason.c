#include "cases/mason.h"

#include <stdlib.h>
#include <string.h>

#include "engine/api/define.h"
#include "engine/world/footprint.h"
#include "geometry/polyhedron.h"
#include "parallel/memory.h"

static const quat unturned = {1, 0, 0, 0};

static int compare_marks(const void *left, const void *right) {
    const struct block_mark *a = left, *b = right;
    return a->block < b->block ? -1 : a->block > b->block;
}

struct mason mason_start(struct gabion_world *world, const struct gabion_body *template,
                         const struct block_marks *marks) {
    struct mason mason = {.world = world, .template = *template};
    mason.template.shape = GABION_POLYHEDRON;
    if (marks && marks->count) {
        mason.marks = marks->count;
        mason.mark = memory_allocate(marks->count, sizeof *mason.mark, "marks");
        memcpy(mason.mark, marks->mark, marks->count * sizeof *mason.mark);
        qsort(mason.mark, marks->count, sizeof *mason.mark, compare_marks);
    }
    return mason;
}

// Finds the group of the next block.
static bool find_group(struct mason *mason, int *group, struct gabion_error *error) {
    *group = mason->template.group;
    if (mason->next_mark == mason->marks || mason->mark[mason->next_mark].block > mason->laid)
        return true;
    struct block_mark mark = mason->mark[mason->next_mark++];
    *group = mark.group;
    return mark.block == mason->laid ||
           error_set(error, GABION_ERROR_INPUT, "mark: block %lld %s", (long long)mark.block,
                     mark.block < 1 ? "does not exist; the first is 1" : "is named twice");
}

bool mason_lay(struct mason *mason, int polyhedron, vec3 position, quat orientation,
               struct gabion_error *error) {
    struct gabion_body body = mason->template;
    mason->laid++;
    if (polyhedron < 0 || !find_group(mason, &body.group, error))
        return false;
    body.polyhedron = polyhedron;
    body.position = position;
    body.orientation = orientation;
    return gabion_add_body(mason->world, &body, error) >= 0 ||
           error_context(error, "block %lld", (long long)mason->laid);
}

bool mason_support(struct mason *mason, int polyhedron, vec3 position, quat orientation, int group,
                   struct gabion_error *error) {
    struct gabion_body body = mason->template;
    if (polyhedron < 0 || group < 0)
        return false;
    body.polyhedron = polyhedron;
    body.position = position;
    body.orientation = orientation;
    body.group = group;
    body.fixed = true;
    return gabion_add_body(mason->world, &body, error) >= 0;
}

static bool same_size(vec3 a, vec3 b) {
    for (int axis = 0; axis < 3; axis++) // lengths computed as differences carry rounding
        if (fabs(vec3_get(a, axis) - vec3_get(b, axis)) > 1e-12 * vec3_get(a, axis))
            return false;
    return true;
}

static int find_box(struct mason *mason, vec3 size, struct gabion_error *error) {
    for (size_t k = 0; k < mason->boxes; k++)
        if (same_size(mason->box[k].size, size))
            return mason->box[k].polyhedron;
    int polyhedron =
        world_add_polyhedron(mason->world, polyhedron_box(vec3_scale(0.5, size), error), error);
    if (polyhedron < 0)
        return -1;
    mason->box = memory_reserve(mason->box, &mason->box_capacity, mason->boxes + 1,
                                sizeof *mason->box, "shapes of blocks");
    mason->box[mason->boxes++] = (struct mason_box){size, polyhedron};
    return polyhedron;
}

bool mason_lay_box(struct mason *mason, vec3 centre, vec3 size, struct gabion_error *error) {
    return mason_lay(mason, find_box(mason, size, error), centre, unturned, error);
}

bool mason_support_box(struct mason *mason, vec3 centre, vec3 size, quat orientation, int group,
                       struct gabion_error *error) {
    return mason_support(mason, find_box(mason, size, error), centre, orientation, group, error);
}

bool mason_check_count(const struct mason *mason, double blocks, struct gabion_error *error) {
    return footprint_check(mason->world, blocks, GABION_POLYHEDRON, error);
}

bool mason_finish(struct mason *mason, bool good, const char *what, struct gabion_error *error) {
    if (good && mason->next_mark < mason->marks)
        good = error_set(error, GABION_ERROR_INPUT,
                         "mark: there is no block %lld; the blocks are numbered 1 to %lld",
                         (long long)mason->mark[mason->next_mark].block, (long long)mason->laid);
    memory_free(mason->mark);
    memory_free(mason->box);
    return good || error_context(error, "%s '%s'", what,
                                 gabion_group_name(mason->world, mason->template.group));
}

static bool check_origin(vec3 origin, struct gabion_error *error) {
    return vec3_finite(origin) ||
           error_set(error, GABION_ERROR_INPUT, "the origin must be three finite numbers");
}

bool mason_check_block(vec3 block, vec3 origin, struct gabion_error *error) {
    if (!(block.x > 0 && block.y > 0 && block.z > 0) || !vec3_finite(block))
        return error_set(error, GABION_ERROR_INPUT,
                         "a block of %g x %g x %g m; three positive lengths are needed", block.x,
                         block.y, block.z);
    return check_origin(origin, error);
}

bool mason_check_ring(double radius, double thickness, vec3 origin, struct gabion_error *error) {
    if (!(thickness > 0 && 0.5 * thickness < radius && isfinite(radius)))
        return error_set(error, GABION_ERROR_INPUT,
                         "a thickness of %g m on a radius of %g m; the thickness must be positive "
                         "and the inner radius too, which is half a thickness less",
                         thickness, radius);
    return check_origin(origin, error);
}
