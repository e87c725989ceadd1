#include "geometry/region_line.h"

// The part of a line from + t (to - from) that is not cut away yet.
struct stretch {
    double begin, end;
};

static void cut(struct stretch *stretch, double begin, double end) {
    stretch->begin = fmax(stretch->begin, begin);
    stretch->end = fmin(stretch->end, end);
}

static double length_of(const struct stretch *stretch) {
    return fmax(stretch->end - stretch->begin, 0);
}

// Keeps low <= start + t speed <= high.
static void cut_slab(struct stretch *stretch, double start, double speed, double low, double high) {
    if (speed != 0)
        cut(stretch, ((speed > 0 ? low : high) - start) / speed,
            ((speed > 0 ? high : low) - start) / speed);
    else if (start < low || start > high)
        stretch->end = -INFINITY;
}

static double box_share(const struct region *region, vec3 from, vec3 speed) {
    struct stretch stretch = {0, 1};
    for (int axis = 0; axis < 3; axis++)
        cut_slab(&stretch, vec3_get(from, axis), vec3_get(speed, axis), vec3_get(region->low, axis),
                 vec3_get(region->high, axis));
    return length_of(&stretch);
}

// Keeps |start + t speed| <= radius.
static void cut_ball(struct stretch *stretch, vec3 start, vec3 speed, double radius) {
    double a = vec3_dot(speed, speed), b = vec3_dot(start, speed);
    double c = vec3_dot(start, start) - radius * radius, root = b * b - a * c;
    if (a > 0 && root >= 0)
        cut(stretch, (-b - sqrt(root)) / a, (-b + sqrt(root)) / a);
    else if (a > 0 || c > 0)
        stretch->end = -INFINITY;
}

static double sphere_share(vec3 start, vec3 speed, double radius) {
    struct stretch stretch = {0, 1};
    cut_ball(&stretch, start, speed, radius);
    return length_of(&stretch);
}

// A line in parts along the axis of a region and across it.
struct parts {
    double along, rate;
    vec3 across, speed;
};

static struct parts split(const struct region *region, vec3 start, vec3 speed) {
    double along = vec3_dot(region->axis, start), rate = vec3_dot(region->axis, speed);
    return (struct parts){along, rate, vec3_add_scaled(start, -along, region->axis),
                          vec3_add_scaled(speed, -rate, region->axis)};
}

static double cylinder_share(const struct region *region, const struct parts *parts,
                             double radius) {
    struct stretch stretch = {0, 1};
    cut_slab(&stretch, parts->along, parts->rate, -0.5 * region->length, 0.5 * region->length);
    cut_ball(&stretch, parts->across, parts->speed, radius);
    return length_of(&stretch);
}

// Between its flat ends a cone is where |across|^2 - width^2 <= 0, a quadratic in t whose roots
// bound one stretch, or, along a line steeper than the side, all but one.
static double cone_share(const struct region *region, const struct parts *parts) {
    double slope = (region->end_radius - region->radius) / region->length;
    double width = region->radius + slope * parts->along, growth = slope * parts->rate;
    double a = vec3_dot(parts->speed, parts->speed) - growth * growth;
    double b = vec3_dot(parts->across, parts->speed) - width * growth;
    double c = vec3_dot(parts->across, parts->across) - width * width, root = b * b - a * c;
    struct stretch ends = {0, 1};
    cut_slab(&ends, parts->along, parts->rate, 0, region->length);
    if (a == 0 && b == 0)
        return c <= 0 ? length_of(&ends) : 0;
    if (a == 0) {
        cut(&ends, b > 0 ? -INFINITY : -c / (2 * b), b > 0 ? -c / (2 * b) : INFINITY);
        return length_of(&ends);
    }
    if (root < 0)
        return a < 0 ? length_of(&ends) : 0;
    struct stretch inside = ends;
    double first = (-b - copysign(sqrt(root), a)) / a, second = (-b + copysign(sqrt(root), a)) / a;
    cut(&inside, first, second);
    return a > 0 ? length_of(&inside) : length_of(&ends) - length_of(&inside);
}

// Returns 1 where the line passes through the triangle along its normal, -1 against it; *t says
// where.
static int triangle_crossing(const vec3 *corner, vec3 from, vec3 speed, double *t) {
    vec3 u = vec3_sub(corner[1], corner[0]), v = vec3_sub(corner[2], corner[0]);
    vec3 start = vec3_sub(from, corner[0]), p = vec3_cross(speed, v);
    double determinant = vec3_dot(u, p);
    double a = vec3_dot(start, p) / determinant;
    vec3 q = vec3_cross(start, u);
    double b = vec3_dot(speed, q) / determinant;
    *t = vec3_dot(v, q) / determinant;
    bool crosses = determinant != 0 && a >= 0 && b >= 0 && a + b < 1 && *t > 0 && *t < 1;
    return crosses ? (determinant < 0 ? 1 : -1) : 0;
}

// Whether a point of the line is inside changes with each crossing of the surface, so that the
// share is that of a line without crossings and, for each crossing, the rest of the line.
static double mesh_share(const struct region *region, vec3 from, vec3 speed) {
    double share = (region_depth(region, from) >= 0) != region->outside, volume = 0, change = 0;
    for (int64_t k = 0; k < region->triangles; k++) {
        const vec3 *corner = region->corner + 3 * k;
        double t;
        int sign = triangle_crossing(corner, from, speed, &t);
        change -= sign != 0 ? sign * (1 - t) : 0;
        volume += vec3_dot(
            vec3_sub(corner[0], region->low),
            vec3_cross(vec3_sub(corner[1], region->low), vec3_sub(corner[2], region->low)));
    }
    return share + (volume > 0 ? change : -change);
}

static double share_inside(const struct region *region, vec3 from, vec3 to) {
    vec3 speed = vec3_sub(to, from), start = vec3_sub(from, region->position);
    struct parts parts = split(region, start, speed);
    struct stretch stretch = {0, 1};
    switch (region->kind) {
    case REGION_BOX:
        return box_share(region, from, speed);
    case REGION_SPHERE:
        return sphere_share(start, speed, region->radius) -
               (region->inner > 0 ? sphere_share(start, speed, region->inner) : 0);
    case REGION_CYLINDER:
        return cylinder_share(region, &parts, region->radius) -
               (region->inner > 0 ? cylinder_share(region, &parts, region->inner) : 0);
    case REGION_CONE:
        return cone_share(region, &parts);
    case REGION_MESH:
        return mesh_share(region, from, speed);
    case REGION_HALF_SPACE:
        cut_slab(&stretch, parts.along, parts.rate, -INFINITY, 0);
        return length_of(&stretch);
    }
    return 0;
}

double region_share(const struct region *region, vec3 from, vec3 to) {
    double inside = share_inside(region, from, to);
    if (!region->outside)
        return inside;
    vec3 way = vec3_sub(to, from);
    if (vec3_dot(way, way) == 0)
        return region_depth(region, from) >= 0;
    return 1 - inside;
}
