#include "engine/world/shapes.h"

#include "engine/world/bodies.h"
#include "geometry/mass.h"
#include "parallel/memory.h"

static bool is_unit(vec3 a) { return fabs(vec3_length(a) - 1) < 1e-9; }

static const char *radius_defect(const struct bodies *bodies, const struct gabion_body *body) {
    (void)bodies;
    return body->radius > 0 && isfinite(body->radius) ? NULL : "the radius must be positive";
}

// Places a body that was given in a drawing frame: its own frame has this centre and these axes
// there.
static void place_own_frame(vec3 *x, quat *q, vec3 centre, quat axes) {
    *x = vec3_add(*x, mat3_apply(quat_matrix(*q), centre));
    *q = quat_multiply(*q, axes);
}

// The axes of a wall are those of the world until a driver turns it.
static void place_wall(const struct bodies *bodies, const struct gabion_body *body, vec3 *x,
                       quat *q, double *radius) {
    (void)bodies;
    (void)body;
    (void)x;
    *q = (quat){1, 0, 0, 0};
    *radius = 0;
}

// Spheres -------------------------------------------------------------------------------------

static void place_sphere(const struct bodies *bodies, const struct gabion_body *body, vec3 *x,
                         quat *q, double *radius) {
    (void)bodies;
    (void)x;
    (void)q;
    *radius = body->radius;
}

static void weigh_sphere(const struct bodies *bodies, const struct gabion_body *body,
                         double *volume, vec3 *moment) {
    (void)bodies;
    *volume = sphere_mass(body->radius, 1);
    *moment = sphere_inertia(body->radius, 1);
}

static struct shape_balls sphere_balls(const struct bodies *bodies, int32_t i) {
    return (struct shape_balls){.count = 1, .radius = bodies->radius[i]};
}

// Half-spaces ---------------------------------------------------------------------------------

static const char *half_space_defect(const struct bodies *bodies, const struct gabion_body *body) {
    (void)bodies;
    if (!is_unit(body->normal))
        return "the normal of a half-space must have length 1";
    if (!vec3_finite(body->tangent))
        return "the tangent of a half-space must be finite";
    for (int k = 0; k < 2; k++)
        if (!(body->extent[k] >= 0 && isfinite(body->extent[k])))
            return "the extent of a half-space must be finite and not negative";
    return body->fixed ? NULL : "a half-space is infinite and must be fixed";
}

static size_t half_space_count(const struct bodies *bodies) { return bodies->half_space_count; }

static int32_t add_half_space(struct bodies *bodies, const struct gabion_body *body) {
    bodies->half_spaces =
        memory_reserve(bodies->half_spaces, &bodies->half_space_capacity,
                       bodies->half_space_count + 1, sizeof *bodies->half_spaces, "half-spaces");
    bodies->half_spaces[bodies->half_space_count] = (struct half_space){
        .normal = body->normal,
        .tangent = body->tangent,
        .extent = {body->extent[0], body->extent[1]},
    };
    return (int32_t)bodies->half_space_count++;
}

// Polyhedra -----------------------------------------------------------------------------------

static int32_t shared_polyhedron(const struct gabion_body *body) { return body->polyhedron; }

static size_t polyhedron_count(const struct bodies *bodies) { return bodies->polyhedron_count; }

static const char *polyhedron_defect(const struct bodies *bodies, const struct gabion_body *body) {
    bool exists = body->polyhedron >= 0 && (size_t)body->polyhedron < bodies->polyhedron_count;
    return exists ? NULL : "the polyhedron does not exist";
}

static void place_polyhedron(const struct bodies *bodies, const struct gabion_body *body, vec3 *x,
                             quat *q, double *radius) {
    const struct polyhedron *shape = bodies->polyhedra[body->polyhedron];
    *radius = shape->radius;
    place_own_frame(x, q, shape->centre, shape->axes);
}

static void weigh_polyhedron(const struct bodies *bodies, const struct gabion_body *body,
                             double *volume, vec3 *moment) {
    const struct polyhedron *shape = bodies->polyhedra[body->polyhedron];
    *volume = shape->volume;
    *moment = vec3_scale(1 / shape->volume, shape->inertia);
}

static double polyhedron_size(const struct bodies *bodies, int32_t i) {
    return 0.5 * bodies_polyhedron(bodies, i)->thickness;
}

static struct shape_balls polyhedron_balls(const struct bodies *bodies, int32_t i) {
    const struct polyhedron *shape = bodies_polyhedron(bodies, i);
    return (struct shape_balls){.count = shape->corner_count, .centre = shape->corner};
}

// Clumps --------------------------------------------------------------------------------------

static int32_t shared_clump(const struct gabion_body *body) { return body->clump; }

static size_t clump_count(const struct bodies *bodies) { return bodies->clump_count; }

static const char *clump_defect(const struct bodies *bodies, const struct gabion_body *body) {
    bool exists = body->clump >= 0 && (size_t)body->clump < bodies->clump_count;
    return exists ? NULL : "the clump does not exist";
}

static void place_clump(const struct bodies *bodies, const struct gabion_body *body, vec3 *x,
                        quat *q, double *radius) {
    const struct clump *shape = bodies->clumps[body->clump];
    *radius = shape->radius;
    place_own_frame(x, q, shape->centre, shape->axes);
}

static void weigh_clump(const struct bodies *bodies, const struct gabion_body *body, double *volume,
                        vec3 *moment) {
    const struct clump *shape = bodies->clumps[body->clump];
    *volume = shape->volume;
    *moment = vec3_scale(1 / shape->volume, shape->inertia);
}

static double clump_size(const struct bodies *bodies, int32_t i) {
    return bodies_clump(bodies, i)->smallest;
}

static struct shape_balls clump_balls(const struct bodies *bodies, int32_t i) {
    const struct clump *shape = bodies_clump(bodies, i);
    return (struct shape_balls){shape->count, shape->sphere, shape->sphere_radius, 0};
}

// Compounds -----------------------------------------------------------------------------------

static int32_t shared_compound(const struct gabion_body *body) { return body->compound; }

static size_t compound_count(const struct bodies *bodies) { return bodies->compound_count; }

static const char *compound_defect(const struct bodies *bodies, const struct gabion_body *body) {
    bool exists = body->compound >= 0 && (size_t)body->compound < bodies->compound_count;
    return exists ? NULL : "the compound does not exist";
}

static void place_compound(const struct bodies *bodies, const struct gabion_body *body, vec3 *x,
                           quat *q, double *radius) {
    const struct compound *shape = bodies->compounds[body->compound];
    *radius = shape->radius;
    place_own_frame(x, q, shape->centre, shape->axes);
}

static void weigh_compound(const struct bodies *bodies, const struct gabion_body *body,
                           double *volume, vec3 *moment) {
    const struct compound *shape = bodies->compounds[body->compound];
    *volume = shape->mass;
    *moment = vec3_scale(1 / shape->mass, shape->inertia);
}

static double compound_size(const struct bodies *bodies, int32_t i) {
    return 0.5 * bodies_compound(bodies, i)->thickness;
}

static struct shape_balls compound_balls(const struct bodies *bodies, int32_t i) {
    const struct compound *shape = bodies_compound(bodies, i);
    return (struct shape_balls){.count = shape->hull->corner_count, .centre = shape->hull_corner};
}

// Hollow spheres and drums --------------------------------------------------------------------

static const char *hollow_sphere_defect(const struct bodies *bodies,
                                        const struct gabion_body *body) {
    if (!body->fixed)
        return "a hollow sphere or drum must be fixed; give it a driver";
    return radius_defect(bodies, body);
}

static const char *drum_defect(const struct bodies *bodies, const struct gabion_body *body) {
    const char *defect = hollow_sphere_defect(bodies, body);
    if (defect)
        return defect;
    if (!is_unit(body->normal))
        return "the axis of a drum must have length 1";
    bool good = body->length > 0 && isfinite(body->length);
    return good ? NULL : "the length of a drum must be positive";
}

static size_t hollow_count(const struct bodies *bodies) { return bodies->hollow_count; }

static int32_t add_hollow(struct bodies *bodies, struct hollow hollow) {
    bodies->hollows =
        memory_reserve(bodies->hollows, &bodies->hollow_capacity, bodies->hollow_count + 1,
                       sizeof *bodies->hollows, "containers");
    bodies->hollows[bodies->hollow_count] = hollow;
    return (int32_t)bodies->hollow_count++;
}

static int32_t add_hollow_sphere(struct bodies *bodies, const struct gabion_body *body) {
    return add_hollow(bodies, (struct hollow){.radius = body->radius});
}

static int32_t add_drum(struct bodies *bodies, const struct gabion_body *body) {
    return add_hollow(bodies,
                      (struct hollow){body->normal, body->radius, 0.5 * body->length, body->ends});
}

static bool is_hollow_sphere(const struct bodies *bodies, int32_t index) {
    return !hollow_is_drum(&bodies->hollows[index]);
}

static bool is_drum(const struct bodies *bodies, int32_t index) {
    return hollow_is_drum(&bodies->hollows[index]);
}

static double hollow_room(const struct bodies *bodies, int32_t i) {
    const struct hollow *hollow = bodies_hollow(bodies, i);
    return hollow->ends ? fmin(hollow->radius, hollow->half_length) : hollow->radius;
}

// The table -----------------------------------------------------------------------------------

const struct shape_kind shape_kinds[GABION_SHAPE_COUNT] = {
    [GABION_SPHERE] =
        {
            .name = "sphere",
            .ball = true,
            .defect = radius_defect,
            .place = place_sphere,
            .weigh = weigh_sphere,
            .balls = sphere_balls,
        },
    [GABION_HALF_SPACE] =
        {
            .name = "half-space",
            .wall = true,
            .defect = half_space_defect,
            .place = place_wall,
            .count = half_space_count,
            .add = add_half_space,
        },
    [GABION_POLYHEDRON] =
        {
            .name = "polyhedron",
            .block = true,
            .spin_reach = true,
            .axes = true,
            .defect = polyhedron_defect,
            .place = place_polyhedron,
            .weigh = weigh_polyhedron,
            .count = polyhedron_count,
            .shared = shared_polyhedron,
            .size = polyhedron_size,
            .balls = polyhedron_balls,
        },
    [GABION_CLUMP] =
        {
            .name = "clump",
            .spin_reach = true,
            .axes = true,
            .defect = clump_defect,
            .place = place_clump,
            .weigh = weigh_clump,
            .count = clump_count,
            .shared = shared_clump,
            .size = clump_size,
            .balls = clump_balls,
        },
    [GABION_COMPOUND] =
        {
            .name = "compound",
            .block = true,
            .spin_reach = true,
            .axes = true,
            .defect = compound_defect,
            .place = place_compound,
            .weigh = weigh_compound,
            .count = compound_count,
            .shared = shared_compound,
            .size = compound_size,
            .balls = compound_balls,
        },
    // Hollows do not turn by themselves, but their contacts are of the kind that knows about axes.
    [GABION_HOLLOW_SPHERE] =
        {
            .name = "hollow sphere",
            .wall = true,
            .axes = true,
            .defect = hollow_sphere_defect,
            .place = place_wall,
            .count = hollow_count,
            .add = add_hollow_sphere,
            .fits = is_hollow_sphere,
            .room = hollow_room,
        },
    [GABION_DRUM] =
        {
            .name = "drum",
            .wall = true,
            .axes = true,
            .defect = drum_defect,
            .place = place_wall,
            .count = hollow_count,
            .add = add_drum,
            .fits = is_drum,
            .room = hollow_room,
        },
};
