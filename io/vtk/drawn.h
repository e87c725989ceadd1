// The bodies that one kind of a ParaView frame draws, and the values that several kinds have.
#ifndef IO_VTK_DRAWN_H
#define IO_VTK_DRAWN_H

#include "io/vtk/frame.h"

// Adds `parts` parts of the body with index i to what is drawn.
void drawn_add(struct frame *frame, int32_t i, int32_t parts);
// Starts anew with all bodies, in order of id; parts(frame, i) is how many parts each of them has.
void drawn_fill(struct frame *frame, int32_t (*parts)(const struct frame *, int32_t));

// The index of the k-th body that is drawn, and which of its parts it is.
static inline int32_t drawn_body(const void *context, size_t k) {
    return ((const struct frame *)context)->drawn[k];
}

static inline int32_t drawn_part(const void *context, size_t k) {
    return ((const struct frame *)context)->part[k];
}

// Puts the names of materials and groups, which the arrays of that name number, into the mesh.
void drawn_names(struct frame *frame, struct vtk_mesh *mesh);

// Values (vtk_value) of the body that is drawn.
void drawn_id(const void *context, size_t k, double *components);
void drawn_material(const void *context, size_t k, double *components);
void drawn_group(const void *context, size_t k, double *components);
void drawn_mass(const void *context, size_t k, double *components);
void drawn_displacement(const void *context, size_t k, double *components);
void drawn_velocity(const void *context, size_t k, double *components);
void drawn_spin(const void *context, size_t k, double *components);
void drawn_coordination(const void *context, size_t k, double *components);

#endif
