#include "engine/motion/motion.h"

#include <string.h>

#include "engine/world/drivers.h"
#include "engine/problem/problem.h"
#include "engine/world/signal.h"
#include "parallel/memory.h"

#define BODY_CHUNK 4096

// Loads ---------------------------------------------------------------------------------------

vec3 motion_gravity(const struct gabion_world *world, double time) {
    const struct gabion_settings *settings = &world->settings;
    double start = settings->gravity_ramp_start, length = settings->gravity_ramp_end - start;
    double share = length > 0 ? signal_smooth_step((time - start) / length) : 1;
    vec3 gravity = vec3_scale(share, settings->gravity);
    if (world->tilt.given.amplitude == 0)
        return gravity;
    quat turn = quat_about(world->tilt_axis, signal_change(&world->tilt, time));
    return mat3_apply(quat_matrix(turn), gravity);
}

vec3 motion_step_gravity(const struct gabion_world *world) {
    double t = world_time(world), h = world->settings.step, theta = world->settings.theta;
    vec3 now = motion_gravity(world, t), next = motion_gravity(world, t + h);
    return vec3_add_scaled(vec3_scale(1 - theta, now), theta, next);
}

const vec3 *motion_group_forces(struct gabion_world *world) {
    double t = world_time(world), h = world->settings.step, theta = world->settings.theta;
    if (world->force_count == 0)
        return NULL;
    struct problem *problem = world->problem;
    problem->group_force =
        memory_resize(problem->group_force, (size_t)world->groups.count, sizeof(vec3), "forces");
    for (int group = 0; group < world->groups.count; group++)
        problem->group_force[group] = vec3_zero();
    for (int k = 0; k < world->force_count; k++) {
        const struct force *force = &world->forces[k];
        if (t + 0.5 * h < force->signal.given.start || t + 0.5 * h > force->signal.given.end)
            continue;
        double size = (1 - theta) * signal_value(&force->signal, t) +
                      theta * signal_value(&force->signal, t + h);
        vec3 *sum = &problem->group_force[force->group];
        *sum = vec3_add_scaled(*sum, size, force->direction);
    }
    return problem->group_force;
}

// Inverse masses ------------------------------------------------------------------------------

bool motion_needs_tensor(const struct bodies *bodies, int32_t i) {
    if (i >= bodies->moving)
        return false;
    unsigned lock = bodies->lock[i], rotations = lock >> 3;
    if (lock & 7)
        return true;
    return rotations == 0 ? !bodies_isotropic(bodies, i) : rotations != 7;
}

// Inverse of the inertia restricted to the axes that are free to turn, zero elsewhere: removing
// degrees of freedom is not the same as zeroing rows of the full inverse.
static sym3 restricted_inverse(sym3 inertia, unsigned locked) {
    double a[3][3] = {{inertia.xx, inertia.xy, inertia.xz},
                      {inertia.xy, inertia.yy, inertia.yz},
                      {inertia.xz, inertia.yz, inertia.zz}};
    double inverse[3][3] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if ((locked >> i & 1) || (locked >> j & 1))
                a[i][j] = i == j ? 1 : 0;
    double determinant = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        determinant += a[0][i] * (a[1][j] * a[2][k] - a[1][k] * a[2][j]);
        for (int l = 0; l < 3; l++) {
            int m = (l + 1) % 3, n = (l + 2) % 3;
            inverse[i][l] = a[m][j] * a[n][k] - a[m][k] * a[n][j];
        }
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            inverse[i][j] =
                (locked >> i & 1) || (locked >> j & 1) ? 0 : inverse[i][j] / determinant;
    return (sym3){inverse[0][0], inverse[1][1], inverse[2][2],
                  inverse[0][1], inverse[0][2], inverse[1][2]};
}

// With unequal moments the body's axes are asked for.
static struct solver_tensor make_tensor(const struct gabion_world *world, int32_t i,
                                        mat3 (*axes)(const struct gabion_world *, int32_t)) {
    const struct bodies *bodies = &world->bodies;
    struct solver_tensor tensor = {0};
    if (i >= bodies->moving)
        return tensor;
    unsigned lock = bodies->lock[i];
    double inv_m = 1 / bodies->mass[i], scale = bodies->radius[i] * bodies->radius[i];
    for (int axis = 0; axis < 3; axis++)
        vec3_set(&tensor.inv_m, axis, lock >> axis & 1 ? 0 : inv_m);
    vec3 inertia = vec3_scale(1 / scale, bodies->inertia[i]);
    sym3 turned = bodies_isotropic(bodies, i) ? (sym3){inertia.x, inertia.y, inertia.z, 0, 0, 0}
                                              : sym3_from_principal(axes(world, i), inertia);
    tensor.k = restricted_inverse(turned, lock >> 3);
    return tensor;
}

// Prediction ----------------------------------------------------------------------------------

vec3 motion_free_spin(vec3 inertia, vec3 before, vec3 kick, double h) {
    vec3 after = before;
    for (int iteration = 0; iteration < 30; iteration++) {
        vec3 middle = vec3_scale(0.5, vec3_add(before, after));
        vec3 momentum = vec3_times(inertia, middle);
        vec3 residual = vec3_add_scaled(vec3_times(inertia, vec3_sub(after, before)), h,
                                        vec3_cross(middle, momentum));
        residual = vec3_sub(residual, kick);
        vec3 column[3];
        for (int axis = 0; axis < 3; axis++) {
            vec3 e = vec3_zero(), ie = vec3_zero();
            vec3_set(&e, axis, 1);
            vec3_set(&ie, axis, vec3_get(inertia, axis));
            vec3 turn = vec3_add(vec3_cross(e, momentum), vec3_cross(middle, ie));
            column[axis] = vec3_add_scaled(ie, 0.5 * h, turn);
        }
        mat3 slope = {{{column[0].x, column[1].x, column[2].x},
                       {column[0].y, column[1].y, column[2].y},
                       {column[0].z, column[1].z, column[2].z}}};
        vec3 change;
        mat3_solve(slope, residual, &change);
        after = vec3_sub(after, change);
        if (vec3_dot(change, change) <= 1e-32 * vec3_dot(after, after))
            break;
    }
    return after;
}

mat3 motion_midpoint_axes(const struct gabion_world *world, int32_t i) {
    double h = (1 - world->settings.theta) * world->settings.step;
    quat turn = quat_exp(vec3_scale(h, world->bodies.w[i]));
    return quat_matrix(quat_multiply(turn, world->bodies.q[i]));
}

vec3 motion_expected_turn(const struct gabion_world *world, int32_t i, const mat3 *axes) {
    vec3 inertia = world->bodies.inertia[i];
    if (world->joints.count == 0)
        return vec3_zero();
    vec3 kick = mat3_apply_transposed(*axes, world->problem->joint_moment[i]);
    vec3 turn = {kick.x / inertia.x, kick.y / inertia.y, kick.z / inertia.z};
    vec3 w = world->bodies.w[i];
    return vec3_dot(turn, turn) <= vec3_dot(w, w) ? turn : vec3_zero();
}

// What the applied moment adds to the spin of a body that has no gyroscopic term.
static vec3 applied_turn(const struct gabion_world *world, int32_t i) {
    double R = world->bodies.radius[i], h = world->settings.step;
    sym3 inverse = make_tensor(world, i, motion_midpoint_axes).k; // of the inertia over R^2
    return sym3_apply(inverse, vec3_scale(h / (R * R), motion_applied(world, i).moment));
}

static vec3 free_spin(const struct gabion_world *world, int32_t i) {
    const struct bodies *bodies = &world->bodies;
    if (bodies_isotropic(bodies, i) || bodies->lock[i] >> 3)
        return world->applied ? vec3_add(bodies->w[i], applied_turn(world, i)) : bodies->w[i];
    mat3 axes = motion_midpoint_axes(world, i);
    vec3 before = mat3_apply_transposed(axes, bodies->w[i]);
    vec3 turn = motion_expected_turn(world, i, &axes);
    vec3 expected = vec3_times(bodies->inertia[i], turn);
    if (world->applied)
        expected = vec3_add_scaled(expected, world->settings.step,
                                   mat3_apply_transposed(axes, motion_applied(world, i).moment));
    vec3 after = motion_free_spin(bodies->inertia[i], before, expected, world->settings.step);
    after = vec3_sub(after, turn);
    // Only the change is turned back: the axes are orthonormal to rounding, always on the same
    // side, and turning the whole spin there and back would scale it in every step.
    return vec3_add(bodies->w[i], mat3_apply(axes, vec3_sub(after, before)));
}

struct prediction {
    struct gabion_world *world;
    vec3 gravity;
    const vec3 *group_force;
};

static void predict_moving(void *context, size_t begin, size_t end) {
    const struct prediction *prediction = context;
    struct gabion_world *world = prediction->world;
    struct bodies *bodies = &world->bodies;
    struct problem *problem = world->problem;
    double h = world->settings.step, theta = world->settings.theta;
    for (int32_t i = (int32_t)begin; i < (int32_t)end; i++) {
        double inv_m = 1 / bodies->mass[i], radius = bodies->radius[i];
        vec3 acceleration = prediction->gravity;
        if (prediction->group_force)
            acceleration =
                vec3_add_scaled(acceleration, inv_m, prediction->group_force[bodies->group[i]]);
        if (world->applied)
            acceleration = vec3_add_scaled(acceleration, inv_m, motion_applied(world, i).force);
        for (int axis = 0; axis < 3; axis++)
            if (bodies->lock[i] >> axis & 1)
                vec3_set(&acceleration, axis, 0);
        problem->x_m[i] = vec3_add_scaled(bodies->x[i], (1 - theta) * h, bodies->v[i]);
        problem->v_free[i] = vec3_add_scaled(bodies->v[i], h, acceleration);
        problem->s_free[i] = vec3_scale(radius, free_spin(world, i));
        bool turns = bodies->lock[i] >> 3 == 0;
        problem->bodies[i].inv_m = inv_m;
        problem->bodies[i].k = turns ? radius * radius / bodies->inertia[i].x : 0;
    }
}

static void predict_fixed(struct gabion_world *world) {
    struct bodies *bodies = &world->bodies;
    struct problem *problem = world->problem;
    for (int32_t i = bodies->moving; i < problem->body_count; i++) {
        problem->x_m[i] = i < bodies->count ? bodies->x[i] : vec3_zero();
        problem->v_free[i] = problem->s_free[i] = vec3_zero();
        problem->bodies[i].inv_m = problem->bodies[i].k = 0;
    }
    drivers_predict(world);
}

static void find_tensor_bodies(void *context, size_t begin, size_t end, double *out) {
    const struct gabion_world *world = context;
    for (size_t i = begin; i < end && out[0] == 0; i++)
        if (motion_needs_tensor(&world->bodies, (int32_t)i))
            out[0] = 1;
}

static void fill_tensors(void *context, size_t begin, size_t end) {
    struct gabion_world *world = context;
    for (size_t i = begin; i < end; i++)
        world->problem->tensors[i] = make_tensor(world, (int32_t)i, motion_midpoint_axes);
}

// Any contact that the sphere kernels cannot take makes tensors necessary.
static bool general_law(const struct gabion_world *world) {
    for (int k = 0; k < world->laws.count; k++)
        if (world->laws.law[k].tangential_restitution > 0)
            return true;
    return world->settings.local == GABION_LOCAL_EXACT ||
           world->settings.local == GABION_LOCAL_NEWTON;
}

static void fill_axes(void *context, size_t begin, size_t end) {
    struct gabion_world *world = context;
    for (size_t i = begin; i < end; i++)
        world->problem->axes_m[i] = motion_midpoint_axes(world, (int32_t)i);
}

void motion_predict(struct gabion_world *world) {
    struct bodies *bodies = &world->bodies;
    struct problem *problem = world->problem;
    double tensor_bodies;
    bool joined = world->joints.count > 0;
    problem_size(problem, bodies->count + joined);
    if (joined)
        joints_expect(world);
    bool axes = bodies_have_axes(bodies) || drivers_turn(world) || joined;
    struct prediction prediction = {world, motion_step_gravity(world), motion_group_forces(world)};
    team_for(world->team, (size_t)bodies->moving, BODY_CHUNK, predict_moving, &prediction);
    if (axes) {
        problem_size_axes(problem);
        team_for(world->team, (size_t)bodies->count, BODY_CHUNK, fill_axes, world);
    }
    predict_fixed(world);
    team_max(world->team, (size_t)bodies->moving, 1, find_tensor_bodies, world, &tensor_bodies);
    problem->tensor_needed = tensor_bodies > 0 || axes || general_law(world);
    if (problem->tensor_needed) {
        problem_size_tensors(problem);
        team_for(world->team, (size_t)problem->body_count, BODY_CHUNK, fill_tensors, world);
    }
}

// The bodies as they stand ----------------------------------------------------------------------

void motion_stand(struct gabion_world *world) {
    const struct bodies *bodies = &world->bodies;
    struct problem *problem = world->problem;
    memcpy(problem->x_m, bodies->x, (size_t)bodies->count * sizeof *bodies->x);
    for (int32_t i = 0; problem->axes_m && i < bodies->count; i++)
        problem->axes_m[i] = quat_matrix(bodies->q[i]);
}

static mat3 axes_now(const struct gabion_world *world, int32_t i) {
    return quat_matrix(world->bodies.q[i]);
}

void motion_arrive(struct gabion_world *world) {
    const struct bodies *bodies = &world->bodies;
    struct problem *problem = world->problem;
    for (int32_t i = 0; i < bodies->count; i++) {
        problem->v_free[i] = bodies->v[i];
        problem->s_free[i] = vec3_scale(bodies_spin_radius(bodies, i), bodies->w[i]);
        if (problem->tensor_needed)
            problem->tensors[i] = make_tensor(world, i, axes_now);
    }
}

// Integration ---------------------------------------------------------------------------------

static void integrate_moving(void *context, size_t begin, size_t end) {
    struct gabion_world *world = context;
    struct bodies *bodies = &world->bodies;
    const struct problem *problem = world->problem;
    double h = world->settings.step, theta = world->settings.theta;
    for (size_t i = begin; i < end; i++) {
        const struct solver_body *body = &problem->bodies[i];
        vec3 v = {body->v[0], body->v[1], body->v[2]};
        // Divided, not scaled by 1 / R: R (1/R) is not 1 and would change a free spin in every
        // step.
        double R = bodies->radius[i];
        vec3 w = {body->s[0] / R, body->s[1] / R, body->s[2] / R};
        quat first = quat_exp(vec3_scale((1 - theta) * h, bodies->w[i]));
        quat second = quat_exp(vec3_scale(theta * h, w));
        bodies->q[i] = quat_normalize(quat_multiply(second, quat_multiply(first, bodies->q[i])));
        vec3 x_m = vec3_add_scaled(bodies->x[i], (1 - theta) * h, bodies->v[i]);
        bodies->x[i] = vec3_add_scaled(x_m, theta * h, v);
        bodies->v[i] = v;
        bodies->w[i] = w;
    }
}

void motion_integrate(struct gabion_world *world) {
    team_for(world->team, (size_t)world->bodies.moving, BODY_CHUNK, integrate_moving, world);
    drivers_integrate(world);
}
