// gabion_add_body.
#include "engine/api/entry.h"
#include "parallel/memory.h"

static bool locked_motion(const struct gabion_body *body) {
    for (int axis = 0; axis < 3; axis++)
        if ((body->lock >> axis & 1 && vec3_get(body->velocity, axis) != 0) ||
            (body->lock >> (axis + 3) & 1 && vec3_get(body->spin, axis) != 0))
            return true;
    return false;
}

#define MAX_MASS 1e200 // kg, kg m2; energies of more than 2e292 J count as infinite (binned_sum.h)

static bool in_range(double mass) { return isnormal(mass) && mass <= MAX_MASS; }

// Returns whether mass, moments and energies can be computed: powers of extreme lengths leave the
// range of numbers.
static bool has_mass(const struct gabion_world *world, const struct gabion_body *body) {
    double mass;
    vec3 inertia;
    bodies_weigh(&world->bodies, body, &mass, &inertia);
    return in_range(mass) && in_range(inertia.x) && in_range(inertia.y) && in_range(inertia.z);
}

#define INERTIA_ROUNDING 1e-4 // of moments that were given with a few digits

// Returns whether some solid has these principal moments: none is larger than the sum of the other
// two, which is that of a flat plate.
static bool is_inertia(vec3 j) {
    double largest = fmax(j.x, fmax(j.y, j.z)), others = j.x + j.y + j.z - largest;
    return largest <= (1 + INERTIA_ROUNDING) * others;
}

static const char *body_defect(const struct gabion_world *world, const struct gabion_body *body) {
    if (!vec3_finite(body->position) || !vec3_finite(body->velocity) || !vec3_finite(body->spin))
        return "position, velocity and spin must be finite";
    if (!isfinite(body->insert_time))
        return "insert_time must be finite";
    if ((unsigned)body->shape >= GABION_SHAPE_COUNT)
        return "the shape does not exist";
    const char *defect = shape_kinds[body->shape].defect(&world->bodies, body);
    if (defect)
        return defect;
    if (body->material < 0 || body->material >= world->materials.count)
        return "the material does not exist";
    if (body->group < 0 || body->group >= world->groups.count)
        return "the group does not exist";
    if (!body->fixed && !(body->mass > 0) && !(body->density > 0))
        return "a moving body needs a positive mass or density";
    if (!isfinite(body->mass) || !isfinite(body->density) || !vec3_finite(body->inertia))
        return "mass, density and inertia must be finite";
    if (body->mass < 0 || body->density < 0)
        return "mass and density must not be negative";
    vec3 j = body->inertia;
    bool given = j.x != 0 || j.y != 0 || j.z != 0;
    if (given && !(j.x > 0 && j.y > 0 && j.z > 0))
        return "all three moments of inertia must be positive";
    if (given && !is_inertia(j))
        return "no solid has such moments of inertia: the largest must not exceed the sum of the "
               "other two";
    if (!body->fixed && !has_mass(world, body))
        return "it is too small or too large for mass, moments of inertia and energies to be "
               "computed; check its lengths (m), mass (kg) and density (kg/m3)";
    if (body->fixed && (vec3_length(body->velocity) > 0 || vec3_length(body->spin) > 0))
        return "a fixed body cannot have a velocity; give it a driver";
    if (body->lock >= 64)
        return "lock has bits that name no degree of freedom";
    if (locked_motion(body))
        return "a locked degree of freedom cannot have a velocity; take it out of lock, or set "
               "this "
               "component of velocity or spin to 0";
    quat q = body->orientation;
    double norm2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(norm2 > 1e-12 && isfinite(norm2)))
        return "the orientation must be a quaternion that is not zero";
    return NULL;
}

struct gabion_body gabion_default_body(void) {
    return (struct gabion_body){
        .normal = {0, 0, 1},
        .tangent = {1, 0, 0},
        .orientation = {1, 0, 0, 0},
    };
}

static void add_pending(struct gabion_world *world, int32_t id, const struct gabion_body *body) {
    world->pending = memory_resize(world->pending, (size_t)world->pending_count + 1,
                                   sizeof *world->pending, "waiting bodies");
    world->pending[world->pending_count++] = (struct pending_body){id, *body};
}

static void reject_body(const struct call *call, const char *defect) {
    const struct gabion_world *world = call->world;
    const struct gabion_body *body = call->arguments;
    bool named = body->group > 0 && body->group < world->groups.count;
    error_set(call->error, GABION_ERROR_INPUT, "body %d%s%s: %s", world->bodies.id_count,
              named ? " of group " : "", named ? world->groups.name[body->group] : "", defect);
}

static void add_body(struct call *call) {
    struct gabion_world *world = call->world;
    const struct gabion_body *body = call->arguments;
    const char *defect = body_defect(world, body);
    if (world->step > 0)
        defect = "bodies are defined before the first step; use insert_time";
    if (defect) {
        reject_body(call, defect);
        return;
    }
    int32_t id = bodies_new_id(&world->bodies);
    world->laws.complete = false;
    if (world->applied) { // by id
        world->applied =
            memory_resize(world->applied, (size_t)id + 1, sizeof *world->applied, "applied forces");
        world->applied[id] = (struct applied){0};
    }
    if (body->insert_time > 0)
        add_pending(world, id, body);
    else
        bodies_append(&world->bodies, id, body);
    call->result = id;
}

int32_t gabion_add_body(struct gabion_world *world, const struct gabion_body *body,
                        struct gabion_error *error) {
    if (!body) {
        entry_missing("the body", error);
        return -1;
    }
    return (int32_t)call_run(world, add_body, body, error);
}

static void reserve_bodies(struct call *call) {
    struct bodies *bodies = &call->world->bodies;
    size_t count = *(const size_t *)call->arguments, room = (size_t)(INT32_MAX - bodies->count);
    if (count > room) {
        error_set(call->error, GABION_ERROR_INPUT, "a world has at most %d bodies", INT32_MAX);
        return;
    }
    bodies_reserve(bodies, (size_t)bodies->count + count);
    call->result = 0;
}

bool gabion_reserve_bodies(struct gabion_world *world, size_t count, struct gabion_error *error) {
    return call_run(world, reserve_bodies, &count, error) >= 0;
}
