// Sets velocities and applies forces to bodies between steps, on behalf of a program.
#include "engine/api/entry.h"
#include "parallel/memory.h"

struct act {
    int32_t body;
    vec3 linear, angular; // velocity and spin, or force and moment
};

// Returns the index of the body, which must be free to move; -1 with an error.
static int32_t find_target(const struct call *call) {
    const struct act *act = call->arguments;
    int32_t i = entry_body(call->world, act->body, call->error);
    if (i < 0)
        return -1;
    const char *defect = NULL;
    if (!(call->world->bodies.mass[i] > 0))
        defect = "it is fixed; only drivers move fixed bodies";
    else if (!vec3_finite(act->linear) || !vec3_finite(act->angular))
        defect = "the two vectors must be finite";
    if (!defect)
        return i;
    error_set(call->error, GABION_ERROR_INPUT, "body %d: %s", act->body, defect);
    return -1;
}

// Velocities ----------------------------------------------------------------------------------

static bool moves_locked(unsigned lock, const struct act *act) {
    for (int axis = 0; axis < 3; axis++)
        if ((lock >> axis & 1 && vec3_get(act->linear, axis) != 0) ||
            (lock >> (axis + 3) & 1 && vec3_get(act->angular, axis) != 0))
            return true;
    return false;
}

static void set_velocity(struct call *call) {
    struct gabion_world *world = call->world;
    const struct act *act = call->arguments;
    int32_t i = find_target(call);
    if (i < 0)
        return;
    if (moves_locked(world->bodies.lock[i], act)) {
        error_set(call->error, GABION_ERROR_INPUT,
                  "body %d: a locked degree of freedom cannot have a velocity", act->body);
        return;
    }
    piece_gather(world); // the ledger asks what the velocity was
    ledger_set_velocity(world, i, act->linear, act->angular);
    world->rest_since = NAN;
    call->result = 0;
}

bool gabion_set_velocity(struct gabion_world *world, int32_t body, vec3 velocity, vec3 spin,
                         struct gabion_error *error) {
    struct act act = {body, velocity, spin};
    return call_run(world, set_velocity, &act, error) >= 0;
}

// Forces --------------------------------------------------------------------------------------

static void apply_force(struct call *call) {
    struct gabion_world *world = call->world;
    const struct act *act = call->arguments;
    if (find_target(call) < 0)
        return;
    if (!world->applied)
        world->applied = memory_allocate((size_t)world->bodies.id_count, sizeof *world->applied,
                                         "applied forces");
    struct applied *applied = &world->applied[act->body];
    applied->force = vec3_add(applied->force, act->linear);
    applied->moment = vec3_add(applied->moment, act->angular);
    call->result = 0;
}

bool gabion_apply_force(struct gabion_world *world, int32_t body, vec3 force, vec3 moment,
                        struct gabion_error *error) {
    struct act act = {body, force, moment};
    return call_run(world, apply_force, &act, error) >= 0;
}
