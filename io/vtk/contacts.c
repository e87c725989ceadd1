// Contacts in a ParaView frame: one line for each candidate contact point of the last step.
#include <float.h>

#include "engine/contact/contacts.h"
#include "io/vtk/frame.h"

static const struct contact *contact_of(const void *context, size_t k) {
    const struct frame *frame = context;
    return &frame->world->contacts->list[k];
}

static double contact_normal_impulse(const struct contact *contact) {
    return vec3_dot(contact->impulse, contact->normal);
}

// Neither a wall nor a ground slab has a centre worth drawing to. A line to a wall ends where it
// meets the wall as it stands now (the gap of the contact is that of the midpoint configuration);
// where a block takes part, at the contact.
static vec3 contact_far_end(const struct gabion_world *world, const struct contact *contact) {
    const struct bodies *bodies = &world->bodies;
    vec3 n = contact->normal, centre = bodies->x[contact->c], other = bodies->x[contact->a];
    bool wall = bodies_is_wall(bodies, contact->a);
    bool slab = bodies->shape[contact->a] == GABION_POLYHEDRON && bodies->mass[contact->a] == 0;
    bool plane = bodies->shape[contact->a] == GABION_HALF_SPACE;
    if (slab || (wall && (!plane || bodies->shape[contact->c] != GABION_SPHERE)))
        return contacts_position(world, contact);
    return wall ? vec3_add_scaled(centre, -vec3_dot(n, vec3_sub(centre, other)), n) : other;
}

static void contact_end(const void *context, size_t k, double *components) {
    const struct contact *contact = contact_of(context, k / 2);
    frame_put(components, k % 2 == 0
                              ? frame_world_bodies(context)->x[contact->c]
                              : contact_far_end(((const struct frame *)context)->world, contact));
}

static void contact_normal_force(const void *context, size_t k, double *components) {
    double force =
        contact_normal_impulse(contact_of(context, k)) / ((const struct frame *)context)->h;
    // A force below the range of a float is still one: readers count what is above zero.
    components[0] = force > 0 && force < FLT_TRUE_MIN ? FLT_TRUE_MIN : force;
}

static void contact_normal_force_of_end(const void *context, size_t k, double *components) {
    contact_normal_force(context, k / 2, components);
}

static void contact_force(const void *context, size_t k, double *components) {
    frame_put(components, vec3_scale(1.0 / ((const struct frame *)context)->h,
                                     contact_of(context, k)->impulse));
}

static void contact_impulse(const void *context, size_t k, double *components) {
    frame_put(components, contact_of(context, k)->impulse);
}

static void contact_point(const void *context, size_t k, double *components) {
    frame_put(components,
              contacts_position(((const struct frame *)context)->world, contact_of(context, k)));
}

static void contact_direction(const void *context, size_t k, double *components) {
    frame_put(components, contact_of(context, k)->normal);
}

static void contact_gap(const void *context, size_t k, double *components) {
    components[0] = contact_of(context, k)->gap;
}

static void contact_body_a(const void *context, size_t k, double *components) {
    const struct bodies *bodies = frame_world_bodies(context);
    components[0] = bodies->id[contact_of(context, k)->c];
}

static void contact_body_b(const void *context, size_t k, double *components) {
    const struct bodies *bodies = frame_world_bodies(context);
    components[0] = bodies->id[contact_of(context, k)->a];
}

static void contact_state(const void *context, size_t k, double *components) {
    components[0] = contact_of(context, k)->status;
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
    mesh->cells = frame->world->contacts->count;
    mesh->corners = 2;
    mesh->position = contact_end;
    FRAME_POINT_ARRAYS(mesh, contact_end_arrays);
    FRAME_CELL_ARRAYS(mesh, contact_arrays);
}
