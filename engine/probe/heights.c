#include "engine/probe/heights.h"

#include "engine/probe/selection.h"
#include "parallel/memory.h"

// The grid --------------------------------------------------------------------------------------

static struct heights make_grid(const struct probe *probe) {
    struct heights heights = {.point = probe->plane.point, .width = probe->column};
    heights.normal = probe->plane.normal;
    if (!(vec3_length(heights.normal) > 0))
        heights.normal = vec3_make(0, 0, 1);
    vec3_tangents(heights.normal, &heights.side[0], &heights.side[1]);
    if (vec3_length(probe->plane.tangent) > 0) {
        heights.side[0] = probe->plane.tangent;
        heights.side[1] = vec3_cross(heights.normal, heights.side[0]);
    }
    return heights;
}

// Returns how far the disc or rectangle goes along a side; INFINITY: there is neither.
static double half_side(const struct gabion_section *plane, int side) {
    if (plane->radius > 0)
        return plane->radius;
    return plane->size[side] > 0 ? 0.5 * plane->size[side] : INFINITY;
}

double heights_within(const struct gabion_section *plane, double width) {
    double columns = 1;
    for (int side = 0; side < 2; side++)
        columns *= 2 * half_side(plane, side) / width + 1;
    return isfinite(columns) ? columns : 0;
}

static bool is_measured(const struct gabion_world *world, const struct probe *probe, int32_t i) {
    return !bodies_is_wall(&world->bodies, i) && probe_has_body(world, probe, i);
}

// Finds the first and the last column that the sphere around a body may reach, along one side.
static void find_range(const struct heights *heights, const struct bodies *bodies, int32_t i,
                       int side, double range[2]) {
    double x = vec3_dot(vec3_sub(bodies->x[i], heights->point), heights->side[side]);
    range[0] = ceil((x - bodies->radius[i]) / heights->width);
    range[1] = floor((x + bodies->radius[i]) / heights->width);
}

// Sizes the grid such that it holds all bodies, within the disc or rectangle.
static bool size_grid(const struct gabion_world *world, const struct probe *probe,
                      struct heights *heights) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, columns = 1, range[2];
    for (int32_t i = 0; i < world->bodies.count; i++)
        for (int side = 0; side < 2 && is_measured(world, probe, i); side++) {
            find_range(heights, &world->bodies, i, side, range);
            low[side] = fmin(low[side], range[0]);
            high[side] = fmax(high[side], range[1]);
        }
    for (int side = 0; side < 2; side++) {
        double limit = floor(half_side(&probe->plane, side) / heights->width);
        low[side] = fmax(low[side], -limit);
        high[side] = fmin(high[side], limit);
        columns *= fmax(high[side] - low[side] + 1, 0);
    }
    if (!(columns >= 0 && columns <= HEIGHTS_COLUMNS_MAX))
        return false;
    for (int side = 0; columns > 0 && side < 2; side++) {
        heights->low[side] = (int64_t)low[side];
        heights->count[side] = (int64_t)(high[side] - low[side]) + 1;
    }
    return true;
}

// Lines -----------------------------------------------------------------------------------------

// Returns the height at which a line leaves a ball, -INFINITY where it passes by. The line goes
// through `base` of the plane.
static double ball_top(const struct heights *heights, vec3 base, vec3 centre, double radius) {
    vec3 way = vec3_sub(centre, base);
    double u = vec3_dot(way, heights->side[0]), v = vec3_dot(way, heights->side[1]);
    double square = radius * radius - u * u - v * v;
    return square >= 0 ? vec3_dot(way, heights->normal) + sqrt(square) : -INFINITY;
}

// A line in the axes of a body: the heights of its points count from `base`, along `along`.
struct line {
    vec3 base, along;
};

static struct line line_in(const struct line *line, vec3 x, mat3 axes) {
    return (struct line){mat3_apply_transposed(axes, vec3_sub(line->base, x)),
                         mat3_apply_transposed(axes, line->along)};
}

static double convex_top(const struct line *line, const struct polyhedron *shape) {
    double enters = -INFINITY, leaves = INFINITY;
    for (int32_t f = 0; f < shape->face_count; f++) {
        double rate = vec3_dot(shape->normal[f], line->along);
        double room = shape->offset[f] - vec3_dot(shape->normal[f], line->base);
        if (rate > 0)
            leaves = fmin(leaves, room / rate);
        else if (rate < 0)
            enters = fmax(enters, room / rate);
        else if (room < 0)
            return -INFINITY;
    }
    return enters <= leaves ? leaves : -INFINITY;
}

static double compound_top(const struct line *line, const struct compound *shape) {
    double top = -INFINITY;
    for (int32_t k = 0; k < shape->count; k++) {
        struct line own = line_in(line, shape->part[k].x, shape->part[k].axes);
        top = fmax(top, convex_top(&own, shape->part[k].shape));
    }
    return top;
}

static double body_top(const struct heights *heights, vec3 base, const struct bodies *bodies,
                       int32_t i, mat3 axes) {
    vec3 x = bodies->x[i];
    struct line line = {base, heights->normal}, own = line_in(&line, x, axes);
    if (bodies->shape[i] == GABION_POLYHEDRON)
        return convex_top(&own, bodies_polyhedron(bodies, i));
    if (bodies->shape[i] == GABION_COMPOUND)
        return compound_top(&own, bodies_compound(bodies, i));
    struct shape_balls balls = bodies_shape(bodies, i)->balls(bodies, i);
    double top = -INFINITY;
    for (int32_t k = 0; k < balls.count; k++) {
        vec3 centre = balls.centre ? vec3_add(x, mat3_apply(axes, balls.centre[k])) : x;
        double radius = balls.radii ? balls.radii[k] : balls.radius;
        top = fmax(top, ball_top(heights, base, centre, radius));
    }
    return top;
}

// Measuring -------------------------------------------------------------------------------------

static bool in_disc(const struct probe *probe, double u, double v) {
    double radius = probe->plane.radius;
    return !(radius > 0) || u * u + v * v <= radius * radius;
}

static void raise_columns(struct heights *heights, const struct gabion_world *world,
                          const struct probe *probe, int32_t i) {
    double range[2][2];
    mat3 axes = quat_matrix(world->bodies.q[i]);
    for (int side = 0; side < 2; side++) {
        double first = (double)heights->low[side];
        find_range(heights, &world->bodies, i, side, range[side]);
        range[side][0] = fmax(range[side][0], first);
        range[side][1] = fmin(range[side][1], first + (double)heights->count[side] - 1);
    }
    for (double row = range[1][0]; row <= range[1][1]; row++)
        for (double place = range[0][0]; place <= range[0][1]; place++) {
            double u = place * heights->width, v = row * heights->width;
            vec3 base = vec3_add_scaled(vec3_add_scaled(heights->point, u, heights->side[0]), v,
                                        heights->side[1]);
            double *height = &heights->height[((int64_t)row - heights->low[1]) * heights->count[0] +
                                              (int64_t)place - heights->low[0]];
            if (in_disc(probe, u, v))
                *height = fmax(*height, body_top(heights, base, &world->bodies, i, axes));
        }
}

bool heights_measure(const struct gabion_world *world, const struct probe *probe,
                     struct heights *heights) {
    *heights = make_grid(probe);
    if (!size_grid(world, probe, heights))
        return false;
    size_t columns = (size_t)(heights->count[0] * heights->count[1]);
    heights->height = memory_allocate(columns, sizeof *heights->height, "columns of a surface");
    for (size_t k = 0; k < columns; k++)
        heights->height[k] = -INFINITY;
    for (int32_t i = 0; columns > 0 && i < world->bodies.count; i++)
        if (is_measured(world, probe, i))
            raise_columns(heights, world, probe, i);
    return true;
}
