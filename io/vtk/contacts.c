// Contacts, joints and thrust lines of a ParaView frame.
#include <float.h>

#include "engine/contact/contacts.h"
#include "engine/contact/interfaces.h"
#include "io/vtk/frame.h"
#include "parallel/memory.h"

// Contacts: one line for each candidate contact point of the last step.

static const struct contact *contact_of(const void *context, size_t k) {
    const struct frame *frame = context;
    return &frame->world->contacts->list[k];
}

static vec3 impulse_of(const void *context, size_t k) {
    return ((const struct frame *)context)->world->contacts->impulse[k];
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
    double force = vec3_dot(impulse_of(context, k), contact_of(context, k)->normal) /
                   ((const struct frame *)context)->h;
    // A force below the range of a float is still one: readers count what is above zero.
    components[0] = force > 0 && force < FLT_TRUE_MIN ? FLT_TRUE_MIN : force;
}

static void contact_normal_force_of_end(const void *context, size_t k, double *components) {
    contact_normal_force(context, k / 2, components);
}

static void contact_force(const void *context, size_t k, double *components) {
    frame_put(components,
              vec3_scale(1.0 / ((const struct frame *)context)->h, impulse_of(context, k)));
}

static void contact_impulse(const void *context, size_t k, double *components) {
    frame_put(components, impulse_of(context, k));
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

// Joints: a point for each interface, where its force acts.

static const struct interface_state *joint_of(const void *context, size_t k) {
    return &((const struct frame *)context)->joint[k];
}

#define JOINT_NUMBER(name)                                                                         \
    static void joint_##name(const void *context, size_t k, double *components) {                  \
        components[0] = (double)joint_of(context, k)->name;                                        \
    }
#define JOINT_VECTOR(name)                                                                         \
    static void joint_##name(const void *context, size_t k, double *components) {                  \
        frame_put(components, joint_of(context, k)->name);                                         \
    }

JOINT_NUMBER(a)
JOINT_NUMBER(b)
JOINT_NUMBER(initial)
JOINT_NUMBER(status)
JOINT_NUMBER(opening)
JOINT_NUMBER(normal_force)
JOINT_NUMBER(relative_eccentricity)
JOINT_VECTOR(normal)
JOINT_VECTOR(position)
JOINT_VECTOR(middle)
JOINT_VECTOR(sliding)
JOINT_VECTOR(force)
JOINT_VECTOR(eccentricity)

static void joint_slide(const void *context, size_t k, double *components) {
    components[0] = vec3_length(joint_of(context, k)->sliding);
}

static const struct vtk_array joint_arrays[] = {
    {"body_a", VTK_INT32, "", joint_a},
    {"body_b", VTK_INT32, "", joint_b},
    {"initial", VTK_UINT8, "", joint_initial},
    {"status", VTK_UINT8, "", joint_status},
    {"opening", VTK_FLOAT32, "", joint_opening},
    {"slide", VTK_FLOAT32, "", joint_slide},
    {"sliding", VTK_FLOAT32, "xyz", joint_sliding},
    {"normal", VTK_FLOAT32, "xyz", joint_normal},
    {"middle", VTK_FLOAT32, "xyz", joint_middle},
    {"force", VTK_FLOAT32, "xyz", joint_force},
    {"normal_force", VTK_FLOAT32, "", joint_normal_force},
    {"eccentricity", VTK_FLOAT32, "xyz", joint_eccentricity},
    {"relative_eccentricity", VTK_FLOAT32, "", joint_relative_eccentricity},
};

void frame_joints(struct frame *frame, struct vtk_mesh *mesh) {
    mesh->cells = frame->joint_count;
    mesh->corners = 1;
    mesh->position = joint_position;
    FRAME_POINT_ARRAYS(mesh, joint_arrays);
}

// Thrust.

static const struct thrust *thrust_of(const void *context, size_t k) {
    return &((const struct frame *)context)->thrust[k];
}

static void thrust_end(const void *context, size_t k, double *components) {
    frame_put(components, thrust_of(context, k / 2)->end[k % 2]);
}

static void thrust_force_of_end(const void *context, size_t k, double *components) {
    components[0] = thrust_of(context, k / 2)->force[k % 2];
}

static void thrust_force(const void *context, size_t k, double *components) {
    components[0] = 0.5 * (thrust_of(context, k)->force[0] + thrust_of(context, k)->force[1]);
}

static void thrust_id(const void *context, size_t k, double *components) {
    components[0] = frame_world_bodies(context)->id[thrust_of(context, k)->body];
}

static const struct vtk_array thrust_end_arrays[] = {
    {"normal_force", VTK_FLOAT32, "", thrust_force_of_end},
};

static const struct vtk_array thrust_arrays[] = {
    {"id", VTK_INT32, "", thrust_id},
    {"normal_force", VTK_FLOAT32, "", thrust_force},
};

static void add_thrust(struct thrust *piece, int32_t *loaded, const struct interface_state *joint) {
    if (*loaded < 2) {
        piece->end[*loaded] = joint->position;
        piece->force[*loaded] = joint->normal_force;
    }
    ++*loaded;
}

void frame_thrust(struct frame *frame, struct vtk_mesh *mesh) {
    const struct bodies *bodies = &frame->world->bodies;
    size_t n = (size_t)bodies->count;
    struct thrust *piece = memory_allocate(n, sizeof *piece, "a ParaView frame");
    int32_t *loaded = memory_allocate(n, sizeof *loaded, "a ParaView frame");
    for (size_t k = 0; k < frame->joint_count; k++) {
        const struct interface_state *joint = &frame->joint[k];
        int32_t pair[2] = {bodies->index_of[joint->a], bodies->index_of[joint->b]};
        for (int side = 0; side < 2 && joint->normal_force > 0; side++)
            add_thrust(&piece[pair[side]], &loaded[pair[side]], joint);
    }
    frame->thrust = memory_allocate(n, sizeof *frame->thrust, "a ParaView frame");
    frame->thrust_count = 0;
    for (int32_t id = 0; id < bodies->id_count; id++) {
        int32_t i = bodies->index_of[id];
        if (i < 0 || loaded[i] != 2 || bodies->mass[i] == 0)
            continue;
        piece[i].body = i;
        frame->thrust[frame->thrust_count++] = piece[i];
    }
    memory_free(piece);
    memory_free(loaded);
    mesh->cells = frame->thrust_count;
    mesh->corners = 2;
    mesh->position = thrust_end;
    FRAME_POINT_ARRAYS(mesh, thrust_end_arrays);
    FRAME_CELL_ARRAYS(mesh, thrust_arrays);
}
