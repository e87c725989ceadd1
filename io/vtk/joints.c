// Joints between bodies in a ParaView frame, as lines.
#include "io/vtk/frame.h"
#include "parallel/memory.h"

static const struct gabion_world *world_of(const void *context) {
    return ((const struct frame *)context)->world;
}

static const struct joint *joint_of(const void *context, size_t k) {
    const struct frame *frame = context;
    return &frame->world->joints.list[frame->drawn[k]];
}

// The rod of a distance; else from the centre of the first body to the anchor.
static void joint_end(const void *context, size_t k, double *components) {
    const struct bodies *bodies = frame_world_bodies(context);
    const struct joint *joint = joint_of(context, k / 2);
    vec3 end[2];
    joints_anchors(world_of(context), joint, &end[0], &end[1]);
    if (joint->kind != GABION_JOINT_DISTANCE)
        end[0] = bodies->x[bodies->index_of[joint->id[0]]];
    frame_put(components, end[k % 2]);
}

static void joint_number(const void *context, size_t k, double *components) {
    components[0] = ((const struct frame *)context)->drawn[k];
}

static void joint_kind(const void *context, size_t k, double *components) {
    components[0] = joint_of(context, k)->kind;
}

static void joint_body_a(const void *context, size_t k, double *components) {
    components[0] = joint_of(context, k)->id[0];
}

static void joint_body_b(const void *context, size_t k, double *components) {
    components[0] = joint_of(context, k)->id[1];
}

static void joint_anchor(const void *context, size_t k, double *components) {
    vec3 first, second;
    joints_anchors(world_of(context), joint_of(context, k), &first, &second);
    frame_put(components, first);
}

static void joint_force(const void *context, size_t k, double *components) {
    frame_put(components, joints_force(world_of(context), joint_of(context, k)));
}

static void joint_error_now(const void *context, size_t k, double *components) {
    components[0] = joint_error(world_of(context), joint_of(context, k));
}

static const struct vtk_array joint_arrays[] = {
    {"joint", VTK_INT32, "", joint_number},       {"kind", VTK_UINT8, "", joint_kind},
    {"body_a", VTK_INT32, "", joint_body_a},      {"body_b", VTK_INT32, "", joint_body_b},
    {"anchor", VTK_FLOAT32, "xyz", joint_anchor}, {"force", VTK_FLOAT32, "xyz", joint_force},
    {"error", VTK_FLOAT32, "", joint_error_now},
};

void frame_joints(struct frame *frame, struct vtk_mesh *mesh) {
    const struct joints *joints = &frame->world->joints;
    frame->drawn = memory_reserve(frame->drawn, &frame->drawn_capacity, (size_t)joints->count,
                                  sizeof *frame->drawn, "a ParaView frame");
    for (int k = 0; k < joints->count; k++) {
        vec3 first, second;
        if (joints_anchors(frame->world, &joints->list[k], &first, &second))
            frame->drawn[frame->drawn_count++] = k;
    }
    mesh->cells = frame->drawn_count;
    mesh->corners = 2;
    mesh->position = joint_end;
    FRAME_CELL_ARRAYS(mesh, joint_arrays);
}
