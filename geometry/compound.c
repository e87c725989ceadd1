#include "geometry/compound.h"

#include <float.h>
#include <inttypes.h>

#include "geometry/solid.h"
#include "geometry/surface.h"
#include "parallel/memory.h"

// Parts that are closer than this share of the radius are glued together: drawings give positions
// in a few decimals, and mesh files 32-bit numbers.
#define GLUE 2e-6

// A centre of mass this near to the middle of the bounding box is rounded to it.
#define CENTRE_PRECISION 1e-14

// Deviations of a stored frame from the centre of mass and the principal axes that are rounding.
#define RESTORE_PRECISION 1e-6

void compound_free(struct compound *compound) {
    if (!compound)
        return;
    polyhedron_free(compound->hull);
    void *arrays[] = {compound->part, compound->neighbour, compound->hull_corner};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    memory_free(compound);
}

// Mass ----------------------------------------------------------------------------------------

static double part_mass(const struct compound_part *part) {
    return part->density * part->shape->volume;
}

static vec3 mass_centre(const struct compound *compound) {
    vec3 sum = vec3_zero();
    for (int32_t k = 0; k < compound->count; k++)
        sum = vec3_add_scaled(sum, part_mass(&compound->part[k]), compound->part[k].x);
    return vec3_scale(1 / compound->mass, sum);
}

static void add_inertia(sym3 *sum, const struct compound_part *part) {
    vec3 x = part->x;
    double m = part_mass(part);
    sym3 own =
        sym3_from_principal(quat_matrix(part->q), vec3_scale(part->density, part->shape->inertia));
    sum->xx += own.xx + m * (x.y * x.y + x.z * x.z);
    sum->yy += own.yy + m * (x.x * x.x + x.z * x.z);
    sum->zz += own.zz + m * (x.x * x.x + x.y * x.y);
    sum->xy += own.xy - m * x.x * x.y;
    sum->xz += own.xz - m * x.x * x.z;
    sum->yz += own.yz - m * x.y * x.z;
}

// Returns the tensor of inertia about the origin (parallel axes).
static sym3 mass_inertia(const struct compound *compound) {
    sym3 sum = {0};
    for (int32_t k = 0; k < compound->count; k++)
        add_inertia(&sum, &compound->part[k]);
    return sum;
}

static void find_mass(struct compound *compound) {
    compound->volume = compound->mass = 0;
    for (int32_t k = 0; k < compound->count; k++) {
        compound->volume += compound->part[k].shape->volume;
        compound->mass += part_mass(&compound->part[k]);
    }
}

// Derived quantities ----------------------------------------------------------------------------

static vec3 part_corner(const struct compound_part *part, int32_t c) {
    return vec3_add(part->x, mat3_apply(part->axes, part->shape->corner[c]));
}

// Fills `corner` with the corners of all parts, in own axes.
static void list_corners(const struct compound *compound, vec3 *corner) {
    for (int32_t k = 0; k < compound->count; k++)
        for (int32_t c = 0; c < compound->part[k].shape->corner_count; c++)
            *corner++ = part_corner(&compound->part[k], c);
}

static bool number_features(struct compound *compound, struct gabion_error *error) {
    int64_t corners = 0, edges = 0;
    for (int32_t k = 0; k < compound->count; k++) {
        struct compound_part *part = &compound->part[k];
        part->first_corner = (int32_t)corners;
        part->first_edge = (int32_t)edges;
        corners += part->shape->corner_count;
        edges += part->shape->edge_count;
    }
    compound->corner_count = (int32_t)corners;
    compound->edge_count = (int32_t)edges;
    // A part needs a number of its own besides those of its edges.
    return (corners < POLYHEDRON_CORNERS_MAX &&
            edges + compound->count <= POLYHEDRON_CORNERS_MAX) ||
           error_set(
               error, GABION_ERROR_INPUT,
               "%d parts with %" PRId64 " corners and %" PRId64
               " edges in all; fewer than %d of either are allowed: use fewer or simpler parts",
               compound->count, corners, edges, POLYHEDRON_CORNERS_MAX);
}

static void find_boxes(struct compound *compound) {
    compound->thickness = INFINITY;
    for (int32_t k = 0; k < compound->count; k++) {
        struct compound_part *part = &compound->part[k];
        part->axes = quat_matrix(part->q);
        part->low = part->high = part_corner(part, 0);
        for (int32_t c = 1; c < part->shape->corner_count; c++)
            for (int axis = 0; axis < 3; axis++) {
                double x = vec3_get(part_corner(part, c), axis);
                vec3_set(&part->low, axis, fmin(vec3_get(part->low, axis), x));
                vec3_set(&part->high, axis, fmax(vec3_get(part->high, axis), x));
            }
        compound->thickness = fmin(compound->thickness, part->shape->thickness);
    }
}

static bool boxes_touch(const struct compound_part *a, const struct compound_part *b, double glue) {
    for (int axis = 0; axis < 3; axis++)
        if (vec3_get(a->low, axis) > vec3_get(b->high, axis) + glue ||
            vec3_get(b->low, axis) > vec3_get(a->high, axis) + glue)
            return false;
    return true;
}

static void find_neighbours(struct compound *compound) {
    size_t capacity = 0, count = 0;
    for (int32_t k = 0; k < compound->count; k++) {
        struct compound_part *part = &compound->part[k];
        part->neighbour = (int32_t)count;
        for (int32_t other = 0; other < compound->count; other++) {
            if (other == k || !boxes_touch(part, &compound->part[other], 2 * compound->glue))
                continue;
            compound->neighbour = memory_reserve(compound->neighbour, &capacity, count + 1,
                                                 sizeof *compound->neighbour, "compound");
            compound->neighbour[count++] = other;
        }
        part->neighbours = (int32_t)count - part->neighbour;
    }
}

static bool build_hull(struct compound *compound, struct gabion_error *error) {
    vec3 *corner =
        memory_allocate((size_t)compound->corner_count, sizeof *corner, "corners of a compound");
    list_corners(compound, corner);
    compound->hull = polyhedron_hull(corner, compound->corner_count, error);
    memory_free(corner);
    if (!compound->hull)
        return error_context(error, "the hull of all parts");
    const struct polyhedron *hull = compound->hull;
    compound->hull_axes = quat_matrix(hull->axes);
    compound->hull_corner = memory_allocate((size_t)hull->corner_count,
                                            sizeof *compound->hull_corner, "corners of a compound");
    for (int32_t c = 0; c < hull->corner_count; c++) {
        vec3 x = vec3_add(hull->centre, mat3_apply(compound->hull_axes, hull->corner[c]));
        compound->hull_corner[c] = x;
        compound->radius = fmax(compound->radius, vec3_length(x));
    }
    return true;
}

// Computes what follows from the parts in own axes. New and restored compounds use the same
// function, so that a checkpoint gives back the same bits.
static bool derive(struct compound *compound, struct gabion_error *error) {
    find_mass(compound);
    sym3 inertia = mass_inertia(compound);
    compound->inertia = vec3_make(inertia.xx, inertia.yy, inertia.zz);
    find_boxes(compound);
    if (!number_features(compound, error) || !build_hull(compound, error))
        return false;
    compound->glue = GLUE * compound->radius;
    find_neighbours(compound);
    return true;
}

// Building --------------------------------------------------------------------------------------

static struct compound *compound_allocate(int64_t count, struct gabion_error *error) {
    if (count < 1 || count > COMPOUND_PARTS_MAX) {
        error_set(error, GABION_ERROR_INPUT, "%" PRId64 " parts; a compound has 1 to %d", count,
                  COMPOUND_PARTS_MAX);
        return NULL;
    }
    struct compound *compound = memory_allocate(1, sizeof *compound, "compound");
    compound->count = (int32_t)count;
    compound->part = memory_allocate((size_t)count, sizeof *compound->part, "compound");
    compound->axes = (quat){1, 0, 0, 0};
    return compound;
}

static bool check_part(const struct compound_source *part, int64_t number,
                       struct gabion_error *error) {
    quat q = part->orientation;
    double turn = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    const char *defect = NULL;
    if (!(vec3_length(part->position) <= POLYHEDRON_SIZE_MAX))
        defect = "the position must be finite";
    else if (!(turn > 1e-12 && isfinite(turn)))
        defect = "the orientation must be a quaternion that is not zero";
    else if (!(part->density > 0 && isfinite(part->density)))
        defect = "the relative density must be positive";
    return !defect || error_set(error, GABION_ERROR_INPUT, "part %" PRId64 ": %s", number, defect);
}

static struct compound_part place_part(const struct compound_source *source) {
    quat turn = quat_normalize(source->orientation);
    return (struct compound_part){
        .polyhedron = source->polyhedron,
        .shape = source->shape,
        .x = vec3_add(source->position, mat3_apply(quat_matrix(turn), source->shape->centre)),
        .q = quat_normalize(quat_multiply(turn, source->shape->axes)),
        .density = source->density,
    };
}

static vec3 middle_of(struct compound *compound, double *size) {
    find_boxes(compound);
    vec3 low = compound->part[0].low, high = compound->part[0].high;
    for (int32_t k = 1; k < compound->count; k++)
        for (int axis = 0; axis < 3; axis++) {
            vec3_set(&low, axis, fmin(vec3_get(low, axis), vec3_get(compound->part[k].low, axis)));
            vec3_set(&high, axis,
                     fmax(vec3_get(high, axis), vec3_get(compound->part[k].high, axis)));
        }
    *size = vec3_length(vec3_sub(high, low));
    return vec3_scale(0.5, vec3_add(low, high));
}

static void shift(struct compound *compound, vec3 by) {
    for (int32_t k = 0; k < compound->count; k++)
        compound->part[k].x = vec3_sub(compound->part[k].x, by);
    compound->centre = vec3_add(compound->centre, by);
}

static void turn(struct compound *compound, quat to_own) {
    mat3 axes = quat_matrix(to_own);
    for (int32_t k = 0; k < compound->count; k++) {
        struct compound_part *part = &compound->part[k];
        part->x = mat3_apply_transposed(axes, part->x);
        part->q = quat_normalize(quat_multiply(quat_conjugate(to_own), part->q));
    }
    compound->axes = to_own;
}

// Moves the parts from the drawing frame to the own one. Sums about the middle of the drawing, so
// that one far from its origin loses no digits.
static void move_to_own_frame(struct compound *compound) {
    double size;
    shift(compound, middle_of(compound, &size));
    find_mass(compound);
    vec3 off = mass_centre(compound);
    for (int axis = 0; axis < 3; axis++)
        if (fabs(vec3_get(off, axis)) <= CENTRE_PRECISION * size)
            vec3_set(&off, axis, 0);
    shift(compound, off);
    quat axes = solid_principal_axes(mass_inertia(compound));
    if (axes.w != 1) // principal axes are kept exactly
        turn(compound, axes);
}

static struct compound *finish(struct compound *compound, struct gabion_error *error) {
    if (derive(compound, error))
        return compound;
    compound_free(compound);
    return NULL;
}

struct compound *compound_create(const struct compound_source *part, int64_t count,
                                 struct gabion_error *error) {
    struct compound *compound = compound_allocate(count, error);
    for (int32_t k = 0; compound && k < compound->count; k++) {
        if (!check_part(&part[k], k + 1, error)) {
            compound_free(compound);
            return NULL;
        }
        compound->part[k] = place_part(&part[k]);
    }
    if (!compound)
        return NULL;
    move_to_own_frame(compound);
    return finish(compound, error);
}

// Checkpoints -----------------------------------------------------------------------------------

static bool is_turn(quat q) {
    return fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) <= 1e-9;
}

static bool check_own_frame(const struct compound *compound, struct gabion_error *error) {
    vec3 off = mass_centre(compound);
    sym3 m = mass_inertia(compound);
    double products = fmax(fmax(fabs(m.xy), fabs(m.xz)), fabs(m.yz));
    bool own = vec3_length(off) <= RESTORE_PRECISION * compound->radius &&
               products <= RESTORE_PRECISION * (m.xx + m.yy + m.zz) && is_turn(compound->axes) &&
               vec3_finite(compound->centre);
    return own || error_set(error, GABION_ERROR_INPUT,
                            "the parts are not given about the centre of mass and along the "
                            "principal axes");
}

struct compound *compound_restore(const struct compound_part *part, int64_t count, vec3 centre,
                                  quat axes, struct gabion_error *error) {
    struct compound *compound = compound_allocate(count, error);
    for (int32_t k = 0; compound && k < compound->count; k++) {
        struct compound_source same = {part[k].polyhedron, part[k].shape, part[k].x, part[k].q,
                                       part[k].density};
        if (!check_part(&same, k + 1, error) || !is_turn(part[k].q)) {
            error_set(error, GABION_ERROR_INPUT, "part %d is not turned by a unit quaternion",
                      k + 1);
            compound_free(compound);
            return NULL;
        }
        compound->part[k] = part[k];
    }
    if (!compound)
        return NULL;
    compound->centre = centre;
    compound->axes = axes;
    compound = finish(compound, error);
    if (compound && !check_own_frame(compound, error)) {
        compound_free(compound);
        return NULL;
    }
    return compound;
}

// Surface ---------------------------------------------------------------------------------------

static bool part_holds(const struct compound_part *part, vec3 point, double glue) {
    for (int axis = 0; axis < 3; axis++)
        if (vec3_get(point, axis) < vec3_get(part->low, axis) - glue ||
            vec3_get(point, axis) > vec3_get(part->high, axis) + glue)
            return false;
    vec3 own = mat3_apply_transposed(part->axes, vec3_sub(point, part->x));
    for (int32_t f = 0; f < part->shape->face_count; f++)
        if (vec3_dot(part->shape->normal[f], own) > part->shape->offset[f] + glue)
            return false;
    return true;
}

// Returns whether some corner of the part is further out than the level.
static bool part_exceeds(const struct compound_part *part, vec3 outward, double level) {
    vec3 own = mat3_apply_transposed(part->axes, outward);
    level -= vec3_dot(outward, part->x);
    for (int32_t c = 0; c < part->shape->corner_count; c++)
        if (vec3_dot(own, part->shape->corner[c]) > level)
            return true;
    return false;
}

bool compound_buries(const struct placed_compound *compound, int32_t part, vec3 point,
                     vec3 outward) {
    const struct compound *shape = compound->shape;
    const struct compound_part *touched = &shape->part[part];
    vec3 p = mat3_apply_transposed(compound->axes, vec3_sub(point, compound->x));
    vec3 n = mat3_apply_transposed(compound->axes, outward);
    double level = vec3_dot(n, p) + shape->glue;
    for (int32_t k = 0; k < touched->neighbours; k++) {
        const struct compound_part *other = &shape->part[shape->neighbour[touched->neighbour + k]];
        if (part_holds(other, p, shape->glue) && part_exceeds(other, n, level))
            return true;
    }
    return false;
}
