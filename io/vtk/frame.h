// One ParaView frame: what its values are computed from, and the mesh of each of its kinds.
#ifndef IO_VTK_FRAME_H
#define IO_VTK_FRAME_H

#include "engine/gabion.h"
#include "geometry/vec.h"
#include "io/vtk/pvd.h"
#include "io/vtk/reference.h"
#include "io/vtk/xml.h"

// A piece of the thrust line: through a block, between the two interfaces that carry it.
struct thrust {
    int32_t body; // index
    vec3 end[2];
    double force[2];
};

// The rigid motion that displacements are measured against: what was at `from` and moved with the
// body is at `to` now, turned. Nothing moves where there is no such body.
struct carrier {
    vec3 from, to;
    mat3 turned;
    bool lost; // the body has left the run
};

// Sums over the contacts, by body index.
struct frame_sums {
    int32_t *coordination; // contacts that carry force
    vec3 *wall_impulse;
};

struct frame {
    const struct gabion_world *world;
    struct gabion_bodies bodies; // the world's arrays
    struct gabion_counts counts;
    int64_t own_begin; // of the contacts of this rank; 0: all contacts
    const struct pvd *series;
    double h;   // s, length of the step
    bool solid; // blocks as polyhedra, not as polygons
    struct frame_sums sums;
    bool lent;          // the sums belong to somebody else
    vec3 centre, reach; // box around spheres and blocks: its middle and half sides
    struct carrier carrier;
    struct gabion_interface *interface; // NULL without blocks
    size_t interface_count;

    // The kind that is being written.
    int32_t *drawn; // body index of each point or cell, in order of id: a body keeps its place in
    size_t drawn_count, drawn_capacity; // the file from frame to frame
    int32_t *part;  // beside drawn: which sphere of a clump, which piece of a wall
    vec3 *point;    // corners of blocks, and of walls where there are surfaces
    int32_t *words; // behind `topology`
    struct vtk_topology topology;
    struct thrust *thrust;
    size_t thrust_count;
    struct vtk_names names[2];
};

// Takes the views and sums that the kinds need. On failure nothing is left to free. Where the
// caller lends sums, contacts are not looked at.
bool frame_open(struct frame *frame, const struct gabion_world *world,
                const struct vtk_reference *reference, const struct frame_sums *sums,
                struct gabion_error *error);
void frame_close(struct frame *frame);

// Takes what this rank's own contacts need, without sums.
bool frame_open_own(struct frame *frame, const struct gabion_world *world,
                    struct gabion_error *error);

// Sums over the contacts of all ranks, of which a frame has this rank's. All ranks call it.
void frame_sum_shared(struct frame *frame, struct frame_sums *sums);
void frame_sums_free(struct frame_sums *sums);
// Frees what the description of one kind allocated.
void frame_release_kind(struct frame *frame);

// Each describes one kind of the frame; what it allocates belongs to the frame.
void frame_bodies(struct frame *frame, struct vtk_mesh *mesh);
void frame_walls(struct frame *frame, struct vtk_mesh *mesh);
void frame_blocks(struct frame *frame, struct vtk_mesh *mesh);
void frame_contacts(struct frame *frame, struct vtk_mesh *mesh);
void frame_interfaces(struct frame *frame, struct vtk_mesh *mesh);
void frame_joints(struct frame *frame, struct vtk_mesh *mesh);
void frame_thrust(struct frame *frame, struct vtk_mesh *mesh);

// Returns a corner of piece number `piece` of a hollow sphere or drum, around the origin and about
// the axis z. All pieces are quads (io/vtk/hollow.c).
int frame_hollow_pieces(const struct gabion_hollow *hollow);
vec3 frame_hollow_corner(const struct gabion_hollow *hollow, int piece, int corner);

static inline void frame_put(double *components, vec3 a) {
    components[0] = a.x;
    components[1] = a.y;
    components[2] = a.z;
}

static inline const struct gabion_bodies *frame_bodies_of(const void *context) {
    return &((const struct frame *)context)->bodies;
}

static inline bool frame_shape_is_wall(int shape) {
    return shape == GABION_HALF_SPACE || shape == GABION_HOLLOW_SPHERE || shape == GABION_DRUM ||
           shape == GABION_SURFACE;
}

static inline bool frame_is_wall(const struct gabion_bodies *bodies, int32_t i) {
    return frame_shape_is_wall(bodies->shape[i]);
}

// Shapes and contacts of valid bodies and numbers: these cannot fail.

static inline struct gabion_polyhedron frame_polyhedron(const struct frame *frame, int32_t i) {
    struct gabion_polyhedron shape = {0};
    gabion_get_polyhedron(frame->world, frame->bodies.shape_index[i], &shape, NULL);
    return shape;
}

static inline bool frame_shape_is_block(int shape) {
    return shape == GABION_POLYHEDRON || shape == GABION_COMPOUND;
}

// Returns how many convex parts a body is drawn with: none unless it is a block.
static inline int32_t frame_block_parts(const struct frame *frame, int32_t i) {
    struct gabion_compound compound = {0};
    if (frame->bodies.shape[i] == GABION_COMPOUND)
        gabion_get_compound(frame->world, frame->bodies.shape_index[i], &compound, NULL);
    return frame->bodies.shape[i] == GABION_POLYHEDRON ? 1 : compound.parts;
}

// A convex part of a block, and its place in the world.
struct frame_part {
    struct gabion_polyhedron shape;
    vec3 x;
    mat3 axes;
};

static inline struct frame_part frame_block_part(const struct frame *frame, int32_t i,
                                                 int32_t part) {
    const struct gabion_bodies *bodies = &frame->bodies;
    struct frame_part placed = {
        .x = bodies->position[i],
        .axes = quat_matrix(bodies->orientation[i]),
    };
    if (bodies->shape[i] == GABION_POLYHEDRON) {
        placed.shape = frame_polyhedron(frame, i);
        return placed;
    }
    struct gabion_compound_part own = {0};
    gabion_get_compound_part(frame->world, bodies->shape_index[i], part, &own, NULL);
    gabion_get_polyhedron(frame->world, own.polyhedron, &placed.shape, NULL);
    placed.x = vec3_add(placed.x, mat3_apply(placed.axes, own.position));
    placed.axes = quat_matrix(quat_multiply(bodies->orientation[i], own.orientation));
    return placed;
}

static inline vec3 frame_part_corner(const struct frame_part *part, int32_t c) {
    return vec3_add(part->x, mat3_apply(part->axes, part->shape.corner[c]));
}

static inline struct gabion_clump frame_clump(const struct frame *frame, int32_t i) {
    struct gabion_clump shape = {0};
    gabion_get_clump(frame->world, frame->bodies.shape_index[i], &shape, NULL);
    return shape;
}

static inline struct gabion_hollow frame_hollow(const struct frame *frame, int32_t i) {
    struct gabion_hollow shape = {0};
    gabion_get_hollow(frame->world, frame->bodies.shape_index[i], &shape, NULL);
    return shape;
}

static inline struct gabion_surface frame_surface(const struct frame *frame, int32_t i) {
    struct gabion_surface shape = {0};
    gabion_get_surface(frame->world, frame->bodies.shape_index[i], &shape, NULL);
    return shape;
}

static inline struct gabion_contact frame_contact(const struct frame *frame, size_t k) {
    struct gabion_contact contact = {0};
    gabion_read_local_contacts(frame->world, frame->own_begin + (int64_t)k, 1, &contact, NULL);
    return contact;
}

static inline double frame_normal_impulse(const struct gabion_contact *contact) {
    return vec3_dot(contact->impulse, contact->normal);
}

#define FRAME_POINT_ARRAYS(mesh, arrays)                                                           \
    ((mesh)->point_arrays = (arrays), (mesh)->point_array_count = sizeof(arrays) / sizeof *(arrays))
#define FRAME_CELL_ARRAYS(mesh, arrays)                                                            \
    ((mesh)->cell_arrays = (arrays), (mesh)->cell_array_count = sizeof(arrays) / sizeof *(arrays))

#endif
