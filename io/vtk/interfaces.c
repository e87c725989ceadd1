// Masonry interfaces in a ParaView frame: a point for each, where its force acts.
#include "io/vtk/frame.h"

static const struct gabion_interface *interface_of(const void *context, size_t k) {
    return &((const struct frame *)context)->interface[k];
}

#define INTERFACE_NUMBER(name)                                                                     \
    static void interface_##name(const void *context, size_t k, double *components) {              \
        components[0] = (double)interface_of(context, k)->name;                                    \
    }
#define INTERFACE_VECTOR(name)                                                                     \
    static void interface_##name(const void *context, size_t k, double *components) {              \
        frame_put(components, interface_of(context, k)->name);                                     \
    }

INTERFACE_NUMBER(a)
INTERFACE_NUMBER(b)
INTERFACE_NUMBER(initial)
INTERFACE_NUMBER(status)
INTERFACE_NUMBER(opening)
INTERFACE_NUMBER(normal_force)
INTERFACE_NUMBER(relative_eccentricity)
INTERFACE_VECTOR(normal)
INTERFACE_VECTOR(position)
INTERFACE_VECTOR(middle)
INTERFACE_VECTOR(sliding)
INTERFACE_VECTOR(force)
INTERFACE_VECTOR(eccentricity)

static void interface_slide(const void *context, size_t k, double *components) {
    components[0] = vec3_length(interface_of(context, k)->sliding);
}

static const struct vtk_array interface_arrays[] = {
    {"body_a", VTK_INT32, "", interface_a},
    {"body_b", VTK_INT32, "", interface_b},
    {"initial", VTK_UINT8, "", interface_initial},
    {"status", VTK_UINT8, "", interface_status},
    {"opening", VTK_FLOAT32, "", interface_opening},
    {"slide", VTK_FLOAT32, "", interface_slide},
    {"sliding", VTK_FLOAT32, "xyz", interface_sliding},
    {"normal", VTK_FLOAT32, "xyz", interface_normal},
    {"middle", VTK_FLOAT32, "xyz", interface_middle},
    {"force", VTK_FLOAT32, "xyz", interface_force},
    {"normal_force", VTK_FLOAT32, "", interface_normal_force},
    {"eccentricity", VTK_FLOAT32, "xyz", interface_eccentricity},
    {"relative_eccentricity", VTK_FLOAT32, "", interface_relative_eccentricity},
};

void frame_interfaces(struct frame *frame, struct vtk_mesh *mesh) {
    mesh->cells = frame->interface_count;
    mesh->corners = 1;
    mesh->position = interface_position;
    FRAME_POINT_ARRAYS(mesh, interface_arrays);
}
