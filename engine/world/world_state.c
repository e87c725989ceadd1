#include "engine/world/world_state.h"

#include <limits.h>

#include "parallel/memory.h"

_Static_assert(sizeof(bool) == 1 && sizeof(enum gabion_shape) == 4 && sizeof(int) == 4,
               "stored as they lie in memory");

// A member added to one of these needs a line below, and another version of the checkpoint format.
_Static_assert(sizeof(struct ledger) == 120 && sizeof(struct joint) == 368 &&
                   sizeof(struct half_space) == 64 && sizeof(struct hollow) == 48 &&
                   sizeof(struct driven_body) == 64 && sizeof(struct solver_memory) == 48 &&
                   sizeof(struct pending_body) == 280,
               "tables of the state");

static void *world_of(const struct state *state) { return state->world; }

static void *bodies_of(const struct state *state) { return &state->world->bodies; }

// Single numbers ------------------------------------------------------------------------------

#define NUMBER(member) STATE_NUMBER(struct gabion_world, member)

static const struct state_field step_fields[] = {
    {"step", NULL, STATE_INT64, 1, VALUE_ANY, NUMBER(step)},
};
const struct state_part state_step = {
    .group = "/",
    STATE_FIELDS(step_fields),
    .hash = STATE_HASH_ROWS,
    .owner = world_of,
};

// Zero until the length of the step changes.
static bool has_pace(const struct state *state) {
    const struct pace none = {0};
    return memcmp(&state->world->pace, &none, sizeof none) != 0;
}

static const struct state_field pace_fields[] = {
    {"pace_step", NULL, STATE_INT64, 1, VALUE_ANY, NUMBER(pace.step), STATE_LATER},
    {"pace_time", NULL, STATE_REAL, VALUE_ANY, NUMBER(pace.time), STATE_LATER},
    {"pace_before", NULL, STATE_REAL, VALUE_ANY, NUMBER(pace.before), STATE_LATER},
};
const struct state_part state_pace = {
    .group = "/",
    STATE_FIELDS(pace_fields),
    .hash = STATE_HASH_ROWS,
    .owner = world_of,
    .hashed = has_pace,
};

// The number of bodies is that of their rows.
static const struct state_field body_count_fields[] = {
    {"count", NULL, STATE_INTEGER, VALUE_ANY, NUMBER(bodies.count), STATE_UNSTORED},
    {"moving", NULL, STATE_INTEGER, VALUE_ANY, NUMBER(bodies.moving), STATE_JOINED},
    {"id_count", NULL, STATE_INTEGER, VALUE_ANY, NUMBER(bodies.id_count), STATE_JOINED},
};
const struct state_part state_body_counts = {
    .group = "bodies",
    STATE_FIELDS(body_count_fields),
    .hash = STATE_HASH_ROWS,
    .owner = world_of,
};

#define LEDGER(name, member)                                                                       \
    { name, NULL, STATE_REAL, VALUE_ANY, NUMBER(ledger.member), STATE_JOINED }

static const struct state_field ledger_fields[] = {
    LEDGER("kinetic_energy", kinetic),          LEDGER("potential_energy", potential),
    LEDGER("contact_work", contact_work),       LEDGER("driver_work", driver_work),
    LEDGER("applied_work", applied_work),       LEDGER("theta_work", theta_work),
    LEDGER("projection_work", projection_work), LEDGER("removed_energy", removed_energy),
    LEDGER("energy_error", energy_error),       LEDGER("turnover", turnover),
};
const struct state_part state_ledger = {
    .group = "ledger",
    STATE_FIELDS(ledger_fields),
    .hash = STATE_HASH_ROWS,
    .owner = world_of,
};

static bool has_joints(const struct state *state) { return state->world->joints.count > 0; }

static const struct state_field joint_work_fields[] = {LEDGER("joint_work", joint_work)};
const struct state_part state_joint_work = {
    .group = "ledger",
    STATE_FIELDS(joint_work_fields),
    .hash = STATE_HASH_ROWS,
    .owner = world_of,
    .hashed = has_joints,
};

// Not state: no step depends on it.
static const struct state_field gain_fields[] = {LEDGER("contact_gain", contact_gain),
                                                 LEDGER("impact_gain", impact_gain),
                                                 LEDGER("gain_scale", gain_scale)};
const struct state_part state_gain = {
    .group = "ledger",
    STATE_FIELDS(gain_fields),
    .owner = world_of,
};

static const struct state_field rest_fields[] = {
    {"rest_since", NULL, STATE_REAL, VALUE_ANY, NUMBER(rest_since)},
};
const struct state_part state_rest = {
    .group = "/",
    STATE_FIELDS(rest_fields),
    .hash = STATE_HASH_ROWS,
    .owner = world_of,
};

static bool remembers(const struct state *state) {
    const struct solver_memory none = {0};
    return memcmp(&state->world->memory, &none, sizeof none) != 0;
}

#define MEMORY(member, type)                                                                       \
    { #member, NULL, type, 1, VALUE_ANY, NUMBER(memory.member), STATE_JOINED }

static const struct state_field memory_fields[] = {
    // The first field sets the type in which all are hashed.
    MEMORY(factorisation, STATE_FLOAT64), MEMORY(sweeps, STATE_FLOAT64),
    MEMORY(factors, STATE_FLOAT64),       MEMORY(credit, STATE_FLOAT64),
    MEMORY(method, STATE_INT32),          MEMORY(wait, STATE_INT32),
    MEMORY(pause, STATE_INT32),           MEMORY(rows, STATE_INT32),
};
const struct state_part state_memory = {
    .group = "solver_memory",
    STATE_FIELDS(memory_fields),
    .hash = STATE_HASH_ROWS,
    .owner = world_of,
    .hashed = remembers,
};

// The rest is not state, but the summary of a resumed run is that of the whole run.

#define RUN(member)                                                                                \
    { #member, NULL, STATE_INT64, 1, VALUE_ANY, NUMBER(run.member) }
#define REPORT(member, type)                                                                       \
    { #member, NULL, type, 1, VALUE_ANY, NUMBER(report.member) }

#define SPENT(name, id)                                                                            \
    {                                                                                              \
        "spent_" name, NULL, STATE_INT64, 1, VALUE_ANY, NUMBER(run.spent[GABION_METHOD_##id]),     \
            STATE_LATER                                                                            \
    }

_Static_assert(GABION_METHOD_COUNT == 12, "a method needs a line below");

static const struct state_field run_fields[] = {
    RUN(steps),          RUN(unconverged_steps),      RUN(fallback_steps), RUN(local_fallbacks),
    RUN(sweeps),         RUN(contact_sweeps),         SPENT("nsgs", NSGS), SPENT("psor", PSOR),
    SPENT("cpg", CPG),   SPENT("lemke", LEMKE),       SPENT("qp", QP),     SPENT("newton", NEWTON),
    SPENT("bicg", BICG), SPENT("anderson", ANDERSON), SPENT("ipm", IPM),   SPENT("prox", PROX),
    SPENT("admm", ADMM), SPENT("auto", AUTO),
};
const struct state_part state_run = {.group = "run", STATE_FIELDS(run_fields), .owner = world_of};

static const struct state_field last_step_fields[] = {
    REPORT(bodies, STATE_INT32),         REPORT(candidates, STATE_INT64),
    REPORT(contacts, STATE_INT64),       REPORT(sweeps, STATE_INT32),
    REPORT(colours, STATE_INT32),        REPORT(converged, STATE_UINT8),
    REPORT(residual, STATE_FLOAT64),     REPORT(residual_fclib, STATE_FLOAT64),
    REPORT(max_overlap, STATE_FLOAT64),  REPORT(max_overlap_relative, STATE_FLOAT64),
    REPORT(mean_overlap, STATE_FLOAT64), REPORT(joint_error, STATE_FLOAT64),
    REPORT(max_speed, STATE_FLOAT64),
};
const struct state_part state_last_step = {
    .group = "last_step",
    STATE_FIELDS(last_step_fields),
    .owner = world_of,
};

// Bodies --------------------------------------------------------------------------------------

static size_t body_rows(const struct state *state) { return (size_t)state->world->bodies.count; }

static void reserve_bodies(struct state *state, size_t rows) {
    struct bodies *bodies = &state->world->bodies;
    bodies_free(bodies);
    bodies_reserve(bodies, rows);
    bodies->count = (int32_t)rows;
}

const struct state_part state_bodies = {
    .group = "bodies",
    .field = body_fields,
    .fields = BODY_FIELDS,
    .hash = STATE_HASH_FIELDS,
    .most = INT32_MAX,
    .owner = bodies_of,
    .rows = body_rows,
    .reserve = reserve_bodies,
};

static size_t start_rows(const struct state *state) { return state->world->bodies.start_count; }

static void reserve_starts(struct state *state, size_t rows) {
    struct bodies *bodies = &state->world->bodies;
    bodies->start_count = rows;
    bodies->start_of = memory_reserve(bodies->start_of, &bodies->start_capacity, rows,
                                      sizeof *bodies->start_of, "first positions");
}

// A row for every id up to the last one that entered.
static const struct state_field start_fields[] = {
    {"start/position", "m", STATE_VECTOR, VALUE_FINITE, STATE_ARRAY(struct bodies, start_of)},
};
const struct state_part state_body_starts = {
    .group = "start",
    STATE_FIELDS(start_fields),
    .hash = STATE_HASH_FIELDS,
    .most = INT32_MAX,
    .owner = bodies_of,
    .rows = start_rows,
    .reserve = reserve_starts,
};

// Walls ---------------------------------------------------------------------------------------

#define HALF_SPACE(member) STATE_ELEMENT(struct bodies, half_spaces, struct half_space, member)
#define HOLLOW(member)     STATE_ELEMENT(struct bodies, hollows, struct hollow, member)

static size_t half_space_rows(const struct state *state) {
    return state->world->bodies.half_space_count;
}

static void reserve_half_spaces(struct state *state, size_t rows) {
    struct bodies *bodies = &state->world->bodies;
    bodies->half_space_count = rows;
    bodies->half_spaces = memory_reserve(bodies->half_spaces, &bodies->half_space_capacity, rows,
                                         sizeof *bodies->half_spaces, "half-spaces");
}

static const struct state_field half_space_fields[] = {
    {"half_spaces/normal", "1", STATE_VECTOR, VALUE_FINITE, HALF_SPACE(normal)},
    {"half_spaces/tangent", "1", STATE_VECTOR, VALUE_FINITE, HALF_SPACE(tangent)},
    {"half_spaces/extent", "m", STATE_FLOAT64, 2, VALUE_NOT_NEGATIVE, HALF_SPACE(extent)},
};
const struct state_part state_half_spaces = {
    .group = "half_spaces",
    STATE_FIELDS(half_space_fields),
    .hash = STATE_HASH_TABLE,
    .most = INT32_MAX,
    .owner = bodies_of,
    .rows = half_space_rows,
    .reserve = reserve_half_spaces,
};

static size_t hollow_rows(const struct state *state) { return state->world->bodies.hollow_count; }

static void reserve_hollows(struct state *state, size_t rows) {
    struct bodies *bodies = &state->world->bodies;
    bodies->hollow_count = rows;
    bodies->hollows = memory_reserve(bodies->hollows, &bodies->hollow_capacity, rows,
                                     sizeof *bodies->hollows, "containers");
}

static const struct state_field hollow_fields[] = {
    {"hollows/axis", "1", STATE_VECTOR, VALUE_FINITE, HOLLOW(axis)},
    {"hollows/radius", "m", STATE_REAL, VALUE_NOT_NEGATIVE, HOLLOW(radius)},
    {"hollows/half_length", "m", STATE_REAL, VALUE_NOT_NEGATIVE, HOLLOW(half_length), STATE_JOINED},
    {"hollows/ends", "1", STATE_BYTE, VALUE_FLAG, HOLLOW(ends), STATE_JOINED},
};
const struct state_part state_hollows = {
    .group = "hollows",
    STATE_FIELDS(hollow_fields),
    .hash = STATE_HASH_ROWS,
    .most = INT32_MAX,
    .owner = bodies_of,
    .rows = hollow_rows,
    .reserve = reserve_hollows,
};

// Waiting bodies ------------------------------------------------------------------------------

#define PENDING(member) STATE_ELEMENT(struct gabion_world, pending, struct pending_body, member)

static size_t pending_rows(const struct state *state) {
    return (size_t)state->world->pending_count;
}

static void reserve_pending(struct state *state, size_t rows) {
    struct gabion_world *world = state->world;
    memory_free(world->pending);
    world->pending_count = (int)rows;
    world->pending = memory_allocate(rows, sizeof *world->pending, "waiting bodies");
}

// The members of struct gabion_body.
static const struct state_field pending_fields[] = {
    {"pending/id", "1", STATE_INTEGER, VALUE_ID, PENDING(id)},
    {"pending/shape", "1", STATE_COUNT, VALUE_SHAPE, PENDING(body.shape)},
    {"pending/radius", "m", STATE_REAL, VALUE_NOT_NEGATIVE, PENDING(body.radius)},
    {"pending/normal", "1", STATE_VECTOR, VALUE_FINITE, PENDING(body.normal)},
    {"pending/tangent", "1", STATE_VECTOR, VALUE_FINITE, PENDING(body.tangent)},
    {"pending/extent", "m", STATE_FLOAT64, 2, VALUE_NOT_NEGATIVE, PENDING(body.extent)},
    {"pending/length", "m", STATE_REAL, VALUE_NOT_NEGATIVE, PENDING(body.length)},
    {"pending/ends", "1", STATE_BYTE, VALUE_FLAG, PENDING(body.ends)},
    {"pending/position", "m", STATE_VECTOR, VALUE_FINITE, PENDING(body.position)},
    {"pending/orientation", "1", STATE_QUATERNION, VALUE_FINITE, PENDING(body.orientation)},
    {"pending/velocity", "m/s", STATE_VECTOR, VALUE_FINITE, PENDING(body.velocity)},
    {"pending/spin", "rad/s", STATE_VECTOR, VALUE_FINITE, PENDING(body.spin)},
    {"pending/material", "1", STATE_INTEGER, VALUE_MATERIAL, PENDING(body.material)},
    {"pending/group", "1", STATE_INTEGER, VALUE_GROUP, PENDING(body.group)},
    {"pending/fixed", "1", STATE_BYTE, VALUE_FLAG, PENDING(body.fixed)},
    {"pending/lock", "1", STATE_COUNT, VALUE_LOCK, PENDING(body.lock)},
    {"pending/density", "kg/m3", STATE_REAL, VALUE_NOT_NEGATIVE, PENDING(body.density)},
    {"pending/mass", "kg", STATE_REAL, VALUE_NOT_NEGATIVE, PENDING(body.mass)},
    {"pending/inertia", "kg m2", STATE_VECTOR, VALUE_NOT_NEGATIVE, PENDING(body.inertia)},
    {"pending/polyhedron", "1", STATE_INTEGER, VALUE_POLYHEDRON, PENDING(body.polyhedron)},
    {"pending/clump", "1", STATE_INTEGER, VALUE_CLUMP, PENDING(body.clump)},
    {"pending/insert_time", "s", STATE_REAL, VALUE_NOT_NAN, PENDING(body.insert_time)},
};
const struct state_part state_pending = {
    .group = "pending",
    STATE_FIELDS(pending_fields),
    .hash = STATE_HASH_ROWS,
    .most = INT_MAX,
    .owner = world_of,
    .rows = pending_rows,
    .reserve = reserve_pending,
};

// Which compound a waiting body is. Worlds without compounds hash as they did before there were
// any.
static bool has_compounds(const struct state *state) {
    return state->world->bodies.compound_count > 0;
}

static void keep_pending(struct state *state, size_t rows) {
    (void)state; // state_pending made the room
    (void)rows;
}

static const struct state_field pending_compound_fields[] = {
    {"pending/compound", "1", STATE_INTEGER, VALUE_COMPOUND, PENDING(body.compound), STATE_LATER},
};
const struct state_part state_pending_compounds = {
    .group = "pending",
    STATE_FIELDS(pending_compound_fields),
    .hash = STATE_HASH_ROWS,
    .most = INT_MAX,
    .owner = world_of,
    .rows = pending_rows,
    .reserve = keep_pending,
    .hashed = has_compounds,
};

// Driven bodies -------------------------------------------------------------------------------

#define DRIVEN(member) STATE_ELEMENT(struct gabion_world, driven, struct driven_body, member)

static size_t driven_rows(const struct state *state) { return (size_t)state->world->driven_count; }

static void reserve_driven(struct state *state, size_t rows) {
    struct gabion_world *world = state->world;
    memory_free(world->driven);
    world->driven_count = (int)rows;
    world->driven = memory_allocate(rows, sizeof *world->driven, "driven bodies");
}

static const struct state_field driven_fields[] = {
    {"driven/id", "1", STATE_INTEGER, VALUE_ID, DRIVEN(id)},
    {"driven/origin", "m", STATE_VECTOR, VALUE_FINITE, DRIVEN(origin)},
    {"driven/orientation", "1", STATE_QUATERNION, VALUE_FINITE, DRIVEN(orientation)},
};
const struct state_part state_driven = {
    .group = "driven",
    STATE_FIELDS(driven_fields),
    .hash = STATE_HASH_ROWS,
    .most = INT_MAX,
    .owner = world_of,
    .rows = driven_rows,
    .reserve = reserve_driven,
};

// Joints --------------------------------------------------------------------------------------

#define JOINT(member) STATE_ELEMENT(struct joints, list, struct joint, member)

static void *joints_of(const struct state *state) { return &state->world->joints; }

static size_t joint_rows(const struct state *state) { return (size_t)state->world->joints.count; }

static void reserve_joints(struct state *state, size_t rows) {
    struct joints *joints = &state->world->joints;
    joints_free(joints);
    joints->count = (int)rows;
    joints->list = memory_allocate(rows, sizeof *joints->list, "joints");
}

static const struct state_field joint_fields[] = {
    {"joints/kind", "1", STATE_COUNT, VALUE_JOINT_KIND, JOINT(kind)},
    {"joints/first", "1", STATE_INTEGER, VALUE_JOINED, JOINT(id[0]), STATE_JOINED},
    {"joints/second", "1", STATE_INTEGER, VALUE_JOINED, JOINT(id[1]), STATE_JOINED},
    {"joints/collide", "1", STATE_BYTE, VALUE_FLAG, JOINT(collide), STATE_JOINED},
    {"joints/lever", "m", STATE_REAL, VALUE_NOT_NEGATIVE, JOINT(lever)},
    {"joints/length", "m", STATE_REAL, VALUE_NOT_NEGATIVE, JOINT(length), STATE_JOINED},
    {"joints/anchor_first", "m", STATE_VECTOR, VALUE_FINITE, JOINT(side[0].anchor)},
    {"joints/frame_first", "1", STATE_MATRIX, VALUE_FINITE, JOINT(side[0].frame), STATE_JOINED},
    {"joints/anchor_second", "m", STATE_VECTOR, VALUE_FINITE, JOINT(side[1].anchor), STATE_JOINED},
    {"joints/frame_second", "1", STATE_MATRIX, VALUE_FINITE, JOINT(side[1].frame), STATE_JOINED},
    {"joints/impulse", "N s", STATE_MATRIX, VALUE_FINITE, JOINT(impulse)},
};
const struct state_part state_joints = {
    .group = "joints",
    STATE_FIELDS(joint_fields),
    .hash = STATE_HASH_ROWS,
    .most = INT_MAX,
    .owner = joints_of,
    .rows = joint_rows,
    .reserve = reserve_joints,
};
