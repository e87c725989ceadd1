// gabion_add_joint: from anchors and axes in the world to places on the two bodies.
#include "engine/api/entry.h"
#include "parallel/memory.h"

// A body as it is defined, in the run or waiting.
struct pose {
    vec3 x;
    mat3 axes;
    double radius;
    bool moves;
};

static bool find_pose(const struct gabion_world *world, int32_t id, struct pose *pose) {
    const struct bodies *bodies = &world->bodies;
    *pose = (struct pose){.axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    if (id < 0)
        return id == -1;
    if (id >= bodies->id_count)
        return false;
    int32_t i = bodies->index_of[id];
    if (i >= 0) {
        *pose = (struct pose){bodies->x[i], quat_matrix(bodies->q[i]), bodies->radius[i],
                              bodies->mass[i] > 0};
        return true;
    }
    for (int k = 0; k < world->pending_count; k++)
        if (world->pending[k].id == id) {
            quat q;
            bodies_place(bodies, &world->pending[k].body, &pose->x, &q, &pose->radius);
            pose->axes = quat_matrix(q);
            pose->moves = !world->pending[k].body.fixed;
            return true;
        }
    return false;
}

// Largest distance of an anchor from the centre of a body, in radii. Beyond, the effect of an
// impulse on the velocity is lost in the rounding error of its effect on the spin.
#define FAR 1e7

static bool is_far(const struct pose *pose, vec3 anchor) {
    return pose->moves && !(vec3_length(vec3_sub(anchor, pose->x)) <= FAR * pose->radius);
}

static const char *joint_defect(const struct gabion_world *world, const struct gabion_joint *joint,
                                const struct pose *pose) {
    if ((unsigned)joint->kind >= GABION_JOINT_COUNT)
        return "the kind does not exist";
    if (joint->first == joint->second)
        return "a joint needs two different bodies";
    if (!pose[0].moves && !pose[1].moves)
        return "both bodies are fixed; one of them has to move";
    if (!vec3_finite(joint->anchor) || !vec3_finite(joint->anchor_second))
        return "the anchor must be finite";
    if (!vec3_finite(joint->axis))
        return "the axis must be finite";
    double axis = vec3_length(joint->axis);
    if (joint->kind == GABION_JOINT_HINGE && !(axis > 0 && isfinite(axis)))
        return "the axis must not be zero";
    double length = vec3_length(vec3_sub(joint->anchor, joint->anchor_second));
    bool distance = joint->kind == GABION_JOINT_DISTANCE;
    if (distance && !(length > 0 && isfinite(length)))
        return "the two anchors coincide; a distance needs two points (for none use a ball joint)";
    if (is_far(&pose[0], joint->anchor) ||
        is_far(&pose[1], distance ? joint->anchor_second : joint->anchor))
        return "the anchor is more than 1e7 radii away from a body; check its coordinates (m)";
    if (world->step > 0)
        return "joints are defined before the first step";
    return NULL;
}

static struct joint_side side_at(const struct pose *pose, vec3 anchor, const vec3 *axis) {
    struct joint_side side = {.anchor =
                                  mat3_apply_transposed(pose->axes, vec3_sub(anchor, pose->x))};
    vec3 local[3];
    for (int i = 0; i < 3; i++)
        local[i] = mat3_apply_transposed(pose->axes, axis[i]);
    for (int i = 0; i < 3; i++)
        side.frame.row[i] =
            vec3_make(vec3_get(local[0], i), vec3_get(local[1], i), vec3_get(local[2], i));
    return side;
}

// Returns the distance between the points of a joint. Points that are close together relative to
// their distance from the centre of mass have nearly the same effect on the body, and sweeps would
// converge slowly.
static double lever_of(const struct joint *joint, const struct pose *pose) {
    double lever = 0;
    for (int i = 0; i < 2; i++)
        if (pose[i].moves)
            lever = fmax(lever, fmax(pose[i].radius, vec3_length(joint->side[i].anchor)));
    return lever;
}

static void append(struct gabion_world *world, const struct gabion_joint *joint,
                   const struct pose *pose) {
    struct joints *joints = &world->joints;
    vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    vec3 second = joint->kind == GABION_JOINT_DISTANCE ? joint->anchor_second : joint->anchor;
    if (joint->kind == GABION_JOINT_HINGE) {
        axis[2] = vec3_scale(1 / vec3_length(joint->axis), joint->axis);
        vec3_tangents(axis[2], &axis[0], &axis[1]);
    }
    joints->list =
        memory_resize(joints->list, (size_t)joints->count + 1, sizeof *joints->list, "joints");
    struct joint *own = &joints->list[joints->count++];
    *own = (struct joint){
        .kind = joint->kind,
        .id = {joint->first, joint->second},
        .collide = joint->collide,
        .side = {side_at(&pose[0], joint->anchor, axis), side_at(&pose[1], second, axis)},
        .length = vec3_length(vec3_sub(joint->anchor, second)),
    };
    own->lever = lever_of(own, pose);
}

static void add_joint(struct call *call) {
    struct gabion_world *world = call->world;
    const struct gabion_joint *joint = call->arguments;
    struct pose pose[2];
    const char *defect = "it names a body that does not exist";
    if (joint->first >= 0 && find_pose(world, joint->first, &pose[0]) &&
        find_pose(world, joint->second, &pose[1]))
        defect = joint_defect(world, joint, pose);
    if (defect) {
        error_set(call->error, GABION_ERROR_INPUT, "joint %d: %s", world->joints.count, defect);
        return;
    }
    append(world, joint, pose);
    call->result = world->joints.count - 1;
}

int gabion_add_joint(struct gabion_world *world, const struct gabion_joint *joint,
                     struct gabion_error *error) {
    if (!joint) {
        entry_missing("the joint", error);
        return -1;
    }
    return (int)call_run(world, add_joint, joint, error);
}
