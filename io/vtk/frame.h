// What the values of a ParaView frame are computed from, and the meshes of its kinds.
#ifndef IO_VTK_FRAME_H
#define IO_VTK_FRAME_H

#include "engine/contact/interfaces.h"
#include "engine/world/world.h"
#include "io/vtk/xml.h"

// A block between the two interfaces that carry it: a piece of the thrust line.
struct thrust {
    int32_t body; // index
    vec3 end[2];
    double force[2];
};

struct frame {
    const struct gabion_world *world;
    double h;
    bool solid;                        // blocks as polyhedra, not as polygons
    int32_t *coordination;             // by body index: contacts that carry force
    vec3 *wall_impulse;                // by body index
    vec3 centre, reach;                // box around spheres and blocks: its middle and half sides
    struct interface_state *interface; // NULL without blocks
    size_t interface_count;

    // Of the kind that is being written.
    int32_t *drawn; // body index of each point or cell, in order of id: a body keeps its place in
    size_t drawn_count, drawn_capacity; // the file from frame to frame
    int32_t *part;  // beside drawn: which sphere of a clump, which piece of a wall
    vec3 *point;    // corners of blocks
    int32_t *words; // behind `topology`
    struct vtk_topology topology;
    struct thrust *thrust;
    size_t thrust_count;
};

// A corner of piece number `piece` of a hollow sphere or drum, around the origin and about the axis
// z: quads throughout (io/vtk/hollow.c).
int frame_hollow_pieces(const struct hollow *hollow);
vec3 frame_hollow_corner(const struct hollow *hollow, int piece, int corner);

// Each describes one kind of the frame; what it allocates belongs to the frame.
void frame_bodies(struct frame *frame, struct vtk_mesh *mesh);
void frame_walls(struct frame *frame, struct vtk_mesh *mesh);
void frame_blocks(struct frame *frame, struct vtk_mesh *mesh);
void frame_contacts(struct frame *frame, struct vtk_mesh *mesh);
void frame_interfaces(struct frame *frame, struct vtk_mesh *mesh);
void frame_joints(struct frame *frame, struct vtk_mesh *mesh);
void frame_thrust(struct frame *frame, struct vtk_mesh *mesh);

static inline void frame_put(double *components, vec3 a) {
    components[0] = a.x;
    components[1] = a.y;
    components[2] = a.z;
}

static inline const struct bodies *frame_world_bodies(const void *context) {
    return &((const struct frame *)context)->world->bodies;
}

#define FRAME_POINT_ARRAYS(mesh, arrays)                                                           \
    ((mesh)->point_arrays = (arrays), (mesh)->point_array_count = sizeof(arrays) / sizeof *(arrays))
#define FRAME_CELL_ARRAYS(mesh, arrays)                                                            \
    ((mesh)->cell_arrays = (arrays), (mesh)->cell_array_count = sizeof(arrays) / sizeof *(arrays))

#endif
