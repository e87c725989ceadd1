// Forces of contacts and joints on a group, and where they act.
#include "engine/probe/quantities.h"
#include "engine/probe/selection.h"
#include "engine/world/joints.h"

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

// Contacts act on the group with their impulse at their point, as it is at the end of the step;
// those inside the group cancel.
static vec3 group_moment(const struct gabion_world *world, int group, vec3 about) {
    const uint16_t *groups = world->bodies.group;
    vec3 sum = vec3_zero();
    for (size_t k = 0; k < world->contacts->count; k++) {
        const struct contact *contact = &world->contacts->list[k];
        double sign = (groups[contact->c] == group) - (groups[contact->a] == group);
        if (sign == 0)
            continue;
        vec3 arm = vec3_sub(contacts_position(world, contact), about);
        sum = vec3_add_scaled(sum, sign, vec3_cross(arm, world->contacts->impulse[k]));
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

static vec3 mean_position(const struct gabion_world *world, const struct probe *probe) {
    double x[3];
    probe_position(world, probe, x);
    return vec3_make(x[0], x[1], x[2]);
}

void probe_force(const struct gabion_world *world, const struct probe *probe, double *values) {
    probe_put(values, group_force(world, probe->group));
}

void probe_moment(const struct gabion_world *world, const struct probe *probe, double *values) {
    probe_put(values, group_moment(world, probe->group, mean_position(world, probe)));
}

// Reaction --------------------------------------------------------------------------------------

// Returns the half-space of the group with the lowest id; -1: there is none.
static int32_t first_wall(const struct gabion_world *world, int group) {
    const struct bodies *bodies = &world->bodies;
    int32_t first = -1;
    for (int32_t i = 0; i < bodies->count; i++)
        if (bodies->group[i] == group && bodies->shape[i] == GABION_HALF_SPACE &&
            (first < 0 || bodies->id[i] < bodies->id[first]))
            first = i;
    return first;
}

static struct gabion_section find_plane(const struct gabion_world *world,
                                        const struct probe *probe) {
    const struct bodies *bodies = &world->bodies;
    int32_t wall = first_wall(world, probe->group);
    if (vec3_length(probe->plane.normal) > 0)
        return probe->plane;
    if (wall >= 0) {
        mat3 axes = quat_matrix(bodies->q[wall]);
        return (struct gabion_section){.point = bodies->x[wall],
                                       .normal = bodies_plane_normal(bodies, wall, &axes)};
    }
    return (struct gabion_section){.point = mean_position(world, probe), .normal = {0, 0, 1}};
}

// The moment of the forces about the point that acts has no component along the plane: with M the
// moment about a point o of the plane, it is o + n x M / (n . F).
void probe_reaction(const struct gabion_world *world, const struct probe *probe, double *values) {
    struct gabion_section plane = find_plane(world, probe);
    vec3 force = group_force(world, probe->group);
    vec3 moment = group_moment(world, probe->group, plane.point);
    double pressure = vec3_dot(plane.normal, force);
    vec3 away = vec3_scale(1 / pressure, vec3_cross(plane.normal, moment));
    bool acts = fabs(pressure) > 1e-12 * vec3_length(force);
    probe_put(values, vec3_sub(vec3_zero(), force)); // no -0
    probe_put(values + 3, acts ? vec3_add(plane.point, away) : vec3_make(NAN, NAN, NAN));
}
