// Contacts in a ParaView frame: one line for each candidate contact point of the last step.
#include <float.h>

#include "io/vtk/frame.h"

// Returns where the line of a contact ends, away from its first body. Neither a wall nor a ground
// slab has a centre worth drawing to: a line to a wall ends where it meets the wall as it stands
// now (the gap of the contact is that of the midpoint configuration), and where a block takes part,
// at the contact.
static vec3 far_end(const struct gabion_bodies *bodies, const struct gabion_contact *contact) {
    int32_t first = contact->index[0], second = contact->index[1];
    vec3 n = contact->normal, centre = bodies->position[first], other = bodies->position[second];
    bool wall = frame_is_wall(bodies, second);
    bool slab = frame_shape_is_block(bodies->shape[second]) && bodies->mass[second] == 0;
    bool plane = bodies->shape[second] == GABION_HALF_SPACE;
    if (slab || (wall && (!plane || bodies->shape[first] != GABION_SPHERE)))
        return contact->point;
    return wall ? vec3_add_scaled(centre, -vec3_dot(n, vec3_sub(centre, other)), n) : other;
}

static void contact_end(const void *context, size_t k, double *components) {
    const struct gabion_bodies *bodies = frame_bodies_of(context);
    struct gabion_contact contact = frame_contact(context, k / 2);
    frame_put(components,
              k % 2 == 0 ? bodies->position[contact.index[0]] : far_end(bodies, &contact));
}

static void contact_normal_force(const void *context, size_t k, double *components) {
    struct gabion_contact contact = frame_contact(context, k);
    double force = frame_normal_impulse(&contact) / ((const struct frame *)context)->h;
    // A force below the range of a float is still one: readers count what is above zero.
    components[0] = force > 0 && force < FLT_TRUE_MIN ? FLT_TRUE_MIN : force;
}

static void contact_normal_force_of_end(const void *context, size_t k, double *components) {
    contact_normal_force(context, k / 2, components);
}

static void contact_force(const void *context, size_t k, double *components) {
    double h = ((const struct frame *)context)->h;
    frame_put(components, vec3_scale(1.0 / h, frame_contact(context, k).impulse));
}

static void contact_impulse(const void *context, size_t k, double *components) {
    frame_put(components, frame_contact(context, k).impulse);
}

static void contact_point(const void *context, size_t k, double *components) {
    frame_put(components, frame_contact(context, k).point);
}

static void contact_direction(const void *context, size_t k, double *components) {
    frame_put(components, frame_contact(context, k).normal);
}

static void contact_gap(const void *context, size_t k, double *components) {
    components[0] = frame_contact(context, k).gap;
}

static void contact_body_a(const void *context, size_t k, double *components) {
    components[0] = frame_contact(context, k).body[0];
}

static void contact_body_b(const void *context, size_t k, double *components) {
    components[0] = frame_contact(context, k).body[1];
}

static void contact_state(const void *context, size_t k, double *components) {
    components[0] = frame_contact(context, k).status;
}

static const struct vtk_array contact_end_arrays[] = {
    {"normal_force", VTK_FLOAT32, "", contact_normal_force_of_end},
};

static const struct vtk_array contact_arrays[] = {
    {"normal_force", VTK_FLOAT32, "", contact_normal_force},
    {"force", VTK_FLOAT32, "xyz", contact_force},
    {"impulse", VTK_FLOAT32, "xyz", contact_impulse},
    {"point", VTK_FLOAT32, "xyz", contact_point},
    {"normal", VTK_FLOAT32, "xyz", contact_direction},
    {"gap", VTK_FLOAT32, "", contact_gap},
    {"body_a", VTK_INT32, "", contact_body_a},
    {"body_b", VTK_INT32, "", contact_body_b},
    {"status", VTK_UINT8, "", contact_state},
};

void frame_contacts(struct frame *frame, struct vtk_mesh *mesh) {
    mesh->cells = (size_t)frame->counts.contacts;
    mesh->corners = 2;
    mesh->position = contact_end;
    FRAME_POINT_ARRAYS(mesh, contact_end_arrays);
    FRAME_CELL_ARRAYS(mesh, contact_arrays);
}
