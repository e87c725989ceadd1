#include "engine/contact/joint_points.h"

#include <string.h>

#include "engine/contact/contacts.h"
#include "engine/motion/midpoint.h"
#include "engine/world/world.h"
#include "parallel/memory.h"

void joint_points_free(struct joint_points *joints) {
    memory_free(joints->blocks);
    memory_free(joints->points);
    *joints = (struct joint_points){0};
}

size_t joint_points_most(const struct gabion_world *world) {
    size_t most = 0;
    for (int k = 0; k < world->joints.count; k++)
        most += (size_t)joint_points(&world->joints.list[k]);
    return most;
}

// The indices of the joint's first and second body.
struct joint_bodies {
    int32_t of[2];
};

static struct joint_bodies bodies_of(const struct joint_block *block) {
    return block->swapped ? (struct joint_bodies){{block->a, block->c}}
                          : (struct joint_bodies){{block->c, block->a}};
}

static void place_middle(const struct gabion_world *world, const struct joint *joint,
                         const int32_t *body, struct joint_place *placed) {
    static const mat3 no_turn = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const struct midpoint *midpoint = world->midpoint;
    for (int i = 0; i < 2; i++) {
        bool is_world = body[i] == world->bodies.count;
        placed[i] = joint_place(&joint->side[i], is_world ? vec3_zero() : midpoint->x_m[body[i]],
                                is_world ? &no_turn : &midpoint->axes_m[body[i]]);
    }
}

// Returns H v- at q_i, in the axes of the joint there.
static vec3 velocity_at_start(const struct gabion_world *world, const struct joint *joint, int k,
                              const int32_t *body, const struct joint_place *placed) {
    const struct bodies *bodies = &world->bodies;
    vec3 u = vec3_zero(), axis[3];
    for (int i = 0; i < 2; i++) {
        if (body[i] == bodies->count)
            continue;
        vec3 arm = joint_arm(joint, &placed[i], k);
        vec3 v = vec3_add(bodies->v[body[i]], vec3_cross(bodies->w[body[i]], arm));
        u = vec3_add_scaled(u, i == 0 ? 1 : -1, v);
    }
    joint_axes(joint, placed, axis);
    return vec3_make(vec3_dot(axis[0], u), vec3_dot(axis[1], u), vec3_dot(axis[2], u));
}

static vec3 velocity_before(const struct gabion_world *world, int32_t i, vec3 arm) {
    const struct bodies *bodies = &world->bodies;
    if (i == bodies->count)
        return vec3_zero();
    vec3 s = vec3_scale(bodies_spin_radius(bodies, i), bodies->w[i]);
    return vec3_add(bodies->v[i], vec3_cross(s, arm));
}

// The largest correction of a joint in a step, as a fraction of its size. A joint may be far apart
// because a body entered late or drivers pull it open; closing it in one step would be a violent
// impact.
#define PULL 0.01

static vec3 correctable(const struct joint *joint, vec3 g) {
    double length = vec3_length(g), most = PULL * joint->lever;
    return length > most ? vec3_scale(most / length, g) : g;
}

// Finds the bias of the law u+ + bias = 0 (engine/world/joints.h).
static void find_bias(const struct gabion_world *world, const struct joint_block *block, int k,
                      struct joint_point *point) {
    const struct gabion_settings *settings = &world->settings;
    const struct joint *joint = &world->joints.list[block->joint];
    double theta = settings->theta, sign = block->swapped ? -1 : 1;
    struct joint_bodies bodies = bodies_of(block);
    struct joint_place now[2];
    joint_place_now(world, joint, bodies.of, now);
    vec3 g = correctable(joint, joint_error_at(joint, now, block->axis, k));
    vec3 start = vec3_scale(sign, velocity_at_start(world, joint, k, bodies.of, now));
    vec3 u = vec3_sub(velocity_before(world, block->c, point->arm_c),
                      velocity_before(world, block->a, point->arm_a));
    vec3 local = {vec3_dot(block->axis[0], u), vec3_dot(block->axis[1], u),
                  vec3_dot(block->axis[2], u)};
    vec3 turn = vec3_sub(local, start);
    vec3 b = vec3_add_scaled(vec3_scale((1 - theta) / theta, turn), 1 - theta, start);
    double rate = sign * settings->joint_correction / settings->step;
    point->bias = vec3_add_scaled(b, rate, g);
    point->pull = vec3_scale(rate, g);
}

static struct joint_point make_point(const struct gabion_world *world,
                                     const struct joint_block *block, int k,
                                     const struct joint_place *placed) {
    const struct joint *joint = &world->joints.list[block->joint];
    struct joint_bodies bodies = bodies_of(block);
    vec3 arm[2];
    for (int i = 0; i < 2; i++)
        arm[i] = vec3_scale(1 / midpoint_spin_radius(world->midpoint, bodies.of[i]),
                            joint_arm(joint, &placed[i], k));
    struct joint_point point = {
        .arm_c = arm[block->swapped], .arm_a = arm[!block->swapped], .held = joint_holds(joint, k)};
    find_bias(world, block, k, &point);
    return point;
}

static void add_joint(struct gabion_world *world, int index, const int32_t *body) {
    struct joint_points *joints = &world->contacts->joints;
    struct joint *joint = &world->joints.list[index];
    struct joint_place placed[2];
    bool swapped = body[1] < body[0];
    struct joint_block *block = &joints->blocks[joints->block_count++];
    *block = (struct joint_block){.c = body[swapped],
                                  .a = body[!swapped],
                                  .begin = (uint32_t)joints->count,
                                  .count = (uint32_t)joint_points(joint),
                                  .joint = index,
                                  .swapped = swapped};
    place_middle(world, joint, body, placed);
    joint_axes(joint, placed, block->axis);
    vec3 *impulse = world->contacts->impulse + world->contacts->count;
    for (int k = 0; k < (int)block->count; k++) {
        impulse[joints->count] = swapped ? vec3_negate(joint->impulse[k]) : joint->impulse[k];
        joints->points[joints->count++] = make_point(world, block, k, placed);
    }
}

void joint_points_find(struct gabion_world *world) {
    struct joint_points *joints = &world->contacts->joints;
    joints->block_count = joints->count = 0;
    if (world->joints.count == 0)
        return;
    joints->blocks = memory_reserve(joints->blocks, &joints->block_capacity,
                                    (size_t)world->joints.count, sizeof *joints->blocks, "joints");
    joints->points = memory_reserve(joints->points, &joints->capacity, joint_points_most(world),
                                    sizeof *joints->points, "joints");
    for (int k = 0; k < world->joints.count; k++) {
        int32_t body[2];
        if (joint_find_bodies(world, &world->joints.list[k], body))
            add_joint(world, k, body);
    }
}

bool joint_points_open(const struct gabion_world *world) {
    const struct joint_points *joints = &world->contacts->joints;
    double rate = world->settings.joint_correction / world->settings.step;
    for (size_t k = 0; k < joints->block_count; k++) {
        const struct joint_block *block = &joints->blocks[k];
        double most = 0.999 * PULL * world->joints.list[block->joint].lever * rate;
        for (uint32_t i = block->begin; i < block->begin + block->count; i++)
            if (vec3_length(joints->points[i].pull) > most)
                return true;
    }
    return false;
}

void joint_points_remember(struct gabion_world *world) {
    const struct joint_points *joints = &world->contacts->joints;
    const vec3 *impulse = world->contacts->impulse + world->contacts->count;
    for (int k = 0; k < world->joints.count; k++) { // a joint may have lost a body
        memset(world->joints.list[k].impulse, 0, sizeof world->joints.list[k].impulse);
        memset(world->joints.list[k].axis, 0, sizeof world->joints.list[k].axis);
    }
    for (size_t k = 0; k < joints->block_count; k++) {
        const struct joint_block *block = &joints->blocks[k];
        struct joint *joint = &world->joints.list[block->joint];
        memcpy(joint->axis, block->axis, sizeof joint->axis);
        for (uint32_t i = 0; i < JOINT_POINTS; i++) {
            vec3 r = i < block->count ? impulse[block->begin + i] : vec3_zero();
            joint->impulse[i] = block->swapped ? vec3_negate(r) : r;
        }
    }
}

vec3 joint_points_gap(const struct gabion_world *world, const struct joint_block *block, int k) {
    const struct joint *joint = &world->joints.list[block->joint];
    struct joint_bodies bodies = bodies_of(block);
    struct joint_place now[2];
    joint_place_now(world, joint, bodies.of, now);
    return vec3_scale(block->swapped ? -1 : 1, joint_error_at(joint, now, block->axis, k));
}
