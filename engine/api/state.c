#include "engine/api/state.h"

#include "engine/api/entry.h"
#include "parallel/hash.h"

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
    &state_hollows,
    &state_interfaces,
    &state_interface_corners,
    &state_contact_starts,
    &state_contact_memory,
    &state_contact_collisions,
    &state_pending,
    &state_pending_compounds,
    &state_joints,
    &state_driven,
    &state_ledger,
    &state_joint_work,
    &state_gain,
    &state_rest,
    &state_memory,
    &state_run,
    &state_last_step,
};

// Equal hashes mean that the runs go on equally.
uint64_t gabion_state_hash(const struct gabion_world *world) {
    if (!entry_readable(world, NULL))
        return 0;
    uint64_t hash = HASH_START;
    struct state state = {.world = (struct gabion_world *)world};
    for (size_t k = 0; k < STATE_PARTS; k++) {
        const struct state_part *part = state_parts[k];
        if (part->hashed && !part->hashed(&state))
            continue;
        hash = part->hash_shapes ? part->hash_shapes(hash, &world->bodies)
                                 : state_hash_part(hash, part, &state);
    }
    return hash;
}
