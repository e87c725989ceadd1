// Joints between bodies in a ParaView frame, as lines.
#include "io/vtk/frame.h"
#include "parallel/memory.h"

// The joint of line k. Valid numbers only: this cannot fail.
static struct gabion_joint_state joint_of(const void *context, size_t k) {
    const struct frame *frame = context;
    struct gabion_joint_state joint = {0};
    gabion_get_joint(frame->world, frame->drawn[k], &joint, NULL);
    return joint;
}

// The rod of a distance; else from the centre of the first body to the anchor.
static void joint_end(const void *context, size_t k, double *components) {
    const struct gabion_bodies *bodies = frame_bodies_of(context);
    struct gabion_joint_state joint = joint_of(context, k / 2);
    bool from_centre = k % 2 == 0 && joint.kind != GABION_JOINT_DISTANCE;
    frame_put(components,
              from_centre ? bodies->position[bodies->index_of[joint.first]] : joint.anchor[k % 2]);
}

static void joint_number(const void *context, size_t k, double *components) {
    components[0] = ((const struct frame *)context)->drawn[k];
}

static void joint_kind(const void *context, size_t k, double *components) {
    components[0] = joint_of(context, k).kind;
}

static void joint_body_a(const void *context, size_t k, double *components) {
    components[0] = joint_of(context, k).first;
}

static void joint_body_b(const void *context, size_t k, double *components) {
    components[0] = joint_of(context, k).second;
}

static void joint_anchor(const void *context, size_t k, double *components) {
    frame_put(components, joint_of(context, k).anchor[0]);
}

static void joint_force(const void *context, size_t k, double *components) {
    frame_put(components, joint_of(context, k).force);
}

static void joint_error(const void *context, size_t k, double *components) {
    components[0] = joint_of(context, k).error;
}

static const struct vtk_array joint_arrays[] = {
    {"joint", VTK_INT32, "", joint_number},       {"kind", VTK_UINT8, "", joint_kind},
    {"body_a", VTK_INT32, "", joint_body_a},      {"body_b", VTK_INT32, "", joint_body_b},
    {"anchor", VTK_FLOAT32, "xyz", joint_anchor}, {"force", VTK_FLOAT32, "xyz", joint_force},
    {"error", VTK_FLOAT32, "", joint_error},
};

void frame_joints(struct frame *frame, struct vtk_mesh *mesh) {
    int joints = frame->counts.joints;
    frame->drawn = memory_reserve(frame->drawn, &frame->drawn_capacity, (size_t)joints,
                                  sizeof *frame->drawn, "a ParaView frame");
    for (int k = 0; k < joints; k++) {
        struct gabion_joint_state joint = {0};
        if (gabion_get_joint(frame->world, k, &joint, NULL) && joint.acts)
            frame->drawn[frame->drawn_count++] = k;
    }
    mesh->cells = frame->drawn_count;
    mesh->corners = 2;
    mesh->position = joint_end;
    FRAME_CELL_ARRAYS(mesh, joint_arrays);
}
