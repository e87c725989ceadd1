#include "geometry/clump.h"

#include <string.h>

#include "geometry/balls.h"
#include "geometry/solid.h"
#include "parallel/memory.h"

#define PI 3.14159265358979323846

// Deviations from symmetry below these come from rounding, or from the integration over a union.
#define CENTRE_PRECISION  1e-10 // relative to the radius
#define PRODUCT_PRECISION 1e-9  // relative to the trace of the inertia

static struct clump *clump_allocate(int32_t count) {
    struct clump *clump = memory_allocate(1, sizeof *clump, "clump");
    clump->count = count;
    clump->sphere = memory_allocate((size_t)count, sizeof *clump->sphere, "clump");
    clump->sphere_radius = memory_allocate((size_t)count, sizeof *clump->sphere_radius, "clump");
    clump->axes = (quat){1, 0, 0, 0};
    return clump;
}

void clump_free(struct clump *clump) {
    if (!clump)
        return;
    memory_free(clump->sphere);
    memory_free(clump->sphere_radius);
    memory_free(clump);
}

static bool check_spheres(const vec3 *sphere, const double *radius, int64_t count,
                          struct gabion_error *error) {
    if (count < 1 || count > CLUMP_SPHERES_MAX)
        return error_set(error, GABION_ERROR_INPUT, "%lld spheres; a clump has 1 to %d",
                         (long long)count, CLUMP_SPHERES_MAX);
    for (int64_t k = 0; k < count; k++)
        if (!vec3_finite(sphere[k]) || !(radius[k] > 0 && isfinite(radius[k])))
            return error_set(error, GABION_ERROR_INPUT,
                             "sphere %lld: a finite centre and a radius above 0 are needed, found "
                             "radius %g",
                             (long long)k + 1, radius[k]);
    return true;
}

static void find_sizes(struct clump *clump) {
    clump->radius = 0;
    clump->smallest = INFINITY;
    for (int32_t k = 0; k < clump->count; k++) {
        double radius = clump->sphere_radius[k];
        clump->radius = fmax(clump->radius, vec3_length(clump->sphere[k]) + radius);
        clump->smallest = fmin(clump->smallest, radius);
    }
}

static vec3 middle_of(const struct clump *clump) {
    vec3 low = clump->sphere[0], high = low;
    for (int32_t k = 1; k < clump->count; k++) {
        vec3 x = clump->sphere[k];
        low = vec3_make(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = vec3_make(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    return vec3_scale(0.5, vec3_add(low, high));
}

static void shift(struct clump *clump, vec3 by) {
    for (int32_t k = 0; k < clump->count; k++)
        clump->sphere[k] = vec3_sub(clump->sphere[k], by);
    clump->centre = vec3_add(clump->centre, by);
}

static void turn(struct clump *clump, quat to_own) {
    mat3 axes = quat_matrix(to_own);
    for (int32_t k = 0; k < clump->count; k++)
        clump->sphere[k] = mat3_apply_transposed(axes, clump->sphere[k]);
    clump->axes = to_own;
}

static double small_to_zero(double value, double least) { return fabs(value) > least ? value : 0; }

static struct solid integrate(const struct clump *clump, enum clump_mass mass) {
    return mass == CLUMP_UNION ? balls_union(clump->sphere, clump->sphere_radius, clump->count)
                               : balls_sum(clump->sphere, clump->sphere_radius, clump->count);
}

// Moves the spheres from the drawing frame to the clump's own. Integrates about a point nearby, so
// that a drawing far from its origin loses no digits.
static void move_to_own_frame(struct clump *clump, enum clump_mass mass) {
    shift(clump, middle_of(clump));
    find_sizes(clump);
    vec3 off = integrate(clump, mass).centre;
    double least = CENTRE_PRECISION * clump->radius;
    shift(clump, vec3_make(small_to_zero(off.x, least), small_to_zero(off.y, least),
                           small_to_zero(off.z, least)));
    struct solid solid = integrate(clump, mass);
    sym3 m = solid.inertia;
    least = PRODUCT_PRECISION * (m.xx + m.yy + m.zz);
    m.xy = small_to_zero(m.xy, least);
    m.xz = small_to_zero(m.xz, least);
    m.yz = small_to_zero(m.yz, least);
    turn(clump, solid_principal_axes(m));
    mat3 axes = quat_matrix(clump->axes);
    for (int k = 0; k < 3; k++) {
        vec3 own = {vec3_get(axes.row[0], k), vec3_get(axes.row[1], k), vec3_get(axes.row[2], k)};
        vec3_set(&clump->inertia, k, vec3_dot(own, sym3_apply(m, own)));
    }
    clump->volume = solid.volume;
    find_sizes(clump);
}

static struct clump *clump_copy(const vec3 *sphere, const double *radius, int64_t count,
                                struct gabion_error *error) {
    if (!check_spheres(sphere, radius, count, error))
        return NULL;
    struct clump *clump = clump_allocate((int32_t)count);
    memcpy(clump->sphere, sphere, (size_t)count * sizeof *sphere);
    memcpy(clump->sphere_radius, radius, (size_t)count * sizeof *radius);
    return clump;
}

struct clump *clump_create(const vec3 *sphere, const double *radius, int64_t count,
                           enum clump_mass mass, struct gabion_error *error) {
    struct clump *clump = clump_copy(sphere, radius, count, error);
    if (clump)
        move_to_own_frame(clump, mass);
    return clump;
}

// Builds a clump of equal spheres along a line or a circle.
static struct clump *clump_row(int64_t count, double radius,
                               vec3 (*place)(int64_t, int64_t, double), double size,
                               enum clump_mass mass, struct gabion_error *error) {
    size_t room = count > 0 && count <= CLUMP_SPHERES_MAX ? (size_t)count : 0;
    vec3 *sphere = memory_allocate(room, sizeof *sphere, "clump");
    double *radii = memory_allocate(room, sizeof *radii, "clump");
    for (size_t k = 0; k < room; k++) {
        sphere[k] = place((int64_t)k, count, size);
        radii[k] = radius;
    }
    struct clump *clump = clump_create(sphere, radii, count, mass, error);
    memory_free(sphere);
    memory_free(radii);
    return clump;
}

static vec3 on_line(int64_t k, int64_t count, double spacing) {
    return vec3_make(spacing * ((double)k - 0.5 * (double)(count - 1)), 0, 0);
}

static vec3 on_circle(int64_t k, int64_t count, double ring) {
    quat turn = quat_about(vec3_make(0, 0, 1), 2 * PI * (double)k / (double)count);
    return mat3_apply(quat_matrix(turn), vec3_make(ring, 0, 0));
}

struct clump *clump_bar(int64_t count, double radius, double spacing, enum clump_mass mass,
                        struct gabion_error *error) {
    return clump_row(count, radius, on_line, spacing, mass, error);
}

struct clump *clump_torus(int64_t count, double radius, double ring, enum clump_mass mass,
                          struct gabion_error *error) {
    return clump_row(count, radius, on_circle, ring, mass, error);
}

struct clump *clump_restore(const vec3 *sphere, const double *radius, int32_t count, double volume,
                            vec3 inertia, vec3 centre, quat axes, struct gabion_error *error) {
    double turn = axes.w * axes.w + axes.x * axes.x + axes.y * axes.y + axes.z * axes.z;
    bool massive = volume > 0 && inertia.x > 0 && inertia.y > 0 && inertia.z > 0;
    if (!massive || !vec3_finite(centre) || !(fabs(turn - 1) <= 1e-9)) {
        error_set(error, GABION_ERROR_INPUT,
                  "volume, inertia, centre or axes are not those of a clump");
        return NULL;
    }
    struct clump *clump = clump_copy(sphere, radius, count, error);
    if (!clump)
        return NULL;
    clump->volume = volume;
    clump->inertia = inertia;
    clump->centre = centre;
    clump->axes = axes;
    find_sizes(clump);
    return clump;
}
