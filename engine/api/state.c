#include "engine/api/state.h"

#include "engine/api/entry.h"
#include "engine/contact/shared.h"
#include "parallel/hash.h"
#include "parallel/ranks.h"

// Another order is another hash. The last two are not state and not hashed.
const struct state_part *const state_parts[STATE_PARTS] = {
    &state_step,
    &state_pace,
    &state_body_counts,
    &state_bodies,
    &state_body_starts,
    &state_half_spaces,
    &state_polyhedra,
    &state_faces,
    &state_corners,
    &state_face_corners,
    &state_clumps,
    &state_clump_spheres,
    &state_compounds,
    &state_compound_parts,
    &state_surfaces,
    &state_surface_points,
    &state_surface_triangles,
    &state_hollows,
    &state_interfaces,
    &state_interface_corners,
    &state_contact_starts,
    &state_contact_memory,
    &state_contact_collisions,
    &state_pending,
    &state_pending_compounds,
    &state_pending_surfaces,
    &state_joints,
    &state_driven,
    &state_ledger,
    &state_joint_work,
    &state_gain,
    &state_rest,
    &state_memory,
    &state_flows,
    &state_turns,
    &state_run,
    &state_last_step,
};

// Continues the hash over the rows that the ranks have, one after the other.
static uint64_t hash_in_turn(uint64_t hash, const void *rows, size_t bytes) {
    struct hash_stream stream;
    hash_stream_begin(&stream, hash);
    for (int rank = 0; rank < ranks_count(); rank++) {
        if (rank == ranks_me())
            hash_stream_add(&stream, rows, bytes);
        ranks_broadcast(&stream, sizeof stream, rank);
    }
    return hash_stream_end(&stream);
}

// Does what state_hash_part does for a part of which each rank has its own rows.
static uint64_t hash_of_all(uint64_t hash, const struct state_part *part,
                            const struct state *state) {
    size_t rows = state_rows(part, state);
    if (!ranks_any(part->hashed(state)))
        return hash;
    if (part->hash == STATE_HASH_TABLE)
        return hash_in_turn(hash, state_array(part->owner(state), part->field),
                            rows * part->field->stride);
    for (size_t k = 0; k < part->fields; k++)
        hash = hash_in_turn(hash, state_address(part, &part->field[k], state),
                            rows * part->field[k].stride);
    return hash;
}

bool state_is_shared(const struct state_part *part, const struct state *state) {
    return state->contacts && (part == &state_contact_memory || part == &state_contact_collisions);
}

static uint64_t hash_state(const struct state *state) {
    uint64_t hash = HASH_START;
    for (size_t k = 0; k < STATE_PARTS; k++) {
        const struct state_part *part = state_parts[k];
        if (state_is_shared(part, state))
            hash = hash_of_all(hash, part, state);
        else if (!part->hashed || part->hashed(state))
            hash = part->hash_shapes ? part->hash_shapes(hash, &state->world->bodies)
                                     : state_hash_part(hash, part, state);
    }
    return hash;
}

bool state_begin_sharing(struct state *state, struct contacts *own) {
    const struct contacts *contacts = state->world->contacts;
    if (!contacts->memory_shared)
        return false;
    contacts_own_memory(contacts, state->world->bodies.moving, own);
    state->contacts = own;
    return true;
}

// Equal hashes mean that the runs go on equally.
uint64_t gabion_state_hash(const struct gabion_world *world) {
    if (!entry_readable(world, NULL))
        return 0;
    struct state state = {.world = (struct gabion_world *)world};
    struct contacts own;
    piece_gather(state.world);
    bool shared = state_begin_sharing(&state, &own);
    uint64_t hash = hash_state(&state);
    if (shared)
        contacts_own_memory_free(&own);
    return hash;
}
