#include "engine/contact/contact_state.h"

#include "engine/contact/contacts.h"
#include "engine/contact/interfaces.h"
#include "parallel/memory.h"

// A member added to one of these needs a line below, and another version of the checkpoint format.
_Static_assert(sizeof(struct contact_memory) == 56 && sizeof(struct interface) == 40 &&
                   sizeof(struct interface_corner) == 48,
               "tables of the state");

// Memory of contacts --------------------------------------------------------------------------

#define MEMORY(member) STATE_ELEMENT(struct contacts, memory, struct contact_memory, member)

static void *contacts_of(const struct state *state) {
    return state->contacts ? state->contacts : state->world->contacts;
}

static size_t start_rows(const struct state *state) {
    size_t moving = (size_t)state->world->bodies.moving;
    const struct contacts *contacts = contacts_of(state);
    return contacts->start_capacity > moving ? moving + 1 : 0;
}

// No array at all is how the engine knows that nothing is remembered.
static void reserve_starts(struct state *state, size_t rows) {
    struct contacts *contacts = state->world->contacts;
    memory_free(contacts->memory_start);
    contacts->memory_start = NULL;
    contacts->start_capacity = contacts->count = 0;
    if (rows > 0)
        contacts->memory_start = memory_reserve(NULL, &contacts->start_capacity, rows,
                                                sizeof *contacts->memory_start, "contact memory");
}

// False before the first step.
static bool is_remembered(const struct state *state) { return start_rows(state) > 0; }

// The memory of moving body k (index, not id) is rows start[k] to start[k + 1].
static const struct state_field start_fields[] = {
    {"contacts/start", "1", STATE_COUNT, VALUE_ANY, STATE_ARRAY(struct contacts, memory_start)},
};
const struct state_part state_contact_starts = {
    .group = "contacts",
    STATE_FIELDS(start_fields),
    .hash = STATE_HASH_FIELDS,
    .most = SIZE_MAX,
    .owner = contacts_of,
    .rows = start_rows,
    .reserve = reserve_starts,
    .hashed = is_remembered,
};

static size_t memory_rows(const struct state *state) {
    const struct contacts *contacts = contacts_of(state);
    return contacts->memory_count;
}

static void reserve_memory(struct state *state, size_t rows) {
    struct contacts *contacts = state->world->contacts;
    memory_free(contacts->memory);
    contacts->memory_count = rows;
    contacts->memory_capacity = 0;
    contacts->memory = memory_reserve(NULL, &contacts->memory_capacity, rows,
                                      sizeof *contacts->memory, "contact memory");
}

// `body` is the index of the other one.
static const struct state_field memory_fields[] = {
    {"contacts/body", "1", STATE_INTEGER, VALUE_BODY, MEMORY(a)},
    {"contacts/feature", "1", STATE_COUNT, VALUE_ANY, MEMORY(feature)},
    {"contacts/point", "m", STATE_VECTOR, VALUE_FINITE, MEMORY(point)},
    {"contacts/impulse", "N s", STATE_VECTOR, VALUE_FINITE, MEMORY(impulse)},
};
const struct state_part state_contact_memory = {
    .group = "contacts",
    STATE_FIELDS(memory_fields),
    .hash = STATE_HASH_TABLE,
    .most = UINT32_MAX,
    .owner = contacts_of,
    .rows = memory_rows,
    .reserve = reserve_memory,
    .hashed = is_remembered,
};

static size_t collision_rows(const struct state *state) {
    const struct contacts *contacts = contacts_of(state);
    return contacts->memory_collision ? memory_rows(state) : 0;
}

// A run that is not stabilized has no array.
static void reserve_collisions(struct state *state, size_t rows) {
    struct contacts *contacts = state->world->contacts;
    memory_free(contacts->memory_collision);
    contacts->memory_collision = NULL;
    contacts->memory_collision_capacity = 0;
    if (rows > 0)
        contacts->memory_collision =
            memory_reserve(NULL, &contacts->memory_collision_capacity, rows,
                           sizeof *contacts->memory_collision, "collisions");
}

static bool has_collisions(const struct state *state) {
    return is_remembered(state) && collision_rows(state) > 0;
}

static const struct state_field collision_fields[] = {
    {"contacts/collision", "m/s", STATE_VECTOR, VALUE_FINITE,
     STATE_ARRAY(struct contacts, memory_collision)},
};
const struct state_part state_contact_collisions = {
    .group = "contacts",
    STATE_FIELDS(collision_fields),
    .hash = STATE_HASH_FIELDS,
    .most = UINT32_MAX,
    .owner = contacts_of,
    .rows = collision_rows,
    .reserve = reserve_collisions,
    .hashed = has_collisions,
};

// Interfaces ----------------------------------------------------------------------------------

#define INTERFACE(member) STATE_ELEMENT(struct interfaces, list, struct interface, member)
#define CORNER(member)    STATE_ELEMENT(struct interfaces, corner, struct interface_corner, member)

static void *interfaces_of(const struct state *state) { return state->world->interfaces; }

static size_t interface_rows(const struct state *state) { return state->world->interfaces->count; }

static void reserve_interfaces(struct state *state, size_t rows) {
    struct interfaces *interfaces = state->world->interfaces;
    interfaces_free(interfaces);
    interfaces->count = rows;
    interfaces->list =
        memory_reserve(NULL, &interfaces->capacity, rows, sizeof *interfaces->list, "interfaces");
}

// The corners of an interface are those from `begin` on, in the own axes of either body.
static const struct state_field interface_fields[] = {
    {"interfaces/a", "1", STATE_INTEGER, VALUE_ID, INTERFACE(a)},
    {"interfaces/b", "1", STATE_INTEGER, VALUE_ID, INTERFACE(b)},
    {"interfaces/begin", "1", STATE_COUNT, VALUE_ANY, INTERFACE(begin)},
    {"interfaces/corners", "1", STATE_COUNT, VALUE_PATCH_SIZE, INTERFACE(corners)},
    {"interfaces/normal", "1", STATE_VECTOR, VALUE_FINITE, INTERFACE(normal)},
};
const struct state_part state_interfaces = {
    .group = "interfaces",
    STATE_FIELDS(interface_fields),
    .hash = STATE_HASH_TABLE,
    .most = SIZE_MAX,
    .owner = interfaces_of,
    .rows = interface_rows,
    .reserve = reserve_interfaces,
};

static size_t corner_rows(const struct state *state) {
    return state->world->interfaces->corner_count;
}

static void reserve_corners(struct state *state, size_t rows) {
    struct interfaces *interfaces = state->world->interfaces;
    interfaces->corner_count = rows;
    interfaces->corner = memory_reserve(interfaces->corner, &interfaces->corner_capacity, rows,
                                        sizeof *interfaces->corner, "corners of interfaces");
}

static const struct state_field corner_fields[] = {
    {"interface_corners/in_a", "m", STATE_VECTOR, VALUE_FINITE, CORNER(in_a)},
    {"interface_corners/in_b", "m", STATE_VECTOR, VALUE_FINITE, CORNER(in_b)},
};
const struct state_part state_interface_corners = {
    .group = "interface_corners",
    STATE_FIELDS(corner_fields),
    .hash = STATE_HASH_TABLE,
    .most = UINT32_MAX,
    .owner = interfaces_of,
    .rows = corner_rows,
    .reserve = reserve_corners,
};
