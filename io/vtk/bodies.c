// Spheres in a ParaView frame, those of clumps included: a point for each.
#include "io/vtk/drawn.h"

static int32_t sphere_parts(const struct frame *frame, int32_t i) {
    int shape = frame->bodies.shape[i];
    return shape == GABION_CLUMP ? frame_clump(frame, i).spheres : shape == GABION_SPHERE;
}

// Returns the vector from the centre of the body to that of its sphere.
static vec3 sphere_arm(const void *context, size_t k) {
    const struct gabion_bodies *bodies = frame_bodies_of(context);
    int32_t i = drawn_body(context, k);
    if (bodies->shape[i] != GABION_CLUMP)
        return vec3_zero();
    return mat3_apply(quat_matrix(bodies->orientation[i]),
                      frame_clump(context, i).sphere[drawn_part(context, k)]);
}

static void sphere_position(const void *context, size_t k, double *components) {
    vec3 x = frame_bodies_of(context)->position[drawn_body(context, k)];
    frame_put(components, vec3_add(x, sphere_arm(context, k)));
}

static void sphere_velocity(const void *context, size_t k, double *components) {
    const struct gabion_bodies *bodies = frame_bodies_of(context);
    int32_t i = drawn_body(context, k);
    frame_put(components,
              vec3_add(bodies->velocity[i], vec3_cross(bodies->spin[i], sphere_arm(context, k))));
}

static void sphere_radius(const void *context, size_t k, double *components) {
    const struct gabion_bodies *bodies = frame_bodies_of(context);
    int32_t i = drawn_body(context, k);
    components[0] = bodies->shape[i] == GABION_CLUMP
                        ? frame_clump(context, i).radius[drawn_part(context, k)]
                        : bodies->radius[i];
}

static void body_orientation(const void *context, size_t k, double *components) {
    quat q = frame_bodies_of(context)->orientation[drawn_body(context, k)];
    components[0] = q.w;
    frame_put(components + 1, vec3_make(q.x, q.y, q.z));
}

static const struct vtk_array body_arrays[] = {
    {"radius", VTK_FLOAT32, "", sphere_radius},
    {"id", VTK_INT32, "", drawn_id},
    {"material", VTK_UINT16, "", drawn_material},
    {"group", VTK_UINT16, "", drawn_group},
    {"velocity", VTK_FLOAT32, "xyz", sphere_velocity},
    {"angular_velocity", VTK_FLOAT32, "xyz", drawn_spin},
    {"orientation", VTK_FLOAT32, "wxyz", body_orientation},
    {"coordination", VTK_INT32, "", drawn_coordination},
    {"mass", VTK_FLOAT32, "", drawn_mass},
    {"displacement", VTK_FLOAT32, "xyz", drawn_displacement},
};

void frame_bodies(struct frame *frame, struct vtk_mesh *mesh) {
    drawn_fill(frame, sphere_parts);
    mesh->cells = frame->drawn_count;
    mesh->corners = 1;
    mesh->position = sphere_position;
    drawn_names(frame, mesh);
    FRAME_POINT_ARRAYS(mesh, body_arrays);
}
