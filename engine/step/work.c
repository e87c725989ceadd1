#include "engine/step/work.h"

#include "engine/contact/shared.h"
#include "engine/motion/motion.h"
#include "engine/step/across.h"
#include "engine/step/step.h"
#include "engine/world/loads.h"

struct work_context {
    const struct gabion_world *world;
    vec3 gravity, gravity_now, gravity_next; // theta-average, at t, at t + h
    const vec3 *group_force;
};

enum { WORK_APPLIED, WORK_THETA, WORK_COUNT };

// Returns the work of the gyroscopic term that comes from applying the contact impulse after it:
// with the spin W_free that the free rotation reached (with what joints were expected to do) and W+
// that the contacts left, -h/2 (W+ - W_free).(Wm x I Wm).
static double gyroscopic_work(const struct gabion_world *world, int32_t i, vec3 w_after) {
    const struct bodies *bodies = &world->bodies;
    if (!motion_is_gyroscopic(bodies, i))
        return 0;
    mat3 axes = motion_midpoint_axes(world, i);
    double scale = 1 / bodies->radius[i];
    vec3 before = mat3_apply_transposed(axes, bodies->w[i]);
    vec3 free = mat3_apply_transposed(axes, vec3_scale(scale, world->midpoint->s_free[i]));
    vec3 after = mat3_apply_transposed(axes, w_after);
    free = vec3_add(free, motion_expected_turn(world, i, &axes));
    vec3 turn = motion_gyroscopic_moment(world, i, &axes, before, free);
    return -0.5 * world->settings.step * vec3_dot(vec3_sub(after, free), turn);
}

// Returns the power of the forces and moments that the program applied, at the mean velocity and
// spin of the step.
static double applied_power(const struct gabion_world *world, int32_t i, vec3 velocity,
                            vec3 spin_after) {
    struct applied applied = loads_applied(world, i);
    vec3 spin = vec3_scale(0.5, vec3_add(world->bodies.w[i], spin_after));
    return vec3_dot(applied.force, velocity) + vec3_dot(applied.moment, spin);
}

static void add_body_work(void *context, size_t begin, size_t end, struct binned_sum *out) {
    const struct work_context *work = context;
    const struct gabion_world *world = work->world;
    const struct bodies *bodies = &world->bodies;
    double h = world->settings.step, theta = world->settings.theta;
    for (size_t i = begin; i < end; i++) {
        struct body_velocity end_velocity = step_velocity(world, (int32_t)i);
        vec3 before = bodies->v[i], after = end_velocity.v;
        vec3 mean = vec3_scale(0.5, vec3_add(before, after));
        double m = bodies->mass[i];
        if (work->group_force)
            binned_add(&out[WORK_APPLIED], h * vec3_dot(work->group_force[bodies->group[i]], mean));
        vec3 spin_after = vec3_scale(1 / bodies->radius[i], end_velocity.s);
        if (world->applied)
            binned_add(&out[WORK_APPLIED], h * applied_power(world, (int32_t)i, mean, spin_after));
        binned_add(&out[WORK_THETA],
                   -(theta - 0.5) * h * m * vec3_dot(work->gravity, vec3_sub(after, before)));
        binned_add(&out[WORK_THETA], gyroscopic_work(world, (int32_t)i, spin_after));
        // Under a ramp the potential -m g(t).x changes with g as well as with x.
        vec3 moved = vec3_add_scaled(vec3_add_scaled(bodies->x[i], (1 - theta) * h, before),
                                     theta * h, after);
        binned_add(&out[WORK_APPLIED],
                   -m * (vec3_dot(vec3_sub(work->gravity_next, work->gravity), moved) -
                         vec3_dot(vec3_sub(work->gravity_now, work->gravity), bodies->x[i])));
    }
}

// Adds 1/2 (u+ + u-).r of each contact, and the part of it that a prescribed body did.
static void add_contact_work(void *context, size_t begin, size_t end, struct binned_sum *out) {
    const struct gabion_world *world = context;
    const struct bodies *bodies = &world->bodies;
    struct binned_terms done = {.sum = &out[0]}, driven = {.sum = &out[1]};
    for (size_t k = begin; k < end; k++) {
        const struct contact *contact = &world->contacts->list[k];
        int32_t c = contact->c, a = contact->a;
        if (!contacts_carries(world->contacts, k))
            continue;
        double R_c = bodies_spin_radius(bodies, c), R_a = bodies_spin_radius(bodies, a);
        vec3 impulse = world->contacts->impulse[k];
        struct across_place place = across_place(world, k);
        struct body_velocity after_c = step_velocity(world, c), after_a = step_velocity(world, a);
        vec3 v_c = vec3_add(bodies->v[c], after_c.v), v_a = vec3_add(bodies->v[a], after_a.v);
        vec3 s_c = vec3_add_scaled(after_c.s, R_c, bodies->w[c]);
        vec3 s_a = vec3_add_scaled(after_a.s, R_a, bodies->w[a]);
        vec3 at_c = vec3_add(v_c, vec3_cross(s_c, place.arm_c));
        vec3 at_a = vec3_add(v_a, vec3_cross(s_a, place.arm_a));
        binned_keep(&done, 0.5 * vec3_dot(vec3_sub(at_c, at_a), impulse));
        if (a >= bodies->moving)
            binned_keep(&driven, 0.5 * vec3_dot(at_a, impulse));
    }
    binned_flush(&done);
    binned_flush(&driven);
}

// Returns the sum of the velocities before and after the step.
static struct body_velocity velocity_sum(const struct gabion_world *world, int32_t i) {
    const struct bodies *bodies = &world->bodies;
    struct body_velocity after = step_velocity(world, i);
    if (i == bodies->count) // the world itself
        return after;
    vec3 s = vec3_scale(bodies_spin_radius(bodies, i), bodies->w[i]);
    return (struct body_velocity){vec3_add(bodies->v[i], after.v), vec3_add(s, after.s)};
}

static vec3 velocity_at(struct body_velocity u, vec3 arm) {
    return vec3_add(u.v, vec3_cross(u.s, arm));
}

static vec3 in_frame(const struct joint_block *block, vec3 u) {
    return vec3_make(vec3_dot(block->axis[0], u), vec3_dot(block->axis[1], u),
                     vec3_dot(block->axis[2], u));
}

// Adds 1/2 (u+ + u-).r of all joints, and the part of it that prescribed bodies did.
static void joints_work(const struct gabion_world *world, double *work, double *driven) {
    const struct joint_points *joints = &world->contacts->joints;
    const vec3 *impulse = world->contacts->impulse + world->contacts->count;
    *work = *driven = 0;
    for (size_t k = 0; k < joints->block_count; k++) {
        const struct joint_block *block = &joints->blocks[k];
        struct body_velocity c = velocity_sum(world, block->c), a = velocity_sum(world, block->a);
        for (uint32_t i = block->begin; i < block->begin + block->count; i++) {
            const struct joint_point *point = &joints->points[i];
            vec3 at_c = velocity_at(c, point->arm_c), at_a = velocity_at(a, point->arm_a);
            *work += 0.5 * vec3_dot(in_frame(block, vec3_sub(at_c, at_a)), impulse[i]);
            if (block->a >= world->bodies.moving)
                *driven -= 0.5 * vec3_dot(in_frame(block, vec3_negate(at_a)), impulse[i]);
        }
    }
}

void work_of_step(struct gabion_world *world) {
    struct ledger *ledger = &world->ledger;
    double t = world_time(world), body[WORK_COUNT];
    struct work_context work = {
        .world = world,
        .gravity = loads_step_gravity(world),
        .gravity_now = loads_gravity(world, t),
        .gravity_next = loads_gravity(world, t + world->settings.step),
        .group_force = world->force_count > 0 ? world->midpoint->group_force : NULL,
    };
    piece_sum(world, WORK_COUNT, add_body_work, &work, body);
    ledger->applied_work += body[WORK_APPLIED];
    ledger->theta_work += body[WORK_THETA];
    ledger->explained = body[WORK_APPLIED] + body[WORK_THETA];
    ledger->turnover += fabs(body[WORK_APPLIED]) + fabs(body[WORK_THETA]);
    work_of_impulses(world);
}

void work_of_impulses(struct gabion_world *world) {
    struct ledger *ledger = &world->ledger;
    double contact[2], joint, driven;
    contacts_sum(world, 2, add_contact_work, world, contact);
    joints_work(world, &joint, &driven);
    driven += contact[1];
    ledger->contact_work += contact[0];
    ledger->joint_work += joint;
    ledger->driver_work += driven;
    ledger->explained += contact[0] + joint + driven;
    ledger->turnover += fabs(contact[0]) + fabs(joint) + fabs(driven);
}
