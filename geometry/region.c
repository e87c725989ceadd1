#include "geometry/region.h"

#include <string.h>

#include "geometry/surface.h"
#include "parallel/memory.h"

#define PI 3.14159265358979323846

// Triangles -----------------------------------------------------------------------------------

// Returns the solid angle of a triangle seen from the origin, with its sign (van Oosterom and
// Strackee 1983).
static double solid_angle(vec3 a, vec3 b, vec3 c) {
    double la = vec3_length(a), lb = vec3_length(b), lc = vec3_length(c);
    double above = vec3_dot(a, vec3_cross(b, c));
    double below = la * lb * lc + vec3_dot(a, b) * lc + vec3_dot(b, c) * la + vec3_dot(c, a) * lb;
    return 2 * atan2(above, below);
}

// Returns the distance of the origin from a triangle. The nearest point is in its plane, on an edge
// or at a corner.
static double segment_distance(vec3 a, vec3 b) {
    vec3 edge = vec3_sub(b, a);
    double square = vec3_dot(edge, edge);
    double t = square > 0 ? fmin(fmax(-vec3_dot(a, edge) / square, 0), 1) : 0;
    return vec3_length(vec3_add_scaled(a, t, edge));
}

static double triangle_distance(vec3 a, vec3 b, vec3 c) {
    vec3 normal = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    double length = vec3_length(normal);
    double edges =
        fmin(segment_distance(a, b), fmin(segment_distance(b, c), segment_distance(c, a)));
    if (!(length > 0))
        return edges;
    bool inside = vec3_dot(vec3_cross(a, b), normal) >= 0 &&
                  vec3_dot(vec3_cross(b, c), normal) >= 0 &&
                  vec3_dot(vec3_cross(c, a), normal) >= 0;
    return inside ? fmin(edges, fabs(vec3_dot(a, normal)) / length) : edges;
}

// The surface winds once about points inside of it. Summing solid angles needs no ray that might
// pass through an edge.
static double mesh_depth(const struct region *region, vec3 point) {
    double winding = 0, nearest = INFINITY;
    for (int axis = 0; axis < 3; axis++)
        if (vec3_get(point, axis) < vec3_get(region->low, axis) ||
            vec3_get(point, axis) > vec3_get(region->high, axis))
            return -1;
    for (int64_t k = 0; k < region->triangles; k++) {
        const vec3 *corner = region->corner + 3 * k;
        vec3 a = vec3_sub(corner[0], point), b = vec3_sub(corner[1], point),
             c = vec3_sub(corner[2], point);
        winding += solid_angle(a, b, c);
        nearest = fmin(nearest, triangle_distance(a, b, c));
    }
    return fabs(winding) > 2 * PI ? nearest : -nearest;
}

static double mesh_volume(const struct region *region) {
    vec3 middle = vec3_scale(0.5, vec3_add(region->low, region->high));
    double sum = 0;
    for (int64_t k = 0; k < region->triangles; k++) {
        const vec3 *corner = region->corner + 3 * k;
        vec3 a = vec3_sub(corner[0], middle), b = vec3_sub(corner[1], middle),
             c = vec3_sub(corner[2], middle);
        sum += vec3_dot(a, vec3_cross(b, c)) / 6;
    }
    return fabs(sum);
}

// Depths --------------------------------------------------------------------------------------

static double box_depth(const struct region *region, vec3 point) {
    double depth = INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        double x = vec3_get(point, axis);
        depth =
            fmin(depth, fmin(x - vec3_get(region->low, axis), vec3_get(region->high, axis) - x));
    }
    return depth;
}

// The tube or shell between two radii.
static double between(const struct region *region, double distance) {
    double depth = region->radius - distance;
    return region->inner > 0 ? fmin(depth, distance - region->inner) : depth;
}

static double round_depth(const struct region *region, vec3 point) {
    vec3 arm = vec3_sub(point, region->position);
    double along = vec3_dot(arm, region->axis);
    double across = vec3_length(vec3_add_scaled(arm, -along, region->axis));
    if (region->kind == REGION_CYLINDER)
        return fmin(between(region, across), 0.5 * region->length - fabs(along));
    double slope = (region->end_radius - region->radius) / region->length;
    double side = (region->radius + slope * along - across) / sqrt(1 + slope * slope);
    return fmin(side, fmin(along, region->length - along));
}

double region_depth(const struct region *region, vec3 point) {
    double depth = -1;
    switch (region->kind) {
    case REGION_BOX:
        depth = box_depth(region, point);
        break;
    case REGION_HALF_SPACE:
        depth = -vec3_dot(region->axis, vec3_sub(point, region->position));
        break;
    case REGION_SPHERE:
        depth = between(region, vec3_length(vec3_sub(point, region->position)));
        break;
    case REGION_CYLINDER:
    case REGION_CONE:
        depth = round_depth(region, point);
        break;
    case REGION_MESH:
        depth = mesh_depth(region, point);
        break;
    }
    return region->outside ? -depth : depth;
}

bool region_is_bounded(const struct region *region) {
    return region->kind != REGION_HALF_SPACE && !region->outside;
}

bool region_is_convex(const struct region *region) {
    if (region->outside)
        return region->kind == REGION_HALF_SPACE;
    return region->kind != REGION_MESH && !(region->inner > 0);
}

double region_volume(const struct region *region) {
    double r = region->radius, s = region->inner, e = region->end_radius;
    vec3 size = vec3_sub(region->high, region->low);
    switch (region->kind) {
    case REGION_BOX:
        return size.x * size.y * size.z;
    case REGION_SPHERE:
        return 4.0 / 3.0 * PI * (r * r * r - s * s * s);
    case REGION_CYLINDER:
        return PI * (r * r - s * s) * region->length;
    case REGION_CONE:
        return PI / 3 * (r * r + r * e + e * e) * region->length;
    case REGION_MESH:
        return mesh_volume(region);
    case REGION_HALF_SPACE:
        break;
    }
    return INFINITY;
}

// Preparation ---------------------------------------------------------------------------------

// Extends the box by a disc of the given radius about a point of the axis.
static void cover_disc(struct region *region, vec3 centre, double radius) {
    for (int axis = 0; axis < 3; axis++) {
        double a = vec3_get(region->axis, axis), x = vec3_get(centre, axis);
        double reach = radius * sqrt(fmax(0, 1 - a * a));
        vec3_set(&region->low, axis, fmin(vec3_get(region->low, axis), x - reach));
        vec3_set(&region->high, axis, fmax(vec3_get(region->high, axis), x + reach));
    }
}

static void find_bounds(struct region *region) {
    bool round = region->kind == REGION_CYLINDER || region->kind == REGION_CONE;
    double from = region->kind == REGION_CYLINDER ? -0.5 * region->length : 0;
    vec3 ball = {region->radius, region->radius, region->radius};
    if (region->kind == REGION_SPHERE) {
        region->low = vec3_sub(region->position, ball);
        region->high = vec3_add(region->position, ball);
    }
    if (region->kind == REGION_MESH)
        surface_bounds(region->corner, 3 * region->triangles, &region->low, &region->high);
    if (!round)
        return;
    region->low = vec3_make(INFINITY, INFINITY, INFINITY);
    region->high = vec3_negate(region->low);
    double end = region->kind == REGION_CYLINDER ? region->radius : region->end_radius;
    cover_disc(region, vec3_add_scaled(region->position, from, region->axis), region->radius);
    cover_disc(region, vec3_add_scaled(region->position, from + region->length, region->axis), end);
}

static bool positive(double value) { return value > 0 && isfinite(value); }

static const char *round_defect(const struct region *region) {
    bool sphere = region->kind == REGION_SPHERE, cone = region->kind == REGION_CONE;
    if (cone ? !(region->radius >= 0 && region->end_radius >= 0 &&
                 positive(region->radius + region->end_radius))
             : !positive(region->radius))
        return "the radius must be positive";
    if (!(region->inner >= 0 && (cone || region->inner < region->radius)))
        return "the inner radius must be 0 or more and less than the radius";
    return sphere || positive(region->length) ? NULL : "the length must be positive";
}

static const char *mesh_defect(const struct region *region) {
    if (region->triangles < 4)
        return "a closed surface has 4 triangles or more";
    for (int64_t k = 0; k < 3 * region->triangles; k++)
        if (!(vec3_length(region->corner[k]) <= POLYHEDRON_SIZE_MAX))
            return "a corner of the mesh is too far from the origin";
    // Of a closed surface the areas of all triangles, as vectors, add up to nothing.
    vec3 sum = vec3_zero();
    double all = 0;
    for (int64_t k = 0; k < region->triangles; k++) {
        const vec3 *corner = region->corner + 3 * k;
        vec3 area = vec3_cross(vec3_sub(corner[1], corner[0]), vec3_sub(corner[2], corner[0]));
        sum = vec3_add(sum, area);
        all += vec3_length(area);
    }
    if (!(all > 0))
        return "the triangles of the mesh have no area";
    return vec3_length(sum) <= 1e-6 * all
               ? NULL
               : "the mesh is not closed, or its triangles are not all turned the same way";
}

const char *region_prepare(struct region *region) {
    const char *defect = NULL;
    bool plane = region->kind == REGION_HALF_SPACE;
    bool axis = plane || region->kind == REGION_CYLINDER || region->kind == REGION_CONE;
    if (axis) {
        double length = vec3_length(region->axis);
        if (!positive(length))
            return "the axis or normal must not be zero";
        region->axis = vec3_scale(1 / length, region->axis);
    }
    if (!vec3_finite(region->position))
        return "the position must be finite";
    if (region->kind == REGION_MESH)
        defect = mesh_defect(region);
    else if (region->kind != REGION_BOX && !plane)
        defect = round_defect(region);
    if (!defect && !plane) {
        find_bounds(region);
        if (!(region->low.x < region->high.x && region->low.y < region->high.y &&
              region->low.z < region->high.z) ||
            !isfinite(vec3_length(vec3_sub(region->high, region->low))))
            defect = "it is empty or too large: min must be below max";
    }
    return defect;
}

struct region region_copy(const struct region *region) {
    struct region copy = *region;
    size_t corners = 3 * (size_t)region->triangles;
    copy.corner = NULL;
    if (corners) {
        copy.corner = memory_allocate(corners, sizeof *copy.corner, "triangles of a region");
        memcpy(copy.corner, region->corner, corners * sizeof *copy.corner);
    }
    return copy;
}

void region_free(struct region *region) {
    memory_free(region->corner);
    region->corner = NULL;
    region->triangles = 0;
}
