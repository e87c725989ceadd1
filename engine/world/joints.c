#include "engine/world/joints.h"

#include <stdlib.h>

#include "engine/world/hold.h"
#include "engine/world/world.h"
#include "parallel/memory.h"

void joints_free(struct joints *joints) {
    memory_free(joints->list);
    memory_free(joints->apart);
    *joints = (struct joints){0};
}

// Points and places ---------------------------------------------------------------------------

static const uint8_t held_by[GABION_JOINT_COUNT][JOINT_POINTS] = {
    [GABION_JOINT_BALL] = {HOLD_ALL},
    [GABION_JOINT_HINGE] = {HOLD_ALL, HOLD_POINT | HOLD_N | HOLD_S},
    [GABION_JOINT_FIXED] = {HOLD_ALL, HOLD_POINT | HOLD_N | HOLD_S, HOLD_POINT | HOLD_N},
    [GABION_JOINT_DISTANCE] = {HOLD_POINT | HOLD_N},
};

int joint_points(const struct joint *joint) {
    int count = 0;
    while (count < JOINT_POINTS && held_by[joint->kind][count])
        count++;
    return count;
}

uint8_t joint_holds(const struct joint *joint, int k) { return held_by[joint->kind][k]; }

struct joint_place joint_place(const struct joint_side *side, vec3 centre, const mat3 *axes) {
    struct joint_place placed = {.centre = centre, .arm = mat3_apply(*axes, side->anchor)};
    for (int i = 0; i < 3; i++) {
        const vec3 *row = side->frame.row;
        vec3 column = {vec3_get(row[0], i), vec3_get(row[1], i), vec3_get(row[2], i)};
        placed.axis[i] = mat3_apply(*axes, column);
    }
    return placed;
}

// The second point lies along t, the third along s: a turn about t moves that along n.
vec3 joint_arm(const struct joint *joint, const struct joint_place *side, int k) {
    return k == 0 ? side->arm
                  : vec3_add_scaled(side->arm, joint->lever, side->axis[k == 1 ? 2 : 1]);
}

void joint_place_now(const struct gabion_world *world, const struct joint *joint,
                     const int32_t *body, struct joint_place *placed) {
    static const mat3 no_turn = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const struct bodies *bodies = &world->bodies;
    for (int i = 0; i < 2; i++) {
        bool is_world = body[i] == bodies->count;
        mat3 axes = is_world ? no_turn : quat_matrix(bodies->q[body[i]]);
        placed[i] =
            joint_place(&joint->side[i], is_world ? vec3_zero() : bodies->x[body[i]], &axes);
    }
}

static vec3 separation(const struct joint *joint, const struct joint_place *placed, int k) {
    vec3 first = vec3_add(placed[0].centre, joint_arm(joint, &placed[0], k));
    vec3 second = vec3_add(placed[1].centre, joint_arm(joint, &placed[1], k));
    return vec3_sub(first, second);
}

void joint_axes(const struct joint *joint, const struct joint_place *placed, vec3 *axis) {
    for (int i = 0; i < 3; i++)
        axis[i] = placed[1].axis[i];
    if (joint->kind != GABION_JOINT_DISTANCE)
        return;
    vec3 line = separation(joint, placed, 0);
    double length = vec3_length(line);
    if (length > 0)
        axis[0] = vec3_scale(1 / length, line);
    vec3_tangents(axis[0], &axis[1], &axis[2]);
}

vec3 joint_error_at(const struct joint *joint, const struct joint_place *placed, const vec3 *axis,
                    int k) {
    vec3 apart = separation(joint, placed, k);
    if (joint->kind == GABION_JOINT_DISTANCE)
        return vec3_make(vec3_length(apart) - joint->length, 0, 0);
    vec3 g = {vec3_dot(axis[0], apart), vec3_dot(axis[1], apart), vec3_dot(axis[2], apart)};
    return hold_keep(held_by[joint->kind][k], g);
}

bool joint_find_bodies(const struct gabion_world *world, const struct joint *joint, int32_t *body) {
    for (int i = 0; i < 2; i++)
        body[i] = joint->id[i] < 0 ? world->bodies.count : world->bodies.index_of[joint->id[i]];
    return body[0] >= 0 && body[1] >= 0;
}

// Readings ------------------------------------------------------------------------------------

static vec3 impulse_along(const struct joint *joint, const vec3 *axis, int k) {
    vec3 sum = vec3_zero();
    for (int i = 0; i < 3; i++)
        sum = vec3_add_scaled(sum, vec3_get(joint->impulse[k], i), axis[i]);
    return sum;
}

static void add_moment(const struct joint *joint, const struct joint_place *placed,
                       const int32_t *body, int32_t moving, vec3 *moment) {
    vec3 axis[3];
    joint_axes(joint, placed, axis);
    for (int k = 0; k < joint_points(joint); k++) {
        vec3 p = impulse_along(joint, axis, k);
        for (int i = 0; i < 2; i++)
            if (body[i] < moving)
                moment[body[i]] = vec3_add_scaled(moment[body[i]], i == 0 ? 1 : -1,
                                                  vec3_cross(joint_arm(joint, &placed[i], k), p));
    }
}

void joints_moments(const struct gabion_world *world, vec3 *moment) {
    int32_t moving = world->bodies.moving;
    for (int32_t i = 0; i < moving; i++)
        moment[i] = vec3_zero();
    for (int k = 0; k < world->joints.count; k++) {
        const struct joint *joint = &world->joints.list[k];
        struct joint_place placed[2];
        int32_t body[2];
        if (!joint_find_bodies(world, joint, body))
            continue;
        joint_place_now(world, joint, body, placed);
        add_moment(joint, placed, body, moving, moment);
    }
}

vec3 joints_force(const struct gabion_world *world, const struct joint *joint) {
    vec3 sum = vec3_zero();
    for (int k = 0; k < joint_points(joint); k++)
        sum = vec3_add(sum, impulse_along(joint, joint->axis, k));
    return vec3_scale(1 / world->settings.step, sum);
}

vec3 joints_moment(const struct gabion_world *world, const struct joint *joint, vec3 about) {
    struct joint_place placed[2];
    int32_t body[2];
    vec3 sum = vec3_zero();
    if (!joint_find_bodies(world, joint, body))
        return sum;
    joint_place_now(world, joint, body, placed);
    for (int k = 0; k < joint_points(joint); k++) {
        vec3 point = vec3_add(placed[0].centre, joint_arm(joint, &placed[0], k));
        vec3 impulse = impulse_along(joint, joint->axis, k);
        sum = vec3_add(sum, vec3_cross(vec3_sub(point, about), impulse));
    }
    return vec3_scale(1 / world->settings.step, sum);
}

double joint_error(const struct gabion_world *world, const struct joint *joint) {
    int32_t body[2];
    struct joint_place placed[2];
    vec3 axis[3];
    double most = 0;
    if (!joint_find_bodies(world, joint, body))
        return 0;
    joint_place_now(world, joint, body, placed);
    joint_axes(joint, placed, axis);
    for (int k = 0; k < joint_points(joint); k++)
        most = fmax(most, vec3_length(joint_error_at(joint, placed, axis, k)));
    return most;
}

double joints_error(const struct gabion_world *world) {
    double most = 0;
    for (int k = 0; k < world->joints.count; k++)
        most = fmax(most, joint_error(world, &world->joints.list[k]));
    return most;
}

bool joints_anchors(const struct gabion_world *world, const struct joint *joint, vec3 *first,
                    vec3 *second) {
    int32_t body[2];
    struct joint_place placed[2];
    if (!joint_find_bodies(world, joint, body))
        return false;
    joint_place_now(world, joint, body, placed);
    *first = vec3_add(placed[0].centre, placed[0].arm);
    *second = vec3_add(placed[1].centre, placed[1].arm);
    return true;
}

// Joined bodies do not collide ------------------------------------------------------------------

static int compare_keys(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

void joints_list_apart(struct joints *joints) {
    if (joints->listed == joints->count)
        return;
    joints->listed = joints->count;
    joints->apart_count = 0;
    joints->apart =
        memory_resize(joints->apart, (size_t)joints->count, sizeof *joints->apart, "joints");
    for (int k = 0; k < joints->count; k++) {
        const struct joint *joint = &joints->list[k];
        if (!joint->collide && joint->id[0] >= 0 && joint->id[1] >= 0)
            joints->apart[joints->apart_count++] = joints_key(joint->id[0], joint->id[1]);
    }
    if (joints->apart_count > 1)
        qsort(joints->apart, joints->apart_count, sizeof *joints->apart, compare_keys);
}

bool joints_listed(const struct joints *joints, uint64_t key) {
    size_t low = 0, high = joints->apart_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (joints->apart[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < joints->apart_count && joints->apart[low] == key;
}
