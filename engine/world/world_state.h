// The parts of the state that the world owns (engine/world/state.h).
#ifndef ENGINE_WORLD_WORLD_STATE_H
#define ENGINE_WORLD_WORLD_STATE_H

#include "engine/world/state.h"
#include "engine/world/world.h"

// Polyhedra laid flat, one after the other: corners, faces, and the corners of each face. Then
// clumps and their spheres, compounds and their parts, surfaces with their points and triangles.
struct flat_shapes {
    size_t polyhedra, faces, corners, face_corners;
    uint32_t *corner_count, *face_count; // by polyhedron
    vec3 *centre;
    quat *axes;
    uint32_t *face_size;  // corners, by face
    vec3 *corner;         // own frame
    int32_t *face_corner; // among those of its polyhedron
    size_t clumps, spheres;
    uint32_t *sphere_count; // by clump
    double *clump_volume;
    vec3 *clump_inertia, *clump_centre;
    quat *clump_axes;
    vec3 *sphere; // own frame
    double *sphere_radius;
    size_t compounds, parts;
    uint32_t *part_count; // by compound
    vec3 *compound_centre;
    quat *compound_axes;
    int32_t *part_polyhedron;
    vec3 *part_position; // own frame
    quat *part_orientation;
    double *part_density;
    size_t surfaces, points, triangles;
    uint32_t *point_count, *triangle_count; // by surface
    double *tolerance;
    vec3 *point;            // own frame
    int32_t (*triangle)[3]; // points of its surface
};

// The world (only read while a file is written), and its shapes in a form that has rows.
struct state {
    struct gabion_world *world;
    struct flat_shapes shapes;
    struct contacts *contacts; // instead of the world's, unless NULL (contacts_own_memory)
};

// Single numbers.
extern const struct state_part state_step, state_pace, state_body_counts, state_ledger,
    state_joint_work, state_gain, state_rest, state_memory, state_run, state_last_step;

// Rows in the arrays of the world. Making room for bodies frees all that struct bodies holds.
extern const struct state_part state_bodies, state_body_starts, state_half_spaces, state_hollows,
    state_pending, state_pending_compounds, state_pending_surfaces, state_driven, state_joints;

// Rows of flat shapes.
extern const struct state_part state_polyhedra, state_faces, state_corners, state_face_corners,
    state_clumps, state_clump_spheres, state_compounds, state_compound_parts, state_surfaces,
    state_surface_points, state_surface_triangles;

// Lays the shapes of the world flat.
void flat_shapes_fill(struct state *state);
void flat_shapes_free(struct flat_shapes *shapes);
// Builds the shapes that flat rows describe into those of `bodies`. Nothing in the
// rows is believed.
bool flat_shapes_restore(const struct flat_shapes *shapes, struct bodies *bodies,
                         struct gabion_error *error);

#endif
