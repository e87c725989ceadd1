#include "cases/grain.h"

#include "cases/size.h"
#include "engine/api/define.h"
#include "engine/world/footprint.h"
#include "geometry/clump.h"
#include "geometry/compound.h"
#include "geometry/mass.h"
#include "geometry/polyhedron.h"
#include "parallel/memory.h"

#define PI 3.14159265358979323846

// Points of an ellipsoid drawn again and again make some hull in the end; few points may be nearly
// in one plane.
#define HULL_DRAWS    1000
#define HULL_THINNEST 0.2 // thickness of a hull, as a share of the smallest semi-axis

// Shapes --------------------------------------------------------------------------------------

static double smallest_offset(const struct polyhedron *shape) {
    double least = INFINITY;
    for (int32_t f = 0; f < shape->face_count; f++)
        least = fmin(least, shape->offset[f]);
    return least;
}

static void measure_polyhedron(struct grain *grain, const struct polyhedron *shape, double scale) {
    grain->radius = scale * shape->radius;
    grain->volume = scale * scale * scale * shape->volume;
    grain->core = scale * smallest_offset(shape);
}

static struct polyhedron *scale_polyhedron(const struct polyhedron *shape, double scale,
                                           struct gabion_error *error) {
    vec3 *corner = memory_allocate((size_t)shape->corner_count, sizeof *corner, "corners");
    for (int32_t k = 0; k < shape->corner_count; k++)
        corner[k] = vec3_scale(scale, shape->corner[k]);
    struct polyhedron *scaled =
        polyhedron_restore(corner, shape->corner_count, shape->face_start, shape->face_corner,
                           shape->face_count, vec3_scale(scale, shape->centre), shape->axes, error);
    memory_free(corner);
    return scaled;
}

// The drawing frame of a hull is the own one of its compound, whose centre of mass is inside of it.
static void measure_compound(struct grain *grain, const struct compound *shape, double scale) {
    const struct polyhedron *hull = shape->hull;
    vec3 centre = mat3_apply_transposed(shape->hull_axes, hull->centre);
    double least = INFINITY;
    for (int32_t f = 0; f < hull->face_count; f++)
        least = fmin(least, hull->offset[f] + vec3_dot(hull->normal[f], centre));
    grain->radius = scale * shape->radius;
    grain->volume = scale * scale * scale * shape->volume;
    grain->density = shape->mass / shape->volume;
    grain->core = scale * fmax(least, 0);
}

static struct clump *scale_clump(const struct clump *shape, double scale,
                                 struct gabion_error *error) {
    size_t count = (size_t)shape->count;
    double cube = scale * scale * scale;
    vec3 *sphere = memory_allocate(count, sizeof *sphere, "clump");
    double *radius = memory_allocate(count, sizeof *radius, "clump");
    for (size_t k = 0; k < count; k++) {
        sphere[k] = vec3_scale(scale, shape->sphere[k]);
        radius[k] = scale * shape->sphere_radius[k];
    }
    struct clump *scaled = clump_restore(sphere, radius, shape->count, cube * shape->volume,
                                         vec3_scale(cube * scale * scale, shape->inertia),
                                         vec3_scale(scale, shape->centre), shape->axes, error);
    memory_free(sphere);
    memory_free(radius);
    return scaled;
}

static bool draw_shape(const struct gabion_world *world, struct grain *grain,
                       struct gabion_error *error) {
    const struct gabion_body *body = &grain->kind->template;
    double scale = grain->size;
    if (body->shape == GABION_CLUMP) {
        const struct clump *shape = world->bodies.clumps[body->clump];
        grain->radius = scale * shape->radius;
        grain->volume = scale * scale * scale * shape->volume;
        grain->shape = body->clump;
        if (scale != 1)
            grain->clump = scale_clump(shape, scale, error);
        return scale == 1 || grain->clump;
    }
    if (body->shape == GABION_COMPOUND) {
        measure_compound(grain, world->bodies.compounds[body->compound], scale);
        grain->shape = body->compound;
        return true; // its parts are scaled when they get into the world
    }
    const struct polyhedron *shape = world->bodies.polyhedra[body->polyhedron];
    measure_polyhedron(grain, shape, scale);
    grain->shape = body->polyhedron;
    if (scale != 1)
        grain->polyhedron = scale_polyhedron(shape, scale, error);
    return scale == 1 || grain->polyhedron;
}

// Draws a point of the unit sphere, without sines: the same bits on every machine.
static vec3 draw_direction(struct random_stream *stream) {
    for (;;) {
        vec3 p = {random_between(stream, -1, 1), random_between(stream, -1, 1),
                  random_between(stream, -1, 1)};
        double square = vec3_dot(p, p);
        if (square > 0.01 && square < 1)
            return vec3_scale(1 / sqrt(square), p);
    }
}

static struct polyhedron *draw_points(const struct grain_kind *kind, vec3 axes, vec3 *point,
                                      struct random_stream *stream) {
    struct gabion_error flat = {0};
    for (int k = 0; k < kind->points; k++)
        point[k] = vec3_times(axes, draw_direction(stream));
    struct polyhedron *hull = polyhedron_hull(point, kind->points, &flat);
    if (!hull || hull->thickness >= HULL_THINNEST * fmin(axes.x, fmin(axes.y, axes.z)))
        return hull;
    polyhedron_free(hull);
    return NULL;
}

static bool draw_hull(struct grain *grain, struct random_stream *stream,
                      struct gabion_error *error) {
    const struct grain_kind *kind = grain->kind;
    vec3 axes = vec3_scale(grain->size, kind->aspect);
    vec3 *point = memory_allocate((size_t)kind->points, sizeof *point, "points of a hull");
    for (int k = 0; k < HULL_DRAWS && !grain->polyhedron; k++)
        grain->polyhedron = draw_points(kind, axes, point, stream);
    memory_free(point);
    if (!grain->polyhedron)
        return error_set(error, GABION_ERROR_INPUT,
                         "random_hull: %d points of an ellipsoid with semi-axes of %g, %g and %g m "
                         "gave no solid hull in %d draws; take more points or lengths that differ "
                         "less",
                         kind->points, axes.x, axes.y, axes.z, HULL_DRAWS);
    measure_polyhedron(grain, grain->polyhedron, 1);
    return true;
}

// Grains --------------------------------------------------------------------------------------

bool grain_draw(const struct gabion_world *world, const struct grain_kind *kind,
                struct random_stream *stream, struct grain *grain, struct gabion_error *error) {
    *grain = (struct grain){.kind = kind, .shape = -1, .density = 1};
    grain->orientation = kind->template.orientation;
    if (!size_draw(&kind->size, stream, &grain->size, error))
        return false;
    if (kind->form == GRAIN_SHAPE)
        return draw_shape(world, grain, error);
    if (kind->form == GRAIN_HULL)
        return draw_hull(grain, stream, error);
    grain->radius = grain->core = grain->size;
    grain->volume = kind->form == GRAIN_BALL ? sphere_mass(grain->size, 1)
                                             : PI * grain->size * grain->size * kind->thickness;
    return true;
}

void grain_free(struct grain *grain) {
    polyhedron_free(grain->polyhedron);
    clump_free(grain->clump);
    grain->polyhedron = NULL;
    grain->clump = NULL;
}

void grains_free(struct grain *grains, int64_t count) {
    for (int64_t i = 0; grains && i < count; i++)
        grain_free(&grains[i]);
    memory_free(grains);
}

void grain_weigh_disk(struct gabion_body *body, double thickness) {
    double r = body->radius;
    if (!(body->mass > 0))
        body->mass = body->density * PI * r * r * thickness;
    double moment = 0.5 * body->mass * r * r;
    if (!(body->inertia.x > 0))
        body->inertia = vec3_make(moment, moment, moment);
}

// Adds a compound like that of the template with all lengths scaled, and its parts.
static int add_scaled_compound(struct gabion_world *world, int number, double scale,
                               struct gabion_error *error) {
    const struct compound *shape = world->bodies.compounds[number];
    struct compound_part *part =
        memory_allocate((size_t)shape->count, sizeof *part, "parts of a compound");
    bool good = true;
    for (int32_t k = 0; good && k < shape->count; k++) {
        struct polyhedron *scaled = scale_polyhedron(shape->part[k].shape, scale, error);
        part[k] = shape->part[k];
        part[k].x = vec3_scale(scale, part[k].x);
        part[k].shape = scaled;
        part[k].polyhedron = scaled ? world_add_polyhedron(world, scaled, error) : -1;
        good = part[k].polyhedron >= 0;
    }
    struct compound *scaled =
        good ? compound_restore(part, shape->count, vec3_scale(scale, shape->centre), shape->axes,
                                error)
             : NULL;
    memory_free(part);
    return scaled ? world_add_compound(world, scaled, error) : -1;
}

static bool add_shape(struct gabion_world *world, struct grain *grain, struct gabion_error *error) {
    if (grain->kind->template.shape == GABION_COMPOUND && grain->size != 1 && !grain->own) {
        grain->shape = add_scaled_compound(world, grain->shape, grain->size, error);
        grain->own = true;
    }
    if (grain->polyhedron)
        grain->shape = world_add_polyhedron(world, grain->polyhedron, error);
    if (grain->clump)
        grain->shape = world_add_clump(world, grain->clump, error);
    grain->own |= grain->polyhedron || grain->clump;
    grain->polyhedron = NULL; // the world has it now
    grain->clump = NULL;
    return grain->shape >= 0;
}

bool grain_body(struct gabion_world *world, struct grain *grain, struct gabion_body *body,
                struct gabion_error *error) {
    *body = grain->kind->template;
    body->orientation = grain->orientation;
    if (grain_is_ball(grain)) {
        body->shape = GABION_SPHERE;
        body->radius = grain->radius;
        if (grain->kind->form == GRAIN_DISK)
            grain_weigh_disk(body, grain->kind->thickness);
        return true;
    }
    if (grain->kind->form == GRAIN_HULL)
        body->shape = GABION_POLYHEDRON;
    if (!add_shape(world, grain, error))
        return false;
    if (body->shape == GABION_CLUMP)
        body->clump = grain->shape;
    else if (body->shape == GABION_COMPOUND)
        body->compound = grain->shape;
    else
        body->polyhedron = grain->shape;
    return true;
}

vec3 grain_centre(const struct gabion_world *world, const struct gabion_body *body) {
    struct gabion_body unturned = *body;
    vec3 centre;
    quat axes;
    double radius;
    unturned.position = vec3_zero();
    unturned.orientation = (quat){1, 0, 0, 0};
    bodies_place(&world->bodies, &unturned, &centre, &axes, &radius);
    return centre;
}

void grain_withdraw(struct gabion_world *world, const struct grain *grain) {
    enum gabion_shape shape = grain->kind->template.shape;
    if (!grain->own)
        return;
    int32_t parts = shape == GABION_COMPOUND ? world->bodies.compounds[grain->shape]->count : 0;
    world_drop_shape(world, shape);
    for (int32_t k = 0; k < parts; k++)
        world_drop_shape(world, GABION_POLYHEDRON);
}

// Mixtures ------------------------------------------------------------------------------------

static bool check_kind(const struct grain_kind *kind, struct gabion_error *error) {
    if (!size_check(&kind->size, error))
        return false;
    if (kind->form == GRAIN_HULL && (kind->points < 4 || kind->points > POLYHEDRON_CORNERS_MAX))
        return error_set(error, GABION_ERROR_INPUT, "random_hull: %d points; 4 or more are needed",
                         kind->points);
    if (kind->form == GRAIN_HULL &&
        !(kind->aspect.x > 0 && kind->aspect.y > 0 && kind->aspect.z > 0))
        return error_set(error, GABION_ERROR_INPUT, "random_hull: the aspect must be positive");
    return true;
}

bool mixture_check(const struct grain_mixture *mixture, struct gabion_error *error) {
    if (mixture->kinds < 1)
        return error_set(error, GABION_ERROR_INPUT, "a mixture of no bodies; one kind is needed");
    for (size_t k = 0; k < mixture->kinds; k++) {
        if (!check_kind(&mixture->kind[k], error))
            return mixture->kinds > 1 ? error_context(error, "kind %zu of the mixture", k + 1)
                                      : false;
        if (mixture->kinds > 1 && !(mixture->kind[k].share > 0 && isfinite(mixture->kind[k].share)))
            return error_set(error, GABION_ERROR_INPUT,
                             "the share of kind %zu of the mixture is %g; it must be positive",
                             k + 1, mixture->kind[k].share);
    }
    return true;
}

bool mixture_fits_memory(const struct gabion_world *world, const struct grain_mixture *mixture,
                         int64_t count, struct gabion_error *error) {
    enum gabion_shape shape = mixture->kind[0].template.shape;
    for (size_t k = 0; k < mixture->kinds; k++)
        if (shape_kinds[mixture->kind[k].template.shape].block)
            shape = mixture->kind[k].template.shape; // of all shapes blocks take most
    return footprint_check(world, (double)count, shape, error);
}

// Returns the kind that is furthest behind its share. The first ones take turns.
static size_t kind_behind(const struct grain_mixture *mixture, const double *amount) {
    size_t least = 0;
    for (size_t k = 1; k < mixture->kinds; k++)
        if (amount[k] / mixture->kind[k].share < amount[least] / mixture->kind[least].share)
            least = k;
    return least;
}

static double amount_of(const struct grain *grain, enum share_by by) {
    double density = grain->kind->template.density * grain->density;
    return by == SHARE_NUMBER ? 1 : by == SHARE_VOLUME ? grain->volume : density * grain->volume;
}

// Puts the grains into a random order. Kinds that take turns would make patterns on a lattice.
static void shuffle(struct grain *grains, int64_t count, struct random_stream *stream) {
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t j = (int64_t)(random_unit(stream) * (double)(i + 1));
        struct grain grain = grains[i];
        grains[i] = grains[j];
        grains[j] = grain;
    }
}

struct grain *mixture_draw(const struct gabion_world *world, const struct grain_mixture *mixture,
                           int64_t count, struct random_stream *stream,
                           struct gabion_error *error) {
    struct grain *grains = memory_allocate((size_t)count, sizeof *grains, "bodies to be placed");
    double *amount = memory_allocate(mixture->kinds, sizeof *amount, "kinds of bodies");
    bool good = true;
    for (int64_t i = 0; good && i < count; i++) {
        size_t k = mixture->kinds > 1 ? kind_behind(mixture, amount) : 0;
        good = grain_draw(world, &mixture->kind[k], stream, &grains[i], error);
        if (good)
            amount[k] += amount_of(&grains[i], mixture->by);
    }
    memory_free(amount);
    if (!good) {
        grains_free(grains, count);
        return NULL;
    }
    if (mixture->kinds > 1)
        shuffle(grains, count, stream);
    for (int64_t i = 0; i < count; i++)
        grains[i].order = i;
    return grains;
}
