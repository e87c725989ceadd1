#include "geometry/balls.h"

#include <stdlib.h>
#include <string.h>

#include "geometry/mass.h"
#include "parallel/memory.h"

#define PI 3.14159265358979323846

// Volume, first moments and second moments, in the order x, y, z, xx, yy, zz, xy, xz, yz.
struct moments {
    double volume;
    vec3 first;
    sym3 second;
};

static struct solid solid_of(const struct moments *m) {
    sym3 s = m->second;
    return (struct solid){
        .volume = m->volume,
        .centre = vec3_scale(1 / m->volume, m->first),
        .inertia = {s.yy + s.zz, s.xx + s.zz, s.xx + s.yy, -s.xy, -s.xz, -s.yz},
    };
}

struct solid balls_sum(const vec3 *centre, const double *radius, int32_t count) {
    struct moments sum = {0};
    for (int32_t k = 0; k < count; k++) {
        vec3 c = centre[k];
        double v = sphere_mass(radius[k], 1), own = 0.2 * v * radius[k] * radius[k];
        sum.volume += v;
        sum.first = vec3_add_scaled(sum.first, v, c);
        sum.second.xx += v * c.x * c.x + own;
        sum.second.yy += v * c.y * c.y + own;
        sum.second.zz += v * c.z * c.z + own;
        sum.second.xy += v * c.x * c.y;
        sum.second.xz += v * c.x * c.z;
        sum.second.yz += v * c.y * c.z;
    }
    return solid_of(&sum);
}

// Union ---------------------------------------------------------------------------------------
//
// By the divergence theorem the integral of x^2 over the solid is that of x^3 n_x / 3 over its
// surface, and so on. The surface consists of the exposed part of each sphere, outside all others.
// On the parallel u = cos(polar angle) of a sphere every other sphere hides an arc, known in closed
// form. The exposed arcs are integrated one by one, and over u by Gauss-Legendre panels between all
// latitudes at which a hidden cap begins, ends, or meets another.

// The positive ones of the ten Gauss-Legendre points on [-1, 1], and their weights.
#define NODES 5
static const double node[NODES] = {0.14887433898163122, 0.43339539412924719, 0.67940956829902441,
                                   0.86506336668898451, 0.97390652851717172};
static const double weight[NODES] = {0.29552422471475287, 0.26926671930999636, 0.21908636251598204,
                                     0.14945134915058059, 0.066671344308688138};
#define PANELS 4 // between two neighbouring latitudes

// A hidden cap: the directions n with n.axis > least.
struct cap {
    vec3 axis;
    double least;
};

struct arc {
    double begin, end;
};

struct sphere_surface {
    vec3 centre;
    double radius;
    mat3 axes; // rows: axes of the frame in which caps and latitudes are given
    struct cap *cap;
    int32_t caps;
    struct arc *arc; // scratch, two for each cap
    double *cut;     // latitudes
    size_t cuts, cut_capacity;
    struct moments *sum;
};

static void add_point(struct sphere_surface *surface, vec3 n, double area) {
    struct moments *sum = surface->sum;
    n = mat3_apply_transposed(surface->axes, n);
    vec3 x = vec3_add_scaled(surface->centre, surface->radius, n);
    vec3 flux = vec3_scale(area, vec3_times(x, n)); // x n_x and so on
    sum->volume += (flux.x + flux.y + flux.z) / 3;
    sum->first = vec3_add_scaled(sum->first, 0.5, vec3_times(x, flux));
    sum->second.xx += x.x * x.x * flux.x / 3;
    sum->second.yy += x.y * x.y * flux.y / 3;
    sum->second.zz += x.z * x.z * flux.z / 3;
    sum->second.xy += 0.25 * x.x * x.y * (flux.x + flux.y);
    sum->second.xz += 0.25 * x.x * x.z * (flux.x + flux.z);
    sum->second.yz += 0.25 * x.y * x.z * (flux.y + flux.z);
}

// Adds the exposed arc from `begin` to `end` on the parallel u. It is cut into quarter turns at
// most, for which ten points are exact to rounding.
static void add_arc(struct sphere_surface *surface, double u, double begin, double end,
                    double scale) {
    int pieces = (int)ceil((end - begin) / (0.5 * PI));
    double s = sqrt(1 - u * u), half = 0.5 * (end - begin) / pieces;
    for (int piece = 0; piece < pieces; piece++)
        for (int k = 0; k < 2 * NODES; k++) {
            double t = k < NODES ? node[k] : -node[k - NODES];
            double angle = begin + half * (2 * piece + 1 + t);
            add_point(surface, vec3_make(s * cos(angle), s * sin(angle), u),
                      scale * half * weight[k % NODES]);
        }
}

static int compare_arcs(const void *left, const void *right) {
    const struct arc *a = left, *b = right;
    return a->begin != b->begin ? (a->begin > b->begin) - (a->begin < b->begin)
                                : (a->end > b->end) - (a->end < b->end);
}

// Collects the arcs of the parallel u, within [0, 2 pi], that caps hide. Returns how many, or -1
// when the whole parallel is hidden.
static int32_t list_arcs(const struct sphere_surface *surface, double u) {
    double s = sqrt(1 - u * u);
    int32_t count = 0;
    for (int32_t k = 0; k < surface->caps; k++) {
        const struct cap *cap = &surface->cap[k];
        double across = s * sqrt(cap->axis.x * cap->axis.x + cap->axis.y * cap->axis.y);
        double rest = cap->least - u * cap->axis.z;
        if (rest < -across)
            return -1;
        if (rest >= across)
            continue;
        double middle = atan2(cap->axis.y, cap->axis.x), half = acos(rest / across);
        double begin = middle - half, end = middle + half;
        if (begin < 0) {
            surface->arc[count++] = (struct arc){begin + 2 * PI, 2 * PI};
            begin = 0;
        }
        if (end < 0) // the whole arc lies below zero
            surface->arc[count - 1].end = end + 2 * PI;
        else
            surface->arc[count++] = (struct arc){begin, end < 2 * PI ? end : 2 * PI};
    }
    qsort(surface->arc, (size_t)count, sizeof *surface->arc, compare_arcs);
    return count;
}

static void add_parallel(struct sphere_surface *surface, double u, double scale) {
    int32_t count = list_arcs(surface, u);
    double shown = 0;
    if (count < 0)
        return;
    for (int32_t k = 0; k < count; k++) {
        if (surface->arc[k].begin > shown)
            add_arc(surface, u, shown, surface->arc[k].begin, scale);
        shown = fmax(shown, surface->arc[k].end);
    }
    if (shown < 2 * PI)
        add_arc(surface, u, shown, 2 * PI, scale);
}

// The substitution u = middle + half (3 t - t^3) / 2 removes the square roots at both ends.
static void add_zone(struct sphere_surface *surface, double low, double high) {
    double middle = 0.5 * (low + high), half = 0.5 * (high - low), width = 1.0 / PANELS;
    for (int panel = 0; panel < PANELS; panel++)
        for (int k = 0; k < 2 * NODES; k++) {
            double t = width * (2 * panel + 1 + (k < NODES ? node[k] : -node[k - NODES])) - 1;
            double u = middle + half * (1.5 * t - 0.5 * t * t * t);
            double scale = width * weight[k % NODES] * half * 1.5 * (1 - t * t);
            if (u > -1 && u < 1)
                add_parallel(surface, u, scale * surface->radius * surface->radius);
        }
}

// Adds the latitude of direction n, unless a third cap hides n: nothing begins or ends there then.
static void add_cut(struct sphere_surface *surface, vec3 n) {
    for (int32_t k = 0; k < surface->caps; k++)
        if (vec3_dot(n, surface->cap[k].axis) > surface->cap[k].least + 1e-9)
            return;
    if (!(n.z > -1 && n.z < 1))
        return;
    surface->cut = memory_reserve(surface->cut, &surface->cut_capacity, surface->cuts + 1,
                                  sizeof *surface->cut, "clump");
    surface->cut[surface->cuts++] = n.z;
}

// Finds where the rims of two caps cross: n.a = p and n.b = q.
static void cut_at_crossings(struct sphere_surface *surface, const struct cap *a,
                             const struct cap *b) {
    vec3 normal = vec3_cross(a->axis, b->axis);
    double c = vec3_dot(a->axis, b->axis), s2 = vec3_dot(normal, normal);
    double of_a = (a->least - c * b->least) / s2, of_b = (b->least - c * a->least) / s2;
    double up2 = (1 - of_a * a->least - of_b * b->least) / s2;
    if (!(s2 > 0) || !(up2 >= 0))
        return;
    vec3 middle = vec3_add_scaled(vec3_scale(of_a, a->axis), of_b, b->axis);
    add_cut(surface, vec3_add_scaled(middle, sqrt(up2), normal));
    add_cut(surface, vec3_add_scaled(middle, -sqrt(up2), normal));
}

static int compare_cuts(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void list_cuts(struct sphere_surface *surface) {
    surface->cuts = 0;
    for (int32_t k = 0; k < surface->caps; k++) {
        const struct cap *cap = &surface->cap[k];
        vec3 z = {0, 0, 1}, rim = vec3_scale(cap->least, cap->axis);
        vec3 up = vec3_add_scaled(z, -cap->axis.z, cap->axis);
        double length = vec3_length(up), out = sqrt(fmax(0, 1 - cap->least * cap->least));
        // A cap about the pole: all points of its rim have one latitude.
        up = length > 1e-9 ? vec3_scale(1 / length, up) : vec3_make(1, 0, 0);
        add_cut(surface, vec3_add_scaled(rim, out, up));
        add_cut(surface, vec3_add_scaled(rim, -out, up));
        for (int32_t j = 0; j < k; j++)
            cut_at_crossings(surface, &surface->cap[j], cap);
    }
    if (surface->cuts > 0)
        qsort(surface->cut, surface->cuts, sizeof *surface->cut, compare_cuts);
}

// Puts the pole on the axis of the first cap: its rim is then a parallel, and in a bar all rims
// are.
static void turn_to_caps(struct sphere_surface *surface) {
    vec3 z = surface->caps > 0 ? surface->cap[0].axis : vec3_make(0, 0, 1), x, y;
    vec3_tangents(z, &x, &y);
    surface->axes = (mat3){{x, y, z}};
    for (int32_t k = 0; k < surface->caps; k++)
        surface->cap[k].axis = mat3_apply(surface->axes, surface->cap[k].axis);
}

// Collects the caps that other spheres hide. Returns false when the whole sphere is hidden. Of two
// equal spheres in one place the first one counts as exposed.
static bool list_caps(struct sphere_surface *surface, const vec3 *centre, const double *radius,
                      int32_t count, int32_t self) {
    double r = radius[self];
    surface->caps = 0;
    for (int32_t k = 0; k < count; k++) {
        vec3 d = vec3_sub(centre[k], centre[self]);
        double distance = vec3_length(d), other = radius[k];
        if (k == self || distance >= r + other)
            continue;
        if (distance + r <= other && (distance + r < other || distance > 0 || k < self))
            return false;
        if (distance + other <= r)
            continue; // inside
        surface->cap[surface->caps++] =
            (struct cap){vec3_scale(1 / distance, d),
                         (distance * distance + r * r - other * other) / (2 * r * distance)};
    }
    return true;
}

struct solid balls_union(const vec3 *centre, const double *radius, int32_t count) {
    struct moments sum = {0};
    struct sphere_surface surface = {.sum = &sum};
    surface.cap = memory_allocate((size_t)count, sizeof *surface.cap, "clump");
    surface.arc = memory_allocate(2 * (size_t)count, sizeof *surface.arc, "clump");
    for (int32_t k = 0; k < count; k++) {
        surface.centre = centre[k];
        surface.radius = radius[k];
        if (!list_caps(&surface, centre, radius, count, k))
            continue;
        turn_to_caps(&surface);
        list_cuts(&surface);
        double low = -1;
        for (size_t c = 0; c <= surface.cuts; c++) {
            double high = c < surface.cuts ? surface.cut[c] : 1;
            if (high > low)
                add_zone(&surface, low, high);
            low = high;
        }
    }
    memory_free(surface.cap);
    memory_free(surface.arc);
    memory_free(surface.cut);
    return solid_of(&sum);
}
