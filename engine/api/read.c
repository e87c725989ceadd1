// Reading a world: body states and probes.
#include "engine/contact/contacts.h"
#include "engine/world/world.h"

bool gabion_body_state(const struct gabion_world *world, int32_t body, vec3 *position,
                       quat *orientation, vec3 *velocity, vec3 *spin) {
    const struct bodies *bodies = &world->bodies;
    if (body < 0 || body >= bodies->id_count || bodies->index_of[body] < 0)
        return false;
    int32_t i = bodies->index_of[body];
    if (position)
        *position = bodies->x[i];
    if (orientation)
        *orientation = bodies->q[i];
    if (velocity)
        *velocity = bodies->v[i];
    if (spin)
        *spin = bodies->w[i];
    return true;
}

static vec3 group_mean(const struct gabion_world *world, int group, const vec3 *values) {
    vec3 sum = vec3_zero();
    int32_t count = 0;
    for (int32_t i = 0; i < world->bodies.count; i++) {
        if (world->bodies.group[i] != group)
            continue;
        sum = vec3_add(sum, values[i]);
        count++;
    }
    return vec3_scale(1.0 / count, sum); // not a number while the group is not in the run
}

// +1 where the first body of a joint is of the group, -1 where the second is; both cancel.
static double joint_sign(const struct gabion_world *world, const struct joint *joint, int group) {
    double sign = 0;
    for (int i = 0; i < 2; i++) {
        int32_t body = joint->id[i] < 0 ? -1 : world->bodies.index_of[joint->id[i]];
        if (body >= 0 && world->bodies.group[body] == group)
            sign += i == 0 ? 1 : -1;
    }
    return sign;
}

// Contacts act on the group with their impulse at their point; those inside it cancel.
static vec3 group_moment(const struct gabion_world *world, int group) {
    const uint16_t *groups = world->bodies.group;
    vec3 about = group_mean(world, group, world->bodies.x), sum = vec3_zero();
    for (size_t k = 0; k < world->contacts->count; k++) {
        const struct contact *contact = &world->contacts->list[k];
        double sign = (groups[contact->c] == group) - (groups[contact->a] == group);
        vec3 moment = vec3_cross(vec3_sub(contact->point, about), world->contacts->impulse[k]);
        sum = vec3_add_scaled(sum, sign, moment);
    }
    sum = vec3_scale(1 / world->settings.step, sum);
    for (int k = 0; k < world->joints.count; k++) {
        const struct joint *joint = &world->joints.list[k];
        double sign = joint_sign(world, joint, group);
        if (sign != 0)
            sum = vec3_add_scaled(sum, sign, joints_moment(world, joint, about));
    }
    return sum;
}

static vec3 group_force(const struct gabion_world *world, int group) {
    const uint16_t *groups = world->bodies.group;
    vec3 sum = vec3_zero();
    for (size_t k = 0; k < world->contacts->count; k++) {
        const struct contact *contact = &world->contacts->list[k];
        if (groups[contact->c] == group)
            sum = vec3_add(sum, world->contacts->impulse[k]);
        if (groups[contact->a] == group)
            sum = vec3_sub(sum, world->contacts->impulse[k]);
    }
    sum = vec3_scale(1 / world->settings.step, sum);
    for (int k = 0; k < world->joints.count; k++) {
        const struct joint *joint = &world->joints.list[k];
        sum = vec3_add_scaled(sum, joint_sign(world, joint, group), joints_force(world, joint));
    }
    return sum;
}

vec3 gabion_probe_value(const struct gabion_world *world, int probe) {
    const struct probe *p = &world->probes[probe];
    switch (p->quantity) {
    case GABION_POSITION:
        return group_mean(world, p->group, world->bodies.x);
    case GABION_VELOCITY:
        return group_mean(world, p->group, world->bodies.v);
    case GABION_SPIN:
        return group_mean(world, p->group, world->bodies.w);
    case GABION_FORCE:
        return group_force(world, p->group);
    case GABION_MOMENT:
        return group_moment(world, p->group);
    }
    return vec3_zero();
}
