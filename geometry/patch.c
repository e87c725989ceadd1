#include "geometry/patch.h"

#include <stdlib.h>

// A point in the plane of the patch.
struct flat {
    double s, t;
    vec3 point;
};

static int compare_flat(const void *left, const void *right) {
    const struct flat *a = left, *b = right;
    return a->s != b->s ? (a->s > b->s) - (a->s < b->s) : (a->t > b->t) - (a->t < b->t);
}

// Returns the distance of b from the line from a to c, positive to the right of it.
static double outside(const struct flat *a, const struct flat *b, const struct flat *c) {
    double s = c->s - a->s, t = c->t - a->t, length = sqrt(s * s + t * t);
    return length > 0 ? (s * (a->t - b->t) - t * (a->s - b->s)) / length : 0;
}

// Adds a point to one side of the hull by Andrew's monotone chain (Information Processing Letters
// 9, 1979). Removes corners before it that are no longer corners of the hull.
static int add_corner(struct flat *chain, int count, int first, struct flat next, double nearness) {
    while (count > first + 1 && outside(&chain[count - 2], &chain[count - 1], &next) <= nearness)
        count--;
    chain[count] = next;
    return count + 1;
}

static int sort_distinct(struct flat *flat, int count, double nearness) {
    int kept = 0;
    qsort(flat, (size_t)count, sizeof *flat, compare_flat);
    for (int k = 0; k < count; k++) {
        bool same = false;
        for (int j = 0; j < kept && !same; j++)
            same =
                fabs(flat[j].s - flat[k].s) <= nearness && fabs(flat[j].t - flat[k].t) <= nearness;
        if (!same)
            flat[kept++] = flat[k];
    }
    return kept;
}

int patch_hull(vec3 *point, int count, vec3 normal, double nearness) {
    if (count == 0)
        return 0;
    struct flat flat[PATCH_POINTS_MAX], chain[2 * PATCH_POINTS_MAX];
    vec3 s, t;
    vec3_tangents(normal, &s, &t);
    for (int k = 0; k < count; k++)
        flat[k] = (struct flat){vec3_dot(s, point[k]), vec3_dot(t, point[k]), point[k]};
    count = sort_distinct(flat, count, nearness);
    int corners = 0;
    for (int k = 0; k < count; k++)
        corners = add_corner(chain, corners, 0, flat[k], nearness);
    int lower = corners - 1;
    for (int k = count - 2; k >= 0; k--)
        corners = add_corner(chain, corners, lower, flat[k], nearness);
    corners = count > 1 ? corners - 1 : 1; // the chain ended at its first point
    for (int k = 0; k < corners; k++)
        point[k] = chain[k].point;
    return corners;
}

// Computes twice the area of a triangle at corner 0, and three times its centroid relative to it.
static double triangle(const vec3 *corner, int k, vec3 normal, vec3 *centroid) {
    vec3 a = vec3_sub(corner[k], corner[0]), b = vec3_sub(corner[k + 1], corner[0]);
    *centroid = vec3_add(a, b);
    return vec3_dot(normal, vec3_cross(a, b));
}

double patch_area(const vec3 *corner, int count, vec3 normal) {
    double area = 0;
    vec3 ignored;
    for (int k = 1; k + 1 < count; k++)
        area += 0.5 * triangle(corner, k, normal, &ignored);
    return area;
}

vec3 patch_middle(const vec3 *corner, int count, vec3 normal) {
    double area = 0, size2 = 0;
    vec3 moment = vec3_zero(), mean = vec3_zero();
    for (int k = 1; k < count; k++) {
        vec3 centroid, away = vec3_sub(corner[k], corner[0]);
        mean = vec3_add_scaled(mean, 1.0 / count, away);
        size2 = fmax(size2, vec3_dot(away, away));
        if (k + 1 == count)
            break;
        double twice = triangle(corner, k, normal, &centroid);
        area += twice;
        moment = vec3_add_scaled(moment, twice / 3, centroid);
    }
    return vec3_add(corner[0], area > 1e-9 * size2 ? vec3_scale(1 / area, moment) : mean);
}

double patch_place(const vec3 *corner, int count, vec3 normal, vec3 middle, vec3 point) {
    vec3 way = vec3_sub(point, middle);
    if (count == 2) {
        vec3 half = vec3_scale(0.5, vec3_sub(corner[1], corner[0]));
        return fabs(vec3_dot(way, half)) / vec3_dot(half, half);
    }
    double place = 0;
    for (int k = 0; k < count && count > 2; k++) {
        vec3 side = vec3_sub(corner[(k + 1) % count], corner[k]);
        vec3 out = vec3_cross(side, normal);
        double rim = vec3_dot(out, vec3_sub(corner[k], middle));
        if (rim > 0)
            place = fmax(place, vec3_dot(out, way) / rim);
    }
    return place;
}
