#include "engine/motion/motion.h"

#include <string.h>

#include "engine/world/drivers.h"
#include "engine/world/joints.h"
#include "engine/world/loads.h"
#include "parallel/memory.h"

#define BODY_CHUNK 4096

// Inverse masses ------------------------------------------------------------------------------

bool motion_needs_tensor(const struct bodies *bodies, int32_t i) {
    if (i >= bodies->moving)
        return false;
    unsigned lock = bodies->lock[i], rotations = lock >> 3;
    if (lock & 7)
        return true;
    return rotations == 0 ? !bodies_isotropic(bodies, i) : rotations != 7;
}

// Returns the inverse of the inertia restricted to the axes that are free to turn, zero elsewhere.
// Removing degrees of freedom is not the same as zeroing rows of the full inverse.
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

// Calls `axes` only where unequal moments make them matter.
static struct inverse_mass make_inverse(const struct gabion_world *world, int32_t i,
                                        mat3 (*axes)(const struct gabion_world *, int32_t)) {
    const struct bodies *bodies = &world->bodies;
    struct inverse_mass tensor = {0};
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

static vec3 across(vec3 held, vec3 v) { return vec3_add_scaled(v, -vec3_dot(held, v), held); }

// Returns the derivative of the residual below, and a moment of inertia along the held axis: of the
// size of the others, or solving with the matrix would turn the body a little about that axis.
static mat3 free_spin_slope(vec3 inertia, vec3 held, vec3 middle, double h) {
    vec3 momentum = vec3_times(inertia, middle), column[3];
    double size = fmax(inertia.x, fmax(inertia.y, inertia.z));
    for (int axis = 0; axis < 3; axis++) {
        vec3 e = vec3_zero();
        vec3_set(&e, axis, 1);
        vec3 free = across(held, e), turned = vec3_times(inertia, free);
        vec3 turn = vec3_add(vec3_cross(free, momentum), vec3_cross(middle, turned));
        vec3 slope = across(held, vec3_add_scaled(turned, 0.5 * h, turn));
        column[axis] = vec3_add_scaled(slope, size * vec3_get(held, axis), held);
    }
    return (mat3){{{column[0].x, column[1].x, column[2].x},
                   {column[0].y, column[1].y, column[2].y},
                   {column[0].z, column[1].z, column[2].z}}};
}

static vec3 gyroscopic_moment(vec3 inertia, vec3 before, vec3 after) {
    vec3 middle = vec3_scale(0.5, vec3_add(before, after));
    return vec3_cross(middle, vec3_times(inertia, middle));
}

// Returns what is left of the equation that motion_free_spin solves.
static vec3 free_spin_residual(vec3 inertia, vec3 held, vec3 before, vec3 after, vec3 kick,
                               double h) {
    vec3 residual = vec3_add_scaled(vec3_times(inertia, vec3_sub(after, before)), h,
                                    gyroscopic_moment(inertia, before, after));
    return across(held, vec3_sub(residual, kick));
}

#define SOLVED_SPIN 1e-12 // of the angular momentum and of what a step may turn it by

static bool solves_free_spin(vec3 inertia, vec3 held, vec3 before, vec3 after, vec3 kick,
                             double h) {
    vec3 residual = free_spin_residual(inertia, held, before, after, kick, h);
    double scale = vec3_length(vec3_times(inertia, before)) + vec3_length(kick);
    return vec3_length(residual) <= SOLVED_SPIN * scale * (1 + h * vec3_length(before));
}

vec3 motion_free_spin(vec3 inertia, vec3 held, vec3 before, vec3 kick, double h) {
    vec3 after = before;
    for (int iteration = 0; iteration < 30; iteration++) {
        vec3 middle = vec3_scale(0.5, vec3_add(before, after));
        vec3 residual = free_spin_residual(inertia, held, before, after, kick, h), change;
        mat3_solve(free_spin_slope(inertia, held, middle, h), residual, &change);
        after = vec3_sub(after, across(held, change));
        if (vec3_dot(change, change) <= 1e-32 * vec3_dot(after, after))
            break;
    }
    if (solves_free_spin(inertia, held, before, after, kick, h))
        return after;
    vec3 change;
    mat3_solve(free_spin_slope(inertia, held, before, 0), across(held, kick), &change);
    return vec3_add(before, change);
}

static unsigned locked_turns(const struct bodies *bodies, int32_t i) {
    return bodies->lock[i] >> 3;
}

static bool one_bit(unsigned bits) { return bits == 1 || bits == 2 || bits == 4; }

bool motion_is_gyroscopic(const struct bodies *bodies, int32_t i) {
    unsigned locked = locked_turns(bodies, i);
    return !bodies_isotropic(bodies, i) && (locked == 0 || one_bit(locked));
}

// Returns the one locked axis of rotation in the axes of the body; zero where none is locked.
static vec3 held_axis(const struct bodies *bodies, int32_t i, const mat3 *axes) {
    vec3 axis = vec3_zero();
    for (int k = 0; k < 3; k++)
        vec3_set(&axis, k, locked_turns(bodies, i) >> k & 1);
    return mat3_apply_transposed(*axes, axis);
}

mat3 motion_midpoint_axes(const struct gabion_world *world, int32_t i) {
    double h = (1 - world->settings.theta) * world->settings.step;
    quat turn = quat_exp(vec3_scale(h, world->bodies.w[i]));
    return quat_matrix(quat_multiply(turn, world->bodies.q[i]));
}

vec3 motion_expected_turn(const struct gabion_world *world, int32_t i, const mat3 *axes) {
    vec3 inertia = world->bodies.inertia[i];
    if (world->joints.count == 0 || locked_turns(&world->bodies, i))
        return vec3_zero();
    vec3 kick = mat3_apply_transposed(*axes, world->midpoint->joint_moment[i]);
    vec3 turn = {kick.x / inertia.x, kick.y / inertia.y, kick.z / inertia.z};
    vec3 w = world->bodies.w[i];
    double turn2 = vec3_dot(turn, turn), w2 = vec3_dot(w, w);
    return turn2 <= w2 ? turn : vec3_scale(w2 / turn2, turn);
}

// Returns what the applied moment adds to the spin of a body that has no gyroscopic term.
static vec3 applied_turn(const struct gabion_world *world, int32_t i) {
    double R = world->bodies.radius[i], h = world->settings.step;
    sym3 inverse = make_inverse(world, i, motion_midpoint_axes).k; // of the inertia over R^2
    return sym3_apply(inverse, vec3_scale(h / (R * R), loads_applied(world, i).moment));
}

// Returns the angular impulse on a free body in a step, in body axes: what joints are expected to
// do and the moment that the program applies.
static vec3 free_kick(const struct gabion_world *world, int32_t i, const mat3 *axes, vec3 turn) {
    vec3 kick = vec3_times(world->bodies.inertia[i], turn);
    if (!world->applied)
        return kick;
    vec3 moment = mat3_apply_transposed(*axes, loads_applied(world, i).moment);
    return vec3_add_scaled(kick, world->settings.step, moment);
}

vec3 motion_gyroscopic_moment(const struct gabion_world *world, int32_t i, const mat3 *axes,
                              vec3 before, vec3 free) {
    const struct bodies *bodies = &world->bodies;
    vec3 kick = free_kick(world, i, axes, motion_expected_turn(world, i, axes));
    if (!solves_free_spin(bodies->inertia[i], held_axis(bodies, i, axes), before, free, kick,
                          world->settings.step))
        return vec3_zero();
    return gyroscopic_moment(bodies->inertia[i], before, free);
}

static vec3 free_spin(const struct gabion_world *world, int32_t i) {
    const struct bodies *bodies = &world->bodies;
    if (!motion_is_gyroscopic(bodies, i))
        return world->applied ? vec3_add(bodies->w[i], applied_turn(world, i)) : bodies->w[i];
    mat3 axes = motion_midpoint_axes(world, i);
    vec3 before = mat3_apply_transposed(axes, bodies->w[i]);
    vec3 turn = motion_expected_turn(world, i, &axes), kick = free_kick(world, i, &axes, turn);
    vec3 after = motion_free_spin(bodies->inertia[i], held_axis(bodies, i, &axes), before, kick,
                                  world->settings.step);
    after = vec3_sub(after, turn);
    // Only the change is rotated back to world axes. The axes are orthonormal only up to rounding,
    // with a bias, so rotating the whole spin forth and back would scale it in every step.
    vec3 change = mat3_apply(axes, vec3_sub(after, before));
    for (int axis = 0; axis < 3; axis++)
        if (locked_turns(bodies, i) >> axis & 1)
            vec3_set(&change, axis, 0); // exactly
    return vec3_add(bodies->w[i], change);
}

struct prediction {
    struct gabion_world *world;
    vec3 gravity;
    const vec3 *group_force;
};

static void predict_range(void *context, size_t begin, size_t end) {
    const struct prediction *prediction = context;
    struct gabion_world *world = prediction->world;
    struct bodies *bodies = &world->bodies;
    struct midpoint *midpoint = world->midpoint;
    double h = world->settings.step, theta = world->settings.theta;
    for (int32_t i = (int32_t)begin; i < (int32_t)end; i++) {
        double inv_m = 1 / bodies->mass[i], radius = bodies->radius[i];
        vec3 acceleration = prediction->gravity;
        if (prediction->group_force)
            acceleration =
                vec3_add_scaled(acceleration, inv_m, prediction->group_force[bodies->group[i]]);
        if (world->applied)
            acceleration = vec3_add_scaled(acceleration, inv_m, loads_applied(world, i).force);
        for (int axis = 0; axis < 3; axis++)
            if (bodies->lock[i] >> axis & 1)
                vec3_set(&acceleration, axis, 0);
        midpoint->x_m[i] = vec3_add_scaled(bodies->x[i], (1 - theta) * h, bodies->v[i]);
        midpoint->v_free[i] = vec3_add_scaled(bodies->v[i], h, acceleration);
        midpoint->s_free[i] = vec3_scale(radius, free_spin(world, i));
    }
}

static const vec3 *step_forces(struct gabion_world *world) {
    struct midpoint *midpoint = world->midpoint;
    if (world->force_count == 0)
        return NULL;
    midpoint->group_force =
        memory_resize(midpoint->group_force, (size_t)world->groups.count, sizeof(vec3), "forces");
    loads_group_forces(world, midpoint->group_force);
    return midpoint->group_force;
}

static void expect_joints(struct gabion_world *world) {
    struct midpoint *midpoint = world->midpoint;
    midpoint->joint_moment =
        memory_reserve(midpoint->joint_moment, &midpoint->joint_capacity,
                       (size_t)world->bodies.moving, sizeof *midpoint->joint_moment, "joints");
    joints_moments(world, midpoint->joint_moment);
}

static void fill_axes(void *context, size_t begin, size_t end) {
    struct gabion_world *world = context;
    for (size_t i = begin; i < end; i++)
        world->midpoint->axes_m[i] = motion_midpoint_axes(world, (int32_t)i);
}

void motion_predict_free(struct gabion_world *world) {
    struct bodies *bodies = &world->bodies;
    struct midpoint *midpoint = world->midpoint;
    bool joined = world->joints.count > 0;
    midpoint_size(midpoint, bodies->count + joined);
    midpoint->moving = bodies->moving;
    midpoint->radius = bodies->radius;
    midpoint->mass = bodies->mass;
    midpoint->inertia = bodies->inertia;
    midpoint->lock = bodies->lock;
    midpoint->known = bodies->count;
    if (joined)
        expect_joints(world);
    struct prediction prediction = {world, loads_step_gravity(world), step_forces(world)};
    piece_for(world, bodies->moving, BODY_CHUNK, predict_range, &prediction);
    midpoint->general = bodies_have_axes(bodies) || drivers_turn(world) || joined;
    if (midpoint->general) {
        midpoint_size_axes(midpoint);
        piece_for(world, bodies->count, BODY_CHUNK, fill_axes, world);
    }
}

void motion_predict_fixed(struct gabion_world *world) {
    const struct bodies *bodies = &world->bodies;
    struct midpoint *midpoint = world->midpoint;
    for (int32_t i = bodies->moving; i < midpoint->count; i++) {
        midpoint->x_m[i] = i < bodies->count ? bodies->x[i] : vec3_zero();
        midpoint->v_free[i] = midpoint->s_free[i] = vec3_zero();
    }
}

void motion_predict_driven(struct gabion_world *world) {
    double t = world_time(world), h = world->settings.step, theta = world->settings.theta;
    struct midpoint *midpoint = world->midpoint;
    bool turn = drivers_turn(world);
    for (int k = 0; k < world->driven_count; k++) {
        int32_t i = world->bodies.index_of[world->driven[k].id];
        if (i < 0)
            continue;
        struct placement middle = drivers_path(world, k, t + (1 - theta) * h);
        struct placement next = drivers_path(world, k, t + h + (1 - theta) * h);
        midpoint->x_m[i] = middle.x;
        midpoint->v_free[i] = vec3_scale(1 / h, vec3_sub(next.x, middle.x));
        if (!turn)
            continue;
        vec3 angle = quat_log(quat_multiply(next.q, quat_conjugate(middle.q)));
        midpoint->axes_m[i] = quat_matrix(middle.q);
        midpoint->s_free[i] = vec3_scale(bodies_spin_radius(&world->bodies, i) / h, angle);
    }
}

// Inverse masses at the midpoint ----------------------------------------------------------------

static void find_tensor_bodies(void *context, size_t begin, size_t end, double *out) {
    const struct gabion_world *world = context;
    for (size_t i = begin; i < end && out[0] == 0; i++)
        if (motion_needs_tensor(&world->bodies, (int32_t)i))
            out[0] = 1;
}

static void fill_inverse(void *context, size_t begin, size_t end) {
    struct gabion_world *world = context;
    for (size_t i = begin; i < end; i++)
        world->midpoint->inverse[i] = make_inverse(world, (int32_t)i, motion_midpoint_axes);
}

// Some contacts need the full inverse mass of every body: by their law, or because the user asked
// for a local solver that works on full 3x3 blocks.
static bool general_law(const struct gabion_world *world) {
    for (int k = 0; k < world->laws.count; k++)
        if (world->laws.law[k].tangential_restitution > 0)
            return true;
    return world->settings.local != GABION_LOCAL_AUTO &&
           world->settings.local != GABION_LOCAL_EXPLICIT;
}

void motion_predict_masses(struct gabion_world *world) {
    struct midpoint *midpoint = world->midpoint;
    double tensor_bodies;
    piece_max(world, world->bodies.moving, 1, find_tensor_bodies, world, &tensor_bodies);
    midpoint->general |= tensor_bodies > 0 || general_law(world);
    if (!midpoint->general)
        return;
    midpoint_size_inverse(midpoint);
    piece_for(world, midpoint->count, BODY_CHUNK, fill_inverse, world);
}

void motion_gather_masses(struct gabion_world *world) {
    struct midpoint *midpoint = world->midpoint;
    if (world->piece.partial && midpoint->general)
        piece_gather_array(&world->piece, midpoint->inverse, sizeof *midpoint->inverse);
}

void motion_predict(struct gabion_world *world) {
    motion_predict_free(world);
    motion_predict_fixed(world);
    motion_predict_driven(world);
    motion_predict_masses(world);
}

// The bodies as they stand ----------------------------------------------------------------------

void motion_stand(struct gabion_world *world) {
    const struct bodies *bodies = &world->bodies;
    struct midpoint *midpoint = world->midpoint;
    memcpy(midpoint->x_m, bodies->x, (size_t)bodies->count * sizeof *bodies->x);
    for (int32_t i = 0; midpoint->axes_m && i < bodies->count; i++)
        midpoint->axes_m[i] = quat_matrix(bodies->q[i]);
}

static mat3 axes_now(const struct gabion_world *world, int32_t i) {
    return quat_matrix(world->bodies.q[i]);
}

void motion_arrive(struct gabion_world *world) {
    const struct bodies *bodies = &world->bodies;
    struct midpoint *midpoint = world->midpoint;
    for (int32_t i = 0; i < bodies->count; i++) {
        midpoint->v_free[i] = bodies->v[i];
        midpoint->s_free[i] = vec3_scale(bodies_spin_radius(bodies, i), bodies->w[i]);
        if (midpoint->general)
            midpoint->inverse[i] = make_inverse(world, i, axes_now);
    }
}

// Integration ---------------------------------------------------------------------------------

struct integration {
    struct gabion_world *world;
    velocity_function velocity;
    const void *context;
};

static void integrate_range(void *context, size_t begin, size_t end) {
    const struct integration *integration = context;
    struct bodies *bodies = &integration->world->bodies;
    const struct gabion_settings *settings = &integration->world->settings;
    double h = settings->step, theta = settings->theta;
    for (size_t i = begin; i < end; i++) {
        struct body_velocity u = integration->velocity(integration->context, (int32_t)i);
        // Divided, not scaled by 1 / R: R (1/R) is not 1 and would change a free spin in every
        // step.
        double R = bodies->radius[i];
        vec3 w = {u.s.x / R, u.s.y / R, u.s.z / R};
        quat first = quat_exp(vec3_scale((1 - theta) * h, bodies->w[i]));
        quat second = quat_exp(vec3_scale(theta * h, w));
        bodies->q[i] = quat_normalize(quat_multiply(second, quat_multiply(first, bodies->q[i])));
        vec3 x_m = vec3_add_scaled(bodies->x[i], (1 - theta) * h, bodies->v[i]);
        bodies->x[i] = vec3_add_scaled(x_m, theta * h, u.v);
        bodies->v[i] = u.v;
        bodies->w[i] = w;
    }
}

void motion_integrate_free(struct gabion_world *world, velocity_function velocity,
                           const void *context) {
    struct integration integration = {world, velocity, context};
    piece_for(world, world->bodies.moving, BODY_CHUNK, integrate_range, &integration);
    world->piece.stale = world->piece.partial;
}

void motion_integrate_driven(struct gabion_world *world) {
    double end = world_time_of(world, world->step + 1);
    struct bodies *bodies = &world->bodies;
    const struct midpoint *midpoint = world->midpoint;
    for (int k = 0; k < world->driven_count; k++) {
        int32_t i = bodies->index_of[world->driven[k].id];
        if (i < 0)
            continue;
        struct placement at = drivers_path(world, k, end);
        bodies->x[i] = at.x;
        bodies->q[i] = at.q;
        bodies->v[i] = midpoint->v_free[i];
        bodies->w[i] = vec3_scale(1 / bodies_spin_radius(bodies, i), midpoint->s_free[i]);
    }
}
